"""What the replay view is sent: the round, its searched decisions, the bids once the bidders have
answered, and the beliefs of the seat shown about the other three hands.

``ui.replay.view`` says what each part is for.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import streamlit as st

from analysis.bidding.bid_jobs import MAX_ROUNDS, RoundBids
from analysis.decisions.decision import PlayDecision
from analysis.decisions.decision_view import Judged, decision_data
from analysis.decisions.round_view import round_data
from analysis.decisions.settings import DEFAULT_MODEL, AnalysisSettings, record_key
from analysis.runs.jobs import Job
from spades.belief import Dealing
from spades.core.cards import SEATS
from spades.core.errors import SpadesError
from spades.core.observation import Observation
from spades.core.options import values_of
from spades.core.records import Record
from spades.search import SearchSettings, Technique
from spades.search.techniques.technique import TreeTechnique
from ui.replay import state
from ui.replay.panel import bid_jobs, complaint_of
from ui.replay.view import current_state
from ui.shared.options import SEARCH_OPTIONS, model_label

if TYPE_CHECKING:  # it loads the players
    pass

MOST_CARDS = 10  # of a hand: what its place at the table has room for
SWITCH_LABELS = {"skew": "skewed", "equivalence": "equal cards once", "duck": "nils minded"}
NUMBER_LABELS = {
    "exploration": "C",
    "reward_scale": "scale",
    "epsilon": "ε",
    "skew_k": "skew k",
    "solved": "tricks solved",
}


def view_data(
    decisions: Sequence[PlayDecision | None],
    judged: Sequence[Judged],
    progress: dict[str, int] | None,
) -> dict[str, Any]:
    """All but the beliefs; it stays the same while the reader steps."""
    settings = state.settings()
    model = settings.models[0]
    bids = bid_jobs().find(state.get("hand").record)
    return {
        **place_data(),
        "seat": state.get("seat"),
        "spoiler": state.get("spoiler"),
        "four_color": state.get("colors") == 4,
        "more": state.get("more"),
        "dealing": state.get("believed"),
        "beliefs": None,
        "models": [{"id": name, "label": model_label(name)} for name in settings.models],
        "iterations": [search.iterations for search in settings.searches],
        "searches": [search_label(search, settings) for search in settings.searches],
        "decisions": [
            decision_text(decision, model, state.get("threshold"), conclusion)
            for decision, conclusion in zip(decisions, judged, strict=True)
        ],
        "bids": bids_data(bids) if bids else None,
        "progress": progress,
        "export": None,
    }


def search_label(settings: AnalysisSettings, first: AnalysisSettings) -> str:
    """A search in a few words: how it differs from ``STUDIED_AGENT``, or only its bias if
    that alone differs from the ``first`` search."""
    if settings.agent:
        return settings.agent
    if settings in first.others and replace(settings, seed=0) == state.settings_of(state.SECOND):
        return state.SECOND
    bias = settings.search.bias
    if bias is None:
        return _plain_label(settings)
    unbiased = replace(settings.search, bias=None)
    has_first_deals = settings.dealing == first.dealing and settings.iterations == first.iterations
    if has_first_deals and unbiased == state.plain(first.search):
        return bias_label(bias)
    return f"{_plain_label(settings)} · {bias_label(bias)}"


def _plain_label(settings: AnalysisSettings) -> str:
    """How a search differs from ``STUDIED_AGENT``, but for its bias."""
    search = settings.search
    parts = [f"ISMCTS {settings.iterations:,}"]
    if settings.dealing != Dealing():
        parts.append(settings.dealing.text("deals"))
    if search.playout != SearchSettings.playout:
        parts.append(f"{search.playout.name} playouts")
    parts += [text for name, text in SWITCH_LABELS.items() if getattr(search, name)]
    if not search.objective.is_points:
        parts.append("for the game")
    values = values_of(search)
    for name, text in NUMBER_LABELS.items():
        if values[name] != SEARCH_OPTIONS[name].default:
            parts.append(f"{text} {values[name]:g}")
    return ", ".join(parts)


def bias_label(bias: Technique) -> str:
    """A bias in a few words: ``Biased C_BT 0.03, K 1000``."""
    name = "Biased" if isinstance(bias, TreeTechnique) else bias.label
    mode = "" if bias.mode_text == type(bias)().mode_text else f", {bias.mode_text}"
    model = "" if bias.model == DEFAULT_MODEL else f" by {model_label(bias.model)}"
    return f"{name} {bias.strength_text}{mode}{model}"


def place_data() -> dict[str, Any]:
    """The round, and where Python last put the reader in it."""
    return {
        "id": state.get("hand").name,
        "rev": state.get("rev"),
        "keeps_ply": st.session_state.get(state.key("kept")) == state.get("rev"),
        "ply": state.get("step"),
        "view": state.get("view"),
        "round": round_data(state.get("hand").record),
    }


def send_place() -> None:
    """Have the next run send the browser the hands to show, and the place where it says that the
    reader is: one who has stepped on meanwhile stays there."""
    state.go_to(current_state(place_data()).step)
    state.put("kept", state.get("rev"))


@lru_cache(maxsize=4096)
def decision_text(
    decision: PlayDecision | None, model: str, threshold: float, judged: Judged
) -> str | None:
    """``decision_data`` as JSON, None while the decision is not searched. Cached: a page is drawn
    often, and sends every decision of the round."""
    if decision is None:
        return None
    return json.dumps(decision_data(decision, model, threshold, judged))


def bids_data(job: Job[RoundBids]) -> dict[str, Any] | None:
    """The bids of a round; None until they are answered."""
    if job.work.decisions is not None:
        return {"complaint": "", "decisions": _answers_of(job.work)}
    if job.is_finished:
        return {"complaint": complaint_of(job), "decisions": []}
    return None


@lru_cache(maxsize=MAX_ROUNDS)
def _answers_of(bids: RoundBids) -> list[dict[str, Any]]:
    """Cached: intervals and verdicts take 60 ms, and a page is drawn often."""
    from ui.replay.bid_data import bid_data  # loads pandas and plotly

    return list(map(bid_data, bids.decisions or ()))


def beliefs_data(record: Record, ply: int) -> dict[str, Any]:
    """The viewer's beliefs at a ply, by the way of dealing chosen.

    Only the viewer's observation is used: own cards, bids and plays so far."""
    from analysis.decisions.card_beliefs import N_QUICK_DEALS  # loads pandas

    seat = viewer_of(record, ply)
    dealing = Dealing.of(state.get("believed"))
    hands: list[dict[str, Any]] = []
    distinct = 0
    complaint = ""
    try:
        observation = record.observation(ply, seat)
        hands, distinct = _hands_data(record_key(record), ply, seat, dealing, observation)
    except SpadesError as error:
        complaint = str(error)
    return {
        "ply": ply,
        "seat": seat,
        "dealing": dealing.text(),
        "n": N_QUICK_DEALS,
        "distinct": distinct,
        "hands": hands,
        "complaint": complaint,
    }


def viewer_of(record: Record, ply: int) -> int:
    """The seat whose hand is open: the one chosen, else the seat to play."""
    chosen = state.get("seat")
    return record.at(ply).table.turn if chosen == "mover" else SEATS.index(chosen)


@st.cache_resource(max_entries=512, show_spinner=False)
def _hands_data(
    round_key: str, ply: int, seat: int, dealing: Dealing, _observation: Observation
) -> tuple[list[dict[str, Any]], int]:
    """(hidden hands, number of deals that their shares are worth); the other arguments identify the
    observation."""
    from analysis.decisions.card_beliefs import deals_worth, seat_beliefs

    deck = _observation.rules.cards
    hands = []
    for belief in seat_beliefs(dealing, _observation, most=MOST_CARDS):
        cards = [
            {
                "card": deck.format_card(likely.card),
                "p": round(likely.share, 3),
                "certain": likely.is_certain,
            }
            for likely in belief.cards
        ]
        hands.append({"seat": belief.seat, "cards": cards, "voids": list(belief.voids)})
    return hands, deals_worth(dealing, _observation)
