"""Who played this: the likelihood of a player's choices under several models and agents.

Odds are the prior's times the likelihood ratio to a power, the trust, fitted to held-out seats.
Whether the likeliest model fits is a posterior predictive check in the directions in which persons
differ, the weights of the log-linear model. With g the features of the cards played minus their
mean under the model, summed, I the covariance of that sum and S the persons' variances, it looks at
T = g' (I + 1/S)^-1 g, whose mean and variance come from the model's own probabilities; T is taken
as gamma distributed. (The mean log-likelihood tells a fourth as many strangers.)
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, softmax

from analysis.people.predictions import Choices, own_probabilities, probabilities_of
from spades.core.documents import read_json
from spades.core.errors import SpadesError
from spades.core.paths import DATA, stored_table
from spades.human.loglinear import N_FEATURES, competitions_of
from spades.human.person import load_spreads

TABLE = DATA / "tables" / "identify.json"
COMMAND = "python -m experiments.measure_identify"
FALSE_RATE, N_DECISIVE = 0.01, 10
USUAL_MODELS = "human, ismcts:iterations=2500"


def parse_models(text: str) -> list[str]:
    """Models between commas; ``name=value`` after one is an option of the agent before it."""
    found: list[str] = []
    for word in map(str.strip, text.split(",")):
        if found and "=" in word.partition(":")[0]:
            found[-1] += f",{word}"
        else:
            found.append(word)
    return found


def parse_prior(text: str) -> list[float] | None:
    """Odds between commas; None of no text."""
    try:
        return [float(word) for word in text.split(",")] if text.strip() else None
    except ValueError:
        raise SpadesError(f"prior odds are {text!r}; numbers between commas are legal") from None


@lru_cache
def read_measured(path: Path = TABLE) -> dict[str, Any]:
    """What ``experiments.measure_identify`` stored."""
    with stored_table(path, COMMAND, SpadesError):
        table: dict[str, Any] = read_json(path)
        _ = [float(table[kind]["trust"]) for kind in ("persons", "seats")]
    return table


def posterior(
    log_likelihoods: NDArray[np.float64], trust: float, prior: Sequence[float] | None = None
) -> NDArray[np.float64]:
    """Probabilities of K models, (..., K); ``prior`` odds (K,), even by default."""
    n = log_likelihoods.shape[-1]
    odds = np.ones(n) if prior is None else np.array(prior, dtype=float)
    if len(odds) != n or not (np.isfinite(odds) & (odds > 0)).all():
        given = ", ".join(f"{one:g}" for one in odds)
        raise SpadesError(f"prior odds are {given}; {n} positive numbers are legal, one a model")
    found: NDArray[np.float64] = softmax(trust * log_likelihoods + np.log(odds), axis=-1)
    return found


def verdict(found: Mapping[str, Any]) -> str:
    """Who is likeliest, and whether that fits, in a sentence."""
    best = found["likeliest"]
    fits = "it fits" if found["fits"] else "but none of these, it seems: it doesn't fit"
    of = f"{found['decisions']:,} choices in {found['rounds']:,} rounds"
    rate = f"false rate {found['false_rate']:.0%}"
    return f"Likeliest: {best}, {found['odds'][best]:.1%} by {of}; {fits} ({rate})."


def check(p: NDArray[np.float64], choices: Choices) -> float:
    """The chance of choices as unlike a model, of probabilities ``p`` (n, 13), by itself."""
    data, counts = competitions_of(choices.examples), choices.counts
    masks = (data.features[:, None] >> np.arange(N_FEATURES)) & 1
    features = np.hstack([masks, data.nil]).astype(float)
    flat = p[np.arange(p.shape[1]) < counts[:, None]][:, None]
    means = np.add.reduceat(flat * features, data.starts[:-1])
    score = (features[data.chosen] - means).sum(axis=0)
    information = features.T @ (flat * features) - means.T @ means
    weigh = np.linalg.inv(information + np.diag(load_spreads() ** -2.0))
    moved = weigh @ information
    mean, variance = float(np.trace(moved)), 2 * float((moved * moved.T).sum())
    if not variance:
        return 1.0
    return float(gammaincc(mean**2 / variance, score @ weigh @ score * mean / variance))


def identify(
    models: Sequence[str], choices: Choices, prior: Sequence[float] | None = None
) -> dict[str, Any]:
    """What ``identify --json`` prints of the choices. ``odds``: probabilities that add up to one;
    ``running``: log-likelihood ratio of the likeliest model to the next after each choice, nats;
    ``decisive``: choices that told these two apart most."""
    if len(set(models)) < max(2, len(models)):
        raise SpadesError(f"models are {', '.join(models)}; two or more different ones are legal")
    if not len(choices):
        raise SpadesError("not one choice between two legal cards to go by")
    held = [probabilities_of(model, choices) for model in models]
    nats = np.array([choices.log_p(p) for p in held])
    own = [own_probabilities(model, choices.examples.take(slice(1))) for model in models]
    trust = read_measured()["seats" if any(one is None for one in own) else "persons"]["trust"]
    odds = posterior(nats.sum(axis=1), trust, prior)
    best, second = np.argsort(-odds, kind="stable")[:2].tolist()
    ratios, checks = nats[best] - nats[second], [check(p, choices) for p in held]
    decisive = []
    for i in np.argsort(-np.abs(ratios), kind="stable")[:N_DECISIVE].tolist():
        row, ply = int(choices.rows[i]), int(choices.plies[i])
        record = choices.log.record(row)
        card = record.plays[ply]
        p = dict(zip(models, np.exp(nats[:, i]).tolist(), strict=True))
        one = {"round": row, "ply": ply, "played": card, "nats": float(ratios[i]), "p": p}
        decisive.append(one)
    return {
        "log_likelihood": dict(zip(models, nats.sum(axis=1).tolist(), strict=True)),
        "odds": dict(zip(models, odds.tolist(), strict=True)),
        "checks": dict(zip(models, checks, strict=True)),
        "decisions": len(choices),
        "rounds": len(np.unique(choices.rows)),
        "likeliest": models[best],
        "next": models[second],
        "fits": checks[best] >= FALSE_RATE,
        "false_rate": FALSE_RATE,
        "trust": trust,
        "running": ratios.cumsum().round(4).tolist(),
        "decisive": decisive,
    }
