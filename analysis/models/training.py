"""Training of human models from the dashboard, in a process of its own.

PyTorch and the examples take much memory, which is freed when the process ends. A killed server
leaves no half-written model, since files are renamed into place."""

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
from spades.core.documents import Document, read_json
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
MAX_ROUNDS = 200_000
MAX_EPOCHS = 200
DATA_SEED = 101  # of the rounds that a training with seed 0 simulates; the shipped models' too
POLL_SECONDS = 0.3
RUN_ENDING = ".run.json"
FIT = "log-linear-fit"
SHIPPED = {"t-200-150-100", "t-200-100", OURS, FIT}
CONVERGED = "converged-"
OF_PAPERS = ("stand-in-", "thoughtful-", CONVERGED)
"""Prefixes of the shipped models that only *Papers* uses."""


class TrainingError(SpadesError):
    """A training that can't start, or that failed."""


@dataclass(frozen=True)
class TrainingPlan:
    """What to train, and on what data. ``architecture``: of a network, or one of ``LOG_LINEAR``.
    ``name``: of the model's file. ``log``: a stored log, or ``SIMULATED`` for ``rounds`` fresh
    rounds of four simulated humans. ``epochs``: at most."""

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
        _check_limit("rounds", self.rounds, MAX_ROUNDS)
        _check_limit("epochs", self.epochs, MAX_EPOCHS)

    @property
    def title(self) -> str:
        data = f"{self.rounds:,} simulated rounds" if self.log == SIMULATED else self.log
        return f"{self.name}: {self.architecture} on {data}"


def _check_limit(name: str, value: int, maximum: int) -> None:
    if not 1 <= value <= maximum:
        raise TrainingError(f"{name} is {value:,}; 1 to {maximum:,} are legal")


def train_apart(
    plan: TrainingPlan,
    tell: Callable[[Progress], None],
    is_cancelled: Callable[[], bool],
) -> None:
    """Train in a new process and store the model; no model is stored if cancelled. Resumable: the
    same plan continues after the last finished epoch."""
    context = multiprocessing.get_context("spawn")
    messages = context.Queue()
    stop = context.Event()
    process = context.Process(target=_work, args=(plan, messages, stop), daemon=True)
    process.start()
    progress = Progress(plan.epochs, 0, "epochs", time.monotonic())
    tell(progress)
    history = _history_before(plan)
    try:
        while True:
            if is_cancelled():
                stop.set()
            try:
                kind, content = messages.get(timeout=POLL_SECONDS)
            except queue.Empty:
                if not process.is_alive():
                    raise TrainingError("the training's process was killed") from None
                continue
            if kind == "done":
                return
            if kind == "failed":
                if is_cancelled():
                    return
                raise TrainingError(content)
            history.append(content)
            write_table({"plan": asdict(plan), "history": history}, run_file(plan.name))
            progress.done = content["epoch"]
            progress.total = content["epochs"]
            tell(progress)
    finally:
        stop.set()
        process.join(5)
        if process.is_alive():
            process.kill()


def run_file(name: str) -> Path:
    """The file in which the training of a model records each epoch."""
    return MODELS.folder() / f".{name}{RUN_ENDING}"


def _history_before(plan: TrainingPlan) -> list[Document]:
    """The epochs of an interrupted training by the same plan, which continues it."""
    if not checkpoint_of(_target(plan)).exists():
        return []
    run = _read_run(run_file(plan.name))
    if run is None or run["plan"] != asdict(plan):
        return []
    return list(run["history"])


def _read_run(path: Path) -> Document | None:
    """A stored run; None for a file that is missing or damaged."""
    with suppress(OSError, InvalidRecordError, KeyError, TypeError):
        run = read_json(path)
        plan = run["plan"]
        history = run["history"]
        if history and path.name == run_file(plan["name"]).name:
            return {"plan": plan, "history": history, "changed": path.stat().st_mtime}
    return None


def read_runs() -> list[Document]:
    """Trainings from the dashboard with at least one epoch, newest first: ``plan``, ``history`` (a
    ``spades.human.model.FitProgress`` for each epoch, losses in nats), ``changed`` in seconds since
    1970."""
    paths = MODELS.folder().glob(f".*{RUN_ENDING}")
    runs = [run for run in map(_read_run, paths) if run is not None]
    return sorted(runs, key=lambda run: -run["changed"])


def delete_model(name: str) -> None:
    """Delete a model that was trained here, or an unfinished training, with all its files. Raises
    ``TrainingError`` for a published or shipped model."""
    if name not in own_names() and not run_file(MODELS.safe_name(name)).exists():
        raise TrainingError(f"{name} isn't yours to delete; yours: {', '.join(own_names())}")
    target = MODELS.folder() / (name + ENDING)
    for path in (target, checkpoint_of(target), run_file(name)):
        path.unlink(missing_ok=True)


def own_names() -> list[str]:
    """Models that were trained here: neither published nor shipped."""
    others = {*MODELS.published, *SHIPPED}
    return [
        name for name in MODELS.names() if name not in others and not name.startswith(OF_PAPERS)
    ]


def seen_in_training(model: HumanModel, log: str, seed: int) -> str:
    """A warning if a model is known to have been trained on this data, otherwise empty. ``log``: a
    stored log, or ``SIMULATED`` for rounds of simulated humans with ``seed``."""
    facts = getattr(model, "facts_", {})
    if "data" not in facts or facts["data"].get("log", SIMULATED) != log:
        return ""
    if log != SIMULATED:
        return f"{model.name} was trained on {log}."
    if facts.get("seed", seed) + DATA_SEED != seed:
        return ""
    return f"{model.name} was trained on simulated rounds of seed {seed}; take another seed."


def _work(plan: TrainingPlan, messages: Any, stop: Any) -> None:
    """In the new process: read or simulate, fit, save."""
    try:
        options: dict[str, Any]
        if plan.architecture in LOG_LINEAR:
            options = {"passes": plan.epochs}
        else:
            options = {"epochs": plan.epochs, "sparsity": plan.sparsity, "batch": 1024}
        model = new_model(plan.architecture, plan.name, plan.seed, **options)
        examples = _examples_of(plan)
        target = _target(plan)
        model.fit(
            examples,
            tell=lambda progress: messages.put(("progress", asdict(progress))),
            is_cancelled=stop.is_set,
            checkpoint=checkpoint_of(target),
        )
        model.facts_["data"]["log"] = plan.log
        model.save(target)
    except Exception as error:  # the dashboard has to learn of any
        messages.put(("failed", f"{type(error).__name__}: {error}"))
    else:
        messages.put(("done", None))


def _target(plan: TrainingPlan) -> Path:
    return MODELS.folder() / (plan.name + ENDING)


def new_model(architecture: str, name: str, seed: int, **options: Any) -> Any:
    """A model to be fitted, with these options of ``FitOptions`` or ``TrainingOptions``."""
    if architecture in LOG_LINEAR:
        fit_options = FitOptions(has_nil=architecture == LOG_LINEAR[1], **options)
        return LogLinearModel(name, options=fit_options, seed=seed)
    training_options = TrainingOptions(**options)
    return NetworkModel(architecture, name=name, options=training_options, seed=seed)


def _examples_of(plan: TrainingPlan) -> Any:
    if plan.log == SIMULATED:
        return examples_of_log(simulate_humans(plan.rounds, plan.seed + DATA_SEED))
    from spades.notation.log_store import open_log  # slow to import

    return examples_of_log(open_log(plan.log).distinct())
