"""Models of single players of a log; a model's file has its losses on games held out."""

from contextlib import suppress

import numpy as np

from analysis.models.training import TrainingError, own_names
from analysis.people.bids import fit_bids
from analysis.people.held_out import Ask, Tell, held_out
from analysis.people.players import examples_of_player
from spades.core.errors import SpadesError
from spades.core.logs import Log
from spades.core.records import KINDS
from spades.human import MODELS, load_model
from spades.human.files import ENDING
from spades.human.loglinear import LogLinearModel
from spades.human.person import fit_person
from spades.notation.log_store import open_log


def fit_player(
    log: Log,
    player: str,
    name: str,
    *,
    tell: Tell,
    is_cancelled: Ask,
) -> LogLinearModel | None:
    """A model fitted to all choices of a player, ``held_out`` among its facts; None if cancelled.
    Raises ``UnknownPlayerError``, and ``PersonError`` for a player who never had a choice."""
    choices = examples_of_player(log, player).unforced
    model = fit_person(name, player, choices)
    is_own = log.player_code == log.players.index(player)
    kinds = np.unique(log.kind[is_own])
    model.facts_["kinds"] = [KINDS[kind] for kind in kinds]
    model.facts_["held_out"] = held_out(choices, tell, is_cancelled)
    model.facts_["bids"] = fit_bids(log, player)
    return None if is_cancelled() else model


def fit_stored(log: str, player: str, name: str, *, tell: Tell, is_cancelled: Ask) -> None:
    """``fit_player`` of a stored log, saved among the user's own models. Raises ``TrainingError``
    if there is a model of that name."""
    if MODELS.safe_name(name) in MODELS.names():
        raise TrainingError(f"there is a model {name} already; give another name")
    rounds = open_log(log).distinct()
    model = fit_player(rounds, player, name, tell=tell, is_cancelled=is_cancelled)
    if model is not None:
        model.facts_["data"]["log"] = log
        model.save(MODELS.folder() / (name + ENDING))


def persons() -> dict[str, LogLinearModel]:
    """The models of persons among the user's own, by name; files that can't be read are left
    out."""
    models = {}
    for name in own_names():
        with suppress(SpadesError):
            model = load_model(name)
            if isinstance(model, LogLinearModel) and "held_out" in model.facts_:
                models[name] = model
    return models
