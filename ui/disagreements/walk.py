"""From one disagreement of a list to the next on Replay, and back to the list."""

from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from spades.core.errors import SpadesError
from ui.disagreements import switch
from ui.replay import state
from ui.replay.view import current_state
from ui.replay.view_data import place_data
from ui.shared import records
from ui.shared.widgets import once

VIEW = "disagreements_steps"
_WALK = "disagreements_walk"
_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "spades_disagreement_steps",
    html=(_HERE / "steps.html").read_text(encoding="utf-8"),
    css=(_HERE / "css" / "steps.css").read_text(encoding="utf-8"),
    js=(_HERE / "js" / "steps.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True)
class Walk:
    """The list that a reader steps through.

    ``source``: its text in the address; ``places``: round and ply of its decisions; ``at``: the
    one that is open, None where another hand is; ``asked``: the last step that was asked for."""

    source: str
    log: str
    places: tuple[tuple[int, int], ...]
    at: int | None = None
    asked: int | None = None


def show_steps() -> None:
    """Buttons and keys to the neighbours of the decision that was opened from a list."""
    try:
        walk = _walk_here()
    except SpadesError as error:
        state.page.complain(f"The link's list can't be shown: {error}")
        return
    if walk is None:
        return

    def go() -> None:
        _open(walk, int(st.session_state[VIEW].go))

    def leave() -> None:
        switch.go_to(switch.LIST, _list_address(walk))

    data = {"at": walk.at, "total": len(walk.places), "asked": walk.asked}
    _mount(
        data=data,
        key=VIEW,
        width="content",
        on_go_change=once(go),
        on_back_change=once(leave),
    )


def _list_address(walk: Walk) -> dict[str, str]:
    """Where the list shows the decision that is open."""
    from ui.disagreements.state import PER_PAGE, address_of, parse_list

    values = parse_list(walk.source if state.get("list") else urlencode({"log": walk.log}))
    values["page"] = (walk.at or 0) // PER_PAGE + 1
    return address_of(values)


def _walk_here() -> Walk | None:
    """The walk that the address names, at the decision that is open."""
    text = state.get("list")
    rows = state.get("rows")
    if not text and rows is None:
        return None
    source = text or str(rows)
    walk = st.session_state.get(_WALK)
    if walk is None or walk.source != source:
        walk = _walk_of(text) if text else Walk(source, rows.log, rows.places, rows.at)
    walk = replace(walk, at=_nearest(walk))
    st.session_state[_WALK] = walk
    if walk.at is not None:
        st.session_state[switch.MARKED] = walk.places[walk.at]
    return walk


def _walk_of(text: str) -> Walk:
    from ui.disagreements.listed import listed_places  # loads pandas
    from ui.disagreements.state import parse_list

    return Walk(text, parse_list(text)["log"], listed_places(text))


def _nearest(walk: Walk) -> int | None:
    """The place that the address names, else the one gone to last, else the nearest one of the
    hand that is open."""
    hand = state.get("hand").name
    step = current_state(place_data()).step

    def is_open(at: int) -> bool:
        index, _ = walk.places[at]
        return records.hand_name(walk.log, index) == hand

    def distance(at: int) -> int:
        _, ply = walk.places[at]
        return abs(ply - step)

    nearest = min(filter(is_open, range(len(walk.places))), key=distance, default=None)
    if nearest is None or distance(nearest) == 0 or walk.at is None or not is_open(walk.at):
        return nearest
    return walk.at


def _open(walk: Walk, at: int) -> None:
    """Put a place of the list on the table."""
    index, ply = walk.places[at]
    name = records.hand_name(walk.log, index)
    st.session_state[_WALK] = replace(walk, asked=at)
    try:
        record = records.round_of(name)
    except SpadesError as error:
        state.put("complaints", [str(error)])
        return
    st.session_state[_WALK] = replace(walk, at=at, asked=at)
    state.open_hand(state.OpenHand(name, record))
    state.go_to(ply)
