"""The Play page: a seat at a table against agents, from the first deal to the end of the game."""

from pathlib import Path

import streamlit as st

from spades.core.cards import N_SEATS, SEAT_NAMES, SEATS, partner_of
from spades.core.errors import SpadesError
from spades.core.rules import Rules
from spades.tables import Seat, Setup, store_played
from spades.tables.game import MAX_SEED
from ui.play.routes import PATH
from ui.play.server import open_table, tables
from ui.replay.view import joined
from ui.shared import address
from ui.shared.address import TEXT, Choice, Field, Integer, Optional
from ui.shared.bar import show_link
from ui.shared.widgets import row, show_button, show_error

AGENTS = (
    "ismcts:iterations=2500", "best+bis", "srp+bis", "wrp+rb", "human", "stars:level=3+kb",
    "random",
)  # fmt: skip
GAME, ONE = "game", "one"
LENGTHS = {GAME: "A game to the target", ONE: "One round"}
PACES = {0: "at once", 300: "quick", 700: "steady", 1500: "slow"}
MAX_TARGET = 10_000
VIEW = "live_table"
page = address.PageState(
    "play",
    {
        "token": Field(TEXT, ""),
        "seat": Field(Choice({letter: SEAT_NAMES[letter] for letter in SEATS}), "S"),
        "partner": Field(TEXT, AGENTS[0]),
        "opponents": Field(TEXT, AGENTS[0]),
        "length": Field(Choice(LENGTHS), GAME),
        "target": Field(Integer(50, MAX_TARGET), Rules.target),
        "name": Field(TEXT, ""),
        "pace": Field(Choice({str(ms): text for ms, text in PACES.items()}), "700"),
        "seed": Field(Optional(Integer(0, MAX_SEED)), None),
    },
)
_mount = st.components.v2.component(
    "spades_live_table",
    html="<div class='rv-mount'></div>",
    css=joined("css", "base cards table beliefs bids compact")
    + joined("css", "live", Path(__file__).parent),
    js=joined("js", "dom cards position table plates trick beliefs bids keys")
    + joined("js", "live", Path(__file__).parent),
)


def show() -> None:
    token = page.get("token")
    if token:
        try:
            place = tables().seat_of(token)
            _show_table(token, place)
            return
        except SpadesError as error:
            show_error(error)
    _show_form()


def _show_form() -> None:
    with row():
        page.segments("Your seat", "seat")
        page.segments("Play", "length")
        if page.get("length") == GAME:
            page.number("Target", "target", step=50, width=140)
    hint = "Choose one, or type PLAYER:option=value,...+BIDDER:option=value,... and press Enter."
    look = {"accept_new_options": True, "help": hint, "width": 340}
    with row():
        page.select("Partner", "partner", AGENTS, **look)
        page.select("Opponents", "opponents", AGENTS, **look)
    with row():
        page.text("Your name in the log", "name", max_chars=40, width=240, placeholder="pseudonym")
        hint = "The deals come from it alone; empty: drawn at random."
        page.number("Seed of the deals", "seed", step=1, width=200, help=hint)
    if why := st.session_state.pop(page.key("refused"), None):
        show_error(why)
    show_button("Deal", "play_arrow", "play_deal", _deal, type="primary")
    st.caption(
        "Every bid and card is stored as it is made: a reload, another device with this link or a "
        "restarted server goes on where the game was. Afterwards the rounds are a log like others, "
        "for Replay, Disagreements, Playstyle and Models. No seat is ever sent a hidden card."
    )


def _deal() -> None:
    """Open the table that the form asks for; a button's callback."""
    try:
        asked = page.asked("target", "seed")
        seat, rounds = SEATS.index(page.get("seat")), int(page.get("length") == ONE)
        agents: list[str | None] = [page.get("opponents")] * N_SEATS
        agents[seat], agents[partner_of(seat)] = None, page.get("partner")
        names = [""] * N_SEATS
        names[seat] = page.get("name").strip() or "player"
        setup = Setup(
            agents=tuple(agents),
            seed=0,
            rules=Rules(target=asked["target"]),
            rounds=rounds,
            players=tuple(names),
        )
        seats = open_table({**setup.document(), "seed": asked["seed"]})
    except SpadesError as error:
        st.session_state[page.key("refused")] = str(error)
        return
    page.put("token", seats[page.get("seat")])


def _leave() -> None:
    page.put("token", "")


def _show_table(token: str, place: Seat) -> None:
    with tables().playing(place.game) as game:
        rules, records = game.setup.rules, list(game.records)
    base = st.get_option("server.baseUrlPath").strip("/")
    data = {
        "token": token,
        "api": f"/{base}{PATH}" if base else PATH,
        "pace": int(page.get("pace")),
        "has_nil": rules.nil is not None,
    }
    with st.container(key="play_view"):
        _mount(data=data, key=VIEW, on_rounds_change=lambda: None)
    with row():
        page.segments("Pace", "pace")
        show_button("New game", "replay", "play_leave", _leave)
    if records:
        _show_rounds(store_played(place.game, records), len(records))


def _show_rounds(name: str, n: int) -> None:
    """Links to the rounds of a log."""
    st.markdown("**Rounds played**")
    with row():
        for i in range(n):
            st.page_link(
                "app.py",
                label=f"Round {i + 1}",
                icon=":material/playing_cards:",
                query_params={"log": name, "round": str(i)},
            )
        show_link("Disagreements", "Where the search would play otherwise", {"log": name})
        show_link("Playstyle", "Playstyle", {"style_logs": name})
