"""The Nil page's curves: the chart, nils by sequence, and the rounds behind a point."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.bidding.sequences import format_pattern, name_of, parse_pattern, sequences_of
from analysis.nil.rates import compute_rates
from analysis.plots.nil import FEW
from spades.bidding import load_curves
from spades.bidding.curves import N_VALUE_BINS
from ui.nil import cached, state
from ui.nil.cached import TABLE_LABELS, Question
from ui.nil.controls import KIND_TITLES
from ui.shared.address import replay_link
from ui.shared.page import literal
from ui.shared.records import log_key
from ui.shared.tables import (
    REPLAY_COLUMNS,
    count,
    ends,
    number,
    percent,
    show_download,
    show_table,
    text,
)
from ui.shared.widgets import clicked_data, new_click, row, select, show_chart, show_info, show_note


def show_curves(question: Question, even: float) -> None:
    """The chart; a click on a point picks it. ``even``: the chance that is just worth a nil."""
    figure = cached.curve_figure(question, (), even, 520)
    event = show_chart(figure, "nil_curves", "nil-curves", takes_clicks=True)
    if clicked := new_click(state.key("clicked"), clicked_data(event)):
        source, bids, at = clicked[:3]
        state.put("at", bids)
        state.put("bin", int(at))
        for log in question.logs:
            if source == cached.label_of(log.name, question.kind):
                state.put("log", log.name)
    st.caption(
        "How likely a nil is made (up) by the nil value of the hand (across). Lines: fitted curves "
        "with 95 % bands; those of open bids (any) are means of the sequences that they stand for, "
        "without a band. Points: the share of nils made in a twentieth of nil value, with exact "
        f"95 % intervals, faded under {FEW} nils; where no nil was bid there is no point. The "
        "leftmost holds hands of value 0 too, which BIS gives no chance. Below: how many nils. "
        "Click a point for its rounds."
    )
    show_download(cached.tables_of(question)[1], "nil-rates", "Points (CSV)")


def show_totals(question: Question) -> None:
    """Nils of every sequence drawn, whatever their value; what the curves were fitted on."""
    st.markdown("**Nils after these bids**")
    show_table(
        cached.tables_of(question)[2],
        "nil-sequences",
        columns={
            "source": "Nils of",
            "sequence": "Bids before",
            "n": count("Nils", "Played out, after these bids, of every nil value."),
            "made": count("Made"),
            "rate": percent("Share made", "Exact (Clopper-Pearson) 95 % interval.", bar=True),
            **ends(),
            "at 0.5": percent("Curve at 0.5", "Chance by the curve of a nil value of 0.5."),
            "at 0.9": percent("Curve at 0.9", "Chance by the curve of a nil value of 0.9."),
        },
    )
    if question.tables:
        fits = ". ".join(_what_was_fitted(table) for table in question.tables)
        show_note(
            f"{fits}. A nil was tried in every round fitted, good hands dealt oftener than "
            "they come: shares over all nil values say little there, those at one value do."
        )


def _what_was_fitted(table: str) -> str:
    found = load_curves(cached.PATHS[table]).metadata
    told = f"{found.get('what', 'not recorded')}, {found.get('rounds', 0):,} rounds"
    return f"{TABLE_LABELS[table]}: {told} ({found.get('command', '')})"


def show_point(question: Question, entries: dict) -> None:
    """A point of the chart, for keyboards and to see what was clicked; its rounds."""
    st.markdown("**The rounds behind a point**")
    if not entries:
        show_info("No logs yet: the Data page makes and imports them.", "inbox")
        return
    known = [format_pattern(pattern) for pattern in question.patterns]
    if state.get("at") not in known:
        state.put("at", known[0])
    with row():
        select("Log", entries, state.key("log"), format_func=str, width=210)
        labels = {bids: name_of(parse_pattern(bids)) for bids in known}
        select("Bids before", labels, state.key("at"), width=190)
        bins = range(N_VALUE_BINS)
        select("Nil value", bins, state.key("bin"), format_func=_bin_text, width=150)
    pattern, at = parse_pattern(state.get("at")), state.get("bin")
    of_fits = []
    for table in question.tables:
        rates = compute_rates([cached.fitted(table)], [pattern]).iloc[at]
        of_fits.append(f"{rates['source']} made {rates['made']:,} of {rates['n']:,}")
    show_rounds(entries, sequences_of(pattern).tolist(), at, of_fits)


def _bin_text(at: int) -> str:
    return f"{at / N_VALUE_BINS:.2f} to {(at + 1) / N_VALUE_BINS:.2f}"


def show_rounds(
    entries: dict, sequences: list[int], at: int | None, of_fits: Sequence[str] = ()
) -> None:
    """The rounds of the log after these bids, each a link to Replay.

    ``at``: bin of nil value, None for all; ``of_fits``: what the tables say of the same point.
    """
    kind, log = state.get("kind"), state.get("log")
    rounds, n, n_made = cached.rounds_behind(log_key(entries[log]), tuple(sequences), at, kind)
    who = "" if kind == "any" else f" bid by {KIND_TITLES[kind].lower()}"
    nils = "1 nil" if n == 1 else f"{n:,} nils"
    told = f"{nils}{who} in {log}, {n_made:,} made." if n else f"No such nil{who} in {log}."
    show_note(told)
    if of_fits:
        told = literal(f"Of the fits: {'; '.join(of_fits)}. Their rounds were counted, not stored.")
        st.caption(f":material/inventory_2: {told}")
    if not n:
        show_info(
            "No round to open here: choose another nil value or log, or set a bid to any.", "inbox"
        )
        return
    _show_round_table(rounds, log)
    if n > len(rounds):
        st.caption(f"The first {len(rounds)} are shown.")


def _show_round_table(rounds: pd.DataFrame, log: str) -> None:
    shown = rounds.assign(
        open=[replay_link(log, i, ply=0) for i in rounds["round"]],
        kind=rounds["kind"].str.replace("-", " "),
        made=rounds["made"].map({True: "made", False: "set"}),
    )
    show_table(
        shown[["open", "made", *[name for name in rounds if name != "made"]]],
        "nil-rounds",
        columns={
            **REPLAY_COLUMNS,
            "made": text("Nil", "Made: the seat took no trick."),
            "bids": text("Bids before", "In the order made."),
            "value": number("Nil value", "%.3f"),
            "tricks": number("Tricks", told="Taken by the nil bidder."),
        },
        height=300,
    )
