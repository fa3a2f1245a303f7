"""The beliefs view: what the seat whose cards are shown may believe of the other three hands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from analysis.decisions.searching import record_key
from spades.belief import Dealing
from spades.core.cards import SEATS, Deck
from spades.core.errors import SpadesError
from spades.core.observation import Observation
from spades.core.records import RoundRecord
from ui.replay import state

if TYPE_CHECKING:
    from analysis.decisions.card_beliefs import SeatBelief

MOST_CARDS = 10  # of a hand: what its place at the table has room for


def beliefs_data(record: RoundRecord, ply: int) -> dict[str, Any]:
    """What the view is sent of the viewer's beliefs at a ply, by the search's way of dealing.

    Nothing but the viewer's observation is looked at: own cards, bids and plays so far.
    """
    # Pandas comes with it: not before someone wants beliefs.
    from analysis.decisions.card_beliefs import N_QUICK_DEALS, distinct_deals

    seat, dealing = viewer_of(record, ply), state.settings().dealing
    sent = {
        "ply": ply,
        "seat": seat,
        "dealing": dealing.text(),
        "n": N_QUICK_DEALS,
        "distinct": distinct_deals(dealing),
    }
    try:
        observation = record.observation(ply, seat)
        hands = _hands_data(record_key(record), ply, seat, dealing, observation)
    except SpadesError as error:
        return {**sent, "hands": [], "complaint": str(error)}
    return {**sent, "hands": hands, "complaint": ""}


def viewer_of(record: RoundRecord, ply: int) -> int:
    """The seat whose hand is open: the chosen one, else the seat to play."""
    chosen = state.get("seat")
    return record.at(ply).table.turn if chosen == "mover" else SEATS.index(chosen)


@st.cache_data(max_entries=512, show_spinner=False)
def _hands_data(
    round_key: str, ply: int, seat: int, dealing: Dealing, _observation: Observation
) -> list[dict[str, Any]]:
    """One a hidden seat; the observation is told apart by the other four."""
    from analysis.decisions.card_beliefs import seat_beliefs

    deck = _observation.rules.cards
    found = seat_beliefs(dealing, _observation, most=MOST_CARDS)
    return [_hand_data(belief, deck) for belief in found]


def _hand_data(belief: SeatBelief, deck: Deck) -> dict[str, Any]:
    cards = [
        {
            "card": deck.format_card(likely.card),
            "p": round(likely.share, 3),
            "certain": likely.is_certain,
        }
        for likely in belief.cards
    ]
    return {"seat": belief.seat, "cards": cards, "voids": list(belief.voids)}
