"""The Bidding page's state: read from the address, written back every run.

Every query key begins with ``bid_``; other pages link here with ``ui.bidding.link``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from analysis.bidding.checks import (
    PreviousBids,
    check_bags,
    check_score,
    check_target,
    format_previous,
    nearest_bags,
    nearest_score,
    observe_bids,
    parse_previous,
)
from analysis.bidding.decisions import BIDDERS_COMPARED, format_rules, parse_rules
from spades.bidding import BLIND_NIL
from spades.core.cards import DECKS, HAND_SIZE, STANDARD
from spades.core.errors import SpadesError
from spades.core.observation import Observation, Pair
from spades.core.rules import MAX_BID, NIL_BID, Rules
from spades.notation.hands import format_hand
from ui.shared.address import Address, write_address
from ui.shared.hand_entry import get_hand, hand_of_link, put_hand
from ui.shared.links import BIDDING_PREFIX as PREFIX
from ui.shared.page_state import WrittenAddress

ENTRY = "bidding_hand"
ROLES = ("left", "partner", "right")
"""Seats that may have bid before, in the order of bidding: left-hand opponent, partner, right."""
MAX_SCORE, MAX_BAGS, MAX_SEED = 10_000, 99, 2**31 - 1
ROUNDS = (500, 2_000, 5_000, 20_000)
LAB_ROUNDS = (500, 2_000, 5_000)
LABS = ("kept", "duel")
SHAPES = ("histogram", "ecdf")
DEFAULT_HAND, DEFAULT_PREVIOUS = "Q4.J742.T83.K652", "3,4"

DEFAULTS: dict[str, str | int] = {
    "hand": DEFAULT_HAND,
    "previous": DEFAULT_PREVIOUS,
    "score": "0,0",
    "bags": "0,0",
    "rules": "",
    "more": "",
    "rounds": 2_000,
    "others": "bis",
    "also": "",
    "shape": "histogram",
    "seed": 0,
    "lab": "",
    "lab_rounds": 2_000,
    "log": "",
    "first": "bis",
}
WIDGETS = (
    *("position", *ROLES, "us", "them", "our_bags", "their_bags", "deck", "target", "options"),
    *("more", "rounds", "others", "also", "shape", "seed", "lab", "lab_rounds", "log", "first"),
)
"""Session values that controls hold."""
_address = WrittenAddress("bidding")


@dataclass(frozen=True)
class Question:
    """What a seat that is to bid sees: the key of the page's caches. Scores are (ours, theirs);
    ``previous`` has 0 for nil, ``blind`` whether each was bid unseen."""

    hand: int
    previous: tuple[int, ...]
    blind: tuple[bool, ...]
    score: Pair
    bags: Pair
    rules: Rules

    def observation(self) -> Observation:
        """Raises ``SpadesError`` where that can't have been bid."""
        previous = PreviousBids(self.previous, self.blind)
        return observe_bids(self.hand, previous, rules=self.rules, score=self.score, bags=self.bags)


def key(name: str) -> str:
    """Session key, and query key, of one of this page's values."""
    return PREFIX + name


def get(name: str):
    return st.session_state[key(name)]


def put(name: str, value: object) -> None:
    st.session_state[key(name)] = value


def read_state(log_names: Sequence[str]) -> list[str]:
    """Fill the session from the address where it says something new; what was wrong with it."""
    given = {name: value for name, value in st.query_params.items() if name.startswith(PREFIX)}
    is_on_page = all(key(name) in st.session_state for name in WIDGETS)
    put("is_fresh", not is_on_page or _address.is_link(given))
    if not get("is_fresh"):
        for name in WIDGETS:  # kept while its control is not on the page
            put(name, get(name))
        return get("complaints")
    given = given or _address.last or {}  # back through the sidebar
    _address.follow(given)
    address = Address({name.removeprefix(PREFIX): value for name, value in given.items()})
    _read_question(address)
    _read_choices(address, log_names)
    put("complaints", address.complaints)
    return address.complaints


def _read_question(address: Address) -> None:
    rules = _taken(address, "rules", _rules)
    put("deck", rules.deck)
    put("target", rules.target)
    others = {k: v for k, v in rules.non_defaults().items() if k not in ("deck", "target")}
    put("options", format_rules(Rules.from_options(others)))
    usual = DEFAULT_HAND if rules.cards is STANDARD else ""
    text = address.given.get("hand", usual)
    hand, complaint = hand_of_link(text, rules.cards, usual) if text else (0, "")
    if complaint:
        address.complaints.append(f"The link says bid_hand={text[:40]}: {complaint}")
    put_hand(ENTRY, hand, rules.cards)
    previous = _taken(address, "previous", _previous)
    put("position", len(previous))
    for role, bid in zip(ROLES[::-1], (*previous[::-1], 3, 3, 3), strict=False):
        put(role, bid)
    score = _taken(address, "score", lambda value: _two(value, -MAX_SCORE, MAX_SCORE))
    score = _possible(address, "score", score, rules, check_score, nearest_score)
    bags = _taken(address, "bags", lambda value: _two(value, 0, MAX_BAGS))
    bags = _possible(address, "bags", bags, rules, check_bags, nearest_bags)
    for name, value in zip(("us", "them", "our_bags", "their_bags"), (*score, *bags), strict=True):
        put(name, value)


def _rules(text: str) -> Rules:
    rules = parse_rules(text)
    check_target(rules)
    if rules.target > MAX_SCORE:
        raise ValueError(f"target {rules.target:,}; 1 to {MAX_SCORE:,} are legal here")
    return rules


def _previous(text: str) -> tuple[int, ...]:
    """Bids as the select boxes have them: ``BLIND_NIL`` for a nil bid unseen."""
    bids, blind = parse_previous(text)
    if len(bids) > len(ROLES):
        raise ValueError(f"{len(bids)} bids; 0 to {len(ROLES)} come before one")
    return tuple(BLIND_NIL if is_blind else bid for bid, is_blind in zip(bids, blind, strict=True))


def _possible(address: Address, name: str, pair: Pair, rules: Rules, check, nearest) -> Pair:
    """The pair, or the nearest at which these rules have a round bid."""
    try:
        check(rules, pair)
    except SpadesError as error:
        near = nearest(rules, pair)
        shown = ",".join(map(str, near))
        address.complaints.append(
            f"The link says {key(name)}={pair[0]},{pair[1]}: {error}. Shown: {shown}."
        )
        return near
    return pair


def _read_choices(address: Address, log_names: Sequence[str]) -> None:
    put("more", address.given.get("more", ""))
    put("others", address.choice("others", BIDDERS_COMPARED, "bis"))
    put("first", address.choice("first", BIDDERS_COMPARED, "bis"))
    also = address.choice("also", ("", *map(str, range(MAX_BID + 1))), "")
    put("also", int(also) if also else "")
    put("shape", address.choice("shape", SHAPES, "histogram"))
    put("rounds", int(address.choice("rounds", tuple(map(str, ROUNDS)), "2000")))
    put("lab_rounds", int(address.choice("lab_rounds", tuple(map(str, LAB_ROUNDS)), "2000")))
    put("seed", address.integer("seed", 0, MAX_SEED, 0))
    put("lab", address.choice("lab", ("", *LABS), "") or None)
    put("log", address.choice("log", ("", *log_names), ""))


def _taken(address: Address, name: str, take):
    """What a query value says, the usual where it can't be taken."""
    text = address.given.get(name, str(DEFAULTS[name]))
    try:
        return take(text)
    except ValueError as error:  # SpadesError is one
        usual = DEFAULTS[name]
        address.complaints.append(
            f"The link says {key(name)}={text[:40]}: {error}. Shown: {usual or 'the usual'}."
        )
        return take(str(usual))


def _two(text: str, low: int, high: int) -> Pair:
    try:
        ours, theirs = (int(part) for part in text.split(","))
    except ValueError:
        ours = theirs = high + 1
    if not (low <= ours <= high and low <= theirs <= high):
        raise ValueError(f"legal are two numbers from {low:,} to {high:,}, ours,theirs")
    return ours, theirs


def previous_bids() -> PreviousBids:
    """The bids made before, in order, as the controls say."""
    chosen = [get(role) for role in ROLES[len(ROLES) - get("position") :]]
    blind = tuple(bid == BLIND_NIL for bid in chosen)
    return PreviousBids(tuple(NIL_BID if bid == BLIND_NIL else bid for bid in chosen), blind)


def deck():
    return DECKS[get("deck")]


def rules() -> Rules:
    """The rules as the controls say; ``InvalidRulesError`` if they can't be."""
    others = parse_rules(get("options")).non_defaults()
    return Rules.from_options({**others, "deck": get("deck"), "target": get("target")})


def question() -> Question:
    previous = previous_bids()
    return Question(
        hand=get_hand(ENTRY, deck()),
        previous=previous.bids,
        blind=previous.blind,
        score=(get("us"), get("them")),
        bags=(get("our_bags"), get("their_bags")),
        rules=rules(),
    )


def is_complete(asked: Question) -> bool:
    return asked.hand.bit_count() == HAND_SIZE


def write_state(asked: Question) -> None:
    """Bring the address up to date with the controls."""
    values = {name: get(name) for name in DEFAULTS if name in WIDGETS}
    values |= {
        "hand": format_hand(asked.hand, asked.rules.cards),
        "previous": format_previous(asked.previous, asked.blind),
        "score": "{},{}".format(*asked.score),
        "bags": "{},{}".format(*asked.bags),
        "rules": format_rules(asked.rules),
        "also": str(values["also"]),
        "lab": values["lab"] or "",
    }
    write_address(
        {key(name): value for name, value in values.items()},
        {key(name): value for name, value in DEFAULTS.items()},
    )
    if _address.keep() and not get("is_fresh"):
        put("complaints", [])  # the reader has moved on
