"""The Arena page's values, bound to its address: view, match and league asked for."""

from analysis.matches.match import DEFAULT_TARGET, MAX_GAMES, USUAL_AGENTS, MatchPlan, RoundRobin
from ui.shared.address import (
    FLAG,
    Choice,
    Field,
    Fields,
    Integer,
    Optional,
    PageState,
    Several,
    Text,
)

VIEWS = {"league": "League", "match": "Match"}
CHARTS = {"wins": "Win rates", "points": "Points a round"}
MAX_SEED = 2**31 - 1
MAX_POINTS = 1_000_000
SETTINGS = ("games", "seed", "target", "floor", "nil_only")
SHOWN = {
    "match": ("ns", "ew", *SETTINGS),
    "league": ("league", "match", "turned", "chart", "agents", *SETTINGS),
}
FIELDS = Fields(
    {
        "view": Field(Choice(VIEWS), "league"),
        "ns": Field(Text(), "srp+bis"),
        "ew": Field(Text(), "srp+rb"),
        "games": Field(Integer(2, MAX_GAMES), 400),
        "seed": Field(Integer(0, MAX_SEED), 0),
        "target": Field(Integer(1, MAX_POINTS), DEFAULT_TARGET),
        "floor": Field(Optional(Integer(-MAX_POINTS, -1)), None),
        "nil_only": Field(FLAG, False),
        "agents": Field(Several(Text(), "|"), list(USUAL_AGENTS)),
        "league": Field(Text(), ""),
        "match": Field(Text(), ""),
        "turned": Field(FLAG, False),
        "chart": Field(Choice(CHARTS), "wins"),
    }
)

page = PageState("arena", FIELDS)
key, get, put, complain = page.key, page.get, page.put, page.complain


def write_state() -> None:
    """Bring the address up to date with the view shown and what it depends on."""
    page.write(("view", *SHOWN[get("view")]))


def settings() -> dict[str, object]:
    return {name: get(name) for name in SETTINGS}


def plan() -> MatchPlan:
    """The match asked for; ``SpadesError`` says what would be legal."""
    return MatchPlan(get("ns"), get("ew"), **settings())


def robin() -> RoundRobin:
    """The round robin asked for; ``SpadesError`` says what would be legal."""
    return RoundRobin(tuple(get("agents")), **settings())


def open_match(asked: MatchPlan) -> None:
    """Show a match in the view of its own; a callback."""
    put("view", "match")
    for name in ("ns", "ew", *SETTINGS):
        put(name, getattr(asked, name))


def pick_match(key_of_match: str, turned: bool) -> None:
    """Choose the match that the league shows, and which of its agents comes first."""
    put("match", key_of_match)
    put("turned", turned)
