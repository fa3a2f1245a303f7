"""CSV for spreadsheets: one row a play, no formula, nothing lost."""

import csv
import dataclasses
import io
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spades.core.errors import InvalidRecordError
from spades.core.rules import Rules
from spades.notation import (
    NOTATIONS,
    format_records,
    read_bytes,
    read_parts,
    read_path,
    read_text,
    reading,
)
from spades.notation.notations.csv_plays import (
    HEADER,
    MAX_CELL,
    format_cell,
    format_cells,
    parse_cell,
    split_line,
)
from tests.random_logs import random_log
from tests.strategies import NAMES, record_of, round_records

csv_plays = NOTATIONS["csv"]
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
NASTY = NAMES | st.text("=+-@\t\r\n'\\\"u0,; \0\x85\u2028＝", max_size=8)
FIRST_NINE = "game,round,trick,seat,card,led suit,bid,player,kind"
RECORD = record_of(
    Rules(), 3, 1, game_id="g", players=("ann", "bob", "cat", "dan"), source="s", seed=-3
)
CUT = dataclasses.replace(RECORD, plays=RECORD.plays[:2], round_index=1)


def text_of(*records):
    return format_records(records, "csv")


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def with_cell(text, row, column, value):
    """The text with one cell (of a row from 1, below the header) changed."""
    rows = list(csv.reader(io.StringIO(text, newline="")))
    rows[row][rows[0].index(column)] = value
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue()


@settings(max_examples=80, deadline=None)
@given(st.lists(round_records(), min_size=1, max_size=3))
def test_records_come_back_unchanged(records):
    text = text_of(*records)
    result = csv_plays.parse(text)
    assert result.refused == ()
    assert result.records == tuple(records)
    assert read_text(text).notation == "csv"


@settings(max_examples=100, deadline=None)
@given(st.tuples(NASTY, NASTY, NASTY, NASTY), NASTY, NASTY, NASTY)
def test_nasty_names_come_back_and_are_no_formulas(players, agent, game, source):
    record = dataclasses.replace(
        CUT, players=players, agents=(agent,) * 4, game_id=game, source=source or "s"
    )
    text = text_of(record)
    assert csv_plays.parse(text).records == (record,)
    for row in csv.reader(io.StringIO(text, newline="")):
        assert not any(cell.startswith(FORMULAS) for cell in row)
    assert len(text.splitlines()) == 5
    assert "\0" not in text


@given(NASTY)
@example("'=1")
@example("''")
@example("\\u0041")
@example("\\'=")
def test_cells_come_back(text):
    cell = format_cell(text)
    assert parse_cell(cell) == text
    assert not cell.startswith(FORMULAS)
    for delimiter in ",;\t":
        if delimiter == ",":
            assert split_line(format_cells([text, "x"]), delimiter) == [cell, "x"]


@pytest.mark.parametrize("cell", ["'", "'abc", "a'b", "C:\\x", "\\", "\\u12", "\\d"])
def test_cells_of_other_programs_stay_as_they_are(cell):
    assert parse_cell(cell) == cell


def test_a_row_is_a_play():
    rows = rows_of(text_of(RECORD, CUT))
    assert len(rows) == 52 + 4
    table = RECORD.final().table
    deck = RECORD.rules.cards
    assert [row["card"] for row in rows[:52]] == [deck.format_card(c) for c in RECORD.plays]
    assert ["NESW".index(row["seat"]) for row in rows[:52]] == table.seats
    assert [int(row["trick"]) for row in rows[:52]] == [i // 4 + 1 for i in range(52)]
    assert rows[1]["led suit"] == rows[0]["card"][0]
    assert [row["card"] for row in rows[52:]] == [rows[0]["card"], rows[1]["card"], "", ""]
    assert {row["player"] for row in rows} == {"ann", "bob", "cat", "dan"}
    assert rows[0]["dealer"] == "W"
    assert rows[1]["dealer"] == ""


def test_bids_in_words():
    record = record_of(Rules(), n_plays=0, n_bids=0)
    record = dataclasses.replace(record, bids=(0, 0, 3, -1), blind=(True, False, False, False))
    by_seat = {row["seat"]: row["bid"] for row in rows_of(text_of(record))}
    assert by_seat == {"N": "blind nil", "E": "nil", "S": "3", "W": ""}
    zero = dataclasses.replace(record, rules=Rules(nil=None), blind=(False,) * 4)
    assert rows_of(text_of(zero))[-1]["bid"] == "0"
    assert csv_plays.parse(text_of(zero)).records == (zero,)


def nine_columns(*records):
    names = FIRST_NINE.split(",")
    rows = [[row[name] for name in names] for row in rows_of(text_of(*records))]
    return "\n".join([FIRST_NINE, *(",".join(row) for row in rows)])


def test_the_first_nine_columns_are_enough_for_whole_rounds():
    second = dataclasses.replace(RECORD, round_index=1)
    result = csv_plays.parse(nine_columns(RECORD, second), name="a.csv")
    assert result.refused == ()
    first = dataclasses.replace(RECORD, seed=None, source="a.csv:2")
    assert result.records == (first, dataclasses.replace(second, seed=None, source="a.csv:54"))
    (refusal,) = csv_plays.parse(nine_columns(CUT)).refused
    assert "are unknown" in refusal.reason


def test_one_play_may_lack_of_a_round_without_deal():
    text = "\n".join(nine_columns(RECORD).split("\n")[:-1])
    (record,) = csv_plays.parse(text).records
    assert record.hands == RECORD.hands
    assert record.plays == RECORD.plays[:-1]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_delimiters_and_line_ends(delimiter):
    text = nine_columns(RECORD).replace(",", delimiter).replace("led suit", "Led_Suit")
    for end in ("\n", "\r\n", "\r"):
        (record,) = read_text(text.replace("\n", end) + end * 2).records
        assert record.plays == RECORD.plays


@pytest.mark.parametrize(
    ("row", "column", "value", "says"),
    [
        (1, "trick", "2", "trick is '2' where 1 is due"),
        (2, "seat", "S", "but 'bob' in a row before"),
        (2, "seat", "X", "N, E, S or W"),
        (2, "card", "ZZ", "no card"),
        (2, "led suit", "X", "led suit is 'X'"),
        (6, "bid", "9", "bid of"),
        (6, "player", "eve", "player of"),
        (1, "kind", "cat", "but 'cat' in a row before"),
        (1, "round", "x", "within the round of line 2, which is 'g', 'x'"),
        (1, "round", "1.0", "within the round of line 2, which is 'g', '1.0'"),
        (20, "game", "h", "game and round are 'h', '0' within the round of line 2"),
        (52, "round", "1", "game and round are 'g', '1' within the round of line 2"),
        (9, "dealer", "N", "dealer is 'N' in a round's later row"),
        (1, "dealer", "Q", "dealer names the seat 'Q'"),
        (1, "deck", "tarot", "deck is 'tarot'"),
        (1, "rules", "{", "no valid JSON"),
        (1, "rules", '{"x": 1}', "unknown rule"),
        (1, "schema_version", "2", "schema_version is '2'"),
        (1, "deal", "A.K", "four hands"),
        (1, "deal", "A K Q J", "four groups"),
        (1, "score ns", "12", "score_before[1] is ''"),
        (1, "bags ew", "many", "bags_before"),
        (1, "seed", "1e3", "seed is '1e3'"),
        (1, "seed", "0x1", "seed is '0x1'"),
        (1, "seed", "9" * 30, "seed is '999"),
        (5, "dealer", "", ""),
        (5, "seed", "7", "in a round's later row"),
        (1, "game", "h", "first row"),
    ],
)
def test_refused_with_line_and_reason(row, column, value, says):
    other = dataclasses.replace(RECORD, game_id="other")
    text = with_cell(text_of(RECORD, other), row, column, value)
    result = csv_plays.parse(text)
    assert other in result.records
    if says:
        reasons = [refusal.reason for refusal in result.refused]
        assert any(says in reason for reason in reasons), reasons
        assert all(refusal.line for refusal in result.refused)
        assert set(result.records) <= {RECORD, other}
    else:
        assert result.records == (RECORD, other)


@pytest.mark.parametrize("columns", ["all", "nine"])
def test_no_half_of_a_round_whose_line_is_damaged(columns):
    """One bit of any byte turned: each round is refused or read as it was."""
    records = [RECORD, dataclasses.replace(RECORD, game_id="h")]
    text = text_of(*records) if columns == "all" else nine_columns(*records)
    data, chance = text.encode(), random.Random(7)
    for _ in range(600):
        i, bit = chance.randrange(len(data)), 1 << chance.randrange(8)
        damaged = data[:i] + bytes([data[i] ^ bit]) + data[i + 1 :]
        found = read_bytes(damaged, name="a.csv").records
        assert {(r.hands, r.bids, r.plays) for r in found} <= {
            (RECORD.hands, RECORD.bids, RECORD.plays)
        }, (i, bit)


@pytest.mark.parametrize("row", range(1, 53))
def test_a_cell_of_the_game_is_damaged_in_nine_columns(row):
    lines = nine_columns(RECORD, dataclasses.replace(RECORD, game_id="h")).split("\n")
    lines[row] = "x" + lines[row][1:]
    result = csv_plays.parse("\n".join(lines))
    assert [record.game_id for record in result.records] == ["h"]
    assert result.refused


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('g,0,1,N,"SA', "no CSV line"),
        ('g,0,1,N,"SA"x,' + "," * 15, "no CSV line"),
        ("g,0,1", "3 cells, 21 are legal"),
        ("," * 200, "101 cells"),
        ("g,0,1,\0" + "," * 17, "zero byte"),
        ("x" * (MAX_CELL + 1) + "," * 20, "a cell of 130,001"),
        ('"' + "x" * (MAX_CELL + 1) + '"' + "," * 20, "a cell of 130,001"),
        ("x" * (reading.MAX_LINE + 1), "a line of over"),
        ("\udcff" + "," * 20, "not UTF-8"),
    ],
)
def test_lines_that_are_no_rows(line, says):
    """A bad line inside a round refuses it; after a whole round it stands for itself."""
    lines = text_of(RECORD, dataclasses.replace(RECORD, game_id="h")).split("\r\n")
    inside = [*lines[:10], line, *lines[10:]]
    result = csv_plays.parse("\r\n".join(inside))
    assert [record.game_id for record in result.records] == ["h"]
    assert [(says in r.reason, r.line) for r in result.refused] == [(True, 11)]
    after = [*lines[:53], line, *lines[53:]]
    result = csv_plays.parse("\r\n".join(after))
    assert [record.game_id for record in result.records] == ["g", "h"]
    assert [(says in r.reason, r.line) for r in result.refused] == [(True, 54)]


def test_a_play_out_of_turn():
    record = record_of(Rules(), 3, 1, n_bids=0)
    (refusal,) = csv_plays.parse(with_cell(text_of(record), 2, "seat", "S")).refused
    assert "seat is 'S' where E is due" in refusal.reason
    assert refusal.line == 3


def test_an_unknown_kind():
    text = text_of(RECORD).replace(",bot,", ",cat,")
    assert "human, bot, simulated-human are legal" in csv_plays.parse(text).refused[0].reason


def test_plays_beyond_the_round():
    lines = text_of(RECORD).split("\r\n")
    (refusal,) = csv_plays.parse("\r\n".join([*lines[:53], lines[52], ""])).refused
    assert "after the 13th trick" in refusal.reason
    assert refusal.line == 54
    (refusal,) = csv_plays.parse("\r\n".join([*lines[:53], *[lines[52]] * 9, ""])).refused
    assert "over 52 plays" in refusal.reason


def test_a_play_after_a_row_without_a_card():
    text = with_cell(text_of(CUT), 1, "card", "")
    (refusal,) = csv_plays.parse(text).refused
    assert "trick is '1' where nothing is due" in refusal.reason


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("game,round", "columns trick, seat, card, led suit, bid, player, kind are missing"),
        (FIRST_NINE + ",kind", "a column comes twice"),
        ("hello", "are missing"),
        ('"game', "no CSV line"),
    ],
)
def test_wrong_headers(header, says):
    (refusal,) = csv_plays.parse(f"\n{header}\n1,2\n").refused
    assert says in refusal.reason
    assert refusal.line == 2


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_of_other_columns_is_told_so_without_a_name(delimiter):
    text = "who,seat,card 1\nann,N,S2\nbob,E,S3".replace(",", delimiter)
    reading = read_text(text)
    assert reading.notation == "csv"
    assert reading.refused[0].reason.startswith("the columns game, round, trick, card,")


@pytest.mark.parametrize("text", ["1,2,3\n4,5,6", "a,b\nc,d", "no, no, no\nno", "a,b,c"])
def test_what_is_no_table_is_of_no_known_notation(text):
    assert "no known notation" in read_text(text).refused[0].reason


def test_big_files_are_read_in_parts(tmp_path, monkeypatch):
    records = list(random_log(30, rules=(Rules(), Rules(spades_lead="any")), p_cut=0.5).records())
    monkeypatch.setattr("spades.notation.MAX_TEXT_BYTES", 1000)
    monkeypatch.setattr(reading, "ROUNDS_AT_ONCE", 7)
    for notation in ("csv", "jsonl"):
        path = tmp_path / f"big.{notation}"
        path.write_text("\ufeff" + format_records(records, notation), newline="")
        with pytest.raises(InvalidRecordError, match="at most"):
            read_path(path)
        parts = list(read_parts(path))
        assert [len(part.records) for part in parts] == [7, 7, 7, 7, 2]
        assert [record for part in parts for record in part.records] == records


def test_bad_lines_of_big_files(tmp_path, monkeypatch):
    monkeypatch.setattr("spades.notation.MAX_TEXT_BYTES", 1000)
    path = tmp_path / "big.csv"
    text = text_of(RECORD).encode()
    path.write_bytes(text + b"\xff,\0\n" + b"x" * (reading.MAX_LINE + 9) + b"\n" + text[200:220])
    (part,) = read_parts(path)
    assert [record.game_id for record in part.records] == ["g"]
    assert part.refused[0].line == 54
    path.write_bytes(b"no header\n" * 1000)
    assert "are missing" in next(iter(read_parts(path))).refused[0].reason
    path = tmp_path / "big.jsonl"
    path.write_bytes(b'{"a\xff": 1}\n' + b"{" * (reading.MAX_LINE + 9) + b"\n[1]\n")
    (part,) = read_parts(path)
    assert [refusal.line for refusal in part.refused] == [1, 2, 3]


def test_no_text_takes_long():
    for text in (HEADER + ",\n" * 200_000, HEADER * 20_000, '"' * 1_000_000):
        result = read_text(text, name="x.csv")
        assert result.records == ()
        assert result.refused
