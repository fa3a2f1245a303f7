"""The command ``bid``: every bidder's bid on a hand, the parts of BIS's, and trials of a bid."""

import argparse
import math
import re
from typing import Any

import numpy as np

from analysis.bidding import bid_trials, questions
from analysis.bidding.questions import PreviousBids, bid_name
from analysis.records import document_of, documents_of
from analysis.text_tables import signed, span, with_interval
from spades.agents import BIDDERS, parse_bidder
from spades.agents.bidders import Bidder, BisBidder
from spades.bidding import BisAnswer, explain_bis
from spades.cli.answer import Answer
from spades.cli.arguments import add_game_end, add_number, add_seed, game_end_rules
from spades.cli.own import admitted
from spades.core.cards import SUITS, Deck, check_hand, format_hand
from spades.core.documents import Document, parse_integer
from spades.core.errors import InvalidRecordError
from spades.core.observation import Observation
from spades.core.rules import LARGEST, Rules
from spades.notation.hands import read_hand

TEXT_WIDTH = 50  # points of a range in the text, a multiple of the histogram's bins
USUAL_BIDDERS = tuple(name for name in BIDDERS if name not in ("random", "noisy"))
BID_TEXT = re.compile(r"\s*(-?\d+|(blind[ -]?)?nil|blind)\s*", re.IGNORECASE)


BIS_FIELDS = (
    "bid",
    "is_blind",
    "reason",
    "regular_before_bids",
    "previous_term",
    "regular",
    "nil_value",
    "may_nil",
    "p_nil",
    "threshold",
)
"""What the document takes from BIS's answer as it is."""


def add_bid(parser: argparse.ArgumentParser) -> None:
    """What each bidder bids on a hand after the bids before it, and how BIS arrives at its bid: the
    value of every card, the nil value by suit, the success curve, the threshold, the expected
    points."""
    parser.add_argument(
        "--hand", required=True, metavar="S.H.D.C", help="cards by suit, as AKJ62.AQ.Q.K9543"
    )
    parser.add_argument(
        "--previous",
        type=_bids,
        default="",
        metavar="3,1",
        help="bids before, in the order made: nil (or 0), blind nil, 1 to 13",
    )
    parser.add_argument(
        "--bidder",
        nargs="+",
        metavar="NAME",
        help="bis:threshold=20 rb ...; all by default",
    )
    for name, what in (
        ("--score", "the score before the round, as --score=-20,95"),
        ("--bags", "bags before the round"),
    ):
        parser.add_argument(name, type=_pair, default=(0, 0), metavar="US,THEM", help=what)
    add_game_end(parser)
    parser.add_argument("--deck", metavar="NAME", help="standard by default, or a joker deck")
    parser.add_argument(
        "--rules", default="", metavar="OPTIONS", help="other rules, as nil=50,min_bid=4"
    )
    points = "also the points of nil and of the regular bid over N simulated rounds each"
    add_number(parser, "--simulate", points)
    add_seed(parser)


def _bids(text: str) -> str:
    words = text.split(",") if text.strip() else []
    if not all(BID_TEXT.fullmatch(word) for word in words):
        raise argparse.ArgumentTypeError(f"{text!r}; numbers, nil or blind nil, as nil,3")
    return text


def _pair(text: str) -> tuple[int, int]:
    words = text.split(",") if text.strip() else []
    try:
        numbers = [parse_integer(word, -LARGEST, LARGEST) for word in words]
    except InvalidRecordError as error:
        raise argparse.ArgumentTypeError(f"{error}, two of them, as 3,1") from None
    if len(numbers) != 2:
        raise argparse.ArgumentTypeError(f"{text!r}; two numbers, ours first, as 120,95")
    return numbers[0], numbers[1]


def run_bid(options: argparse.Namespace) -> Answer:
    rules = _rules(options)
    hand = read_hand(options.hand, rules.cards)
    previous = questions.parse_previous(options.previous)
    check_hand(hand, rules.cards)
    observation = questions.observe_bids(
        hand, previous, rules=rules, score=options.score, bags=options.bags
    )
    return Answer(_bid_document(observation, previous, options), _bid_table)


def _rules(options: argparse.Namespace) -> Rules:
    """The rules of ``--rules``, with the options that have arguments of their own."""
    rules = questions.parse_rules(options.rules).non_defaults() | game_end_rules(options)
    if options.deck is not None:
        rules["deck"] = options.deck
    return Rules.from_options(rules)


def _bid_document(
    observation: Observation, previous: PreviousBids, options: argparse.Namespace
) -> Document:
    """What ``bid --json`` prints. Nil is 0; ``blind``: the bidders that bid it before looking.
    ``bis`` explains the first BIS among the bidders, or the standard one. ``simulated``: how the
    points of the round fall for nil and the regular bid (``trials_document``)."""
    seed = options.seed
    bidders = [_bidder(text) for text in options.bidder or USUAL_BIDDERS]
    bis = next((bidder for bidder in bidders if isinstance(bidder, BisBidder)), BisBidder())
    deck = observation.rules.cards
    document = {
        "hand": format_hand(observation.hand_mask, deck),
        "previous": list(previous.bids),
        "previous_blind": list(previous.blind),
        "score": list(options.score),
        "bags": list(options.bags),
        "deck": observation.rules.deck,
        "rules": observation.rules.non_defaults(),
        "seed": seed,
        "bids": {bidder.text: bidder.bid(observation, seed) for bidder in bidders},
        "blind": [bidder.text for bidder in bidders if bidder.bids_blind(observation)],
        "bis": {
            **_bis_document(explain_bis(observation, bis.options), deck),
            "no_nil_because": questions.why_no_nil(observation),
        },
    }
    if options.simulate is not None:
        bids = list(dict.fromkeys(bid_trials.bids_to_try(observation, bis.options)))
        trials = bid_trials.try_bids(observation, bids, n=options.simulate, seed=seed)
        document["simulated"] = trials_document(trials)
    return document


def _bidder(text: str) -> Bidder:
    admitted(f"random+{text}")
    return parse_bidder(text)


def _bis_document(answer: BisAnswer, deck: Deck) -> Document:
    """BIS's parts: tricks, probabilities, and points for the bidder's partnership."""
    return {
        **documents_of(answer, BIS_FIELDS),
        "regular_parts": [
            {
                "card": deck.format_card(part.card),
                "role": part.role,
                "tricks": part.tricks,
                "cuts": None if part.cut_suit is None else SUITS[part.cut_suit],
            }
            for part in answer.parts
        ],
        "nil_denied_because": questions.NIL_DENIED.get(answer.denied),
        "nil_by_suit": dict(zip(SUITS, answer.nil_by_suit, strict=True)),
        "p_nil_interval": document_of(answer.p_interval),
        "n_nils_of_curve": answer.n_curve,
        "expected": {"nil": answer.expected_nil, "regular": answer.expected_regular},
    }


def _bid_table(document: Document) -> str:
    """The document as text: the bids, then the parts of BIS's, then the trials."""
    bis = document["bis"]
    rules = Rules.from_options(document["rules"])
    lines = [f"{document['hand']}  bids before: {_previous_text(document, rules)}", ""]
    for bidder, bid in document["bids"].items():
        text = bid_name(bid, rules, is_blind=bidder in document["blind"])
        lines.append(f"{bidder:32} {text:>9}")
    lines += ["", f"BIS, {bis['reason']}:"]
    lines += [_part_line(part) for part in bis["regular_parts"]]
    previous = signed(bis["previous_term"], "+.2f")
    lines.append(
        f"  tricks {bis['regular_before_bids']:.2f}, previous bids {previous}"
        f" -> {bis['regular']}, expected {signed(bis['expected']['regular'])} points"
    )
    lines += _nil_lines(bis)
    if bis["no_nil_because"]:
        lines.append(f"  no nil: {bis['no_nil_because']}")
    if "simulated" in document:
        lines += ["", *trials_lines(document["simulated"])]
    return "\n".join(lines)


def _previous_text(document: dict[str, Any], rules: Rules) -> str:
    bids = [
        bid_name(bid, rules, is_blind=is_blind)
        for bid, is_blind in zip(document["previous"], document["previous_blind"], strict=True)
    ]
    return " ".join(bids) or "none"


def _part_line(part: Document) -> str:
    role = f"{part['role']} {part['cuts']}" if part["cuts"] else part["role"]
    return f"  {part['card']}  {role:12} {part['tricks']:.3f}"


def _nil_lines(bis: Document) -> list[str]:
    """The nil value and its chance, or what denies the nil."""
    if bis["nil_denied_because"]:
        return [f"  nil denied: {bis['nil_denied_because']}"]
    by_suit = "  ".join(f"{suit} {p:.3f}" for suit, p in bis["nil_by_suit"].items())
    interval = bis["p_nil_interval"]
    certainty = f"95%: {span(interval, '.1%')}" if interval else "one curve for all"
    return [
        f"  nil value {bis['nil_value']:.3f}: {by_suit}",
        f"  chance of nil {bis['p_nil']:.1%} ({certainty}, n = {bis['n_nils_of_curve']:,})",
        f"  nil expected {signed(bis['expected']['nil'])} points, "
        f"threshold {signed(bis['threshold'])}",
    ]


def trials_document(trials: bid_trials.BidTrials) -> Document:
    """The trials for JSON: settings, how the deals were drawn, means and distributions by bid.
    ``bins``: the points of the round, from ``low`` up to ``low`` + ``width`` - 1 each, the same
    bins for every bid without a gap between them; ``counts`` of a bid: its rounds in each."""
    histogram = bid_trials.histogram_table(trials)
    lows = histogram["low"]
    bins = list(range(int(lows.min()), int(lows.max()) + 1, bid_trials.BIN_WIDTH))
    counts = histogram.pivot(index="bid", columns="low", values="count")
    counts = counts.reindex(columns=bins).fillna(0).astype(np.int64)
    return {
        "n": trials.n,
        "seed": trials.seed,
        "bidder": trials.bidder,
        "player": bid_trials.PLAYER,
        "deals_drawn": trials.n_drawn,
        "previous_bids_within": trials.tolerance,
        "bins": {"width": bid_trials.BIN_WIDTH, "low": bins},
        "bids": [
            {
                "bid": int(row.bid),
                "name": row.name,
                "n": int(row.n),
                "mean": row.points,
                "interval": _interval(row.points_low, row.points_high),
                "sd": document_of(row.sd),
                "counts": counts.loc[row.bid].tolist(),
                "difference": row.difference,
                "difference_interval": _interval(row.difference_low, row.difference_high),
                "made": row.made_share,
                "made_interval": _interval(row.made_share_low, row.made_share_high),
            }
            for row in bid_trials.trials_table(trials).itertuples(index=False)
        ],
    }


def _interval(low: float, high: float) -> list[float] | None:
    return None if math.isnan(low) else [low, high]


def trials_lines(document: Document) -> list[str]:
    """The document as text: mean, interval and share made of each bid, shares by range below."""
    lines = [f"Points of the round, {document['n']:,} simulated rounds each:"]
    for row in document["bids"]:
        mean = with_interval(signed(row["mean"]), row["interval"], "+.1f", says="95%: ")
        made = with_interval(f"{row['made']:.1%}", row["made_interval"], ".1%", says="95%: ")
        lines.append(f"  {row['name']:>3}  {mean}, made {made}")
    names = "".join(f"{row['name']:>8}" for row in document["bids"])
    return [*lines, "", f"  share of rounds  {names}", *range_lines(document)]


def range_lines(document: Document) -> list[str]:
    """Shares of rounds by ranges of points, each bid's in a column; the ranges without any round
    are left out."""
    starts = [low // TEXT_WIDTH * TEXT_WIDTH for low in document["bins"]["low"]]
    lines = []
    for start in dict.fromkeys(starts):
        bins = [i for i, start_of_bin in enumerate(starts) if start_of_bin == start]
        shares = [sum(row["counts"][i] for i in bins) / row["n"] for row in document["bids"]]
        if any(shares):
            points = span((start, start + TEXT_WIDTH - 1), "+d")
            cells = "".join(f"{share:8.1%}" for share in shares)
            lines.append(f"  {points:15}  {cells}")
    return lines
