"""Models of how humans play: abstract moves, features, models by name, simulated humans.

Names are those in agents' texts, links and result files. Two models are published weights; the
others are files in one folder, ``$SPADES_MODELS`` or ``data/models``.
"""

from functools import lru_cache
from pathlib import Path

from spades.core.errors import UnknownModelError
from spades.human.features.abstract_moves import abstract_move_ids, abstract_move_names
from spades.human.files import ENDING, NamedFiles
from spades.human.loglinear import devlin2016
from spades.human.model import HumanModel, Prior
from spades.human.networks.model import NetworkModel
from spades.human.simulated import (
    MODEL_NAME,
    devlin2016_nil,
    human_bid,
    human_card,
    simulate_humans,
)

__all__ = [
    "MODELS", "PUBLISHED", "HumanModel", "NetworkModel", "abstract_move_ids", "abstract_move_names",
    "find_model", "human_bid", "human_card", "load_model", "load_prior", "model_hash",
    "model_names", "simulate_humans",
]  # fmt: skip

PUBLISHED = {"devlin2016": devlin2016, MODEL_NAME: devlin2016_nil}
MODELS = NamedFiles("models", "human model", "a-z, A-Z, 0-9", UnknownModelError, tuple(PUBLISHED))


def model_names() -> tuple[str, ...]:
    return MODELS.names()


def load_model(name: str) -> HumanModel:
    """The human model of that name; ``UnknownModelError`` lists the names there are."""
    if name in PUBLISHED:
        return PUBLISHED[name]()
    return MODELS.load(name, HumanModel.load, is_fresh=True)


def find_model(name: str) -> HumanModel:
    """The human model of that name, or of the file at that path, which ends in .safetensors."""
    return HumanModel.load(Path(name)) if name.endswith(ENDING) else load_model(name)


def load_prior(name: str) -> Prior:
    """The model of that name, compiled; read once, and again when its file changes. All callers
    share its scratch memory: see ``spades.human.model.own_copy``."""
    return _compiled(name)[0]


def model_hash(name: str) -> str:
    """``HumanModel.hash`` of the model of that name or file, read again when its file changes."""
    return find_model(name).hash() if name.endswith(ENDING) else _compiled(name)[1]


def _compiled(name: str) -> tuple[Prior, str]:
    return _of_published(name) if name in PUBLISHED else MODELS.load(name, _of_file)


@lru_cache
def _of_published(name: str) -> tuple[Prior, str]:
    model = PUBLISHED[name]()
    return model.prior(), model.hash()


def _of_file(path: Path) -> tuple[Prior, str]:
    model = HumanModel.load(path)
    return model.prior(), model.hash()
