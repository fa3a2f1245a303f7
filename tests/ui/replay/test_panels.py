"""What Replay's panels say, as plain functions: sentences, tables, what a bid step may tell."""

import copy
import dataclasses
import itertools
import json
from types import SimpleNamespace

import pytest

from analysis.decisions.card_beliefs import METHODS, beliefs_of, shares_by
from analysis.decisions.stability import CardStability
from analysis.intervals import share_interval
from analysis.papers.belief_scores import NO_RULE, load_scores
from spades.belief import RULE_NAMES
from tests.pages.texts import bid_decisions, shipped
from ui.replay.beliefs import (
    causes_table,
    finding,
    long_table,
    rules_table,
    scores_table,
    stray_sentence,
)
from ui.replay.bid_data import bid_data
from ui.replay.stability import stability_sentence


def told(wins, *, choice, played=None):
    """The sentence on a run of 20 searches; ``wins`` by card, most first."""
    rows = [
        CardStability(card, count, 20, share_interval(count, 20), 0.0, 0.0, 0.0)
        for card, count in wins.items()
    ]
    decision = SimpleNamespace(search_choice=SimpleNamespace(card=choice), played=played)
    return stability_sentence(rows, decision, 0)


def test_tied_cards_are_named_as_tied_and_the_choice_and_the_card_played_are_told():
    wins = {"DK": 4, "H7": 4, "D3": 4, "DA": 4, "H5": 3, "DQ": 1}
    assert told(wins, choice="DQ", played="H5") == (
        "**Q♦**, the decision table's choice, wins 1 of 20 searches (5.0%, 95%: 0.1% to 24.9%); "
        "5♥, the card played, wins 3 of 20 searches (15.0%, 95%: 3.2% to 37.9%). K♦, 7♥, 3♦ and "
        "A♦ tie for the most wins, each 4 of 20 searches (20.0%, 95%: 5.7% to 43.7%)."
    )


def test_a_choice_that_leads_alone_is_told_once():
    assert told({"SA": 15, "S2": 5}, choice="SA", played="SA") == (
        "**A♠**, the decision table's choice, wins most often, in 15 of 20 searches "
        "(75.0%, 95%: 50.9% to 91.3%)."
    )
    assert "2♠, the card played, wins 5 of 20" in told(
        {"SA": 15, "S2": 5}, choice="SA", played="S2"
    )


def test_another_card_that_leads_alone_is_named():
    found = told({"SA": 15, "S2": 5}, choice="S2")
    assert found.startswith("**2♠**, the decision table's choice, wins 5 of 20")
    assert found.endswith("A♠ wins most often, in 15 of 20 searches (75.0%, 95%: 50.9% to 91.3%).")


def test_a_tie_with_the_choice_among_the_first():
    found = told({"SA": 10, "S2": 10}, choice="SA")
    assert "wins most often" not in found
    assert "A♠ and 2♠ tie for the most wins, each 10 of 20" in found


def document(**gaps):
    """The stored table, with other differences in every group."""
    changed = copy.deepcopy(load_scores())
    for found in changed["groups"].values():
        for pair, interval in gaps.items():
            found["parts"]["all"]["differences"][pair]["interval"] = interval
    return changed


def test_the_sentence_follows_the_intervals():
    worse = finding(document(**{"biased - uniform": [-0.2, -0.1]}))
    assert "**biased predicts them worse than uniform** in all 3 groups" in worse
    assert "that is left loses information" in worse
    better = finding(document(**{"biased - uniform": [0.1, 0.2]}))
    assert "biased predicts the cards better than uniform in all 3 groups" in better
    assert "that is left loses information" not in better
    unclear = finding(document(**{"biased - uniform": [-0.1, 0.1]}))
    assert "biased does better than uniform in 0, worse in 0 of 3 groups" in unclear


def test_every_table_has_a_row_for_what_it_measures():
    stored = load_scores()
    assert scores_table(stored)["group"].tolist() == list(stored["groups"])
    assert scores_table(stored)["rounds"].tolist() == [300] * 3
    assert len(causes_table(stored)) == 5
    rules = rules_table(stored)
    assert rules["rule"].tolist() == [*RULE_NAMES, "all rules"]
    gain = stored["rules"]["four-ismcts"]["gain"][NO_RULE]["biased"]["value"]
    assert rules["four-ismcts"].iloc[-1].startswith(f"{gain:.3f} (")
    whole = long_table(stored)
    assert (whole["low"] <= whole["nats_a_card"]).all()
    assert (whole["nats_a_card"] <= whole["high"]).all()
    assert set(whole["group"]) == set(stored["groups"])


def test_rules_without_nil_have_none():
    assert all(
        bid["nil"] is None for bid in map(bid_data, bid_decisions(shipped("bug-report-335")))
    )


@pytest.mark.parametrize("i", range(4))
def test_what_a_bid_step_shows_depends_on_no_hidden_hand(i):
    """All that is sent of a bid is the same however the other three hands are dealt."""
    record = dataclasses.replace(shipped("four-bots"), plays=())
    bidder = (record.dealer + 1 + i) % 4
    others = [seat for seat in range(4) if seat != bidder]
    sent = set()
    for order in itertools.permutations(others):
        hands = list(record.hands)
        for seat, other in zip(others, order, strict=True):
            hands[seat] = record.hands[other]
        dealt = dataclasses.replace(record, hands=tuple(hands))
        sent.add(json.dumps(bid_data(bid_decisions(dealt, n=20)[i])))
    assert len(sent) == 1


def test_a_bid_depends_on_its_own_hand():
    record = dataclasses.replace(shipped("four-bots"), plays=())
    swapped = dataclasses.replace(record, hands=record.hands[::-1])
    here, there = (map(bid_data, bid_decisions(deal, n=20)) for deal in (record, swapped))
    assert all(one["rows"] != other["rows"] for one, other in zip(here, there, strict=True))


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize(
    ("hand", "ply", "said"),
    [
        ("south-nil", 48, "Biased dealing strays furthest at **8♠**: South, who bid nil,"),
        ("deal-231", 0, "No seat holds a card clearly more often in the biased"),
    ],
)
def test_a_stray_that_is_no_flood_is_not_explained_as_one(hand, ply, said):
    seen = shipped(hand).observation(ply)
    beliefs = beliefs_of([shares_by(method, seen) for method in METHODS[:3]], seen)
    assert said in stray_sentence(beliefs, seen)
    assert "dealt first" not in stray_sentence(beliefs, seen)
