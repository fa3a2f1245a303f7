"""The Tune page's state: the bias of bench and ladder, the sweep shown, the forms.

Replay links here with ``hand``, ``ply`` and the bias. The fields of a new sweep's form begin with
``sweep_``. A measured point that is picked sets the bias.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from analysis.decisions.ladder import LadderSettings
from analysis.matches import running
from analysis.sweeps.sweep import (
    AGENT_OPTIONS,
    BIAS_OPTIONS,
    MODES,
    NONE,
    REWARD_SCALE,
    SET_BY,
    Setting,
)
from analysis.sweeps.views import ACCURACY, CLOSENESS, HEAT, KL, WIN_RATE
from spades.core.cards import seat_name
from spades.core.errors import SpadesError
from spades.core.options import options_of
from spades.core.records import Record
from spades.human import model_names
from spades.search import TECHNIQUES, Technique
from ui.shared import address
from ui.shared.address import Field, Values, option_field
from ui.shared.codecs import TEXT, Choice, Codec, Integer, Parsed, Several, WrongValueError
from ui.shared.log_fields import LOG
from ui.shared.matches import SETTINGS
from ui.shared.options import BIAS as BIAS_OPTION
from ui.shared.options import chosen_bias, fields_of
from ui.shared.records import DEFAULT_HAND, find_hand, nearest_round
from ui.shared.views import View, view_field

CHARTS = {"frontier": "Frontier", "heat": "Heat map"}
SWEEP_TECHNIQUES = tuple(name for name in SET_BY if name != NONE)
MAX_COUNT = 1_000_000
MAX_SEED = 2**31 - 1
FIRST_PLY = 20  # a lead of the default hand where humans and search differ
STRENGTHS = tuple(
    name for name in BIAS_OPTIONS if name != "model" and not AGENT_OPTIONS[name].choices
)
"""The ladder's options beside technique and model. Options that choose stay at their defaults: of
piKL it always plays the likeliest card."""
BIAS = ("technique", "model", *STRENGTHS)
FIRST_BIAS = next(iter(TECHNIQUES.values()))
TECHNIQUE = replace(
    BIAS_OPTION, default=FIRST_BIAS.name, choices=tuple(TECHNIQUES), none="", label="Technique"
)
"""The ladder always has a bias."""
LADDER_OPTIONS = {
    "technique": TECHNIQUE,
    **{name: AGENT_OPTIONS[name] for name in ("model", *STRENGTHS)},
    "iterations": options_of(LadderSettings)["iterations"],
}
LADDER_SCALE = options_of(LadderSettings)[REWARD_SCALE]
"""The ladder's is that of the search shown in Replay; the bench's that of most sweeps."""
TYPED = (*BIAS_OPTIONS[1:], REWARD_SCALE)
"""Options of a sweep whose values are typed."""
FIRST_VALUES = {
    "c_bt": "0.03, 0.1",
    "k": "100, 1000",
    "lambda": "1, 2, 5, 10, 20, 50, 100, 200, 500",
    REWARD_SCALE: "",
}
"""What is typed at first, where it isn't an option's default."""


def _decision(values: Values) -> Codec:
    """A ply of the hand with more than one legal card, or the nearest one."""
    record = find_hand(values["hand"])

    def parse(text: str) -> int:
        try:
            wanted = Integer(0, 51).parse(text)
        except ValueError as error:
            nearest = nearest_decision(record, getattr(error, "nearest", FIRST_PLY))
            raise WrongValueError(str(error), nearest) from None
        shown = nearest_decision(record, wanted)
        if shown != wanted:
            is_played = wanted < len(record.plays)
            forced = is_played and f"a forced play of {_mover(record, wanted)}'s"
            why = forced or "this round doesn't have it"
            choice = f"a ladder needs a choice, as {_mover(record, shown)} has at {shown}"
            raise WrongValueError(f"{why}; {choice}", shown)
        return wanted

    return Parsed(parse)


def open_decisions(record: Record) -> list[int]:
    """Plies with more than one legal card."""
    legal = [state.legal_plays() for state in record.positions()][: len(record.plays)]
    return [ply for ply, cards in enumerate(legal) if cards & (cards - 1)]


def nearest_decision(record: Record, ply: int) -> int:
    return nearest_of(open_decisions(record) or [ply], ply)


def nearest_of(choices: Sequence, wanted: float) -> Any:
    return min(choices, key=lambda choice: abs(choice - wanted))


def _mover(record: Record, ply: int) -> str:
    return seat_name(record.at(ply).table.turn)


def _known_hand(name: str) -> str:
    find_hand(name)
    return name


LADDER = {
    "hand": Field(
        Parsed(_known_hand, nearest=lambda name: nearest_round(name) or DEFAULT_HAND),
        DEFAULT_HAND,
    ),
    "ply": Field(_decision, lambda values: nearest_decision(find_hand(values["hand"]), FIRST_PLY)),
    **fields_of(LADDER_OPTIONS),
    "ladder_seed": Field(Integer(0, MAX_SEED), 0),
    "ladder_scale": option_field(LADDER_SCALE),
}
TASKS = {
    "feel": "feels human",
    "predict": "plays the human's card",
}
TASK = {"task": Field(Choice(TASKS), "feel")}
AXES = {"feel": KL, "predict": ACCURACY}
"""The measure that a task asks for."""
FRONTIER = {
    "sweep": Field(TEXT, "devlin-fig1"),
    "over": Field(TEXT, ""),
    "chart": Field(Choice(CHARTS, former={"time": "frontier", "parallel": "frontier"}), "frontier"),
    "x": Field(Choice(CLOSENESS), lambda values: AXES[values["task"]].name),
    "heat": Field(Choice(HEAT), WIN_RATE.name),
    "family": Field(TEXT, ""),
    "point": Field(TEXT, ""),
}
FORM = {
    "sweep_techniques": Field(Several(Choice(SWEEP_TECHNIQUES), "|"), [FIRST_BIAS.name]),
    "sweep_models": Field(Several(TEXT, "|"), ["devlin2016"]),
    **{
        f"sweep_{name}": Field(TEXT, FIRST_VALUES.get(name, str(AGENT_OPTIONS[name].default)))
        for name in TYPED
    },
    "sweep_budget": Field(TEXT, "2500"),
    "sweep_log": LOG,
    "sweep_name": Field(TEXT, "my sweep"),
    "sweep_games": Field(Integer(0, MAX_COUNT), 40),
    "sweep_decisions": Field(Integer(0, MAX_COUNT), 1000),
    "sweep_rounds": Field(Integer(0, MAX_COUNT), 100),
    "sweep_seed": Field(Integer(0, MAX_SEED), 1),
    "sweep_iterations": Field(Integer(1, MAX_COUNT), 2500),
}
MATCH = {
    "ns": Field(TEXT, "srp+bis"),
    "ew": Field(TEXT, "srp+rb"),
    **SETTINGS,
    "until": Field(Choice(running.RULES), running.ALL),
}
BENCH = {
    REWARD_SCALE: option_field(AGENT_OPTIONS[REWARD_SCALE]),
    **TASK,
}
BENCH_SHOWN = [*BIAS, "iterations", *BENCH]
FRONTIER_SHOWN = [*TASK, *FRONTIER, *BIAS, "iterations"]
"""With the bias of the ladder, which the point that is picked sets."""
VIEWS = {
    "bench": View("Bench", "ui.tune.bench:show_bench", BENCH_SHOWN),
    "frontier": View("Sweeps", "ui.tune.frontier:show_frontier", FRONTIER_SHOWN),
    "ladder": View("One decision", "ui.tune.ladder:show_ladder", list(LADDER)),
    "run": View("Run a sweep", "ui.tune.sweeps:show_run_a_sweep", list(FORM)),
    "match": View("A match", "ui.tune.match:show", list(MATCH)),
}


def _usual_view(values: Values) -> str:
    """A link that names a sweep, or what is shown of it, leads to the sweeps."""
    usual = {name: declared.default_for(values) for name, declared in FRONTIER.items()}
    is_of_sweeps = any(values[name] != value for name, value in usual.items())
    return "frontier" if is_of_sweeps else next(iter(VIEWS))


page = address.PageState(
    "tune",
    {
        **TASK,
        **FRONTIER,
        "view": replace(view_field(VIEWS), default=_usual_view),
        **LADDER,
        **BENCH,
        **FORM,
        **MATCH,
    },
    files=("hand", "model", "sweep_log"),
)
key = page.key
get = page.get
put = page.put


def take_task() -> None:
    """Make the measure of the chosen task the frontier's axis."""
    put("x", AXES[get("task")].name)


def take_setting(setting: Setting, iterations: int | None = None) -> None:
    """Make a sweep's setting the ladder's; ``remarks`` says in what the two differ.

    ``iterations``: those that its agent thinks. The unbiased search is a bias of strength 0, direct
    imitation the strongest there is. What a setting doesn't say stays as it is."""
    values = {name: value for name, value in setting.values.items() if name in STRENGTHS}
    technique = setting.technique
    differ = []
    if setting.bias is None:
        technique = FIRST_BIAS.name
        strength = FIRST_BIAS.strength_option()
        values[FIRST_BIAS.strength] = (max if setting.imitated else min)(strength.usual)
    if setting.imitated:
        differ.append(
            "Direct imitation plays the likeliest human card and doesn't search. The ladder only "
            f"searches: this is the strongest usual bias, {strength.label} "
            f"{values[FIRST_BIAS.strength]:g}, which isn't the same."
        )
    differ += _options_left_out(setting)
    put("technique", technique)
    scale = float(setting.reward_scale or AGENT_OPTIONS[REWARD_SCALE].default)
    put(REWARD_SCALE, scale)
    put("ladder_scale", scale)
    if iterations is not None:
        values["iterations"] = iterations
    for name, value in values.items():
        put(name, LADDER_OPTIONS[name].parse(str(value), SpadesError))
    if setting.model in model_names():
        put("model", setting.model)
    elif setting.model:
        differ.append(f"The sweep's model {setting.model} isn't here; the ladder has another.")
    put("differ", (differ, _set_now()))


def _options_left_out(setting: Setting) -> list[str]:
    """Options that the ladder doesn't have and the setting has not at their defaults."""
    sentences = []
    for name in MODES:
        option = AGENT_OPTIONS[name]
        value = setting.values.get(name, option.default)
        if name not in STRENGTHS and value != option.default:
            sentences.append(
                f"{option.label}: {option.value_label(value)} in the sweep's setting, "
                f"{option.value_label(option.default)} on the ladder."
            )
    return sentences


def _set_now() -> list:
    return [get(name) for name in (*BIAS, "iterations")]


def remarks() -> list[str]:
    """In what the ladder differs from the sweep's setting that it took, while it still has it."""
    differ, taken = st.session_state.get(key("differ"), ([], None))
    return differ if taken == _set_now() else []


def setting_in_hand() -> Setting:
    """The bench's setting."""
    scale = get(REWARD_SCALE)
    is_usual = scale == AGENT_OPTIONS[REWARD_SCALE].default
    return Setting(bias(), get("iterations"), None if is_usual else scale)


def bias() -> Technique:
    others = {name: AGENT_OPTIONS[name].default for name in MODES if name not in STRENGTHS}
    technique = chosen_bias(get, **others)
    assert technique is not None
    return technique
