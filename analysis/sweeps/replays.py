"""Rounds of held-out humans played again with an agent in their seat, and how like theirs it plays.

The deal, the bids and the score are the same; the other seats are played by the log's agents, by
the unbiased search where it names none of ours.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.runs.store import programs_of
from analysis.style.compare import ByGame, Sample, compute_divergences, draw_samples
from analysis.style.counts import KIND_LABELS, Group, PlayFilter, Plays, classify
from analysis.style.discriminator import Discriminator
from analysis.style.habits import Choices
from analysis.sweeps.held_out import FOR_ROUNDS, HeldOut, Place
from spades.agents import Agent, Seating, UnknownAgentError, parse_agent
from spades.agents.play import play_cards
from spades.core.cards import N_SEATS, four
from spades.core.deal import derive_seed
from spades.core.errors import UnknownModelError
from spades.core.records import Record
from spades.core.scoring import GameScore
from spades.human.features.abstract_moves import N_MOVES, N_SUIT_MOVES
from spades.human.features.logs import MOVE, SEAT, contexts_of_log


def rounds_part(
    agent: str, baseline: str, rounds: Sequence[Place], seed: int, first: int
) -> dict[str, Any]:
    """Play rounds again with the agent in a seat; ``plays``: the codes of their 52 cards. The
    rounds are numbered from ``first``."""
    candidate = parse_agent(agent)
    unbiased = parse_agent(baseline)
    plays = []
    for i, (record, seat) in enumerate(rounds, first):
        agents = [unbiased] * N_SEATS
        for other, name in enumerate(record.agents):
            with suppress(UnknownAgentError, UnknownModelError):
                named = parse_agent(name)
                if not programs_of(name):  # a log runs no code that is in this process by chance
                    agents[other] = named
        agents[seat] = candidate
        round_seed = derive_seed(seed, FOR_ROUNDS, i)
        plays.append(_play_again(record, agents, round_seed))
    return {"plays": plays}


def _play_again(record: Record, agents: Sequence[Agent], seed: int) -> list[int]:
    score = record.score_before or (0, 0)
    bags = record.bags_before or (0, 0)
    state = record.start()
    play_cards(Seating(four(agents), record.rules), state, seed, GameScore(score, bags))
    return [int(card) for card in state.table.plays]


@dataclass(frozen=True)
class Replays:
    """Rounds that were played again: ``log``, classified, with the games of the humans' log;
    ``is_agents`` bool (n, 52): the agent's plays."""

    log: Plays
    is_agents: NDArray[np.bool_]

    @property
    def moves(self) -> list[list[int]]:
        """The agent's abstract moves, of the 68, by round."""
        codes = self.log.contexts.codes[MOVE]
        return [codes[i, own].tolist() for i, own in enumerate(self.is_agents)]

    def choices(self) -> Choices:
        return Choices.of_masks([self.log], [self.is_agents])


@dataclass(frozen=True)
class Humans:
    """The held-out humans' play that agents in their seat are compared with."""

    held: HeldOut

    @cached_property
    def plays(self) -> Plays:
        return classify(self.held.log)

    @cached_property
    def sample(self) -> Sample:
        """Their abstract moves in the whole log, by game."""
        return draw_samples([self.plays], [self._group], PlayFilter())[0]

    @cached_property
    def discriminator(self) -> Discriminator:
        return Discriminator(Choices.of([self.plays], self._group, PlayFilter()))

    @property
    def _group(self) -> Group:
        kind = self.held.kind
        return Group("kind", kind, KIND_LABELS[kind])

    def replays(self, plays: Sequence[Sequence[int]], first: int = 0) -> Replays:
        """Rounds of ``rounds_part``, from the held-out round ``first`` on."""
        rows, seats = self.held.rounds[first : first + len(plays)].T
        log = replace(self.held.log.take(rows), plays=np.array(plays, dtype=np.int8))
        contexts = contexts_of_log(log)
        none_repeated = np.zeros(len(rows), dtype=bool)
        units = self.plays.units[rows]
        classified = Plays("", log, contexts, units, self.plays.n_units, none_repeated)
        return Replays(classified, contexts.codes[SEAT] == seats[:, None])

    def sample_of(self, moves: Sequence[Sequence[int]]) -> Sample:
        """An agent's abstract moves, by round, as a sample beside the humans'."""
        counts = np.zeros((self.plays.n_units, N_SUIT_MOVES), dtype=np.int32)
        rows = self.held.rounds[: len(moves), 0]
        for unit, of_round in zip(self.plays.units[rows], moves, strict=True):
            np.add.at(counts[unit], of_round, 1)
        return Sample(Group("agent", "agent", "agent"), ByGame(counts))

    def divergences(self, replays: Replays) -> dict[str, Any]:
        """KL(humans || agent) of abstract moves in nats: 32 classes, and ``suits`` with all 68.
        ``reverse``: KL(agent || humans). ``chance``: what two groups of one style would show."""
        human = self.sample
        agent = self.sample_of(replays.moves)
        return {
            **_divergence(human, agent, N_MOVES),
            "reverse": _divergence(agent, human, N_MOVES),
            "suits": _divergence(human, agent, N_SUIT_MOVES),
            "rounds": len(replays.is_agents),
            "plays": agent.n_decisions,
            "games": agent.n_games,
            "human_plays": human.n_decisions,
        }

    def discrimination(self, replays: Replays) -> dict[str, Any] | None:
        """How well a classifier tells the agent's plays from the humans': AUC, 0.5 by chance, with
        its interval over games, and the choices of both that it was asked of. None for a handful of
        games."""
        told = self.discriminator.tell(replays.choices())
        if told is None:
            return None
        return {
            "value": told.auc,
            "interval": told.interval,
            "choices": told.n_one,
            "human_choices": told.n_other,
            "games": told.n_games,
        }


def _divergence(of: Sample, to: Sample, n_classes: int) -> dict[str, Any]:
    table = compute_divergences([of, to], n_classes)
    row = table[table["of"] == of.group.label].iloc[0]

    def known(name: str) -> float | None:
        return None if np.isnan(row[name]) else float(row[name])

    return {
        "value": float(row["kl"]),
        "interval": [known("kl_low"), known("kl_high")],
        "chance": known("chance"),
        "js": float(row["js"]),
    }
