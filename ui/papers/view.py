"""The Papers page: the claims of all figures at a glance, and one figure looked into."""

from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from analysis.papers.counting import NOT_AGAIN, totals_text
from analysis.papers.figures import FIGURES, Figure
from analysis.papers.results import load_results, scale_text
from analysis.papers.verdicts import count_verdicts, texts_of
from analysis.plots.papers import PUBLISHED, plot_points, plot_verdicts
from ui.shared import widgets
from ui.shared.address import Choice, Field, PageState, text_of
from ui.shared.bar import show_link
from ui.shared.page import draw_again, is_narrow, literal, watch_window
from ui.shared.pages import page_of
from ui.shared.tables import number, show_table, text

LABELS = {one.id: f"{one.source}: {one.title}" for one in FIGURES}
DEFAULT, HEAD, OVERVIEW = "devlin-table1", "papers_head", "papers_overview"
RULE = (
    "**Agrees**: the 95% interval of ours lies within the published value ± the row's margin. "
    "**Differs**: it lies outside. **Can't tell**: neither, at this n. Of so many claims a few "
    "differ by chance alone. The bars count what the totals count. Where a paper's players were "
    "people, ours are **simulated humans**."
)
page = PageState("papers", {"figure": Field(Choice(LABELS), DEFAULT)})
COLUMNS = {
    "claim": text("Claim", width="large"),
    "published": "Published",
    "ours": "Ours",
    "interval": "95%",
    "verdict": text("Verdict", "At this n; how many would tell, were ours as now.", width=195),
    "counts_as": text("Counts as", "In the totals: each published number counts once."),
    "points": text("Points a round", "Of the side whose games are counted.", width=130),
    "n": "n",
    "margin": number("Margin", "%.3g"),
    "open": st.column_config.LinkColumn("Open", display_text="Look", width="small"),
    "unit": "Unit",
    "settings": text("What was played", width="medium"),
    "on": "On",
}


@widgets.errors_shown()
def show() -> None:
    wrong: list[str] = []
    known = load_results(wrong)
    widgets.show_damage(wrong)
    if not known:
        hint = "Nothing is made yet: `python -m spades reproduce --scale quick`."
        widgets.show_info(hint, "science")
        return
    with st.container(key=HEAD, horizontal=True):
        st.markdown(totals_text(known, len(FIGURES)))
        watch_window(above=HEAD, below=OVERVIEW)  # takes no room here
    left, right = st.columns([2, 3], gap="large")
    with left:
        _show_overview(known)
    with right:
        page.select("Table or figure", "figure", LABELS)
        figure = next(one for one in FIGURES if one.id == page.get("figure"))
        if document := known.get(figure.id):
            _show_figure(figure, document)
        else:
            widgets.show_info(f"Not made yet: `{figure.command}`.", "science")
    _show_rows(figure, document)


def _show_overview(known: dict[str, Any]) -> None:
    table = pd.DataFrame(
        [
            {"id": one.id, "label": one.id, **count_verdicts(_counted(known[one.id]["rows"]))}
            for one in FIGURES
            if one.id in known
        ]
    )
    figure = plot_verdicts(table, page.get("figure"))
    event = widgets.show_chart(figure, OVERVIEW, "papers", on_select="rerun")
    if clicked := widgets.new_click(page.key("clicked"), widgets.clicked_data(event)):
        page.put("figure", clicked[0])
        draw_again()
    st.caption(RULE)


def _counted(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["counts_as"] != NOT_AGAIN]


def _show_figure(figure: Figure, document: dict[str, Any]) -> None:
    if document["points"]:
        columns = 1 if is_narrow() else 2
        chart = plot_points(document["points"], document["axes"], columns=columns)
        widgets.show_chart(chart, page.key(f"picture_{figure.id}".replace("-", "_")), figure.id)
    size = scale_text(document["share"])
    is_printed = any(PUBLISHED in one["series"] for one in document["points"])
    st.caption(
        f"{literal(figure.source)}, {literal(figure.title)}. Scale: {size}. Bars: 95% intervals"
        f"{'; diamonds: published' * is_printed}. Full scale: {figure.study.sizes}. "
        f"Made by `{figure.command}`."
    )
    show_link(figure.page, f"Look into it: {figure.page}", figure.query)


def _show_rows(figure: Figure, document: dict[str, Any] | None) -> None:
    """The claims of a figure, the width of the page."""
    if document:
        _show_claims(figure, document["rows"], "claims")
        for name in ("why_not_again", "explanation"):
            for why in dict.fromkeys(row[name] for row in document["rows"]):
                if why:
                    widgets.show_note(why)
        if document["readings"]:
            st.markdown("**Other readings and experiments**")
            _show_claims(figure, document["readings"], "readings")


def _place(figure: Figure, row: dict[str, Any]) -> str:
    """The address where a row can be looked into: its match in the Arena, or the figure's page."""
    title, query = figure.page, figure.query
    if match := row.get("match"):
        title, query = "Arena", {"view": "match", **match}
    written = urlencode({name: text_of(value) for name, value in query.items()})
    return f"{page_of(title).address}?{written}"


def _show_claims(figure: Figure, rows: list[dict[str, Any]], name: str) -> None:
    cells = [{**row, **texts_of(row), "open": _place(figure, row)} for row in rows]
    columns = COLUMNS | ({"claim": text("Claim", width=170)} if is_narrow() else {})
    if name == "readings":
        columns.pop("counts_as")  # they count nowhere
    table = pd.DataFrame(cells, columns=[*columns])
    show_table(table if table["points"].any() else table.drop(columns="points"), name, columns)
