"""Techniques: ways to lean a search towards human play, a file each.

A new one is a new file here with a subclass of ``Technique``, and its test. Agents, links,
controls, the ladder and sweeps have it then. ``python -m spades.agents.document`` writes its
options into ``docs/agents.md``; ``python -m experiments.fingerprint_agents`` takes the fingerprint
of its probes.
"""

from spades.core.registry import implementations
from spades.search.techniques.technique import Technique

TECHNIQUES: dict[str, type[Technique]] = implementations(__name__, Technique)
"""All techniques, by the names that agents' texts give them."""
