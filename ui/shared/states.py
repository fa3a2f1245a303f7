"""The four states of a panel that has no figure to show, or not the whole of it.

Every page says them by these functions, so that one colour and one icon mean one thing. Texts are
Markdown; ``icon``: a Material icon's name, if not the state's own.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st


def show_empty(text: str, icon: str = "inbox") -> None:
    """Nothing is there yet: why, and what to do."""
    _show(st.info, text, icon)


def show_loading(share: float, text: str) -> None:
    """It is on its way; ``share``: how much of it is done, 0 to 1."""
    st.progress(share, text=text)


def show_partial(text: str, icon: str = "warning") -> None:
    """Something is missing from what is shown, or old."""
    _show(st.warning, text, icon)


def show_wrong(text: str, icon: str = "block") -> None:
    """Something was refused or failed: why."""
    _show(st.error, text, icon)


def _show(box: Callable[..., Any], text: str, icon: str) -> None:
    box(text, icon=f":material/{icon}:")
