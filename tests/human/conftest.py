from collections.abc import Callable, Iterator

import numpy as np
import pytest

from spades.core.cards import DECKS, STANDARD, cards_in, mask_of, suit_of
from spades.core.records import Record
from spades.core.rules import NO_SUIT, Round, Rules, beats, legal_mask
from spades.human.features.view import NIL_TRICKS_COUNT, DecisionFields


def _decide(hand: str, trick: str = "", played: str = "", **fields: int) -> DecisionFields:
    """A decision from the text of a hand, of the trick so far and of earlier tricks."""
    deck = STANDARD
    held, on_table = deck.parse_cards(hand.split()), [deck.parse_card(c) for c in trick.split()]
    led = suit_of(on_table[0]) if on_table else NO_SUIT
    best = on_table[0] if on_table else -1
    for card in on_table[1:]:
        best = card if beats(card, best) else best
    public = {
        "own_bid": 3,
        "partner_bid": 3,
        "own_tricks": 0,
        "partner_tricks": 0,
        "nil_rule": NIL_TRICKS_COUNT,
    }
    return DecisionFields(
        hand=held,
        legal=int(legal_mask(held, led, fields.pop("may_lead_spades", 1))),
        led_suit=led,
        best_card=best,
        played=deck.parse_cards(f"{trick} {played}".split()),
        deck=deck.mask,
        turn_in_trick=len(on_table),
        **(public | fields),
    )


@pytest.fixture
def decide() -> Callable[..., DecisionFields]:
    return _decide


def _random_record(seed: int, rules: Rules, n_plays: int = 52) -> Record:
    rng = np.random.default_rng(seed)
    cards = rng.permutation(rules.cards.codes).reshape(4, 13)
    hands = tuple(mask_of(map(int, hand)) for hand in cards)
    bids = tuple(int(bid) for bid in rng.integers(-1, 6, size=4))
    record = Record(rules, int(rng.integers(4)), hands, bids)
    state = record.start()
    for _ in range(n_plays):
        state.play(int(rng.choice(list(cards_in(state.legal_plays())))))
    return Record(rules, record.dealer, hands, bids, plays=tuple(state.table.plays))


@pytest.fixture
def random_record() -> Callable[..., Record]:
    return _random_record


@pytest.fixture(params=DECKS)
def rules(request: pytest.FixtureRequest) -> Rules:
    return Rules(deck=request.param)


@pytest.fixture
def walk() -> Callable[[Record], Iterator[Round]]:
    """Positions of a record in which a seat is to play."""
    return lambda record: (p for p in record.positions() if len(p.table.plays) < len(record.plays))
