"""Agents that users have named, kept in the store of results."""

from analysis.runs.store import Result, ResultStore
from spades.agents import parse_agent
from spades.core.errors import SpadesError

KIND = "named agent"
MAX_NAME = 30  # characters
MOST = 100


def named_agents() -> dict[str, str]:
    """The agents' texts by their names, in alphabetical order; those that today's code doesn't
    know are left out."""
    store = ResultStore()
    found = {}
    for result in store.sound_results(KIND, _check):
        found[str(result.question["name"])] = str(result.answer["agent"])
    return {name: found[name] for name in sorted(found, key=str.casefold) if found[name]}


def _check(result: Result) -> None:
    if result.answer["agent"]:  # else it was forgotten
        parse_agent(result.answer["agent"])


def name_agent(name: str, agent: str) -> None:
    """Keep an agent under a name, which may have been another's. Raises ``SpadesError`` for an
    agent that isn't one, and for a name that is too long or not printable."""
    name = name.strip()
    if not 0 < len(name) <= MAX_NAME or not name.isprintable():
        raise SpadesError(
            f"{name!r:.50} is no name; 1 to {MAX_NAME} printable characters are legal"
        )
    known = named_agents()
    if name not in known and len(known) >= MOST:
        raise SpadesError(f"{MOST} agents have names; forget one of them first")
    ResultStore().put(KIND, {"name": name}, {"agent": str(parse_agent(agent))}, anew=True)


def forget_agent(name: str) -> None:
    """Take an agent's name away."""
    ResultStore().put(KIND, {"name": name}, {"agent": ""}, anew=True)
