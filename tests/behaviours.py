"""Agents that decide otherwise, as far as keys of results can tell."""

from spades.agents.behaviour import PARTS
from spades.core import behaviour


def change_behaviour(patch, fingerprint="0" * 16, parts=PARTS):
    """Give some parts another fingerprint until ``patch`` is undone."""
    changed = {**behaviour.stored_fingerprints(), **dict.fromkeys(parts, fingerprint)}
    patch.setattr("spades.core.behaviour.stored_fingerprints", lambda: changed)
