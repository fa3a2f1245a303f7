"""Models of how humans play: abstract moves, features, models by name, simulated humans.

Names are those in agents' texts, links and result files. Two models are published weights; the
others are files in one folder, ``$SPADES_MODELS`` or ``data/models``. Wherever a name is taken,
so is the path of a file.
"""

from functools import lru_cache
from pathlib import Path

from spades.core.errors import UnknownModelError
from spades.human.features.abstract_moves import abstract_move_ids, abstract_move_names
from spades.human.files import ENDING, NamedFiles, read_once
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
    "human_bid", "human_card", "load_model", "load_prior", "model_hash", "model_names",
    "simulate_humans",
]  # fmt: skip

PUBLISHED = {"devlin2016": devlin2016, MODEL_NAME: devlin2016_nil}
MODELS = NamedFiles("models", "human model", "a-z, A-Z, 0-9", UnknownModelError, tuple(PUBLISHED))


def model_names() -> tuple[str, ...]:
    return MODELS.names()


def load_model(name: str) -> HumanModel:
    """The human model of that name, or of the file at that path, which ends in .safetensors.

    ``UnknownModelError`` lists the names there are; ``ModelFileError`` says what is wrong with a
    file."""
    if name in PUBLISHED:
        return PUBLISHED[name]()
    if name.endswith(ENDING):
        return HumanModel.load(Path(name))
    return MODELS.load(name, HumanModel.load, is_fresh=True)


def load_prior(name: str) -> Prior:
    """The model of that name or file, compiled; read once, and again when its file changes. All
    callers share its scratch memory: see ``spades.human.model.own_copy``."""
    return _compiled(name)[0]


def model_hash(name: str) -> str:
    """``HumanModel.hash`` of the model of that name or file, read again when its file changes."""
    return _compiled(name)[1]


def _compiled(name: str) -> tuple[Prior, str]:
    if name in PUBLISHED:
        return _of_published(name)
    if name.endswith(ENDING):
        return read_once(_of_file, Path(name))
    return MODELS.load(name, _of_file)


@lru_cache
def _of_published(name: str) -> tuple[Prior, str]:
    model = PUBLISHED[name]()
    return model.prior(), model.hash()


def _of_file(path: Path) -> tuple[Prior, str]:
    model = HumanModel.load(path)
    return model.prior(), model.hash()
