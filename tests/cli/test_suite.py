"""The command suite: names and files, exit codes, JSON, JUnit XML."""

import json
from xml.etree import ElementTree

import pytest

from analysis.suites.suite import write_suite
from spades.cli.main import main
from tests.analysis.suites.made_up import LEGAL, position
from tests.analysis.workers import InProcess


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    return InProcess(monkeypatch)


@pytest.fixture
def file(tmp_path):
    """Two positions: every agent passes the first but one card, none but by chance the second."""
    path = tmp_path / "mine.jsonl"
    easy = position("easy", best=LEGAL[1:], themes=("bags",))
    write_suite([easy, position("hard", best=LEGAL[:1])], path)
    return str(path)


def asked(file, *more):
    return main(["suite", file, "--agent", "random", "--seeds", "50", *more])


def test_json_is_as_documented(file, capsys):
    assert asked(file, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["agent"] == "random"
    easy, hard = document["positions"]
    assert (easy["id"], easy["of"], hard["id"]) == ("easy", 50, "hard")
    assert easy["passed"] + hard["passed"] == 50  # what passes the one fails the other
    assert easy["rate"] == easy["passed"] / 50 > 0.5
    assert easy["interval"][0] < easy["rate"] < easy["interval"][1]
    assert sum(easy["chosen"].values()) == 50
    assert document["rate"] == 0.5


def test_the_table_has_themes_and_what_failed(file, capsys):
    assert asked(file) == 0
    said = capsys.readouterr().out
    assert "mine: 2 positions, 50 seeds each from 0, random" in said
    assert "50.0% (50 of 100; 39.8% to 60.2%) passed" in said
    assert "nil cover" in said
    assert "0 of 2 positions passed with every seed" in said


@pytest.mark.parametrize(
    ("more", "status", "why"),
    [
        (["--require", "0.5"], 0, ""),
        (["--require", "0.51"], 3, "50.0% passed of all; 51.0% are required"),
        (["--require-each", "0"], 0, ""),
        (["--require-each", "0.5"], 3, "1 position passed too rarely, 50.0% are required"),
    ],
)
def test_the_exit_status_says_whether_enough_passed(more, status, why, file, capsys):
    assert asked(file, *more) == status
    assert why in capsys.readouterr().err


def test_junit_is_written_whatever_is_required(file, tmp_path, capsys):
    path = tmp_path / "reports" / "suite.xml"
    assert asked(file, "--junit", str(path), "--require", "1") == 3
    root = ElementTree.parse(path).getroot()
    assert root.get("failures") == "1"
    names = [case.get("name") for case in root.iter("testcase") if case.find("failure") is not None]
    assert names == ["hard"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--require", "90"], "--require is 90; 0 to 1 are legal"),
        (["--require-each", "nan"], "--require-each is nan; 0 to 1 are legal"),
        (["--seeds", "0"], "0 seeds a position"),
        (["--seed", "-1"], "--seed is -1"),
    ],
)
def test_what_is_refused(more, why, file, capsys, here):
    assert asked(file, *more) == 1
    assert why in capsys.readouterr().err
    assert not here.done


def test_a_line_that_is_no_position_is_named_and_nothing_is_asked(file, capsys, here):
    with open(file, "a") as lines:
        lines.write('{"id": "broken"}\n')
    assert asked(file) == 1
    said = capsys.readouterr().err
    assert "mine.jsonl: line 3: a position lacks record, ply, themes, best, known" in said
    assert "1 of its lines is no position" in said
    assert not here.done


def test_a_name_that_no_suite_has(capsys):
    assert main(["suite", "sixtyy", "--agent", "random"]) == 1
    assert "no suite has that name; did you mean sixty?" in capsys.readouterr().err
