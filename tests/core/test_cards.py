import copy
import pickle
import random

import numpy as np
import pytest

from spades.core.cards import (
    CLUBS,
    DECKS,
    DIAMONDS,
    EAST,
    HEARTS,
    N_CARDS,
    NORTH,
    SOUTH,
    SPADES,
    SPADES_MASK,
    STANDARD,
    WEST,
    Card,
    Hand,
    cards_in,
    check_deal,
    mask_of,
    partner_of,
    partnership_of,
    strength_of,
    suit_mask,
    suit_of,
)
from spades.core.errors import InvalidCardError, InvalidDealError

PLAIN = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]
NO_DEUCE = PLAIN[1:]
TRUMPS = {
    "standard": [f"S{rank}" for rank in PLAIN],
    "joker-joker-ace": [*(f"S{rank}" for rank in PLAIN), "JL", "JH"],
    "joker-joker-deuce-ace": [*(f"S{rank}" for rank in NO_DEUCE), "S2", "JL", "JH"],
    "joker-joker-deuce-deuce": [*(f"S{rank}" for rank in NO_DEUCE), "S2", "D2", "JL", "JH"],
}
every_deck = pytest.mark.parametrize("deck", DECKS.values(), ids=DECKS)


def random_deal(deck, seed=0):
    codes = [int(code) for code in deck.codes]
    random.Random(seed).shuffle(codes)
    return [mask_of(codes[i::4]) for i in range(4)]


def test_the_four_decks():
    assert list(DECKS) == list(TRUMPS)


@every_deck
def test_trumps_of_a_deck_lowest_first(deck):
    codes = [deck.parse_card(text) for text in TRUMPS[deck.name]]
    assert codes == sorted(codes)
    assert [strength_of(code) for code in codes] == list(range(len(codes)))
    assert mask_of(codes) == deck.mask & suit_mask(SPADES)


@every_deck
def test_plain_suits_of_a_deck(deck):
    jokers = deck.name != "standard"
    deuce_of_diamonds_is_plain = deck.name != "joker-joker-deuce-deuce"
    for suit, letter, has_deuce in (
        (HEARTS, "H", not jokers),
        (DIAMONDS, "D", deuce_of_diamonds_is_plain),
        (CLUBS, "C", not jokers),
    ):
        texts = [letter + rank for rank in (PLAIN if has_deuce else NO_DEUCE)]
        codes = [deck.parse_card(text) for text in texts]
        assert codes == [16 * suit + strength for strength in range(len(texts))]
        assert mask_of(codes) == deck.mask & suit_mask(suit)


@every_deck
def test_a_deck_fits_a_signed_mask_of_52(deck):
    assert deck.mask.bit_count() == N_CARDS
    assert deck.mask < 1 << 63
    assert mask_of(map(int, deck.codes)) == deck.mask


@every_deck
def test_dense_index_and_code_are_inverse(deck):
    assert deck.codes.shape == (52,)
    assert deck.indices.shape == (64,)
    assert deck.indices[deck.codes].tolist() == list(range(52))
    assert sorted(deck.indices)[:12] == [-1] * 12
    assert [suit_of(int(code)) for code in deck.codes] == sorted(
        suit_of(int(c)) for c in deck.codes
    )


@every_deck
def test_text_of_every_card_reads_back(deck):
    texts = [deck.format_card(int(code)) for code in deck.codes]
    assert len(set(texts)) == 52
    assert [deck.parse_card(text) for text in texts] == deck.codes.tolist()
    assert deck.parse_cards(texts) == deck.mask


def test_card_code_is_sixteen_times_suit_plus_strength():
    assert STANDARD.parse_card("S2") == 0
    assert STANDARD.parse_card("HA") == 16 + 12
    assert STANDARD.parse_card(" ct ") == 48 + 8
    assert (suit_of(60), strength_of(60)) == (CLUBS, 12)


@pytest.mark.parametrize(
    ("deck", "text"),
    [
        ("standard", "JH"),
        ("standard", "JL"),
        ("joker-joker-ace", "H2"),
        ("joker-joker-ace", "C2"),
        ("joker-joker-deuce-deuce", "H2"),
        ("standard", "AS"),
        ("standard", "S1"),
        ("standard", ""),
        ("standard", "S10"),
    ],
)
def test_a_text_that_is_no_card_is_refused(deck, text):
    with pytest.raises(InvalidCardError, match=f"{text!r} is no card of the {deck} deck"):
        DECKS[deck].parse_card(text)


def test_the_refusal_names_the_jokers_only_where_there_are_some():
    with pytest.raises(InvalidCardError, match="JH and JL"):
        DECKS["joker-joker-ace"].parse_card("XX")
    with pytest.raises(InvalidCardError, match=r"SA, HT$"):
        STANDARD.parse_card("XX")


@pytest.mark.parametrize("code", [13, 15, 61, 63, 64, -1])
def test_a_code_that_is_no_card_is_refused(code):
    with pytest.raises(InvalidCardError, match=f"{code} is no card code of the standard deck"):
        STANDARD.format_card(code)


def test_cards_are_written_suit_by_suit_highest_first():
    mask = STANDARD.parse_cards(["C3", "SA", "H2", "S2", "HK", "CA"])
    assert STANDARD.format_cards(mask) == "SA S2 HK H2 CA C3"
    assert STANDARD.format_cards(0) == ""


def test_a_card_twice_is_refused():
    with pytest.raises(InvalidDealError, match="HK comes twice"):
        STANDARD.parse_cards(["HK", "SA", "hk "])


@pytest.mark.parametrize("codes", [[], [0], [62], [0, 1, 15, 16, 47, 48, 62]])
def test_a_mask_and_its_cards(codes):
    assert list(cards_in(mask_of(codes))) == codes


def test_suit_masks_part_the_63_bits():
    masks = [suit_mask(suit) for suit in range(4)]
    assert sum(masks) == (1 << 63) - 1
    assert all(
        mask == mask_of(c for c in range(63) if suit_of(c) == s) for s, mask in enumerate(masks)
    )


def test_partners_face_each_other():
    assert [partner_of(seat) for seat in (NORTH, EAST, SOUTH, WEST)] == [SOUTH, WEST, NORTH, EAST]
    assert [partnership_of(seat) for seat in (NORTH, EAST, SOUTH, WEST)] == [0, 1, 0, 1]


@every_deck
def test_a_deal_is_accepted(deck):
    check_deal(random_deal(deck), deck)


@every_deck
def test_a_card_dealt_twice_is_refused_with_card_and_seat(deck):
    hands = random_deal(deck)
    card = hands[NORTH] & -hands[NORTH]
    hands[SOUTH] |= card
    text = deck.format_cards(card)
    with pytest.raises(InvalidDealError, match=f"^{text} in S's hand was already dealt"):
        check_deal(hands, deck)


def test_a_foreign_card_is_refused():
    hands = random_deal(STANDARD)
    hands[EAST] |= 1 << 14
    with pytest.raises(InvalidDealError, match=r"E holds card codes \[14\], none of standard"):
        check_deal(hands, STANDARD)


@pytest.mark.parametrize(("change", "size"), [(-1, 12), (1, 14)])
def test_a_hand_of_the_wrong_size_is_refused(change, size):
    hands = random_deal(STANDARD)
    card = hands[WEST] & -hands[WEST]
    hands[WEST] ^= card
    hands[NORTH] |= card
    if change < 0:
        hands = hands[::-1]
    with pytest.raises(InvalidDealError, match=f"N holds {size} cards, a hand is 13"):
        check_deal(hands, STANDARD)


def test_a_missing_hand_is_refused_with_its_cards():
    *three, last = random_deal(STANDARD)
    with pytest.raises(InvalidDealError, match=f"^{STANDARD.format_cards(last)} not dealt"):
        check_deal(three, STANDARD)


def test_an_empty_hand_is_refused():
    with pytest.raises(InvalidDealError, match="N holds 0 cards, a hand is 13: none"):
        check_deal([0] * 4, STANDARD)


# Cards and hands for people


@every_deck
def test_cards_are_in_one_order_everywhere(deck):
    assert list(deck.order) == sorted(deck.order, key=lambda card: card.code)
    assert [card.place for card in deck.order] == list(range(N_CARDS))
    assert sorted(set(deck.order)) == list(deck.order)
    assert list(Hand(deck.mask, deck)) == list(deck.order)
    for card in deck.order:
        assert deck.indices[card.code] == card.place
        assert deck.card(card.code) is deck.card(str(card).lower()) is Card(card, deck)
        assert card == str(card)
        assert hash(card) == hash(str(card))


def test_the_same_card_of_two_decks_is_equal_whatever_its_code():
    joker_deck = DECKS["joker-joker-deuce-deuce"]
    ace, other = Card("CA"), Card("CA", joker_deck)
    assert ace == other
    assert {ace: 1}[other] == 1
    assert ace.code != other.code
    assert ace in Hand([other], joker_deck)
    assert (Card("D2").suit, Card("D2", joker_deck).suit) == ("D", "S")


def test_cards_and_hands_survive_a_pickle_and_never_change():
    card = Card("JH", "joker-joker-ace")
    assert pickle.loads(pickle.dumps(card)) is card
    assert copy.deepcopy(card) is card
    hand = Hand("AK...2", "standard")
    again = pickle.loads(pickle.dumps(hand))
    assert (again, again.deck) == (hand, STANDARD)
    with pytest.raises(AttributeError):
        card.code = 3


def test_a_hand_is_a_mask_and_a_set_of_cards():
    hand = Hand(["SA", "ST", "C2"])
    assert hand == mask_of(STANDARD.parse_card(text) for text in ("SA", "ST", "C2"))
    assert hand & SPADES_MASK == Hand(["SA", "ST"])
    assert (len(hand), "SA" in hand, "S2" in hand) == (3, True, False)
    assert list(hand) == ["ST", "SA", "C2"]
    assert str(hand) == "♠ A 10   ♥ -   ♦ -   ♣ 2"
    assert repr(hand) == "Hand('AT...2')"
    assert np.array([hand, hand]).tolist() == [int(hand)] * 2
    assert not Hand(0)
    for wrong in ("XX", "S1", ""):
        with pytest.raises(InvalidCardError):
            wrong in hand  # noqa: B015
    with pytest.raises(InvalidCardError, match="no deck is called"):
        Hand(0, "bridge")
