"""Corpora of human play as vectors, their files, and what they suggest for a decision.

Source: Dobre and Lascarides 2015. A corpus is pairs of a state and the action taken in it (section
III-D: 59 games of people of mixed experience, about 14,000 pairs); forced plays, which nobody
chose, are left out.

Suggestions (sections IV-C and IV-D, equations 2 to 5): the relevance of a pair (s', a') to an
option (s, a) is the mean of the cosine of the states and the cosine of the actions, from -1 to 1.
Each pair counts once, for the option it fits best; Q of an option is the mean over its pairs of
relevance times utility, which is 1 for every pair, as in the paper. Where the paper is silent:
among options that a pair fits equally well it counts for the lowest card code; every pair counts,
as no threshold is given; an option without a pair has no value.
"""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, cards_in
from spades.core.errors import SpadesError
from spades.core.kernel import kernel, lean_sum_kernel
from spades.core.logs import UNKNOWN_BAGS, UNKNOWN_SCORE, Log
from spades.core.observation import Observation
from spades.core.records import BOT, KINDS
from spades.human.features.corpus_features import (
    BEFORE,
    N_FEATURES,
    NAMES,
    VERSION,
    Features,
    decision_features,
    order_suits,
    standings_of,
    write_state,
)
from spades.human.features.logs import HUMANS, examples_of_log, hash_of, movers_of
from spades.human.features.view import PLAYED
from spades.human.files import NamedFiles, TensorFormat

DEFAULT_CORPUS = "four-humans-59"
_TENSORS = {"states": np.int8, "actions": np.int8, "rounds": np.int32, "plies": np.int8}
_BOUNDS = {
    "states": (0, 120), "actions": (-120, 120),
    "rounds": (0, np.iinfo(np.int32).max), "plies": (0, N_CARDS - 1),
}  # fmt: skip


class CorpusError(SpadesError):
    """A corpus that can't be built, found or read."""


@dataclass(frozen=True, eq=False)
class Corpus:
    """n pairs. ``states`` and ``actions`` int8 (n, 64), ``spades.human.features.corpus_features``.

    ``rounds`` int32 (n,) rows of the log and ``plies`` int8 (n,), cards played before: where each
    pair is in it. ``facts``: where they come from, as the file's header has it: ``pairs`` of
    ``pairs_in_games``, ``seed`` of the draw, ``players`` by kind, ``log_hash`` and more."""

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
        return hash_of(self.states, self.actions, digits=12)


def inverse_norms(vectors: Features) -> NDArray[np.float64]:
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
    """A corpus of a log whose rounds passed the replay check; ``source``: what to call the log.

    ``games``: the first so many in which one of the ``seats`` plays. ``pairs``: so many of their
    unforced plays, drawn with ``seed`` and in order. By default all. Raises ``CorpusError`` where
    the log has fewer, and ``InvalidRecordError`` where no such seat plays."""
    rows = _first_games(log, seats, games)
    by_row = dataclasses.replace(log.take(rows), game_code=np.arange(len(rows), dtype=np.int32))
    examples = examples_of_log(by_row, seats).unforced
    if not (n_pairs := len(examples)):
        raise CorpusError(f"{source}: every play is forced, so nobody chose an action")
    if pairs is not None:
        if not 1 <= pairs <= n_pairs:
            raise CorpusError(
                f"{pairs:,} pairs asked for; {source} has {n_pairs:,} unforced plays in these "
                "games: ask for at most so many, or for more games"
            )
        drawn = np.random.default_rng(seed).choice(n_pairs, pairs, replace=False)
        examples = examples.take(np.sort(drawn))
    rounds = rows[examples.games].astype(np.int32)
    movers = movers_of(log, rounds, examples.views)
    states, actions = np.empty((2, len(examples), N_FEATURES), dtype=np.int8)
    write_pairs(examples.views, _standings(log, rounds, movers), examples.cards, states, actions)
    players = np.bincount(log.kind[rounds, movers], minlength=len(KINDS))
    facts = {
        "log": source,
        "log_hash": log_hash(log),
        "seats": seats,
        "players": {kind: int(n) for kind, n in zip(KINDS, players, strict=True) if n},
        "games": len(np.unique(log.game_code[rows])),
        "rounds": len(rows),
        "pairs": len(examples),
        "pairs_in_games": n_pairs,
        "seed": seed,
    }
    plies = np.bitwise_count(examples.views[:, PLAYED]).astype(np.int8)
    return Corpus(name, states, actions, rounds, plies, facts)


def log_hash(log: Log) -> str:
    """SHA-256 of a log's deals, auctions and plays, whatever file holds them: 16 hex digits."""
    return hash_of(log.hands, log.plays, log.bids, log.blind, log.dealer, log.kind)


def _first_games(log: Log, seats: str, games: int | None) -> NDArray[np.int64]:
    is_wanted = (log.kind != KINDS.index(BOT)).any(axis=1) if seats == HUMANS else log.n_plays > 0
    rows = np.flatnonzero(is_wanted)
    found, firsts = np.unique(log.game_code[rows], return_index=True)
    if games is None:
        return rows
    if not 1 <= games <= len(found):
        raise CorpusError(f"{games} games asked for; the log has 1 to {len(found)} to take")
    chosen = found[np.argsort(firsts)][:games]
    return rows[np.isin(log.game_code[rows], chosen)]


def _standings(log: Log, rounds: NDArray[np.int32], seats: NDArray[np.int64]) -> NDArray[np.int64]:
    score = np.where(log.score_before == UNKNOWN_SCORE, 0, log.score_before)
    bags = np.where(log.bags_before == UNKNOWN_BAGS, 0, log.bags_before)
    limits = np.array([(rules.target, rules.bag_limit) for rules in log.rules], dtype=np.int64)
    return standings_of(score[rounds], bags[rounds], limits[log.rules_code[rounds]], seats)


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


FORMAT = TensorFormat(
    what="corpus",
    entry="spades_corpus",
    version=1,
    keys={
        "features": int, "feature_names": list, "log": str, "log_hash": str, "seats": str,
        "players": dict, "games": int, "rounds": int, "pairs": int, "pairs_in_games": int,
        "seed": int,
    },
    types={"I8": np.int8, "I32": np.int32},
    max_bytes=512 << 20,
    error=CorpusError,
)  # fmt: skip
CORPORA = NamedFiles(
    "corpora", "corpus", "a-z, 0-9", CorpusError,
    hint=": python -m spades corpus makes one of any log",
)  # fmt: skip


def load_corpus(name: str) -> Corpus:
    """The corpus of that name, read once, and again when its file changes. ``CorpusError`` lists
    the names there are."""
    return CORPORA.load(name, read_corpus)


def write_corpus(path: Path, corpus: Corpus, *, command: str = "") -> None:
    """Write a corpus, whole or not at all; ``command``: what made it."""
    header = {**corpus.facts, "features": VERSION, "feature_names": list(NAMES), "command": command}
    FORMAT.write(path, header, {name: getattr(corpus, name) for name in _TENSORS})


def read_corpus(path: Path) -> Corpus:
    """The corpus of any file; ``CorpusError`` says what is wrong with it."""

    def build(header: dict[str, Any], tensors: dict[str, NDArray]) -> Corpus:
        _check(header, tensors)
        known = ("features", "feature_names", "version")
        facts = {k: v for k, v in header.items() if k not in known}
        arrays: Any = {name: tensors[name].astype(kind) for name, kind in _TENSORS.items()}
        return Corpus(path.stem, facts=facts, **arrays)

    return FORMAT.read(path, build)


def _check(header: Mapping[str, Any], tensors: Mapping[str, NDArray]) -> None:
    """Refuse other features than these, and tensors that aren't exactly those of n pairs."""
    if (header["features"], header["feature_names"]) != (VERSION, list(NAMES)):
        raise CorpusError(
            f"its vectors are of features version {header['features']}, of which there are "
            f"{len(header['feature_names'])}; this code compares those of version {VERSION}, "
            f"{N_FEATURES}: build it anew with python -m spades corpus"
        )
    if (n := header["pairs"]) < 1:
        raise CorpusError(f"{n} pairs; a corpus has at least one")
    shapes = {"states": (n, N_FEATURES), "actions": (n, N_FEATURES), "rounds": (n,), "plies": (n,)}
    FORMAT.check(tensors, shapes, _BOUNDS)


class Suggestions(NamedTuple):
    """What a corpus says of k legal cards. ``cards`` int64 (k,) codes, lowest first; ``values``
    float64 (k,) Q, nan without a pair; ``n_pairs`` int64 (k,). Of each of the n pairs: ``options``
    int8 (n,) the card it counts for, an index into ``cards``; ``relevances`` float64 (n,)."""

    cards: NDArray[np.int64]
    values: NDArray[np.float64]
    n_pairs: NDArray[np.int64]
    options: NDArray[np.int8]
    relevances: NDArray[np.float64]

    @property
    def best(self) -> int:
        """The card with the highest Q, the lowest code among equals."""
        return int(self.cards[np.nanargmax(self.values)])


def suggest(corpus: Corpus, observation: Observation) -> Suggestions:
    """What a corpus suggests to the seat to play, from what that seat sees. Raises
    ``IllegalPlayError`` for a seat that isn't to play."""
    found = decision_features(observation).astype(np.int64)
    cards = np.array(list(cards_in(observation.legal_mask)), dtype=np.int64)
    return suggestions_of(corpus, cards, found[0], found[1:] - found[0])


def suggestions_of(corpus: Corpus, cards: NDArray, state: NDArray, actions: NDArray) -> Suggestions:
    """Suggestions for one state (64,) and k actions (k, 64), whole numbers from -120 to 120."""
    n, k = len(corpus), len(actions)
    options, relevances = np.empty(n, dtype=np.int8), np.empty(n)
    norms = np.append(inverse_norms(state), inverse_norms(actions))
    assign_pairs(
        (corpus.states, corpus.actions, corpus.inverse_norms),
        (state.astype(np.float32), np.ascontiguousarray(actions, dtype=np.float32), norms),
        (options, relevances),
    )
    sums, counts = np.bincount(options, relevances, k), np.bincount(options, minlength=k)
    values = np.where(counts > 0, sums / np.maximum(counts, 1), math.nan)
    return Suggestions(cards, values, counts, options, relevances)


@lean_sum_kernel
def dot(vector: NDArray, other: NDArray) -> np.float32:
    """Product of two vectors of 64 small whole numbers, exact in float32; ``other`` float32."""
    total = np.float32(0)
    for i in range(N_FEATURES):
        total += np.float32(vector[i]) * other[i]
    return total


@kernel
def assign_pairs(pairs: tuple, decision: tuple, out: tuple) -> None:
    """Each pair to the option it fits best, and its relevance. ``pairs``: states and actions int8
    (n, 64), inverse norms (2, n). ``decision``: state float32 (64,), actions float32 (k, 64),
    inverse norms (1 + k,)."""
    states, actions, pair_norms = pairs
    state, options, norms = decision
    option_of, relevances = out
    action = np.empty(N_FEATURES, dtype=np.float32)
    for p in range(len(states)):
        for i in range(N_FEATURES):
            action[i] = actions[p, i]
        best, found = -np.inf, 0
        for j in range(len(options)):
            cosine = dot(action, options[j]) * norms[1 + j]
            if cosine > best:
                best, found = cosine, j
        alike = dot(states[p], state) * norms[0] * pair_norms[0, p]
        option_of[p], relevances[p] = found, (alike + best * pair_norms[1, p]) / 2
