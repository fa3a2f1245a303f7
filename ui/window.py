"""How wide the reader's window is, for pages that lay out their charts by it.

The browser tells only where the server's guess is wrong, so that a page is seldom drawn twice.
"""

from __future__ import annotations

import streamlit as st

NARROW_BELOW = 900  # pixels
_KEY, _KEPT = "window_width", "window_is_narrow"  # kept: Streamlit forgets widgets on other pages
_mount = st.components.v2.component(
    "spades_window_width",
    html="<span hidden></span>",
    js="""export default function ({ data, setStateValue }) {
  const narrow = matchMedia(`(width < ${data.below}px)`);
  const tell = () => {
    if (narrow.matches !== data.guess) setStateValue('narrow', narrow.matches);
  };
  narrow.addEventListener('change', tell);
  tell();
  return () => narrow.removeEventListener('change', tell);
}""",
)


def is_narrow() -> bool:
    """Whether the window is narrower than :data:`NARROW_BELOW`, as far as is known: what the
    browser told last, else a guess by whether it is a phone's."""
    told = st.session_state.get(_KEPT)
    return "Mobi" in st.context.headers.get("User-Agent", "") if told is None else bool(told)


def watch() -> None:
    """Have the browser tell where the guess is wrong, now and when the window changes."""
    _mount(
        data={"below": NARROW_BELOW, "guess": is_narrow()}, key=_KEY, on_narrow_change=_keep_told
    )


def _keep_told() -> None:
    st.session_state[_KEPT] = st.session_state[_KEY]["narrow"]
