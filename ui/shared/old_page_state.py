"""Page state by hand; goes once every page declares its fields (`ui.shared.page_state`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from ui.shared.address import Address, write_address
from ui.shared.page_state import WrittenAddress


class PageState:
    """Session values under the keys ``prefix_name``, and what was wrong with the last link.

    ``defaults``: the address's values that needn't be written; their names are the page's.
    """

    def __init__(self, prefix: str, defaults: Mapping[str, Any]) -> None:
        self.prefix = prefix
        self.defaults = defaults
        self._address = WrittenAddress(prefix)

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
        return not self._address.is_written

    def read(self, parse: Callable[[Address], Mapping[str, object]]) -> list[str]:
        """Fill the session by ``parse`` where the address is a link; what was wrong with it."""
        given = st.query_params.to_dict()
        is_here = all(self.key(name) in st.session_state for name in self.defaults)
        if is_here and not self._address.is_link(given):
            for name in self.defaults:  # kept while its control is not on the page
                self.put(name, self._said(name))
            return self.get("complaints")
        if is_here and not given:
            given = dict(self._address.last or {})  # back through the sidebar
        address = Address(given)
        for name, value in parse(address).items():
            self.put(name, value)
        self.put("complaints", address.complaints)
        self._address.follow(given)  # a first look again: complaints stay
        return address.complaints

    def _said(self, name: str) -> Any:
        """A value as it was chosen.

        A browser calls an option by its text; one that is no longer offered, as with a quick click
        after another hand was chosen, arrives as that text.
        """
        value, before = self.get(name), st.session_state.get(self.key("kept"), {}).get(name)
        is_text_of_before = isinstance(value, str) and not isinstance(before, str | None)
        return before if is_text_of_before else value

    def write(self, values: Mapping[str, str | int | float | bool]) -> None:
        """Bring the address up to date; complaints go once the reader has moved on."""
        self.put("kept", {name: self.get(name) for name in self.defaults})
        write_address(values, self.defaults)
        if self._address.keep():
            self.put("complaints", [])

    def complain(self, complaint: str) -> None:
        """Say that the link asked for something that isn't there."""
        if complaint not in self.get("complaints"):
            self.get("complaints").append(complaint)
