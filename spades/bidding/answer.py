"""The bid of any bidder for an observation, and the reasons for a bid of BIS.

The bid comes from the kernels; its reasons are put together here in plain Python.
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
    BisChoice,
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
from spades.core.kernel import Int, highest, popcount, seed_state
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, NO_BID, RuleNumbers, Rules, Table

# Roles of a card in a regular bid.
HIGH = "high card"
LONG = "long spade"
CUT = "cut"
GUARD = "guard"
# Reasons why a hand's nil value is 0.
SURE_TRICK = "sure trick"
FOUR_SPADES = "four spades"
LARGEST_SCORE = 1_000_000  # points


@dataclass(frozen=True)
class CardPart:
    """A card's part in a regular bid: its role, its tricks, and for a cut the suit that it cuts."""

    card: int
    role: str
    tricks: float
    cut_suit: int | None = None


@dataclass(frozen=True)
class BisAnswer:
    """The bid of BIS and its reasons.

    ``bid``: 0 is nil (where the rules have it), with ``is_blind`` a blind one. ``reason``: the step
    that decided it, ``nil``, ``regular``, ``end of game``, ``convention`` or ``blind nil``.

    Regular bid, tricks: the ``parts`` of the cards sum to ``regular_before_bids``; plus
    ``previous_term``, less the deduction for an opponent's nil, rounded, they give ``regular``.

    Nil: ``nil_by_suit`` is Pr(cnil) of S H D C, ``nil_value`` their product, times 1.15 with a
    void. ``denied``: the reason why that is 0 (``denial_of``), else empty. ``p_nil``: the success
    curve at that value, ``p_interval`` its 95% interval (None for the single curve, of which none
    is stored), ``n_curve`` the number of nils observed after these bids. ``may_nil``: nil is legal
    and the partner didn't bid it. If ``FOUR_SPADES`` deny the nil, BIS estimates no probability:
    Pr(cnil) of spades, ``p_nil`` and ``expected_nil`` are None.

    Points: nil is bid if ``expected_nil``, nil's points times 2 p - 1, exceeds ``threshold``;
    ``expected_regular``: points that the regular bid adds to the partner's contract
    (``regular_points``, our estimate)."""

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
    """The auction of an observation, for kernels; unknown scores count as 0 to 0."""
    us = partnership_of(observation.seat)
    score = [int(points) for points in observation.score_before or (0, 0)]
    bags = [int(count) for count in observation.bags_before or (0, 0)]
    bids = np.array(observation.table.bids, dtype=np.int8)
    bids[observation.seat] = NO_BID
    return Auction(
        seat=observation.seat,
        bids=bids,
        score=score[us],
        their_score=score[1 - us],
        bags=bags[us],
        their_bags=bags[1 - us],
    )


def observe_auction(
    hand: int,
    previous: Sequence[int] = (),
    *,
    rules: Rules | None = None,
    score: tuple[int, int] = (0, 0),
    bags: tuple[int, int] = (0, 0),
) -> Observation:
    """North's observation when about to bid after these bids; scores and bags are (ours, theirs).
    ``previous``: 0 to 3 bids, in the order made, the last the right-hand opponent's; 0 is nil.
    Raises ``IllegalBidError`` for impossible bids, ``SpadesError`` for impossible scores."""
    rules = rules or Rules()
    _check_range("score", score, least=-LARGEST_SCORE)
    _check_range("bags", bags, least=0)
    _check_range("target", (rules.target,), least=-LARGEST_SCORE)
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


def _check_range(name: str, numbers: Sequence[int], *, least: int) -> None:
    if not all(least <= number <= LARGEST_SCORE for number in numbers):
        given = ", ".join(map(str, numbers))
        raise SpadesError(f"{name} {given}; {least:,} to {LARGEST_SCORE:,} are legal")


def check_seat(observation: Observation) -> None:
    """Raise unless the seat has 13 cards and is still to bid."""
    check_hand(observation.hand_mask, observation.rules.cards)
    if observation.table.bids[observation.seat] != NO_BID or observation.table.plays:
        raise IllegalBidError(f"the auction is over for this seat: {observation.text()}")


def bid_of(observation: Observation, options: BidderOptions, seed: int) -> int:
    """A bidder's bid, always legal: 0 for nil, ``BLIND_NIL`` for nil before looking. Raises
    ``IllegalBidError`` for a seat that has bid, ``InvalidDealError`` for a hand that isn't 13
    cards."""
    check_seat(observation)
    context = bid_context(observation.rules)
    auction = auction_of(observation)
    bid, _ = make_bid(observation.hand_mask, auction, options, context, seed_state(seed))
    return int(bid)


def is_blind_bid(observation: Observation, options: BidderOptions) -> bool:
    """Whether the bidder bids nil before looking at its hand."""
    rules = bid_context(observation.rules).rules
    return bool(bids_blind(auction_of(observation), options, rules))


def denial_of(hand: int, deck: Deck) -> str:
    """Why a hand's nil value is 0; empty if it isn't. ``SURE_TRICK``: the hand can't but take a
    trick. ``FOUR_SPADES``: it has four or more, where BIS never bids nil, whatever the chance.

    Every spade loses to a higher one that somebody else plays to its trick. A trick is sure unless
    each spade can be paired with a higher one of the others, from the top down (the ace; king and
    queen; queen, jack and ten are sure)."""
    n_unpaired = 0  # higher spades of the others that aren't paired yet
    for card in sorted(cards_in(deck.mask & suit_mask(SPADES)), reverse=True):
        if hand >> card & 1:
            n_unpaired -= 1
        else:
            n_unpaired += 1
        if n_unpaired < 0:
            return SURE_TRICK
    n_spades = (hand & suit_mask(SPADES)).bit_count()
    return FOUR_SPADES if n_spades >= NIL_SPADES_DENIED else ""


def pr_cnil(hand: int, deck: Deck, third_card: str = "printed") -> tuple[float | None, ...]:
    """Pr(cnil) of S H D C; None for spades where ``FOUR_SPADES`` deny the nil."""
    by_suit = [p_cnil(hand & suit_mask(suit), suit, deck, third_card) for suit in range(4)]
    if denial_of(hand, deck) == FOUR_SPADES:
        return (None, *by_suit[1:])
    return tuple(by_suit)


def explain_bis(observation: Observation, options: BidderOptions) -> BisAnswer:
    """The bid of BIS with its reasons; raises as ``bid_of``."""
    check_seat(observation)
    context = bid_context(observation.rules)
    auction = auction_of(observation)
    hand = observation.hand_mask
    deck = observation.rules.cards
    bid, _ = bis_bid(hand, auction, options, context, np.uint64(0))
    choice = choose(hand, auction, options, context)
    regular = int(choice.regular)
    reading = list(THIRD_CARD)[options.third_card]
    value = float(nil_value(hand, context.tables.p_cnil[options.third_card]))
    denied = denial_of(hand, deck)
    is_estimated = denied != FOUR_SPADES
    p_nil = 0.0 if denied else float(success_chance(value, auction, options, context))
    curves = load_curves(READING_TABLES[reading])
    index = int(previous_index(auction))
    has_interval = not denied and not options.single_curve
    return BisAnswer(
        bid=NIL_BID if bid == BLIND_NIL else int(bid),
        is_blind=bool(bid == BLIND_NIL),
        reason=_reason(bid, choice, auction, options, context.rules),
        parts=regular_parts(hand, auction, deck, context),
        regular_before_bids=float(tricks_before(hand, auction, context)),
        previous_term=float(previous_term(auction, context)),
        regular=regular,
        nil_by_suit=pr_cnil(hand, deck, reading),
        nil_value=value,
        denied=denied,
        p_nil=p_nil if is_estimated else None,
        p_interval=curves.interval(SEQUENCES[index], value) if has_interval else None,
        n_curve=int(curves.n.sum() if options.single_curve else curves.n[index]),
        may_nil=bool(choice.may_nil),
        threshold=float(nil_threshold(regular, auction, options, context)),
        expected_nil=context.rules.nil * (2.0 * p_nil - 1.0) if is_estimated else None,
        expected_regular=float(regular_points(regular, auction, context)),
    )


def _reason(
    bid: Int, choice: BisChoice, auction: Auction, options: BidderOptions, rules: RuleNumbers
) -> str:
    """The step of BIS that decided the bid."""
    if bid == BLIND_NIL:
        return "blind nil"
    bid_at_end = bid_of_endgame(choice, auction, options, rules)
    if bid_at_end != choice.bid:
        return "end of game"
    if bid != bid_at_end:
        return "convention"
    return "regular" if bid == choice.regular else "nil"


def regular_parts(
    hand: int, auction: Auction, deck: Deck, context: BidContext
) -> tuple[CardPart, ...]:
    """The cards that count in a regular bid: spades kept, spades that cut, side-suit honours."""
    p_holds = context.tables.p_hold[2 - n_opponent_nils(auction, context.rules)]
    honours: list[CardPart] = []
    cuts: list[tuple[float, int]] = []  # (tricks, suit cut) of every cut there is room for
    for suit in (1, 2, 3):
        cards = hand & suit_mask(suit)
        whole_suit = deck.mask & suit_mask(suit)
        n_held = popcount(cards)
        top = highest(whole_suit)
        p_hold = p_holds[popcount(whole_suit & ~cards)]
        for place in range(min(n_held, N_TRICKS)):
            if cards >> (top - place) & 1:
                honours.append(CardPart(top - place, HIGH, float(p_hold[place])))
        for trick in range(n_held, N_TRICKS):
            cuts.append((float(p_hold[trick]), suit))
    spades = list(cards_in(hand & suit_mask(SPADES)))
    _, n_cuts = allot_spades(hand, deck.mask, p_holds)
    best_cuts = sorted(cuts, reverse=True)[: int(n_cuts)]
    cutting = [
        CardPart(card, CUT, tricks, cut_suit)
        for card, (tricks, cut_suit) in zip(spades, best_cuts, strict=False)
    ]
    kept = spades[len(best_cuts) :]
    return (*_kept_spades(kept[::-1], deck), *cutting, *honours)


def _kept_spades(spades: list[int], deck: Deck) -> list[CardPart]:
    """Roles of the spades that don't cut, highest first: protected honours, guards, long ones."""
    top = highest(deck.mask & suit_mask(SPADES))
    n_honours = min(len(spades), N_SPADE_HONOURS)
    small = [card for card in spades if top - card >= n_honours]
    n_long = max(0, len(spades) - FREE_SPADES)
    long_spades = small[len(small) - n_long :]
    parts = []
    for card in spades:
        if card not in small:
            parts.append(CardPart(card, HIGH, 1.0))
        elif card in long_spades:
            parts.append(CardPart(card, LONG, 1.0))
        else:
            parts.append(CardPart(card, GUARD, 0.0))
    return parts
