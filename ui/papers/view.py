"""The Papers page: the verdicts on all figures, and one figure in detail."""

from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from analysis.papers import conclusions
from analysis.papers.constraints import POPULATIONS, constraint_rows, summaries
from analysis.papers.counting import counted, headline
from analysis.papers.figures import FIGURES, PUBLISHED, Figure
from analysis.papers.notes import MAIN
from analysis.papers.printed import load_printed
from analysis.papers.results import load_results, scale_text, with_readings
from analysis.papers.sources import SOURCES
from analysis.papers.verdicts import count_outcomes, texts_of
from analysis.plots.papers import plot_points, plot_verdicts
from analysis.style.kl_sample import CANONICAL, KlSample
from analysis.sweeps.reward_scale import chosen_text, load_choice
from ui.shared import states, widgets
from ui.shared.address import Field, PageState
from ui.shared.bar import show_link
from ui.shared.codecs import Choice, text_of
from ui.shared.page import draw_again, is_narrow, literal
from ui.shared.pages import page_of
from ui.shared.panel import Panel
from ui.shared.tables import link, number, text

LABELS = {figure.id: f"{figure.source}: {figure.title}" for figure in FIGURES}
DEFAULT = "devlin-table1"
RULE = (
    "**Agrees**: the 95% interval of ours lies within the published value ± the row's margin. "
    "**Differs**: it lies outside; where a paper finds no significant effect, ours is significant. "
    "**Can't tell**: neither, at this n; **no n can tell**: ours lies on the margin itself. Each "
    "published number or direction counts once. Of so many a few differ by chance alone. Where a "
    "paper had people play, we have **simulated humans**."
)
PEOPLE_RULE = (
    "No log of people is public: simulated people stand in, and should meet what is printed of "
    "real ones. Met: the 95% interval lies within the published value ± the margin of the papers' "
    "rows. Fitted: chosen so that it is met. Held out: named before any population but human was "
    "fitted, and fitted by none."
)
page = PageState("papers", {"figure": Field(Choice(LABELS), DEFAULT)})
COLUMNS = {
    "claim": text("Claim", width="large"),
    "reading": text("Reading", "The main one counts; others stand under it.", width=150),
    "published": "Published",
    "ours": "Ours",
    "interval": "95%",
    "verdict": text(
        "Verdict", "With the row's margin; or the n that would tell, if ours stays.", width=330
    ),
    "kind": text(
        "Kind", "Ours beside a number, beside a direction (more, less), or calibrated to a number."
    ),
    "points": text("Points a round", "Of the side whose games are counted.", width=130),
    "n": "n",
    "margin": number("Margin", "%.3g"),
    "open": link("Open", "Look"),
    "unit": "Unit",
    "settings": text("What was played", width="medium"),
    "on": "On",
}
NUMBERS_COLUMNS = {
    "paper": "Paper",
    "page": "Page",
    "place": "Place",
    "what": text("What", width="large"),
    "printed": "Printed",
    "n": text("Numbers", "How many the line is of."),
    "why_not": text("Why it has no row", width="large"),
}


@widgets.errors_shown()
def show() -> None:
    damages: list[str] = []
    known = load_results(damages)
    widgets.show_damage(damages)
    if not known:
        hint = "Nothing has been reproduced yet: `python -m spades reproduce --scale quick`."
        states.show_empty(hint, "science")
        return
    st.markdown(headline(known))
    left, right = st.columns([2, 3], gap="large")
    with left:
        _show_overview(known)
    with right:
        figure = next(figure for figure in FIGURES if figure.id == page.get("figure"))
        panel = Panel(figure.id)
        with panel.question:
            page.select("Table or figure", "figure", LABELS, width="stretch")
        document = known.get(figure.id)
        if document:
            _show_figure(panel, figure, document)
        else:
            states.show_empty(f"Not reproduced yet: `{figure.command}`.", "science")
    if document:
        _show_document(figure, document)
    _show_people()
    _show_conclusions()
    _show_numbers_without_row()
    _show_reward_scale()


def _show_reward_scale() -> None:
    """At what reward scale all this was measured."""
    with widgets.centered_row():
        widgets.show_note(chosen_text(load_choice()))
        show_link("Tune", "Which the papers support", {"view": "frontier", "sweep": "reward-scale"})


def _show_overview(known: dict[str, Any]) -> None:
    rows = []
    for figure in FIGURES:
        if figure.id in known:
            outcomes = count_outcomes(counted(known[figure.id]))
            rows.append({"id": figure.id, "label": figure.short_source, **outcomes})
    chart = plot_verdicts(pd.DataFrame(rows), page.get("figure"))
    clicked = Panel("papers").figure(chart, RULE, on_select="rerun")
    if clicked:
        page.put("figure", clicked[0])
        draw_again()


def _show_figure(panel: Panel, figure: Figure, document: dict[str, Any]) -> None:
    marks = "Axes begin where the data do; bars: 95% intervals"
    if any(PUBLISHED in point["series"] for point in document["points"]):
        marks += "; diamonds: published, in a band of the row's margin"
    reading = (
        f"[{literal(figure.paper)}]({SOURCES[figure.paper].link}), {literal(figure.place)}, "
        f"{literal(figure.title)}. "
        f"Scale: {scale_text(document['share'])}. {marks}. "
        f"Full scale: {figure.study.sizes}. Made by `{figure.command}`.{_kl_text(document)}"
    )
    if document["points"]:
        columns = 1 if is_narrow() else 2
        chart = plot_points(document["points"], document["axes"], columns=columns)
        panel.figure(chart, reading, command=figure.command)
    else:
        st.caption(reading)
    show_link(figure.page, f"Explore: {figure.page}", figure.query)


def _kl_text(document: dict[str, Any]) -> str:
    """Which sample the KL of a figure is of; empty for a figure without."""
    rows = [row for row in document["rows"] if row.get("unit") in ("nats", "bits")]
    if not rows:
        return ""
    sample = KlSample(CANONICAL.log, max(row["n"] for row in rows))
    return f" KL: {sample.text}."


def _show_document(figure: Figure, document: dict[str, Any]) -> None:
    """The claims of a figure, other readings under each, the width of the page."""
    rows = with_readings(document)
    _show_claims(figure, rows)
    notes = [row["explanation"] for row in document["rows"]] + [row["why_not_main"] for row in rows]
    for note in dict.fromkeys(filter(None, notes)):
        widgets.show_note(note)


def _address(figure: Figure, row: dict[str, Any]) -> str:
    """The page that shows a row's data: its match, or the figure's page."""
    match = row.get("match")
    title = "Tune" if match else figure.page
    query = {"view": "match", **match} if match else figure.query
    query_text = urlencode({name: text_of(value) for name, value in query.items()})
    return f"{page_of(title).address}?{query_text}"


def _show_claims(figure: Figure, rows: list[dict[str, Any]]) -> None:
    columns = dict(COLUMNS)
    if is_narrow():
        columns["claim"] = text("Claim", width=170)
        del columns["reading"]  # its name is before the claim
    cells = []
    for row in rows:
        cell = {**row, **texts_of(row), "open": _address(figure, row)}
        if row["reading"] != MAIN:
            name = f"{row['reading']}: " if is_narrow() else ""
            cell["claim"] = f"↳ {name}{row['claim']}"
        cells.append(cell)
    table = pd.DataFrame(cells, columns=[*columns])
    if not table["points"].any():
        table = table.drop(columns="points")
    if all(row["reading"] == MAIN for row in rows):
        table = table.drop(columns="reading", errors="ignore")
    Panel("claims").table(table, columns)


def _show_people() -> None:
    """What the papers print of people, and which simulated people meet it."""
    rows = constraint_rows()
    panel = Panel("people", "What the papers print of people")
    panel.answer("\n".join(f"- {sentence}" for sentence in summaries(rows)), PEOPLE_RULE)
    columns: dict[str, Any] = {
        "what": text("Of people", width=150 if is_narrow() else 340),
        "published": "Published",
    }
    for population in POPULATIONS:
        agent = population.agent
        columns[agent] = text(agent, "Simulated people, by agent; 95% interval.", width=180)
        columns[f"{agent}: meets it"] = text("Meets it", width=145)
    columns["where"] = text("Where", width=210)
    columns["n"] = "n"
    cells = []
    for row in rows:
        cell = {**row, "where": f"{row['paper']}, {row['place']}", "n": _sizes(row)}
        for agent, value in row["populations"].items():
            cell[agent] = value["text"]
            cell[f"{agent}: meets it"] = f"{value['outcome']}, {value['role']}"
        cells.append(cell)
    panel.table(pd.DataFrame(cells)[[*columns]], columns, is_exported=True)


def _show_conclusions() -> None:
    """Which conclusions about people are the same of every population."""
    rows = conclusions.conclusion_rows()
    panel = Panel("conclusions", "Conclusions about people")
    panel.answer(conclusions.summary(rows), f"{conclusions.RULE} The numbers, with n, stand above.")
    columns: dict[str, Any] = {
        "text": text("Conclusion", width=150 if is_narrow() else 480),
        "papers_text": text(
            "Papers",
            "By how much the one number is more than the other, where it is printed.",
            width=150,
        ),
    }
    for population in POPULATIONS:
        hint = "Simulated people, by agent; the difference with its 95% interval."
        columns[population.agent] = text(population.agent, hint, width=260)
    columns["same"] = text("Same", "Whether both populations say the same.", width=90)
    cells = []
    for row in rows:
        cell = {**row, "same": conclusions.same_text(row)}
        for agent, value in row["populations"].items():
            cell[agent] = value["text"]
        cells.append(cell)
    panel.table(pd.DataFrame(cells)[[*columns]], columns, is_exported=True)


def _sizes(row: dict[str, Any]) -> str:
    """The n of each population, once where they are the same."""
    sizes = [f"{value['n']:,} {value['of']}" for value in row["populations"].values() if value["n"]]
    return "; ".join(dict.fromkeys(sizes)) or "-"


def _show_numbers_without_row() -> None:
    """What the papers print of their experiments and no row stands for, with the reasons."""
    printed = [number for number in load_printed() if number.n and not number.has_row]
    table = pd.DataFrame(printed)[[*NUMBERS_COLUMNS]]
    n_numbers = table["n"].sum()
    Panel("without_row").table(
        table, NUMBERS_COLUMNS, folded=f"{n_numbers} printed numbers without a row, and why"
    )
