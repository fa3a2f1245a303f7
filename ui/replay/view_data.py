"""What the replay view is sent: the round once, its decisions as far as they are searched, the bids
once the bidders have answered, and what the seat shown may believe of the other three hands.

`ui.replay.view` says what each part is for.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import streamlit as st

from analysis.bidding.bid_jobs import MAX_ROUNDS, RoundBids
from analysis.decisions.classes import by_class, needs_text, with_findings
from analysis.decisions.decision import PlayDecision, card_document
from analysis.decisions.judge import JUDGE
from analysis.decisions.report import verdict
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
from ui.replay.panel import bid_jobs
from ui.replay.view import current_state
from ui.shared.options import SEARCH_OPTIONS, model_label
from ui.shared.table_data import sorted_hand, table_data

CHECKING = f"Checking: {JUDGE} searches this decision again and again …"
MOST_CARDS = 10  # of a hand: what its place at the table has room for


def view_data(
    decisions: Sequence[PlayDecision | None], judged: Sequence[Judged], *, is_running: bool
) -> dict[str, Any]:
    """All but the beliefs; it stays the same while the reader steps."""
    settings, total = state.settings(), len(decisions)
    n_done = sum(decision is not None for decision in decisions)
    job = bid_jobs().find(state.get("hand").record)
    return {
        **place_data(),
        "seat": state.get("seat"),
        "spoiler": state.get("spoiler"),
        "four_color": state.get("colors") == 4,
        "dealing": state.get("believed"),
        "beliefs": None,
        "models": [{"id": name, "label": model_label(name)} for name in settings.models],
        "iterations": [one.iterations for one in settings.searches],
        "searches": [search_label(one, settings) for one in settings.searches],
        "decisions": [
            decision_text(decision, settings.models[0], state.get("threshold"), one)
            for decision, one in zip(decisions, judged, strict=True)
        ],
        "bids": bids_data(job) if job else None,
        "progress": {"done": n_done, "total": total} if is_running and n_done < total else None,
    }


def search_label(one: AnalysisSettings, first: AnalysisSettings) -> str:
    """A search in a few words: what differs from the standard agent's is named; only the bias
    where it is the ``first`` but for that."""
    if one.agent:
        return one.agent
    if one in first.others and replace(one, seed=0) == state.settings_of(state.SECOND):
        return state.SECOND
    bias, search = one.search.bias, one.search
    is_first = (one.iterations, one.dealing) == (first.iterations, first.dealing)
    if bias and is_first and replace(search, bias=None) == state.plain(first.search):
        return bias_label(bias)
    parts = [f"ISMCTS {one.iterations:,}"]
    if one.dealing != Dealing():
        parts.append(one.dealing.text("deals"))
    if search.playout != SearchSettings.playout:
        parts.append(f"{search.playout.name} playouts")
    names = {"skew": "skewed", "equivalence": "equal cards once", "duck": "nils minded"}
    parts += [text for name, text in names.items() if getattr(search, name)]
    if not search.objective.is_points:
        parts.append("for the game")
    values = values_of(search)
    numbers = {
        "exploration": "C",
        "reward_scale": "scale",
        "epsilon": "ε",
        "skew_k": "skew k",
        "solved": "tricks solved",
    }
    for name, text in numbers.items():
        if values[name] != SEARCH_OPTIONS[name].default:
            parts.append(f"{text} {values[name]:g}")
    text = ", ".join(parts)
    return f"{text} · {bias_label(bias)}" if bias else text


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
    """Move on from where the reader is, which the browser knows better than the last run."""
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
    """``decision_data`` as JSON; None while the decision is not searched. Written once: a page is
    drawn often, and sends every decision of the round."""
    if decision is None:
        return None
    return json.dumps(decision_data(decision, model, threshold, judged))


def decision_data(
    decision: PlayDecision, model: str, threshold: float, judged: Judged
) -> dict[str, Any]:
    """A decision for the panel. The verdict, the points and what a card leads to are the judge's;
    visits, shares and the choice those of the search."""
    data = _search_data(decision, decision, model, threshold, judged, 0)
    others = enumerate(decision.others, start=1)
    return {
        **data,
        "others": [
            _search_data(decision, other, model, threshold, judged, i) for i, other in others
        ],
    }


def _search_data(
    main: PlayDecision, decision: PlayDecision, model: str, threshold: float, judged: Judged, i: int
) -> dict[str, Any]:
    """A decision as search ``i`` shows it; ``main``: as the first does, whose objective is the
    judge's."""
    conclusion = judged.conclusion
    repeats = judged.repeats[i] if i < len(judged.repeats) else None
    single = with_findings(decision, conclusion, repeats, main.search.stakes)
    shown = by_class(single)
    is_agreed = any(
        row.is_search_choice or row.is_judged_best for row in shown.human_choices(model)
    )
    is_checking = conclusion is None and not judged.is_over and not decision.is_forced
    of_several = {card for row in shown.cards if row.equals for card in row.cards}
    each = [  # choices are of classes, and marked there
        replace(row, is_search_choice=False, is_judged_best=False)
        for row in single.cards
        if row.card in of_several
    ]
    sentence = CHECKING
    if not is_checking:
        sentence = verdict(replace(main, conclusion=conclusion), model)
    return {
        **shown.facts(),
        "played": decision.played,
        "cards": [card_document(row, main.seat) for row in shown.cards],
        "each": [card_document(row, main.seat) for row in each],
        "seat": decision.seat,
        "needs": _at_stake(main),
        "searches": shown.n_searches,
        "is_first_look": repeats is None and not decision.is_forced,
        "is_checking": is_checking,
        "judge": JUDGE,
        "kind": conclusion.kind if conclusion and conclusion.is_choice else None,
        "disagrees": shown.divergence >= threshold and not is_agreed,
        "verdict": sentence,
        "others": [],
    }


def _at_stake(decision: PlayDecision) -> str:
    """What both sides lack, and the chance to win before the round where a search is for that."""
    text = needs_text(decision.observation) if decision.observation else ""
    if decision.win_chance is None:
        return text
    side = SIDE_NAMES[partnership_of(decision.seat)]
    now = f"{side} had a {decision.win_chance:.0%} chance to win the game before this round"
    return f"{text} · {now}" if text else now


def bids_data(job: Job[RoundBids]) -> dict[str, Any] | None:
    """The bids of a round; None until they are answered."""
    if job.work.decisions is not None:
        return {"complaint": "", "decisions": _answers_of(job.work)}
    if job.is_finished:
        return {"complaint": complaint_of(job), "decisions": []}
    return None


@lru_cache(maxsize=MAX_ROUNDS)
def _answers_of(bids: RoundBids) -> list[dict[str, Any]]:
    """Intervals and verdicts take 60 ms, and a page is drawn often: made once a round."""
    from ui.replay.bids import bid_data  # loads pandas and plotly

    return list(map(bid_data, bids.decisions or ()))


def complaint_of(job: Job) -> str:
    return f"The bidders can't bid here: {job.reason}"


def beliefs_data(record: Record, ply: int) -> dict[str, Any]:
    """What the view is sent of the viewer's beliefs at a ply, by the way of dealing chosen.

    Nothing but the viewer's observation is looked at: own cards, bids and plays so far."""
    # Pandas comes with it: not before someone wants beliefs.
    from analysis.decisions.card_beliefs import N_QUICK_DEALS

    seat, dealing = viewer_of(record, ply), Dealing(state.get("believed"))
    hands, complaint, worth = [], "", 0
    try:
        observation = record.observation(ply, seat)
        hands, worth = _hands_data(record_key(record), ply, seat, dealing, observation)
    except SpadesError as error:
        complaint = str(error)
    of = {"ply": ply, "seat": seat, "dealing": dealing.text(), "n": N_QUICK_DEALS}
    return {**of, "distinct": worth, "hands": hands, "complaint": complaint}


def viewer_of(record: Record, ply: int) -> int:
    """The seat whose hand is open: the chosen one, else the seat to play."""
    chosen = state.get("seat")
    return record.at(ply).table.turn if chosen == "mover" else SEATS.index(chosen)


@st.cache_resource(max_entries=512, show_spinner=False)
def _hands_data(
    round_key: str, ply: int, seat: int, dealing: Dealing, _observation: Observation
) -> tuple[list[dict[str, Any]], int]:
    """One a hidden seat, and as how many deals its shares count; the observation is told apart by
    the other four."""
    from analysis.decisions.card_beliefs import deals_worth, seat_beliefs

    name = _observation.rules.cards.format_card
    hands = [
        {
            "seat": belief.seat,
            "cards": [
                {"card": name(one.card), "p": round(one.share, 3), "certain": one.is_certain}
                for one in belief.cards
            ],
            "voids": list(belief.voids),
        }
        for belief in seat_beliefs(dealing, _observation, most=MOST_CARDS)
    ]
    return hands, deals_worth(dealing, _observation)
