"""Sweeps over the settings of human bias in the search: what is asked, and under which keys.

A **setting** is a way to bias the search and how long it thinks; a sweep measures each of its
settings on the same held-out decisions, the same rounds and the same deals (see
``analysis.sweeps.parts``), beside the unbiased search of ``iterations``. Every measurement is
kept in parts under all it depends on, so that a finished setting is never computed again, whatever
sweep asks for it, and a sweep that is stopped or killed goes on where it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from analysis.matches.match import MAX_GAMES, MAX_SEED, MatchPlan
from analysis.runs.store import key_of, model_hash, models_of
from spades.agents import IsmctsPlayer, parse_agent
from spades.core.behaviour import behaviour_of_searches
from spades.core.errors import SpadesError
from spades.notation.log_store import content_hash
from spades.search.bias import EXPERIENCE, KNOWLEDGE, UNBIASED

SETTING, SWEEP, BUDGET = "sweep-setting", "sweep-begun", "sweep-budget"
DECISIONS_PART, ROUNDS_PART = "sweep-decisions", "sweep-rounds"
NONE, DIRECT = UNBIASED, "direct"
NEEDS: dict[str, tuple[str, ...]] = {
    bias: tuple(
        declared.name
        for declared in fields(IsmctsPlayer)
        if declared.metadata.get("needs") and bias in declared.metadata["needs"][1]
    )
    for bias in (NONE, KNOWLEDGE, EXPERIENCE)
} | {DIRECT: ("model",)}
"""Techniques, and the options of each but for the iterations."""

EQUAL_TIME = "equal-time"
ROOT, NEVER = "root", "inf"
MAX_SETTINGS = 1000
MAX_SAMPLE = 1_000_000


class SweepError(SpadesError):
    """A sweep that can't be run as asked."""


@dataclass(frozen=True)
class Setting:
    """One way to bias the search; what a technique isn't set by is None.

    ``c_bt`` and ``k`` of knowledge bias, ``w`` of equivalent experience; ``delay``: the visits that
    a node must have had before the model is called there, or ``root``, or ``inf``. ``iterations``:
    a number, or ``equal-time`` for as many as take the time the unbiased search needs; None for
    direct imitation, which doesn't search.
    """

    technique: str = NONE
    model: str | None = None
    c_bt: float | None = None
    k: float | None = None
    w: int | None = None
    delay: int | str | None = None
    iterations: int | str | None = 2500

    @property
    def is_equal_time(self) -> bool:
        return self.iterations == EQUAL_TIME

    def document(self) -> dict[str, Any]:
        return asdict(self)

    def agent(self, iterations: int | None = None) -> str:
        """The agent's shortest text; ``iterations`` in the place of its own."""
        options = {name: getattr(self, name) for name in NEEDS[self.technique]}
        if self.technique != DIRECT:
            options = {
                "iterations": self.iterations if iterations is None else iterations,
                **({} if self.technique == NONE else {"bias": self.technique}),
                **options,
            }
        said = ",".join(f"{name}={plain(value)}" for name, value in options.items())
        player = "direct" if self.technique == DIRECT else "ismcts"
        return str(parse_agent(f"{player}:{said}"))

    @property
    def strength(self) -> str:
        """How strong the bias is: ``C_BT 0.03, K 1000`` or ``w 10``."""
        if self.technique == KNOWLEDGE:
            return f"C_BT {plain(self.c_bt)}, K {plain(self.k)}"
        return f"w {plain(self.w)}" if self.technique == EXPERIENCE else ""

    @property
    def label(self) -> str:
        """For people: ``knowledge C_BT 0.03, K 1000, delay 1, devlin2016``."""
        if self.technique == NONE:
            return f"unbiased, {self.iterations} iterations"
        if self.technique == DIRECT:
            return f"direct imitation, {self.model}"
        delay = "root only" if self.delay == ROOT else f"delay {self.delay}"
        return f"{self.technique} {self.strength}, {delay}, {self.model}, {self.thinks}"

    @property
    def thinks(self) -> str:
        return "equal time" if self.is_equal_time else f"{self.iterations} iterations"

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Setting:
        return cls(**{option.name: document[option.name] for option in fields(cls)})


def plain(value: Any) -> str:
    """A number without a needless point: 0.03, 1000."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


@dataclass(frozen=True)
class SweepPlan:
    """All that a sweep depends on but the code.

    ``settings`` begin with the unbiased search of ``iterations``, put there if it isn't. ``games``
    of each against it; ``decisions`` of humans to predict, with more than one legal card;
    ``rounds`` in which each takes the human's seat. ``log`` names the log in the store whose
    humans those are; nothing may have been trained on it. 0 leaves a measure out. ``name`` and
    ``title`` are for people.
    """

    settings: tuple[Setting, ...]
    games: int = 200
    decisions: int = 2000
    rounds: int = 300
    seed: int = 1
    log: str = "human-south"
    iterations: int = 2500
    name: str = "sweep"
    title: str = ""

    def __post_init__(self) -> None:
        unbiased = Setting(iterations=self.iterations)
        wanted = dict.fromkeys((unbiased, *self.settings))
        object.__setattr__(self, "settings", tuple(wanted))
        _check(self)

    @property
    def unbiased(self) -> Setting:
        return self.settings[0]

    @property
    def baseline(self) -> str:
        """The agent that every setting is measured against."""
        return self.unbiased.agent()

    def asked(self) -> dict[str, Any]:
        """What the question of every part has."""
        return {
            "log": content_hash(self.log),
            "seed": self.seed,
            "baseline": self.baseline,
            "code": behaviour_of_searches(),
        }

    @property
    def counts(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in COUNTS}

    def question(self, setting: Setting) -> dict[str, Any]:
        """What the store keeps a finished setting under."""
        return setting_question(setting, self.counts, self.asked(), self.models())

    def part_question(self, agent: str, first: int, end: int) -> dict[str, Any]:
        return {"agent": agent, "first": first, "end": end, **self.asked(), **models_of(agent)}

    def budget_question(self, setting: Setting) -> dict[str, Any]:
        return {"setting": setting.document(), **self.asked(), **own(self.models(), setting)}

    def models(self) -> dict[str, str]:
        """The human models of all settings, with a hash of their numbers."""
        names = {setting.model for setting in self.settings if setting.model}
        return {name: model_hash(name) for name in sorted(names)}

    def match_plan(self, agent: str) -> MatchPlan | None:
        """The match of an agent against the unbiased search; None against itself, or for 0."""
        if not self.games or agent == self.baseline:
            return None
        return MatchPlan(agent, self.baseline, self.games, self.seed)

    def document(self) -> dict[str, Any]:
        """As JSON; ``from_document`` reads it."""
        settings = [setting.document() for setting in self.settings]
        return {**{name: getattr(self, name) for name in PLAIN_FIELDS}, "settings": settings}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> SweepPlan:
        """``SweepError`` for what isn't a plan of this version."""
        try:
            settings = tuple(Setting.from_document(one) for one in document["settings"])
            return cls(settings, **{name: document[name] for name in PLAIN_FIELDS})
        except (KeyError, TypeError) as error:
            raise SweepError(f"this is no plan of a sweep ({error})") from None

    @property
    def key(self) -> str:
        """Key of all that it asks, names for people left out."""
        asked = {name: value for name, value in self.document().items() if name not in NAMES}
        return key_of(SWEEP, {**asked, **self.asked(), "models": self.models()})


def setting_question(
    setting: Setting, counts: Mapping[str, int], asked: Mapping[str, Any], models: Mapping[str, str]
) -> dict[str, Any]:
    """What the store keeps a setting under; ``asked`` of ``SweepPlan.asked``."""
    return {"setting": setting.document(), **counts, **asked, **own(models, setting)}


def own(models: Mapping[str, str], setting: Setting) -> dict[str, Any]:
    """A setting's own model among those of its sweep, as a part of a question."""
    return {"models": {setting.model: models[setting.model]}} if setting.model else {}


COUNTS = ("games", "decisions", "rounds")
NAMES = ("name", "title")
PLAIN_FIELDS = (*COUNTS, "seed", "log", "iterations", *NAMES)


def _check(plan: SweepPlan) -> None:
    if len(plan.settings) > MAX_SETTINGS:
        raise SweepError(f"{len(plan.settings)} settings; at most {MAX_SETTINGS} are possible")
    if not 0 <= plan.games <= MAX_GAMES or plan.games % 2:
        raise SweepError(
            f"games is {plan.games}; an even number up to {MAX_GAMES:,} is legal, 0 for none: "
            "every deal is played twice, with the partnerships swapped"
        )
    for name in ("decisions", "rounds"):
        if not 0 <= getattr(plan, name) <= MAX_SAMPLE:
            raise SweepError(
                f"{name} is {getattr(plan, name)}; 0 (none) to {MAX_SAMPLE:,} are legal"
            )
    if not any(getattr(plan, name) for name in COUNTS):
        raise SweepError("games, decisions and rounds are all 0: nothing would be measured")
    if not 0 <= plan.seed <= MAX_SEED:
        raise SweepError(f"seed is {plan.seed}; 0 to {MAX_SEED} are legal")
    for setting in plan.settings:
        _check_setting(plan, setting)


def _check_setting(plan: SweepPlan, setting: Setting) -> None:
    if setting.technique not in NEEDS:
        raise SweepError(
            f"technique {setting.technique!r} is unknown; {', '.join(NEEDS)} are legal"
        )
    if setting.is_equal_time and setting.technique == NONE:
        raise SweepError("the unbiased search has equal time by itself; give it a number")
    setting.agent(plan.iterations if setting.is_equal_time else None)  # refuses what isn't one
