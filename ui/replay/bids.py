"""The panel of the round's four bids, each bidder's bid next to the one made."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from analysis.bidding.decisions import BidDecision
from analysis.bidding.questions import bid_name
from analysis.text_tables import span
from spades.core.cards import N_SEATS, SEATS, seat_name
from ui.replay import state
from ui.replay.bid_data import bid_data
from ui.replay.panel import Here, bid_jobs, complaint_of
from ui.replay.state import page
from ui.shared.panel import Panel
from ui.shared.tables import link, number, percent, text
from ui.shared.widgets import show_button, show_error

DIFFERS = "≠"
WAIT_SECONDS = 2.0
COLUMNS = {
    "seat": "Seat",
    "before": "Bids before",
    "made": text("Made", "The bid that was made."),
    "open": link("Open", "Bids"),
    "chance": percent("BIS's chance of nil", "By its logistic curve after these bids."),
    "chance_within": text("95%", "Interval of the curve there, by the fit's covariance."),
    "nil value": number("Nil value", "%.3f", "Product over the suits; BIS, Cohensius 2020."),
}


def show_bids(here: Here) -> None:
    if not here.record.has_bids:
        st.caption("The record doesn't say what was bid.")
        return
    job = bid_jobs().start(here.record)
    job.wait(WAIT_SECONDS)
    decisions = job.work.decisions
    if decisions is not None:
        _show_answers(here, decisions)
    elif job.is_finished:
        show_error(complaint_of(job))
    else:
        st.caption("Asking the bidders … (the first time ever compiles, up to a minute)")


def _show_answers(here: Here, decisions: Sequence[BidDecision]) -> None:
    """The bids in order, as far as the view and spoiler mode allow, and buttons that lead there."""
    open_bids = open_decisions(decisions, here)
    if not open_bids:
        st.caption("Hidden in spoiler mode.")
        return
    _show_table(open_bids, is_hidden=here.is_spoiler)
    open_seats = {decision.seat for decision in open_bids}
    with st.container(horizontal=True):
        for i, decision in enumerate(decisions, start=1):
            if decision.seat in open_seats:
                show_button(
                    f"Go to {seat_name(decision.seat)}'s bid",
                    "arrow_upward",
                    page.key(f"to_bid_{i}"),
                    state.go_to,
                    state.step_of_bid(i),
                    disabled=i == here.bid,
                )


def open_decisions(decisions: Sequence[BidDecision], here: Here) -> list[BidDecision]:
    """The bids whose cards the view shows: in the own-hand view those of the seat chosen, or of the
    seat to bid or play; in spoiler mode, at a bid, those made before it."""
    visible = list(decisions)
    if here.bid and here.is_spoiler:
        visible = visible[: here.bid - 1]
    if here.hands != "own":
        return visible
    chosen = page.get("seat")
    if chosen != "mover":
        seat = SEATS.index(chosen)
    elif here.bid:
        seat = (here.record.dealer + here.bid) % N_SEATS
    else:
        seat = here.record.at(here.ply).table.turn
    return [decision for decision in visible if decision.seat == seat]


def _show_table(decisions: Sequence[BidDecision], *, is_hidden: bool) -> None:
    rows = [_cells(decision, is_hidden=is_hidden) for decision in decisions]
    note = "The bidders' bids are hidden in spoiler mode."
    if not is_hidden:
        n = max(answer.n for answer in decisions[0].bids)
        note = (
            "Each bidder saw that seat's hand, the bids before, score and bags. "
            f"{DIFFERS}: differs from the bid made. A bidder that draws at random was asked {n} "
            "times: its commonest bid, and how often. The human is simulated."
        )
    Panel("bids").table(pd.DataFrame(rows), COLUMNS, note)


def _cells(decision: BidDecision, *, is_hidden: bool) -> dict[str, Any]:
    data = bid_data(decision)
    rules = decision.observation.rules
    before = " ".join(bid_name(bid, rules) for bid in decision.previous)
    cells = {
        "seat": seat_name(decision.seat),
        "before": before or "first to bid",
        "made": data["made"],
        "open": data["link"],
    }
    if is_hidden:
        return cells
    for answer in data["rows"]:
        mark = "" if answer["is_made"] else f"{DIFFERS} "
        share = "" if answer["share"] is None else f" ({answer['share']:.1%})"
        cells[answer["label"]] = f"{mark}{answer['bid']}{share}"
    nil = data["nil"]
    if nil:
        interval = "" if nil["low"] is None else span((nil["low"], nil["high"]), ".1%")
        cells["nil value"] = nil["value"]
        cells["chance"] = nil["chance"]
        cells["chance_within"] = nil["denied"] or interval
    return cells
