"""The frontier of a sweep: how human each setting plays against how often it wins; all numbers."""

import json
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from analysis.plots.sweeps import plot_frontier, plot_heat, plot_parallel, plot_times
from analysis.runs.progress import format_seconds
from analysis.sweeps import views
from analysis.sweeps.library import SHIPPED, Listed, is_simulated
from analysis.sweeps.likeness import disputes_text, find_disputes, rivals_of
from analysis.sweeps.run import expected_seconds
from analysis.sweeps.sweep import Setting
from analysis.text_tables import span
from spades.agents import parse_agent
from ui.shared import widgets
from ui.shared.bar import show_link
from ui.shared.jobs import show_start
from ui.shared.page import literal
from ui.shared.tables import count, number, percent, show_file, show_table, text, with_ends
from ui.tuning import state
from ui.tuning.state import page
from ui.tuning.sweeps import is_active, start_sweep, sweeps

DEFAULT_GAMES = 400  # where a sweep played none
READING = {
    "frontier": "Further right plays more like the humans, higher wins more; none beats those on "
    "the grey steps in both. Bars: 95% intervals. Click a point to set the ladder to it.",
    "heat": "★ marks a strength of bias that a paper recommends. Click a cell to set the ladder to "
    "it.",
    "parallel": "A line a setting, what is better on the right; thick: no other beats it in wins "
    "and closeness to humans. Olive: knowledge bias; teal: equivalent experience; purple: piKL; "
    "vermilion: unbiased; pink: imitation. Click a dot to set the ladder to its setting.",
    "time": "Time of a move relative to the unbiased search in the same run; bars: 95% intervals. "
    "Crosses: Baier's table II, whose model calls cost far more than ours.",
}
COLUMNS = {
    "label": text("Setting", width=430),
    **with_ends("accuracy_all", "Accuracy, all plays", hint="Its card is the human's."),
    **with_ends("accuracy", "Accuracy, choices", hint="The same of plays with a choice of cards."),
    "decisions": count("Decisions", "Held-out plays with a choice, the same for all."),
    **with_ends("gain", "Gain", hint="Over the unbiased search on the same decisions."),
    **with_ends("log_loss", "Log-loss", "%.3f", "-ln of how likely it held the human's card."),
    "ece": percent("Calibration error", "Expected: how sure it is against how often right."),
    **with_ends("kl", "KL", "%.4f", "KL(humans ‖ agent) of 32 abstract moves, nats."),
    "kl_chance": number("KL by chance", "%.4f", "What samples of one style and these sizes show."),
    "rounds": count("Rounds", "In the human's seat, for KL."),
    **with_ends("win_rate", "Win rate", hint="Against the unbiased search, whose own is 50%."),
    "games": count("Games", "On common deals, each played twice with sides swapped."),
    **with_ends("points", "Points a round", "%+.1f", "More than the unbiased search."),
    "ms": number("ms a move", "%.2f", "On decisions with a choice."),
    **with_ends("time_ratio", "Time ×", "%.2f", "Of the unbiased search's, in the same run."),
    "model_calls": number("Model calls", "%.1f", "A move."),
    "iterations": count("Iterations", "A move; at equal time as measured here."),
    "disputed": text(
        "Nearer by accuracy, farther by KL than",
        "The unbiased search, or a neighbour on its line; * where both 95% intervals say so.",
    ),
}


def show_frontier() -> None:
    listed = _choose_sweep(sweeps())
    if listed.document is None:
        why = f", and it can't be run here: {listed.problem}" if listed.problem else "."
        icon = f":material/{'block' if listed.problem else 'scatter_plot'}:"
        st.info(literal(f"Nothing measured yet{why}"), icon=icon)
        _show_go_on(listed, "Measure it")
    else:
        table, other = _settings_of(listed.document), _choose_other(listed)
        _show_chart(listed, table, other)
        _show_picked([listed, *other])
        _show_settings(listed, listed.document, table)
        _show_origin(listed, listed.document)
    page.write()


@st.cache_data(max_entries=8, show_spinner=False)
def _settings_of(document: dict[str, Any]) -> pd.DataFrame:
    table = views.view_table(document)
    return table.assign(disputed=rivals_of(table, find_disputes(table)))


def _choose_sweep(known: dict[str, Listed]) -> Listed:
    page.settle("sweep", known, next(iter(known)))
    with widgets.row():
        names, hint = {id: _sweep_name(one) for id, one in known.items()}, "Shipped and begun here."
        chosen = page.select("Sweep", "sweep", names, width=420, help=hint)
        page.segments("Chart", "chart")
    return known[chosen]


def _choose_other(listed: Listed) -> list[Listed]:
    """The sweep that the frontier has laid over, if any."""
    known = {id: one for id, one in sweeps().items() if id != listed.id and one.document}
    page.settle("over", ["", *known])
    if page.get("chart") != "frontier" or not known:
        return []
    labels = {"": "none"} | {id: _sweep_name(one) for id, one in known.items()}
    page.select("Laid over it, in hollow marks", "over", labels, width=420)
    return [known[page.get("over")]] if page.get("over") else []


def _sweep_name(one: Listed) -> str:
    """What the browser knows a sweep by: it must not change while settings are measured."""
    n = one.n_settings or len(one.document["settings"] if one.document else ())
    return f"{one.title} ({n} settings)"


def _show_go_on(listed: Listed, label: str) -> None:
    plan = listed.plan
    if plan is None or listed.problem or listed.is_finished:
        return
    if is_active(plan):
        st.caption(":material/timer: Being measured; settings appear as they are finished.")
        return
    seconds = expected_seconds(plan) * (1 - listed.n_done / listed.n_settings)
    note = f"{listed.n_done} of {listed.n_settings} settings are in the store; the rest takes "
    note += f"about {format_seconds(seconds)} on one core."
    show_start(label, note, f"tuning_go_on_{listed.id}", start_sweep, plan)


def _show_chart(listed: Listed, table: pd.DataFrame, other: list[Listed]) -> None:
    chart, documents = page.get("chart"), [one.document for one in (listed, *other)]
    key, point = f"tuning_{chart}_{listed.id}", page.get("point")
    if chart in ("frontier", "parallel"):
        known = {n: one.label for n, one in views.CLOSENESS.items() if table[n].notna().any()}
        page.settle("x", known, next(iter(known), views.KL.name))
        hint = "Accuracy: the card it plays most is the human's. Log-loss and calibration error: "
        hint += "of how likely it holds cards. KL: of its abstract moves to the humans', in nats; "
        hint += "the published ones, whose unit the paper doesn't name, are drawn as nats."
        page.segments("How human", "x", known, help=hint)
    measure = views.CLOSENESS[page.get("x")]
    if chart == "heat":
        figure = _heat(table)
    elif chart == "time":
        figure = plot_times(table)
    elif chart == "parallel":
        figure = plot_parallel(table, measure, point)
    else:
        second = _settings_of(documents[1]) if other else None
        figure = plot_frontier(table, measure, point, second)
    if figure is not None:
        show = widgets.show_heat_map if chart in ("heat", "parallel") else widgets.show_chart
        show(figure, key, f"sweep-{chart}", on_select=partial(_pick_point, key, documents))
    simulated = " The humans here are **simulated**; the published ones were real."
    st.caption(READING[chart] + simulated * is_simulated(documents[0]))
    if chart == "frontier":
        widgets.show_note(disputes_text(table))
    if other and (found := views.differences(*documents)):
        widgets.show_note(f"The two were not measured alike: {found}.")


def _heat(table: pd.DataFrame) -> Any | None:
    known = views.families(table)
    if not known:
        st.info("A heat map needs two settings that differ in strength only.")
        return None
    page.settle("family", known, known[0], f"; this sweep has: {'; '.join(known)}")
    with widgets.row():
        labels = {name: measure.label for name, measure in views.HEAT.items()}
        page.select("Value", "heat", labels, width=220)
        page.select("Settings", "family", known, width=420)
    rows, measure = table[table["family"] == page.get("family")], views.HEAT[page.get("heat")]
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
    if data := widgets.clicked_data(st.session_state[key]):
        _pick(documents, data[0])


def _pick_row(key: str, document: dict[str, Any]) -> None:
    if rows := st.session_state[key]["selection"]["rows"]:
        _pick([document], document["settings"][rows[0]]["key"])


def _found(documents: list[dict[str, Any]], key: str) -> Any:
    """The setting with a key, and the document that it is in; None without one."""
    return next(((s, d) for d in documents for s in d["settings"] if s["key"] == key), None)


def _pick(documents: list[dict[str, Any]], key: str) -> None:
    found, _ = _found(documents, key) or (None, None)
    if found is not None:
        page.put("point", key)
        setting = Setting.from_document(found["setting"])
        iterations = setting.iterations
        if setting.is_equal_time:  # as it was measured
            iterations = parse_agent(found["agent"]).player.iterations
        state.take_setting(setting, iterations)


def _show_picked(shown: list[Listed]) -> None:
    documents = [one.document for one in shown]
    labels = {"": "pick one, or click a point or a row"}
    table = pd.concat([_settings_of(document) for document in documents], ignore_index=True)
    labels |= dict(zip(table["key"], table["label"], strict=True))
    page.settle("point", labels, why=", which isn't in this sweep")
    with widgets.row():
        look = {"on_change": lambda: _pick(documents, page.get("point")), "width": "stretch"}
        page.select("Setting", "point", labels, **look)
        hint = "One decision at every strength of this bias; where the ladder can't be the same it "
        look = {"disabled": not page.get("point"), "help": f"{hint}says so."}
        to_ladder = ("tuning_to_ladder", page.put, "view", "ladder")
        widgets.show_button("See it on the ladder", "stairs", *to_ladder, **look)
        if page.get("point"):
            show_link("Arena", "Play it in the Arena", _arena(documents, page.get("point")))
    if not page.get("point"):
        return
    found = table.drop_duplicates("key").set_index("key").loc[page.get("point")]
    with st.container(horizontal=True):
        for measure in (*views.CLOSENESS.values(), views.WIN_RATE, views.TIME):
            _show_metric(found, measure)
    st.code(str(found["agent"]), language=None, wrap_lines=True)


def _arena(documents: list[dict[str, Any]], key: str) -> dict[str, Any]:
    """The sweep's own match of a setting, in the Arena's address."""
    setting, document = _found(documents, key)
    asked = {"view": "match", "ns": setting["agent"], "ew": setting["baseline"]}
    plan = document["plan"]
    return asked | {"games": plan["games"] or DEFAULT_GAMES, "seed": plan["seed"]}


def _show_metric(found: pd.Series, measure: views.Measure) -> None:
    name, form = measure.name, measure.form
    value, low, high = (found.get(name + end) for end in ("", "_low", "_high"))
    if pd.isna(value):
        return
    note = {"win_rate": "by definition", "time_ratio": "unbiased = 1"}.get(name, "")
    within = note if pd.isna(low) else span((low, high), form)
    hint = f"{measure.axis}; below it the 95% interval."
    widgets.show_metric(measure.label, f"{value:{form}}", within, hint)


def _show_settings(listed: Listed, document: dict[str, Any], table: pd.DataFrame) -> None:
    """Every number of all settings with its interval; a click on a row picks its setting."""
    key = f"tuning_rows_{listed.id}"
    clicks = {"on_select": partial(_pick_row, key, document), "selection_mode": "single-row"}
    name = f"sweep-{document['plan']['name']}"
    show_table(table, name, COLUMNS, column_order=[*COLUMNS], key=key, **clicks)


def _show_origin(listed: Listed, document: dict[str, Any]) -> None:
    plan, name = document["plan"], f"sweep-{document['plan']['name']}"
    _show_go_on(listed, "Go on" if listed.is_begun else "Measure it here")
    where = "shipped" if listed.source == SHIPPED else "this machine's store"
    why = f" It can't be run here: {listed.problem}." if listed.problem else ""
    widgets.show_note(
        f"{where}: {len(document['settings'])} settings measured, {plan['games']:,} games a "
        f"setting, {plan['decisions']:,} decisions, {plan['rounds']:,} rounds, held-out humans of "
        f"{plan['log']}, seed {plan['seed']}; measured on {document['machine']}. Key "
        f"{document['key']}, behaviour {document['code']}.{why}"
    )
    key, make = f"tuning_json_{listed.id}", lambda: json.dumps(document, indent=1)
    show_file("Results with keys (JSON)", make, f"spades-{name}.json", key)
