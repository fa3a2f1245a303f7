"""The table of the Play page: from the first deal to the end of the game."""

import streamlit as st

from spades.tables import Seat, games_of, store_played
from spades.tables.setup import PREDICTABLE
from ui.play.form import SEALED, free_seats, leave, show_form, show_invitation
from ui.play.live import show_live
from ui.play.rounds import show_duplicate, show_rounds
from ui.play.server import tables
from ui.play.state import page
from ui.shared import widgets
from ui.shared.bar import show_link
from ui.shared.widgets import row, show_button, show_error

SEED_DROPPED = (
    "The link's seed is left out: the deals of a table with people are drawn secretly. To choose "
    "deals, pick those of a log under Deals."
)


def show() -> None:
    if "seed" in st.query_params:  # of an old link
        page.complain(SEED_DROPPED)
    token = page.get("token")
    if token:
        with widgets.errors_shown():
            _show_table(token, tables().seat_of(token))
            return
    widgets.show_refusal(page.key("refused"))
    game = page.get("join")
    if game:
        show_invitation(game)
    else:
        show_form()


def _show_table(token: str, place: Seat) -> None:
    with tables().playing(place.game) as game:
        setup = game.setup
        records = list(game.records)
        is_over = game.is_over
        people = game.people
    if setup.is_sealed:
        show_error(SEALED)
        return
    if setup.is_predictable and not is_over:
        show_error(PREDICTABLE)
    show_live(token, setup, int(page.get("pace")), has_help=page.get("help"))
    if not is_over:
        _show_free_seats(place.game)
    if records:
        show_rounds(store_played(place.game, setup, records, people), records, place.seat)
    with row():
        page.segments("Pace", "pace")
        hint = (
            "A hint (human, search and judge by card), and the trick in words. The log marks each "
            "card played with help or taken back, and models of people leave it out."
        )
        page.toggle("Help", "help", help=hint)
        _show_leaving(is_over=is_over)
    if records:
        if people:
            person = setup.players[place.seat]
            query = {"view": "rates", "log": games_of(person), "player": person}
            show_link("Style", f"All games of {person}", query)
        show_duplicate(place, setup, records)


def _show_leaving(*, is_over: bool) -> None:
    """The button to the form for another game, which asks where this one isn't over."""
    if is_over:
        show_button("New game", "replay", "play_leave", leave)
        return
    with st.popover("New game", icon=":material/replay:"):
        st.markdown("This game isn't over. To go on with it later, keep this page's address.")
        show_button("Leave this table", "logout", "play_leave", leave)


def _show_free_seats(game: str) -> None:
    free = free_seats(game)
    if free:
        st.markdown(
            f"**Still free: {', '.join(free)}.** Send this address; whoever opens it takes a seat:"
        )
        st.code(f"{(st.context.url or '').partition('?')[0]}?join={game}", language=None)
