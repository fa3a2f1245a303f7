"""No panel contradicts the conclusion without saying why: over 50 decisions of shipped logs."""

import itertools

import pytest

from analysis.decisions.candidates import compute_stability
from analysis.decisions.classes import by_class
from analysis.decisions.conclusion import TOSS_UP
from analysis.decisions.decision import AnalysisSettings, analyse_decision
from analysis.decisions.evidence import Evidence
from analysis.decisions.report import concluded, report_markdown
from tests.positions import draw_decisions
from ui.replay import panel
from ui.replay.view_data import decision_data

pytestmark = pytest.mark.xdist_group("consistency")  # they share what takes long
SETTINGS = AnalysisSettings(iterations=300)
MODEL, BUDGET = SETTINGS.models[0], 0.2


@pytest.fixture(scope="module")
def decisions(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPADES_RESULTS", str(tmp_path_factory.mktemp("results")))
        found = []
        for record, ply in draw_decisions(50, 3):
            evidence = Evidence(record, ply, SETTINGS, budget=BUDGET)
            for _ in evidence.steps():
                pass
            found.append((record, analyse_decision(record, ply, SETTINGS), evidence))
        return found


def test_the_table_the_verdict_and_the_report_say_what_is_concluded(decisions):
    n_judged = 0
    for record, decision, evidence in decisions:
        found = evidence.conclusion
        data = decision_data(decision, MODEL, 0.1, (found,))
        if found is None:
            assert data["is_first_look"]
            continue
        n_judged += 1
        rows = {row["card"]: row for row in data["cards"]}
        starred = {card for card, row in rows.items() if row["is_search_choice"]}
        chosen = found.within if found.kind == TOSS_UP else [found.best]
        assert starred == {one.cards[0] for one in chosen}
        best = found.best.cards[0]
        for one in found.classes:
            behind = rows[best]["value"] - rows[one.cards[0]]["value"]
            assert behind == pytest.approx(one.behind)
            assert behind >= 0
        assert data["verdict"].startswith(concluded(found))
        report = report_markdown(record, decision, SETTINGS, "http://x", found)
        assert data["verdict"] in report
        (marked,) = {
            line.split(" | ")[0]
            for line in report.splitlines()
            if line.startswith("| ") and line.endswith((" search |", " search, played |"))
        }
        assert marked == f"| {by_class(decision, found).row(best).label}"
        if data["disagrees"]:
            human = by_class(decision, found).human_choices(MODEL)
            assert not starred & {row.card for row in human}
    assert n_judged > 40


def test_a_panel_whose_best_card_is_another_says_why(decisions, monkeypatch):
    said = []
    monkeypatch.setattr(panel.st, "caption", said.append)
    n_apart = 0
    for record, decision, evidence in decisions:
        found = evidence.conclusion
        if found is None:
            continue
        here = panel.Here(record, decision.ply, "all", decision, found)
        first = compute_stability(evidence.run.items, evidence.observation)[0].card
        for card in (first, decision.search_choice.card):
            said.clear()
            panel.apart_from_conclusion(here, card, "why.")
            names = itertools.chain(*(one.cards for one in (*found.open, *found.within)))
            assert bool(said) == (card not in names)
            n_apart += bool(said)
    assert n_apart
