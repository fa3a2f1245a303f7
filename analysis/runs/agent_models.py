"""The human models and corpora that agents lean on, for the keys of results."""

from __future__ import annotations

from collections.abc import Callable

from analysis.runs.model_hashes import model_hash
from spades.agents import IsmctsPlayer, parse_agent
from spades.agents.players import DirectPlayer, corpus_of
from spades.human.corpus import load_corpus


def models_of(*agents: str) -> dict[str, dict[str, str]]:
    """``{"models": {name: hash}, "corpora": {name: hash}}`` of agents given as text; what no agent
    has is left out."""
    models = {name: model_hash(name) for name in _names(_model_of, agents)}
    corpora = {name: load_corpus(name).hash for name in _names(_corpus_of, agents)}
    return {kind: found for kind, found in (("models", models), ("corpora", corpora)) if found}


def _names(name_of: Callable[[str], str | None], agents: tuple[str, ...]) -> list[str]:
    return sorted(set(filter(None, map(name_of, agents))))


def _model_of(agent: str) -> str | None:
    player = parse_agent(agent).player
    if isinstance(player, IsmctsPlayer):
        return player.model if player.bias_settings else None
    return player.model if isinstance(player, DirectPlayer) else None


def _corpus_of(agent: str) -> str | None:
    return corpus_of(parse_agent(agent).player)
