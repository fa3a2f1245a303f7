"""``python -m spades bid``: document, table, refusals and exit statuses."""

import json

import pytest

from spades.__main__ import DONE, REFUSED, USAGE, main

HAND = "AKJ62.AQ.Q.K9543"


def run(capsys, *arguments):
    status = main(["bid", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_document_has_the_keys_of_the_interface(capsys):
    status, out, err = run(capsys, "--hand", HAND, "--previous", "3,1", "--json")
    document = json.loads(out)
    assert (status, err) == (DONE, "")
    assert (document["hand"], document["previous"]) == (HAND, [3, 1])
    assert set(document["bids"]) == {"human", "bis", "rb", "ms", "io", "kb"}
    assert all(0 <= bid <= 13 for bid in document["bids"].values())
    bis = document["bis"]
    assert bis["regular_before_bids"] == pytest.approx(5.97, abs=0.005)
    assert sum(part["tricks"] for part in bis["regular_parts"]) == pytest.approx(
        bis["regular_before_bids"]
    )
    assert {"card": "S2", "role": "cut", "cuts": "D"}.items() <= bis["regular_parts"][2].items()
    assert list(bis["nil_by_suit"]) == ["S", "H", "D", "C"]
    assert bis["nil_by_suit"]["D"] == pytest.approx(0.572, abs=0.001)
    assert (bis["nil_value"], bis["p_nil"], bis["threshold"]) == (0.0, 0.0, 25.0)
    assert set(bis["expected"]) == {"nil", "regular"}
    assert bis["regular"] == document["bids"]["bis"] == bis["bid"]


def test_bidders_asked_for(capsys):
    _, out, _ = run(capsys, "--hand", HAND, "--bidder", "kb", "bis:threshold=20", "--json")
    document = json.loads(out)
    assert list(document["bids"]) == ["kb", "bis:threshold=20.0"]
    assert document["bis"]["threshold"] == 20.0


def test_scores_and_bags_reach_the_bidders(capsys):
    arguments = ("--hand", HAND, "--previous", "4,3,4", "--bidder", "bis", "--json")
    _, out, _ = run(capsys, *arguments)
    _, behind, _ = run(capsys, *arguments, "--score", "400,420")
    assert json.loads(out)["bis"]["reason"] == "regular"
    assert json.loads(behind)["bis"]["reason"] == "end of game"
    _, easy, _ = run(capsys, *arguments, "--score=-20,160", "--target", 200, "--bags", "3,9")
    assert json.loads(easy)["bis"]["reason"] == "end of game"


def test_table_for_people(capsys):
    status, out, err = run(capsys, "--hand", "42.5432.5432.432", "--previous", "3,4,0")
    assert (status, err) == (DONE, "")
    assert "bids before: 3 4 nil" in out
    assert "nil value 1.000" in out


def test_a_blind_nil_is_said(capsys):
    arguments = ("--hand", HAND, "--previous", "3,4,3", "--score", "300,440")
    bidder = "bis:blind_nil=on"
    status, out, _ = run(capsys, *arguments, "--bidder", bidder)
    assert status == DONE
    assert "blind nil" in out
    _, out, _ = run(capsys, *arguments, "--bidder", bidder, "--json")
    assert json.loads(out)["blind"] == [bidder]


def test_a_joker_deck(capsys):
    deck = ("--deck", "joker-joker-ace", "--json")
    status, out, _ = run(capsys, "--hand", "AKJ6.AQ.Q.K943.HL", *deck)
    assert (status, json.loads(out)["hand"]) == (DONE, "AKJ6.AQ.Q.K943.HL")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--hand", "AKJ62.AQ.Q.K95432"), "14 cards, a hand is 13"),
        (("--hand", "AKJ62.AQ.Q.K954"), "12 cards, a hand is 13"),
        (("--hand", "AKJ62.AQ.Q.K9544"), "C4 comes twice"),
        (("--hand", "AKJ62.AQ.Q"), "four groups S.H.D.C are legal"),
        (("--hand", "AKJ6X.AQ.Q.K9543"), "'SX' is no card"),
        (("--hand", HAND, "--previous", "1,2,3,4"), "4 previous bids"),
        (("--hand", HAND, "--previous", "15"), "15; 0 to 13 are legal"),
        (("--hand", HAND, "--bidder", "oracle"), "unknown bidder 'oracle'"),
        (("--hand", HAND, "--deck", "tarot"), "deck is 'tarot'"),
        (("--hand", HAND, "--score", f"{10**20},0"), "score 1"),
        (("--hand", HAND, "--target", f"{10**20}"), "target 1"),
        (("--hand", HAND, "--bags", "0,-1"), "bags 0, -1; 0 to 1,000,000 are legal"),
    ],
)
def test_what_cannot_be_is_refused(capsys, arguments, message):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (REFUSED, "")
    assert message in err


@pytest.mark.parametrize(
    "arguments", [("--score", "3"), ("--previous", "a,b"), ("--bags", "1,2,3")]
)
def test_wrong_usage(capsys, arguments):
    with pytest.raises(SystemExit) as left:
        run(capsys, "--hand", HAND, *arguments)
    assert left.value.code == USAGE
    assert "numbers" in capsys.readouterr().err


def test_simulated_points(capsys):
    arguments = ("--hand", "42.J543.9832.Q64", "--simulate", 60)
    _, out, _ = run(capsys, *arguments, "--json")
    simulated = json.loads(out)["simulated"]
    nil, regular = simulated["bids"]
    assert (nil["bid"], regular["bid"], nil["n"]) == (0, 1, 60)
    assert nil["interval"][0] < nil["mean"] < nil["interval"][1]
    for row in simulated["bids"]:
        assert len(row["counts"]) == len(simulated["bins"]["low"])
        assert sum(row["counts"]) == 60
    assert sum(nil["counts"]) > max(nil["counts"])  # a nil that fails costs, one made pays
    _, out, _ = run(capsys, *arguments)
    assert f"nil  {nil['mean']:+.1f}" in out
    assert "share of rounds       nil       1" in out
    status, _, err = run(capsys, *arguments[:3], 0)
    assert status == REFUSED
    assert "1 to 100,000" in err
