"""How likely models and agents hold the cards that a player chose between.

Human models and agents that draw their cards say it themselves. A search is repeated: the shares of
its visits are pooled over searches from seeds of ours and raised to a power, one over the
temperature, fitted by maximum likelihood. One search won't do, as longer ones predict better
whatever the player's iterations (2,500: 1.11 nats by one search of as many, 1.04 by one of 10,000,
0.97 by eight of 2,500). Other agents choose a few times: shares of their choices stand for visits.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from analysis.logs.simulate import seconds_a_round
from analysis.models.measures import LEAST_PROBABILITY
from spades.agents import IsmctsPlayer, Seating, UnknownAgentError, parse_agent, play_range
from spades.agents.players import HumanPlayer
from spades.core.cards import HAND_SIZE, N_SEATS, cards_in
from spades.core.deal import derive_seed
from spades.core.errors import SpadesError
from spades.core.logs import Log, repeated_rounds
from spades.core.records import RoundRecord
from spades.core.rules import Rules
from spades.human import load_model, model_names
from spades.human.features.logs import LEGAL as N_LEGAL
from spades.human.features.logs import SEAT, Examples, contexts_of_log, examples_of_seats
from spades.human.features.view import LEGAL
from spades.human.files import ENDING
from spades.human.model import predict, predict_log_linear

POOLED, SEARCHES, TRIALS = 20_000, (2, 32), 8
"""Iterations of all searches of a choice, bounds of their number; choices of other agents."""
REFERENCE_ROUNDS, REFERENCE_CHOICES, SEED = 6, 220, 3_001
POWERS = (0.02, 60.0)


@dataclass(frozen=True)
class Choices:
    """n choices between two legal cards or more, in the order played: ``rows`` of the log and
    ``plies``, int64 (n,) each, and the examples."""

    log: Log
    rows: NDArray[np.int64]
    plies: NDArray[np.int64]
    examples: Examples

    @classmethod
    def of(cls, log: Log, wanted: NDArray[np.bool_]) -> Self:
        """Those of the seats that are ``wanted``, (rounds, 4); a repeated round counts once."""
        where = np.flatnonzero(wanted.any(axis=1))
        part = log.take(where)
        wanted = wanted[where] & ~repeated_rounds([part])[0][:, None]
        codes = contexts_of_log(part).codes
        is_own = np.take_along_axis(wanted, np.clip(codes[SEAT], 0, N_SEATS - 1), axis=1)
        rows, plies = np.nonzero(is_own & (codes[N_LEGAL] > 1))
        return cls(log, where[rows], plies, examples_of_seats(part, wanted).unforced)

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, which: NDArray | slice) -> Self:
        own = self.rows[which], self.plies[which], self.examples.take(which)
        return type(self)(self.log, *own)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Legal cards, (n,)."""
        return np.bitwise_count(self.examples.views[:, LEGAL]).astype(np.int64)

    def log_p(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of the cards played, nats, (n,), from probabilities (n, 13)."""
        found: NDArray = np.log(np.maximum(p[np.arange(len(p)), self.played], LEAST_PROBABILITY))
        return found

    @property
    def played(self) -> NDArray[np.int64]:
        """The place of the card played among the legal ones, lowest code first, (n,)."""
        below = (np.int64(1) << self.examples.cards.astype(np.int64)) - 1
        return np.bitwise_count(self.examples.views[:, LEGAL] & below).astype(np.int64)

    def places(self) -> list[tuple[RoundRecord, int]]:
        rows = zip(self.rows.tolist(), self.plies.tolist(), strict=True)
        return [(self.log.record(row), ply) for row, ply in rows]


def own_probabilities(model: str, examples: Examples) -> NDArray[np.float64] | None:
    """What a human model, by name or file, or a simulated human says itself of the legal cards,
    lowest code first, (n, 13), zeros after them; None of other agents."""
    views = np.ascontiguousarray(examples.views)
    if model in model_names() or model.endswith(ENDING):
        return predict(load_model(model).prior(), views)
    try:
        player = parse_agent(model).player
    except UnknownAgentError as error:
        named = ", ".join(model_names())
        raise SpadesError(f"{error}; human models: {named}, or a {ENDING} file") from None
    if not isinstance(player, HumanPlayer):
        return None
    predict_log_linear(player.weights, views, p := np.zeros((len(views), HAND_SIZE)))
    return p


def searches_of(agent: str) -> tuple[int, float]:
    """How often an agent searches or chooses, and what is added to each share, so that a card never
    visited isn't impossible."""
    player = parse_agent(agent).player
    if not isinstance(player, IsmctsPlayer):
        return TRIALS, 0.5 / TRIALS
    times = min(max(POOLED // player.iterations, SEARCHES[0]), SEARCHES[1])
    return times, 1 / (times * player.iterations)


def seconds_a_choice(agent: str) -> float:
    """About how long ``pooled_shares`` takes."""
    return seconds_a_round(parse_agent(agent)) / HAND_SIZE * searches_of(agent)[0]


def pooled_shares(agent: str, places: Iterable[tuple[RoundRecord, int]]) -> list[list[float]]:
    """Shares of each legal card, as probabilities are. Runs on a worker."""
    player: Any = parse_agent(agent).player
    times, found = searches_of(agent)[0], []
    for i, (record, ply) in enumerate(places):
        seen = record.observation(ply)
        legal, shares = np.array(list(cards_in(seen.legal_mask))), np.zeros(HAND_SIZE)
        for seed in (derive_seed(SEED, i, ply, k) for k in range(times)):
            is_search = isinstance(player, IsmctsPlayer)
            one = player.search(seen, seed).probabilities if is_search else 0
            shares[: len(legal)] += one if is_search else legal == player.choose(seen, seed)
        found.append((shares / times).round(6).tolist())
    return found


def to_probabilities(
    shares: NDArray[np.float64], counts: NDArray[np.int64], power: float, floor: float
) -> NDArray[np.float64]:
    """Shares (n, 13) of ``counts`` cards each to a power, made to add up to one."""
    is_card = np.arange(HAND_SIZE) < counts[:, None]
    weights = np.where(is_card, power * np.log(shares + floor), -np.inf)
    found: NDArray[np.float64] = softmax(weights, axis=1)
    return found


def fit_power(shares: NDArray[np.float64], choices: Choices, floor: float) -> float:
    """The power of the shares that makes the choices likeliest."""

    def loss(log_power: float) -> float:
        p = to_probabilities(shares, choices.counts, float(np.exp(log_power)), floor)
        return -float(choices.log_p(p).mean())

    return float(np.exp(minimize_scalar(loss, bounds=np.log(POWERS), method="bounded").x))


@lru_cache(maxsize=64)
def reference_power(agent: str) -> float:
    """``fit_power`` on reference rounds that four of the agent play."""
    one = parse_agent(agent)
    log = play_range(
        Seating((one, one, one, one), Rules()), SEED, 0, REFERENCE_ROUNDS, unit="rounds"
    )
    choices = Choices.of(log, np.ones((len(log), N_SEATS), dtype=bool))
    shares = np.array(pooled_shares(agent, choices.places()))
    return fit_power(shares, choices, searches_of(agent)[1])


def probabilities_of(model: str, choices: Choices) -> NDArray[np.float64]:
    """Of the legal cards, (n, 13), by any model; a search of 2,500 iterations takes 0.02 s each."""
    own = own_probabilities(model, choices.examples)
    if own is not None:
        return own
    shares = np.array(pooled_shares(model, choices.places()))
    power, floor = reference_power(model), searches_of(model)[1]
    return to_probabilities(shares, choices.counts, power, floor)
