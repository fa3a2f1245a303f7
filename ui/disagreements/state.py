"""The Disagreements page's values, bound to its address."""

from analysis.decisions.candidates import HUMAN
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
from spades.core.records import KINDS
from spades.human import model_names
from ui.shared import address
from ui.shared.address import Field
from ui.shared.codecs import Choice, Integer, Number, Parsed, Several, Span
from ui.shared.records import USUAL_LOG, log_shown_first, readable_logs

CHARTS = {"divergence": "Divergence", "class": "By class", "lens": "By lens"}
ORDERS = {judged.STAKES: "Stakes", judged.DIVERGENCE: "Divergence"}
OTHERS = {judged.LIKELIEST: "the human's likeliest", table.PLAYED: "the one played"}
ROLE_LABELS = {"search": "best card", "human": "human's likeliest", "played": "card played"}
CLASSES = {
    judged.FINDS: judged.CLASS_LABELS[judged.FINDS],
    judged.TRAP: judged.CLASS_LABELS[judged.TRAP],
}
LENS_LABELS = {lens.name: lens.label for lens in LENSES}
KIND_LABELS = {kind: kind.replace("-", " ") for kind in KINDS}


def _parse_agent(text: str) -> str:
    """An agent that searches, and whose models are here."""
    plan = LogSearchPlan(USUAL_LOG, 1, text)
    version_of(plan.agent)
    return plan.agent


page = address.PageState(
    "disagreements",
    {
        "log": Field(Choice(readable_logs), lambda _: log_shown_first(), is_always_written=True),
        "agent": Field(Parsed(_parse_agent), STANDARD_AGENT),
        "seed": Field(Integer(0, MAX_SEED), 0),
        "played_on": Field(Integer(LEAST_ROUNDS, MOST_ROUNDS), STANDARD_PLAYED_ON),
        "model": Field(Choice(model_names), HUMAN),  # it knows nils
        "rounds": Field(Integer(1, MAX_ROUNDS), 600),
        "by": Field(Choice(ORDERS), judged.STAKES),
        "against": Field(Choice(OTHERS), judged.LIKELIEST),
        "bits": Field(Number(0.0, 1.0), 0.0),
        "points": Field(Number(0.0, 400.0), THRESHOLD),
        "lens_of": Field(Choice(ROLE_LABELS), "human"),
        "tricks": Field(Span(1, HAND_SIZE), (1, HAND_SIZE)),
        "chart": Field(Choice(CHARTS), "divergence"),
        "class": Field(Several(Choice(CLASSES)), []),
        "lens": Field(Several(Choice(LENS_LABELS)), []),
        "seat": Field(Several(Choice(SEAT_NAMES)), []),
        "kind": Field(Several(Choice(KIND_LABELS)), []),
    },
    files=("log", "model"),
)
get = page.get


def write_state() -> None:
    """Bring the address up to date; it does not name the usual log."""
    page.write(name for name in page.fields if name != "log" or get("log") != USUAL_LOG)


def plan() -> LogSearchPlan:
    """The search that is chosen; ``SpadesError`` says what would be legal."""
    return LogSearchPlan(
        log=get("log"),
        rounds=get("rounds"),
        agent=get("agent"),
        seed=get("seed"),
        played_on=get("played_on"),
    )


def decision_filter() -> judged.DecisionFilter:
    first, last = get("tricks")
    return judged.DecisionFilter(
        seats=tuple(get("seat")),
        kinds=tuple(get("kind")),
        tricks=(first - 1, last - 1),
        classes=tuple(get("class")),
        lenses=tuple(get("lens")),
        role=get("lens_of"),
    )
