"""Bids as decisions: what each bidder bids where one was to be made, next to the bid made; and why.

A bidder gets what the seat could see: its hand, the bids before, the score and the bags. One that
draws at random is asked often, from seeds of its own, and told by its likeliest bid. A bid is a
*disagreement* where it is neither BIS's nor the simulated human's commonest one. Chances are those
of BIS's success curve with its 95% interval."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.bidding.questions import NIL_DENIED, bid_name, format_bids, format_rules, why_no_nil
from analysis.intervals import share_interval
from analysis.markdown import fenced, markdown_table, plain_link
from spades.agents import parse_bidder
from spades.agents.spec import BisBidder, HumanBidder, KbBidder, NoisyBidder, RandomBidder
from spades.bidding import BisAnswer, explain_bis, load_curves
from spades.core.behaviour import source_hash
from spades.core.cards import N_SEATS, SUITS, Deck, cards_in, format_hand, partnership_of, seat_name
from spades.core.deal import derive_seed
from spades.core.observation import Observation
from spades.core.records import RoundRecord
from spades.core.rules import NIL_BID, NO_BID, Rules, Table
from spades.notation import format_records

BIDDERS_COMPARED = ("bis", "rb", "ms", "io", "kb", "human")
N_ASKED = 200
N_POINTS = 101
BIS, HUMAN = "bis", "human"
BLIND_NIL_REASON = "BIS would bid nil before looking at its hand: it is far behind."
_COUNTS = ("no", "the one", "both", "all three", "all four", "all five", "all six")


@dataclass(frozen=True)
class BidderBid:
    """What one bidder bids: its likeliest bid, and how often it made which of ``n`` bids.
    ``counts``: (bid, count), commonest first; one entry for a bidder that draws nothing at random
    (``n`` is 1 then). ``is_blind``: the nil is bid before looking."""

    bidder: str
    bid: int
    is_blind: bool
    counts: tuple[tuple[int, int], ...]
    n: int

    @property
    def is_random(self) -> bool:
        return self.n > 1

    def share_of(self, bid: int) -> float:
        return dict(self.counts).get(bid, 0) / self.n

    def interval_of(self, bid: int) -> tuple[float, float] | None:
        """95% interval of that share by Clopper and Pearson; None without random draws."""
        return share_interval(dict(self.counts).get(bid, 0), self.n) if self.is_random else None


@dataclass(frozen=True)
class BidDecision:
    """One bid of a round: who made which, what could be seen, and what bidders make of it."""

    seat: int
    made: int
    is_blind: bool
    observation: Observation
    bids: tuple[BidderBid, ...]
    bis: BisAnswer

    def answer_of(self, bidder: str) -> BidderBid | None:
        return next((answer for answer in self.bids if answer.bidder == bidder), None)

    def is_made(self, answer: BidderBid) -> bool:
        return (answer.bid, answer.is_blind) == (self.made, self.is_blind)

    def name(self, bid: int, is_blind: bool = False) -> str:
        return bid_name(bid, self.observation.rules, is_blind=is_blind)

    @property
    def previous(self) -> list[int]:
        return [self.observation.table.bids[seat] for seat in self._bidders_before]

    @property
    def _bidders_before(self) -> list[int]:
        table = self.observation.table
        order = ((table.dealer + i) % N_SEATS for i in range(1, N_SEATS + 1))
        return [seat for seat in order if table.bids[seat] != NO_BID]

    def question(self) -> dict[str, str]:
        """Hand, bids before, score and bags (ours, theirs), other rules, and the bid made, which is
        to be tried ``also``, as texts for a link."""
        seen, us = self.observation, partnership_of(self.seat)
        blind = [seen.table.blind[seat] for seat in self._bidders_before]
        pairs = {"score": seen.score_before, "bags": seen.bags_before}
        texts = {
            "hand": format_hand(seen.hand_mask, seen.rules.cards),
            "previous": format_bids(self.previous, blind),
            **{name: f"{two[us]},{two[1 - us]}" for name, two in pairs.items() if two is not None},
            "rules": format_rules(seen.rules),
            "also": str(self.made),
        }
        return {name: text for name, text in texts.items() if text}


def ask_bidder(
    observation: Observation, text: str, *, n: int = N_ASKED, seed: int = 0
) -> BidderBid:
    """A bidder's bid; one that draws at random is asked ``n`` times. Raises ``SpadesError`` for an
    unknown bidder or a seat that isn't to bid."""
    _, bidder = parse_bidder(text)
    is_random = isinstance(bidder, HumanBidder | NoisyBidder | RandomBidder)
    if is_random or (isinstance(bidder, KbBidder) and bidder.randomness > 0):
        seeds = [derive_seed(seed, i) for i in range(n)]
    else:
        seeds = [seed]
    counts = Counter(bidder.bid(observation, one) for one in seeds)
    ordered = tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    return BidderBid(text, ordered[0][0], bidder.bids_blind(observation), ordered, len(seeds))


def ask_bidders(
    observation: Observation, bidders: Sequence[str] = BIDDERS_COMPARED, **how: int
) -> tuple[BidderBid, ...]:
    return tuple(ask_bidder(observation, text, **how) for text in bidders)


def bids_table(bids: Sequence[BidderBid], rules: Rules) -> pd.DataFrame:
    """One row a bidder and bid that it made: bid, name, count of n, share with 95% interval."""
    columns = ["bidder", "bid", "name", "count", "n", "share", "low", "high"]
    rows = []
    for answer in bids:
        for bid, count in answer.counts:
            name = bid_name(bid, rules, is_blind=answer.is_blind)
            shares = (answer.share_of(bid), *(answer.interval_of(bid) or (1, 1)))
            rows.append((answer.bidder, bid, name, count, answer.n, *shares))
    return pd.DataFrame(rows, columns=columns)


def each_bid_decision(
    record: RoundRecord, bidders: Sequence[str] = BIDDERS_COMPARED, **how: int
) -> Iterator[BidDecision]:
    """The bids of a round in the order made, each with what every bidder bids there, asked as
    ``ask_bidder`` takes it. None where the bids aren't known. Nothing hidden reaches a bidder: it
    gets the seat's observation from before its bid."""
    if not record.has_bids:
        return
    table, before = Table(record.rules, record.dealer), (record.score_before, record.bags_before)
    for i in range(1, N_SEATS + 1):
        seat = (record.dealer + i) % N_SEATS
        made, is_blind = record.bids[seat], record.blind[seat]
        seen = Observation(seat, int(record.hands[seat]), table.copy(), *before)
        bids = ask_bidders(seen, bidders, **how)
        bis = explain_bis(seen, BisBidder().options)
        yield BidDecision(seat, made, is_blind, seen, bids, bis)
        table.bid(seat, made, blind=is_blind)


def parts_table(answer: BisAnswer, deck: Deck) -> pd.DataFrame:
    """One row a step of the regular bid: the cards that count, then the previous bids.

    ``step``, ``role``, ``cuts`` (a suit letter or empty), ``tricks``, and the running sum before
    (``start``) and after (``end``) it. The last sum rounds, halves up, to ``answer.regular``,
    unless that is no legal bid or an opponent's nil takes half a trick off (G.1)."""
    rows: list[tuple[str, str, str, float]] = []
    for part in (part for part in answer.parts if part.tricks > 0):
        cuts = "" if part.cut_suit is None else SUITS[part.cut_suit]
        rows.append((deck.format_card(part.card), part.role, cuts, part.tricks))
    rows.append(("previous bids", "previous bids", "", answer.previous_term))
    table = pd.DataFrame(rows, columns=["step", "role", "cuts", "tricks"])
    table["end"] = table["tricks"].cumsum()
    return table.assign(start=table["end"] - table["tricks"])


def idle_cards(answer: BisAnswer, hand: int, deck: Deck) -> list[str]:
    """Cards that the regular bid counts for nothing, suit by suit, highest first."""
    counting = {part.card for part in answer.parts if part.tricks > 0}
    idle = sum(1 << card for card in cards_in(hand) if card not in counting)
    return deck.format_cards(idle).split()


def suits_table(answer: BisAnswer) -> pd.DataFrame:
    """``p``, the chance that no card of a suit sets the nil, by ``suit`` letter; NaN by a rule."""
    return pd.DataFrame({"suit": list(SUITS), "p": np.array(answer.nil_by_suit, dtype=float)})


def curve_table(previous: tuple[int, ...]) -> pd.DataFrame:
    """The success curve after these bids with its 95% interval, over nil values up to 1."""
    curves, values = load_curves(), np.linspace(0.0, 1.0, N_POINTS)[1:]  # at 0 nil is denied
    rows = [(v, curves.probability(previous, v), *curves.interval(previous, v)) for v in values]
    return pd.DataFrame(rows, columns=["value", "p", "low", "high"])


def even_chance(threshold: float, worth: int) -> float:
    """The chance at which a nil of this worth (points) brings just the threshold. May lie outside 0
    to 1: no chance is enough, or any is."""
    return (1.0 + threshold / worth) / 2.0


def p_needed(answer: BisAnswer, rules: Rules) -> float | None:
    """Chance of success from which nil passes BIS's threshold; None where the rules have no nil."""
    return even_chance(answer.threshold, rules.nil) if rules.nil else None


def is_close_call(bis: BisAnswer, rules: Rules) -> bool:
    """Whether the chance at which nil is worth the threshold lies in the curve's interval."""
    even = p_needed(bis, rules)
    if even is None or bis.p_interval is None or not bis.may_nil:
        return False
    return bis.p_interval[0] <= even <= bis.p_interval[1]


def disagrees(decision: BidDecision) -> bool:
    """Whether neither BIS nor the simulated human, most often, bids what was bid."""
    compared = _compared(decision)
    return bool(compared) and not any(decision.is_made(answer) for answer in compared)


def _compared(decision: BidDecision) -> list[BidderBid]:
    """The answers that decide whether a bid is a disagreement."""
    return [answer for name in (BIS, HUMAN) if (answer := decision.answer_of(name))]


def bid_verdict(decision: BidDecision) -> str:
    made, reason = decision.name(decision.made, decision.is_blind), _reason(decision)
    if all(decision.is_made(answer) for answer in decision.bids):
        n, human = len(decision.bids), decision.answer_of(HUMAN)
        who = f"{_COUNTS[n] if n < len(_COUNTS) else f'all {n}'} bidders"
        often = f" (human, simulated, in {_share(human)})" if human else ""
        return f"Bid {made}: the same bid by {who}{often}. {reason}"
    words = [", ".join(_bid_text(answer, decision) for answer in _compared(decision))]
    if not disagrees(decision):
        others = [
            f"{_short(answer)} bids {decision.name(answer.bid, answer.is_blind)}"
            for answer in decision.bids
            if answer.bidder not in (BIS, HUMAN) and not decision.is_made(answer)
        ]
        words.append(", ".join(others))
    return f"Bid {made}; {'; '.join(filter(None, words))}. {reason}"


def _short(answer: BidderBid) -> str:
    """``BIS``, ``human (simulated)``; bidders with options as they are written."""
    if answer.bidder == HUMAN:
        return "human (simulated)"
    return answer.bidder.upper() if answer.bidder in BIDDERS_COMPARED else answer.bidder


def _bid_text(answer: BidderBid, decision: BidDecision) -> str:
    words = f"{_short(answer)} {decision.name(answer.bid, answer.is_blind)}"
    if not answer.is_random:
        return words
    words += f" in {_share(answer)}"
    if answer.bid != decision.made and not decision.is_blind:
        made, share = decision.name(decision.made), answer.share_of(decision.made)
        words += f" and {made} in {share:.1%}" if share else f", {made} never"
    return words


def _share(answer: BidderBid) -> str:
    """How often it makes its likeliest bid, ``55% of 200``, with the interval."""
    interval = answer.interval_of(answer.bid)
    within = " [{:.1%}, {:.1%}]".format(*interval) if interval else ""
    return f"{answer.share_of(answer.bid):.1%} of {answer.n}{within}"


def explain(bis: BisAnswer, seen: Observation) -> str:
    """Why BIS bids so: its count of tricks, its nil, and what overrides both."""
    if bis.reason == "blind nil":
        return BLIND_NIL_REASON
    no_nil = why_no_nil(seen)
    nil = f"No nil here: {no_nil}" if no_nil else _nil_reason(bis, seen.rules)
    reasons = [_count_reason(bis, seen), nil, *_overriding_reason(bis, seen.rules)]
    return f"{'; '.join(reasons)}."


def _reason(decision: BidDecision) -> str:
    """Why BIS bids so: by the nil's worth where nil is near, else by its count of tricks."""
    bis, seen = decision.bis, decision.observation
    if bis.reason == "blind nil":
        return BLIND_NIL_REASON
    bids = (decision.made, bis.bid, *(answer.bid for answer in decision.bids))
    has_nil = seen.rules.nil is not None and bis.may_nil
    reasons = [_nil_reason(bis, seen.rules)] if has_nil and NIL_BID in bids else []
    if bis.bid != NIL_BID or not reasons:
        reasons.append(_count_reason(bis, seen))
    return f"{'; '.join([*reasons, *_overriding_reason(bis, seen.rules)])}."


def _nil_reason(bis: BisAnswer, rules: Rules) -> str:
    if bis.p_nil is None or bis.expected_nil is None or bis.denied:
        return f"No nil: {NIL_DENIED[bis.denied]}"
    within = "" if bis.p_interval is None else " [{:.1%}, {:.1%}]".format(*bis.p_interval)
    side = "over" if bis.expected_nil > bis.threshold else "not over"
    words = (
        f"BIS gives a nil {bis.p_nil:.1%}{within} to succeed, {bis.expected_nil:+.0f} points "
        f"expected, {side} its threshold of {bis.threshold:+.0f}"
    )
    return f"{words}: too close to call" if is_close_call(bis, rules) else words


def _count_reason(bis: BisAnswer, seen: Observation) -> str:
    cards, total = bis.regular_before_bids, bis.regular_before_bids + bis.previous_term
    is_first = all(bid == NO_BID for bid in seen.table.bids)
    place = "as the first to bid" if is_first else "after the bids before"
    counted = f"BIS counts {cards:.1f} tricks in the hand, {round(total, 1) + 0:.1f} {place}"
    if bis.reason in ("end of game", "convention") or bis.bid == NIL_BID:
        counted += f", a bid of {bis.regular}"
    return counted


def _overriding_reason(bis: BisAnswer, rules: Rules) -> list[str]:
    name = bid_name(bis.bid, rules, is_blind=bis.is_blind)
    if bis.reason == "end of game":
        return [f"it bids {name}, because somebody can win the game this round"]
    return [f"it bids {name} to say something to the partner"] * (bis.reason == "convention")


def bid_report_markdown(record: RoundRecord, decision: BidDecision, link: str) -> str:
    """The report on a bid of a round; ``link`` opens it on Replay."""
    seat = seat_name(decision.seat)
    number = (decision.seat - record.dealer - 1) % N_SEATS + 1
    before = ", ".join(decision.name(bid) for bid in decision.previous)
    kind = record.kinds[decision.seat].replace("-", " ")
    blocks = [
        f"## Spades: {seat} to bid, bid {number} of {N_SEATS}",
        bid_verdict(decision),
        f"{seat} ({kind}) bid {decision.name(decision.made, decision.is_blind)} "
        f"{f'after {before}' if before else 'as the first'}. "
        f"A disagreement (neither BIS's bid nor the simulated human's commonest): "
        f"{'yes' if disagrees(decision) else 'no'}.",
        markdown_table(
            [
                ("bidder", "bid", "how often", "95%", "also", ""),
                *(_bidder_row(answer, decision) for answer in decision.bids),
            ]
        ),
        "A bidder that draws at random was asked as often as the table says: its commonest bid, "
        "with Clopper and Pearson's 95% interval. The human is simulated.",
        "### BIS's arithmetic",
        markdown_table([("what", "value"), *_bis_rows(decision)]),
        f"Code: {source_hash()}",
        f"Link: {plain_link(link)}",
        "### Record",
        fenced(format_records([replace(record, source="")], "ptn").strip("\n")),
    ]
    return "\n\n".join(blocks) + "\n"


def _bidder_row(answer: BidderBid, decision: BidDecision) -> tuple[str, ...]:
    often, within = "always", ""
    if interval := answer.interval_of(answer.bid):
        often = f"{answer.share_of(answer.bid):.1%} of {answer.n}"
        within = "{:.1%} to {:.1%}".format(*interval)
    others = [f"{decision.name(bid)}: {count / answer.n:.1%}" for bid, count in answer.counts[1:]]
    name = "human (simulated)" if answer.bidder == HUMAN else answer.bidder
    bid = decision.name(answer.bid, answer.is_blind)
    is_made = "made" if decision.is_made(answer) else ""
    return (name, bid, often, within, ", ".join(others), is_made)


def _bis_rows(decision: BidDecision) -> list[tuple[str, str]]:
    bis = decision.bis
    rows = [
        ("tricks in the hand", f"{bis.regular_before_bids:.2f}"),
        ("with the bids before", f"{bis.regular_before_bids + bis.previous_term:.2f}"),
        ("regular bid", f"{bis.regular}, worth {bis.expected_regular:+.1f} points"),
    ]
    if decision.observation.rules.nil is None:
        return [*rows, ("nil", "none in these rules")]
    if not bis.may_nil:
        return [*rows, ("nil", "not bid here: the partner did, or the rules ask for tricks")]
    if bis.p_nil is None or bis.expected_nil is None or bis.denied:
        return [*rows, ("chance of nil", NIL_DENIED[bis.denied])]
    chance = f"{bis.p_nil:.1%}"
    if bis.p_interval is not None:
        low, high = bis.p_interval
        chance += f" (95%: {low:.1%} to {high:.1%}; curve of {bis.n_curve:,} nils)"
    rows += [("nil value", f"{bis.nil_value:.3f}"), ("chance of nil", chance)]
    points = (("nil expected", bis.expected_nil), ("threshold", bis.threshold))
    return rows + [(what, f"{value:+.1f} points") for what, value in points]
