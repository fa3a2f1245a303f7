"""Write ``perft.json``: counts of legal sequences by OpenSpiel's ``spades(num_tricks=13)``.

Run as ``python -m tests.golden.make_perft`` with pyspiel (open_spiel 2.0.2) installed; 1 minute.
Each position is an action history (spec 1, notation 4); for each way to lead spades, the number of
legal sequences of 1, 2, ... plays from there.

OpenSpiel 2.0.2 has the clause "no spade is led before spades are broken" but never sets its
``is_spades_broken_``: there a spade is led only by a hand of only spades. Its own counts stand
under ``never``. Under ``broken`` and ``any`` the leader's legal cards are corrected here, from the
cards played and held; following, the order of the seats, winners and the end stay OpenSpiel's.
"""

from __future__ import annotations

import contextlib
import json
import random
from pathlib import Path

import pyspiel

GAME = "spades(num_tricks=13)"
GOLDEN = Path(__file__).with_name("perft.json")
N_DEALT, FIRST_PLAY = 52, 56
FIRST_SPADE = 39
LEADS = ("never", "broken", "any")


class TooLargeError(Exception):
    """A tree of more different positions than asked for."""


def legal_actions(state, lead):
    """OpenSpiel's legal actions, a leader's corrected for the rule ``lead``."""
    history = state.history()
    plays = history[FIRST_PLAY:]
    is_lead = len(history) >= FIRST_PLAY and len(plays) % 4 == 0 and not state.is_terminal()
    if is_lead and (lead == "any" or (lead == "broken" and max(plays, default=0) >= FIRST_SPADE)):
        return sorted(set(history[state.current_player() : N_DEALT : 4]) - set(plays))
    return state.legal_actions()


def perft(state, depth, lead, most=10**9):
    """Number of legal sequences of 1, 2, ... ``depth`` plays, from ``most`` positions or fewer."""
    return _perft(state, depth, lead, most, {})


def _perft(state, depth, lead, most, seen):
    # What can follow depends on the cards gone, the trick under way and the seat to play.
    plays = state.history()[FIRST_PLAY:]
    key = (frozenset(plays), tuple(plays[len(plays) - len(plays) % 4 :]), state.current_player())
    if key not in seen:
        if len(seen) >= most:
            raise TooLargeError
        actions = legal_actions(state, lead)
        deeper = [0] * (depth - 1)
        if depth > 1:
            below = [_perft(state.child(a), depth - 1, lead, most, seen) for a in actions]
            deeper = [sum(counts) for counts in zip(*below, strict=True)]
        seen[key] = [len(actions), *deeper]
    return seen[key]


def state_of(history):
    state = pyspiel.load_game(GAME).new_initial_state()
    for action in history:
        state.apply_action(action)
    return state


def random_position(rng, n_left, *, spades_last):
    """A state with ``n_left`` cards left in all, every action drawn at random.

    With ``spades_last`` no spade is played that need not be: often spades are still unbroken.
    """
    lead = rng.choice(LEADS)
    state = state_of([])
    while len(state.history()) < FIRST_PLAY + N_DEALT - n_left:
        actions = legal_actions(state, lead)
        if spades_last and len(state.history()) >= FIRST_PLAY:
            actions = [action for action in actions if action < FIRST_SPADE] or actions
        state.apply_action(rng.choice(actions))
    return state


def entry(rng, n_left, depth, most, spades_last):
    state = random_position(rng, n_left, spades_last=spades_last)
    counts = {lead: perft(state, depth, lead, most) for lead in LEADS}
    return {"history": state.history(), "tricks_left": -(-n_left // 4), "counts": counts}


def entries(rng, n, n_left, depth, most, *, spades_last=False):
    """``n`` positions whose trees hold at most ``most`` different positions."""
    found = []
    while len(found) < n:
        with contextlib.suppress(TooLargeError):
            found.append(entry(rng, n_left, depth, most, spades_last))
    return found


def main():
    rng = random.Random(20)
    found = [
        *entries(rng, 40, 12, 12, 3_000),
        *entries(rng, 6, 10, 10, 3_000),  # in the middle of a trick
        *entries(rng, 8, 16, 16, 8_000),
        *entries(rng, 4, 15, 15, 8_000),
        *entries(rng, 3, 20, 20, 60_000),
        *entries(rng, 6, 20, 8, 8_000),
        *entries(rng, 16, 20, 7, 8_000, spades_last=True),
    ]
    GOLDEN.write_text("[\n" + ",\n".join(json.dumps(one) for one in found) + "\n]\n")


if __name__ == "__main__":
    main()
