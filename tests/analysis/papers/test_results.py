"""The published tables and figures: which there are, how one is named, what is stored."""

import re

import pytest

from analysis.matches.match import MatchPlan, expected_seconds
from analysis.papers import results
from analysis.papers.figures import FIGURES, PUBLISHED, figures_named
from analysis.papers.notes import FOLDER, notes_of
from analysis.papers.report import figure_report, whole_report
from analysis.papers.results import annotated, load_results, shipped_documents
from analysis.papers.verdicts import DIFFERS, UNKNOWN_CAUSE
from spades.core.errors import SpadesError
from tests.results import own_results  # noqa: F401 - a fixture of every test here
from ui.shared.pages import page_of

KEYS = {
    "id", "claim", "published", "ours", "interval", "n", "unit", "verdict", "margin",
    "explanation", "command", "kind", "reading",
}  # fmt: skip


def test_every_figure_has_a_page_to_look_into_it():
    assert len({one.id for one in FIGURES}) == len(FIGURES) >= 22
    for one in FIGURES:
        assert page_of(one.page)


def test_names():
    assert [one.id for one in figures_named("baier-table1")] == ["baier-table1"]
    assert {one.id[:5] for one in figures_named("baier")} == {"baier"}
    assert len(figures_named("cohensius-fig2-7")) == 6
    assert figures_named(None) == list(FIGURES)
    with pytest.raises(SpadesError, match="no table or figure 'baier-table9'; legal are white"):
        figures_named("baier-table9")


def test_what_differs_has_an_experiment_or_says_that_no_cause_is_found():
    for figure, document in load_results().items():
        for row in document["rows"]:
            text = row["explanation"].lower()
            low, high = row["interval"]
            is_exact = low == high  # then the text says where the paper slipped
            if row["verdict"] == DIFFERS and UNKNOWN_CAUSE not in text and not is_exact:
                assert "other readings" in text, f"{figure}, {row['claim']}: {text}"
                assert document["readings"]


@pytest.fixture(scope="module")
def known():
    return load_results()


def test_all_are_shipped_with_intervals_and_explanations(known):
    assert set(known) == {one.id for one in FIGURES} == set(shipped_documents())
    rows = [row for document in known.values() for row in document["rows"]]
    for row in rows:
        assert set(row) >= KEYS
        assert row["interval"] is not None, row["claim"]
        assert row["interval"][0] <= row["ours"] <= row["interval"][1], row["claim"]
        assert row["explanation"] or row["verdict"] != DIFFERS, row["claim"]


def test_points_a_round_stand_beside_games_won(known):
    found = [
        row
        for document in known.values()
        for row in (*document["rows"], *document["readings"])
        if document["share"] == 1.0 and row["claim"].endswith("games won")
    ]
    assert len(found) > 30
    for row in found:
        value, (low, high) = row["points"]
        assert low <= value <= high, row["claim"]
        if "less" not in row["claim"] and abs(row["ours"] - 0.5) > 0.1:
            assert (value > 0) == (row["ours"] > 0.5), row["claim"]


@pytest.mark.parametrize("text", ["[" * 3000, "{", "7", "\udcff"])
def test_a_damaged_figure_is_refused_with_what_makes_it(tmp_path, monkeypatch, text):
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    path = results.shipped_path("baier-table1")
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(SpadesError, match=r"can't be read .* experiments\.papers\.ship makes"):
        shipped_documents()


def test_every_file_is_of_a_figure_and_every_note_of_a_row(known):
    ids = {figure.id for figure in FIGURES}
    assert {path.stem for path in FOLDER.iterdir() if path.suffix != ".csv"} == ids
    for figure_id in ids:
        notes = notes_of(figure_id)
        patterns = {"readings", "printed_again", "experiments", "calibrated"}
        assert set(notes) <= {"asked", "explanations", "not_counted", *patterns}
        claims = [row["claim"] for row in known[figure_id]["rows"]]
        all_claims = claims + [row["claim"] for row in known[figure_id]["readings"]]
        for pattern in (pattern for name in patterns for pattern in notes.get(name, {})):
            assert any(re.search(pattern, claim) for claim in all_claims), pattern
        starts = set(notes.get("explanations", {})) - {"all"}
        assert all(any(claim.startswith(start) for claim in claims) for start in starts)
        parts = notes.get("not_counted", {})
        assert all(any(part in claim for claim in all_claims) for part in parts)


def test_a_published_point_has_the_margin_of_its_row(known):
    def margins(figure, panel):
        points = known[figure]["points"]
        return {
            one["x"]: one["margin"] for one in points if one["panel"] == panel and one["margin"]
        }

    assert set(margins("baier-table1", "accuracy").values()) == {0.01}
    assert margins("baier-table1", "against 2,500 iterations")["random"] == 0.04
    assert margins("devlin-table1", "") == dict.fromkeys(
        ("Baseline ISMCTS", "AI Factory Spades", "Biased agent"), 0.01
    )
    assert margins("dobre-table1", "") == {}, "their own rows have none"
    assert margins("whitehouse-stability", "") == {}, "it has an interval of its own"


def test_a_published_point_is_what_a_row_says(known):
    n_points = 0
    for figure, document in known.items():
        margins = {row["margin"] for row in document["rows"]}
        printed = {
            (end, row["margin"]) for row in document["rows"] for end in row["published_range"]
        }
        for point in document["points"]:
            if point["margin"] is None:
                continue
            n_points += 1
            assert PUBLISHED in point["series"]
            if figure == "cohensius-table1-5-6":  # a row of it is a whole table
                assert point["margin"] in margins
            else:
                assert (point["y"], point["margin"]) in printed, (figure, point)
    assert n_points > 200


def test_hours_to_tell_are_those_of_the_match_or_the_study(known):
    row = known["whitehouse-fig1a"]["rows"][0]
    hours = expected_seconds(MatchPlan(**row["match"])) / 3600
    assert row["hours_to_tell"] == pytest.approx(hours * row["n_to_tell"] / row["n"])
    gone = {**row, "match": {**row["match"], "ns": "an agent that was here"}}
    document = {"share": 1.0, "rows": [gone]}
    (of_study,) = annotated({"whitehouse-fig1a": document})["whitehouse-fig1a"]["rows"]
    assert of_study["hours_to_tell"] > 0
    told = next(row for row in known["devlin-accuracy"]["rows"] if row["verdict"] == "agrees")
    assert told["hours_to_tell"] is None or told["hours_to_tell"] < 1


def test_the_report_has_every_claim(known):
    text = whole_report(known)
    for figure in FIGURES:
        report = figure_report(figure, known[figure.id])
        assert report in text
        assert all(row["claim"].replace("|", "\\|") in report for row in known[figure.id]["rows"])
    assert "## Beliefs about hidden cards" in text
    assert "## piKL" in text
