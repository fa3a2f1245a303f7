"""What a corpus suggests for a decision: the value of every legal card from similar pairs.

Source: Dobre and Lascarides 2015, sections IV-C and IV-D, equations 2 to 5. The relevance of a pair
(s', a') to an option (s, a) is the mean of the cosine of the states and the cosine of the actions,
from -1 to 1. Each pair speaks once, for the option it fits best; Q of an option is the mean over
the pairs that speak for it of relevance times utility. As in the paper the utility of every pair is
1: whoever played it is trusted, and Q is a mean relevance.

Where the paper is silent: among options that a pair fits equally well it speaks for the lowest card
code; every pair speaks, however little it is like the decision, as no threshold is given; an option
for which no pair speaks has no value. The state's cosine is the same for all options of a decision,
so which one a pair fits best is up to the actions.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import cards_in
from spades.core.errors import SpadesError
from spades.core.kernel import kernel, lean_sum_kernel
from spades.core.logs import UNKNOWN_BAGS, UNKNOWN_SCORE, Log
from spades.core.observation import Observation
from spades.core.records import BOT, KINDS
from spades.human.features.corpus_features import (
    BEFORE,
    N_FEATURES,
    N_STANDING,
    NAMES,
    VERSION,
    Features,
    decision_features,
    order_suits,
    write_state,
)
from spades.human.features.logs import HUMANS, Examples, examples_of_log, movers_of
from spades.human.files import NamedFiles, TensorFormat


class CorpusError(SpadesError):
    """A corpus that can't be built, found or read."""


@dataclass(frozen=True, eq=False)
class Corpus:
    """n pairs. ``states`` and ``actions`` int8 (n, 64), ``spades.human.features.corpus_features``.

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


ENDING = ".safetensors"
DEFAULT_CORPUS = "four-humans-59"
_FILES = NamedFiles(
    kind="corpora", pattern=re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?"), ending=ENDING
)
_LOWEST, _HIGHEST = -120, 120
_FACTS: dict[str, type] = {
    "log": str,
    "log_hash": str,
    "seats": str,
    "players": dict,
    "games": int,
    "rounds": int,
    "pairs": int,
    "pairs_in_games": int,
    "seed": int,
}
FORMAT = TensorFormat(
    what="corpus",
    entry="spades_corpus",
    version=1,
    keys={"features": int, "feature_names": list, **_FACTS},
    types={"I8": np.int8, "I32": np.int32},
    max_bytes=512 << 20,
    error=CorpusError,
)


def corpora_folder() -> Path:
    return _FILES.folder()


def corpus_names() -> tuple[str, ...]:
    """Every corpus of the folder."""
    return tuple(_FILES.names())


def safe_corpus_name(name: str) -> str:
    """The name, if a corpus may have it; ``CorpusError`` says what is legal."""
    if not _FILES.is_name(name):
        raise CorpusError(
            f"{name[:60]!r} is no name for a corpus: 1 to 60 of a-z, 0-9 and hyphens, no hyphen at "
            "either end, are legal"
        )
    return name


def load_corpus(name: str) -> Corpus:
    """The corpus of that name, read once, and anew when its file changes.

    ``CorpusError`` lists the names there are.
    """
    changed = _FILES.changed(name)
    if changed is None:
        known = ", ".join(corpus_names()) or "none"
        raise CorpusError(
            f"no corpus is called {name[:60]!r}; the corpora are {known}: python -m spades corpus "
            "makes one of any log"
        )
    return _loaded(_FILES.path(name), changed)


@lru_cache(maxsize=4)
def _loaded(path: Path, changed: int) -> Corpus:
    return read_corpus(path)


def write_corpus(path: Path, corpus: Corpus, *, command: str = "") -> None:
    """Write a corpus, whole or not at all."""
    header = {**corpus.facts, "features": VERSION, "feature_names": list(NAMES), "command": command}
    tensors = {name: getattr(corpus, name) for name in ("states", "actions", "rounds", "plies")}
    FORMAT.write(path, header, tensors)


def read_corpus(path: Path) -> Corpus:
    """The corpus of any file; ``CorpusError`` says what is wrong with it."""
    header, tensors = FORMAT.read(path)
    try:
        _check_features(header)
        _check_tensors(header["pairs"], tensors)
    except CorpusError as error:
        raise CorpusError(f"{path.name}: {error}") from None
    known = ("features", "feature_names", "version")
    return Corpus(path.stem, facts={k: v for k, v in header.items() if k not in known}, **tensors)


def _check_features(header: Mapping[str, Any]) -> None:
    if (header["features"], header["feature_names"]) != (VERSION, list(NAMES)):
        raise CorpusError(
            f"its vectors are of features version {header['features']}, of which there are "
            f"{len(header['feature_names'])}; this code compares those of version {VERSION}, "
            f"{N_FEATURES}: build it anew with python -m spades corpus"
        )


def _check_tensors(n: int, tensors: Mapping[str, NDArray]) -> None:
    """Refuse tensors that aren't exactly those of n pairs."""
    wanted: dict[str, tuple[type, tuple[int, ...]]] = {
        "states": (np.int8, (n, N_FEATURES)),
        "actions": (np.int8, (n, N_FEATURES)),
        "rounds": (np.int32, (n,)),
        "plies": (np.int8, (n,)),
    }
    if n < 1:
        raise CorpusError(f"{n} pairs; a corpus has at least one")
    if set(tensors) != set(wanted):
        odd = sorted(set(tensors) ^ set(wanted))[0]
        what = "missing" if odd in wanted else "not wanted"
        raise CorpusError(f"tensor {odd[:60]!r} is {what}; wanted: {', '.join(wanted)}")
    for name, (kind, shape) in wanted.items():
        found = tensors[name]
        if found.dtype != kind or found.shape != shape:
            raise CorpusError(
                f"tensor {name} is {found.dtype} {found.shape}; of {n} pairs it is "
                f"{np.dtype(kind)} {shape}"
            )
    for name, least in (("states", 0), ("actions", _LOWEST)):
        low, high = int(tensors[name].min()), int(tensors[name].max())
        if low < least or high > _HIGHEST:
            raise CorpusError(
                f"{name} hold numbers from {low} to {high}; {least} to {_HIGHEST} are possible"
            )


class Suggestions(NamedTuple):
    """What a corpus says of k legal cards. ``cards`` int64 (k,) codes, lowest first; ``values``
    float64 (k,) Q, nan where no pair speaks; ``n_pairs`` int64 (k,). Of each of the n pairs:
    ``options`` int8 (n,) the card it speaks for, an index into ``cards``, and ``relevances``
    float64 (n,)."""

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
    """What a corpus suggests to the seat to play, from what that seat sees.

    Raises ``IllegalPlayError`` for a seat that isn't to play.
    """
    found = decision_features(observation).astype(np.int64)
    cards = np.array(list(cards_in(observation.legal_mask)), dtype=np.int64)
    return suggestions_of(corpus, cards, found[0], found[1:] - found[0])


def suggestions_of(
    corpus: Corpus, cards: NDArray[np.int64], state: NDArray, actions: NDArray
) -> Suggestions:
    """Suggestions for one state (64,) and k actions (k, 64), whole numbers from -120 to 120."""
    n, k = len(corpus), len(actions)
    options, relevances = np.empty(n, dtype=np.int8), np.empty(n)
    sums, counts = np.zeros(k), np.zeros(k, dtype=np.int64)
    norms = np.append(inverse_norms(state), inverse_norms(actions))
    assign_pairs(
        (corpus.states, corpus.actions, corpus.inverse_norms),
        (state.astype(np.float32), np.ascontiguousarray(actions, dtype=np.float32), norms),
        (options, relevances),
        (sums, counts),
    )
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
def assign_pairs(
    pairs: tuple[NDArray, NDArray, NDArray],
    decision: tuple[NDArray, NDArray, NDArray],
    out: tuple[NDArray, NDArray],
    totals: tuple[NDArray, NDArray],
) -> None:
    """Each pair to the option it fits best; sums of relevance and counts by option.

    ``pairs``: states and actions int8 (n, 64), inverse norms (2, n). ``decision``: state float32
    (64,), actions float32 (k, 64), inverse norms (1 + k,).
    """
    states, actions, pair_norms = pairs
    state, options, norms = decision
    option_of, relevances = out
    sums, counts = totals
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
        relevance = (alike + best * pair_norms[1, p]) / 2
        option_of[p], relevances[p] = found, relevance
        sums[found] += relevance
        counts[found] += 1
