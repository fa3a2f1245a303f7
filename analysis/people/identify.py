"""Who played this: the likelihood of a player's choices under several models and agents.

Odds are the prior's times the likelihood ratio to a power, the trust, that was fitted to held-out
seats (``python -m analysis.people.measure_identify``). Whether the likeliest model fits at all is a
posterior predictive check, the score of its log-likelihood in the directions in which persons
differ (the weights of the log-linear model): with g the sum over the choices of the features of the
card played minus their mean under the model, I the covariance of that sum and S the persons'
variances, T = g' (I + 1/S)^-1 g. Mean and variance of T under the model come from its own
probabilities; T is taken as gamma distributed with these.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, ndtr, softmax

from analysis.models.measures import LEAST_PROBABILITY
from analysis.people.predictions import Choices, log_p, own_probabilities, probabilities_of
from spades.core.documents import read_json
from spades.core.errors import SpadesError
from spades.core.paths import DATA, stored_table
from spades.human.loglinear import N_FEATURES, competitions_of
from spades.human.person import load_spreads

TABLE = DATA / "tables" / "identify.json"
COMMAND = "python -m analysis.people.measure_identify"
VERSION = 1
FALSE_RATE = 0.01
PERSONS, SEARCH = "persons", "search"
N_DECISIVE = 10


class Check(NamedTuple):
    """Posterior predictive checks of one model, chances of as much or more under the model itself:
    ``features`` as above; ``likelihood``: of so low a mean log-likelihood, by its mean and variance
    under the model."""

    features: float
    likelihood: float


class Evidence(NamedTuple):
    """What K models say of n choices: ``p`` of the cards played and their logarithms, nats,
    (K, n); ``checks`` a model."""

    models: tuple[str, ...]
    log_p: NDArray[np.float64]
    checks: tuple[Check, ...]
    is_search: bool


def parse_models(text: str) -> list[str]:
    """Models between commas; ``name=value`` after one is an option of the agent before it."""
    found: list[str] = []
    for word in map(str.strip, text.split(",")):
        if found and "=" in word.partition(":")[0]:
            found[-1] += f",{word}"
        elif word:
            found.append(word)
    return found


def parse_prior(text: str) -> list[float] | None:
    """Odds between commas; None of no text."""
    try:
        return [float(word) for word in text.split(",")] if text.strip() else None
    except ValueError:
        raise SpadesError(f"prior odds are {text!r}; numbers between commas are legal") from None


def gather(models: Sequence[str], choices: Choices) -> Evidence:
    """The agents among the models were queried before. ``SpadesError``: no choices, or a model
    named twice."""
    if len(set(models)) < max(2, len(models)):
        raise SpadesError(f"models are {', '.join(models)}; two or more different ones are legal")
    if not len(choices):
        raise SpadesError("not one choice between two legal cards to go by")
    features = features_of(choices)
    held = [probabilities_of(model, choices) for model in models]
    first = choices.examples.take(slice(1))
    return Evidence(
        tuple(models),
        np.array([log_p(p, choices.played) for p in held]),
        tuple(check(p, choices, features) for p in held),
        any(own_probabilities(model, first) is None for model in models),
    )


def features_of(choices: Choices) -> NDArray[np.float64]:
    """Of every legal card of every choice, one after the other, (cards, 45)."""
    data = competitions_of(choices.examples)
    masks = (data.features[:, None] >> np.arange(N_FEATURES)) & 1
    return np.hstack([masks, data.nil]).astype(float)


def check(p: NDArray[np.float64], choices: Choices, features: NDArray[np.float64]) -> Check:
    """Of probabilities (n, 13) and what ``features_of`` finds."""
    counts = choices.counts
    starts = np.cumsum(counts) - counts
    flat = p[np.arange(p.shape[1]) < counts[:, None]]
    means = np.add.reduceat(flat[:, None] * features, starts)
    score = (features[starts + choices.played] - means).sum(axis=0)
    information = features.T @ (flat[:, None] * features) - means.T @ means
    weigh = np.linalg.inv(information + np.diag(load_spreads() ** -2.0))
    moved = weigh @ information
    mean, half = float(np.trace(moved)), float((moved * moved.T).sum())
    rate = mean / (2 * half) if half else 0.0
    by_features = float(gammaincc(mean * rate, score @ weigh @ score * rate)) if half else 1.0
    logs = np.log(np.maximum(flat, LEAST_PROBABILITY))
    expected = np.add.reduceat(flat * logs, starts)
    variance = float((np.add.reduceat(flat * logs**2, starts) - expected**2).sum())
    behind = float(log_p(p, choices.played).sum() - expected.sum())
    # By the central limit theorem; a model that is always equally sure has nothing to check.
    error = np.sqrt(variance) if variance > 1e-9 else np.inf
    return Check(by_features, float(ndtr(behind / error)))


@lru_cache
def read_measured(path: Path = TABLE) -> dict[str, Any]:
    """The stored measurement. ``trust``: the power of the likelihood ratio between ``PERSONS``, and
    where a ``SEARCH`` is among them."""
    with stored_table(path, COMMAND, SpadesError):
        table: dict[str, Any] = read_json(path)
        if table["version"] != VERSION:
            raise ValueError(f"no measurement of version {VERSION}")
        _ = [float(table["trust"][kind]) for kind in (PERSONS, SEARCH)]
    return table


def posterior(
    log_likelihoods: NDArray[np.float64], trust: float, prior: Sequence[float] | None = None
) -> NDArray[np.float64]:
    """Probabilities of K models, (..., K), from their log-likelihoods, nats; ``prior`` (K,) odds,
    even by default. ``SpadesError`` for odds that aren't K positive numbers."""
    n = log_likelihoods.shape[-1]
    odds = np.ones(n) if prior is None else np.array(prior, dtype=float)
    if len(odds) != n or not (np.isfinite(odds) & (odds > 0)).all():
        given = ", ".join(f"{one:g}" for one in odds)
        raise SpadesError(f"prior odds are {given}; {n} positive numbers are legal, one a model")
    found: NDArray[np.float64] = softmax(trust * log_likelihoods + np.log(odds), axis=-1)
    return found


def identify(
    models: Sequence[str], choices: Choices, prior: Sequence[float] | None = None
) -> dict[str, Any]:
    """What ``identify --json`` prints, but for who is asked about; the agents among the models were
    queried before. ``odds``: probabilities that add up to one. ``running``: the log-likelihood
    ratio of the likeliest model to the next after each choice, nats. ``decisive``: the choices that
    told these two apart most."""
    evidence = gather(models, choices)
    sums = evidence.log_p.sum(axis=1)
    trust = read_measured()["trust"][SEARCH if evidence.is_search else PERSONS]
    odds = posterior(sums, trust, prior)
    best, second = np.argsort(-odds, kind="stable")[:2].tolist()
    ratios = evidence.log_p[best] - evidence.log_p[second]
    checks = dict(zip(models, (one._asdict() for one in evidence.checks), strict=True))
    return {
        "log_likelihood": dict(zip(models, sums.tolist(), strict=True)),
        "odds": dict(zip(models, odds.tolist(), strict=True)),
        "decisions": len(choices),
        "rounds": len(np.unique(choices.rows)),
        "likeliest": models[best],
        "next": models[second],
        "fits": evidence.checks[best].features >= FALSE_RATE,
        "false_rate": FALSE_RATE,
        "checks": checks,
        "trust": trust,
        "running": ratios.cumsum().round(4).tolist(),
        "decisive": [
            _decisive(i, choices, evidence) | {"nats": float(ratios[i])}
            for i in np.argsort(-np.abs(ratios), kind="stable")[:N_DECISIVE].tolist()
        ],
    }


def _decisive(i: int, choices: Choices, evidence: Evidence) -> dict[str, Any]:
    row, ply = int(choices.rows[i]), int(choices.plies[i])
    record = choices.log.record(row)
    return {
        "round": row,
        "game": record.game_id,
        "ply": ply,
        "played": record.rules.cards.format_card(record.plays[ply]),
        "p": dict(zip(evidence.models, np.exp(evidence.log_p[:, i]).tolist(), strict=True)),
    }
