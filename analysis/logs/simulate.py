"""Games between any agents, played and stored in parts. Resumable.

Game i is played from (seed, i) alone, and parts hold fixed ranges of games: the log is the same
whatever the number of workers, and after any interruption. Parts are kept in a folder next to the
target until all are finished; then the target is written at once. Where the target is a folder
itself, the parts are the log, which is never in memory as a whole (``spades.notation.log_folder``).
"""

import itertools
import json
import shutil
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from analysis.runs.store import version_of
from analysis.runs.tasks import RunOptions, Task, TaskRunner, ranges, task_size
from spades.agents import Agent, Seating, parse_agent, play_range
from spades.agents.players.flat_ucb import FlatUcbPlayer
from spades.core.behaviour import source_hash
from spades.core.cards import HAND_SIZE
from spades.core.documents import MAX_INT, Document, load_object, read_file
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.logs import Log, concatenate
from spades.core.paths import temporary_beside
from spades.core.records import SIMULATED_HUMAN
from spades.core.rules import Rules
from spades.notation.log_folder import PLAN_FILE, finish_folder, is_finished, open_folder
from spades.notation.log_store import ENDING, numbered_paths, put_new, put_under_free_name
from spades.notation.parquet import describe, load_log, save_log

MAX_PART = 2000
SECONDS_PER_ITERATION = 0.5e-6
SECONDS_PER_SIMULATION = 12e-6  # of all legal cards
SECONDS_PER_PLAYOUT = 2.3e-6  # by rules of thumb, of Flat-UCB
SECONDS_PER_CORPUS = 1e-3  # of 14,000 pairs
SECONDS_PER_PLAY = 60e-6
SECONDS_PER_PROGRAM_PLAY = 5e-3  # of other people's code, whose speed is not known
SECONDS_PER_HUMAN_ROUND = 0.2e-3
COMPILED_ROUNDS_A_SECOND = 15_000
ROUNDS_A_GAME = 9
MAX_COUNT = 10_000_000
MAX_SEED = MAX_INT
RULE_OPTIONS = {"target": "--target", "losing_floor": "--floor"}


class SimulationError(SpadesError):
    """A simulation that can't be run or resumed."""


@dataclass(frozen=True)
class SimulationPlan:
    """All that a simulated log depends on besides the code. ``agents``: texts, N E S W; ``unit``:
    games or rounds; ``rules``: options that aren't defaults."""

    agents: tuple[str, str, str, str]
    count: int
    unit: str = "games"
    seed: int = 0
    rules: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.unit not in ("games", "rounds"):
            raise SimulationError(f"unit is {self.unit!r}; games or rounds are legal")
        if not 1 <= self.count <= MAX_COUNT:
            raise SimulationError(f"{self.count} {self.unit}; 1 to {MAX_COUNT:,} are possible")
        if not 0 <= self.seed <= MAX_SEED:
            raise SimulationError(f"seed is {self.seed}; 0 to {MAX_SEED} are legal")
        self.seating()  # raises for unknown agents and rules

    def seating(self) -> Seating:
        agents = tuple(parse_agent(text) for text in self.agents)
        return Seating(agents, Rules.from_options(self.rules))  # type: ignore[arg-type]

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """Parts as (first, end) indices of games or rounds."""
        n_rounds = ROUNDS_A_GAME if self.unit == "games" else 1
        seating = self.seating()
        if seating.is_compiled:
            seconds = 1 / COMPILED_ROUNDS_A_SECOND
        else:
            seconds = sum(seconds_a_round(agent) for agent in seating.agents)
        return ranges(self.count, task_size(n_rounds * seconds, MAX_PART))

    def document(self) -> Document:
        return {**asdict(self), "agents": list(self.agents)}

    def stamp(self) -> str:
        """The text of ``PLAN_FILE``: all that the parts depend on."""
        return _stamp(self.document(), version_of(*self.agents))

    @property
    def source(self) -> str:
        """The source that every round of the log names: the command without its file."""
        north, east, south, west = self.agents
        words = [
            "python -m spades simulate",
            f"--north {north}",
            f"--east {east}",
            f"--south {south}",
            f"--west {west}",
            f"--{self.unit} {self.count}",
            f"--seed {self.seed}",
        ]
        for rule, option in RULE_OPTIONS.items():
            if rule in self.rules:
                words.append(f"{option} {self.rules[rule]}")
        return " ".join(words)

    def command(self, out: str) -> str:
        return f"{self.source} --out {out}"


class Simulated(NamedTuple):
    """A log that was simulated: its file or folder, and number of rounds."""

    path: Path
    n_rounds: int


def seconds_a_round(agent: Agent) -> float:
    """About how long an agent's seat takes over one round, to size parts by."""
    if agent.player.kind == SIMULATED_HUMAN:
        return SECONDS_PER_HUMAN_ROUND
    if agent.player.program is not None:
        return HAND_SIZE * SECONDS_PER_PROGRAM_PLAY
    player = getattr(agent.player, "player", agent.player)  # the one that plays at a star level
    is_flat_ucb = isinstance(player, FlatUcbPlayer)
    per_iteration = SECONDS_PER_PLAYOUT if is_flat_ucb else SECONDS_PER_ITERATION
    iterations = getattr(player, "iterations", 0)
    simulations = getattr(player, "simulations", 0)
    seconds = iterations * per_iteration
    if player.corpus_name:
        seconds += SECONDS_PER_CORPUS
    seconds += simulations * SECONDS_PER_SIMULATION
    return HAND_SIZE * (SECONDS_PER_PLAY + seconds)


def simulate(
    plan: SimulationPlan,
    target: Path,
    *,
    may_rename: bool = False,
    **options: Unpack[RunOptions],
) -> Simulated | None:
    """Play the plan and write ``target``, a Parquet file or, without an ending, a folder of such
    files; None if cancelled before the end.

    Resumable: the parts of an interrupted run of the same plan, and a log that it had already
    written, are used. No file is overwritten: with ``may_rename`` the log gets the first free name
    like ``target``, otherwise ``SimulationError`` is raised and the parts are kept. The same error
    is raised if the parts next to the target belong to another plan. If several processes run the
    same plan at once, the first to finish writes the log, and all return it."""
    try:
        return _simulate(plan, target, may_rename, options)
    except (OSError, InvalidRecordError):  # of parts that another process deleted
        finished = _finished(plan, target, may_rename)
        if finished is None:
            raise
        if parts_folder(target) != target:
            shutil.rmtree(parts_folder(target), ignore_errors=True)
        return finished


def _simulate(
    plan: SimulationPlan,
    target: Path,
    may_rename: bool,
    options: RunOptions,
) -> Simulated | None:
    if target.suffix not in (ENDING, ""):
        raise SimulationError(
            f"{target.name}: a simulated log is a {ENDING} file, or, without an ending, a folder "
            "of such files; convert it afterwards"
        )
    folder = parts_folder(target)
    finished = _finished(plan, target, may_rename)
    if finished is not None:
        if folder != target and _plan_in(folder) == plan.document():
            shutil.rmtree(folder)  # of a run that was killed after it had written its log
        return finished
    if folder == target:
        _check_is_free(target)
    elif target.exists() and not may_rename:
        raise SimulationError(f"{target.name} exists already; it is not overwritten")
    _check_parts(folder, plan)

    def task(first: int, end: int) -> Task:
        path = part_path(folder, first, end)
        return Task(
            play_part,
            lambda: (plan, first, end),
            plan.agents,
            is_stored=path.exists,
            store=lambda log: save_log(log, path, provenance={}),
            size=end - first,
        )

    with TaskRunner(plan.count, plan.unit, **options) as runner:
        tasks = [task(first, end) for first, end in plan.ranges]
        if not runner.complete(tasks, begin=lambda: _claim(folder, plan)):
            return _finished(plan, target, may_rename)  # by another process
    return _publish(plan, target, may_rename)


def play_part(plan: SimulationPlan, first: int, end: int) -> Log:
    """Games (or rounds) ``first`` to ``end`` - 1 of a plan, played on a worker."""
    log = play_range(plan.seating(), plan.seed, first, end, unit=plan.unit)
    return log.from_source(plan.source)


def _publish(plan: SimulationPlan, target: Path, may_rename: bool) -> Simulated:
    """Concatenate all parts to one log, move it to its name, and delete the parts; or, in a folder,
    list them."""
    folder = parts_folder(target)
    provenance = {
        "command": plan.command(target.name),
        "plan": plan.document(),
        "code": source_hash(),
        "version": version_of(*plan.agents),
        "python": sys.version.split()[0],
    }
    paths = [part_path(folder, first, end) for first, end in plan.ranges]
    if folder == target:
        rounds = {path.name: describe(path)[0] for path in paths}
        finish_folder(target, rounds, provenance)
        return Simulated(target, sum(rounds.values()))
    log = concatenate([load_log(path) for path in paths])
    whole = folder / f"whole{ENDING}"
    save_log(log, whole, provenance=provenance)
    path = target
    if may_rename:
        path = put_under_free_name(whole, target.parent, target.stem)
    else:
        try:
            put_new(whole, target)
        except FileExistsError:
            if not _finished(plan, target, may_rename):  # by the same command, run twice
                raise SimulationError(
                    f"{target.name} was written by another process in the meantime; it is not "
                    f"overwritten. The parts are in {folder.name}: move {target.name} away, and "
                    "the same command writes it without playing anything again"
                ) from None
    shutil.rmtree(folder)
    return Simulated(path, len(log))


def part_path(folder: Path, first: int, end: int) -> Path:
    """The file of games (or rounds) ``first`` to ``end`` - 1."""
    return folder / f"{first:08}-{end:08}{ENDING}"


def _finished(plan: SimulationPlan, target: Path, may_rename: bool) -> Simulated | None:
    """The log of this plan, if a run was killed right after writing it, or another one wrote it."""
    if parts_folder(target) == target:
        return _finished_folder(plan, target)
    stamps = (plan.stamp(), _stamp_in(parts_folder(target)))
    document = plan.document()
    candidates = numbered_paths(target.parent, target.stem) if may_rename else [target]
    for path in itertools.takewhile(Path.exists, candidates):
        with suppress(InvalidRecordError, OSError):
            n_rounds, facts = describe(path)
            is_of_plan = facts.get("plan") == document
            stamp = _stamp(document, facts.get("version"))
            if is_of_plan and stamp in stamps:
                return Simulated(path, n_rounds)
    return None


def _finished_folder(plan: SimulationPlan, target: Path) -> Simulated | None:
    """The folder of this plan, all of whose parts are there."""
    if not is_finished(target):
        return None
    folder = open_folder(target)
    stamp = _stamp(plan.document(), folder.provenance.get("version"))
    if folder.provenance.get("plan") != plan.document() or stamp != plan.stamp():
        raise SimulationError(
            f"{target.name} holds another simulation, or one of agents that played otherwise; it "
            "is not overwritten"
        )
    return Simulated(target, folder.n_rounds)


def _check_is_free(target: Path) -> None:
    """Raise for a folder with other files than those of a simulation, or a file of that name."""
    if target.exists() and not target.is_dir():
        raise SimulationError(f"{target.name} exists already; it is not overwritten")
    if target.is_dir() and not (target / PLAN_FILE).exists() and any(target.iterdir()):
        raise SimulationError(f"{target.name} has other files; choose an empty folder or a new one")


def parts_folder(target: Path) -> Path:
    """The folder for the parts of a log: the log itself if it is one, else one next to the file."""
    return target if target.suffix == "" else target.with_name(f".{target.name}.parts")


def _stamp(plan: Document, version: Any) -> str:
    return json.dumps({"plan": plan, "version": version}, sort_keys=True)


def _stamp_in(parts: Path) -> str:
    """The stamp of a folder of parts; empty if there is none."""
    with suppress(FileNotFoundError):
        return read_file(parts / PLAN_FILE).decode(errors="replace")
    return ""


def _plan_in(parts: Path) -> Any:
    """The document of the plan whose parts a folder holds; None if there is none."""
    with suppress(FileNotFoundError, InvalidRecordError):
        return load_object(_stamp_in(parts)).get("plan")
    return None


def _check_parts(parts: Path, plan: SimulationPlan) -> None:
    """Raise for stored parts of another plan, or of agents that have changed since."""
    if _stamp_in(parts) not in ("", plan.stamp()):
        raise SimulationError(
            f"{parts.name} holds parts of another simulation, or of agents that played otherwise; "
            "finish that one, choose another --out, or delete the folder"
        )


def _claim(parts: Path, plan: SimulationPlan) -> None:
    """Make the folder for this plan's parts. Raises if another plan was first."""
    parts.mkdir(parents=True, exist_ok=True)
    with temporary_beside(parts / PLAN_FILE) as temporary, suppress(FileExistsError):
        temporary.write_text(plan.stamp(), encoding="utf-8")
        put_new(temporary, parts / PLAN_FILE)
    _check_parts(parts, plan)


def interrupted(folder: Path) -> list[tuple[str, SimulationPlan]]:
    """Unfinished simulations whose parts are in ``folder``: (log name, plan)."""
    unfinished = []
    for plan_file in sorted(folder.glob(f".*.parquet.parts/{PLAN_FILE}")):
        name = plan_file.parent.name.removeprefix(".").removesuffix(".parquet.parts")
        if not name.isprintable():  # for example not UTF-8
            continue
        try:
            stored = _plan_in(plan_file.parent)
            agents = tuple(stored["agents"])
            plan = SimulationPlan(**{**stored, "agents": agents})
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            continue  # another program's file, or of a version with other fields
        # A run that was killed right after writing its log leaves its parts too.
        if _finished(plan, folder / f"{name}{ENDING}", may_rename=True) is None:
            unfinished.append((name, plan))
    return unfinished
