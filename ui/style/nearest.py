"""The measured setting of a bias that plays most like a group, and the way to it on Tune."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.style.counts import OTHERS, SEAT_GROUPINGS, Group, PlayFilter
from analysis.sweeps.nearest import Neighbour
from analysis.text_tables import counted, signed, span
from ui.shared.address import tune_link
from ui.shared.page import is_narrow, literal
from ui.shared.panel import Panel
from ui.shared.tables import link, text, with_ends
from ui.shared.widgets import show_note
from ui.style import cached
from ui.style.cached import Selection

MOST_LISTED = 5
HOW = (
    "Of the settings of the shipped sweeps: KL(group ‖ setting) of the abstract moves, in nats, "
    "95% intervals over games. Each setting played in the seat of the sweep's humans, so another "
    "log's hands and bids are part of the distance. First comes the one whose interval ends lowest."
)
COLUMNS = {
    "tune": link("Open", "Tune"),
    **with_ends("kl", "KL", "%.4f", "In nats; by chance alone it isn't 0."),
    "beside": text(
        "Farther", "Than the first, beyond chance, in nats; ≈: can't be told apart from the first."
    ),
    "setting": text("Setting"),
}


def show_nearest(selection: Selection, groups: Sequence[Group]) -> None:
    """The nearest settings of each group, side by side."""
    if any(group.by not in (*SEAT_GROUPINGS, OTHERS) for group in groups):
        return  # settings are measured over all contexts
    title = "The nearest measured setting"
    if is_narrow():  # folded away: tables in columns are long on a phone
        with st.expander(title):
            show_note(HOW)
            _show_groups(selection, groups)
        return
    st.subheader(title, help=HOW)
    _show_groups(selection, groups)


def _show_groups(selection: Selection, groups: Sequence[Group]) -> None:
    if selection.where != PlayFilter():
        show_note("Settings are measured over all plays: take the filter off.")
        return
    for place, (column, group) in enumerate(
        zip(st.columns(len(groups), gap="medium"), groups, strict=True)
    ):
        with column:
            _show_group(Panel(f"nearest-{place}"), selection, group)


def _show_group(panel: Panel, selection: Selection, group: Group) -> None:
    found = cached.nearest(selection, group)
    if not found:
        show_note(f"{group.label}: too few games.")
        return
    panel.answer(f"Nearest to {literal(group.label)}: {nearest_text(found)}")
    rows = [_row(neighbour) for neighbour in found[:MOST_LISTED]]
    rows[0]["beside"] = ""
    panel.table(pd.DataFrame(rows), COLUMNS)


def nearest_text(found: Sequence[Neighbour]) -> str:
    """Which setting is nearest, and whether others can be told apart from it."""
    first, *others = found
    said = (
        f"**{first.setting.label}**, {first.kl:.4f} nats ({span(first.interval, '.4f')}; by chance "
        f"{first.chance:.4f})."
    )
    n_alike = sum(not other.is_told_apart for other in others)
    if n_alike:
        return f"{said} It can't be told apart from {counted(n_alike, 'other setting')}."
    if others:
        return f"{said} The next is {others[0].farther:.4f} nats farther."
    return said


def _row(neighbour: Neighbour) -> dict[str, str | float]:
    setting = neighbour.setting
    low, high = neighbour.interval
    return {
        "tune": tune_link(setting.sweep, setting.key),
        "kl": neighbour.kl,
        "kl_low": low,
        "kl_high": high,
        "beside": f"{'' if neighbour.is_told_apart else '≈ '}{signed(neighbour.farther, '+.4f')}",
        "setting": setting.label,
    }
