"""How pages name models, and link to Replay, Bidding and Playstyle without loading them."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

BIDDING_PREFIX, STYLE_PREFIX = "bid_", "style_"
"""What the query keys of a page begin with."""
MODEL_LABELS = {
    "devlin2016": "Devlin 2016",
    "devlin2016-nil": "Devlin 2016 + nil (simulated humans)",
    "log-linear-fit": "Log-linear, refitted",
}


def model_label(name: str) -> str:
    """What pages call a model; one that was trained here goes by its name."""
    return MODEL_LABELS.get(name, name)


def replay_link(log: str, index: int, **values: object) -> str:
    """The address of Replay on a round of a log."""
    return "/?" + urlencode({"log": log, "round": index, **values})


def link_to_bidding(question: Mapping[str, str]) -> dict[str, str]:
    """Query parameters that open the Bidding page on a hand.

    ``question``: ``hand``, ``previous``, ``score``, ``bags`` and ``rules``.
    """
    full = {"previous": "", **question}  # without it the page would show bids of its own
    return {BIDDING_PREFIX + name: value for name, value in full.items()}
