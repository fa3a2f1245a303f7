"""The Papers page under AppTest."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from analysis.papers.figures import FIGURES
from analysis.papers.results import KIND
from analysis.runs.store import ResultStore
from tests.pages.apps import charts, open_page, run, texts
from tests.results import own_results  # noqa: F401 - a fixture of every test here

PAGE = "10_Papers"


@pytest.mark.slow
def test_every_figure_is_drawn_with_its_claims_and_its_page():
    at = open_page(PAGE, {})
    for figure in FIGURES:
        at.selectbox(key="papers_figure").set_value(figure.id)
        at = run(at)
        assert {"papers", figure.id.replace("-", "_")} <= set(charts(at))
        assert len(at.dataframe) == 4, "its claims, people, conclusions, what has no row"
        assert all(len(table.value) for table in at.dataframe)
        assert f"reproduce {figure.id}" in texts(at)
        assert "The five papers print" in texts(at)
        assert any(figure.page in link.proto.label for link in at.get("page_link"))


def test_what_is_printed_of_people_stands_beside_simulated_ones():
    at = open_page(PAGE, {})
    rows = at.dataframe[1].value.set_index("what")
    search = rows.loc["accuracy of the unbiased search"]
    assert (search["published"], search["human: meets it"]) == ("58.2%", "not met, not fitted")
    assert search["human"].startswith("48.9% (")
    assert "`human`, simulated, meets 4 of 34 numbers" in texts(at)


def test_conclusions_about_people_stand_under_their_numbers():
    at = open_page(PAGE, {})
    rows = at.dataframe[2].value.set_index("text")
    row = rows.loc["A network foretells more of people's cards than the unbiased search"]
    assert (row["papers_text"], row["same"]) == ("holds: +12.9 pp", "yes")
    assert row["human"].startswith("holds: +17.1 pp (")
    assert f"Of {len(rows)} conclusions" in texts(at)


def test_a_row_opens_its_match():
    at = open_page(PAGE, {"figure": "cohensius-table2"})
    place = urlsplit(at.dataframe[0].value["open"].iloc[0])
    query = dict(parse_qsl(place.query))
    assert place.path == "/Tune"
    assert query["floor"].startswith("-")
    tune = open_page("4_Tune", query)
    assert "Parts of this link could not be applied" not in texts(tune)
    shown = {str(box.value) for box in (*tune.text_input, *tune.number_input, *tune.selectbox)}
    assert {query["ns"], query["ew"], query["games"]} <= shown
    at = open_page(PAGE, {"figure": "baier-fig6-7"})
    rows = at.dataframe[0].value
    mains = rows[rows["reading"] == "main"]
    is_difference = mains["claim"].str.contains(" less ")
    of_match = mains["claim"].str.endswith("games won") & ~is_difference
    assert of_match.sum() == 4
    assert is_difference.sum() == 7
    assert set(mains["open"][~of_match]) == {"/Tune?view=frontier&sweep=baier&x=accuracy_all"}
    assert mains["open"][of_match].str.startswith("/Tune?view=match&").all()
    others = rows[rows["reading"] == "100 points a reward"]
    assert set(others["claim"].str[0]) == {"↳"}, "under the row that they read otherwise"


def test_a_damaged_result_of_ones_own_is_said_and_the_shipped_are_shown():
    ResultStore().put(KIND, {"figure": "baier-table1"}, {"rows": 7})
    at = open_page(PAGE, {"figure": "baier-table1"})
    assert "is damaged" in at.error[0].value
    assert "baier_table1" in charts(at)


def test_a_link_to_no_figure_is_said():
    at = open_page(PAGE, {"figure": "baier-table9"})
    assert "baier-table9" in texts(at)
    assert "devlin_table1" in charts(at)
