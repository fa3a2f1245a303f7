"""What the replay view is sent: the round once, and its decisions as far as they are searched.

`ui.replay.view` says what each part is for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.decisions.decision import Decision, decision_document
from analysis.decisions.report import verdict
from spades.core.cards import N_SEATS, SEAT_NAMES, SEATS, strength_of, suit_of
from spades.core.cards import cards_in as codes_in
from spades.core.records import RoundRecord
from spades.core.rules import NIL_BID, NO_BID
from ui.replay import state
from ui.replay.bid_data import bids_data
from ui.replay.panel import bid_desk
from ui.replay.search_controls import bias_label, search_label
from ui.shared.links import model_label


def view_data(decisions: Sequence[Decision | None], *, is_running: bool) -> dict[str, Any]:
    """All but the beliefs; it stays the same while the reader steps."""
    settings, total = state.settings(), len(decisions)
    n_done = sum(decision is not None for decision in decisions)
    return {
        **place_data(),
        "seat": state.get("seat"),
        "spoiler": state.get("spoiler"),
        "four_color": state.get("colors") == 4,
        "dealing": settings.dealing.text(),
        "beliefs": None,
        "models": [{"id": name, "label": model_label(name)} for name in settings.models],
        "beside": {"label": bias_label(settings.beside.bias)} if settings.beside else None,
        "decisions": [
            decision_data(decision, settings.models[0], state.get("threshold"))
            for decision in decisions
        ],
        "bids": bids_data(bid_desk(), state.get("hand").record),
        "agent": search_label(settings),
        "progress": {"done": n_done, "total": total} if is_running and n_done < total else None,
    }


def place_data() -> dict[str, Any]:
    """The round, and where Python last put the reader in it."""
    return {
        "id": state.get("hand").name,
        "rev": state.get("rev"),
        "ply": state.get("step"),
        "view": state.get("view"),
        "round": round_data(state.get("hand").record),
    }


def round_data(record: RoundRecord) -> dict[str, Any]:
    """The round: hands, plays, winners, bids, names and scores."""
    deck = record.rules.cards
    table = record.final().table
    score = record.score()
    return {
        "deck": deck.name,
        "dealer": record.dealer,
        "seats": [_seat_data(record, seat) for seat in range(N_SEATS)],
        "hands": [_sorted_hand(record, hand) for hand in record.hands],
        "trump_extra": [name for name in deck.suits[0] if name[0] != "S"],
        "plays": [deck.format_card(card) for card in record.plays],
        "play_seats": table.seats,
        "winners": table.winners,
        "has_nil": [_is_nil(record, seat) for seat in range(N_SEATS)],
        "contract": [table.contract_of(0), table.contract_of(1)] if record.has_bids else None,
        "score_before": list(record.score_before) if record.score_before else None,
        "bags_before": list(record.bags_before) if record.bags_before else None,
        "points": list(score.points) if score else None,
        "complete": record.is_complete,
        "has_auction": record.has_bids,
    }


def _seat_data(record: RoundRecord, seat: int) -> dict[str, Any]:
    letter, bid, kind = SEATS[seat], record.bids[seat], record.kinds[seat]
    told = (SEAT_NAMES[letter], kind.replace("-", " "), kind.rpartition("-")[2])
    return {
        "seat": letter,
        "name": "" if record.players[seat] in told else record.players[seat],
        "kind": kind,
        "bid": None if bid == NO_BID else bid,
        "bid_text": _bid_text(record, seat),
    }


def _bid_text(record: RoundRecord, seat: int) -> str:
    bid = record.bids[seat]
    if bid == NO_BID:
        return "–"
    if _is_nil(record, seat):
        return "blind nil" if record.blind[seat] else "nil"
    return str(bid)


def _is_nil(record: RoundRecord, seat: int) -> bool:
    return record.bids[seat] == NIL_BID and record.rules.nil is not None


def _sorted_hand(record: RoundRecord, hand: int) -> list[str]:
    order = sorted(codes_in(hand), key=lambda card: (suit_of(card), -strength_of(card)))
    return [record.rules.cards.format_card(card) for card in order]


def decision_data(decision: Decision | None, model: str, threshold: float) -> dict[str, Any] | None:
    """A decision for the panel; None while it is not searched."""
    if decision is None:
        return None
    document = decision_document(decision)
    choice = decision.search_choice.card
    for row in document["cards"]:
        row["is_search_choice"] = row["card"] == choice
    return {
        **document,
        "seat": decision.seat,
        "disagrees": decision.divergence >= threshold and not decision.is_forced,
        "verdict": verdict(decision, model),
    }
