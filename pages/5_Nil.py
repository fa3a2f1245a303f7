"""Nil: success curves by the bids before, the rates and rounds behind them, and one hand."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from analysis.bidding.sequences import Pattern, is_exact, parse_pattern, sequences_of
from analysis.nil.ace import compute_aces
from analysis.nil.calibration import NilScoresError
from analysis.nil.foretold import (
    METHODS,
    calibration_rows,
    score_table,
    sequence_rows,
    sequence_table,
)
from analysis.nil.hand import compute_places, compute_suits, even_chance, value_of
from analysis.nil.rates import (
    cell_sequences,
    compute_cell,
    compute_rates,
)
from analysis.plots.nil import Mark, plot_aces, plot_calibration
from analysis.plots.nil_surface import plot_map, plot_surface
from spades.bidding import BisAnswer, bidder_options, explain_bis, observe_auction
from spades.bidding.curves import COMMAND
from spades.core.cards import HAND_SIZE
from spades.core.errors import SpadesError
from spades.core.rules import Rules
from spades.notation.log_store import LogEntry, list_logs
from ui.nil import answers, controls, curves, foretold, state
from ui.nil import hand as hands
from ui.nil import surface as surfaces
from ui.nil.data import Question, ordered
from ui.shared.hand_entry import get_hand, show_hand_entry
from ui.shared.page import literal, setup, show_complaints
from ui.shared.stored_logs import log_key

REMAKE = f"The stored scores have no {{}} yet: {COMMAND} makes them anew, with these."


def main() -> None:
    setup("Nil")
    st.title("Nil")
    entries = ordered(list_logs())
    names = list(entries)
    state.read_state(names, answers.groups_known())
    report = st.container()
    view = controls.show_view_control()
    try:
        show_view(view, entries)
    except SpadesError as error:  # a table or log that can't be read
        st.error(literal(str(error)), icon=":material/block:")
    state.write_state(names)
    with report:
        show_complaints(state.get("complaints"))


def show_view(view: str, entries: Mapping[str, LogEntry]) -> None:
    if view == "hand":
        show_hand()
    elif view == "surface":
        show_surface(entries)
    elif view == "ace":
        show_ace(entries)
    else:
        show_curves(entries)


def show_curves(entries: Mapping[str, LogEntry]) -> None:
    controls.show_previous_controls(can_compare=True)
    controls.show_source_controls(list(entries))
    question = Question(
        tuple(state.get("tables")),
        tuple(log_key(entries[name]) for name in state.get("logs")),
        state.get("kind"),
        tuple(state.patterns()),
    )
    if not (question.tables or question.logs):
        st.info("Choose whose nils to look at: fitted curves or a log.", icon=":material/group:")
        return
    _, rates, totals = answers.tables_of(question)
    labels = {answers.label_of(log.name, question.kind): log.name for log in question.logs}
    chart, behind = st.columns([3, 2], gap="medium")
    with chart:
        curves.show_curves(answers.curve_figure(question, (), even(Rules()), 520), rates, labels)
    with behind:
        show_rounds(question, entries)
    st.markdown("**Nils after these bids**")
    curves.show_totals(totals)
    if question.tables:
        told = {
            controls.TABLE_LABELS[table]: answers.metadata_of(table) for table in question.tables
        }
        curves.show_totals_note(told)
    with st.expander("How well the curves foretell", expanded=state.get("scores_open")):
        show_foretold()


def show_foretold() -> None:
    """Forecasts of nils held out: of the curves, of one curve, of the nil value and of trees."""
    try:
        found = answers.scores()
    except NilScoresError as error:
        st.error(literal(str(error)), icon=":material/block:")
        return
    foretold.show_controls(answers.groups_known())
    mine, group = found[state.get("scored")], state.get("group")
    table = score_table(mine)
    foretold.show_scores(table[table["group"] == group], mine)
    methods = [name for name in METHODS if name in state.get("methods")]
    if not methods:
        st.info("Choose whose forecasts to draw.", icon=":material/group:")
    elif state.get("by") == "bins":
        rows = calibration_rows(mine, group, methods)
        if rows.empty:
            st.info(REMAKE.format("bins of this group"), icon=":material/inbox:")
            return
        foretold.show_chart(plot_calibration(rows))
        foretold.show_bins(rows)
    elif mine.sequences is None:
        st.info(REMAKE.format("single sequences"), icon=":material/inbox:")
    else:
        foretold.show_chart(plot_calibration(sequence_rows(mine, methods)))
        foretold.show_sequences(sequence_table(mine), mine.sequences, mine)


def even(rules: Rules) -> float:
    """The chance above which BIS bids nil, by the threshold chosen."""
    return even_chance(state.get("threshold"), rules.nil or 0)


def show_rounds(question: Question, entries: Mapping[str, LogEntry]) -> None:
    """The rounds of a log behind the point chosen."""
    st.markdown("**The rounds behind a point**")
    if not entries:
        st.info("No logs yet: the Data page makes and imports them.", icon=":material/inbox:")
        return
    curves.show_point_controls(question.patterns, list(entries))
    pattern, at = parse_pattern(state.get("at")), state.get("bin")
    counted = []
    for table in question.tables:
        row = compute_rates([answers.fitted(table)], [pattern]).iloc[at]
        counted.append(f"{row['source']} made {row['made']:,} of {row['n']:,}")
    log = log_key(entries[state.get("log")])
    sequences = tuple(sequences_of(pattern).tolist())
    curves.show_rounds(*answers.rounds_behind(log, sequences, at, question.kind), counted)


def show_hand() -> None:
    controls.show_previous_controls(can_compare=False)
    entry, place = st.columns(2, gap="large")
    with entry:
        hands.show_deck_controls()
        hand = show_hand_entry(state.HAND, state.deck())
        is_whole = hand.bit_count() == HAND_SIZE
        if is_whole:
            suits, value = compute_suits(hand, state.deck()), value_of(hand, state.deck())
            hands.show_suits(suits, value)
    with place:
        if is_whole:
            show_place(value)
        else:
            st.info(
                f"Its nil value is shown here once the hand has {HAND_SIZE} cards.",
                icon=":material/playing_cards:",
            )


def show_place(value: float) -> None:
    """The hand's chance by every fitted curve, and what BIS bids."""
    rules, pattern = Rules(deck=state.get("deck")), state.get_previous()
    sources = [answers.fitted(table) for table in state.TABLES]
    places = compute_places(sources, pattern, value, rules.nil or 0)
    st.markdown(literal(controls.previous_text()))
    hands.show_worth(places, value, rules.nil or 0)
    with st.spinner("Asking BIS (the first time ever it compiles, about 15 s) ..."):
        answer = explained(pattern, rules)
    hands.show_verdict(answer, value)
    marks = tuple(
        Mark(value, place.chance, place.source) for place in places.itertuples()
    )  # fmt: skip
    question = Question(state.TABLES, (), state.get("kind"), (pattern,))
    hands.show_places(places, answers.curve_figure(question, marks, even(rules), 380))


def explained(pattern: Pattern, rules: Rules) -> BisAnswer | None:
    """BIS's bid on the hand entered, at a score of 0 to 0; None after open bids."""
    if not is_exact(pattern):
        return None
    seen = observe_auction(get_hand(state.HAND, rules.cards), pattern, rules=rules)
    return explain_bis(seen, bidder_options(threshold=float(state.get("threshold"))))


def show_surface(entries: Mapping[str, LogEntry]) -> None:
    surfaces.show_surface_controls()
    source, heard, value = state.get("of"), state.get("after"), state.get("value") / 100
    rows, cell = (
        answers.surface_of(source, heard, value),
        (state.get("cell_partner"), state.get("cell_sum")),
    )
    measure = state.get("measure")
    is_map = state.get("form") == "map"
    chart, behind = st.columns([3, 2], gap="medium")
    with chart:
        figure = plot_map(rows, measure, cell) if is_map else plot_surface(rows, measure)
        surfaces.show_surface(rows, figure)
    with behind:
        surfaces.show_cell_controls(list(entries))
        surfaces.show_cell(compute_cell(answers.fitted(source), heard, *cell, value))
        if entries:
            sequences = tuple(cell_sequences(heard, *cell).tolist())
            log = log_key(entries[state.get("log")])
            found = answers.rounds_behind(log, sequences, None, state.get("kind"))
            curves.show_rounds(*found, [])


def show_ace(entries: Mapping[str, LogEntry]) -> None:
    surfaces.show_ace_controls(list(entries))
    if not entries:
        st.info("No logs yet: the Data page makes and imports them.", icon=":material/inbox:")
        return
    kind, names = state.get("kind"), state.shown_logs(list(entries))
    found = [
        (
            answers.label_of(name, kind),
            answers.aces_of(log_key(entries[name]), state.get("heard"), kind),
        )
        for name in names
    ]
    rows = compute_aces(found)
    if rows.empty:
        st.info("No such seat in these logs.", icon=":material/filter_alt_off:")
        return
    surfaces.show_aces(rows, sum(counts.n_rounds for _, counts in found), plot_aces(rows))


if __name__ == "__main__":
    main()
