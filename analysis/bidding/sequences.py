"""Sequences of previous bids as a reader writes them: ``3,1``, ``nil,4``, ``3,*`` for any bid.

A pattern is a tuple of 0 to 3 bids in the order made, the last the right-hand opponent's; 0 is nil,
``ANY`` stands for every bid; a blind nil counts as a nil. It means one or many of the 2,955
sequences that have a curve.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from analysis.bidding.checks import BLIND_WORDS, NIL_NAME
from spades.bidding.auction import INDEX_OF, MAX_PREVIOUS
from spades.core.errors import IllegalBidError
from spades.core.rules import MAX_BID, NIL_BID

ANY = -1
Pattern = tuple[int, ...]
BIDDERS_BEFORE = ("right opponent", "partner", "left opponent")
"""Who bid last, the one before, and before that."""
ORDINALS = ("first", "second", "third", "fourth")


def parse_pattern(text: str) -> Pattern:
    """Bids from text; ``IllegalBidError`` for what can't have been bid."""
    words = _words_of(text)
    if len(words) > MAX_PREVIOUS:
        raise IllegalBidError(
            f"{len(words)} bids; 0 to {MAX_PREVIOUS} can come before the one asked about"
        )
    return tuple(_parse_bid(word) for word in words)


def _words_of(text: str) -> list[str]:
    return [" ".join(word.lower().split()) for word in text.split(",")] if text.strip() else []


def nearest_pattern(text: str) -> Pattern:
    """What a text comes nearest to: its first three bids, any bid for what is none."""
    found = []
    for word in _words_of(text)[:MAX_PREVIOUS]:
        try:
            found.append(_parse_bid(word))
        except IllegalBidError:
            found.append(ANY)
    return tuple(found)


def _parse_bid(word: str) -> int:
    if word in ("*", "any"):
        return ANY
    if word == NIL_NAME or word in BLIND_WORDS:
        return NIL_BID
    if word.isascii() and word.isdigit() and int(word[:3]) <= MAX_BID:
        return int(word)
    raise IllegalBidError(f"no bid is {word[:20]!r}; nil (or 0), 1 to {MAX_BID}, * for any")


def format_pattern(pattern: Pattern) -> str:
    """The inverse of ``parse_pattern``: ``3,0`` and ``3,*``."""
    return ",".join("*" if bid == ANY else str(bid) for bid in pattern)


def bid_word(bid: int) -> str:
    """A previous bid as people say it."""
    return "any" if bid == ANY else NIL_NAME if bid == NIL_BID else str(bid)


def name_of(pattern: Pattern) -> str:
    """A sequence in few words, for legends: ``after 1, 3``."""
    if not pattern:
        return "first to bid"
    return "after " + ", ".join(map(bid_word, pattern))


def describe(pattern: Pattern) -> str:
    """A sequence in the game's words: who bid what."""
    if not pattern:
        return "You bid first."
    who = BIDDERS_BEFORE[: len(pattern)][::-1]
    told = [f"{seat} {bid_word(bid)}" for seat, bid in zip(who, pattern, strict=True)]
    return f"You bid {ORDINALS[len(pattern)]}: {', '.join(told)}."


def is_exact(pattern: Pattern) -> bool:
    """Whether the pattern is one sequence."""
    return ANY not in pattern


def sequences_of(pattern: Pattern) -> NDArray[np.int64]:
    """Indices of the sequences that a pattern means, ascending."""
    bids = [range(MAX_BID + 1) if bid == ANY else (bid,) for bid in pattern]
    return np.array([INDEX_OF[sequence] for sequence in product(*bids)])
