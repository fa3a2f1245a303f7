"""The Nil page's curves: the chart, nils by sequence, and the rounds behind a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.bidding.sequences import Pattern, format_pattern, name_of, parse_pattern
from analysis.plots.nil import FEW
from spades.bidding.curves import N_VALUE_BINS
from ui.nil import state
from ui.nil.controls import KIND_TITLES
from ui.shared.page import chart_config, literal
from ui.shared.tables import show_download, show_table

CHART = "nil_curves"
MAX_LISTED = 100
_INTERVAL = "Exact (Clopper-Pearson) 95 % interval."


def percent(label: str, told: str | None = None, *, bar: bool = False):
    """A column of shares; as a bar where it is what the eye should compare."""
    if bar:
        return st.column_config.ProgressColumn(
            label, format="percent", min_value=0, max_value=1, help=told
        )
    return st.column_config.NumberColumn(label, format="percent", help=told)


def count(label: str, told: str | None = None):
    return st.column_config.NumberColumn(label, format="localized", help=told)


def show_curves(figure: Figure, rates: pd.DataFrame, logs: Mapping[str, str]) -> None:
    """The chart; a click on a point picks it. ``logs``: log by label."""
    event: Any = st.plotly_chart(
        figure,
        width="stretch",
        key=CHART,
        on_select="rerun",
        selection_mode="points",
        config=chart_config("nil-curves"),
    )
    _take_click(event, logs)
    st.caption(
        "How likely a nil is made (up) by the nil value of the hand (across). Lines: fitted curves "
        "with 95 % bands; those of open bids (any) are means of the sequences that they stand for, "
        "without a band. Points: the share of nils made in a twentieth of nil value, with exact "
        f"95 % intervals, faded under {FEW} nils; where no nil was bid there is no point. The "
        "leftmost holds hands of value 0 too, which BIS gives no chance. Below: how many nils. "
        "Click a point for its rounds."
    )
    show_download(rates, "nil-rates", "Points (CSV)")


def _take_click(event: Any, logs: Mapping[str, str]) -> None:
    """A new click on a point becomes the one whose rounds are shown; an old one stays old."""
    points = event["selection"]["points"] if event else []
    data = points[0].get("customdata") if points else None
    if not data:
        return
    source, bids, at = (data[str(i)] if isinstance(data, dict) else data[i] for i in range(3))
    clicked = (source, bids, int(at))
    if clicked != st.session_state.get(state.key("clicked")):
        state.put("clicked", clicked)
        state.put("at", bids)
        state.put("bin", int(at))
        if source in logs:
            state.put("log", logs[source])


def show_totals(totals: pd.DataFrame) -> None:
    """Nils of every sequence drawn, whatever their value."""
    show_table(
        totals,
        "nil-sequences",
        columns={
            "source": "Nils of",
            "sequence": "Bids before",
            "n": count("Nils", "Played out, after these bids, of every nil value."),
            "made": count("Made"),
            "rate": percent("Share made", _INTERVAL, bar=True),
            "low": percent("95 % from"),
            "high": percent("to"),
            "at 0.5": percent("Curve at 0.5", "Chance by the curve of a nil value of 0.5."),
            "at 0.9": percent("Curve at 0.9", "Chance by the curve of a nil value of 0.9."),
        },
    )


def show_totals_note(metadata: Mapping[str, Mapping[str, Any]]) -> None:
    """What the tables were fitted on; ``metadata`` by the tables' labels."""
    told = [
        f"{label}: {found.get('what', 'not recorded')}, {found.get('rounds', 0):,} rounds "
        f"({found.get('command', '')})"
        for label, found in metadata.items()
    ]
    st.caption(
        literal(
            ". ".join(told) + ". A nil was tried in every round fitted, good hands dealt oftener "
            "than they come: shares over all nil values say little there, those at one value do."
        )
    )


def show_point_controls(patterns: Sequence[Pattern], log_names: Sequence[str]) -> None:
    """Which point: for keyboards, and to see what was clicked."""
    known = [format_pattern(pattern) for pattern in patterns]
    if state.get("at") not in known:
        state.put("at", known[0])
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox("Log", log_names, key=state.key("log"), width=210)
        st.selectbox(
            "Bids before",
            known,
            key=state.key("at"),
            format_func=lambda text: name_of(parse_pattern(text)),
            width=190,
        )
        st.selectbox(
            "Nil value", range(N_VALUE_BINS), key=state.key("bin"), format_func=bin_text, width=150
        )


def bin_text(at: int) -> str:
    return f"{at / N_VALUE_BINS:.2f} to {(at + 1) / N_VALUE_BINS:.2f}"


def show_rounds(rounds: pd.DataFrame, n: int, n_made: int, fitted: Sequence[str]) -> None:
    """The rounds of the log behind the point, each a link to Replay.

    ``fitted``: what the tables say of the same point.
    """
    kind, log = state.get("kind"), state.get("log")
    who = "" if kind == "any" else f" bid by {KIND_TITLES[kind].lower()}"
    nils = "1 nil" if n == 1 else f"{n:,} nils"
    told = f"{nils}{who} in {log}, {n_made:,} made." if n else f"No such nil{who} in {log}."
    st.caption(literal(told))
    if fitted:
        st.caption(
            ":material/inventory_2: "
            + literal(f"Of the fits: {'; '.join(fitted)}. Their rounds were counted, not stored.")
        )
    if not n:
        st.info(
            "No round to open here: choose another nil value or log, or set a bid to any.",
            icon=":material/inbox:",
        )
        return
    shown = rounds.assign(
        open=["/?" + urlencode({"log": log, "round": i, "ply": 0}) for i in rounds["round"]],
        kind=rounds["kind"].str.replace("-", " "),
        made=rounds["made"].map({True: "made", False: "set"}),
    )
    show_table(
        shown[["open", "made", *[name for name in rounds if name != "made"]]],
        "nil-rounds",
        columns={
            "open": st.column_config.LinkColumn("Open", display_text="Replay", width="small"),
            "made": st.column_config.TextColumn("Nil", help="Made: the seat took no trick."),
            "round": st.column_config.NumberColumn("Round", help="Row of the log, from 0."),
            "seat": "Seat",
            "kind": "Kind",
            "player": "Player",
            "bids": st.column_config.TextColumn("Bids before", help="In the order made."),
            "hand": st.column_config.TextColumn("Hand", help="Spades.hearts.diamonds.clubs"),
            "value": st.column_config.NumberColumn("Nil value", format="%.3f"),
            "tricks": st.column_config.NumberColumn("Tricks", help="Taken by the nil bidder."),
        },
        height=300,
    )
    if n > len(rounds):
        st.caption(f"The first {len(rounds)} are shown.")
