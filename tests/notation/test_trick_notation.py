from dataclasses import replace

import pytest

from spades.core.cards import EAST, WEST
from spades.core.rules import NO_BID, Rules
from spades.notation import NOTATIONS, format_records
from tests.notation.texts import JOKER_PTN, STANDARD_PTN, STANDARD_TRICKS, edited, line_of

ptn = NOTATIONS["ptn"]
trick_notation = NOTATIONS["trick-notation"]
(STANDARD_RECORD,) = ptn.parse(STANDARD_PTN).records

TEXT = """% trick-notation v1
[Game "spades"] [Deck "french52"] [Seats "N E S W"] [Dealer "N"]
[Players "ann bob ? dan"]

D N:KT72.AK32.Q5.T53 E:Q4.96.JT7642.Q96 S:9653.T5.AK98.A42 W:AJ8.QJ874.3.KJ87
C E: 2 5 nil 6   ; East is left of the dealer
P E QC 4C KC TC
P W 7C 5C 9C 2C
P E 7D 8D 3D 5D
"""


def read_one(text):
    reading = trick_notation.parse(text)
    assert reading.refused == ()
    (record,) = reading.records
    return record


def refusal_of(text):
    reading = trick_notation.parse(text)
    assert reading.records == ()
    (refusal,) = reading.refused
    return refusal


def test_a_round_cut_short():
    record = read_one(TEXT)
    assert record.hands == STANDARD_RECORD.hands
    assert record.plays == STANDARD_RECORD.plays[:12]
    assert record.bids == (6, 2, 5, 0)
    assert record.players == ("ann", "bob", "", "dan")
    assert record.rules == Rules()


def test_a_whole_round():
    record = read_one(format_records([STANDARD_RECORD], "trick-notation"))
    assert record.final().table.tricks_taken == STANDARD_TRICKS


def test_void_suits_and_jokers():
    (record,) = ptn.parse(JOKER_PTN).records
    text = format_records([record], "trick-notation")
    assert "N:JT987.-.6532.T764" in text
    assert "KQ43.AT5.-.KQ983.H" in text
    assert "P W LJ JS 6H HJ" in text  # the high joker, rank then suit
    assert 'Deck "joker-joker-deuce-deuce"' in text
    assert read_one(text) == record


def test_a_new_deal_is_a_new_round_dealt_by_the_next():
    deal = "D " + TEXT.split("\nD ")[1].split("\n")[0]
    first, second = trick_notation.parse(TEXT + "\n" + deal + "\nC S: 1 2 3 4\n").records
    assert (first.dealer, second.dealer) == (0, EAST)
    assert second.bids == (3, 4, 1, 2)
    assert second.round_index == 1


def test_dealer_from_header_calls_or_plays():
    no_header = edited(TEXT, ' [Dealer "N"]', "")
    assert read_one(no_header).dealer == 0
    no_calls = edited(no_header, "C E: 2 5 nil 6   ; East is left of the dealer\n", "")
    assert read_one(no_calls).dealer == 0
    assert read_one(no_calls).bids == (NO_BID,) * 4
    only_deal = no_calls[: no_calls.index("P E QC")]
    assert "no dealer" in refusal_of(only_deal).reason


def test_zero_is_nil_unless_the_rules_have_none():
    zero = edited(TEXT, "nil", "0")
    assert read_one(zero) == read_one(TEXT)
    no_nil = edited(zero, "\nD N", '\n% rules {"nil": null}\nD N')
    assert read_one(no_nil).rules.nil is None
    text = edited(TEXT, "\nD N", '\n; rules {"nil": null}\nD N')
    assert "no nil" in refusal_of(text).reason


def test_max_points_is_the_target():
    text = edited(TEXT, "\nD N", '\n[MaxPoints "250"]\nD N')
    assert read_one(text).rules.target == 250


def test_one_unknown_hand():
    text = edited(TEXT, " W:AJ8.QJ874.3.KJ87", "")
    assert read_one(text).hands[WEST] == STANDARD_RECORD.hands[WEST]
    assert read_one(edited(TEXT, "W:AJ8.QJ874.3.KJ87", "W:?")) == read_one(TEXT)


def test_more_unknown_hands_need_all_plays():
    whole = format_records([STANDARD_RECORD], "trick-notation")
    deal = whole.split("\nD ")[1].split("\n")[0]
    assert read_one(edited(whole, deal, "N:-")).hands == STANDARD_RECORD.hands
    assert "are unknown" in refusal_of(edited(TEXT, deal, deal.split()[0])).reason


@pytest.mark.parametrize(
    ("old", "new", "says", "row"),
    [
        ("P W 7C", "P E 7C", "E leads, but W is to lead", "P E 7C"),
        ("P E 7D 8D", "P E 7D 3S", "must follow D", "P E 7D"),
        ("P E 7D 8D", "P E 7D 8X", "no card", "P E 7D"),
        ("P E 7D 8D 3D 5D", "P E 7D 8D 3D 5D QD", "5 cards", "P E 7D"),
        ("P W 7C 5C 9C 2C", "P W 7C 5C", "a trick after one with 2 cards", "P E 7D"),
        ("P W 7C", "P Q 7C", "N, E, S or W", "P Q"),
        ("C E:", "C S:", "N deals, so E is first", "C S"),
        ("2 5 nil 6", "2 5 nil", "3 calls", "C E"),
        ("2 5 nil 6", "2 5 nil 66", "can't bid 66", "C E"),
        ("2 5 nil 6", "2 5 nil 1NT", "0 to 13, nil", "C E"),
        ("E:Q4", "E:K4", "already dealt", "D N"),
        ("E:Q4", "N:Q4", "two hands", "D N"),
        ("E:Q4.96", "E:Q496", "four groups", "D N"),
        ("french52", "euchre24", "french52", "[Game"),
        ('"spades"', '"hearts"', "only spades", "[Game"),
        ('"N E S W"', '"N E S"', "N E S W are legal", "[Game"),
        ("\nD N", "\n; rules {}}\nD N", "JSON", "; rules"),
        ("\nD N", '\n; rules {"x": 1}\nD N', "unknown rule", "; rules"),
        ("v1", "v2", "v1 is", "% trick"),
        ("P E QC", "X N>E: 2C\nP E QC", "passing cards", "X N"),
        ("P E QC", "C E: 1 1 1 1\nP E QC", "second C line", "C E: 1 1"),
        ("\nD N", "\nP E QC\nD N", "before any deal", "P E QC"),
        ('[Dealer "N"]', '[Dealer "N"] [Dealer "E"]', "comes twice", "[Game"),
    ],
)
def test_refused_with_line_and_reason(old, new, says, row):
    text = edited(TEXT, old, new)
    refusal = refusal_of(text)
    assert says in refusal.reason
    assert refusal.line == line_of(text, row)


def test_a_fourteenth_trick_is_refused():
    text = format_records([STANDARD_RECORD], "trick-notation") + "P E 2C\n"
    assert "after the 13th" in refusal_of(text).reason


def test_text_cut_inside_a_card():
    record = read_one(TEXT.rstrip()[:-1])
    assert len(record.plays) == 11
    reading = trick_notation.parse(TEXT.rstrip()[:-1])
    assert any("cut off" in note.text for note in reading.notes)


def test_blind_nil_and_unknown_bids():
    record = read_one(edited(TEXT, "2 5 nil 6", "nil:blind - 3 ?"))
    assert record.bids == (NO_BID, 0, NO_BID, 3)
    assert record.blind == (False, True, False, False)


def test_a_game_shares_its_headers():
    second = replace(STANDARD_RECORD, dealer=1, bids=(NO_BID,) * 4, plays=(), round_index=1)
    text = format_records([STANDARD_RECORD, second], "trick-notation")
    assert text.count("% trick-notation v1") == 1
    assert trick_notation.parse(text).records == (STANDARD_RECORD, second)


def test_markdown_fence_and_prose():
    reading = trick_notation.parse(f"Hello\n```\n{TEXT}```\nP is a letter\n")
    assert len(reading.records) == 1
    assert reading.refused == ()


def test_kinds_not_given_are_noted():
    assert any("bots assumed" in note.text for note in trick_notation.parse(TEXT).notes)


@pytest.mark.parametrize(("old", "header"), [("ann bob", "Players"), ('[Dealer "N"]', "GameId")])
def test_texts_that_no_log_holds_are_refused(old, header):
    long = "x" * 10_001
    new = f"{long} bob" if header == "Players" else f'{old} [GameId "{long}"]'
    refusal = refusal_of(TEXT.replace(old, new))
    assert header in refusal.reason
    assert "up to 10,000 characters is legal" in refusal.reason
    read_one(TEXT.replace(old, new.replace(long, long[:10_000])))
