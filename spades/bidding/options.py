"""The options of all bidders, as one flat tuple of numbers that kernels take."""

from __future__ import annotations

from typing import NamedTuple

BIS, RB, MS, IO, KB = range(5)
BIDDER_CODES = {"bis": BIS, "rb": RB, "ms": MS, "io": IO, "kb": KB}


class BidderOptions(NamedTuple):
    """Which bidder, and how it bids; a bidder reads its own options only. Switches are 0 or 1.

    ``code``: one of ``BIDDER_CODES``. Of any bidder, when made noisy: ``noise``, standard deviation
    of what is added to its bid, tricks; ``nil_rate``: probability of a nil whatever the hand.

    BIS (Cohensius 2020): ``threshold``: points that a nil has to be worth more than;
    ``bid_sensitive``: that threshold from the contract at stake instead (5.3.3);
    ``single_curve``: one success curve for all previous bids (5.3.1). End of game (4.4, G.1, E):
    ``complete_to_14``, ``raise_to_win``, ``risky_nil`` with the least chance ``risky_chance``,
    ``opponent_nil``, ``safe_regular``, ``one_less``, ``ahead``. ``big5``, ``big6``: the conventions
    (G.2); ``cover_discount``: points that the partner's Big 5 takes off the threshold.
    ``blind_nil``: blind nil (G.3).

    KB (Whitehouse 2013): ``personality`` from -1, timid, to 1, aggressive; ``randomness``:
    standard deviation of its random factor, tricks.
    """

    code: int = BIS
    noise: float = 0.0
    nil_rate: float = 0.0
    threshold: float = 25.0
    bid_sensitive: int = 0
    single_curve: int = 0
    complete_to_14: int = 1
    raise_to_win: int = 1
    risky_nil: int = 1
    risky_chance: float = 0.35
    opponent_nil: int = 1
    safe_regular: int = 1
    one_less: int = 1
    ahead: int = 1
    big5: int = 0
    big6: int = 0
    cover_discount: float = 50.0
    blind_nil: int = 0
    personality: float = 0.0
    randomness: float = 0.2


_KINDS = {name: type(value) for name, value in BidderOptions._field_defaults.items()}


def bidder_options(**values: float | bool) -> BidderOptions:
    """Options with every number of its own type, so that kernels are compiled for one only."""
    return BidderOptions(**{name: _KINDS[name](value) for name, value in values.items()})
