"""Training a human model in a process of its own, for the dashboard.

PyTorch and the examples take memory and both cores: they live and die with that process, and a
server that is killed leaves no half-written model (files are renamed into place)."""

import multiprocessing
import queue
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from analysis.runs.command import write_table
from analysis.runs.progress import Progress
from spades.core.documents import read_json
from spades.core.errors import InvalidRecordError, SpadesError
from spades.human import MODELS, simulate_humans
from spades.human.features.logs import examples_of_log
from spades.human.files import ENDING, checkpoint_of
from spades.human.loglinear import FitOptions, LogLinearModel
from spades.human.model import HumanModel
from spades.human.networks.config import OURS, TrainingOptions, parse_architecture
from spades.human.networks.model import NetworkModel

LOG_LINEAR = ("log-linear", "log-linear-nil")
SIMULATED = "simulated"
MAX_ROUNDS, MAX_EPOCHS = 200_000, 200
DATA_SEED = 101  # of the rounds that a training of seed 0 simulates; the shipped models' too
POLL_SECONDS = 0.3
RUN_ENDING = ".run.json"
FIT = "log-linear-fit"
SHIPPED = {"t-200-150-100", "t-200-100", OURS, FIT}
CONVERGED = "converged-"
OF_PAPERS = ("stand-in-", CONVERGED)
"""What the names of other shipped models begin with, which *Papers* asks."""


class TrainingError(SpadesError):
    """A training that can't be begun, or that failed."""


@dataclass(frozen=True)
class TrainingPlan:
    """What to train and on what. ``architecture``: a network's, or one of ``LOG_LINEAR``. ``name``:
    of the model's file. ``log``: a log of the store, or ``SIMULATED`` for ``rounds`` fresh rounds
    of four simulated humans. ``epochs``: passes over the data, at most."""

    architecture: str
    name: str
    log: str = SIMULATED
    rounds: int = 24_100
    epochs: int = 6
    seed: int = 0
    sparsity: float = 0.0

    def __post_init__(self) -> None:
        if self.architecture not in LOG_LINEAR:
            parse_architecture(self.architecture)
        MODELS.safe_name(self.name)
        if self.name in MODELS.names():
            raise TrainingError(f"there is a model {self.name} already; give another name")
        limits = (("rounds", self.rounds, MAX_ROUNDS), ("epochs", self.epochs, MAX_EPOCHS))
        for what, value, most in limits:
            if not 1 <= value <= most:
                raise TrainingError(f"{what} is {value:,}; 1 to {most:,} are legal")

    @property
    def title(self) -> str:
        data = f"{self.rounds:,} simulated rounds" if self.log == SIMULATED else self.log
        return f"{self.name}: {self.architecture} on {data}"


def train_apart(
    plan: TrainingPlan, tell: Callable[[Progress], None], is_cancelled: Callable[[], bool]
) -> None:
    """Train in a new process, store the model; ends early, with no model stored, when cancelled.
    The passes that were done are kept: the same plan goes on after the last of them."""
    context = multiprocessing.get_context("spawn")
    messages, stop = context.Queue(), context.Event()
    process = context.Process(target=_work, args=(plan, messages, stop), daemon=True)
    process.start()
    progress = Progress(plan.epochs, 0, "passes over the data", time.monotonic())
    tell(progress)
    history = _history_before(plan)
    try:
        while True:
            if is_cancelled():
                stop.set()
            try:
                kind, said = messages.get(timeout=POLL_SECONDS)
            except queue.Empty:
                if not process.is_alive():
                    raise TrainingError("the training's process was killed") from None
                continue
            if kind == "done":
                return
            if kind == "failed":
                if is_cancelled():
                    return
                raise TrainingError(said)
            history.append(said)
            write_table({"plan": asdict(plan), "history": history}, run_file(plan.name))
            progress.done, progress.total = said["epoch"], said["epochs"]
            tell(progress)
    finally:
        stop.set()
        process.join(5)
        if process.is_alive():
            process.kill()


def run_file(name: str) -> Path:
    """Where the training of a model tells how it went, pass by pass."""
    return MODELS.folder() / f".{name}{RUN_ENDING}"


def _history_before(plan: TrainingPlan) -> list[dict[str, Any]]:
    """The passes of the same plan that was stopped, and goes on; none of another one."""
    run = _read_run(run_file(plan.name)) if checkpoint_of(_target(plan)).exists() else None
    return list(run["history"]) if run and run["plan"] == asdict(plan) else []


def _read_run(path: Path) -> dict[str, Any] | None:
    """A run as it was written, None where it wasn't or can't be read."""
    with suppress(OSError, InvalidRecordError, KeyError, TypeError):
        run = read_json(path)
        plan, history = run["plan"], run["history"]
        if history and path.name == run_file(plan["name"]).name:
            return {"plan": plan, "history": history, "changed": path.stat().st_mtime}
    return None


def read_runs() -> list[dict[str, Any]]:
    """Trainings from the dashboard that did a pass at least, newest first: ``plan``, ``history`` (a
    ``spades.human.model.FitProgress`` a pass, losses in nats), ``changed``, seconds since 1970."""
    runs = map(_read_run, MODELS.folder().glob(f".*{RUN_ENDING}"))
    return sorted(filter(None, runs), key=lambda run: -run["changed"])


def delete_model(name: str) -> None:
    """Remove a model that was trained here with all that its training left; an unfinished training
    alike. ``TrainingError`` for a model of the program's own."""
    if name not in own_names() and not run_file(MODELS.safe_name(name)).exists():
        raise TrainingError(f"{name} isn't yours to delete; yours: {', '.join(own_names())}")
    target = MODELS.folder() / (name + ENDING)
    for path in (target, checkpoint_of(target), run_file(name)):
        path.unlink(missing_ok=True)


def own_names() -> list[str]:
    """Models that were trained here: neither published nor shipped."""
    others = {*MODELS.published, *SHIPPED}
    return [one for one in MODELS.names() if one not in others and not one.startswith(OF_PAPERS)]


def seen_in_training(model: HumanModel, log: str, seed: int) -> str:
    """Why data isn't new to a model, in a sentence; empty where nothing says so. ``log``: one of
    the store, or ``SIMULATED`` for rounds of simulated humans with ``seed``."""
    facts = getattr(model, "facts_", {})
    if "data" not in facts or facts["data"].get("log", SIMULATED) != log:
        return ""
    if log != SIMULATED:
        return f"{model.name} was trained on {log}."
    warning = f"{model.name} was trained on simulated rounds of seed {seed}; take another seed."
    return warning if facts.get("seed", seed) + DATA_SEED == seed else ""


def _work(plan: TrainingPlan, messages: Any, stop: Any) -> None:
    """In the new process: read or simulate, fit, save."""
    try:
        options = {"epochs": plan.epochs, "sparsity": plan.sparsity, "batch": 1024}
        options = {"passes": plan.epochs} if plan.architecture in LOG_LINEAR else options
        model = new_model(plan.architecture, plan.name, plan.seed, **options)
        examples = _examples_of(plan)
        target = _target(plan)
        model.fit(
            examples,
            tell=lambda made: messages.put(("progress", asdict(made))),
            is_cancelled=stop.is_set,
            checkpoint=checkpoint_of(target),
        )
        model.facts_["data"]["log"] = plan.log
        model.save(target)
    except Exception as error:  # whatever it is, the dashboard has to hear of it
        messages.put(("failed", f"{type(error).__name__}: {error}"))
    else:
        messages.put(("done", None))


def _target(plan: TrainingPlan) -> Path:
    return MODELS.folder() / (plan.name + ENDING)


def new_model(architecture: str, name: str, seed: int, **given: Any) -> Any:
    """A model to be fitted; ``given``: its options that aren't default."""
    if architecture in LOG_LINEAR:
        fit = FitOptions(has_nil=architecture == LOG_LINEAR[1], **given)
        return LogLinearModel(name, options=fit, seed=seed)
    return NetworkModel(architecture, name=name, options=TrainingOptions(**given), seed=seed)


def _examples_of(plan: TrainingPlan) -> Any:
    if plan.log == SIMULATED:
        return examples_of_log(simulate_humans(plan.rounds, plan.seed + DATA_SEED))
    from spades.notation.log_store import open_log  # slow to import

    return examples_of_log(open_log(plan.log).distinct())
