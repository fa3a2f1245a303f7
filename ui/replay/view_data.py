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
from analysis.decisions.classes import by_class, needs_text, with_findings
from analysis.decisions.conclusion import Loss
from analysis.decisions.decision import PlayDecision, card_document
from analysis.decisions.judgement import Judgement, judgement_of
from analysis.decisions.settings import DEFAULT_MODEL, AnalysisSettings, record_key
from analysis.runs.jobs import Job
from spades.belief import Dealing
from spades.core.cards import SEATS, SIDE_NAMES, partnership_of
from spades.core.errors import SpadesError
from spades.core.observation import Observation
from spades.core.options import values_of
from spades.core.records import Record
from spades.search import SearchSettings, Technique
from spades.search.techniques.technique import TreeTechnique
from ui.replay import state
from ui.replay.judging import Judged
from ui.replay.panel import bid_jobs, complaint_of
from ui.replay.view import current_state
from ui.shared.options import SEARCH_OPTIONS, model_label
from ui.shared.table_data import sorted_hand, table_data

if TYPE_CHECKING:  # it loads the players
    from analysis.decisions.hindsight import Hindsight

CHECKING = "Checking …"
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
    }


def search_label(settings: AnalysisSettings, first: AnalysisSettings) -> str:
    """A search in a few words: how it differs from the standard agent's, or only its bias if
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
    """How a search differs from the standard agent's, but for its bias."""
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
        "ply": state.get("step"),
        "view": state.get("view"),
        "round": round_data(state.get("hand").record),
    }


def move(steps: int) -> None:
    """Move on from where the browser says that the reader is."""
    state.go_to(current_state(place_data()).step + steps)


def round_data(record: Record) -> dict[str, Any]:
    score = record.score()
    return {
        **table_data(record.final().table, record.players, record.kinds),
        "hands": [sorted_hand(record.rules, hand) for hand in record.hands],
        "score_before": list(record.score_before) if record.score_before else None,
        "bags_before": list(record.bags_before) if record.bags_before else None,
        "points": list(score.points) if score else None,
        "has_auction": record.has_bids,
    }


@lru_cache(maxsize=4096)
def decision_text(
    decision: PlayDecision | None, model: str, threshold: float, judged: Judged
) -> str | None:
    """``decision_data`` as JSON, None while the decision is not searched. Cached: a page is drawn
    often, and sends every decision of the round."""
    if decision is None:
        return None
    return json.dumps(decision_data(decision, model, threshold, judged))


def decision_data(
    decision: PlayDecision, model: str, threshold: float, judged: Judged
) -> dict[str, Any]:
    """A decision for the panel, and in ``others`` the same by the other searches. The judgement,
    losses and what a card leads to are the judge's; visits, shares and the choice the search's."""
    searched = [_by_search(decision, i, judged) for i in range(1 + len(decision.others))]
    first, *others = searched
    whole = with_findings(decision, judged.conclusion)
    is_checking = judged.conclusion is None and not judged.is_over and not decision.is_forced
    is_agreed = any(
        row.is_search_choice or row.is_judged_best for row in first.human_choices(model)
    )
    loss = None
    if judged.conclusion and decision.played:
        loss = judged.conclusion.loss_of(decision.played)
    return {
        **first.facts(),
        **_search_data(first),
        "played": decision.played,
        "seat": decision.seat,
        "needs": _at_stake(decision),
        "judgement": _judgement_data(judgement_of(whole), is_checking=is_checking),
        "is_checking": is_checking,
        "loss": loss.points if loss else None,
        "is_settled": bool(loss and loss.is_settled),
        "grade": loss.grade if loss else "",
        "hindsight": hindsight_text(loss, judged.hindsight, decision.unit),
        "disagrees": first.divergence >= threshold and not is_agreed,
        "others": [_search_data(other) for other in others],
    }


def _judgement_data(judgement: Judgement, *, is_checking: bool) -> dict[str, str]:
    """A judgement for the panel; while there is too little to judge by, that alone."""
    if is_checking:
        judgement = Judgement(judgement.subject, CHECKING)
    return {**vars(judgement), "text": judgement.text}


def hindsight_text(loss: Loss | None, hindsight: "Hindsight | None", unit: str) -> str:
    """What the card played cost as the cards lay, and the luck in it; empty before both are
    known."""
    if loss is None or hindsight is None:
        return ""
    cost = 0.0 + round(hindsight.loss, 1)  # no -0.0
    luck = 0.0 + round(loss.points - hindsight.loss, 1)
    grade = Loss(max(cost, 0.0), True).grade
    return f"{grade}: it cost {cost:.1f} ± {hindsight.se:.1f} {unit}, luck {luck:+.1f}"


def _by_search(main: PlayDecision, i: int, judged: Judged) -> PlayDecision:
    """A decision as search ``i`` sees it, by classes of equivalent cards; ``main``: as the first
    does, whose objective is the judge's."""
    decision = (main, *main.others)[i]
    repeats = judged.repeats[i] if i < len(judged.repeats) else None
    return by_class(with_findings(decision, judged.conclusion, repeats, main.search.stakes))


def _search_data(decision: PlayDecision) -> dict[str, Any]:
    """What one search makes of each class of cards: the least loss first, as far as it's known."""
    rows = [
        {
            **card_document(row, decision.seat),
            "loss": row.loss.points if row.loss else None,
            "is_settled": bool(row.loss and row.loss.is_settled),
            "grade": row.loss.grade if row.loss else "",
            "place": place,
        }
        for place, row in enumerate(decision.cards)
    ]
    rows.sort(key=lambda row: (row["loss"] or 0.0, not row["is_judged_best"], row["place"]))
    return {
        "cards": rows,
        "searches": decision.n_searches,
        "iterations": decision.iterations,
        "divergence": decision.divergence,
        "is_first_look": decision.repeats is None and not decision.is_forced,
    }


def _at_stake(decision: PlayDecision) -> str:
    """What both sides need; and the chance to win before the round, if the search plays for it."""
    parts = []
    if decision.observation:
        parts.append(needs_text(decision.observation))
    if decision.win_chance is not None:
        side = SIDE_NAMES[partnership_of(decision.seat)]
        chance = f"{decision.win_chance:.0%}"
        parts.append(f"{side} had a {chance} chance to win the game before this round")
    return " · ".join(filter(None, parts))


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
