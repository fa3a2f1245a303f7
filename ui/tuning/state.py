"""The Tuning page's state: the view, the ladder's decision and bias, the sweep shown, the form.

Replay links here with ``hand``, ``ply`` and the bias. The fields of a new sweep's form begin with
``sweep_``. A point of the frontier sets the bias.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from analysis.decisions.visits import LadderSettings
from analysis.sweeps.sweep import DIRECT, NEEDS, NONE, Setting
from analysis.sweeps.views import CLOSENESS, HEAT, KL, WIN_RATE
from spades.core.cards import seat_name
from spades.core.errors import SpadesError
from spades.core.options import options_of
from spades.core.records import Record
from spades.human import model_names
from spades.search import TECHNIQUES, Knowledge, Technique
from spades.search.techniques.pikl import LIKELIEST, SAMPLE
from ui.shared import address
from ui.shared.address import Field, Values
from ui.shared.codecs import TEXT, Choice, Codec, Integer, Parsed, Several, WrongValueError
from ui.shared.options import BIAS as BIAS_OPTION
from ui.shared.options import BIAS_OPTIONS, chosen_bias, fields_of
from ui.shared.records import DEFAULT_HAND, find_hand, nearest_round

VIEWS = {"ladder": "Ladder", "frontier": "Frontier", "run": "Run a sweep"}
CHARTS = {"frontier": "Frontier", "heat": "Heat map", "time": "Time", "parallel": "Parallel"}
SWEEP_TECHNIQUES = tuple(one for one in NEEDS if one != NONE)
MAX_COUNT, MAX_SEED = 1_000_000, 2**31 - 1
FIRST_PLY = 20  # a lead of the default hand where humans and search differ
BIAS = ("technique", "model", "c_bt", "k", "w", "delay", "lambda")
"""The ladder's options: of piKL it always plays the likeliest card."""
STRENGTHS = BIAS[2:]
C_BT = BIAS_OPTIONS["c_bt"]
TECHNIQUE = replace(
    BIAS_OPTION, default=Knowledge.name, choices=tuple(TECHNIQUES), none="", label="Technique"
)
"""The ladder always has a bias."""
LADDER_OPTIONS = {"technique": TECHNIQUE, **{name: BIAS_OPTIONS[name] for name in BIAS[1:]}}
LADDER_OPTIONS["iterations"] = options_of(LadderSettings)["iterations"]


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
    "seed": Field(Integer(0, MAX_SEED), 0),
}
FRONTIER = {
    "sweep": Field(TEXT, "devlin-fig1"),
    "over": Field(TEXT, ""),
    "chart": Field(Choice(CHARTS), "frontier"),
    "x": Field(Choice(CLOSENESS), KL.name),
    "heat": Field(Choice(HEAT), WIN_RATE.name),
    "family": Field(TEXT, ""),
    "point": Field(TEXT, ""),
}
FORM = {
    "sweep_techniques": Field(Several(Choice(SWEEP_TECHNIQUES), "|"), [Knowledge.name]),
    "sweep_models": Field(Several(TEXT, "|"), ["devlin2016"]),
    "sweep_c_bt": Field(TEXT, "0.03, 0.1"),
    "sweep_k": Field(TEXT, "100, 1000"),
    "sweep_w": Field(TEXT, "10"),
    "sweep_delay": Field(TEXT, "1"),
    "sweep_lambda": Field(TEXT, "1, 2, 5, 10, 20, 50, 100, 200, 500"),
    "sweep_play": Field(TEXT, LIKELIEST),
    "sweep_reward_scale": Field(TEXT, ""),
    "sweep_budget": Field(TEXT, "2500"),
    "sweep_log": Field(TEXT, "human-south"),
    "sweep_name": Field(TEXT, "my sweep"),
    "sweep_games": Field(Integer(0, MAX_COUNT), 40),
    "sweep_decisions": Field(Integer(0, MAX_COUNT), 1000),
    "sweep_rounds": Field(Integer(0, MAX_COUNT), 100),
    "sweep_seed": Field(Integer(0, MAX_SEED), 1),
    "sweep_iterations": Field(Integer(1, MAX_COUNT), 2500),
}
FILES = ("hand", "model")
page = address.PageState(
    "tuning", {"view": Field(Choice(VIEWS), "ladder"), **LADDER, **FRONTIER, **FORM}, files=FILES
)
key, get, put = page.key, page.get, page.put


def take_setting(setting: Setting, iterations: int | None = None) -> None:
    """Make a sweep's setting the ladder's; ``remarks`` says in what the two differ.

    ``iterations``: those that its agent thinks. The unbiased search is a bias of strength 0, direct
    imitation the strongest there is. What a setting doesn't say stays as it is."""
    differ = []
    weakest_and_strongest = {NONE: min(C_BT.usual), DIRECT: max(C_BT.usual)}
    strength = weakest_and_strongest.get(setting.technique)
    if setting.technique == DIRECT:
        differ.append(
            "Direct imitation plays the likeliest human card and doesn't search. The ladder only "
            f"searches: this is the strongest usual bias, C_BT {strength:g}, which isn't the same."
        )
    if setting.play_ == SAMPLE:
        differ.append("The sweep's setting draws its card by π; the ladder has the likeliest.")
    wanted = {name: setting.get(name) for name in STRENGTHS} | {"iterations": iterations}
    if strength is None:
        put("technique", setting.technique)
    else:
        put("technique", Knowledge.name)
        wanted["c_bt"] = strength
    for name, value in wanted.items():
        if value is not None:
            option = LADDER_OPTIONS[name]
            put(name, option.parse(str(value), SpadesError))
    if setting.model in model_names():
        put("model", setting.model)
    elif setting.model:
        differ.append(f"The sweep's model {setting.model} isn't here; the ladder has another.")
    put("differ", (differ, _set_now()))


def _set_now() -> list:
    return [get(name) for name in (*BIAS, "iterations")]


def remarks() -> list[str]:
    """In what the ladder differs from the sweep's setting that it took, while it still has it."""
    differ, taken = st.session_state.get(key("differ"), ([], None))
    return differ if taken == _set_now() else []


def bias() -> Technique:
    technique = chosen_bias(get, play=LIKELIEST)
    assert technique is not None
    return technique
