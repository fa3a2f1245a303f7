"""How wide the page is in the reader's window, for charts that are laid out by it.

The browser tells only where the server's guess is wrong, so that a page is seldom drawn twice.
"""

from __future__ import annotations

import streamlit as st

NARROW_BELOW = 850  # pixels
_KEY, _KEPT = "window_width", "window_is_narrow"  # kept: Streamlit forgets widgets on other pages
_mount = st.components.v2.component(
    "spades_window_width",
    html="<span hidden></span>",
    js="""export default function ({ data, setStateValue }) {
  const page = document.querySelector('[data-testid=stMainBlockContainer]');
  if (!page) return undefined;
  let told = data.guess;
  const watcher = new ResizeObserver(() => {
    const narrow = page.clientWidth < data.narrow;
    if (!page.clientWidth || narrow === told) return;
    told = narrow;
    setStateValue('narrow', narrow);
  });
  watcher.observe(page);
  const above = document.querySelector(`.st-key-${data.above}`);
  const room = document.getElementById('spades-room') ?? document.createElement('style');
  room.id = 'spades-room';
  document.head.append(room);
  const keeper = new ResizeObserver(() => {
    const unfinished = `.st-key-${data.above}:not(:has(.st-key-${data.key}))`;
    if (above.offsetHeight) room.textContent =
      `body:has(.st-key-${data.below}) ${unfinished} { min-height: ${above.offsetHeight}px }`;
  });
  if (above) keeper.observe(above);
  return () => { watcher.disconnect(); keeper.disconnect(); };
}""",
)


def is_narrow() -> bool:
    """Whether the page is narrower than ``NARROW_BELOW``, as far as is known: what the browser
    told last, else a guess by whether it is a phone's."""
    told = st.session_state.get(_KEPT)
    return "Mobi" in st.context.headers.get("User-Agent", "") if told is None else bool(told)


def watch(above: str, below: str) -> None:
    """Have the browser tell where the guess is wrong, now and when the window or the sidebar
    changes.

    ``above``: key of a container that this is drawn in, last; ``below``: of what may be drawn
    before it on the reader's next visit. It then finds its place: the height of what is above is
    kept until this is drawn again.
    """
    data = {"narrow": NARROW_BELOW, "guess": is_narrow(), "key": _KEY}
    _mount(data={**data, "above": above, "below": below}, key=_KEY, on_narrow_change=_keep_told)


def _keep_told() -> None:
    st.session_state[_KEPT] = st.session_state[_KEY]["narrow"]
