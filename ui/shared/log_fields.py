"""Fields of a page's address that are the log in hand, or several logs with it among them."""

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st

from ui.shared.address import Field, Widgets
from ui.shared.codecs import Choice, Several
from ui.shared.log_in_hand import log_in_hand, named_log, take_in_hand, usual_log
from ui.shared.records import readable_logs

LOG = Field(
    Choice(readable_logs),
    lambda _: log_in_hand(),
    is_always_written=True,
    widgets=Widgets(take_in_hand, named_log),
    is_shared=True,
)
"""The log in hand. A link's is taken; the bar has the control."""


class SeveralLogs:
    """Some logs of a page, the log in hand among them; where another one is taken, that alone.

    ``may_be_none``: also none, as where it is the usual log that is in hand."""

    def __init__(self, key: str, *, may_be_none: bool = False) -> None:
        """``key``: the control's session key."""
        self.key = key
        self.may_be_none = may_be_none

    def field(
        self,
        options: Callable[[], Iterable[str]] = readable_logs,
        *,
        separator: str = "|",
        most: int | None = None,
    ) -> Field:
        codec = Several(Choice(options), separator, is_needed=not self.may_be_none, most=most)
        return Field(
            codec,
            lambda _: self.usual(),
            is_always_written=True,
            widgets=Widgets(self.put, self.get),
            is_shared=True,
        )

    def usual(self) -> list[str]:
        name = log_in_hand()
        if self.may_be_none and name == usual_log():
            return []
        return [name] if name in readable_logs() else []

    def get(self) -> list[str]:
        names, in_hand = st.session_state.get(f"{self.key}_chosen", ([], ""))
        name = named_log()
        is_of_it = name in names or name == in_hand
        return list(names) if is_of_it and (names or self.may_be_none) else self.usual()

    def put(self, names: list[str]) -> None:
        if names:
            name = named_log()
            take_in_hand(name if name in names else names[0])
        st.session_state[f"{self.key}_chosen"] = (list(names), named_log())

    def control(self, label: str, options: Iterable[str], **settings: Any) -> None:
        """A box to choose them in."""
        st.session_state[self.key] = self.get()

        def choose() -> None:
            self.put(st.session_state[self.key])

        st.multiselect(label, list(options), key=self.key, on_change=choose, **settings)
