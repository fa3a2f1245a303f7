"""The nil of a hand: its nil value suit by suit, the chance of its nil and what that is made of,
and where the hand is beside the nil curves."""

import streamlit as st

from analysis.bidding import bid_trials
from analysis.bidding.decisions import explain
from analysis.bidding.questions import bid_name, describe
from analysis.nil import chance as nil_chances
from analysis.nil.chance import BIDDER, NilChance
from analysis.nil.rates import Source, arithmetic, compute_places, compute_suits, value_of
from analysis.nil.rounds import ANY_KIND, count_nils
from analysis.plots.nil import Mark
from analysis.text_tables import signed
from spades.bidding import bidder_options, explain_bis
from spades.core.cards import Hand
from spades.core.rules import NIL_BID
from ui.bids import state
from ui.bids.curves import NilQuestion, curve_figure, even, fitted, label_of, nils_of
from ui.bids.hand import is_whole, show_question
from ui.bids.state import page
from ui.shared.log_in_hand import log_in_hand
from ui.shared.page import is_narrow, literal
from ui.shared.panel import Panel
from ui.shared.records import log_key, readable_logs
from ui.shared.states import show_empty
from ui.shared.tables import count, ends, number, percent, text
from ui.shared.widgets import errors_shown, row

P_CNIL = "Chance that the distribution of the cards alone doesn't set the nil here; exact."
SUIT_LABELS = {"S": "♠ Spades", "H": "♥ Hearts", "D": "♦ Diamonds", "C": "♣ Clubs"}


def show() -> None:
    seen = show_question()
    if not is_whole(seen):
        return
    if seen.rules.nil is None:
        show_empty("These rules have no nil.", "block")
        return
    if is_narrow():  # the answer first
        place = st.container()
        suits = st.container()
    else:
        suits, place = st.columns([2, 3], gap="large")
    with suits:
        _show_controls()
        _show_suits(seen)
    with place:
        _show_nil(seen)


def _show_controls() -> None:
    with row():
        hint = "BIS bids nil if it expects more points from it than this; 25 in the paper."
        page.number("Threshold (points)", "threshold", width=140, help=hint)
        hint = "Simulated rounds of the nil; more make its interval narrower."
        page.select("Rounds", "rounds", format_func="{:,}".format, width=110, help=hint)
        page.number("Seed", "seed", width=100)


def _show_suits(seen: state.HandQuestion) -> None:
    deck = seen.rules.cards
    suits = compute_suits(seen.hand, deck)
    shown = suits.assign(
        suit=suits["suit"].map(SUIT_LABELS),
        cards=[ranks or "void" for ranks in Hand(seen.hand, deck).suit_ranks()],
    )
    columns = {
        "suit": "Suit",
        "cards": "Cards",
        "p_cnil": number("Suit is safe, Pr(cnil)", "%.3f", P_CNIL),
    }
    note = f"Nil value: {arithmetic(suits, value_of(seen.hand, deck))}"
    Panel("nil-suits").table(shown, columns, literal(note))


def _show_nil(seen: state.HandQuestion) -> None:
    """The chance of the nil, what BIS bids, and the hand beside the nil curves."""
    pattern = seen.previous.bids
    value = value_of(seen.hand, seen.rules.cards)
    worth = seen.rules.nil or 0
    chance = _show_chance(seen, value, worth)
    mark = None
    if chance is not None:
        mark = Mark(value, chance.chance, *chance.ends, chance.of_value)
    question = NilQuestion(tuple(state.TABLE_LABELS), (), ANY_KIND, (pattern,))
    reading = "A nil value of 0 has no place on a curve."
    if value:
        reading = (
            "Lines: nil curves, hands of each value after these bids. The star is this nil; the "
            "dotted line is what these cards add."
        )
    panel = Panel("nil-place")
    if chance is not None:
        panel.answer(literal(f"{describe(pattern)} {chance.text()}"))
    panel.figure(curve_figure(question, mark, even(worth), 380), reading)
    if chance is not None:
        _show_parts(chance, worth)
    _show_bis(seen, chance, worth)
    _show_places(seen, value)


@st.cache_data(max_entries=64, show_spinner="Playing the nil in simulated rounds ...")
def _chance(seen: state.HandQuestion, n: int, seed: int) -> tuple[NilChance | None, str]:
    """The chance of a nil on this hand, and how its rounds were drawn."""
    observation = seen.observation()
    trials = bid_trials.try_bids(observation, [NIL_BID], n=n, bidder=BIDDER, seed=seed)
    text = bid_trials.describe_deals(trials, BIDDER.upper(), has_before=bool(seen.previous.bids))
    return nil_chances.nil_chance(observation, trials), text


@errors_shown("This can't be simulated: ")
def _show_chance(seen: state.HandQuestion, value: float, worth: int) -> NilChance | None:
    """The chance in large, and what a nil is worth; None if it can't be simulated."""
    chance, how = _chance(seen, page.get("rounds"), page.get("seed"))
    if chance is None:
        return None
    points = nil_chances.parts_table(chance, worth)["points"].iloc[-1]
    threshold = page.get("threshold")
    metrics = [
        ("Chance of this nil", f"{chance.chance:.1%}", how),
        ("Nil value", f"{value:.3f}", "Pr(cnil) of the suits multiplied, 1.15 times with a void."),
        (
            "Expected from nil",
            signed(points),
            f"Points: {worth} × (2 × {chance.chance:.1%} − 1).",
        ),
        (
            "Over the threshold",
            signed(points - threshold),
            f"Points more than {threshold}; a chance of {even(worth):.1%} is just worth it.",
        ),
    ]
    with st.container(horizontal=True, gap="medium"):
        for label, text_of, hint in metrics:
            st.metric(label, text_of, help=hint, width="content")
    return chance


def _show_parts(chance: NilChance, worth: int) -> None:
    """The sum of the chance as a table."""
    columns = {
        "what": text("Chance of this nil", width=240),
        "chance": number("Chance", "percent"),
        **ends(),
        "points": number("Expected points", "%+.1f", "Of the nil alone; of the cards: added."),
        "n": count("n"),
        "of": text("Of"),
    }
    Panel("nil-chance").table(nil_chances.parts_table(chance, worth), columns)


def _show_bis(seen: state.HandQuestion, chance: NilChance | None, worth: int) -> None:
    """What BIS bids by its own estimate, and whether the chance of this nil says the same."""
    threshold = float(page.get("threshold"))
    options = bidder_options(threshold=threshold)
    with st.spinner("Asking BIS (compiled the first time, about 15 s) ..."):
        observation = seen.observation()
        answer = explain_bis(observation, options)
    name = bid_name(answer.bid, seen.rules, is_blind=answer.is_blind)
    text_of = f"BIS bids {name}, by its logistic curve. {explain(answer, observation)}"
    if chance is not None:
        text_of += f" {nil_chances.verdict(chance, answer.threshold, worth)}"
    st.markdown(f":material/gavel: {literal(text_of)}")


def _show_places(seen: state.HandQuestion, value: float) -> None:
    """Hands of this value after these bids by both fits, and in the log in hand."""
    pattern = seen.previous.bids
    places = compute_places([fitted(name) for name in state.TABLE_LABELS], pattern, value)
    columns = {
        "source": "Curves of",
        "chance": percent("Nil curve", "At this hand's nil value."),
        **ends(),
        "after": count("Nils after these bids", "Of any nil value, in the rounds of the fit."),
        "n": count("Nils like this", "After these bids, in the same twentieth of nil value."),
        "made": count("Made"),
        "rate": percent("Share made", "Of the nils like this; empty if there are none."),
        **ends(name="rate"),
    }
    note = ""
    entries = readable_logs()
    if entries:
        log = log_key(entries[log_in_hand()])
        source = Source(label_of(log.name, ANY_KIND), count_nils(nils_of(log)))
        note = f"What happened in {nil_chances.describe_alike(source, pattern, value)}"
    Panel("nil-places", "Hands of this value").table(places, columns, literal(note))
