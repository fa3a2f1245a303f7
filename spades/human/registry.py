"""Human models by name, as agents' texts, links and result files write them.

Two are published weights; the others are files of one folder, ``$SPADES_MODELS`` or
``data/models``, named by ``a-z``, ``A-Z``, ``0-9`` and hyphens: no name leads out of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from spades.core.errors import UnknownModelError
from spades.human.files import ModelFileError, NamedFiles, read_model_file
from spades.human.loglinear import LogLinearModel, devlin2016
from spades.human.model import HumanModel, Prior
from spades.human.networks.model import NetworkModel
from spades.human.simulated import MODEL_NAME, devlin2016_nil

ENDING = ".safetensors"
KINDS: dict[str, type[HumanModel]] = {kind.kind: kind for kind in (LogLinearModel, NetworkModel)}
PUBLISHED: dict[str, Callable[[], HumanModel]] = {
    "devlin2016": devlin2016,
    MODEL_NAME: devlin2016_nil,
}
_FILES = NamedFiles(
    kind="models",
    pattern=re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,58}[A-Za-z0-9])?"),
    ending=ENDING,
)


def models_folder() -> Path:
    return _FILES.folder()


def model_names() -> tuple[str, ...]:
    """Every model there is now: the published ones, then those of the folder."""
    return (*PUBLISHED, *(name for name in _FILES.names() if name not in PUBLISHED))


def safe_model_name(name: str) -> str:
    """The name, if a model may have it; ``UnknownModelError`` says what is legal."""
    if not _FILES.is_name(name):
        raise UnknownModelError(
            f"{name[:60]!r} is no name for a model: 1 to 60 letters, digits and hyphens, no hyphen "
            "at either end, are legal"
        )
    return name


def model_path(name: str) -> Path:
    """File of a model of the folder; ``UnknownModelError`` lists the names there are."""
    if _FILES.changed(name) is None:
        raise _unknown(name)
    return _FILES.path(name)


def _unknown(name: str) -> UnknownModelError:
    known = ", ".join(model_names())
    return UnknownModelError(f"no human model is called {name[:60]!r}; the models are {known}")


def read_model(path: Path) -> HumanModel:
    """The model of any file; ``ModelFileError`` where it holds none."""
    header, tensors = read_model_file(path)
    kind = KINDS.get(header["kind"])
    if kind is None:
        known = ", ".join(KINDS)
        raise ModelFileError(
            f"{path.name}: a model of kind {header['kind'][:60]!r}; known: {known}"
        )
    return kind.from_parts(path, header, tensors)


def load_model(name: str) -> HumanModel:
    """The human model of that name; ``UnknownModelError`` lists the names there are."""
    if name in PUBLISHED:
        return PUBLISHED[name]()
    return read_model(model_path(name))


def load_prior(name: str) -> Prior:
    """The model of that name as compiled code asks it; read once, and anew when its file changes.

    All who ask share its scratch memory: see ``spades.human.model.own_copy``.
    """
    if name in PUBLISHED:
        return _published_prior(name)
    changed = _FILES.changed(name)
    if changed is None:
        raise _unknown(name)
    return _prior(_FILES.path(name), changed)


@lru_cache
def _published_prior(name: str) -> Prior:
    return PUBLISHED[name]().prior()


@lru_cache(maxsize=16)
def _prior(path: Path, changed: int) -> Prior:
    return read_model(path).prior()
