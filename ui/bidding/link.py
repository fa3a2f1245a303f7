"""Links to the Bidding page, for pages that don't load it."""

from __future__ import annotations

from collections.abc import Mapping

PREFIX = "bid_"


def link_to_bidding(question: Mapping[str, str]) -> dict[str, str]:
    """Query parameters that open the Bidding page on a hand.

    ``question``: ``hand``, ``previous``, ``score``, ``bags`` and ``rules`` as
    ``question`` has them.
    """
    asked = {"previous": "", **question}  # without a word the page would show bids of its own
    return {PREFIX + name: text for name, text in asked.items()}
