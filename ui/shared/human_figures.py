"""How close simulated humans come to the published figures, folded under what explains them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from analysis.models.tables import NILS_MADE, compute_achieved
from spades.core.errors import SpadesError
from spades.human.simulated import COMMAND
from ui.shared.widgets import show_error


def show_achieved() -> None:
    """The figures, published and achieved, in a folded panel."""
    title = "How close simulated humans come to the published figures"
    with st.expander(title, icon=":material/target:"):
        try:
            figures = _as_read()
        except SpadesError as error:
            show_error(error)
            return
        st.dataframe(figures, hide_index=True, width="stretch")
        st.caption(
            "Four simulated humans at one table, on rounds that they were not fitted to; ± is "
            "half a 95 % interval. Published: Cohensius 2020, of human players. With bots they "
            "make another share of their nils: what happens to a nil is also the others' doing. "
            f"Made by `{COMMAND}`."
        )


def show_nil_note() -> None:
    """Why a log's simulated humans make another share of their nils than the published one."""
    try:
        figures = compute_achieved().set_index("figure")
    except SpadesError:
        return  # reported with the figures
    nils = figures.loc[NILS_MADE]
    st.caption(
        f"Among four simulated humans {100 * nils.achieved:.2f} % of nils were made: that is what "
        "they are calibrated to. With bots the share is another: what happens to a nil is also "
        "the doing of the partner and the opponents."
    )


def _as_read() -> pd.DataFrame:
    """Means as they are, shares in percent."""
    rows = []
    for row in compute_achieved().itertuples():
        form, times = ("{:.2f} %", 100) if row.published < 1 else ("{:.3f}", 1)
        values = row.published, row.achieved, row.margin
        published, achieved, margin = (form.format(times * value) for value in values)
        rows.append((row.figure, published, f"{achieved} ± {margin}", row.of))
    return pd.DataFrame(rows, columns=["Figure", "Published", "Achieved", "Of"])
