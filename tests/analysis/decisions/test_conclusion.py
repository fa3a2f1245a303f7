"""Conclusions from made-up searches and from real ones; what is said of them."""

import json
from dataclasses import replace

import numpy as np
import pytest

from analysis.decisions.conclusion import CLEAR, LEANS, TOSS_UP, confirming_iterations, judge
from analysis.decisions.decision import analyse_decision
from analysis.decisions.evidence import Evidence, RepeatedSearch, decide
from analysis.decisions.report import verdict
from analysis.decisions.settings import AnalysisSettings
from analysis.intervals import running_widths
from spades.cli.main import main
from spades.core.cards import cards_in
from spades.core.equivalence import equivalent_cards
from tests.analysis.decisions.test_decision import record_of
from tests.pages.texts import shipped

PLY = 8
SETTINGS = AnalysisSettings(iterations=120)


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


def items_of(seen, means, n, sd=3.0, seed=1):
    """Searches in which the first class is worth the first mean and so on, the rest -50 points."""
    classes, rng = equivalent_cards(seen), np.random.default_rng(seed)
    by_code = {c: m for cards, m in zip(classes, means, strict=False) for c in cards}
    worth = np.array([by_code.get(code, -50.0) for code in cards_in(seen.legal_mask)])
    visits = [10] * len(worth)
    return [[0, visits, rng.normal(worth, sd).tolist()] for _ in range(n)]


@pytest.mark.parametrize(
    ("means", "n", "kind"),
    [
        ((5.0, 0.0), 300, CLEAR),
        ((0.0, 0.2), 3000, TOSS_UP),
        ((0.0, 1.0), 3000, LEANS),  # the threshold itself can't be settled
        ((0.0, 0.2), 60, LEANS),
    ],
)
def test_what_is_clear_a_toss_up_or_neither(means, n, kind):
    seen = record_of().observation(PLY)
    found = judge(items_of(seen, means, n), seen)
    assert found.kind == kind
    best = equivalent_cards(seen)[int(np.argmax(means))]
    assert found.best.cards == tuple(map(seen.rules.cards.format_card, best)) or kind != CLEAR
    assert found.best.behind == 0
    assert (len(found.open) == 1) == (kind == CLEAR)
    assert (len(found.within) > 1) == (kind == TOSS_UP)


def test_a_gap_has_the_error_of_its_differences():
    """Two classes of spread 3 in 400 searches: 3 * sqrt(2 / 400) = .212."""
    seen = record_of().observation(PLY)
    found = judge(items_of(seen, (5.0, 0.0), 400), seen)
    assert found.classes[1].gap_error == pytest.approx(0.212, rel=0.1)
    assert found.best.gap_error == 0


def test_what_is_clear_leans_until_longer_searches_confirm_it():
    seen = record_of().observation(PLY)
    first = judge(items_of(seen, (5.0, 0.0), 100), seen)
    assert first.needs_confirmation
    assert first.confirmed(None).kind == LEANS
    longer = judge(items_of(seen, (0.0, 4.0), 40), seen, least=40, iterations=1200)
    found = first.confirmed(longer)
    assert (found.kind, found.searches, found.iterations) == (CLEAR, 40, 1200)
    assert found.best.cards == first.classes[1].cards
    for one in found.classes:  # visits are those of searches as long as the decision's
        own = first.class_of(one.cards[0])
        assert one.share == own.share
        assert one.behind == longer.class_of(one.cards[0]).behind
    assert not found.needs_confirmation


def test_searches_that_confirm_are_ten_times_as_long_up_to_25000():
    asked = (100, 2500, 10_000, 25_000, 100_000)
    assert [confirming_iterations(n) for n in asked] == [1000, 25_000, 25_000, 25_000, 100_000]


def test_evidence_calls_clear_only_what_longer_searches_call_so():
    record, kinds = record_of(), set()
    analyse_decision(record, 4, SETTINGS)  # loads the kernels, on which no budget is spent
    for ply in range(4, 48, 4):
        evidence = Evidence(record, ply, SETTINGS, budget=0.3)
        for _ in evidence.steps():
            pass
        found = evidence.conclusion
        if len(found.classes) == 1 or found.proof:
            continue
        kinds.add(found.kind)
        longer = judge(evidence.longer.items, evidence.observation, least=40)
        assert found.is_confirmed == (found.kind == CLEAR or longer is not None)
        assert found.iterations == (1200 if found.is_confirmed else 120)
        if found.is_confirmed:
            assert [one.behind for one in found.classes] == [one.behind for one in longer.classes]
    assert CLEAR in kinds


def test_too_few_searches_conclude_nothing_and_one_class_needs_none():
    record = record_of()
    seen = record.observation(PLY)
    assert judge(items_of(seen, (5, 0), 59), seen) is None
    alone = next(
        at
        for at in (record.observation(ply) for ply in range(52))
        if len(equivalent_cards(at)) == 1
    )
    assert judge([], alone).kind == CLEAR


def test_equals_that_are_looked_at_again_and_again_are_seldom_called_apart():
    seen, wrong, n_runs = record_of().observation(PLY), 0, 100
    for seed in range(n_runs):
        items = items_of(seen, (0.0, 0.0), 400, seed=seed)
        looks = (judge(items[:n], seen, threshold=0.0) for n in range(60, 401, 20))
        wrong += any(found.kind == CLEAR for found in looks)
    assert wrong <= 10  # 5% are promised; more than 10 of 100 would be one run in a hundred


def test_running_widths_shrink_and_widen_with_the_number_of_means():
    sd = np.array([1.0, 2.0])
    few, many = running_widths(sd, 100), running_widths(sd, 10_000)
    assert (few > many).all()
    assert few[1] == pytest.approx(2 * few[0])
    assert (running_widths(sd, 100, n_means=20) > few).all()
    assert few[0] > 1.96 / np.sqrt(100)  # wider than an interval for one look


def test_evidence_is_stored_and_goes_on_where_it_was():
    record = record_of()
    analyse_decision(record, PLY, SETTINGS)  # compiles, as wherever a decision is judged
    first = Evidence(record, PLY, SETTINGS, budget=0.5)
    for _ in first.steps():
        pass
    assert first.series.done >= 60
    again = Evidence(record, PLY, SETTINGS)
    assert again.series.items == first.series.items[: again.series.done]
    assert again.series.done > first.series.done - again.series.block
    assert decide(record, PLY, AnalysisSettings(iterations=50_000), budget=0) is None


def test_repeats_count_what_the_search_shown_visits_and_chooses():
    record, seen = record_of(), record_of().observation(PLY)
    work = RepeatedSearch(record, PLY, SETTINGS, n=20)
    assert work.found is None
    for _ in work.steps():
        pass
    found = work.found
    assert (found.n, sum(found.wins.values())) == (20, 20)
    assert set(found.shares) == {seen.rules.cards.format_card(c) for c in cards_in(seen.legal_mask)}
    assert sum(found.shares.values()) == pytest.approx(1)
    by_hand = np.mean([np.array(item[1]) / 120 for item in work.series.items], axis=0)
    assert list(found.shares.values()) == pytest.approx(by_hand.tolist())
    again = RepeatedSearch(record, PLY, SETTINGS, n=20)
    assert again.found.shares == found.shares


def test_the_verdict_speaks_from_the_conclusion():
    record = record_of()
    decision = analyse_decision(record, PLY, SETTINGS)
    seen = decision.observation
    for means, says in (((9, 0), "Clear: "), ((0, 0.1), "Toss-up: "), ((0, 1), "Leans to ")):
        found = judge(items_of(seen, means, 3000), seen)
        told = verdict(replace(decision, conclusion=found), "devlin2016")
        assert told.startswith(says)
        assert "3,000 searches" in told
        assert "Humans most often play " in told


def test_cards_that_humans_play_as_often_are_all_named():
    record, ply = shipped("bug-report-335"), 24
    decision = analyse_decision(record, ply, SETTINGS)
    found = judge(items_of(decision.observation, (9, 0), 90), decision.observation)
    assert "4♥ (as often 8♣, 44% each), as North did" in verdict(
        replace(decision, conclusion=found), "devlin2016"
    )


def test_the_command_prints_classes_and_conclusion(tmp_path, capsys):
    hand = "data/hands/bug-report-335.jsonl"
    ask = ["analyze", hand, "--iterations", "60", "--judge", "--budget", "2"]
    assert main([*ask, "--ply", "24", "--json"]) == 0
    (decision,) = json.loads(capsys.readouterr().out)["rounds"][0]["decisions"]
    assert decision["classes"] == [["S2"], ["SK", "SQ"], ["ST", "S9"], ["H4"], ["C8"]]
    conclusion = decision["conclusion"]
    assert conclusion["kind"] in (CLEAR, LEANS, TOSS_UP)
    assert conclusion["cards"][0] in decision["classes"]
    assert conclusion["interval"][0] <= conclusion["lead"] <= conclusion["interval"][1]
    assert conclusion["searches"] >= 40
    assert conclusion["judge"] == "best"  # whoever is asked to search
    assert conclusion["iterations"] in (5000, 25_000)
    assert decision["iterations"] == 60
    assert main([*ask, "--ply", "24"]) == 0
    assert conclusion["kind"] in capsys.readouterr().out.lower()
    assert main(["analyze", hand, "--budget", "3"]) == 1
    assert "--budget is an option of --judge" in capsys.readouterr().err
    assert main(["analyze", hand, "--judge", "--threshold", "-1"]) == 1
    assert "--threshold is -1; 0 to 1,000 are legal" in capsys.readouterr().err
