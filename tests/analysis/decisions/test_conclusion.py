"""Conclusions made by hand and from rounds played on; what is said of them."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from analysis.decisions import evidence, played_on
from analysis.decisions.conclusion import (
    BEST,
    CLEAR,
    DIFFER,
    FINE,
    LEANS,
    MISTAKE,
    PLAYED_ON,
    SEARCH,
    SLIP,
    TOSS_UP,
    Loss,
    compare,
    kind_of,
)
from analysis.decisions.decision import analyse_decision
from analysis.decisions.estimate import Trust
from analysis.decisions.evidence import NETWORKS, Evidence, RepeatedSearch, decide
from analysis.decisions.judge import PLAYER
from analysis.decisions.judgement import concluded, verdict
from analysis.decisions.settings import AnalysisSettings
from analysis.intervals import running_widths
from spades.cli.main import main
from spades.core.cards import cards_in
from spades.core.equivalence import equivalent_cards
from spades.core.steps import last_value
from spades.look.words import pretty_class
from tests.analysis.decisions.made_up import concluded_from
from tests.analysis.decisions.test_decision import record_of
from tests.positions import swap_hidden

PLY = 8
SETTINGS = AnalysisSettings(iterations=120)


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


@pytest.mark.parametrize(
    ("means", "error", "kind"),
    [
        ((5.0, 0.0), 0.5, CLEAR),
        ((0.0, 0.2), 0.5, TOSS_UP),
        ((0.0, 1.5), 3.0, LEANS),
        ((0.0, 0.2), 10.0, LEANS),  # too vague to be as good
        ((0.0, 6.0), 2.5, LEANS),
    ],
)
def test_what_is_clear_a_toss_up_or_neither(means, error, kind):
    seen = record_of().observation(PLY)
    found = concluded_from(seen, means, error)
    assert found.kind == kind
    best = equivalent_cards(seen)[int(np.argmax(means))]
    assert found.best.cards == tuple(map(seen.rules.cards.format_card, best))
    assert found.best.behind == 0
    assert (len(found.open) == 1) == (kind == CLEAR)
    assert (len(found.within) > 1) == (kind == TOSS_UP)
    assert found.is_settled == (kind != LEANS)


def test_a_gap_has_the_error_of_the_difference():
    """Two classes of standard error .3 each: sqrt(2) times as much."""
    seen = record_of().observation(PLY)
    found = concluded_from(seen, (5.0, 0.0), 0.3)
    assert found.classes[1].gap_error == pytest.approx(0.424, abs=0.001)
    low, high = found.classes[1].interval
    assert (low + high) / 2 == pytest.approx(5.0)
    assert high - low == pytest.approx(2 * 1.96 * 0.424, abs=0.01)
    assert found.best.gap_error == 0


def test_bids_that_are_equal_are_seldom_called_apart_however_often_one_looks():
    names, wrong, n_runs = [("3",), ("4",)], 0, 100
    for seed in range(n_runs):
        values = np.random.default_rng(seed).normal(0.0, 3.0, (400, 2))
        looks = (compare(names, values[:n], threshold=0.0) for n in range(60, 401, 20))
        wrong += any(kind_of(rows[1:]) == CLEAR for rows in looks)
    assert wrong <= 10  # 5% are promised; more than 10 of 100 would be one run in a hundred


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(evidence, "NETWORK_ITEMS", 1)
    monkeypatch.setattr(played_on, "NETWORK_ITEMS", 1)
    monkeypatch.setattr(evidence, "LEAST_ROUNDS", 20)
    analyse_decision(record_of(), 4, SETTINGS)  # loads the kernels, on which no budget is spent


def test_one_class_needs_no_round_and_no_time_concludes_nothing(quick):
    record = record_of()
    alone = next(ply for ply in range(52) if len(equivalent_cards(record.observation(ply))) == 1)
    evidence_on_one = Evidence(record, alone, SETTINGS)
    assert evidence_on_one.conclusion.kind == CLEAR
    last_value(evidence_on_one.foresee())
    assert 0 <= evidence_on_one.conclusion.best.outcomes.own_contract <= 1
    assert decide(record, PLY, SETTINGS, budget=0) is None


def test_evidence_is_stored_and_goes_on_where_it_was(quick):
    record = record_of()
    first = Evidence(record, PLY, SETTINGS, most_rounds=40, threshold=0.0)
    last_value(first.steps())
    assert first.rounds.done == first.conclusion.rounds == 40
    again = Evidence(record, PLY, SETTINGS, most_rounds=60, threshold=0.0)
    assert again.rounds.items == first.rounds.items
    assert again.conclusion.classes == first.conclusion.classes
    last_value(again.steps())
    assert again.rounds.items[:40] == first.rounds.items
    assert again.rounds.done == 60
    alone = Evidence(record, PLY, SETTINGS, most_rounds=60, threshold=0.0, keep=False)
    assert alone.rounds.done == 0
    last_value(alone.steps())
    assert alone.rounds.items == again.rounds.items


def test_classes_that_are_surely_not_the_best_are_set_aside(quick):
    record = record_of()
    work = Evidence(record, PLY, SETTINGS, most_rounds=80, threshold=0.0)
    last_value(work.steps())
    items = work.rounds.items
    assert all(None not in item for item in items[:20])
    played = [sum(tricks is not None for tricks in item) for item in items]
    assert played == sorted(played, reverse=True)
    assert min(played) >= 2
    assert len(work.conclusion.classes) == len(work.names)


def test_nobody_sees_a_hidden_card(quick):
    """The same is concluded whatever the other three hold."""
    record = record_of()
    state = record.at(PLY)
    dealt_anew = swap_hidden(state, state.table.turn, random.Random(1)).hands
    hands = tuple(
        whole ^ left ^ new
        for whole, left, new in zip(record.hands, state.hands, dealt_anew, strict=True)
    )
    swapped = replace(record, hands=hands, plays=record.plays[:PLY])
    assert swapped.hands != record.hands
    found = []
    for one in (record, swapped):
        work = Evidence(one, PLY, SETTINGS, most_rounds=20)
        last_value(work.steps())
        found.append(work.conclusion.classes)
    assert found[0] == found[1]


def test_judges_that_put_different_cards_first_differ(quick, monkeypatch):
    record = record_of()
    work = Evidence(record, PLY, SETTINGS, most_rounds=20, threshold=0.0)
    last_value(work.steps())
    values = work.guesses["search"]
    worst = int(values.argmin())
    guesses = {**work.guesses, "search": np.where(np.arange(len(values)) == worst, 99.0, values)}
    monkeypatch.setitem(work.__dict__, "guesses", guesses)
    vague = Trust(dict.fromkeys(guesses, 0.0), spread=30.0, drift=30.0)
    monkeypatch.setattr(work, "_trust", vague)
    work._conclude()
    found = work.conclusion
    assert found.kind == DIFFER
    assert not found.is_settled
    views = {view.by: view.cards for view in found.views}
    assert views["search"] == work.names[worst]
    assert set(views) == {SEARCH, *NETWORKS, PLAYED_ON}
    assert f"Judges differ: {pretty_class(work.names[worst])} by search" in concluded(found)


def test_running_widths_shrink_and_widen_with_the_number_of_means():
    sd = np.array([1.0, 2.0])
    few, many = running_widths(sd, 100), running_widths(sd, 10_000)
    assert (few > many).all()
    assert few[1] == pytest.approx(2 * few[0])
    assert (running_widths(sd, 100, n_means=20) > few).all()
    assert few[0] > 1.96 / np.sqrt(100)  # wider than an interval for one look


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
    for means, error, says in (
        ((9, 0), 0.1, "Clear: "),
        ((0, 0.1), 0.1, "Toss-up: "),
        ((0, 2), 3.0, "Leans to "),
    ):
        found = concluded_from(seen, means, error, rounds=3000)
        told = verdict(replace(decision, conclusion=found))
        assert says in told
        assert "3,000 rounds played on" in told


def test_a_loss_is_settled_unless_its_class_or_its_rivals_are_open():
    decision = analyse_decision(record_of(), PLY, SETTINGS)
    first, second, last = [
        decision.observation.rules.cards.format_card(codes[0])
        for codes in equivalent_cards(decision.observation)
    ][:3]
    for means, error, best_is_settled, losses in (
        ((9, 0), 0.1, True, [0, 9]),
        ((0.1, 0), 0.1, True, [0, 0]),
        ((2, 0), 3.0, False, [0, 2]),
    ):
        found = concluded_from(decision.observation, means, error)
        assert [found.loss_of(card).points for card in (first, second)] == losses
        assert found.loss_of(first).is_settled == best_is_settled
        assert found.loss_of(last).is_settled
        assert found.loss_of(last).grade == MISTAKE


@pytest.mark.parametrize(
    ("points", "grade"), [(0, BEST), (0.1, FINE), (3, FINE), (3.1, SLIP), (8, SLIP), (8.1, MISTAKE)]
)
def test_a_loss_has_a_word(points, grade):
    assert Loss(points, True).grade == grade


@pytest.mark.slow
def test_the_command_prints_classes_and_conclusion(tmp_path, capsys):
    hand = "data/hands/bug-report-335.jsonl"
    ask = ["analyze", hand, "--iterations", "60", "--judge", "--budget", "2"]
    assert main([*ask, "--ply", "24", "--json"]) == 0
    (decision,) = json.loads(capsys.readouterr().out)["rounds"][0]["decisions"]
    assert decision["classes"] == [["S2"], ["SK", "SQ"], ["ST", "S9"], ["H4"], ["C8"]]
    conclusion = decision["conclusion"]
    assert conclusion["kind"] in (CLEAR, LEANS, TOSS_UP, DIFFER)
    assert conclusion["cards"][0] in decision["classes"]
    assert conclusion["interval"][0] <= conclusion["lead"] <= conclusion["interval"][1]
    assert conclusion["rounds"] >= 60
    assert conclusion["judge"] == PLAYER  # whoever is asked to search
    assert decision["iterations"] == 60
    assert main([*ask, "--ply", "24"]) == 0
    told = capsys.readouterr().out
    assert any(start in told for start in ("Clear: ", "Leans to ", "Toss-up: ", "Judges differ: "))
    assert main(["analyze", hand, "--budget", "3"]) == 1
    assert "--budget is an option of --judge" in capsys.readouterr().err
    assert main(["analyze", hand, "--judge", "--threshold", "-1"]) == 1
    assert "--threshold is -1; 0 to 1,000 are legal" in capsys.readouterr().err
