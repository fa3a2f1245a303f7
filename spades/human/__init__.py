"""Models of how humans play: abstract moves, features, models by name, simulated humans.

Names are those in agents' texts, links and result files. Two models are published weights; the
others are files in one folder, ``$SPADES_MODELS`` or ``data/models``. Wherever a name is taken,
so is the path of a file. A Python function that ``register_prior`` has named, or that a user has
typed as ``py:module.Name``, is a model too, but not a compiled one (``spades.human.own``).
"""

from functools import lru_cache
from pathlib import Path

from spades.core.errors import UnknownModelError, shown
from spades.core.own_code import PREFIX, REFUSED, check_new_name
from spades.human.features.abstract_moves import abstract_move_ids, abstract_move_names
from spades.human.files import ENDING, NamedFiles, read_once
from spades.human.loglinear import devlin2016
from spades.human.model import HumanModel, Prior
from spades.human.networks.model import NetworkModel
from spades.human.own import OWN_PRIORS, OwnModel, PriorCode, PythonPrior
from spades.human.simulated import (
    MODEL_NAME,
    devlin2016_nil,
    human_bid,
    human_card,
    simulate_humans,
)

__all__ = [
    "MODELS", "PUBLISHED", "HumanModel", "NetworkModel", "OwnModel", "abstract_move_ids",
    "abstract_move_names", "any_prior", "human_bid", "human_card", "load_model", "load_prior",
    "model_hash", "model_names", "program_of_model", "register_prior", "simulate_humans",
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
    own = _own(name)
    if own is not None:
        return own
    if name.endswith(ENDING):
        return HumanModel.load(Path(name))
    return MODELS.load(name, HumanModel.load, is_fresh=True)


def load_prior(name: str) -> Prior:
    """The model of that name or file, compiled; read once, and again when its file changes. All
    callers share its scratch memory: see ``spades.human.model.own_copy``. ``NotCompiledError`` for
    a Python function."""
    own = _own(name)
    return own.prior() if own is not None else _compiled(name)[0]


def any_prior(name: str) -> Prior | OwnModel:
    """What a search takes for the model of that name: its compiled numbers, or the Python function
    of one's own."""
    own = _own(name)
    return own if own is not None else _compiled(name)[0]


def model_hash(name: str) -> str:
    """``HumanModel.hash`` of the model of that name or file, read again when its file changes; of
    a Python function the version that it declares."""
    own = _own(name)
    return own.hash() if own is not None else _compiled(name)[1]


def program_of_model(name: str) -> PriorCode | None:
    """The code of other people that a model's name stands for; None for a compiled model."""
    return OWN_PRIORS[name].own if name in OWN_PRIORS else None


def _own(name: str) -> OwnModel | None:
    """The Python function of that name; refused where it is one that nobody has admitted."""
    if name in OWN_PRIORS or not name.startswith(PREFIX):
        return OWN_PRIORS.get(name)
    raise UnknownModelError(f"{shown(name)} {REFUSED}")


def register_prior(name: str, prior: PythonPrior, *, version: str | None = None) -> None:
    """Give a prior of your own a name, by which searches lean towards it as towards any model.

    ``prior``: a function of an observation of the seat to play, which returns how likely each legal
    card is: a ``dict`` by card, a card left out being impossible, or numbers in the order of
    ``observation.legal``. They are divided by their sum. A class, called without arguments, or an
    object with such a method ``probabilities`` will do too. It is called for every node where a
    compiled model is asked, with what the seat to play sees there, and gives the same result as a
    compiled model would.

    ``version``: what results are stored under besides the name; change it whenever the prior says
    otherwise. Without one ``prior.version`` counts, and without that a hash of the file that
    defines it. The name may be registered again.

    >>> import spades
    >>> def no_trumps(observation):
    ...     return {card: 0.1 if card.suit == "S" else 1 for card in observation.legal}
    >>> spades.register_prior("no-trumps", no_trumps, version="1")
    >>> record = spades.shipped("bug-report-335")
    >>> agent = "ismcts:iterations=500,bias=knowledge,model=no-trumps"
    >>> decision = spades.analyse(record, 24, agent=agent, models=["no-trumps"])
    >>> row = decision.row("H4")
    >>> print(f"{row.human['no-trumps']:.0%}", f"{row.prior:.0%}")
    40% 40%

    Raises ``ProgramError`` for a name that another model has, and for code that declares no version
    and has no source to be read."""
    check_new_name(name, PriorCode.role, model_names().__contains__)
    PriorCode.of(name, prior, version).register(prior)


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
