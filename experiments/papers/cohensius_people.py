"""Cohensius et al. 2020, table 3 and what the text says of games with a person at the table.

    python -m spades reproduce cohensius-table3 --scale full

takes a minute. A partnership of two bots meets a bot with a person, who is simulated here: N, E and
W are bots, S is a simulated human. Games to 200 points with a floor of -100, as the paper's.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.bidding.style import PUBLISHED_NIL_RATE
from analysis.papers.figures import PEOPLE_GAMES
from analysis.runs.tasks import ranges
from experiments.papers.claims import POINTS, WINS, Claim, Estimate, Sheet
from experiments.papers.lab import SHARE_OF_GAMES, Lab
from experiments.thoughtful_rounds import play_games_with
from spades.agents import Seating, parse_agent
from spades.core.cards import EAST, NORTH, SOUTH, WEST
from spades.core.documents import Document
from spades.core.rules import NIL_BID, Rules
from spades.core.scoring import winner

PERSON = "human"
SEED = 30407
RULES = Rules(target=200, losing_floor=-100)
GAMES_A_PART = 1000
FEWEST_PARTS = 20
"""Whose spread the intervals are made of."""
QUICK_GAMES = 200
NIL_RATE = 0.01
"""Margin of shares of rounds with a nil."""
NIL_MADE = 0.05
"""Margin of shares of nils that are made."""

# What the paper prints

PUBLISHED_NIL_MADE = 0.632
"""Of people's nils."""
GAMES_WON = {
    "srp+bis": Claim.share(0.56, WINS),
    "srp+rb": Claim.share(0.54, WINS),
    "wrp+rb": Claim.printed(0.5, WINS, "almost 50%"),
}
"""By two bots against one of them and a person."""


class Kind(NamedTuple):
    """A line of table 3: a kind of round by who bid nil.

    ``points`` a round of the two bots, and of bot and person; ``made``: shares of the nils of
    either side that succeeded, None where the side has none.
    """

    name: str
    points: tuple[float, float]
    made: tuple[float | None, float | None]


KINDS = (
    Kind("one of two bots", (57.3, 47.7), (0.688, None)),
    Kind("the person", (50.7, 49.2), (None, 0.639)),
    Kind("the person's partner", (51.9, 62.2), (None, 0.700)),
    Kind("nil against nil", (67.4, 60.5), (0.442, 0.396)),
    Kind("person and partner", (64.5, -29.3), (None, 0.324)),
    Kind("no nil", (48.9, 43.6), (None, None)),
)
SIDES = ("two bots", "bot and person")
BOTS, MIXED = 1, 0  # partnerships: E and W, N and S
Counts = dict[str, NDArray]
"""What ``count_games`` counts, a row a part."""


def people(lab: Lab) -> Document:
    """Table 3, and games and nils with a person at the table."""
    return documents_of(counts_by_bot(lab))


def counts_by_bot(lab: Lab, person: str = PERSON) -> dict[str, Counts]:
    """What ``count_games`` counts with a person at the table, by the bot that the others are."""
    n_games = lab.n(PEOPLE_GAMES, QUICK_GAMES)
    parts = ranges(n_games, min(GAMES_A_PART, n_games // FEWEST_PARTS))
    counts = {}
    for bot in GAMES_WON:
        arguments = (bot, SEED) if person == PERSON else (bot, SEED, person)
        agents = (bot, person)
        by_part = lab.measure("games with a person", count_games, parts, *arguments, agents=agents)
        counts[bot] = {key: np.array([part[key] for part in by_part]) for key in by_part[0]}
    return counts


def documents_of(counts: dict[str, Counts]) -> Document:
    """The documents of both figures, of counts by bot."""
    sheets = (_table3(counts["srp+bis"]), _games(counts))
    return {sheet.figure: sheet.document for sheet in sheets}


def no_nil_gap(counts: dict[str, Counts]) -> Estimate:
    """How far two bots are ahead of bot and person in rounds without a nil, points a round."""
    i = [kind.name for kind in KINDS].index("no nil")
    of_bis = counts["srp+bis"]
    points = of_bis["points"][:, i]
    bots = points[:, 0]
    mixed = points[:, 1]
    return Estimate.mean(bots - mixed, "rounds", of_bis["rounds"][:, i])


def count_games(first: int, end: int, bot: str, seed: int, person: str = PERSON) -> dict[str, list]:
    """Counts over some games of three bots and a person in South, who is simulated.

    ``rounds`` (6,) by kind; ``points``, ``nils`` and ``made`` (6, 2): points, nils and successful
    nils of the two bots, and of bot and person; ``seat_nils`` and ``seat_made`` (4,); ``won`` and
    ``decided``: games, and those that the two bots won.
    """
    north, east, west = (parse_agent(bot) for _ in range(3))
    seating = Seating((north, east, parse_agent(person), west), RULES)
    played = play_games_with(seating, seed, first, end)
    nils = played.rounds.bids == NIL_BID
    made = nils & (played.rounds.tricks == 0)
    kinds = kinds_of(nils)
    sides = (BOTS, MIXED)
    by_side = {
        "points": played.rounds.points[:, sides],
        "nils": _of_sides(nils),
        "made": _of_sides(made),
    }
    winners = [winner(RULES, score) for score in played.score.tolist()]
    counts = {
        "rounds": np.bincount(kinds, minlength=len(KINDS)),
        "seat_nils": nils.sum(axis=0),
        "seat_made": made.sum(axis=0),
        "won": winners.count(BOTS),
        "decided": len(winners) - winners.count(None),
    }
    for name, values in by_side.items():
        counts[name] = [values[kinds == kind].sum(axis=0) for kind in range(len(KINDS))]
    return {name: np.asarray(values).tolist() for name, values in counts.items()}


def _of_sides(by_seat: NDArray) -> NDArray:
    """Sums of the two bots, and of bot and person, (n, 2)."""
    return np.stack(
        [by_seat[:, [EAST, WEST]].sum(axis=1), by_seat[:, [NORTH, SOUTH]].sum(axis=1)], axis=1
    )


def kinds_of(nils: NDArray) -> NDArray[np.int64]:
    """The line of table 3 of each round, by which seats bid nil, bool (n, 4)."""
    of_bots = nils[:, [EAST, WEST]].any(axis=1)
    person = nils[:, SOUTH]
    partner = nils[:, NORTH]
    conditions = [
        person & partner,
        of_bots & (person | partner),
        of_bots,
        person,
        partner,
    ]
    return np.select(conditions, [4, 3, 0, 1, 2], default=5)


def _table3(counts: Counts) -> Sheet:
    sheet = Sheet("cohensius-table3", "", "", settings="srp+bis", on="a simulated human in S")
    for i, kind in enumerate(KINDS):
        rounds = counts["rounds"][:, i]
        if not rounds.any():  # no simulated human bids nil beside a nil of its partner
            continue
        for j, side in enumerate(SIDES):
            points = Estimate.mean(counts["points"][:, i, j], "rounds", rounds)
            claim = Claim.printed(kind.points[j], POINTS)
            what = f"nil by {kind.name}" if "nil" not in kind.name else kind.name
            sheet.row(f"{what}: points of {side}", claim, points, unit="points a round")
            sheet.beside(f"points of {side}", kind.name, points, claim)
            published = kind.made[j]
            if published is None:
                continue
            made = Estimate.mean(counts["made"][:, i, j], "nils", counts["nils"][:, i, j])
            claim = Claim.share(published, NIL_MADE)
            sheet.row(f"{what}: nils made of {side}", claim, made, unit="share of nils")
            sheet.beside(f"nils made of {side}", kind.name, made, claim)
    return sheet


def _points_ahead(counts: Counts) -> Estimate:
    """How far the two bots are ahead of bot and person, points a round."""
    bots, mixed = counts["points"].sum(axis=1).T
    return Estimate.mean(bots - mixed, "rounds", counts["rounds"].sum(axis=1))


def _games(counts: dict[str, Counts]) -> Sheet:
    """Games won by two bots; how often bots and the simulated human bid nil and make it."""
    sheet = Sheet("cohensius-people", "", "", on="a simulated human in S")
    for bot, claim in GAMES_WON.items():
        n = counts[bot]["decided"]
        won = Estimate.mean(counts[bot]["won"], "games", n)
        won = won._replace(points=_points_ahead(counts[bot]))
        what = f"two of {bot} against one with a person: games won"
        sheet.row(what, claim, won, unit=SHARE_OF_GAMES, settings=bot)
        sheet.beside("games won by two bots", bot, won, claim)
    bis = counts["srp+bis"]
    n_rounds = bis["rounds"].sum(axis=1)
    for who, seats, rate, made in (
        ("BIS", [NORTH, EAST, WEST], 0.136, 0.688),
        ("the person", [SOUTH], PUBLISHED_NIL_RATE, PUBLISHED_NIL_MADE),
    ):
        n_nils = bis["seat_nils"][:, seats].sum(axis=1)
        n_made = bis["seat_made"][:, seats].sum(axis=1)
        share = Estimate.mean(n_nils, "rounds of a seat", len(seats) * n_rounds)
        made_share = Estimate.mean(n_made, "nils", n_nils)
        about = {"settings": "srp+bis"}
        rate_claim = Claim.share(rate, NIL_RATE)
        made_claim = Claim.share(made, NIL_MADE)
        sheet.row(
            f"rounds in which {who} bids nil",
            rate_claim,
            share,
            unit="share of rounds",
            **about,
        )
        sheet.row(
            f"nils of {who} that are made",
            made_claim,
            made_share,
            unit="share of nils",
            **about,
        )
        sheet.beside("rounds with a nil", who, share, rate_claim)
        sheet.beside("nils made", who, made_share, made_claim)
    return sheet
