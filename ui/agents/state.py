"""The Agents page's values, bound to its address."""

from analysis.decisions import judges
from analysis.matches.match import USUAL_AGENTS
from analysis.models.training import MAX_EPOCHS, MAX_ROUNDS, TrainingPlan
from analysis.plots.models import MEASURES
from spades.human import model_names
from spades.notation.log_store import list_logs
from ui.shared.address import Field, PageState
from ui.shared.codecs import FLAG, TEXT, Choice, Integer, Several
from ui.shared.matches import SETTINGS
from ui.shared.views import View, view_field


def strata_shown() -> list[str]:
    """The groups of decisions by which judges are compared."""
    found = judges.measured()
    return judges.strata(found) if found else ["all"]


def log_labels(simulated: str = "") -> dict[str, str]:
    """Logs that a model can be measured or trained on, and simulated rounds under the key
    ``simulated``."""
    logs = {entry.name: entry.name for entry in list_logs() if not entry.problem}
    return {simulated: "Simulated rounds", **logs}


LEAGUE = {
    "league": Field(TEXT, ""),
    "match": Field(TEXT, ""),
    "turned": Field(FLAG, False),
    "chart": Field(Choice({"wins": "Win rates", "points": "Points a round"}), "wins"),
    "agents": Field(Several(TEXT, "|"), list(USUAL_AGENTS)),
    **SETTINGS,
}
MODELS = {
    "measure": Field(Choice(MEASURES), "share_of_ceiling"),
    "model": Field(Choice(model_names), "devlin2016"),
    "data": Field(Choice(log_labels), ""),  # a log; '': simulated rounds
    "rounds": Field(Choice((200, 1000, 5000)), 1000),
    "model_seed": Field(Integer(0, 2**31 - 1), 202),
    "train_rounds": Field(Integer(100, MAX_ROUNDS), TrainingPlan.rounds),
    "train_epochs": Field(Integer(1, MAX_EPOCHS), TrainingPlan.epochs),
    "train_seed": Field(Integer(0, 2**31 - 1), TrainingPlan.seed),
    "run": Field(TEXT, ""),  # the name of a model trained here
}
TRAIN = ("train_rounds", "train_epochs", "train_seed", "run")
VIEWS = {
    "league": View("League", "ui.agents.league:show", list(LEAGUE)),
    "best": View("Best", "ui.agents.best:show", []),
    "judges": View("Judges", "ui.agents.judges:show", ["stratum"]),
    "compare": View("Human models", "ui.agents.compare:show_compare", ["measure"]),
    "one": View("One model", "ui.agents.one:show_one", ["model", "data", "rounds", "model_seed"]),
    "train": View("Train", "ui.agents.one:show_train", TRAIN),
    "weights": View("Weights and moves", "ui.agents.compare:show_weights", []),
}
page = PageState(
    "agents",
    {
        "view": view_field(VIEWS),
        "stratum": Field(Choice(strata_shown), "all"),
        **LEAGUE,
        **MODELS,
    },
    files=("model", "data"),
)
