"""Panels that compare the cards of a decision deal by deal: sampled deals, what if."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.decisions import card_values, sampled_deals, what_if
from analysis.decisions.card_values import CandidateValue, Difference, MeanPoints
from analysis.decisions.claims import best_sentence, claim_sentence, n_possible
from analysis.decisions.decision import PlayDecision
from analysis.decisions.judge import PLAYER as JUDGE_PLAYER
from analysis.decisions.settings import record_key, search_key
from analysis.decisions.what_if import WhatIf
from analysis.plots.decisions import card_labels, plot_candidates, plot_differences
from analysis.text_tables import signed, span
from spades.belief import Dealing
from spades.core.cards import N_SEATS, SEAT_NAMES, SEATS, Hand
from spades.core.observation import Observation
from spades.look.words import SYMBOLS, pretty
from spades.search.deals import DEAL_ITERATIONS
from spades.search.solver import MAX_SOLVED
from ui.replay import panel, state
from ui.replay.beliefs import show_belief_scores, show_beliefs
from ui.replay.stability import card_names
from ui.replay.state import page
from ui.shared.cards import with_red
from ui.shared.options import DEALING_OPTIONS
from ui.shared.panel import Panel
from ui.shared.tables import ends, number, text, with_ends
from ui.shared.widgets import row as widget_row

POINTS = "%+.1f"
THOUSANDS = "{:,}".format
OPEN_HANDS = (
    "in a sampled deal all hands are open and nobody has to guess, while those who play the "
    "judge's rounds on see their own hands alone."
)
PLAYED_ON = f"the judge has four of `{JUDGE_PLAYER}` play on."
checkbox = st.column_config.CheckboxColumn
VALUE_COLUMNS = {
    "card": "Card",
    "deals": number("Deals"),
    **with_ends("mean", "Mean", POINTS, "Points, over the deals."),
    "best_in": number("Best in", hint="Where no card is worth more; ties count for each."),
    "regret": number(
        "Regret",
        "%.1f",
        "Points less than the card that is best in each deal, mean over the deals.",
    ),
    **ends("%.1f", "regret"),
}
WHAT_IF_COLUMNS = {
    "card": "Card",
    "played": checkbox("Played"),
    "deals": number("Deals"),
    **with_ends("points", "Points", POINTS, "Mean over the deals."),
    "verdict": text("", "By whether the interval covers 0."),
}


def _choose_dealing(name: str) -> Dealing:
    """How a panel's deals are drawn; by default as the search's."""
    of_search = state.settings().dealing

    def label_of(option: str) -> str:
        if option == state.AS_SEARCH:
            return f"As the search ({of_search.text()})"
        return option.capitalize()

    explained = DEALING_OPTIONS["determinization"].help
    chosen = page.select(
        "Dealt by",
        name,
        format_func=label_of,
        width=220,
        help=f"As the search: as those of the decision table. {explained}",
    )
    return of_search if chosen == state.AS_SEARCH else Dealing.of(chosen)


def show_deals(here: panel.Here) -> None:
    show_beliefs(here)
    if not here.bid:
        _show_candidates(here)
    show_belief_scores()


def _show_candidates(here: panel.Here) -> None:
    hint = (
        "Deals as the search draws them, each candidate valued in every one: by a search, in "
        f"the last {MAX_SOLVED} tricks exactly. If few deals are possible, all are solved."
    )
    st.subheader("What each card gets in them", help=hint)
    decision = panel.judged_decision(here)
    if decision is None:
        return
    with widget_row():
        dealing = _choose_dealing("dealing")
        wanted = page.select("Deals", "deal_count", width=110, format_func=THOUSANDS)
    settings = state.settings()
    n_all = n_possible(here.record.observation(here.ply), dealing)

    def draw(items: Sequence[list], n_wanted: int) -> None:
        _show_values(items, here, decision, dealing)

    key = f"deals {dealing} {search_key(here.record, settings, ply=here.ply)}"
    make = partial(sampled_deals.deals_series, here.record, here.ply, settings, dealing)
    start = f"Solve all {n_all:,} possible deals" if n_all else f"Sample {wanted:,} deals"
    panel.show_series(panel.SeriesPanel("deals", key, make, draw, n_all or wanted, "deals", start))


def _show_values(
    items: Sequence[list], here: panel.Here, decision: PlayDecision, dealing: Dealing
) -> None:
    observation = here.record.observation(here.ply)
    choice = decision.search_choice.card
    names = card_names(decision)
    cards, values = card_values.values_by_class(observation, np.array([item[1] for item in items]))
    n_all = n_possible(observation, dealing)
    is_every = len(items) == n_all
    rows = card_values.candidate_values(cards, values, is_every=is_every)
    deal = _show_picker(len(items), here)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        labels = card_labels(names, {"● played": decision.played, "◆ search": choice})
        in_deal = dict(zip(cards, values[deal - 1].tolist(), strict=True))
        figure = plot_candidates(rows, labels, in_deal, deal)
        Panel("sampled-deals").figure(figure)
    with right:
        _show_deal(items[deal - 1][0], deal, here, observation)
    is_solved = sampled_deals.is_solved(observation)
    if is_solved:
        sentences = [best_sentence(rows, names.__getitem__, is_every=is_every)]
        claim = sampled_deals.claim_of(observation, items, dealing)
        if claim:
            sentences.append(claim_sentence(claim, observation, pretty))
        st.markdown(with_red(" ".join(sentences)))
    st.caption(
        f"A card's value in a deal: it is played, then {_valued_by(is_solved)}. Look at "
        f"differences, not levels. Intervals: 95%, over deals. {_which_deals(n_all, is_every)}"
    )
    panel.apart_from_conclusion(here, rows[0].card, OPEN_HANDS)
    values_panel = _show_value_tables(rows, choice, names, has_regret=is_solved)
    values_panel.export(_deals_table(items, observation), "deals")


def _valued_by(is_solved: bool) -> str:
    if is_solved:
        return (
            "all four hands open, both sides play on without a mistake; exact points for the "
            "mover's partnership. Players who see all cards never err, so a bluff or a safety play "
            "looks worse than it is"
        )
    return (
        f"a search of {DEAL_ITERATIONS} iterations goes on with all four hands open; its mean, in "
        "points for the mover's partnership. Players who see all cards need not guess"
    )


def _which_deals(n_all: int, is_every: bool) -> str:
    """``n_all``: the number of possible deals where all are to be solved, else 0."""
    dealing = state.settings().dealing
    if n_all:
        done = "all are solved" if is_every else "all are to be solved, in random order"
        return (
            f"The seat can't rule out {n_all:,} deals, each as likely as any other; {done}. Only "
            "the card chosen here is the same in all: later plays may depend on the deal."
        )
    if dealing.determinization.depends_on_n:
        return ""
    deals = dealing.text("deals").capitalize()
    return f"{deals} are the first ones of the search in the table."


def _show_picker(n: int, here: panel.Here) -> int:
    """The number of the deal to look at; the address follows at once."""
    key = page.key("deal")
    kept = min(int(page.get("deal")), n)
    if st.session_state.get(key, 1) > n:
        st.session_state[key] = kept
    deal = st.number_input(f"Deal, of {n:,}", 1, n, kept, key=key, width=150, help="One by one.")
    state.write_state(here.ply, here.hands)
    return int(deal)


def _show_deal(hands: Sequence[int], deal: int, here: panel.Here, observation: Observation) -> None:
    deck = observation.rules.cards
    mover = observation.seat
    columns = {}
    for seat, letter in enumerate(SEATS):
        decides = " (decides)" if seat == mover else ""
        ranks = Hand(hands[seat], deck).suit_ranks()
        columns[SEAT_NAMES[letter] + decides] = [of_suit or "–" for of_suit in ranks]
    st.table(pd.DataFrame(columns, index=list(SYMBOLS.values())))
    name = SEAT_NAMES[SEATS[mover]]
    caption = f"Deal {deal:,}: {name}'s own cards and three hands that {name} can't rule out."
    if panel.is_truth_shown(here):
        truth = here.record.at(here.ply).hands
        others = [seat for seat in range(N_SEATS) if seat != mover]
        n_same = sum((hands[seat] & truth[seat]).bit_count() for seat in others)
        n_hidden = sum(truth[seat].bit_count() for seat in others)
        caption += f" {n_same} of the {n_hidden} hidden cards lie there in truth."
    st.caption(caption)


def _show_value_tables(
    rows: Sequence[CandidateValue], choice: str, names: Mapping[str, str], *, has_regret: bool
) -> Panel:
    """Each card against the search's choice in the same deals, and against every other."""
    gaps = {gap.card: gap for gap in card_values.differences(rows, choice)}
    table = []
    for row in rows:
        cells: dict[str, Any] = {
            "card": names[row.card],
            "deals": row.n,
            **_mean_cells("mean", row),
            "best_in": row.best_in,
        }
        if has_regret:
            cells["regret"] = row.regret.mean
            cells["regret_low"] = max(0.0, row.regret.interval[0])
            cells["regret_high"] = row.regret.interval[1]
        cells |= _difference_cells("against", gaps.get(row.card))
        cells["beats"] = row.beats.get(choice)
        table.append(cells)
    columns = {
        **VALUE_COLUMNS,
        **_difference_columns("against", choice),
        "beats": number(f"Beats {pretty(choice)} in", hint="Deals where it is worth more."),
    }
    values_panel = Panel("candidates")
    values_panel.table(pd.DataFrame(table), columns)
    pairs = [
        {"card": names[row.card]} | {names[other.card]: row.beats.get(other.card) for other in rows}
        for row in rows
    ]
    note = f"In how many of {rows[0].n:,} deals the card at the left is worth more."
    Panel("candidate-pairs").table(pd.DataFrame(pairs), {"card": "Card"}, note)
    return values_panel


def _mean_cells(name: str, mean: MeanPoints) -> dict[str, float]:
    low, high = mean.interval
    return {name: mean.mean, f"{name}_low": low, f"{name}_high": high}


def _difference_columns(name: str, reference: str) -> dict[str, Any]:
    label = f"Against {pretty(reference)}"
    hint = f"Points more than {pretty(reference)}, mean over the same deals."
    return {name: number(label, POINTS, hint), **ends(POINTS)}


def _difference_cells(name: str, gap: Difference | None) -> dict[str, float | None]:
    """A card less the reference; empty for the reference itself."""
    if gap is None:
        return {name: None, "low": None, "high": None}
    low, high = gap.interval
    return {name: gap.mean, "low": low, "high": high}


def _deals_table(items: Sequence[list], observation: Observation) -> pd.DataFrame:
    deck = observation.rules.cards
    cards = card_values.legal_cards(observation)
    rows = []
    for i, (hands, values, *_) in enumerate(items, start=1):
        row: dict[str, Any] = {"deal": i}
        for seat, hand in enumerate(hands):
            row[SEATS[seat]] = deck.format_cards(hand)
        for card, value in zip(cards, values, strict=True):
            row[f"value_{card}"] = value
        rows.append(row)
    return pd.DataFrame(rows)


def show_what_if(here: panel.Here) -> None:
    decision = panel.judged_decision(here)
    if decision is None:
        return
    with widget_row():
        hint = "In all four seats, each seeing its own hand only."
        policy = page.select("Played on by", "policy", width=240, help=hint)
        dealing = _choose_dealing("whatif_dealing")
        wanted = page.select("Deals", "trials", width=110, format_func=THOUSANDS)
    how = WhatIf(dealing, policy, page.get("seed"))

    def draw(items: Sequence[list], n_wanted: int) -> None:
        observation = here.record.observation(here.ply)
        cards, values = card_values.values_by_class(observation, np.array(items, dtype=float))
        rows = card_values.candidate_values(cards, values)
        _show_differences(rows, decision, how, n_wanted)
        gap = rows[0].against.get(decision.search_choice.card)
        if gap and gap.is_clear and not n_wanted:
            panel.apart_from_conclusion(here, rows[0].card, PLAYED_ON)

    key = f"what if {record_key(here.record)} {here.ply} {how}"
    make = partial(what_if.what_if_series, here.record, here.ply, how)
    start = f"Play on {wanted:,} deals"
    panel.show_series(panel.SeriesPanel("whatif", key, make, draw, wanted, "deals", start))


def _show_differences(
    rows: Sequence[CandidateValue], decision: PlayDecision, how: WhatIf, n_wanted: int
) -> None:
    """Chart, sentence and table; ``n_wanted``: how many deals are to be, 0 if all are played."""
    choice = decision.search_choice.card
    reference = decision.played or choice
    n = rows[0].n
    gaps = card_values.differences(rows, reference)
    names = card_names(decision)
    labels = card_labels(names, {"● played": decision.played, "◆ search": choice})
    figure = plot_differences(gaps, reference, labels=labels)
    differences = Panel("what-if")
    differences.answer(with_red(difference_sentence(gaps, reference, n, n_wanted)))
    players = state.POLICY_LABELS[how.policy].lower()
    reading = (
        f"Each legal card was played in the same {n:,} deals, {how.dealing.text()} ones that agree "
        "with what the seat to play has seen (the true hands are not looked at), and "
        f"{players} played on in all seats. Points of the round for the mover's partnership, bags "
        "at their cost; differences deal by deal, intervals at 95%."
    )
    differences.figure(figure, reading)
    by_card = {gap.card: gap for gap in gaps}
    table = [
        {
            "card": names[row.card],
            "played": row.card == decision.played,
            "deals": row.n,
            **_mean_cells("points", row),
            **_difference_cells("difference", by_card.get(row.card)),
            "verdict": _gap_verdict(by_card.get(row.card)),
            "beats": row.beats.get(reference),
        }
        for row in rows
    ]
    columns = {
        **WHAT_IF_COLUMNS,
        **_difference_columns("difference", reference),
        "beats": number(f"Beats {pretty(reference)} in", hint="Deals where it gets more."),
    }
    differences.table(pd.DataFrame(table), columns)


def _gap_verdict(gap: Difference | None) -> str | None:
    if gap is None:
        return None
    if not gap.is_clear:
        return "no clear difference"
    return "better" if gap.mean > 0 else "worse"


def difference_sentence(gaps: Sequence[Difference], reference: str, n: int, n_wanted: int) -> str:
    """Which cards did better or worse than the one played; nothing from a run cut short."""
    if n_wanted:
        return f"{n:,} of {n_wanted:,} deals are played: too early to say."
    name = pretty(reference)
    titles = {
        "better": f"**Better than {name}**:",
        "worse": "**Worse**:",
        "no clear difference": f"**No clear difference** from {name}:",
    }
    parts = []
    for verdict, title in titles.items():
        texts = [_gap_text(gap) for gap in gaps if _gap_verdict(gap) == verdict]
        if texts:
            parts.append(f"{title} {', '.join(texts)}")
    return "; ".join(parts) + f"; n = {n:,} deals."


def _gap_text(gap: Difference) -> str:
    return f"{pretty(gap.card)} ({signed(gap.mean)}, 95%: {span(gap.interval, '+.1f')})"
