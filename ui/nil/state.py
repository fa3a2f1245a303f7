"""The Nil page's state: read from the address, written back every run.

Query keys, all optional; other pages link here with ``hand`` and ``previous``, as
``/Nil?hand=AKJ62.AQ.Q.K9543&previous=3,1``:

- ``view``: ``curves``, ``hand``, ``surface`` or ``ace``; ``hand`` where the link has a hand.
- ``hand``: ``S.H.D.C``, of any number of cards; ``deck``: a name of ``DECKS``.
- ``previous``: the bids before, in the order made: ``3,1``; ``0`` is nil, ``*`` any; none: first.
- ``threshold``: points that a nil has to be worth more than.
- ``compare``: more sequences, separated by ``|``: ``1,3|8,3``.
- ``tables``: fitted curves, ``srp|human``; ``logs``: names of logs, ``a|b``; ``kind``: whose nils
  of the logs, ``any``, ``human``, ``simulated-human`` or ``bot``.
- ``log``, ``at``, ``bin``: the point whose rounds are shown: log, bids before, 0 to 19.
- ``value``, ``after``, ``measure``, ``form``, ``of``: of the surface: nil value in percent, 2 or 3
  bids, ``chance`` or ``rate``, ``map`` or ``surface``, the table.
- ``partner``, ``sum``: the cell of the surface whose rounds are shown.
- ``heard``: of the ace of spades: 1 to 3 bids.
- ``scored``, ``group``, ``by``, ``methods``: of the scores on nils held out: the table, the group
  of sequences, ``bins`` or ``sequences``, and the forecasts drawn, ``curves|value``.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from analysis.bidding.sequences import Pattern, format_pattern, nearest_pattern, parse_pattern
from analysis.nil.foretold import ALL, METHODS
from analysis.nil.rounds import ANY_KIND
from spades.bidding.curves import N_VALUE_BINS
from spades.core.cards import DECKS, STANDARD, Deck
from spades.core.errors import SpadesError
from spades.core.records import KINDS
from spades.core.rules import MAX_BID
from spades.notation.hands import format_hand
from ui.shared.address import Address, write_address
from ui.shared.hand_entry import get_hand, hand_of_link, put_hand
from ui.shared.page_state import WrittenAddress

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
    "partner": 3,
    "sum": 10,
    "heard": "3",
    "scored": "srp",
    "group": ALL,
    "by": "bins",
    "methods": "curves|value",
}
_SCORES = ("scored", "group", "by", "methods")
USUAL_SUM = {2: 6, 3: 10}
"""Of the surface's cell, by how many bids were heard."""
_ELSEWHERE = ("previous", "hand", "partner", "sum")  # under other keys
_CELL = ("cell_partner", "cell_sum")
_LISTS = ("compare", "tables", "logs", "methods")
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


def read_state(log_names: Sequence[str], groups: Sequence[str]) -> None:
    """Fill the session from the address where it says something new.

    ``groups``: of sequences, whose scores are stored.
    """
    given = st.query_params.to_dict()
    names = [key(name) for name in (*DEFAULTS, "turn", *PLACES, *_CELL) if name not in _ELSEWHERE]
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
    _read_scores(address, groups)
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
    _read_cell(address)
    put("bin", address.integer("bin", 0, N_VALUE_BINS - 1, int(DEFAULTS["bin"])))
    put("value", address.integer("value", 1, 100, int(DEFAULTS["value"])))


def _read_cell(address: Address) -> None:
    put("cell_partner", address.integer("partner", 0, MAX_BID, USUAL_BID))
    sums = cell_sums()
    usual = min(max(USUAL_SUM[get("after")], sums.start), sums.stop - 1)
    put("cell_sum", address.integer("sum", sums.start, sums.stop - 1, usual))


def cell_sums() -> range:
    """Sums of the bids that can be with the partner's bid of the cell."""
    partner = get("cell_partner")
    return range(partner, partner + MAX_BID * (get("after") - 1) + 1)


def settle_cell() -> None:
    """Keep the cell one that can be; a callback."""
    sums = cell_sums()
    if get("cell_sum") not in sums:
        put("cell_sum", min(max(get("cell_sum"), sums.start), sums.stop - 1))


def put_usual_cell() -> None:
    """Another number of bids heard: sums like those before mean other hands; a callback."""
    put("cell_partner", USUAL_BID)
    put("cell_sum", USUAL_SUM[get("after")])


def compare_sequences(texts: Sequence[str]) -> None:
    """Draw the curves after these bids; a callback."""
    first, *others = texts
    put("view", "curves")
    put_previous(parse_pattern(first))
    put("compare", others[:MAX_COMPARED])
    put("at", None)


def _read_hand(address: Address) -> None:
    usual = str(DEFAULTS["hand"])
    text = address.given.get("hand", usual)
    hand, complaint = hand_of_link(text, deck(), usual)
    if complaint:
        _complain(address, "hand", text, complaint)
    put_hand(HAND, hand, deck())


def _read_sequences(address: Address) -> None:
    for place in PLACES:
        put(place, USUAL_BID)
    put_previous(_read_previous(address))
    texts = split(address.given.get("compare", str(DEFAULTS["compare"])))
    found = [_pattern(address, "compare", text) for text in texts]
    known = list(dict.fromkeys(format_pattern(pattern) for pattern in found if pattern))
    put("compare", _at_most(address, "compare", known, MAX_COMPARED))
    put("at", _read_at(address))


def _read_previous(address: Address) -> Pattern:
    text = address.given.get("previous", "")
    try:
        return parse_pattern(text)
    except SpadesError as error:
        near = nearest_pattern(text)
        _complain(address, "previous", text, f"{error}. Shown: {format_pattern(near)}.")
        return near


def _pattern(address: Address, name: str, text: str) -> Pattern | None:
    try:
        return parse_pattern(text)
    except SpadesError as error:
        _complain(address, name, text, f"{error}. Left out.")
        return None


def _read_at(address: Address) -> str | None:
    """The sequence whose rounds are shown: one of those drawn; None for the first of them."""
    text = address.given.get("at")
    drawn = [format_pattern(pattern) for pattern in patterns()]
    try:
        at = None if text is None else format_pattern(parse_pattern(text))
    except SpadesError as error:
        _complain(address, "at", str(text), f"{error}. Shown: {drawn[0] or 'first to bid'}.")
        return None
    if at is None or at in drawn:
        return at
    legal = ", ".join(name for name in drawn if name) or "none"
    told = f"these bids are not drawn; there are: {legal}. Shown: {drawn[0] or 'first to bid'}."
    _complain(address, "at", str(text), told)
    return None


def _complain(address: Address, name: str, found: str, told: str) -> None:
    address.complaints.append(f"The link says {name}={found[:40]}: {told}")


def _at_most(address: Address, name: str, found: list[str], most: int) -> list[str]:
    if len(found) > most:
        given = SEPARATOR.join(found)
        told = f"{len(found)} of them, at most {most} are shown. Left out: "
        _complain(address, name, given, told + ", ".join(found[most:]) + ".")
    return found[:most]


def _read_sources(address: Address, log_names: Sequence[str]) -> None:
    usual = split(str(DEFAULTS["tables"]))
    wanted = split(address.given["tables"]) if "tables" in address.given else usual
    put("tables", _listed(address, "tables", wanted, TABLES, usual))
    logs = _listed(address, "logs", split(address.given.get("logs", "")), log_names)
    put("logs", _at_most(address, "logs", logs, MAX_LOGS))
    log, first = address.given.get("log", ""), _first_log(log_names)
    usual = [first] if first else []
    found = _listed(address, "log", [log] if log else [], log_names, usual)
    put("log", found[0] if found else first)


def _read_scores(address: Address, groups: Sequence[str]) -> None:
    put("scored", address.choice("scored", TABLES, str(DEFAULTS["scored"])))
    put("group", address.choice("group", groups, ALL))
    put("by", address.choice("by", ("bins", "sequences"), str(DEFAULTS["by"])))
    usual = split(str(DEFAULTS["methods"]))
    wanted = split(address.given["methods"]) if "methods" in address.given else usual
    put("methods", _listed(address, "methods", wanted, tuple(METHODS), usual))
    put("scores_open", any(name in address.given for name in _SCORES))


def _first_log(log_names: Sequence[str]) -> str | None:
    return log_names[0] if log_names else None


def split(text: str) -> list[str]:
    return text.split(SEPARATOR) if text else []


def _listed(
    address: Address,
    name: str,
    wanted: Sequence[str],
    known: Sequence[str],
    usual: Sequence[str] = (),
) -> list[str]:
    """Those of the wanted names that are known, the usual where none of them is; the others are
    complained of."""
    there = ", ".join(known) or "nothing"
    found = [value for value in dict.fromkeys(wanted) if value in known]
    shown = found or list(usual if wanted else ())
    for value in dict.fromkeys(wanted):
        if value not in known:
            told = f"Shown: {', '.join(shown)}" if usual and shown else "Left out"
            address.complaints.append(
                f"The link says {name}={value[:40]}; there is: {there}. {told}."
            )
    return shown


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
            complaints.append(f"{text[:40]}: {error}")
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
    values |= {"partner": get("cell_partner"), "sum": get("cell_sum")}
    sums = cell_sums()
    defaults["sum"] = min(max(USUAL_SUM[get("after")], sums.start), sums.stop - 1)
    values["previous"] = format_pattern(get_previous())
    hand = get_hand(HAND, deck())
    values["hand"] = format_hand(hand, deck()) if hand else "..."
    if values["hand"] != defaults["hand"]:
        defaults["view"] = "hand"
    if get("view") == "ace":
        values["logs"] = SEPARATOR.join(shown_logs(log_names))
    has_cell = any(values[name] != defaults[name] for name in ("partner", "sum"))
    is_shown = get("view") == "curves" or (get("view") == "surface" and has_cell)
    is_shown |= get("log") != _first_log(log_names)
    values["log"] = get("log") or "" if is_shown else ""
    values["at"] = "" if get("at") in (None, values["previous"]) else get("at")
    write_address(values, defaults)
    if _address.keep() and not get("is_fresh"):
        put("complaints", [])  # the reader has moved on
