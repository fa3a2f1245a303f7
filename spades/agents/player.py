"""Players: from what a seat may see to the card it plays.

A new player is one new file in ``spades/agents/players``: a frozen dataclass with a ``name``, whose
fields declare its options. A player that has an option of a search's settings, of a bias or of a
way of dealing borrows it from there.
"""

from __future__ import annotations

import dataclasses
import time
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from spades.agents.bidders import Bidder
from spades.agents.component import Component, UnknownAgentError
from spades.belief import Dealing
from spades.core.cards import cards_in
from spades.core.observation import Observation
from spades.core.records import BOT
from spades.core.steps import Steps, last_value
from spades.search import SearchResult


@dataclass(frozen=True)
class Player(Component):
    """Plays a card; ``kind`` is what a log calls it, ``words`` what pages do."""

    kind: ClassVar[str] = BOT
    words: ClassVar[str]

    @property
    def own_bidder(self) -> Bidder | None:
        """The bidder that bids for it where its text names none; None: the simulated human's."""
        return None

    @property
    def model_name(self) -> str | None:
        """The human model that it queries, None if it queries none by name."""
        return None

    @property
    def corpus_name(self) -> str | None:
        """The corpus that it leans on, None if it has none."""
        return None

    @property
    def written_out(self) -> Player:
        """The same player, with what a preset stands for said in options."""
        return self

    @abstractmethod
    def choose(self, observation: Observation, seed: int) -> int:
        """The card (code), where several are legal."""

    def choose_in_steps(self, observation: Observation, seed: int) -> Steps[int]:
        """``choose`` in steps: many where the player searches, else one."""
        yield
        return self.choose(observation, seed)

    def play(self, observation: Observation, seed: int) -> int:
        """The card (code) for the seat to play; the same observation and seed, the same card."""
        return last_value(self.play_in_steps(observation, seed))

    def play_in_steps(self, observation: Observation, seed: int) -> Steps[int]:
        """``play`` in steps."""
        cards = list(cards_in(observation.legal_mask))
        if len(cards) == 1:
            return cards[0]
        return (yield from self.choose_in_steps(observation, seed))

    def clock(self) -> int:
        """Nanoseconds, to measure how long it thinks by: of this thread's processor time."""
        return time.thread_time_ns()

    def follow(self, observation: Observation) -> None:
        """Be told how a round ended. Only a program outside of this process needs it."""
        return None

    def evaluate(self, observation: Observation, seed: int) -> SearchResult:
        """What it finds about every legal card; ``UnknownAgentError`` for a player that gives cards
        no values."""
        raise UnknownAgentError("this player gives cards no values")

    @classmethod
    def has_values(cls) -> bool:
        return issubclass(cls, SearchingPlayer)


@dataclass(frozen=True)
class SearchingPlayer(Player):
    """Gives cards values by a search, and plays what it finds best."""

    @abstractmethod
    def evaluate_in_steps(self, observation: Observation, seed: int) -> Steps[SearchResult]:
        """``evaluate`` in steps."""

    def evaluate(self, observation: Observation, seed: int) -> SearchResult:
        return last_value(self.evaluate_in_steps(observation, seed))

    def choose_in_steps(self, observation: Observation, seed: int) -> Steps[int]:
        result = yield from self.evaluate_in_steps(observation, seed)
        return result.best.card.code

    def choose(self, observation: Observation, seed: int) -> int:
        return last_value(self.choose_in_steps(observation, seed))

    @cached_property
    def dealing(self) -> Dealing:
        """How hidden cards are dealt, by the options of ``Dealing`` that the player has."""
        return options_for(Dealing, self)


def options_for(kind: type, player: Player) -> Any:
    """Options of a kind, with the values that the player has under the same names."""
    wanted = {field.name for field in dataclasses.fields(kind)}
    own = {field.name for field in dataclasses.fields(player)}
    return kind(**{name: getattr(player, name) for name in wanted & own})
