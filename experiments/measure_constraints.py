"""How far simulated people meet what the papers print of people.

    python -m experiments.measure_constraints human

measures a population (``analysis.papers.constraints``) and puts its rows into
``data/tables/constraints.json``. Of ``human`` that takes a minute of a core: the papers' rows have
the rest. Of others the studies of the papers are run with these people in the place of ``human``,
at a tenth of their size, an hour of a core; ``--only PART ...`` measures some. Resumable: played
logs, networks and the studies' parts are kept.

* ``states``: four of them play; equal states, as many plays as the paper has.
* ``tables``: one of them and three bots: sums of bids, legal cards, nils, points, games won.
* ``style``: they play South of the rounds that the searches' abstract moves are counted in.
* ``log-linear``, ``networks``: models trained on the plays of four of them, on as many rounds as
  fit into minutes, and asked of other rounds. ``tree``: a decision tree of abstract moves.
* ``search``: how many of their cards the unbiased search plays.
* ``direct``, ``indirect``: the network of the paper's figures, alone and as the bias of the search,
  against the searches of the papers' rows. These are held out.
"""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from analysis.matches.match import MatchPlan
from analysis.models.measures import compute_answers, equal_states, played_and_moves
from analysis.papers.constraints import (
    COMMAND,
    DEFAULT,
    TABLE,
    THOUGHTFUL,
    VERSION,
    Constraint,
    Population,
    load_constraints,
    population_named,
    read_measured,
)
from analysis.papers.figures import GRID_GAMES
from analysis.papers.results import find_row, shipped_documents
from analysis.runs.command import (
    INTERRUPTED,
    RESUMABLE,
    add_workers,
    interruptible,
    say,
    write_table,
)
from analysis.runs.tasks import ranges
from analysis.style.compare import Sample
from analysis.style.counts import Group
from analysis.sweeps.held_out import hold_out
from analysis.sweeps.replays import Humans
from experiments.command import four_of, parse_options, simulated_log
from experiments.papers import baier, baier_networks, cohensius, cohensius_people, devlin, stand_in
from experiments.papers.claims import Claim, Estimate, row
from experiments.papers.lab import Lab, StoppedError
from experiments.thoughtful_rounds import simulate_thoughtful
from spades.agents import Seating, parse_agent
from spades.agents.play import play_games
from spades.core.cards import N_CARDS
from spades.core.documents import Document
from spades.core.errors import SpadesError
from spades.core.paths import DATA, user_folder
from spades.core.rules import Rules
from spades.human import load_model
from spades.human.features.abstract_moves import N_SUIT_MOVES
from spades.human.features.logs import ALL_SEATS, Examples, examples_of_log
from spades.human.features.view import TABLE as TABLE_CARD
from spades.human.files import ENDING
from spades.human.loglinear import FitOptions, LogLinearModel
from spades.human.model import HumanModel
from spades.human.networks.config import ABSTRACT, BAIER_2018, TrainingOptions
from spades.human.networks.model import NetworkModel
from spades.notation.log_store import open_log
from spades.search.techniques.technique import ROOT_ONLY

ROUNDS = 26_000
"""Of four of them: 1,352,000 plays; the paper has 1,356,076."""
SEED = 20_181_129
TRAINING_ROUNDS = 10_000
LOG_LINEAR_ROUNDS = 5_000
TEST_ROUNDS = 2_000
TRAINING = TrainingOptions(epochs=8)
TREE_ROUNDS = 5_000
LEAST_LEAF = 20
"""Plays in a leaf of the decision tree, at least."""
FORETOLD_GAMES = 200
SHARE = 0.1
"""Of the studies' full sizes."""
MODELS = DATA / "models"
ARCHITECTURES = (*BAIER_2018, ABSTRACT)

Estimates = dict[str, Estimate]
"""By the constraint's id."""


@dataclass(frozen=True)
class Measuring:
    """A population under measurement. ``networks``: those that are trained; ``workers``:
    processes."""

    population: Population
    lab: Lab
    networks: Sequence[str] = ARCHITECTURES
    workers: int | None = 1

    @property
    def agent(self) -> str:
        return self.population.agent

    @property
    def file_name(self) -> str:
        return re.sub(r"\W+", "-", self.agent)

    @cached_property
    def examples(self) -> Examples:
        """Plays of four of them, round after round."""
        if self.agent == THOUGHTFUL.agent:
            return examples_of_log(simulate_thoughtful(ROUNDS, SEED))
        path = user_folder() / "constraints" / f"{self.file_name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        log = simulated_log(four_of(self.agent, ROUNDS, "rounds", SEED), path, self.workers)
        if log is None:
            raise StoppedError
        return examples_of_log(log, ALL_SEATS)

    def rounds(self, first: int, end: int) -> Examples:
        """Plays of rounds ``first`` to ``end`` - 1."""
        games = self.examples.games
        return self.examples.take((games >= first) & (games < end))

    @cached_property
    def fresh(self) -> Examples:
        """Plays that no model is trained on."""
        return self.rounds(ROUNDS - TEST_ROUNDS, ROUNDS)

    def network(self, name: str) -> str:
        """A network that imitates them, by name or file; it is trained unless it is there. That of
        the papers' figures is shipped, as agents' texts name it."""
        own_name = f"{self.file_name}-{name}"
        folder = MODELS if name == baier.NETWORK else user_folder() / "constraints"
        path = folder / f"{own_name}{ENDING}"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            model = NetworkModel(name, name=own_name, options=TRAINING, seed=SEED)
            fit(model, self.rounds(0, TRAINING_ROUNDS)).save(path)
        return own_name if folder == MODELS else str(path)


def fit(model: HumanModel, examples: Examples) -> HumanModel:
    return model.fit(examples, tell=lambda progress: say(f"{model.name}: {progress.text()}"))


# Parts


def measure_states(one: Measuring) -> Estimates:
    states = equal_states(one.examples)
    n_repeated = int(states.plays.sum())
    return {
        "repeated-states": Estimate.share(n_repeated, len(one.examples), "plays"),
        "disagreement": Estimate.mean(states.disagree, "states"),
    }


def measure_tables(one: Measuring) -> Estimates:
    one.lab.load_shipped("cohensius-people")
    counts = cohensius_people.counts_by_bot(one.lab, one.agent)
    gap = {"no-nil-gap": cohensius_people.no_nil_gap(counts)}
    if one.population == DEFAULT:  # the papers' rows have the rest
        return gap
    documents = {
        **cohensius_people.documents_of(counts),
        **cohensius.rounds_with(Lab(3 * one.lab.share, **one.lab.options), one.agent),
    }
    return gap | estimates_in(documents)


def measure_style(one: Measuring) -> Estimates:
    one.lab.load_shipped("devlin-style")
    humans = Humans(hold_out(open_log(devlin.LOG), devlin.SEED))
    n_rounds = one.lab.n(devlin.STYLE_ROUNDS, devlin.QUICK["rounds"])
    played = devlin.sample_of(one.lab, humans, one.agent, n_rounds)
    people = Sample(Group("agent", one.agent, "people"), played.moves)
    whole = Lab(1.0, **one.lab.options)
    searches = {
        name: devlin.sample_of(whole, humans, agent, devlin.STYLE_ROUNDS)
        for name, agent in devlin.AGENTS.items()
    }
    sheet = devlin.table1(whole, people, searches, n_rounds)
    return estimates_in({sheet.figure: sheet.document})


def measure_log_linear(one: Measuring) -> Estimates:
    model = LogLinearModel("fitted", options=FitOptions(passes=5, polish=True))
    fit(model, one.rounds(0, LOG_LINEAR_ROUNDS))
    return {"log-linear": accuracy_of(model, one.fresh.unforced)}


def measure_networks(one: Measuring) -> Estimates:
    found = {}
    for architecture in one.networks:
        model = load_model(one.network(architecture))
        if architecture == ABSTRACT:
            found["network-abstract"] = accuracy_of(model, one.fresh, baier_networks.MOVES)
        else:
            found[f"network-{architecture}"] = accuracy_of(model, one.fresh)
    return found


def accuracy_of(
    model: HumanModel, examples: Examples, foretold: str = baier_networks.CARDS
) -> Estimate:
    """Share of the cards that are, or whose abstract moves are, the model's likeliest."""
    is_right = compute_answers(model.prior(), examples)[foretold].to_numpy(float)
    return share_of_cards(is_right, examples)


def share_of_cards(values: NDArray, examples: Examples) -> Estimate:
    """The mean of values of cards, (n,); its interval is over rounds."""
    round_of_card = np.unique_inverse(examples.games).inverse_indices
    sums = np.bincount(round_of_card, values)
    n_cards = np.bincount(round_of_card)
    return Estimate.mean(sums, "cards", n_cards)


def measure_tree(one: Measuring) -> Estimates:
    """Of the likeliest of the legal abstract moves, by a tree that reads what the network of
    abstract moves does. The papers describe none: this is one of many."""
    tree = DecisionTreeClassifier(min_samples_leaf=LEAST_LEAF, random_state=SEED)
    training = one.rounds(0, TREE_ROUNDS)
    inputs, moves = inputs_of_tree(training)
    tree.fit(inputs, moves)
    inputs, moves = inputs_of_tree(one.fresh)
    is_legal = inputs[:, tree.classes_] > 0
    likeliest = np.where(is_legal, tree.predict_proba(inputs), -1.0).argmax(axis=1)
    is_right = tree.classes_[likeliest] == moves
    return {"decision-tree": share_of_cards(is_right, one.fresh)}


def inputs_of_tree(examples: Examples) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Which of the 68 abstract moves are legal, and the cards on the table, by seat; (n, 260). The
    abstract move of the card that was played, (n,)."""
    views = np.ascontiguousarray(examples.views)
    places, moves = played_and_moves(views, examples.cards)
    rows, cards = np.nonzero(moves >= 0)
    legal = np.zeros((len(views), N_SUIT_MOVES), np.uint8)
    legal[rows, moves[rows, cards]] = 1
    table = np.ascontiguousarray(views[:, TABLE_CARD : TABLE_CARD + 3])
    bits = np.unpackbits(table.view(np.uint8), axis=1)
    return np.hstack([legal, bits]), moves[np.arange(len(views)), places].astype(np.int64)


def measure_search(one: Measuring) -> Estimates:
    return {"search": foretold_by(one, f"ismcts:iterations={baier.ITERATIONS}")}


def measure_direct(one: Measuring) -> Estimates:
    agent = f"direct:model={one.network(baier.NETWORK)}"
    games = one.lab.n(GRID_GAMES, baier.QUICK["games"])
    plans = {
        name: MatchPlan(agent, opponent_of(name), games, SEED)
        for name in ("direct-50", "direct-2500")
    }
    one.lab.play(*plans.values())
    return {name: one.lab.win_rate(plan) for name, plan in plans.items()}


def measure_indirect(one: Measuring) -> Estimates:
    """Of the search with as many iterations as the unbiased one: it calls the network once."""
    biased = baier.knowledge(0.2, 1000.0, ROOT_ONLY, baier.ITERATIONS).agent()
    agent = biased.replace(baier.NETWORK, one.network(baier.NETWORK))
    games = one.lab.n(GRID_GAMES, baier.QUICK["games"])
    plan = MatchPlan(agent, f"ismcts:iterations={baier.ITERATIONS}", games, SEED)
    return {
        "indirect-accuracy": foretold_by(one, agent),
        "indirect-games": one.lab.win_rate(plan),
    }


def opponent_of(name: str) -> str:
    """Whom the papers' row of a constraint plays against."""
    constraint = next(one for one in load_constraints() if one.id == name)
    found = find_row(shipped_documents(), constraint.figure, constraint.claim)
    if found is None:
        raise SpadesError(f"the papers have no row of {name}")
    opponent: str = found["match"]["ew"]
    return opponent


def foretold_by(one: Measuring, predictor: str) -> Estimate:
    """How many of their cards, forced ones too, another agent would play."""
    name = "cards of people that an agent plays"
    parts = ranges(one.lab.n(FORETOLD_GAMES, 2), 1)
    agents = (one.agent, predictor)
    counts = one.lab.measure(name, count_foretold, parts, one.agent, predictor, agents=agents)
    hits, n = np.array(counts, dtype=float).T
    return Estimate.mean(hits, "cards", n)


def count_foretold(first: int, end: int, agent: str, predictor: str) -> tuple[int, int]:
    """Cards of some games of four such people that another agent would play, and all cards."""
    player = parse_agent(agent)
    seating = Seating((player, player, player, player), Rules())
    log = play_games(seating, stand_in.SEED, first, end).log()
    return stand_in.count_by_agent(log, first, predictor), len(log) * N_CARDS


PARTS: dict[str, Callable[[Measuring], Estimates]] = {
    "states": measure_states,
    "tables": measure_tables,
    "style": measure_style,
    "log-linear": measure_log_linear,
    "networks": measure_networks,
    "tree": measure_tree,
    "search": measure_search,
    "direct": measure_direct,
    "indirect": measure_indirect,
}
OF_DEFAULT = ("states", "tables", "tree")
"""What no row of the papers has of ``human``."""


# The table


def estimates_in(documents: Document) -> Estimates:
    """What rows of the papers' figures say, by the constraint that they stand for."""
    found = {}
    for constraint in load_constraints():
        of_figure = find_row(documents, constraint.figure, constraint.claim)
        if of_figure is not None and of_figure["ours"] is not None:
            interval = of_figure["interval"]
            found[constraint.id] = Estimate(
                of_figure["ours"],
                tuple(interval) if interval else None,
                of_figure["n"],
                of_figure["of"],
            )
    return found


def row_of(constraint: Constraint, estimate: Estimate, agent: str) -> Document:
    claim = Claim(constraint.published, constraint.low, constraint.high, constraint.margin)
    about = {"unit": constraint.unit, "settings": agent, "on": "simulated people"}
    return row("people", constraint.what, claim, estimate, **about)


def store(population: Population, estimates: Estimates, table: Path) -> None:
    """Add a population's rows to the stored table, or replace them."""
    populations = read_measured(table) if table.exists() else {}
    rows = dict(populations.get(population.agent, {}))
    for constraint in load_constraints():
        if constraint.id in estimates:
            rows[constraint.id] = row_of(constraint, estimates[constraint.id], population.agent)
    listed = {one.id: rows[one.id] for one in load_constraints() if one.id in rows}
    document = {
        "version": VERSION,
        "made_by": COMMAND,
        "populations": {**populations, population.agent: listed},
    }
    write_table(document, table)


def add_population(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("population", metavar="POPULATION", help="an agent, such as human")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--networks", nargs="+", choices=ARCHITECTURES, default=ARCHITECTURES)
    parser.add_argument("--share", type=float, default=SHARE, help="of the studies' full sizes")


def main() -> None:
    options = parse_options(__doc__, TABLE, add_population, add_workers)
    population = population_named(options.population)
    is_default = population == DEFAULT
    parts = options.only or (OF_DEFAULT if is_default else tuple(PARTS))
    share = 1.0 if is_default else options.share
    with interruptible(say) as is_cancelled:
        lab = Lab(
            share,
            workers=options.workers,
            tell=lambda progress: say(progress.text()),
            is_cancelled=is_cancelled,
        )
        one = Measuring(population, lab, options.networks, options.workers)
        try:
            for part in parts:
                estimates = PARTS[part](one)
                store(population, estimates, options.out)
                for name, estimate in estimates.items():
                    say(f"{name}: {estimate.value} {estimate.interval}, n {estimate.n:,}")
        except StoppedError:
            say(RESUMABLE)
            sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
