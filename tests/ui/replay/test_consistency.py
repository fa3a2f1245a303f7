"""Nothing on the page denies another thing on it: over decisions of shipped logs and hands."""

import itertools
import re
from typing import NamedTuple

import pytest

from analysis.decisions import evidence as evidence_module
from analysis.decisions import judge, played_on
from analysis.decisions.classes import by_class, with_findings
from analysis.decisions.conclusion import BEST, CLEAR, DIFFER, LEANS, TOSS_UP, Conclusion
from analysis.decisions.decision import PlayDecision, analyse_decision
from analysis.decisions.decision_view import CHECKING, Judged, decision_data
from analysis.decisions.evidence import Evidence, RepeatedSearch
from analysis.decisions.judgement import concluded
from analysis.decisions.report import report_markdown
from analysis.decisions.settings import STUDIED_AGENT, AnalysisSettings, settings_of_agent
from analysis.decisions.stability import compute_stability
from analysis.review.round import RoundEvidence
from spades.core.equivalence import equivalent_cards
from spades.core.records import Record
from spades.core.steps import last_value
from tests.analysis.disagreements.quick import PLAYER
from tests.pages.texts import shipped
from tests.positions import draw_decisions
from ui.replay import panel
from ui.shared.records import shipped_hands

pytestmark = pytest.mark.xdist_group("consistency")  # they share what takes long
SETTINGS = AnalysisSettings(iterations=300)
MODEL, BUDGET = SETTINGS.models[0], 0.4
HANDS = [name for name, record in shipped_hands().items() if record.plays]


class Found(NamedTuple):
    """A decision, searched, judged and searched again."""

    record: Record
    decision: PlayDecision
    evidence: Evidence
    again: RepeatedSearch


def found_at(record, ply) -> Found:
    evidence = Evidence(record, ply, SETTINGS, budget=BUDGET)
    last_value(evidence.steps())
    again = RepeatedSearch(record, ply, SETTINGS, n=20)
    last_value(again.steps())
    return Found(record, analyse_decision(record, ply, SETTINGS), evidence, again)


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPADES_RESULTS", str(tmp_path_factory.mktemp("results")))
        patch.setattr(evidence_module, "NETWORK_ITEMS", 1)
        patch.setattr(evidence_module, "LEAST_ROUNDS", 20)
        patch.setattr(played_on, "PLAYER", PLAYER)
        patch.setattr(judge, "FIRST", "best:iterations=60")
        yield


@pytest.fixture(scope="module")
def decisions(quick):
    return [found_at(record, ply) for record, ply in draw_decisions(20, 3)]


def check_rows(data, found: Conclusion | None) -> None:
    """The star stands on what most searches play, and the page says so where another bar is longer;
    the judge's mark on what it concludes; the rows in the order of what they give away."""
    rows = data["cards"]
    (starred,) = [row for row in rows if row["is_search_choice"]]
    assert starred["wins"] == max(row["wins"] for row in rows)
    assert sum(row["wins"] for row in rows) == data["searches"]
    assert bool(data["star"]) == (starred["share"] < max(row["share"] for row in rows))
    best = {row["card"] for row in rows if row["is_judged_best"]}
    if found is None or not found.is_choice:
        assert not best
        assert all(row["judged_value"] is row["loss"] is None for row in rows)
        assert [row["place"] for row in rows] == list(range(len(rows)))
        return
    wanted = found.within if found.kind == TOSS_UP else [found.best]
    assert best == {one.cards[0] for one in wanted}
    values = {row["card"]: row["judged_value"] for row in rows}
    for one in found.classes:
        behind = values[found.best.cards[0]] - values[one.cards[0]]
        assert behind == pytest.approx(one.behind)
        assert behind >= 0
    losses = [row["loss"] for row in rows]
    assert losses == sorted(losses)
    assert rows[0]["is_judged_best"]
    for row in rows:
        assert (row["loss"] == 0) == (row["grade"] == BEST)
        assert row["loss"] == (
            0 if found.class_of(row["card"]) in found.within else found.class_of(row["card"]).behind
        )


def check_judgement(data, found: Conclusion) -> None:
    """The headline says what the row of the card played says, and the sentence is of the best."""
    judgement = data["judgement"]
    assert judgement["sure"] == f"{concluded(found)}."
    (row,) = [row for row in data["cards"] if data["played"] in (row["card"], *row["equals"])]
    assert data["loss"] == (row["loss"] or 0)
    says = judgement["says"]
    assert says.startswith(WORDS[found.kind]) or data["loss"] > 0
    points = re.search(r"cost(?:s)? ([\d.]+) ", says)
    assert bool(points) == (data["loss"] > 0 and says != "divides the judges")
    if points:
        assert float(points[1]) == pytest.approx(data["loss"], abs=0.051)
        assert says.startswith("costs") == data["is_settled"]
    if found.is_choice:
        assert judgement["grade"] == ("" if says == "divides the judges" else row["grade"])
    if found.kind == CLEAR and found.is_choice:
        assert (says == "is best") == row["is_judged_best"]
    proof = found.proof
    if proof and proof.is_sure:
        assert "proven" in judgement["sure"]
        assert found.best.cards not in proof.dominated


def check_review(record, found_by_ply, data_by_ply) -> None:
    """The review of a round gives each play what the page and its graph give it."""
    work = RoundEvidence(record, SETTINGS)
    conclusions = [found_by_ply.get(ply) for ply in range(len(record.plays))]
    for play in work.review_by(conclusions).plays:
        data = data_by_ply[play.ply]
        assert play.given_away == data["loss"]
        assert play.is_settled == data["is_settled"]
        assert set(play.best) >= {row["card"] for row in data["cards"] if row["is_judged_best"]}


WORDS = {
    CLEAR: ("is best", "is as good as any"),
    TOSS_UP: ("is as good as any",),
    LEANS: ("looks best",),
    DIFFER: ("divides the judges",),
}


def check_report(record, decision, found, repeats, data) -> None:
    """The report has the same sentence, and the same marks in each row."""
    whole = with_findings(decision, found, repeats)
    report = report_markdown(record, whole, SETTINGS, "http://x")
    assert data["judgement"]["text"] in report
    shown = by_class(whole)
    for row in data["cards"]:
        (line,) = [
            line
            for line in report.splitlines()
            if line.startswith(f"| {shown.row(row['card']).label} | ")
            and f"{row['share']:.1%} |" in line
        ]
        marks = line.split(" | ")[-1].rstrip(" |").split(", ")
        assert ("search" in marks) == row["is_search_choice"]
        assert ("judge" in marks) == row["is_judged_best"]
    if data["disagrees"]:
        human = {row.card for row in shown.human_choices(MODEL)}
        assert not human & {row["card"] for row in data["cards"] if row["is_judged_best"]}


def check_page(found: Found) -> dict | None:
    """What the page shows of a decision at every stage; at the last one, None without a
    conclusion."""
    record, decision, evidence, again = found
    conclusion = evidence.conclusion
    repeats = again.found
    stages = (Judged(), Judged(conclusion), Judged(conclusion, False, (repeats,)))
    for judged in stages:
        data = decision_data(decision, MODEL, 0.1, judged)
        check_rows(data, judged.conclusion)
        is_checking = judged.conclusion is None and not decision.is_forced
        says = data["judgement"]["says"]
        assert data["is_checking"] == (says == CHECKING) == is_checking
        if is_checking:
            assert not data["judgement"]["reason"] + data["judgement"]["sure"]
            assert data["loss"] is None
    if conclusion is None:
        return None
    check_judgement(data, conclusion)
    check_report(record, decision, conclusion, repeats, data)
    return data


@pytest.mark.slow
def test_nothing_on_the_page_denies_another_thing_on_it(decisions):
    n_judged = 0
    for found in decisions:
        data = check_page(found)
        if data is not None:
            n_judged += 1
            ply = found.decision.ply
            check_review(found.record, {ply: found.evidence.conclusion}, {ply: data})
    assert n_judged > 15


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "hand",
    [pytest.param(hand, marks=[pytest.mark.exhaustive] * (hand != HANDS[0])) for hand in HANDS],
)
def test_nothing_denies_another_thing_at_any_ply_of_a_shipped_hand(hand):
    record = shipped(hand)
    conclusions = {}
    shown = {}
    for ply in range(len(record.plays)):
        if record.at(ply).legal_plays().bit_count() == 1:
            continue
        found = found_at(record, ply)
        data = check_page(found)
        if data is not None:
            conclusions[ply] = found.evidence.conclusion
            shown[ply] = data
    assert len(shown) > 20
    check_review(record, conclusions, shown)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("quick")
def test_nothing_denies_another_thing_in_150_logged_decisions():
    n_judged = sum(check_page(found_at(*place)) is not None for place in draw_decisions(150, 0))
    assert n_judged > 120


@pytest.mark.parametrize("hand", HANDS)
def test_the_first_look_agrees_with_itself_at_every_ply(hand):
    record, settings = shipped(hand), settings_of_agent(STUDIED_AGENT)
    for ply in range(len(record.plays)):
        decision = analyse_decision(record, ply, settings)
        data = decision_data(decision, MODEL, 0.1, Judged())
        check_rows(data, None)
        names = [{row["card"], *row["equals"]} for row in data["cards"]]
        seen = decision.observation
        deck = seen.rules.cards
        assert names == [set(map(deck.format_card, cards)) for cards in equivalent_cards(seen)]
        assert data["is_checking"] != decision.is_forced
        for row in data["cards"]:
            assert row["share"] == pytest.approx(row["visits"] / data["iterations"])


def test_a_panel_whose_best_card_is_another_says_why(decisions, monkeypatch):
    said = []
    monkeypatch.setattr(panel.st, "caption", said.append)
    n_apart = 0
    for record, decision, evidence, again in decisions:
        found = evidence.conclusion
        if found is None:
            continue
        here = panel.Here(record, decision.ply, "all", decision, found)
        first = compute_stability(again.series.items, evidence.observation)[0].card
        for card in (first, decision.search_choice.card):
            said.clear()
            panel.apart_from_conclusion(here, card, "why.")
            names = itertools.chain(*(one.cards for one in (*found.open, *found.within)))
            assert bool(said) == (card not in names)
            n_apart += bool(said)
    assert n_apart
