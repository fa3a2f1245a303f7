"""The Play page: a seat at a table against agents, from the first deal to the end of the game."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from analysis.bidding.questions import parse_rules
from analysis.intervals import ratio_interval
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
    "ismcts:iterations=2500", "best+bis", "srp+bis", "wrp+rb", "human", "stars:level=3+kb",
    "random",
)  # fmt: skip
GAME, ONE = "game", "one"
LENGTHS = {GAME: "A game to the target", ONE: "One round"}
PACES = {0: "at once", 300: "quick", 700: "steady", 1500: "slow"}
MAX_TARGET, PERSON = 10_000, "person"
NAME = {"max_chars": MAX_NAME, "width": 240, "placeholder": "pseudonym"}
VIEW = "live_table"
SEED_DROPPED = (
    "The link says seed, and that is left out: the deals of a table with people are drawn "
    "secretly. To choose them, pick those of a log under Deals."
)
SEALED = "this seat is a study's: it is played at the study's own link, and nowhere else"
page = address.PageState(
    "play",
    {
        "token": Field(TEXT, ""),
        "seat": Field(Choice({letter: SEAT_NAMES[letter] for letter in SEATS}), "S"),
        "join": Field(TEXT, ""),
        **{name: Field(TEXT, AGENTS[0]) for name in ("left", "partner", "right")},
        "rules": Field(TEXT, ""),
        "length": Field(Choice(LENGTHS), GAME),
        "target": Field(Integer(50, MAX_TARGET), Rules.target),
        "name": Field(TEXT, ""),
        "pace": Field(Choice({str(ms): text for ms, text in PACES.items()}), "700"),
        "help": Field(FLAG, False),
        "rival": Field(TEXT, "best+bis"),
        "cohort": Field(TEXT, "human"),
        "hand": Field(TEXT, ""),
        "rounds": Field(Integer(1, MAX_ROUNDS), 1),
        "rating": Field(Optional(Integer(0, 4000)), None),
        "since": Field(Optional(Integer(1937, 2100)), None),
    },
)
_mount = st.components.v2.component(
    "spades_live_table",
    html="<div class='rv-mount'></div>",
    css=joined("css", "base cards table beliefs bids compact")
    + joined("css", "live", Path(__file__).parent),
    js=joined("js", "dom cards position table plates trick beliefs bids keys choose")
    + joined("js", "live", Path(__file__).parent),
)


def show() -> None:
    if "seed" in st.query_params:  # of a link made before
        page.complain(SEED_DROPPED)
    if token := page.get("token"):
        with widgets.errors_shown():
            _show_table(token, tables().seat_of(token))
            return
    widgets.show_refusal(page.key("refused"))
    if game := page.get("join"):
        _show_invitation(game)
        return
    _show_form()


def _show_form() -> None:
    with row():
        page.segments("Your seat", "seat")
        hint = "Drawn, or those of a log from a round on, as `log.human-south.12`: afterwards the "
        hint += "log's players stand beside you. From Replay, *Play this deal* leads here."
        logs = {hand_name(name, 0): f"{name}, from round 0 on" for name in readable_logs()}
        look = {"format_func": lambda one: logs.get(one, one[:40]) or "drawn", "help": hint}
        page.select("Deals", "hand", ["", *logs], accept_new_options=True, width=300, **look)
        if not page.get("hand"):
            page.segments("Play", "length")
            if page.get("length") == GAME:
                page.number("Target", "target", step=50, width=140)
        elif page.get("hand").startswith(LOG_PREFIX):
            page.number("Rounds", "rounds", step=1, width=140)
    hint = "Choose one, or type PLAYER:option=value,...+BIDDER:option=value,... and press Enter. "
    hint += f"*{PERSON}*: somebody to whom you send the table's link."
    look = {"accept_new_options": True, "help": hint, "width": 300}
    with row():
        for name, label in (("left", "Left"), ("partner", "Partner"), ("right", "Right")):
            page.select(label, name, [*AGENTS, PERSON], **look)
    with row():
        page.text("Your name in the log", "name", **NAME)
        show_button("Deal", "play_arrow", "play_deal", _deal, type="primary")
    with st.expander("Rules, rating", icon=":material/tune:"), row():
        hint = "What differs from the usual rules, as in `nil=50,bag_limit=5`; empty: nothing. "
        hint += "With deals of a log its rules are."
        look = {"disabled": bool(page.get("hand")), "help": hint, "width": 300}
        page.text("Other rules", "rules", **look)
        _ask_about()
    st.caption(
        "Every bid and card is stored as it is made: a reload, another device with this link or a "
        "restarted server goes on where the game was. Afterwards the rounds are a log like others, "
        "for Replay, Disagreements, Playstyle and Models. No seat is ever sent a hidden card. The "
        "deals come from a secret key: the log has its SHA-256 from the first round on, and the "
        "key itself once the game is over."
    )


def _show_invitation(game: str) -> None:
    """A table's link: the seats that are free."""
    try:
        if tables().store.setup_of(game).is_sealed:
            show_error(SEALED)
            return
        free = _free_seats(game)
    except SpadesError as error:
        show_error(error)
        show_button("Open a table", "add", "play_own", _leave)
        return
    if not free:
        show_info("No seat is free at this table.", "event_seat")
        show_button("Open a table", "add", "play_own", _leave)
        return
    st.markdown(f"**You are asked to a table.** Free: {', '.join(free)}.")
    with row():
        page.text("Your name in the log", "name", **NAME)
        _ask_about()
    show_button("Take a seat", "event_seat", "play_sit", _join, game, type="primary")


def _ask_about() -> None:
    hint = "Written into the log's `source`; empty: nothing."
    page.number("Rating", "rating", step=1, width=140, help=hint)
    page.number("Playing since", "since", step=1, width=160, help=hint)


def _about() -> str:
    asked = page.asked("rating", "since")
    texts = {"rating": "rated {}", "since": "playing since {}"}
    return ", ".join(texts[name].format(n) for name, n in asked.items() if n is not None)


def _deal() -> None:
    """Open the table that the form asks for, and take a seat; a button's callback."""
    with widgets.refusal_kept(page.key("refused")):
        asked = page.asked("target")
        seat = SEATS.index(page.get("seat"))
        agents: list[str | None] = [None] * N_SEATS
        for i, name in enumerate(("left", "partner", "right"), 1):
            agents[(seat + i) % N_SEATS] = None if page.get(name) == PERSON else page.get(name)
        north, east, south, west = agents
        setup = Setup((north, east, south, west), help=True)
        if hand := page.get("hand"):
            setup = _with_deals(setup, hand, rounds_from(hand, page.asked("rounds")["rounds"]))
        else:
            rules = parse_rules(page.get("rules"))
            if page.get("length") == GAME:
                rules = replace(rules, target=asked["target"])
            setup = replace(setup, rules=rules, rounds=int(page.get("length") == ONE))
        about = _about()
        if address := st.context.ip_address:  # of another machine
            check_opening(client_of(address))
        seats = open_table(setup.document())
        game = tables().seat_of(seats[page.get("seat")]).game
        _sit(tables().join(game, _name(), seat, about))


def _with_deals(setup: Setup, hand: str, records: list[Record]) -> Setup:
    rules, *others = {record.rules for record in records}
    if others:
        raise SpadesError(f"the {len(records)} rounds from {hand} on are of different rules")
    deals = tuple((record.dealer, record.hands) for record in records)
    source = "a link's hand" if hand.startswith(PACKED_PREFIX) else hand
    rules = replace(rules, first_hand_bids_itself=False)  # it is bid here
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
        setup, records, is_over = game.setup, list(game.records), game.is_over
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
        hint = "A hint (human, search and judge by card), the trick in words, taking back. The log "
        hint += "notes each card so helped, and models of people leave it out."
        page.toggle("Help", "help", help=hint)
        show_button("New game", "replay", "play_leave", _leave)
    if records:
        names = zip(setup.players, setup.agents, strict=True)
        people = {name for name, agent in names if agent is None} if setup.help else ()
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
    if free := _free_seats(game):
        st.markdown(
            f"**Still free: {', '.join(free)}.** Send this address; who opens it sits down:"
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
            st.page_link(
                "app.py",
                label=f"Round {i + 1}",
                icon=":material/playing_cards:",
                query_params={"log": name, "round": str(i)},
            )
        show_link("Disagreements", "Where the search would play otherwise", {"log": name})
        show_link("Drill", "Drill", {"logs": name})
        show_link("Playstyle", "Playstyle", {"style_logs": name})


def _show_duplicate(place: Seat, setup: Setup, records: list[Record]) -> None:
    """The same deals with agents in the reader's seat: what is luck of the cards falls out."""
    st.markdown("**The same deals, others in your seat**")
    with row():
        for name, label in (("rival", "Agent"), ("cohort", "Cohort")):
            page.select(label, name, AGENTS, accept_new_options=True, width=300)
        key = page.key("compared")
        show_button("Compare", "balance", "play_compare", st.session_state.update, {key: True})
    if not st.session_state.get(key):
        return
    n, ahead = len(records), {"You": np.array(points_ahead(records, place.seat))}
    try:
        for agent in dict.fromkeys((page.get("rival"), page.get("cohort"))):
            with st.spinner(f"{agent} plays {n} rounds"):
                others = _played_again(place, agent, n, setup, records)
            ahead[agent] = np.array(points_ahead(others, place.seat))
        if setup.deals_of.startswith(LOG_PREFIX):
            logged = points_ahead(rounds_from(setup.deals_of, n), place.seat)
            if len(logged) == n:  # all of them were bid and played to the end
                ahead["the log's players"] = np.array(logged)
    except SpadesError as error:
        show_error(error)
        return
    columns = {"round": number("Round")} | {name: number(name, "%+d") for name in ahead}
    table = pd.DataFrame({"round": range(1, n + 1), **ahead})
    show_table(table, "duplicate", columns=columns)
    yours, *rivals = ahead
    for agent in rivals:
        less = ahead[yours] - ahead[agent]
        interval = ratio_interval(less, np.ones(n))
        within = "" if interval is None else f" (95%: {interval[0]:+.1f} to {interval[1]:+.1f})"
        gap = f"You less {agent} on the same deals: {less.mean():+.1f} points a round{within}"
        st.markdown(literal(f"{gap}, n = {n}."))
    show_note(
        "Points are of your side less those of the other. Who else sits there plays as before, a "
        f"person as {STAND_IN}. The agent human is the simulated human."
    )


@st.cache_data(max_entries=50, show_spinner=False)
def _played_again(
    place: Seat, agent: str, n_rounds: int, _setup: Setup, _records: list[Record]
) -> list[Record]:
    """The ``n_rounds`` finished rounds of a game with an agent in a seat."""
    return play_again(_setup, place.seat, agent, _records)
