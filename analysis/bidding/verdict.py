"""The verdict on a bid: what was bid, what BIS and the simulated human bid, and why BIS does.

A bid is a *disagreement* where it is neither BIS's nor the simulated human's commonest one.
Chances are those of BIS's success curve with its 95 % interval; shares of bidders that draw at
random come with the number of times they were asked.
"""

from __future__ import annotations

from analysis.bidding.decisions import BidDecision, BidderBid, bid_name
from analysis.bidding.parts import p_needed
from spades.core.rules import NIL_BID

BIS, HUMAN = "bis", "human"
SHORT_NAMES = {
    BIS: "BIS",
    HUMAN: "human (simulated)",
    "rb": "RB",
    "ms": "MS",
    "io": "IO",
    "kb": "KB",
}
NO_NIL = "the ace of spades or a fourth spade denies it"
_COUNTS = ("no", "the one", "both", "all three", "all four", "all five", "all six")


def disagrees(decision: BidDecision) -> bool:
    """Whether neither BIS nor the simulated human, most often, bids what was bid."""
    compared = _compared(decision)
    return bool(compared) and not any(decision.is_made(answer) for answer in compared)


def bid_verdict(decision: BidDecision) -> str:
    """The bid in a sentence or two."""
    made = _name(decision, decision.made, decision.is_blind)
    if all(decision.is_made(answer) for answer in decision.bids):
        return f"{_agreed(decision, made)} {_reason(decision)}"
    told = ", ".join(_told(answer, decision) for answer in _compared(decision))
    if not disagrees(decision):
        others = [
            f"{SHORT_NAMES.get(answer.bidder, answer.bidder)} bids "
            f"{_name(decision, answer.bid, answer.is_blind)}"
            for answer in decision.bids
            if answer.bidder not in (BIS, HUMAN) and not decision.is_made(answer)
        ]
        told = "; ".join(filter(None, [told, ", ".join(others)]))
    return f"Bid {made}; {told}. {_reason(decision)}"


def _compared(decision: BidDecision) -> list[BidderBid]:
    """The answers that a disagreement is told by."""
    return [answer for name in (BIS, HUMAN) if (answer := decision.answer_of(name))]


def _agreed(decision: BidDecision, made: str) -> str:
    """All bidders bid so: how many they are, and how often the human does."""
    n = len(decision.bids)
    who = f"{_COUNTS[n] if n < len(_COUNTS) else f'all {n}'} bidders"
    human = decision.answer_of(HUMAN)
    often = f" (human, simulated, in {_share(human, human.bid)})" if human else ""
    return f"Bid {made}: the same bid by {who}{often}."


def _told(answer: BidderBid, decision: BidDecision) -> str:
    who = SHORT_NAMES.get(answer.bidder, answer.bidder)
    bid = _name(decision, answer.bid, answer.is_blind)
    if not answer.is_random:
        return f"{who} {bid}"
    told = f"{who} {bid} in {_share(answer, answer.bid)}"
    if answer.bid != decision.made and not decision.is_blind:
        made = _name(decision, decision.made, is_blind=False)
        share = answer.share_of(decision.made)
        told += f" and {made} in {share:.0%}" if share else f", {made} never"
    return told


def _share(answer: BidderBid, bid: int) -> str:
    """``55 % of 200``, with its interval."""
    interval = answer.interval_of(bid)
    within = f" [{interval[0]:.0%}, {interval[1]:.0%}]" if interval else ""
    return f"{answer.share_of(bid):.0%} of {answer.n}{within}"


def _name(decision: BidDecision, bid: int, is_blind: bool) -> str:
    return bid_name(bid, decision.observation.rules, is_blind=is_blind)


def _reason(decision: BidDecision) -> str:
    """Why BIS bids so: by the nil's worth where nil is near, else by its count of tricks."""
    bis = decision.bis
    name = _name(decision, bis.bid, bis.is_blind)
    if bis.reason == "blind nil":
        return "BIS would bid nil before looking at its hand: it is far behind."
    reasons = [_nil_reason(decision)] if _is_about_nil(decision) else []
    if bis.bid != NIL_BID or not reasons:
        reasons.append(_count_reason(decision))
    if bis.reason == "end of game":
        reasons.append(f"it bids {name}, because somebody can win the game this round")
    elif bis.reason == "convention":
        reasons.append(f"it bids {name} to say something to the partner")
    return f"{'; '.join(reasons)}."


def _is_about_nil(decision: BidDecision) -> bool:
    """Whether nil is possible, and somebody bids it."""
    if decision.observation.rules.nil is None or not decision.bis.may_nil:
        return False
    is_bid = NIL_BID in (decision.made, decision.bis.bid)
    return is_bid or any(answer.bid == NIL_BID for answer in decision.bids)


def _nil_reason(decision: BidDecision) -> str:
    bis = decision.bis
    if bis.nil_value <= 0.0:
        return f"BIS gives a nil no chance: {NO_NIL}"
    within = ""
    if bis.p_interval is not None:
        low, high = bis.p_interval
        within = f" [{low:.1%}, {high:.1%}]"
    side = "over" if bis.expected_nil > bis.threshold else "not over"
    told = (
        f"BIS gives a nil {bis.p_nil:.1%}{within} to succeed, {bis.expected_nil:+.0f} points "
        f"expected, {side} its threshold of {bis.threshold:+.0f}"
    )
    return f"{told}: too close to call" if is_close_call(decision) else told


def break_even(decision: BidDecision) -> float | None:
    """The chance at which a nil is worth BIS's threshold; None without a nil."""
    return p_needed(decision.bis, decision.observation.rules)


def is_close_call(decision: BidDecision) -> bool:
    """Whether the chance at which nil is worth the threshold lies in the curve's interval."""
    bis, even = decision.bis, break_even(decision)
    if even is None or bis.p_interval is None or not bis.may_nil:
        return False
    return bis.p_interval[0] <= even <= bis.p_interval[1]


def _count_reason(decision: BidDecision) -> str:
    """What BIS counts in the hand, and what the bids before make of it."""
    bis = decision.bis
    cards, total = bis.regular_before_bids, bis.regular_before_bids + bis.previous_term
    place = "after the bids before" if decision.previous else "as the first to bid"
    counted = f"BIS counts {cards:.1f} tricks in the hand, {round(total, 1) + 0:.1f} {place}"
    if bis.reason in ("end of game", "convention") or bis.bid == NIL_BID:
        counted += f", a bid of {bis.regular}"
    return counted
