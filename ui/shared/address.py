"""The address is the state: what a page shows is read from the query string and written back.

A value that is wrong is replaced by the nearest valid one, and what was wrong is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

NOTHING = "(nothing)"
"""How a complaint writes a value that is an empty text."""


@dataclass
class Address:
    """Query parameters read once a session; ``complaints`` holds what was wrong with them."""

    given: Mapping[str, str]
    complaints: list[str] = field(default_factory=list)

    def choice(self, name: str, options: Sequence[str], default: str) -> str:
        """One of ``options``."""
        value = self.given.get(name, default)
        if value in options:
            return value
        legal = ", ".join(option or NOTHING for option in options)
        self._complain(name, value, f"one of {legal}", default or NOTHING)
        return default

    def choices(self, name: str, options: Sequence[str], default: str) -> list[str]:
        """Some of ``options``, listed with commas; at least one."""
        names = [part.strip() for part in self.given.get(name, default).split(",")]
        known = [part for part in dict.fromkeys(names) if part in options] or [default]
        for part in names:
            if part not in options:
                legal = f"one or more of {', '.join(options)}"
                self._complain(name, part, legal, ", ".join(known))
        return known

    def integer(self, name: str, low: int, high: int, default: int) -> int:
        """A whole number, moved into ``low`` to ``high``."""
        return round(self._number(name, low, high, default, kind=int))

    def number(self, name: str, low: float, high: float, default: float) -> float:
        """A number, moved into ``low`` to ``high``."""
        return self._number(name, low, high, default, kind=float)

    def flag(self, name: str) -> bool:
        return self.choice(name, ("0", "1"), "0") == "1"

    def _number(self, name: str, low: float, high: float, default: float, *, kind: type) -> float:
        text = self.given.get(name)
        if text is None:
            return default
        try:
            value = float(kind(text))
        except (ValueError, OverflowError):
            value = float("nan")
        if low <= value <= high:
            return value
        nearest = default if value != value else min(max(value, low), high)
        self._complain(name, text, f"{_plain(low)} to {_plain(high)}", _plain(nearest))
        return nearest

    def _complain(self, name: str, found: str, legal: str, shown: str) -> None:
        self.complaints.append(
            f"The link says {name}={found[:40]}; legal is {legal}. Shown: {shown}."
        )


def _plain(number: float) -> str:
    """2,147,483,647 and 0.05."""
    return f"{number:,.12g}"


def write_address(values: Mapping[str, str | int | float | bool], defaults: Mapping) -> None:
    """Put values that differ from their defaults into the query string, and only those."""
    wanted = {
        name: str(int(value)) if isinstance(value, bool) else f"{value}"
        for name, value in values.items()
        if value != defaults.get(name)
    }
    if dict(st.query_params) != wanted:
        st.query_params.from_dict(wanted)
