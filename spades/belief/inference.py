"""The inference table: P(seat holds card) as one seat believes it (Whitehouse 2013).

Hard constraints (own hand, cards played, shown voids) are exact. Soft rules multiply the odds that
a seat holds a card, given its bid and its plays; then the table is scaled until the probabilities
of every unseen card sum to 1 over the seats, and each seat's row sums to the size of its hand. The
paper names the kinds of rules but prints no numbers: the strengths in ``RULES`` are ours. Each rule
can be switched off.
"""

from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_SEATS, SUIT_WIDTH, cards_in, partner_of, suit_mask
from spades.core.errors import SpadesError
from spades.core.kernel import FloatArray, Int, lean_kernel
from spades.core.observation import Observation
from spades.core.rules import NO_BID, beats
from spades.core.step import progresses, tricks_of

Odds = FloatArray  # (4, 64): by seat and card code

MEAN_BID = 2.64  # mean bid of a seat, Cohensius 2020, figure 5
HEIGHTS = (1.0, 0.8, 0.5, 0.3, 0.15)  # ace down to ten
SCALING_ROUNDS = 60
_CODES = np.arange(64)


class PastPlay(NamedTuple):
    """One play, and the table before it.

    ``best``: the card winning the trick so far. ``loses``: it was no lead and didn't beat ``best``;
    ``follows``: and it was of the suit led. ``needs_tricks``: the partnership's contract wasn't
    made yet. ``is_live_nil``: the seat bid nil and had taken no trick."""

    seat: int
    card: int
    led: Int
    best: Int
    loses: bool
    follows: bool
    is_partner_ahead: bool
    needs_tricks: bool
    is_live_nil: bool


Plays = tuple[PastPlay, ...]


class Rule(NamedTuple):
    """One soft rule. ``key``: in agents' texts; ``reading``: what it infers, in words;
    ``strength``: log odds; ``apply``: multiplies the odds in place."""

    key: str
    name: str
    reading: str
    strength: float
    apply: Callable[[Observation, Plays, Odds, float], None]


@lru_cache(maxsize=256)
def height(card: int, deck: int) -> float:
    """How high a card stands in its suit: 1 for the highest, 0 from the sixth on."""
    top = (deck & suit_mask(card >> 4)).bit_length() - 1
    n_higher = top - card
    return HEIGHTS[n_higher] if n_higher < len(HEIGHTS) else 0.0


def past_plays(observation: Observation) -> Iterator[PastPlay]:
    """The plays so far, in order."""
    table = observation.table
    bids = table.bids
    contracts = [_contract(bids[seat], bids[partner_of(seat)]) for seat in range(N_SEATS)]
    for before, card in zip(progresses(table), table.plays, strict=False):
        seat = int(before.turn)
        partner = partner_of(seat)
        own_tricks = tricks_of.py_func(seat, before.taken)
        tricks = own_tricks + tricks_of.py_func(partner, before.taken)
        loses = bool(before.best >= 0 and not beats(card, before.best))
        yield PastPlay(
            seat=seat,
            card=card,
            led=before.led,
            best=before.best,
            loses=loses,
            follows=loses and card >> 4 == before.led,
            is_partner_ahead=before.winner == partner,
            needs_tricks=contracts[seat] > tricks,
            is_live_nil=table.is_nil(seat) and own_tricks == 0,
        )


def _contract(bid: int, partners_bid: int) -> int:
    """Tricks that a partnership bid; 0 while one of the bids is unknown."""
    return 0 if NO_BID in (bid, partners_bid) else bid + partners_bid


@lru_cache(maxsize=256)
def _odds_by_height(deck: int, factor: float, spade_bonus: float = 0.0) -> FloatArray:
    """exp(factor x height) of every card, (64,); a spade counts as higher by ``spade_bonus``."""
    cards = np.array(list(cards_in(deck)))
    heights = np.array([height(card, deck) for card in cards.tolist()])
    odds = np.ones(64)
    is_spade = cards < SUIT_WIDTH
    odds[cards] = np.exp(factor * (heights + spade_bonus * is_spade))
    return odds


def _high_cards_behind_bid(
    observation: Observation, _plays: Plays, odds: Odds, strength: float
) -> None:
    deck = observation.rules.cards.mask
    for seat, bid in _regular_bids(observation):
        factor = strength * (bid - MEAN_BID)
        odds[seat] *= _odds_by_height(deck, factor)


def _spades_behind_bid(
    observation: Observation, _plays: Plays, odds: Odds, strength: float
) -> None:
    for seat, bid in _regular_bids(observation):
        odds[seat, :SUIT_WIDTH] *= np.exp(strength * (bid - MEAN_BID))


def _regular_bids(observation: Observation) -> Iterator[tuple[int, int]]:
    """(seat, bid) of every known bid that isn't nil."""
    table = observation.table
    for seat, bid in enumerate(table.bids):
        if bid != NO_BID and not table.is_nil(seat):
            yield seat, bid


def _low_cards_behind_nil(
    observation: Observation, _plays: Plays, odds: Odds, strength: float
) -> None:
    table = observation.table
    deck = observation.rules.cards.mask
    for seat in range(N_SEATS):
        if table.is_nil(seat) and not table.blind[seat]:
            odds[seat] *= _odds_by_height(deck, -strength, spade_bonus=0.4)


def _did_not_beat(_observation: Observation, plays: Plays, odds: Odds, strength: float) -> None:
    for play in plays:
        if play.follows and play.needs_tricks and not (play.is_partner_ahead or play.is_live_nil):
            end_of_suit = (play.led << 4) + SUIT_WIDTH
            odds[play.seat, play.best + 1 : end_of_suit] *= np.exp(-strength)


def _ducked_under(_observation: Observation, plays: Plays, odds: Odds, strength: float) -> None:
    for play in plays:
        if play.follows and play.is_live_nil and play.best >> 4 == play.led:
            odds[play.seat, play.card + 1 : play.best] *= np.exp(-strength)


def _threw_a_high_card(observation: Observation, plays: Plays, odds: Odds, strength: float) -> None:
    deck = observation.rules.cards.mask
    for play in plays:
        high = height(play.card, deck)
        if play.loses and not play.is_live_nil and high > 0:
            start_of_suit = play.card & ~15
            odds[play.seat, start_of_suit : play.card] *= np.exp(-strength * high)


RULES = (
    Rule("high-bid", "high cards behind a high bid",
        "The higher a seat bid, the likelier it holds aces, kings, queens and jacks.",
        0.45, _high_cards_behind_bid),
    Rule("spade-bid", "spades behind a high bid",
        "The higher a seat bid, the likelier it holds each spade.", 0.12, _spades_behind_bid),
    Rule("nil", "low cards behind nil",
        "A seat that bid nil, not blind, has few high cards and few spades.",
        1.6, _low_cards_behind_nil),
    Rule("not-beaten", "didn't beat when needing tricks",
        "A seat that followed suit under a card that neither it nor its partner had played, its "
        "contract not yet met, holds none of that suit's higher cards.", 1.0, _did_not_beat),
    Rule("ducked", "ducked under with a live nil",
        "A nil bidder gets rid of the highest card that loses: it holds none between the card it "
        "played and the best on the table.", 1.6, _ducked_under),
    Rule("thrown", "threw a high card",
        "A seat that lost a high card, or threw it away, has no lower one of that suit.",
        0.9, _threw_a_high_card),
)  # fmt: skip
RULE_NAMES = tuple(rule.name for rule in RULES)


def inference_table(observation: Observation, *, rules: Collection[str] = RULE_NAMES) -> FloatArray:
    """P(seat holds card) as the observer believes it, by seat and card code (4, 64); 0 for played
    cards, certain for own ones: the odds by the soft rules within the hard constraints, scaled
    until cards and hands add up. ``rules``: names of the soft rules to apply; ``SpadesError`` for
    an unknown one."""
    seat = observation.seat
    hidden = [other for other in range(N_SEATS) if other != seat]
    odds = _odds(observation, rules)
    rows = np.zeros((len(hidden), 64))
    for row, other in zip(rows, hidden, strict=True):
        possible = observation.unseen_mask & ~observation.table.lacks(other)
        is_possible = (possible >> _CODES & 1).astype(bool)
        row[is_possible] = odds[other][is_possible]
    scale(rows, np.array(observation.hand_sizes, dtype=float)[hidden])
    table = np.zeros((N_SEATS, 64))
    table[hidden] = rows
    table[seat, list(cards_in(observation.hand_mask))] = 1.0
    return table


def _odds(observation: Observation, rules: Collection[str]) -> Odds:
    """Odds by the soft rules alone, 1 without any."""
    unknown = set(rules) - set(RULE_NAMES)
    if unknown:
        raise SpadesError(f"no rule {min(unknown)!r}; {', '.join(RULE_NAMES)} are there")
    odds = np.ones((N_SEATS, 64))
    plays = tuple(past_plays(observation))
    for rule in RULES:
        if rule.name in rules:
            rule.apply(observation, plays, odds, rule.strength)
    return odds


@lean_kernel
def scale(rows: NDArray, sizes: NDArray) -> None:
    """Scale odds by seat and card (n, 64) in place until each card's sum to 1 and each seat's to
    the size of its hand: rows and columns in turn (Sinkhorn), columns first and last."""
    n, n_cards = rows.shape
    for turn in range(SCALING_ROUNDS + 1):
        for i in range(n if turn else 0):
            held = 0.0
            for card in range(n_cards):
                held += rows[i, card]
            for card in range(n_cards):
                rows[i, card] *= sizes[i] / held if held > 0.0 else 1.0
        for card in range(n_cards):
            total = 0.0
            for i in range(n):
                total += rows[i, card]
            for i in range(n):
                rows[i, card] /= total if total > 0.0 else 1.0
