"""A bid with its reasons: what BIS makes of a hand, part by part; and any bidder's bid.

The parts are put together here in plain Python; the bid itself comes from the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spades.bidding.auction import (
    BLIND_NIL,
    Auction,
    BidContext,
    n_opponent_nils,
    previous_index,
    sequence_at,
)
from spades.bidding.bis import (
    bis_bid,
    choose,
    nil_threshold,
    previous_term,
    regular_points,
    success_chance,
    tricks_before,
)
from spades.bidding.context import auction_of, bid_context
from spades.bidding.curves import load_curves
from spades.bidding.endgame import Choice, bid_of_endgame, bids_blind
from spades.bidding.hands import FREE_SPADES, N_SPADE_HONOURS, allot_spades, nil_value
from spades.bidding.options import BidderOptions
from spades.bidding.rivals import make_bid
from spades.bidding.tables import N_TRICKS, p_cnil
from spades.core.cards import HAND_SIZE, SPADES, Deck, cards_in, suit_mask
from spades.core.errors import IllegalBidError, InvalidDealError
from spades.core.kernel import highest, popcount, seed_state
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, NO_BID

HIGH, LONG, CUT, GUARD = "high card", "long spade", "cut", "guard"
NIL, REGULAR, END_GAME, CONVENTION, BLIND = (
    "nil", "regular", "end of game", "convention", "blind nil",
)  # fmt: skip


@dataclass(frozen=True)
class CardPart:
    """What one card is worth in a regular bid: its role, tricks, and for a cut the suit cut."""

    card: int
    role: str
    tricks: float
    cut_suit: int | None = None


@dataclass(frozen=True)
class BisAnswer:
    """Why BIS bids what it bids.

    ``bid``: 0 is nil (where the rules have it), with ``is_blind`` a blind one; ``reason``: which
    step made it, ``nil``, ``regular``, ``end of game``, ``convention`` or ``blind nil``. Tricks:
    ``parts`` of the cards, high cards first, sum to ``regular_before_bids``; with
    ``previous_term`` and less what an opponent's nil takes off they round to ``regular``.
    ``nil_by_suit``: Pr(cnil) of S H D C; ``nil_value``: their product, 1.15 times with a void.
    ``p_nil``: the curve there, ``p_interval`` its 95 % interval (of the curve in use: the interval
    of the single curve isn't stored, then it is None), ``n_curve`` the nils seen after these bids.
    ``may_nil``: nil is legal and the partner didn't bid it. Points: ``threshold``;
    ``expected_nil``, nil's worth times 2 p - 1; ``expected_regular``, what the regular bid adds to
    the partner's contract (``regular_points``, an estimate of ours).
    """

    bid: int
    is_blind: bool
    reason: str
    parts: tuple[CardPart, ...]
    regular_before_bids: float
    previous_term: float
    regular: int
    nil_by_suit: tuple[float, ...]
    nil_value: float
    p_nil: float
    p_interval: tuple[float, float] | None
    n_curve: int
    may_nil: bool
    threshold: float
    expected_nil: float
    expected_regular: float


def check_hand(hand: int, deck: Deck) -> None:
    """Raise ``InvalidDealError`` unless a hand is 13 cards of the deck."""
    if foreign := hand & ~deck.mask:
        codes = sorted(cards_in(foreign))
        raise InvalidDealError(f"the hand holds card codes {codes}, none of {deck.name}")
    if hand.bit_count() != HAND_SIZE:
        cards = deck.format_cards(hand) or "none"
        raise InvalidDealError(f"{hand.bit_count()} cards, a hand is {HAND_SIZE}: {cards}")


def check_seat(observation: Observation) -> None:
    """Raise unless the seat has 13 cards and is still to bid."""
    check_hand(observation.hand, observation.rules.cards)
    if observation.table.bids[observation.seat] != NO_BID or observation.table.plays:
        raise IllegalBidError(f"the auction is over for this seat: {observation.text()}")


def bid_of(observation: Observation, options: BidderOptions, seed: int) -> int:
    """A bidder's bid, 0 for nil, ``BLIND_NIL`` for nil before looking; legal by construction.

    Raises ``IllegalBidError`` for a seat that has bid, ``InvalidDealError`` for a hand
    that isn't 13 cards.
    """
    check_seat(observation)
    context = bid_context(observation.rules)
    hand, state = observation.hand, seed_state(seed)
    return int(make_bid(hand, auction_of(observation), options, context, state)[0])


def is_blind_bid(observation: Observation, options: BidderOptions) -> bool:
    """Whether the bidder bids nil before looking at its hand."""
    rules = bid_context(observation.rules).rules
    return bool(bids_blind(auction_of(observation), options, rules))


def explain_bis(observation: Observation, options: BidderOptions) -> BisAnswer:
    """BIS's bid with its reasons; raises what ``bid_of`` does."""
    check_seat(observation)
    context, auction = bid_context(observation.rules), auction_of(observation)
    hand, deck = observation.hand, observation.rules.cards
    bid = int(bis_bid(hand, auction, options, context, np.uint64(0))[0])
    choice = choose(hand, auction, options, context)
    value = float(nil_value(hand, context.tables.p_cnil))
    p_nil = float(success_chance(value, auction, options, context))
    curves, index = load_curves(), int(previous_index(auction))
    interval = None if options.single_curve else curves.interval(sequence_at(index), value)
    regular = int(choice.regular)
    return BisAnswer(
        bid=NIL_BID if bid == BLIND_NIL else bid,
        is_blind=bid == BLIND_NIL,
        reason=_reason(bid, choice, auction, options, context),
        parts=regular_parts(hand, auction, deck, context),
        regular_before_bids=float(tricks_before(hand, auction, context)),
        previous_term=float(previous_term(auction, context)),
        regular=regular,
        nil_by_suit=tuple(p_cnil(hand & suit_mask(suit), suit, deck) for suit in range(4)),
        nil_value=value,
        p_nil=p_nil,
        p_interval=interval,
        n_curve=int(curves.n.sum() if options.single_curve else curves.n[index]),
        may_nil=bool(choice.may_nil),
        threshold=float(nil_threshold(regular, auction, options, context)),
        expected_nil=context.rules.nil * (2.0 * p_nil - 1.0),
        expected_regular=float(regular_points(regular, auction, context)),
    )


def _reason(
    bid: int, choice: Choice, auction: Auction, options: BidderOptions, context: BidContext
) -> str:
    """The step of BIS that made the bid."""
    if bid == BLIND_NIL:
        return BLIND
    ended = int(bid_of_endgame(choice, auction, options, context.rules))
    if ended != choice.bid:
        return END_GAME
    if bid != ended:
        return CONVENTION
    return REGULAR if bid == choice.regular else NIL


def regular_parts(
    hand: int, auction: Auction, deck: Deck, context: BidContext
) -> tuple[CardPart, ...]:
    """What each card that counts is worth in a regular bid; the rest are worth nothing."""
    p_holds = context.tables.p_hold[2 - n_opponent_nils(auction, context.rules)]
    _, n_cuts = allot_spades(hand, deck.mask, p_holds)
    honours = [part for suit in (1, 2, 3) for part in _honours(hand, suit, deck, p_holds)]
    spades = list(cards_in(hand & suit_mask(SPADES)))
    cuts = sorted(_cuts(hand, deck, p_holds), reverse=True)[: int(n_cuts)]
    cutting = [
        CardPart(card, CUT, worth, suit) for card, (worth, suit) in zip(spades, cuts, strict=False)
    ]
    return (*_kept_spades(spades[len(cuts) :][::-1], deck), *cutting, *honours)


def _honours(hand: int, suit: int, deck: Deck, p_holds: np.ndarray) -> list[CardPart]:
    cards, top = hand & suit_mask(suit), highest(deck.mask & suit_mask(suit))
    row = p_holds[popcount(deck.mask & suit_mask(suit) & ~cards)]
    places = range(min(popcount(cards), N_TRICKS))
    return [
        CardPart(top - place, HIGH, float(row[place]))
        for place in places
        if cards >> (top - place) & 1
    ]


def _cuts(hand: int, deck: Deck, p_holds: np.ndarray) -> list[tuple[float, int]]:
    """Worth and suit of every trick of a short side suit that a spade could cut."""
    found = []
    for suit in (1, 2, 3):
        held = popcount(hand & suit_mask(suit))
        row = p_holds[popcount(deck.mask & suit_mask(suit)) - held]
        found += [(float(row[trick]), suit) for trick in range(held, N_TRICKS)]
    return found


def _kept_spades(spades: list[int], deck: Deck) -> list[CardPart]:
    """Roles of the spades that don't cut, highest first: protected honours, guards, long ones."""
    top, n_kept, parts = highest(deck.mask & suit_mask(SPADES)), len(spades), []
    n_long = max(0, n_kept - FREE_SPADES)
    small = [card for card in spades if not _is_protected(card, n_kept, top)]
    long_ones = set(small[len(small) - n_long :])
    for card in spades:
        if card not in small:
            parts.append(CardPart(card, HIGH, 1.0))
        else:
            is_long = card in long_ones
            parts.append(CardPart(card, LONG if is_long else GUARD, float(is_long)))
    return parts


def _is_protected(card: int, n_spades: int, top: int) -> bool:
    return top - card < min(n_spades, N_SPADE_HONOURS)
