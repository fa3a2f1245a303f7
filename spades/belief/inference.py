"""The inference table: what a seat believes of every other seat's cards (Whitehouse 2013).

Hard constraints (own hand, cards played, suits shown out of) are exact. Soft rules multiply the
odds that a seat holds a card, by its bid and by what it did with its plays; then the table is
scaled until every unseen card lies somewhere (its probabilities over the seats sum to 1) and every
seat holds as many cards as it does (its row sums to its hand's size). The paper names the kinds of
rules and gives no numbers: those in ``RULES`` are ours, each may be switched off.
"""

from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_SEATS, SUIT_WIDTH, cards_in, partner_of, suit_mask
from spades.core.errors import SpadesError
from spades.core.kernel import Int, lean_kernel
from spades.core.observation import Observation
from spades.core.rules import NO_BID, beats
from spades.core.step import progresses, tricks_of

Odds = NDArray[np.float64]  # (4, 64): by seat and card code

USUAL_BID = 2.64  # mean bid of a seat, Cohensius 2020, figure 5
HEIGHTS = (1.0, 0.8, 0.5, 0.3, 0.15)  # ace down to ten
SCALING_ROUNDS = 60
_CODES = np.arange(64)


class PastPlay(NamedTuple):
    """One play of a seat, with what the table looked like before it. ``loses``: it was played to a
    trick and didn't beat the best card so far; ``follows``: and it was of the suit led."""

    seat: int
    card: int
    led: Int
    best: Int
    loses: bool
    follows: bool
    is_partner_ahead: bool
    needs_tricks: bool
    is_live_nil: bool


Past = tuple[PastPlay, ...]


class Rule(NamedTuple):
    """One soft rule: what agents' texts call it, its name, what it reads into bids or plays, and
    its strength."""

    key: str
    name: str
    reading: str
    strength: float
    apply: Callable[[Observation, Past, Odds, float], None]


@lru_cache(maxsize=256)
def height(card: int, deck: int) -> float:
    """How high a card stands in its suit: 1 for the ace, 0 below the ten."""
    top = (deck & suit_mask(card >> 4)).bit_length() - 1
    below = top - card
    return HEIGHTS[below] if below < len(HEIGHTS) else 0.0


def past_plays(observation: Observation) -> Iterator[PastPlay]:
    """The plays so far, in order."""
    table = observation.table
    nils = [table.is_nil(seat) for seat in range(N_SEATS)]
    pairs = [(table.bids[seat], table.bids[partner_of(seat)]) for seat in range(N_SEATS)]
    wanted = [0 if NO_BID in pair else sum(pair) for pair in pairs]
    for at, card in zip(progresses(table), table.plays, strict=False):
        seat, partner, best = int(at.turn), partner_of(int(at.turn)), at.best
        tricks = tricks_of.py_func(seat, at.taken)
        loses = bool(best >= 0 and not beats(card, best))
        follows, is_ahead = loses and card >> 4 == at.led, at.winner == partner
        needs = wanted[seat] > tricks + tricks_of.py_func(partner, at.taken)
        is_live = nils[seat] and tricks == 0
        yield PastPlay(seat, card, at.led, best, loses, follows, is_ahead, needs, is_live)


@lru_cache(maxsize=256)
def _odds_by_height(deck: int, factor: float, spade: float = 0.0) -> Odds:
    """exp(factor x height) of every card; a spade stands higher by ``spade``."""
    cards, row = np.array(list(cards_in(deck))), np.ones(64)
    heights = np.array([height(card, deck) for card in cards.tolist()])
    row[cards] = np.exp(factor * (heights + spade * (cards < SUIT_WIDTH)))
    return row


def _high_cards_behind_bid(
    observation: Observation, _past: Past, odds: Odds, strength: float
) -> None:
    for seat, bid in _regular_bids(observation):
        odds[seat] *= _odds_by_height(observation.rules.cards.mask, strength * (bid - USUAL_BID))


def _spades_behind_bid(observation: Observation, _past: Past, odds: Odds, strength: float) -> None:
    for seat, bid in _regular_bids(observation):
        odds[seat, :SUIT_WIDTH] *= np.exp(strength * (bid - USUAL_BID))


def _regular_bids(observation: Observation) -> Iterator[tuple[int, int]]:
    table = observation.table
    for seat, bid in enumerate(table.bids):
        if bid != NO_BID and not table.is_nil(seat):
            yield seat, bid


def _low_cards_behind_nil(
    observation: Observation, _past: Past, odds: Odds, strength: float
) -> None:
    table, deck = observation.table, observation.rules.cards.mask
    for seat in range(N_SEATS):
        if table.is_nil(seat) and not table.blind[seat]:
            odds[seat] *= _odds_by_height(deck, -strength, 0.4)


def _did_not_beat(_observation: Observation, past: Past, odds: Odds, strength: float) -> None:
    for play in past:
        if play.follows and play.needs_tricks and not (play.is_partner_ahead or play.is_live_nil):
            odds[play.seat, play.best + 1 : (play.led << 4) + 16] *= np.exp(-strength)


def _ducked_under(_observation: Observation, past: Past, odds: Odds, strength: float) -> None:
    for play in past:
        if play.follows and play.is_live_nil and play.best >> 4 == play.led:
            odds[play.seat, play.card + 1 : play.best] *= np.exp(-strength)


def _threw_a_high_card(observation: Observation, past: Past, odds: Odds, strength: float) -> None:
    deck = observation.rules.cards.mask
    for play in past:
        high = height(play.card, deck)
        if play.loses and not play.is_live_nil and high > 0:
            odds[play.seat, play.card & ~15 : play.card] *= np.exp(-strength * high)


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


def inference_table(
    observation: Observation, *, rules: Collection[str] = RULE_NAMES
) -> NDArray[np.float64]:
    """P(seat holds card) as the observer believes it, shape (4, 64); zeros for played cards.
    ``rules``: names of the soft rules to apply. Own cards are certain. Raises ``SpadesError`` for a
    rule that isn't there."""
    return _scaled(observation, _odds(observation, rules))


def table_of_tables(
    observation: Observation, *, rules: Collection[str] = RULE_NAMES
) -> NDArray[np.float64]:
    """What each seat believes of each other, as far as the observer can tell, (4, 4, 64). Row of
    the observer: ``inference_table``. Rows of the others: what anyone at the table may infer
    without the observer's hand, theirs unknown too; a seat's own cell is 0."""
    odds = _odds(observation, rules)
    beliefs = np.stack([_scaled(observation, odds, knows_own=False)] * N_SEATS)
    beliefs[observation.seat] = _scaled(observation, odds)
    beliefs[range(N_SEATS), range(N_SEATS)] = 0.0
    return beliefs


def _odds(observation: Observation, rules: Collection[str]) -> Odds:
    if unknown := set(rules) - set(RULE_NAMES):
        raise SpadesError(f"no rule {min(unknown)!r}; {', '.join(RULE_NAMES)} are there")
    odds, past = np.ones((N_SEATS, 64)), tuple(past_plays(observation))
    for rule in RULES:
        if rule.name in rules:
            rule.apply(observation, past, odds, rule.strength)
    return odds


def _scaled(observation: Observation, odds: Odds, *, knows_own: bool = True) -> NDArray[np.float64]:
    """Odds within the hard constraints, scaled until cards and hands add up (Sinkhorn)."""
    seat = observation.seat
    hidden = [i for i in range(N_SEATS) if i != seat or not knows_own]
    sizes = np.array([observation.hand_sizes[i] for i in hidden], dtype=float)
    unseen = observation.unseen_mask | (0 if knows_own else observation.hand_mask)
    rows = np.zeros((len(hidden), 64))
    for row, other in zip(rows, hidden, strict=True):
        possible = unseen & ~observation.table.lacks(other)
        np.copyto(row, odds[other], where=(possible >> _CODES & 1).astype(bool))
    scale(rows, sizes)
    table = np.zeros((N_SEATS, 64))
    table[hidden] = rows
    if knows_own:
        table[seat, list(cards_in(observation.hand_mask))] = 1.0
    return table


@lean_kernel
def scale(rows: NDArray, sizes: NDArray) -> None:
    """Scale the odds of seats (n, 64) in turns, so that each card's sum to 1 and each seat's to its
    size; the cards' turn is the first and the last."""
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
