"""What ``bid`` prints: every bidder's bid on a hand, and the parts of BIS's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.bidding.checks import NO_BIDS, PreviousBids, observe_bids, why_no_nil
from analysis.bidding.decisions import bid_name
from analysis.bidding.outcomes import TrialSettings, bids_to_try, try_bids
from cli.bid_trials_report import trials_document, trials_lines
from spades.agents import BIDDERS, parse_bidder
from spades.agents.bidders import BisBidder
from spades.bidding import BisAnswer, explain_bis
from spades.bidding.answer import check_hand
from spades.core.cards import SUITS, Deck
from spades.core.observation import Observation
from spades.core.rules import Rules
from spades.notation.hands import format_hand, parse_hand

SHOWN = tuple(name for name in BIDDERS if name not in ("random", "noisy"))


@dataclass(frozen=True)
class BidQuestion:
    """A hand written ``S.H.D.C``, the bids before, scores and bags (ours, theirs), and options of
    the rules."""

    hand: str
    previous: PreviousBids = NO_BIDS
    score: tuple[int, int] = (0, 0)
    bags: tuple[int, int] = (0, 0)
    rules: dict[str, Any] = field(default_factory=dict)

    def observation(self) -> Observation:
        """The seat to bid; ``SpadesError`` for what can't be."""
        rules = Rules.from_options(self.rules)
        hand = parse_hand(self.hand, rules.cards)
        check_hand(hand, rules.cards)
        return observe_bids(hand, self.previous, rules=rules, score=self.score, bags=self.bags)


def bid_document(
    question: BidQuestion,
    bidders: Sequence[str] | None = None,
    *,
    seed: int = 0,
    simulate: int | None = None,
) -> dict[str, Any]:
    """What ``bid --json`` prints (spec 6). ``bis`` explains the first BIS among the bidders, or
    the standard one. Nil is 0; ``blind`` lists who bids it before looking. With ``simulate``
    rounds, ``simulated``: how the points of the round fall for nil and the regular bid
    (``trials_document``)."""
    seen = question.observation()
    asked = [parse_bidder(text) for text in bidders or SHOWN]
    bis = next((bidder for _, bidder in asked if isinstance(bidder, BisBidder)), BisBidder())
    document = {
        "hand": format_hand(seen.hand, seen.rules.cards),
        "previous": list(question.previous.bids),
        "previous_blind": list(question.previous.blind),
        "score": list(question.score),
        "bags": list(question.bags),
        "deck": seen.rules.deck,
        "rules": seen.rules.non_defaults(),
        "seed": seed,
        "bids": {text: bidder.bid(seen, seed) for text, bidder in asked},
        "blind": [text for text, bidder in asked if bidder.bids_blind(seen)],
        "bis": {
            **bis_document(explain_bis(seen, bis.options), seen.rules.cards),
            "no_nil_because": why_no_nil(seen),
        },
    }
    if simulate is not None:
        settings = TrialSettings(n=simulate, seed=seed)
        bids = list(dict.fromkeys(bids_to_try(seen, bis.options)))
        trials = try_bids(seen, bids, settings)
        document["simulated"] = trials_document(trials)
    return document


def bis_document(answer: BisAnswer, deck: Deck) -> dict[str, Any]:
    """BIS's parts: tricks, probabilities, and points for the bidder's partnership."""
    return {
        "bid": answer.bid,
        "is_blind": answer.is_blind,
        "reason": answer.reason,
        "regular_before_bids": answer.regular_before_bids,
        "previous_term": answer.previous_term,
        "regular": answer.regular,
        "regular_parts": [
            {
                "card": deck.format_card(part.card),
                "role": part.role,
                "tricks": part.tricks,
                "cuts": None if part.cut_suit is None else SUITS[part.cut_suit],
            }
            for part in answer.parts
        ],
        "nil_value": answer.nil_value,
        "nil_by_suit": dict(zip(SUITS, answer.nil_by_suit, strict=True)),
        "may_nil": answer.may_nil,
        "p_nil": answer.p_nil,
        "p_nil_interval": answer.p_interval and list(answer.p_interval),
        "n_nils_of_curve": answer.n_curve,
        "threshold": answer.threshold,
        "expected": {"nil": answer.expected_nil, "regular": answer.expected_regular},
    }


def bid_table(document: dict[str, Any]) -> str:
    """The document as text."""
    bis = document["bis"]
    lines = [f"{document['hand']}  bids before: {_previous_text(document)}", ""]
    rules = Rules.from_options(document["rules"])
    for name, bid in document["bids"].items():
        text = bid_name(bid, rules, is_blind=name in document["blind"])
        lines.append(f"{name:32} {text:>9}")
    lines += ["", f"BIS, {bis['reason']}:"]
    lines += [_part_line(part) for part in bis["regular_parts"]]
    by_suit = "  ".join(f"{suit} {p:.3f}" for suit, p in bis["nil_by_suit"].items())
    expected = bis["expected"]
    return "\n".join(
        [
            *lines,
            f"  tricks {bis['regular_before_bids']:.2f}, previous bids {bis['previous_term']:+.2f}"
            f" -> {bis['regular']}",
            f"  nil value {bis['nil_value']:.3f}: {by_suit}",
            f"  chance of nil {bis['p_nil']:.3f}{_interval(bis)}",
            f"  points expected: nil {expected['nil']:+.1f} against threshold "
            f"{bis['threshold']:+.1f}, regular {expected['regular']:+.1f}",
            *_no_nil_lines(bis),
            *_simulated_lines(document.get("simulated")),
        ]
    )


def _previous_text(document: dict[str, Any]) -> str:
    rules = Rules.from_options(document["rules"])
    told = zip(document["previous"], document["previous_blind"], strict=True)
    return " ".join(bid_name(bid, rules, is_blind=blind) for bid, blind in told) or "none"


def _no_nil_lines(bis: dict[str, Any]) -> list[str]:
    return [f"  no nil: {bis['no_nil_because']}"] if bis["no_nil_because"] else []


def _simulated_lines(simulated: dict[str, Any] | None) -> list[str]:
    return [] if simulated is None else ["", *trials_lines(simulated)]


def _part_line(part: dict[str, Any]) -> str:
    cuts = f" {part['cuts']}" if part["cuts"] else ""
    return f"  {part['card']}  {part['role'] + cuts:12} {part['tricks']:.3f}"


def _interval(bis: dict[str, Any]) -> str:
    if bis["p_nil_interval"] is None:
        return f" (one curve for all, n = {bis['n_nils_of_curve']:,})"
    low, high = bis["p_nil_interval"]
    return f" ({low:.3f} to {high:.3f}, n = {bis['n_nils_of_curve']:,})"
