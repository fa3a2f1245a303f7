"""Behaviour fingerprints: what stored results depend on instead of the sources that made them.

A *part* is a piece of behaviour that results can depend on: the rules, a bidder, a player, an
option of a player that makes it decide otherwise. Its fingerprint is a hash of what it does on
fixed deals, bids and seeds, in every deck. Renaming, moving and documenting code leaves all
fingerprints as they are; a change of how one player decides changes that player's.

``data/tables/behaviour.json`` stores them, so that a key costs no search. Players and bidders say
in ``probes`` which of their options are parts, and what is played for each. A test fails when code
and table disagree; ``python -m experiments.fingerprint_agents`` recomputes the table, and stored
results of the parts that changed are no longer found under their keys.
"""

from collections.abc import Collection
from functools import lru_cache

from spades.agents.agent import Agent, parse_agent
from spades.agents.bidders import BIDDERS, HumanBidder
from spades.agents.component import Component, with_options
from spades.agents.players import PLAYERS
from spades.agents.players.human import HumanPlayer
from spades.core.behaviour import LOG_LINEAR, NETWORKS, RULES, combined
from spades.core.options import format_options
from spades.human import program_of_model


def _probes_of(kind: type[Component], part: str, agent: str) -> dict[str, tuple[str, ...]]:
    """The probes of a component by part; ``part`` and ``agent``: its name, there and in texts."""
    return {
        with_options(part, condition): tuple(with_options(agent, options) for options in tried)
        for condition, tried in kind.probes.items()
    }


PROBES: dict[str, tuple[str, ...]] = {
    NETWORKS: ("direct:model=t-200-100",),
    LOG_LINEAR: ("direct:model=devlin2016,sample=on", "direct:model=devlin2016-nil,sample=on"),
}
"""The agents whose behaviour is the fingerprint of each part but the rules."""
for _name, _player in PLAYERS.items():
    PROBES.update(_probes_of(_player, _name, _name))
for _name, _bidder in BIDDERS.items():
    PROBES.update(_probes_of(_bidder, f"+{_name}", f"random+{_name}"))
PARTS = (RULES, *PROBES)
_LOG_LINEAR_NAMES = ("devlin", "log-linear")


def parts_of(agent: Agent | str) -> tuple[str, ...]:
    """The parts that an agent's decisions depend on, always with the rules. Programs are no parts:
    they say their version themselves (``spades.core.programs``)."""
    return _parts_of_agent(parse_agent(agent) if isinstance(agent, str) else agent)


@lru_cache(maxsize=1024)
def _parts_of_agent(preset: Agent) -> tuple[str, ...]:
    agent = preset.written_out
    parts = {RULES}
    if agent.player.program is None:
        parts |= {preset.player.name, *_parts_of_component(agent.player, agent.player.name)}
    if agent.bidder.program is None:
        parts |= _parts_of_component(agent.bidder, f"+{agent.bidder.name}")
    model = agent.player.model_name
    if model and program_of_model(model) is None:
        parts.add(LOG_LINEAR if _has_log_linear_model(agent) else NETWORKS)
    return tuple(sorted(parts))


def parts_beside_programs(
    text: str, programs: Collection[str], models: Collection[str]
) -> set[str]:
    """``parts_of`` an agent of other people's ``programs``, by the keys of results, and ``models``,
    none of which need be here: the parts of what is shipped of it."""
    player, _, bidder = text.partition("+")
    parts = {RULES}
    if player not in programs:
        parts |= _parts_beside_models(player, models)
        bidder = bidder or HumanBidder.name
    if bidder and f"+{bidder}" not in programs:
        parts |= set(parts_of(f"random+{bidder}")) - {"random"}
    return parts


def _parts_beside_models(player: str, models: Collection[str]) -> set[str]:
    """The parts of a player but for its model, where that is one of these."""
    name, _, options = player.partition(":")
    own = {f"model={model}" for model in models}
    items = [item for item in options.split(",") if item not in own]
    not_its = {"+random"}
    if len(items) < len(options.split(",")):
        items.append("model=devlin2016")
        not_its.add(LOG_LINEAR)
    text = with_options(name, ",".join(items))
    return set(parts_of(f"{text}+random")) - not_its


def _parts_of_component(component: Component, name: str) -> set[str]:
    """The part of a player or bidder, called ``name``, and those of its options."""
    items = format_options(component).split(",")
    options = {item.partition("=")[0] for item in items}
    parts = {name}
    for condition in component.probes:
        if condition and set(condition.split(",")) <= {*items, *options}:
            parts.add(with_options(name, condition))
    return parts


def _has_log_linear_model(agent: Agent) -> bool:
    is_person = agent.player.name == HumanPlayer.name
    model = agent.player.model_name or ""
    return is_person or model.startswith(_LOG_LINEAR_NAMES)


def behaviour_of(*agents: Agent | str) -> str:
    """Combined fingerprint of all that these agents' games depend on; of every part if none."""
    parts = {part for agent in agents for part in parts_of(agent)}
    return combined(parts or PARTS)
