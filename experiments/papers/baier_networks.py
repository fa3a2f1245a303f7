"""Baier et al. 2018, table I: networks that play like people.

    python -m spades reproduce baier-table1 --scale full

The people are simulated, and the networks are ours, trained on them. ``experiments.papers.baier``
has the search that leans towards one of them, and says who the opponents are.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.matches.match import MatchPlan
from analysis.models.measures import compute_answers
from analysis.models.tables import PUBLISHED, read_comparison
from analysis.models.training import CONVERGED
from analysis.papers.figures import FACTORY_GAMES, FACTORY_NETWORK_GAMES, GRID_GAMES, NAMED_GAMES
from analysis.runs.tasks import ranges
from analysis.style.counts import fold
from experiments.papers import stand_in
from experiments.papers.baier import (
    BASELINE_ACCURACY,
    ITERATIONS,
    NETWORK,
    PLAIN,
    QUICK,
    SHARE_OF_CARDS,
    factory,
    match_of_network,
    plain,
)
from experiments.papers.baier_plays import SEED
from experiments.papers.claims import ACCURACY, WINS, Claim, Estimate, Sheet
from experiments.papers.lab import HUMAN, SIMULATED_HUMANS, Lab, match_readings
from spades.core.cards import N_CARDS
from spades.core.kernel import BoolArray
from spades.human import load_model, model_hash, simulate_humans
from spades.human.features.abstract_moves import N_MOVES, N_SUIT_MOVES
from spades.human.features.logs import examples_of_log, features_of_log
from spades.human.networks.config import OURS
from spades.human.simulated import MODEL_NAME

FRESH_SEED = 203
ILLEGAL_MARGIN = 0.0005
"""Of shares of cards that are seldom above 0.1%."""

# What the paper prints

RANDOM = "random"
COMMONEST_MOVE = 0.165
"""How often always guessing the commonest of the 68 abstract moves is right."""
ILLEGAL_FIRST = 0.0005
"""How often the highest-valued card of ``NETWORK`` is illegal (section III)."""
WIN_RATES = {
    "200": (0.115, 0.455),
    "200-100": (0.114, 0.432),
    "t-200": (0.175, 0.553),
    "t-200-100": (0.181, 0.600),
    "t-200-150-100": (0.220, 0.589),
    "t-c-200": (0.184, 0.579),
    "t-c-200-100": (0.140, 0.567),
    "t-cA-200": (0.200, 0.574),
    "t-cA-200-100": (0.166, 0.553),
    RANDOM: (0.0, 0.004),
}
"""Games won against 2,500 and 50 iterations (table I)."""
BASELINE_WINS = 0.875
"""Games that the opponent won against itself at 50 iterations (table I)."""

CARDS = "accuracy"
MOVES = "accuracy_moves"
"""What networks foretell, by the columns of ``compute_answers``."""

# Other networks than those of table I

ABSTRACT = "abstract-200"
"""Foretells abstract moves, and its published accuracy is of these (section III)."""
FEWER_PASSES = ("t-200-100", NETWORK)
BOUNDS = {
    f"{CONVERGED}t-600-300": "wider than the paper's, reads the same",
    OURS: "reads the cards played as well",
    MODEL_NAME: "the players' own model, the most that is possible",
}


def networks(lab: Lab) -> dict[str, Any]:
    """Table I. Our networks are those trained until they gained no more.

    Other readings: those with fewer passes over the data, and one that imitates a stronger
    stand-in for people.
    """
    sheet = Sheet("baier-table1", "", "", unit=SHARE_OF_CARDS)
    _add_accuracies(lab, sheet)
    _add_commonest_move(lab, sheet)
    _add_illegal_first(lab, sheet)
    _add_games_won(lab, sheet)
    for name in FEWER_PASSES:
        matches = _matches(lab, f"direct:model={name}", name, plain, GRID_GAMES)
        if name == NETWORK:
            usual = _against(ITERATIONS)
            _, won = matches[usual]
            matches[usual] = match_of_network(lab), won
        readings = {
            f"fewer passes, {name}: games won {what}, {PLAIN}": match
            for what, match in matches.items()
        }
        match_readings(lab, sheet, readings)
    published = {"search": BASELINE_ACCURACY, "network": PUBLISHED[NETWORK]}
    stand_in.add_predicted(lab, sheet, published)
    matches = _matches(lab, f"direct:model={stand_in.MODEL}", NETWORK, plain, GRID_GAMES)
    readings = {
        f"stand-in's network: games won {what}, {PLAIN}": match for what, match in matches.items()
    }
    match_readings(lab, sheet, readings)
    return {sheet.figure: sheet.document}


def _add_accuracies(lab: Lab, sheet: Sheet) -> None:
    compared = {row["model"]: row for row in read_comparison()["models"]}
    for model, published in PUBLISHED.items():
        claim = Claim.share(published, ACCURACY)
        row = compared[model]
        foretold = MOVES if model == ABSTRACT else CARDS
        accuracy = Estimate(row[foretold], row["intervals"][foretold], row["decisions"], "cards")
        settings = model
        if model in WIN_RATES or model == ABSTRACT:
            what = f"fewer passes, {model}: accuracy"
            sheet.reading(what, claim, accuracy, on=SIMULATED_HUMANS, settings=model)
            settings = f"{CONVERGED}{model}"
            accuracy = _accuracy(lab, settings, foretold)
        sheet.row(f"{model}: accuracy", claim, accuracy, on=SIMULATED_HUMANS, settings=settings)
        sheet.beside("accuracy", model, accuracy, claim)
    highest = Claim.share(max(PUBLISHED.values()), ACCURACY)
    for model, what in BOUNDS.items():
        accuracy = _accuracy(lab, model)
        sheet.reading(f"{model}, {what}: accuracy", highest, accuracy, on=SIMULATED_HUMANS)


def _add_commonest_move(lab: Lab, sheet: Sheet) -> None:
    """How often the commonest abstract move is played, as if it were always guessed."""
    parts = ranges(lab.n(5000, 100), 500)
    name = "abstract moves of simulated humans"
    counts = np.concatenate(lab.measure(name, count_moves, parts, agents=(HUMAN,)))
    claim = Claim.share(COMMONEST_MOVE, ACCURACY)
    for moves, add, suffix in (
        (counts, sheet.row, ""),
        (fold(counts, N_MOVES), sheet.reading, ", without the suit"),
    ):
        hits = moves[:, moves.sum(axis=0).argmax()]
        guessed = Estimate.mean(hits, "cards", moves.sum(axis=1))
        what = f"the commonest abstract move: accuracy{suffix}"
        add(what, claim, guessed, on=SIMULATED_HUMANS)


def count_moves(first: int, end: int) -> list[list[int]]:
    """Plays of each of the 68 abstract moves in each of some fresh rounds of simulated humans."""
    moves, _ = features_of_log(simulate_humans(end - first, FRESH_SEED, first=first))
    counts = [np.bincount(of_round, minlength=N_SUIT_MOVES) for of_round in moves]
    return np.array(counts).tolist()


def _add_illegal_first(lab: Lab, sheet: Sheet) -> None:
    """Add how often the highest of a network's 52 outputs is an illegal card."""
    claim = Claim.printed(ILLEGAL_FIRST, ILLEGAL_MARGIN, f"{ILLEGAL_FIRST:.2%}")
    for model, add, which in (
        (f"{CONVERGED}{NETWORK}", sheet.row, ""),
        (NETWORK, sheet.reading, "fewer passes, "),
    ):
        name = f"illegal first choices of {model_hash(model)}"
        parts = ranges(lab.n(5000, 100), 500)
        by_part = lab.measure(name, count_illegal_first, parts, model, agents=(HUMAN,))
        counts = np.concatenate(by_part)
        share = Estimate.mean(counts, "cards", np.full(len(counts), float(N_CARDS)))
        what = f"{which}{NETWORK}: highest-valued card illegal"
        add(what, claim, share, on=SIMULATED_HUMANS, settings=model)


def count_illegal_first(first: int, end: int, model: str) -> list[int]:
    """Plays of each of some fresh rounds of simulated humans at which a model finds an illegal card
    likeliest."""
    fresh = examples_of_log(simulate_humans(end - first, FRESH_SEED, first=first))
    is_legal = compute_answers(load_model(model).prior(), fresh)["legal_first"].to_numpy()
    return _sums_of_rounds(~is_legal)


def _sums_of_rounds(is_so: BoolArray) -> list[int]:
    """Of plays one round after the other, how many of each round are so."""
    sums: list[int] = is_so.reshape(-1, N_CARDS).sum(axis=1).astype(int).tolist()
    return sums


def _add_games_won(lab: Lab, sheet: Sheet) -> None:
    agents = {
        name: RANDOM if name == RANDOM else f"direct:model={CONVERGED}{name}" for name in WIN_RATES
    }
    plain_matches = {
        f"games won {what}: {name}, {PLAIN}": match
        for name, agent in agents.items()
        for what, match in _matches(lab, agent, name, plain, NAMED_GAMES).items()
    }
    match_readings(lab, sheet, plain_matches)
    plans = {
        name: _matches(lab, agent, name, factory, FACTORY_NETWORK_GAMES)
        for name, agent in agents.items()
    }
    lab.play(*(plan for matches in plans.values() for plan, _ in matches.values()))
    for name, matches in plans.items():
        for what, (plan, published) in matches.items():
            claim = Claim.share(published, WINS)
            won = lab.win_row(sheet.row, f"games won {what}: {name}", claim, plan)
            sheet.beside(what, name, won, claim)
    _add_baseline(lab, sheet)


def _add_baseline(lab: Lab, sheet: Sheet) -> None:
    """Games that the opponent wins against itself at 50 iterations."""
    what = "games won against 50 iterations: the baseline"
    games = lab.n(FACTORY_GAMES, QUICK["games"])
    claim = Claim.share(BASELINE_WINS, WINS)
    for opponent, add, suffix in ((factory, sheet.row, ""), (plain, sheet.reading, f", {PLAIN}")):
        plan = MatchPlan(opponent(ITERATIONS), opponent(50), games, SEED)
        lab.win_row(add, f"{what}{suffix}", claim, plan)


def _accuracy(lab: Lab, model: str, foretold: str = CARDS) -> Estimate:
    """Of a stored model, on fresh rounds of simulated humans; ``foretold``: ``CARDS`` or
    ``MOVES``."""
    is_of_cards = foretold == CARDS
    name = f"{'cards' if is_of_cards else 'abstract moves'} foretold by {model_hash(model)}"
    arguments = (model,) if is_of_cards else (model, foretold)
    parts = ranges(lab.n(5000, 100), 500)
    hits = np.concatenate(lab.measure(name, count_foretold, parts, *arguments, agents=(HUMAN,)))
    return Estimate.mean(hits, "cards", np.full(len(hits), float(N_CARDS)))


def count_foretold(first: int, end: int, model: str, foretold: str = CARDS) -> list[int]:
    """Cards of each of some fresh rounds of simulated humans that, or whose abstract moves, a model
    finds likeliest."""
    fresh = examples_of_log(simulate_humans(end - first, FRESH_SEED, first=first))
    right = compute_answers(load_model(model).prior(), fresh)[foretold].to_numpy()
    return _sums_of_rounds(right)


def _matches(
    lab: Lab, agent: str, network: str, opponent: Callable[[int], str], full_games: int
) -> dict[str, tuple[MatchPlan, float]]:
    """The matches of table I, each with what the paper prints of a network."""
    games = lab.n(full_games, QUICK["games"])
    return {
        _against(n): (MatchPlan(agent, opponent(n), games, SEED), won)
        for n, won in zip((ITERATIONS, 50), WIN_RATES[network], strict=True)
    }


def _against(n_iterations: int) -> str:
    return f"against {n_iterations:,} iterations"
