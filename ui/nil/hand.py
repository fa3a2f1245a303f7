"""A hand on the Nil page: its nil value suit by suit, its place on the curves, the expected points
of a nil, and how often its nil is made in simulated rounds."""

import pandas as pd
import streamlit as st

from analysis.bidding import bid_trials
from analysis.bidding.decisions import even_chance, explain
from analysis.bidding.questions import ANY, Pattern, bid_name, describe
from analysis.nil.rates import arithmetic, compute_places, compute_suits, value_of
from analysis.plots.nil import Mark
from analysis.text_tables import span
from spades.bidding import bidder_options, explain_bis, observe_auction
from spades.core.cards import DECKS, HAND_SIZE
from spades.core.rules import NIL_BID, Rules
from ui.nil import state
from ui.nil.curves import Question, curve_figure, fitted
from ui.nil.state import page
from ui.shared.hand_entry import show_hand_entry
from ui.shared.page import literal
from ui.shared.tables import count, ends, number, percent, show_table
from ui.shared.widgets import row, show_chart, show_info, show_note

BIDDER = "bis"  # of the seats after this one in simulated rounds
P_CNIL = "Chance that the distribution of the cards alone doesn't set the nil here; exact."
SUIT_LABELS = {"S": "♠ Spades", "H": "♥ Hearts", "D": "♦ Diamonds", "C": "♣ Clubs"}


def show_hand() -> None:
    entry, place = st.columns(2, gap="large")
    with entry:
        with row():
            page.select("Deck", "deck", DECKS.keys(), width=230)
            hint = "BIS bids nil if it expects more points from it than this; 25 in the paper."
            page.number("Threshold (points)", "threshold", width=150, help=hint)
        hand = show_hand_entry(state.HAND, state.deck())
        is_whole = hand.bit_count() == HAND_SIZE
        if is_whole:
            _show_suits(hand)
    with place:
        if is_whole:
            _show_place(hand)
        else:
            hint = f"Its nil value is shown here once the hand has {HAND_SIZE} cards."
            show_info(hint, "playing_cards")


def _show_suits(hand: int) -> None:
    suits = compute_suits(hand, state.deck())
    shown = suits.assign(
        suit=suits["suit"].map(SUIT_LABELS),
        cards=[_ranks(cards) or "void" for cards in suits["cards"]],
    )
    columns = {
        "suit": "Suit",
        "cards": "Cards",
        "p_cnil": number("Pr(cnil)", "%.3f", P_CNIL),
    }
    show_table(shown, "nil-suits", columns)
    show_note(f"Nil value: {arithmetic(suits, value_of(hand, state.deck()))}")


def _ranks(cards: str) -> str:
    """``SA ST S2`` as ``A 10 2``; jokers, and spades of another suit's face, stay whole."""
    texts = cards.split()
    suit = texts[-1][0] if texts else ""
    ranks = [text.removeprefix(suit) for text in texts]
    return " ".join(ranks).replace("T", "10")


def _show_place(hand: int) -> None:
    """The hand's chance by every fitted curve, and what BIS bids at a score of 0 to 0."""
    rules = Rules(deck=page.get("deck"))
    pattern = state.get_previous()
    value = value_of(hand, state.deck())
    worth = rules.nil or 0
    sources = [fitted(name) for name in state.TABLE_LABELS]
    places = compute_places(sources, pattern, value, worth)
    st.markdown(literal(describe(pattern)))
    figures = st.container(horizontal=True, gap="medium")
    with figures:
        _show_worth(places.iloc[0], value, worth)
    if ANY in pattern:
        show_info("Choose every bid before yours: BIS's bid depends on all of them.", "help")
    else:
        _show_bis(hand, pattern, rules)
    on_curves = places.dropna(subset=["chance"])
    marks = tuple(Mark(value, place.chance, place.source) for place in on_curves.itertuples())
    question = Question(tuple(state.TABLE_LABELS), (), page.get("kind"), (pattern,))
    figure = curve_figure(question, marks, even(worth), 380)
    show_chart(figure, "nil_place", "nil-hand")
    st.caption("The star is this hand." if marks else "A nil value of 0 has no place on a curve.")
    columns = {
        "source": "Curves of",
        "made": count("Made"),
        "chance": percent("Chance of nil", "By the curve, at this hand's nil value.", bar=True),
        "points": number("Expected points", "%+.1f"),
        **ends(),
        **ends("%+.1f", "points"),
        "after": count("Nils after these bids", "Of any nil value, in the rounds of the fit."),
        "n": count("Nils like this", "After these bids, in the same twentieth of nil value."),
        "rate": percent("Share made", "Of the nils like this; empty if there are none."),
        **ends(name="rate"),
    }
    show_table(places, "nil-places", columns)
    if ANY not in pattern:
        with figures:
            _show_simulated(hand, pattern)


def _show_bis(hand: int, pattern: Pattern, rules: Rules) -> None:
    options = bidder_options(threshold=float(page.get("threshold")))
    with st.spinner("Asking BIS (compiled the first time, about 15 s) ..."):
        observation = observe_auction(hand, pattern, rules=rules)
        answer = explain_bis(observation, options)
    text = f"BIS bids {bid_name(answer.bid, rules)}. {explain(answer, observation)}"
    st.markdown(f":material/gavel: {literal(text)}")


@st.cache_data(max_entries=64, show_spinner="Playing the nil in simulated rounds ...")
def _simulated(hand: int, pattern: Pattern, deck: str) -> tuple[pd.Series, str]:
    """The outcome of a nil on this hand, and how its rounds were drawn."""
    observation = observe_auction(hand, pattern, rules=Rules(deck=deck))
    trials = bid_trials.try_bids(observation, [NIL_BID], bidder=BIDDER)
    text = bid_trials.describe_deals(trials, BIDDER.upper(), has_before=bool(pattern))
    return bid_trials.trials_table(trials).iloc[0], text


def _show_simulated(hand: int, pattern: Pattern) -> None:
    outcome, text = _simulated(hand, pattern, page.get("deck"))
    share = f"{outcome['made_share']:.1%}"
    st.metric("Made in simulation", share, help=text, width="content")
    interval = span((outcome["made_share_low"], outcome["made_share_high"]), ".1%")
    show_note(f"{outcome['made']:,} of {outcome['n']:,} simulated nils, 95%: {interval}.")


def even(worth: int) -> float:
    """The chance above which BIS bids nil, by the chosen threshold."""
    return even_chance(page.get("threshold"), worth)


def _show_worth(best: pd.Series, value: float, worth: int) -> None:
    if not value:
        hint = "BIS denies nil with four spades or more, or with a sure trick, without a curve."
        st.metric("Nil value", "0", help=hint, width="content")
        return
    threshold = page.get("threshold")
    chance = f"{best['chance']:.1%}"
    by_curve = f"By the curve of {best['source']}"
    if not pd.isna(best["low"]):
        by_curve += f", 95%: {span((best['low'], best['high']), '.1%')}"
    metrics = [
        ("Nil value", f"{value:.3f}", "Pr(cnil) of the suits multiplied, 1.15 times with a void."),
        ("Chance of nil", chance, f"{by_curve}; {best['after']:,} nils seen after these bids."),
        ("Expected from nil", f"{best['points']:+.1f}", f"Points: {worth} × (2 × {chance} − 1)."),
        (
            "Over the threshold",
            f"{best['points'] - threshold:+.1f}",
            f"Points more than {threshold}; a chance of {even(worth):.1%} is just worth it.",
        ),
    ]
    for label, text, hint in metrics:
        st.metric(label, text, help=hint, width="content")
