"""Cohensius et al. 2020: tables 1, 2, 4, 5, 6, figures 2 to 7 and what section 5.3 says.

    python -m spades reproduce cohensius --scale full

takes some 20 minutes on two cores. Matches to 200 points with a floor of -100, each deal from both
sides. The paper's rounds are of people on a platform; ours are of simulated humans, of rule-based
players where the row says so. ``cohensius_people`` has table 3, ``cohensius_examples`` section 4.
"""

from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.bidding.style import PUBLISHED_NIL_RATE
from analysis.matches.match import MatchPlan
from analysis.nil.rounds import count_aces
from analysis.nil.scores import METHODS
from analysis.papers.figures import (
    ALL_ROUND_GAMES,
    BIDDER_GAMES,
    MIXED_TABLE_GAMES,
    NAMED_GAMES,
    PUBLISHED,
    TABLE_GAMES,
)
from analysis.runs.tasks import ranges
from experiments.nil_readings import ALL, WORTH_A_NIL, load_readings
from experiments.papers.claims import NOT_PRINTED, POINTS, WINS, Claim, Estimate, Sheet, mean_of
from experiments.papers.lab import Lab, of_match
from experiments.thoughtful_rounds import play_games_with
from spades.agents import PairResults, Seating, parse_agent
from spades.bidding.auction import INDEX_OF
from spades.bidding.curves import HUMAN_TABLE, PATTERN_TABLE, TABLE, load_curves
from spades.bidding.hands import holding_table
from spades.core.cards import N_SEATS
from spades.core.documents import Document, load_toml
from spades.core.rules import NIL_BID, Rules
from spades.human.features.logs import LEGAL, contexts_of_log

SEED = 30406
TARGET = 200
FLOOR = -100
QUICK_GAMES = 100
QUICK_SEARCH_GAMES = 4

PRINTED = load_toml(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""Tables 1, 5 and 6 as printed."""


def exact_tables(lab: Lab) -> Document:
    """Tables 1, 5 and 6. Ours are exact, from the number of deals; the printed are estimates."""
    sheet = Sheet(
        "cohensius-table1-5-6",
        "cards held",
        "P(not cut)",
        unit="probability",
        settings="exact, from the number of deals",
    )
    for name, table in PRINTED.items():
        printed = np.array(table["printed"])
        held = np.arange(len(printed))
        exact = holding_table()[table["dangerous"], 13 - held]
        largest = float(np.abs(exact - printed).max())
        claim = Claim.printed(0.0, 0.01, f"{printed.size} figures")
        estimate = Estimate(largest, (largest, largest), printed.size, "figures")
        sheet.row(f"{name}: largest difference", claim, estimate)
        for n_held, column in product(held.tolist(), range(3)):
            trick = ("first", "second", "third")[column]
            sheet.point(name, f"ours, {trick} trick", n_held, float(exact[n_held, column]))
            published = float(printed[n_held, column])
            sheet.point(name, f"{PUBLISHED}, {trick} trick", n_held, published, claim.margin)
    return {sheet.figure: sheet.document}


# Tables 2 and 4


class PublishedDuel(NamedTuple):
    """A match of the paper: ``games_won`` by ``first``, ``points`` a round of both; ``games`` of
    ours at full scale: more than ``BIDDER_GAMES`` where those didn't tell."""

    name: str
    first: str
    second: str
    games_won: float
    points: tuple[float, float]
    games: int = BIDDER_GAMES
    target: int = TARGET


MATCHES = {
    "cohensius-table2": [
        PublishedDuel("RB, weak player", "wrp+bis", "wrp+rb", 0.519, (53.2, 50.0)),
        PublishedDuel("MS, weak player", "wrp+bis", "wrp+ms", 0.669, (50.1, 38.2)),
        PublishedDuel("IO, weak player", "wrp+bis", "wrp+io", 0.686, (52.8, 46.5), 500_000),
        PublishedDuel("RB, strong player", "srp+bis", "srp+rb", 0.523, (56.2, 52.8), 200_000),
        PublishedDuel("MS, strong player", "srp+bis", "srp+ms", 0.677, (50.8, 38.4), 50_000),
        PublishedDuel("IO, strong player", "srp+bis", "srp+io", 0.671, (51.6, 46.3)),
        PublishedDuel(
            "RB, UCT (3)", "uct:last=3+bis", "uct:last=3+rb", 0.521, (52.0, 48.5), 20_000
        ),
        PublishedDuel(
            "RB, UCT (5)", "uct:last=5+bis", "uct:last=5+rb", 0.529, (48.5, 40.3), 25_000
        ),
    ],
    "cohensius-table4": [
        PublishedDuel(
            "one curve for all", "srp+bis", "srp+bis:single_curve=on", 0.512, (44.7, 43.6)
        ),
        PublishedDuel("no end-game rules", "srp+bis", "srp+bis:end_game=off", 0.52, (48.3, 49.9)),
        PublishedDuel(
            "no end-game rules, one round",
            "srp+bis",
            "srp+bis:end_game=off",
            0.528,
            (43.5, 52.9),
            50_000,
            target=1,
        ),
    ],
}
"""By table."""
SENSITIVE_GAMES = 200_000
STRONG_AGAINST_WEAK_GAMES = 80_000
RAISED_RANKS = range(1, 6)
NIL_MARGIN = 0.01
ALL_ROUND = "UCT in all tricks"
SCORE_GAIN = 0.02
"""Margin of how much higher a score is."""
SHARE_OF_GAIN = 0.1
"""Margin of which part of a gain something brings."""
ROUNDS_A_GAME = 3.5
"""Of table 2: "10K games", "about 35K rounds"."""


def bidders(lab: Lab) -> Document:
    """Tables 2 and 4."""
    plans = {
        duel: _bidder_match(lab, duel.first, duel.second, duel.games, duel.target)
        for duels in MATCHES.values()
        for duel in duels
    }
    lab.play(*plans.values())
    sheets = {figure: Sheet(figure, "", "games won by BIS") for figure in MATCHES}
    for figure, duels in MATCHES.items():
        sheet = sheets[figure]
        for duel in duels:
            plan = plans[duel]
            what = f"BIS against {duel.name}"
            claim = Claim.share(duel.games_won, WINS)
            won = lab.win_row(sheet.row, f"{what}: games won", claim, plan)
            _add_points_of_both(lab, sheet, what, plan, duel.points)
            sheet.beside("", duel.name, won, claim)
    _add_impact_of_parts(lab, sheets["cohensius-table4"], plans)
    table2 = sheets["cohensius-table2"]
    _add_length_of_games(lab, table2, plans)
    plan = _bidder_match(lab, "srp+rb", "wrp+rb", STRONG_AGAINST_WEAK_GAMES)
    what = "strong player against weak, both with RB: games won"
    lab.win_row(table2.row, what, Claim.share(0.56, WINS), plan)
    _add_raised_thresholds(lab, table2)
    _add_uct_against_rules(lab, table2)
    return {figure: sheet.document for figure, sheet in sheets.items()}


def _add_impact_of_parts(lab: Lab, sheet: Sheet, plans: dict[PublishedDuel, MatchPlan]) -> None:
    """Add what the text of section 5.3 says besides table 4.

    "About 1/4" is what its curves bring of the mean gain over RB of the four players of table 2:
    2.5% of 10.1%, of its printed points.
    """
    single_curve = plans[MATCHES["cohensius-table4"][0]]
    higher = _higher_score(lab.results(single_curve))
    sheet.row(
        "BIS against one curve for all: higher score",
        Claim.share(0.025, SCORE_GAIN),
        higher,
        **of_match(single_curve, "share of the other's points"),
    )
    against_rb = [duel for duel in MATCHES["cohensius-table2"] if duel.second.endswith("+rb")]
    over_rb = mean_of([_higher_score(lab.results(plans[duel])) for duel in against_rb])
    players = ", ".join(duel.name.removeprefix("RB, ") for duel in against_rb)
    sheet.row(
        "BIS against one curve for all: part of the gain over RB",
        Claim.printed(0.25, SHARE_OF_GAIN, "about 1/4"),
        higher.over(over_rb),
        unit="share of the gain in points",
        settings=f"{single_curve.ns} against {single_curve.ew}; RB with {players}",
    )
    plan = _bidder_match(lab, "srp+bis", "srp+bis:bid_sensitive=on", SENSITIVE_GAMES)
    better = Claim.above(0.5, "the other slightly worse")
    lab.win_row(sheet.row, "BIS against a bid-sensitive threshold: games won", better, plan)


def _higher_score(results: PairResults) -> Estimate:
    """How much higher the first agent's points are, as a share of the second's."""
    ours, theirs = results.scores.sum(axis=1).T
    ratio = Estimate.mean(ours - theirs, "rounds", theirs)
    return ratio._replace(n=int(results.rounds.sum()))


def _add_length_of_games(lab: Lab, sheet: Sheet, plans: dict[PublishedDuel, MatchPlan]) -> None:
    """Add how many rounds the games of table 2 have."""
    lengths = [lab.results(plans[duel]).rounds.ravel() for duel in MATCHES["cohensius-table2"]]
    sheet.row(
        "rounds a game",
        Claim.printed(ROUNDS_A_GAME, 0.1 * ROUNDS_A_GAME, "about 3.5"),
        Estimate.mean(np.concatenate(lengths), "games"),
        unit="rounds",
        settings="all matches of the table",
    )


def _bidder_match(lab: Lab, first: str, second: str, games: int, target: int = TARGET) -> MatchPlan:
    quick = QUICK_SEARCH_GAMES if "uct" in first else QUICK_GAMES
    return MatchPlan(first, second, lab.n(games, quick), SEED, target, FLOOR)


def _add_points_of_both(
    lab: Lab, sheet: Sheet, what: str, plan: MatchPlan, published: tuple[float, float]
) -> None:
    results = lab.results(plan)
    scores = results.scores.sum(axis=1).T
    rounds = results.rounds.sum(axis=1)
    for points, value, side in zip(scores, published, ("BIS", "the other"), strict=True):
        mean = Estimate.mean(points, "rounds", rounds)
        claim = Claim.printed(value, POINTS)
        sheet.row(f"{what}: points a round of {side}", claim, mean, **of_match(plan, "points"))


def _add_raised_thresholds(lab: Lab, sheet: Sheet) -> None:
    """Add readings of BIS against RB with its thresholds of nil raised: the paper prints them for
    the naive bidders, and no share of nils that RB comes to."""
    games = lab.n(BIDDER_GAMES, QUICK_GAMES)
    plans = {
        n: MatchPlan(BOTS, f"srp+rb:nil_ranks={n}", games, SEED, TARGET, FLOOR)
        for n in RAISED_RANKS
    }
    lab.play(*plans.values())
    published_nils = Claim.printed(
        PUBLISHED_NIL_RATE, NIL_MARGIN, f"{PUBLISHED_NIL_RATE:.1%} by people"
    )
    for n, plan in plans.items():
        what = f"RB's thresholds of nil raised by {n}, strong player"
        claim = Claim.share(0.523, WINS)
        lab.win_row(sheet.reading, f"{what}: games won by BIS", claim, plan)
        results = lab.results(plan)
        nils = results.nils.sum(axis=1)[:, 1]
        n_seats = 2 * results.rounds.sum(axis=1)
        rate = Estimate.mean(nils, "rounds of a seat", n_seats)
        about = of_match(plan, "share of rounds")
        sheet.reading(f"{what}: nils of RB", published_nils, rate, **about)


def _add_uct_against_rules(lab: Lab, sheet: Sheet) -> None:
    """Add that UCT "is stronger than SRP only when activated at the last several tricks", both with
    BIS. The paper's UCT has three seconds a move, ours so many iterations; readings with fewer."""
    stronger = Claim.above(0.5, "stronger")
    only_late = Claim.below(0.5, "stronger only in the last tricks")
    named = lab.n(NAMED_GAMES, QUICK_SEARCH_GAMES)
    few = lab.n(ALL_ROUND_GAMES, QUICK_SEARCH_GAMES)
    for add, what, options, claim, games in (
        (sheet.row, "UCT (3)", "last=3", stronger, named),
        (sheet.reading, "UCT (5)", "last=5", stronger, named),
        (sheet.reading, "UCT (3), 30 iterations", "last=3,iterations=30", stronger, named),
        (sheet.row, ALL_ROUND, "", only_late, few),
        (sheet.reading, f"{ALL_ROUND}, 100 iterations", "iterations=100", only_late, few),
        (sheet.reading, f"{ALL_ROUND}, 30 iterations", "iterations=30", only_late, few),
        (sheet.reading, f"{ALL_ROUND}, 10 iterations", "iterations=10", only_late, few),
    ):
        player = f"uct:{options}" if options else "uct"
        plan = MatchPlan(f"{player}+bis", BOTS, games, SEED, TARGET, FLOOR)
        lab.win_row(add, f"{what} against the strong player: games won", claim, plan)


# Figures 2 to 7, from rounds

BOTS = "srp+bis"
HUMANS = "simulated humans"
MIXED = "srp+bis, South a simulated human"
SEATS = {
    MIXED: ["srp+bis", "srp+bis", "human", "srp+bis"],
    HUMANS: ["human"] * 4,
    BOTS: ["srp+bis"] * 4,
}
"""By kind of table: N E S W. The paper's platform has a person and three bots at a table."""
GAMES_A_PART = 50
BIN_WIDTH = 10
LOWEST_POINTS = -405
N_BINS = 80
MOST_OF_CONTRACTS = 105
"""Points, next to never more without a nil."""
N_SUMS = 53
MANY_TRICKS = 14
FEWEST_ROUNDS = 20
"""Of a point in a picture."""
Counts = dict[str, NDArray]
"""What ``count_rounds`` counts, a row a part."""


def rounds(lab: Lab) -> Document:
    counts = {
        name: _counts_of(lab, seats, MIXED_TABLE_GAMES if name == MIXED else TABLE_GAMES)
        for name, seats in SEATS.items()
    }
    sheets = [
        _nil_or_not(counts[BOTS]),
        success_curves(),
        _by_sum(counts[MIXED]),
        *_distributions(counts),
        _aces(counts),
    ]
    return {sheet.figure: sheet.document for sheet in sheets}


def rounds_with(lab: Lab, person: str) -> Document:
    """Figures 5 and 6 with other simulated people at the table of three bots."""
    seats = [person if agent == "human" else agent for agent in SEATS[MIXED]]
    sheets = _distributions({MIXED: _counts_of(lab, seats, TABLE_GAMES)})
    return {sheet.figure: sheet.document for sheet in sheets}


def _counts_of(lab: Lab, seats: list[str], games: int) -> Counts:
    parts = ranges(lab.n(games, 200), GAMES_A_PART)
    agents = tuple(sorted(set(seats)))
    by_part = lab.measure("rounds", count_rounds, parts, seats, SEED, agents=agents)
    return {key: np.array([part[key] for part in by_part]) for key in by_part[0]}


def _distributions(counts: dict[str, Counts]) -> list[Sheet]:
    """Figures 5 and 6, of kinds of tables."""
    sum_of_bids = Claim.printed(10.55, 0.1)
    branching = Claim.printed(3.6, 0.1)
    return [
        _distribution("cohensius-fig5", "sums", sum_of_bids, "sum of the four bids", counts),
        _distribution("cohensius-fig6", "legal", branching, "legal cards", counts),
    ]


def count_rounds(first: int, end: int, seats: list[str], seed: int) -> dict[str, list]:
    """Counts over the rounds of some games.

    ``nil`` and ``other``: points of N/S by bins, where North bid nil and where nobody of the two
    did; ``sums``: of the four bids; ``by_sum`` (3, 53): rounds without nil by that sum, their
    points of N/S and E/W; ``legal``: numbers of legal cards; ``heard`` and ``held``: the fourth's,
    by the sum of three bids, and those with the ace.
    """
    north, east, south, west = map(parse_agent, seats)
    rules = Rules(target=TARGET, losing_floor=FLOOR)
    seating = Seating((north, east, south, west), rules)
    played = play_games_with(seating, seed, first, end)
    log = played.log()
    points = played.rounds.points
    bids = log.bids.astype(np.int64)
    total = bids.sum(axis=1)
    is_nil = bids == NIL_BID
    has_no_nil = ~is_nil.any(axis=1)
    north_nil = is_nil[:, 0]
    side_nil = is_nil[:, [0, 2]].any(axis=1)
    points_of_ns = points[:, 0]
    bins = np.clip((points_of_ns - LOWEST_POINTS) // BIN_WIDTH, 0, N_BINS - 1)
    n_legal = contexts_of_log(log).codes[LEGAL]
    aces = count_aces(log, N_SEATS - 1)
    counts = {
        "nil": np.bincount(bins[north_nil], minlength=N_BINS),
        "other": np.bincount(bins[~side_nil], minlength=N_BINS),
        "sums": np.bincount(total, minlength=N_SUMS),
        "by_sum": [
            np.bincount(total[has_no_nil], weights, N_SUMS).tolist()
            for weights in (None, points[has_no_nil, 0], points[has_no_nil, 1])
        ],
        "legal": np.bincount(n_legal[n_legal > 0].ravel(), minlength=14),
        "heard": aces.n[:N_SUMS],
        "held": aces.held[:N_SUMS],
    }
    return {name: np.asarray(values).tolist() for name, values in counts.items()}


def _nil_or_not(counts: Counts) -> Sheet:
    """Figure 2: points where an agent bid nil, and where it did not; peaks with intervals by
    bootstrap over parts.

    The caption names three peaks of the non-nil histogram, in which the partner may bid nil. Its
    agent is South here: BIS bids no nil beside its partner's, so that its rounds are those without
    a nil of the partnership and those of North's nil.
    """
    centres = LOWEST_POINTS + BIN_WIDTH * np.arange(N_BINS) + BIN_WIDTH / 2
    sheet = Sheet(
        "cohensius-fig2",
        "points of the partnership",
        "share of rounds",
        unit="points",
        settings=BOTS,
    )
    nil = counts["nil"]
    regular = counts["other"] + nil
    everywhere = np.ones(N_BINS, dtype=bool)
    is_failed = centres < 0
    is_beyond_contracts = centres > MOST_OF_CONTRACTS
    main = Claim.printed(60, BIN_WIDTH, "about 60")
    left = Claim.printed(-60, BIN_WIDTH)
    right = Claim.printed(130, BIN_WIDTH)
    for what, claim, of, side in (
        ("non-nil histogram: main peak", main, regular, everywhere),
        ("non-nil histogram: left peak", left, regular, is_failed),
        ("non-nil histogram: right peak", right, regular, is_beyond_contracts),
        ("nil histogram: left peak", left, nil, is_failed),
        ("nil histogram: right peak", right, nil, ~is_failed),
    ):
        sheet.row(what, claim, _peak(np.where(side, of, 0), centres))
    for series, of in (("the agent bid no nil", regular), ("the agent bid nil", nil)):
        total = of.sum(axis=0)
        shares = total / max(1, total.sum())
        for x, share in zip(centres.tolist(), shares.tolist(), strict=True):
            if -160 <= x <= 260:
                sheet.point("", series, x, share)
    return sheet


def _peak(counts: NDArray, centres: NDArray) -> Estimate:
    """The commonest bin. ``counts`` (parts, bins)."""
    n_parts = len(counts)
    rng = np.random.default_rng(SEED)
    rows = rng.integers(0, n_parts, (1000, n_parts))
    resampled = counts[rows].sum(axis=1)
    peaks = centres[resampled.argmax(axis=1)]
    low, high = np.quantile(peaks, (0.025, 0.975)).tolist()
    peak = float(centres[counts.sum(axis=0).argmax()])
    return Estimate(peak, (low, high), int(counts.sum()), "rounds")


# Figure 3: the success curves

STARRED_BIDS = (1, 3)
STARRED_VALUE = 0.8
STAR = "nil value 0.8 after bids of 1 and 3"
STAR_CLAIM = Claim.printed(0.65, 0.05, "65%")
CALIBRATED = Claim("80% to 90%, were it the chance", 0.8, 0.9)
BY_READING = {"printed": "third card as printed", "pattern": "third card by the pattern"}


def success_curves() -> Sheet:
    """Figure 3, from the stored curves."""
    sheet = Sheet("cohensius-fig3", "nil value", "P(made)", unit="P(made)", settings=BOTS)
    sheet.row(STAR, STAR_CLAIM, _curve(TABLE, STARRED_BIDS, STARRED_VALUE))
    values = np.linspace(0.05, 1, 20).tolist()
    for partner, value in product((1, 3, 8), values):
        chance = _curve(TABLE, (partner, 3), value)
        sheet.point("", f"after {partner} and 3", value, chance)
    sheet.published("", STARRED_VALUE, STAR_CLAIM)
    _add_other_curves(sheet)
    return sheet


def _curve(table: Path, bids: tuple[int, int], value: float) -> Estimate:
    """What a table's curve says of a nil value after two bids."""
    curves = load_curves(table)
    p = curves.probability(bids, value)
    interval = curves.interval(bids, value)
    n_nils = int(curves.n[INDEX_OF[bids]])
    return Estimate(p, interval, n_nils, "nils")


def _add_other_curves(sheet: Sheet) -> None:
    """Add the star by other curves, and both readings of the third card on the same hands."""
    others = {BY_READING["pattern"]: PATTERN_TABLE, "simulated humans in all seats": HUMAN_TABLE}
    for what, table in others.items():
        estimate = _curve(table, STARRED_BIDS, STARRED_VALUE)
        agent = load_curves(table).metadata["agent"]
        sheet.reading(f"{what}: {STAR}", STAR_CLAIM, estimate, settings=agent)
    readings = load_readings()
    for name, text in BY_READING.items():
        tenth = readings["tenths"][name]
        made = Estimate.share(tenth["made"][8], tenth["n"][8], "nils")
        sheet.reading(f"{text}: nils valued 0.8 to 0.9 made", CALIBRATED, made)
    groups = {ALL: "hands not denied a nil", WORTH_A_NIL: "hands worth a nil by either curve"}
    for (group, where), method in product(groups.items(), ("value", "curves")):
        scores = readings["scores"][group][method]
        less = scores["printed_less"]["log_loss"]
        low, high = less["interval"]
        sheet.reading(
            f"as printed less by the pattern: log-loss of the {METHODS[method]}, {where}",
            NOT_PRINTED,
            Estimate(less["value"], (low, high), scores["n"], "nils"),
            unit="nats",
        )


# Figures 4 to 7


def _by_sum(counts: Counts) -> Sheet:
    """Figure 4: points of two bots, and of a bot with a human, by the sum of the bids."""
    n, own, other = counts["by_sum"].transpose(1, 0, 2)
    ahead = other - own  # the two bots of the one with a human
    sheet = Sheet(
        "cohensius-fig4",
        "sum of the four bids",
        "points a round",
        unit="points a round",
        settings=MIXED,
        on=HUMANS,
    )
    everywhere = _mean_in(ahead, n, slice(None), "rounds")
    high = _mean_in(ahead, n, slice(MANY_TRICKS + 1, None), "rounds")
    low = _mean_in(ahead, n, slice(None, MANY_TRICKS + 1), "rounds")
    higher = Claim.above(0.0, "higher")
    biggest_gaps = Claim.above(0.0, "the biggest gaps")
    at_14 = _mean_in(ahead, n, slice(MANY_TRICKS, MANY_TRICKS + 1), "rounds")
    exception = Claim.below(0.0, "lower, an exception")
    sheet.row("two bots ahead of bot and human", higher, everywhere)
    sheet.row("further ahead where the bids exceed 14", biggest_gaps, high.less(low))
    sheet.row("two bots ahead where the bids sum to 14", exception, at_14)
    for series, values in (("bot and human", own), ("two bots", other)):
        for total in np.flatnonzero(n.sum(axis=0) >= FEWEST_ROUNDS).tolist():
            mean = Estimate.mean(values[:, total], "", n[:, total])
            sheet.point("", series, total, mean)
    return sheet


def _distribution(figure: str, key: str, claim: Claim, of: str, counts: dict[str, Counts]) -> Sheet:
    """Figures 5 and 6: the mean with its interval over parts, and the share of each value."""
    sheet = Sheet(figure, of, "share", unit=of)
    for name, of_table in counts.items():
        by_part = of_table[key]  # (parts, values)
        sums = by_part @ np.arange(by_part.shape[1])
        mean = Estimate.mean(sums, "counts", by_part.sum(axis=1))
        sheet.row(f"mean, {name}", claim, mean, settings=name)
        total = by_part.sum(axis=0)
        for x in np.flatnonzero(total).tolist():
            sheet.point("", name, x, float(total[x] / total.sum()))
    return sheet


def _aces(counts: dict[str, Counts]) -> Sheet:
    """Figure 7: how often the fourth bidder holds the ace of spades, by the three bids before."""
    sheet = Sheet(
        "cohensius-fig7",
        "sum of the three bids before",
        "P(ace of spades)",
        unit="P(ace of spades)",
    )
    for name in SEATS:
        heard = counts[name]["heard"]
        held = counts[name]["held"]
        few = _mean_in(held, heard, slice(0, 7), "seats")
        many = _mean_in(held, heard, slice(9, None), "seats")
        what = f"{name}: three bids of 6 at most less 9 or more"
        decreases = Claim.above(0.0, "decreases")
        sheet.row(what, decreases, few.less(many), settings=name)
        n = heard.sum(axis=0)
        n_held = held.sum(axis=0)
        for x in np.flatnonzero(n >= FEWEST_ROUNDS).tolist():
            share = Estimate.share(int(n_held[x]), int(n[x]), "seats")
            sheet.point("", name, x, share)
    return sheet


def _mean_in(values: NDArray, n: NDArray, sums: slice, of: str) -> Estimate:
    """Mean of the values where the bids have such ``sums``; values and counts (parts, sums)."""
    return Estimate.mean(values[:, sums].sum(axis=1), of, n[:, sums].sum(axis=1))
