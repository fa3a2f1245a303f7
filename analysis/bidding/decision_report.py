"""A bid as a report in Markdown, to paste into a bug tracker: the bid beside what bidders bid."""

from __future__ import annotations

from dataclasses import replace

from analysis.bidding.decisions import BidDecision, BidderBid, bid_name
from analysis.bidding.verdict import NO_NIL, bid_verdict, disagrees
from analysis.decisions.report import fenced, markdown_table, plain_link
from spades.core.behaviour import source_hash
from spades.core.cards import N_SEATS, SEAT_NAMES, SEATS
from spades.core.records import RoundRecord
from spades.notation import format_records


def bid_report_markdown(record: RoundRecord, decision: BidDecision, link: str) -> str:
    """The report on a bid of a round; ``link`` opens it on Replay."""
    seat, rules = SEAT_NAMES[SEATS[decision.seat]], record.rules
    number = (decision.seat - record.dealer - 1) % N_SEATS + 1
    made = bid_name(decision.made, rules, is_blind=decision.is_blind)
    before = ", ".join(bid_name(bid, rules) for bid in decision.previous)
    kind = record.kinds[decision.seat].replace("-", " ")
    blocks = [
        f"## Spades: {seat} to bid, bid {number} of {N_SEATS}",
        bid_verdict(decision),
        f"{seat} ({kind}) bid {made} {f'after {before}' if before else 'as the first'}. "
        f"A disagreement (neither BIS's bid nor the simulated human's commonest): "
        f"{'yes' if disagrees(decision) else 'no'}.",
        markdown_table(_bidder_rows(decision)),
        "A bidder that draws at random was asked as often as stands there: its commonest bid, "
        "with Clopper and Pearson's 95 % interval. The human is simulated.",
        "### BIS's arithmetic",
        markdown_table([("what", "value"), *_bis_rows(decision)]),
        f"Code: {source_hash()}",
        f"Link: {plain_link(link)}",
        "### Record",
        fenced(format_records([replace(record, source="")], "ptn").strip("\n")),
    ]
    return "\n\n".join(blocks) + "\n"


def _bidder_rows(decision: BidDecision) -> list[tuple[str, ...]]:
    rows = [("bidder", "bid", "how often", "95 %", "also", "")]
    return rows + [_bidder_row(answer, decision) for answer in decision.bids]


def _bidder_row(answer: BidderBid, decision: BidDecision) -> tuple[str, ...]:
    rules = decision.observation.rules
    often, within = "always", ""
    if interval := answer.interval_of(answer.bid):
        often = f"{answer.share_of(answer.bid):.1%} of {answer.n}"
        within = "{:.1%} to {:.1%}".format(*interval)
    others = [
        f"{bid_name(bid, rules)}: {count / answer.n:.1%}"
        for bid, count in answer.counts
        if bid != answer.bid
    ]
    name = "human (simulated)" if answer.bidder == "human" else answer.bidder
    bid = bid_name(answer.bid, rules, is_blind=answer.is_blind)
    is_made = "made" if decision.is_made(answer) else ""
    return (name, bid, often, within, ", ".join(others), is_made)


def _bis_rows(decision: BidDecision) -> list[tuple[str, str]]:
    """What BIS counts, and what it makes of a nil."""
    bis, rules = decision.bis, decision.observation.rules
    rows = [
        ("tricks in the hand", f"{bis.regular_before_bids:.2f}"),
        ("with the bids before", f"{bis.regular_before_bids + bis.previous_term:.2f}"),
        ("regular bid", f"{bis.regular}, worth {bis.expected_regular:+.1f} points"),
    ]
    if rules.nil is None:
        return [*rows, ("nil", "none in these rules")]
    if not bis.may_nil:
        return [*rows, ("nil", "not bid here: the partner did, or the rules ask for tricks")]
    chance = f"{bis.p_nil:.1%}"
    if bis.nil_value <= 0.0:
        chance += f": {NO_NIL}"
    elif bis.p_interval is not None:
        chance += " (95 %: {:.1%} to {:.1%}; curve of {:,} nils)".format(
            *bis.p_interval, bis.n_curve
        )
    return [
        *rows,
        ("nil value", f"{bis.nil_value:.3f}"),
        ("chance of nil", chance),
        ("nil expected", f"{bis.expected_nil:+.1f} points"),
        ("threshold", f"{bis.threshold:+.1f} points"),
    ]
