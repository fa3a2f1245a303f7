"""The Playstyle page's state: read from the address, written back every run.

Every query key begins with ``style_``. The session's widgets hold the state while the page is
shown; coming back through the sidebar restores what the address last said.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, unquote

import streamlit as st

from analysis.style.counts import ALL_TRICKS, CONTEXT_LABELS, GROUPINGS, PlayFilter
from spades.core.rules import MAX_BID
from ui.shared.address import Address, write_address
from ui.shared.links import STYLE_PREFIX as PREFIX
from ui.shared.page import is_arrival
from ui.shared.page_state import WrittenAddress
from ui.shared.stored_logs import LogKey

ALL_BIDS = (0, MAX_BID)
FILTER_CONTEXTS = ("nil", "bags", "partner", "turn", "score", "contract")
MAX_GROUPS = 4
SEPARATOR, NAMELESS = "|", "~none~"
_SEEN = "style_seen"  # logs
_address = WrittenAddress("style")

DEFAULTS: dict[str, str | int | bool] = {
    PREFIX + name: value
    for name, value in {
        "logs": "",
        "by": "kind",
        "groups": "",
        "classes": 32,
        "measure": "within",
        "errors": "sd",
        "from": "",
        "to": "",
        "context": "nil",
        "at": "",
        "move": "",
        "bar": "",
        "rounds": "",
        "tricks": "1-13",
        "bids": "0-13",
        "forced": True,
        **dict.fromkeys(FILTER_CONTEXTS, ""),
    }.items()
}


def key(name: str) -> str:
    """Session key, and query key, of one of this page's values."""
    return PREFIX + name


def get(name: str):
    return st.session_state[key(name)]


def put(name: str, value: object) -> None:
    st.session_state[key(name)] = value


def slug(label: str) -> str:
    """A context's label as links write it."""
    return label.replace("'", "").replace(" ", "-")


def joined(values: Sequence[str]) -> str:
    """Names as one query value; what separates them is escaped."""
    return SEPARATOR.join(quote(value, safe=" ,:=+-._()/'") or NAMELESS for value in values)


def split(text: str) -> list[str]:
    parts = text.split(SEPARATOR) if text else []
    return ["" if part == NAMELESS else unquote(part) for part in parts]


def read_state(log_names: Sequence[str]) -> None:
    """Fill the session from the address where it says something new."""
    given = {name: value for name, value in st.query_params.items() if name.startswith(PREFIX)}
    is_on_page = all(name in st.session_state for name in DEFAULTS)
    put("is_fresh", not is_on_page or _address.is_link(given))
    if not get("is_fresh"):
        for name in DEFAULTS:  # kept while its control is not on the page
            st.session_state[name] = st.session_state[name]
        put("logs", [name for name in get("logs") if name in log_names] or list(log_names[:1]))
        return
    given = given or _address.last or {}  # back through the sidebar
    _address.follow(given)
    address = Address(given)
    _read_choices(address, log_names)
    _read_filters(address)
    put("complaints", address.complaints)


def is_back(logs: tuple[LogKey, ...]) -> bool:
    """Whether the reader comes back from another page to what this one showed last."""
    is_asked = any(name.startswith(PREFIX) for name in st.query_params)
    return is_arrival() and not is_asked and st.session_state.get(_SEEN) == logs


def keep_seen(logs: tuple[LogKey, ...]) -> None:
    """Remember whose panels were shown; none where there was nothing to show."""
    st.session_state[_SEEN] = logs


def complain(name: str, value: str, known: Sequence[str]) -> None:
    """Note that a link asked for something that isn't there; choices made here don't count."""
    if get("is_fresh"):
        get("complaints").append(unknown(name, value, known))


def _read_choices(address: Address, log_names: Sequence[str]) -> None:
    logs = listed(address, "logs", split(address.given.get(key("logs"), "")), log_names)
    put("logs", logs or list(log_names[:1]))
    put("by", address.choice(key("by"), GROUPINGS, "kind"))
    put("groups", split(address.given.get(key("groups"), "")))  # checked against the logs later
    put("classes", int(address.choice(key("classes"), ("32", "68"), "32")))
    put("measure", address.choice(key("measure"), ("within", "share"), "within"))
    put("errors", address.choice(key("errors"), ("sd", "interval"), "sd"))
    for name in ("from", "to"):  # groups; None for the page's own choice
        put(name, next(iter(split(address.given.get(key(name), ""))), None))
    put("context", address.choice(key("context"), tuple(CONTEXT_LABELS), "nil"))
    put("at", address.given.get(key("at"), ""))
    for name in ("move", "bar", "rounds"):  # checked against the classes and the logs later
        put(name, address.given.get(key(name), ""))


def _read_filters(address: Address) -> None:
    for name in FILTER_CONTEXTS:
        labels = {slug(label): label for label in CONTEXT_LABELS[name]}
        found = listed(address, name, split(address.given.get(key(name), "")), list(labels))
        put(name, [labels[value] for value in found])
    put("tricks", _span(address, "tricks", (1, ALL_TRICKS[1] + 1)))
    put("bids", _span(address, "bids", ALL_BIDS))
    put("forced", address.choice(key("forced"), ("0", "1"), "1") == "1")


def listed(address: Address, name: str, wanted: Sequence[str], known: Sequence[str]) -> list[str]:
    """Those of the wanted names that are known; the others are complained of."""
    for value in wanted:
        if value not in known:
            address.complaints.append(unknown(name, value, known))
    return [value for value in wanted if value in known]


def unknown(name: str, value: str, known: Sequence[str]) -> str:
    there = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
    return f"The link says {key(name)}={value[:40]}; there is: {there or 'nothing'}. Left out."


def _span(address: Address, name: str, legal: tuple[int, int]) -> tuple[int, int]:
    text = address.given.get(key(name))
    if text is None:
        return legal
    parts = text.split("-")
    if len(parts) == 2 and all(part.isascii() and part.isdigit() for part in parts):
        low, high = (int(part[:3]) for part in parts)
        if legal[0] <= low <= high <= legal[1]:
            return low, high
    address.complaints.append(
        f"The link says {key(name)}={text[:40]}; legal is two numbers from {legal[0]} to "
        f"{legal[1]}, as {legal[0]}-{legal[1]}. Shown: all."
    )
    return legal


def play_filter() -> PlayFilter:
    """Which plays count, as the controls say."""
    low, high = get("tricks")
    return PlayFilter(
        tricks=(low - 1, high - 1),
        bids=None if tuple(get("bids")) == ALL_BIDS else tuple(get("bids")),
        forced=get("forced"),
        **{
            name: tuple(sorted(CONTEXT_LABELS[name].index(label) for label in get(name)))
            for name in FILTER_CONTEXTS
        },
    )


def write_state() -> None:
    """Bring the address up to date with what differs from the defaults, and only that.

    What the page chooses by the logs of the store is always written: they change.
    """
    values: dict[str, str | int | bool] = {}
    for name in DEFAULTS:
        name, value = name.removeprefix(PREFIX), st.session_state[name]
        if name in ("from", "to"):
            values[key(name)] = "" if value is None else joined([value])
        elif name in FILTER_CONTEXTS:
            values[key(name)] = joined([slug(label) for label in value])
        elif name in ("tricks", "bids"):
            values[key(name)] = "{}-{}".format(*value)
        else:
            values[key(name)] = joined(value) if isinstance(value, list) else value
    write_address(values, DEFAULTS)
    if _address.keep() and not get("is_fresh"):
        put("complaints", [])  # the reader has moved on
