"""Probabilities that models and agents give to the cards that a player chose between.

Human models, and agents that draw their cards from one, have probabilities of their own. A search
is repeated from several seeds: the shares of its visits are pooled and raised to a power, one over
the temperature, fitted by maximum likelihood. A single search isn't enough, because longer ones
predict better whatever the player's iterations (of a player of 2,500: 1.11 nats by one search of as
many, 1.04 by one of 10,000, 0.97 by eight of 2,500). Other agents choose a few times: the shares of
their choices stand for visits.
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
from spades.agents.players.human import HumanPlayer
from spades.core.cards import HAND_SIZE, N_SEATS, cards_in
from spades.core.deal import derive_seed
from spades.core.errors import SpadesError
from spades.core.kernel import BoolArray, FloatArray, IntArray
from spades.core.logs import Log, repeated_rounds
from spades.core.records import Record
from spades.core.rules import Rules
from spades.human import load_model, model_names
from spades.human.features.logs import LEGAL as N_LEGAL
from spades.human.features.logs import SEAT, Examples, contexts_of_log, examples_of_seats
from spades.human.features.view import LEGAL
from spades.human.files import ENDING
from spades.human.model import predict, predict_log_linear

POOLED = 20_000  # iterations of all searches of a choice together
MIN_SEARCHES = 2
MAX_SEARCHES = 32
TRIALS = 8  # choices of an agent that doesn't search
REFERENCE_ROUNDS = 6
REFERENCE_CHOICES = 220
SEED = 3_001
POWERS = (0.02, 60.0)


@dataclass(frozen=True)
class Choices:
    """n choices between two or more legal cards, in the order played: ``rows`` of the log and
    ``plies``, int64 (n,) each, and the examples."""

    log: Log
    rows: IntArray
    plies: IntArray
    examples: Examples

    @classmethod
    def of(cls, log: Log, seats: BoolArray) -> Self:
        """The choices of the ``seats`` that are marked, (rounds, 4); a repeated round counts
        once."""
        with_seats = np.flatnonzero(seats.any(axis=1))
        part = log.take(with_seats)
        (is_repeated,) = repeated_rounds([part])
        seats = seats[with_seats] & ~is_repeated[:, None]
        codes = contexts_of_log(part).codes
        seat_of_play = np.clip(codes[SEAT], 0, N_SEATS - 1)
        is_own = np.take_along_axis(seats, seat_of_play, axis=1)
        rows, plies = np.nonzero(is_own & (codes[N_LEGAL] > 1))
        examples = examples_of_seats(part, seats).unforced
        return cls(log, with_seats[rows], plies, examples)

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, which: NDArray | slice) -> Self:
        examples = self.examples.take(which)
        return type(self)(self.log, self.rows[which], self.plies[which], examples)

    @property
    def counts(self) -> IntArray:
        """Number of legal cards, (n,)."""
        return np.bitwise_count(self.examples.views[:, LEGAL]).astype(np.int64)

    def log_p(self, p: FloatArray) -> FloatArray:
        """Log-probabilities of the cards played, nats, (n,), from probabilities (n, 13)."""
        p_played = p[np.arange(len(p)), self.played]
        return np.asarray(np.log(np.maximum(p_played, LEAST_PROBABILITY)))

    @property
    def played(self) -> IntArray:
        """The place of the card played among the legal ones, lowest code first, (n,)."""
        cards = self.examples.cards.astype(np.int64)
        below = (np.int64(1) << cards) - 1
        legal_below = self.examples.views[:, LEGAL] & below
        return np.bitwise_count(legal_below).astype(np.int64)

    def places(self) -> list[tuple[Record, int]]:
        """Record and ply of each choice."""
        places = []
        for row, ply in zip(self.rows.tolist(), self.plies.tolist(), strict=True):
            places.append((self.log.record(row), ply))
        return places


def own_probabilities(model: str, examples: Examples) -> FloatArray | None:
    """A human model's (by name or file) or a simulated human's own probabilities of the legal
    cards, lowest code first, (n, 13), zeros after them; None for other agents."""
    views = np.ascontiguousarray(examples.views)
    if model in model_names() or model.endswith(ENDING):
        return predict(load_model(model).prior(), views)
    try:
        player = parse_agent(model).player
    except UnknownAgentError as error:
        names = ", ".join(model_names())
        raise SpadesError(f"{error}; human models: {names}, or a {ENDING} file") from None
    if not isinstance(player, HumanPlayer):
        return None
    p = np.zeros((len(views), HAND_SIZE))
    predict_log_linear(player.weights, views, p)
    return p


def searches_of(agent: str) -> tuple[int, float]:
    """How often an agent searches or chooses; and what is added to each share, so that no card is
    impossible."""
    player = parse_agent(agent).player
    if not isinstance(player, IsmctsPlayer):
        return TRIALS, 0.5 / TRIALS
    n_searches = min(max(POOLED // player.iterations, MIN_SEARCHES), MAX_SEARCHES)
    return n_searches, 1 / (n_searches * player.iterations)


def seconds_a_choice(agent: str) -> float:
    """About how long ``pooled_shares`` takes for one choice."""
    n_searches, _ = searches_of(agent)
    return seconds_a_round(parse_agent(agent)) / HAND_SIZE * n_searches


def pooled_shares(agent: str, places: Iterable[tuple[Record, int]]) -> list[list[float]]:
    """Shares of each legal card, in the order of ``own_probabilities``. Runs on a worker."""
    player: Any = parse_agent(agent).player
    n_searches, _ = searches_of(agent)
    rows: list[list[float]] = []
    for i, (record, ply) in enumerate(places):
        observation = record.observation(ply)
        legal = np.array(list(cards_in(observation.legal_mask)))
        shares = np.zeros(HAND_SIZE)
        for k in range(n_searches):
            seed = derive_seed(SEED, i, ply, k)
            if isinstance(player, IsmctsPlayer):
                shares[: len(legal)] += player.search(observation, seed).probabilities
            else:
                shares[: len(legal)] += legal == player.choose(observation, seed)
        rows.append((shares / n_searches).round(6).tolist())
    return rows


def to_probabilities(
    shares: FloatArray,
    counts: IntArray,
    power: float,
    floor: float,
) -> FloatArray:
    """Shares (n, 13) of ``counts`` (n,) legal cards to a power, normalized."""
    is_card = np.arange(HAND_SIZE) < counts[:, None]
    log_weights = power * np.log(shares + floor)
    p: FloatArray = softmax(np.where(is_card, log_weights, -np.inf), axis=1)
    return p


def fit_power(shares: FloatArray, choices: Choices, floor: float) -> float:
    """The power of the shares that makes the choices likeliest."""

    def loss(log_power: float) -> float:
        power = float(np.exp(log_power))
        p = to_probabilities(shares, choices.counts, power, floor)
        return -float(choices.log_p(p).mean())

    minimum = minimize_scalar(loss, bounds=np.log(POWERS), method="bounded")
    return float(np.exp(minimum.x))


@lru_cache(maxsize=64)
def reference_power(agent: str) -> float:
    """``fit_power`` on reference rounds that four of the agent play."""
    player = parse_agent(agent)
    seating = Seating((player, player, player, player), Rules())
    log = play_range(seating, SEED, 0, REFERENCE_ROUNDS, unit="rounds")
    all_seats = np.ones((len(log), N_SEATS), dtype=bool)
    choices = Choices.of(log, all_seats)
    shares = np.array(pooled_shares(agent, choices.places()))
    _, floor = searches_of(agent)
    return fit_power(shares, choices, floor)


def probabilities_of(model: str, choices: Choices) -> FloatArray:
    """Any model's probabilities of the legal cards, (n, 13). A search of 2,500 iterations takes
    0.02 s."""
    own = own_probabilities(model, choices.examples)
    if own is not None:
        return own
    shares = np.array(pooled_shares(model, choices.places()))
    _, floor = searches_of(model)
    return to_probabilities(shares, choices.counts, reference_power(model), floor)
