"""A corpus: pairs of a state and the action that was taken in it, from a log, as vectors.

Source: Dobre and Lascarides 2015, section III-D: 59 games of people of mixed experience, about
14,000 pairs. Forced plays are no actions that anybody chose and are left out.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spades.core.errors import SpadesError
from spades.core.kernel import kernel
from spades.core.logs import UNKNOWN_BAGS, UNKNOWN_SCORE, Log
from spades.core.records import BOT, KINDS
from spades.human.corpus.features import (
    BEFORE,
    N_FEATURES,
    N_STANDING,
    Features,
    order_suits,
    write_state,
)
from spades.human.features.examples import HUMANS, Examples, examples_of_log, movers_of


class CorpusError(SpadesError):
    """A corpus that can't be built, found or read."""


@dataclass(frozen=True, eq=False)
class Corpus:
    """n pairs. ``states`` and ``actions`` int8 (n, 64), ``spades.human.corpus.features``.

    ``rounds`` int32 (n,) rows of the log and ``plies`` int8 (n,), cards played before: where each
    pair stands in it. ``facts``: where they come from, as the file's header has it: ``log``,
    ``log_hash``, ``seats``, ``games``, ``rounds``, ``pairs`` of ``pairs_in_games``, ``seed`` of the
    draw, ``players`` by kind.
    """

    name: str
    states: Features
    actions: Features
    rounds: NDArray[np.int32]
    plies: NDArray[np.int8]
    facts: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.states)

    @cached_property
    def inverse_norms(self) -> NDArray[np.float64]:
        """One over the length of each state and of each action, (2, n); 0 for a zero vector."""
        return np.stack([inverse_norms(self.states), inverse_norms(self.actions)])

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the vectors, the first 12 hex digits: the same pairs, the same hash."""
        digest = hashlib.sha256()
        for array in (self.states, self.actions):
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()[:12]


def inverse_norms(vectors: Features) -> NDArray[np.float64]:
    """One over the Euclidean length of each row; 0 for a row of zeros."""
    squares = np.square(vectors.astype(np.int64)).sum(axis=-1)
    return np.where(squares > 0, 1 / np.sqrt(np.maximum(squares, 1)), 0.0)


def build_corpus(
    log: Log,
    name: str,
    *,
    source: str,
    seats: str = HUMANS,
    games: int | None = None,
    pairs: int | None = None,
    seed: int = 0,
) -> Corpus:
    """A corpus of a log whose rounds passed the replay check.

    ``seats``: ``humans`` (and simulated humans) or ``all``. ``games``: the first so many in which
    such a seat plays, by default all. ``pairs``: so many of their unforced plays, drawn with
    ``seed`` and kept in order, by default all. ``source``: what to call the log. Raises
    ``CorpusError`` where the log has fewer, and
    ``InvalidRecordError`` where no such seat plays.
    """
    rows = _first_games(log, seats, games)
    examples = _examples(log.take(rows), seats)
    if not len(examples):
        raise CorpusError(f"{source}: every play is forced, so nobody chose an action")
    n_games, n_pairs = len(np.unique(log.game_code[rows])), len(examples)
    examples = _drawn(examples, pairs, seed, source)
    rounds = rows[examples.games].astype(np.int32)
    seat_of = movers_of(log, rounds, examples.views)
    states, actions = _vectors(examples, _standings(log, rounds, seat_of))
    facts = {
        "log": source,
        "log_hash": log_hash(log),
        "seats": seats,
        "players": _players(log.kind[rounds, seat_of]),
        "games": n_games,
        "rounds": len(rows),
        "pairs": len(examples),
        "pairs_in_games": n_pairs,
        "seed": seed,
    }
    plies = np.array([int(mask).bit_count() for mask in examples.views[:, 4]], dtype=np.int8)
    return Corpus(name, states, actions, rounds, plies, facts)


def log_hash(log: Log) -> str:
    """SHA-256 of a log's deals, auctions and plays, whatever file holds them: 16 hex digits."""
    digest = hashlib.sha256()
    for array in (log.hands, log.plays, log.bids, log.blind, log.dealer, log.kind):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:16]


def _first_games(log: Log, seats: str, games: int | None) -> NDArray[np.int64]:
    """Rows of the first games in which a seat of these plays, all games by default."""
    is_wanted = (log.kind != KINDS.index(BOT)).any(axis=1) if seats == HUMANS else log.n_plays > 0
    rows = np.flatnonzero(is_wanted)
    found, firsts = np.unique(log.game_code[rows], return_index=True)
    if games is None:
        return rows
    if not 1 <= games <= len(found):
        raise CorpusError(f"{games} games asked for; the log has 1 to {len(found)} to take")
    chosen = found[np.argsort(firsts)][:games]
    return rows[np.isin(log.game_code[rows], chosen)]


def _examples(log: Log, seats: str) -> Examples:
    """Unforced examples whose ``games`` are the rows of the log."""
    rows = np.arange(len(log), dtype=np.int32)
    return examples_of_log(dataclasses.replace(log, game_code=rows), seats).unforced


def _drawn(examples: Examples, pairs: int | None, seed: int, source: str) -> Examples:
    if pairs is None:
        return examples
    if not 1 <= pairs <= len(examples):
        raise CorpusError(
            f"{pairs:,} pairs asked for; {source} has {len(examples):,} unforced plays in these "
            "games: ask for at most so many, or for more games"
        )
    rows = np.random.default_rng(seed).choice(len(examples), pairs, replace=False)
    return examples.take(np.sort(rows))


def _standings(log: Log, rounds: NDArray[np.int32], seats: NDArray[np.int64]) -> NDArray[np.int64]:
    """What ``standing_of`` gives for each pair, (n, 6)."""
    own, their = seats % 2, 1 - seats % 2
    out = np.empty((len(rounds), N_STANDING), dtype=np.int64)
    for column, numbers, unknown in (
        (0, log.score_before, UNKNOWN_SCORE),
        (2, log.bags_before, UNKNOWN_BAGS),
    ):
        known = np.where(numbers[rounds] == unknown, 0, numbers[rounds])
        at = np.arange(len(rounds))
        out[:, column], out[:, column + 1] = known[at, own], known[at, their]
    limits = np.array([(rules.target, rules.bag_limit) for rules in log.rules], dtype=np.int64)
    out[:, 4:] = limits[log.rules_code[rounds]]
    return out


def _vectors(examples: Examples, standings: NDArray[np.int64]) -> tuple[Features, Features]:
    states = np.empty((len(examples), N_FEATURES), dtype=np.int8)
    actions = np.empty_like(states)
    write_pairs(examples.views, standings, examples.cards, states, actions)
    return states, actions


@kernel
def write_pairs(
    views: NDArray, standings: NDArray, cards: NDArray, states: NDArray, actions: NDArray
) -> None:
    """The state of every view and the change that its card makes to it, int8 (n, 64) each."""
    suits = np.empty(4, dtype=np.int64)
    for i in range(len(views)):
        state, action = states[i], actions[i]
        order_suits(views[i], suits)
        write_state(views[i], standings[i], suits, BEFORE, state)
        write_state(views[i], standings[i], suits, np.int64(cards[i]), action)
        for k in range(N_FEATURES):
            action[k] -= state[k]


def _players(kinds: NDArray[np.int8]) -> dict[str, int]:
    """Pairs by who took the action."""
    counts = np.bincount(kinds, minlength=len(KINDS))
    return {kind: int(n) for kind, n in zip(KINDS, counts, strict=True) if n}
