"""What results depend on besides their question: behaviour, human models, corpora.

A model is a file that anybody may train anew under the same name: the name alone says too little.
"""

from __future__ import annotations

import hashlib
from typing import Any

from spades.human import load_prior
from spades.human.prior import Prior

_known: dict[str, tuple[Prior, str]] = {}


def version_of(*agents: str) -> dict[str, Any]:
    """What the answers of agents depend on: their behaviour, models and corpora.

    Without agents: the behaviour of every agent there is.
    """
    from spades.agents.behaviour import behaviour_of  # loads the agents

    return {"code": behaviour_of(*agents), **models_of(*agents)}


def models_of(*agents: str) -> dict[str, dict[str, str]]:
    """``{"models": {name: hash}, "corpora": {name: hash}}`` of agents given as text; what no agent
    has is left out."""
    from spades.agents import parse_agent
    from spades.agents.behaviour import model_of
    from spades.agents.players import corpus_of
    from spades.human.corpus import load_corpus

    parsed = [parse_agent(text) for text in agents]
    models = {name: model_hash(name) for agent in parsed if (name := model_of(agent))}
    corpora = {
        name: load_corpus(name).hash for agent in parsed if (name := corpus_of(agent.player))
    }
    return {kind: found for kind, found in (("models", models), ("corpora", corpora)) if found}


def model_hash(name: str) -> str:
    """Hash of a human model's numbers as they are now, 12 hexadecimal digits.

    ``UnknownModelError`` where there is none.
    """
    prior = load_prior(name)  # the same object until its file changes
    prior_known, found = _known.get(name, (None, ""))
    if prior_known is not prior:
        digest = hashlib.sha256()
        for numbers in (prior.weights, prior.plan, prior.numbers):
            digest.update(numbers.tobytes())
        found = digest.hexdigest()[:12]
        _known[name] = (prior, found)
    return found
