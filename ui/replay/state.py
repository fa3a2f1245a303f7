"""The Replay page's state: its fields, where the reader is, and the settings of the search.

A step of a round from 0 on is a ply, the number of cards played so far; steps -4 to -1 are the four
bids, where the record says what was bid. The address says ``bid=1`` to ``bid=4`` for them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import streamlit as st

from analysis.decisions.claims import MAX_POSSIBLE
from analysis.decisions.settings import DEFAULT_MODEL, AnalysisSettings, settings_of_agent
from spades.belief import DETERMINIZERS, Dealing
from spades.belief.dealing import NETWORK
from spades.core.cards import SEAT_NAMES
from spades.core.errors import SpadesError
from spades.core.options import options_of
from spades.core.records import Record
from spades.human import load_prior, model_names
from spades.notation.log_store import list_logs
from spades.search import SearchSettings
from spades.search.techniques.technique import UNBIASED
from ui.shared import address, records
from ui.shared.address import FLAG, Choice, Field, Integer, Number, Several, option_field
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
from ui.shared.records import DEFAULT_HAND, LOG_PREFIX, ListedRows, find_hand

N_BIDS = 4
SECOND = "best"  # whose opinion is put beside the search's
MAX_AGENTS = 3  # beside the search of the controls and the biased one
BUDGETS = (2, 5, 10, 30, 60)  # seconds of a core to settle a decision
LONGEST_GAME = 100  # characters of a part of a game's name
BELIEFS = "beliefs"  # own hand, and what it makes of the others
NO_BIAS = {BIAS.name: UNBIASED} | {name: option.default for name, option in BIAS_OPTIONS.items()}
UNCOMBINED = ("equivalence", "duck", "solved")
"""Options of the first search that don't go with every other one."""
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
    """The hand on the table and what the address calls it."""

    name: str
    record: Record


def _open(name: str) -> OpenHand:
    return OpenHand(name, find_hand(name))


def _bid_codec(values: Mapping[str, Any]) -> address.Codec:
    if values["hand"].record.has_bids:
        return Integer(1, N_BIDS)

    def refuse(text: str) -> int:
        raise ValueError("the record doesn't say what was bid")

    return address.Parsed(refuse, lambda _: f"ply {values['ply']}")


settings_of = lru_cache(settings_of_agent)


def _agent_text(text: str) -> str:
    settings_of(text)
    return text


def log_names() -> list[str]:
    return [entry.name for entry in list_logs() if not entry.problem]


_DEALT = Field(Choice((AS_SEARCH, *DETERMINIZERS)), AS_SEARCH)
_CLOSED = Field(FLAG, False)
PLACE = {
    "hand": Field(
        address.Parsed(
            _open,
            lambda hand: hand.name,
            lambda name: _open(records.nearest_round(name) or DEFAULT_HAND),
        ),
        lambda _: _open(DEFAULT_HAND),
    ),
    "ply": Field(lambda values: Integer(0, len(values["hand"].record.plays)), 0),
    "bid": Field(_bid_codec, 0),
    "view": Field(Choice(("all", "own", BELIEFS)), "all"),
}
WIDGETS = {
    # How decisions are searched.
    "iterations": option_field(options_of(AnalysisSettings)["iterations"]),
    "seed": Field(Integer(0, 2**31 - 1), 0),
    "budget": Field(Choice(BUDGETS), BUDGETS[0]),
    "model": Field(Several(Choice(model_names), is_needed=True), [DEFAULT_MODEL]),
    **fields_of(DEALING_OPTIONS),
    **fields_of(SEARCH_OPTIONS),
    "technique": option_field(BIAS),
    "bias_model": option_field(BIAS_OPTIONS["model"]),
    **fields_of({name: BIAS_OPTIONS[name] for name in STRENGTHS}),
    "agents": Field(Several(address.Parsed(_agent_text), ";", most=MAX_AGENTS), []),
    # What is shown.
    "believed": Field(Choice(tuple(DETERMINIZERS)), NETWORK),
    "seat": Field(Choice({"mover": "Seat to play", **SEAT_NAMES}), "mover"),
    "threshold": Field(Number(0.0, 1.0), 0.1),
    "spoiler": Field(FLAG, False),
    "colors": Field(Choice({n: f"{n} colours" for n in (2, 4)}), 2),
    "rows": Field(address.Parsed(ListedRows.parse), None),  # beside the one that was opened
    # The panels below the table.
    "growth": _CLOSED,
    "review": _CLOSED,
    "bids": _CLOSED,
    "stability": _CLOSED,
    "searches": Field(Choice((20, 100, 300, 1000)), 100),
    "deals": _CLOSED,
    "deal_count": Field(Choice((100, 300, 1000)), 300),
    "dealing": _DEALT,
    "deal": Field(Integer(1, MAX_POSSIBLE), 1),
    "whatif": _CLOSED,
    "trials": Field(Choice((200, 1000, 5000)), 1000),
    "whatif_dealing": _DEALT,
    "policy": Field(Choice(POLICY_LABELS), "srp"),
    # The rounds of a log.
    "browse_log": Field(Choice(lambda: ("", *log_names())), ""),  # '': on the table, or the first
    "browse": Field(Choice(ROUND_FILTERS), "all"),
    "browse_game": Field(address.Parsed(lambda text: text[:LONGEST_GAME]), ""),
    "browse_page": Field(Integer(1, 1_000_000), 1),
}


class _Page(address.PageState):
    """Replay's fields; ``step``: where the reader was put.

    Its controls also get their value as their default: one inside a popover is made by the browser
    when the popover opens, with the default of the run before, and reports that as its value."""

    def get(self, name: str) -> Any:
        """A value; a control's, or what it last was where none is drawn or it isn't legal."""
        if name not in WIDGETS:
            return st.session_state[self.key(name)]
        value, why = self._typed(name)
        if not why:
            st.session_state[self.key("widgets")][name] = value
        return st.session_state[self.key("widgets")][name]

    def _typed(self, name: str) -> tuple[Any, str]:
        if self.key(name) not in st.session_state:
            return st.session_state[self.key("widgets")][name], ""
        return super()._typed(name)

    def number(self, label: str, name: str, **look: Any) -> None:
        """Also said above the table: the popover that it is in may be closed."""
        super().number(label, name, **look)
        if why := self._typed(name)[1]:
            refused = f"{label} is {why}. In force: {self.get(name):,.12g}."
            st.session_state[self.key("refused")].append(refused)

    def put(self, name: str, value: object) -> None:
        """Set a value; a control's before it is drawn, or in a callback."""
        if name in WIDGETS:
            st.session_state[self.key("widgets")][name] = value
        st.session_state[self.key(name)] = value

    def shown(self, draw: Callable, name: str, options: Sequence = ()) -> dict[str, Any]:
        value = self.get(name)
        if draw == st.selectbox:
            return {"index": options.index(value)}
        if draw in (st.multiselect, st.segmented_control):
            return {"default": value}
        return {"value": getattr(self._item_codec(name), "kind", lambda it: it)(value)}


page = _Page("replay", {**PLACE, **WIDGETS})
key, get, put = page.key, page.get, page.put


def read_state() -> list[str]:
    """Fill the session from the address where a link leads here; what was wrong with the link."""
    is_link = is_history() or (is_arrival() and st.query_params)
    if is_link or is_arrival():
        st.session_state.pop(key("written"), None)
    if is_link or key("hand") not in st.session_state:
        _follow(st.query_params.to_dict())
    else:  # a log or a model may be gone since it was chosen
        hand = get("hand")
        page.look_up(*["hand"] * hand.name.startswith(LOG_PREFIX), "model", "bias_model")
        if get("hand") is not hand:
            go_to(0)
    put("refused", [])
    return get("complaints")


def _follow(given: dict[str, str]) -> None:
    values, step, complaints = parse_link(given)
    put("widgets", {name: values[name] for name in WIDGETS})
    for name in WIDGETS:
        if key(name) in st.session_state:
            st.session_state[key(name)] = values[name]
    rev = st.session_state.get(key("rev"), -1) + 1
    place = {"view": values["view"], "view_shown": values["view"], "step": step, "rev": rev}
    # The hand comes last: with it the link counts as followed, whatever interrupts this run.
    for name, value in {**place, "complaints": complaints, "hand": values["hand"]}.items():
        put(name, value)


def parse_link(given: Mapping[str, str]) -> tuple[dict[str, Any], int, list[str]]:
    """Values of all fields, the step that a link leads to, and what was wrong with it."""
    if "log" in given:  # other pages link by log and round
        given = {**given, "hand": records.hand_name(given["log"], given.get("round", "0"))}
    values, complaints = page.parse(given)
    bid, ply = values["bid"], values["ply"]
    if bid and "ply" in given:
        complaints.append(
            f"The link says bid={bid}; a link says either bid or ply. Shown: ply {ply}."
        )
        bid = 0
    return values, step_of_bid(bid) if bid else ply, complaints


def write_state(step: int, hands: str, *, has_beliefs: bool | None = None) -> None:
    """Bring the address up to date with where the reader is.

    ``hands``: those open, all or own; ``has_beliefs``: whether beliefs are shown on the others, as
    before if None."""
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
    address.show_in_address(wanted, st.session_state.get(key("written")))
    st.session_state[key("written")] = wanted


def open_hand(hand: OpenHand) -> None:
    put("hand", hand)
    put("complaints", [])
    put("reading", None)
    put("lone_hand", None)
    go_to(0)


def go_to(step: int) -> None:
    """Move the replay to a step; the view follows because its revision changes."""
    record = get("hand").record
    put("view", get("view_shown"))
    put("step", min(max(step, first_step(record.has_bids)), len(record.plays)))
    put("rev", get("rev") + 1)


def first_step(has_bids: bool) -> int:
    """The first bid, or the first lead of a record without bids."""
    return -N_BIDS if has_bids else 0


def bid_at(step: int) -> int:
    return step + N_BIDS + 1 if step < 0 else 0


def step_of_bid(bid: int) -> int:
    return bid - N_BIDS - 1


def settings() -> AnalysisSettings:
    """What the decisions are to be searched with; models that can't be read are left out."""
    search, _ = _search()
    first = AnalysisSettings(
        iterations=get("iterations"),
        seed=get("seed"),
        models=_readable(get("model")),
        search=search,
        dealing=chosen(Dealing, get),
    )
    others = [] if get("technique") == UNBIASED else [biased(first)]
    others += [replace(settings_of(agent), seed=first.seed) for agent in _agents()[0]]
    readable = {_with_readable_bias(one): None for one in others}
    return replace(first, others=tuple(readable))


def _search() -> tuple[SearchSettings, str]:
    """How the first search searches, and what is wrong where its options don't go together: some
    keep their defaults then."""
    try:
        return chosen(SearchSettings, get, **NO_BIAS), ""
    except SpadesError as error:
        defaults = {name: SEARCH_OPTIONS[name].default for name in UNCOMBINED}
        without = f"In force: without {', '.join(UNCOMBINED)}"
        return chosen(SearchSettings, get, **NO_BIAS, **defaults), f"{error}. {without}."


def plain(search: SearchSettings) -> SearchSettings:
    """A search without what doesn't go with a bias."""
    return replace(search, skew=None, equivalence=False, duck=False, bias=None)


def biased(first: AnalysisSettings) -> AnalysisSettings:
    """The first search with the bias that the controls say, without what doesn't go with one."""
    bias = chosen_bias(get, model=get("bias_model"))
    search = replace(plain(first.search), bias=bias)
    return replace(first, search=search, models=AnalysisSettings.models, others=())


def _with_readable_bias(one: AnalysisSettings) -> AnalysisSettings:
    if (bias := one.search.bias) is None:
        return one
    bias = replace(bias, model=_readable([bias.model])[0])
    return replace(one, search=replace(one.search, bias=bias))


def _agents() -> tuple[list[str], list[str]]:
    """The agents beside the first search, and what is wrong with those that have no values."""
    good, wrong = [], []
    for text in get("agents"):
        try:
            settings_of(text)
            good.append(text)
        except SpadesError as error:
            wrong.append(f"Not beside the search: {error}.")
    return good, wrong


def refusals() -> list[str]:
    """Numbers and agents typed that aren't legal, models that can't be read, what holds instead."""
    agents, wrong = _agents()
    if contradiction := _search()[1]:
        wrong.append(f"Not searched so: {contradiction}")
    asked = [(name, f"Shown: {', '.join(_readable(get('model')))}") for name in get("model")]
    instead = f"The biased search leans towards {DEFAULT_MODEL}"
    biases = [settings_of(agent).search.bias for agent in agents]
    leaning = [bias.model for bias in biases if bias]
    if get("technique") != UNBIASED:
        leaning.append(get("bias_model"))
    asked += [(model, instead) for model in leaning]
    return [*get("refused"), *wrong] + [
        f"The model {name} can't be read: {problem}. {instead}."
        for name, instead in asked
        if (problem := _problem_of(name))
    ]


def _problem_of(model: str) -> str:
    try:
        load_prior(model)
    except SpadesError as error:
        return str(error)
    return ""


def _readable(models: Iterable[str]) -> tuple[str, ...]:
    """Those of the models whose files are sound; at least one."""
    return tuple(name for name in models if not _problem_of(name)) or (DEFAULT_MODEL,)
