"""Sampled deals on the Replay page: where the cards may be, and what each candidate gets there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from analysis.decisions.candidates import CandidateValue, candidate_values, deals_run, legal_cards
from analysis.decisions.decision import Decision, pretty
from analysis.decisions.searching import search_key
from analysis.plots.decisions import card_names, plot_candidates
from spades.belief.dealing import POSTERIOR
from spades.core.cards import N_SEATS, SEAT_NAMES, SEATS, Deck, cards_in, strength_of, suit_of
from spades.core.observation import Observation
from spades.search.deals import DEAL_ITERATIONS
from ui.replay import state
from ui.replay.belief_scores import show_belief_scores
from ui.replay.beliefs import show_beliefs
from ui.replay.panel import Here, PanelRun, is_truth_shown, open_decision, show_run
from ui.replay.widgets import choose_count, choose_dealing
from ui.shared.tables import number, show_download, show_table
from ui.shared.widgets import row as widget_row
from ui.shared.widgets import show_chart


def show(here: Here) -> None:
    """The panel's inside: the maps of beliefs, then the deals and the candidates' values."""
    show_beliefs(here)
    if not here.bid:
        _show_candidates(here)
    show_belief_scores()


def _show_candidates(here: Here) -> None:
    st.subheader(
        "What each card gets in them",
        help="Deals as the search draws them, each candidate valued in every one.",
    )
    decision = open_decision(here)
    if decision is None:
        return
    with widget_row():
        dealing = choose_dealing("dealing")
        wanted = choose_count("Deals", "deal_count", 110)
    settings = state.settings()
    observation = here.record.observation(here.ply)
    show_run(
        PanelRun(
            name="deals",
            key=f"deals {dealing} {search_key(here.record, settings, ply=here.ply)}",
            make=partial(deals_run, here.record, here.ply, settings, dealing),
            draw=lambda items, _: _show_found(items, observation, here, decision),
            wanted=wanted,
            noun="deals",
            start=f"Sample {wanted:,} deals",
        )
    )


def _show_found(
    items: Sequence[list], observation: Observation, here: Here, decision: Decision
) -> None:
    cards = legal_cards(observation)
    values = np.array([found for _, found in items])
    rows = candidate_values(cards, values)
    chosen = decision.search_choice.card
    deal = _show_picker(len(items), here)
    at_hand = dict(zip(cards, values[deal - 1].tolist(), strict=True))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        labels = card_names(cards, played=decision.played, chosen=chosen)
        figure = plot_candidates(rows, labels=labels, here=at_hand, deal=deal)
        show_chart(figure, state.key("deals_chart"), "sampled-deals")
    with right:
        _show_deal(items[deal - 1][0], deal, here, observation)
    drawn = state.settings().dealing
    same = (
        f"{drawn.text('deals').capitalize()} are the first that the search in the table looked at."
    )
    st.caption(
        f"A card's value in a deal: it is played, then a search of {DEAL_ITERATIONS} iterations "
        "goes on with all four hands open; its mean, in points for the mover's partnership. Who "
        "sees the cards needs no guessing, so look at differences, not levels. Intervals: 95 %, "
        f"over deals. {same if drawn.determinization != POSTERIOR else ''}"
    )
    _show_values(rows, chosen)
    _show_pairs(rows)
    show_download(_deals_table(items, cards, observation), "deals", "All deals (CSV)")


def _show_picker(n: int, here: Here) -> int:
    """The number of the deal to look at; the address follows at once."""
    kept = min(int(state.get("deal")), n)
    if st.session_state.get(state.key("deal"), 1) > n:
        st.session_state[state.key("deal")] = kept
    deal = st.number_input(
        f"Deal, of {n:,}", 1, n, kept, key=state.key("deal"), width=150, help="One by one."
    )
    state.write_state(here.ply, here.view)
    return int(deal)


def _show_deal(hands: Sequence[int], deal: int, here: Here, observation: Observation) -> None:
    deck, mover = observation.rules.cards, observation.seat
    names = [SEAT_NAMES[seat] for seat in SEATS]
    table = pd.DataFrame(
        {
            f"{name} (decides)" if seat == mover else name: _suits(hands[seat], deck)
            for seat, name in enumerate(names)
        }
    )
    st.table(table.set_index(pd.Index(list("♠♥♦♣"))))
    told = f"Deal {deal:,}: {names[mover]}'s own cards and three hands that {names[mover]} "
    told += "can't rule out."
    if is_truth_shown(here):
        truth = here.record.at(here.ply).hands
        others = [seat for seat in range(N_SEATS) if seat != mover]
        same = sum((hands[seat] & truth[seat]).bit_count() for seat in others)
        total = sum(truth[seat].bit_count() for seat in others)
        told += f" {same} of the {total} hidden cards lie there in truth."
    st.caption(told)


def _suits(hand: int, deck: Deck) -> list[str]:
    """Ranks of a hand by suit, highest first."""
    found: list[list[str]] = [[], [], [], []]
    for card in sorted(cards_in(hand), key=strength_of, reverse=True):
        text = deck.format_card(card)
        is_plain = pretty(text)[-1] in "♠♥♦♣" and text[0] == "SHDC"[suit_of(card)]
        found[suit_of(card)].append(pretty(text)[:-1] if is_plain else pretty(text))
    return [" ".join(ranks) or "–" for ranks in found]


def _show_values(rows: Sequence[CandidateValue], chosen: str) -> None:
    """Mean, interval, best in, and against the search's choice in the same deals."""
    points, name = "%+.1f", pretty(chosen)
    show_table(
        pd.DataFrame([_value_row(row, chosen) for row in rows]),
        "candidates",
        columns={
            "card": "Card",
            "deals": number("Deals"),
            "mean": number("Mean", points, "Points, over the deals."),
            "se": number("SE", "%.1f", "Standard error of the mean."),
            "best_in": number(
                "Best in", told="Deals where no card is worth more; ties count for each."
            ),
            "against": number(f"Less {name}", points, "Mean difference in the same deal."),
            "low": number("95 % from", points),
            "high": number("95 % to", points),
            "beats": number(f"Beats {name} in", told="Deals where it is worth more."),
        },
    )


def _value_row(row: CandidateValue, chosen: str) -> Mapping[str, object]:
    found: dict[str, object] = {
        "card": pretty(row.card),
        "deals": row.n,
        "mean": row.mean,
        "se": row.standard_error,
        "best_in": row.best_in,
    }
    if row.card != chosen:
        gap, error = row.against[chosen]
        found |= {
            "against": gap,
            "low": gap - 1.96 * error,
            "high": gap + 1.96 * error,
            "beats": row.beats[chosen],
        }
    return found


def _show_pairs(rows: Sequence[CandidateValue]) -> None:
    """In how many deals each card beats each other."""
    table = pd.DataFrame(
        [
            {"card": pretty(row.card)}
            | {pretty(other.card): row.beats.get(other.card) for other in rows}
            for row in rows
        ]
    )
    st.caption(f"In how many of {rows[0].n:,} deals the card at the left is worth more:")
    show_table(table, "candidate-pairs", columns={"card": "Card"})


def _deals_table(
    items: Sequence[list], cards: Sequence[str], observation: Observation
) -> pd.DataFrame:
    """A row a deal: the four hands as text, the value of every candidate."""
    deck = observation.rules.cards
    return pd.DataFrame(
        [
            {"deal": i}
            | {SEATS[seat]: deck.format_cards(hand) for seat, hand in enumerate(hands)}
            | {f"value_{card}": value for card, value in zip(cards, values, strict=True)}
            for i, (hands, values) in enumerate(items, start=1)
        ]
    )
