"""The values of the list of disagreements, bound to its address; a list as a text in a link."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from analysis.decisions.conclusion import THRESHOLD
from analysis.decisions.evidence import LEAST_ROUNDS
from analysis.decisions.lenses import LENSES
from analysis.decisions.played_on import MOST_ROUNDS
from analysis.disagreements import judged, table
from analysis.disagreements.plan import (
    MAX_ROUNDS,
    MAX_SEED,
    STANDARD_AGENT,
    STANDARD_PLAYED_ON,
    LogSearchPlan,
)
from analysis.runs.store import version_of
from spades.core.cards import HAND_SIZE, SEAT_NAMES
from spades.core.errors import SpadesError
from spades.core.records import KINDS
from spades.human import MODEL_NAME, model_names
from ui.disagreements.switch import LIST, VIEW
from ui.shared import address
from ui.shared.address import Field
from ui.shared.codecs import Choice, Integer, Number, Parsed, Several, Span
from ui.shared.log_fields import LOG
from ui.shared.log_in_hand import USUAL

CHARTS = {"divergence": "Divergence", "class": "By class", "lens": "By lens"}
ORDERS = {judged.STAKES: "Loss", judged.DIVERGENCE: "Divergence"}
ORDER_HINT = (
    "Loss: points between the best card and another, with a 95% interval. Divergence: "
    "Jensen–Shannon, in bits, between visit shares and human probabilities; 0 agrees, 1 shares no "
    "card."
)
OTHERS = {judged.LIKELIEST: "the human's likeliest", table.PLAYED: "the one played"}
ROLE_LABELS = {"search": "best card", "human": "human's likeliest", "played": "card played"}
CLASSES = {
    judged.FINDS: judged.CLASS_LABELS[judged.FINDS],
    judged.TRAP: judged.CLASS_LABELS[judged.TRAP],
}
LENS_LABELS = {lens.name: lens.label for lens in LENSES}
PER_PAGE = 50  # rows
NOT_OF_THE_LIST = (VIEW, "rounds", "page", "chart")
"""The fields that do not identify a list: paging, and the form of the next search."""
KIND_LABELS = {kind: kind.replace("-", " ") for kind in KINDS}


def _parse_agent(text: str) -> str:
    """An agent that searches, and whose models are here."""
    plan = LogSearchPlan(USUAL, 1, text)
    version_of(plan.agent)
    return plan.agent


page = address.PageState(
    "disagreements",
    {
        VIEW: Field(Choice((LIST,)), LIST, is_always_written=True),
        "log": LOG,
        "agent": Field(Parsed(_parse_agent), STANDARD_AGENT),
        "seed": Field(Integer(0, MAX_SEED), 0),
        "played_on": Field(Integer(LEAST_ROUNDS, MOST_ROUNDS), STANDARD_PLAYED_ON),
        "model": Field(Choice(model_names), MODEL_NAME),  # it knows nils
        "rounds": Field(Integer(1, MAX_ROUNDS), 600),
        "by": Field(Choice(ORDERS), judged.STAKES),
        "against": Field(Choice(OTHERS), judged.LIKELIEST),
        "bits": Field(Number(0.0, 1.0), 0.0),
        "points": Field(Number(0.0, 400.0), THRESHOLD),
        "lens_of": Field(Choice(ROLE_LABELS), "human"),
        "tricks": Field(Span(1, HAND_SIZE), (1, HAND_SIZE)),
        "page": Field(Integer(1, MAX_ROUNDS), 1),
        "chart": Field(Choice(CHARTS), "divergence"),
        "class": Field(Several(Choice(CLASSES)), []),
        "lens": Field(Several(Choice(LENS_LABELS)), []),
        "seat": Field(Several(Choice(SEAT_NAMES)), []),
        "kind": Field(Several(Choice(KIND_LABELS)), []),
    },
    files=("log", "model"),
)
get = page.get


def address_of(values: Mapping[str, Any]) -> dict[str, str]:
    return page.format(values)


def list_text(values: Mapping[str, Any]) -> str:
    """A list as a text from which ``parse_list`` makes it again."""
    names = [name for name in page.fields if name not in NOT_OF_THE_LIST]
    return urlencode(page.format(values, names))


def parse_list(text: str) -> dict[str, Any]:
    """The values of a list. Raises ``SpadesError`` where it can't be had again as it was."""
    values, complaints = page.parse(dict(parse_qsl(text)))
    if complaints:
        raise SpadesError(complaints[0])
    return values


def plan_of(values: Mapping[str, Any]) -> LogSearchPlan:
    """The search that is chosen; ``SpadesError`` says what would be legal."""
    return LogSearchPlan(
        log=values["log"],
        rounds=values["rounds"],
        agent=values["agent"],
        seed=values["seed"],
        played_on=values["played_on"],
    )


def plan() -> LogSearchPlan:
    return plan_of(page.values())


def filter_of(values: Mapping[str, Any]) -> judged.DecisionFilter:
    first, last = values["tricks"]
    return judged.DecisionFilter(
        seats=tuple(values["seat"]),
        kinds=tuple(values["kind"]),
        tricks=(first - 1, last - 1),
        classes=tuple(values["class"]),
        lenses=tuple(values["lens"]),
        role=values["lens_of"],
    )
