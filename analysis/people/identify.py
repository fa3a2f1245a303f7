"""Who played this: the likelihood of a player's choices under several models and agents.

Posterior odds are the prior odds times the likelihood ratio to a power, the trust, fitted to
held-out seats. Whether the likeliest model fits is a posterior predictive check in the directions
in which persons differ, the weights of the log-linear model. Let g be the sum over choices of the
features of the card played minus their mean under the model, I the covariance of g and S the
persons' variances. The statistic is T = g' (I + 1/S)^-1 g; its mean and variance come from the
model's own probabilities, and T is taken as gamma distributed. (A check of the mean log-likelihood
recognizes a fourth as many strangers.)
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import gammaincc, softmax

from analysis.people.predictions import Choices, own_probabilities, probabilities_of
from analysis.text_tables import chance_text
from spades.core.documents import read_json
from spades.core.errors import SpadesError
from spades.core.kernel import FloatArray
from spades.core.paths import DATA, stored_table
from spades.human.loglinear import N_FEATURES, competitions_of
from spades.human.person import load_spreads

TABLE = DATA / "tables" / "identify.json"
COMMAND = "python -m experiments.measure_identify"
FALSE_RATE = 0.01
N_DECISIVE = 10
USUAL_MODELS = "human, ismcts:iterations=2500"


def parse_models(text: str) -> list[str]:
    """Models separated by commas; ``name=value`` is an option of the agent before it."""
    models: list[str] = []
    for word in text.split(","):
        word = word.strip()
        is_option = "=" in word.partition(":")[0]
        if models and is_option:
            models[-1] += f",{word}"
        else:
            models.append(word)
    return models


def parse_prior(text: str) -> list[float] | None:
    """Odds separated by commas; None for an empty text."""
    if not text.strip():
        return None
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        message = f"prior odds are {text!r}; numbers separated by commas are legal"
        raise SpadesError(message) from None


@lru_cache
def read_measured(path: Path = TABLE) -> dict[str, Any]:
    """What ``experiments.measure_identify`` stored."""
    with stored_table(path, COMMAND, SpadesError):
        table: dict[str, Any] = read_json(path)
        for kind in ("persons", "seats"):
            float(table[kind]["trust"])
    return table


def posterior(
    log_likelihoods: FloatArray,
    trust: float,
    prior: Sequence[float] | None = None,
) -> FloatArray:
    """Probabilities of K models, (..., K); ``prior`` odds (K,), even by default."""
    n = log_likelihoods.shape[-1]
    odds = np.ones(n) if prior is None else np.array(prior, dtype=float)
    is_legal = np.isfinite(odds) & (odds > 0)
    if len(odds) != n or not is_legal.all():
        listed = ", ".join(f"{value:g}" for value in odds)
        raise SpadesError(
            f"prior odds are {listed}; {n} positive numbers are legal, one for each model"
        )
    log_odds = np.log(odds) + trust * log_likelihoods
    p: FloatArray = softmax(log_odds, axis=-1)
    return p


def verdict(answer: Mapping[str, Any]) -> str:
    """Who is likeliest, and whether that model fits, in a sentence."""
    best = answer["likeliest"]
    fits = "it fits" if answer["fits"] else "but it doesn't fit: probably none of these"
    return (
        f"Likeliest: {best}, {chance_text(answer['odds'][best])} by "
        f"{answer['decisions']:,} choices in {answer['rounds']:,} rounds; {fits} "
        f"(tested at the {answer['false_rate']:.0%} level)."
    )


def check(p: FloatArray, choices: Choices) -> float:
    """The p-value of the posterior predictive check; ``p`` (n, 13): a model's probabilities."""
    data = competitions_of(choices.examples)
    masks = (data.features[:, None] >> np.arange(N_FEATURES)) & 1
    features = np.hstack([masks, data.nil]).astype(float)
    is_legal = np.arange(p.shape[1]) < choices.counts[:, None]
    p_of_card = p[is_legal][:, None]
    means = np.add.reduceat(p_of_card * features, data.starts[:-1])
    score = (features[data.chosen] - means).sum(axis=0)
    information = features.T @ (p_of_card * features) - means.T @ means
    prior_precision = np.diag(load_spreads() ** -2.0)
    weight = np.linalg.inv(information + prior_precision)
    weighted = weight @ information
    mean = float(np.trace(weighted))
    variance = 2 * float((weighted * weighted.T).sum())
    if not variance:
        return 1.0
    statistic = score @ weight @ score
    return float(gammaincc(mean**2 / variance, statistic * mean / variance))


def identify(
    models: Sequence[str],
    choices: Choices,
    prior: Sequence[float] | None = None,
) -> dict[str, Any]:
    """Which model the choices are likeliest by, as ``identify --json`` prints it.

    ``odds``: probabilities that add up to one; ``running``: log-likelihood ratio of the likeliest
    model to the next after each choice, nats; ``decisive``: the choices that tell these two apart
    most."""
    if len(set(models)) < max(2, len(models)):
        raise SpadesError(f"models are {', '.join(models)}; two or more different ones are legal")
    if not len(choices):
        raise SpadesError("no choice between two legal cards; at least one is needed")
    probabilities = [probabilities_of(model, choices) for model in models]
    log_p = np.array([choices.log_p(p) for p in probabilities])
    log_likelihoods = log_p.sum(axis=1)
    trust = _trust(models, choices)
    odds = posterior(log_likelihoods, trust, prior)
    best, second = np.argsort(-odds, kind="stable")[:2].tolist()
    ratios = log_p[best] - log_p[second]
    checks = [check(p, choices) for p in probabilities]
    most_decisive = np.argsort(-np.abs(ratios), kind="stable")[:N_DECISIVE]
    decisive = []
    for i in most_decisive.tolist():
        play = _play_of(choices, i)
        play["nats"] = float(ratios[i])
        play["p"] = dict(zip(models, np.exp(log_p[:, i]).tolist(), strict=True))
        decisive.append(play)
    return {
        "log_likelihood": dict(zip(models, log_likelihoods.tolist(), strict=True)),
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


def _trust(models: Sequence[str], choices: Choices) -> float:
    """The trust fitted to agents' seats where probabilities are estimated, else to persons."""
    first = choices.examples.take(slice(1))
    has_estimates = any(own_probabilities(model, first) is None for model in models)
    measured = read_measured()["seats" if has_estimates else "persons"]
    return float(measured["trust"])


def _play_of(choices: Choices, i: int) -> dict[str, Any]:
    """Choice ``i``: its ``round``, ``ply`` and the card ``played``."""
    row = int(choices.rows[i])
    ply = int(choices.plies[i])
    record = choices.log.record(row)
    card = record.rules.cards.format_card(record.plays[ply])
    return {"round": row, "ply": ply, "played": card}
