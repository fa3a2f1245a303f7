"""Help for the player to move, from what the seat sees: a hint, the trick in words, a claim."""

from typing import Any, TypeAlias

from analysis.bidding.decisions import BIS, HUMAN, BidDecision, ask_bidders, bid_verdict
from analysis.decisions.claims import own_claim
from analysis.decisions.classes import by_class, with_findings
from analysis.decisions.decision import analyse_decision
from analysis.decisions.evidence import Evidence
from analysis.decisions.explain import explain_trick
from analysis.decisions.judge import judge_settings
from analysis.decisions.judgement import verdict
from analysis.decisions.settings import AnalysisSettings
from spades.agents.bidders import BisBidder
from spades.bidding import explain_bis
from spades.core.observation import Observation
from spades.core.records import Record
from spades.core.rules import NO_BID
from spades.core.steps import Steps, last_value
from spades.human.networks.config import OURS

Help: TypeAlias = dict[str, Any]


def hint(record: Record, seen: Observation) -> Help:
    """``hint_in_steps`` at once."""
    return last_value(hint_in_steps(record, seen))


def hint_in_steps(record: Record, seen: Observation) -> Steps[Help]:
    """``text``: the verdict; ``rows``: for each class of equivalent cards how likely a human plays
    it, its share of the search's visits, and the points that it loses beside the judge's best, the
    least loss first. ``record`` ends where the seat is to
    move; the searches see only the seat's observation of it."""
    yield
    if NO_BID in seen.table.bids:
        return {"text": [_on_bids(seen)], "rows": []}
    ply = len(record.plays)
    settings = AnalysisSettings(models=(OURS,))
    decision = analyse_decision(record, ply, settings, seen)
    if decision.is_forced:
        return {"text": [verdict(decision)], "rows": []}
    yield
    evidence = Evidence(record, ply, judge_settings(settings))
    yield from evidence.steps()
    judged = with_findings(decision, evidence.conclusion, None)
    rows = [
        {
            "card": row.label,
            "human": row.human[OURS],
            "visits": row.share,
            "loss": row.loss.points if row.loss else None,
        }
        for row in by_class(judged).cards
    ]
    rows.sort(key=lambda row: row["loss"] or 0.0)
    return {"text": [verdict(judged)], "rows": rows}


def _on_bids(seen: Observation) -> str:
    bis = explain_bis(seen, BisBidder().options)
    bids = ask_bidders(seen, (BIS, HUMAN))
    return bid_verdict(BidDecision(seen.seat, bis.bid, bis.is_blind, seen, bids, bis))


def explanation_in_steps(seen: Observation) -> Steps[Help]:
    """``text``: the trick in sentences."""
    yield
    if NO_BID in seen.table.bids:
        return {"text": ["The tricks begin once all four have bid."], "rows": []}
    return {"text": explain_trick(seen), "rows": []}


def may_claim_in_steps(seen: Observation) -> Steps[bool]:
    """Whether the side of the seat to play takes all tricks left, whatever cards others hold."""
    yield
    return NO_BID not in seen.table.bids and own_claim(seen) is not None
