"""P(card, seat): where each way of dealing puts the unseen cards, and what the bids imply.

``inferred`` is the inference table itself (Whitehouse 2013); ``biased`` deals from it, but deals
the high cards and spades first, by the bids. What is then left for a nil bidder are low cards, more
of them than the table says: in a published case, 87% of the deals where 33% is right.
"""

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from analysis.decisions.settings import place_of
from analysis.intervals import clopper_pearson
from analysis.runs.series import StoredSeries
from spades.belief import (
    DETERMINIZATIONS,
    RULE_NAMES,
    RULES,
    Dealing,
    PosteriorDeals,
    UniformDeals,
    inference_table,
)
from spades.belief.determinize import Deals, hidden_seats, owner_shares_of
from spades.belief.inference import height
from spades.core.cards import SPADES_MASK, cards_in, hand_order, suit_of
from spades.core.kernel import FloatArray, seed_state
from spades.core.observation import Observation
from spades.core.records import Record
from spades.core.rules import NIL_BID
from spades.human import MODEL_NAME, model_hash

INFERRED = "inferred"
_FIRST, *_OTHERS = DETERMINIZATIONS
METHODS = (_FIRST, INFERRED, *_OTHERS)
"""In the order in which results are stored."""
N_DEALS = 2000
N_QUICK_DEALS = 1000  # for Replay's hands: 0.2 to 45 ms
SEED = 1
LOW_CARDS = "low cards"
KINDS_OF_CARDS = ("spades", "aces, kings, queens", LOW_CARDS)
_HIGH = 0.5  # height of a queen
_LEAST_MOVE = 0.005  # of P: a rule that moves less is left out


def unseen_cards(observation: Observation) -> tuple[int, ...]:
    """Cards that the others hold, suit by suit, highest first."""
    unseen = cards_in(observation.unseen_mask)
    return tuple(sorted(unseen, key=hand_order))


def other_seats(observation: Observation) -> tuple[int, int, int]:
    """The three others, clockwise."""
    left, across, right = hidden_seats(observation.seat)
    return left, across, right


def shares_by(method: str | Dealing, observation: Observation, *, n: int = N_DEALS) -> FloatArray:
    """P that each other seat holds each unseen card, (cards, 3), by ``METHODS`` or a dealing.
    Shares of ``n`` deals, but for ``inferred`` and determinizations that are exact."""
    if method == INFERRED:
        return inferred_shares(observation)
    dealing = method if isinstance(method, Dealing) else Dealing.of(method)
    cards = unseen_cards(observation)
    return dealing.determinization.card_shares(observation, cards, n, seed_state(SEED))


def inferred_shares(observation: Observation, rules: Sequence[str] = RULE_NAMES) -> FloatArray:
    """P that each other seat holds each unseen card, (cards, 3), by the inference table with these
    soft rules."""
    cards = list(unseen_cards(observation))
    seats = list(other_seats(observation))
    return inference_table(observation, rules=rules)[seats][:, cards].T


def uniform_shares(observation: Observation) -> FloatArray:
    """P that each other seat holds each unseen card over all deals that agree, (cards, 3)."""
    return UniformDeals(observation).shares(unseen_cards(observation))


def shares_of_deals(
    observation: Observation, deals: Deals, weights: FloatArray | None = None
) -> FloatArray:
    """The share of ``deals`` (n, 4), equally or by their weights, in which each other seat holds
    each unseen card, (cards, 3)."""
    return owner_shares_of(deals, observation.seat, unseen_cards(observation), weights)


def effective_deals(observation: Observation) -> float:
    """Effective sample size of the posterior's particles."""
    posterior = PosteriorDeals(observation)
    posterior.sample(1, seed_state(SEED))
    return posterior.effective_


class LikelyCard(NamedTuple):
    """A card that a hidden seat may hold; ``is_certain``: no deal gives it to another seat."""

    card: int
    share: float
    is_certain: bool


class SeatBelief(NamedTuple):
    """What is believed of one hidden seat: its likeliest cards, and suits it can't hold."""

    seat: int
    cards: tuple[LikelyCard, ...]
    voids: tuple[int, ...]


def deals_worth(dealing: Dealing, observation: Observation, n: int = N_QUICK_DEALS) -> int:
    """How many independent deals ``n`` drawn ones are worth: of the posterior, at most its
    effective sample size. 0 where the chances are exact and no deal is drawn."""
    determinization = dealing.determinization
    if determinization.is_exact:
        return 0
    return determinization.independent_deals(observation, n, seed_state(SEED))


def seat_beliefs(
    dealing: Dealing, observation: Observation, *, most: int, n: int = N_QUICK_DEALS
) -> list[SeatBelief]:
    """The ``most`` likeliest cards of each other seat, by shares of ``n`` deals. ``voids``: suits
    of which cards are unseen, but none can be with the seat."""
    cards = unseen_cards(observation)
    shares = shares_by(dealing, observation, n=n)
    possible = uniform_shares(observation) > 0
    is_certain = possible.sum(axis=1) == 1
    suits = np.array([suit_of(card) for card in cards], dtype=np.int64)
    beliefs = []
    for j, seat in enumerate(other_seats(observation)):
        order = [i for i in np.argsort(-shares[:, j], kind="stable") if shares[i, j] > 0]
        likely = [
            LikelyCard(cards[i], float(shares[i, j]), bool(is_certain[i])) for i in order[:most]
        ]
        voids = np.setdiff1d(suits, suits[possible[:, j]]).tolist()
        beliefs.append(SeatBelief(seat, tuple(likely), tuple(voids)))
    return beliefs


class CardBeliefs(NamedTuple):
    """What one seat believes of the unseen cards. ``cards``: codes, suit by suit, highest first;
    ``seats``: the three others, clockwise; ``shares`` by method, float64 (cards, 3): P that the
    seat holds the card."""

    seat: int
    cards: tuple[int, ...]
    seats: tuple[int, int, int]
    shares: Mapping[str, FloatArray]


def beliefs_series(record: Record, ply: int, seat: int) -> StoredSeries:
    """Item i: the shares of ``METHODS[i]``, a list a card, for what ``seat`` sees at a ply."""
    observation = record.observation(ply, seat)

    def make(i: int) -> Generator[None, None, list]:
        yield
        return np.round(shares_by(METHODS[i], observation), 6).tolist()

    question = {
        **place_of(record, ply),
        "seat": seat,
        "deals": N_DEALS,
        "exact": "uniform",
        "model": model_hash(MODEL_NAME),
    }
    return StoredSeries("card-beliefs", question, make, block=len(METHODS), unit="methods")


def beliefs_of(items: Sequence[list], observation: Observation) -> CardBeliefs:
    """The beliefs that a series' items hold, as many methods as there are."""
    cards = unseen_cards(observation)
    shares = {
        method: np.array(item, dtype=np.float64).reshape(len(cards), 3)
        for method, item in zip(METHODS, items, strict=False)
    }
    return CardBeliefs(observation.seat, cards, other_seats(observation), shares)


class Stray(NamedTuple):
    """Where dealing strays furthest from the inference table: a card with a seat. ``interval``:
    Clopper and Pearson's of the share of ``N_DEALS`` deals, at 95% for all cells at once
    (Bonferroni), as the cell was picked among them."""

    card: int
    seat: int
    inferred: float
    biased: float
    interval: tuple[float, float]
    uniform: float


def furthest_stray(beliefs: CardBeliefs) -> Stray | None:
    """The cell in which biased deals exceed the inference table most. None without biased deals,
    and where no cell's interval lies above what was inferred."""
    if not beliefs.cards or "biased" not in beliefs.shares:
        return None
    biased = beliefs.shares["biased"]
    inferred = beliefs.shares[INFERRED]
    n_dealt = np.round(biased * N_DEALS).astype(int)
    low, high = clopper_pearson(n_dealt, N_DEALS, n_shares=biased.size)
    excess = np.where(low > inferred, biased - inferred, 0.0)
    i, j = np.unravel_index(int(excess.argmax()), excess.shape)
    if not excess[i, j]:
        return None
    return Stray(
        card=beliefs.cards[i],
        seat=beliefs.seats[j],
        inferred=float(inferred[i, j]),
        biased=float(biased[i, j]),
        interval=(float(low[i, j]), float(high[i, j])),
        uniform=float(beliefs.shares["uniform"][i, j]),
    )


def is_flood(stray: Stray, observation: Observation) -> bool:
    """Whether a nil bidder, not blind, is dealt a low card more often than inferred and than
    uniformly. That is the published case: high cards and spades are dealt first, and the room left
    in the nil bidder's hand fills with low cards."""
    is_expected = is_nil(observation, stray.seat) and not observation.table.blind[stray.seat]
    is_low = bool(kind_masks(observation)[LOW_CARDS] >> stray.card & 1)
    return is_expected and is_low and stray.interval[0] > max(stray.inferred, stray.uniform)


def kind_masks(observation: Observation) -> dict[str, int]:
    """Unseen cards by kind, as masks; low cards are those below the ten, spades left out."""
    deck = observation.rules.cards.mask
    unseen = observation.unseen_mask
    heights = {card: height(card, deck) for card in cards_in(unseen)}
    high = sum(1 << card for card, its_height in heights.items() if its_height >= _HIGH)
    low = sum(1 << card for card, its_height in heights.items() if not its_height)
    masks = (unseen & SPADES_MASK, high, low & ~SPADES_MASK)
    return dict(zip(KINDS_OF_CARDS, masks, strict=True))


def expected_cards(beliefs: CardBeliefs, observation: Observation) -> list[dict[str, object]]:
    """A row a hidden seat and kind of card: the expected number of them that it holds, by
    method."""
    rows: list[dict[str, object]] = []
    for j, seat in enumerate(beliefs.seats):
        for kind, mask in kind_masks(observation).items():
            of_kind = [i for i, card in enumerate(beliefs.cards) if mask >> card & 1]
            expected = {method: float(p[of_kind, j].sum()) for method, p in beliefs.shares.items()}
            rows.append({"seat": seat, "kind": kind, **expected})
    return rows


class RuleEffect(NamedTuple):
    """The effect of one soft rule of the inference table: where it changes P most."""

    name: str
    reading: str
    card: int
    seat: int
    without: float
    with_rule: float


def rule_effects(observation: Observation) -> list[RuleEffect]:
    """The rules that move any cell of the table, the strongest first."""
    cards = unseen_cards(observation)
    seats = other_seats(observation)
    if not cards:
        return []
    # By seat, then card: of cells that move alike the first seat's counts.
    with_all = inferred_shares(observation).T
    effects = []
    for rule in RULES:
        others = [name for name in RULE_NAMES if name != rule.name]
        without = inferred_shares(observation, others).T
        moved = np.abs(with_all - without)
        j, i = np.unravel_index(int(moved.argmax()), moved.shape)
        if moved[j, i] >= _LEAST_MOVE:
            effect = RuleEffect(
                name=rule.name,
                reading=rule.reading,
                card=cards[i],
                seat=seats[j],
                without=float(without[j, i]),
                with_rule=float(with_all[j, i]),
            )
            effects.append(effect)
    return sorted(effects, key=lambda effect: -abs(effect.with_rule - effect.without))


def log_scores(shares: FloatArray, n: int) -> FloatArray:
    """Log of shares of ``n`` deals, smoothed by one more deal in which each of the three seats
    holds a third of the card."""
    return np.log((n * shares + 1 / 3) / (n + 1))


def score_of(shares: FloatArray, holders: Sequence[int], n: int) -> float:
    """Mean log P of the true holders, nats a card; ``shares`` (cards, 3), ``holders`` 0 to 2."""
    return float(log_scores(shares[np.arange(len(shares)), list(holders)], n).mean())


def is_nil(observation: Observation, seat: int) -> bool:
    table = observation.table
    return table.bids[seat] == NIL_BID and table.rules.nil is not None
