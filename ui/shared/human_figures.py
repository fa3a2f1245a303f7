"""How close simulated humans come to the published figures, folded under what explains them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from analysis.models.tables import NILS_MADE, compute_achieved
from spades.core.errors import SpadesError
from spades.human.simulated import COMMAND
from ui.shared.page import literal


def show_achieved() -> None:
    """The figures, published and achieved, in a folded panel."""
    with st.expander(
        "How close simulated humans come to the published figures", icon=":material/target:"
    ):
        try:
            figures = compute_achieved()
        except SpadesError as error:
            st.error(literal(str(error)), icon=":material/block:")
            return
        st.dataframe(told(figures), hide_index=True, width="stretch")
        st.caption(
            "Four simulated humans at one table, on rounds that they were not fitted to; ± is "
            "half a 95 % interval. Published: Cohensius 2020, of human players. Beside bots they "
            "make another share of their nils: what happens to a nil is also the others' doing. "
            f"Made by `{COMMAND}`."
        )


def show_nil_note() -> None:
    """Why a log's simulated humans make another share of their nils than the published one."""
    try:
        figures = compute_achieved().set_index("figure")
    except SpadesError:
        return  # said where the figures are shown
    nils = figures.loc[NILS_MADE]
    st.caption(
        f"Among four simulated humans {_text(nils.achieved, nils.published)} of nils were made: "
        "that is what they are calibrated to. Beside bots the share is another: what happens to "
        "a nil is also the doing of the partner and the opponents."
    )


def told(figures: pd.DataFrame) -> pd.DataFrame:
    """The figures as read: means as they are, shares in percent."""
    rows = []
    for row in figures.itertuples():
        achieved, margin = (_text(value, row.published) for value in (row.achieved, row.margin))
        rows.append(
            {
                "Figure": row.figure,
                "Published": _text(row.published, row.published),
                "Achieved": f"{achieved} ± {margin}",
                "Of": row.of,
            }
        )
    return pd.DataFrame(rows)


def _text(value: float, published: float) -> str:
    is_share = published < 1
    return f"{100 * value:.2f} %" if is_share else f"{value:.3f}"
