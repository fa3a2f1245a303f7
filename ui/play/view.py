"""The Play page: a seat at a table against agents, from the first deal to the end of the game."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from analysis.bidding.questions import parse_rules
from analysis.intervals import ratio_interval
from analysis.text_tables import span
from spades.agents.play import MAX_ROUNDS
from spades.core.cards import N_SEATS, SEAT_NAMES, SEATS, seat_name
from spades.core.errors import SpadesError
from spades.core.records import Record
from spades.core.rules import Rules
from spades.tables import Seat, Setup, games_of, play_again, points_ahead, store_played
from spades.tables.game import STAND_IN
from spades.tables.live import AWAY_SECONDS
from spades.tables.setup import MAX_NAME, PREDICTABLE
from ui.play.routes import PATH, check_opening
from ui.play.server import open_table, tables
from ui.replay.view import joined
from ui.shared import address, widgets
from ui.shared.address import Field
from ui.shared.bar import show_link
from ui.shared.codecs import FLAG, TEXT, Choice, Integer, Optional
from ui.shared.gate import client_of
from ui.shared.page import literal
from ui.shared.records import LOG_PREFIX, PACKED_PREFIX, hand_name, readable_logs, rounds_from
from ui.shared.tables import number, show_table
from ui.shared.widgets import row, show_button, show_error, show_info, show_note

AGENTS = (
    "ismcts:iterations=2500",
    "best+bis",
    "srp+bis",
    "wrp+rb",
    "human",
    "stars:level=3+kb",
    "random",
)
PERSON = "person"
OTHERS = {"left": "Left", "partner": "Partner", "right": "Right"}
GAME = "game"
ONE = "one"
LENGTHS = {GAME: "A game to the target", ONE: "One round"}
PACES = {"0": "at once", "300": "quick", "700": "steady", "1500": "slow"}  # by ms between cards
MAX_TARGET = 10_000
VIEW = "live_table"
SEED_DROPPED = (
    "The link's seed is left out: the deals of a table with people are drawn secretly. To choose "
    "deals, pick those of a log under Deals."
)
SEALED = "this seat is a study's: it is played at the study's own link, and nowhere else"
page = address.PageState(
    "play",
    {
        "token": Field(TEXT, ""),
        "seat": Field(Choice({letter: SEAT_NAMES[letter] for letter in SEATS}), "S"),
        "join": Field(TEXT, ""),
        **dict.fromkeys(OTHERS, Field(TEXT, AGENTS[0])),
        "rules": Field(TEXT, ""),
        "length": Field(Choice(LENGTHS), GAME),
        "target": Field(Integer(50, MAX_TARGET), Rules.target),
        "name": Field(TEXT, ""),
        "pace": Field(Choice(PACES), "700"),
        "help": Field(FLAG, False),
        "rival": Field(TEXT, "best+bis"),
        "cohort": Field(TEXT, "human"),
        "hand": Field(TEXT, ""),
        "rounds": Field(Integer(1, MAX_ROUNDS), 1),
        "rating": Field(Optional(Integer(0, 4000)), None),
        "since": Field(Optional(Integer(1937, 2100)), None),
    },
)
_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "spades_live_table",
    html="<div class='rv-mount'></div>",
    css=joined("css", "base cards table beliefs bids compact") + joined("css", "live", _HERE),
    js=joined("js", "dom cards position table plates trick beliefs bids keys choose")
    + joined("js", "live", _HERE),
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
        _show_invitation(game)
    else:
        _show_form()


def _show_form() -> None:
    with row():
        page.segments("Your seat", "seat")
        labels = {"": "drawn"}
        for name in readable_logs():
            labels[hand_name(name, 0)] = f"{name}, from round 0 on"
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
        if not page.get("hand"):
            page.segments("Play", "length")
            if page.get("length") == GAME:
                page.number("Target", "target", step=50, width=140)
        elif page.get("hand").startswith(LOG_PREFIX):
            page.number("Rounds", "rounds", step=1, width=140)
    hint = (
        "Choose one, or type PLAYER:option=value,...+BIDDER:option=value,... and press Enter. "
        f"*{PERSON}*: somebody to whom you send the table's link."
    )
    with row():
        for name, label in OTHERS.items():
            _select_agent(label, name, [*AGENTS, PERSON], help=hint)
    with row():
        _ask_name()
        show_button("Deal", "play_arrow", "play_deal", _deal, type="primary")
    with st.expander("Rules, rating", icon=":material/tune:"), row():
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
    st.caption(
        "Every bid and card is stored as it is made: the game continues after a reload, on another "
        "device with this link, or after a restart of the server. Afterwards the rounds are a log "
        "like others, for Replay, Disagreements, Playstyle and Models. No seat is ever sent a "
        "hidden card. The deals come from a secret key: the log has its SHA-256 from the first "
        "round on, and the key itself once the game is over."
    )


def _select_agent(label: str, name: str, agents: Sequence[str], **settings: Any) -> None:
    page.select(label, name, agents, accept_new_options=True, width=300, **settings)


def _ask_name() -> None:
    page.text(
        "Your name in the log", "name", max_chars=MAX_NAME, width=240, placeholder="pseudonym"
    )


def _show_invitation(game: str) -> None:
    """The free seats of a table's link."""
    free: list[str] = []
    with widgets.errors_shown():
        if tables().store.setup_of(game).is_sealed:
            show_error(SEALED)
            return
        free = _free_seats(game)
        if not free:
            show_info("No seat is free at this table.", "event_seat")
    if not free:
        show_button("Open a table", "add", "play_own", _leave)
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
        _sit(tables().join(game, _name(), SEATS.index(letter), about))


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
        n_rounds = page.asked("rounds")["rounds"]
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
        _sit(tables().join(game, _name(), about=_about()))


def _name() -> str:
    return page.get("name").strip()[:MAX_NAME] or "player"


def _sit(token: str) -> None:
    page.put("token", token)
    page.put("join", "")


def _leave() -> None:
    _sit("")


def _show_table(token: str, place: Seat) -> None:
    with tables().playing(place.game) as game:
        setup = game.setup
        records = list(game.records)
        is_over = game.is_over
    if setup.is_sealed:
        show_error(SEALED)
        return
    if setup.is_predictable and not is_over:
        show_error(PREDICTABLE)
    show_live(token, setup, int(page.get("pace")), has_help=page.get("help"))
    if not is_over:
        _show_free_seats(place.game)
    with row():
        page.segments("Pace", "pace")
        hint = (
            "A hint (human, search and judge by card), the trick in words, taking back. The log "
            "marks each card played with help, and models of people leave it out."
        )
        page.toggle("Help", "help", help=hint)
        show_button("New game", "replay", "play_leave", _leave)
    if records:
        people = set()
        if setup.help:
            seats = zip(setup.players, setup.agents, strict=True)
            people = {name for name, agent in seats if agent is None}
        _show_rounds(store_played(place.game, setup, records, people), len(records))
        if people:
            person = setup.players[place.seat]
            query = {"view": "rates", "log": games_of(person), "player": person}
            show_link("Players", f"All games of {person}", query)
        _show_duplicate(place, setup, records)


def show_live(token: str, setup: Setup, pace: int, *, has_help: bool = False) -> None:
    """The table in play of a seat's token; ``pace``: ms between cards."""
    base = st.get_option("server.baseUrlPath").strip("/")
    data = {
        "token": token,
        "api": f"/{base}{PATH}" if base else PATH,
        "pace": pace,
        "has_nil": setup.rules.nil is not None,
        "away": 1000 * AWAY_SECONDS,
        "help": has_help,
    }
    with st.container(key="play_view"):
        _mount(data=data, key=VIEW, on_rounds_change=lambda: None)


def _show_free_seats(game: str) -> None:
    free = _free_seats(game)
    if free:
        st.markdown(
            f"**Still free: {', '.join(free)}.** Send this address; whoever opens it takes a seat:"
        )
        st.code(f"{(st.context.url or '').partition('?')[0]}?join={game}", language=None)


def _free_seats(game: str) -> list[str]:
    people = tables().store.people_of(game)
    return [seat_name(seat) for seat, (_, is_taken) in people.items() if not is_taken]


def _show_rounds(name: str, n: int) -> None:
    """Links to the rounds of a log."""
    st.markdown("**Rounds played**")
    with row():
        for i in range(n):
            show_link("Replay", f"Round {i + 1}", {"log": name, "round": i})
        search = {"view": "disagreements", "log": name}
        show_link("Replay", "Where the search would play otherwise", search)
        show_link("Drill", "Drill", {"logs": name})
        show_link("Playstyle", "Playstyle", {"style_logs": name})


def _show_duplicate(place: Seat, setup: Setup, records: list[Record]) -> None:
    """The same deals with agents in the reader's seat, which takes out the luck of the cards."""
    st.markdown("**The same deals, others in your seat**")
    with row():
        _select_agent("Agent", "rival", AGENTS)
        _select_agent("Cohort", "cohort", AGENTS)
        show_button("Compare", "balance", "play_compare", page.put, "compared", True)
    if not st.session_state.get(page.key("compared")):
        return
    with widgets.errors_shown():
        yours = np.array(points_ahead(records, place.seat))
        others = _points_of_others(place, setup, records)
        _show_comparison(yours, others)


def _points_of_others(
    place: Seat, setup: Setup, records: list[Record]
) -> dict[str, NDArray[np.int64]]:
    """Points ahead in each round of the agents in the reader's seat, and of the log's players."""
    n = len(records)
    ahead = {}
    for agent in dict.fromkeys((page.get("rival"), page.get("cohort"))):
        with st.spinner(f"{agent} plays {n} rounds"):
            again = _played_again(place, agent, n, setup, records)
        ahead[agent] = np.array(points_ahead(again, place.seat))
    if setup.deals_of.startswith(LOG_PREFIX):
        logged = points_ahead(rounds_from(setup.deals_of, n), place.seat)
        if len(logged) == n:  # all of them were bid and played to the end
            ahead["the log's players"] = np.array(logged)
    return ahead


def _show_comparison(yours: NDArray[np.int64], others: dict[str, NDArray[np.int64]]) -> None:
    n = len(yours)
    ahead = {"You": yours, **others}
    columns = {"round": number("Round")} | {name: number(name, "%+d") for name in ahead}
    table = pd.DataFrame({"round": range(1, n + 1), **ahead})
    show_table(table, "duplicate", columns)
    for name, points in others.items():
        difference = yours - points
        interval = ratio_interval(difference, np.ones(n))
        within = "" if interval is None else f" (95%: {span(interval, '+.1f')})"
        mean = f"{difference.mean():+.1f} points a round{within}"
        st.markdown(literal(f"You less {name} on the same deals: {mean}, n = {n}."))
    show_note(
        "Points of your side less those of the other. The other seats play as before, a person's "
        f"as {STAND_IN}. The agent human is the simulated human."
    )


@st.cache_data(max_entries=50, show_spinner=False)
def _played_again(
    place: Seat, agent: str, n_rounds: int, _setup: Setup, _records: list[Record]
) -> list[Record]:
    """The ``n_rounds`` finished rounds of a game with an agent in a seat."""
    return play_again(_setup, place.seat, agent, _records)
