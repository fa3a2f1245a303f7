"""Techniques: ways to lean a search towards human play, a file each."""

from spades.core.registry import implementations
from spades.search.techniques.technique import Technique

TECHNIQUES: dict[str, type[Technique]] = implementations(__name__, Technique)
"""All techniques, by the names that agents' texts give them."""
