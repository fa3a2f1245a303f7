import json
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spades.cli.answer import REFUSED, report_refused
from spades.cli.main import main
from spades.cli.style import MAX_GROUPS, compare_files, style_text
from spades.core.errors import InvalidRecordError, SpadesError
from spades.notation import write_path
from spades.notation.parquet import save_log
from spades.notation.parquet_columns import SCHEMA, batch_of
from spades.notation.sources import find_source
from tests.analysis.styles import random_log


@pytest.fixture
def files(tmp_path):
    log = random_log(6)
    save_log(log, tmp_path / "log.parquet")
    write_path(list(log.records()), tmp_path / "log.jsonl")
    return [tmp_path / "log.parquet"], [tmp_path / "log.jsonl"]


def test_document_has_what_the_command_promises(files):
    document = style_document(files[0], "kind", 32)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert [set(row) >= {"name", "games", "decisions"} for row in document["groups"]] == [True] * 2
    assert [row["name"] for row in document["groups"]] == ["human", "bot"]
    assert [row["decisions"] for row in document["groups"]] == [78, 234]
    assert [row["group"] for row in document["groups"]] == ["Humans", "Bots"]
    first = document["divergences"][0]
    assert (first["of"], first["to"], document["classes"]) == ("Humans", "Bots", 32)
    assert first["kl_low"] <= first["kl"] <= first["kl_high"]
    assert first["kl_bits"] == pytest.approx(first["kl"] / math.log(2))
    shares = [row["share"] for row in document["frequencies"] if row["group"] == "Humans"]
    assert sum(shares) == pytest.approx(1)
    assert len(shares) == 32


def test_notation_does_not_matter(files):
    one, other = (style_document(paths, "agent", 68) for paths in files)
    assert one["divergences"] == other["divergences"]
    assert one["frequencies"] == other["frequencies"]


def style_document(*asked):
    return compare_files(*asked).document()


def with_an_illegal_play(tmp_path, ending):
    """Six rounds in a file, the third of them illegal."""
    log = random_log(6)
    path = tmp_path / f"broken.{ending}"
    if ending == "parquet":
        batch = batch_of(log).to_pylist()
        batch[2]["plays"] = batch[2]["plays"][::-1]
        table = pa.Table.from_pylist(batch, schema=SCHEMA)
        pq.write_table(table, path)
        return path
    write_path(list(log.records()), path)
    lines = path.read_text().splitlines()
    row = json.loads(lines[2])
    lines[2] = json.dumps({**row, "plays": row["plays"][::-1]})
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_refused_rounds_are_said(tmp_path, ending, capsys):
    path = with_an_illegal_play(tmp_path, ending)
    assert main(["style", str(path), "--json"]) == REFUSED
    shown = capsys.readouterr()
    document = json.loads(shown.out)
    (row,) = document["refused"]
    assert (row["file"], row["line"]) == (path.name, 3)
    assert sum(group["decisions"] for group in document["groups"]) == 5 * 52
    head, reason = shown.err.splitlines()
    assert head == "1 refused and left out:"
    assert reason == f"{path.name}: line 3: {row['reason']}"


def test_only_the_first_reasons_are_said(capsys):
    assert (
        report_refused([{"file": "a.tn", "line": i, "reason": "no"} for i in range(1, 1235)])
        == REFUSED
    )
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "1,234 refused and left out:"
    assert lines[1] == "a.tn: line 1: no"
    assert lines[-1] == "and 1,224 more"
    assert len(lines) == 12


def test_text_too_big_for_one_piece_is_read_in_parts(files, monkeypatch):
    whole = style_document(files[1])
    monkeypatch.setattr("spades.notation.MAX_TEXT_BYTES", 100)
    assert style_document(files[1]) == whole


def test_table_is_for_people(files):
    text = style_text(compare_files(files[0]))
    assert "Humans || Bots" in text
    assert "Baseline ISMCTS 0.1142" in text
    assert "simulated" not in text
    assert "Lead spade boss" in text


def test_many_players_are_the_largest(tmp_path):
    records = [
        record
        for i in range(5)
        for record in random_log(1, players=tuple(f"p{i}{seat}" for seat in range(4))).records()
    ]
    write_path(records, tmp_path / "many.jsonl")
    document = style_document([tmp_path / "many.jsonl"], "player")
    assert len(document["groups"]) == MAX_GROUPS
    assert document["groups_left_out"] == 20 - MAX_GROUPS
    found = compare_files([tmp_path / "many.jsonl"], "player")
    assert "and 8 more" in style_text(found)


def test_a_single_game_has_no_interval_but_a_kl(tmp_path):
    write_path(list(random_log(2).records()), tmp_path / "one.jsonl")
    found = compare_files([tmp_path / "one.jsonl"])
    (first, _) = found.document()["divergences"]
    assert first["kl_low"] is first["kl_high"] is None
    assert first["kl"] > 0
    assert style_text(found)


def test_nothing_to_compare_is_refused(tmp_path):
    write_path(list(random_log(1, plays=()).records()), tmp_path / "deal.jsonl")
    with pytest.raises(InvalidRecordError, match=r"no play to compare in deal\.jsonl"):
        style_document([tmp_path / "deal.jsonl"])
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(InvalidRecordError, match=r"empty\.jsonl: no round"):
        style_document([tmp_path / "empty.jsonl"])


def test_habits_are_those_of_two_groups_by_label_or_by_what_they_are():
    source = find_source("human-south")
    found = compare_files([source], habits=("simulated-human", "Bots"))
    habits = json.loads(json.dumps(found.document(), allow_nan=False))["habits"]
    assert (habits["of"], habits["to"]) == ("Simulated humans", "Bots")
    first = habits["rows"][0]
    assert first["of_low"] < first["of_share"] < first["of_high"]
    text = style_text(found)
    assert "habits of Simulated humans" in text
    assert f"{first['habit']}  " in text
    assert "habits" not in compare_files([source]).document()


def test_a_group_that_is_none_has_no_habits(files):
    with pytest.raises(SpadesError, match="no group is called 'Cats'; there are: Humans, Bots"):
        compare_files(files[0], habits=("Cats", "Bots"))
    none = compare_files(files[0], habits=("Humans", "Bots"))
    assert "no habit tells Humans from Bots" in style_text(none)
