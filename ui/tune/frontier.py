"""The frontier of a sweep: how human each setting plays against how often it wins; all numbers."""

import json
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from analysis.plots.sweeps import plot_frontier, plot_heat
from analysis.runs.progress import format_seconds
from analysis.style.kl_sample import DEFINITION, KlSample
from analysis.sweeps import views
from analysis.sweeps.library import SHIPPED, Listed, is_simulated
from analysis.sweeps.likeness import disputes_text, find_disputes, rivals_of
from analysis.sweeps.run import expected_seconds
from analysis.sweeps.sweep import AGENT_OPTIONS, REWARD_SCALE, Setting
from analysis.text_tables import span
from spades.agents import parse_agent
from ui.shared import widgets
from ui.shared.jobs import show_start
from ui.shared.page import literal
from ui.shared.panel import PERCENTAGE_POINTS, Panel, show_file
from ui.shared.states import show_empty
from ui.shared.tables import count, number, percent, text, with_ends
from ui.tune import state
from ui.tune.scale import SWEEP as SCALE_SWEEP
from ui.tune.scale import show_choice
from ui.tune.state import page
from ui.tune.sweeps import is_active, show_sweep_jobs, start_sweep, sweeps

GAIN = "Percentage points of choices over the unbiased search, on the same decisions."
DEFAULT_GAMES = 400  # where a sweep played none
READING = {
    "frontier": "Further right plays more like the humans, so does bluer, by the measure above the "
    "figure; higher wins more; none beats "
    "those on the grey steps in both. Bars: 95% intervals. Click a point to set the ladder to it.",
    "heat": "◆ marks a strength of bias that a paper recommends. Click a cell to set the ladder to "
    "it.",
}
COLUMNS = {
    "label": text("Setting", width=430),
    "delay": count("Delay", "Visits of a node before the model is called there; else in words."),
    "called": text("Model called", "Where the search asks the human model."),
    **with_ends("accuracy_all", "Accuracy, all plays", hint="Its card is the human's."),
    **with_ends("accuracy", "Accuracy, choices", hint="The same of plays with a choice of cards."),
    "decisions": count("Decisions", "Held-out plays with a choice, the same for all."),
    **with_ends("gain", "Gain, pp", PERCENTAGE_POINTS, GAIN),
    **with_ends("log_loss", "Log-loss", "%.3f", "−ln of how likely it held the human's card."),
    "ece": percent("Calibration error", "Expected: how sure it is against how often right."),
    **with_ends("kl", "KL", "%.4f", f"{DEFINITION}."),
    "kl_chance": number("KL by chance", "%.4f", "What samples of one style and these sizes show."),
    **with_ends("auc", "AUC", "%.3f", "A classifier tells its plays from humans': 0.5 by chance."),
    "rounds": count("Rounds", "In the human's seat, for KL and AUC."),
    **with_ends("win_rate", "Win rate", hint="Against the unbiased search, whose own is 50%."),
    "games": count("Games", "On common deals, each played twice with sides swapped."),
    **with_ends("points", "Points a round", "%+.1f", "More than the unbiased search."),
    "ms": number("ms a move", "%.2f", "On decisions with a choice."),
    **with_ends("time_ratio", "Time ×", "%.2f", "Of the unbiased search's, in the same run."),
    "model_calls": number("Model calls", "%.1f", "A move."),
    "iterations": count("Iterations", "A move; at equal time as measured here."),
    "disputed": text(
        "Disputed beside",
        "The unbiased search, or a neighbour on its line: nearer by one of KL, accuracy and AUC, "
        "farther by another; * where 95% intervals of both say so.",
    ),
}


def show_frontier() -> None:
    show_sweep_jobs()
    other: list[Listed] = []
    with widgets.row():
        listed = _choose_sweep(sweeps())
        if listed.document is not None:
            other = _choose_other(listed)
            _choose_task()
    if listed.document is None:
        _show_nothing_measured(listed)
    else:
        table = _settings_of(listed.document)
        _show_chart(listed, table, other)
        _show_picked([listed, *other])
        if listed.id == SCALE_SWEEP:
            show_choice()
        _show_settings(listed, listed.document, table)
        _show_origin(listed, listed.document)


def _show_nothing_measured(listed: Listed) -> None:
    text = "Nothing measured yet."
    icon = "scatter_plot"
    if listed.problem:
        text = f"Nothing measured yet, and it can't be run here: {listed.problem}"
        icon = "block"
    show_empty(literal(text), icon=icon)
    _show_go_on(listed, "Measure it")


@st.cache_data(max_entries=8, show_spinner=False)
def _settings_of(document: dict[str, Any]) -> pd.DataFrame:
    table = views.view_table(document)
    return table.assign(disputed=rivals_of(table, find_disputes(table)))


def _choose_sweep(known: dict[str, Listed]) -> Listed:
    page.settle("sweep", known, next(iter(known)))
    names = {id: _sweep_name(listed) for id, listed in known.items()}
    hint = "Shipped and begun here."
    chosen = page.select("Sweep", "sweep", names, width=380, help=hint)
    page.segments("Chart", "chart")
    return known[chosen]


def _choose_other(listed: Listed) -> list[Listed]:
    """The sweep that the frontier has laid over, if any."""
    known = {id: other for id, other in sweeps().items() if id != listed.id and other.document}
    page.settle("over", ["", *known])
    if page.get("chart") != "frontier" or not known:
        return []
    labels = {"": "none"} | {id: _sweep_name(other) for id, other in known.items()}
    page.select("Laid over it, in hollow marks", "over", labels, width=380)
    chosen = page.get("over")
    return [known[chosen]] if chosen else []


def _sweep_name(listed: Listed) -> str:
    """What the browser knows a sweep by: it must not change while settings are measured."""
    n_settings = listed.n_settings
    if not n_settings and listed.document:
        n_settings = len(listed.document["settings"])
    return f"{listed.title} ({n_settings} settings)"


def _show_go_on(listed: Listed, label: str) -> None:
    plan = listed.plan
    if plan is None or listed.problem or listed.is_finished:
        return
    if is_active(plan):
        st.caption(":material/timer: Being measured; settings appear as they are finished.")
        return
    seconds = expected_seconds(plan) * (1 - listed.n_done / listed.n_settings)
    note = (
        f"{listed.n_done} of {listed.n_settings} settings are in the store; the rest takes about "
        f"{format_seconds(seconds)} on one core."
    )
    show_start(label, note, f"tune_go_on_{listed.id}", start_sweep, plan)


def _show_chart(listed: Listed, table: pd.DataFrame, other: list[Listed]) -> None:
    chart = page.get("chart")
    documents = [shown.document for shown in (listed, *other)]
    panel = Panel(f"tune-{chart}-{listed.id}")
    with panel.question:
        if chart == "frontier":
            _choose_closeness(table)
        second = _settings_of(documents[1]) if other else None
        figure = _figure(chart, table, second)
    reading = READING[chart]
    if is_simulated(documents[0]):
        reading += " The humans here are **simulated**; the published ones were real."
    if table["kl"].notna().any():
        reading += f" {KlSample.of_sweep(documents[0]['plan']).text}."
    if chart == "frontier":
        reading += f"\n\n{literal(disputes_text(table))}"
    differences = views.differences(*documents) if other else ""
    if differences:
        reading += f"\n\n{literal(f'The two were not measured alike: {differences}.')}"
    if figure is not None:
        panel.figure(figure, reading, on_select=partial(_pick_point, panel.key, documents))


def _choose_task() -> None:
    if page.get("chart") == "frontier":
        page.segments("For a search that", "task", on_change=state.take_task)


def _choose_closeness(table: pd.DataFrame) -> None:
    known = {
        name: measure.label
        for name, measure in views.CLOSENESS.items()
        if table[name].notna().any()
    }
    page.settle("x", known, next(iter(known), views.KL.name))  # a task's may not be measured
    hint = (
        "Accuracy: the card it plays most is the human's. Log-loss and calibration error: of how "
        "likely it holds cards. KL: of its abstract moves to the humans', in nats; the published "
        "ones, whose unit the paper doesn't name, are drawn as nats. AUC: how often a classifier "
        "tells a play of its from one of the humans', 0.5 by chance."
    )
    page.segments("How human", "x", known, help=hint)


def _figure(chart: str, table: pd.DataFrame, second: pd.DataFrame | None) -> Any | None:
    measure = views.CLOSENESS[page.get("x")]
    point = page.get("point")
    if chart == "heat":
        return _heat(table)
    return plot_frontier(table, measure, point, second)


def _heat(table: pd.DataFrame) -> Any | None:
    known = views.families(table)
    if not known:
        show_empty("A heat map needs two settings that differ in strength only.")
        return None
    page.settle("family", known, known[0], f"; this sweep has: {'; '.join(known)}")
    with widgets.row():
        labels = {name: measure.label for name, measure in views.HEAT.items()}
        page.select("Value", "heat", labels, width=220)
        page.select("Settings", "family", known, width=420)
    rows = table[table["family"] == page.get("family")]
    measure = views.HEAT[page.get("heat")]
    if measure is views.WIN_RATE:
        played = rows[rows["win_rate_low"].notna()]
        n_far = sum(map(views.is_far_from_even, played.to_dict("records")))
        widgets.show_note(
            f"{n_far} of {len(played)} settings have a *: their 95% interval over pairs of games "
            f"leaves out 50%. By chance alone about {0.05 * len(played):.1f} of them would."
        )
    return plot_heat(rows, measure, page.get("point"))


def _pick_point(key: str, documents: list[dict[str, Any]]) -> None:
    """A click on a chart: its setting becomes the ladder's."""
    data = widgets.clicked_data(st.session_state[key])
    if data:
        pick_setting(documents, data[0])


def _pick_row(key: str, document: dict[str, Any]) -> None:
    rows = st.session_state[key]["selection"]["rows"]
    if rows:
        pick_setting([document], document["settings"][rows[0]]["key"])


def _find(documents: list[dict[str, Any]], key: str) -> tuple[dict, dict] | None:
    """The setting with a key, and the document that it is in."""
    for document in documents:
        for setting in document["settings"]:
            if setting["key"] == key:
                return setting, document
    return None


def pick_setting(documents: list[dict[str, Any]], key: str) -> None:
    found = _find(documents, key)
    if found is None:
        return
    measured, _ = found
    page.put("point", key)
    setting = Setting.from_document(measured["setting"])
    iterations = setting.iterations
    if setting.is_equal_time:  # as it was measured
        iterations = parse_agent(measured["agent"]).player.iterations
    state.take_setting(setting, iterations)


def _show_picked(shown: list[Listed]) -> None:
    documents = [listed.document for listed in shown]
    table = pd.concat([_settings_of(document) for document in documents], ignore_index=True)
    labels = {"": "pick one, or click a point or a row"}
    labels |= dict(zip(table["key"], table["label"], strict=True))
    page.settle("point", labels, why=", which isn't in this sweep")
    point = page.get("point")
    with widgets.row():
        page.select(
            "Setting",
            "point",
            labels,
            on_change=lambda: pick_setting(documents, page.get("point")),
            width="stretch",
        )
        widgets.show_button(
            "See it on the ladder",
            "stairs",
            "tune_to_ladder",
            page.put,
            "view",
            "ladder",
            disabled=not point,
            help="One decision at every strength of this bias; where the ladder can't be the same "
            "it says so.",
        )
        if point:
            widgets.show_button(
                "Play a match of it", "trophy", page.key("to_match"), _ask_match, documents, point
            )
    if not point:
        return
    row = table.drop_duplicates("key").set_index("key").loc[point]
    with st.container(horizontal=True):
        for measure in (*views.CLOSENESS.values(), views.WIN_RATE, views.TIME):
            _show_metric(row, measure)
    st.code(str(row["agent"]), language=None, wrap_lines=True)


def _ask_match(documents: list[dict[str, Any]], key: str) -> None:
    """Turn to the sweep's own match of a setting."""
    found = _find(documents, key)
    assert found is not None
    setting, document = found
    plan = document["plan"]
    page.put("view", "match")
    page.put("ns", setting["agent"])
    page.put("ew", setting["baseline"])
    page.put("games", plan["games"] or DEFAULT_GAMES)
    page.put("seed", plan["seed"])


def _show_metric(row: pd.Series, measure: views.Measure) -> None:
    name = measure.name
    value = row.get(name)
    if pd.isna(value):
        return
    low = row.get(f"{name}_low")
    within = {"win_rate": "by definition", "time_ratio": "unbiased = 1"}.get(name, "")
    if pd.notna(low):
        within = span((low, row[f"{name}_high"]), measure.form)
    hint = f"{measure.axis}; below it the 95% interval."
    widgets.show_metric(measure.label, f"{value:{measure.form}}", within, hint)


def _show_settings(listed: Listed, document: dict[str, Any], table: pd.DataFrame) -> None:
    """Every number of all settings with its interval; a click on a row picks its setting."""
    panel = Panel(f"sweep-{document['plan']['name']}")
    panel.table(
        _with_delays(table),
        COLUMNS,
        column_order=[*COLUMNS],
        on_select=partial(_pick_row, f"{panel.key}_table", document),
        selection_mode="single-row",
    )


def _with_delays(table: pd.DataFrame) -> pd.DataFrame:
    """The table with a number of visits alone as ``delay``, and in ``called`` where the model is
    called, in words."""
    delays = table["delay"].map(str, na_action="ignore")
    visits = pd.to_numeric(delays.where(delays.str.isdecimal().fillna(False).astype(bool)))
    called = delays.map(AGENT_OPTIONS["delay"].value_label, na_action="ignore")
    return table.assign(delay=visits, called=called)


def _show_origin(listed: Listed, document: dict[str, Any]) -> None:
    plan = document["plan"]
    name = f"sweep-{document['plan']['name']}"
    _show_go_on(listed, "Go on" if listed.is_begun else "Measure it here")
    where = "shipped" if listed.source == SHIPPED else "this machine's store"
    why = f" It can't be run here: {listed.problem}." if listed.problem else ""
    widgets.show_note(
        f"{where}: {len(document['settings'])} settings measured, {plan['games']:,} games a "
        f"setting, {plan['decisions']:,} decisions, {plan['rounds']:,} rounds, held-out humans of "
        f"{plan['log']}, seed {plan['seed']}, {AGENT_OPTIONS[REWARD_SCALE].default:g} points in a "
        f"reward where a setting names no other; measured on {document['machine']}. Key "
        f"{document['key']}, behaviour {document['code']}.{why}"
    )
    show_file(
        "Results with keys (JSON)",
        lambda: json.dumps(document, indent=1),
        f"spades-{name}.json",
        f"tune_json_{listed.id}",
    )
