"""The table of a round as a widget: what the browser is sent, and what it sends back."""

import json
import random
import sys

import pytest

import spades
from analysis.notebook import RoundTable
from spades.core.errors import SpadesError
from tests.core.test_observation import with_other_hands

PLY = 24


@pytest.fixture(scope="module")
def record():
    (record,) = spades.read("bug-report-335")
    return record


def decision_of(table, ply):
    return json.loads(table.decisions[ply])


def test_a_round_is_shown_with_every_decision(record):
    table = spades.show(record, PLY, agent="ismcts:iterations=50", seconds=0)
    assert table.ply == table.shown["ply"] == PLY
    assert table.shown["view"] == "all"
    assert len(table.decisions) == 52
    for ply in range(52):
        decision = decision_of(table, ply)
        assert decision["played"] is not None
        assert sum(row["visits"] for row in decision["cards"]) == 50
    assert decision_of(table, PLY)["judgement"]["reason"].startswith("Search and human model alone")


def test_a_decision_is_judged_where_the_reader_rests(record):
    table = spades.show(record, 44, agent="ismcts:iterations=50", seconds=4)
    assert decision_of(table, 44)["loss"] == 0
    assert decision_of(table, 42)["judgement"]["says"] == "Checking …"
    before = list(table.decisions)
    table.ply = 43
    changed = [ply for ply in range(52) if table.decisions[ply] != before[ply]]
    assert changed == [43]
    assert decision_of(table, 43)["judgement"]["says"] != "Checking …"


def test_a_ply_outside_is_refused(record):
    with pytest.raises(SpadesError, match="ply is 53; 0 to 52"):
        spades.show(record, 53)
    with pytest.raises(SpadesError, match="an observation is of one ply"):
        spades.show(record.observation(PLY), PLY)


def sent(table):
    return json.dumps([table.shown, table.decisions])


@pytest.mark.parametrize("ply", [1, 24, 50])
def test_an_observation_holds_no_hidden_card(record, ply):
    """The other hands, shuffled, change nothing of what the browser is sent."""
    seen = record.observation(ply)
    table = spades.show(seen, agent="ismcts:iterations=50")
    other = with_other_hands(record.at(ply), seen.seat, random.Random(ply))
    shuffled = spades.show(record.observe(other, seen.seat), agent="ismcts:iterations=50")
    assert sent(table) == sent(shuffled)
    assert table.shown["views"] == ["own"]
    known = {*map(str, record.plays[:ply]), *map(str, seen.hand)}
    cards = {card for hand in table.shown["round"]["hands"] for card in hand}
    assert cards == known | {"?"}
    assert decision_of(table, ply)["cards"]


def test_all_that_is_sent_is_plain(record):
    table = spades.show(record.observation(PLY), agent="ismcts:iterations=50")
    kinds = {type(card) for hand in table.shown["round"]["hands"] for card in hand}
    assert kinds == {str}
    assert {type(card) for card in table.shown["round"]["plays"]} == {str}


def test_the_widget_is_of_the_replay_pages_scripts():
    assert "class ReplayApp" in RoundTable._esm
    assert RoundTable._esm.count("export default") == 1
    assert RoundTable._css.count("{") == RoundTable._css.count("}")


def test_without_anywidget_the_extra_is_named(record, monkeypatch):
    monkeypatch.delitem(sys.modules, "analysis.notebook")
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(SpadesError, match=r"pip install 'spades-decision-lab\[notebook\]'"):
        spades.show(record, PLY)
