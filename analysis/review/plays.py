"""Reviewed plays and their tallies: what was given away, as the judge plays, as humans play.

A play gives away the points by which its class of cards is behind the best one in the conclusion on
its decision; nothing where it is the best or as good. Beside it stands what the play cost as the
cards lay, and luck, the difference of the two (``analysis.decisions.hindsight``).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from analysis.decisions.conclusion import Conclusion
from analysis.decisions.hindsight import Hindsight
from analysis.phases import PHASES, phase_of, tricks_of
from analysis.records import Column, documents_of
from spades.core.cards import N_SEATS, SEAT_NAMES, SEATS, SIDE_NAMES
from spades.core.documents import Document

SIDE_KEYS = ("ns", "ew")


@dataclass(frozen=True, kw_only=True)
class ReviewedPlay:
    """A play with a choice. ``given_away``: points, with the standard error ``se``; ``best``: one
    card of each class that is the best or as good; ``as_judge``: whether the play is of such a
    class; ``as_human``: whether it is of the class that humans likeliest play; ``is_settled``:
    whether what it gives away is more than a leaning. ``hindsight``: points that it cost as the
    cards lay, with ``hindsight_se``; nan where that wasn't measured."""

    ply: int
    seat: int
    card: str
    best: tuple[str, ...]
    given_away: float
    se: float
    as_judge: bool
    as_human: bool
    is_settled: bool
    hindsight: float = math.nan
    hindsight_se: float = math.nan

    @property
    def luck(self) -> float:
        """Points that the cards made good: what the play gives away less what it cost."""
        return self.given_away - self.hindsight

    @property
    def trick(self) -> int:
        """Number of the trick, from 0."""
        return self.ply // N_SEATS

    @property
    def phase(self) -> str:
        return phase_of(self.ply)

    def document(self) -> Document:
        """The play for JSON."""
        return {
            "ply": self.ply,
            "trick": self.trick,
            "seat": SEATS[self.seat],
            **documents_of(self, ("card", "best", "given_away", "se", "is_settled")),
            **documents_of(self, ("hindsight", "hindsight_se", "luck")),
        }


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Sums over plays with a choice, ``decisions`` of them: points ``given_away``, with the
    standard error ``se``; how many plays are ``as_judge``, ``as_human`` and ``unsettled``;
    ``hindsight``: points that they cost as the cards lay, with ``hindsight_se``, nan where that
    wasn't measured."""

    decisions: int
    given_away: float
    se: float
    as_judge: int
    as_human: int
    unsettled: int
    hindsight: float = 0.0
    hindsight_se: float = 0.0

    @classmethod
    def of(cls, plays: Iterable[ReviewedPlay]) -> "Tally":
        plays = list(plays)
        return cls(
            decisions=len(plays),
            given_away=sum(play.given_away for play in plays),
            se=math.sqrt(sum(play.se**2 for play in plays)),
            as_judge=sum(play.as_judge for play in plays),
            as_human=sum(play.as_human for play in plays),
            unsettled=sum(not play.is_settled for play in plays),
            hindsight=sum(play.hindsight for play in plays),
            hindsight_se=math.sqrt(sum(play.hindsight_se**2 for play in plays)),
        )

    @property
    def luck(self) -> float:
        """Points that the cards made good."""
        return self.given_away - self.hindsight

    @property
    def as_judge_share(self) -> float | None:
        """Share of the decisions; None without any."""
        return self.as_judge / self.decisions if self.decisions else None

    @property
    def as_human_share(self) -> float | None:
        """Share of the decisions; None without any."""
        return self.as_human / self.decisions if self.decisions else None

    def document(self) -> Document:
        """The tally for JSON."""
        counts = ("decisions", "given_away", "se", "as_judge", "as_human", "unsettled")
        shares = ("as_judge_share", "as_human_share")
        return documents_of(self, (*counts, *shares, "hindsight", "hindsight_se", "luck"))


@dataclass(frozen=True, kw_only=True)
class PlayersTally(Tally):
    """The tally of a seat or a partnership ``who`` (N, E, S, W, ns or ew), also by phase."""

    who: str
    by_phase: dict[str, Tally]

    @classmethod
    def of_players(
        cls, who: str, seats: Sequence[int], plays: Sequence[ReviewedPlay]
    ) -> "PlayersTally":
        own = [play for play in plays if play.seat in seats]
        by_phase = {
            phase: Tally.of(play for play in own if play.phase == phase) for phase in PHASES
        }
        return cls(who=who, by_phase=by_phase, **vars(Tally.of(own)))

    @property
    def name(self) -> str:
        """The seat or the partnership in words."""
        if self.who in SIDE_KEYS:
            return SIDE_NAMES[SIDE_KEYS.index(self.who)]
        return SEAT_NAMES[self.who]

    def document(self) -> Document:
        """The tally for JSON, and that of each phase."""
        by_phase = {phase: tally.document() for phase, tally in self.by_phase.items()}
        return {**super().document(), **by_phase}


def _column_of(phase: str) -> Column:
    return Column(
        f"{phase}_given_away",
        phase.capitalize(),
        ".1f",
        f"Points, in {tricks_of(phase)}.",
        value=lambda tally: tally.by_phase[phase].given_away,
    )


TALLY_COLUMNS = (
    Column("who", "", meaning="Seats, then partnerships.", value=lambda tally: tally.name),
    Column("decisions", "Decisions", ",d", "Plays with a choice, equivalent cards being one."),
    Column("given_away", "Given away", ".1f", "Points."),
    Column("se", "SE", ".1f", "Standard error of the sum, points."),
    *map(_column_of, PHASES),
    Column(
        "hindsight", "As the cards lay", ".1f", "Points that the plays cost with all hands open."
    ),
    Column("hindsight_se", "SE of that", ".1f", "Standard error of that sum, points."),
    Column("luck", "Luck", "+.1f", "Points: given away less what the plays cost as the cards lay."),
    Column(
        "as_judge_share",
        "As the judge",
        ".1%",
        "Decisions: the best class was played, or one as good.",
    ),
    Column(
        "as_human_share",
        "As humans",
        ".1%",
        "Decisions: the human model's likeliest class was played.",
    ),
    Column("unsettled", "Not settled", ",d", "Decisions: the conclusion leans, no more."),
)
"""How people read a tally, in a terminal and on a page."""


def reviewed(
    ply: int,
    seat: int,
    card: str,
    conclusion: Conclusion,
    human: Mapping[str, float],
    cost: Hindsight,
) -> ReviewedPlay:
    played = conclusion.class_of(card)
    within = conclusion.within
    human_shares = {
        candidate.cards: sum(human[name] for name in candidate.cards)
        for candidate in conclusion.classes
    }
    loss = conclusion.loss_of(card)
    return ReviewedPlay(
        ply=ply,
        seat=seat,
        card=card,
        best=tuple(candidate.cards[0] for candidate in within),
        given_away=loss.points,
        se=played.gap_error if loss.points else 0.0,
        as_judge=played in within,
        as_human=human_shares[played.cards] >= max(human_shares.values()) - 1e-9,
        is_settled=loss.is_settled,
        hindsight=cost.loss,
        hindsight_se=cost.se,
    )


def costliest_first(plays: Iterable[ReviewedPlay]) -> list[ReviewedPlay]:
    """The plays that gave points away."""
    costly = [play for play in plays if play.given_away > 0]
    return sorted(costly, key=lambda play: -play.given_away)
