"""Bids as decisions: for each bid of a round, what every bidder would have bid, and why.

A bidder gets what the seat could see: its hand, the previous bids, the score and the bags. A random
bidder is asked many times with different seeds; its commonest bid counts. A bid is a *disagreement*
if it is neither BIS's nor the simulated human's commonest. Chances are those of BIS's success curve
with its 95% interval."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from analysis.bidding.questions import NIL_DENIED, bid_name, format_bids, format_rules, why_no_nil
from analysis.intervals import share_interval
from analysis.markdown import fenced, markdown_table, plain_link
from analysis.text_tables import signed, span
from spades.agents import parse_bidder
from spades.agents.bidders import (
    BisBidder,
    HumanBidder,
    KbBidder,
    NoisyBidder,
    RandomBidder,
)
from spades.bidding import BisAnswer, explain_bis, load_curves
from spades.core.behaviour import source_hash
from spades.core.cards import N_SEATS, SUITS, Deck, cards_in, format_hand, partnership_of, seat_name
from spades.core.deal import derive_seed
from spades.core.observation import Observation
from spades.core.records import Record
from spades.core.rules import NIL_BID, NO_BID, Rules, Table
from spades.notation import format_records

if TYPE_CHECKING:  # the library does without pandas
    import pandas as pd

BIDDERS_COMPARED = ("bis", "rb", "ms", "io", "kb", "human")
N_ASKED = 200
N_POINTS = 101
BIS = "bis"
HUMAN = "human"
BLIND_NIL_REASON = "BIS would bid nil before looking at its hand: it is far behind."
_COUNTS = ("no", "the one", "both", "all three", "all four", "all five", "all six")


@dataclass(frozen=True)
class BidderBid:
    """What a bidder bids: its commonest bid of ``n``. ``counts``: (bid, count), commonest first; a
    bidder without randomness is asked once. ``is_blind``: whether it bids a blind nil."""

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
        if not self.is_random:
            return None
        return share_interval(dict(self.counts).get(bid, 0), self.n)


@dataclass(frozen=True)
class BidDecision:
    """One bid of a round: the seat, the bid made, what the seat saw, and every bidder's bid."""

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
        """Texts for a link to the Bids page: hand, previous bids, score and bags (ours,
        theirs), rules that aren't defaults, and the bid made (``also``)."""
        observation = self.observation
        blind = [observation.table.blind[seat] for seat in self._bidders_before]
        texts = {
            "hand": format_hand(observation.hand_mask, observation.rules.cards),
            "previous": format_bids(self.previous, blind),
            "score": self._ours_first(observation.score_before),
            "bags": self._ours_first(observation.bags_before),
            "rules": format_rules(observation.rules),
            "also": str(self.made),
        }
        return {name: text for name, text in texts.items() if text}

    def _ours_first(self, by_partnership: tuple[int, int] | None) -> str:
        if by_partnership is None:
            return ""
        us = partnership_of(self.seat)
        return f"{by_partnership[us]},{by_partnership[1 - us]}"


def ask_bidder(
    observation: Observation,
    text: str,
    *,
    n: int = N_ASKED,
    seed: int = 0,
) -> BidderBid:
    """A bidder's bid. A bidder that draws at random bids ``n`` times.

    Raises ``SpadesError`` for an unknown bidder or a seat that isn't to bid."""
    bidder = parse_bidder(text)
    if isinstance(bidder, KbBidder):
        is_random = bidder.randomness > 0
    else:
        is_random = isinstance(bidder, HumanBidder | NoisyBidder | RandomBidder)
    seeds = [derive_seed(seed, i) for i in range(n)] if is_random else [seed]
    counts = Counter(bidder.bid(observation, bid_seed) for bid_seed in seeds)
    commonest_first = tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    return BidderBid(
        bidder=text,
        bid=commonest_first[0][0],
        is_blind=bidder.bids_blind(observation),
        counts=commonest_first,
        n=len(seeds),
    )


def ask_bidders(
    observation: Observation,
    bidders: Sequence[str] = BIDDERS_COMPARED,
    **options: int,
) -> tuple[BidderBid, ...]:
    """``ask_bidder`` of each, with its ``options``."""
    return tuple(ask_bidder(observation, text, **options) for text in bidders)


def bids_table(bids: Sequence[BidderBid], rules: Rules) -> "pd.DataFrame":
    """One row for each bidder and bid that it made: bid, name, count of n, share with 95%
    interval."""
    import pandas as pd

    columns = ["bidder", "bid", "name", "count", "n", "share", "low", "high"]
    rows = []
    for answer in bids:
        for bid, count in answer.counts:
            name = bid_name(bid, rules, is_blind=answer.is_blind)
            share = answer.share_of(bid)
            low, high = answer.interval_of(bid) or (1, 1)
            rows.append((answer.bidder, bid, name, count, answer.n, share, low, high))
    return pd.DataFrame(rows, columns=columns)


def each_bid_decision(
    record: Record,
    bidders: Sequence[str] = BIDDERS_COMPARED,
    **options: int,
) -> Iterator[BidDecision]:
    """The bids of a round in order, each with the bids of all bidders (``ask_bidder``, which gets
    ``options``). Empty if the bids aren't known. Bidders get the seat's observation before its bid,
    and so nothing hidden."""
    if not record.has_bids:
        return
    table = Table(record.rules, record.dealer)
    for i in range(1, N_SEATS + 1):
        seat = (record.dealer + i) % N_SEATS
        observation = Observation(
            seat, int(record.hands[seat]), table.copy(), record.score_before, record.bags_before
        )
        made = record.bids[seat]
        is_blind = record.blind[seat]
        yield BidDecision(
            seat=seat,
            made=made,
            is_blind=is_blind,
            observation=observation,
            bids=ask_bidders(observation, bidders, **options),
            bis=explain_bis(observation, BisBidder().options),
        )
        table.bid(seat, made, blind=is_blind)


def parts_table(answer: BisAnswer, deck: Deck) -> "pd.DataFrame":
    """One row for each step of the regular bid: the cards that count, then the previous bids.

    ``step``, ``role``, ``cuts`` (a suit letter or empty), ``tricks``, and the running sum before
    (``start``) and after (``end``) the step. The last sum rounds, halves up, to ``answer.regular``,
    unless that is no legal bid or an opponent's nil takes half a trick off (G.1)."""
    import pandas as pd

    rows: list[tuple[str, str, str, float]] = []
    for part in answer.parts:
        if part.tricks > 0:
            cuts = "" if part.cut_suit is None else SUITS[part.cut_suit]
            rows.append((deck.format_card(part.card), part.role, cuts, part.tricks))
    rows.append(("previous bids", "previous bids", "", answer.previous_term))
    table = pd.DataFrame(rows, columns=["step", "role", "cuts", "tricks"])
    table["end"] = table["tricks"].cumsum()
    return table.assign(start=table["end"] - table["tricks"])


def idle_cards(answer: BisAnswer, hand: int, deck: Deck) -> list[str]:
    """Cards that the regular bid counts no trick for, suit by suit, highest first."""
    counting = {part.card for part in answer.parts if part.tricks > 0}
    idle = sum(1 << card for card in cards_in(hand) if card not in counting)
    return deck.format_cards(idle).split()


def suits_table(answer: BisAnswer) -> "pd.DataFrame":
    """``p``, the chance that no card of a suit sets the nil, by ``suit`` letter; NaN where a rule
    denies the nil."""
    import pandas as pd

    return pd.DataFrame({"suit": list(SUITS), "p": np.array(answer.nil_by_suit, dtype=float)})


def curve_table(previous: tuple[int, ...]) -> "pd.DataFrame":
    """The success curve after these bids with its 95% interval, over nil values up to 1."""
    import pandas as pd

    curves = load_curves()
    rows = []
    for value in np.linspace(0.0, 1.0, N_POINTS)[1:]:  # at 0 nil is denied
        low, high = curves.interval(previous, value)
        rows.append((value, curves.probability(previous, value), low, high))
    return pd.DataFrame(rows, columns=["value", "p", "low", "high"])


def even_chance(threshold: float, worth: int) -> float:
    """The chance at which the expected points of a nil of this worth are the threshold. Below 0 any
    chance is enough, above 1 none is."""
    return (1.0 + threshold / worth) / 2.0


def p_needed(answer: BisAnswer, rules: Rules) -> float | None:
    """Chance of success from which nil passes BIS's threshold; None where the rules have no nil."""
    return even_chance(answer.threshold, rules.nil) if rules.nil else None


def is_close_call(bis: BisAnswer, rules: Rules) -> bool:
    """Whether the chance at which nil is worth the threshold lies in the curve's interval."""
    needed = p_needed(bis, rules)
    if needed is None or bis.p_interval is None or not bis.may_nil:
        return False
    low, high = bis.p_interval
    return low <= needed <= high


def disagrees(decision: BidDecision) -> bool:
    """Whether neither BIS nor the simulated human, most often, bids what was bid."""
    compared = _compared(decision)
    return bool(compared) and not any(decision.is_made(answer) for answer in compared)


def _compared(decision: BidDecision) -> list[BidderBid]:
    """The bids of BIS and the simulated human, which make a bid a disagreement."""
    answers = [decision.answer_of(BIS), decision.answer_of(HUMAN)]
    return [answer for answer in answers if answer is not None]


def bid_verdict(decision: BidDecision) -> str:
    made = decision.name(decision.made, decision.is_blind)
    reason = _reason(decision)
    if all(decision.is_made(answer) for answer in decision.bids):
        return f"Bid {made}: the same bid by {_all_bidders(decision)}. {reason}"
    compared = ", ".join(_bid_text(answer, decision) for answer in _compared(decision))
    clauses = [f"Bid {made}"]
    if compared:
        clauses.append(compared)
    if not disagrees(decision):
        others = ", ".join(
            f"{_short(answer)} bids {decision.name(answer.bid, answer.is_blind)}"
            for answer in decision.bids
            if answer.bidder not in (BIS, HUMAN) and not decision.is_made(answer)
        )
        if others:
            clauses.append(others)
    return f"{'; '.join(clauses)}. {reason}"


def _all_bidders(decision: BidDecision) -> str:
    n = len(decision.bids)
    count = _COUNTS[n] if n < len(_COUNTS) else f"all {n}"
    human = decision.answer_of(HUMAN)
    if human is None:
        return f"{count} bidders"
    return f"{count} bidders (human, simulated, in {_share(human)})"


def _short(answer: BidderBid) -> str:
    """``BIS``, ``human (simulated)``; bidders with options as they are written."""
    if answer.bidder == HUMAN:
        return "human (simulated)"
    return answer.bidder.upper() if answer.bidder in BIDDERS_COMPARED else answer.bidder


def _bid_text(answer: BidderBid, decision: BidDecision) -> str:
    text = f"{_short(answer)} {decision.name(answer.bid, answer.is_blind)}"
    if not answer.is_random:
        return text
    text += f" in {_share(answer)}"
    if answer.bid == decision.made or decision.is_blind:
        return text
    made = decision.name(decision.made)
    share = answer.share_of(decision.made)
    if share:
        return f"{text} and {made} in {share:.1%}"
    return f"{text}, {made} never"


def _share(answer: BidderBid) -> str:
    """How often it makes its commonest bid, ``55% of 200``, with the interval."""
    share = f"{answer.share_of(answer.bid):.1%} of {answer.n}"
    interval = answer.interval_of(answer.bid)
    return share if interval is None else f"{share} ({span(interval, '.1%')})"


def explain(bis: BisAnswer, observation: Observation) -> str:
    """Why BIS makes this bid: its count of tricks, its nil, and what overrides both."""
    if bis.reason == "blind nil":
        return BLIND_NIL_REASON
    rules = observation.rules
    no_nil = why_no_nil(observation)
    nil = f"No nil here: {no_nil}" if no_nil else _nil_reason(bis, rules)
    reasons = "; ".join([nil, *_overriding_reason(bis, rules)])
    return f"{_count_reason(bis, observation)}. {reasons}."


def _reason(decision: BidDecision) -> str:
    """Why BIS makes its bid: its estimate of nil if somebody bids nil, else its count of tricks."""
    bis = decision.bis
    rules = decision.observation.rules
    if bis.reason == "blind nil":
        return BLIND_NIL_REASON
    reasons = []
    bids = (decision.made, bis.bid, *(answer.bid for answer in decision.bids))
    if NIL_BID in bids and rules.nil is not None and bis.may_nil:
        reasons.append(_nil_reason(bis, rules))
    if bis.bid != NIL_BID or not reasons:
        reasons.append(_count_reason(bis, decision.observation))
    reasons += _overriding_reason(bis, rules)
    return f"{'; '.join(reasons)}."


def _nil_reason(bis: BisAnswer, rules: Rules) -> str:
    if bis.p_nil is None or bis.expected_nil is None or bis.denied:
        return f"No nil: {NIL_DENIED[bis.denied]}"
    chance = f"{bis.p_nil:.1%}"
    if bis.p_interval is not None:
        chance += f" ({span(bis.p_interval, '.1%')})"
    side = "over" if bis.expected_nil > bis.threshold else "not over"
    text = (
        f"BIS gives a nil {chance} to succeed, {signed(bis.expected_nil, '+.0f')} points "
        f"expected, {side} its threshold of {signed(bis.threshold, '+.0f')}"
    )
    return f"{text}: too close to call" if is_close_call(bis, rules) else text


def _count_reason(bis: BisAnswer, observation: Observation) -> str:
    total = bis.regular_before_bids + bis.previous_term
    is_first = all(bid == NO_BID for bid in observation.table.bids)
    place = "as the first to bid" if is_first else "after the bids before"
    text = (
        f"BIS counts {bis.regular_before_bids:.1f} tricks in the hand, "
        f"{round(total, 1) + 0:.1f} {place}"  # + 0: no minus before 0.0
    )
    if bis.reason in ("end of game", "convention") or bis.bid == NIL_BID:
        text += f", a bid of {bis.regular}"
    return text


def _overriding_reason(bis: BisAnswer, rules: Rules) -> list[str]:
    name = bid_name(bis.bid, rules, is_blind=bis.is_blind)
    if bis.reason == "end of game":
        return [f"it bids {name}, because somebody can win the game this round"]
    if bis.reason == "convention":
        return [f"it bids {name} to say something to the partner"]
    return []


def bid_report_markdown(record: Record, decision: BidDecision, link: str) -> str:
    """The report on a bid of a round; ``link`` opens it on Replay."""
    seat = seat_name(decision.seat)
    number = (decision.seat - record.dealer - 1) % N_SEATS + 1
    kind = record.kinds[decision.seat].replace("-", " ")
    made = decision.name(decision.made, decision.is_blind)
    previous = ", ".join(decision.name(bid) for bid in decision.previous)
    place = f"after {previous}" if previous else "as the first"
    disagreement = "yes" if disagrees(decision) else "no"
    blocks = [
        f"## Spades: {seat} to bid, bid {number} of {N_SEATS}",
        bid_verdict(decision),
        f"{seat} ({kind}) bid {made} {place}. A disagreement (neither BIS's bid nor the simulated "
        f"human's commonest): {disagreement}.",
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
    frequency = "always"
    interval_text = ""
    interval = answer.interval_of(answer.bid)
    if interval is not None:
        frequency = f"{answer.share_of(answer.bid):.1%} of {answer.n}"
        interval_text = span(interval, ".1%")
    others = [f"{decision.name(bid)}: {count / answer.n:.1%}" for bid, count in answer.counts[1:]]
    name = "human (simulated)" if answer.bidder == HUMAN else answer.bidder
    bid = decision.name(answer.bid, answer.is_blind)
    is_made = "made" if decision.is_made(answer) else ""
    return (name, bid, frequency, interval_text, ", ".join(others), is_made)


def _bis_rows(decision: BidDecision) -> list[tuple[str, str]]:
    bis = decision.bis
    rows = [
        ("tricks in the hand", f"{bis.regular_before_bids:.2f}"),
        ("with the bids before", f"{bis.regular_before_bids + bis.previous_term:.2f}"),
        ("regular bid", f"{bis.regular}, worth {signed(bis.expected_regular)} points"),
    ]
    if decision.observation.rules.nil is None:
        return [*rows, ("nil", "none in these rules")]
    if not bis.may_nil:
        return [*rows, ("nil", "not bid here: the partner did, or the rules ask for tricks")]
    if bis.p_nil is None or bis.expected_nil is None or bis.denied:
        return [*rows, ("chance of nil", NIL_DENIED[bis.denied])]
    chance = f"{bis.p_nil:.1%}"
    if bis.p_interval is not None:
        ends = span(bis.p_interval, ".1%")
        chance += f" (95%: {ends}; curve of {bis.n_curve:,} nils)"
    return [
        *rows,
        ("nil value", f"{bis.nil_value:.3f}"),
        ("chance of nil", chance),
        ("nil expected", f"{signed(bis.expected_nil)} points"),
        ("threshold", f"{signed(bis.threshold)} points"),
    ]
