"""Single rows of the speed table: searches, networks, self-play, tables, without a browser.

Ratios compare two programs in the same run, in turns, so that a machine whose speed drifts treats
both alike.
"""

from __future__ import annotations

import json
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from spades.agents import Seating, parse_agent, play_rounds
from spades.bidding import hands
from spades.core.cards import STANDARD, cards_in, mask_of
from spades.core.errors import SpadesError
from spades.core.observation import Observation, observe
from spades.core.rules import Round, Rules
from spades.human import load_prior, simulate_humans
from spades.human.features.logs import Examples, examples_of_log
from spades.human.model import Progress
from spades.human.networks.config import TrainingOptions
from spades.human.networks.model import NetworkModel
from spades.search import BiasSettings, SearchSettings, search
from spades.search.bias import ROOT_ONLY

ITERATIONS, TURNS = 2500, 3
PHASES, POSITIONS = range(0, 48, 4), 20
ARCHITECTURE = "t-200-150-100"
C_BT, BIAS_TURNS = 0.2, 12  # Baier 2018, with K 1000; the root's two hundredths want many turns
N_EXAMPLES, VALIDATION, EPOCHS = 1_220_000, 0.01, 3
N_ROUNDS, ROUND_TURNS = 10_000, 5
Say = Callable[[str], None]


class NotMeasuredError(SpadesError):
    """Something that a row needs isn't on this machine."""


def random_position(cards_played: int, rng: random.Random) -> Round:
    """A position drawn as the yardstick draws it: random deal, bids of 3, random legal plays."""
    rules = Rules()
    codes = [int(code) for code in rules.cards.codes]
    rng.shuffle(codes)
    state = Round.deal(rules, 3, [mask_of(codes[seat::4]) for seat in range(4)])
    state.table.bids[:] = [3, 3, 3, 3]
    for _ in range(cards_played):
        state.play(rng.choice(list(cards_in(state.legal_plays()))))
    return state


def round_observations(rng: random.Random) -> Iterator[Observation]:
    """What the seat to play sees at each of the 52 plays of a random round."""
    state = random_position(0, rng)
    while not state.table.is_over:
        yield observe(state)
        state.play(rng.choice(list(cards_in(state.legal_plays()))))


def spread_positions(seed: int) -> list[Observation]:
    """20 positions at each of 0, 4, ..., 44 cards played."""
    rng = random.Random(seed)
    return [observe(random_position(cards, rng)) for cards in PHASES for _ in range(POSITIONS)]


def search_milliseconds(seed: int) -> float:
    """Mean time of a search at 0, 4, ..., 44 cards played, ms."""
    seen = spread_positions(seed)
    started = time.perf_counter()
    for observation in seen:
        search(observation, iterations=ITERATIONS)
    return (time.perf_counter() - started) / len(seen) * 1e3


def search_vs_yardstick(source: Path | None) -> float:
    if source is None:
        raise NotMeasuredError("no --yardstick FILE.c given")
    search_milliseconds(0)  # compiled and warm
    with compile_yardstick(source) as program:
        ratios = [
            search_milliseconds(turn) / yardstick_milliseconds(program, ITERATIONS, POSITIONS)
            for turn in range(TURNS)
        ]
    return statistics.median(ratios)


def search_vs_openspiel() -> float:
    import pyspiel

    game = pyspiel.load_game("spades(num_tricks=13)")
    rng = random.Random(1)
    search(observe(random_position(0, rng)), iterations=ITERATIONS)
    ratios = []
    for turn in range(TURNS):
        evaluator = pyspiel.RandomRolloutEvaluator(1, turn)
        bot = pyspiel.MCTSBot(game, evaluator, 0.7, ITERATIONS, 1000, False, turn, False)
        theirs = _seconds(partial(bot.step, _openspiel_first_lead(game, rng)))
        ours = partial(search, observe(random_position(0, rng)), iterations=ITERATIONS)
        ratios.append(theirs / min(_seconds(ours) for _ in range(3)))
    return statistics.median(ratios)


def _openspiel_first_lead(game: Any, rng: random.Random) -> Any:
    """OpenSpiel's state before the first lead of a random deal with bids of 3."""
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(rng.choice(state.legal_actions()))
    for _ in range(4):
        state.apply_action(52 + 3)
    return state


def _seconds(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def round_seconds() -> float:
    """Median time over rounds to search every decision of a round, one thread."""
    rng = random.Random(2)
    rounds = [list(round_observations(rng)) for _ in range(7)]
    _search_all(rounds[0])
    return statistics.median(_seconds(partial(_search_all, seen)) for seen in rounds)


def _search_all(seen: Sequence[Observation]) -> None:
    for observation in seen:
        search(observation, iterations=ITERATIONS)


@contextmanager
def compile_yardstick(source: Path) -> Iterator[Path]:
    """The yardstick as a program in a temporary folder; OSError without compiler or source."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise OSError("no C compiler (cc, gcc, clang) on this machine")
    if not source.is_file():
        raise OSError(f"no yardstick at {source}")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "yardstick"
        flags = ["-O3", "-march=native", "-ffast-math"]
        subprocess.run([compiler, *flags, source, "-o", program, "-lm"], check=True)
        yield program


def yardstick_milliseconds(program: Path, iterations: int, positions: int) -> float:
    """Its mean time of a decision, ms."""
    output = subprocess.run(
        [program, str(iterations), str(positions)], check=True, capture_output=True, text=True
    ).stdout
    return float(json.loads(output)["mean_ms"])


def bias_every_node() -> float:
    """Bias in every node (Baier's d = 1)."""
    return _bias_ratio(BiasSettings(model=ARCHITECTURE, c_bt=C_BT))


def bias_root() -> float:
    """The network called once a move."""
    return _bias_ratio(BiasSettings(model=ARCHITECTURE, c_bt=C_BT, delay=ROOT_ONLY))


def _bias_ratio(bias: BiasSettings) -> float:
    """Biased over unbiased time. Every position is searched both ways, either first in turns."""
    try:
        prior = load_prior(bias.model)
    except SpadesError as error:
        raise NotMeasuredError(str(error)) from None
    biased, plain = SearchSettings(bias=bias), SearchSettings()
    seen = spread_positions(0)
    for settings in (plain, biased):  # compiled before the clock starts
        search(seen[0], settings=settings, prior=prior)
    took = [0.0, 0.0]
    for turn in range(BIAS_TURNS):
        for observation in seen:
            for i in (turn % 2, 1 - turn % 2):
                settings = (plain, biased)[i]
                started = time.perf_counter()
                search(
                    observation, iterations=ITERATIONS, seed=turn, settings=settings, prior=prior
                )
                took[i] += time.perf_counter() - started
    return took[1] / took[0]


def rounds_per_second() -> float:
    """Median over turns by one thread's time: dealt, bid by the simulated human, played, scored."""
    agent = parse_agent("srp+human")
    seating = Seating((agent, agent, agent, agent), Rules())
    play_rounds(seating, 0, 0, 10)  # compiled and warm
    speeds = []
    for turn in range(ROUND_TURNS):
        started = time.thread_time()
        play_rounds(seating, turn, 0, N_ROUNDS)
        speeds.append(N_ROUNDS / (time.thread_time() - started))
    return statistics.median(speeds)


def tables_seconds() -> float:
    """Seconds for the side-suit table and Pr(cnil) of all 8,192 holdings, spades and side suits."""
    hands.nil_tables(STANDARD)  # compiled
    for table in (hands.holding_table, hands.nil_table, hands.nil_tables):
        table.cache_clear()
    started = time.perf_counter()
    hands.holding_table()
    hands.nil_tables(STANDARD)
    return time.perf_counter() - started


def some_examples(n: int) -> Examples:
    """The first ``n`` plays of simulated humans."""
    rounds = -(-n // 52)
    return examples_of_log(simulate_humans(rounds, 1)).take(slice(0, n))


def epoch_seconds() -> float:
    """Median time of a pass of ``t-200-150-100``, all 1.22 million examples trained on.

    Batches of 4,096, no price on active units: it adds a half, for what it
    counts and for Muon in the first layer.
    """
    seen: list[Progress] = []
    options = TrainingOptions(epochs=EPOCHS, batch=4096, validation=VALIDATION)
    examples = some_examples(round(N_EXAMPLES / (1 - VALIDATION)))
    NetworkModel(ARCHITECTURE, options=options).fit(examples, tell=seen.append)
    return statistics.median(progress.seconds for progress in seen)
