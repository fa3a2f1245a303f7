"""Tables of the Playstyle page: shown, and downloadable as CSV."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_of(table: pd.DataFrame) -> str:
    """CSV in which no text of a record is taken for a formula."""
    safe = table.copy()
    for name in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[name]):
            safe[name] = [_plain(value) for value in safe[name]]
    return safe.to_csv(index=False)


def _plain(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def show_table(table: pd.DataFrame, file: str, *, columns: Mapping | None = None, **options):
    """A table with its download under it."""
    shown = st.dataframe(
        table,
        hide_index=True,
        width="stretch",
        column_config=columns or {},
        placeholder="–",
        **options,
    )
    show_download(table, file)
    return shown


def show_download(table: pd.DataFrame, file: str, label: str = "Table (CSV)") -> None:
    st.download_button(
        label,
        lambda: csv_of(table),
        f"spades-{file}.csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key=f"style_csv_{file}",
    )
