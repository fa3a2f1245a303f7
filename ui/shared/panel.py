"""Panels, of which every page is made, and the files that they export.

A panel reads in one order: its title, the controls that make its question, the answer, a figure and
how to read it, the numbers as a table, *Export*.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

import streamlit as st

from analysis.records import is_missing
from analysis.text_tables import points_text, signed
from ui.shared.widgets import clicked_data, new_click, row

if TYPE_CHECKING:  # the first look at a hand has neither table nor chart, and doesn't load them
    import pandas as pd

CHART_CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "toImage"],
}
PERCENTAGE_POINTS = "pp"
"""The form of a column of differences of shares."""
MISSING = "–"  # in a cell without a value
_MOST_WRITTEN = 20_000  # cells of a table; each takes some 10 µs


class Panel:
    """A panel of a page. Its parts stand in the order of the methods, whichever is called first;
    ``with panel.question:`` draws controls in its row of them. Texts are Markdown."""

    def __init__(
        self, name: str, title: str = "", hint: str | None = None, *, widths: Sequence[float] = ()
    ) -> None:
        """``name``: of its files and of its widgets in the session, on a page of this panel alone.
        ``widths``: of figure and table, where they stand side by side."""
        self.name = name
        self.key = name.replace("-", "_")
        if title:
            st.subheader(title, anchor=name, help=hint)
        self.question = row()
        self._answer = st.container(key=f"{self.key}_answer")
        sides = st.columns(widths, gap="medium") if widths else (st.container(), st.container())
        self._figure, self._table = sides
        self._export = row()

    def answer(self, text: str, hint: str | None = None) -> None:
        self._answer.markdown(text, help=hint)

    def figure(
        self,
        figure: Any,
        reading: str = "",
        *,
        command: str | None = None,
        on_select: Any = "ignore",
    ) -> tuple | None:
        """A chart of ``analysis.plots``; returns the custom data of a point just clicked.

        ``reading``: how to read it; ``command``: what makes its numbers again, if one does;
        ``on_select``: what a click on a point does. The stylesheet colours its texts, the browser's
        script gives it its alternative text and the button under it that exports it."""
        from analysis.plots.layout import finish

        figure = finish(figure)
        meta = {**figure.layout.meta, "file": f"spades-{self.name}", "command": command}
        figure.layout.meta = meta
        event = self._figure.plotly_chart(
            figure, key=self.key, config=CHART_CONFIG, on_select=on_select, selection_mode="points"
        )
        if reading:
            self._figure.caption(reading)
        if on_select != "rerun":
            return None
        return new_click(f"{self.key}_clicked", clicked_data(event))

    def table(
        self,
        table: pd.DataFrame,
        columns: Mapping | None = None,
        note: str = "",
        *,
        folded: str = "",
        is_exported: bool = True,
        **settings: Any,
    ) -> Any:
        """A table with a ``note`` under it, and what is selected in it; ``columns`` and
        ``settings`` are Streamlit's. ``folded``: the label of what opens it, if it is folded."""
        place = self._table.expander(folded) if folded else self._table
        shown, columns, order = _with_intervals(table, columns or {}, settings.get("column_order"))
        written, kept = _written(shown, columns)
        event = place.dataframe(
            written,
            column_config=kept,
            hide_index=True,
            width="stretch",
            placeholder=MISSING,
            key=f"{self.key}_table",
            **settings | {"column_order": order},
        )
        if note:
            place.caption(note)
        if is_exported:
            self.export(table)
        return event

    def export(self, table: pd.DataFrame, what: str = "") -> None:
        """A button that exports a table; ``what`` it holds, where that isn't what is shown."""
        from analysis.logs.tables import csv_of

        label = f"Export {what} (CSV)" if what else "Export (CSV)"
        name = "-".join([self.name, *what.split()])
        with self._export:
            show_file(label, lambda: csv_of(table), f"spades-{name}.csv", f"{name}_csv")


def high_of(low: str) -> str:
    """The column of an interval's upper end by that of its lower one; empty for other columns."""
    return low.removesuffix("low") + "high" if low.endswith("low") else ""


def _with_intervals(
    table: pd.DataFrame, columns: Mapping, order: Sequence[str] | None
) -> tuple[pd.DataFrame, Mapping, list[str] | None]:
    """The table, its columns and their order with every interval in one column of text, where its
    lower end would be; ``ui.shared.tables.ends`` declares intervals."""
    shown = table.copy()
    kept = dict(columns)
    placed = list(order) if order else None
    for low in columns:
        high = high_of(low)
        if columns.get(high, low) is not None or not {low, high} <= set(table):
            continue
        form = _form_of(columns[low]["type_config"])
        pairs = zip(table[low], table[high], strict=True)
        texts = [_interval_text(ends, form) for ends in pairs]
        name = f"{low} to {high}"
        shown.insert(shown.columns.get_loc(low), name, texts)
        label = columns[low]["label"]
        kept |= {low: None, name: st.column_config.TextColumn(label, alignment="right")}
        if placed:
            placed = [name if one == low else one for one in placed if one != high]
    return shown, kept, placed


def _interval_text(ends: Sequence[float], form: str) -> str | None:
    if any(is_missing(end) for end in ends):
        return None
    return " to ".join(_number_text(end, form) for end in ends)


def _written(table: pd.DataFrame, columns: Mapping) -> tuple[Any, Mapping]:
    """The table with its numbers as sentences write them, and what is left of its columns.

    Streamlit would round them by another rule, and write a hyphen for a minus. They are still
    sorted as numbers. Of bars, and of tables that are too large for it, numbers are only rounded,
    where Streamlit would truncate them."""
    table = _rounded(table, columns).reset_index(drop=True)
    if table.size > _MOST_WRITTEN:
        return table, columns
    kept = dict(columns)
    writers = {name: partial(_number_text, form="") for name in table.select_dtypes("number")}
    for name, column in columns.items():
        settings = column["type_config"] if isinstance(column, dict) else {}
        if name in table and settings.get("type") == "number":
            writers[name] = partial(_number_text, form=_form_of(settings))
            kept[name] = {**column, "type_config": {**settings, "format": None}}
    return table.style.format(writers, na_rep=MISSING), kept


def _form_of(settings: Mapping) -> str:
    """Python's format of a column's numbers."""
    form = settings.get("format") or ""
    if form == "localized":
        return ","
    if form == "percent":
        return _share_form(settings)
    if form == PERCENTAGE_POINTS:
        return form
    return str(form.removeprefix("%"))


def _share_form(settings: Mapping) -> str:
    """With as many decimals as the column's step has in percent."""
    return f".{round(-math.log10(settings['step'])) - 2}%"


def _number_text(value: Any, form: str) -> str:
    if not isinstance(value, Real):
        return str(value)
    if form == PERCENTAGE_POINTS:
        return points_text(float(value))
    if form.endswith("d"):
        return signed(round(value), form)
    if form in ("", ","):
        number = float(value)
        return signed(int(value) if number.is_integer() else round(number, 4), form)
    return signed(float(value), form)


def _rounded(table: pd.DataFrame, columns: Mapping) -> pd.DataFrame:
    """Shares rounded to their column's step, as ``format`` rounds them."""
    import pandas as pd

    rounded = {}
    for name, column in columns.items():
        settings = column["type_config"] if isinstance(column, dict) else {}
        if settings.get("step") and name in table:
            shares = pd.to_numeric(table[name])
            texts = [format(share, _share_form(settings)) for share in shares]
            rounded[name] = [float(text.removesuffix("%")) / 100 for text in texts]
    return table.assign(**rounded)


def show_rest(label: str, said: str, icon: str) -> Any:
    """The button behind which the rest of a question is; it says what is set there."""
    label = f"{label}: {said}" if said else label
    return st.popover(label, icon=f":material/{icon}:")


def show_file(
    label: str, content: Any, file: str, key: str, *, type: Any = "tertiary", **settings: Any
) -> None:
    """A button that downloads ``content``: a text, or a function that makes it at the click."""
    icon = ":material/download:"
    st.download_button(
        label, content, file, key=key, icon=icon, type=type, on_click="ignore", **settings
    )
