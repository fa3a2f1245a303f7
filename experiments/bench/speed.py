"""The speed table, and how true the judge is: ``python -m spades bench``.

Each row is measured in this process or in one started here; ratios compare two programs in the
same run, in turns, so that a machine whose speed drifts treats both alike. A row that needs what
isn't here says so and is not measured."""

import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import psutil

from analysis.decisions import truth
from analysis.decisions.judges import JUDGE
from analysis.matches.match import MatchPlan, play_match
from analysis.runs.cluster import dask_client
from analysis.runs.store import VARIABLE
from analysis.sweeps.run import processor
from experiments import compare_judges
from experiments.bench.dashboard import seconds_to_first_look, style_page
from experiments.bench.readers import many_readers
from spades.agents import Seating, parse_agent, play_rounds
from spades.bidding import hands
from spades.core.cards import N_CARDS, STANDARD, cards_in, mask_of
from spades.core.documents import Document
from spades.core.errors import SpadesError
from spades.core.logs import Log
from spades.core.observation import Observation, observe
from spades.core.rules import Round, Rules
from spades.human import load_prior, simulate_humans
from spades.human.features.logs import examples_of_log, features_of_log
from spades.human.model import FitProgress
from spades.human.networks.config import TrainingOptions
from spades.human.networks.model import NetworkModel
from spades.notation.parquet import load_log, save_log
from spades.notation.schema import row_of
from spades.programs import ListedProgram, Session
from spades.search import Knowledge, SearchSettings, Technique, search
from spades.search.alpha_beta import Memory
from spades.search.solver import Solver
from spades.search.techniques.technique import ROOT_ONLY

ITERATIONS = 2500
TURNS = 3
PHASES = range(0, 48, 4)  # cards played
POSITIONS = 20  # of each phase
ARCHITECTURE = "t-200-150-100"
C_BT = 0.2  # Baier 2018, with K 1000
BIAS_TURNS = 12  # the root's two hundredths want many
N_EXAMPLES = 1_220_000
VALIDATION = 0.01
EPOCHS = 3
N_ROUNDS = 10_000
ROUND_TURNS = 5
SOLVED = 201  # deals of 28 cards
N_BIG_LOG = 104_314  # Devlin et al. 2016: 27,592 games of AI Factory Spades
# Slow enough a game that parts are many, and no table plays in compiled code.
# Long enough that its two ends, where a worker waits for its first part or for the other's last
# one, count for little: a match that people run takes minutes too.
PLAN = MatchPlan("ismcts:iterations=1000", "ismcts:iterations=1000", 400, target=250, floor=-250)
MATCH_TURNS = 3
FEWEST_QUIET = 2
MOST_TURNS = 5
MOST_SECONDS = 200.0
FOREIGN_SHARE = 0.05  # of all cores: more work by others than this spoils a run


class SpeedRow(NamedTuple):
    """A row of the table: what is measured, how, and the ``goal``, as ``<= 0.8``."""

    what: str
    unit: str
    goal: str
    measure: Callable[..., float]

    def holds(self, value: float) -> bool:
        sign, bound = self.goal.split()
        return value <= float(bound) if sign == "<=" else value >= float(bound)


ROWS: dict[str, SpeedRow] = {}


def row(what: str, unit: str, goal: str) -> Callable:
    """Put a function into the table, under its own name."""

    def add(measure: Callable[..., float]) -> Callable[..., float]:
        ROWS[measure.__name__] = SpeedRow(what, unit, goal, measure)
        return measure

    return add


class NotMeasuredError(SpadesError):
    """Something that a row needs isn't on this machine."""


def random_position(cards_played: int, rng: random.Random) -> Round:
    """A position drawn as the yardstick draws it: random deal, bids of 3, random legal plays."""
    rules = Rules()
    codes = [int(code) for code in rules.cards.codes]
    rng.shuffle(codes)
    dealt = [mask_of(codes[seat::4]) for seat in range(4)]
    state = Round.deal(rules, 3, dealt)
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
    return _seconds(partial(_search_all, seen)) / len(seen) * 1e3


@row("a decision against the C yardstick", "x its time", "<= 0.8")
def search_vs_yardstick(source: Path | None) -> float:
    if source is None:
        raise NotMeasuredError("no --yardstick FILE.c given")
    search_milliseconds(0)  # compiled and warm
    with compile_yardstick(source) as program:
        ratios = []
        for turn in range(TURNS):
            ours = search_milliseconds(turn)
            theirs = yardstick_milliseconds(program, ITERATIONS, POSITIONS)
            ratios.append(ours / theirs)
    return statistics.median(ratios)


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
    command = [str(program), str(iterations), str(positions)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(json.loads(run.stdout)["mean_ms"])


@row("first lead against OpenSpiel's MCTS", "x faster", ">= 10")
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
        seen = observe(random_position(0, rng))
        run = partial(search, seen, iterations=ITERATIONS)
        ours = min(_seconds(run) for _ in range(3))
        ratios.append(theirs / ours)
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


@row("bias from a network in every node", "x the time", "<= 1.3")
def bias_every_node() -> float:
    """Bias in every node (Baier's d = 1)."""
    return _bias_ratio(Knowledge(model=ARCHITECTURE, c_bt=C_BT))


@row("bias from a network at the root only", "x the time", "<= 1.02")
def bias_root() -> float:
    return _bias_ratio(Knowledge(model=ARCHITECTURE, c_bt=C_BT, delay=ROOT_ONLY))


def _bias_ratio(bias: Technique) -> float:
    """Biased over unbiased time. Every position is searched both ways, either first in turns."""
    try:
        prior = load_prior(bias.model)
    except SpadesError as error:
        raise NotMeasuredError(str(error)) from None
    biased = SearchSettings(bias=bias)
    plain = SearchSettings()
    seen = spread_positions(0)
    for settings in (plain, biased):  # compiled before the clock starts
        search(seen[0], settings=settings, prior=prior)
    seconds = {plain: 0.0, biased: 0.0}
    for turn in range(BIAS_TURNS):
        order = (plain, biased) if turn % 2 == 0 else (biased, plain)
        for observation in seen:
            for settings in order:
                run = partial(
                    search,
                    observation,
                    iterations=ITERATIONS,
                    seed=turn,
                    settings=settings,
                    prior=prior,
                )
                seconds[settings] += _seconds(run)
    return seconds[biased] / seconds[plain]


@row("all decisions of a round", "s", "<= 0.06")
def round_seconds() -> float:
    """Median time over rounds to search every decision of a round, one thread."""
    rng = random.Random(2)
    rounds = [list(round_observations(rng)) for _ in range(7)]
    _search_all(rounds[0])
    seconds = [_seconds(partial(_search_all, seen)) for seen in rounds]
    return statistics.median(seconds)


def _search_all(seen: Sequence[Observation]) -> None:
    for observation in seen:
        search(observation, iterations=ITERATIONS)


@row("every card of 28, all hands open", "ms", "<= 3")
def solved_deal() -> float:
    """The mean over deals, each of another position, whose table of ends is made beforehand."""
    rng = random.Random(4)
    memory = Memory.new()
    seconds = []
    for _ in range(SOLVED):
        state = random_position(N_CARDS - 28, rng)
        solver = Solver(state.table, memory)
        seconds.append(_seconds(partial(solver.values, state.hands)))
    return 1000 * statistics.mean(seconds[1:])  # the first may compile


@row("a search on the belief network's deals against uniform ones", "x its time", "<= 2.5")
def belief_deals() -> float:
    """On the same positions at 0, 4, ..., 44 cards played, iterations equal."""
    return _milliseconds("ismcts:determinization=network") / _milliseconds("ismcts")


@row("a search on the posterior's deals against uniform ones", "x its time", "<= 2.5")
def posterior_deals() -> float:
    """The same, of the kind of player that takes longest."""
    longest = max(
        _milliseconds(f"ismcts:determinization=posterior,players={kind}")
        for kind in ("human", "search", "rules")
    )
    return longest / _milliseconds("ismcts")


@row("a move of best", "ms", "<= 5")
def best_move() -> float:
    """The mean over the positions at 0, 4, ..., 44 cards played."""
    return _milliseconds("best")


def _milliseconds(agent: str) -> float:
    """What a move of an agent takes, the best of three turns."""
    player = parse_agent(agent).player
    seen = spread_positions(8)[:: POSITIONS // 4]

    def take() -> None:
        for observation in seen:
            player.play(observation, 1)

    take()
    return 1000 * min(_seconds(take) for _ in range(TURNS)) / len(seen)


@row("a question to another program, with its answer", "ms", "<= 1")
def program_question() -> float:
    """The median over the plays of North in ten rounds, with a bot that hardly thinks."""
    careful = Path(__file__).parents[2] / "docs" / "bots" / "careful.py"
    program = ListedProgram("careful", "1.0", (sys.executable, careful.name), careful.parent)
    session = Session(program)
    rng = random.Random(8)
    seen = [one for _ in range(10) for one in round_observations(rng) if one.seat == 0]
    try:
        session.play(seen[0], 0)  # starts it
        times = [_seconds(partial(session.play, one, 0)) for one in seen]
    finally:
        session.close()
    return 1000 * statistics.median(times)


@row("two cores against one, matches", "x sooner", ">= 1.9")
def two_cores() -> float:
    """How many times sooner two workers finish a match than one, workers up and code compiled.

    Both clusters stay up and take turns, one worker first in one turn and second in the next; the
    median of the ratios of quiet turns. A turn in which other programs took part is no measurement
    of ours. Raises ``RuntimeError`` where fewer than ``FEWEST_QUIET`` were quiet."""
    with (
        tempfile.TemporaryDirectory() as folder,
        dask_client(workers=1) as one,
        dask_client(workers=2) as two,
    ):
        for client in (one, two):
            _run(client, replace(PLAN, games=16, seed=99), folder)
        turns = list(_turns({1: one, 2: two}, folder))
    quiet = [ratio for ratio, foreign in turns if foreign <= FOREIGN_SHARE]
    if len(quiet) < FEWEST_QUIET:
        shares = ", ".join(f"{foreign:.0%}" for _, foreign in turns)
        reason = f"the machine is busy: other programs had {shares} of it in {len(turns)} turns"
        raise RuntimeError(reason)
    return statistics.median(quiet)


def _turns(clients: dict[int, object], folder: str) -> Iterator[tuple[float, float]]:
    """(ratio, share of others in the worse run) a turn, until enough were quiet or time is up."""
    started = time.perf_counter()
    n_quiet = 0
    for turn in range(MOST_TURNS):
        plan = replace(PLAN, seed=turn)
        order = (1, 2) if turn % 2 == 0 else (2, 1)
        runs = {workers: _run(clients[workers], plan, folder) for workers in order}
        foreign = max(share for _, share in runs.values())
        yield runs[1][0] / runs[2][0], foreign
        n_quiet += foreign <= FOREIGN_SHARE
        spent = time.perf_counter() - started
        if n_quiet >= MATCH_TURNS or spent * (turn + 2) / (turn + 1) > MOST_SECONDS:
            return


def _run(client: object, plan: MatchPlan, folder: str) -> tuple[float, float]:
    """Seconds of a match from an empty store, and the share of the machine that others had."""
    with (
        tempfile.TemporaryDirectory(dir=folder) as store,
        patch.dict(os.environ, {VARIABLE: store}),
    ):
        all_before = _busy_seconds()
        own_before = _own_seconds()
        started = time.perf_counter()
        play_match(plan, client=client)
        seconds = time.perf_counter() - started
        foreign = (_busy_seconds() - all_before) - (_own_seconds() - own_before)
    return seconds, max(0.0, foreign) / (seconds * (os.cpu_count() or 1))


def _busy_seconds() -> float:
    """Processor time that all programs together have had, and what a host took away."""
    times = psutil.cpu_times()
    return times.user + times.nice + times.system + getattr(times, "steal", 0.0)


def _own_seconds() -> float:
    """Processor time of this process and its workers; all of them live on between two looks."""
    me = psutil.Process()
    processes = (me, *me.children(recursive=True))
    times = [process.cpu_times() for process in processes]
    return sum(spent.user + spent.system for spent in times)


@row("rule-based self-play, one core", "rounds/s", ">= 10000")
def rule_based_rounds() -> float:
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


@lru_cache(maxsize=1)
def big_log() -> Log:
    """Simulated humans in place of the players that nobody has."""
    return simulate_humans(N_BIG_LOG, seed=1)


@row("moves and features of 5.4 million plays", "s", "<= 3")
def features_seconds() -> float:
    """Seconds for abstract move and 42 features of its 5.4 million plays."""
    log = big_log()
    features_of_log(log.take(slice(0, 10)))
    return _seconds(partial(features_of_log, log))


@row("exact probability and nil tables", "s", "<= 2")
def tables_seconds() -> float:
    """Seconds for the side-suit table and Pr(cnil) of all 8,192 holdings, spades and side suits."""
    hands.nil_tables(STANDARD)  # compiled
    for table in (hands.holding_table, hands.nil_table, hands.nil_tables):
        table.cache_clear()
    return _seconds(hands.holding_table) + _seconds(partial(hands.nil_tables, STANDARD))


@row("a log of 104,314 rounds, replayed", "s", "<= 2")
def log_load() -> float:
    """Seconds to read it from Parquet, every round replayed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.parquet"
        save_log(big_log(), path, provenance={})
        load_log(path)  # compiled
        return _seconds(partial(load_log, path))


@lru_cache(maxsize=1)
def big_style_page() -> tuple[float, float, float]:
    return style_page(big_log())


@row("its playing styles, first shown", "s", "<= 3")
def style_first() -> float:
    return big_style_page()[0]


@row("its playing styles, again", "s", "<= 0.3")
def style_again() -> float:
    return big_style_page()[1]


@row("memory of the app with it open", "GB", "<= 1.5")
def memory_gb() -> float:
    return big_style_page()[2]


@row("a pass over 1.22 million examples", "s", "<= 8")
def epoch_seconds() -> float:
    """Median time of a pass of ``t-200-150-100``, all 1.22 million examples trained on. Batches of
    4,096, no price on active units: it adds a half, for what it counts and for Muon in the first
    layer."""
    seen: list[FitProgress] = []
    options = TrainingOptions(epochs=EPOCHS, batch=4096, validation=VALIDATION)
    n = round(N_EXAMPLES / (1 - VALIDATION))
    n_rounds = -(-n // N_CARDS)
    examples = examples_of_log(simulate_humans(n_rounds, 1)).take(slice(0, n))
    NetworkModel(ARCHITECTURE, options=options).fit(examples, tell=seen.append)
    return statistics.median(progress.seconds for progress in seen)


@row("first start ever to decision table", "s", "<= 30")
def start_first() -> float:
    return seconds_to_first_look()[0]


@row("later start to decision table", "s", "<= 5")
def start_again() -> float:
    return seconds_to_first_look()[1]


@lru_cache(maxsize=1)
def waits_of_many_readers() -> Document:
    return many_readers()


@row("50 readers of Replay, one with a review and a sweep: 95% of first pages within", "s", "<= 2")
def readers_page() -> float:
    return float(waits_of_many_readers()["pages"]["p95"])


@row("of steps within", "s", "<= 2")
def readers_step() -> float:
    return float(waits_of_many_readers()["steps"]["p95"])


@lru_cache(maxsize=1)
def judge_on_truth() -> Document:
    """How the judge fares on the reporting half of the truth set, judged now."""
    decisions = [decision for decision in truth.truth_set() if decision.half == truth.REPORT]
    found = [
        compare_judges.judged(JUDGE, row_of(decision.record), decision.ply)
        for decision in decisions
    ]
    return compare_judges.measured(list(zip(decisions, found, strict=True)))


@row("clear conclusions that rounds played on overturn", "of 1", "<= 0.02")
def judge_overturned() -> float:
    return judge_on_truth()["overturned"] / judge_on_truth()["clear"]


@row("realised over claimed leads of the judge, off 1 by", "", "<= 0.1")
def judge_slope() -> float:
    return abs(judge_on_truth()["slope"] - 1)


@row("decisions that the judge leaves open", "of 1", "<= 0.25")
def judge_open() -> float:
    return judge_on_truth()["open"] / judge_on_truth()["decisions"]


def bench_document(
    yardstick: Path | None, *, only: Sequence[str] | None = None, say: Callable[[str], None]
) -> Document:
    """What ``bench --json`` prints; ``only`` some ids."""
    for name in only or ():
        if name not in ROWS:
            raise SpadesError(f"no row {name!r}; {', '.join(ROWS)} are there")
    names = [name for name in ROWS if only is None or name in only]
    rows = []
    for name in names:
        say(f"measuring {name} ...")
        arguments = (yardstick,) if name == "search_vs_yardstick" else ()
        rows.append(_measured(name, *arguments))
    return {"machine": machine(), "rows": rows}


def _measured(name: str, *arguments: Any) -> Document:
    row = ROWS[name]
    about: dict[str, Any] = {"id": name, "value": None, "unit": row.unit, "goal": row.goal}
    try:
        value = row.measure(*arguments)
    except (NotMeasuredError, OSError, ImportError, RuntimeError) as error:
        return {**about, "holds": None, "not_measured": str(error)}
    except Exception as error:  # a browser's, say: the other rows are wanted all the same
        return {**about, "holds": None, "not_measured": f"{type(error).__name__}: {error}"}
    return {**about, "value": round(value, 4), "holds": row.holds(value)}


def machine() -> str:
    """Processor, cores and Python, for the record."""
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{processor() or platform.machine()}, {system}"


def bench_table(document: Document) -> str:
    lines = [document["machine"]]
    for measured in document["rows"]:
        value = f"not measured: {measured.get('not_measured')}"
        if measured["value"] is not None:
            end = "holds" if measured["holds"] else "FALLS SHORT"
            value = f"{measured['value']:g} {measured['unit']}  {end}"
        what = ROWS[measured["id"]].what
        lines.append(f"{measured['id']:22} {measured['goal']:>8}  {value}  ({what})")
    return "\n".join(lines)
