"""The Replay page's state: read from the address once a session, written back every run."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from analysis.decisions.decision import DEFAULT_MODEL, AnalysisSettings
from spades.belief import Dealing
from spades.belief.dealing import BIASED, MIXED, SEPARATOR
from spades.core.cards import SEATS
from spades.core.errors import SpadesError
from spades.core.records import RoundRecord
from spades.human import load_prior, model_names
from spades.search import BiasSettings, SearchSettings
from spades.search.bias import NEVER, ROOT_ONLY, TECHNIQUES, TESTED_DELAYS, UNBIASED
from spades.search.playouts import HEURISTIC, POLICIES
from spades.search.search import STANDARD_ITERATIONS
from ui.replay.round_browser_state import BROWSE_DEFAULTS, read_browse
from ui.replay.steps import N_BIDS, bid_at, first_step, step_of_bid
from ui.replay.why_state import DEALINGS, WHY_DEFAULTS, read_why
from ui.shared.address import Address, write_address
from ui.shared.hands import DEFAULT_HAND, find_hand
from ui.shared.links import ITERATION_CHOICES, SEARCH_OPTIONS
from ui.shared.page import is_arrival
from ui.shared.stored_logs import hand_name, nearest_round

MAX_SEED = 2**31 - 1
MAX_SCALE = 100_000.0
MAX_C_BT, MAX_K, MAX_W_OFFERED = 10.0, 100_000.0, 10_000
DELAYS = (*TESTED_DELAYS, ROOT_ONLY, NEVER)
SEAT_CHOICES = ("mover", *SEATS)
BELIEFS = "beliefs"  # own hand, and what it makes of the others
VIEWS = ("all", "own", BELIEFS)
DEFAULTS: dict[str, str | int | float | bool] = {
    "hand": DEFAULT_HAND,
    "ply": 0,
    "bid": 0,
    "seat": "mover",
    "view": "all",
    "iterations": STANDARD_ITERATIONS,
    "seed": 0,
    "model": DEFAULT_MODEL,
    "determinization": Dealing.determinization,
    "without": Dealing.without,
    "share": Dealing.share,
    **{name: getattr(SearchSettings, name) for name in SEARCH_OPTIONS},
    "threshold": 0.1,
    "spoiler": False,
    "colors": 2,
    "technique": UNBIASED,
    "bias_model": DEFAULT_MODEL,
    "c_bt": BiasSettings.c_bt,
    "k": BiasSettings.k,
    "w": BiasSettings.w,
    "delay": BiasSettings.delay,
    "bids": False,
    **WHY_DEFAULTS,
    **BROWSE_DEFAULTS,
}
PLACE = ("hand", "ply", "bid", "view")
# The others are set by widgets; Streamlit forgets their values while another page is shown.
WIDGETS = tuple(name for name in DEFAULTS if name not in PLACE)
BESIDE = (UNBIASED, *TECHNIQUES)


def key(name: str) -> str:
    """Session key of one of this page's values."""
    return f"replay_{name}"


def get(name: str):
    """A value of this page; a widget's, or what it last was where none is drawn now.

    ``step`` is where the reader was put: a ply, or a bid (``ui.replay.steps``).

    Widgets also get it as their default: one inside a popover is made by the browser when the
    popover opens, with the default of the run before, and reports that as its value.
    """
    if name not in WIDGETS:
        return st.session_state[key(name)]
    kept = st.session_state[key("widgets")]
    kept[name] = st.session_state.get(key(name), kept[name])
    return kept[name]


@dataclass
class OpenHand:
    """The hand on the table and what the address calls it."""

    name: str
    record: RoundRecord


def read_state() -> list[str]:
    """Fill the session from the address where a link leads here; what was wrong with the link."""
    if key("hand") not in st.session_state or _is_led_here():
        _follow(Address(st.query_params.to_dict()))
    return st.session_state[key("complaints")]


def _is_led_here() -> bool:
    """Whether another page's link or the browser's Back or Forward brought the reader here."""
    context = get_script_run_ctx()
    is_link = is_arrival() and bool(st.query_params)
    return is_link or (context is not None and context.is_history_navigation)


def _follow(address: Address) -> None:
    hand = _read_hand(address)
    values = {
        "seat": address.choice("seat", SEAT_CHOICES, "mover"),
        "iterations": _read_iterations(address),
        "seed": address.integer("seed", 0, MAX_SEED, 0),
        "model": address.choices("model", model_names(), DEFAULT_MODEL),
        **_read_search(address),
        "threshold": address.number("threshold", 0.0, 1.0, float(DEFAULTS["threshold"])),
        "spoiler": address.flag("spoiler"),
        "colors": int(address.choice("colors", ("2", "4"), "2")),
        "technique": address.choice("technique", BESIDE, UNBIASED),
        "bias_model": address.choice("bias_model", model_names(), DEFAULT_MODEL),
        "c_bt": address.number("c_bt", 0.0, MAX_C_BT, BiasSettings.c_bt),
        "k": address.number("k", 1.0, MAX_K, BiasSettings.k),
        "w": address.integer("w", 0, MAX_W_OFFERED, BiasSettings.w),
        "delay": address.choice("delay", DELAYS, BiasSettings.delay),
        "bids": address.flag("bids"),
        **read_why(address),
        **read_browse(address),
    }
    st.session_state[key("widgets")] = values
    for name, value in values.items():
        if key(name) in st.session_state:
            st.session_state[key(name)] = value
    st.session_state[key("step")] = _read_step(address, hand.record)
    st.session_state[key("view")] = address.choice("view", VIEWS, "all")
    st.session_state[key("view_shown")] = get("view")
    st.session_state[key("rev")] = st.session_state.get(key("rev"), -1) + 1
    st.session_state[key("complaints")] = address.complaints
    st.session_state[key("hand")] = hand


def _read_step(address: Address, record: RoundRecord) -> int:
    """Where the link leads: a ply, or a bid where the record has bids and no ply is given."""
    ply = address.integer("ply", 0, len(record.plays), 0)
    if "bid" not in address.given:
        return ply
    refusal = "" if record.has_bids else "the record doesn't say what was bid"
    if "ply" in address.given:
        refusal = "a link says either bid or ply"
    if refusal:
        bid = address.given["bid"][:40]
        address.complaints.append(f"The link says bid={bid}; {refusal}. Shown: ply {ply}.")
        return ply
    return step_of_bid(address.integer("bid", 1, N_BIDS, 1))


def _read_hand(address: Address) -> OpenHand:
    name = address.given.get("hand", DEFAULT_HAND)
    if "log" in address.given:  # other pages link by log and round
        name = hand_name(address.given["log"], address.given.get("round", "0"))
    try:
        return OpenHand(name, find_hand(name))
    except SpadesError as error:
        shown = nearest_round(name) or DEFAULT_HAND
        address.complaints.append(f"{error}. Shown: {shown}.")
        return OpenHand(shown, find_hand(shown))


def _read_search(address: Address) -> dict[str, str | float | bool | list[str]]:
    """How a search is done, beside its length and seed."""
    usual = SearchSettings
    return {
        "determinization": address.choice("determinization", DEALINGS, Dealing.determinization),
        "without": _read_without(address),
        "share": address.number("share", 0.0, 1.0, Dealing.share),
        "exploration": address.number("exploration", 0.0, 10.0, usual.exploration),
        "reward_scale": address.number("reward_scale", 1.0, MAX_SCALE, usual.reward_scale),
        "playout": address.choice("playout", tuple(POLICIES), usual.playout),
        "epsilon": address.number("epsilon", 0.0, 1.0, usual.epsilon),
        "skew": address.flag("skew"),
        "skew_k": address.number("skew_k", 0.0, MAX_K, usual.skew_k),
    }


def _read_without(address: Address) -> list[str]:
    """Keys of the rules of inference that are switched off."""
    try:
        return Dealing(BIASED, address.given.get("without", "")).switched_off
    except SpadesError as error:
        address.complaints.append(f"The link says without: {error}. Shown: none.")
        return []


def _read_iterations(address: Address) -> int:
    """The nearest of the choices that the page offers."""
    low, high = ITERATION_CHOICES[0], ITERATION_CHOICES[-1]
    wanted = address.integer("iterations", low, high, STANDARD_ITERATIONS)
    nearest = min(ITERATION_CHOICES, key=lambda choice: abs(choice - wanted))
    if nearest != wanted:
        address.complaints.append(
            f"The link says iterations={wanted}; this page offers "
            f"{', '.join(map(str, ITERATION_CHOICES))}. Shown: {nearest}."
        )
    return nearest


def refusals() -> list[str]:
    """What is wrong with the models asked for that can't be read, and what is shown instead."""
    asked = list(get("model"))
    lines = [
        f"The model {name} can't be read: {problem}. Shown: {', '.join(_readable(asked))}."
        for name in asked
        if (problem := _problem_of(name))
    ]
    bias_model = get("bias_model")
    if get("technique") != UNBIASED and (problem := _problem_of(bias_model)):
        lines.append(
            f"The model {bias_model} can't be read: {problem}. The biased search leans towards "
            f"{DEFAULT_MODEL}."
        )
    return lines


def _problem_of(model: str) -> str:
    try:
        load_prior(model)
    except SpadesError as error:
        return str(error)
    return ""


def _readable(models: list[str]) -> tuple[str, ...]:
    """Those of the models whose files are sound; at least one."""
    return tuple(name for name in models if not _problem_of(name)) or (DEFAULT_MODEL,)


def settings() -> AnalysisSettings:
    """What the decisions are to be searched with; models that can't be read are left out."""
    search, bias = _search(), _bias()
    plain = replace(search, skew=False, skew_k=SearchSettings.skew_k)  # a bias goes without
    return AnalysisSettings(
        iterations=get("iterations"),
        seed=get("seed"),
        models=_readable(get("model")),
        search=search,
        beside=replace(plain, bias=bias) if bias else None,
        dealing=_dealing(),
    )


def _dealing() -> Dealing:
    """How hidden cards are drawn; what does nothing with the method keeps its default."""
    method = get("determinization")
    return Dealing(
        method,
        SEPARATOR.join(get("without")) if Dealing(method).has_rules else Dealing.without,
        get("share") if method == MIXED else Dealing.share,
    )


def _search() -> SearchSettings:
    """The first search; options that do nothing with the others as they are keep their defaults."""
    values = {name: get(name) for name in SEARCH_OPTIONS}
    if POLICIES[values["playout"]] != HEURISTIC:
        del values["epsilon"]
    if not values["skew"]:
        del values["skew_k"]
    return SearchSettings(**values)


def _bias() -> BiasSettings | None:
    """The bias of the search beside; None while there is none."""
    if get("technique") == UNBIASED:
        return None
    (model,) = _readable([get("bias_model")])
    return BiasSettings(get("technique"), model, get("c_bt"), get("k"), get("w"), get("delay"))


def put(name: str, value: object) -> None:
    """Set a widget's value before it is drawn, or in a callback."""
    st.session_state[key("widgets")][name] = value
    st.session_state[key(name)] = value


def complain(complaint: str) -> None:
    """Say that the link asked for something that isn't there."""
    st.session_state[key("complaints")].append(complaint)


def open_hand(hand: OpenHand) -> None:
    """Put another hand on the table, at its first play."""
    st.session_state[key("hand")] = hand
    st.session_state[key("complaints")] = []
    go_to(0)


def go_to(step: int) -> None:
    """Move the replay to a step; the view follows because its revision changes."""
    record = get("hand").record
    first, last = first_step(record.has_bids), len(record.plays)
    st.session_state[key("view")] = get("view_shown")
    st.session_state[key("step")] = min(max(step, first), last)
    st.session_state[key("rev")] += 1


def write_state(step: int, hands: str, *, has_beliefs: bool | None = None) -> None:
    """Bring the address up to date with where the reader is.

    ``hands``: those open, all or own; ``has_beliefs``: whether beliefs stand on the others, as
    before if None.
    """
    if has_beliefs is None:
        has_beliefs = get("view_shown") == BELIEFS
    view = BELIEFS if hands == "own" and has_beliefs else hands
    st.session_state[key("view_shown")] = view
    values = {name: get(name) for name in WIDGETS}
    values["without"] = SEPARATOR.join(values["without"])
    values["model"] = ",".join(values["model"]) or DEFAULT_MODEL
    if values["browse_log"] == st.session_state.get(key("browse_usual")):
        values["browse_log"] = ""
    values |= {"hand": get("hand").name, "view": view}
    values |= {"ply": max(step, 0), "bid": bid_at(step)}
    write_address(values, DEFAULTS)
