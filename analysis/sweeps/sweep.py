"""Sweeps over the settings of human bias in the search: what is asked, and under which keys.

A setting is a way to bias the search and how long it thinks; a sweep measures each on the same
held-out decisions, rounds and deals (``analysis.sweeps.run``), next to the unbiased search. It
is a TOML file of numbers for the whole sweep, and tables ``[[grid]]`` of values to combine:

    title = "A first look"
    games = 200            # of each setting against the unbiased search, an even number
    decisions = 2000       # of humans, to be predicted
    rounds = 300           # in the human's seat, for abstract moves
    seed = 1
    log = "human-south"    # held-out play
    iterations = 2500      # of the unbiased search

    [[grid]]
    technique = "knowledge"
    model = "devlin2016"
    c_bt = [0.01, 0.03, 0.1]
    k = "baier2018"        # a published list of values
    delay = [1, "root"]
    iterations = [2500, "equal-time"]
"""

import itertools
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from analysis.matches.match import MAX_GAMES, MAX_SEED, MatchPlan
from analysis.runs.store import key_of, version_of
from spades.agents import IsmctsPlayer, parse_agent
from spades.core.behaviour import ISMCTS
from spades.core.documents import load_toml, read_text
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.options import made, options_of, plain, values_of
from spades.notation.log_store import content_hash
from spades.search import TECHNIQUES, Technique
from spades.search.techniques.technique import NEVER, UNBIASED, WHEN_NEEDED

SETTING = "sweep-setting"
SWEEP = "sweep-begun"
BUDGET = "sweep-budget"
DECISIONS_PART = "sweep-decisions"
ROUNDS_PART = "sweep-replays"
NONE = UNBIASED
DIRECT = "direct"
REWARD_SCALE = "reward_scale"
ASKED = "asked"
EQUAL_TIME = "equal-time"
AGENT_OPTIONS = options_of(IsmctsPlayer)
SET_BY: dict[str, tuple[str, ...]] = {
    NONE: (),
    **{name: tuple(options_of(technique)) for name, technique in TECHNIQUES.items()},
    DIRECT: ("model",),
}
"""Techniques, and the options of each but for the iterations."""
STRENGTHS = tuple(
    name
    for technique in TECHNIQUES.values()
    for name in (technique.strength, technique.second)
    if name
)
"""The options that say how strong a bias is."""
MODES = tuple(
    name
    for name, option in AGENT_OPTIONS.items()
    if option.part == "bias" and not option.names and name not in STRENGTHS
)
"""The other options of a bias but for its model."""
BIAS_OPTIONS = ("model", *STRENGTHS, *MODES)
GRID = ("technique", *BIAS_OPTIONS, "iterations", REWARD_SCALE)
"""Keys of a grid: what is legal of each is what the agent accepts, and the words of a sweep."""
MAX_SETTINGS = 1000
MAX_SAMPLE = 1_000_000
MAX_BYTES = 1_000_000  # of a configuration
COUNTS = ("games", "decisions", "rounds")
NAMES = ("name", "title")
PLAIN_FIELDS = (*COUNTS, "seed", "log", "iterations", *NAMES)
_ALWAYS = dict.fromkeys(("technique", "model", "c_bt", "k", "w", "delay", "iterations"))
"""What every setting's document has, null where it means nothing; the rest only where it is set.
Stored results are found by these documents."""


class SweepError(SpadesError):
    """A sweep that can't be run as asked."""


@dataclass(frozen=True)
class Setting:
    """One way to bias the search, or direct imitation.

    ``iterations``: a number, or ``equal-time`` for as many as take the time the unbiased search
    needs; None for direct imitation, which doesn't search. ``reward_scale``: None for the search's
    own; the unbiased opponent keeps its own. ``imitated``: the human model that plays directly."""

    bias: Technique | None = None
    iterations: int | str | None = 2500
    reward_scale: float | None = None
    imitated: str = ""

    @classmethod
    def direct(cls, model: str) -> Self:
        """Direct imitation of a model."""
        return cls(iterations=None, imitated=model)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        technique = document["technique"]
        iterations = document["iterations"]
        reward_scale = document.get(REWARD_SCALE)
        if technique == NONE:
            return cls(None, iterations, reward_scale)
        if technique == DIRECT:
            return cls.direct(document["model"])
        kind = TECHNIQUES[technique]
        values = {name: document.get(name) for name in options_of(kind)}
        given = {
            name: str(value) if AGENT_OPTIONS[name].words else value
            for name, value in values.items()
            if value is not None
        }
        return cls(made(kind, given, SweepError), iterations, reward_scale)

    @property
    def values(self) -> dict[str, Any]:
        """The values of the setting by the keys of a grid. A delay is an int there, or ``root`` or
        ``inf``; the technique's option is always a text."""
        values: dict[str, Any] = {"technique": self.technique}
        if self.imitated:
            values["model"] = self.imitated
        if self.bias:
            for name, value in values_of(self.bias).items():
                is_number = bool(AGENT_OPTIONS[name].words) and value.isdecimal()
                values[name] = int(value) if is_number else value
        others = {"iterations": self.iterations, REWARD_SCALE: self.reward_scale}
        return values | {name: value for name, value in others.items() if value is not None}

    def document(self) -> dict[str, Any]:
        """As JSON. Stored results are found by it: a default ``asked`` is left out, so that those
        from before this option are still found."""
        document = _ALWAYS | self.values
        if document.get(ASKED) == WHEN_NEEDED:
            del document[ASKED]
        return document

    @property
    def asked(self) -> str:
        """When a node first calls the model; empty for techniques without this option."""
        return str(self.values.get(ASKED, ""))

    @property
    def technique(self) -> str:
        if self.imitated:
            return DIRECT
        return self.bias.name if self.bias else NONE

    @property
    def model(self) -> str:
        """The human model; empty for the unbiased search."""
        return self.bias.model if self.bias else self.imitated

    @property
    def is_equal_time(self) -> bool:
        return self.iterations == EQUAL_TIME

    def agent(self, iterations: int | None = None) -> str:
        """The agent's shortest text; ``iterations`` instead of its own."""
        if self.imitated:
            return str(parse_agent(f"direct:model={self.imitated}"))
        options: dict[str, Any] = {"iterations": iterations or self.iterations}
        if self.bias:
            options["bias"] = self.bias.name
            options |= values_of(self.bias)
        if self.reward_scale is not None:
            options[REWARD_SCALE] = self.reward_scale
        text = ",".join(f"{name}={plain(value)}" for name, value in options.items())
        return str(parse_agent(f"{ISMCTS}:{text}"))

    @property
    def strength(self) -> str:
        """How strong the bias is: ``C_BT 0.03, K 1000``, ``w 10`` or ``λ 20``."""
        return self.bias.strength_text if self.bias else ""

    @property
    def thinks(self) -> str:
        budget = "equal time" if self.is_equal_time else f"{self.iterations} iterations"
        if self.reward_scale is None:
            return budget
        return f"{budget}, {plain(self.reward_scale)} points a reward"

    @property
    def rest(self) -> str:
        """All but its strength: ``delay 1, devlin2016, 2500 iterations``."""
        mode = self.bias.mode_text if self.bias else ""
        return ", ".join(filter(None, [mode, self.model, self.thinks]))

    @property
    def label(self) -> str:
        """For people: ``knowledge C_BT 0.03, K 1000, delay 1, devlin2016, 2500 iterations``."""
        if self.imitated:
            return f"direct imitation, {self.imitated}"
        if self.bias is None:
            return f"unbiased, {self.thinks}"
        return f"{self.technique} {self.strength}, {self.rest}"


@dataclass(frozen=True)
class SweepPlan:
    """All that a sweep depends on but the code.

    ``settings`` begin with the unbiased search of ``iterations``, put there if it isn't. ``games``
    of each against it; ``decisions`` of humans to predict, with more than one legal card;
    ``rounds`` in which each takes the human's seat; 0 leaves a measure out. ``log`` names the log
    in the store whose humans those are; nothing may have been trained on it. ``name`` and ``title``
    are for people."""

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
        wanted = dict.fromkeys((Setting(iterations=self.iterations), *self.settings))
        object.__setattr__(self, "settings", tuple(wanted))
        if len(self.settings) > MAX_SETTINGS:
            raise SweepError(f"{len(self.settings)} settings; at most {MAX_SETTINGS} are possible")
        if not 0 <= self.games <= MAX_GAMES or self.games % 2:
            raise SweepError(
                f"games is {self.games}; an even number up to {MAX_GAMES:,} is legal, 0 for none: "
                "every deal is played twice, with the partnerships swapped"
            )
        for name in ("decisions", "rounds"):
            count = self.counts[name]
            if not 0 <= count <= MAX_SAMPLE:
                raise SweepError(f"{name} is {count}; 0 (none) to {MAX_SAMPLE:,} are legal")
        if not any(self.counts.values()):
            raise SweepError("games, decisions and rounds are all 0: nothing would be measured")
        if not 0 <= self.seed <= MAX_SEED:
            raise SweepError(f"seed is {self.seed}; 0 to {MAX_SEED} are legal")
        for setting in self.settings:
            if setting.is_equal_time and setting.bias is None:
                raise SweepError("the unbiased search has equal time by itself; give it a number")
            setting.agent(
                self.iterations if setting.is_equal_time else None
            )  # refuses what is none

    @cached_property
    def baseline(self) -> str:
        """The agent that every setting is measured against."""
        return self.settings[0].agent()

    def asked(self) -> dict[str, Any]:
        """What the question of every part has."""
        return {"log": content_hash(self.log), "seed": self.seed, "baseline": self.baseline}

    @property
    def counts(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in COUNTS}

    def version(self, setting: Setting) -> dict[str, Any]:
        """What the answers to a setting depend on: its own agent and the unbiased search."""
        return version_of(setting.agent(self.iterations), self.baseline)

    def versions(self) -> list[dict[str, Any]]:
        """Of every setting, in the order of the settings."""
        return [self.version(setting) for setting in self.settings]

    def question(self, setting: Setting) -> dict[str, Any]:
        """What the store keeps a finished setting under."""
        return setting_question(setting, self.counts, self.asked(), self.version(setting))

    def part_question(self, agent: str, first: int, end: int) -> dict[str, Any]:
        version = version_of(agent, self.baseline)
        return {"agent": agent, "first": first, "end": end, **self.asked(), **version}

    def budget_question(self, setting: Setting) -> dict[str, Any]:
        return setting_question(setting, {}, self.asked(), self.version(setting))

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
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """``SweepError`` for what isn't a plan of this version."""
        try:
            settings = tuple(Setting.from_document(one) for one in document["settings"])
            return cls(settings, **{name: document[name] for name in PLAIN_FIELDS})
        except (KeyError, TypeError) as error:
            raise SweepError(f"this is no plan of a sweep ({error})") from None

    @property
    def key(self) -> str:
        """Of all that it asks, names for people left out."""
        asked = {name: value for name, value in self.document().items() if name not in NAMES}
        return key_of(SWEEP, {**asked, **self.asked(), "versions": self.versions()})


def setting_question(
    setting: Setting,
    counts: Mapping[str, int],
    asked: Mapping[str, Any],
    version: Mapping[str, Any],
) -> dict[str, Any]:
    """What is asked of a setting, from which the store computes the key of its result. ``asked``,
    ``version``: from ``SweepPlan.asked`` and ``SweepPlan.version``."""
    return {"setting": setting.document(), **counts, **asked, **version}


# Sweeps as TOML


PUBLISHED: dict[str, dict[str, tuple[Any, ...]]] = {
    "c_bt": {
        "baier2018": (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2),
        "devlin2016": (0.01, 0.02, 0.03, 0.05, 0.1),
    },
    "k": {
        "baier2018": (10, 20, 50, 100, 200, 500, 1000, 2000),
        "devlin2016": (50, 100, 200, 500, 1000),
    },
    "w": {"baier2018": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)},
    "delay": {"baier2018": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, NEVER)},
}
"""Lists of values by name. Baier 2018 prints his (section IV); Devlin 2016 prints the values 0.03
and 0.1 of C_BT and 50, 100 and 1000 of DR, his K: the rest of that list is our reading of a figure
that we don't have."""


Legal = tuple[str, Callable[[Any], bool]]
"""What is legal, in words and as a test of one value."""
_WHOLE: Legal = ("a whole number is legal", lambda value: type(value) is int)
_TEXT: Legal = (
    "a text of at most 200 letters is legal",
    lambda value: isinstance(value, str) and len(value) <= 200,
)
_PLAN = dict.fromkeys((*COUNTS, "seed", "iterations"), _WHOLE) | {"title": _TEXT, "log": _TEXT}


def _legal_in_grid(name: str) -> Legal:
    """What is legal of one value of a key of a grid."""
    if name == "technique":
        return (
            f"one or several of {', '.join(SET_BY)} are legal",
            lambda value: isinstance(value, str) and value in SET_BY,
        )
    option = AGENT_OPTIONS[name]
    if name == "iterations":
        return (
            f'{option.legal}, and "{EQUAL_TIME}"',
            lambda value: value == EQUAL_TIME or option.accepts(value),
        )
    return option.legal, lambda value: value != "" and option.accepts(value)


def read_sweep(path: Path) -> SweepPlan:
    """The sweep of a TOML file, named as the file; ``SweepError`` says what is wrong."""
    try:
        text = read_text(path, MAX_BYTES)
    except OSError as error:
        raise SweepError(f"{path}: {error.strerror or error}") from None
    except InvalidRecordError as error:
        raise SweepError(f"{path.name}: {error}; a sweep is a TOML file") from None
    return parse_sweep(text, path.stem)


def parse_sweep(text: str, name: str) -> SweepPlan:
    try:
        return sweep_of(load_toml(text), name)
    except InvalidRecordError as error:
        raise SweepError(f"{name}: {error}") from None


def sweep_of(config: Mapping[str, Any], name: str) -> SweepPlan:
    """The sweep of a configuration as TOML reads it."""
    _check_keys(config, (*_PLAN, "grid"), name)
    values = {key: config[key] for key in _PLAN if key in config}
    for key, value in values.items():
        _check_value(value, f"{name}: {key}", *_PLAN[key])
    grids = config.get("grid")
    if not isinstance(grids, list) or not grids or not all(isinstance(g, dict) for g in grids):
        raise SweepError(f"{name}: there must be at least one table [[grid]] of values to combine")
    usual = {name: AGENT_OPTIONS[name].default for name in MODES}
    usual["iterations"] = values.get("iterations", SweepPlan.iterations)
    settings: list[Setting] = []
    for number, grid in enumerate(grids, 1):
        settings += _settings(grid, usual, f"{name}: grid {number}")
    return SweepPlan(tuple(settings), name=name, **values)


def _settings(grid: Mapping[str, Any], usual: Mapping[str, Any], where: str) -> list[Setting]:
    """Every combination of a grid's values; ``usual``: of what may be left out."""
    _check_keys(grid, GRID, where)
    settings: list[Setting] = []
    techniques = _values(grid, "technique", where)
    for technique in techniques:
        names = list(SET_BY[technique])
        if technique != DIRECT:
            names.append("iterations")
            if REWARD_SCALE in grid:
                names.append(REWARD_SCALE)
        lists = [_values({**usual, **grid}, name, where) for name in names]
        n_settings = len(settings) + math.prod(map(len, lists))
        if n_settings > MAX_SETTINGS:
            raise SweepError(
                f"{where}: {n_settings:,} settings; at most {MAX_SETTINGS} are possible"
            )
        for values in itertools.product(*lists):
            chosen = dict(zip(names, values, strict=True))
            document = {"technique": technique, "iterations": None, **chosen}
            settings.append(Setting.from_document(document))
    used = {"technique", "iterations", REWARD_SCALE}.union(*(SET_BY[name] for name in techniques))
    idle = sorted(set(grid) - used)
    if idle:
        needs = "; ".join(
            f"{name} takes {', '.join(SET_BY[name]) or 'nothing'}" for name in techniques
        )
        raise SweepError(
            f"{where}: {', '.join(idle)} means nothing for {' and '.join(techniques)}; {needs}"
        )
    return settings


def _values(grid: Mapping[str, Any], name: str, where: str) -> list[Any]:
    """The values of one key, checked one by one; a single value is a list of one."""
    where = f"{where}: {name}"
    legal, is_legal = _legal_in_grid(name)
    lists = PUBLISHED.get(name, {})
    if lists:
        legal += f", or one of {', '.join(lists)}"
    given = grid.get(name)
    if given is None:
        raise SweepError(f"{where} is missing; {legal}")
    if given == []:
        raise SweepError(f"{where} is an empty list; {legal}")
    if isinstance(given, str):
        given = list(lists.get(given, [given]))
    values = given if isinstance(given, list) else [given]
    for value in values:
        _check_value(value, where, legal, is_legal)
    if name in AGENT_OPTIONS and AGENT_OPTIONS[name].kind is float:
        values = [float(value) for value in values]
    return list(dict.fromkeys(values))


def _check_value(value: Any, where: str, legal: str, is_legal: Callable[[Any], bool]) -> None:
    if not is_legal(value):
        raise SweepError(f"{where} is {value!r:.60}; {legal}")


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    unknown = sorted(set(table) - set(known))
    if unknown:
        raise SweepError(f"{where}: unknown {', '.join(unknown)}; known: {', '.join(known)}")


def config_text(plan: SweepPlan) -> str:
    """A plan as TOML, a grid a setting; ``parse_sweep`` reads the same sweep back."""
    names = ("title", *COUNTS, "seed", "log", "iterations")
    lines = [f"{name} = {_toml(getattr(plan, name))}" for name in names]
    for setting in plan.settings:
        lines += ["", "[[grid]]"]
        lines += [f"{name} = {_toml(value)}" for name, value in setting.values.items()]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, str):
        value = "".join(c if c.isprintable() else " " for c in value)
    return json.dumps(value, ensure_ascii=False)
