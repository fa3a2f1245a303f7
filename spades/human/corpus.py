"""Corpora of human play as feature vectors, their files, and their suggestions for a decision.

Source: Dobre and Lascarides 2015. A corpus is a set of pairs of a state and the action taken in it
(section III-D: 59 games of people of mixed experience, about 14,000 pairs). Forced plays are left
out.

Suggestions (sections IV-C and IV-D, equations 2 to 5): the relevance of a pair (s', a') to an
option (s, a) is the mean of the cosine of the states and the cosine of the actions, from -1 to 1.
Each pair counts once, for the option it fits best; Q of an option is the mean over its pairs of
relevance times utility, which is 1 for every pair, as in the paper. Where the paper is silent: ties
go to the lowest card code; every pair counts, as no threshold is given; an option without a pair
has no value.
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
from spades.core.kernel import FloatArray, IntArray, kernel, lean_sum_kernel
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
_TENSORS = {
    "states": np.int8,
    "actions": np.int8,
    "rounds": np.int32,
    "plies": np.int8,
}
_BOUNDS = {
    "states": (0, 120),
    "actions": (-120, 120),
    "rounds": (0, np.iinfo(np.int32).max),
    "plies": (0, N_CARDS - 1),
}


class CorpusError(SpadesError):
    """A corpus that can't be built, found or read."""


@dataclass(frozen=True, eq=False)
class Corpus:
    """n pairs. ``states`` and ``actions`` int8 (n, 64), ``spades.human.features.corpus_features``.

    ``rounds`` int32 (n,) and ``plies`` int8 (n,): the row of the log and the number of cards played
    before, which tell where each pair comes from. ``facts``: their origin, as in the file's header:
    ``pairs`` of ``pairs_in_games``, ``seed`` of the draw, ``players`` by kind, ``log_hash``..."""

    name: str
    states: Features
    actions: Features
    rounds: NDArray[np.int32]
    plies: NDArray[np.int8]
    facts: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.states)

    @cached_property
    def inverse_norms(self) -> FloatArray:
        """Inverse norms of the states and the actions, (2, n)."""
        return np.stack([inverse_norms(self.states), inverse_norms(self.actions)])

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the vectors, the first 12 hex digits."""
        return hash_of(self.states, self.actions, digits=12)


def inverse_norms(vectors: Features) -> FloatArray:
    """One over the Euclidean norm of each vector; 0 for a zero vector."""
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
    """A corpus of a log whose rounds passed the replay check; ``source``: name of the log.

    ``games``: the number of games taken, the first in which one of the ``seats`` plays. ``pairs``:
    the number of their unforced plays taken, drawn with ``seed`` and kept in order. By default all.
    Raises ``CorpusError`` if the log has fewer, ``InvalidRecordError`` if no such seat plays."""
    rows = _first_games(log, seats, games)
    row_numbers = np.arange(len(rows), dtype=np.int32)
    by_row = dataclasses.replace(log.take(rows), game_code=row_numbers)
    examples = examples_of_log(by_row, seats).unforced
    n_pairs = len(examples)
    if not n_pairs:
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
    states = np.empty((len(examples), N_FEATURES), dtype=np.int8)
    actions = np.empty_like(states)
    standings = _standings(log, rounds, movers)
    write_pairs(examples.views, standings, examples.cards, states, actions)
    n_by_kind = np.bincount(log.kind[rounds, movers], minlength=len(KINDS)).tolist()
    facts = {
        "log": source,
        "log_hash": log_hash(log),
        "seats": seats,
        "players": {kind: n for kind, n in zip(KINDS, n_by_kind, strict=True) if n},
        "games": len(np.unique(log.game_code[rows])),
        "rounds": len(rows),
        "pairs": len(examples),
        "pairs_in_games": n_pairs,
        "seed": seed,
    }
    plies = np.bitwise_count(examples.views[:, PLAYED]).astype(np.int8)
    return Corpus(name, states, actions, rounds, plies, facts)


def log_hash(log: Log) -> str:
    """SHA-256 of a log's deals, auctions and plays, whatever its file format: 16 hex digits."""
    return hash_of(log.hands, log.plays, log.bids, log.blind, log.dealer, log.kind)


def _first_games(log: Log, seats: str, games: int | None) -> IntArray:
    """Rows of the first games in which one of the seats plays."""
    has_human = (log.kind != KINDS.index(BOT)).any(axis=1)
    is_wanted = has_human if seats == HUMANS else log.n_plays > 0
    rows = np.flatnonzero(is_wanted)
    codes, firsts = np.unique(log.game_code[rows], return_index=True)
    if games is None:
        return rows
    if not 1 <= games <= len(codes):
        raise CorpusError(f"{games} games asked for; the log has 1 to {len(codes)} to take")
    chosen = codes[np.argsort(firsts)][:games]
    return rows[np.isin(log.game_code[rows], chosen)]


def _standings(log: Log, rounds: NDArray[np.int32], seats: IntArray) -> IntArray:
    score = np.where(log.score_before == UNKNOWN_SCORE, 0, log.score_before)
    bags = np.where(log.bags_before == UNKNOWN_BAGS, 0, log.bags_before)
    limits = np.array([(rules.target, rules.bag_limit) for rules in log.rules], dtype=np.int64)
    return standings_of(score[rounds], bags[rounds], limits[log.rules_code[rounds]], seats)


@kernel
def write_pairs(
    views: NDArray, standings: NDArray, cards: NDArray, states: NDArray, actions: NDArray
) -> None:
    """Write the state of every view and the change that its card makes to it, int8 (n, 64) each."""
    suits = np.empty(4, dtype=np.int64)
    for i in range(len(views)):
        state = states[i]
        action = actions[i]
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
        "features": int,
        "feature_names": list,
        "log": str,
        "log_hash": str,
        "seats": str,
        "players": dict,
        "games": int,
        "rounds": int,
        "pairs": int,
        "pairs_in_games": int,
        "seed": int,
    },
    types={"I8": np.int8, "I32": np.int32},
    max_bytes=512 << 20,
    error=CorpusError,
)
CORPORA = NamedFiles(
    "corpora",
    "corpus",
    "a-z, 0-9",
    CorpusError,
    hint=": python -m spades corpus makes one of any log",
)


def load_corpus(name: str) -> Corpus:
    """The corpus of that name, cached until its file changes; ``CorpusError`` lists the names."""
    return CORPORA.load(name, read_corpus)


def write_corpus(path: Path, corpus: Corpus, *, command: str = "") -> None:
    """Write a corpus; an interrupted write leaves the old file. ``command``: how it was made."""
    header = {
        **corpus.facts,
        "features": VERSION,
        "feature_names": list(NAMES),
        "command": command,
    }
    FORMAT.write(path, header, {name: getattr(corpus, name) for name in _TENSORS})


def read_corpus(path: Path) -> Corpus:
    """The corpus of any file; ``CorpusError`` says what is wrong with it."""

    def build(header: dict[str, Any], tensors: dict[str, NDArray]) -> Corpus:
        _check(header, tensors)
        fixed = ("features", "feature_names", "version")
        facts = {key: value for key, value in header.items() if key not in fixed}
        arrays: Any = {name: tensors[name].astype(kind) for name, kind in _TENSORS.items()}
        return Corpus(path.stem, facts=facts, **arrays)

    return FORMAT.read(path, build)


def _check(header: Mapping[str, Any], tensors: Mapping[str, NDArray]) -> None:
    """Refuse other features, and tensors that don't hold n pairs."""
    if (header["features"], header["feature_names"]) != (VERSION, list(NAMES)):
        raise CorpusError(
            f"its vectors are of features version {header['features']}, of which there are "
            f"{len(header['feature_names'])}; this code compares those of version {VERSION}, "
            f"{N_FEATURES}: build it anew with python -m spades corpus"
        )
    n = header["pairs"]
    if n < 1:
        raise CorpusError(f"{n} pairs; a corpus has at least one")
    shapes = {
        "states": (n, N_FEATURES),
        "actions": (n, N_FEATURES),
        "rounds": (n,),
        "plies": (n,),
    }
    FORMAT.check(tensors, shapes, _BOUNDS)


class Suggestions(NamedTuple):
    """The suggestions of a corpus for k legal cards. ``cards`` int64 (k,): codes, lowest first;
    ``values`` float64 (k,): Q, nan without a pair; ``n_pairs`` int64 (k,). For each of the n pairs:
    ``options`` int8 (n,), the card that it counts for, an index into ``cards``; ``relevances``
    float64 (n,)."""

    cards: IntArray
    values: FloatArray
    n_pairs: IntArray
    options: NDArray[np.int8]
    relevances: FloatArray

    @property
    def best(self) -> int:
        """The card with the highest Q, the lowest code among equals."""
        return int(self.cards[np.nanargmax(self.values)])


def suggest(corpus: Corpus, observation: Observation) -> Suggestions:
    """Suggestions for an observation; ``IllegalPlayError`` for a seat that isn't to play."""
    states = decision_features(observation).astype(np.int64)
    cards = np.array(list(cards_in(observation.legal_mask)), dtype=np.int64)
    return suggestions_of(corpus, cards, states[0], states[1:] - states[0])


def suggestions_of(corpus: Corpus, cards: NDArray, state: NDArray, actions: NDArray) -> Suggestions:
    """Suggestions for one state (64,) and k actions (k, 64), integers from -120 to 120."""
    n = len(corpus)
    k = len(actions)
    options = np.empty(n, dtype=np.int8)
    relevances = np.empty(n)
    norms = np.append(inverse_norms(state), inverse_norms(actions))
    assign_pairs(
        (corpus.states, corpus.actions, corpus.inverse_norms),
        (state.astype(np.float32), np.ascontiguousarray(actions, dtype=np.float32), norms),
        (options, relevances),
    )
    sums = np.bincount(options, relevances, k)
    counts = np.bincount(options, minlength=k)
    values = np.where(counts > 0, sums / np.maximum(counts, 1), math.nan)
    return Suggestions(cards, values, counts, options, relevances)


@lean_sum_kernel
def dot(vector: NDArray, other: NDArray) -> np.float32:
    """Dot product of two vectors of 64 small integers, exact in float32; ``other`` float32."""
    total = np.float32(0)
    for i in range(N_FEATURES):
        total += np.float32(vector[i]) * other[i]
    return total


@kernel
def assign_pairs(pairs: tuple, decision: tuple, out: tuple) -> None:
    """Write the option that each pair fits best, (n,), and its relevance, (n,), into ``out``.

    ``pairs``: states and actions int8 (n, 64), their inverse norms (2, n). ``decision``: state
    float32 (64,), actions float32 (k, 64), inverse norms of both (1 + k,)."""
    states, actions, pair_norms = pairs
    state, options, norms = decision
    option_of, relevances = out
    action = np.empty(N_FEATURES, dtype=np.float32)
    for p in range(len(states)):
        for i in range(N_FEATURES):
            action[i] = actions[p, i]
        best = -np.inf
        best_option = 0
        for j in range(len(options)):
            cosine = dot(action, options[j]) * norms[1 + j]
            if cosine > best:
                best = cosine
                best_option = j
        alike = dot(states[p], state) * norms[0] * pair_norms[0, p]
        option_of[p] = best_option
        relevances[p] = (alike + best * pair_norms[1, p]) / 2
