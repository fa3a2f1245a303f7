import pytest

from spades.core.cards import DECKS, STANDARD, WEST
from spades.core.records import BOT, HUMAN
from spades.core.rules import NO_BID, Rules
from spades.notation import NOTATIONS
from spades.notation.notations.ptn_tags import format_options, parse_options
from tests.notation.texts import (
    JOKER_POINTS,
    JOKER_PTN,
    JOKER_TRICKS,
    STANDARD_POINTS,
    STANDARD_PTN,
    STANDARD_TRICKS,
    edited,
    line_of,
    without_section,
)

ptn = NOTATIONS["ptn"]


def read_one(text):
    reading = ptn.parse(text)
    assert reading.refused == ()
    (record,) = reading.records
    return record


def refusal_of(text):
    reading = ptn.parse(text)
    assert reading.records == ()
    (refusal,) = reading.refused
    return refusal


def notes_of(text):
    return [note.text for note in ptn.parse(text).notes]


def with_options(options, text=STANDARD_PTN):
    return edited(text, r"{\"failBidScoring\":1}", options)


def test_complete_record():
    record = read_one(STANDARD_PTN)
    assert record.is_complete
    assert record.final().table.tricks_taken == STANDARD_TRICKS
    assert record.score().points == STANDARD_POINTS
    assert record.bids == (6, 2, 5, 3)
    assert record.kinds == (BOT, BOT, HUMAN, BOT)
    assert record.players == ("Bot-N", "Bot-E", "Me", "Bot-W")
    assert record.rules == Rules()


def test_columns_are_fixed_seats():
    record = read_one(STANDARD_PTN)
    texts = [STANDARD.format_card(card) for card in record.plays]
    # South wins no trick of the first; West does (column 3) and leads the second from there.
    assert texts[:8] == ["CQ", "C4", "CK", "CT", "C7", "C5", "C9", "C2"]


def test_score_before_is_score_after_less_the_points():
    assert read_one(STANDARD_PTN).score_before == (90 + 110, 50 + 50)


def test_joker_deck_and_defects():
    record = read_one(JOKER_PTN)
    assert record.rules == Rules(deck="joker-joker-deuce-deuce", nil=None, min_bid=4)
    assert record.final().table.tricks_taken == JOKER_TRICKS
    assert record.score().points == JOKER_POINTS
    assert any("no closing bracket" in text for text in notes_of(JOKER_PTN))


def test_deuce_of_diamonds_is_dealt_with_the_diamonds_and_is_a_spade():
    record = read_one(JOKER_PTN)
    deck = DECKS["joker-joker-deuce-deuce"]
    assert "D2" in record.hands[0]
    assert "D2" in record.plays
    assert deck.card("D2").suit == "S"


def test_jack_of_hearts_and_jokers_differ():
    deck = DECKS["joker-joker-ace"]
    assert len({deck.parse_card(text) for text in ("HJ", "JH", "JL")}) == 3


def test_deal_only():
    record = read_one(without_section(STANDARD_PTN, "Auction"))
    assert record.plays == ()
    assert record.bids == (NO_BID,) * 4
    assert record.score_before is None


def test_one_unknown_hand_is_what_is_left():
    whole = read_one(STANDARD_PTN)
    text = edited(STANDARD_PTN, "Q4.96.JT7642.Q96", "-")
    assert read_one(text).hands == whole.hands
    assert read_one(without_section(text, "Auction")).hands == whole.hands


def test_more_unknown_hands_are_inferred_from_all_plays():
    text = edited(STANDARD_PTN, "KT72.AK32.Q5.T53 Q4.96.JT7642.Q96", "- -")
    assert read_one(text) == read_one(STANDARD_PTN)


def test_more_unknown_hands_without_the_plays_are_refused():
    text = edited(STANDARD_PTN, "KT72.AK32.Q5.T53 Q4.96.JT7642.Q96", "- -")
    refusal = refusal_of(edited(text, "DT S3 C8 HK\n", ""))
    assert "hands of N, E are unknown" in refusal.reason
    assert refusal.line == line_of(STANDARD_PTN, "[Deal ")


@pytest.mark.parametrize(
    ("old", "new", "says", "row"),
    [
        ("D7 D8 D3 D5", "D7 S3 D3 D5", "must follow D; legal: DA DK D9 D8", "D7 S3"),
        ("DT S3 C8 HK\n", "DT S3 C8 HK\nC2 C3 C4 C5\n", "after the 13th", "C2 C3"),
        ("C9 C2 C7 C5", "CQ C2 C7 C5", "doesn't hold it", "CQ C2 C7"),
        ("D7 D8 D3 D5", "D7 D8 X3 D5", "no card of the standard deck", "D7 D8 X3"),
        ("D7 D8 D3 D5", "D7 D8 D3 D5 C6", "5 cards in a row", "D7 D8"),
        ("D7 D8 D3 D5", "D7 D8 D3", "3 cards in a row", "D7 D8"),
        ("D7 D8 D3 D5", "D7 D8 - D5", "W, whose turn it is, has no card", "D7 D8"),
        ("CQ C4 CK CT", "S4 C4 CK CT", "spades are not broken", "S4 C4"),
        ("2 5 3 6", "2 5 3 14", "N can't bid 14; 0 to 13 are legal", "2 5"),
        ("2 5 3 6", "2 5 3", "3 bids", "2 5"),
        ("2 5 3 6", "2 5 3 6 1", "5 bids", "2 5"),
        ("2 5 3 6", "2 5 3 Pass", "nil, BlindNil", "2 5"),
        ("2 5 3 6", "2 5 3 Blind6", "blind bids but nil", "2 5"),
        ('[Auction "E"]', '[Auction "S"]', "N deals, so E is first", "[Auction"),
        ('[Play "E"]', '[Play "W"]', "N deals, so E is first", "[Play"),
        ("Q4.96", "K4.96", "SK in E's hand was already dealt", "[Deal "),
        ("Q4.96", "4.96", "E holds 12 cards", "[Deal "),
        (" Q4.96.JT7642.Q96", "", "3 hands", "[Deal "),
        ("Q4.96.JT7642.Q96", "Q4.96.JT7642Q96", "four groups", "[Deal "),
        ("N:KT72", "X:KT72", "N, E, S or W", "[Deal "),
        ('[Dealer "N"]', '[Dealer "Q"]', "N, E, S or W", "[Dealer"),
        ('"Spades"', '"Hearts"', "only Spades", "[GameCode"),
        ("S:90 50 90 50", "S:90 50 80 50", "same score", "[GameScores"),
        ("S:90 50 90 50", "S:90 50 ninety 50", "four scores", "[GameScores"),
        ('[Dealer "N"]', '[Dealer "N"]\n[Dealer "N"]', "comes twice", '[Dealer "N"]\n'),
        ('[Dealer "N"]', '[Dealer "N"]\n[CardsAdded "x"]', "passing cards", "[CardsAdded"),
    ],
)
def test_refused_with_line_and_reason(old, new, says, row):
    text = edited(STANDARD_PTN, old, new)
    refusal = refusal_of(text)
    assert says in refusal.reason
    expected = line_of(text, row.split("\n")[0]) + row.count("\n")
    assert refusal.line == expected


def test_a_card_played_twice_is_refused():
    text = edited(STANDARD_PTN, "C6 CA CJ C3", "C6 C4 CJ C3")
    assert "S can't play C4: S doesn't hold it; legal: HT H5 DA" in refusal_of(text).reason


def test_no_deal_is_refused():
    assert "no tag Deal" in refusal_of('[Event "x"]\n[GameCode "Spades"]\n').reason


def test_the_rest_of_the_file_is_read():
    broken = edited(STANDARD_PTN, "D7 D8 D3 D5", "D7 S3 D3 D5")
    reading = ptn.parse("\n".join([STANDARD_PTN, broken, JOKER_PTN]))
    assert [r.is_complete for r in reading.records] == [True, True]
    (refusal,) = reading.refused
    assert refusal.line == STANDARD_PTN.count("\n") + 1 + line_of(broken, "D7 S3")


def test_markdown_fence_and_prose():
    text = f"Look at this:\n\n```\n{STANDARD_PTN}```\nand [this] too\n```\n{JOKER_PTN}```\nthanks"
    reading = ptn.parse(text)
    assert len(reading.records) == 2
    assert reading.refused == ()


def test_prose_after_an_unfenced_record_is_noted():
    text = STANDARD_PTN + "\nWhy did he play that?\nIt lost.\n"
    assert read_one(text).is_complete
    assert sum("left out" in note for note in notes_of(text)) == 1


def test_comments_are_skipped():
    text = edited(STANDARD_PTN, "C9 C2 C7 C5", "% a comment\nC9 C2 C7 C5% and another")
    assert read_one(text) == read_one(STANDARD_PTN)


def test_windows_line_ends():
    assert read_one(STANDARD_PTN.replace("\n", "\r\n")) == read_one(STANDARD_PTN)


@pytest.mark.parametrize(
    ("row", "end", "n_plays"),
    [
        # East leads this trick: the columns are in the order of play.
        ("D7 D8 D3 D5", "D7 D8 D3 D5", 12),
        ("D7 D8 D3 D5", "D7 D8 D3", 11),
        ("D7 D8 D3 D5", "D7 D8 D3 D", 11),
        ("D7 D8 D3 D5", "D7 D", 9),
        # West leads this one: the columns before West's count only once West's is there.
        ("C9 C2 C7 C5", "C9 C2", 4),
        ("C9 C2 C7 C5", "C9 C2 C7", 5),
    ],
)
def test_text_cut_in_the_play(row, end, n_plays):
    cut = STANDARD_PTN[: STANDARD_PTN.index(row)] + end
    assert len(read_one(cut).plays) == n_plays
    assert any("cut off" in note for note in notes_of(cut)) == (end != row)


def test_text_cut_in_the_auction():
    record = read_one(STANDARD_PTN[: STANDARD_PTN.index(" 3 6\n")])
    assert record.bids == (NO_BID, 2, 5, NO_BID)


def test_text_cut_in_the_deal_is_refused():
    assert "hands" in refusal_of(STANDARD_PTN[: STANDARD_PTN.index(" 9653.T5")]).reason
    assert (
        "holds 11 cards" in refusal_of(STANDARD_PTN[: STANDARD_PTN.index('87"]\n[Auction')]).reason
    )


def test_round_that_ends_in_dashes():
    text = STANDARD_PTN[: STANDARD_PTN.index("C9 C2 C7 C5")] + "- - C7 C5\n- - - -\n"
    assert len(read_one(text).plays) == 6
    assert "after a gap" in refusal_of(text + "D7 D8 D3 D5\n").reason


def test_nil_and_blind_nil():
    record = read_one(edited(STANDARD_PTN, "2 5 3 6", "Nil Blind Nil BlindNil -"))
    assert record.bids == (NO_BID, 0, 0, 0)
    assert record.blind == (False, False, True, True)


def test_nil_where_the_rules_have_none_is_refused():
    text = edited(JOKER_PTN, "4 0 4 4", "4 Nil 4 4")
    assert "these rules have no nil" in refusal_of(text).reason


def test_partnership_minimum_is_checked():
    text = edited(JOKER_PTN, "4 0 4 4", "4 0 4 3")
    assert "partnership minimum 4" in refusal_of(text).reason


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ({"variation": 1}, {"deck": "joker-joker-ace"}),
        ({"variation": 2}, {"deck": "joker-joker-deuce-ace"}),
        ({"variation": 3}, {"deck": "joker-joker-deuce-deuce"}),
        ({"playTo": 200}, {"target": 200}),
        ({"gameOverScore": 350, "mercyRule": 1}, {"target": 350, "losing_floor": -200}),
        ({"nilOrZero": 1}, {"nil": None}),
        ({"leadSpades": 2}, {"spades_lead": "any"}),
        ({"minBid": 4, "tenForTwoHundred": True}, {"min_bid": 4, "ten_for_200": True}),
        ({"tenBagsPenalty": False}, {"bag_limit": 0}),
        ({"bagsThreshold": 0}, {"bag_limit": 0}),
        ({"bagsThreshold": 5}, {"bag_limit": 5}),
        ({"firstHandBidsItself": True}, {"first_hand_bids_itself": True}),
        ({"noWatching": True, "noSuggestions": True, "nilPass": 0}, {}),
    ],
)
def test_options(options, rules):
    assert parse_options(options, {}) == (Rules(**rules), [])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (r"{\"nilPass\":2}", "passing cards"),
        (r"{\"variation\":7}", "0, 1, 2, 3"),
        (r"{\"variation\":true}", "option variation"),
        (r"{\"minBid\":\"4\"}", "option minBid"),
        (r"{\"minBid\":99}", "0 to 13"),
        (r"{\"tenForTwoHundred\":1}", "true or false"),
        (r"{\"leadSpades\":1}", "option leadSpades"),
        (r"{\"playTo\":1e3}", "option playTo"),
        (r"{\"playTo\":99999999999}", "option playTo"),
        (r"{\"players\":3}", "option players"),
        (r"{\"playTo\":300,\"gameOverScore\":200}", "another 300"),
        (r"{\"playTo\":NaN}", "NaN"),
        (r"[1]", "JSON object"),
        (r"{\"playTo\":", "no valid JSON"),
        ("{" * 5000, "JSON"),
    ],
)
def test_options_refused(options, says):
    refusal = refusal_of(with_options(options))
    assert says in refusal.reason
    assert refusal.line == line_of(STANDARD_PTN, "[GameOptionsJson")


def test_unknown_options_are_noted():
    text = with_options(r"{\"failBidScoring\":1,\"someNewThing\":4}")
    assert "unknown options left out: 'someNewThing'" in notes_of(text)


def test_a_set_contract_without_its_price_is_noted():
    assert any("-10 per bid assumed" in note for note in notes_of(with_options("{}")))
    assert not any("per bid" in note for note in notes_of(STANDARD_PTN))


def test_options_that_ptn_cannot_say():
    rules = Rules(nil=50, losing_floor=-100, target=250)
    said, unsaid = format_options(rules)
    assert said == {"playTo": 250, "failBidScoring": 1}
    assert unsaid == {"nil": 50, "losing_floor": -100}


def _next_round(scores):
    """The made-up round again one seat on: E deals, S bids and leads; same cards a seat on."""
    text = edited(STANDARD_PTN, '[Dealer "N"]', '[Dealer "E"]')
    for old, new in (('[Deal "N:', '[Deal "E:'), ('n "E"]', 'n "S"]'), ('y "E"]', 'y "S"]')):
        text = edited(text, old, new)
    return edited(text, "S:90 50 90 50", f"S:{scores}")


def test_scores_that_follow_from_the_round_before():
    # N/S now sit where E/W sat: -50 for them, -110 for E/W.
    reading = ptn.parse(STANDARD_PTN + _next_round("40 -60 40 -60"))
    assert reading.refused == ()
    assert reading.records[1].score_before == (90, 50)


def test_scores_that_contradict_the_plays_are_refused():
    text = STANDARD_PTN + _next_round("41 -60 41 -60")
    reading = ptn.parse(text)
    assert len(reading.records) == 1
    (refusal,) = reading.refused
    assert "N/S go from 90 to 41, by -49; the plays score -50" in refusal.reason
    assert refusal.line == line_of(text, '[GameScores "S:41')


def test_bag_penalty_may_explain_scores():
    # S bids 2 and N 1, and they take 4: 31 points with a bag, which may have cost 100.
    low_bids = edited(_next_round("11 -60 11 -60"), "2 5 3 6", "2 5 1 6")
    reading = ptn.parse(STANDARD_PTN + low_bids)
    assert [r.reason for r in reading.refused] == [
        "GameScores of N/S go from 90 to 11, by -79; the plays score +31 or -69"
    ]
    fitting = edited(low_bids, "S:11 -60 11 -60", "S:21 -60 21 -60")
    assert ptn.parse(STANDARD_PTN + fitting).refused == ()


def test_a_new_game_is_no_contradiction():
    assert ptn.parse(STANDARD_PTN + _next_round("-50 -110 -50 -110")).refused == ()
    over = edited(STANDARD_PTN, "S:90 50 90 50", "S:90 510 90 510")
    assert ptn.parse(over + _next_round("7 7 7 7")).refused == ()


def test_names_are_data():
    text = edited(STANDARD_PTN, "Me (1)", '<b onload="x()">[Y]</b> (12)')
    assert read_one(text).players[2] == '<b onload="x()">[Y]</b>'


def test_names_without_a_mark_are_noted():
    text = edited(STANDARD_PTN, "Me (1)", "Me")
    assert read_one(text).kinds[2] == HUMAN
    assert any("neither (Auto) nor (digits)" in note for note in notes_of(text))


def test_source_has_name_and_line():
    (record,) = ptn.parse("% x\n" + STANDARD_PTN, name="a.ptn").records
    assert record.source == "a.ptn:2"


def test_deal_may_start_at_another_seat():
    parts = STANDARD_PTN.split('"N:')[1].split('"')[0].split()
    text = edited(STANDARD_PTN, "N:" + " ".join(parts), "W:" + " ".join(parts[3:] + parts[:3]))
    record = read_one(text)
    assert record.hands == read_one(STANDARD_PTN).hands
    assert record.hands[WEST] >> STANDARD.parse_card("SA") & 1


def test_tag_without_quotes_is_refused():
    assert "in quotes" in refusal_of(edited(STANDARD_PTN, '[Auction "E"]', "[Auction E]")).reason


def test_limits_of_one_record():
    rows = "- - - -\n" * 21
    text = STANDARD_PTN[: STANDARD_PTN.index("CQ C4")] + rows
    assert "over 20 rows in Play" in refusal_of(text).reason
    tags = "".join(f'[Tag{i} "x"]\n' for i in range(100))
    assert "over 100 tags" in refusal_of(edited(STANDARD_PTN, "[West", tags + "[West")).reason
