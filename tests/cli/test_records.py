"""The command line: documents, tables, refusals and exit statuses."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.bidding.judged import HINT
from analysis.decisions.judge import PLAYER
from analysis.phases import PHASES
from spades.cli.answer import DONE, REFUSED
from spades.cli.main import main
from spades.core.cards import cards_in
from spades.notation import read_path
from tests.analysis.disagreements.quick import review_quickly

ROOT = Path(__file__).parents[2]
HANDS = ROOT / "data" / "hands"
SHARED = ROOT.parent / "shared" / "records"
REPORT = str(HANDS / "bug-report-335.jsonl")


def run(capsys, *arguments):
    status = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def run_json(capsys, *arguments):
    status, out, _ = run(capsys, *arguments, "--json")
    return status, json.loads(out)


def test_analyze_lists_exactly_the_legal_cards_at_all_52_plays(capsys):
    for path in (HANDS / "bug-report-335.jsonl", HANDS / "four-bots.jsonl"):
        status, document = run_json(capsys, "analyze", path, "--iterations", 40)
        assert status == DONE
        record = read_path(path).records[0]
        decisions = document["rounds"][0]["decisions"]
        assert [decision["ply"] for decision in decisions] == list(range(52))
        for decision in decisions:
            legal = record.at(decision["ply"]).legal_plays()
            texts = {record.rules.cards.format_card(card) for card in cards_in(legal)}
            assert {row["card"] for row in decision["cards"]} == texts
            assert sum(row["visits"] for row in decision["cards"]) == decision["iterations"] == 40
            assert all(row["availability"] >= row["visits"] for row in decision["cards"])
            humans = [row["human"]["devlin2016"] for row in decision["cards"]]
            assert sum(humans) == pytest.approx(1)


def test_analyze_document_has_the_keys_of_the_interface(capsys):
    _, document = run_json(
        capsys, "analyze", REPORT, "--ply", 3, "--agent", "ismcts:iterations=30", "--seed", 7
    )
    assert document["file"] == "bug-report-335.jsonl"
    assert (document["agent"], document["seed"]) == ("ismcts:iterations=30", 7)
    assert document["models"] == ["devlin2016"]
    (found,) = document["rounds"]
    assert {"index", "game_id", "deck", "decisions"} <= set(found)
    (decision,) = found["decisions"]
    assert (decision["ply"], decision["trick"], decision["seat"]) == (3, 0, "N")
    assert {"card", "human", "visits", "availability", "value", "value_se", "abstract_move"} <= set(
        decision["cards"][0]
    )


def test_same_seed_same_output_byte_for_byte(capsys):
    arguments = ("analyze", REPORT, "--ply", 5, "--seed", 3, "--json")
    assert run(capsys, *arguments)[1] == run(capsys, *arguments)[1]
    other = ("analyze", REPORT, "--ply", 5, "--seed", 4, "--json")
    assert run(capsys, *arguments)[1] != run(capsys, *other)[1]


@pytest.mark.parametrize(
    "option",
    [
        "determinization=posterior",
        "determinization=mixed,share=1,without=nil/high-bid",
        "playout=heuristic",
        "reward_scale=100",
        "skew=on",
    ],
)
def test_analyze_searches_with_every_option_of_the_agent(capsys, option):
    visits = []
    for agent in ("ismcts:iterations=300", f"ismcts:iterations=300,{option}"):
        _, document = run_json(capsys, "analyze", REPORT, "--ply", 9, "--agent", agent)
        (decision,) = document["rounds"][0]["decisions"]
        visits.append([row["visits"] for row in decision["cards"]])
    assert len(visits[0]) > 1
    assert visits[0] != visits[1]


def test_analyze_prints_a_table_for_people(capsys):
    status, out, err = run(capsys, "analyze", REPORT, "--ply", 8, "--iterations", 20)
    assert (status, err) == (DONE, "")
    assert "ply 8  trick 3  N played CK" in out
    assert "devlin2016" in out


def test_a_deal_without_plays_has_nothing_to_analyse(capsys):
    deal = HANDS / "deal-231.jsonl"
    status, document = run_json(capsys, "analyze", deal)
    assert (status, document["rounds"][0]["decisions"]) == (DONE, [])
    status, _, err = run(capsys, "analyze", deal, "--ply", 0)
    assert status == REFUSED
    assert "a deal without plays" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--agent", "psychic"), "known: random, ismcts"),
        (("--agent", "human"), "gives cards no values"),
        (("--agent", "ismcts:iteration=5"), "known: iterations="),
        (("--agent", "ismcts:iterations=many"), "whole number"),
        (("--agent", "ismcts:playout=psychic"), "uniform, nil-aware"),
        (("--iterations", "0"), "1 to 1,000,000"),
        (("--seed", "18446744073709551616"), "--seed is 18446744073709551616; 0 to"),
        (("--seed", "-1"), "--seed is -1; 0 to 9223372036854775807 are legal"),
        (("--model", "freud"), "devlin2016"),
        (("--round", "1"), "0 to 0"),
        (("--ply", "52"), "0 to 51"),
    ],
)
def test_what_can_not_be_analysed_is_refused_with_what_would_be_legal(capsys, arguments, message):
    status, out, err = run(capsys, "analyze", REPORT, *arguments)
    assert (status, out) == (REFUSED, "")
    assert message in err


def test_missing_and_broken_files_are_refused(capsys, tmp_path):
    status, _, err = run(capsys, "analyze", tmp_path / "none.ptn")
    assert status == REFUSED
    assert "none.ptn" in err
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"schema_version": 1,')
    status, out, err = run(capsys, "validate", broken)
    assert status == REFUSED
    assert "line 1" in out


@pytest.mark.slow
def test_a_review_sums_up_each_round(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    review_quickly(monkeypatch)
    arguments = ("analyze", REPORT, "--review", "--iterations", 60, "--budget", 0.05)
    status, document = run_json(capsys, *arguments)
    found = document["rounds"][0]["review"]
    assert (status, list(found["seats"])) == (DONE, ["N", "E", "S", "W"])
    assert list(found["partnerships"]) == ["ns", "ew"]
    for row in (*found["seats"].values(), *found["partnerships"].values()):
        assert row["given_away"] == pytest.approx(sum(row[x]["given_away"] for x in PHASES))
        assert row["decisions"] == sum(row[phase]["decisions"] for phase in PHASES)
    points = [play["given_away"] for play in found["costliest"]]
    assert points == sorted(points, reverse=True)
    assert len(points) <= 5
    plays = document["rounds"][0]["decisions"]
    assert all(plays[play["ply"]]["played"] == play["card"] for play in found["costliest"])
    assert found["score"] == {"points": [-80, 51], "bags": [0, 1]}
    _, out, _ = run(capsys, *arguments)
    assert found["judge"] == PLAYER
    assert "points given away by plays" in out
    assert [bid["made"] for bid in found["bids"]] == ["1", "2", "4", "6"]
    assert "East bid 1: " in out
    assert HINT in out
    assert "North/South's contract was set" in out


def test_a_review_is_of_whole_rounds(capsys):
    status, _, err = run(capsys, "analyze", REPORT, "--review", "--ply", 3)
    assert (status, "leave out --ply" in err) == (REFUSED, True)
    deal = HANDS / "deal-231.jsonl"
    assert run_json(capsys, "analyze", deal, "--review")[1]["rounds"][0]["review"] is None


def test_unknown_bids_are_said_and_the_other_rounds_are_still_searched(capsys, tmp_path):
    row = json.loads(Path(REPORT).read_text())
    unbid = {**row, "bids": [-1, 1, 2, 4]}
    path = tmp_path / "two.jsonl"
    path.write_text(json.dumps(unbid) + "\n" + json.dumps(row) + "\n")
    status, document = run_json(capsys, "analyze", path, "--iterations", 10)
    assert status == DONE
    assert "bids are not known" in document["rounds"][0]["not_searched"]
    assert len(document["rounds"][1]["decisions"]) == 52


def test_convert_there_and_back_changes_nothing(capsys, tmp_path):
    for ending in ("ptn", "tn", "jsonl"):
        there, back = tmp_path / f"there.{ending}", tmp_path / f"back-{ending}.jsonl"
        assert run(capsys, "convert", REPORT, there)[0] == DONE
        assert run(capsys, "convert", there, back)[0] == DONE
        one, other = read_path(REPORT).records[0], read_path(back).records[0]
        assert (one.hands, one.bids, one.plays) == (other.hands, other.bids, other.plays)
        assert one.rules == other.rules


def test_convert_gives_one_document_and_names_refused_lines(capsys, tmp_path):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.tn"
    source.write_text("{}\n" + Path(REPORT).read_text())
    status, document = run_json(capsys, "convert", source, target)
    assert status == REFUSED
    assert (document["file"], document["written"]) == ("in.jsonl", str(target))
    assert (document["rounds"], [row["line"] for row in document["refused"]]) == (1, [1])


def test_convert_to_an_unknown_ending_writes_nothing(capsys, tmp_path):
    status, _, err = run(capsys, "convert", REPORT, tmp_path / "out.xyz")
    assert status == REFUSED
    assert ".ptn" in err
    assert not list(tmp_path.iterdir())


def test_validate_says_what_is_there(capsys):
    status, document = run_json(capsys, "validate", REPORT)
    assert status == DONE
    assert (document["rounds"], document["complete"], document["refused"]) == (1, 1, [])
    assert document["decks"] == {"joker-joker-deuce-deuce": 1}


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared records are not here")
def test_validate_says_what_the_deal_only_record_lacks(capsys):
    status, out, _ = run(capsys, "validate", SHARED / "trickster_231_deal_only.ptn")
    assert status == DONE
    assert "1 rounds read, 0 complete" in out
    assert "round 0 lacks the auction, all plays" in out


def test_wrong_usage_exits_with_2():
    finished = subprocess.run(
        [sys.executable, "-m", "spades", "analyse"], cwd=ROOT, capture_output=True, text=True
    )
    assert finished.returncode == 2
    assert "invalid choice" in finished.stderr


@pytest.mark.parametrize("command", ["analyze", "convert", "validate", "bench"])
def test_every_command_has_help(capsys, command):
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    assert command in capsys.readouterr().out


def test_bench_says_what_it_could_not_measure(capsys):
    status, document = run_json(capsys, "bench", "--only", "search_vs_yardstick")
    assert status == DONE
    (row,) = document["rows"]
    assert (row["id"], row["value"], row["holds"]) == ("search_vs_yardstick", None, None)
    assert "--yardstick" in row["not_measured"]


def test_help_loads_no_compiler_and_no_tables():
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "spades", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    ).stderr
    modules = {line.rpartition("|")[2].strip() for line in loaded.splitlines()}
    assert not {"numba", "numpy", "pandas", "torch", "streamlit"} & modules
    assert "spades.cli.main" in modules


def test_regret_is_added_to_each_card_of_the_last_tricks(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    asked = ("--judge", "--budget", "0", "--regret", "20", "--iterations", "50")
    for ply, is_there in ((16, False), (24, True)):
        _, document = run_json(capsys, "analyze", REPORT, "--ply", ply, *asked)
        (decision,) = document["rounds"][0]["decisions"]
        for row in decision["cards"]:
            assert (row["regret"] is not None) == is_there
            if is_there:
                assert row["regret"]["deals"] == 20
                assert row["regret"]["mean"] >= 0
                assert decision["deals"]["text"].endswith("20 sampled deals.")
                assert not decision["deals"]["every"]
    for wrong, message in (("1", "2 to 1,000 deals are legal"), ("1001", "--regret is 1001")):
        status, _, err = run(capsys, "analyze", REPORT, "--judge", "--regret", wrong)
        assert (status, message in err) == (REFUSED, True)


def test_all_possible_deals_are_solved_where_they_are_few(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    path, asked = HANDS / "four-bots.jsonl", ("--judge", "--budget", "0", "--regret", "20")
    _, document = run_json(capsys, "analyze", path, "--ply", 45, *asked)
    (decision,) = document["rounds"][0]["decisions"]
    found = decision["deals"]
    assert (found["deals"], found["every"], found["best_in_all"]) == (3, True, ["SQ"])
    assert found["claim"] == {"side": "ew", "tricks": 2, "left": 2, "cards": ["SA"]}
    assert {row["regret"]["deals"] for row in decision["cards"]} == {3}
    _, out, _ = run(capsys, "analyze", path, "--ply", 45, *asked)
    assert "Proven: in all 3 possible deals nothing is worth more than SQ, −31 points" in out
    assert (
        "The rest is East/West's: all 2 tricks in every possible deal, if East plays SA now" in out
    )


def test_solve_prints_exact_values_and_what_was_played(capsys):
    status, document = run_json(capsys, "solve", REPORT, "--ply", 12)
    assert (status, document["seat"], document["played"]) == (DONE, "W", "DA")
    assert document["values"] | {"DA": 121, "D3": -30} == document["values"]
    _, out, _ = run(capsys, "solve", REPORT, "--ply", 12)
    assert re.search(r">\s+DA\s+\+121\s+0\n", out)
    assert re.search(r"DJ\s+−30\s+151", out)


@pytest.mark.parametrize(
    ("file", "ply", "message"),
    [
        (REPORT, 0, "13 tricks are left; 1 to 10 can be solved"),
        (REPORT, 52, "no decision at play 52; 0 to 51 are there"),
        (HANDS / "deal-231.jsonl", 0, "the bids are not known"),
    ],
)
def test_what_can_not_be_solved_is_refused(capsys, file, ply, message):
    status, out, err = run(capsys, "solve", file, "--ply", ply)
    assert (status, out) == (REFUSED, "")
    assert message in err


def test_analyze_for_the_game_tells_the_chance_to_win(capsys):
    asked = ("--ply", "24", "--iterations", "200", "--objective", "game", "--json")
    status, out, _ = run(capsys, "analyze", REPORT, *asked)
    assert status == 0
    document = json.loads(out)
    assert document["agent"] == "ismcts:iterations=200,objective=game"
    (decision,) = document["rounds"][0]["decisions"]
    assert decision["objective"] == "game"
    assert 0 < decision["win_chance"] < 0.5  # 242 to 476
    by_value = sorted(decision["cards"], key=lambda row: row["value"])
    chances = [row["win_chance"] for row in by_value]
    assert chances == sorted(chances)
    _, out, _ = run(capsys, "analyze", REPORT, *asked[:-1])
    assert f"{chances[-1]:.1%}" in out.partition("to win")[2]
    status, out, err = run(capsys, "analyze", HANDS / "four-bots.jsonl", *asked)
    (found,) = json.loads(out)["rounds"]
    assert "the score before the round is not known" in found["not_searched"]
    status, _, err = run(capsys, "analyze", REPORT, "--agent", "uct", "--objective", "game")
    assert (status, "has no objective" in err) == (1, True)
