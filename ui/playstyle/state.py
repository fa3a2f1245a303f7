"""The Playstyle page's values, bound to its address, and the controls that set them.

Every query key begins with ``style_``.
"""

from collections.abc import Iterable, Sequence
from urllib.parse import quote, unquote

import streamlit as st

from analysis.style import counts
from analysis.style.counts import ALL_TRICKS, CONTEXT_LABELS, CONTEXT_TITLES, Group, PlayFilter
from spades.core.rules import MAX_BID
from spades.human.features.abstract_moves import DEFINITIONS_NOTE
from spades.human.features.logs import LEVEL_POINTS, NEAR_BAGS
from spades.notation.log_store import LogEntry, list_logs
from ui.shared import address
from ui.shared.address import STYLE_PREFIX, Field
from ui.shared.codecs import FLAG, TEXT, Choice, Optional, Parsed, Several, Span
from ui.shared.page import is_arrival, watch_window
from ui.shared.records import LogKey
from ui.shared.widgets import row

ALL_BIDS = (0, MAX_BID)
MAX_GROUPS = 4
NAMELESS = "~none~"
HEAD, PANELS = "style_head", "style_panels"
"""Keys of the controls' container and of the panels below it."""
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


def readable_logs() -> dict[str, LogEntry]:
    """By name; logs with several agents in them come first: those have something to compare."""
    entries = sorted((one for one in list_logs() if one.is_readable), key=_has_one_agent)
    return {entry.name: entry for entry in entries}


def _has_one_agent(entry: LogEntry) -> bool:
    plan = entry.provenance.get("plan")
    return not isinstance(plan, dict) or len(set(map(str, plan.get("agents", ())))) < 2


NAME = Parsed(
    lambda text: "" if text == NAMELESS else unquote(text),
    lambda name: quote(name, safe=" ,:=+-._()/'") or NAMELESS,
)
"""The name of a group; what separates names is escaped."""


HANDS_OF = ("bar_of", "at_of", "rounds_of")
"""Whose hands are listed behind a bar, a cell and a number."""


def _context(name: str) -> Choice:
    """A context's labels as links write them."""
    return Choice(CONTEXT_LABELS[name], lambda label: label.replace("'", "").replace(" ", "-"))


page = address.PageState(
    STYLE_PREFIX.removesuffix("_"),
    {
        "logs": Field(
            Several(Choice(readable_logs), "|", is_needed=True),
            lambda values: list(readable_logs())[:1],
            is_always_written=True,
        ),
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
        **dict.fromkeys(HANDS_OF, Field(Optional(NAME), None)),
        "tricks": Field(Span(1, ALL_TRICKS[1] + 1), (1, ALL_TRICKS[1] + 1)),
        "bids": Field(Span(*ALL_BIDS), ALL_BIDS),
        "forced": Field(FLAG, True),
        **{name: Field(Several(_context(name), "|"), []) for name in FILTER_HELP},
    },
    prefix=STYLE_PREFIX,
    files=("logs",),
)
key, get, put = page.key, page.get, page.put


def is_back(logs: tuple[LogKey, ...]) -> bool:
    """Whether the reader comes back from another page to the panels seen here last."""
    is_linked = any(name.startswith(STYLE_PREFIX) for name in st.query_params)
    return is_arrival() and not is_linked and st.session_state.get(key("seen")) == logs


def settle_groups(groups: Sequence[Group]) -> list[Group]:
    """The groups chosen, the first few where none is; a link may have asked for others."""
    known = {group.value: group for group in groups}
    for value in get("groups"):
        if value not in known:
            page.refuse("groups", value or NAMELESS, list(known))
    chosen = [value for value in get("groups") if value in known][:MAX_GROUPS]
    put("groups", chosen or [group.value for group in groups[:N_DEFAULT_GROUPS]])
    return [known[value] for value in get("groups")]


def choose_pair(groups: Iterable[Group]) -> tuple[Group, Group]:
    """Which divergence is looked at: a select box each way; at first the first two groups."""
    known = {group.value: group for group in groups}
    labels = {value: group.label for value, group in known.items()}
    start = page.settle("from", labels, next(iter(labels)))
    others = {value: label for value, label in labels.items() if value != start}
    end = page.settle("to", others, next(iter(others)))
    with row():
        page.select("KL of", "from", labels, width=320)
        page.select("to", "to", others, width=320)
    return known[start], known[end]


def write_state() -> None:
    """Bring the address up to date; whose hands are listed where it isn't the first group's."""
    first = next(iter(get("groups")), None)
    usual = {"bar_of": first, "at_of": get("from"), "rounds_of": first}
    page.write([name for name in page.fields if get(name) != usual.get(name, ...)])


def play_filter() -> PlayFilter:
    first, last = get("tricks")
    bids = tuple(get("bids"))
    contexts = {
        name: tuple(sorted(CONTEXT_LABELS[name].index(label) for label in get(name)))
        for name in FILTER_HELP
    }
    return PlayFilter(
        tricks=(first - 1, last - 1),
        bids=None if bids == ALL_BIDS else bids,
        forced=get("forced"),
        **contexts,
    )


def filter_text(where: PlayFilter) -> str:
    """The filter in words; empty where everything counts."""
    parts = []
    for name in FILTER_HELP:
        if codes := getattr(where, name):
            labels = " or ".join(CONTEXT_LABELS[name][code] for code in codes)
            parts.append(f"{CONTEXT_TITLES[name].lower()}: {labels}")
    if where.tricks != ALL_TRICKS:
        parts.append(f"tricks {where.tricks[0] + 1} to {where.tricks[1] + 1}")
    if where.bids is not None:
        parts.append(f"own bid {where.bids[0]} to {where.bids[1]}")
    if not where.forced:
        parts.append("no forced plays")
    return "; ".join(parts)


def show_log_controls(log_names: Sequence[str]) -> None:
    logs, by = st.columns([4, 1], vertical_alignment="bottom")
    with logs:
        page.several("Logs", "logs", log_names)
    with by:
        hint = "Groups of seats, or the same seats in different contexts."
        page.select("Compare by", "by", help=hint)


def show_group_controls(groups: Sequence[Group]) -> None:
    chosen, rest = st.columns([3, 2], vertical_alignment="bottom")
    with chosen:
        labels, most = {group.value: group.label for group in groups}, MAX_GROUPS
        page.several(f"Groups, up to {most}", "groups", labels, max_selections=most)
    with rest, row():
        hint = "68 tell hearts, diamonds and clubs apart; the published table lists 32."
        page.segments("Abstract moves", "classes", help=hint)
        with st.popover("Which plays", icon=":material/filter_alt:"):
            st.caption("Nothing chosen in a line lets everything pass.")
            for name, hint in FILTER_HELP.items():
                page.pills(CONTEXT_TITLES[name], name, CONTEXT_LABELS[name], help=hint)
            page.slider("Tricks", "tricks")
            page.slider("Own bid", "bids", help="0 is nil.")
            hint = "Plays of the only legal card. The papers count all plays, so they count here."
            page.toggle("Count forced plays", "forced", help=hint)


def show_frequency_controls() -> None:
    st.subheader("Abstract moves", help=f"Devlin 2016, figure 2. {DEFINITIONS_NOTE}")
    with st.container(horizontal=True, gap="medium"):
        page.segments("Share", "measure")
        page.segments("Bar ends", "errors")
        watch_window(above=HEAD, below=PANELS)  # takes no room here
