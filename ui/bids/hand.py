"""One hand: previous bids, every bidder's bid, BIS's reasons, simulations."""

import math
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.bidding import bid_trials, decisions
from analysis.bidding.bid_trials import BidTrials
from analysis.bidding.questions import BLIND_NIL_NAME, bid_name
from analysis.nil.chance import BIDDER, nil_chance
from analysis.nil.rates import arithmetic, compute_suits
from analysis.plots import bidding as plots
from analysis.plots.bidding import bidder_label
from analysis.text_tables import signed, span
from spades.agents.bidders import BisBidder
from spades.bidding import BLIND_NIL, BisAnswer, explain_bis
from spades.core.cards import DECKS, HAND_SIZE
from spades.core.errors import SpadesError
from spades.core.rules import MAX_BID, NIL_BID
from spades.look.words import pretty
from ui.bids import state
from ui.bids.lab import show_lab
from ui.bids.state import HandQuestion, page
from ui.shared.hand_entry import show_hand
from ui.shared.page import is_narrow, literal
from ui.shared.panel import Panel, show_rest
from ui.shared.states import show_empty
from ui.shared.tables import ends, number, percent, text, with_ends
from ui.shared.widgets import errors_shown, row, show_error

POSITIONS = dict(enumerate(("first", "second", "third", "last")))
# 0 is nil where the rules have nil, else an ordinary bid.
BIDS = {
    NIL_BID: "nil (0)",
    BLIND_NIL: BLIND_NIL_NAME,
    **{bid: str(bid) for bid in range(1, MAX_BID + 1)},
}
ROLE_LABELS = {
    "from_left": "Left-hand opponent bid",
    "from_partner": "Partner bid",
    "from_right": "Right-hand opponent bid",
}
SHORT = {name: name.upper() for name in decisions.BIDDERS_COMPARED} | {"human": "simulated human"}
WHY_ESTIMATES_DIFFER = (
    "BIS's estimate counts only the nil's own points, at the chance of its logistic curve, and 10 "
    "points a trick of its regular bid; the simulated points also count the partner's contract, "
    "bags and the opponents' play, in rounds of the strong rule-based player."
)
LESS_FIRST = ["less_first", "less_first_low", "less_first_high"]
PLAYING = "Playing the rounds ... (compiled the first time, a minute)"
ASKING = "Asking the bidders ... (compiled the first time, about half a minute)"


@st.cache_data(max_entries=128, show_spinner=ASKING)
def _bids_of(question: HandQuestion, bidders: tuple[str, ...]) -> pd.DataFrame:
    bids = decisions.ask_bidders(question.observation(), bidders)
    return decisions.bids_table(bids, question.rules)


@st.cache_data(max_entries=128, show_spinner=ASKING)
def _explain(question: HandQuestion) -> BisAnswer:
    return explain_bis(question.observation(), BisBidder().options)


@st.cache_resource(max_entries=16, show_spinner=PLAYING)
def _trials(
    question: HandQuestion, made: tuple[int, ...], also: int | str, n: int, bidder: str, seed: int
) -> BidTrials:
    """Trials of nil, of BIS's bids, of ``made``, the other bidders' bids, and of ``also``."""
    observation = question.observation()
    bids = bid_trials.bids_to_try(observation, BisBidder().options)
    bids.append(_explain(question).bid)
    if also != "":
        bids.append(int(also))
    distinct = list(dict.fromkeys([*bids, *made]))
    return bid_trials.try_bids(observation, distinct, n=n, bidder=bidder, seed=seed)


def show_question() -> HandQuestion:
    """The controls of what the seat sees. ``SpadesError`` while that isn't legal."""
    if is_narrow():
        hand = st.container()
        table = st.container()
    else:
        hand, table = st.columns([3, 2], gap="large")
    with table:
        _show_table()
    with hand:
        show_hand(state.ENTRY, state.deck())
    try:
        question = state.question()
        question.observation()
    except SpadesError as error:
        raise SpadesError(f"This can't be asked: {error}") from None
    return question


def _show_table() -> None:
    """What the bidder knows; on a narrow page all of it behind one button."""
    said = state.unusual_score_and_rules()
    if is_narrow():
        bids = [BIDS[page.get(role)] for role in _roles_before()]
        after = f"after {', '.join(bids)}" if bids else ""
        position = POSITIONS[page.get("position")]
        words = ", ".join(filter(None, [f"{position} {after}".strip(), said]))
        with row(), show_rest("It bids", words, "gavel"):
            _show_position()
            _show_previous()
            _show_score_and_rules()
        return
    with row():
        _show_position()
        with show_rest("Score, rules", said, "gavel"):
            _show_score_and_rules()
    _show_previous()


def _show_position() -> None:
    hint = "How many of the other three have bid."
    page.segments("It bids", "position", POSITIONS, help=hint)


def _roles_before() -> tuple[str, ...]:
    """The seats that have bid."""
    return state.ROLES[len(state.ROLES) - page.get("position") :]


def _show_previous() -> None:
    with st.container(horizontal=True, gap="small"):
        for role in _roles_before():
            page.select(ROLE_LABELS[role], role, BIDS, width=175)


def _show_score_and_rules() -> None:
    with row():
        for label, name in (("Our score", "us"), ("Their score", "them")):
            _show_number(label, name, step=10, width=105)
    with row():
        for label, name in (("Our bags", "our_bags"), ("Their bags", "their_bags")):
            _show_number(label, name, width=105)
    page.select("Deck", "deck", DECKS.keys())
    _show_number("Target, points", "target", step=50)
    hint = "Those unlike the usual rules, as nil=None,min_bid=4,ten_for_200=True."
    page.text("Other options", "options", placeholder="nil=50,bag_limit=5", help=hint)


def _show_number(label: str, name: str, **options: Any) -> None:
    """A number without bounds: the browser would enforce them silently."""
    st.number_input(label, value=page.get(name), key=page.key(name), **options)


def show() -> None:
    question = show_question()
    if is_whole(question):
        _show_hand(question)
    show_lab(question.rules)


def is_whole(question: HandQuestion) -> bool:
    """Whether the hand has all its cards; else what to do is said."""
    if question.hand.bit_count() == HAND_SIZE:
        return True
    show_empty("Complete the hand to see what it is bid.", "playing_cards")
    return False


def _show_hand(question: HandQuestion) -> None:
    answer = _explain(question)
    if is_narrow():  # the answer first
        why = st.container()
        bids = st.container()
    else:
        bids, why = st.columns([3, 2], gap="large")
    with bids:
        table = _show_bids(question)
    with why:
        verdict = _show_verdict(answer, question)
    regular, nil = st.columns(2, gap="large")
    with regular:
        _show_parts(answer, question)
    with nil:
        _show_nil(answer, question)
    played = _show_trials(question, table, answer)
    if played is not None:
        verdict.answer(_simulated_text(question, *played))


def _show_bids(question: HandQuestion) -> pd.DataFrame:
    try:
        bids = _bids_of(question, (*decisions.BIDDERS_COMPARED, *page.get("more").split()))
    except SpadesError as error:
        show_error(error, "No such bidder: ")
        bids = _bids_of(question, decisions.BIDDERS_COMPARED)
    hint = (
        "A bidder that draws at random is asked 200 times; a bubble's area is the share of times."
    )
    panel = Panel("bids", "Every bidder's bid", hint)
    notes = []
    n_asked = int(bids["n"].max())
    if n_asked > 1:
        notes.append(f"A bidder that draws at random was asked {n_asked} times.")
    if (bids["bidder"] == "human").any():
        notes.append(
            "The human is simulated: a bidder calibrated to published figures, no real player."
        )
    panel.figure(plots.plot_bids(bids), " ".join(notes))
    columns = {
        "bidder": "Bidder",
        "bid": None,
        "name": "Bid",
        "count": "Times",
        "n": "Of",
        "share": percent("Share"),
        **ends(),
    }
    table = bids.assign(bidder=bids["bidder"].map(bidder_label))
    panel.table(table, columns, folded="As a table")
    hint = "Bidders with options, separated by spaces: bis:end_game=off, noisy:of=bis,noise=1."
    example = "bis:threshold=0 kb:personality=1"
    page.text("More bidders", "more", placeholder=example, help=hint, width=360)
    return bids


def _show_verdict(answer: BisAnswer, question: HandQuestion) -> Panel:
    name = bid_name(answer.bid, question.rules, is_blind=answer.is_blind)
    hint = (
        "Cohensius et al. 2020: nil where 100 p − 100 (1 − p) passes the threshold of 25 points, p "
        "the chance that it succeeds; else a regular bid."
    )
    panel = Panel("bid-verdict", f"Why BIS bids {name}", hint)
    panel.answer(literal(decisions.explain(answer, question.observation())))
    return panel


def _show_parts(answer: BisAnswer, question: HandQuestion) -> None:
    deck = question.rules.cards
    parts = decisions.parts_table(answer, deck)
    idle = decisions.idle_cards(answer, question.hand, deck)
    reading = "Each bar starts where the one above it ended; the end is rounded to the regular bid."
    if idle:
        reading += f" No trick is counted for {', '.join(pretty(card) for card in idle)}."
    columns = {
        "step": "Card",
        "role": "Role",
        "cuts": "Cuts",
        "start": None,
        "tricks": number("Tricks", "%.3f"),
        "end": number("So far", "%.3f"),
    }
    panel = Panel("bid-parts", "The regular bid, card by card")
    panel.figure(plots.plot_parts(parts, regular=answer.regular), reading)
    panel.table(parts, columns, folded="As a table")


def _show_nil(answer: BisAnswer, question: HandQuestion) -> None:
    """The nil value by suit, and BIS's curve with the hand on it, if the rules have nil."""
    needed = decisions.p_needed(answer, question.rules)
    if needed is None:
        return
    title = "BIS's estimate of the nil, suit by suit and after these bids"
    Panel("bid-suits", title).figure(plots.plot_suits(decisions.suits_table(answer)))
    point = None
    if answer.p_nil is not None and not answer.denied:
        point = (answer.nil_value, answer.p_nil)
    figure = plots.plot_curve(
        decisions.curve_table(question.previous.bids),
        point=point,
        interval=answer.p_interval,
        needed=needed,
    )
    suits = compute_suits(question.hand, question.rules.cards)
    Panel("bid-curve").figure(
        figure,
        f"The nil value: {arithmetic(suits, answer.nil_value)}. The curve, with a 95% band, is the "
        f"logistic one that BIS bids by, of {answer.n_curve:,} nils; above the dotted line nil "
        "passes the threshold.",
    )


@errors_shown("This can't be simulated: ")
def _show_trials(
    question: HandQuestion, bids: pd.DataFrame, answer: BisAnswer
) -> tuple[BidTrials, pd.DataFrame] | None:
    """The points after every bidder's bid; None if they can't be simulated."""
    hint = (
        "Own points: what the round adds to the game score of the bidder's partnership. The hidden "
        "cards are drawn at random."
    )
    panel = Panel("bid-outcomes", "Points after each bid", hint)
    with panel.question:
        _show_trial_controls()
    trials = _trials(
        question,
        tuple(sorted(set(bids["bid"]))),
        page.get("also"),
        page.get("rounds"),
        page.get("others"),
        page.get("seed"),
    )
    table = bid_trials.expected_table(trials, bids.replace({"bidder": SHORT}), answer)
    if page.get("shape") == "histogram":
        figure = _histogram(trials, table)
    else:
        figure = plots.plot_expected(table)
    deals = bid_trials.describe_deals(
        trials, bidder_label(trials.bidder), has_before=bool(question.previous.bids)
    )
    panel.figure(figure, f"{deals} Bars and bands: 95% intervals of the means.")
    _show_outcomes(panel, table)
    return trials, table


def _histogram(trials: BidTrials, table: pd.DataFrame) -> Figure:
    """Points of as many bids as there are colours."""
    first = replace(trials, bids=trials.bids[: len(plots.BID_COLORS)])
    bids = [outcome.bid for outcome in first.bids]
    means = table.set_index("bid").loc[bids].reset_index()
    return plots.plot_histogram(bid_trials.histogram_table(first), means)


def _simulated_text(question: HandQuestion, trials: BidTrials, rows: pd.DataFrame) -> str:
    """The chance of the nil, as the view of the nil says it, else how often BIS's regular bid is
    made; and the points after it. Markdown."""
    row = next(rows.sort_values("bid").itertuples())
    points = f"{signed(row.points)} own points in the simulated rounds below"
    chance = nil_chance(question.observation(), trials)
    if chance is None:
        made = span((row.made_share_low, row.made_share_high), ".1%")
        return literal(
            f"The contract with a bid of {row.name} is made in {row.made_share:.1%} of {row.n:,} "
            f"rounds (95%: {made}); {points}."
        )
    others = "" if trials.bidder == BIDDER else f", the others bidding as {trials.bidder}"
    name = literal(f"Chance of this nil{others}")
    return f"**{name}.** {literal(f'{chance.text()} A nil scores {points}.')}"


def _show_trial_controls() -> None:
    page.select("Rounds a bid", "rounds", format_func="{:,}".format, width=130)
    hint = "The bidder assumed for the previous bids and for those after."
    page.select("The others bid as", "others", width=210, help=hint)
    hint = "Another bid, on the same deals; 0 is nil."
    page.select("Try also", "also", width=150, help=hint)
    page.number("Seed", "seed", width=120)
    page.segments("Shown as", "shape")


def _show_outcomes(panel: Panel, table: pd.DataFrame) -> None:
    first = table["name"].iloc[0]
    shown = table.copy()
    shown.loc[shown["name"] == first, LESS_FIRST] = math.nan  # nothing to compare with
    paired = f"Mean points less those of {first} on the same deals: closer than two means."
    columns = {
        "name": "Bid",
        "who": text("Bid by", "A share: of a bidder that draws at random.", width=170),
        **with_ends("points", "Own points", "%+.1f", "Of the round, for the bidder's side."),
        **with_ends("difference", "Own less theirs", "%+.1f", "Less the opponents' points."),
        "estimate": number(
            "BIS's estimate", "%+.1f", "Points; the note below says why it differs."
        ),
        **with_ends("less_first", f"Less {first}", "%+.1f", paired),
        **with_ends("made_share", "Made", hint="The nil, or the contract of the partnership."),
    }
    note = literal(WHY_ESTIMATES_DIFFER)
    panel.table(shown, columns, note, column_order=list(columns))
