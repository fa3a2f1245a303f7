"""Where the unseen cards may be, by each way of dealing, and what the bids imply."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from analysis.decisions.card_beliefs import (
    INFERRED,
    METHODS,
    N_DEALS,
    CardBeliefs,
    beliefs_of,
    beliefs_run,
    expected_cards,
    furthest_stray,
    is_flood,
    is_nil,
    kind_masks,
    rule_effects,
    score_of,
)
from analysis.decisions.decision import pretty
from analysis.decisions.searching import record_key
from analysis.plots.decisions import METHOD_NAMES, plot_beliefs
from spades.core.cards import N_SEATS, SEAT_NAMES, SEATS
from spades.core.observation import Observation
from spades.core.rules import NO_BID
from ui.replay import state
from ui.replay.panel import CARDS_ONLY, Here, PanelRun, is_truth_shown, show_run, why_hidden
from ui.shared.tables import number, show_download, show_table, text
from ui.shared.widgets import show_chart

FLOOD = (
    "High cards and spades are dealt first, by the bids; what room is left fills with low cards "
    "(Whitehouse et al. 2013 report 87 % where 33 % is right)."
)


def show_beliefs(here: Here) -> None:
    """Maps of P(card, seat), drawn as soon as the panel is open."""
    if here.bid:
        st.caption(CARDS_ONLY)
        return
    if here.ply >= len(here.record.plays) and here.record.is_complete:
        st.caption("All cards are played: nothing is hidden any more.")
        return
    seat = observer_of(here)
    if hidden := why_hidden(here, seat):
        st.caption(hidden)
        return
    observation = here.record.observation(here.ply, seat)
    st.subheader(
        f"Where the cards are, as {SEAT_NAMES[SEATS[seat]]} may believe",
        help="P(seat holds the card) from that seat's cards, the bids and the plays so far.",
    )

    show_run(
        PanelRun(
            name="beliefs",
            key=f"beliefs {record_key(here.record)} {here.ply} {seat}",
            make=partial(beliefs_run, here.record, here.ply, seat),
            draw=lambda items, _: _show(beliefs_of(items, observation), observation, here),
            wanted=len(METHODS),
            noun="ways of dealing",
        )
    )


def observer_of(here: Here) -> int:
    """Whose knowledge is shown: the seat of the own-hand view, else the seat to play."""
    chosen = state.get("seat")
    if here.view == "own" and chosen != "mover":
        return SEATS.index(chosen)
    return here.record.at(here.ply).table.turn


def _show(beliefs: CardBeliefs, observation: Observation, here: Here) -> None:
    deck = observation.rules.cards
    truth = here.record.at(here.ply).hands if is_truth_shown(here) else None
    holders = None
    if truth is not None:
        holders = [
            next(seat for seat in range(N_SEATS) if truth[seat] >> card & 1)
            for card in beliefs.cards
        ]
    figure = plot_beliefs(beliefs, deck, holders=holders)
    show_chart(figure, state.key("beliefs_chart"), "card-beliefs")
    rings = " Rings: who holds the card in truth." if holders is not None else ""
    st.caption(
        f"Shares of {N_DEALS:,} deals by each method; uniform shares are counted over all deals "
        "that agree with what was seen, and “Inferred” is the inference table itself, from which "
        "the biased deals are drawn. The posterior has 400 deals of its own to draw from and takes "
        f" everybody for the simulated human.{rings}"
    )
    st.markdown(stray_sentence(beliefs, observation))
    _show_expected(beliefs, observation, truth)
    _show_rules(observation)
    if holders is not None:
        st.caption(_score_sentence(beliefs, holders))


def stray_sentence(beliefs: CardBeliefs, observation: Observation) -> str:
    """Where the biased deals stray furthest from the inference table, with n and interval."""
    if not beliefs.cards or "biased" not in beliefs.shares:
        return ""
    stray = furthest_stray(beliefs)
    if stray is None:
        return (
            "No card is clearly oftener with a seat in the biased deals than the inference table "
            f"says (n = {N_DEALS:,} deals, 95 % over all cells)."
        )
    card = pretty(observation.rules.cards.format_card(stray.card))
    name = SEAT_NAMES[SEATS[stray.seat]]
    bidder = f"{name}, who bid nil," if is_nil(observation, stray.seat) else name
    low, high = stray.interval
    told = (
        f"Biased dealing strays furthest at **{card}**: {bidder} holds it in "
        f"**{stray.biased:.0%}** of {N_DEALS:,} biased deals (95 % over all cells: {low:.0%} to "
        f"{high:.0%}), the inference table says **{stray.inferred:.0%}**, uniform dealing "
        f"{stray.uniform:.0%}."
    )
    return f"{told} {FLOOD}" if is_flood(stray, observation) else told


def _show_expected(
    beliefs: CardBeliefs, observation: Observation, truth: Sequence[int] | None
) -> None:
    """What the bids and plays imply: how many cards of each kind a seat holds in the mean."""
    masks, rows = kind_masks(observation), []
    for row in expected_cards(beliefs, observation):
        seat = int(str(row["seat"]))
        shown = {
            "seat": SEAT_NAMES[SEATS[seat]],
            "bid": _bid(observation, seat),
            "kind": row["kind"],
            **{method: row[method] for method in beliefs.shares},
        }
        if truth is not None:
            shown["truth"] = (truth[seat] & masks[str(row["kind"])]).bit_count()
        rows.append(shown)
    show_table(
        pd.DataFrame(rows),
        "expected-cards",
        columns={
            "seat": "Seat",
            "bid": text("Bid", width="small"),
            "kind": text("Cards", "Low: below the ten, no spades."),
            **{
                method: number(METHOD_NAMES[method], "%.1f", "Mean number held.")
                for method in beliefs.shares
            },
            "truth": number("Truth", told="What the seat holds."),
        },
    )


def _bid(observation: Observation, seat: int) -> str:
    bid = observation.table.bids[seat]
    if is_nil(observation, seat):
        return "nil"
    return "–" if bid == NO_BID else str(bid)


def _show_rules(observation: Observation) -> None:
    """Which soft rules act here, what each reads, and where it moves the table most."""
    effects = rule_effects(observation)
    if not effects:
        st.caption("No soft rule of the inference table moves anything here.")
        return
    deck = observation.rules.cards
    rows = [
        {
            "rule": effect.name,
            "card": pretty(deck.format_card(effect.card)),
            "seat": SEAT_NAMES[SEATS[effect.seat]],
            "without": effect.without,
            "with": effect.with_rule,
            "reading": effect.reading,
        }
        for effect in effects
    ]
    st.markdown("Rules of the inference table that act here, each where it moves P most:")
    st.markdown(
        "\n".join(
            f"- **{row['rule']}**: {row['card']} with {row['seat']} from {row['without']:.0%} to "
            f"{row['with']:.0%}. {row['reading']}"
            for row in rows
        )
    )
    show_download(pd.DataFrame(rows), "inference-rules")


def _score_sentence(beliefs: CardBeliefs, holders: Sequence[int]) -> str:
    indices = [beliefs.seats.index(seat) for seat in holders]
    told = ", ".join(
        f"{METHOD_NAMES[method].lower()} {score_of(shares, indices, N_DEALS):.2f}"
        for method, shares in beliefs.shares.items()
        if method != INFERRED
    )
    return f"Mean log-likelihood of the true cards here, nats a card (one position): {told}."
