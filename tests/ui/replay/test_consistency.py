"""Nothing on the page denies another thing on it: over decisions of shipped logs and hands."""

import itertools

import pytest

from analysis.decisions import evidence as evidence_module
from analysis.decisions.candidates import compute_stability
from analysis.decisions.classes import by_class, with_findings
from analysis.decisions.conclusion import TOSS_UP, Conclusion
from analysis.decisions.decision import analyse_decision
from analysis.decisions.evidence import Evidence, RepeatedSearch
from analysis.decisions.report import concluded, report_markdown
from analysis.decisions.settings import AnalysisSettings
from spades.core.equivalence import equivalent_cards
from tests.pages.texts import shipped
from tests.positions import draw_decisions
from ui.replay import panel
from ui.replay.judging import Judged
from ui.replay.view_data import CHECKING, decision_data

pytestmark = pytest.mark.xdist_group("consistency")  # they share what takes long
SETTINGS = AnalysisSettings(iterations=300)
MODEL, BUDGET = SETTINGS.models[0], 1.0


@pytest.fixture(scope="module")
def decisions(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPADES_RESULTS", str(tmp_path_factory.mktemp("results")))
        patch.setattr(evidence_module, "NETWORK_ITEMS", 1)
        patch.setattr(evidence_module, "LEAST_ROUNDS", 20)
        found = []
        for record, ply in draw_decisions(20, 3):
            evidence = Evidence(record, ply, SETTINGS, budget=BUDGET)
            for _ in evidence.steps():
                pass
            again = RepeatedSearch(record, ply, SETTINGS, n=20)
            for _ in again.steps():
                pass
            found.append((record, analyse_decision(record, ply, SETTINGS), evidence, again))
        return found


def check_rows(data, found: Conclusion | None) -> None:
    """The star stands on the longest bar, the judge's mark on what it concludes."""
    rows = data["cards"]
    (starred,) = [row for row in rows if row["is_search_choice"]]
    assert starred["share"] == max(row["share"] for row in rows)
    best = {row["card"] for row in rows if row["is_judged_best"]}
    if found is None or len(found.classes) == 1:
        assert not best
        assert all(row["judged_value"] is None for row in rows)
        return
    wanted = found.within if found.kind == TOSS_UP else [found.best]
    assert best == {one.cards[0] for one in wanted}
    values = {row["card"]: row["judged_value"] for row in rows}
    for one in found.classes:
        behind = values[found.best.cards[0]] - values[one.cards[0]]
        assert behind == pytest.approx(one.behind)
        assert behind >= 0


def test_the_table_the_verdict_and_the_report_say_what_is_concluded(decisions):
    n_judged = 0
    for record, decision, evidence, again in decisions:
        found, repeats = evidence.conclusion, again.found
        for judged in (Judged(), Judged(found), Judged(found, False, (repeats,))):
            data = decision_data(decision, MODEL, 0.1, judged)
            check_rows(data, judged.conclusion)
            is_checking = judged.conclusion is None and not decision.is_forced
            assert data["is_checking"] == (data["verdict"] == CHECKING) == is_checking
        if found is None:
            continue
        n_judged += 1
        assert data["verdict"].startswith(concluded(found))
        whole = with_findings(decision, found, repeats)
        report = report_markdown(record, whole, SETTINGS, "http://x")
        assert data["verdict"] in report
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
    assert n_judged > 15


@pytest.mark.parametrize("hand", ["bug-report-335", "four-bots", "south-nil"])
def test_the_first_look_agrees_with_itself_at_every_ply(hand):
    record, settings = shipped(hand), AnalysisSettings()
    for ply in range(len(record.plays)):
        decision = analyse_decision(record, ply, settings)
        data = decision_data(decision, MODEL, 0.1, Judged())
        check_rows(data, None)
        names = [{row["card"], *row["equals"]} for row in data["cards"]]
        seen = decision.observation
        deck = seen.rules.cards
        assert names == [set(map(deck.format_card, cards)) for cards in equivalent_cards(seen)]
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
