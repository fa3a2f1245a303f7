"""Names in the place of paths: shipped hands and stored logs."""

import difflib
import os
from collections.abc import Sequence
from pathlib import Path

from spades.core.paths import DATA, folders_of

HANDS = DATA / "hands"
HAND_ENDING = ".jsonl"
LOG_ENDING = ".parquet"
N_NEAR = 3  # names that a refusal suggests

Source = str | os.PathLike[str]
"""A path, or the name of a shipped hand or a stored log."""


def hand_names() -> tuple[str, ...]:
    """The shipped hands."""
    return tuple(sorted(path.stem for path in HANDS.glob(f"*{HAND_ENDING}")))


def log_names() -> tuple[str, ...]:
    """The logs of the store, the shipped ones among them."""
    paths = [path for folder in folders_of("logs") for path in folder.glob(f"*{LOG_ENDING}")]
    return tuple(sorted({path.stem for path in paths}))


def find_source(source: Source) -> Path:
    """The file at a path, or of a shipped hand or a stored log of that name.

    ``FileNotFoundError`` where there is neither; it suggests the nearest names."""
    path = Path(source)
    if os.path.exists(path):
        return path
    name = os.fspath(source)
    named_files = [HANDS / f"{name}{HAND_ENDING}"]
    named_files += [folder / f"{name}{LOG_ENDING}" for folder in folders_of("logs")]
    is_name = name == path.name and not path.suffix
    for file in named_files:
        if is_name and file.is_file():
            return file
    near = near_names(path.stem, [*hand_names(), *log_names()])
    raise FileNotFoundError(f"{name}: no such file, and no hand or log has that name{near}")


def near_names(name: str, known: Sequence[str]) -> str:
    """What a refusal of a name adds: the known names most like it, or all."""
    near = difflib.get_close_matches(name, known, N_NEAR)
    if near:
        return f"; did you mean {' or '.join(near)}?"
    return f"; known are {', '.join(known)}"
