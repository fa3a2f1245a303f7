"""The Nil page's state: read from the address, written back every run.

Query keys, all optional; other pages link here with ``hand`` and ``previous``, as
``/Nil?hand=AKJ62.AQ.Q.K9543&previous=3,1``:

- ``view``: ``curves``, ``hand``, ``surface`` or ``ace``; ``hand`` where the link has a hand.
- ``hand``: ``S.H.D.C``, of any number of cards; ``deck``: a name of :data:`~spades.cards.DECKS`.
- ``previous``: the bids before, in the order made: ``3,1``; ``0`` is nil, ``*`` any; none: first.
- ``threshold``: points that a nil has to be worth more than.
- ``compare``: more sequences, separated by ``|``: ``1,3|8,3``.
- ``tables``: fitted curves, ``srp|human``; ``logs``: names of logs, ``a|b``; ``kind``: whose nils
  of the logs, ``any``, ``human``, ``simulated-human`` or ``bot``.
- ``log``, ``at``, ``bin``: the point whose rounds are shown: log, bids before, 0 to 19.
- ``value``, ``after``, ``measure``, ``form``, ``of``: of the surface: nil value in percent, 2 or 3
  bids, ``chance`` or ``rate``, ``map`` or ``surface``, the table.
- ``heard``: of the ace of spades: 1 to 3 bids.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from analysis.nil_rounds import ANY_KIND
from analysis.nil_sequences import Pattern, format_pattern, parse_pattern
from spades.bidding.curves import N_VALUE_BINS
from spades.cards import DECKS, STANDARD, Deck
from spades.errors import SpadesError
from spades.notation.hands import format_hand
from spades.records import KINDS
from ui.address import Address, write_address
from ui.hand_entry import get_hand, put_hand, read_hand
from ui.page_state import WrittenAddress

VIEWS = {
    "curves": "Success curves",
    "hand": "A hand",
    "surface": "Partner and sum",
    "ace": "Ace of spades",
}
TABLES = ("srp", "human")
KIND_CHOICES = (ANY_KIND, *KINDS)
PLACES = ("right", "partner", "left")
"""Whose bid it is, from the last to the first; the select boxes' keys."""
SEPARATOR = "|"
MAX_COMPARED = 4
MAX_LOGS = 3
HAND = "nil_hand"
USUAL_BID = 3
DEFAULTS: dict[str, str | int | float] = {
    "view": "curves",
    "previous": "",
    "compare": "1,3|3,3|8,3",  # Cohensius 2020, figure 3
    "tables": "srp",
    "logs": "",
    "kind": ANY_KIND,
    "hand": "J52.9643.Q.K9543",  # with the two suits that section 4.2 works out
    "deck": STANDARD.name,
    "threshold": 25,
    "log": "",
    "at": "",
    "bin": 8,
    "value": 50,
    "after": "3",
    "measure": "chance",
    "form": "map",
    "of": "srp",
    "heard": "3",
}
_ELSEWHERE = ("previous", "hand")  # held by select boxes and by the entry of the hand
_LISTS = ("compare", "tables", "logs")
_address = WrittenAddress("nil")


def key(name: str) -> str:
    """Session key of one of this page's values."""
    return f"nil_{name}"


def get(name: str):
    return st.session_state[key(name)]


def put(name: str, value: object) -> None:
    st.session_state[key(name)] = value


def deck() -> Deck:
    return DECKS[get("deck")]


def get_previous() -> Pattern:
    """The bids before, as the select boxes have them."""
    places = PLACES[: get("turn")][::-1]
    return tuple(get(place) for place in places)


def put_previous(pattern: Pattern) -> None:
    put("turn", len(pattern))
    for place, bid in zip(PLACES, reversed(pattern), strict=False):
        put(place, bid)


def patterns() -> list[Pattern]:
    """The sequences to draw: that of the bids chosen, then those compared with it."""
    found = [get_previous(), *map(parse_pattern, get("compare"))]
    return list(dict.fromkeys(found))


def read_state(log_names: Sequence[str]) -> None:
    """Fill the session from the address where it says something new."""
    given = st.query_params.to_dict()
    names = [key(name) for name in (*DEFAULTS, "turn", *PLACES) if name not in _ELSEWHERE]
    is_on_page = all(name in st.session_state for name in names)
    put("is_fresh", not is_on_page or _address.is_link(given))
    if not get("is_fresh"):
        for name in names:  # kept while its control is not on the page
            st.session_state[name] = st.session_state[name]
        put("logs", [name for name in get("logs") if name in log_names])
        if get("log") not in log_names:
            put("log", _first_log(log_names))
        return
    given = given or _address.last or {}  # back through the sidebar
    _address.follow(given)
    address = Address(given)
    _read_choices(address)
    _read_hand(address)
    _read_sequences(address)
    _read_sources(address, log_names)
    put("complaints", address.complaints)


def _read_choices(address: Address) -> None:
    default = "hand" if "hand" in address.given else str(DEFAULTS["view"])
    put("view", address.choice("view", tuple(VIEWS), default))
    for name, options in (
        ("kind", KIND_CHOICES),
        ("deck", tuple(DECKS)),
        ("measure", ("chance", "rate")),
        ("form", ("map", "surface")),
        ("of", TABLES),
    ):
        put(name, address.choice(name, options, str(DEFAULTS[name])))
    put("after", int(address.choice("after", ("2", "3"), "3")))
    put("heard", int(address.choice("heard", ("1", "2", "3"), "3")))
    put("threshold", address.integer("threshold", -100, 100, int(DEFAULTS["threshold"])))
    put("bin", address.integer("bin", 0, N_VALUE_BINS - 1, int(DEFAULTS["bin"])))
    put("value", address.integer("value", 1, 100, int(DEFAULTS["value"])))


def _read_hand(address: Address) -> None:
    text = address.given.get("hand", str(DEFAULTS["hand"]))
    try:
        hand = read_hand(text, deck())
    except SpadesError as error:
        address.complaints.append(f"The link says hand={text[:40]}: {error}. Shown: no card.")
        hand = 0
    put_hand(HAND, hand, deck())


def _read_sequences(address: Address) -> None:
    for place in PLACES:
        put(place, USUAL_BID)
    put_previous(_pattern(address, "previous", address.given.get("previous", "")) or ())
    texts = split(address.given.get("compare", str(DEFAULTS["compare"])))
    found = [_pattern(address, "compare", text) for text in texts]
    known = [format_pattern(pattern) for pattern in found if pattern]
    put("compare", list(dict.fromkeys(known))[:MAX_COMPARED])
    at = _pattern(address, "at", address.given.get("at", ""))
    put("at", format_pattern(at) if at is not None and "at" in address.given else None)


def _pattern(address: Address, name: str, text: str) -> Pattern | None:
    try:
        return parse_pattern(text)
    except SpadesError as error:
        address.complaints.append(f"The link says {name}={text[:40]}: {error}. Left out.")
        return None


def _read_sources(address: Address, log_names: Sequence[str]) -> None:
    tables = address.given.get("tables", str(DEFAULTS["tables"]))
    put("tables", _listed(address, "tables", split(tables), TABLES))
    logs = _listed(address, "logs", split(address.given.get("logs", "")), log_names)
    put("logs", logs[:MAX_LOGS])
    log = address.given.get("log", "")
    found = _listed(address, "log", [log] if log else [], log_names)
    put("log", found[0] if found else _first_log(log_names))


def _first_log(log_names: Sequence[str]) -> str | None:
    return log_names[0] if log_names else None


def split(text: str) -> list[str]:
    return text.split(SEPARATOR) if text else []


def _listed(address: Address, name: str, wanted: Sequence[str], known: Sequence[str]) -> list[str]:
    """Those of the wanted names that are known; the others are complained of."""
    there = ", ".join(known) or "nothing"
    for value in wanted:
        if value not in known:
            address.complaints.append(
                f"The link says {name}={value[:40]}; there is: {there}. Left out."
            )
    return [value for value in wanted if value in known]


def add_compared() -> None:
    """Keep the sequence of the bids chosen while others are looked at; a callback."""
    text = format_pattern(get_previous())
    if text and text not in get("compare"):
        put("compare", [*get("compare"), text][-MAX_COMPARED:])


def settle_compared() -> None:
    """Sequences that were typed, as they are written here; a callback."""
    found, complaints = [], []
    for text in get("compare"):
        try:
            found.append(format_pattern(parse_pattern(text)))
        except SpadesError as error:
            complaints.append(str(error))
    put("compare", list(dict.fromkeys(text for text in found if text)))
    put("typed", complaints)


def shown_logs(log_names: Sequence[str]) -> list[str]:
    """The logs whose aces are counted: those chosen, the first few where none is."""
    return get("logs") or list(log_names[:MAX_LOGS])


def write_state(log_names: Sequence[str]) -> None:
    """Bring the address up to date with what differs from the defaults, and only that.

    Logs that a view shows are always written: which come first depends on the store.
    """
    defaults = dict(DEFAULTS)
    values: dict[str, str | int | float | bool] = {}
    for name in DEFAULTS:
        if name not in _ELSEWHERE:
            value = get(name)
            values[name] = SEPARATOR.join(value) if name in _LISTS else value
    values |= {"after": str(get("after")), "heard": str(get("heard"))}
    values["previous"] = format_pattern(get_previous())
    hand = get_hand(HAND, deck())
    values["hand"] = format_hand(hand, deck()) if hand else "..."
    if values["hand"] != defaults["hand"]:
        defaults["view"] = "hand"
    if get("view") == "ace":
        values["logs"] = SEPARATOR.join(shown_logs(log_names))
    is_shown = get("view") == "curves" or get("log") != _first_log(log_names)
    values["log"] = get("log") or "" if is_shown else ""
    values["at"] = "" if get("at") in (None, values["previous"]) else get("at")
    write_address(values, defaults)
    if _address.keep() and not get("is_fresh"):
        put("complaints", [])  # the reader has moved on
