"""The Replay page's state: its fields, the reader's position, and the settings of the search.

A position is a step: from 0 on a ply, the number of cards played so far; -4 to -1 the four bids of
a record that has them, ``bid=1`` to ``bid=4`` in the address.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import streamlit as st

from analysis.decisions.claims import MAX_POSSIBLE
from analysis.decisions.settings import DEFAULT_MODEL, AnalysisSettings, settings_of_agent
from spades.belief import DETERMINIZATIONS, Dealing
from spades.belief.determinizations.network import NetworkDeterminization
from spades.core.cards import SEAT_NAMES
from spades.core.errors import SpadesError
from spades.core.options import options_of
from spades.core.records import Record
from spades.human import load_prior, model_names
from spades.notation.log_store import list_logs
from spades.search import SearchSettings
from spades.search.techniques.technique import UNBIASED
from ui.disagreements.switch import is_late
from ui.shared import address, records
from ui.shared.address import Field, Track, option_field
from ui.shared.codecs import (
    FLAG,
    TEXT,
    Choice,
    Codec,
    Integer,
    Number,
    Parsed,
    Several,
    WrongValueError,
    text_of,
)
from ui.shared.log_in_hand import take_in_hand
from ui.shared.options import (
    BIAS,
    BIAS_OPTIONS,
    DEALING_OPTIONS,
    SEARCH_OPTIONS,
    STRENGTHS,
    chosen,
    chosen_bias,
    fields_of,
)
from ui.shared.page import is_arrival, is_history
from ui.shared.pages import page_of
from ui.shared.records import DEFAULT_HAND, LOG_PREFIX, ListedRows, find_hand, log_of

LANDING = dict(parse_qsl(page_of("Replay").example))  # what an address without a query shows
N_BIDS = 4
SECOND = "best"  # the second opinion's agent
MAX_AGENTS = 3  # beside the search of the controls and the biased one
BUDGETS = (2, 4, 5, 10, 30, 60)  # seconds of a core to settle a decision
BUDGET = 4  # as everywhere: ``analysis.decisions.evidence.BUDGET_SECONDS``
LONGEST_GAME = 100  # characters of a part of a game's name
BELIEFS = "beliefs"  # the view of the own hand and its beliefs about the others
NO_BIAS = {
    BIAS.name: UNBIASED,
    **{name: option.default for name, option in BIAS_OPTIONS.items()},
}
UNCOMBINED = ("equivalence", "duck", "solved")
"""Options of the first search that contradict some others."""
TABS = {
    "why": "Why",
    "cards": "Where the cards may be",
    "whatif": "What if",
    "searches": "Each search",
    "hand": "Whole hand",
}
"""The tabs by their names in the address."""
OLD_PANELS = {
    "growth": "searches",
    "stability": "searches",
    "deals": "cards",
    "whatif": "whatif",
    "review": "hand",
    "bids": "hand",
}
"""The tabs that hold what older links open as a panel."""
AS_SEARCH = "search"  # dealt as the search of the decision table deals
POLICY_LABELS = {
    "srp": "Strong rule-based players",
    "wrp": "Weak rule-based players",
    "human": "Simulated humans",
    "random": "Random players",
}
ROUND_FILTERS = {
    "all": "Every round",
    "nil": "With a nil",
    "failed": "With a failed nil",
    "set": "A side went set",
}


@dataclass
class OpenHand:
    """The hand on the table, and its name in the address."""

    name: str
    record: Record

    @classmethod
    def of(cls, name: str) -> Self:
        """``SpadesError`` where there is no such hand."""
        return cls(name, find_hand(name))


def _parse_hand(name: str) -> OpenHand:
    try:
        return OpenHand.of(name)
    except SpadesError as error:
        nearest = records.nearest_round(name) or DEFAULT_HAND
        raise WrongValueError(str(error), OpenHand.of(nearest)) from None


def _bid_codec(values: Mapping[str, Any]) -> Codec:
    if values["hand"].record.has_bids:
        return Integer(1, N_BIDS)

    def refuse(text: str) -> int:
        raise ValueError("the record doesn't say what was bid")

    return Parsed(refuse, lambda _: f"ply {values['ply']}")


settings_of = lru_cache(settings_of_agent)


def _agent_text(text: str) -> str:
    settings_of(text)
    return text


def log_names() -> list[str]:
    return [entry.name for entry in list_logs() if not entry.problem]


_DEALT = Field(Choice((AS_SEARCH, *DETERMINIZATIONS)), AS_SEARCH)
PLACE = {
    "hand": Field(
        Parsed(_parse_hand, lambda hand: hand.name),
        lambda _: OpenHand.of(DEFAULT_HAND),
        is_always_written=True,
    ),
    "ply": Field(lambda values: Integer(0, len(values["hand"].record.plays)), 0),
    "bid": Field(_bid_codec, 0),
    "view": Field(Choice(("all", "own", BELIEFS)), "all"),
}
WIDGETS = {
    # How decisions are searched.
    "iterations": option_field(options_of(AnalysisSettings)["iterations"]),
    "seed": Field(Integer(0, 2**31 - 1), 0),
    "budget": Field(Choice(BUDGETS), BUDGET),
    "model": Field(Several(Choice(model_names), is_needed=True), [DEFAULT_MODEL]),
    **fields_of(DEALING_OPTIONS),
    **fields_of(SEARCH_OPTIONS),
    "technique": option_field(BIAS),
    "bias_model": option_field(BIAS_OPTIONS["model"]),
    **fields_of({name: BIAS_OPTIONS[name] for name in STRENGTHS}),
    "agents": Field(Several(Parsed(_agent_text), ";", most=MAX_AGENTS), []),
    # What is shown.
    "believed": Field(Choice(tuple(DETERMINIZATIONS)), NetworkDeterminization.name),
    "seat": Field(Choice({"mover": "Seat to play", **SEAT_NAMES}), "mover"),
    "threshold": Field(Number(0.0, 1.0), 0.1),
    "spoiler": Field(FLAG, False),
    "more": Field(FLAG, False),
    "colors": Field(Choice({n: f"{n} colours" for n in (2, 4)}), 2),
    # What it was opened from: a list of disagreements, or as older links have it some rows of one.
    "list": Field(TEXT, ""),
    "rows": Field(Parsed(ListedRows.parse, text_of), None),
    # The tabs below the table.
    "tab": Field(Choice(TABS.values(), {label: name for name, label in TABS.items()}.get), "Why"),
    "searches": Field(Choice((20, 100, 300, 1000)), 100),
    "deal_count": Field(Choice((100, 300, 1000)), 300),
    "dealing": _DEALT,
    "deal": Field(Integer(1, MAX_POSSIBLE), 1),
    "trials": Field(Choice((200, 1000, 5000)), 1000),
    "whatif_dealing": _DEALT,
    "policy": Field(Choice(POLICY_LABELS), "srp"),
    # The rounds of a log.
    "browse_log": Field(Choice(lambda: ("", *log_names())), ""),  # '': on the table, or the first
    "browse": Field(Choice(ROUND_FILTERS), "all"),
    "browse_game": Field(Parsed(lambda text: text[:LONGEST_GAME]), ""),
    "browse_page": Field(Integer(1, 1_000_000), 1),
}


class _Page(address.PageState):
    """Replay's fields; ``step``: where the reader was put.

    Its controls also get their value as their default: a browser makes a control inside a popover
    when the popover opens, with the default of the run before, and reports that as its value."""

    def get(self, name: str) -> Any:
        """A value; of a control that isn't drawn, or has an illegal number, the last legal one."""
        if name not in WIDGETS:
            return st.session_state[self.key(name)]
        value, error = self._checked(name)
        if not error:
            st.session_state[self.key("widgets")][name] = value
        return st.session_state[self.key("widgets")][name]

    def _checked(self, name: str) -> tuple[Any, str]:
        if self.key(name) not in st.session_state:
            return st.session_state[self.key("widgets")][name], ""
        return super()._checked(name)

    def number(self, label: str, name: str, **settings: Any) -> None:
        """Repeats an error above the table: the number's popover may be closed."""
        super().number(label, name, **settings)
        _, error = self._checked(name)
        if error:
            refused = f"{label} is {error}. In force: {self.get(name):,.12g}."
            st.session_state[self.key("refused")].append(refused)

    def put(self, name: str, value: object) -> None:
        """Set a value; a control's before it is drawn, or in a callback."""
        if name in WIDGETS:
            st.session_state[self.key("widgets")][name] = value
        st.session_state[self.key(name)] = value

    def shown(self, draw: Callable, name: str, options: Sequence = ()) -> dict[str, Any]:
        self.get("controls_ever").add(name)
        self.get("controls_now").add(name)
        self.get("controls_gone").discard(name)
        value = self.get(name)
        if draw == st.selectbox:
            return {"index": options.index(value)}
        if draw in (st.multiselect, st.segmented_control):
            return {"default": value}
        codec = self._item_codec(name)
        return {"value": codec.kind(value) if isinstance(codec, Number) else value}


page = _Page("replay", {**PLACE, **WIDGETS})
key = page.key
get = page.get
put = page.put


def read_state() -> list[str]:
    """Fill the session from the address where it is a link; what was wrong with the link."""
    query = st.query_params.to_dict()
    if key("hand") not in st.session_state or _is_link(query):
        _follow(query)
    else:
        _drop_stale_values()
        # A log or a model may be gone since it was chosen.
        hand = get("hand")
        if hand.name.startswith(LOG_PREFIX):
            page.look_up("hand")
        page.look_up("model", "bias_model")
        if get("hand") is not hand:
            go_to(0)
    put("refused", [])
    put("controls_now", set())
    return get("complaints")


def _is_link(query: Mapping[str, str]) -> bool:
    if is_late(query):
        return False
    if is_history():
        return True
    if is_arrival():
        page.track = Track()
    return page.track.is_link(query) and bool(query)  # none: the page stays as it was left


def _drop_stale_values() -> None:
    """Forget the values of controls that the browser sends with a quick click, before it knows of
    a link's, or that a popover of theirs is closed."""
    for name in WIDGETS:
        if key(name) not in st.session_state:
            continue
        value = st.session_state[key(name)]
        chosen = address.by_link(value, name, page.track.linked)
        if name in get("controls_gone"):
            chosen = get("widgets")[name]
        if chosen != value:
            st.session_state[key(name)] = chosen


def _follow(query: Mapping[str, str]) -> None:
    values, step, complaints = parse_link(query)
    _take_log(values)
    controls = {name: values[name] for name in WIDGETS}
    before = st.session_state.get(key("widgets"), controls)
    linked = address.changed_by_link(controls, before)
    st.session_state.setdefault(key("controls_ever"), set())  # those drawn, by name
    st.session_state.setdefault(key("controls_gone"), set())  # not drawn by the last whole run
    put("widgets", controls)
    for name in WIDGETS:
        if key(name) in st.session_state:
            st.session_state[key(name)] = values[name]
    put("view", values["view"])
    put("view_shown", values["view"])
    put("step", step)
    put("rev", st.session_state.get(key("rev"), -1) + 1)
    put("complaints", complaints)
    put("hand", values["hand"])
    page.track = Track(last=query, linked=linked)  # last: with it the link counts as followed


def _take_log(values: Mapping[str, Any]) -> None:
    """Take the log that a link names in hand; a return to the hand that was open names none."""
    before = st.session_state.get(key("hand"))
    if values["browse_log"]:
        take_in_hand(values["browse_log"])
    elif before is None or before.name != values["hand"].name:
        take_in_hand(log_of(values["hand"].name))


def parse_link(query: Mapping[str, str]) -> tuple[dict[str, Any], int, list[str]]:
    """(values of all fields, the step that a link leads to, complaints about it)."""
    query = query or LANDING
    if "log" in query:  # other pages link by log and round
        query = {**query, "hand": records.hand_name(query["log"], query.get("round", "0"))}
    for name, tab in OLD_PANELS.items():
        if query.get(name) == "1":
            query = {"tab": tab, **query}
    values, complaints = page.parse(query)
    bid = values["bid"]
    ply = values["ply"]
    if not bid:
        return values, ply, complaints
    if "ply" in query:
        complaints.append(
            f"The link says bid={bid}; a link says either bid or ply. Shown: ply {ply}."
        )
        return values, ply, complaints
    return values, step_of_bid(bid), complaints


def write_state(step: int, hands: str, *, has_beliefs: bool | None = None) -> None:
    """Bring the address up to date with the reader's position.

    ``hands``: the open ones, all or own; ``has_beliefs``: whether beliefs are shown on the others,
    as before if None."""
    if has_beliefs is None:
        has_beliefs = get("view_shown") == BELIEFS
    view = BELIEFS if hands == "own" and has_beliefs else hands
    put("view_shown", view)
    values = {name: get(name) for name in WIDGETS}
    values["model"] = values["model"] or [DEFAULT_MODEL]
    if values["browse_log"] == st.session_state.get(key("browse_usual")):
        values["browse_log"] = ""
    values |= {"hand": get("hand"), "view": view, "ply": max(step, 0), "bid": bid_at(step)}
    wanted = page.format(values)
    if wanted == LANDING:
        wanted = {}
    page.track.write(wanted)


def end_run() -> None:
    """Note that all is drawn, with it what a link named; from now on the browser may send the
    values of the controls that are on the page."""
    page.track.linked = {}
    put("controls_gone", get("controls_ever") - get("controls_now"))


def link_here() -> str:
    """The whole address of what is shown."""
    place = urlsplit(st.context.url or "")
    query = urlencode(st.query_params.to_dict())
    return urlunsplit((place.scheme, place.netloc, place.path or "/", query, ""))


def open_hand(hand: OpenHand) -> None:
    put("hand", hand)
    put("complaints", [])
    put("reading", None)
    put("lone_hand", None)
    go_to(0)


def go_to(step: int) -> None:
    """Move to a step; the browser's view follows because the revision changes."""
    record = get("hand").record
    put("view", get("view_shown"))
    put("step", min(max(step, first_step(record.has_bids)), len(record.plays)))
    put("rev", get("rev") + 1)


def first_step(has_bids: bool) -> int:
    return -N_BIDS if has_bids else 0


def bid_at(step: int) -> int:
    return step + N_BIDS + 1 if step < 0 else 0


def step_of_bid(bid: int) -> int:
    return bid - N_BIDS - 1


def settings() -> AnalysisSettings:
    """The settings of all searches; models that can't be read are left out."""
    search, _ = _search()
    first = AnalysisSettings(
        iterations=get("iterations"),
        seed=get("seed"),
        models=_readable(get("model")),
        search=search,
        dealing=chosen(Dealing, get),
    )
    others = []
    if get("technique") != UNBIASED:
        others.append(biased(first))
    legal_agents, _ = _agents()
    for agent in legal_agents:
        others.append(replace(settings_of(agent), seed=first.seed))
    distinct = dict.fromkeys(map(_with_readable_bias, others))
    return replace(first, others=tuple(distinct))


def _search() -> tuple[SearchSettings, str]:
    """(the first search's settings, error): contradicting options get their defaults."""
    try:
        return chosen(SearchSettings, get, **NO_BIAS), ""
    except SpadesError as error:
        defaults = {name: SEARCH_OPTIONS[name].default for name in UNCOMBINED}
        in_force = f"In force: without {', '.join(UNCOMBINED)}"
        return chosen(SearchSettings, get, **NO_BIAS, **defaults), f"{error}. {in_force}."


def plain(search: SearchSettings) -> SearchSettings:
    """A search without its bias and the options that contradict one."""
    return replace(search, skew=None, equivalence=False, duck=False, bias=None)


def biased(first: AnalysisSettings) -> AnalysisSettings:
    """The first search with the controls' bias, without the options that contradict one."""
    bias = chosen_bias(get, model=get("bias_model"))
    search = replace(plain(first.search), bias=bias)
    return replace(first, search=search, models=AnalysisSettings.models, others=())


def _with_readable_bias(settings: AnalysisSettings) -> AnalysisSettings:
    bias = settings.search.bias
    if bias is None:
        return settings
    (model,) = _readable([bias.model])
    return replace(settings, search=replace(settings.search, bias=replace(bias, model=model)))


def _agents() -> tuple[list[str], list[str]]:
    """(agents beside the first search, errors of those that give cards no values)."""
    legal = []
    errors = []
    for text in get("agents"):
        try:
            settings_of(text)
            legal.append(text)
        except SpadesError as error:
            errors.append(f"Not beside the search: {error}.")
    return legal, errors


def refusals() -> list[str]:
    """Illegal numbers and agents, models that can't be read; and what is in force instead."""
    agents, errors = _agents()
    refused = [*get("refused"), *errors]
    _, contradiction = _search()
    if contradiction:
        refused.append(f"Not searched so: {contradiction}")
    shown = f"Shown: {', '.join(_readable(get('model')))}."
    for model in get("model"):
        refused += _model_errors(model, shown)
    biases = [settings_of(agent).search.bias for agent in agents]
    bias_models = [bias.model for bias in biases if bias]
    if get("technique") != UNBIASED:
        bias_models.append(get("bias_model"))
    for model in bias_models:
        refused += _model_errors(model, f"The biased search leans towards {DEFAULT_MODEL}.")
    return refused


def _model_errors(model: str, in_force: str) -> list[str]:
    problem = _problem_of(model)
    return [f"The model {model} can't be read: {problem}. {in_force}"] if problem else []


def _problem_of(model: str) -> str:
    try:
        load_prior(model)
    except SpadesError as error:
        return str(error)
    return ""


def _readable(models: Iterable[str]) -> tuple[str, ...]:
    """The models whose files are sound, else the default one."""
    return tuple(name for name in models if not _problem_of(name)) or (DEFAULT_MODEL,)
