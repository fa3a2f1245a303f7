"""The Arena page's state: the view, the match asked for, the league and the match looked at."""

from __future__ import annotations

from analysis.matches.match import DEFAULT_TARGET, MAX_GAMES, MatchPlan
from analysis.matches.round_robin import USUAL_AGENTS, RoundRobin
from ui.shared.address import Address
from ui.shared.old_page_state import PageState

VIEWS = {"league": "League", "match": "Match"}
CHARTS = {"wins": "Win rates", "points": "Points a round"}
MAX_SEED = 2**31 - 1
MAX_POINTS = 1_000_000
SEPARATOR = "|"
NO_FLOOR = ""
DEFAULTS: dict[str, str | int | bool] = {
    "view": "league",
    "ns": "srp+bis",
    "ew": "srp+rb",
    "games": 400,
    "seed": 0,
    "target": DEFAULT_TARGET,
    "floor": NO_FLOOR,
    "nil_only": False,
    "agents": SEPARATOR.join(USUAL_AGENTS),
    "league": "",
    "match": "",
    "turned": False,
    "chart": "wins",
}
SETTINGS = ("games", "seed", "target", "floor", "nil_only")
SHOWN = {
    "match": ("ns", "ew", *SETTINGS),
    "league": ("league", "match", "turned", "chart", "agents", *SETTINGS),
}


_page = PageState("arena", DEFAULTS)
key, get, put, complain = _page.key, _page.get, _page.put, _page.complain


def read_state() -> list[str]:
    """Fill the session from the address where it says something new; what was wrong with it."""
    return _page.read(_values)


def _values(address: Address) -> dict[str, object]:
    given = address.given
    agents = given.get("agents", str(DEFAULTS["agents"]))
    return {
        "view": address.choice("view", tuple(VIEWS), "league"),
        "ns": given.get("ns", str(DEFAULTS["ns"])),
        "ew": given.get("ew", str(DEFAULTS["ew"])),
        "games": address.integer("games", 2, MAX_GAMES, int(DEFAULTS["games"])),
        "seed": address.integer("seed", 0, MAX_SEED, 0),
        "target": address.integer("target", 1, MAX_POINTS, DEFAULT_TARGET),
        "floor": _floor(address),
        "nil_only": address.flag("nil_only"),
        "agents": [text for text in agents.split(SEPARATOR) if text],
        "league": given.get("league", ""),
        "match": given.get("match", ""),
        "turned": address.flag("turned"),
        "chart": address.choice("chart", tuple(CHARTS), "wins"),
    }


def _floor(address: Address) -> int | None:
    if not address.given.get("floor"):
        return None
    return address.integer("floor", -MAX_POINTS, -1, -DEFAULT_TARGET)


def write_state() -> None:
    """Bring the address up to date with the view shown and what it depends on."""
    values = {name: get(name) for name in ("view", *SHOWN[get("view")])}
    if values["floor"] is None:
        values["floor"] = NO_FLOOR
    if "agents" in values:
        values["agents"] = SEPARATOR.join(values["agents"])
    _page.write(values)


def _settings() -> dict[str, object]:
    return {name: get(name) for name in SETTINGS}


def plan() -> MatchPlan:
    """The match asked for; ``SpadesError`` says what would be legal."""
    return MatchPlan(get("ns"), get("ew"), **_settings())


def robin() -> RoundRobin:
    """The round robin asked for; ``SpadesError`` says what would be legal."""
    return RoundRobin(tuple(get("agents")), **_settings())


def open_match(asked: MatchPlan) -> None:
    """Show a match in the view of its own."""
    put("view", "match")
    for name in ("ns", "ew", *SETTINGS):
        put(name, getattr(asked, name))


def pick_match(key_of_match: str, turned: bool) -> None:
    """Choose the match that the league shows, and which of its agents comes first."""
    put("match", key_of_match)
    put("turned", turned)
