"""A bid as the replay view is sent it: each bidder's bid beside the one that was made."""

from typing import Any

from analysis.bidding.decisions import (
    BidDecision,
    BidderBid,
    bid_verdict,
    disagrees,
    is_close_call,
    p_needed,
)
from analysis.bidding.questions import NIL_DENIED, bid_name
from analysis.plots.bidding import bidder_label
from ui.shared.address import bidding_link

MOST_OTHERS = 3  # bids beside the commonest one that the view's row has room for


def bid_data(decision: BidDecision) -> dict[str, Any]:
    """JSON of a bid; ``ui.replay.view`` says what each part is for."""
    rules = decision.observation.rules
    bis = decision.bis
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
        "disagrees": disagrees(decision),
        "verdict": bid_verdict(decision),
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
    rules = decision.observation.rules
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
        "break_even": p_needed(bis, rules),
        "is_close": is_close_call(bis, rules),
    }
