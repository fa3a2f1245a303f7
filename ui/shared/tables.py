"""Tables that download as CSV, and their columns; the table of simulated humans' figures."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from analysis.logs.tables import csv_of
from analysis.models.tables import compute_achieved
from analysis.records import Column
from spades.human.simulated import COMMAND
from ui.shared.page import literal
from ui.shared.widgets import errors_shown

TENTH = 0.001  # of a percent: how tables and texts write a share, 12.3%
FEW = 20  # games or rounds that intervals over them need


def show_frame(table: pd.DataFrame, columns: Mapping | None = None, **options: Any) -> Any:
    look = {"hide_index": True, "width": "stretch", "placeholder": "–", **options}
    return st.dataframe(_rounded(table, columns or {}), column_config=columns or {}, **look)


def _rounded(table: pd.DataFrame, columns: Mapping) -> pd.DataFrame:
    """Streamlit cuts a number off at its column's step."""
    kinds = {name: one["type_config"] for name, one in columns.items() if isinstance(one, dict)}
    steps = {name: kind["step"] for name, kind in kinds.items() if kind.get("step")}
    shares = {name: pd.to_numeric(table[name]) / steps[name] for name in steps if name in table}
    return table.assign(**{name: one.round() * steps[name] for name, one in shares.items()})


def show_table(table: pd.DataFrame, file: str, columns: Mapping | None = None, **options: Any):
    """A table with its download under it."""
    shown = show_frame(table, columns, **options)
    show_download(table, file)
    return shown


def show_download(table: pd.DataFrame, file: str, label: str = "Table (CSV)") -> None:
    show_file(label, lambda: csv_of(table), f"spades-{file}.csv", f"style_csv_{file}")


def show_file(label: str, make: Any, file: str, key: str, **look: Any) -> None:
    """A button that downloads a text, or what ``make`` gives when it is clicked."""
    look = {"icon": ":material/download:", "type": "tertiary", **look}
    st.download_button(label, make, file, key=key, on_click="ignore", **look)


def columns_of(columns: Iterable[Column]) -> dict[str, Any]:
    """A table's columns as a result declares them."""
    return {column.name: _config(column) for column in columns}


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
    """A column of shares; as a bar where it is what the eye should compare."""
    look = {"format": "percent", "help": hint, "step": step}
    if not bar:
        return st.column_config.NumberColumn(label, **look)
    return st.column_config.ProgressColumn(label, min_value=0, max_value=1, **look)


def text(label: str, hint: str | None = None, **options: Any) -> Any:
    return st.column_config.TextColumn(label, help=hint, **options)


def ends(form: str = "percent", name: str = "") -> dict[str, Any]:
    """Columns of a 95% interval: ``low`` and ``high``, or ``name_low`` and ``name_high``."""
    before = name and f"{name}_"
    return {f"{before}low": number("95% from", form), f"{before}high": number("to", form)}


def with_ends(name: str, label: str, form: str = "percent", hint: str | None = None) -> dict:
    """Columns of an estimate and its 95% interval."""
    return {name: number(label, form, hint), **ends(form, name)}


REPLAY_COLUMNS = {
    "open": st.column_config.LinkColumn("Open", display_text="Replay", width="small"),
    "round": number("Round", hint="Row of the log, from 0."),
    "ply": number("Ply", hint="Cards played before, from 0."),
    "seat": "Seat",
    "kind": "Kind",
    "player": "Player",
    "hand": text("Hand", "Spades.hearts.diamonds.clubs"),
}
"""Columns of rows that Replay opens."""


def show_achieved() -> None:
    title = "How close simulated humans come to the published figures"
    with st.expander(title, icon=":material/target:"), errors_shown():
        rows = [_as_read(row) for row in compute_achieved().itertuples()]
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
        st.caption(
            "Four simulated humans at one table, on rounds that they were not fitted to; ± is "
            f"half a 95% interval. Published: Cohensius 2020, of people. Made by `{COMMAND}`."
        )


def _as_read(row: Any) -> dict[str, str]:
    form, times = ("{:.2f}%", 100) if row.published < 1 else ("{:.3f}", 1)
    values = row.published, row.achieved, row.margin
    published, achieved, margin = (form.format(times * value) for value in values)
    achieved = f"{achieved} ± {margin}"
    return {"Figure": row.figure, "Published": published, "Achieved": achieved, "Of": row.of}


def show_repeated(n: int, where: str) -> None:
    """That rounds stored more than once count once; nothing where there are none."""
    if n:
        rounds = "1 round repeats" if n == 1 else f"{n:,} rounds repeat"
        st.caption(f":material/content_copy: {rounds} another of {where}; each is counted once.")


def warn_few(counts: Mapping[str, int], unit: str) -> None:
    """That bootstrap intervals over these are too narrow, where a name has fewer than ``FEW``."""
    if few := [f"{name} {n:,}" for name, n in counts.items() if 0 < n < FEW]:
        why = f"Intervals over fewer than {FEW} are too narrow."
        st.caption(f":material/warning: **Few {unit}**: {literal(', '.join(few))}. {why}")
