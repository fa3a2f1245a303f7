"""Whitehouse et al. 2013: figure 1, and how often the search repeats a wrong move (page 5).

    python -m spades reproduce whitehouse --scale full

takes some 6 hours on two cores.

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
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analysis.matches.match import MatchPlan
from analysis.papers.figures import GRID_GAMES, NAMED_GAMES, WRONG_MOVE_ROUNDS
from analysis.runs.tasks import ranges
from experiments.papers.claims import WINS, Claim, Estimate, Sheet
from experiments.papers.lab import SHARE_OF_GAMES, Lab, Wins, difference, points_rows
from spades.agents.players.stars import SIMULATIONS
from spades.core.cards import N_CARDS, N_SEATS, Card
from spades.core.deal import derive_seed
from spades.core.documents import Document
from spades.core.records import Record
from spades.notation.log_store import content_hash, open_log
from spades.search import Search, search

SEED = 20131014
QUICK_GAMES = 4

# Figure 1

ITERATIONS = (1200, 1700, 2600, 5000)
FEWEST = 1200
FEW = (1200, 1700)
PAR = 2600
"""At which the hardest level is about even, the paper says."""
MOST = 5000
NAMED = (FEWEST, PAR, MOST)
"""In the paper's text."""
DEFAULT = "default"
HARDEST = "hardest"
LEVELS = {DEFAULT: "stars:level=3+kb", HARDEST: f"stars:level={max(SIMULATIONS)}+kb"}
ABOVE_HALF = Claim.above(0.5, "above 50%")
FIGURES = {"whitehouse-fig1a": False, "whitehouse-fig1b": True}
"""Whether every round has a nil."""
OTHERS = {
    f"{epsilon:.0%} random cards in playouts, hardest": "flat-mc:simulations="
    f"{max(SIMULATIONS.values())},epsilon={epsilon},determinization=biased+kb"
    for epsilon in (0, 1)
}
"""Opponents by the share of random cards in their playouts, which no text prints; ours is 0.2."""

# Wrong moves

LOG = "four-ismcts"
WRONG = 10.0
"""Points that a wrong move loses."""
USUAL_ITERATIONS = 2500
LONG_ITERATIONS = 10_000
FIRST_SEARCHES = 4
MORE_SEARCHES = 12
REPEATS = 1000
QUICK_ROUNDS = 60
REPORTS = Claim("6 of 15 reports", 0.163, 0.677)
"""From the exact interval of 6 of 15."""
DEPTH = Claim("4 or 5", 4.0, 5.0, 0.5)
"""Maximum node depth of the tree "near the start of a round", usually."""
DEPTH_ROUNDS = 100
FLOORS = (0.02, 0.3, 1.0)
"""Of the chance that biased deals give a card to a seat."""


class Setting(NamedTuple):
    """A point of figure 1."""

    nil_only: bool
    level: str
    skew: bool
    iterations: int

    @property
    def skew_text(self) -> str:
        return "with heuristics" if self.skew else "without heuristics"


def match_plan(lab: Lab, setting: Setting) -> MatchPlan:
    """The match of a point of figure 1; ISMCTS is first. The settings that the paper's text names
    have more games."""
    is_named = setting.level in LEVELS and not setting.skew and setting.iterations in NAMED
    games = lab.n(NAMED_GAMES if is_named else GRID_GAMES, QUICK_GAMES)
    options = f"iterations={setting.iterations},determinization=biased"
    if setting.skew:
        options += ",skew=on"
    opponent = (LEVELS | OTHERS)[setting.level]
    return MatchPlan(f"ismcts:{options}+kb", opponent, games, SEED, nil_only=setting.nil_only)


def strength(lab: Lab) -> Document:
    """Figure 1, (a) and (b)."""
    settings = [
        Setting(nil_only, level, skew, iterations)
        for nil_only, level, skew, iterations in itertools.product(
            FIGURES.values(), LEVELS, (False, True), ITERATIONS
        )
    ]
    settings += [Setting(False, level, False, PAR) for level in OTHERS]
    plans = {setting: match_plan(lab, setting) for setting in settings}
    lab.play(*plans.values())
    rates = {setting: lab.win_rate(plan) for setting, plan in plans.items()}
    wins = {setting: lab.games_won(plan) for setting, plan in plans.items()}
    documents = {}
    for figure, nil_only in FIGURES.items():
        sheet = Sheet(figure, "iterations", "games won by ISMCTS", unit=SHARE_OF_GAMES)
        for setting, plan in plans.items():
            if setting.nil_only == nil_only:
                _add_games_won(lab, sheet, setting, plan, rates[setting])
        _add_gain_by_iterations(sheet, nil_only, wins)
        _add_gain_by_heuristics(sheet, nil_only, wins)
        if nil_only:
            _add_games_won_of_levels(sheet, wins)
            _add_margin_over_standard_game(sheet, rates, wins)
        documents[figure] = sheet.document
    return documents


def _add_games_won(
    lab: Lab, sheet: Sheet, setting: Setting, plan: MatchPlan, rate: Estimate
) -> None:
    is_of_the_paper = setting.level in LEVELS
    claim = _claim(setting)
    if claim is not None:
        what = f"{setting.level} level, {setting.iterations:,} iterations, {setting.skew_text}"
        lab.win_row(sheet.row if is_of_the_paper else sheet.reading, what, claim, plan)
    if is_of_the_paper:
        series = f"{setting.level} level, {setting.skew_text}"
        sheet.point("", series, setting.iterations, rate)


def _add_games_won_of_levels(sheet: Sheet, wins: dict[Setting, Wins]) -> None:
    """Add that the search is better than each level where every round has a nil, which the text
    says once: pooled over the iterations, without heuristics and with them."""
    for level, skew in itertools.product(LEVELS, (False, True)):
        settings = [Setting(True, level, skew, n) for n in ITERATIONS]
        sheet.row(
            f"{level} level, all iterations, {settings[0].skew_text}",
            ABOVE_HALF,
            _mean_of_settings([wins[setting] for setting in settings]),
            settings=f"the mean of {len(settings)} settings on the same deals",
        )


def _claim(setting: Setting) -> Claim | None:
    """What the paper says of one point."""
    if setting.level == DEFAULT or setting.nil_only:
        return ABOVE_HALF
    if setting.iterations >= PAR:
        return Claim("on a par", 0.5, 0.5, WINS)
    return None


def _add_gain_by_iterations(sheet: Sheet, nil_only: bool, wins: dict[Setting, Wins]) -> None:
    """Add what more iterations bring in the standard game, on common deals."""
    if nil_only:
        return
    for level in LEVELS:
        more = wins[Setting(nil_only, level, False, MOST)]
        less = wins[Setting(nil_only, level, False, FEWEST)]
        sheet.row(
            f"{level} level: gain of {MOST:,} over {FEWEST:,}",
            Claim("7 to 8%", 0.07, 0.08, WINS),
            difference(more, less),
            settings=f"{MOST:,} less {FEWEST:,} iterations",
        )


def _add_gain_by_heuristics(sheet: Sheet, nil_only: bool, wins: dict[Setting, Wins]) -> None:
    """Add what the heuristics bring: pooled over all settings, as the paper's text says it; the
    trends that it names; then each level, and each setting.

    All settings play the same deals, so that the mean gain is compared deal by deal.
    """

    def add(what: str, claim: Claim, levels: Sequence[str], iterations: Sequence[int]) -> None:
        places = list(itertools.product(levels, iterations))
        with_heuristics = [wins[Setting(nil_only, level, True, n)] for level, n in places]
        without = [wins[Setting(nil_only, level, False, n)] for level, n in places]
        n_pairs = min(map(len, [*with_heuristics, *without]))
        gains = np.mean([one[:n_pairs] for one in with_heuristics], axis=0)
        losses = np.mean([one[:n_pairs] for one in without], axis=0)
        settings = f"with less without, {len(places)} settings on the same deals"
        sheet.row(what, claim, difference(gains, losses), settings=settings)

    levels = list(LEVELS)
    none = Claim.without_effect(WINS)
    add("all settings: gain by heuristics", none, levels, ITERATIONS)
    if nil_only:
        slightly = Claim.below(0.0, "slightly detrimental")
        add("hardest level: trend of the heuristics", slightly, [HARDEST], ITERATIONS)
    else:
        slightly = Claim.above(0.0, "slightly beneficial")
        what = "hardest level, few iterations: trend of the heuristics"
        add(what, slightly, [HARDEST], FEW)
    for level in LEVELS:
        add(f"{level} level: gain by heuristics", none, [level], ITERATIONS)
    for level, n in itertools.product(LEVELS, ITERATIONS):
        add(f"{level} level, {n:,} iterations: gain by heuristics", none, [level], [n])


def _add_margin_over_standard_game(
    sheet: Sheet, rates: dict[Setting, Estimate], wins: dict[Setting, Wins]
) -> None:
    """Add that the margin over the default level is larger than in the standard game: pooled over
    the iterations that the text names, then for each; and with heuristics.

    The two games are of different deals, so that their shares are independent.
    """
    larger = Claim.above(0.0, "much larger")
    for skew, iterations, which in ((False, NAMED, ""), (True, ITERATIONS, ", with heuristics")):
        with_nils, standard = (
            _mean_of_settings([wins[Setting(nil_only, DEFAULT, skew, n)] for n in iterations])
            for nil_only in (True, False)
        )
        what = f"default level{which}: more than in the standard game by"
        settings = f"each the mean of {len(iterations)} settings on the same deals"
        sheet.row(what, larger, with_nils.less(standard), settings=settings)
    for n in NAMED:
        with_nils = rates[Setting(True, DEFAULT, False, n)]
        standard = rates[Setting(False, DEFAULT, False, n)]
        what = f"default level, {n:,} iterations: more than in the standard game by"
        sheet.row(what, larger, with_nils.less(standard))


def _mean_of_settings(wins: Sequence[Wins]) -> Estimate:
    """Share of games won, the mean of settings that play the same deals; interval over pairs."""
    n_pairs = min(map(len, wins))
    of_pairs = np.mean([one[:n_pairs] for one in wins], axis=0)
    share = Estimate.mean(of_pairs, "pairs of games", np.full(n_pairs, 2.0))
    return share._replace(n=n_pairs)


# Wrong moves


def wrong_moves(lab: Lab) -> Document:
    agent = f"ismcts:iterations={USUAL_ITERATIONS}"
    name = f"wrong moves of {content_hash(LOG)}"
    parts = ranges(lab.n(WRONG_MOVE_ROUNDS, QUICK_ROUNDS), 2)
    by_part = lab.measure(name, repeat_wrong_moves, parts, LOG, agents=(agent,))
    shares = np.array([share for part in by_part for share in part])
    sheet = Sheet(
        "whitehouse-stability",
        "searches of 1,000 that choose the wrong move",
        "share of wrong moves",
        unit="share of wrong moves",
    )
    n_moves = len(shares)
    n_rare = int((shares < 0.05).sum())
    sheet.row(
        "wrong moves that under 5% of 1,000 searches choose",
        REPORTS,
        Estimate.share(n_rare, n_moves, "wrong moves"),
        settings=f"{agent}, moves of {LOG} that lose {WRONG:g} points",
    )
    for x in np.linspace(0, 1, 21).tolist():
        n_up_to_x = int((shares <= x).sum())
        sheet.point("", "ours", x, Estimate.share(n_up_to_x, n_moves, ""))
    sheet.point("", "published", 0.05, Estimate(6 / 15, (0.163, 0.677), 15, ""))
    parts = ranges(lab.n(DEPTH_ROUNDS, QUICK_ROUNDS), 20)
    name = f"depths of trees in {content_hash(LOG)}"
    by_part = lab.measure(name, measure_depths, parts, LOG, agents=(agent,))
    depths = np.concatenate(by_part)
    sheet.row(
        "maximum node depth of the tree near the start of a round",
        DEPTH,
        Estimate.mean(depths.sum(axis=1), "searches", np.full(len(depths), float(N_SEATS))),
        unit="cards",
        settings=f"{agent}, first trick of {LOG}",
    )
    games = lab.n(GRID_GAMES, QUICK_GAMES)
    plans = [
        MatchPlan(f"{agent},determinization=biased,floor={floor}", agent, games, SEED)
        for floor in FLOORS
    ]
    more_wrong = Claim.above(0.0, "uniform: many more incorrect plays")
    points_rows(lab, sheet.reading, more_wrong, plans)
    return {sheet.figure: sheet.document}


def repeat_wrong_moves(first: int, end: int, name: str) -> list[float]:
    """Of rounds of a log, for every wrong move: the share of 1,000 searches that choose a card as
    bad."""
    log = open_log(name)
    shares = []
    for i in range(first, end):
        record = log.record(i)
        for ply in range(N_CARDS):
            values = _values(record, ply)
            if values and _loss(record.plays[ply], values) >= WRONG:
                shares.append(_share_wrong(record, ply, values))
    return shares


def measure_depths(first: int, end: int, name: str) -> list[list[int]]:
    """Of rounds of a log: how deep the tree grows at each card of the first trick, cards."""
    log = open_log(name)
    depths = []
    for i in range(first, end):
        of_round = []
        for ply in range(N_SEATS):
            seen = log.record(i).observation(ply)
            grown = Search(seen, seed=derive_seed(SEED, i, ply), room=USUAL_ITERATIONS)
            grown.run(USUAL_ITERATIONS)
            of_round.append(grown.depth)
        depths.append(of_round)
    return depths


def _loss(card: Card, values: dict[Card, float]) -> float:
    """Points that a card is behind the best; infinite where it was never searched."""
    return max(values.values()) - values.get(card, -np.inf)


def _values(record: Record, ply: int) -> dict[Card, float]:
    """Mean value of every legal card over all searches; {} where the play is forced, or isn't wrong
    by the first searches or by all."""
    seen = record.observation(ply)
    if seen.legal_mask.bit_count() < 2:
        return {}
    searches: list[dict[Card, float]] = []
    values: dict[Card, float] = {}
    for n_searches in (FIRST_SEARCHES, MORE_SEARCHES):
        for _ in range(n_searches):
            seed = derive_seed(SEED, ply, len(searches))
            cards = search(seen, iterations=LONG_ITERATIONS, seed=seed).cards
            searches.append({card.card: card.mean_value for card in cards if card.visits})
        in_all = set.intersection(*map(set, searches))
        values = {card: float(np.mean([by_card[card] for by_card in searches])) for card in in_all}
        played = record.plays[ply]
        if played not in values or _loss(played, values) < WRONG:
            return {}
    return values


def _share_wrong(record: Record, ply: int, values: dict[Card, float]) -> float:
    """Share of the repeated searches that choose a card as bad."""
    seen = record.observation(ply)
    n_wrong = 0
    for i in range(REPEATS):
        seed = derive_seed(SEED, ply, REPEATS + i)
        chosen = search(seen, iterations=USUAL_ITERATIONS, seed=seed).best.card
        n_wrong += _loss(chosen, values) >= WRONG
    return float(n_wrong / REPEATS)
