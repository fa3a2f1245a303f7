"""Queries of the engine protocol: one decision, searched as ``spades analyze`` searches it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

from analysis.decisions.decision import compare_searches
from analysis.decisions.settings import (
    DEFAULT_MODEL,
    AnalysisSettings,
    new_search,
    settings_of_agent,
)
from analysis.engine.seat import Seat, object_of
from spades.agents import Agent
from spades.core.documents import MAX_INT, Document
from spades.core.errors import InvalidRecordError, shown
from spades.core.observation import Observation
from spades.core.records import Record
from spades.human import load_model
from spades.notation import read_text
from spades.search.search import check_decision

SLICE = 500  # iterations between two looks at whether the query was terminated


@dataclass(frozen=True)
class Query:
    """A decision to search. ``played``: the card that was played, None where it isn't known."""

    observation: Observation
    played: str | None
    settings: AnalysisSettings
    agent: str

    @classmethod
    def of(cls, message: Document, agent: Agent) -> Self:
        """The query of a message ``analyse``; ``SpadesError`` says what is wrong with it."""
        iterations = _whole(message, "iterations", None, least=1)
        if iterations is not None:
            agent = agent.with_option("iterations", iterations)
        models = message.get("models", [DEFAULT_MODEL])
        if (
            not isinstance(models, list)
            or not models
            or not all(isinstance(name, str) for name in models)
        ):
            raise InvalidRecordError(f"models is {shown(models)}; a list of names is legal")
        for name in models:
            load_model(name)
        settings = replace(
            settings_of_agent(str(agent)),
            seed=_whole(message, "seed", 0),
            models=tuple(models),
        )
        observation, played = _decision(message)
        check_decision(observation)
        return cls(observation, played, settings, str(agent))

    def answer(self, is_terminated: Callable[[], bool]) -> Document:
        """The decision for JSON, as in ``spades analyze --json``. ``terminated``: whether the
        search ended before all of its iterations, ``no_results``: before any."""
        search = new_search(self.observation, self.settings)
        wanted = self.settings.iterations
        while search.iterations < wanted and not is_terminated():
            search.run(min(SLICE, wanted - search.iterations))
        head = {"agent": self.agent, "seed": self.settings.seed}
        if search.iterations < wanted:
            head["terminated"] = True
        if not search.iterations and wanted:
            return {**head, "no_results": True}
        results = [search.result()]
        decision = compare_searches(self.observation, self.played, results, self.settings.models)
        return {**head, **decision.document()}


def _decision(message: Document) -> tuple[Observation, str | None]:
    """The observation of the seat to play, and the card that it played."""
    if ("record" in message) == ("position" in message):
        raise InvalidRecordError('either "record", a text, with "ply", or "position" is due')
    if "position" in message:
        return Seat.of_position(dict(object_of(message["position"], "position"))).observation, None
    record = _record(message)
    ply = _whole(message, "ply", None)
    n_plays = len(record.plays)
    if ply is None or ply > n_plays:
        raise InvalidRecordError(
            f"ply is {ply}; 0 to {n_plays}, the cards played before, are legal"
        )
    played = record.plays[ply] if ply < n_plays else None
    return record.observation(ply), played


def _record(message: Document) -> Record:
    text = message["record"]
    if not isinstance(text, str):
        raise InvalidRecordError(f"record is {shown(text)}; the text of one is legal")
    reading = read_text(text)
    for refusal in reading.refused:
        raise InvalidRecordError(f"record: {refusal}")
    index = _whole(message, "round", 0)
    if index >= len(reading.records):
        raise InvalidRecordError(f"round is {index}; the record has {len(reading.records)}, from 0")
    return reading.records[index]


def _whole(message: Document, name: str, default: Any, least: int = 0) -> Any:
    """A whole number of a message; the default where it has none."""
    value = message.get(name, default)
    if value is None and default is None:
        return None
    if type(value) is not int or not least <= value <= MAX_INT:
        raise InvalidRecordError(f"{name} is {shown(value)}; a whole number from {least} is legal")
    return value
