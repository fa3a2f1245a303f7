"""An agent asked positions: counts, rates, what is stored, and JUnit XML."""

from xml.etree import ElementTree

import pytest

from analysis.suites.junit import junit_xml
from analysis.suites.run import (
    PositionResult,
    SuiteError,
    SuitePlan,
    SuiteResult,
    chosen_cards,
    position_result,
    run_suite,
)
from analysis.suites.suite import Suite
from spades.agents import UnknownAgentError, parse_agent
from tests.analysis.suites.made_up import LEGAL, position
from tests.analysis.workers import InProcess

NASTY = 'a<b> & "c" \x07 ]]> \u2660'


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))


def result(passed, failed, **changes):
    """So many seeds that passed and that failed."""
    cards = LEGAL[:1] * passed + LEGAL[-1:] * failed
    return position_result(position(**changes), cards)


def test_a_rate_and_its_interval():
    found = result(7, 3)
    assert (found.passed, found.of, found.rate) == (7, 10, 0.7)
    assert found.chosen == {LEGAL[0]: 7, LEGAL[-1]: 3}
    # Clopper and Pearson's table of 7 of 10
    assert found.interval == pytest.approx((0.3475, 0.9333), abs=1e-4)


def test_rates_by_theme_and_of_all():
    positions = (
        result(10, 0, name="a", themes=("bags", "late")),
        result(4, 6, name="b", themes=("nil cover", "late")),
        result(1, 9, name="c", themes=("nil cover",)),
    )
    found = SuiteResult("mine", "random", 0, 10, positions)
    assert found.rate == 0.5
    by_theme = {one.theme: (one.positions, one.passed, one.of) for one in found.themes}
    assert by_theme == {"bags": (1, 10, 10), "late": (2, 14, 20), "nil cover": (2, 5, 20)}
    assert [one.id for one in found.below(0.5)] == ["c", "b"]
    document = found.document()
    assert list(document) == ["agent", "positions", "rate"]
    assert list(document["positions"][0]) == ["id", "passed", "of", "rate", "interval", "chosen"]


def test_an_unlisted_card_does_not_pass():
    some = position(wrong=LEGAL[-1:])
    middle = next(card for card in LEGAL if some.verdicts[card] == "unlisted")
    found = position_result(some, [middle, LEGAL[0]])
    assert found.by_list == {"best": 1, "acceptable": 0, "wrong": 0, "unlisted": 1}
    assert found.passed == 1


def test_a_wrong_card_does_not_pass():
    found = position_result(position(wrong=LEGAL[-1:]), [LEGAL[-1], LEGAL[0]])
    assert found.by_list["wrong"] == 1
    assert found.passed == 1


def test_a_position_is_asked_once(monkeypatch):
    tasks = InProcess(monkeypatch)
    plan = SuitePlan(Suite("mine", (position("a"), position("b"))), "random", n_seeds=40)
    first = run_suite(plan)
    assert len(tasks.done) == 1  # the same round and ply: one question
    assert run_suite(plan) == first
    assert len(tasks.done) == 1
    of_chance = first.positions[0].chosen
    assert sum(of_chance.values()) == 40
    assert len(of_chance) > 3
    other = run_suite(SuitePlan(plan.suite, "random", seed=1, n_seeds=40))
    assert other.positions[0].chosen != of_chance


def test_a_cancelled_run_is_none(monkeypatch):
    InProcess(monkeypatch)
    plan = SuitePlan(Suite("mine", (position("a"),)), "random")
    assert run_suite(plan, is_cancelled=lambda: True) is None


def test_each_seed_is_another():
    cards = chosen_cards(position().observation, parse_agent("random"), 0, 30)
    assert len(set(cards)) > 2
    assert cards == chosen_cards(position().observation, parse_agent("random"), 0, 30)


def test_what_a_plan_refuses():
    suite = Suite("mine", (position(),))
    with pytest.raises(UnknownAgentError, match="unknown player 'nobody'"):
        SuitePlan(suite, "nobody")
    with pytest.raises(SuiteError, match="0 seeds a position; 1 to 10,000 are legal"):
        SuitePlan(suite, "random", n_seeds=0)
    with pytest.raises(SuiteError, match="seed is -1"):
        SuitePlan(suite, "random", seed=-1)


def test_junit_xml_holds_what_was_found_whatever_its_letters():
    positions = (
        result(10, 0, name="good"),
        result(3, 7, name=NASTY, themes=(NASTY,), reason=NASTY, wrong=LEGAL[-1:]),
    )
    text = junit_xml(SuiteResult(NASTY, "srp", 3, 10, positions), least=0.5)
    root = ElementTree.fromstring(text.encode())
    (suite,) = root.findall("testsuite")
    assert root.get("tests") == suite.get("tests") == "2"
    assert root.get("failures") == suite.get("failures") == "1"
    properties = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert properties == {"agent": "srp", "seed": "3", "seeds": "10", "rate": "0.6500"}
    good, bad = suite.findall("testcase")
    clean = NASTY.replace("\x07", "\ufffd")
    assert (good.get("name"), bad.get("name")) == ("good", clean)
    assert bad.get("classname") == f"{clean}.{clean}"
    assert good.find("failure") is None
    failure = bad.find("failure")
    assert failure.get("message").startswith("passed with 3 of 10 seeds (95%: 6.7% to 65.2%): ")
    assert clean in failure.text
    assert f"wrong: {LEGAL[-1]}" in failure.text


def test_a_failure_is_what_passed_too_rarely():
    halves = SuiteResult("mine", "srp", 0, 2, (result(1, 1),))
    assert 'failures="0"' in junit_xml(halves, least=0.5)
    assert 'failures="1"' in junit_xml(halves, least=0.6)
    assert isinstance(halves.positions[0], PositionResult)
