"""What holds in every deal that the seat to play can't rule out, and so is proven.

All deals that agree with what the seat has seen are listed and each is solved with open hands. Then
*K♠ is best in every possible deal* is proven, and so is *the rest is North/South's*: some card, the
same in all deals, after which their best play takes all the tricks left against any defence. Later
cards may hang on how the cards lie: both are statements on deals, not on a line of play that needs
no looking. Where the deals are too many to list, a statement is on the sampled ones alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from analysis.decisions.lenses import Scene
from spades.belief import Dealing, deal_count, every_deal
from spades.belief.dealing import UNIFORM
from spades.core.cards import HAND_SIZE, N_SEATS, SIDE_NAMES, cards_in, partnership_of, seat_name
from spades.core.observation import Observation
from spades.core.scoring import POINTS_PER_TRICK
from spades.search.solver import MAX_SOLVED, Solver, of_tricks

if TYPE_CHECKING:
    from analysis.decisions.candidates import CandidateValue

MAX_POSSIBLE = 2000  # all deals of three tricks, 1,680 at most: half a second


def n_possible(observation: Observation, dealing: Dealing) -> int:
    """How many deals there are, where all of them are solved: equally likely ones, no more than
    ``MAX_POSSIBLE``, in the last ``MAX_SOLVED`` tricks. 0 where deals are sampled."""
    if tricks_left(observation) > MAX_SOLVED or dealing.determinization != UNIFORM:
        return 0
    n = deal_count(observation)
    return int(n) if n <= MAX_POSSIBLE else 0


def tricks_left(observation: Observation) -> int:
    return HAND_SIZE - len(observation.table.winners)


@dataclass(frozen=True)
class Claim:
    """``side`` (0: North/South) takes ``tricks`` of the ``left`` ones, no more and no less, in
    every possible deal. ``cards``: those of the seat to play (codes) after which it is so."""

    side: int
    tricks: int
    left: int
    cards: tuple[int, ...]


def find_claim(observation: Observation, values: NDArray[np.float64]) -> Claim | None:
    """From the values of each legal card, lowest code first, in every possible deal by
    ``of_tricks``, (deals, cards); None where the tricks hang on how the cards lie."""
    side, left = partnership_of(observation.seat), tricks_left(observation)
    taken = observation.table.tricks_taken
    own = (values / POINTS_PER_TRICK + HAND_SIZE) / 2 - (taken[side] + taken[side + 2])
    sure, most = own.min(axis=0), int(own.max())
    if sure.max() < most:
        return None
    legal = cards_in(observation.legal_mask)
    cards = tuple(code for code, tricks in zip(legal, sure, strict=True) if tricks == most)
    return Claim(side, most, left, cards) if most else Claim(1 - side, left, left, cards)


def own_claim(observation: Observation) -> Claim | None:
    """All the tricks left, where the seat to play may claim them: its side takes them in every
    possible deal, and no nil can still fail. None otherwise."""
    deals = every_deal(observation) if n_possible(observation, Dealing()) else ()
    scene = Scene(observation)
    if not len(deals) or any(map(scene.nil_alive, range(N_SEATS))):
        return None
    solver = Solver(of_tricks(observation.table))
    values = np.array([list(solver.values(deal).values()) for deal in deals], dtype=float)
    found = find_claim(observation, values)
    is_all = found is not None and (found.side, found.tricks) == (scene.side, found.left)
    return found if is_all else None


def claim_sentence(
    found: Claim, observation: Observation, named: Callable[[str], str] = str
) -> str:
    """``The rest is North/South's: all 4 tricks in every possible deal, if South plays SK now.``"""
    name, deck = SIDE_NAMES[found.side], observation.rules.cards
    if found.tricks == found.left:
        tricks = f"all {found.left} tricks" if found.left > 1 else "the last trick"
        text = f"The rest is {name}'s: {tricks}"
    else:
        text = f"{name} take {found.tricks} of the {found.left} tricks left by best play"
    text += " in every possible deal"
    if len(found.cards) < observation.legal_mask.bit_count():
        cards = " or ".join(named(deck.format_card(code)) for code in found.cards)
        text += f", if {seat_name(observation.seat)} plays {cards} now"
    return f"{text}."


def best_sentence(
    rows: "Sequence[CandidateValue]", names: Mapping[str, str], *, is_every: bool
) -> str:
    """Which cards are best in all solved deals, or what the best costs; ``is_every``: whether no
    other deal is possible."""
    n, best = rows[0].n, min(rows, key=lambda row: row.regret.mean)
    if safe := [row for row in rows if row.best_in == n]:
        where = (
            f"Proven: in all {n:,} possible deals" if is_every else f"In all {n:,} sampled deals"
        )
        cards = " and ".join(names[row.card] for row in safe)
        text = f"{where} nothing is worth more than **{cards}**"
        return f"{text}, {safe[0].mean:+.0f} points in each." if safe[0].is_fixed else f"{text}."
    low, high = best.regret.interval
    spread = "" if is_every else f" (95%: {max(0.0, low):.1f} to {high:.1f})"
    deals = f"{n:,} possible deals" if is_every else f"{n:,} sampled deals"
    return (
        f"**{names[best.card]}** costs least: {best.regret.mean:.1f} points a deal{spread} less "
        f"than the card that is best there; it is that in {best.best_in:,} of {deals}."
    )
