"""The Style page's values, bound to its address, and the controls that its views share."""

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote, unquote

import streamlit as st

from analysis.people.identify import USUAL_MODELS
from analysis.people.players import players_of
from analysis.people.plays_like import DECISIONS
from analysis.style import counts
from analysis.style.counts import ALL_TRICKS, CONTEXT_LABELS, CONTEXT_TITLES, Group, PlayFilter
from analysis.style.habits import MOST_HABITS
from spades.core.errors import SpadesError
from spades.core.rules import MAX_BID
from spades.human.features.logs import LEVEL_POINTS, NEAR_BAGS
from ui.shared import address
from ui.shared.address import Field, Values
from ui.shared.codecs import FLAG, TEXT, Choice, Integer, Optional, Parsed, Several, Span
from ui.shared.log_fields import LOG, SeveralLogs
from ui.shared.log_in_hand import USUAL, log_in_hand
from ui.shared.panel import show_rest
from ui.shared.records import opened, readable_logs
from ui.shared.views import View, view_field
from ui.shared.widgets import NO_LOGS, row

ALL_BIDS = (0, MAX_BID)
MAX_GROUPS = 4
NAMELESS = "~none~"
BY_LABELS = {name: CONTEXT_TITLES.get(name, name.capitalize()) for name in counts.GROUPINGS}
BY_LABELS["kind"] = "Kind of player"
FILTER_HELP = {
    "nil": "Whose nil is alive for the seat to play; the first of own, partner's, an opponent's.",
    "bags": f"Near: at most {NEAR_BAGS} more bags of the own partnership cost the penalty.",
    "partner": "Whether the partner's card wins the trick so far.",
    "turn": "Whether the seat leads or plays second, third or last.",
    "score": f"Own score before the round; level within {LEVEL_POINTS} points.",
    "contract": "Whether the own partnership has the tricks it bid.",
}
MEASURES = {"within": "of its category", "share": "of all plays"}
ERRORS = {"sd": "SD over games", "interval": "95% interval"}
N_DEFAULT_GROUPS = 3
COHORT = "four-humans"


def _parse_name(text: str) -> str:
    return "" if text == NAMELESS else unquote(text)


def _format_name(name: str) -> str:
    return quote(name, safe=" ,:=+-._()/'") or NAMELESS


NAME = Parsed(_parse_name, _format_name)
"""The name of a group; what separates names is escaped."""
CHOICE_OF_GROUPS = ("logs", "by", "groups", "from", "to")
HANDS_OF = ("bar_of", "at_of", "rounds_of", "habit_of")
"""Whose hands are listed behind a bar, a cell, a number and a habit."""


def _format_label(label: str) -> str:
    """A context's label as links write it."""
    return label.replace("'", "").replace(" ", "-")


def _filter_field(context: str) -> Field:
    choice = Choice(CONTEXT_LABELS[context], _format_label)
    return Field(Several(choice, "|"), [])


def _cohort(values: Values) -> str:
    """A log of people other than the player's own, if there is one."""
    log = values.get("log") or log_in_hand()
    others = [name for name in (COHORT, USUAL) if name in readable_logs() and name != log]
    return others[0] if others else log


LAST_TRICK = ALL_TRICKS[1] + 1
LOGS = SeveralLogs("style_logs")
GROUPS = {
    "logs": LOGS.field(),
    "by": Field(Choice(BY_LABELS), "kind"),
    "groups": Field(Several(NAME, "|"), []),
    "classes": Field(Choice({n: f"{n} classes" for n in (32, 68)}), 32),
    "measure": Field(Choice(MEASURES), "within"),
    "errors": Field(Choice(ERRORS), "sd"),
    "from": Field(Optional(NAME), None),
    "to": Field(Optional(NAME), None),
    "context": Field(Choice(CONTEXT_LABELS), "nil"),
    "at": Field(TEXT, ""),
    "move": Field(TEXT, ""),
    "bar": Field(TEXT, ""),
    "rounds": Field(TEXT, ""),
    "habit": Field(Integer(1, MOST_HABITS), 1),
    **dict.fromkeys(HANDS_OF, Field(Optional(NAME), None)),
    "tricks": Field(Span(1, LAST_TRICK), (1, LAST_TRICK)),
    "bids": Field(Span(*ALL_BIDS), ALL_BIDS),
    "forced": Field(FLAG, True),
    **{context: _filter_field(context) for context in FILTER_HELP},
}
PLAYERS = {
    "log": LOG,
    "player": Field(TEXT, ""),
    "model": Field(TEXT, ""),  # a player's, among the user's own
    "cohort": Field(Choice(readable_logs), _cohort),
    "rate": Field(TEXT, ""),
    "models": Field(TEXT, USUAL_MODELS),
    "prior": Field(TEXT, ""),  # odds of each model; '': even
    "first_round": Field(Integer(0, 10_000_000), 0),  # of the player's rounds
    "n_rounds": Field(Integer(1, 200), 10),
    "decisions": Field(Choice((100, DECISIONS, 1_000)), DECISIONS),
}


def _groups_shown() -> list[str]:
    """Whose hands are listed is only said where it isn't the first group's."""
    first_group = next(iter(get("groups")), None)
    usual = {
        "bar_of": first_group,
        "at_of": get("from"),
        "rounds_of": first_group,
        "habit_of": get("to"),
    }
    return [name for name in GROUPS if name not in usual or get(name) != usual[name]]


def _player_shown() -> list[str]:
    """The same of one player and the cohort, which are chosen otherwise."""
    player = get("player")
    usual = {"bar_of": player, "at_of": player, "rounds_of": player, "habit_of": counts.ALL_OTHERS}
    shown = [name for name in GROUPS if name not in CHOICE_OF_GROUPS]
    shown = [name for name in shown if name not in usual or get(name) != usual[name]]
    return ["log", "player", "cohort", "rate", *shown]


VIEWS = {
    "groups": View("Groups", "ui.style.groups:show", _groups_shown),
    "rates": View("One player", "ui.style.rates:show", _player_shown),
    "model": View("A player's model", "ui.style.model:show", ["log", "player", "model"]),
    "who": View(
        "Who played this?",
        "ui.style.who:show",
        ["log", "player", "models", "prior", "first_round", "n_rounds"],
    ),
    "like": View("Plays like", "ui.style.like:show", ["log", "player", "decisions"]),
}
page = address.PageState(
    "style", {"view": view_field(VIEWS), **GROUPS, **PLAYERS}, files=("logs", "log", "cohort")
)
key = page.key
get = page.get
put = page.put


def settle_groups(groups: Sequence[Group]) -> list[Group]:
    """The groups chosen, or the first few. Groups that a link names but the logs don't have are
    refused."""
    known = {group.value: group for group in groups}
    chosen = []
    for value in get("groups"):
        if value in known:
            chosen.append(value)
        else:
            page.refuse("groups", value or NAMELESS, list(known))
    if not chosen:
        chosen = list(known)[:N_DEFAULT_GROUPS]
    chosen = chosen[:MAX_GROUPS]
    put("groups", chosen)
    return [known[value] for value in chosen]


def choose_pair(groups: Iterable[Group]) -> tuple[Group, Group]:
    """The divergence that is shown in detail: a select box each way; at first the first two
    groups."""
    known = {group.value: group for group in groups}
    labels = {value: group.label for value, group in known.items()}
    start = page.settle("from", labels, next(iter(labels)))
    others = {value: label for value, label in labels.items() if value != start}
    end = page.settle("to", others, next(iter(others)))
    with row():
        page.select("KL of", "from", labels, width=320)
        page.select("to", "to", others, width=320)
    return known[start], known[end]


def play_filter() -> PlayFilter:
    first, last = get("tricks")
    bids = tuple(get("bids"))
    codes = {}
    for name in FILTER_HELP:
        labels = CONTEXT_LABELS[name]
        codes[name] = tuple(sorted(labels.index(label) for label in get(name)))
    return PlayFilter(
        tricks=(first - 1, last - 1),
        bids=None if bids == ALL_BIDS else bids,
        forced=get("forced"),
        **codes,
    )


def filter_text(where: PlayFilter) -> str:
    """The filter in words; empty where everything counts."""
    parts = []
    for name in FILTER_HELP:
        labels = [CONTEXT_LABELS[name][code] for code in getattr(where, name)]
        if labels:
            parts.append(f"{CONTEXT_TITLES[name].lower()}: {' or '.join(labels)}")
    if where.tricks != ALL_TRICKS:
        first, last = where.tricks
        parts.append(f"tricks {first + 1} to {last + 1}")
    if where.bids is not None:
        low, high = where.bids
        parts.append(f"own bid {low} to {high}")
    if not where.forced:
        parts.append("no forced plays")
    return "; ".join(parts)


def show_log_controls(log_names: Sequence[str]) -> None:
    logs, by = st.columns([4, 1], vertical_alignment="bottom")
    with logs:
        LOGS.control("Logs", log_names)
    with by:
        hint = "Groups of seats, or the same seats in different contexts."
        page.select("Compare by", "by", help=hint)


def choice_button(groups: Sequence[Group]) -> Any:
    """The button behind which the whole choice is; it says which logs and groups are chosen."""
    chosen = ", ".join(group.label for group in groups)
    label = f"{', '.join(get('logs'))}: {chosen}"
    return st.popover(label, icon=":material/tune:", key=key("choice"), width="stretch")


def show_group_controls(groups: Sequence[Group]) -> None:
    chosen, rest = st.columns([3, 2], vertical_alignment="bottom")
    with chosen:
        labels = {group.value: group.label for group in groups}
        page.several(f"Groups, up to {MAX_GROUPS}", "groups", labels, max_selections=MAX_GROUPS)
    with rest, row():
        show_play_controls()


def show_play_controls() -> None:
    """In which classes plays are counted, and which of them."""
    hint = "68 tell hearts, diamonds and clubs apart; the published table lists 32."
    page.segments("Abstract moves", "classes", help=hint)
    with show_rest("Which plays", filter_text(play_filter()), "filter_alt"):
        st.caption("Nothing chosen in a line lets everything pass.")
        for name, hint in FILTER_HELP.items():
            page.pills(CONTEXT_TITLES[name], name, CONTEXT_LABELS[name], help=hint)
        page.slider("Tricks", "tricks")
        page.slider("Own bid", "bids", help="0 is nil.")
        hint = "Plays of the only legal card. The papers count all plays, so they count here."
        page.toggle("Count forced plays", "forced", help=hint)


def choose_group(name: str, groups: Sequence[Group]) -> Group:
    """Whose hands are listed: one group at a time, usually the first."""
    by_value = {group.value: group for group in groups}
    if len(by_value) == 1:
        return groups[0]
    labels = {group.value: group.label for group in groups}
    if page.get(f"{name}_of") not in labels:
        page.put(f"{name}_of", groups[0].value)
    return by_value[page.select("Hands of", f"{name}_of", labels, width=320)]


def pick_player() -> tuple[str, str]:
    """The chosen log and player, '' if the log names nobody. Raises ``SpadesError`` for a log that
    can't be read."""
    if not readable_logs():
        raise SpadesError(NO_LOGS)
    log = page.get("log")
    seats = counts.seats_by_name([opened(log)], "player")
    named = {group.value: group.label for group in counts.groups_of_seats(seats, "player")}
    labels = {
        player.name: f"{named[player.name]}, {player.games:,} games"
        for player in players_of(opened(log))
    }
    page.settle("player", labels, next(iter(labels), ""))
    player = page.select(f"Player of {log}", "player", labels, width=320)
    return log, player or ""
