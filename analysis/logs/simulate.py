"""Games between any agents, played in parts, stored as they finish, resumed where they stopped.

Game i is played from (seed, i) alone, and parts hold fixed ranges of games: the log is the same
whatever the number of workers, and after any interruption. Parts lie in a folder next to the target
until all are there; then the target is written whole.
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
from spades.agents.players import FlatUcbPlayer, corpus_of
from spades.core.behaviour import source_hash
from spades.core.documents import MAX_INT, load_object, read_file
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.logs import Log, concatenate
from spades.core.paths import temporary_beside
from spades.core.records import SIMULATED_HUMAN
from spades.core.rules import Rules
from spades.notation.log_store import ENDING, numbered_paths, put_new, put_under_free_name
from spades.notation.parquet import describe, load_log, save_log

MAX_PART = 2000
SECONDS_PER_ITERATION = 0.5e-6
SECONDS_PER_SIMULATION = 12e-6  # of every legal card
SECONDS_PER_PLAYOUT = 2.3e-6  # by rules of thumb, of Flat-UCB
SECONDS_PER_CORPUS = 1e-3  # of 14,000 pairs
SECONDS_PER_PLAY = 60e-6
SECONDS_PER_HUMAN_ROUND = 0.2e-3
ROUNDS_A_GAME = 9
MAX_COUNT, MAX_SEED = 10_000_000, MAX_INT
PLAN_FILE = "plan.json"
RULE_OPTIONS = {"target": "--target", "losing_floor": "--floor"}


class SimulationError(SpadesError):
    """A simulation that can't be run or resumed as asked."""


@dataclass(frozen=True)
class SimulationPlan:
    """All that a simulated log depends on but the code. ``agents`` as text, N E S W; ``unit``:
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
        self.seating()  # refuses agents and rules that aren't there

    def seating(self) -> Seating:
        agents = tuple(parse_agent(text) for text in self.agents)
        return Seating(agents, Rules.from_options(self.rules))  # type: ignore[arg-type]

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """Parts as (first, end) indices of games or rounds."""
        rounds = ROUNDS_A_GAME if self.unit == "games" else 1
        seconds = rounds * sum(seconds_a_round(agent) for agent in self.seating().agents)
        return ranges(self.count, task_size(seconds, MAX_PART))

    def document(self) -> dict[str, Any]:
        return {**asdict(self), "agents": list(self.agents)}

    def stamp(self) -> str:
        """What its parts depend on: the text of ``PLAN_FILE``."""
        return _stamp(self.document(), version_of(*self.agents))

    @property
    def source(self) -> str:
        """What every round of the log names as its source: the command without its file."""
        given = [(o, self.rules[r]) for r, o in RULE_OPTIONS.items() if r in self.rules]
        seats = zip(("--north", "--east", "--south", "--west"), self.agents, strict=True)
        options = [*seats, (f"--{self.unit}", self.count), ("--seed", self.seed), *given]
        return " ".join(["python -m spades simulate", *(f"{o} {value}" for o, value in options)])

    def command(self, out: str) -> str:
        return f"{self.source} --out {out}"


class Simulated(NamedTuple):
    """A log that was simulated, and where it lies."""

    path: Path
    n_rounds: int


def seconds_a_round(agent: Agent) -> float:
    """About how long an agent's seat takes over one round, to size parts by."""
    if agent.player.kind == SIMULATED_HUMAN:
        return SECONDS_PER_HUMAN_ROUND
    player = getattr(agent.player, "player", agent.player)  # who plays at a star level
    seconds = getattr(player, "iterations", 0) * (
        SECONDS_PER_PLAYOUT if isinstance(player, FlatUcbPlayer) else SECONDS_PER_ITERATION
    )
    seconds += SECONDS_PER_CORPUS if corpus_of(player) else 0.0
    seconds += getattr(player, "simulations", 0) * SECONDS_PER_SIMULATION
    return 13 * (SECONDS_PER_PLAY + seconds)


def simulate(
    plan: SimulationPlan, target: Path, *, may_rename: bool = False, **options: Unpack[RunOptions]
) -> Simulated | None:
    """Play the plan and write ``target`` (Parquet); None if it was cancelled before the end.

    Goes on with the parts that an interrupted run of the same plan left, and is done where that run
    had written its log. No file is overwritten: with ``may_rename`` the log gets the first free
    name like ``target``, otherwise ``SimulationError`` is raised and the parts stay. The same error
    is raised where the parts next to the target belong to another plan. Of several that run the
    same plan at once the first to end writes the log, and all return it."""
    try:
        return _simulate(plan, target, may_rename, options)
    except (OSError, InvalidRecordError):  # parts that another one took away
        if made := _made(plan, target, may_rename):
            shutil.rmtree(parts_folder(target), ignore_errors=True)
            return made
        raise


def _simulate(
    plan: SimulationPlan, target: Path, may_rename: bool, options: RunOptions
) -> Simulated | None:
    if target.suffix != ENDING:
        raise SimulationError(f"{target.name}: a simulated log is a {ENDING} file; convert it then")
    folder = parts_folder(target)
    if made := _made(plan, target, may_rename):
        if _plan_in(folder) == plan.document():
            shutil.rmtree(folder)  # of a run that was killed after it had written its log
        return made
    if target.exists() and not may_rename:
        raise SimulationError(f"{target.name} is there already; it is not written over")
    _check_parts(folder, plan)

    def task(first: int, end: int) -> Task:
        path = folder / f"{first:08}-{end:08}{ENDING}"
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
            return _made(plan, target, may_rename)  # if another one was quicker
    return _publish(plan, target, may_rename)


def play_part(plan: SimulationPlan, first: int, end: int) -> Log:
    """Games (or rounds) ``first`` to ``end`` - 1 of a plan, played on a worker."""
    log = play_range(plan.seating(), plan.seed, first, end, unit=plan.unit)
    return log.from_source(plan.source)


def _publish(plan: SimulationPlan, target: Path, may_rename: bool) -> Simulated:
    """Make one log of all parts, give it its name, and remove the parts."""
    parts = parts_folder(target)
    path, whole = target, parts / f"whole{ENDING}"
    paths = ("{:08}-{:08}".format(*part) for part in plan.ranges)
    log = concatenate([load_log(parts / f"{name}{ENDING}") for name in paths])
    facts = {"command": plan.command(target.name), "plan": plan.document(), "code": source_hash()}
    made_by = {"version": version_of(*plan.agents), "python": sys.version.split()[0]}
    save_log(log, whole, provenance=facts | made_by)
    if may_rename:
        path = put_under_free_name(whole, target.parent, target.stem)
    else:
        try:
            put_new(whole, target)
        except FileExistsError:
            if not _made(plan, target, may_rename):  # by the same command, given twice
                raise SimulationError(
                    f"{target.name} was made by somebody else in the meantime; it is not written "
                    f"over. What was played is in {parts.name}: move {target.name} away, and the "
                    "same command writes it without playing anything again"
                ) from None
    shutil.rmtree(parts)
    return Simulated(path, len(log))


def _made(plan: SimulationPlan, target: Path, may_rename: bool) -> Simulated | None:
    """The log of this plan, if it lies there already: a run was killed right after writing it."""
    stamps, document = (plan.stamp(), _stamp_in(parts_folder(target))), plan.document()
    candidates = numbered_paths(target.parent, target.stem) if may_rename else [target]
    for path in itertools.takewhile(Path.exists, candidates):
        with suppress(InvalidRecordError, OSError):
            n_rounds, facts = describe(path)
            if facts.get("plan") == document and _stamp(document, facts.get("version")) in stamps:
                return Simulated(path, n_rounds)
    return None


def parts_folder(target: Path) -> Path:
    return target.with_name(f".{target.name}.parts")


def _stamp(plan: dict[str, Any], version: Any) -> str:
    return json.dumps({"plan": plan, "version": version}, sort_keys=True)


def _stamp_in(parts: Path) -> str:
    """The stamp of a folder of parts; empty where there is none."""
    with suppress(FileNotFoundError):
        return read_file(parts / PLAN_FILE).decode(errors="replace")
    return ""


def _plan_in(parts: Path) -> Any:
    """The plan's document that a folder of parts was begun with; None where there is none."""
    with suppress(FileNotFoundError, InvalidRecordError):
        return load_object(_stamp_in(parts)).get("plan")
    return None


def _check_parts(parts: Path, plan: SimulationPlan) -> None:
    """Refuse stored parts of another plan, or of agents that play otherwise now."""
    if _stamp_in(parts) not in ("", plan.stamp()):
        raise SimulationError(
            f"{parts.name} holds parts of another simulation, or of agents that played otherwise; "
            "finish that one, choose another --out, or delete the folder"
        )


def _claim(parts: Path, plan: SimulationPlan) -> None:
    """Make the folder for this plan's parts; refused if another plan was quicker."""
    parts.mkdir(parents=True, exist_ok=True)
    with temporary_beside(parts / PLAN_FILE) as temporary, suppress(FileExistsError):
        temporary.write_text(plan.stamp(), encoding="utf-8")
        put_new(temporary, parts / PLAN_FILE)
    _check_parts(parts, plan)


def interrupted(folder: Path) -> list[tuple[str, SimulationPlan]]:
    """Simulations whose parts lie in ``folder`` unfinished: (log name, plan)."""
    found = []
    for plan_file in sorted(folder.glob(f".*.parquet.parts/{PLAN_FILE}")):
        name = plan_file.parent.name.removeprefix(".").removesuffix(".parquet.parts")
        if not name.isprintable():  # not UTF-8, say
            continue
        try:
            stored = _plan_in(plan_file.parent)
            plan = SimulationPlan(**{**stored, "agents": tuple(stored["agents"])})
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            continue  # not ours, or made by code that had other fields
        # Parts may be left by a run that was killed right after writing its log.
        if _made(plan, folder / f"{name}{ENDING}", may_rename=True) is None:
            found.append((name, plan))
    return found
