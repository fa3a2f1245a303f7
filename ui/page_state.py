"""A page's values: read from the address when it says something new, written back every run.

The modules named ``*_state`` say what their page's values are and how the address spells them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from ui.address import Address, write_address

LATE_SECONDS = 3.0


class PageState:
    """Session values under the keys ``prefix_name``, and what was wrong with the last link.

    ``defaults``: the address's values that needn't be written; their names are the page's.
    """

    def __init__(self, prefix: str, defaults: Mapping[str, Any]) -> None:
        self.prefix = prefix
        self.defaults = defaults

    def key(self, name: str) -> str:
        """Session key of one of this page's values."""
        return f"{self.prefix}_{name}"

    def get(self, name: str) -> Any:
        return st.session_state[self.key(name)]

    def put(self, name: str, value: object) -> None:
        st.session_state[self.key(name)] = value

    @property
    def is_first_look(self) -> bool:
        """Whether the page shows what a link asked for, and nothing has been chosen since."""
        return self.key("written") not in st.session_state

    def read(self, parse: Callable[[Address], Mapping[str, object]]) -> list[str]:
        """Fill the session by ``parse`` where the address is a link; what was wrong with it."""
        given = st.query_params.to_dict()
        written = st.session_state.get(self.key("written"))
        is_here = all(self.key(name) in st.session_state for name in self.defaults)
        if is_here and (given == written or self._is_late(given)):
            for name in self.defaults:  # kept while its control is not on the page
                self.put(name, self.get(name))
            return self.get("complaints")
        if is_here and not given:
            given = written or {}  # back through the sidebar
        address = Address(given)
        for name, value in parse(address).items():
            self.put(name, value)
        self.put("complaints", address.complaints)
        st.session_state.pop(self.key("written"), None)  # a first look again: complaints stay
        return address.complaints

    def _is_late(self, given: Mapping[str, str]) -> bool:
        """Whether this is the address that was written over a moment ago, and no link.

        A browser sends its address with every click; a quick one may come before it knows the new.
        """
        left, since = st.session_state.get(self.key("left"), (None, 0.0))
        return given == left and time.monotonic() - since < LATE_SECONDS

    def write(self, values: Mapping[str, str | int | float | bool]) -> None:
        """Bring the address up to date; complaints go once the reader has moved on."""
        before = st.session_state.get(self.key("written"))
        write_address(values, self.defaults)
        self.put("written", st.query_params.to_dict())
        if before is not None and self.get("written") != before:
            self.put("left", (before, time.monotonic()))
            self.put("complaints", [])

    def complain(self, complaint: str) -> None:
        """Say that the link asked for something that isn't there."""
        if complaint not in self.get("complaints"):
            self.get("complaints").append(complaint)
