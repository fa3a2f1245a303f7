"""The table and the decision panel of the Replay page: one component that steps in the browser.

The whole round goes to the browser once; keys, buttons and the scrubber move through it there and
the position comes back after a short pause. ``replay_view(data, key=...)`` mounts it.

``data`` (everything JSON):

- ``id``: the round's identity; a change resets position, candidate and what was revealed.
- ``rev``, ``ply``, ``view``: the position Python sets; a ply from -4 to -1 is one of the four bids,
  in a round that ``has_auction``. The browser jumps to ``ply`` and ``view`` only when ``id`` or
  ``rev`` changed, so a rerun never snaps back: bump ``rev`` to move it.
  Keep ``ply`` as it was when ``rev`` was bumped; then a step resends nothing.
- ``seat``: ``mover`` or one of N E S W, the seat at the bottom (``mover``: South).
- ``view``: ``all`` hands open, ``own``: only the seat's (``mover``: of the seat to play), or
  ``beliefs``: as ``own``, and on each hidden hand the cards that it probably holds.
- ``dealing``: how the deals behind the beliefs are drawn. ``beliefs``: None, or ``ply``, ``seat``,
  ``dealing``, ``n`` deals, ``distinct`` ones (0: counted exactly), ``complaint`` and ``hands``,
  one a hidden seat: ``seat``, ``cards`` (``card``, ``p``, ``certain``; likeliest first), ``voids``.
  The browser keeps them and shows only those of the very ply and seat it is at.
- ``spoiler``, ``four_color``: bool.
- ``round``: deck, dealer, seats, hands, trump_extra, plays, play_seats, winners, has_nil,
  contract, score_before, bags_before, points, complete, has_auction.
- ``models``: ``{"id", "label"}`` each; the first is the one the log ratio refers to.
- ``beside``: ``{"label"}`` of a second search, or None; its figures are each card's ``beside``.
- ``decisions``: one a ply, None where not searched yet; [] for a deal without plays.
- ``bids``: None before the bidders have answered, else ``complaint`` and ``decisions``, one a bid:
  ``seat``, ``made``, ``rows`` (a bidder each), ``nil``, ``count``, ``disagrees``, ``verdict`` and
  ``link``; ``ui.replay.bid_data`` makes them.
- ``agent``: the search's name. ``progress``: ``{"done", "total"}`` or None.

JavaScript and CSS lie beside this file, split by concern, and are joined here into one module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from ui.replay.state import bid_at, first_step

_HERE = Path(__file__).parent
_SCRIPTS = [
    "dom",
    "cards",
    "position",
    "table",
    "plates",
    "trick",
    "beliefs",
    "controls",
    "rows",
    "bids",
    "bid_rows",
    "decision",
    "summary",
    "help",
    "keys",
    "main",
]
_STYLES = ["base", "cards", "table", "beliefs", "controls", "decision", "bids", "compact"]


def _joined(folder: str, names: list[str], ending: str) -> str:
    return "\n".join(
        (_HERE / folder / f"{name}.{ending}").read_text(encoding="utf-8") for name in names
    )


_mount = st.components.v2.component(
    "spades_replay_view",
    html="<div class='rv-mount'></div>",
    css=_joined("css", _STYLES, "css"),
    js=_joined("js", _SCRIPTS, "js"),
)


@dataclass(frozen=True)
class ReplayState:
    """Where the reader is: step, ``all``, ``own`` or ``beliefs``, card picked.

    ``step``: cards played so far; -4 to -1 are the four bids.
    """

    step: int
    view: str
    candidate: str | None

    @property
    def ply(self) -> int:
        """Cards played so far: none yet at a bid."""
        return max(self.step, 0)

    @property
    def bid(self) -> int:
        """Which bid is to be made here, 1 to 4; 0 at a play."""
        return bid_at(self.step)

    @property
    def hands(self) -> str:
        """Which hands are open: ``all`` or ``own``."""
        return "all" if self.view == "all" else "own"

    @property
    def has_beliefs(self) -> bool:
        return self.view == "beliefs"


def _ignore() -> None:
    """A state needs a callback to exist; the rerun itself is all that is wanted."""


def replay_view(data: Mapping[str, Any], *, key: str) -> ReplayState:
    """Show the round of ``data`` and return the reader's position.

    On the first run, and in the run that changes ``id`` or ``rev``, that is the position in
    ``data``; afterwards what the browser reported last.
    """
    result = _mount(
        data=dict(data),
        key=key,
        on_ply_change=_ignore,
        on_view_change=_ignore,
        on_candidate_change=_ignore,
        on_at_change=_ignore,
    )
    return _state_of(result, data)


def current_state(data: Mapping[str, Any], *, key: str) -> ReplayState:
    """What ``replay_view`` is going to return in this run, for what is drawn above it."""
    return _state_of(st.session_state.get(key) or {}, data)


def _state_of(reported: Mapping[str, Any], data: Mapping[str, Any]) -> ReplayState:
    """The reported position, unless it belongs to another round or revision (``at``)."""
    at, ply = reported.get("at"), reported.get("ply")
    is_told = ply is not None and at in (None, f"{data['id']}|{data['rev']}")
    step = int(ply if is_told else data["ply"])
    round_ = data["round"]
    step = max(first_step(round_["has_auction"]), min(step, len(round_["plays"])))
    if not is_told:
        return ReplayState(step, str(data["view"]), None)
    return ReplayState(step, str(reported.get("view") or data["view"]), reported.get("candidate"))


__all__ = ["ReplayState", "current_state", "replay_view"]
