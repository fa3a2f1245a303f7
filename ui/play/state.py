"""The Play page's values, bound to its address: those of the table, then those of the drill."""

from analysis.decisions.lenses import LABELS
from analysis.disagreements.plan import MAX_ROUNDS
from analysis.phases import PHASES, tricks_of
from spades.core.cards import SEAT_NAMES, SEATS
from spades.core.rules import Rules
from ui.shared.address import Field, PageState
from ui.shared.codecs import FLAG, TEXT, Choice, Integer, Optional, Several
from ui.shared.log_fields import SeveralLogs
from ui.shared.views import View, view_field

AGENTS = (
    "ismcts:iterations=2500",
    "best+bis",
    "srp+bis",
    "wrp+rb",
    "human",
    "stars:level=3+kb",
    "random",
)
OTHERS = {"left": "Left", "partner": "Partner", "right": "Right"}
GAME = "game"
ONE = "one"
LENGTHS = {GAME: "A game to the target", ONE: "One round"}
PACES = {"0": "at once", "300": "quick", "700": "steady", "1500": "slow"}  # by ms between cards
MAX_TARGET = 10_000
PHASE_LABELS = {phase: tricks_of(phase).capitalize() for phase in PHASES}
NIL_LABELS = {"own": "Own", "partner": "Partner's", "opponents": "An opponent's", "none": "None"}

TABLE = {
    "token": Field(TEXT, ""),
    "seat": Field(Choice({letter: SEAT_NAMES[letter] for letter in SEATS}), "S"),
    "join": Field(TEXT, ""),
    **dict.fromkeys(OTHERS, Field(TEXT, AGENTS[0])),
    "rules": Field(TEXT, ""),
    "length": Field(Choice(LENGTHS), GAME),
    "target": Field(Integer(50, MAX_TARGET), Rules.target),
    "name": Field(TEXT, ""),
    "pace": Field(Choice(PACES), "700"),
    "help": Field(FLAG, False),
    "rival": Field(TEXT, "best+bis"),
    "cohort": Field(TEXT, "human"),
    "hand": Field(TEXT, ""),
    "rating": Field(Optional(Integer(0, 4000)), None),
    "since": Field(Optional(Integer(1937, 2100)), None),
}
LOGS = SeveralLogs("play_logs")
DRILL = {
    "profile": Field(TEXT, "player"),
    "logs": LOGS.field(separator=","),
    "player": Field(TEXT, ""),
    "lens": Field(Several(Choice(LABELS)), []),
    "phase": Field(Several(Choice(PHASE_LABELS)), []),
    "nil": Field(Several(Choice(NIL_LABELS)), []),
}
ROUNDS = {"rounds": Field(Optional(Integer(1, MAX_ROUNDS)), None)}
"""Rounds to play, or to judge for the drill."""
VIEWS = {
    "table": View("Table", "ui.play.table:show", [*TABLE, *ROUNDS]),
    "drill": View("Drill", "ui.play.drill:show", [*DRILL, *ROUNDS]),
}
page = PageState(
    "play",
    {"view": view_field(VIEWS), **TABLE, **DRILL, **ROUNDS},
    files=("logs",),
)
