"""The command disagreements: what it counts, JSON, names and files, what it refuses."""

import json

import pytest

from analysis.disagreements.plan import LogSearchPlan
from analysis.disagreements.search import missing_rounds
from spades.cli.disagreements import ROUNDS, stored_name
from spades.cli.main import main
from spades.notation import write_path
from spades.notation.log_store import open_log
from spades.notation.sources import log_names
from tests.analysis.disagreements.quick import MOST, judge_quickly, store_cut_log
from tests.analysis.workers import InProcess
from tests.split_logs import split

AGENT = "ismcts:iterations=20"
CALL = ["disagreements", "tiny", "--rounds", "3", "--agent", AGENT, "--played-on", str(MOST)]


@pytest.fixture(scope="module", autouse=True)
def here(tmp_path_factory):
    """A log of five rounds of which eight cards were played, its first rounds judged quickly."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPADES_LOGS", str(tmp_path_factory.mktemp("logs")))
        patch.setenv("SPADES_RESULTS", str(tmp_path_factory.mktemp("results")))
        judge_quickly(patch)
        store_cut_log(5, 8)
        yield InProcess(patch)


def found(capsys, *more):
    assert main([*CALL, "--json", *more]) == 0
    return json.loads(capsys.readouterr().out)


def test_of_a_folder_the_first_rounds_become_a_log(tmp_path, monkeypatch):
    monkeypatch.setattr("spades.cli.disagreements.LEAST_STORED", 3)
    whole = open_log("tiny")
    folder = split(whole, tmp_path / "big", 2)
    assert [len(open_log(stored_name(str(folder), n))) for n in (1, 4)] == [3, 4]
    first = open_log(stored_name(str(folder), 2))
    assert list(first.records()) == list(whole.take(slice(3)).records())


@pytest.mark.slow
def test_json_is_as_documented(capsys):
    document = found(capsys, "--threshold", "0")
    assert list(document) == ["decisions", "with_choice", "disagreements", "rows"]
    assert document["decisions"] == 3 * 8
    assert 0 < document["with_choice"] <= 24
    assert document["disagreements"] == len(document["rows"]) > 0
    losses = [row["loss"] for row in document["rows"]]
    assert losses == sorted(losses, reverse=True)
    log = open_log("tiny")
    for row in document["rows"]:
        assert list(row) == [
            "round", "ply", "seat", "played", "best", "loss", "interval", "reason",
        ]  # fmt: skip
        record = log.record(row["round"])
        seen = record.observation(row["ply"])
        assert row["played"] == record.plays[row["ply"]] != row["best"]
        assert row["best"] in seen.legal
        assert row["seat"] == "NESW"[seen.seat]
        low, high = row["interval"]
        assert low <= row["loss"] <= high


def test_seats_share_out_the_plays(capsys, here):
    whole = found(capsys)
    here.done.clear()
    by_seat = [found(capsys, "--seat", seat) for seat in "NESW"]
    assert not here.done  # judged once
    for name in ("decisions", "with_choice", "disagreements"):
        assert sum(one[name] for one in by_seat) == whole[name]


def test_it_is_the_search_of_the_dashboard(capsys):
    found(capsys)
    assert missing_rounds(LogSearchPlan("tiny", 5, AGENT, played_on=MOST), 5) == [3, 4]


def test_the_table_has_shares_with_n_and_interval(capsys):
    assert main([*CALL, "--top", "1", "--threshold", "0"]) == 0
    said = capsys.readouterr().out
    assert "3 rounds, 24 plays" in said
    assert "another card than the judge's first: " in said
    assert "%, over rounds)" in said
    assert "the 1 costliest of" in said


def test_a_file_becomes_a_log_once(tmp_path, capsys):
    path = tmp_path / "My rounds.jsonl"
    write_path(list(open_log("tiny").records())[:4], path)
    before = set(log_names())
    assert stored_name(str(path)) == "my-rounds"
    assert "My rounds.jsonl is the log my-rounds from now on" in capsys.readouterr().err
    assert stored_name(str(path)) == "my-rounds"
    assert set(log_names()) == before | {"my-rounds"}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--rounds", "0"], "0 rounds; 1 to"),
        (["--agent", "random"], "doesn't search, so it has no visits"),
        (["--played-on", "1"], "1 rounds played on of a decision"),
        (["--threshold", "-1"], "--threshold is -1; 0 to 400 are legal"),
        (["--top", "-1"], "--top is -1; 0 or more are legal"),
    ],
)
def test_what_is_refused(more, why, capsys):
    assert main([*CALL, *more]) == 1
    assert why in capsys.readouterr().err


def test_no_such_log(capsys):
    assert main(["disagreements", "tinny"]) == 1
    assert "did you mean tiny?" in capsys.readouterr().err
    assert ROUNDS <= 10  # some minutes by default
