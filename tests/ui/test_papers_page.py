"""The Papers page under AppTest."""

from analysis.papers.reproduce import FIGURES
from tests.pages.apps import charts, open_page, run, texts

PAGE = "10_Papers"


def test_every_figure_is_drawn_with_its_claims_and_its_page():
    at = open_page(PAGE, {})
    for figure in FIGURES:
        at.selectbox(key="papers_figure").set_value(figure.id)
        at = run(at)
        assert {"papers_overview", f"papers_picture_{figure.id}".replace("-", "_")} <= set(
            charts(at)
        )
        (table,) = at.dataframe
        assert len(table.value)
        assert f"reproduce {figure.id}" in texts(at)
        assert any(figure.page in link.proto.label for link in at.get("page_link"))
