"""How far judges are trusted: ``python -m experiments.fit_judge``.

Writes ``data/tables/judge.json``, which ``analysis.decisions.trust`` reads: by whether a nil is
alive the weights of the quick judges and the drift of those who play on, and by phase too the
spread (``analysis.decisions.estimate``). They are fitted to the half of the truth set that is for
choosing: the likeliest ones, given the truth's values with their errors and the rounds that the
judge plays on within ``SECONDS`` from every class, under wide priors. What they are worth on the
other half, ``python -m experiments.compare_judges`` says.

About 20 minutes of one core; stopped at any moment, it goes on where it was.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from analysis.decisions import truth
from analysis.decisions.conclusion import SEARCH
from analysis.decisions.estimate import Means, Trust
from analysis.decisions.evidence import NETWORKS, Evidence, made_within
from analysis.decisions.judge import PLAYER, judge_settings
from analysis.decisions.played_on import (
    MOST_ROUNDS,
    WEIGHING,
    means_of_rounds,
    rounds_series,
)
from analysis.decisions.settings import AnalysisSettings
from analysis.decisions.trust import PATH, stratum_name
from analysis.decisions.truth import TruthDecision
from analysis.phases import PHASES
from analysis.runs.command import add_workers
from analysis.runs.store import ResultStore, version_of
from analysis.runs.tasks import Task
from experiments.command import make_table, run_tasks
from spades.core.documents import Document
from spades.core.kernel import FloatArray
from spades.core.steps import last_value
from spades.notation.schema import record_of, row_of

SECONDS = 3.0  # of one core, for rounds
SEED = 11
JUDGES = (SEARCH, *NETWORKS)
AGENTS = (PLAYER, *NETWORKS.values())
EVERY_CLASS = "nobody"
TINY = 0.01  # points squared, so that means without noise can be inverted
# Wide priors, normal: a weight, and the logarithms of spread and drift in points.
WEIGHT = (0.4, 0.3)
LOG_SPREAD = (1.5, 0.7)
LOG_DRIFT = (0.0, 0.7)
N_NILS = 2
N_PHASES = len(PHASES)


def evidence_on(row: Document, ply: int) -> Document:
    """What the quick judges say of a decision, and the rounds played on from every class."""
    record = record_of(row)
    settings = judge_settings(AnalysisSettings(seed=SEED))
    evidence = Evidence(record, ply, settings)
    last_value(evidence.ask_quick_judges())
    settings = evidence.settings
    n_classes = len(evidence.names)
    series = rounds_series(record, ply, settings, lambda _: range(n_classes), EVERY_CLASS)
    series.extend(MOST_ROUNDS)
    last_value(made_within(series, SECONDS))
    means = means_of_rounds(series.items, evidence.observation, settings.search.objective)
    return {
        "classes": [list(cards) for cards in evidence.names],
        "guesses": {name: values.tolist() for name, values in evidence.guesses.items()},
        "values": means.values.tolist(),
        "covariance": means.covariance.tolist(),
        "rounds": series.done,
    }


class Case(NamedTuple):
    """A decision of the truth set and the evidence on its n classes that were played out:
    ``guesses`` (n, judges); ``means`` of the rounds; the true ones, ``truth``."""

    is_nil: int
    phase: int
    guesses: FloatArray
    means: Means
    truth: Means


def case_of(decision: TruthDecision, found: Document) -> Case:
    names = list(map(tuple, found["classes"]))
    kept = [names.index(cards) for cards in decision.classes]
    guesses = np.array([found["guesses"][name] for name in JUDGES]).T[kept]
    covariance = np.array(found["covariance"])[np.ix_(kept, kept)]
    return Case(
        is_nil=int(decision.has_nil),
        phase=list(PHASES).index(decision.phase),
        guesses=guesses,
        means=Means(np.array(found["values"])[kept], covariance),
        truth=Means(decision.values, decision.covariance),
    )


class Parameters(NamedTuple):
    """``weights`` (2, judges) and ``log_drift`` (2,) by whether a nil is alive; ``log_spread``
    (2, phases)."""

    weights: FloatArray
    log_spread: FloatArray
    log_drift: FloatArray

    @classmethod
    def of(cls, vector: FloatArray) -> "Parameters":
        n_weights = N_NILS * len(JUDGES)
        n_spreads = N_NILS * N_PHASES
        weights, spreads, drifts = np.split(vector, [n_weights, n_weights + n_spreads])
        return cls(weights.reshape(N_NILS, -1), spreads.reshape(N_NILS, -1), drifts)

    def trust(self, is_nil: int, phase: int) -> Trust:
        weights = [round(weight, 3) for weight in self.weights[is_nil].tolist()]
        return Trust(
            dict(zip(JUDGES, weights, strict=True)),
            spread=round(float(np.exp(self.log_spread[is_nil, phase])), 3),
            drift=round(float(np.exp(self.log_drift[is_nil])), 3),
        )


def surprise(vector: FloatArray, cases: Sequence[Case]) -> float:
    """The negative logarithm of the parameters' likelihood and prior, but for a constant."""
    parameters = Parameters.of(vector)
    total = sum(_surprise_of(case, parameters) for case in cases)
    for values, (mean, deviation) in zip(parameters, (WEIGHT, LOG_SPREAD, LOG_DRIFT), strict=True):
        total += float(((values - mean) ** 2).sum()) / (2 * deviation**2)
    return total


def _surprise_of(case: Case, parameters: Parameters) -> float:
    expected = case.guesses @ parameters.weights[case.is_nil]
    spread = float(np.exp(parameters.log_spread[case.is_nil, case.phase]))
    drift = float(np.exp(parameters.log_drift[case.is_nil]))
    return surprise_of(expected, spread, drift, case.means, case.truth)


def surprise_of(
    expected: FloatArray, spread: float, drift: float, means: Means, true: Means
) -> float:
    """The negative logarithm of the likelihood of true values and of rounds' means, but for a
    constant, where the quick judges say that n alternatives are worth ``expected`` (n,).

    Differences to the first one count, since all share a level: the true ones and those of the
    rounds are normal around what is expected, with one error in common."""
    n = len(expected)
    differences = np.hstack([-np.ones((n - 1, 1)), np.eye(n - 1)])
    both = differences @ differences.T
    shared = both * spread**2
    tiny = TINY * np.eye(n - 1)
    of_truth = shared + differences @ true.covariance @ differences.T + tiny
    of_rounds = shared + both * drift**2 + differences @ means.covariance @ differences.T + tiny
    covariance = np.block([[of_truth, shared], [shared, of_rounds]])
    surprises = np.concatenate(
        [differences @ (true.values - expected), differences @ (means.values - expected)]
    )
    root = np.linalg.cholesky(covariance)
    scaled = np.linalg.solve(root, surprises)
    return float(scaled @ scaled / 2 + np.log(np.diag(root)).sum())


def fit(cases: Sequence[Case]) -> Parameters:
    start = np.concatenate(
        [
            np.full(N_NILS * len(JUDGES), WEIGHT[0]),
            np.full(N_NILS * N_PHASES, LOG_SPREAD[0]),
            np.full(N_NILS, LOG_DRIFT[0]),
        ]
    )
    found = minimize(surprise, start, args=(cases,), method="L-BFGS-B")
    return Parameters.of(found.x)


def question_of(decision: TruthDecision) -> Document:
    return {
        "round": row_of(decision.record),
        "ply": decision.ply,
        "seconds": SECONDS,
        "seed": SEED,
        "weighing": WEIGHING,
        **version_of(*AGENTS),
    }


def make(options: argparse.Namespace) -> Document | None:
    """The fitted table; None where it was interrupted."""
    store = ResultStore()
    decisions = [one for one in truth.truth_set() if one.half == truth.CHOOSE]
    tasks = [
        Task.of_store(
            (store, "judge-evidence", question_of(decision)),
            evidence_on,
            partial(tuple, (row_of(decision.record), decision.ply)),
            AGENTS,
        )
        for decision in decisions
    ]
    if not run_tasks(tasks, "decisions", options.workers):
        return None
    cases = [
        case_of(decision, store.get("judge-evidence", question_of(decision)) or {})
        for decision in decisions
    ]
    parameters = fit(cases)
    strata = {
        stratum_name(phase, has_nil=bool(is_nil)): vars(parameters.trust(is_nil, i))
        for is_nil in range(N_NILS)
        for i, phase in enumerate(PHASES)
    }
    return {
        "made_by": "python -m experiments.fit_judge",
        "decisions": len(cases),
        "player": PLAYER,
        "strata": strata,
    }


if __name__ == "__main__":
    make_table(__doc__, PATH, make, add_workers)
