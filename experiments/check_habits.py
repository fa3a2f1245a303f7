"""Habits that are known, looked for: ``python -m experiments.check_habits``.

Writes ``data/tables/habits.json``. Twenty simulated humans, each changed in one habit, play South
for ``ROUNDS`` rounds, some 2,000 plays, among three unchanged ones, and are compared with
``REFERENCE_ROUNDS`` rounds of four unchanged ones. They are the first of ``CANDIDATES`` that so
many plays can tell apart: with the power of ``POWER``, by how often the unchanged ones have the
choice and take it. ``rows``: the habit, the first row that ``analysis.style.habits`` lists, and
whether it is the right one: the same action, one that holds it or is held by it, or its opposite,
in the same situation. ``equal``: twenty unchanged ones, and how many habits are listed of each,
which should be none.

Two minutes of a core.
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtri

from analysis.intervals import share_interval
from analysis.style.counts import Group, PlayFilter, classify
from analysis.style.habits import (
    ACTIONS,
    ERROR_RATE,
    EVERYWHERE,
    PARTS,
    SITUATIONS,
    TRICKS,
    Action,
    Choices,
    Habit,
    Situation,
    find_habits,
)
from experiments.command import make_table
from spades.agents import parse_agent
from spades.agents.agent import Agent
from spades.agents.compiled import Seating
from spades.agents.play import play_range
from spades.agents.player import Player
from spades.core.cards import HAND_SIZE, N_SEATS, SEATS, cards_in
from spades.core.documents import Document
from spades.core.observation import Observation
from spades.core.options import option
from spades.core.paths import DATA
from spades.core.records import BOT
from spades.core.rules import NIL_BID, Rules
from spades.human import simulate_humans
from spades.human.features.abstract_moves import MOVE_32_OF_68, abstract_move_ids
from spades.human.features.card_features import legal_probabilities
from spades.human.features.view import TABLE, decision_of, view_of
from spades.human.simulated import load_simulated_human

PATH = DATA / "tables" / "habits.json"
ROUNDS = 154  # of 13 plays
REFERENCE_ROUNDS = 4000
SEED = 20_271_215
SOUTH = SEATS.index("S")
NEVER, OFTEN = 0.0, 12.0


class KnownHabit(NamedTuple):
    """``factor``: what the probability of every such card is multiplied by in the situation."""

    action: str
    situation: Situation
    factor: float


ANYWHERE = Situation(*EVERYWHERE)
CANDIDATES = (
    KnownHabit("Trump steal lowest", ANYWHERE, NEVER),
    KnownHabit("Lead spade", Situation(TRICKS, "1 to 4"), OFTEN),
    KnownHabit("Lead spade", ANYWHERE, NEVER),
    KnownHabit("Follow duck lowest", ANYWHERE, NEVER),
    KnownHabit("Follow duck highest", ANYWHERE, OFTEN),
    KnownHabit("Follow steal", Situation("turn", "second"), OFTEN),
    KnownHabit("Follow steal", Situation("turn", "second"), NEVER),
    KnownHabit("Follow steal", Situation("turn", "last"), NEVER),
    KnownHabit("Follow steal lowest", ANYWHERE, NEVER),
    KnownHabit("Trump steal", Situation("turn", "second"), NEVER),
    KnownHabit("Trump steal", Situation("partner", "yes"), OFTEN),
    KnownHabit("No follow", ANYWHERE, OFTEN),
    KnownHabit("No follow lowest", ANYWHERE, NEVER),
    KnownHabit("Lead non-spade boss", ANYWHERE, NEVER),
    KnownHabit("Lead non-spade single", ANYWHERE, OFTEN),
    KnownHabit("Lead non-spade highest", ANYWHERE, OFTEN),
    KnownHabit("Follow steal", Situation("contract", "met"), NEVER),
    KnownHabit("Trump steal", Situation(TRICKS, "10 to 13"), NEVER),
    KnownHabit("Follow steal boss", Situation("nil", "partner's"), NEVER),
    KnownHabit("Lead spade", Situation("nil", "an opponent's"), OFTEN),
    KnownHabit("Lowest card", Situation("turn", "leads"), OFTEN),
    KnownHabit("Boss card", Situation(TRICKS, "1 to 4"), NEVER),
    KnownHabit("Boss card", ANYWHERE, NEVER),
    KnownHabit("Follow duck", Situation("turn", "third"), OFTEN),
    KnownHabit("Follow steal", Situation("partner", "yes"), OFTEN),
    KnownHabit("Lead non-spade lowest", ANYWHERE, OFTEN),
    KnownHabit("Follow duck other", ANYWHERE, OFTEN),
    KnownHabit("No follow highest", ANYWHERE, OFTEN),
    KnownHabit("Trump steal highest", ANYWHERE, OFTEN),
    KnownHabit("Lead spade", Situation(TRICKS, "10 to 13"), NEVER),
)
N_KNOWN = 20
POWER = 0.95
OPPOSITES = ({"Lead spade", "Lead non-spade"}, {"Follow steal", "Follow duck"})
"""One is the other not done, where no third is possible."""


_NAMES = [action.name for action in ACTIONS]


def action_of(name: str) -> Action:
    return ACTIONS[_NAMES.index(name)]


def _nil_alive(seen: Observation) -> str:
    """Whose nil is alive, the first that applies."""
    own = seen.seat
    names = {own: "own", (own + 2) % N_SEATS: "partner's"}
    order = (own, (own + 2) % N_SEATS, (own + 1) % N_SEATS, (own + 3) % N_SEATS)
    for seat in order:
        if seen.table.bids[seat] == NIL_BID and not seen.table.tricks_taken[seat]:
            return names.get(seat, "an opponent's")
    return "none"


def _contract(seen: Observation) -> str:
    side = (seen.seat, (seen.seat + 2) % N_SEATS)
    bid = sum(seen.table.bids[seat] for seat in side)
    taken = sum(seen.table.tricks_taken[seat] for seat in side)
    return "met" if taken >= bid else "not met"


def _is_partner_winning(seen: Observation) -> str:
    view = view_of(seen)
    best = decision_of(seen).best_card
    return "yes" if best >= 0 and view[TABLE + 1] == 1 << best else "no"


def _tricks(seen: Observation) -> str:
    trick = len(seen.table.plays) // N_SEATS
    return next(part for part, tricks in PARTS.items() if trick in tricks)


VALUE_OF: dict[str, Callable[[Observation], str]] = {
    "nil": _nil_alive,
    "contract": _contract,
    "partner": _is_partner_winning,
    TRICKS: _tricks,
    "turn": lambda seen: ("leads", "second", "third", "last")[len(seen.trick)],
}


def is_in(seen: Observation, situation: Situation) -> bool:
    return situation == ANYWHERE or VALUE_OF[situation.context](seen) == situation.value


@dataclass(frozen=True)
class HabitualPlayer(Player):
    """A simulated human with one habit of ``CANDIDATES``; none with -1."""

    name: ClassVar[str] = "habitual"
    words: ClassVar[str] = "Simulated human with a habit"
    kind: ClassVar[str] = BOT

    habit: int = option(-1, least=-1, most=len(CANDIDATES) - 1, help="Index of the habit.")

    def choose(self, observation: Observation, seed: int) -> int:
        cards = list(cards_in(observation.legal_mask))
        shares = np.empty(len(cards))
        weights = load_simulated_human().weights
        legal_probabilities(decision_of(observation), weights, shares)
        if self.habit >= 0:
            shares = self._with_habit(observation, cards, shares)
        return int(np.random.default_rng(seed).choice(cards, p=shares / shares.sum()))

    def _with_habit(self, seen: Observation, cards: list[int], shares: Any) -> Any:
        known = CANDIDATES[self.habit]
        if not is_in(seen, known.situation):
            return shares
        moves = abstract_move_ids(seen)
        wanted = action_of(known.action).moves
        is_such = np.array([wanted[MOVE_32_OF_68[moves[card]]] for card in cards])
        changed = np.where(is_such, known.factor * shares, shares)
        return changed if changed.sum() > 0 else shares


def choices_of_player(habit: int, seed: int) -> Choices:
    """South's plays, with a habit, among simulated humans."""
    human = parse_agent("human")
    south = Agent(HabitualPlayer(habit), human.bidder)
    agents = [human] * N_SEATS
    agents[SOUTH] = south
    log = play_range(Seating(tuple(agents), Rules()), seed, 0, ROUNDS, unit="rounds")  # type: ignore[arg-type]
    return Choices.of([classify(log)], Group("kind", BOT, "habitual"), PlayFilter())


def reference_choices() -> Choices:
    log = simulate_humans(REFERENCE_ROUNDS, SEED)
    return Choices.of([classify(log)], Group("kind", "simulated-human", "humans"), PlayFilter())


def known_habits(reference: Choices) -> list[int]:
    """The first of ``CANDIDATES`` that so many plays can tell apart, by their indices."""
    n, taken, *_ = reference.tally(np.ones(len(reference)))
    n_looked_at = np.count_nonzero(n)
    bound = -float(ndtri(ERROR_RATE / 2 / n_looked_at))
    beyond = float(ndtri(POWER))
    found = []
    for i, known in enumerate(CANDIDATES):
        at = SITUATIONS.index(known.situation), _NAMES.index(known.action)
        n_choices = n[at] / len(reference) * ROUNDS * HAND_SIZE
        before = taken[at] / n[at]
        after = known.factor * before / (known.factor * before + 1 - before)
        error_if_equal = math.sqrt(before * (1 - before) / n_choices)
        error = math.sqrt(after * (1 - after) / n_choices)
        if abs(after - before) > bound * error_if_equal + beyond * error:
            found.append(i)
    return found[:N_KNOWN]


def is_right(known: KnownHabit, found: Habit) -> bool:
    """Whether a habit is the known one: see the module's docstring."""
    action = ACTIONS[found.action]
    wanted = action_of(known.action)
    is_nested = (action.moves <= wanted.moves).all() or (wanted.moves <= action.moves).all()
    is_opposite = {action.name, wanted.name} in OPPOSITES
    is_way_right = found.is_more == (known.factor > 1) ^ is_opposite
    is_same = is_nested or is_opposite
    return bool(is_same and is_way_right and SITUATIONS[found.place] == known.situation)


def make(options: argparse.Namespace) -> Document:
    reference = reference_choices()
    rows: list[dict[str, Any]] = []
    for i in known_habits(reference):
        known = CANDIDATES[i]
        habits = find_habits(choices_of_player(i, SEED + 1 + i), reference)
        first = habits[0] if habits else None
        rows.append(
            {
                "habit": known.action,
                "situation": known.situation.label,
                "factor": known.factor,
                "first": ACTIONS[first.action].name if first else None,
                "first_situation": SITUATIONS[first.place].label if first else None,
                "is_right": first is not None and is_right(known, first),
                "listed": len(habits),
            }
        )
    equal = []
    for i in range(N_KNOWN):
        habits = find_habits(choices_of_player(-1, SEED + 101 + i), reference)
        equal.append(len(habits))
    n_right = sum(row["is_right"] for row in rows)
    n_none = equal.count(0)
    return {
        "made_by": "python -m experiments.check_habits",
        "rounds": ROUNDS,
        "reference_rounds": REFERENCE_ROUNDS,
        "rows": rows,
        "right": n_right,
        "right_interval": share_interval(n_right, len(rows)),
        "equal": equal,
        "equal_without": n_none,
        "equal_without_interval": share_interval(n_none, len(equal)),
    }


if __name__ == "__main__":
    make_table(__doc__, PATH, make)
