"""Plays like: by how many iterations, and with how much human bias, ISMCTS predicts a player best.

Nats a choice, by pooled shares of visits (``analysis.people.predictions``) to a power that is
fitted to the same choices at each setting; a sample of the player's choices, the same everywhere.
Intervals are percentiles of a bootstrap over games, the powers as fitted once.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from analysis.people import predictions
from analysis.people.players import seats_of_player
from analysis.people.predictions import Choices
from analysis.runs.store import ResultStore, version_of
from analysis.runs.tasks import RunOptions, Task, TaskRunner, ranges, task_size
from analysis.text_tables import span
from spades.core.errors import SpadesError
from spades.human.features.logs import hash_of
from spades.human.model import predict
from spades.human.simulated import MODEL_NAME, devlin2016_nil
from spades.notation.log_store import content_hash, open_log

LIKE, SHARES = "plays like", "pooled shares"
ITERATIONS = (100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 200_000)
BIASED_AT, BIASES = 2_500, (0.01, 0.03, 0.1, 0.3, 1.0)
DECISIONS, LEAST = 300, 40
N_RESAMPLES, SEED, MAX_PART = 1000, 4_001, 100
Setting = tuple[str, int, float]
"""Agent, iterations, strength of the bias (C_BT)."""


def settings() -> list[Setting]:
    bias = f"ismcts:iterations={BIASED_AT},bias=knowledge,model={MODEL_NAME},c_bt="
    plain = [(f"ismcts:iterations={n}", n, 0.0) for n in ITERATIONS]
    return plain + [(f"{bias}{strength}", BIASED_AT, strength) for strength in BIASES]


def sample(choices: Choices, n: int) -> Choices:
    """``n`` of them at random, in order; ``SpadesError`` for fewer than ``LEAST``."""
    if min(n, len(choices)) < LEAST:
        few = f"{n} of {len(choices):,} choices between two legal cards or more"
        raise SpadesError(f"{few}; {LEAST} at least place a player")
    return choices.take(np.sort(np.random.default_rng(SEED).permutation(len(choices))[:n]))


def _blocks(agent: str, choices: Choices) -> list[tuple[Choices, dict[str, Any]]]:
    """Choices that take a second or two to search, and what their shares are stored under."""
    size = task_size(predictions.seconds_a_choice(agent), MAX_PART)
    parts = [choices.take(slice(*ends)) for ends in ranges(len(choices), size)]
    log = choices.log
    asked = {"agent": agent, "rules": repr(log.rules), **version_of(agent)}
    return [
        (one, {**asked, "seen": hash_of(one.examples.views, log.blind[one.rows])}) for one in parts
    ]


def search_settings(choices: Choices, **options: Unpack[RunOptions]) -> bool:
    """Store the shares that ``plays_like`` needs; False if it was stopped."""
    store = ResultStore()
    tasks = list[Task]()
    for agent, *_ in settings():
        for block, question in _blocks(agent, choices):
            place, given = (store, SHARES, question), partial(tuple, (agent, block.places()))
            search = predictions.pooled_shares
            tasks.append(Task.of_store(place, search, given, (agent,), len(block)))
    with TaskRunner(sum(task.size for task in tasks), "searched choices", **options) as runner:
        return runner.complete(tasks)


def _measured(setting: Setting, choices: Choices) -> tuple[dict[str, Any], NDArray[np.float64]]:
    """A setting with its power, and nats by choice."""
    agent, store = setting[0], ResultStore()
    parts = [store.get(SHARES, question) or [] for _, question in _blocks(agent, choices)]
    shares = np.array([row for part in parts for row in part])
    floor = predictions.searches_of(agent)[1]
    power = predictions.fit_power(shares, choices, floor)
    named = dict(zip(("agent", "iterations", "c_bt"), setting, strict=True))
    p = predictions.to_probabilities(shares, choices.counts, power, floor)
    return {**named, "power": power}, -choices.log_p(p)


def plays_like(choices: Choices) -> dict[str, Any]:
    """A row a setting: ``loss``, nats a choice, with interval (None of one game), and ``power``;
    the best iterations and the best bias; losses of the simulated human and of chance.
    ``search_settings`` came before."""
    _, games = np.unique(choices.examples.games, return_inverse=True)
    n_games = int(games.max()) + 1
    rows, nats = zip(*(_measured(setting, choices) for setting in settings()), strict=True)
    sums, n = np.array([np.bincount(games, one) for one in nats]), np.bincount(games)
    drawn = np.random.default_rng(SEED).integers(n_games, size=(N_RESAMPLES, n_games))
    whole = sums.sum(axis=1) / n.sum()
    resampled = sums[:, drawn].sum(axis=2) / n[drawn].sum(axis=1)

    def interval(values: NDArray) -> list[float] | None:
        ends = np.percentile(values, (2.5, 97.5), method="nearest").tolist()
        return ends if n_games > 1 else None

    for row, loss, losses in zip(rows, whole.tolist(), resampled, strict=True):
        row |= {"loss": loss, "interval": interval(losses)}
    human = choices.log_p(predict(devlin2016_nil().prior(), choices.examples.views))
    found = {"rows": list(rows), "decisions": len(choices), "games": n_games}
    found |= {"human": -float(human.mean()), "chance": float(np.log(choices.counts).mean())}
    for name, other, value in (("iterations", "c_bt", 0), ("c_bt", "iterations", BIASED_AT)):
        which = [i for i, row in enumerate(rows) if row[other] == value]
        values = np.array([rows[i][name] for i in which])
        bests = interval(values[resampled[which].argmin(axis=0)])
        found[f"best_{name}"] = {"best": values[whole[which].argmin()].item(), "interval": bests}
    return found


def verdict(found: Mapping[str, Any]) -> str:
    """The best iterations and the best bias, in a sentence."""
    best, bias = found["best_iterations"], found["best_c_bt"]
    return (
        f"Best predicted by {best['best']:,} iterations (95%: {span(best['interval'], ',.0f')}); "
        f"at {BIASED_AT:,} iterations by a bias of C_BT {bias['best']:g} "
        f"(95%: {span(bias['interval'], 'g')}), 0 for none. "
        f"{found['decisions']:,} choices in {found['games']:,} games."
    )


def question_of(log_name: str, player: str, decisions: int) -> dict[str, Any]:
    """What ``place_stored`` stores its answer under."""
    asked = {"log": log_name, "content": content_hash(log_name), "player": player}
    return {**asked, "decisions": decisions, **version_of(*(agent for agent, *_ in settings()))}


def place_stored(log_name: str, player: str, n: int, **options: Unpack[RunOptions]) -> None:
    """Place a player of a log of the store, and store what is found."""
    log = open_log(log_name)
    choices = sample(Choices.of(log, seats_of_player(log, player)), n)
    if search_settings(choices, **options):
        ResultStore().put(LIKE, question_of(log_name, player, n), plays_like(choices))
