"""Bidders: exact tables, regular bids, nil values, success curves, BIS and its rivals."""

from spades.bidding.answer import BisAnswer, bid_of, explain_bis, is_blind_bid, observe_auction
from spades.bidding.auction import BIDDER_CODES, BLIND_NIL, BidderOptions, bidder_options
from spades.bidding.curves import SuccessCurves, bid_context, load_curves
from spades.bidding.rivals import make_bid

__all__ = [
    "BIDDER_CODES", "BLIND_NIL", "BidderOptions", "BisAnswer", "SuccessCurves", "bid_context",
    "bid_of", "bidder_options", "explain_bis", "is_blind_bid", "load_curves", "make_bid",
    "observe_auction",
]  # fmt: skip
