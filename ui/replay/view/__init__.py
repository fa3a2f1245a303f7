"""The table and the decision panel of the Replay page: one component that steps in the browser.

The whole round goes to the browser once; keys, buttons and the scrubber move through it there and
the position comes back after a short pause. ``replay_view(data)`` mounts it.

``data`` (everything JSON):

- ``id``: the round's identity; a change resets position, candidate and what was revealed.
- ``rev``, ``ply``, ``view``: the position Python sets; a ply from -4 to -1 is one of the four bids,
  where the round ``has_auction``. The browser jumps there only when ``id`` or ``rev`` changed, so a
  rerun never snaps back: bump ``rev`` to move it, keep ``ply`` else: then a step resends nothing.
  ``keeps_ply``: ``rev`` brings another view alone, so that steps made meanwhile count.
- ``seat``: ``mover`` or one of N E S W, the seat at the bottom (``mover``: South).
- ``view``: ``all`` hands open, ``own``: only the seat's (``mover``: of the seat to play), or
  ``beliefs``: as ``own``, and on each hidden hand the cards that it probably holds. ``views``:
  which of them one may choose from, all where it is left out.
- ``dealing``: how the deals behind the beliefs are drawn. ``beliefs``: None, or ``ply``, ``seat``,
  ``dealing``, ``n`` deals, ``distinct`` ones (0: counted exactly), ``complaint`` and ``hands``,
  one a hidden seat: ``seat``, ``cards`` (``card``, ``p``, ``certain``; likeliest first), ``voids``.
  The browser keeps them and shows only those of the very ply and seat it is at.
- ``spoiler``, ``four_color``, ``more`` (columns): bool.
- ``round``: deck, dealer, seats, hands, trump_extra, plays, play_seats, winners, has_nil,
  contract, score_before, bags_before, points, complete, has_auction, and is_open where there is a
  decision after the last card.
- ``models``: ``{"id", "label"}`` each; the first is the one the log ratio refers to.
- ``searches``: names of the searches, the first one's first; ``iterations`` of each, as set.
- ``decisions``: one a ply, each as a JSON text; None where not searched yet; [] for a deal without
  plays. ``judgement``: what is said on top; ``loss``: of the card played, None before it is judged;
  ``cards``: the least loss first; ``others``: what the other searches make of them, as far as done.
- ``bids``: None before the bidders have answered, else ``complaint`` and ``decisions``, one a bid:
  ``seat``, ``made``, ``rows`` (a bidder each), ``nil``, ``count``, ``disagrees``, ``verdict`` and
  ``link``.
- ``progress``: ``{"done", "total"}`` or None.
- ``export``: None, or the figure that the browser has just asked for (``ui.replay.export``).

JavaScript and CSS are those of ``spades.look``, which notebooks mount too.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from spades.look import REPLAY_SCRIPTS, REPLAY_STYLES, joined
from ui.replay.panel import Here
from ui.replay.state import first_step, get

VIEW = "replay_table"
# A state exists only with a callback; the rerun itself is all that is wanted.
_REPORTED = ("revealed", "ply", "view", "candidate", "at", "export")
_CALLBACKS = {f"on_{name}_change": lambda: None for name in _REPORTED}
_mount = st.components.v2.component(
    "spades_replay_view",
    html="<div class='rv-mount'></div>",
    css=joined("css", REPLAY_STYLES),
    js=joined("js", f"{REPLAY_SCRIPTS} page"),
)


def replay_view(data: Mapping[str, Any]) -> None:
    with st.container(key="replay_view"):  # whose height is kept free by the page's style
        _mount(data=dict(data), key=VIEW, **_CALLBACKS)


def current_state(data: Mapping[str, Any]) -> Here:
    """The reader's position: what the browser reported last for this round and revision (``at``),
    else that in ``data``: on the first run, and in the run that changes ``id`` or ``rev``."""
    reported = st.session_state.get(VIEW) or {}
    step = data["ply"]
    view = data["view"]
    is_of_revision = reported.get("at") in (None, f"{data['id']}|{data['rev']}")
    if is_of_revision and reported.get("ply") is not None:
        step = int(reported["ply"])
        view = reported.get("view") or view
    first = first_step(data["round"]["has_auction"])
    last = len(data["round"]["plays"])
    revealed = frozenset(map(int, (reported.get("revealed") or "").split()))
    return Here(get("hand").record, min(max(step, first), last), str(view), revealed=revealed)
