"""The Disagreements page's state: the search looked at, the order, the thresholds, the filters.

Query keys, all optional: ``log``, ``agent``, ``seed`` and ``model`` name what is shown; ``rounds``
how many a new search takes. ``by`` is ``divergence`` or ``stakes``, ``against`` the ``likeliest``
card or the one ``played``, ``bits`` and ``points`` the thresholds. ``class``, ``lens``, ``seat``,
``kind`` filter, several with commas; ``lens_of`` is whose card the lenses look at; ``tricks`` as
``1-13``. ``chart`` is ``divergence``, ``class`` or ``lens``.
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.decisions.decision import DEFAULT_MODEL
from analysis.decisions.lenses import LENS_NAMES
from analysis.disagreements.found import (
    CLASSES,
    DEFAULT_THRESHOLD,
    DIVERGENCE,
    LIKELIEST,
    PLAYED,
    ROLES,
    STAKES,
    DecisionFilter,
)
from analysis.disagreements.search import MAX_ROUNDS, MAX_SEED, STANDARD_AGENT, LogSearchPlan
from spades.core.cards import HAND_SIZE, SEATS
from spades.core.errors import SpadesError
from spades.core.records import KINDS
from spades.human import model_names
from ui.shared.address import Address
from ui.shared.old_page_state import PageState

DEFAULT_LOG = "human-south"
CHARTS = {"divergence": "Divergence", "class": "By class", "lens": "By lens"}
ORDERS = {DIVERGENCE: "Divergence", STAKES: "Stakes"}
OTHERS = {LIKELIEST: "the human's likeliest", PLAYED: "the one played"}
ROLE_LABELS = {"search": "search's card", "human": "human's likeliest", "played": "card played"}
SEPARATOR = ","
ALL_TRICKS = f"1-{HAND_SIZE}"
LISTS: dict[str, Sequence[str]] = {
    "class": CLASSES,
    "lens": LENS_NAMES,
    "seat": tuple(SEATS),
    "kind": KINDS,
}
MAX_POINTS = 400.0
DEFAULTS: dict[str, str | int | float] = {
    "log": DEFAULT_LOG,
    "agent": STANDARD_AGENT,
    "seed": 0,
    "model": DEFAULT_MODEL,
    "rounds": 600,
    "by": DIVERGENCE,
    "against": LIKELIEST,
    "bits": 0.1,
    "points": DEFAULT_THRESHOLD,
    "lens_of": "search",
    "tricks": ALL_TRICKS,
    "chart": "divergence",
    **dict.fromkeys(LISTS, ""),
}

_page = PageState("disagreements", DEFAULTS)
key, get, put, complain = _page.key, _page.get, _page.put, _page.complain


def read_state(logs: Sequence[str]) -> list[str]:
    """Fill the session from the address where it says something new; what was wrong with it."""
    return _page.read(lambda address: _values(address, logs))


def _values(address: Address, logs: Sequence[str]) -> dict[str, object]:
    given = address.given
    default = DEFAULT_LOG if DEFAULT_LOG in logs else logs[0]
    values: dict[str, object] = {
        "log": address.choice("log", list(logs), default),
        "agent": _agent(address),
        "seed": address.integer("seed", 0, MAX_SEED, 0),
        "model": address.choice("model", model_names(), DEFAULT_MODEL),
        "rounds": address.integer("rounds", 1, MAX_ROUNDS, int(DEFAULTS["rounds"])),
        "by": address.choice("by", tuple(ORDERS), DIVERGENCE),
        "against": address.choice("against", tuple(OTHERS), LIKELIEST),
        "bits": address.number("bits", 0.0, 1.0, float(DEFAULTS["bits"])),
        "points": address.number("points", 0.0, MAX_POINTS, DEFAULT_THRESHOLD),
        "lens_of": address.choice("lens_of", ROLES, "search"),
        "tricks": _tricks(address),
        "chart": address.choice("chart", tuple(CHARTS), "divergence"),
    }
    for name, legal in LISTS.items():
        wanted = [value for value in given.get(name, "").split(SEPARATOR) if value]
        for value in wanted:
            if value not in legal:
                address.complaints.append(
                    f"The link says {name}={value[:40]}; legal is {', '.join(legal)}. Left out."
                )
        values[name] = [value for value in dict.fromkeys(wanted) if value in legal]
    return values


def _agent(address: Address) -> str:
    """An agent that searches, and whose models are here."""
    text = address.given.get("agent", STANDARD_AGENT)
    try:
        plan = LogSearchPlan(DEFAULT_LOG, 1, text)
        plan.version()
    except SpadesError as error:
        address.complaints.append(
            f"The link says agent={text[:40]}: {error}. Shown: {STANDARD_AGENT}."
        )
        return STANDARD_AGENT
    return plan.agent


def _tricks(address: Address) -> tuple[int, int]:
    text = address.given.get("tricks", ALL_TRICKS)
    low, _, high = text.partition("-")
    if low.isdecimal() and high.isdecimal() and 1 <= int(low[:3]) <= int(high[:3]) <= HAND_SIZE:
        return int(low), int(high)
    address.complaints.append(
        f"The link says tricks={text[:40]}; legal is two numbers from 1 to {HAND_SIZE}, as "
        f"{ALL_TRICKS}. Shown: all."
    )
    return 1, HAND_SIZE


def write_state() -> None:
    """Bring the address up to date."""
    values = {name: get(name) for name in DEFAULTS}
    values["tricks"] = "{}-{}".format(*values["tricks"])
    for name in LISTS:
        values[name] = SEPARATOR.join(values[name])
    _page.write(values)


def plan(rounds: int | None = None) -> LogSearchPlan:
    """The search asked for; ``SpadesError`` says what would be legal."""
    return LogSearchPlan(get("log"), rounds or get("rounds"), get("agent"), get("seed"))


def decision_filter() -> DecisionFilter:
    """Which decisions are shown, as the controls say."""
    low, high = get("tricks")
    return DecisionFilter(
        seats=tuple(get("seat")),
        kinds=tuple(get("kind")),
        tricks=(low - 1, high - 1),
        classes=tuple(get("class")),
        lenses=tuple(get("lens")),
        role=get("lens_of"),
    )
