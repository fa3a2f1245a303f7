"""The four bids of the round, each bidder's next to the one made: a panel, and the view's data."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from analysis.bidding import decisions as bidding
from analysis.bidding.decisions import BidDecision, BidderBid
from analysis.bidding.questions import NIL_DENIED, bid_name
from analysis.plots.bidding import bidder_label
from spades.core.cards import N_SEATS, SEATS, seat_name
from ui.replay import state
from ui.replay.panel import Here, bid_jobs
from ui.replay.state import page
from ui.replay.view_data import complaint_of
from ui.shared.address import bidding_link
from ui.shared.tables import number, percent, show_table, text
from ui.shared.widgets import show_button, show_error

DIFFERS = "≠"
WAIT_SECONDS = 2.0
MOST_OTHERS = 3  # bids beside the commonest one that the view's row has room for


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
    shown = open_decisions(decisions, here)
    if not shown:
        st.caption("Hidden in spoiler mode.")
        return
    _show_table(shown, is_hidden=here.is_spoiler)
    with st.container(horizontal=True, gap="small"):
        seats = {decision.seat for decision in shown}
        for i, decision in enumerate(decisions, start=1):
            if decision.seat in seats:
                label, key = f"Go to {seat_name(decision.seat)}'s bid", f"to_bid_{i}"
                go = (page.key(key), state.go_to, state.step_of_bid(i))
                show_button(label, "arrow_upward", *go, disabled=i == here.bid)


def open_decisions(decisions: Sequence[BidDecision], here: Here) -> list[BidDecision]:
    """Those whose cards the view shows: in the own-hand view the reader's seat alone, or the seat
    to bid or to play. In spoiler mode, at a bid, only those made before it."""
    found = list(decisions)
    if here.bid and here.is_spoiler:
        found = found[: here.bid - 1]
    if here.hands != "own":
        return found
    dealer, chosen = here.record.dealer, page.get("seat")
    to_move = (dealer + here.bid) % N_SEATS if here.bid else here.record.at(here.ply).table.turn
    shown = SEATS.index(chosen) if chosen != "mover" else to_move
    return [decision for decision in found if decision.seat == shown]


def _show_table(decisions: Sequence[BidDecision], *, is_hidden: bool) -> None:
    rows = [_made_row(d) if is_hidden else _made_row(d) | _answers_row(d) for d in decisions]
    columns = {
        "seat": "Seat",
        "before": "Bids before",
        "made": text("Made", "The bid that was made."),
        "open": st.column_config.LinkColumn("Open", display_text="Bidding", width="small"),
        "chance": percent("Chance of nil", "BIS's success curve after these bids."),
        "chance_within": text("95%", "Interval of the curve there, by the fit's covariance."),
        "nil value": number("Nil value", "%.3f", "Product over the suits; BIS, Cohensius 2020."),
    }
    show_table(pd.DataFrame(rows), "bids", columns=columns)
    if is_hidden:
        st.caption("The bidders' bids are hidden in spoiler mode.")
        return
    n = max(answer.n for answer in decisions[0].bids)
    st.caption(
        f"Each bidder saw that seat's hand, the bids before, score and bags. {DIFFERS}: another "
        f"bid than the one made. A bidder that draws at random was asked {n} times: its commonest "
        "bid, and how often. The human is simulated."
    )


def _made_row(decision: BidDecision) -> dict[str, Any]:
    rules = decision.observation.rules
    before = " ".join(bid_name(bid, rules) for bid in decision.previous)
    return {
        "seat": seat_name(decision.seat),
        "before": before or "first to bid",
        "made": bid_name(decision.made, rules, is_blind=decision.is_blind),
        "open": bidding_link(decision.question()),
    }


def _answers_row(decision: BidDecision) -> dict[str, Any]:
    data, found = bid_data(decision), {}
    for row in data["rows"]:
        how_often = "" if row["share"] is None else f" ({row['share']:.1%})"
        found[row["label"]] = f"{DIFFERS} " * (not row["is_made"]) + row["bid"] + how_often
    if nil := data["nil"]:
        within = "" if nil["low"] is None else f"{nil['low']:.1%} to {nil['high']:.1%}"
        found |= {"nil value": nil["value"], "chance": nil["chance"]}
        found["chance_within"] = nil["denied"] or within
    return found


def bid_data(decision: BidDecision) -> dict[str, Any]:
    rules, bis = decision.observation.rules, decision.bis
    return {
        "seat": decision.seat,
        "made": bid_name(decision.made, rules, is_blind=decision.is_blind),
        "rows": [_bidder_data(answer, decision) for answer in decision.bids],
        "nil": _nil_data(decision) if rules.nil is not None else None,
        "count": {
            "hand": bis.regular_before_bids,
            "total": bis.regular_before_bids + bis.previous_term,
            "regular": bis.regular,
            "points": bis.expected_regular,
        },
        "disagrees": bidding.disagrees(decision),
        "verdict": bidding.bid_verdict(decision),
        "link": bidding_link(decision.question()),
    }


def _bidder_data(answer: BidderBid, decision: BidDecision) -> dict[str, Any]:
    rules = decision.observation.rules
    low, high = answer.interval_of(answer.bid) or (None, None)
    others = [(bid, count) for bid, count in answer.counts if bid != answer.bid]
    return {
        "id": answer.bidder,
        "label": bidder_label(answer.bidder),
        "bid": bid_name(answer.bid, rules, is_blind=answer.is_blind),
        "is_made": decision.is_made(answer),
        "n": answer.n,
        "share": answer.share_of(answer.bid) if answer.is_random else None,
        "low": low,
        "high": high,
        "others": [
            {
                "bid": bid_name(bid, rules),
                "share": count / answer.n,
                "is_made": bid == decision.made and not decision.is_blind,
            }
            for bid, count in others[:MOST_OTHERS]
        ],
    }


def _nil_data(decision: BidDecision) -> dict[str, Any]:
    bis = decision.bis
    low, high = bis.p_interval or (None, None)
    return {
        "may": bis.may_nil,
        "denied": NIL_DENIED.get(bis.denied, ""),
        "value": bis.nil_value,
        "chance": bis.p_nil,
        "low": low,
        "high": high,
        "n": bis.n_curve,
        "expected": bis.expected_nil,
        "threshold": bis.threshold,
        "break_even": bidding.p_needed(bis, decision.observation.rules),
        "is_close": bidding.is_close_call(bis, decision.observation.rules),
    }
