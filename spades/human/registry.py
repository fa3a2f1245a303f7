"""Human models by name, as agents' texts, links and result files write them.

Two are published weights; the others are files of one folder, ``$SPADES_MODELS`` or
``data/models``.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from spades.core.errors import UnknownModelError
from spades.human.files import MODEL_FORMAT, ModelFileError, NamedFiles
from spades.human.loglinear import LogLinearModel, devlin2016
from spades.human.model import HumanModel, Prior
from spades.human.networks.model import NetworkModel
from spades.human.simulated import MODEL_NAME, devlin2016_nil

KINDS: dict[str, type[HumanModel]] = {kind.kind: kind for kind in (LogLinearModel, NetworkModel)}
PUBLISHED = {"devlin2016": devlin2016, MODEL_NAME: devlin2016_nil}
MODELS = NamedFiles("models", "human model", "a-z, A-Z, 0-9", UnknownModelError, tuple(PUBLISHED))


def model_names() -> tuple[str, ...]:
    """Every model there is now: the published ones, then those of the folder."""
    return MODELS.names()


def read_model(path: Path) -> HumanModel:
    """The model of any file; ``ModelFileError`` where it holds none."""
    header, tensors = MODEL_FORMAT.read(path)
    kind = KINDS.get(header["kind"])
    if kind is None:
        raise ModelFileError(
            f"{path.name}: a model of kind {header['kind'][:60]!r}; known: {', '.join(KINDS)}"
        )
    return kind.from_parts(path, header, tensors)


def load_model(name: str) -> HumanModel:
    """The human model of that name; ``UnknownModelError`` lists the names there are."""
    return PUBLISHED[name]() if name in PUBLISHED else MODELS.load(name, read_model, is_fresh=True)


def load_prior(name: str) -> Prior:
    """The model of that name, compiled; read once, and again when its file changes.

    All callers share its scratch memory: see ``spades.human.model.own_copy``.
    """
    return _published_prior(name) if name in PUBLISHED else MODELS.load(name, _read_prior)


@lru_cache
def _published_prior(name: str) -> Prior:
    return PUBLISHED[name]().prior()


def _read_prior(path: Path) -> Prior:
    return read_model(path).prior()
