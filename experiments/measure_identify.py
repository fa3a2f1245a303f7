"""How well players are told apart: ``python -m experiments.measure_identify``.

Writes ``data/tables/identify.json`` in some ten minutes. Groups of simulated players, known by
some games each, are named by rounds of other games, and so are strangers; then simulated humans and
a search, by a few rounds each. Trust is fitted to every other trial, the stated odds are held
against the rest.
"""

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from analysis.intervals import mean_interval, share_interval
from analysis.models.measures import calibration_error, reliability
from analysis.people import identify
from analysis.people.predictions import Choices, probabilities_of
from analysis.runs.command import say
from experiments.command import make_table
from experiments.simulated_players import SEAT, simulated_examples, simulated_log
from spades.core.cards import HAND_SIZE, N_SEATS
from spades.core.documents import Document
from spades.core.kernel import BoolArray, FloatArray, IntArray
from spades.human.loglinear import competitions_of
from spades.human.model import predict_log_linear
from spades.human.person import fit_weights, load_spreads
from spades.notation.log_store import open_log

PLAYER = "human:spread=0.5,player="
FIRST_PLAYER = 3_000
N_GROUPS = 5
N_KNOWN = 20  # players of a group, and as many strangers
KNOWN_GAMES = 50
N_TRIALS = 10  # of each player
LENGTHS = (1, 2, 5, 10, 20)  # rounds seen
SEED = 3_100
FIRST_FRESH_GAME = 10_000

LOG = "human-south"
N_SEATS_SEEN = 200
SEAT_LENGTHS = (1, 2, 5)
MODELS = identify.parse_models(identify.USUAL_MODELS)
NOBODY = -1
"""The right model where it is none of them."""


class Trial(NamedTuple):
    """Log-likelihoods of K models by number of rounds seen, (lengths, K); the right model, or
    ``NOBODY``; the check of the likeliest."""

    nats: FloatArray
    right: int
    check: float


def trials_of(choices: Choices, p_of: Any, lengths: tuple[int, ...], right: int) -> list[Trial]:
    """One for as many rounds as the longest of ``lengths``; ``p_of``: probabilities by model."""
    nats = np.array([choices.log_p(p) for p in p_of])
    _, round_of = np.unique(choices.rows, return_inverse=True)
    n_rounds = int(round_of.max()) + 1
    longest = lengths[-1]
    trials = []
    for start in range(0, n_rounds + 1 - longest, longest):
        rounds_since = round_of - start
        sums = []
        for n in lengths:
            is_seen = (rounds_since >= 0) & (rounds_since < n)
            sums.append(nats[:, is_seen].sum(axis=1))
        rows = np.flatnonzero(is_seen)  # those of the longest
        likeliest = int(sums[-1].argmax())
        check = identify.check(p_of[likeliest][rows], choices.take(rows))
        trials.append(Trial(np.array(sums), right, check))
    return trials


def person_trials() -> tuple[list[Trial], list[Trial]]:
    """Of players known, and of as many strangers."""
    of_known: list[Trial] = []
    of_strangers: list[Trial] = []
    for group in range(N_GROUPS):
        first_known = FIRST_PLAYER + 2 * N_KNOWN * group
        first_stranger = first_known + N_KNOWN
        known = range(first_known, first_stranger)
        strangers = range(first_stranger, first_stranger + N_KNOWN)
        weights = [_fitted_weights(player) for player in known]
        for i, player in enumerate(known):
            of_known += _trials_of_player(player, weights, N_TRIALS, i)
        for player in strangers:
            of_strangers += _trials_of_player(player, weights, N_TRIALS // 2, NOBODY)
        say(f"{group + 1} of {N_GROUPS} groups")
    return of_known, of_strangers


def _trials_of_player(
    player: int, weights: list[NDArray], n_trials: int, right: int
) -> list[Trial]:
    choices = _fresh_choices(player, n_trials)
    return trials_of(choices, _probabilities(weights, choices), LENGTHS, right)


def _fitted_weights(player: int) -> FloatArray:
    """Of a model of a simulated player, from some games."""
    examples = simulated_examples(f"{PLAYER}{player}", KNOWN_GAMES, SEED + player)
    data = competitions_of(examples)
    every_choice = np.arange(len(data.chosen))
    return fit_weights(data, every_choice, load_spreads()).weights


def _fresh_choices(player: int, n_trials: int) -> Choices:
    """Of rounds of other games."""
    n_rounds = LENGTHS[-1] * n_trials
    games = n_rounds // 4  # more than enough
    log = simulated_log(f"{PLAYER}{player}", games, SEED + player, FIRST_FRESH_GAME)
    is_players = np.tile(np.arange(N_SEATS) == SEAT, (n_rounds, 1))
    return Choices.of(log.take(slice(n_rounds)), is_players)


def _probabilities(weights: list[NDArray], choices: Choices) -> FloatArray:
    """Of the choices' cards by each player's model, (K, n, 13)."""
    views = np.ascontiguousarray(choices.examples.views)
    p_of = np.zeros((len(weights), len(choices), HAND_SIZE))
    for own, p in zip(weights, p_of, strict=True):
        predict_log_linear(own, views, p)
    return p_of


def seat_trials() -> list[Trial]:
    """Of the human seat of a log and of its searching seats, one of them at a time, in turn."""
    longest = SEAT_LENGTHS[-1]
    log = open_log(LOG).distinct().take(slice(N_SEATS_SEEN * longest))
    human_seats = np.full(len(log), SEAT)
    trial = np.arange(len(log)) // longest
    bot_seats = (SEAT + 1 + trial % (N_SEATS - 1)) % N_SEATS
    of_both = []
    for right, seats in enumerate((human_seats, bot_seats)):
        choices = Choices.of(log, np.arange(N_SEATS) == seats[:, None])
        p_of = [probabilities_of(model, choices) for model in MODELS]
        of_both.append(trials_of(choices, p_of, SEAT_LENGTHS, right))
        say(f"{N_SEATS_SEEN} seats of {MODELS[right]}")
    in_turn = zip(*of_both, strict=True)
    return list(itertools.chain.from_iterable(in_turn))


def fit_trust(nats: FloatArray, right: IntArray) -> float:
    """The power, at most 1, of likelihood ratios (trials, lengths, K) that makes the right models
    likeliest."""

    def loss(trust: float) -> float:
        p = identify.posterior(nats, trust)
        p_of_right = p[np.arange(len(right)), :, right]
        return -float(np.log(np.maximum(p_of_right, 1e-300)).mean())

    return float(minimize_scalar(loss, bounds=(0.05, 1.0), method="bounded").x)


def summary(trials: list[Trial], lengths: tuple[int, ...], trials_a_player: int) -> Document:
    """What is measured of trials, those of one player after another's."""
    nats = np.array([trial.nats for trial in trials])
    right = np.array([trial.right for trial in trials])
    trust = fit_trust(nats[::2], right[::2])
    p = identify.posterior(nats[1::2], trust)
    stated = p.max(axis=2).ravel()
    likeliest = p.argmax(axis=2)
    came_true = (likeliest == right[1::2, None]).ravel()
    is_right = nats.argmax(axis=2) == right[:, None]
    by_length = zip(lengths, is_right.T, strict=True)
    return {
        "trust": trust,
        "right": [_share_right(n, hits, trials_a_player) for n, hits in by_length],
        "refused": refused(trials),
        "stated": {
            "ece": calibration_error(stated, came_true),
            "bins": reliability(stated, came_true, 10),
        },
    }


def _share_right(n_rounds: int, hits: BoolArray, trials_a_player: int) -> Document:
    interval = share_interval(int(hits.sum()), len(hits))
    if trials_a_player > 1:  # a player counts once
        interval = mean_interval(hits.reshape(-1, trials_a_player).mean(axis=1))
    low, high = interval or (0, 1)
    return {
        "rounds": n_rounds,
        "n": len(hits),
        "right": float(hits.mean()),
        "interval": (max(low, 0), min(high, 1)),
    }


def refused(trials: list[Trial]) -> Document:
    """How often the likeliest model doesn't fit."""
    n = len(trials)
    n_refused = sum(trial.check < identify.FALSE_RATE for trial in trials)
    interval = share_interval(n_refused, n)
    return {"n": n, "share": n_refused / n, "interval": interval}


def document() -> Document:
    of_known, of_strangers = person_trials()
    return {
        "command": identify.COMMAND,
        "false_rate": identify.FALSE_RATE,
        "persons": {
            "players": PLAYER,
            "known": N_KNOWN,
            "games": KNOWN_GAMES,
            "groups": N_GROUPS,
            **summary(of_known, LENGTHS, N_TRIALS),
            "strangers": refused(of_strangers),
        },
        "seats": {
            "models": [*MODELS],
            "log": LOG,
            **summary(seat_trials(), SEAT_LENGTHS, 1),
        },
    }


if __name__ == "__main__":
    make_table(__doc__, identify.TABLE, lambda options: document())
