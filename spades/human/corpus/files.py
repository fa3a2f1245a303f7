"""Corpora as files: vectors computed once, stored with where they come from; known by name.

A corpus is a safetensors file of one folder, ``$SPADES_CORPORA`` or ``data/corpora``, named by
``a-z``, ``0-9`` and hyphens: no name leads out of it. One that is cut, foreign, or of features that
this code doesn't compute, is refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spades.human.corpus.features import N_FEATURES, NAMES, VERSION
from spades.human.corpus.pairs import Corpus, CorpusError
from spades.human.files import NamedFiles, TensorFormat

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
