"""Plays like: with how many iterations, and how much human bias, ISMCTS predicts a player best.

The loss is in nats a choice, on one sample of the player's choices for every setting. Probabilities
are pooled shares of visits (``analysis.people.predictions``) to a power that is fitted to the same
choices for each setting. Intervals are percentiles of a bootstrap over games; the powers aren't
refitted.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from analysis.people import predictions
from analysis.people.players import seats_of_player
from analysis.people.predictions import Choices
from analysis.runs.store import ResultStore, version_of
from analysis.runs.tasks import RunOptions, Task, TaskRunner, ranges, task_size
from analysis.text_tables import span
from spades.core.documents import read_json
from spades.core.errors import SpadesError
from spades.core.kernel import FloatArray
from spades.core.paths import DATA, stored_table
from spades.human.features.logs import hash_of
from spades.human.model import predict
from spades.human.simulated import MODEL_NAME, devlin2016_nil
from spades.notation.log_store import content_hash, open_log

TABLE = DATA / "tables" / "skill_axis.json"
COMMAND = "python -m experiments.place_agents"
LIKE = "plays like"
SHARES = "pooled shares"
ITERATIONS = (100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 200_000)
BIASES = (0.01, 0.03, 0.1, 0.3, 1.0)
BIASED_AT = 2_500  # iterations
DECISIONS = 300
LEAST = 40
N_RESAMPLES = 1000
SEED = 4_001
MAX_PART = 100
Setting = tuple[str, int, float]
"""Agent, iterations, strength of the bias (C_BT)."""


def settings() -> list[Setting]:
    listed = [(f"ismcts:iterations={n}", n, 0.0) for n in ITERATIONS]
    biased = f"ismcts:iterations={BIASED_AT},bias=knowledge,model={MODEL_NAME}"
    for c_bt in BIASES:
        listed.append((f"{biased},c_bt={c_bt}", BIASED_AT, c_bt))
    return listed


def sample(choices: Choices, n: int) -> Choices:
    """``n`` of the choices at random, in order. Raises ``SpadesError`` for fewer than ``LEAST``."""
    if min(n, len(choices)) < LEAST:
        raise SpadesError(
            f"{n} of {len(choices):,} choices between two legal cards or more; placing a player "
            f"needs at least {LEAST}"
        )
    order = np.random.default_rng(SEED).permutation(len(choices))
    return choices.take(np.sort(order[:n]))


def _blocks(agent: str, choices: Choices) -> list[tuple[Choices, dict[str, Any]]]:
    """Blocks of choices that take a second or two to search, and the question under which the
    shares of each are stored."""
    size = task_size(predictions.seconds_a_choice(agent), MAX_PART)
    log = choices.log
    blocks = []
    for start, end in ranges(len(choices), size):
        block = choices.take(slice(start, end))
        question = {
            "agent": agent,
            "rules": repr(log.rules),
            **version_of(agent),
            "seen": hash_of(block.examples.views, log.blind[block.rows]),
        }
        blocks.append((block, question))
    return blocks


def search_settings(choices: Choices, **options: Unpack[RunOptions]) -> bool:
    """Store the shares that ``plays_like`` needs; False if it was cancelled."""
    store = ResultStore()
    tasks: list[Task] = []
    for agent, *_ in settings():
        for block, question in _blocks(agent, choices):
            task = Task.of_store(
                (store, SHARES, question),
                predictions.pooled_shares,
                partial(tuple, (agent, block.places())),
                agents=(agent,),
                size=len(block),
            )
            tasks.append(task)
    n_choices = sum(task.size for task in tasks)
    with TaskRunner(n_choices, "searched choices", **options) as runner:
        return runner.complete(tasks)


def _measured(setting: Setting, choices: Choices) -> tuple[dict[str, Any], FloatArray]:
    """A setting with its power, and nats by choice."""
    agent, iterations, c_bt = setting
    store = ResultStore()
    rows: list[list[float]] = []
    for _, question in _blocks(agent, choices):
        rows += store.get(SHARES, question) or []
    shares = np.array(rows)
    _, floor = predictions.searches_of(agent)
    power = predictions.fit_power(shares, choices, floor)
    p = predictions.to_probabilities(shares, choices.counts, power, floor)
    row = {"agent": agent, "iterations": iterations, "c_bt": c_bt, "power": power}
    return row, -choices.log_p(p)


def plays_like(choices: Choices) -> dict[str, Any]:
    """A row for each setting: ``loss``, nats a choice, with interval (None for one game), and
    ``power``; the best iterations and the best bias; losses of the simulated human and of chance.
    Call ``search_settings`` before."""
    measured = [_measured(setting, choices) for setting in settings()]
    rows = [row for row, _ in measured]
    _, games = np.unique(choices.examples.games, return_inverse=True)
    n_games = int(games.max()) + 1
    choices_by_game = np.bincount(games)
    nats_by_game = np.array([np.bincount(games, nats) for _, nats in measured])
    rng = np.random.default_rng(SEED)
    drawn_games = rng.integers(n_games, size=(N_RESAMPLES, n_games))
    losses = nats_by_game.sum(axis=1) / choices_by_game.sum()
    drawn_nats = nats_by_game[:, drawn_games].sum(axis=2)
    drawn_losses = drawn_nats / choices_by_game[drawn_games].sum(axis=1)

    def interval(values: NDArray) -> list[float] | None:
        if n_games == 1:
            return None
        ends: list[float] = np.percentile(values, (2.5, 97.5), method="nearest").tolist()
        return ends

    def best(name: str, is_compared: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The value of ``name`` with the least loss among the compared rows."""
        compared = [i for i, row in enumerate(rows) if is_compared(row)]
        values = np.array([rows[i][name] for i in compared])
        best_place = losses[compared].argmin()
        drawn_places = drawn_losses[compared].argmin(axis=0)
        return {
            "best": values[best_place].item(),
            "interval": interval(values[drawn_places]),
        }

    for row, loss, drawn in zip(rows, losses.tolist(), drawn_losses, strict=True):
        row["loss"] = loss
        row["interval"] = interval(drawn)
    p_human = predict(devlin2016_nil().prior(), choices.examples.views)
    return {
        "rows": rows,
        "decisions": len(choices),
        "games": n_games,
        "human": -float(choices.log_p(p_human).mean()),
        "chance": float(np.log(choices.counts).mean()),
        "best_iterations": best("iterations", lambda row: row["c_bt"] == 0),
        "best_c_bt": best("c_bt", lambda row: row["iterations"] == BIASED_AT),
    }


def verdict(answer: Mapping[str, Any]) -> str:
    """The best iterations and the best bias, in a sentence."""
    iterations = answer["best_iterations"]
    bias = answer["best_c_bt"]
    return (
        f"Best predicted by {iterations['best']:,} iterations "
        f"(95%: {span(iterations['interval'], ',.0f')}); "
        f"at {BIASED_AT:,} iterations by a bias of C_BT {bias['best']:g} "
        f"(95%: {span(bias['interval'], 'g')}), 0 for none. "
        f"{answer['decisions']:,} choices in {answer['games']:,} games."
    )


def load_references(path: Path = TABLE) -> dict[str, Any]:
    """Where known agents stand on the skill axis. Raises ``SpadesError`` with the command that
    makes this table."""
    with stored_table(path, COMMAND, SpadesError):
        return dict(read_json(path))


def question_of(log_name: str, player: str, decisions: int) -> dict[str, Any]:
    """What ``place_stored`` stores its answer under."""
    agents = [agent for agent, *_ in settings()]
    return {
        "log": log_name,
        "content": content_hash(log_name),
        "player": player,
        "decisions": decisions,
        **version_of(*agents),
    }


def place_stored(log_name: str, player: str, n: int, **options: Unpack[RunOptions]) -> None:
    """Run ``plays_like`` for a player of a stored log, and store the answer."""
    log = open_log(log_name)
    seats = seats_of_player(log, player)
    choices = sample(Choices.of(log, seats), n)
    if search_settings(choices, **options):
        question = question_of(log_name, player, n)
        ResultStore().put(LIKE, question, plays_like(choices))
