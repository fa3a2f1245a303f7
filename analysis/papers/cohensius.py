"""Cohensius et al. 2020: tables 1, 2, 4, 5, 6 and figures 2 to 7.

Matches to 200 points with a floor of -100, each deal from both sides. The paper's rounds are of
people on a platform; ours are of simulated humans, of rule-based players where the row says so.
"""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.bidding.style import PUBLISHED_NIL_RATE
from analysis.matches.match import MatchPlan
from analysis.nil.readings import ALL, WORTH_A_NIL, load_readings
from analysis.nil.rounds import count_aces
from analysis.nil.scores import METHODS
from analysis.papers.claims import NOT_PRINTED, POINTS, WINS, Claim, Estimate, Sheet
from analysis.papers.lab import NAMED_GAMES, Lab, of_match
from analysis.runs.tasks import ranges
from spades.agents import Seating, parse_agent
from spades.agents.play import play_games
from spades.bidding.auction import INDEX_OF
from spades.bidding.curves import HUMAN_TABLE, PATTERN_TABLE, TABLE, load_curves
from spades.bidding.hands import holding_table
from spades.core.cards import N_SEATS
from spades.core.rules import NIL_BID, Rules
from spades.human.features.logs import LEGAL, contexts_of_log

TABLES, TABLE2, TABLE4 = "cohensius-table1-5-6", "cohensius-table2", "cohensius-table4"
FIG2, FIG3, FIG4, FIG5, FIG6, FIG7 = (f"cohensius-fig{i}" for i in range(2, 8))
SEED, TARGET, FLOOR = 30406, 200, -100
GAMES = 10_000
RAISED = range(1, 6)  # ranks
NILS, HUMAN_NILS = 0.01, f"{PUBLISHED_NIL_RATE:.1%} by people"

PRINTED: dict[str, tuple[int, list[tuple[float, ...]]]] = {
    "table 1, two opponents": (2, [
        (0.997, 0.966, 0.817), (0.994, 0.942, 0.733), (0.990, 0.907, 0.624),
        (0.983, 0.855, 0.489), (0.970, 0.779, 0.350), (0.948, 0.678, 0.212),
        (0.915, 0.544, 0.095), (0.857, 0.381, 0.025), (0.774, 0.214, 0.0),
        (0.646, 0.074, 0.0), (0.462, 0.0, 0.0), (0.227, 0.0, 0.0),
    ]),
    "table 5, one opponent": (1, [
        (0.998, 0.983, 0.910), (0.997, 0.971, 0.866), (0.994, 0.954, 0.809),
        (0.992, 0.927, 0.733), (0.985, 0.891, 0.648), (0.974, 0.835, 0.546),
        (0.957, 0.761, 0.426), (0.928, 0.667, 0.308), (0.886, 0.546, 0.195),
        (0.819, 0.410, 0.100), (0.715, 0.252, 0.030), (0.561, 0.106, 0.0),
        (0.336, 0.0, 0.0),
    ]),
    "table 6, three opponents": (3, [
        (0.996, 0.949, 0.729), (0.992, 0.915, 0.605), (0.986, 0.862, 0.450),
        (0.974, 0.784, 0.275), (0.955, 0.672, 0.110), (0.924, 0.523, 0.0),
        (0.872, 0.338, 0.0), (0.790, 0.145, 0.0), (0.664, 0.0, 0.0),
        (0.480, 0.0, 0.0), (0.240, 0.0, 0.0),
    ]),
}  # fmt: skip
"""By cards held: P that nobody who might cut is void, singleton, doubleton; how many might cut."""


def tables(lab: Lab) -> dict[str, Any]:
    """Ours are exact, from the number of deals; the printed ones are estimates."""
    exact = "exact, from the number of deals"
    sheet = Sheet(TABLES, "cards held", "P(not cut)", unit="probability", settings=exact)
    for name, (dangerous, values) in PRINTED.items():
        found = np.array([holding_table()[dangerous, 13 - held] for held in range(len(values))])
        apart = float(np.abs(found - np.array(values)).max())
        estimate = Estimate(apart, (apart, apart), 3 * len(values), "figures")
        claim = Claim.printed(0.0, 0.01, f"{3 * len(values)} figures")
        sheet.row(f"{name}: largest difference", claim, estimate)
        for held, (ours, theirs) in enumerate(zip(found, values, strict=True)):
            for k, trick in enumerate(("first", "second", "third")):
                for series, value in (("ours", ours), ("published", theirs)):
                    sheet.point(name, f"{series}, {trick} trick", held, float(value[k]))
    return {TABLES: sheet.document}


# Tables 2 and 4


MATCHES: dict[str, list[tuple[str, str, str, float, tuple[float, float], int]]] = {
    TABLE2: [
        ("RB, weak player", "wrp+bis", "wrp+rb", 0.519, (53.2, 50.0), TARGET),
        ("MS, weak player", "wrp+bis", "wrp+ms", 0.669, (50.1, 38.2), TARGET),
        ("IO, weak player", "wrp+bis", "wrp+io", 0.686, (52.8, 46.5), TARGET),
        ("RB, strong player", "srp+bis", "srp+rb", 0.523, (56.2, 52.8), TARGET),
        ("MS, strong player", "srp+bis", "srp+ms", 0.677, (50.8, 38.4), TARGET),
        ("IO, strong player", "srp+bis", "srp+io", 0.671, (51.6, 46.3), TARGET),
        ("RB, UCT (3)", "uct:last=3+bis", "uct:last=3+rb", 0.521, (52.0, 48.5), TARGET),
        ("RB, UCT (5)", "uct:last=5+bis", "uct:last=5+rb", 0.529, (48.5, 40.3), TARGET),
    ],
    TABLE4: [
        ("one curve for all", "srp+bis", "srp+bis:single_curve=on", 0.512, (44.7, 43.6), TARGET),
        ("no end-game rules", "srp+bis", "srp+bis:end_game=off", 0.52, (48.3, 49.9), TARGET),
        ("no end-game rules, one round", "srp+bis", "srp+bis:end_game=off", 0.528, (43.5, 52.9), 1),
    ],
}


def matches(lab: Lab) -> dict[str, Any]:
    plans = {
        (figure, name): MatchPlan(
            first, second,
            lab.n(NAMED_GAMES if "uct" in first else GAMES, 100 if "uct" not in first else 4),
            SEED, target, FLOOR,
        )
        for figure, found in MATCHES.items()
        for name, first, second, _, _, target in found
    }  # fmt: skip
    lab.play(*plans.values())
    sheets = {figure: Sheet(figure, "", "games won by BIS") for figure in MATCHES}
    for figure, found in MATCHES.items():
        sheet = sheets[figure]
        for name, _, _, published, means, _ in found:
            plan, what = plans[figure, name], f"BIS against {name}"
            rate = lab.win_row(sheet, f"{what}: games won", Claim.share(published, WINS), plan)
            results = lab.results(plan)
            scores, rounds = results.scores.sum(axis=1), results.rounds.sum(axis=1)
            for points, value, who in zip(scores.T, means, ("BIS", "the other"), strict=True):
                mean, text = Estimate.mean(points, "rounds", rounds), f"points a round of {who}"
                claim = Claim.printed(value, POINTS)
                sheet.row(f"{what}: {text}", claim, mean, **of_match(plan, "points"))
            sheet.beside("", name, rate, published)
    plan = MatchPlan("srp+rb", "wrp+rb", lab.n(GAMES, 100), SEED, TARGET, FLOOR)
    what, claim = "strong player against weak, both with RB", Claim.printed(0.56, WINS, "about 56%")
    lab.win_row(sheets[TABLE2], f"{what}: games won", claim, plan)
    _nils_of_rb(lab, sheets[TABLE2])
    return {figure: sheet.document for figure, sheet in sheets.items()}


def _nils_of_rb(lab: Lab, sheet: Sheet) -> None:
    """Add readings of BIS against RB with its thresholds of nil raised: the paper prints them for
    the naive bidders, and no share of nils that RB comes to."""
    games = lab.n(GAMES, 100)
    plans = {
        n: MatchPlan(BOTS, f"srp+rb:nil_ranks={n}", games, SEED, TARGET, FLOOR) for n in RAISED
    }
    lab.play(*plans.values())
    nils_claim = Claim.printed(PUBLISHED_NIL_RATE, NILS, HUMAN_NILS)
    for n, plan in plans.items():
        results, what = lab.results(plan), f"RB's thresholds of nil raised by {n}, strong player"
        nils, seats = results.nils.sum(axis=1)[:, 1], 2 * results.rounds.sum(axis=1)
        rate = Estimate.mean(nils, "rounds of a seat", seats)
        won, about = Claim.share(0.523, WINS), of_match(plan, "share of rounds")
        lab.win_row(sheet, f"{what}: games won by BIS", won, plan, "readings")
        sheet.row(f"{what}: nils of RB", nils_claim, rate, to="readings", **about)


# Figures 2 to 7, from rounds


TABLE_GAMES, GAMES_A_PART = 20_000, 50
BOTS, HUMANS, MIXED = "srp+bis", "simulated humans", "srp+bis, South a simulated human"
SEATS = {
    BOTS: ["srp+bis"] * 4,
    HUMANS: ["human"] * 4,
    MIXED: ["srp+bis", "srp+bis", "human", "srp+bis"],
}
"""By kind of table: N E S W."""
BIN, LEAST, N_BINS = 10, -405, 80  # of points
N_SUMS, MANY, LEAST_ROUNDS = 53, 14, 20


def rounds(lab: Lab) -> dict[str, Any]:
    parts = ranges(lab.n(TABLE_GAMES, 200), GAMES_A_PART)
    found = {}
    for name, seats in SEATS.items():
        agents = tuple(sorted(set(seats)))
        measured = lab.measure("rounds", rounds_part, parts, seats, SEED, agents=agents)
        found[name] = {key: np.array([part[key] for part in measured]) for key in measured[0]}
    sums, legal = (Claim.printed(value, 0.1) for value in (10.55, 3.6))
    return {
        FIG2: _nil_or_not(found[BOTS]),
        FIG3: figure_3(),
        FIG4: _by_sum(found[MIXED]),
        FIG5: _distribution(FIG5, "sums", sums, "sum of the four bids", found),
        FIG6: _distribution(FIG6, "legal", legal, "legal cards", found),
        FIG7: _aces(found),
    }


def rounds_part(first: int, end: int, seats: list[str], seed: int) -> dict[str, list]:
    """Counts over the rounds of some games. ``nil`` and ``other``: points of N/S by bins, where
    North bid nil and where nobody of the two did; ``sums``: of the four bids; ``by_sum`` (3, 53):
    rounds without nil by that sum, their points of N/S and E/W; ``legal``: numbers of legal cards;
    ``heard`` and ``held``: the fourth's, by the sum of three bids, and those with the ace."""
    north, east, south, west = map(parse_agent, seats)
    seating = Seating((north, east, south, west), Rules(target=TARGET, losing_floor=FLOOR))
    played = play_games(seating, seed, first, end)
    log, points = played.log(), played.rounds.points
    bids = log.bids.astype(np.int64)
    total, is_nil = bids.sum(axis=1), bids == NIL_BID
    bins = np.clip((points[:, 0] - LEAST) // BIN, 0, N_BINS - 1)
    has_none = ~is_nil.any(axis=1)
    aces = count_aces(log, N_SEATS - 1)
    legal = contexts_of_log(log).codes[LEGAL]
    found = {
        "nil": np.bincount(bins[is_nil[:, 0]], minlength=N_BINS),
        "other": np.bincount(bins[~is_nil[:, [0, 2]].any(axis=1)], minlength=N_BINS),
        "sums": np.bincount(total, minlength=N_SUMS),
        "by_sum": [
            np.bincount(total[has_none], weights, N_SUMS).tolist()
            for weights in (None, points[has_none, 0], points[has_none, 1])
        ],
        "legal": np.bincount(legal[legal > 0].ravel(), minlength=14),
        "heard": aces.n[:N_SUMS],
        "held": aces.held[:N_SUMS],
    }
    return {name: np.asarray(counts).tolist() for name, counts in found.items()}


def _nil_or_not(found: dict[str, NDArray]) -> dict[str, Any]:
    centres = LEAST + BIN * np.arange(N_BINS) + BIN / 2
    axes = ("points of the partnership", "share of rounds")
    sheet = Sheet(FIG2, *axes, unit="points", settings=BOTS)
    for what, key, side, published in (
        ("without nil: main peak", "other", centres > -1000, 60),
        ("nil: left peak", "nil", centres < 0, -60),
        ("nil: right peak", "nil", centres > 0, 130),
    ):
        counts = np.where(side, found[key], 0)
        drawn = np.random.default_rng(SEED).integers(0, len(counts), (1000, len(counts)))
        peaks = centres[counts[drawn].sum(axis=1).argmax(axis=1)]
        ends = tuple(np.quantile(peaks, (0.025, 0.975)).tolist())
        peak = float(centres[counts.sum(axis=0).argmax()])
        estimate = Estimate(peak, ends, int(counts.sum()), "rounds")
        sheet.row(what, Claim.printed(published, 10.0, f"about {published}"), estimate)
    for series, key in (("without nil", "other"), ("North bid nil", "nil")):
        shares = found[key].sum(axis=0) / max(1, found[key].sum())
        for x, y in zip(centres.tolist(), shares.tolist(), strict=True):
            if -160 <= x <= 260:
                sheet.point("", series, x, y)
    return sheet.document


STARRED, STAR = ((1, 3), 0.8), "nil value 0.8 after bids of 1 and 3"
STAR_CLAIM = Claim.printed(0.65, 0.05, "65%")
CALIBRATED = Claim("80% to 90%, were it the chance", 0.8, 0.9)
BY_READING = {"printed": "third card as printed", "pattern": "third card by the pattern"}


def _curve(table: Path, bids: tuple[int, int], value: float) -> Estimate:
    """What a table's curve says of a nil value after two bids."""
    curves = load_curves(table)
    p, interval = curves.probability(bids, value), curves.interval(bids, value)
    return Estimate(p, interval, int(curves.n[INDEX_OF[bids]]), "nils")


def _add_readings(sheet: Sheet) -> None:
    """The star by other curves; both readings of the third card on the same hands."""
    others = {BY_READING["pattern"]: PATTERN_TABLE, "simulated humans in all seats": HUMAN_TABLE}
    for what, table in others.items():
        about = {"to": "readings", "settings": load_curves(table).metadata["agent"]}
        sheet.row(f"{what}: {STAR}", STAR_CLAIM, _curve(table, *STARRED), **about)
    stored = load_readings()
    for name, text in BY_READING.items():
        n, made = (stored["tenths"][name][key][8] for key in ("n", "made"))
        what = f"{text}: nils valued 0.8 to 0.9 made"
        sheet.row(what, CALIBRATED, Estimate.share(made, n, "nils"), to="readings")
    groups = {ALL: "hands not denied a nil", WORTH_A_NIL: "hands worth a nil by either curve"}
    for (group, where), method in product(groups.items(), ("value", "curves")):
        scored = stored["scores"][group][method]
        less = scored["printed_less"]["log_loss"]
        found = Estimate(less["value"], tuple(less["interval"]), scored["n"], "nils")
        what = f"as printed less by the pattern: log-loss of the {METHODS[method]}, {where}"
        sheet.row(what, NOT_PRINTED, found, to="readings", unit="nats")


def figure_3() -> dict[str, Any]:
    sheet = Sheet(FIG3, "nil value", "P(made)", unit="P(made)", settings=BOTS)
    sheet.row(STAR, STAR_CLAIM, _curve(TABLE, *STARRED))
    for partner, x in product((1, 3, 8), np.linspace(0.05, 1, 20).tolist()):
        sheet.point("", f"after {partner} and 3", x, _curve(TABLE, (partner, 3), x))
    sheet.point("", "published", STARRED[1], 0.65)
    _add_readings(sheet)
    return sheet.document


def _by_sum(found: dict[str, NDArray]) -> dict[str, Any]:
    n, own, other = found["by_sum"].transpose(1, 0, 2)
    gap = other - own  # of the two bots over the one with a human

    def ahead(which: slice) -> Estimate:
        return Estimate.mean(gap[:, which].sum(axis=1), "rounds", n[:, which].sum(axis=1))

    high, low = ahead(slice(MANY + 1, None)), ahead(slice(None, MANY + 1))
    about = {"settings": MIXED, "on": HUMANS}
    sheet = Sheet(FIG4, "sum of the four bids", "points a round", unit="points a round", **about)
    for what, text, gained in (
        ("two bots ahead of bot and human", "higher", ahead(slice(None))),
        ("further ahead where the bids exceed 14", "the biggest gaps", high.less(low)),
    ):
        sheet.row(what, Claim.above(0.0, text), gained)
    for series, values in (("bot and human", own), ("two bots", other)):
        for total in np.flatnonzero(n.sum(axis=0) >= LEAST_ROUNDS).tolist():
            sheet.point("", series, total, Estimate.mean(values[:, total], "", n[:, total]))
    return sheet.document


def _distribution(
    figure: str, key: str, claim: Claim, of: str, found: dict[str, dict[str, NDArray]]
) -> dict[str, Any]:
    sheet = Sheet(figure, of, "share", unit=of)
    for name in (HUMANS, BOTS):
        counts = found[name][key]  # (parts, values), parts being independent
        sums = counts @ np.arange(counts.shape[1])
        mean = Estimate.mean(sums, "counts", counts.sum(axis=1))
        sheet.row(f"mean, {name}", claim, mean, settings=name)
        total = counts.sum(axis=0)
        for x in np.flatnonzero(total).tolist():
            sheet.point("", name, x, float(total[x] / total.sum()))
    return sheet.document


def _aces(found: dict[str, dict[str, NDArray]]) -> dict[str, Any]:
    axes = ("sum of the three bids before", "P(ace of spades)")
    sheet = Sheet(FIG7, *axes, unit="P(ace of spades)")
    for name in (HUMANS, BOTS):
        heard, held = found[name]["heard"], found[name]["held"]
        few, many = (
            Estimate.mean(held[:, which].sum(axis=1), "seats", heard[:, which].sum(axis=1))
            for which in (slice(0, 7), slice(9, None))
        )
        what = f"{name}: three bids of 6 at most less 9 or more"
        sheet.row(what, Claim.above(0.0, "decreases"), few.less(many), settings=name)
        n, k = heard.sum(axis=0), held.sum(axis=0)
        for x in np.flatnonzero(n >= LEAST_ROUNDS).tolist():
            sheet.point("", name, x, Estimate.share(int(k[x]), int(n[x]), "seats"))
    return sheet.document
