"""All that is found of one player of a log: the fit, its losses on games held out; stored."""

from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.models.training import TrainingError
from analysis.people.held_out import NETWORK_FILE, held_out
from analysis.people.players import examples_of_player
from analysis.runs.parts import Progress
from analysis.runs.store import ResultStore, version_of
from spades.core.logs import Log
from spades.human import MODELS, model_hash
from spades.human.features.logs import hash_of
from spades.human.files import ENDING
from spades.human.loglinear import LogLinearModel
from spades.human.person import Person, fit_person, load_spreads, person_model
from spades.notation.log_store import content_hash, open_log

STUDIED = "player"
VERSION = 1


def study_player(
    log: Log,
    player: str,
    *,
    tell: Callable[[Progress], None] = lambda progress: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> dict[str, Any] | None:
    """The fit to all of a player's choices, and ``held_out``; None if it was cancelled. Raises
    ``UnknownPlayerError``, and ``PersonError`` for one who never had a choice."""
    choices = examples_of_player(log, player).unforced
    model = fit_person(STUDIED, player, choices)
    rows = held_out(choices, tell=tell, is_cancelled=is_cancelled)
    if not rows:
        return None
    facts = model.facts_
    return {
        "player": player,
        "games": facts["data"]["games"],
        "decisions": len(choices),
        "data": facts["data"],
        "scale": facts["prior"]["scale"],
        "weights": model.weights_.tolist(),
        "standard_errors": facts["standard_errors"],
        "held_out": rows,
    }


def model_of(found: dict[str, Any], name: str, log: str) -> LogLinearModel:
    """The model that ``study_player`` found, of a log of this name."""
    weights, errors = (np.array(found[key]) for key in ("weights", "standard_errors"))
    facts = {"player": found["player"], "data": {**found["data"], "log": log}}
    return person_model(name, Person(weights, errors, found["scale"]), facts)


def question_of(log_name: str, player: str) -> dict[str, Any]:
    """What a study is stored under."""
    asked = {"log": content_hash(log_name), "player": player, "version": VERSION}
    used = {"spreads": hash_of(load_spreads()), "network": model_hash(str(NETWORK_FILE))}
    return {**asked, **used, **version_of("direct")}


def study_stored(
    log_name: str,
    player: str,
    *,
    tell: Callable[[Progress], None],
    is_cancelled: Callable[[], bool],
) -> None:
    """Study a player of a log of the store, and store what is found."""
    log = open_log(log_name).distinct()
    found = study_player(log, player, tell=tell, is_cancelled=is_cancelled)
    if found is not None:
        ResultStore().put(STUDIED, question_of(log_name, player), found)


def save_model(found: dict[str, Any], name: str, log: str) -> None:
    """Store the model as one of one's own; ``TrainingError`` where there is one of that name."""
    if MODELS.safe_name(name) in MODELS.names():
        raise TrainingError(f"there is a model {name} already; give another name")
    model_of(found, name, log).save(MODELS.folder() / (name + ENDING))
