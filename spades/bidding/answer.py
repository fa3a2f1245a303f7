"""A bid with its reasons: what BIS makes of a hand, part by part; and any bidder's bid.

The parts are put together here in plain Python; the bid itself comes from the kernels.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spades.bidding.auction import (
    BLIND_NIL,
    MAX_PREVIOUS,
    SEQUENCES,
    Auction,
    BidContext,
    BidderOptions,
    n_opponent_nils,
    previous_index,
)
from spades.bidding.bis import (
    bid_of_endgame,
    bids_blind,
    bis_bid,
    choose,
    nil_threshold,
    previous_term,
    regular_points,
    success_chance,
    tricks_before,
)
from spades.bidding.curves import READING_TABLES, bid_context, load_curves
from spades.bidding.hands import (
    FREE_SPADES,
    N_SPADE_HONOURS,
    N_TRICKS,
    NIL_SPADES_DENIED,
    THIRD_CARD,
    allot_spades,
    nil_value,
    p_cnil,
)
from spades.bidding.rivals import make_bid
from spades.core.cards import (
    N_SEATS,
    NORTH,
    SPADES,
    Deck,
    cards_in,
    check_hand,
    partnership_of,
    suit_mask,
)
from spades.core.errors import IllegalBidError, SpadesError
from spades.core.kernel import highest, popcount, seed_state
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, NO_BID, Rules, Table

HIGH, LONG, CUT, GUARD = "high card", "long spade", "cut", "guard"
SURE_TRICK, FOUR_SPADES = "sure trick", "four spades"
LARGEST_SCORE = 1_000_000  # points


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
    ``denied``: what makes that 0 (``denial_of``), empty if nothing does.
    ``p_nil``: the curve there, ``p_interval`` its 95% interval (None for the single curve, whose
    interval isn't stored), ``n_curve`` the nils seen after these bids. ``may_nil``: nil is legal
    and the partner didn't bid it. Points: ``threshold``; ``expected_nil``, nil's worth times
    2 p - 1; ``expected_regular``, what the regular bid adds to the partner's contract
    (``regular_points``, an estimate of ours). Where ``FOUR_SPADES`` deny the nil BIS estimates
    nothing: Pr(cnil) of spades, ``p_nil`` and ``expected_nil`` are None."""

    bid: int
    is_blind: bool
    reason: str
    parts: tuple[CardPart, ...]
    regular_before_bids: float
    previous_term: float
    regular: int
    nil_by_suit: tuple[float | None, ...]
    nil_value: float
    denied: str
    p_nil: float | None
    p_interval: tuple[float, float] | None
    n_curve: int
    may_nil: bool
    threshold: float
    expected_nil: float | None
    expected_regular: float


def auction_of(observation: Observation) -> Auction:
    """The auction as a seat sees it; a game without scores counts as 0 to 0."""
    us = partnership_of(observation.seat)
    score = [int(points) for points in observation.score_before or (0, 0)]
    bags = [int(count) for count in observation.bags_before or (0, 0)]
    bids = np.array(observation.table.bids, dtype=np.int8)
    bids[observation.seat] = NO_BID
    return Auction(observation.seat, bids, score[us], score[1 - us], bags[us], bags[1 - us])


def observe_auction(
    hand: int,
    previous: Sequence[int] = (),
    *,
    rules: Rules | None = None,
    score: tuple[int, int] = (0, 0),
    bags: tuple[int, int] = (0, 0),
) -> Observation:
    """What North sees, about to bid after these bids; scores and bags are (ours, theirs).
    ``previous``: 0 to 3 bids, in the order made, the last the right-hand opponent's; 0 is nil.
    Raises ``IllegalBidError`` for bids that can't have been made, ``SpadesError`` for scores."""
    rules = rules or Rules()
    for name, points in (("score", score), ("bags", bags), ("target", (rules.target,))):
        least = 0 if name == "bags" else -LARGEST_SCORE
        if not all(least <= number <= LARGEST_SCORE for number in points):
            given = ", ".join(map(str, points))
            raise SpadesError(f"{name} {given}; {least:,} to {LARGEST_SCORE:,} are legal")
    if len(previous) > MAX_PREVIOUS:
        raise IllegalBidError(
            f"{len(previous)} previous bids: {', '.join(map(str, previous))}; "
            f"0 to {MAX_PREVIOUS} are legal, the next to bid is the one asked about"
        )
    first = (N_SEATS - len(previous)) % N_SEATS
    table = Table(rules, dealer=(first - 1) % N_SEATS)
    for i, bid in enumerate(previous):
        table.bid(first + i, bid)
    return Observation(NORTH, hand, table, score, bags)


def check_seat(observation: Observation) -> None:
    """Raise unless the seat has 13 cards and is still to bid."""
    check_hand(observation.hand_mask, observation.rules.cards)
    if observation.table.bids[observation.seat] != NO_BID or observation.table.plays:
        raise IllegalBidError(f"the auction is over for this seat: {observation.text()}")


def bid_of(observation: Observation, options: BidderOptions, seed: int) -> int:
    """A bidder's bid, 0 for nil, ``BLIND_NIL`` for nil before looking; legal by construction.
    Raises ``IllegalBidError`` for a seat that has bid, ``InvalidDealError`` for a hand that isn't
    13 cards."""
    check_seat(observation)
    context, auction = bid_context(observation.rules), auction_of(observation)
    return int(make_bid(observation.hand_mask, auction, options, context, seed_state(seed))[0])


def is_blind_bid(observation: Observation, options: BidderOptions) -> bool:
    """Whether the bidder bids nil before looking at its hand."""
    rules = bid_context(observation.rules).rules
    return bool(bids_blind(auction_of(observation), options, rules))


def denial_of(hand: int, deck: Deck) -> str:
    """Why a hand's nil value is 0: a ``SURE_TRICK``, a fact of the game; ``FOUR_SPADES`` or more,
    a rule of BIS's that says nothing of the chance; or neither, an empty text.

    Every spade loses to a higher one that somebody else plays to its trick: without one for each,
    from the top down, a trick is sure (the ace; king and queen; queen, jack and ten)."""
    higher = 0  # of others, that no spade held has lost to yet
    for card in sorted(cards_in(deck.mask & suit_mask(SPADES)), reverse=True):
        higher += -1 if hand >> card & 1 else 1
        if higher < 0:
            return SURE_TRICK
    has_four = (hand & suit_mask(SPADES)).bit_count() >= NIL_SPADES_DENIED
    return FOUR_SPADES if has_four else ""


def pr_cnil(hand: int, deck: Deck, third_card: str = "printed") -> tuple[float | None, ...]:
    """Pr(cnil) of S H D C; None of spades where BIS's rule stands for it (``FOUR_SPADES``)."""
    found = [p_cnil(hand & suit_mask(suit), suit, deck, third_card) for suit in range(4)]
    return (None, *found[1:]) if denial_of(hand, deck) == FOUR_SPADES else tuple(found)


def explain_bis(observation: Observation, options: BidderOptions) -> BisAnswer:
    """BIS's bid with its reasons; raises what ``bid_of`` does."""
    check_seat(observation)
    context, auction = bid_context(observation.rules), auction_of(observation)
    hand, deck = observation.hand_mask, observation.rules.cards
    bid = int(bis_bid(hand, auction, options, context, np.uint64(0))[0])
    choice = choose(hand, auction, options, context)
    reading, regular = list(THIRD_CARD)[options.third_card], int(choice.regular)
    value = float(nil_value(hand, context.tables.p_cnil[options.third_card]))
    denied = denial_of(hand, deck)
    is_estimated = denied != FOUR_SPADES
    p_nil = 0.0 if denied else float(success_chance(value, auction, options, context))
    curves, index = load_curves(READING_TABLES[reading]), int(previous_index(auction))
    if bid == BLIND_NIL:
        reason = "blind nil"
    elif (ended := int(bid_of_endgame(choice, auction, options, context.rules))) != choice.bid:
        reason = "end of game"
    elif bid != ended:
        reason = "convention"
    else:
        reason = "regular" if bid == regular else "nil"
    return BisAnswer(
        bid=NIL_BID if bid == BLIND_NIL else bid,
        is_blind=bid == BLIND_NIL,
        reason=reason,
        parts=regular_parts(hand, auction, deck, context),
        regular_before_bids=float(tricks_before(hand, auction, context)),
        previous_term=float(previous_term(auction, context)),
        regular=regular,
        nil_by_suit=pr_cnil(hand, deck, reading),
        nil_value=value,
        denied=denied,
        p_nil=p_nil if is_estimated else None,
        p_interval=None
        if denied or options.single_curve
        else curves.interval(SEQUENCES[index], value),
        n_curve=int(curves.n.sum() if options.single_curve else curves.n[index]),
        may_nil=bool(choice.may_nil),
        threshold=float(nil_threshold(regular, auction, options, context)),
        expected_nil=context.rules.nil * (2.0 * p_nil - 1.0) if is_estimated else None,
        expected_regular=float(regular_points(regular, auction, context)),
    )


def regular_parts(
    hand: int, auction: Auction, deck: Deck, context: BidContext
) -> tuple[CardPart, ...]:
    """What each card that counts is worth in a regular bid; the rest are worth nothing."""
    p_holds = context.tables.p_hold[2 - n_opponent_nils(auction, context.rules)]
    honours, cuts = [], []
    for suit in (1, 2, 3):
        cards, whole = hand & suit_mask(suit), deck.mask & suit_mask(suit)
        held, top, row = popcount(cards), highest(whole), p_holds[popcount(whole & ~cards)]
        for place in range(min(held, N_TRICKS)):
            if cards >> (top - place) & 1:
                honours.append(CardPart(top - place, HIGH, float(row[place])))
        cuts += [(float(row[trick]), suit) for trick in range(held, N_TRICKS)]
    spades = list(cards_in(hand & suit_mask(SPADES)))
    best = sorted(cuts, reverse=True)[: int(allot_spades(hand, deck.mask, p_holds)[1])]
    cutting = [CardPart(card, CUT, *cut) for card, cut in zip(spades, best, strict=False)]
    return (*_kept_spades(spades[len(best) :][::-1], deck), *cutting, *honours)


def _kept_spades(spades: list[int], deck: Deck) -> list[CardPart]:
    """Roles of the spades that don't cut, highest first: protected honours, guards, long ones."""
    n_kept, top = len(spades), highest(deck.mask & suit_mask(SPADES))
    small = [card for card in spades if top - card >= min(n_kept, N_SPADE_HONOURS)]
    n_long = max(0, n_kept - FREE_SPADES)
    long_ones, parts = small[len(small) - n_long :], []
    for card in spades:
        role = HIGH if card not in small else LONG if card in long_ones else GUARD
        parts.append(CardPart(card, role, float(role != GUARD)))
    return parts
