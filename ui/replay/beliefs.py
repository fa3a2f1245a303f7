"""Where the unseen cards may be, by each way of dealing, and how well each predicts them."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from analysis.decisions import card_beliefs
from analysis.decisions.card_beliefs import INFERRED, METHODS, N_DEALS, CardBeliefs
from analysis.decisions.settings import record_key
from analysis.papers.belief_scores import (
    COMMAND,
    DEALT_FIRST,
    DEALT_LAST,
    NETWORK_TOLD,
    NO_RULE,
    load_scores,
)
from analysis.plots.decisions import METHOD_NAMES, plot_beliefs
from analysis.text_tables import signed, span
from spades.core.cards import N_SEATS, seat_name
from spades.core.observation import Observation
from spades.core.rules import NO_BID
from spades.look.words import pretty
from ui.replay.panel import CARDS_ONLY, Here, SeriesPanel, is_truth_shown, show_series, why_hidden
from ui.replay.view_data import viewer_of
from ui.shared.page import is_narrow
from ui.shared.panel import Panel
from ui.shared.tables import number, text

FLOOD = (
    "High cards and spades are dealt first, by the bids; what room is left fills with low cards "
    "(Whitehouse et al. 2013 report 87% where 33% is right)."
)
SCORED = (*METHODS, NETWORK_TOLD)
CAUSES = ("all", "rounds with a nil", "rounds without", DEALT_FIRST, DEALT_LAST)
COMPARED = (
    ("posterior - biased", "posterior", "biased"),
    ("posterior - uniform", "posterior", "uniform"),
    ("biased - uniform", "biased", "uniform"),
    ("inferred - uniform", "the inference table", "uniform"),
    ("network - uniform", "the belief network", "uniform"),
    (f"{NETWORK_TOLD} - posterior", "the network that is told who plays", "the posterior"),
)


def show_beliefs(here: Here) -> None:
    if here.bid:
        st.caption(CARDS_ONLY)
        return
    if here.is_over and here.record.is_complete:
        st.caption("All cards are played: nothing is hidden any more.")
        return
    if here.hands == "own":
        seat = viewer_of(here.record, here.ply)
    else:
        seat = here.record.at(here.ply).table.turn
    hidden = why_hidden(here, seat)
    if hidden:
        st.caption(hidden)
        return
    observation = here.record.observation(here.ply, seat)
    hint = "P(seat holds the card) from that seat's cards, the bids and the plays so far."
    st.subheader(f"Where the cards are, as {seat_name(seat)} may believe", help=hint)

    def draw(items: Sequence[list], n_wanted: int) -> None:
        _show_maps(card_beliefs.beliefs_of(items, observation), observation, here)

    key = f"beliefs {record_key(here.record)} {here.ply} {seat}"
    make = partial(card_beliefs.beliefs_series, here.record, here.ply, seat)
    show_series(SeriesPanel("beliefs", key, make, draw, len(METHODS), "ways of dealing"))


def _show_maps(beliefs: CardBeliefs, observation: Observation, here: Here) -> None:
    truth = here.record.at(here.ply).hands if is_truth_shown(here) else None
    holders = None
    rings = ""
    if truth:
        holders = [_holder_of(card, truth) for card in beliefs.cards]
        rings = " Rings: who holds the card in truth."
    cards = observation.rules.cards
    figure = plot_beliefs(beliefs, cards, holders=holders, is_narrow=is_narrow())
    n_effective = _effective(record_key(here.record), here.ply, beliefs.seat, observation)
    reading = (
        f"Shares of {N_DEALS:,} deals by each method; uniform shares are counted over all deals "
        "that agree with what was seen, and “Inferred” is the inference table itself, from which "
        "the biased deals are drawn. The posterior assumes that all others are simulated humans; "
        f"its weighted deals have an effective sample size of {n_effective:.0f}. The belief "
        "network, whose shares are exact, learned from simulated humans, searches and rules, and "
        f"isn't told who plays here.{rings}"
    )
    Panel("card-beliefs").figure(figure, reading)
    st.markdown(stray_sentence(beliefs, observation))
    _show_expected(beliefs, observation, truth)
    _show_rules(observation)
    if holders is not None:
        indices = [beliefs.seats.index(seat) for seat in holders]
        scores = []
        for method, shares in beliefs.shares.items():
            if method != INFERRED:
                score = card_beliefs.score_of(shares, indices, N_DEALS)
                scores.append(f"{METHOD_NAMES[method].lower()} {signed(score, '.2f')}")
        about = "Mean log-likelihood of the true cards here, nats a card (one position)"
        st.caption(f"{about}: {', '.join(scores)}.")


def _holder_of(card: int, hands: Sequence[int]) -> int:
    """The seat whose hand has a card."""
    return next(seat for seat in range(N_SEATS) if hands[seat] >> card & 1)


@st.cache_data(max_entries=256, show_spinner=False)
def _effective(round_key: str, ply: int, seat: int, _observation: Observation) -> float:
    """The first three arguments identify the observation."""
    return card_beliefs.effective_deals(_observation)


def stray_sentence(beliefs: CardBeliefs, observation: Observation) -> str:
    """The largest clear difference of the biased deals from the inference table, with n and
    interval."""
    if not beliefs.cards or "biased" not in beliefs.shares:
        return ""
    stray = card_beliefs.furthest_stray(beliefs)
    if stray is None:
        return (
            "No seat holds a card clearly more often in the biased deals than the inference table "
            f"says (n = {N_DEALS:,} deals, 95% over all cells)."
        )
    card = pretty(observation.rules.cards.format_card(stray.card))
    name = seat_name(stray.seat)
    bidder = f"{name}, who bid nil," if card_beliefs.is_nil(observation, stray.seat) else name
    sentence = (
        f"Biased dealing strays furthest at **{card}**: {bidder} holds it in "
        f"**{stray.biased:.1%}** of {N_DEALS:,} biased deals (95% over all cells: "
        f"{span(stray.interval, '.1%')}), the inference table says **{stray.inferred:.1%}**, "
        f"uniform dealing {stray.uniform:.1%}."
    )
    return f"{sentence} {FLOOD}" if card_beliefs.is_flood(stray, observation) else sentence


def _show_expected(
    beliefs: CardBeliefs, observation: Observation, truth: Sequence[int] | None
) -> None:
    """The mean number of cards of each kind that a seat holds, given bids and plays."""
    masks = card_beliefs.kind_masks(observation)
    rows = []
    for expected in card_beliefs.expected_cards(beliefs, observation):
        seat = int(str(expected["seat"]))
        kind = str(expected["kind"])
        cells = {"seat": seat_name(seat), "bid": _bid_text(observation, seat), "kind": kind}
        cells |= {method: expected[method] for method in beliefs.shares}
        if truth is not None:
            cells["truth"] = (truth[seat] & masks[kind]).bit_count()
        rows.append(cells)
    columns = {
        "seat": "Seat",
        "bid": text("Bid", width="small"),
        "kind": text("Cards", "Low: below the ten, no spades."),
        "truth": number("Truth", hint="What the seat holds."),
    }
    for method in beliefs.shares:
        columns[method] = number(METHOD_NAMES[method], "%.1f", "Mean number held.")
    Panel("expected-cards").table(pd.DataFrame(rows), columns)


def _bid_text(observation: Observation, seat: int) -> str:
    if card_beliefs.is_nil(observation, seat):
        return "nil"
    bid = observation.table.bids[seat]
    return "–" if bid == NO_BID else str(bid)


def _show_rules(observation: Observation) -> None:
    """The soft rules that act here, what each reads, and where it changes the table most."""
    deck = observation.rules.cards
    rows = [
        {
            "rule": effect.name,
            "card": pretty(deck.format_card(effect.card)),
            "seat": seat_name(effect.seat),
            "without": effect.without,
            "with": effect.with_rule,
            "reading": effect.reading,
        }
        for effect in card_beliefs.rule_effects(observation)
    ]
    if not rows:
        st.caption("No soft rule of the inference table changes anything here.")
        return
    st.markdown("Rules of the inference table that act here, each where it changes P most:")
    line = "- **{rule}**: {card} with {seat} from {without:.1%} to {with:.1%}. {reading}"
    panel = Panel("inference-rules")
    panel.answer("\n".join(line.format(**row) for row in rows))
    panel.export(pd.DataFrame(rows))


def show_belief_scores() -> None:
    hint = "Mean log of the probability given to who holds each unseen card, in nats."
    panel = Panel("belief-scores", "How well each way of dealing predicts the cards", hint)
    document = load_scores()
    if document is None:
        st.caption(f"Not measured here yet: `{COMMAND}` measures it in some minutes.")
        return
    columns: dict[str, Any] = {
        "group": "Held-out rounds",
        "rounds": number("Rounds"),
        "cards": number("Cards", "%d"),
    }
    for method in SCORED:
        columns[method] = METHOD_NAMES.get(method, method.capitalize())
    panel.answer(finding(document))
    plies = ", ".join(map(str, document["plies"]))
    note = (
        "Nats a card, nearer 0 is better (a third each: −1.099), with 95% intervals by bootstrap "
        f"over rounds; {document['deals']} deals a position, before plies {plies}. Humans are "
        "simulated, by the same model as in the posterior; the network was trained on other "
        f"rounds. Made by `{COMMAND}`. Below: biased less uniform, by kind of round and card."
    )
    panel.table(scores_table(document), columns, note)
    panel.export(long_table(document), "all scores")
    Panel("belief-causes").table(causes_table(document), {"part": "Biased less uniform"})
    n_rounds = next(iter(document["rules"].values()))["rounds"]
    note = (
        "What each rule of the inference table adds to the biased deals: their score less that "
        f"with the rule switched off, in {n_rounds} of the rounds of each group."
    )
    Panel("belief-rules").table(rules_table(document), {"rule": "Rule"}, note)


def scores_table(document: Mapping[str, Any]) -> pd.DataFrame:
    rows = []
    for group, scored in document["groups"].items():
        part = scored["parts"]["all"]
        measured = [method for method in SCORED if method in part["scores"]]
        scores = {method: _score_text(part["scores"][method]) for method in measured}
        rows.append({"group": group, "rounds": part["rounds"], "cards": part["cards"], **scores})
    return pd.DataFrame(rows)


def causes_table(document: Mapping[str, Any]) -> pd.DataFrame:
    rows = []
    for name in CAUSES:
        row = {"part": name}
        for group, scored in document["groups"].items():
            if name in scored["parts"]:
                difference = scored["parts"][name]["differences"]["biased - uniform"]
                row[group] = _score_text(difference)
        rows.append(row)
    return pd.DataFrame(rows)


def rules_table(document: Mapping[str, Any]) -> pd.DataFrame:
    groups = document["rules"]
    rows = []
    for name in next(iter(groups.values()))["gain"]:
        row = {"rule": "all rules" if name == NO_RULE else name}
        for group, measured in groups.items():
            row[group] = _score_text(measured["gain"][name]["biased"])
        rows.append(row)
    return pd.DataFrame(rows)


def long_table(document: Mapping[str, Any]) -> pd.DataFrame:
    """One row for each group, part and method or difference, with n and interval."""
    rows = []
    for group, scored in document["groups"].items():
        for name, part in scored["parts"].items():
            for what, score in (part["scores"] | part["differences"]).items():
                low, high = score["interval"]
                rows.append(
                    {
                        "group": group,
                        "part": name,
                        "rounds": part["rounds"],
                        "cards": part["cards"],
                        "what": what,
                        "nats_a_card": score["value"],
                        "low": low,
                        "high": high,
                    }
                )
    return pd.DataFrame(rows)


def finding(document: Mapping[str, Any]) -> str:
    """Which way of dealing does better than which, by the intervals that exclude 0."""
    groups = [scored["parts"]["all"]["differences"] for scored in document["groups"].values()]
    n = len(groups)
    clauses = []
    for pair, a, b in COMPARED:
        better = sum(group[pair]["interval"][0] > 0 for group in groups)
        worse = sum(group[pair]["interval"][1] < 0 for group in groups)
        if better == n:
            clauses.append(f"{a} predicts the cards better than {b} in all {n} groups")
        elif worse == n:
            clauses.append(f"**{a} predicts them worse than {b}** in all {n} groups")
        else:
            clauses.append(f"{a} does better than {b} in {better}, worse in {worse} of {n} groups")
    sentence = "; ".join(clauses)
    cause = ""
    lost = ("biased - uniform", "biased - inferred")
    if all(group[pair]["interval"][1] < 0 for group in groups for pair in lost):
        cause = (
            " The inference table, from which the biased deals are drawn, does better than the "
            "deals themselves: dealing high cards and spades first, by the bids, and the rest into "
            "the room that is left loses information."
        )
    return f"{sentence[0].upper()}{sentence[1:]}.{cause}"


def _score_text(score: Mapping[str, Any]) -> str:
    return f"{signed(score['value'], '.3f')} ({span(score['interval'], '.3f')})"
