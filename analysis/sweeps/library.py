"""The sweeps there are: those shipped in ``data/sweeps`` and those begun in the store; as text."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from analysis.runs.store import Result, ResultStore, key_of
from analysis.style.kl_sample import KlSample
from analysis.sweeps import sweep
from analysis.sweeps.run import sweep_document
from analysis.sweeps.views import setting_table
from analysis.text_tables import shown, text_table, with_interval
from spades.core.documents import read_json
from spades.core.errors import SpadesError
from spades.core.paths import DATA
from spades.core.records import SIMULATED_HUMAN

SWEEPS = DATA / "sweeps"
SHIPPED = "shipped"
STORED = "stored"
MAX_BYTES = 20_000_000  # of results
_NOT_CURRENT = "the agents played otherwise then, or a model or the log is another"
_HEAD = (
    "",
    "setting",
    "cards predicted",
    "of all plays",
    "log-loss",
    "ECE",
    "KL (nats)",
    "chance",
    "AUC",
    "win rate",
    "games",
    "ms a move",
    "calls",
    "",
)


class Listed(NamedTuple):
    """A sweep and what is known of it.

    ``id``: the name of a shipped one, the key of another. ``document``: results, None while there
    are none; ``source``: whether they are the shipped ones or those of the store. ``n_done`` of its
    settings are in the store by today's code. ``problem``: why today's code can't run it."""

    id: str
    title: str
    plan: sweep.SweepPlan | None
    document: dict[str, Any] | None
    source: str
    n_done: int = 0
    problem: str = ""

    @property
    def n_settings(self) -> int:
        return len(self.plan.settings) if self.plan else 0

    @property
    def is_finished(self) -> bool:
        return bool(self.plan) and self.n_done == self.n_settings

    @property
    def is_begun(self) -> bool:
        """Whether there is something left that a run would go on with."""
        return 0 < self.n_done < self.n_settings


def list_sweeps(wrong: list[str] | None = None) -> list[Listed]:
    """Shipped sweeps by name, then those begun in the store, newest first. ``wrong`` gets what is
    the matter with what the store can't give."""
    begun = _begun_sweeps(wrong)
    configs = [path for path in shipped_files() if path.suffix == ".toml"]
    shipped = [_shipped(config, begun) for config in configs]
    keys = set()
    for listed in shipped:
        if listed.plan and not listed.problem:
            keys.add(listed.plan.key)
    return [*shipped, *(listed for listed in begun if listed.id not in keys)]


def _begun_sweeps(wrong: list[str] | None) -> list[Listed]:
    """Those in the store, newest first."""
    store = ResultStore()

    def check_setting(result: Result) -> None:
        setting_table({"settings": [result.answer]})

    settings = store.sound_results(sweep.SETTING, check_setting, wrong)
    answers = {result.key: result.answer for result in settings}
    asked = store.sound_results(sweep.SWEEP, lambda result: result.question["key"], wrong)
    begun = [_begun(result, answers) for result in asked]
    return [listed for listed in reversed(begun) if listed]


def _begun(result: Result, answers: Mapping[str, dict[str, Any]]) -> Listed | None:
    """A sweep that was begun in the store; None if it was made by code that had other fields."""
    try:
        plan = sweep.SweepPlan.from_document(result.answer["plan"])
        humans = result.answer["humans"]
        asked = result.answer["asked"]
        versions = result.answer["versions"]
        questions = [
            sweep.setting_question(setting, plan.counts, asked, version)
            for setting, version in zip(plan.settings, versions, strict=True)
        ]
    except (SpadesError, KeyError, TypeError, ValueError):
        return None
    stored = [answers.get(key_of(sweep.SETTING, question)) for question in questions]
    settings = [answer for answer in stored if answer]
    key = str(result.question["key"])
    document = None
    if settings:
        document = sweep_document(plan, humans, settings, key)
    is_current = False
    with suppress(SpadesError):  # the log or a model is gone
        is_current = plan.asked() == asked and plan.versions() == versions
    return Listed(
        id=key,
        title=plan.title or plan.name,
        plan=plan,
        document=document,
        source=STORED,
        n_done=len(settings) if is_current else 0,
        problem="" if is_current else _NOT_CURRENT,
    )


def _shipped(config: Path, begun: list[Listed]) -> Listed:
    """A shipped sweep: the store's results if they are whole, else the shipped ones, else parts."""
    name = config.stem
    results = config.with_suffix(".json")
    try:
        document = read_document(results) if results.exists() else None
    except sweep.SweepError:
        document = None
    try:
        plan = sweep.read_sweep(config)
        key = plan.key
    except SpadesError as error:  # its models or log aren't here; its results can still be seen
        title = document["title"] if document else name
        return Listed(name, title, None, document, SHIPPED, problem=str(error))
    stored = next((one for one in begun if one.id == key), None)
    if stored is None:
        return Listed(name, plan.title, plan, document, SHIPPED)
    if stored.document and (document is None or stored.is_finished):
        return Listed(name, plan.title, plan, stored.document, STORED, stored.n_done)
    return Listed(name, plan.title, plan, document, SHIPPED, stored.n_done)


def shipped_files() -> list[Path]:
    """Configurations and results shipped in ``data/sweeps``."""
    return sorted(SWEEPS.glob("*.*"), key=lambda path: (path.stem, path.suffix))


def read_document(path: Path) -> dict[str, Any]:
    """A sweep's document; ``SweepError`` for a file that isn't one."""
    try:
        document = read_json(path, MAX_BYTES)
        sweep.SweepPlan.from_document(document["plan"])
        setting_table(document)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise sweep.SweepError(f"{path.name} holds no results of a sweep ({error})") from None
    return dict(document)


def is_simulated(document: Mapping[str, Any]) -> bool:
    return bool(document["humans"] == SIMULATED_HUMAN)


def sweep_table(document: Mapping[str, Any]) -> str:
    """A sweep for people: a line a setting, 95% intervals in brackets."""
    plan = document["plan"]
    rows = setting_table(document).astype(object).to_dict("records")
    humans = "simulated humans" if is_simulated(document) else "humans"
    kl_lines = [KlSample.of_sweep(plan).text] if plan["rounds"] else []
    return "\n".join(
        [
            f"{document['title']}: {len(rows)} settings, seed {plan['seed']}; {humans} of the log "
            f"{plan['log']}, held out",
            "",
            *text_table([_HEAD, *(_text_row(row) for row in rows)]),
            "",
            *kl_lines,
            f"key {document['key']}  behaviour {document['code']}  {document['machine']}",
        ]
    )


def _text_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        "",
        row["label"],
        _value(row, "accuracy", ".1%"),
        _value(row, "accuracy_all", ".1%"),
        _value(row, "log_loss", ".3f"),
        shown(row["ece"], ".1%"),
        _value(row, "kl", ".4f"),
        shown(row["kl_chance"], ".4f"),
        _value(row, "auc", ".3f"),
        _value(row, "win_rate", ".1%"),
        shown(row["games"], ",.0f"),
        f"{shown(row['ms'], '.2f')} ({shown(row['time_ratio'], '.2f')} x)",
        shown(row["model_calls"], ".1f"),
        "",
    )


def _value(row: Mapping[str, Any], name: str, form: str) -> str:
    ends = (row[f"{name}_low"], row[f"{name}_high"])
    return with_interval(shown(row[name], form), ends, form)
