"""What may be asked about a bid: bids before in words, a game that still goes on, nil or not.

The command ``bid`` and the Bidding page ask through ``observe_bids``, so that both refuse the
same with the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spades.bidding import bid_context, observe_auction
from spades.core.cards import N_SEATS, partner_of
from spades.core.errors import IllegalBidError, SpadesError
from spades.core.observation import Observation
from spades.core.rules import MAX_BID, NIL_BID, Rules
from spades.core.scoring import winner

NIL_NAME, BLIND_NIL_NAME = "nil", "blind nil"
BLIND_WORDS = (BLIND_NIL_NAME, "blind-nil", "blindnil", "blind")  # as the records' notations have
SIDES = ("our side", "their side")


class ImpossibleScoreError(SpadesError):
    """A target, scores or bags at which no round is bid."""


class PreviousBids(NamedTuple):
    """The bids before, in the order made: 0 is nil, ``blind`` whether it was bid unseen."""

    bids: tuple[int, ...] = ()
    blind: tuple[bool, ...] = ()


NO_BIDS = PreviousBids()


def parse_previous(text: str) -> PreviousBids:
    """Bids from ``3,1``, ``nil,3`` or ``blind nil,3``; ``IllegalBidError`` for other words.

    How many there may be, and which the rules allow, ``observe_bids`` says.
    """
    words = [" ".join(word.lower().split()) for word in text.split(",")] if text.strip() else []
    return PreviousBids(tuple(map(_parse_bid, words)), tuple(w in BLIND_WORDS for w in words))


def _parse_bid(word: str) -> int:
    if word == NIL_NAME or word in BLIND_WORDS:
        return NIL_BID
    digits = word.removeprefix("-")
    if digits.isascii() and digits.isdigit():
        bid = int(word[:9])
        if NIL_BID <= bid <= MAX_BID:
            return bid
    raise IllegalBidError(
        f"a previous bid of {word[:20] or 'nothing'}; 0 to {MAX_BID} are legal, {NIL_NAME} (0) and "
        f"{BLIND_NIL_NAME}"
    )


def format_previous(bids: Sequence[int], blind: Sequence[bool] = ()) -> str:
    """The inverse of ``parse_previous``: ``3,0`` and ``3,blind nil``."""
    unseen = [*blind, *[False] * len(bids)]
    return ",".join(
        BLIND_NIL_NAME if unseen[i] and bid == NIL_BID else str(bid) for i, bid in enumerate(bids)
    )


def observe_bids(
    hand: int,
    previous: PreviousBids,
    *,
    rules: Rules,
    score: tuple[int, int] = (0, 0),
    bags: tuple[int, int] = (0, 0),
) -> Observation:
    """What a seat sees that is about to bid; scores and bags are (ours, theirs).

    Raises ``ImpossibleScoreError`` where the game would be over or can't be scored so, and
    ``IllegalBidError`` for bids that the rules don't allow.
    """
    check_target(rules)
    check_score(rules, score)
    check_bags(rules, bags)
    seen = observe_auction(hand, previous.bids, rules=rules, score=score, bags=bags)
    first = N_SEATS - len(previous.bids)
    for i, is_blind in enumerate(previous.blind):
        if is_blind:
            seen.table.bid((first + i) % N_SEATS, previous.bids[i], blind=True)
    return seen


def check_target(rules: Rules) -> None:
    """Raise where a game would be won before its first round."""
    if rules.target < 1:
        raise ImpossibleScoreError(f"target {rules.target:,} points; at least 1 is legal")


def check_score(rules: Rules, score: tuple[int, int]) -> None:
    """Raise where these scores (ours, theirs) have ended the game; equal ones never do."""
    won = winner(rules, score)
    if won is None:
        return
    at = f"score {score[0]:,} (ours) to {score[1]:,} (theirs): the game is over, "
    if max(score) >= rules.target:
        why = f"{SIDES[won]} has reached the target of {rules.target:,}"
    else:
        why = f"{SIDES[1 - won]} has fallen to the losing floor of {rules.losing_floor:,}"
    raise ImpossibleScoreError(f"{at}{why}; {legal_scores(rules)} are legal")


def legal_scores(rules: Rules) -> str:
    """At which scores a round is bid, in words."""
    if rules.losing_floor is None:
        between = f"scores below {rules.target:,}"
    else:
        between = f"scores from {rules.losing_floor + 1:,} to {rules.target - 1:,}"
    return f"{between}, or two equal ones, which play on,"


def check_bags(rules: Rules, bags: tuple[int, int]) -> None:
    """Raise for counts of bags (ours, theirs) that a penalty would have been taken for."""
    most = most_bags(rules)
    if min(bags) >= 0 and (most is None or max(bags) <= most):
        return
    why = "0 or more are legal"
    if most is not None:
        why = (
            f"0 to {most} are legal: {rules.bag_limit} bags cost {rules.bag_penalty} points and "
            "are taken off the count"
        )
    raise ImpossibleScoreError(f"bags {bags[0]:,} (ours), {bags[1]:,} (theirs); {why}")


def most_bags(rules: Rules) -> int | None:
    """The most bags that a partnership can hold between rounds, None where they cost nothing."""
    return rules.bag_limit - 1 if rules.bag_limit else None


def nearest_score(rules: Rules, score: tuple[int, int]) -> tuple[int, int]:
    """The scores themselves where a round is bid at them, else moved to below the target and
    above the losing floor."""
    if winner(rules, score) is None:
        return score
    floor = rules.losing_floor
    least = min(score) if floor is None else floor + 1
    ours, theirs = (max(least, min(points, rules.target - 1)) for points in score)
    return ours, theirs


def nearest_bags(rules: Rules, bags: tuple[int, int]) -> tuple[int, int]:
    most = most_bags(rules)
    ours, theirs = (max(0, count if most is None else min(count, most)) for count in bags)
    return ours, theirs


def why_no_nil(observation: Observation) -> str | None:
    """Why the seat doesn't bid nil whatever it holds, None where it may.

    The rules have no nil, or ask for a minimum that its partner hasn't bid; or the partner has bid
    nil: a second one is legal, but BIS never bids it.
    """
    rules, seat = observation.rules, observation.seat
    if not bid_context(rules).rules.has_nil:
        return "these rules have no nil: 0 is an ordinary bid"
    partner, legal = observation.table.bids[partner_of(seat)], observation.table.legal_bids(seat)
    if NIL_BID not in legal:
        told = "nil" if partner == NIL_BID else str(partner)
        return (
            f"nil is not legal here: a partnership has to bid {rules.min_bid} at least and the "
            f"partner bid {told}, so {legal[0]} to {legal[-1]} are"
        )
    if partner == NIL_BID:
        return "the partner has bid nil; a second nil is legal, but BIS never bids one"
    return None
