"""Human models by name, as agents' texts, links and result files write them.

Two are published weights; the others are files of one folder, ``$SPADES_MODELS`` or
``data/models``, named by ``a-z``, ``A-Z``, ``0-9`` and hyphens: no name leads out of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from spades.errors import UnknownModelError
from spades.human.loglinear import LogLinearModel, devlin2016
from spades.human.model import HumanModel
from spades.human.model_files import ModelFileError, read_model_file
from spades.human.networks.model import NetworkModel
from spades.human.prior import Prior, prior_of
from spades.human.simulated import MODEL_NAME, devlin2016_nil

ENDING = ".safetensors"
KINDS: dict[str, type[HumanModel]] = {kind.kind: kind for kind in (LogLinearModel, NetworkModel)}
PUBLISHED: dict[str, Callable[[], HumanModel]] = {
    "devlin2016": devlin2016,
    MODEL_NAME: devlin2016_nil,
}
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,58}[A-Za-z0-9])?")


def models_folder() -> Path:
    if configured := os.environ.get("SPADES_MODELS"):
        return Path(configured)
    return Path(__file__).resolve().parents[2] / "data" / "models"


def model_names() -> tuple[str, ...]:
    """Every model there is now: the published ones, then those of the folder."""
    found = (path.stem for path in models_folder().glob("*" + ENDING) if _is_ours(path))
    return (*PUBLISHED, *sorted(name for name in found if name not in PUBLISHED))


def _is_ours(path: Path) -> bool:
    return bool(_NAME.fullmatch(path.stem)) and path.is_file() and not path.is_symlink()


def safe_model_name(name: str) -> str:
    """The name, if a model may have it; :class:`UnknownModelError` says what is legal."""
    if not _NAME.fullmatch(name):
        raise UnknownModelError(
            f"{name[:60]!r} is no name for a model: 1 to 60 letters, digits and hyphens, no hyphen "
            "at either end, are legal"
        )
    return name


def model_path(name: str) -> Path:
    """File of a model of the folder; :class:`UnknownModelError` lists the names there are."""
    path = models_folder() / f"{name}{ENDING}"
    if not _NAME.fullmatch(name) or not _is_ours(path):
        raise UnknownModelError(
            f"no human model is called {name[:60]!r}; the models are {', '.join(model_names())}"
        )
    return path


def read_model(path: Path) -> HumanModel:
    """The model of any file; :class:`ModelFileError` where it holds none."""
    header, tensors = read_model_file(path)
    kind = KINDS.get(header["kind"])
    if kind is None:
        known = ", ".join(KINDS)
        raise ModelFileError(
            f"{path.name}: a model of kind {header['kind'][:60]!r}; known: {known}"
        )
    return kind.from_parts(path, header, tensors)


def load_model(name: str) -> HumanModel:
    """The human model of that name; :class:`UnknownModelError` lists the names there are."""
    if name in PUBLISHED:
        return PUBLISHED[name]()
    return read_model(model_path(name))


def load_prior(name: str) -> Prior:
    """The model of that name as compiled code asks it; read once, and anew when its file changes.

    All who ask share its scratch memory: see :func:`spades.human.prior.own_copy`.
    """
    changed = 0 if name in PUBLISHED else model_path(name).stat().st_mtime_ns
    return _prior(name, models_folder(), changed)


@lru_cache(maxsize=16)
def _prior(name: str, folder: Path, changed: int) -> Prior:
    return prior_of(load_model(name))
