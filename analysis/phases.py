"""Early, middle and late in a round: one meaning in judges, reviews, drills and suites."""

from spades.core.cards import HAND_SIZE, N_SEATS

PHASES = {"early": range(4), "middle": range(4, 8), "late": range(8, HAND_SIZE)}
"""The tricks of each phase, from 0."""


def phase_of(ply: int) -> str:
    return next(phase for phase, tricks in PHASES.items() if ply // N_SEATS in tricks)


def tricks_of(phase: str) -> str:
    """As people count: ``tricks 1 to 4``."""
    tricks = PHASES[phase]
    return f"tricks {tricks.start + 1} to {tricks.stop}"
