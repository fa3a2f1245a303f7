"""Whitehouse et al. 2013: figure 1, and how often the search repeats a wrong move (page 5).

Figure 1: ISMCTS with 1,200 to 5,000 iterations, with and without the skew, against the default and
the hardest knowledge-based player, in the standard game and in the variant where every round has a
nil. Both sides bid by ``kb`` and draw hidden cards with the paper's bias. Every combination plays
the same deals, each from both sides, in games to 500. The paper prints a chart and claims.

Wrong moves: the paper's fifteen reports came from players and were never published. Ours are cards
that one search of 2,500 iterations played in ``four-ismcts`` and that lose at least ten points by
sixteen searches of 10,000; each such decision is searched 1,000 times. Beside them: what the biased
deals bring a search, which the paper says of single moves, by the floor that it doesn't print.
"""

import itertools
from typing import Any, NamedTuple

import numpy as np

from analysis.matches.match import MatchPlan
from analysis.papers.claims import WINS, Claim, Estimate, Sheet
from analysis.papers.lab import GRID_GAMES, NAMED_GAMES, SHARE, Lab, difference, points_rows
from analysis.runs.tasks import ranges
from spades.agents.players import SIMULATIONS
from spades.core.cards import N_CARDS, Card
from spades.core.deal import derive_seed
from spades.core.records import RoundRecord
from spades.notation.log_store import content_hash, open_log
from spades.search import search

SEED = 20131014
ITERATIONS = (1200, 1700, 2600, 5000)
FEWEST, PAR, MOST = 1200, 2600, 5000
DEFAULT, HARDEST = "default", "hardest"
LEVELS = {DEFAULT: "stars:level=3+kb", HARDEST: f"stars:level={max(SIMULATIONS)}+kb"}
FIGURES = {"whitehouse-fig1a": False, "whitehouse-fig1b": True}
QUICK_GAMES = 4
OTHERS = {
    f"{epsilon:.0%} random cards in playouts, hardest": f"flat-mc:simulations="
    f"{max(SIMULATIONS.values())},epsilon={epsilon},determinization=biased+kb"
    for epsilon in (0, 1)
}
"""Opponents by the share of random cards in their playouts, which no text prints; ours is 0.2."""
SKEWS = {False: "without heuristics", True: "with heuristics"}

LOG, WRONG = "four-ismcts", 10.0  # points
FIRST, MORE, LONG, USUAL, REPEATS = 4, 12, 10_000, 2500, 1000
FULL_ROUNDS, QUICK_ROUNDS = 400, 60
REPORTS = Claim("6 of 15 reports", 0.163, 0.677)  # the interval of 6 of 15
FLOORS = (0.02, 0.3, 1.0)


class Setting(NamedTuple):
    """A point of figure 1."""

    nil_only: bool
    level: str
    skew: bool
    iterations: int


def plan(lab: Lab, setting: Setting) -> MatchPlan:
    """The match of a point of figure 1; ISMCTS is first. The settings that the paper's text names
    have more games."""
    is_usual = setting.level in LEVELS and not setting.skew
    is_named = is_usual and setting.iterations in (FEWEST, PAR, MOST)
    games = lab.n(NAMED_GAMES if is_named else GRID_GAMES, QUICK_GAMES)
    skew = ",skew=on" * setting.skew
    agent = f"ismcts:iterations={setting.iterations},determinization=biased{skew}+kb"
    opponent = (LEVELS | OTHERS)[setting.level]
    return MatchPlan(agent, opponent, games, SEED, nil_only=setting.nil_only)


def fig1(lab: Lab) -> dict[str, Any]:
    settings = [
        Setting(*one) for one in itertools.product(FIGURES.values(), LEVELS, SKEWS, ITERATIONS)
    ]
    settings += [Setting(False, level, False, PAR) for level in OTHERS]
    plans = {setting: plan(lab, setting) for setting in settings}
    lab.play(*plans.values())
    rates = {one: lab.win_rate(plans[one]) for one in settings}
    wins = {one: lab.games_won(plans[one]) for one in settings}
    found = {}
    for name, nil_only in FIGURES.items():
        sheet = Sheet(name, "iterations", "games won by ISMCTS", unit=SHARE)
        for one in (one for one in settings if one.nil_only == nil_only):
            level, skew = f"{one.level} level", SKEWS[one.skew]
            if claim := _claim(one):
                what = f"{level}, {one.iterations:,} iterations, {skew}"
                to = "rows" if one.level in LEVELS else "readings"
                lab.win_row(sheet, what, claim, plans[one], to)
            if one.level in LEVELS:
                sheet.point("", f"{level}, {skew}", one.iterations, rates[one])
        _changes(sheet, nil_only, wins)
        if nil_only:
            _larger(sheet, rates)
        found[name] = sheet.document
    return found


def _claim(setting: Setting) -> Claim | None:
    """What the paper says of one point."""
    if setting.level == DEFAULT or setting.nil_only:
        return Claim.above(0.5, "above 50%")
    return Claim.printed(0.5, WINS, "about 50%") if setting.iterations >= PAR else None


def _changes(sheet: Sheet, nil_only: bool, wins: dict[Setting, np.ndarray]) -> None:
    """Add what more iterations and the heuristics change, on common deals."""

    def compare(what: str, claim: Claim, more: Setting, less: Setting) -> None:
        n = min(len(wins[more]), len(wins[less]))
        found = difference(wins[more][:n], wins[less][:n])
        sheet.row(what, claim, found, settings=f"{more} - {less}")

    for level in LEVELS:
        if not nil_only:
            gain = Claim("7 to 8%", 0.07, 0.08, WINS)
            most, fewest = (Setting(nil_only, level, False, n) for n in (MOST, FEWEST))
            compare(f"{level} level: gain of {MOST:,} over {FEWEST:,}", gain, most, fewest)
        for n in ITERATIONS:
            with_skew, without = (Setting(nil_only, level, skew, n) for skew in (True, False))
            none = Claim.printed(0.0, WINS, "no significant effect")
            what = f"{level} level, {n:,} iterations: gain by heuristics"
            compare(what, none, with_skew, without)


def _larger(sheet: Sheet, rates: dict[Setting, Estimate]) -> None:
    """Add that the margin over the default level is larger than in the standard game."""
    for n in (FEWEST, PAR, MOST):
        larger, usual = (rates[Setting(nil_only, DEFAULT, False, n)] for nil_only in (True, False))
        what = f"default level, {n:,} iterations: more than in the standard game by"
        sheet.row(what, Claim.above(0.0, "much larger"), larger.less(usual))


# Wrong moves


def stability(lab: Lab) -> dict[str, Any]:
    parts, agent = ranges(lab.n(FULL_ROUNDS, QUICK_ROUNDS), 2), f"ismcts:iterations={USUAL}"
    name = f"wrong moves of {content_hash(LOG)}"
    found = lab.measure(name, wrong_moves, parts, LOG, agents=(agent,))
    shares = np.array([one for part in found for one in part])
    axes = ("searches of 1,000 that choose the wrong move", "share of wrong moves")
    sheet = Sheet("whitehouse-stability", *axes, unit="share of wrong moves")
    rare = Estimate.share(int((shares < 0.05).sum()), len(shares), "wrong moves")
    settings = f"{agent}, moves of {LOG} that lose {WRONG:g} points"
    what = "wrong moves that under 5% of 1,000 searches choose"
    sheet.row(what, REPORTS, rare, settings=settings)
    for x in np.linspace(0, 1, 21).tolist():
        sheet.point("", "ours", x, Estimate.share(int((shares <= x).sum()), len(shares), ""))
    sheet.point("", "published", 0.05, Estimate(6 / 15, (0.163, 0.677), 15, ""))
    biased = [f"{agent},determinization=biased,floor={floor}" for floor in FLOORS]
    plans = [MatchPlan(one, agent, lab.n(GRID_GAMES, QUICK_GAMES), SEED) for one in biased]
    points_rows(lab, sheet, Claim.above(0.0, "uniform: many more incorrect plays"), plans)
    return {sheet.figure: sheet.document}


def wrong_moves(first: int, end: int, name: str) -> list[float]:
    """Of rounds of a log, for every wrong move: the share of 1,000 searches that choose a card as
    bad."""
    log = open_log(name)
    shares = []
    for i in range(first, end):
        record = log.record(i)
        for ply in range(N_CARDS):
            values = _values(record, ply)
            if values and max(values.values()) - values[record.plays[ply]] >= WRONG:
                shares.append(_share_wrong(record, ply, values))
    return shares


def _values(record: RoundRecord, ply: int) -> dict[Card, float]:
    """Mean value of every legal card; {} where the play is forced, or not wrong by each look."""
    seen = record.observation(ply)
    if seen.legal_mask.bit_count() < 2:
        return {}
    found: list[dict[Card, float]] = []
    for n in (FIRST, MORE):
        for _ in range(n):
            seed = derive_seed(SEED, ply, len(found))
            cards = search(seen, iterations=LONG, seed=seed).cards
            found.append({card.card: card.mean_value for card in cards if card.visits})
        everywhere = set.intersection(*map(set, found))
        values = {card: float(np.mean([one[card] for one in found])) for card in everywhere}
        played = record.plays[ply]
        if played not in values or max(values.values()) - values[played] < WRONG:
            return {}
    return values


def _share_wrong(record: RoundRecord, ply: int, values: dict[Card, float]) -> float:
    seen, best = record.observation(ply), max(values.values())
    chosen = [
        search(seen, iterations=USUAL, seed=derive_seed(SEED, ply, REPEATS + i)).best.card
        for i in range(REPEATS)
    ]
    return float(np.mean([best - values.get(card, -np.inf) >= WRONG for card in chosen]))
