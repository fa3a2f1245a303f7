"""Opening a table, and taking a free seat at one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from analysis.bidding.questions import parse_rules
from spades.agents.play import MAX_ROUNDS
from spades.agents.words import agent_words
from spades.core.cards import N_SEATS, SEATS, seat_name
from spades.core.errors import SpadesError
from spades.core.records import Record
from spades.tables import Setup
from spades.tables.setup import MAX_NAME
from ui.play.routes import check_opening
from ui.play.server import open_table, tables
from ui.play.state import AGENTS, GAME, ONE, OTHERS, page
from ui.shared import widgets
from ui.shared.agents import name_of, offered
from ui.shared.cards import with_red
from ui.shared.gate import client_of
from ui.shared.records import PACKED_PREFIX, hand_name, readable_logs, rounds_from
from ui.shared.states import show_empty
from ui.shared.widgets import row, show_button, show_error

PERSON = "person"
PERSON_WORDS = "A person, by link"
PROMISE = (
    "Bid your hand, then play thirteen tricks; ask for a hint at any time. After each round you "
    "see where the points come from, and which card of yours cost most."
)
STORED = (
    "Every bid and card is stored as it is made: the game continues after a reload, on another "
    "device with this link, or after a restart of the server. Afterwards the rounds are a log like "
    "others, for Replay, Style and Agents."
)
SEALED_DEALS = (
    "No seat is ever sent a hidden card. The deals come from a secret key: the log has its SHA-256 "
    "from the first round on, and the key itself once the game is over."
)
SEALED = "this seat is a study's: it is played at the study's own link, and nowhere else"


def show_form() -> None:
    """The four seats around a table; beside it what is played, and the button that deals."""
    seats, asked = st.columns([3, 2], gap="medium")
    with seats, st.container(key="play_seats"):
        _show_seats()
    with asked:
        st.markdown(PROMISE)
        with row():
            _show_length()
        with row():
            _ask_name()
            show_button("Deal", "play_arrow", "play_deal", _deal, type="primary")
        st.caption(STORED)
    with st.expander(
        "Deals, rules, rating", icon=":material/tune:", expanded=bool(page.get("hand"))
    ):
        _show_more()
        st.caption(SEALED_DEALS)


def _show_seats() -> None:
    """A box for each seat, where it is at the table: you at the bottom."""
    _, top, _ = st.columns(3)
    left, middle, right = st.columns(3, vertical_alignment="center")
    _, bottom, _ = st.columns(3)
    agents = [*AGENTS, PERSON]
    hint = (
        "Choose one, or type PLAYER:option=value,...+BIDDER:option=value,... and press Enter; so "
        f"at the other seats. *{PERSON_WORDS}*: you send them the table's link."
    )
    with top:
        select_agent(OTHERS["partner"], "partner", agents, width="stretch", help=hint)
    with left:
        select_agent(OTHERS["left"], "left", agents, width="stretch")
    with middle, st.container(key="play_suits"):
        st.markdown(with_red("♠ ♥ ♣ ♦"))
    with right:
        select_agent(OTHERS["right"], "right", agents, width="stretch")
    with bottom:
        page.select("Your seat", "seat")


def _show_length() -> None:
    if page.get("hand"):
        page.number("Rounds", "rounds", step=1, width=140, placeholder="1")
        return
    page.select("Play", "length", width=220)
    if page.get("length") == GAME:
        page.number("Target", "target", step=50, width=140)


def _show_more() -> None:
    """What is usually left as it is: the deals, the rules, who one is."""
    labels = {"": "drawn"}
    for name in readable_logs():
        labels[hand_name(name, 0)] = f"{name}, from round 0 on"
    with row():
        page.select(
            "Deals",
            "hand",
            list(labels),
            format_func=lambda hand: labels.get(hand, hand[:40]),
            accept_new_options=True,
            width=300,
            help=(
                "Drawn, or those of a log from a round on, as `log.human-south.12`: afterwards you "
                "are compared with the log's players. From Replay, *Play this deal* leads here."
            ),
        )
        page.text(
            "Other rules",
            "rules",
            disabled=bool(page.get("hand")),
            width=300,
            help=(
                "Changes to the usual rules, as in `nil=50,bag_limit=5`; empty: none. Deals of a "
                "log are played by the log's rules."
            ),
        )
        _ask_about()


def select_agent(label: str, name: str, agents: Sequence[str], **settings: Any) -> None:
    page.select(
        label,
        name,
        offered(agents),
        format_func=_words,
        accept_new_options=True,
        **{"width": 300, **settings},
    )


def _words(agent: str) -> str:
    if agent == PERSON:
        return PERSON_WORDS
    return name_of(agent) or agent_words(agent)


def _ask_name() -> None:
    page.text(
        "Your name in the log", "name", max_chars=MAX_NAME, width=240, placeholder="pseudonym"
    )


def show_invitation(game: str) -> None:
    """The free seats of a table's link."""
    free: list[str] = []
    with widgets.errors_shown():
        if tables().store.setup_of(game).is_sealed:
            show_error(SEALED)
            return
        free = free_seats(game)
        if not free:
            show_empty("No seat is free at this table.", "event_seat")
    if not free:
        show_button("Open a table", "add", "play_own", leave)
        return
    st.markdown(f"**You are invited to a table.** Free: {', '.join(free)}.")
    with row():
        _ask_name()
        _ask_about()
    show_button("Take a seat", "event_seat", "play_sit", _join, game, type="primary")


def _ask_about() -> None:
    hint = "Written into the log's `source`; empty: nothing."
    page.number("Rating", "rating", step=1, width=140, help=hint)
    page.number("Playing since", "since", step=1, width=160, help=hint)


def _about() -> str:
    asked = page.asked("rating", "since")
    parts = []
    if asked["rating"] is not None:
        parts.append(f"rated {asked['rating']}")
    if asked["since"] is not None:
        parts.append(f"playing since {asked['since']}")
    return ", ".join(parts)


def _deal() -> None:
    """Open the form's table and take a seat; a button's callback."""
    with widgets.refusal_kept(page.key("refused")):
        setup = _asked_setup()
        about = _about()
        address = st.context.ip_address  # of another machine
        if address:
            check_opening(client_of(address))
        letter = page.get("seat")
        seats = open_table(setup.document())
        game = tables().seat_of(seats[letter]).game
        sit(tables().join(game, _name(), SEATS.index(letter), about))


def _asked_setup() -> Setup:
    target = page.asked("target")["target"]
    seat = SEATS.index(page.get("seat"))
    agents: list[str | None] = [None] * N_SEATS
    for i, name in enumerate(OTHERS, start=1):
        agent = page.get(name)
        if agent != PERSON:
            agents[(seat + i) % N_SEATS] = agent
    north, east, south, west = agents
    setup = Setup((north, east, south, west), help=True)
    hand = page.get("hand")
    if hand:
        n_rounds = page.asked("rounds")["rounds"] or 1
        if n_rounds > MAX_ROUNDS:
            raise SpadesError(f"{n_rounds:,} rounds; 1 to {MAX_ROUNDS} can be played")
        return _with_deals(setup, hand, rounds_from(hand, n_rounds))
    rules = parse_rules(page.get("rules"))
    if page.get("length") == ONE:
        return replace(setup, rules=rules, rounds=1)
    return replace(setup, rules=replace(rules, target=target))


def _with_deals(setup: Setup, hand: str, records: list[Record]) -> Setup:
    rules, *other_rules = {record.rules for record in records}
    if other_rules:
        raise SpadesError(f"the {len(records)} rounds from {hand} on are of different rules")
    deals = tuple((record.dealer, record.hands) for record in records)
    source = "a link's hand" if hand.startswith(PACKED_PREFIX) else hand
    rules = replace(rules, first_hand_bids_itself=False)  # the players bid it
    return replace(setup, rules=rules, rounds=len(deals), deals=deals, deals_of=source)


def _join(game: str) -> None:
    with widgets.refusal_kept(page.key("refused")):
        sit(tables().join(game, _name(), about=_about()))


def _name() -> str:
    return page.get("name").strip()[:MAX_NAME] or "player"


def sit(token: str) -> None:
    page.put("token", token)
    page.put("join", "")


def leave() -> None:
    """Leave the table that is shown; it stays at its link."""
    sit("")


def free_seats(game: str) -> list[str]:
    people = tables().store.people_of(game)
    return [seat_name(seat) for seat, (_, is_taken) in people.items() if not is_taken]
