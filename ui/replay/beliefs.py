"""Where the unseen cards may be, by each way of dealing, and how well each explains them."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from analysis.decisions import card_beliefs
from analysis.decisions.card_beliefs import INFERRED, METHODS, N_DEALS, CardBeliefs
from analysis.decisions.decision import pretty
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
from spades.core.cards import N_SEATS, seat_name
from spades.core.observation import Observation
from spades.core.rules import NO_BID
from ui.replay.panel import CARDS_ONLY, Here, SeriesPanel, is_truth_shown, show_series, why_hidden
from ui.replay.state import page
from ui.replay.view_data import viewer_of
from ui.shared.page import is_narrow
from ui.shared.tables import number, show_download, show_table, text
from ui.shared.widgets import show_chart

FLOOD = (
    "High cards and spades are dealt first, by the bids; what room is left fills with low cards "
    "(Whitehouse et al. 2013 report 87% where 33% is right)."
)
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
    if here.ply >= len(here.record.plays) and here.record.is_complete:
        st.caption("All cards are played: nothing is hidden any more.")
        return
    # In the own-hand view the seat shown, else the seat to play.
    is_own = here.hands == "own"
    seat = viewer_of(here.record, here.ply) if is_own else here.record.at(here.ply).table.turn
    if hidden := why_hidden(here, seat):
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
    holders = truth and [
        next(seat for seat in range(N_SEATS) if truth[seat] >> card & 1) for card in beliefs.cards
    ]
    look: Any = {"holders": holders, "slant": 35 * is_narrow()}
    figure = plot_beliefs(beliefs, observation.rules.cards, **look)
    show_chart(figure, page.key("beliefs_chart"), "card-beliefs")
    n_effective = _effective(record_key(here.record), here.ply, beliefs.seat, observation)
    rings = " Rings: who holds the card in truth." if truth else ""
    st.caption(
        f"Shares of {N_DEALS:,} deals by each method; uniform shares are counted over all deals "
        "that agree with what was seen, and “Inferred” is the inference table itself, from which "
        "the biased deals are drawn. The posterior takes everybody for the simulated human; the "
        f"deals that it weighs count as {n_effective:.0f} of equal weight (effective sample size). "
        "The belief network, its shares exact, learned from simulated humans, "
        f"searches and rules, and isn't told who plays here.{rings}"
    )
    st.markdown(stray_sentence(beliefs, observation))
    _show_expected(beliefs, observation, truth)
    _show_rules(observation)
    if holders is not None:
        indices = [beliefs.seats.index(seat) for seat in holders]
        scores = ", ".join(
            f"{METHOD_NAMES[method].lower()} {card_beliefs.score_of(shares, indices, N_DEALS):.2f}"
            for method, shares in beliefs.shares.items()
            if method != INFERRED
        )
        about = "Mean log-likelihood of the true cards here, nats a card (one position)"
        st.caption(f"{about}: {scores}.")


@st.cache_data(max_entries=256, show_spinner=False)
def _effective(round_key: str, ply: int, seat: int, _observation: Observation) -> float:
    """The observation is told apart by the other three."""
    return card_beliefs.effective_deals(_observation)


def stray_sentence(beliefs: CardBeliefs, observation: Observation) -> str:
    """Where the biased deals stray furthest from the inference table, with n and interval."""
    if not beliefs.cards or "biased" not in beliefs.shares:
        return ""
    stray = card_beliefs.furthest_stray(beliefs)
    if stray is None:
        return (
            "No card is clearly oftener with a seat in the biased deals than the inference table "
            f"says (n = {N_DEALS:,} deals, 95% over all cells)."
        )
    card = pretty(observation.rules.cards.format_card(stray.card))
    name = seat_name(stray.seat)
    bidder = f"{name}, who bid nil," if card_beliefs.is_nil(observation, stray.seat) else name
    low, high = stray.interval
    found = (
        f"Biased dealing strays furthest at **{card}**: {bidder} holds it in "
        f"**{stray.biased:.1%}** of {N_DEALS:,} biased deals (95% over all cells: {low:.1%} to "
        f"{high:.1%}), the inference table says **{stray.inferred:.1%}**, uniform dealing "
        f"{stray.uniform:.1%}."
    )
    return f"{found} {FLOOD}" if card_beliefs.is_flood(stray, observation) else found


def _show_expected(
    beliefs: CardBeliefs, observation: Observation, truth: Sequence[int] | None
) -> None:
    """What the bids and plays imply: how many cards of each kind a seat holds in the mean."""
    masks, rows = card_beliefs.kind_masks(observation), []
    for row in card_beliefs.expected_cards(beliefs, observation):
        seat, kind = int(str(row["seat"])), str(row["kind"])
        bid = observation.table.bids[seat]
        name = "–" if bid == NO_BID else str(bid)
        if card_beliefs.is_nil(observation, seat):
            name = "nil"
        shown = {"seat": seat_name(seat), "bid": name, "kind": kind}
        shown |= {method: row[method] for method in beliefs.shares}
        if truth is not None:
            shown["truth"] = (truth[seat] & masks[kind]).bit_count()
        rows.append(shown)
    columns = {
        "seat": "Seat",
        "bid": text("Bid", width="small"),
        "kind": text("Cards", "Low: below the ten, no spades."),
        **{
            name: number(METHOD_NAMES[name], "%.1f", "Mean number held.") for name in beliefs.shares
        },
        "truth": number("Truth", hint="What the seat holds."),
    }
    show_table(pd.DataFrame(rows), "expected-cards", columns=columns)


def _show_rules(observation: Observation) -> None:
    """Which soft rules act here, what each reads, and where it moves the table most."""
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
        st.caption("No soft rule of the inference table moves anything here.")
        return
    st.markdown("Rules of the inference table that act here, each where it moves P most:")
    line = "- **{rule}**: {card} with {seat} from {without:.1%} to {with:.1%}. {reading}"
    st.markdown("\n".join(line.format(**row) for row in rows))
    show_download(pd.DataFrame(rows), "inference-rules")


def show_belief_scores() -> None:
    hint = "Mean log of the probability given to who holds each unseen card, in nats."
    st.subheader("How well each way of dealing explains the cards", help=hint)
    document = load_scores()
    if document is None:
        st.caption(f"Not measured here yet: `{COMMAND}` does, in some minutes.")
        return
    columns = {
        "group": "Held-out rounds",
        "rounds": number("Rounds"),
        "cards": number("Cards", "%d"),
        **{name: METHOD_NAMES.get(name, name.capitalize()) for name in (*METHODS, NETWORK_TOLD)},
    }
    show_table(scores_table(document), "belief-scores", columns=columns)
    st.markdown(finding(document))
    st.caption(
        "Nats a card, nearer 0 is better (a third each: -1.099), with 95% intervals by bootstrap "
        f"over rounds; {document['deals']} deals a position, before plies "
        f"{', '.join(map(str, document['plies']))}. Humans are simulated, by the very model that "
        "the posterior has; the network was trained on other rounds. Remade by "
        f"`{COMMAND}`. Below: biased less uniform, by kind of round and card."
    )
    show_table(causes_table(document), "belief-causes", columns={"part": "Biased less uniform"})
    n_rounds = next(iter(document["rules"].values()))["rounds"]
    st.caption(
        "What each rule of the inference table brings the biased deals: their score less that "
        f"with the rule switched off, in {n_rounds} of the rounds of each group."
    )
    show_table(rules_table(document), "belief-rules", columns={"rule": "Rule"})
    show_download(long_table(document), "belief-scores-all", "All scores (CSV)")


def scores_table(document: Mapping[str, Any]) -> pd.DataFrame:
    rows = []
    for group, found in document["groups"].items():
        part = found["parts"]["all"]
        scores = {method: _text(part["scores"][method]) for method in (*METHODS, NETWORK_TOLD)}
        rows.append({"group": group, "rounds": part["rounds"], "cards": part["cards"], **scores})
    return pd.DataFrame(rows)


def causes_table(document: Mapping[str, Any]) -> pd.DataFrame:
    parts = {group: found["parts"] for group, found in document["groups"].items()}

    def row(name: str) -> dict[str, str]:
        gaps = {group: in_group[name] for group, in_group in parts.items() if name in in_group}
        values = {group: gap["differences"]["biased - uniform"] for group, gap in gaps.items()}
        return {"part": name} | {group: _text(value) for group, value in values.items()}

    return pd.DataFrame(map(row, CAUSES))


def rules_table(document: Mapping[str, Any]) -> pd.DataFrame:
    rules = document["rules"]
    return pd.DataFrame(
        {"rule": "all rules" if name == NO_RULE else name}
        | {group: _text(found["gain"][name]["biased"]) for group, found in rules.items()}
        for name in next(iter(rules.values()))["gain"]
    )


def long_table(document: Mapping[str, Any]) -> pd.DataFrame:
    """A row a group, part and method or difference, with n and interval."""
    rows = []
    for group, found in document["groups"].items():
        for name, part in found["parts"].items():
            counts = {"rounds": part["rounds"], "cards": part["cards"]}
            for what, value in (part["scores"] | part["differences"]).items():
                low, high = value["interval"]
                numbers = {"nats_a_card": value["value"], "low": low, "high": high}
                rows.append({"group": group, "part": name, **counts, "what": what, **numbers})
    return pd.DataFrame(rows)


def finding(document: Mapping[str, Any]) -> str:
    """Which way of dealing does better than which, by whether intervals leave out 0."""
    gaps = [found["parts"]["all"]["differences"] for found in document["groups"].values()]
    found, n = [], len(gaps)
    for pair, a, b in COMPARED:
        better = sum(gap[pair]["interval"][0] > 0 for gap in gaps)
        worse = sum(gap[pair]["interval"][1] < 0 for gap in gaps)
        if better == n:
            found.append(f"{a} explains the cards better than {b} in all {n} groups")
        elif worse == n:
            found.append(f"**{a} explains them worse than {b}** in all {n} groups")
        else:
            found.append(f"{a} does better than {b} in {better}, worse in {worse} of {n} groups")
    sentence, cause = "; ".join(found), ""
    lost = ("biased - uniform", "biased - inferred")
    if all(gap[pair]["interval"][1] < 0 for gap in gaps for pair in lost):
        cause = (
            " The inference table, from which the biased deals are drawn, does better than they "
            "do: the dealing loses it, high cards and spades first, by the bids, and the rest into "
            "the room that is left."
        )
    return f"{sentence[0].upper()}{sentence[1:]}.{cause}"


def _text(value: Mapping[str, Any]) -> str:
    low, high = value["interval"]
    return f"{value['value']:.3f} ({low:.3f} to {high:.3f})"
