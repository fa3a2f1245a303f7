"""What the replay view is sent of a round's bids, once the bidders have been asked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from analysis.bidding.desk import MAX_ROUNDS, BidDesk, RoundBids
from analysis.runs.jobs import Job
from spades.core.errors import SpadesError
from spades.core.records import RoundRecord
from ui.shared.links import link_to_bidding

if TYPE_CHECKING:
    from analysis.bidding.decisions import BidDecision, BidderBid

MOST_OTHERS = 3  # bids beside the commonest one that a row has room for


def bids_data(desk: BidDesk, record: RoundRecord) -> dict[str, Any] | None:
    """The answers or why there are none; None while the bidders haven't answered."""
    found = desk.find(record)
    return None if found is None else answers_data(*found)


def answers_data(bids: RoundBids, job: Job) -> dict[str, Any] | None:
    if bids.decisions is not None:
        return {"complaint": "", "decisions": _answers_of(bids)}
    return {"complaint": complaint_of(job), "decisions": []} if job.is_finished else None


@lru_cache(maxsize=MAX_ROUNDS)
def _answers_of(bids: RoundBids) -> list[dict[str, Any]]:
    """Intervals and verdicts take 60 ms, and a page is drawn often: made once a round."""
    return decisions_data(bids.decisions or ())


def complaint_of(job: Job) -> str:
    """Why the bidders gave no answer."""
    reason = job.error if isinstance(job.error, SpadesError) else "asking them failed"
    return f"The bidders can't bid here: {reason}"


def decisions_data(decisions: Sequence[BidDecision]) -> list[dict[str, Any]]:
    """One a bid, in the order made."""
    return [_decision_data(decision) for decision in decisions]


def _decision_data(decision: BidDecision) -> dict[str, Any]:
    # Pandas and plotly come with them: not before there is an answer.
    from analysis.bidding.decisions import bid_name
    from analysis.bidding.verdict import bid_verdict, disagrees

    rules = decision.observation.rules
    return {
        "seat": decision.seat,
        "made": bid_name(decision.made, rules, is_blind=decision.is_blind),
        "rows": [_row(answer, decision) for answer in decision.bids],
        "nil": _nil_data(decision),
        "count": {
            "hand": decision.bis.regular_before_bids,
            "total": decision.bis.regular_before_bids + decision.bis.previous_term,
            "regular": decision.bis.regular,
            "points": decision.bis.expected_regular,
        },
        "disagrees": disagrees(decision),
        "verdict": bid_verdict(decision),
        "link": "/Bidding?" + urlencode(link_to_bidding(decision.question())),
    }


def _row(answer: BidderBid, decision: BidDecision) -> dict[str, Any]:
    """A bidder: its bid, how often where it draws at random, and what else it bids."""
    from analysis.bidding.decisions import bid_name
    from analysis.plots.bidding import bidder_label

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


def _nil_data(decision: BidDecision) -> dict[str, Any] | None:
    """BIS's view of a nil; None under rules without one."""
    from analysis.bidding.verdict import break_even, is_close_call

    bis = decision.bis
    if decision.observation.rules.nil is None:
        return None
    low, high = bis.p_interval or (None, None)
    return {
        "may": bis.may_nil,
        "value": bis.nil_value,
        "chance": bis.p_nil,
        "low": low,
        "high": high,
        "n": bis.n_curve,
        "expected": bis.expected_nil,
        "threshold": bis.threshold,
        "break_even": break_even(decision),
        "is_close": is_close_call(decision),
    }
