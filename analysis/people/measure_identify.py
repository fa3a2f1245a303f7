"""How well players are told apart: ``python -m analysis.people.measure_identify``.

Writes ``data/tables/identify.json`` in some ten minutes. Groups of simulated players, known by
some games each, are named by rounds of other games, and so are strangers; then simulated humans and
a search, by a few rounds each. Trust is fitted to every other trial, the stated odds are held
against the rest.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from analysis.intervals import mean_interval, share_interval
from analysis.models.measures import calibration_error, reliability
from analysis.people import identify
from analysis.people.players import SEAT, simulated_examples, simulated_log
from analysis.people.predictions import Choices, probabilities_of
from analysis.runs.command import make_table, say
from spades.core.cards import HAND_SIZE, N_SEATS
from spades.human.loglinear import competitions_of
from spades.human.model import predict_log_linear
from spades.human.person import fit_weights, load_spreads
from spades.notation.log_store import open_log

PLAYER, KNOWN, GAMES, GROUPS, TRIALS = "human:spread=0.5,player=", 20, 50, 5, 10
LENGTHS, SEAT_LENGTHS = (1, 2, 5, 10, 20), (1, 2, 5)
FIRST_PLAYER, SEED, FRESH = 3_000, 3_100, 10_000
LOG, SEATS = "human-south", 200
MODELS = identify.parse_models(identify.USUAL_MODELS)


class Trial(NamedTuple):
    """Log-likelihoods of K models by number of rounds seen, (lengths, K); the right model, -1 for
    none of them; the check of the likeliest."""

    nats: NDArray[np.float64]
    right: int
    check: float


def trials_of(choices: Choices, held: Any, lengths: tuple[int, ...], right: int) -> list[Trial]:
    """One for as many rounds as the longest of ``lengths``; ``held``: probabilities by model."""
    nats, found = np.array([choices.log_p(p) for p in held]), []
    at = np.unique(choices.rows, return_inverse=True)[1]
    for start in range(0, int(at.max()) + 2 - lengths[-1], lengths[-1]):
        sums = [nats[:, (at >= start) & (at < start + n)].sum(axis=1) for n in lengths]
        rows = np.flatnonzero((at >= start) & (at < start + lengths[-1]))
        best = identify.check(held[int(sums[-1].argmax())][rows], choices.take(rows))
        found.append(Trial(np.array(sums), right, best))
    return found


def person_trials() -> tuple[list[Trial], list[Trial]]:
    """Of players known, and of as many strangers."""
    known, strangers, spreads = list[Trial](), list[Trial](), load_spreads()
    for group in range(GROUPS):
        first = FIRST_PLAYER + 2 * KNOWN * group
        players = range(first, first + 2 * KNOWN)
        fitted = []
        for player in players[:KNOWN]:
            data = competitions_of(simulated_examples(f"{PLAYER}{player}", GAMES, SEED + player))
            fitted.append(fit_weights(data, np.arange(len(data.chosen)), spreads).weights)
        for i, player in enumerate(players):
            n = LENGTHS[-1] * (TRIALS if i < KNOWN else TRIALS // 2)
            log = simulated_log(f"{PLAYER}{player}", n // 4, SEED + player, FRESH).take(slice(n))
            choices = Choices.of(log, np.tile(np.arange(N_SEATS) == SEAT, (n, 1)))
            held = np.zeros((KNOWN, len(choices), HAND_SIZE))
            for weights, p in zip(fitted, held, strict=True):
                predict_log_linear(weights, np.ascontiguousarray(choices.examples.views), p)
            rows = known if i < KNOWN else strangers
            rows += trials_of(choices, held, LENGTHS, i if i < KNOWN else -1)
        say(f"{group + 1} of {GROUPS} groups")
    return known, strangers


def seat_trials() -> list[Trial]:
    """Of the human seat of a log and of its searching seats, one of them at a time, in turn."""
    log = open_log(LOG).distinct().take(slice(SEATS * SEAT_LENGTHS[-1]))
    bots = (SEAT + 1 + np.arange(len(log)) // SEAT_LENGTHS[-1] % (N_SEATS - 1)) % N_SEATS
    both = []
    for right, seats in enumerate((np.full(len(log), SEAT), bots)):
        choices = Choices.of(log, np.arange(N_SEATS) == seats[:, None])
        held = [probabilities_of(model, choices) for model in MODELS]
        both.append(trials_of(choices, held, SEAT_LENGTHS, right))
        say(f"{SEATS} seats of {MODELS[right]}")
    return [trial for pair in zip(*both, strict=True) for trial in pair]


def fit_trust(nats: NDArray[np.float64], right: NDArray[np.int64]) -> float:
    """The power, at most 1, of likelihood ratios (trials, lengths, K) that makes the right models
    likeliest."""

    def loss(trust: float) -> float:
        p = identify.posterior(nats, trust)[np.arange(len(right)), :, right]
        return -float(np.log(np.maximum(p, 1e-300)).mean())

    return float(minimize_scalar(loss, bounds=(0.05, 1.0), method="bounded").x)


def summary(trials: list[Trial], lengths: tuple[int, ...], each: int) -> dict[str, Any]:
    """What is measured of trials, ``each`` of one player after the other."""
    nats, right = np.array([one.nats for one in trials]), np.array([one.right for one in trials])
    trust = fit_trust(nats[::2], right[::2])
    p = identify.posterior(nats[1::2], trust)
    is_right = nats.argmax(axis=2) == right[:, None]
    held = p.max(axis=2).ravel(), (p.argmax(axis=2) == right[1::2, None]).ravel()
    rows = []
    for n, hits in zip(lengths, is_right.T, strict=True):
        interval = share_interval(int(hits.sum()), len(hits))
        if each > 1:  # a player counts once
            interval = mean_interval(hits.reshape(-1, each).mean(axis=1))
        low, high = interval or (0, 1)
        row = {"rounds": n, "n": len(hits), "right": float(hits.mean())}
        rows.append(row | {"interval": (max(low, 0), min(high, 1))})
    stated = {"ece": calibration_error(*held), "bins": reliability(*held, 10)}
    return {"trust": trust, "right": rows, "refused": refused(trials), "stated": stated}


def refused(trials: list[Trial]) -> dict[str, Any]:
    """How often the likeliest model doesn't fit."""
    n_of, n = sum(one.check < identify.FALSE_RATE for one in trials), len(trials)
    return {"n": n, "share": n_of / n, "interval": share_interval(n_of, n)}


def document() -> dict[str, Any]:
    known, strangers = person_trials()
    persons = {"players": PLAYER, "known": KNOWN, "games": GAMES, "groups": GROUPS}
    persons |= {**summary(known, LENGTHS, TRIALS), "strangers": refused(strangers)}
    of_seats = {"models": [*MODELS], "log": LOG, **summary(seat_trials(), SEAT_LENGTHS, 1)}
    how = {"command": identify.COMMAND, "false_rate": identify.FALSE_RATE}
    return {**how, "persons": persons, "seats": of_seats}


if __name__ == "__main__":
    make_table(__doc__, identify.TABLE, lambda options: document())
