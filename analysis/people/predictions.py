"""How likely models and agents hold the cards that a player chose between.

Human models, simulated humans and persons say it themselves. A search is repeated: the shares of
the visits are pooled over searches from other seeds than the player's, with the same iterations,
and raised to a power, one over the temperature, that is fitted by maximum likelihood. One search
won't do: the longer it is the better it predicts, whatever the player's own iterations (the
choices of ISMCTS with 2,500 iterations: 1.11 nats by one search of as many, 1.04 by one of 10,000,
0.97 by eight of 2,500). Other agents choose a few times, and the shares of their choices take the
place of those of the visits.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from analysis.logs.simulate import seconds_a_round
from analysis.models.measures import LEAST_PROBABILITY
from analysis.runs.parts import Part, Run, RunOptions, part_size, ranges
from analysis.runs.store import ResultStore, version_of
from spades.agents import IsmctsPlayer, Seating, UnknownAgentError, parse_agent, play_range
from spades.agents.players import DirectPlayer, HumanPlayer, RandomPlayer
from spades.core.cards import HAND_SIZE, N_SEATS, cards_in
from spades.core.deal import derive_seed
from spades.core.errors import SpadesError
from spades.core.logs import Log, repeated_rounds
from spades.core.records import RoundRecord
from spades.core.rules import Rules
from spades.human import find_model, model_names
from spades.human.features import logs
from spades.human.features.view import LEGAL
from spades.human.files import ENDING
from spades.human.loglinear import N_FEATURES
from spades.human.model import predict, predict_log_linear

SHARES, POWER = "pooled shares", "power of shares"
POOLED, LEAST_SEARCHES, MOST_SEARCHES = 20_000, 2, 32  # iterations over all searches of a decision
TRIALS = 8  # of an agent that doesn't count visits
REFERENCE_ROUNDS, REFERENCE_SEED = 6, 3_001
POWERS = (0.02, 60.0)
MAX_PART, QUICK_PARTS = 500, 8  # of a second or two each: no workers are started for them
Place = tuple[int, RoundRecord, int]
"""Row of the log, the round, ply."""


@dataclass(frozen=True)
class Choices:
    """n choices between two legal cards or more, in the order played: ``rows`` of the log and
    ``plies``, int64 (n,) each, and the examples."""

    log: Log
    rows: NDArray[np.int64]
    plies: NDArray[np.int64]
    examples: logs.Examples

    @classmethod
    def of(cls, log: Log, wanted: NDArray[np.bool_], most: int | None = None) -> Self:
        """Those of the seats that are ``wanted``, (rounds, 4), the first ``most`` of them; a round
        that repeats another counts once."""
        where = np.flatnonzero(wanted.any(axis=1))
        part = log.take(where)
        wanted = wanted[where] & ~repeated_rounds([part])[0][:, None]
        codes = logs.contexts_of_log(part).codes
        seats = codes[logs.SEAT]
        is_own = np.take_along_axis(wanted, np.clip(seats, 0, N_SEATS - 1), axis=1)
        rows, plies = np.nonzero(is_own & (seats >= 0) & (codes[logs.LEGAL] > 1))
        found = cls(log, where[rows], plies, logs.examples_of_seats(part, wanted).unforced)
        return found.take(slice(most))

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, which: NDArray | slice) -> Self:
        own = self.rows[which], self.plies[which], self.examples.take(which)
        return type(self)(self.log, *own)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Legal cards, (n,)."""
        return np.bitwise_count(self.examples.views[:, LEGAL]).astype(np.int64)

    @property
    def played(self) -> NDArray[np.int64]:
        """The place of the card played among the legal ones, lowest code first, (n,)."""
        below = (np.int64(1) << self.examples.cards.astype(np.int64)) - 1
        return np.bitwise_count(self.examples.views[:, LEGAL] & below).astype(np.int64)

    @property
    def hash(self) -> str:
        """Of all that a search of them depends on."""
        before = self.log.score_before[self.rows], self.log.bags_before[self.rows]
        rules = "\n".join(repr(self.log.rules[i]) for i in self.log.rules_code[self.rows])
        text = np.frombuffer(rules.encode(), np.uint8)
        return logs.hash_of(self.examples.views, self.rows, self.plies, *before, text)

    def places(self) -> list[Place]:
        rows = zip(self.rows.tolist(), self.plies.tolist(), strict=True)
        return [(row, self.log.record(row), ply) for row, ply in rows]


class Repeats(NamedTuple):
    """How an agent is queried: whether its visits count, times a decision, and what is added to
    each share, so that a card never visited isn't impossible."""

    has_visits: bool
    times: int
    floor: float


def repeats_of(agent: str) -> Repeats:
    player = parse_agent(agent).player
    if not isinstance(player, IsmctsPlayer):
        return Repeats(False, TRIALS, 0.5 / TRIALS)
    times = min(max(POOLED // player.iterations, LEAST_SEARCHES), MOST_SEARCHES)
    return Repeats(True, times, 1 / (times * player.iterations))


def own_probabilities(model: str, examples: logs.Examples) -> NDArray[np.float64] | None:
    """What a human model, by name or file, or an agent that draws its cards says itself of the
    legal cards, lowest code first, (n, 13), zeros after them; None of other agents."""
    views = np.ascontiguousarray(examples.views)
    if model in model_names() or model.endswith(ENDING):
        return predict(find_model(model).prior(), views)
    try:
        player = parse_agent(model).player
    except UnknownAgentError as error:
        named = ", ".join(model_names())
        raise SpadesError(f"{error}; human models: {named}, or a {ENDING} file") from None
    if isinstance(player, DirectPlayer) and player.sample:
        return predict(player.prior, views)
    if not isinstance(player, HumanPlayer | RandomPlayer):
        return None
    p, even = np.zeros((len(views), HAND_SIZE)), np.zeros(N_FEATURES)
    predict_log_linear(player.weights if isinstance(player, HumanPlayer) else even, views, p)
    return p


def pooled_shares(agent: str, places: Sequence[Place]) -> list[list[float]]:
    """Shares of the visits, or of the choices, of each legal card. Runs on a worker."""
    player: Any = parse_agent(agent).player
    how, found = repeats_of(agent), []
    for row, record, ply in places:
        seen = record.observation(ply)
        legal = np.array(list(cards_in(seen.legal_mask)))
        shares = np.zeros(len(legal))
        for i in range(how.times):
            seed = derive_seed(REFERENCE_SEED, row, ply, i)
            if how.has_visits:
                shares += player.search(seen, seed).probabilities
            else:
                shares += legal == player.choose(seen, seed)
        found.append((shares / how.times).round(6).tolist())
    return found


def to_probabilities(
    shares: NDArray[np.float64], counts: NDArray[np.int64], power: float, floor: float
) -> NDArray[np.float64]:
    """Shares (n, 13) of ``counts`` cards each to a power, made to add up to one."""
    is_card = np.arange(HAND_SIZE) < counts[:, None]
    logs_ = np.where(is_card, power * np.log(shares + floor), -np.inf)
    p = np.exp(logs_ - logs_.max(axis=1, keepdims=True))
    found: NDArray[np.float64] = p / p.sum(axis=1, keepdims=True)
    return found


def log_p(p: NDArray[np.float64], played: NDArray[np.int64]) -> NDArray[np.float64]:
    """Of the cards played, nats, (n,)."""
    found: NDArray = np.log(np.maximum(p[np.arange(len(p)), played], LEAST_PROBABILITY))
    return found


def fit_power(shares: NDArray[np.float64], choices: Choices, floor: float) -> float:
    """The power of the shares that makes the choices likeliest."""
    counts, played = choices.counts, choices.played

    def loss(log_power: float) -> float:
        p = to_probabilities(shares, counts, float(np.exp(log_power)), floor)
        return -float(log_p(p, played).mean())

    return float(np.exp(minimize_scalar(loss, bounds=np.log(POWERS), method="bounded").x))


def reference_power(agent: str) -> float:
    """``fit_power`` on reference rounds that four of the agent play. Runs on a worker."""
    one = parse_agent(agent)
    seating = Seating((one, one, one, one), Rules())
    log = play_range(seating, REFERENCE_SEED, 0, REFERENCE_ROUNDS, unit="rounds")
    choices = Choices.of(log, np.ones_like(log.kind, dtype=bool))
    shares = _padded(pooled_shares(agent, choices.places()))
    return fit_power(shares, choices, repeats_of(agent).floor)


def _padded(rows: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    found = np.zeros((len(rows), HAND_SIZE))
    for out, row in zip(found, rows, strict=True):
        out[: len(row)] = row
    return found


def _seconds(agent: str) -> float:
    return seconds_a_round(parse_agent(agent)) / HAND_SIZE * repeats_of(agent).times


def _questions(agent: str, choices: Choices) -> list[tuple[slice, dict[str, Any]]]:
    size = part_size(_seconds(agent), MAX_PART)
    asked = {"agent": agent, "choices": choices.hash, **version_of(agent)}
    return [(slice(*ends), {**asked, "part": [*ends]}) for ends in ranges(len(choices), size)]


def _power_question(agent: str) -> dict[str, Any]:
    return {"agent": agent, "rounds": REFERENCE_ROUNDS, **version_of(agent)}


Asked = Iterable[tuple[str, Choices]]


def _parts(asked: Asked, has_reference: bool) -> list[Part]:
    store, parts = ResultStore(), list[Part]()
    for agent, choices in asked:
        if own_probabilities(agent, choices.examples.take(slice(1))) is not None:
            continue
        for which, question in _questions(agent, choices):
            place, given = (store, SHARES, question), partial(_places, agent, choices, which)
            n = which.stop - which.start
            parts.append(Part.of_store(place, pooled_shares, given, (agent,), n))
        if has_reference:
            power, only = (store, POWER, _power_question(agent)), partial(tuple, (agent,))
            parts.append(Part.of_store(power, reference_power, only, (agent,), 1))
    return parts


def is_queried(asked: Asked, *, has_reference: bool = True) -> bool:
    """Whether ``query_agents`` has nothing to do."""
    return all(part.is_stored() for part in _parts(asked, has_reference))


def query_agents(
    asked: Asked, *, has_reference: bool = True, **options: Unpack[RunOptions]
) -> bool:
    """Store what is missing of each agent's shares in its choices and, with ``has_reference``, of
    its power; False if it was stopped. Models that say themselves what is likely are passed
    over."""
    parts = [part for part in _parts(asked, has_reference) if not part.is_stored()]
    if len(parts) <= QUICK_PARTS and "client" not in options:
        for part in parts:
            part.store(part.compute(*part.arguments()))
        return True
    with Run(sum(part.size for part in parts), "decisions", **options) as run:
        return run.complete(parts)


def _places(agent: str, choices: Choices, which: slice) -> tuple[str, list[Place]]:
    return agent, choices.take(which).places()


def stored_shares(agent: str, choices: Choices) -> NDArray[np.float64]:
    """What ``query_agents`` has stored, (n, 13)."""
    store = ResultStore()
    return _padded(
        [row for _, one in _questions(agent, choices) for row in store.get(SHARES, one) or []]
    )


def probabilities_of(model: str, choices: Choices) -> NDArray[np.float64]:
    """Of the legal cards, (n, 13), by any model; an agent was queried before."""
    own = own_probabilities(model, choices.examples)
    if own is not None:
        return own
    power = float(ResultStore().get(POWER, _power_question(model)) or 1.0)
    shares = stored_shares(model, choices)
    return to_probabilities(shares, choices.counts, power, repeats_of(model).floor)
