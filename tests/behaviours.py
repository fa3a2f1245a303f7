"""Agents that decide otherwise, as far as keys of results can tell."""

from spades.agents.behaviour import PARTS


def change_behaviour(patch, fingerprint="0" * 16, parts=PARTS):
    """Give some parts another fingerprint until ``patch`` is undone."""
    from spades.agents import behaviour

    changed = {**behaviour.stored_fingerprints(), **dict.fromkeys(parts, fingerprint)}
    patch.setattr("spades.agents.behaviour.stored_fingerprints", lambda: changed)
