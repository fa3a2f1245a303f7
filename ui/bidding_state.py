"""The Bidding page's state: read from the address, written back every run.

Every query key begins with ``bid_``; other pages link here with :mod:`ui.bidding_link`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from analysis.bid_decisions import BIDDERS_COMPARED, format_rules, parse_rules
from spades.bidding import observe_auction
from spades.cards import DECKS, HAND_SIZE, STANDARD
from spades.errors import SpadesError
from spades.notation.hands import format_hand
from spades.observation import Observation, Pair
from spades.rules import MAX_BID, Rules
from ui.address import Address, write_address
from ui.bidding_link import PREFIX
from ui.hand_entry import get_hand, put_hand, read_hand
from ui.page_state import WrittenAddress

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
    """What a seat that is to bid sees: the key of the page's caches. Scores are (ours, theirs)."""

    hand: int
    previous: tuple[int, ...]
    score: Pair
    bags: Pair
    rules: Rules

    def observation(self) -> Observation:
        """Raises :class:`~spades.errors.SpadesError` where that can't have been bid."""
        return observe_auction(
            self.hand, self.previous, rules=self.rules, score=self.score, bags=self.bags
        )


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
    rules = _taken(address, "rules", parse_rules)
    put("deck", rules.deck)
    put("target", rules.target)
    others = {k: v for k, v in rules.non_defaults().items() if k not in ("deck", "target")}
    put("options", format_rules(Rules.from_options(others)))
    usual = DEFAULT_HAND if rules.cards is STANDARD else ""
    text = address.given.get("hand", usual)
    try:
        hand = read_hand(text, rules.cards) if text else 0
    except SpadesError as error:
        address.complaints.append(f"The link says bid_hand={text[:40]}: {error}. Shown: {usual}.")
        hand = read_hand(usual, rules.cards) if usual else 0
    put_hand(ENTRY, hand, rules.cards)
    previous = _taken(address, "previous", lambda value: _numbers(value, 0, MAX_BID, most=3))
    put("position", len(previous))
    for role, bid in zip(ROLES[::-1], (*previous[::-1], 3, 3, 3), strict=False):
        put(role, bid)
    score = _taken(address, "score", lambda value: _two(value, -MAX_SCORE, MAX_SCORE))
    bags = _taken(address, "bags", lambda value: _two(value, 0, MAX_BAGS))
    for name, value in zip(("us", "them", "our_bags", "their_bags"), (*score, *bags), strict=True):
        put(name, value)


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
    except (SpadesError, ValueError) as error:
        usual = DEFAULTS[name]
        address.complaints.append(
            f"The link says {key(name)}={text[:40]}: {error}. Shown: {usual or 'the usual'}."
        )
        return take(str(usual))


def _numbers(text: str, low: int, high: int, *, most: int) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    try:
        numbers = tuple(int(part) for part in parts)
    except ValueError:
        numbers = (high + 1,)
    if len(numbers) > most or not all(low <= number <= high for number in numbers):
        raise ValueError(f"legal are at most {most} numbers from {low:,} to {high:,}, as 3,4")
    return numbers


def _two(text: str, low: int, high: int) -> tuple[int, int]:
    numbers = _numbers(text, low, high, most=2)
    if len(numbers) != 2:
        raise ValueError("legal are two numbers: ours, theirs")
    return numbers[0], numbers[1]


def previous_bids() -> tuple[int, ...]:
    """The bids made before, in order, as the controls say."""
    n = get("position")
    return tuple(get(role) for role in ROLES[len(ROLES) - n :])


def deck():
    return DECKS[get("deck")]


def rules() -> Rules:
    """The rules as the controls say; :class:`~spades.errors.InvalidRulesError` if they can't be."""
    others = parse_rules(get("options")).non_defaults()
    return Rules.from_options({**others, "deck": get("deck"), "target": get("target")})


def question() -> Question:
    return Question(
        hand=get_hand(ENTRY, deck()),
        previous=previous_bids(),
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
        "previous": ",".join(map(str, asked.previous)),
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
