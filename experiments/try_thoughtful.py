"""How the options of ``thoughtful`` change its play: ``python -m experiments.try_thoughtful``.

Each candidate is looked at in a minute of a core, on other deals than those of
``data/tables/constraints.json``, by what the papers print of people:

=================  =============================================================================
``log_linear``     how often the likeliest card of a log-linear model, fitted to their cards, is
                   played, of cards with a choice; ``sureness``: the mean of its largest probability
``ceiling``        the mean of their own largest probability, all cards: no model foretells more
``network``        accuracy of the small network that the papers' figures are of; trained on fewer
                   rounds than there, in fewer passes, so that it foretells some points less
``search``         how many of their cards the unbiased search plays
``kl``             from people's abstract moves to those of Devlin's three searches, nats: of the
                   chances of their cards in the decisions of ``human-south``, no replay
``gap``            points a round by which two bots are ahead of a bot with one of them, no nil
``games``          games that two bots win against a bot with one of them, by bot
=================  =============================================================================

Writes ``data/tables/thoughtful_candidates.json``, twenty minutes of a core, and prints the table of
``docs/papers.md``. Nothing that is held out is looked at.
"""

import argparse
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import ratio_interval
from analysis.markdown import markdown_table
from analysis.models.measures import compute_answers
from analysis.papers.constraints import load_constraints
from analysis.runs.command import say
from analysis.style.compare import kl_divergence, smoothed
from analysis.style.counts import fold
from analysis.sweeps.held_out import hold_out
from analysis.sweeps.replays import Humans
from experiments.command import make_table
from experiments.measure_constraints import share_of_cards
from experiments.papers import baier, cohensius_people, devlin, stand_in
from experiments.papers.lab import Lab
from experiments.thoughtful_rounds import simulate_thoughtful
from spades.agents.players.thoughtful import ThoughtfulPlayer, Weighing, fill_probabilities
from spades.core.cards import HAND_SIZE, N_CARDS
from spades.core.documents import Document
from spades.core.kernel import FloatArray, IntArray, kernel
from spades.core.paths import DATA
from spades.human.features.abstract_moves import MOVE_32_OF_68, N_MOVES, classify_legal
from spades.human.features.logs import ALL_SEATS, Examples, examples_of_log
from spades.human.loglinear import FitOptions, LogLinearModel
from spades.human.networks.config import TrainingOptions
from spades.human.networks.model import NetworkModel
from spades.notation.log_store import open_log

TABLE = DATA / "tables" / "thoughtful_candidates.json"
SEED = 20_261_129
TRAINING_ROUNDS = 5_000
LOG_LINEAR_ROUNDS = 3_000
TEST_ROUNDS = 1_000
SEARCHED_ROUNDS = 60
GAMES = 1_000
CONSTRAINTS = {
    "ceiling": (),
    "log-linear": ("log-linear",),
    "network": ("network-t-200-150-100",),
    "search": ("search",),
    "KL": ("kl-baseline", "kl-factory", "kl-biased"),
    "gap": ("no-nil-gap",),
    "games": ("games-bis", "games-rb", "games-wrp"),
}
"""Columns of the printed table, each with the ids of the published numbers that it estimates."""
TRAINING = TrainingOptions(epochs=5)


class Options(NamedTuple):
    """Those of ``ThoughtfulPlayer``."""

    habit: float
    lambda_: float
    lowest: float

    @property
    def player(self) -> ThoughtfulPlayer:
        return ThoughtfulPlayer(**self._asdict())


CANDIDATES = (
    Options(0.0, 0.5, 0.6),
    Options(0.0, 1.5, 0.6),
    Options(0.0, 4.0, 0.6),
    Options(0.5, 1.5, 0.6),
    Options(1.0, 1.5, 0.6),
    Options(1.0, 4.0, 0.6),
    Options(1.6, 0.5, 0.6),
    Options(1.6, 1.5, 0.6),
    Options(1.6, 4.0, 0.6),
    Options(1.6, 1.5, 0.0),
    Options(1.6, 1.5, 1.0),
    Options(2.0, 1.5, 0.6),
)


@kernel
def fill_rows(
    views: NDArray, weighing: Weighing, classes: IntArray, p: FloatArray, moves: NDArray
) -> None:
    """Write how likely each legal card of each view is into ``p`` float64 (n, 13), 0 after them,
    and its abstract move, of the 68, into ``moves`` int8 (n, 13). ``classes`` int64 (13,) is
    overwritten."""
    for i in range(len(views)):
        fill_probabilities(views[i], weighing, classes, p[i])
        classify_legal(views[i], moves[i])


def chances_of(player: ThoughtfulPlayer, examples: Examples) -> tuple[FloatArray, NDArray]:
    """What ``fill_rows`` writes of decisions."""
    n = len(examples)
    p = np.zeros((n, HAND_SIZE))
    moves = np.full((n, HAND_SIZE), -1, dtype=np.int8)
    classes = np.zeros(HAND_SIZE, np.int64)
    fill_rows(np.ascontiguousarray(examples.views), player.weighing, classes, p, moves)
    return p, moves


def moves_of(player: ThoughtfulPlayer, examples: Examples) -> FloatArray:
    """How often each abstract move, of the 32, is expected in decisions, (32,)."""
    p, moves = chances_of(player, examples)
    is_card = moves >= 0
    return np.bincount(MOVE_32_OF_68[moves[is_card]], p[is_card], N_MOVES).astype(float)


class Searches(NamedTuple):
    """Decisions of a log's simulated humans, and how often each search made each abstract move in
    their seat, (32,), by its name in the paper."""

    decisions: Examples
    moves: dict[str, IntArray]

    @classmethod
    def load(cls) -> "Searches":
        lab = Lab(1.0)
        lab.load_shipped("devlin-style")
        log = open_log(devlin.LOG)
        humans = Humans(hold_out(log, devlin.SEED))
        moves = {}
        for name, agent in devlin.AGENTS.items():
            sample = devlin.sample_of(lab, humans, agent, devlin.STYLE_ROUNDS)
            moves[name] = fold(sample.moves.total[None], N_MOVES)[0]
        return cls(examples_of_log(log), moves)

    def kl_from(self, player: ThoughtfulPlayer) -> dict[str, float]:
        people = smoothed(moves_of(player, self.decisions)[None])
        return {
            name: float(kl_divergence(people, smoothed(moves[None]))[0])
            for name, moves in self.moves.items()
        }


def measure(options: Options, searches: Searches) -> Document:
    """A candidate's row; shares with their 95% intervals."""
    player = options.player
    training = examples_of_log(simulate_thoughtful(TRAINING_ROUNDS, SEED, player), ALL_SEATS)
    log = simulate_thoughtful(TEST_ROUNDS, SEED + 1, player)
    fresh = examples_of_log(log, ALL_SEATS)
    network = NetworkModel(baier.NETWORK, name="candidate", options=TRAINING, seed=SEED)
    network.fit(training)
    p, _ = chances_of(player, fresh)
    return {
        **options._asdict(),
        **_log_linear(training.take(training.games < LOG_LINEAR_ROUNDS), fresh.unforced),
        "ceiling": _share(p.max(axis=1), fresh),
        "network": _share(compute_answers(network.prior(), fresh)["accuracy"].to_numpy(), fresh),
        "search": _searched(player),
        "kl": searches.kl_from(player),
        **_tables(player),
    }


def _log_linear(training: Examples, fresh: Examples) -> Document:
    model = LogLinearModel("candidate", options=FitOptions(passes=5, polish=True))
    answers = compute_answers(model.fit(training).prior(), fresh)
    return {
        "log_linear": _share(answers["accuracy"].to_numpy(), fresh),
        "sureness": float(answers["confidence"].mean()),
    }


def _share(values: NDArray, examples: Examples) -> Document:
    share = share_of_cards(values, examples)
    return {"value": share.value, "interval": share.interval}


def _searched(player: ThoughtfulPlayer) -> Document:
    """How many of their cards the unbiased search plays, of some rounds."""
    log = simulate_thoughtful(SEARCHED_ROUNDS, SEED + 2, player)
    search = f"ismcts:iterations={baier.ITERATIONS}"
    hits = [stand_in.count_by_agent(log.take(slice(i, i + 1)), i, search) for i in range(len(log))]
    interval = ratio_interval(np.array(hits, float), np.full(len(hits), float(N_CARDS)))
    return {"value": sum(hits) / (len(hits) * N_CARDS), "interval": interval}


def _tables(player: ThoughtfulPlayer) -> Document:
    """Games of three bots with one of them in South."""
    counts = {}
    for bot in cohensius_people.GAMES_WON:
        of_bot = cohensius_people.count_games(0, GAMES, bot, SEED, player.text)
        counts[bot] = {name: np.array([values]) for name, values in of_bot.items()}
    gap = cohensius_people.no_nil_gap(counts)
    won = {bot: float(of_bot["won"][0] / of_bot["decided"][0]) for bot, of_bot in counts.items()}
    return {"gap": gap.value, "games": won}


def table_of(document: Document) -> str:
    """The candidates as Markdown, under what is published of people."""
    printed = {one.id: one.published for one in load_constraints()}
    published = [", ".join(printed[name] for name in of) for of in CONSTRAINTS.values()]
    heads = ("habit", "λ, points", "lowest", *CONSTRAINTS)
    lines = [heads, ("published", "", "", *published)]
    for row in document["candidates"]:
        measured = (row["ceiling"], row["log_linear"], row["network"], row["search"])
        shares = [f"{share['value']:.1%}" for share in measured]
        distances = ", ".join(f"{distance:.3f}" for distance in row["kl"].values())
        games = ", ".join(f"{won:.0%}" for won in row["games"].values())
        options = [format(row[name], "g") for name in Options._fields]
        lines.append((*options, *shares, distances, f"{row['gap']:.1f}", games))
    return markdown_table(lines)


def make(_: argparse.Namespace) -> Document:
    searches = Searches.load()
    rows: list[dict[str, Any]] = []
    for options in CANDIDATES:
        rows.append(measure(options, searches))
        say(str(rows[-1]))
    counts = {"training": TRAINING_ROUNDS, "fresh": TEST_ROUNDS, "searched": SEARCHED_ROUNDS}
    document = {"seed": SEED, "rounds": counts, "games": GAMES, "candidates": rows}
    say(table_of(document))
    return document


if __name__ == "__main__":
    make_table(__doc__, TABLE, make)
