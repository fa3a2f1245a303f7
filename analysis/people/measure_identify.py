"""How well players are told apart: ``python -m analysis.people.measure_identify``.

Writes ``data/tables/identify.json`` in about a quarter of an hour. Groups of simulated players,
known by some games each, are named by rounds of other games, and so are players who aren't of the
group; then simulated humans and a search by a few rounds each, the power of whose shares comes from
games of its own. Trust is fitted to one half of the players or seats, its odds shown of the other.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from analysis.intervals import ratio_interval, share_interval
from analysis.models.measures import calibration_error, reliability
from analysis.people import identify
from analysis.people.identify import FALSE_RATE, PERSONS, SEARCH, posterior
from analysis.people.players import SEAT, simulated_examples, simulated_log
from analysis.people.predictions import Choices, log_p, probabilities_of, query_agents
from analysis.runs.command import add_workers, make_table, number, say
from spades.core.cards import HAND_SIZE, N_SEATS
from spades.core.errors import SpadesError
from spades.human.loglinear import competitions_of
from spades.human.model import predict_log_linear
from spades.human.person import fit_weights, load_spreads
from spades.notation.log_store import open_log

SPREAD, KNOWN, GAMES, ROUNDS = 0.5, 20, 50, 20
GROUPS, TRIALS, OUTSIDERS, TRIALS_OUTSIDE = 5, 10, 20, 5
FIRST_PLAYER, SEED, FRESH = 3_000, 3_100, 10_000
LENGTHS = (1, 2, 5, 10, ROUNDS)
MODELS, LOG = ("human", "ismcts:iterations=2500"), "human-south"
SEAT_LENGTHS, SEATS_EACH = (1, 2, 5), 150
HUMAN_SEAT = SEAT


class Trials(NamedTuple):
    """n trials: log-likelihood of K models by number of rounds seen, (lengths, n, K); the right
    model, -1 where it is none of them, and who decided, (n,); the check of the likeliest model."""

    sums: NDArray[np.float64]
    right: NDArray[np.int64]
    who: NDArray[np.int64]
    checks: NDArray[np.float64]


def trials_of(
    choices: Choices,
    held: list[NDArray[np.float64]],
    lengths: tuple[int, ...],
    who: tuple[int, int],
) -> list[tuple[Any, ...]]:
    """Rows of ``Trials``: the choices cut into as many rounds as the longest of ``lengths``, of
    probabilities (n, 13) by model; ``who``: the right model and who decided."""
    nats = np.array([log_p(p, choices.played) for p in held])
    at = np.unique(choices.rows, return_inverse=True)[1]
    found = []
    for start in range(0, int(at.max()) + 2 - lengths[-1], lengths[-1]):
        ends = [np.flatnonzero((at >= start) & (at < start + n)) for n in lengths]
        sums = [nats[:, rows].sum(axis=1) for rows in ends]
        rows, best = ends[-1], int(sums[-1].argmax())
        part = choices.take(rows)
        check = identify.check(held[best][rows], part, identify.features_of(part))
        found.append((sums, *who, check))
    return found


def _joined(rows: list[tuple[Any, ...]]) -> Trials:
    sums, right, who, checks = zip(*rows, strict=True)
    return Trials(np.array(sums).swapaxes(0, 1), np.array(right), np.array(who), np.array(checks))


def simulated(player: int) -> str:
    return f"human:spread={SPREAD},player={player}"


def fresh_choices(player: int, n_rounds: int) -> Choices:
    """Of a simulated player, in the first rounds of games that nobody was fitted to."""
    log = simulated_log(simulated(player), n_rounds // 4, SEED + player, first=FRESH)
    if len(log) < n_rounds:
        raise SpadesError(f"{n_rounds // 4} games have {len(log)} rounds; {n_rounds} were due")
    log = log.take(slice(n_rounds))
    return Choices.of(log, np.tile(np.arange(N_SEATS) == SEAT, (n_rounds, 1)))


def fitted_weights(player: int) -> NDArray[np.float64]:
    examples = simulated_examples(simulated(player), GAMES, SEED + player)
    rows = np.arange(len(examples))
    return fit_weights(competitions_of(examples), rows, load_spreads()).weights


def _held(weights: list[NDArray[np.float64]], choices: Choices) -> list[NDArray[np.float64]]:
    found = np.zeros((len(weights), len(choices), HAND_SIZE))
    for own, p in zip(weights, found, strict=True):
        predict_log_linear(own, np.ascontiguousarray(choices.examples.views), p)
    return list(found)


def person_trials(groups: int) -> tuple[Trials, Trials]:
    """Of players known, and of others."""
    known, others = list[tuple[Any, ...]](), list[tuple[Any, ...]]()
    for group in range(groups):
        first = FIRST_PLAYER + group * (KNOWN + OUTSIDERS)
        weights = [fitted_weights(first + i) for i in range(KNOWN)]
        for i in range(KNOWN + OUTSIDERS):
            is_known = i < KNOWN
            choices = fresh_choices(first + i, ROUNDS * (TRIALS if is_known else TRIALS_OUTSIDE))
            who = (i if is_known else -1, first + i)
            rows = known if is_known else others
            rows += trials_of(choices, _held(weights, choices), LENGTHS, who)
        say(f"{group + 1} of {groups} groups")
    return _joined(known), _joined(others)


def seat_trials(n_each: int, workers: int | None) -> Trials:
    """Of the human seat of a log and of its searching seats, one of them at a time."""
    log = open_log(LOG).distinct().take(slice(n_each * SEAT_LENGTHS[-1]))
    block = np.arange(len(log)) // SEAT_LENGTHS[-1]
    bots = np.array([seat for seat in range(N_SEATS) if seat != HUMAN_SEAT])
    found = []
    for right, seats in enumerate((np.full(len(log), HUMAN_SEAT), bots[block % len(bots)])):
        choices = Choices.of(log, np.arange(N_SEATS) == seats[:, None])
        asked = [(model, choices) for model in MODELS]
        if not query_agents(asked, workers=workers, tell=lambda made: say(made.text())):
            raise SpadesError("stopped")
        held = [probabilities_of(model, choices) for model in MODELS]
        rows = trials_of(choices, held, SEAT_LENGTHS, (right, 0))
        found += [(*row[:2], i, row[3]) for i, row in enumerate(rows)]
    return _joined(found)


def fit_trust(trials: Trials) -> float:
    """The power, at most 1, of the likelihood ratios that makes the right models likeliest, over
    all lengths."""

    def loss(trust: float) -> float:
        p = posterior(trials.sums, trust)[:, np.arange(len(trials.right)), trials.right]
        return -float(np.log(np.maximum(p, 1e-300)).mean())

    return float(minimize_scalar(loss, bounds=(0.05, 1.0), method="bounded").x)


def half(trials: Trials, odd: int) -> Trials:
    is_in = trials.who % 2 == odd
    return Trials(trials.sums[:, is_in], *(column[is_in] for column in trials[1:]))


def calibration(trials: Trials, trust: float) -> dict[str, Any]:
    """Of the odds of the likeliest model, over all lengths."""
    p = posterior(trials.sums, trust)
    confidence = p.max(axis=2).ravel()
    right = (p.argmax(axis=2) == trials.right).ravel()
    bins = reliability(confidence, right, 10)
    return {"n": len(right), "ece": calibration_error(confidence, right), "bins": bins}


def shares(trials: Trials, lengths: tuple[int, ...]) -> list[dict[str, Any]]:
    """How often the right model is the likeliest, by rounds seen; a player counts once."""
    rows = []
    for n, sums in zip(lengths, trials.sums, strict=True):
        is_right = (sums.argmax(axis=1) == trials.right).astype(float)
        n_of = np.bincount(trials.who)
        hits = np.bincount(trials.who, is_right)[n_of > 0]
        between = ratio_interval(hits, n_of[n_of > 0]) if hits.any() else None
        low, high = between or share_interval(int(hits.sum()), len(is_right)) or (0.0, 1.0)
        row = {"rounds": n, "n": len(is_right), "right": float(is_right.mean())}
        rows.append(row | {"interval": (max(low, 0.0), min(high, 1.0))})
    return rows


def refused(trials: Trials) -> dict[str, Any]:
    """How often the likeliest model doesn't fit; ``by_likelihood`` by the other check."""
    counts, n = (trials.checks < FALSE_RATE).sum(axis=0).tolist(), len(trials.right)
    found = {"n": n, "share": counts[0] / n, "interval": share_interval(counts[0], n)}
    return {**found, "by_likelihood": counts[1] / n}


def summary(trials: Trials, lengths: tuple[int, ...]) -> tuple[float, dict[str, Any]]:
    """The trust, and what is measured of trials whose right model is among the models."""
    trust = fit_trust(half(trials, 0))
    odds = {"stated": trust, "plain": 1.0}
    found = {
        "right": shares(trials, lengths),
        "refused": refused(trials),
        "calibration": {name: calibration(half(trials, 1), one) for name, one in odds.items()},
    }
    return trust, found


def document(groups: int, n_each: int, workers: int | None) -> dict[str, Any]:
    known, others = person_trials(groups)
    trust, persons = summary(known, LENGTHS)
    search_trust, search = summary(seat_trials(n_each, workers), SEAT_LENGTHS)
    return {
        "version": identify.VERSION,
        "what": "Who played this: simulated players told apart, and from a search",
        "command": identify.COMMAND,
        "trust": {PERSONS: trust, SEARCH: search_trust},
        "false_rate": FALSE_RATE,
        "persons": {
            "players": simulated(FIRST_PLAYER).rpartition(",")[0],
            "known": KNOWN,
            "games": GAMES,
            "groups": groups,
            **persons,
            "others_refused": refused(others),
        },
        "seats": {"models": [*MODELS], "log": LOG, **search},
    }


if __name__ == "__main__":
    make_table(
        __doc__,
        identify.TABLE,
        lambda options: document(options.groups, options.seats, options.workers),
        number("--groups", GROUPS, "of twenty players"),
        number("--seats", SEATS_EACH, "of either kind"),
        add_workers,
    )
