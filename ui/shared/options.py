"""Models and the options of a search as pages set and show them: choices, fields, labels."""

from spades.human import model_names
from spades.search import BiasSettings, bias
from spades.search.search import GAME, ROUND
from ui.shared.address import Choice, Field, Integer, Number

ITERATION_CHOICES = (100, 500, 1000, 2500, 5000, 10_000, 25_000, 100_000)
DEALING_OPTIONS = ("determinization", "without", "share")
SEARCH_OPTIONS = (
    "exploration", "reward_scale", "playout", "epsilon", "skew", "skew_k", "objective",
)  # fmt: skip
DELAYS = (*bias.TESTED_DELAYS, bias.ROOT_ONLY, bias.NEVER)
MAX_K = 100_000.0
BIAS_MODEL = Field(Choice(model_names), BiasSettings.model)
BIAS_FIELDS = {
    "c_bt": Field(Number(0.0, 10.0), BiasSettings.c_bt),
    "k": Field(Number(1.0, MAX_K), BiasSettings.k),
    "w": Field(Integer(0, 10_000), BiasSettings.w),
    "delay": Field(Choice(DELAYS), BiasSettings.delay),
    "lambda": Field(Number(0.0, 10_000.0), BiasSettings.lambda_),
    "play": Field(Choice(bias.PLAYS), BiasSettings.play_),
}
"""In the order of ``BiasSettings``."""
OBJECTIVE_LABELS = {ROUND: "Points of the round", GAME: "Chance to win the game"}
TECHNIQUE_LABELS = {
    bias.UNBIASED: "None",
    bias.KNOWLEDGE: "Knowledge bias",
    bias.EXPERIENCE: "Equivalent experience",
    bias.PIKL: "piKL",
}
MODEL_LABELS = {
    "devlin2016": "Devlin 2016",
    "devlin2016-nil": "Devlin 2016 + nil (simulated humans)",
    "log-linear-fit": "Log-linear, refitted",
}
_DELAY_LABELS = {bias.ROOT_ONLY: "root only", bias.NEVER: "never", "1": "in every node"}


def delay_label(delay: str) -> str:
    return _DELAY_LABELS.get(delay, f"after {delay} visits")


def model_label(name: str) -> str:
    """What pages call a model; one that was trained here goes by its name."""
    return MODEL_LABELS.get(name, name)
