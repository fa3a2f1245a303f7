"""The command ``bid``: every bidder's bid on a hand, the parts of BIS's, and trials of a bid."""

import argparse
import math
import re
from typing import Any

import numpy as np

from analysis.bidding import outcomes, questions
from analysis.bidding.questions import PreviousBids, bid_name
from analysis.text_tables import span
from spades.agents import BIDDERS, parse_bidder
from spades.agents.spec import BisBidder
from spades.bidding import BisAnswer, explain_bis
from spades.cli.main import Answer, add_game_end, add_seed
from spades.core.cards import SUITS, Deck, check_hand
from spades.core.documents import parse_integer
from spades.core.errors import InvalidRecordError
from spades.core.observation import Observation
from spades.core.rules import LARGEST, Rules
from spades.notation.hands import format_hand, read_hand

TEXT_WIDTH = 50  # points of a range in the text, a multiple of the bins'
SHOWN = tuple(name for name in BIDDERS if name not in ("random", "noisy"))


def add_bid(parser: argparse.ArgumentParser) -> None:
    """What each bidder bids on a hand after the bids before it, and what BIS makes of it: the value
    of every card, the nil value by suit, the success curve, the threshold, the expected points."""
    parser.add_argument("--hand", required=True, metavar="S.H.D.C", help="AKJ62.AQ.Q.K9543")
    meaning = "bids before, in the order made: nil (or 0), blind nil, 1 to 13"
    parser.add_argument("--previous", type=_bids, default="", metavar="3,1", help=meaning)
    meaning = "bis:threshold=20 rb ...; all by default"
    parser.add_argument("--bidder", nargs="+", metavar="NAME", help=meaning)
    pair: dict[str, Any] = {"type": _pair, "default": (0, 0), "metavar": "US,THEM"}
    parser.add_argument("--score", **pair, help="--score=-20,95")
    parser.add_argument("--bags", **pair)
    add_game_end(parser)
    parser.add_argument("--deck", metavar="NAME", help="standard by default, or a joker deck")
    meaning = "others of the rules: nil=50,min_bid=4"
    parser.add_argument("--rules", default="", metavar="OPTIONS", help=meaning)
    meaning = "points of the round for nil and the regular bid, over N simulated rounds each"
    parser.add_argument("--simulate", type=int, metavar="N", help=meaning)
    add_seed(parser)


def _bids(text: str) -> str:
    words = text.split(",") if text.strip() else []
    if not all(re.fullmatch(r"\s*(-?\d+|(blind[ -]?)?nil|blind)\s*", word, re.I) for word in words):
        raise argparse.ArgumentTypeError(f"{text!r}; numbers, nil or blind nil, as nil,3")
    return text


def _pair(text: str) -> tuple[int, int]:
    try:
        texts = text.split(",") if text.strip() else ()
        numbers = tuple(parse_integer(number, -LARGEST, LARGEST) for number in texts)
    except InvalidRecordError as error:
        raise argparse.ArgumentTypeError(f"{error}, two of them, as 3,1") from None
    if len(numbers) != 2:
        raise argparse.ArgumentTypeError(f"{text!r}; two numbers, ours first, as 120,95")
    return numbers[0], numbers[1]


def run_bid(options: argparse.Namespace) -> Answer:
    own = {"target": options.target, "losing_floor": options.floor, "deck": options.deck}
    given = {name: value for name, value in own.items() if value is not None}
    rules = Rules.from_options(questions.parse_rules(options.rules).non_defaults() | given)
    hand = read_hand(options.hand, rules.cards)
    previous = questions.parse_previous(options.previous)
    check_hand(hand, rules.cards)
    game = {"score": options.score, "bags": options.bags}
    seen = questions.observe_bids(hand, previous, rules=rules, **game)
    return Answer(_bid_document(seen, previous, options), _bid_table)


def _bid_document(
    seen: Observation, previous: PreviousBids, options: argparse.Namespace
) -> dict[str, Any]:
    """What ``bid --json`` prints (spec 6). ``bis`` explains the first BIS among the bidders, or
    the standard one. Nil is 0; ``blind`` lists who bids it before looking. ``simulated``: how the
    points of the round fall for nil and the regular bid (``trials_document``)."""
    seed = options.seed
    chosen = [parse_bidder(text) for text in options.bidder or SHOWN]
    bis = next((bidder for _, bidder in chosen if isinstance(bidder, BisBidder)), BisBidder())
    document = {
        "hand": format_hand(seen.hand, seen.rules.cards),
        "previous": list(previous.bids),
        "previous_blind": list(previous.blind),
        "score": list(options.score),
        "bags": list(options.bags),
        "deck": seen.rules.deck,
        "rules": seen.rules.non_defaults(),
        "seed": seed,
        "bids": {text: bidder.bid(seen, seed) for text, bidder in chosen},
        "blind": [text for text, bidder in chosen if bidder.bids_blind(seen)],
        "bis": {
            **_bis_document(explain_bis(seen, bis.options), seen.rules.cards),
            "no_nil_because": questions.why_no_nil(seen),
        },
    }
    if options.simulate is not None:
        bids = list(dict.fromkeys(outcomes.bids_to_try(seen, bis.options)))
        trials = outcomes.try_bids(seen, bids, n=options.simulate, seed=seed)
        document["simulated"] = trials_document(trials)
    return document


def _bis_document(answer: BisAnswer, deck: Deck) -> dict[str, Any]:
    """BIS's parts: tricks, probabilities, and points for the bidder's partnership."""
    names = (
        *("bid", "is_blind", "reason", "regular_before_bids", "previous_term", "regular"),
        *("nil_value", "may_nil", "p_nil", "threshold"),
    )
    return {
        **{name: getattr(answer, name) for name in names},
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
        "p_nil_interval": answer.p_interval and list(answer.p_interval),
        "n_nils_of_curve": answer.n_curve,
        "expected": {"nil": answer.expected_nil, "regular": answer.expected_regular},
    }


def _bid_table(document: dict[str, Any]) -> str:
    bis, rules = document["bis"], Rules.from_options(document["rules"])
    before = zip(document["previous"], document["previous_blind"], strict=True)
    previous = " ".join(bid_name(bid, rules, is_blind=blind) for bid, blind in before) or "none"
    lines = [f"{document['hand']}  bids before: {previous}", ""]
    for name, bid in document["bids"].items():
        text = bid_name(bid, rules, is_blind=name in document["blind"])
        lines.append(f"{name:32} {text:>9}")
    lines += ["", f"BIS, {bis['reason']}:", *map(_part_line, bis["regular_parts"])]
    lines += [
        f"  tricks {bis['regular_before_bids']:.2f}, previous bids {bis['previous_term']:+.2f}"
        f" -> {bis['regular']}, expected {bis['expected']['regular']:+.1f} points",
        *_nil_lines(bis),
    ]
    if bis["no_nil_because"]:
        lines.append(f"  no nil: {bis['no_nil_because']}")
    if "simulated" in document:
        lines += ["", *trials_lines(document["simulated"])]
    return "\n".join(lines)


def _nil_lines(bis: dict[str, Any]) -> list[str]:
    """The nil value and its chance, or what denies the nil."""
    if denied := bis["nil_denied_because"]:
        return [f"  nil denied: {denied}"]
    by_suit = "  ".join(f"{suit} {p:.3f}" for suit, p in bis["nil_by_suit"].items())
    interval = bis["p_nil_interval"]
    within = f"95%: {span(interval, '.1%')}" if interval else "one curve for all"
    return [
        f"  nil value {bis['nil_value']:.3f}: {by_suit}",
        f"  chance of nil {bis['p_nil']:.1%} ({within}, n = {bis['n_nils_of_curve']:,})",
        f"  nil expected {bis['expected']['nil']:+.1f} points, threshold {bis['threshold']:+.1f}",
    ]


def _part_line(part: dict[str, Any]) -> str:
    cuts = f" {part['cuts']}" if part["cuts"] else ""
    return f"  {part['card']}  {part['role'] + cuts:12} {part['tricks']:.3f}"


def trials_document(trials: outcomes.BidTrials) -> dict[str, Any]:
    """The trials for JSON: settings, how the deals were drawn, means and distributions by bid.
    ``bins``: the points of the round, from ``low`` up to ``low`` + ``width`` - 1 each, the same
    bins for every bid without a gap between them; ``counts`` of a bid: its rounds in each."""
    rows, spread = outcomes.outcome_table(trials), outcomes.histogram_table(trials)
    lows = range(int(spread["low"].min()), int(spread["low"].max()) + 1, outcomes.BIN_WIDTH)
    counts = spread.pivot_table(index="bid", columns="low", values="count", fill_value=0)
    counts = counts.reindex(columns=list(lows), fill_value=0).astype(np.int64)
    return {
        "n": trials.n,
        "seed": trials.seed,
        "bidder": trials.bidder,
        "player": outcomes.PLAYER,
        "deals_drawn": trials.n_drawn,
        "previous_bids_within": trials.tolerance,
        "bins": {"width": outcomes.BIN_WIDTH, "low": list(lows)},
        "bids": [
            {
                "bid": int(row.bid),
                "name": row.name,
                "n": int(row.n),
                "mean": row.points,
                "interval": _listed(row.points_low, row.points_high),
                "sd": None if math.isnan(row.sd) else row.sd,
                "counts": counts.loc[row.bid].tolist(),
                "difference": row.difference,
                "difference_interval": _listed(row.difference_low, row.difference_high),
                "made": row.made_share,
                "made_interval": _listed(row.made_share_low, row.made_share_high),
            }
            for row in rows.itertuples(index=False)
        ],
    }


def _listed(low: float, high: float) -> list[float] | None:
    return None if math.isnan(low) else [low, high]


def trials_lines(document: dict[str, Any]) -> list[str]:
    """The document as text: mean, interval and share made of each bid, shares by range below."""
    lines = [f"Points of the round, {document['n']:,} simulated rounds each:"]
    for row in document["bids"]:
        mean = f"{row['mean']:+.1f}{_within(row['interval'], '+.1f')}"
        made = f"{row['made']:.1%}{_within(row['made_interval'], '.1%')}"
        lines.append(f"  {row['name']:>3}  {mean}, made {made}")
    names = "".join(f"{row['name']:>8}" for row in document["bids"])
    return [*lines, "", "  share of rounds  " + names, *range_lines(document)]


def _within(interval: list[float] | None, form: str) -> str:
    return f" (95%: {span(interval, form)})" if interval else ""


def range_lines(document: dict[str, Any]) -> list[str]:
    """Shares of rounds by ranges of points, each bid's in a column; the ranges without any round
    are left out."""
    ranges = [low // TEXT_WIDTH * TEXT_WIDTH for low in document["bins"]["low"]]
    lines = []
    for start in dict.fromkeys(ranges):
        here = [i for i, other in enumerate(ranges) if other == start]
        found = [sum(row["counts"][i] for i in here) for row in document["bids"]]
        if any(found):
            shares = [k / row["n"] for k, row in zip(found, document["bids"], strict=True)]
            name = f"{start:+d} to {start + TEXT_WIDTH - 1:+d}"
            lines.append(f"  {name:15}  " + "".join(f"{share:8.1%}" for share in shares))
    return lines
