"""``python -m spades bid``: document, table, refusals and exit statuses."""

import json

import pytest

from spades.cli.answer import DONE, REFUSED, USAGE
from spades.cli.main import main

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


def test_a_rule_is_no_chance(capsys):
    arguments = ("--hand", "5432.32.5432.432", "--previous", "3,3")
    _, out, _ = run(capsys, *arguments, "--json")
    bis = json.loads(out)["bis"]
    assert (bis["p_nil"], bis["nil_by_suit"]["S"], bis["expected"]["nil"]) == (None, None, None)
    _, out, _ = run(capsys, *arguments)
    assert "nil denied: BIS's rule denies a nil with four spades or more" in out
    assert "chance of nil" not in out


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
        (("--hand", HAND, "--target", f"{10**20}"), "target is 1"),
        (("--hand", HAND, "--bags", "0,-1"), "bags 0 (ours), -1 (theirs); 0 to 9 are legal"),
        (("--hand", HAND, "--bags", "10,0"), "0 to 9 are legal: 10 bags cost 100 points"),
        (("--hand", HAND, "--score", "500,400"), "our side has reached the target of 500"),
        (("--hand", HAND, "--score", "90,201", "--target", 200), "scores below 200"),
        (("--hand", HAND, "--score=-100,0", "--floor=-100"), "our side has fallen"),
        (("--hand", HAND, "--target", 0), "target 0 points; at least 1 is legal"),
        (("--hand", HAND, "--rules", "moon=full"), "unknown rule 'moon'"),
        (("--hand", HAND, "--rules", "target=1,target=2"), "the rule 'target' comes twice"),
        (("--hand", HAND, "--target", 2**63), "target is 9223372036854775808; -1,000,000 to"),
        (("--hand", HAND, f"--floor=-{2**63}"), "losing_floor is -9223372036854775808; -1,000,000"),
        *(
            (("--hand", HAND, "--rules", f"{name}={number}"), "1,000,000 is legal")
            for name in ("nil", "bag_limit", "blind_nil", "failed_contract")
            for number in (10**20, "9" * 5000)
        ),
        (("--hand", HAND, "--seed", -1), "--seed is -1; 0 to 9223372036854775807 are legal"),
        (
            ("--hand", HAND, "--previous", "blind nil", "--rules", "blind_nil=None"),
            "blind nil is off in these rules",
        ),
    ],
)
def test_what_cannot_be_is_refused(capsys, arguments, message):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (REFUSED, "")
    assert message in err


@pytest.mark.parametrize("score", ["499,-80", "500,500", "620,620"])
def test_scores_at_which_a_round_is_bid(capsys, score):
    arguments = ("--hand", HAND, "--bidder", "bis", "--score", score, "--bags", "9,0")
    status, _, err = run(capsys, *arguments)
    assert (status, err) == (DONE, "")


def test_nil_in_words(capsys):
    arguments = ("--hand", HAND, "--bidder", "bis", "--json")
    _, out, _ = run(capsys, *arguments, "--previous", "nil,3")
    document = json.loads(out)
    assert (document["previous"], document["previous_blind"]) == ([0, 3], [False, False])
    _, numbers, _ = run(capsys, *arguments, "--previous", "0,3")
    assert out == numbers
    _, out, _ = run(capsys, *arguments, "--previous", "Blind Nil, 3")
    assert json.loads(out)["previous_blind"] == [True, False]
    _, out, _ = run(capsys, *arguments[:-1], "--previous", "blind nil,3")
    assert "bids before: blind nil 3" in out


@pytest.mark.parametrize(
    ("previous", "rules", "told"),
    [
        ("nil,3", "", "no nil: the partner has bid nil"),
        ("3,4", "min_bid=4", "no nil: nil is not legal here: a partnership must bid at least 4"),
        ("4,4", "min_bid=4", None),
        ("3,4", "nil=None", "no nil: these rules have no nil"),
        ("3,nil", "", None),
    ],
)
def test_that_nil_is_not_bid_is_said(capsys, previous, rules, told):
    arguments = ("--hand", "42.J543.9832.Q64", "--previous", previous, "--rules", rules)
    _, out, _ = run(capsys, *arguments, "--bidder", "bis", "human")
    assert (told in out) if told else ("no nil" not in out)
    _, out, _ = run(capsys, *arguments, "--bidder", "bis", "--json")
    bis = json.loads(out)["bis"]
    assert (bis["no_nil_because"] is None) == (told is None) == bis["may_nil"]


@pytest.mark.parametrize(
    "arguments",
    [
        *[("--score", "3"), ("--previous", "a,b"), ("--bags", "1,2,3")],
        *[("--score", f"{10**20},0"), ("--score", f"{'9' * 5000},0"), ("--bags", f"0,{10**6 + 1}")],
    ],
)
def test_wrong_usage(capsys, arguments):
    with pytest.raises(SystemExit) as left:
        run(capsys, "--hand", HAND, *arguments)
    assert left.value.code == USAGE
    assert "number" in capsys.readouterr().err


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
