"""Baier et al. 2018, section IV-D: a biased search whose partner is the baseline, against two
baselines: "closer still to 50%" than a team of two biased searches is.
"""

from dataclasses import dataclass

import numpy as np

from analysis.matches.match import MatchPlan
from analysis.runs.tasks import ranges
from experiments.papers.claims import NOT_PRINTED, Claim, Estimate, Sheet
from experiments.papers.lab import (
    SHARE_OF_GAMES,
    Lab,
    Wins,
    difference,
    points_of,
    win_rate_of,
    wins_by_pair,
)
from spades.agents import Agent, Duel, PairResults, Seating, parse_agent, play_pairs
from spades.core.documents import Document
from spades.core.rules import Rules

PAIRS_A_PART = 5
CLOSER = Claim.above(0.0, "closer still to 50%")
RULES = Rules()


@dataclass(frozen=True, kw_only=True)
class TeamDuel(Duel):
    """A duel in which the first agent has another one for a partner.

    ``partner`` sits South in the first game of a pair and West in the second, the first agent
    North and East.
    """

    partner: Agent

    @property
    def seatings(self) -> tuple[Seating, Seating]:
        return (
            Seating((self.first, self.second, self.partner, self.second), self.rules),
            Seating((self.second, self.first, self.second, self.partner), self.rules),
        )


def play_team(first: int, end: int, south: str, baseline: str, seed: int) -> Document:
    """Pairs of games of ``south`` and a baseline against two baselines, as ``PairResults``."""
    duel = TeamDuel(parse_agent(baseline), parse_agent(baseline), RULES, partner=parse_agent(south))
    return play_pairs(duel, seed, first, end).document()


def team_results(lab: Lab, alike: MatchPlan) -> PairResults:
    """The games of a match on its deals, with a baseline in the place of one biased search."""
    parts = ranges(alike.games // 2, PAIRS_A_PART)
    played = lab.measure(
        "games of a biased search and the baseline",
        play_team,
        parts,
        alike.ns,
        alike.ew,
        alike.seed,
        agents=(alike.ns, alike.ew),
    )
    return PairResults.joined(
        [
            PairResults.from_document(document, end - first)
            for (first, end), document in zip(parts, played, strict=True)
        ]
    )


def add_team(lab: Lab, sheet: Sheet, what: str, alike: MatchPlan, suffix: str = "") -> Estimate:
    """Add whether a biased search with the baseline comes closer to 50% than two of its kind do,
    and the games that they win, which the paper doesn't print; return these.

    ``alike``: the match of two biased searches against two baselines. ``suffix``: of another
    reading.
    """
    mixed = team_results(lab, alike)
    two_alike = lab.results(alike)
    team = f"S {alike.ns}, N {alike.ew} against {alike.ew}"
    closer = closer_to_half(wins_by_pair(mixed, RULES), wins_by_pair(two_alike, RULES))
    ahead = points_of(mixed).less(points_of(two_alike))
    add = sheet.reading if suffix else sheet.row
    add(
        f"{what}: games won, closer to 50%{suffix}",
        CLOSER,
        closer._replace(points=ahead),
        unit=SHARE_OF_GAMES,
        settings=f"{team}; beside two of S",
    )
    won = win_rate_of(mixed, RULES)
    sheet.reading(
        f"{what}: games won{suffix}", NOT_PRINTED, won, unit=SHARE_OF_GAMES, settings=team
    )
    return won


def closer_to_half(wins: Wins, others: Wins) -> Estimate:
    """How much closer to 50% one share of games won is than another one on the same deals.

    Games won by pair, 0 to 2. The interval is over pairs, as if the side of 50% on which a share
    lies were known.
    """
    return difference(_from_half(others), _from_half(wins))


def _from_half(wins: Wins) -> Wins:
    """By pair, how far the games won are from 1, away from 50% on the side of their mean."""
    off = wins - 1.0
    return off * np.sign(off.mean())
