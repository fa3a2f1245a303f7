from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spades.core.cards import STANDARD, cards_in, suit_mask, suit_of
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.human.features import abstract_moves as am
from spades.human.features.view import N_VIEW, view_of

SEEDS = st.integers(0, 2**32 - 1)
WITH_FIXTURES = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

# hand, trick so far, cards of earlier tricks, card -> abstract move
LEADS = [
    ("HA HK HQ H2", "", "", "HA", "Lead non-spade boss, hearts"),
    ("HA HK HQ H2", "", "", "HK", "Lead non-spade highest, hearts"),
    ("HA HK HQ H2", "", "", "HQ", "Lead non-spade other, hearts"),
    ("HA HK HQ H2", "", "", "H2", "Lead non-spade lowest, hearts"),
    ("HA CK C2", "", "", "HA", "Lead non-spade single, hearts"),
    ("DK D2", "", "", "DK", "Lead non-spade highest, diamonds"),
    ("DK D2", "", "DA", "DK", "Lead non-spade boss, diamonds"),
    ("DK D2", "", "DA", "D2", "Lead non-spade lowest, diamonds"),
    ("SA S9 S7 S3", "", "", "SA", "Lead spade boss"),
    ("SA S9 S7 S3", "", "", "S9", "Lead spade highest"),
    ("SA S9 S7 S3", "", "", "S7", "Lead spade other"),
    ("SA S9 S7 S3", "", "", "S3", "Lead spade lowest"),
    ("SA H9", "", "", "SA", "Lead spade single"),
]
FOLLOWS = [
    ("DA DK D9 D6 D2", "D5", "", "DA", "Follow steal boss, diamonds"),
    ("DA DK D9 D6 D2", "D5", "", "DK", "Follow steal highest, diamonds"),
    ("DA DK D9 D6 D2", "D5", "", "D9", "Follow steal other, diamonds"),
    ("DA DK D9 D6 D2", "D5", "", "D6", "Follow steal lowest, diamonds"),
    ("DA DK D9 D6 D2", "D5", "", "D2", "Follow duck single, diamonds"),
    ("CA CQ C8 C2", "CK", "", "CA", "Follow steal single, clubs"),
    ("CA CQ C8 C2", "CK", "", "CQ", "Follow duck highest, clubs"),
    ("CA CQ C8 C2", "CK", "", "C8", "Follow duck other, clubs"),
    ("CA CQ C8 C2", "CK", "", "C2", "Follow duck lowest, clubs"),
    # the best card so far counts, not the one led
    ("CA CQ C8 C2", "C4 C9", "", "C8", "Follow duck highest, clubs"),
    # a trick trumped can't be taken in the suit led, not even by the boss
    ("HA HK H3", "H9 S2", "", "HA", "Follow duck highest, hearts"),
    ("HA HK H3", "H9 S2", "", "HK", "Follow duck other, hearts"),
    ("HA HK H3", "H9 S2", "", "H3", "Follow duck lowest, hearts"),
    # a discard that ranks above the card led doesn't win
    ("HJ HT", "H9 DA", "", "HT", "Follow steal lowest, hearts"),
    # the ace on the table is played, so the king is the boss; it is the best, so nothing steals
    ("HK HQ H2", "HA", "", "HK", "Follow duck highest, hearts"),
]
VOIDS = [
    ("DA D7 D5 D2 CK", "H9", "", "DA", "No follow highest, diamonds"),
    ("DA D7 D5 D2 CK", "H9", "", "D7", "No follow other, diamonds"),
    ("DA D7 D5 D2 CK", "H9", "", "D2", "No follow lowest, diamonds"),
    ("DA D7 D5 D2 CK", "H9", "", "CK", "No follow single, clubs"),
    ("H7 H2 D3", "S4", "", "H7", "No follow highest, hearts"),
    ("SA SK SQ S6 S4 S2", "H9 S5", "", "SA", "Trump steal boss"),
    ("SA SK SQ S6 S4 S2", "H9 S5", "", "SK", "Trump steal highest"),
    ("SA SK SQ S6 S4 S2", "H9 S5", "", "SQ", "Trump steal other"),
    ("SA SK SQ S6 S4 S2", "H9 S5", "", "S6", "Trump steal lowest"),
    ("SA SK SQ S6 S4 S2", "H9 S5", "", "S4", "Trump duck highest"),
    ("SA SK SQ S6 S4 S2", "H9 S5", "", "S2", "Trump duck lowest"),
    ("SQ S9 S2 D4", "H9 SK", "", "S9", "Trump duck other"),
    ("S2 D4", "H9 SK", "", "S2", "Trump duck single"),
    ("S2 D4", "H9", "", "S2", "Trump steal single"),
    ("SK S2 D4", "H9", "SA", "SK", "Trump steal boss"),
]
SPADES_LED = [
    ("SA SJ S9 S4 S3", "S8", "", "SA", "Trump steal boss"),
    ("SA SJ S9 S4 S3", "S8", "", "SJ", "Trump steal highest"),
    ("SA SJ S9 S4 S3", "S8", "", "S9", "Trump steal lowest"),
    ("SA SJ S9 S4 S3", "S8", "", "S4", "Trump duck highest"),
    ("SA SJ S9 S4 S3", "S8", "", "S3", "Trump duck lowest"),
    # without a boss class the boss is simply the highest
    ("SK S4", "SA", "", "SK", "Trump duck highest"),
]
CASES = LEADS + FOLLOWS + VOIDS + SPADES_LED


@pytest.mark.parametrize(("hand", "trick", "played", "card", "move"), CASES)
def test_worked_case(decide, hand, trick, played, card, move):
    d = decide(hand, trick, played)
    moves, view = np.empty(13, dtype=np.int8), np.zeros(N_VIEW, dtype=np.int64)
    view[: len(d)] = d
    n = am.classify_legal(view, moves)
    names = [am.MOVES_68[i] for i in moves[:n]]
    assert dict(zip(cards_in(d.legal), names, strict=True))[STANDARD.parse_card(card)] == move


def test_worked_cases_cover_all_32():
    assert {move.split(",")[0] for *_, move in CASES} == set(am.MOVES_32)


def test_68_and_32():
    assert len(set(am.MOVES_68)) == len(am.MOVES_68) == am.N_SUIT_MOVES == 68
    assert len(set(am.MOVES_32)) == len(am.MOVES_32) == am.N_MOVES == 32
    by_category = Counter(am.CATEGORY_OF_32[am.MOVE_32_OF_68].tolist())
    assert [by_category[c] for c in range(7)] == [15, 5, 4, 5, 12, 12, 15]


def test_mapping_from_68_to_32_drops_the_suit():
    for i, name in enumerate(am.MOVES_68):
        assert am.MOVES_32[am.MOVE_32_OF_68[i]] == name.split(",")[0]
        assert am.MOVE_68_OF[am.MOVE_32_OF_68[i], am.SUIT_OF_68[i]] == i


def test_rows_follow_the_table_of_the_paper():
    assert am.MOVES_32[0] == "Lead non-spade boss"
    assert am.MOVES_32[3:5] == ("Follow steal boss", "Lead non-spade highest")
    assert am.MOVES_32[31] == "Follow steal single"


def _category(state, card):
    """The category by the definitions, without masks."""
    table = state.table
    suit, led, best = suit_of(card), table.led_suit, table.best_card
    if best < 0:
        return "Lead spade" if suit == 0 else "Lead non-spade"
    steals = card > best if suit == suit_of(best) else suit == 0
    if suit == 0:
        return "Trump steal" if steals else "Trump duck"
    if suit != led:
        return "No follow"
    return "Follow steal" if steals else "Follow duck"


def _names_by_definition(state):
    unplayed = state.table.rules.cards.mask & ~state.table.played_mask
    legal = list(cards_in(state.legal_plays()))
    keys = {card: (_category(state, card), suit_of(card)) for card in legal}
    names = {}
    for card in legal:
        category, suit = keys[card]
        group = sorted(other for other in legal if keys[other] == keys[card])
        boss = max(cards_in(unplayed & suit_mask(suit)))
        rest = [c for c in group if c != boss or "duck" in category or category == "No follow"]
        position = (
            "single" if len(group) == 1
            else "boss" if card not in rest
            else "lowest" if card == group[0]
            else "highest" if card == rest[-1]
            else "other"
        )  # fmt: skip
        names[card] = f"{category} {position}"
    return names


@WITH_FIXTURES
@given(seed=SEEDS)
def test_random_rounds_by_definition(rules, random_record, walk, seed):
    for state in walk(random_record(seed, rules)):
        seen = observe(state)
        names, suits = am.abstract_move_names(seen), ("", ", hearts", ", diamonds", ", clubs")
        defined = _names_by_definition(state)
        assert names == {card: name + suits[suit_of(card)] for card, name in defined.items()}
        for card, move in am.abstract_move_ids(seen).items():
            assert am.MOVES_32[am.MOVE_32_OF_68[move]] == defined[card]


def test_names_only_in_turn(random_record):
    state = random_record(1, Rules(), 0).start()
    other = observe(state, (state.table.turn + 1) % 4)
    assert am.abstract_move_ids(other) == am.abstract_move_names(other) == {}


def test_kernels_equal_their_python_twins(rules, random_record, walk):
    compiled, plain = np.empty((2, 13), dtype=np.int8)
    for state in walk(random_record(5, rules)):
        table = state.table
        legal, unplayed = state.legal_plays(), rules.cards.mask & ~table.played_mask
        beating, bosses = am.beating_mask(table.best_card), am.boss_mask(unplayed)
        assert bosses == am.boss_mask.py_func(unplayed)
        assert beating == am.beating_mask.py_func(table.best_card)
        for card in cards_in(legal):
            key = (card, legal, table.led_suit, beating, bosses)
            assert am.move_of(*key) == am.move_of.py_func(*key)
            position = (1 << card, legal & suit_mask(suit_of(card)), bosses)
            assert am.position_of(*position) == am.position_of.py_func(*position)
        view = view_of(observe(state))
        n = am.classify_legal(view, compiled)
        assert n == am.classify_legal.py_func(view, plain) == legal.bit_count()
        assert (compiled[:n] == plain[:n]).all()


def test_note_says_it_is_a_reconstruction():
    assert "reconstruction" in am.DEFINITIONS_NOTE
