"""Columns of tables, notes on them; the table of simulated humans' figures."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from analysis.models.tables import compute_achieved
from analysis.records import Column
from analysis.text_tables import counted, with_interval
from spades.human.simulated import COMMAND
from spades.look.words import pretty
from ui.shared.address import replay_link
from ui.shared.page import literal
from ui.shared.panel import Panel, high_of
from ui.shared.widgets import errors_shown

TENTH = 0.001  # of a percent: how tables and texts write a share, 12.3%
FEW = 20  # games or rounds that intervals over them need


def columns_of(columns: Iterable[Column]) -> dict[str, Any]:
    """Streamlit's columns from a result's declarations."""
    configs = {column.name: _config(column) for column in columns}
    ends_of_intervals = {high_of(name) for name in configs}
    return configs | dict.fromkeys(ends_of_intervals & configs.keys())


def _config(column: Column) -> Any:
    hint = column.meaning or None
    if not column.form:
        return text(column.label, hint)
    if column.form == ",d":
        return count(column.label, hint)
    if column.form.endswith("%"):
        return percent(column.label, hint)
    return number(column.label, f"%{column.form}", hint)


def number(label: str, form: str | None = None, hint: str | None = None) -> Any:
    step = TENTH if form == "percent" else None
    return st.column_config.NumberColumn(label, format=form, help=hint, step=step)


def count(label: str, hint: str | None = None) -> Any:
    return number(label, "localized", hint)


def percent(label: str, hint: str | None = None, *, bar: bool = False, step: float = TENTH) -> Any:
    """A column of shares, as numbers or as bars."""
    if not bar:
        return st.column_config.NumberColumn(label, format="percent", help=hint, step=step)
    return st.column_config.ProgressColumn(
        label, format="percent", help=hint, step=step, min_value=0, max_value=1
    )


def text(label: str, hint: str | None = None, width: Any = None) -> Any:
    return st.column_config.TextColumn(label, help=hint, width=width)


def link(label: str, text: str) -> Any:
    """A narrow column of links that all have this text."""
    return st.column_config.LinkColumn(label, display_text=text, width="small")


def ends(form: str = "percent", name: str = "") -> dict[str, Any]:
    """The column of a 95% interval, as ``Panel.table`` writes it: of ``low`` and ``high``, or of
    ``name_low`` and ``name_high``."""
    prefix = f"{name}_" if name else ""
    return {f"{prefix}low": number("95%", form), f"{prefix}high": None}


def with_ends(name: str, label: str, form: str = "percent", hint: str | None = None) -> dict:
    """Columns of an estimate and its 95% interval."""
    return {name: number(label, form, hint), **ends(form, name)}


REPLAY_COLUMNS = {
    "open": link("Open", "Replay"),
    "round": number("Round", hint="Row of the log, from 0."),
    "ply": number("Ply", hint="Cards played before, from 0."),
    "seat": "Seat",
    "kind": "Kind",
    "player": "Player",
    "hand": text("Hand", "Spades.hearts.diamonds.clubs"),
}
"""Columns of a table whose rows open in Replay."""


def with_links(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with log, round and ply as people read them, first the link that opens each."""
    shown = rows.copy()
    if "kind" in shown:
        shown["kind"] = shown["kind"].str.replace("-", " ")
    if "card" in shown:
        shown["card"] = shown["card"].map(pretty)
    links = [replay_link(place.log, place.round, ply=place.ply) for place in rows.itertuples()]
    shown.insert(0, "open", links)
    return shown


def show_achieved() -> None:
    title = "How close simulated humans come to the published figures"
    with st.expander(title, icon=":material/target:"), errors_shown():
        rows = [_achieved_row(row) for row in compute_achieved().itertuples()]
        note = (
            "Four simulated humans at one table, on rounds that they were not fitted to; "
            f"in brackets: 95%. Published: Cohensius 2020, of people. Made by `{COMMAND}`."
        )
        Panel("achieved").table(pd.DataFrame(rows), note=note)


def _achieved_row(row: Any) -> dict[str, str]:
    form = ".2%" if row.published < 1 else ".3f"
    ends = (row.achieved - row.margin, row.achieved + row.margin)
    return {
        "Figure": row.figure,
        "Published": format(row.published, form),
        "Achieved": with_interval(format(row.achieved, form), ends, form),
        "Of": row.of,
    }


def show_repeated(n: int, where: str) -> None:
    """A note that rounds stored more than once count once."""
    if n:
        rounds = counted(n, "round repeats", "rounds repeat")
        st.caption(f":material/content_copy: {rounds} another of {where}; each is counted once.")


def warn_few(counts: Mapping[str, int], unit: str) -> None:
    """A warning that bootstrap intervals over fewer than ``FEW`` games or rounds are too narrow."""
    few = [f"{name} {n:,}" for name, n in counts.items() if 0 < n < FEW]
    if few:
        listed = literal(", ".join(few))
        st.caption(
            f":material/warning: **Few {unit}**: {listed}. Intervals over fewer than {FEW} are too "
            "narrow."
        )
