"""What holds in every deal that the seat to play can't rule out, and so is proven.

All deals that agree with what the seat has seen are listed and solved with open hands. That proves
sentences such as *K♠ is best in every possible deal*, or *the rest is North/South's*: after some
card, the same in all deals, their best play takes all the tricks left against any defence. Later
cards may depend on how the cards lie: both are statements on deals, not on one line of play that
wins without looking. Where the deals are too many to list, a statement is on the sampled ones only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analysis.decisions.lenses import Scene
from analysis.text_tables import signed, span
from spades.belief import Dealing, deal_count, every_deal
from spades.core.cards import (
    HAND_SIZE,
    N_SEATS,
    SIDE_NAMES,
    Deck,
    cards_in,
    partnership_of,
    seat_name,
)
from spades.core.documents import Document
from spades.core.kernel import FloatArray
from spades.core.observation import Observation
from spades.core.scoring import POINTS_PER_TRICK
from spades.search.solver import MAX_SOLVED, Solver, of_tricks

if TYPE_CHECKING:
    from analysis.decisions.card_values import CandidateValue

MAX_POSSIBLE = 2000  # all deals of the last three tricks are 1,680 at most: half a second


def n_possible(observation: Observation, dealing: Dealing) -> int:
    """How many deals are possible, where all of them are to be solved: if they are equally likely,
    at most ``MAX_POSSIBLE``, and in the last ``MAX_SOLVED`` tricks. Else 0: deals are sampled."""
    if tricks_left(observation) > MAX_SOLVED or not dealing.determinization.is_uniform:
        return 0
    n = deal_count(observation)
    return int(n) if n <= MAX_POSSIBLE else 0


def tricks_left(observation: Observation) -> int:
    return HAND_SIZE - len(observation.table.winners)


@dataclass(frozen=True)
class TrickClaim:
    """``side`` (0: North/South) takes exactly ``tricks`` of the tricks ``left`` in every possible
    deal. ``cards``: those of the seat to play (codes) after which it is so."""

    side: int
    tricks: int
    left: int
    cards: tuple[int, ...]

    def document(self, deck: Deck) -> Document:
        """For JSON."""
        return {
            "side": ("ns", "ew")[self.side],
            "tricks": self.tricks,
            "left": self.left,
            "cards": [deck.format_card(code) for code in self.cards],
        }


def find_claim(observation: Observation, values: FloatArray) -> TrickClaim | None:
    """The claim from values of each legal card, lowest code first, in every possible deal by
    ``of_tricks``, (deals, cards); None where the tricks depend on how the cards lie."""
    side = partnership_of(observation.seat)
    left = tricks_left(observation)
    taken = observation.table.tricks_taken
    own = (values / POINTS_PER_TRICK + HAND_SIZE) / 2 - (taken[side] + taken[side + 2])
    sure = own.min(axis=0)
    most = int(own.max())
    if sure.max() < most:
        return None
    legal = cards_in(observation.legal_mask)
    cards = tuple(code for code, tricks in zip(legal, sure, strict=True) if tricks == most)
    if most == 0:
        return TrickClaim(1 - side, left, left, cards)
    return TrickClaim(side, most, left, cards)


def own_claim(observation: Observation) -> TrickClaim | None:
    """All the tricks left, where the seat to play may claim them: its side takes them in every
    possible deal, and no nil can still fail. None otherwise."""
    scene = Scene(observation)
    if any(map(scene.nil_alive, range(N_SEATS))) or not n_possible(observation, Dealing()):
        return None
    solver = Solver(of_tricks(observation.table))
    values = [list(solver.values(deal).values()) for deal in every_deal(observation)]
    claim = find_claim(observation, np.array(values, dtype=float))
    if claim is None or claim.side != scene.side or claim.tricks < claim.left:
        return None
    return claim


def claim_sentence(
    claim: TrickClaim, observation: Observation, named: Callable[[str], str] = str
) -> str:
    """``The rest is North/South's: all 4 tricks in every possible deal, if South plays SK now.``"""
    side = SIDE_NAMES[claim.side]
    deck = observation.rules.cards
    if claim.tricks < claim.left:
        text = f"{side} take {claim.tricks} of the {claim.left} tricks left by best play"
    elif claim.left > 1:
        text = f"The rest is {side}'s: all {claim.left} tricks"
    else:
        text = f"The rest is {side}'s: the last trick"
    text += " in every possible deal"
    if len(claim.cards) < observation.legal_mask.bit_count():
        cards = " or ".join(named(deck.format_card(code)) for code in claim.cards)
        text += f", if {seat_name(observation.seat)} plays {cards} now"
    return f"{text}."


def best_sentence(
    rows: "Sequence[CandidateValue]", named: Callable[[str], str], *, is_every: bool
) -> str:
    """Which cards are best in all solved deals, or what the best costs; ``is_every``: whether no
    other deal is possible; ``named``: how a card is written."""
    n = rows[0].n
    deals = f"{n:,} possible deals" if is_every else f"{n:,} sampled deals"
    safe = [row for row in rows if row.best_in == n]
    if safe:
        where = f"Proven: in all {deals}" if is_every else f"In all {deals}"
        cards = " and ".join(named(row.card) for row in safe)
        text = f"{where} nothing is worth more than **{cards}**"
        if safe[0].is_fixed:
            text += f", {signed(safe[0].mean, '+.0f')} points in each"
        return f"{text}."
    best = min(rows, key=lambda row: row.regret.mean)
    spread = ""
    if not is_every:
        low, high = best.regret.interval
        spread = f" (95%: {span((max(0.0, low), high), '.1f')})"
    return (
        f"**{named(best.card)}** costs least: {best.regret.mean:.1f} points a deal{spread} less "
        f"than the card that is best there; it is that in {best.best_in:,} of {deals}."
    )
