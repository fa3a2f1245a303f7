"""Habits: in which situations one group chooses which moves more or less often than another.

A habit is a set of abstract moves and a situation. It counts at plays where the move was a choice:
a legal card would have been such a move, and another would not. So "trumps low" is asked only of
those who could trump low and needn't have, and positions that one group meets more often are no
habit of it.

**Largest first, none twice.** The first habit is the one that adds most to the divergence of the
choices: its share of the first group's plays times KL(p || q) of the two rates. Then the second
group's plays are weighted so that it has this habit as often as the first group, and the next habit
is looked for in what is left (an iterative scaling, Darroch and Ratcliff 1972). What a habit
explains isn't listed again under another name. ``kl_left`` is the KL of the 68 or 32 abstract moves
that remains. It need not fall with every habit: one that is told apart in its situation may offset
another over all plays. What the second group never does, or always, no
weights can change: it is listed once, everywhere or in the situation that has most of it, and
explains nothing.

**Told apart.** Two rates differ if their difference is significant at 5 % after the correction of
Bonferroni for all habits looked at, with standard errors over games: the plays of a game are not
independent. Fewer than ``LEAST_PLAYS`` choices of either group aren't looked at. Of two
groups of 2,000 plays, a habit of one play in fifteen that differs by a third is found nine times in
ten; ``python -m experiments.check_habits`` has what is found of habits that are known.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from analysis.intervals import share_interval
from analysis.style.compare import ALPHA, kl_divergence, smoothed
from analysis.style.counts import (
    CONTEXT_LABELS,
    CONTEXT_TITLES,
    MAX_PLAYS,
    PLAY_COLUMNS,
    Group,
    PlayFilter,
    Plays,
    fold,
    mask_of,
    one_page,
    play_row,
)
from spades.core.kernel import BoolArray, FloatArray, IntArray, kernel, lowest
from spades.core.observation import Observation
from spades.human import HumanModel, load_model
from spades.human.features.abstract_moves import (
    BOSS,
    CATEGORIES,
    CATEGORY_OF_32,
    HIGHEST,
    LOWEST,
    MOVE_32_OF_68,
    MOVES_32,
    N_MOVES,
    N_SUIT_MOVES,
    POSITION_OF_32,
    POSITIONS,
    abstract_move_ids,
)
from spades.human.features.logs import FIELDS, MOVE, offered_moves_of_log
from spades.human.simulated import MODEL_NAME

LEAST_PLAYS = 20
MOST_HABITS = 12
MOST_ORDERED = 200  # plays
GENERAL = 0.8
"""What tells so much of the largest habit everywhere is listed as everywhere."""
ERROR_RATE = 0.05  # that any of equal groups' habits is listed
UNKNOWN = "unknown"
EVERYWHERE = ("", "")
TRICKS = "tricks"
HABIT_COLUMNS = [
    "habit",
    "situation",
    "of_share",
    "of_low",
    "of_high",
    "of_n",
    "to_share",
    "to_low",
    "to_high",
    "to_n",
    "nats",
    "kl_left",
]


class Action(NamedTuple):
    """Moves that a habit is about: ``moves`` bool (32,), ``name`` for tables."""

    name: str
    moves: BoolArray


class Situation(NamedTuple):
    """A value of a context, or everywhere: ``("nil", "own")``."""

    context: str
    value: str

    @property
    def label(self) -> str:
        if self == EVERYWHERE:
            return "everywhere"
        if self.context == TRICKS:
            return f"tricks {self.value}"
        return f"{CONTEXT_TITLES[self.context].lower()}: {self.value}"


def _actions() -> list[Action]:
    """Every abstract move, every category, and the best or the lowest card of any category."""
    actions = [Action(name, np.arange(N_MOVES) == i) for i, name in enumerate(MOVES_32)]
    actions += [Action(name, i == CATEGORY_OF_32) for i, name in enumerate(CATEGORIES)]
    for position in (BOSS, HIGHEST, LOWEST):
        name = f"{POSITIONS[position].capitalize()} card"
        actions.append(Action(name, position == POSITION_OF_32))
    return actions


ACTIONS = tuple(_actions())
_ACTION_MASKS = np.array([sum(1 << int(i) for i in np.flatnonzero(a.moves)) for a in ACTIONS])
PARTS = {"1 to 4": range(4), "5 to 9": range(4, 9), "10 to 13": range(9, 13)}
"""Tricks, from 0, of each part of a round. Not the phases of ``analysis.phases``: what sweeps store
of how well agents are told from humans is by these parts."""


def _situations() -> list[Situation]:
    found = [Situation(*EVERYWHERE)]
    for context, values in CONTEXT_LABELS.items():
        if context != "trick":
            found += [Situation(context, value) for value in values if value != UNKNOWN]
    return found + [Situation(TRICKS, part) for part in PARTS]


SITUATIONS = tuple(_situations())


class Reweighting(NamedTuple):
    """What a habit multiplies the weights of choices by: of those ``taken``, and of those ``left``.
    ``place`` and ``action`` are indices of ``SITUATIONS`` and ``ACTIONS``."""

    place: int
    action: int
    taken: float
    left: float


class Counted(NamedTuple):
    """Weighted plays of a group: ``tally`` of its choices, and how many of each of the 68 moves,
    float64 (68,). Those of the parts of a log add up, if games are whole in each."""

    tally: "Tally"
    moves: FloatArray

    def plus(self, other: Self) -> Self:
        sums = [mine + its for mine, its in zip(self.tally, other.tally, strict=True)]
        return type(self)(Tally(*sums), self.moves + other.moves)


class Countable(Protocol):
    """The plays of a group, in memory or not."""

    def count(self, weighed: Sequence[Reweighting]) -> Counted:
        """What there is of them, reweighted by the habits found so far."""


@dataclass(frozen=True)
class Choices:
    """n plays of a group: ``moves`` int8 (n,), of the 68; ``games`` int64 (n,). The others are
    masks, int64 (n,): ``offered``, of the 32 moves that legal cards were; ``situations``, of
    ``SITUATIONS``."""

    moves: IntArray
    offered: IntArray
    situations: IntArray
    games: IntArray

    def __len__(self) -> int:
        return len(self.moves)

    @classmethod
    def of(cls, data: Sequence[Plays], group: Group, where: PlayFilter) -> Self:
        """The plays of a group that pass a filter."""
        return cls.of_masks(data, [mask_of(plays, group, where) for plays in data])

    @classmethod
    def of_masks(cls, data: Sequence[Plays], masks: Sequence[NDArray]) -> Self:
        """The plays of the masks, bool or 0 and 1, (rounds, 52) each."""
        parts = []
        first_game = 0
        for plays, mask in zip(data, masks, strict=True):
            is_play = mask.astype(bool)
            codes = plays.contexts.codes[:, is_play]
            rounds, _ = np.nonzero(is_play)
            part = (
                codes[MOVE],
                offered_moves_of_log(plays.log)[is_play],
                _situations_of(codes),
                plays.units[rounds].astype(np.int64) + first_game,
            )
            parts.append(part)
            first_game += plays.n_units
        return cls(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    @property
    def moves_32(self) -> IntArray:
        return MOVE_32_OF_68[self.moves]

    @property
    def arrays(self) -> tuple[IntArray, ...]:
        return self.moves, self.offered, self.situations, self.games

    def take(self, rows: NDArray) -> Self:
        """Some of the plays."""
        return type(self)(*(array[rows] for array in self.arrays))

    @cached_property
    def masks(self) -> IntArray:
        """Masks of ``ACTIONS``, int64 (2, n): what was a choice, and what of it was taken."""
        masks = np.zeros((2, len(self)), dtype=np.int64)
        _mark_choices(self.offered, self.moves_32, _ACTION_MASKS, masks)
        return masks

    @cached_property
    def by_game(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """The plays game by game: their order, situations, masks of ``ACTIONS``, games."""
        order = np.argsort(self.games, kind="stable")
        return order, self.situations[order], self.masks[:, order], self.games[order]

    def count(self, weighed: Sequence[Reweighting]) -> Counted:
        """The choices and moves, reweighted."""
        weights = np.ones(len(self))
        for place, action, taken, left in weighed:
            is_choice, is_taken = self.at(place, action)
            weights[is_taken] *= taken
            weights[is_choice & ~is_taken] *= left
        moves = np.bincount(self.moves, weights, minlength=N_SUIT_MOVES).astype(np.float64)
        return Counted(self.tally(weights), moves)

    def tally(self, weights: FloatArray) -> "Tally":
        """Weighted choices and those taken, in every situation."""
        order, situations, masks, games = self.by_game
        of_game = np.zeros((2, len(SITUATIONS), len(ACTIONS)))
        sums = np.zeros((6, *of_game.shape[1:]))
        _tally_choices(situations, masks, games, weights[order], of_game, sums)
        return Tally(*sums)

    def at(self, place: int, action: int) -> BoolArray:
        """Which plays were a choice of an action in a situation, and which took it; (2, n)."""
        is_there = (self.situations >> place) & 1
        return ((self.masks >> action) & is_there).astype(bool)


class Tally(NamedTuple):
    """Weighted counts, each float64 (``SITUATIONS``, ``ACTIONS``): ``n`` choices, of which
    ``taken``; ``squares``, the sum of the squared weights of choices. The others are sums over
    games, of the products of what a game adds to ``n`` and to ``taken``."""

    n: FloatArray
    taken: FloatArray
    squares: FloatArray
    n_by_n: FloatArray
    n_by_taken: FloatArray
    taken_by_taken: FloatArray

    @property
    def rates(self) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return self.taken / self.n

    @property
    def rate_errors(self) -> FloatArray:
        """The standard errors of the rates, over games."""
        rates = self.rates
        residuals = self.taken_by_taken - 2 * rates * self.n_by_taken + rates**2 * self.n_by_n
        with np.errstate(invalid="ignore"):
            return np.sqrt(np.maximum(residuals, 0.0)) / self.n

    @property
    def effective_n(self) -> FloatArray:
        """How many choices of equal weight are worth as much."""
        with np.errstate(invalid="ignore"):
            return self.n**2 / self.squares


@kernel
def _mark_choices(offered: NDArray, moves: NDArray, actions: NDArray, masks: NDArray) -> None:
    """A choice: some of the moves offered are of the action, and some aren't."""
    for i in range(len(offered)):
        for action in range(len(actions)):
            such = offered[i] & actions[action]
            if such and such != offered[i]:
                bit = np.int64(1) << np.int64(action)
                masks[0, i] |= bit
                if actions[action] >> np.int64(moves[i]) & 1:
                    masks[1, i] |= bit


@kernel
def _tally_choices(
    situations: NDArray,
    masks: NDArray,
    games: NDArray,
    weights: NDArray,
    of_game: NDArray,
    sums: NDArray,
) -> None:
    """Of plays in the order of their games. ``of_game``: scratch, zeros before; ``sums``: as of
    ``Tally``, zeros before."""
    for i in range(len(situations)):
        if i and games[i] != games[i - 1]:
            _add_game(of_game, sums)
        places = situations[i]
        while places:
            place = lowest(places)
            places &= places - 1
            left = masks[0, i]
            while left:
                action = lowest(left)
                left &= left - 1
                of_game[0, place, action] += weights[i]
                sums[2, place, action] += weights[i] * weights[i]
                if masks[1, i] >> np.int64(action) & 1:
                    of_game[1, place, action] += weights[i]
    _add_game(of_game, sums)


@kernel
def _add_game(of_game: NDArray, sums: NDArray) -> None:
    """Add what a game has to the sums, and empty it."""
    for place in range(of_game.shape[1]):
        for action in range(of_game.shape[2]):
            n = of_game[0, place, action]
            if n:
                taken = of_game[1, place, action]
                sums[0, place, action] += n
                sums[1, place, action] += taken
                sums[3, place, action] += n * n
                sums[4, place, action] += n * taken
                sums[5, place, action] += taken * taken
                of_game[0, place, action] = 0.0
                of_game[1, place, action] = 0.0


def _situations_of(codes: NDArray[np.int8]) -> IntArray:
    masks = np.zeros(codes.shape[1], dtype=np.int64)
    for i, situation in enumerate(SITUATIONS):
        masks |= _is_in(codes, situation).astype(np.int64) << i
    return masks


def _is_in(codes: NDArray[np.int8], situation: Situation) -> BoolArray:
    if situation == EVERYWHERE:
        return np.ones(codes.shape[1], dtype=bool)
    if situation.context == TRICKS:
        return np.isin(codes[FIELDS.index("trick")], PARTS[situation.value])
    value = CONTEXT_LABELS[situation.context].index(situation.value)
    is_there = codes[FIELDS.index(situation.context)] == value
    if situation.context == "partner":  # the leader's partner has played nothing
        is_there &= codes[FIELDS.index("turn")] > 0
    return is_there


@dataclass(frozen=True)
class Habit:
    """A habit of the first group, as of ``HABIT_COLUMNS``; ``action`` and ``place`` are indices of
    ``ACTIONS`` and ``SITUATIONS``."""

    action: int
    place: int
    of_taken: int
    of_n: int
    to_taken: int
    to_n: int
    nats: float
    kl_left: float

    @property
    def is_more(self) -> bool:
        """Whether the first group does it more often."""
        return self.of_taken * self.to_n > self.to_taken * self.of_n


def find_habits(
    one: Countable, other: Countable, *, classes: int = N_MOVES, most: int = MOST_HABITS
) -> list[Habit]:
    """What tells the first group from the second, largest first; see the module's docstring.
    ``classes``: of how many abstract moves ``kl_left`` is, 68 or 32."""
    weighed: list[Reweighting] = []
    own = one.count(weighed)
    unweighted = other.count(weighed)
    others = unweighted
    n_plays = own.moves.sum()
    choices = own.tally.n
    to_taken = unweighted.tally.taken
    to_n = unweighted.tally.n
    is_looked_at = (choices >= LEAST_PLAYS) & (to_n >= LEAST_PLAYS)
    if not is_looked_at.any():
        return []
    bound = -float(ndtri(ERROR_RATE / 2 / is_looked_at.sum()))
    p = _rate(own.tally.taken, choices)
    habits: list[Habit] = []
    while len(habits) < most:
        q = _rate(others.tally.taken, others.tally.n)
        is_apart = is_looked_at & (_difference_in_errors(own.tally, others.tally) > bound)
        nats = np.where(is_looked_at, choices / n_plays * _binary_kl(p, q), 0.0)
        found = _largest(nats, is_apart)
        if found is None:
            break
        place, action = found
        is_looked_at[found] = False
        if 0 < to_taken[found] < to_n[found]:
            ratio = p[found] / q[found]
            ratio_left = (1 - p[found]) / (1 - q[found])
            weighed.append(Reweighting(place, action, ratio, ratio_left))
            others = other.count(weighed)
        else:  # no weights give plays that the other group never makes
            is_looked_at[:, action] = False
        habits.append(
            Habit(
                action=action,
                place=place,
                of_taken=int(own.tally.taken[found]),
                of_n=int(choices[found]),
                to_taken=int(to_taken[found]),
                to_n=int(to_n[found]),
                nats=float(nats[found]),
                kl_left=_kl_of_moves(own.moves, others.moves, unweighted.moves.sum(), classes),
            )
        )
    return habits


def _rate(taken: FloatArray, n: FloatArray) -> FloatArray:
    """Shares with the prior of Jeffreys, never 0 or 1."""
    return (taken + ALPHA) / (n + 2 * ALPHA)


def _binary_kl(p: FloatArray, q: FloatArray) -> FloatArray:
    return p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))


def _largest(nats: FloatArray, is_apart: BoolArray) -> tuple[int, int] | None:
    """Place and action of the largest habit that is told apart."""
    if not (nats[is_apart] > 0).any():
        return None
    flat = np.where(is_apart, nats, 0.0).argmax()
    place, action = map(int, np.unravel_index(flat, nats.shape))
    is_general = nats[0, action] >= GENERAL * nats[place, action]
    return (0, action) if is_general else (place, action)


def _difference_in_errors(own: Tally, others: Tally) -> FloatArray:
    """The differences of the rates in standard errors: those over games, but no smaller than those
    of independent plays with one rate; 0 where there is none."""
    p = own.rates
    q = others.rates
    n = own.n
    n_others = others.effective_n
    with np.errstate(invalid="ignore", divide="ignore"):
        pooled = (p * n + q * n_others) / (n + n_others)
        independent = pooled * (1 - pooled) * (1 / n + 1 / n_others)
        over_games = own.rate_errors**2 + others.rate_errors**2
        error = np.sqrt(np.maximum(independent, over_games))
        return np.nan_to_num(np.abs(p - q) / error, posinf=0.0)


def _kl_of_moves(own: FloatArray, others: FloatArray, n_others: float, classes: int) -> float:
    """The KL of the abstract moves, the second group weighted to as many plays as it has."""
    scaled = others * (n_others / others.sum())
    p = smoothed(fold(own, classes))
    q = smoothed(fold(scaled, classes))
    return float(kl_divergence(p, q))


def habit_table(habits: Sequence[Habit]) -> pd.DataFrame:
    """The habits, largest first, with the columns of ``HABIT_COLUMNS``; intervals are of
    independent plays."""
    rows = []
    for habit in habits:
        of_low, of_high = share_interval(habit.of_taken, habit.of_n) or (math.nan, math.nan)
        to_low, to_high = share_interval(habit.to_taken, habit.to_n) or (math.nan, math.nan)
        rows.append(
            {
                "habit": ACTIONS[habit.action].name,
                "situation": SITUATIONS[habit.place].label,
                "of_share": habit.of_taken / habit.of_n,
                "of_low": of_low,
                "of_high": of_high,
                "of_n": habit.of_n,
                "to_share": habit.to_taken / habit.to_n,
                "to_low": to_low,
                "to_high": to_high,
                "to_n": habit.to_n,
                "nats": habit.nats,
                "kl_left": habit.kl_left,
            }
        )
    return pd.DataFrame(rows, columns=HABIT_COLUMNS)


def plays_of_habit(
    data: Sequence[Plays],
    group: Group,
    where: PlayFilter,
    habit: Habit,
    *,
    model: str = MODEL_NAME,
    limit: int = MAX_PLAYS,
) -> tuple[pd.DataFrame, int]:
    """Choices of a habit by a group, and how many there are in all.

    Of at most ``MOST_ORDERED`` of them, spread evenly over the logs, the ``limit`` that surprise
    most by what people do there. With ``PLAY_COLUMNS`` and ``is_taken``: whether the habit was
    followed; ``expected``: how likely a human, by the ``model``, does."""
    humans = load_model(model)
    places = [_places_of(plays, group, where, habit) for plays in data]
    rows = []
    for plays, some in zip(data, one_page(places, MOST_ORDERED, 0), strict=True):
        for i, ply, is_taken in some.tolist():
            seen = plays.log.record(i).observation(ply)
            row = play_row(plays, group, i, ply)
            row |= {"is_taken": bool(is_taken), "expected": _expected(seen, habit, humans)}
            rows.append(row)
    table = pd.DataFrame(rows, columns=[*PLAY_COLUMNS, "is_taken", "expected"])
    chance = table["expected"].where(table["is_taken"], 1 - table["expected"])
    ordered = table.iloc[chance.argsort(kind="stable")]
    return ordered.head(limit).reset_index(drop=True), sum(map(len, places))


def _places_of(plays: Plays, group: Group, where: PlayFilter, habit: Habit) -> IntArray:
    """Round, ply and whether the action was taken, of each choice, (n, 3)."""
    choices = Choices.of([plays], group, where)
    is_choice, is_taken = choices.at(habit.place, habit.action)
    places = np.argwhere(mask_of(plays, group, where))
    return np.column_stack([places, is_taken])[is_choice]


def _expected(seen: Observation, habit: Habit, humans: HumanModel) -> float:
    """How likely a human takes the action."""
    wanted = ACTIONS[habit.action].moves
    moves = MOVE_32_OF_68[list(abstract_move_ids(seen).values())]
    chances = np.array(list(humans.probabilities(seen).values()))
    return float(chances[wanted[moves]].sum())
