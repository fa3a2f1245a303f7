"""A page's values: read from the address when it is a link, written back every run.

The module ``state`` of a page's folder declares its fields (`ui.shared.fields`)::

    page = PageState("data", Fields({"tab": Field(Choice(VIEWS), "logs"), ...}))
    key, get, put = page.key, page.get, page.put

and its script calls ``page.read()`` first and ``page.write()`` last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ui.shared.fields import Fields
from ui.shared.page import is_arrival


class WrittenAddress:
    """What a page last wrote into the address, to tell a link from what the browser says of it.

    A browser sends its address with every click; a quick click is sent with an older one. Once it
    has sent an address it doesn't return to those before, which are then links again.
    """

    def __init__(self, prefix: str) -> None:
        self._written, self._left = f"{prefix}_written", f"{prefix}_addresses_left"
        self._followed = f"{prefix}_followed"

    @property
    def last(self) -> Mapping[str, str] | None:
        """What the page wrote last, or the link it follows and hasn't rewritten; None at first."""
        return st.session_state.get(self._written, st.session_state.get(self._followed))

    def is_link(self, given: Mapping[str, str]) -> bool:
        """Whether what the browser sends is neither the last address nor one it may still send."""
        left = self._left_unheard()
        if given in left:
            st.session_state[self._left] = left[left.index(given) :]
            # Another page, or the browser's Back or Forward, may lead to an address left before.
            context = get_script_run_ctx()
            is_led = is_arrival() or (context is not None and context.is_history_navigation)
            return is_led and given != self.last
        if given == self.last:
            st.session_state[self._left] = []
            return False
        return True

    def follow(self, given: Mapping[str, str]) -> None:
        """Follow a link: what the page writes next is its first."""
        st.session_state[self._followed] = dict(given)
        st.session_state[self._left] = []
        st.session_state.pop(self._written, None)

    def keep(self) -> bool:
        """Remember the address as it is; whether the page had written another before."""
        before, is_written = self.last, self._written in st.session_state
        now = st.query_params.to_dict()
        st.session_state[self._written] = now
        if before is None or before == now:
            return False
        st.session_state[self._left] = [*self._left_unheard(), before]
        return is_written

    def _left_unheard(self) -> list[Mapping[str, str]]:
        """Addresses replaced, oldest first, since the last one that the browser sent."""
        return st.session_state.get(self._left, [])


class PageState:
    """A page's fields bound to the session, under the keys ``prefix_name``, and to the address.

    A page calls ``read`` before it draws anything, gives its widgets the keys of ``key``, and calls
    ``write`` at the end. What holds no field's value (``put`` under another name) isn't kept.
    """

    def __init__(self, prefix: str, fields: Fields) -> None:
        self.prefix = prefix
        self.fields = fields
        self._address = WrittenAddress(prefix)
        every = fields.by_name.items()
        self._widgets = {name: one.widgets for name, one in every if one.widgets}
        held = [one.widgets.names if one.widgets else (name,) for name, one in every]
        self._held = [name for names in held for name in names]  # in the session

    def key(self, name: str) -> str:
        """Session key of one of this page's values."""
        return f"{self.prefix}_{name}"

    def get(self, name: str) -> Any:
        widgets = self._widgets.get(name)
        return widgets.get() if widgets else st.session_state[self.key(name)]

    def put(self, name: str, value: object) -> None:
        if widgets := self._widgets.get(name):
            widgets.put(value)
        else:
            st.session_state[self.key(name)] = value

    def values(self) -> dict[str, Any]:
        return {name: self.get(name) for name in self.fields.by_name}

    @property
    def is_first_look(self) -> bool:
        """Whether the page shows what a link asked for, and nothing has been chosen since."""
        return f"{self.prefix}_written" not in st.session_state

    def read(self) -> list[str]:
        """Fill the session from the address where it is a link; what was wrong with it."""
        given = st.query_params.to_dict()
        if self.fields.prefix:  # other pages' parameters say nothing here
            given = {k: v for k, v in given.items() if k.startswith(self.fields.prefix)}
        is_here = all(self.key(name) in st.session_state for name in self._held)
        if is_here and not self._address.is_link(given):
            for name in self._held:  # kept while its control is not on the page
                st.session_state[self.key(name)] = self._said(name)
            return self.complaints
        if not given:  # back through the navigation: widgets that were left have lost their values
            given = dict(self._address.last or {})
        values, complaints = self.fields.parse(given)
        for name, value in values.items():
            self.put(name, value)
        self.put("complaints", complaints)
        self._address.follow(given)  # a first look again: complaints stay
        return complaints

    def write(self, names: Iterable[str] | None = None) -> None:
        """Bring the address up to date with the fields of these names, or with all.

        Complaints go once the reader has moved on.
        """
        self.put("kept", {name: st.session_state[self.key(name)] for name in self._held})
        wanted = self.fields.format(self.values(), names)
        if dict(st.query_params) != wanted:
            st.query_params.from_dict(wanted)
        if self._address.keep():
            self.put("complaints", [])

    @property
    def complaints(self) -> list[str]:
        """What was wrong with the link that is shown."""
        return st.session_state[self.key("complaints")]

    def complain(self, complaint: str) -> None:
        """Say that the link asked for something that isn't there."""
        if complaint not in self.complaints:
            self.complaints.append(complaint)

    def _said(self, name: str) -> Any:
        """A value as it was chosen.

        A browser calls an option by its text; one that is no longer offered, as with a quick click
        after another hand was chosen, arrives as that text.
        """
        value = st.session_state[self.key(name)]
        before = st.session_state.get(self.key("kept"), {}).get(name)
        is_text_of_before = isinstance(value, str) and not isinstance(before, str | None)
        return before if is_text_of_before else value
