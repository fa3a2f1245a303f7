"""What to bid: exact tables, regular bids, nil values, success curves, BIS and its rivals."""

from spades.bidding.answer import BisAnswer, CardPart, bid_of, explain_bis, is_blind_bid
from spades.bidding.auction import BLIND_NIL, Auction, BidContext
from spades.bidding.context import auction_of, bid_context, observe_auction
from spades.bidding.curves import BidTableError, SuccessCurves, load_curves
from spades.bidding.options import BIDDER_CODES, BidderOptions, bidder_options
from spades.bidding.rivals import make_bid
from spades.bidding.tables import holding_table, nil_table, nil_tables

__all__ = [
    "BIDDER_CODES",
    "BLIND_NIL",
    "Auction",
    "BidContext",
    "BidTableError",
    "BidderOptions",
    "BisAnswer",
    "CardPart",
    "SuccessCurves",
    "auction_of",
    "bid_context",
    "bid_of",
    "bidder_options",
    "explain_bis",
    "holding_table",
    "is_blind_bid",
    "load_curves",
    "make_bid",
    "nil_table",
    "nil_tables",
    "observe_auction",
]
