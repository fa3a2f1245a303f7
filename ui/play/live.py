"""The table in play in the browser: which data it starts from, and what it is made of."""

from pathlib import Path

import streamlit as st

from spades.look import TABLE_SCRIPTS, TABLE_STYLES, joined
from spades.tables import Setup
from spades.tables.live import AWAY_SECONDS
from ui.play.routes import PATH

VIEW = "live_table"
_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "spades_live_table",
    html="<div class='rv-mount'></div>",
    css=joined("css", TABLE_STYLES) + joined("css", "live history", _HERE),
    js=joined("js", TABLE_SCRIPTS) + joined("js", "history sheet live", _HERE),
)


def show_live(token: str, setup: Setup, pace: int, *, has_help: bool = False) -> None:
    """The table in play of a seat's token; ``pace``: ms between cards.

    ``asks``: every move is asked about, because it can't be taken back; a study's protocol has no
    such question."""
    base = st.get_option("server.baseUrlPath").strip("/")
    data = {
        "token": token,
        "api": f"/{base}{PATH}" if base else PATH,
        "pace": pace,
        "nil": setup.rules.nil,
        "blind_nil": setup.rules.blind_nil,
        "asks": not setup.is_sealed and not setup.has_undo,
        "away": 1000 * AWAY_SECONDS,
        "help": has_help,
    }
    with st.container(key="play_table"):
        _mount(data=data, key=VIEW, on_rounds_change=lambda: None)
