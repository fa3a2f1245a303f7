"""The frontier of a sweep: how human each setting plays against how often it wins."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from analysis.plots.sweeps import plot_frontier, plot_heat, plot_times
from analysis.runs.parts import format_seconds
from analysis.sweeps.library import SHIPPED, Listed, is_simulated
from analysis.sweeps.run import expected_seconds
from analysis.sweeps.sweep import Setting
from analysis.sweeps.views import CLOSENESS, HEAT, Measure, families
from spades.agents import parse_agent
from ui.shared.page import chart_config, literal
from ui.shared.tables import show_download
from ui.shared.widgets import row, segments, select
from ui.tuning import state
from ui.tuning.sweeps import is_under_way, settings_of, show_settings, start_sweep, sweeps

READING = {
    "frontier": "Each point is a setting: the further right, the more it plays like the humans, "
    "the higher, the more it wins. Bars are 95 % intervals; the numbers at the points are the "
    "value that changes along a line. Click a point to set the ladder to it.",
    "heat": "One cell a setting. ★ marks a strength of bias that a paper recommends. Click a cell "
    "to set the ladder to it.",
    "time": "Time of a move relative to the unbiased search on the same decisions in the same "
    "run; bars: 95 % intervals over its parts. Crosses: Baier's table II, whose model calls cost "
    "far more than ours.",
}


def show_frontier() -> None:
    """The sweep chosen: its chart, the setting picked, all numbers."""
    listed = _choose_sweep(sweeps())
    if listed.document is None:
        _show_unmeasured(listed)
    else:
        _show_measured(listed)
    state.page.write()


def _show_measured(listed: Listed) -> None:
    assert listed.document is not None
    table = settings_of(listed.document)
    _show_chart(listed, table)
    _show_picked(listed.document, table)
    show_settings(table, listed.id, on_pick=partial(_pick_row, listed.document))
    _show_origin(listed)


def _choose_sweep(known: dict[str, Listed]) -> Listed:
    if state.get("sweep") not in known:
        wanted, first = state.get("sweep"), next(iter(known))
        state.page.complain(
            f"The link says sweep={wanted[:40]}; there is: {', '.join(known)}. Shown: {first}."
        )
        state.put("sweep", first)
    with row():
        chosen = select(
            "Sweep",
            known,
            state.key("sweep"),
            format_func=lambda one: _sweep_name(known[one]),
            width=420,
            help="Shipped sweeps, and those begun here. Run your own below.",
        )
        segments("Chart", state.CHARTS, state.key("chart"))
    return known[chosen]


def _sweep_name(one: Listed) -> str:
    """What the browser knows a sweep by: it must not change while settings are measured."""
    n = one.n_settings or len(one.document["settings"] if one.document else ())
    return f"{one.title} ({n} settings)"


def _show_unmeasured(listed: Listed) -> None:
    if listed.problem:
        st.info(
            literal(f"Nothing measured yet, and it can't be run here: {listed.problem}"),
            icon=":material/block:",
        )
        return
    st.info("Nothing measured yet.", icon=":material/scatter_plot:")
    _show_go_on(listed, "Measure it")


def _show_go_on(listed: Listed, label: str) -> None:
    """The button that measures what a sweep lacks."""
    plan = listed.plan
    if plan is None or listed.problem or listed.is_finished:
        return
    if is_under_way(plan):
        st.caption(":material/timer: Being measured; settings appear as they are finished.")
        return
    seconds = expected_seconds(plan) * (1 - listed.n_done / listed.n_settings)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            label,
            icon=":material/play_arrow:",
            key=f"tuning_go_on_{listed.id}",
            on_click=start_sweep,
            args=(plan,),
        )
        st.caption(
            f"{listed.n_done} of {listed.n_settings} settings are in the store by today's code; "
            f"the rest takes about {format_seconds(seconds)} on one core."
        )


def _show_chart(listed: Listed, table: pd.DataFrame) -> None:
    chart, name = state.get("chart"), listed.id
    event_key = f"tuning_{chart}_{name}"
    if chart == "heat":
        figure = _heat(table)
    elif chart == "time":
        figure = plot_times(table)
    else:
        segments(
            "How human",
            CLOSENESS,
            state.key("x"),
            format_func=lambda one: CLOSENESS[one].label,
            help="Accuracy: the card it plays most is the human's; forced plays count in *all "
            "plays*, as in the papers. KL: how far its abstract moves are from the humans'.",
        )
        figure = plot_frontier(table, CLOSENESS[state.get("x")], state.get("point"))
    if figure is not None:
        st.plotly_chart(
            figure,
            width="stretch",
            key=event_key,
            on_select=partial(_pick_point, event_key, listed.document),
            selection_mode="points",
            config=chart_config(f"sweep-{chart}"),
        )
    st.caption(READING[chart] + _humans_note(listed.document))


def _humans_note(document: dict[str, Any] | None) -> str:
    if document is None or not is_simulated(document):
        return ""
    return " :material/smart_toy: The humans here are **simulated**; the published ones were real."


def _heat(table: pd.DataFrame) -> Any | None:
    known = families(table)
    if not known:
        st.info("A heat map needs two settings that differ in strength only.")
        return None
    if state.get("family") not in known:
        if state.get("family") and state.page.is_first_look:
            state.page.complain(
                f"The link says family={state.get('family')[:40]}; this sweep has: "
                f"{'; '.join(known)}. Shown: {known[0]}."
            )
        state.put("family", known[0])
    with row():
        labels = {name: measure.label for name, measure in HEAT.items()}
        select("Value", labels, state.key("heat"), width=220)
        select("Settings", known, state.key("family"), width=420)
    rows = table[table["family"] == state.get("family")]
    return plot_heat(rows, HEAT[state.get("heat")], state.get("point"))


def _pick_point(event_key: str, document: dict[str, Any]) -> None:
    """A click on a chart: its setting becomes the ladder's."""
    points = st.session_state[event_key]["selection"]["points"]
    data = points[0].get("customdata") if points else None
    if data is not None:
        pick(document, data["0"] if isinstance(data, dict) else data[0])


def _pick_row(document: dict[str, Any], rows: list[int]) -> None:
    if rows:
        pick(document, document["settings"][rows[0]]["key"])


def _pick_named(document: dict[str, Any]) -> None:
    pick(document, state.get("point"))


def pick(document: dict[str, Any], key: str) -> None:
    """Mark a setting of a sweep and make it the ladder's."""
    found = next((one for one in document["settings"] if one["key"] == key), None)
    if found is not None:
        state.put("point", key)
        setting = Setting.from_document(found["setting"])
        state.take_setting(setting, _iterations_of(setting, found["agent"]))


def _iterations_of(setting: Setting, agent: str) -> int | None:
    """How long a setting thinks: of equal time as its agent was measured; None without a search."""
    if setting.is_equal_time:
        return parse_agent(agent).player.iterations
    return setting.iterations


def _show_picked(document: dict[str, Any], table: pd.DataFrame) -> None:
    """The setting picked, by name for keyboards, and its numbers."""
    labels = dict(zip(table["key"], table["label"], strict=True))
    if state.get("point") not in labels:
        if state.get("point") and state.page.is_first_look:
            state.page.complain(
                f"The link says point={state.get('point')[:40]}, which isn't in this sweep."
            )
        state.put("point", "")
    with row():
        select(
            "Setting",
            ["", *labels],
            state.key("point"),
            format_func=lambda key: labels.get(key, "pick one, or click a point or a row"),
            on_change=_pick_named,
            args=(document,),
            width="stretch",
        )
        st.button(
            "See it on the ladder",
            icon=":material/stairs:",
            key="tuning_to_ladder",
            disabled=not state.get("point"),
            help="One decision at every strength of this bias; where the ladder can't be the same "
            "it says so.",
            on_click=state.put,
            args=("view", "ladder"),
        )
    if not state.get("point"):
        return
    found = table.set_index("key").loc[state.get("point")]
    with st.container(horizontal=True):
        for measure in (*CLOSENESS.values(), HEAT["win_rate"], HEAT["time_ratio"]):
            _show_metric(found, measure)
    st.code(str(found["agent"]), language=None, wrap_lines=True)


def _show_metric(found: pd.Series, measure: Measure) -> None:
    name, form = measure.name, measure.form
    if pd.isna(found[name]):
        return
    low, high = found.get(f"{name}_low"), found.get(f"{name}_high")
    is_known = low is not None and not pd.isna(low)
    unknown = {"win_rate": "by definition", "time_ratio": "unbiased = 1"}
    told = f"{low:{form}} to {high:{form}}" if is_known else unknown.get(name, "")
    st.metric(
        measure.label,
        f"{found[name]:{form}}",
        told,
        delta_color="off",
        delta_arrow="off",
        border=True,
        help=f"{measure.axis}; below it the 95 % interval.",
    )


def _show_origin(listed: Listed) -> None:
    """Where the numbers come from, their key, and files."""
    document = listed.document
    assert document is not None
    plan = document["plan"]
    _show_go_on(listed, "Go on" if listed.is_begun else "Measure it with today's code")
    where = "shipped" if listed.source == SHIPPED else "this machine's store"
    st.caption(
        literal(
            f"{where}: {len(document['settings'])} settings measured, "
            f"{plan['games']:,} games a setting, {plan['decisions']:,} decisions, "
            f"{plan['rounds']:,} rounds, held-out humans of {plan['log']}, seed {plan['seed']}; "
            f"measured on {document['machine']}. Key {document['key']}, "
            f"behaviour {document['code']}."
        )
        + (f" It can't be run here: {literal(listed.problem)}." if listed.problem else "")
    )
    with st.container(horizontal=True):
        show_download(settings_of(document), f"sweep-{plan['name']}")
        st.download_button(
            "Results with keys (JSON)",
            lambda: json.dumps(document, indent=1),
            f"spades-sweep-{plan['name']}.json",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
            key=f"tuning_json_{listed.id}",
        )
