"""The human models that agents lean on, for the keys of results."""

from __future__ import annotations

from analysis.model_hashes import model_hash
from spades.agents import IsmctsPlayer, parse_agent
from spades.agents.players import DirectPlayer


def models_of(*agents: str) -> dict[str, dict[str, str]]:
    """``{"models": {name: hash}}`` of agents given as text; empty where none has a model."""
    names = filter(None, map(_model_of, agents))
    found = {name: model_hash(name) for name in sorted(set(names))}
    return {"models": found} if found else {}


def _model_of(agent: str) -> str | None:
    player = parse_agent(agent).player
    if isinstance(player, IsmctsPlayer):
        return player.model if player.bias_settings else None
    return player.model if isinstance(player, DirectPlayer) else None
