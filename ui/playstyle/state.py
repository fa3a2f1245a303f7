"""The Playstyle page's values, bound to its address. Every query key begins with ``style_``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, unquote

import streamlit as st

from analysis.style.counts import ALL_TRICKS, CONTEXT_LABELS, GROUPINGS, PlayFilter
from spades.core.rules import MAX_BID
from spades.notation.log_store import LogEntry, list_logs
from ui.shared.address import (
    FLAG,
    STYLE_PREFIX,
    Choice,
    Field,
    Fields,
    Optional,
    PageState,
    Parsed,
    Several,
    Span,
    Text,
)
from ui.shared.page import is_arrival
from ui.shared.records import LogKey

ALL_BIDS = (0, MAX_BID)
FILTER_CONTEXTS = ("nil", "bags", "partner", "turn", "score", "contract")
MAX_GROUPS = 4
NAMELESS = "~none~"
_SEEN = "style_seen"  # logs


def readable_logs() -> dict[str, LogEntry]:
    """By name; logs with several agents in them come first: those have something to compare."""
    entries = sorted((one for one in list_logs() if one.is_readable), key=_has_one_agent)
    return {entry.name: entry for entry in entries}


def _has_one_agent(entry: LogEntry) -> bool:
    plan = entry.provenance.get("plan")
    return not isinstance(plan, dict) or len(set(map(str, plan.get("agents", ())))) < 2


def log_names() -> list[str]:
    return list(readable_logs())


NAME = Parsed(
    lambda text: "" if text == NAMELESS else unquote(text),
    lambda name: quote(name, safe=" ,:=+-._()/'") or NAMELESS,
)
"""The name of a group; what separates names is escaped."""


def _slug(label: str) -> str:
    """A context's label as links write it."""
    return label.replace("'", "").replace(" ", "-")


FIELDS = Fields(
    {
        "logs": Field(
            Several(Choice(log_names), "|", is_needed=True),
            lambda values: log_names()[:1],
            is_always_written=True,
        ),
        "by": Field(Choice(GROUPINGS), "kind"),
        "groups": Field(Several(NAME, "|"), []),
        "classes": Field(Choice((32, 68)), 32),
        "measure": Field(Choice(("within", "share")), "within"),
        "errors": Field(Choice(("sd", "interval")), "sd"),
        "from": Field(Optional(NAME), None),
        "to": Field(Optional(NAME), None),
        "context": Field(Choice(CONTEXT_LABELS), "nil"),
        "at": Field(Text(), ""),
        "move": Field(Text(), ""),
        "bar": Field(Text(), ""),
        "rounds": Field(Text(), ""),
        "tricks": Field(Span(1, ALL_TRICKS[1] + 1), (1, ALL_TRICKS[1] + 1)),
        "bids": Field(Span(*ALL_BIDS), ALL_BIDS),
        "forced": Field(FLAG, True),
        **{
            name: Field(Several(Choice(CONTEXT_LABELS[name], _slug), "|"), [])
            for name in FILTER_CONTEXTS
        },
    },
    prefix=STYLE_PREFIX,
)

page = PageState(STYLE_PREFIX.removesuffix("_"), FIELDS)
key, get, put = page.key, page.get, page.put


def read_state(logs: Sequence[str]) -> None:
    """Fill the session from the address where it is a link."""
    page.read()
    put("logs", [name for name in get("logs") if name in logs] or list(logs[:1]))


def is_back(logs: tuple[LogKey, ...]) -> bool:
    """Whether the reader comes back from another page to what this one showed last."""
    is_linked = any(name.startswith(STYLE_PREFIX) for name in st.query_params)
    return is_arrival() and not is_linked and st.session_state.get(_SEEN) == logs


def keep_seen(logs: tuple[LogKey, ...]) -> None:
    """Remember whose panels were shown; none where there was nothing to show."""
    st.session_state[_SEEN] = logs


def settle(name: str, value: Any, known: Sequence[str], default: Any = "") -> Any:
    """``value`` where it is known, else ``default``; says so where a link asked for it."""
    if value in known:
        return value
    if value and page.is_first_look:  # choices made here don't count
        there = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
        page.complain(
            f"The link says {key(name)}={value[:40]}; there is: {there or 'nothing'}. Left out."
        )
    return default


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
