"""Panels that compare the cards of a decision: independent searches, sampled deals, what if."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.decisions import candidates as trials
from analysis.decisions.candidates import CandidateValue, CardStability, Difference, WhatIf
from analysis.decisions.claims import best_sentence, claim_sentence, n_possible
from analysis.decisions.decision import PlayDecision, pretty
from analysis.decisions.judge import JUDGE
from analysis.decisions.settings import AnalysisSettings, record_key, search_key
from analysis.plots.decisions import card_labels, plot_candidates, plot_differences, plot_stability
from spades.belief import Dealing
from spades.belief.dealing import POSTERIOR
from spades.core.cards import N_SEATS, SEAT_NAMES, SEATS, Deck, cards_in, strength_of, suit_of
from spades.core.observation import Observation
from spades.search.deals import DEAL_ITERATIONS
from spades.search.solver import MAX_SOLVED
from ui.replay import panel, state
from ui.replay.beliefs import show_belief_scores, show_beliefs
from ui.replay.state import page
from ui.shared.options import DEALING_OPTIONS, model_label
from ui.shared.tables import number, percent, show_download, show_table, text
from ui.shared.widgets import row as widget_row
from ui.shared.widgets import show_chart

POINTS = "%+.1f"
COUNTED = {"format_func": "{:,}".format}
MEAN_VISITS = "Mean share of a search's visits."
HUMAN_PLAYS = "How likely a human plays it."
WINS_OFTENEST = (
    "these are searches by the agent shown, which plays the card that it visits most; the "
    f"conclusion goes by the mean value in the searches of {JUDGE}."
)
OPEN_HANDS = (
    "in a sampled deal all hands are open, so that nobody has to guess; the judge's seats do."
)
PLAYED_ON = "the round is played on by other players than the judge's own playouts."
checkbox = st.column_config.CheckboxColumn
Columns = dict[str, tuple[Any, Callable[[Any], Any]]]
"""Of a table: what heads each column, and its value for a row."""


def _show_columns(rows: Sequence[Any], file: str, columns: Columns) -> None:
    table = pd.DataFrame([{name: of(row) for name, (_, of) in columns.items()} for row in rows])
    show_table(table, file, columns={name: head for name, (head, _) in columns.items()})


def _choose_dealing(name: str) -> Dealing:
    """How a panel's deals are drawn; by default as the search's."""
    of_search = state.settings().dealing

    def label_of(option: str) -> str:
        is_search = option == state.AS_SEARCH
        return f"As the search ({of_search.text()})" if is_search else option.capitalize()

    hint = (
        f"As the search: as those of the decision table. {DEALING_OPTIONS['determinization'].help}"
    )
    chosen = page.select("Dealt by", name, format_func=label_of, width=220, help=hint)
    return of_search if chosen == state.AS_SEARCH else Dealing(chosen)


def show_stability(here: panel.Here) -> None:
    decision = panel.judged_decision(here)
    if decision is None:
        return
    settings = state.settings()
    hint = "Each with a seed of its own. Whitehouse et al. 2013 made 1,000 of each decision."
    wanted = page.select("Independent searches", "searches", width=210, help=hint, **COUNTED)

    def draw(items: Sequence[list], n_wanted: int) -> None:
        rows = trials.compute_stability(items, here.record.observation(here.ply))
        _show_wins(rows, decision, settings, n_wanted)
        if rows and not n_wanted:
            panel.apart_from_conclusion(here, rows[0].card, WINS_OFTENEST)

    key = f"stability {search_key(here.record, settings, ply=here.ply)}"
    make = partial(trials.stability_series, here.record, here.ply, settings)
    start = f"Search {wanted:,} times"
    panel.show_series(panel.SeriesPanel("stability", key, make, draw, wanted, "searches", start))


def _show_wins(
    rows: Sequence[CardStability], decision: PlayDecision, settings: AnalysisSettings, n_wanted: int
) -> None:
    """Bars, sentence and table; ``n_wanted``: searches that are to be, 0 if all are done."""
    model, played, choice = settings.models[0], decision.played, decision.search_choice.card
    likely = decision.human_choice(model).card
    human = {row.card: row.human[model] for row in decision.cards}
    names = {row.card: row.label for row in decision.cards}
    marks = {"● played": played, "▲ likeliest human": likely, "★ table's choice": choice}
    figure = plot_stability(rows, labels=card_labels(names, marks), human=human)
    show_chart(figure, page.key("stability_chart"), "stability")
    st.markdown(stability_sentence(rows, decision, n_wanted))
    n, first = rows[0].n, settings.seed
    st.caption(
        f"{n:,} searches of {settings.iterations:,} iterations, seeds {first:,} to "
        f"{first + n - 1:,}, the first of which are those of the table; the conclusion is by "
        f"searches of {JUDGE}. Bars: share of searches that choose the card, with Clopper and "
        "Pearson's 95% interval. Triangles: how likely a human "
        f"plays it, by {model_label(model)}."
    )
    hint = "What the decision table's own search chose."
    columns: Columns = {
        "card": ("Card", lambda row: names[row.card]),
        "choice": (checkbox("Table's choice", help=hint), lambda row: row.card == choice),
        "played": (checkbox("Played"), lambda row: row.card == played),
        "likeliest_human": (checkbox("Likeliest human"), lambda row: row.card == likely),
        "wins": (number("Wins", hint="Searches that choose the card."), lambda row: row.wins),
        "searches": (number("Searches", hint="How many were made."), lambda row: row.n),
        "share": (percent("Share"), lambda row: row.share),
        "low": (percent("95% from", "Clopper and Pearson."), lambda row: row.interval[0]),
        "high": (percent("95% to"), lambda row: row.interval[1]),
        "mean_visits": (percent("Mean visits", MEAN_VISITS), lambda row: row.mean_visits),
        "least": (percent("Least", "In any of the searches."), lambda row: row.least),
        "greatest": (percent("Greatest"), lambda row: row.greatest),
        "human": (percent("Human", HUMAN_PLAYS), lambda row: human.get(row.card)),
    }
    _show_columns(rows, "stability", columns)


def stability_sentence(rows: Sequence[CardStability], decision: PlayDecision, n_wanted: int) -> str:
    """How often the table's choice and the card played win, and which cards win most.

    Of a run cut short no more than how many searches it has made."""
    n, most = rows[0].n, rows[0].wins
    if n_wanted:
        return f"{n:,} of {n_wanted:,} searches are done: too early to say."
    by_card = {row.card: row for row in rows}
    choice = by_card[decision.search_choice.card]
    leaders = [row for row in rows if row.wins == most]
    leads_alone = leaders == [choice]
    wins = "wins most often, in" if leads_alone else "wins"
    found = f"**{pretty(choice.card)}**, the decision table's choice, {wins} {_wins(choice)}"
    if decision.played and decision.played != choice.card:
        played = by_card[decision.played]
        found += f"; {pretty(played.card)}, the card played, wins {_wins(played)}"
    if leads_alone:
        return f"{found}."
    *others, last = [pretty(row.card) for row in leaders]
    if not others:
        return f"{found}. {last} wins most often, in {_wins(leaders[0])}."
    listed = f"{', '.join(others)} and {last}"
    return f"{found}. {listed} tie for the most wins, each {_wins(leaders[0])}."


def _wins(row: CardStability) -> str:
    low, high = row.interval
    return f"{row.wins:,} of {row.n:,} searches ({row.share:.1%}, 95%: {low:.1%} to {high:.1%})"


def show_deals(here: panel.Here) -> None:
    show_beliefs(here)
    if not here.bid:
        _show_candidates(here)
    show_belief_scores()


def _show_candidates(here: panel.Here) -> None:
    hint = "Deals as the search draws them, each candidate valued in every one: by a search, in "
    hint += f"the last {MAX_SOLVED} tricks exactly. Few possible deals are all solved."
    st.subheader("What each card gets in them", help=hint)
    decision = panel.judged_decision(here)
    if decision is None:
        return
    with widget_row():
        dealing = _choose_dealing("dealing")
        wanted = page.select("Deals", "deal_count", width=110, **COUNTED)
    settings, n_all = state.settings(), n_possible(here.record.observation(here.ply), dealing)

    def draw(items: Sequence[list], n_wanted: int) -> None:
        _show_values(items, here, decision, dealing)

    key = f"deals {dealing} {search_key(here.record, settings, ply=here.ply)}"
    make = partial(trials.deals_series, here.record, here.ply, settings, dealing)
    start = f"Solve all {n_all:,} possible deals" if n_all else f"Sample {wanted:,} deals"
    panel.show_series(panel.SeriesPanel("deals", key, make, draw, n_all or wanted, "deals", start))


def _show_values(
    items: Sequence[list], here: panel.Here, decision: PlayDecision, dealing: Dealing
) -> None:
    observation = here.record.observation(here.ply)
    chosen, names = decision.search_choice.card, {row.card: row.label for row in decision.cards}
    cards, values = trials.values_by_class(observation, np.array([item[1] for item in items]))
    n_all = n_possible(observation, dealing)
    rows = trials.candidate_values(cards, values, is_every=len(items) == n_all)
    deal = _show_picker(len(items), here)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        labels = card_labels(names, {"● played": decision.played, "◆ search": chosen})
        in_deal = dict(zip(cards, values[deal - 1].tolist(), strict=True))
        figure = plot_candidates(rows, labels, in_deal, deal)
        show_chart(figure, page.key("deals_chart"), "sampled-deals")
    with right:
        _show_deal(items[deal - 1][0], deal, here, observation)
    drawn, same = state.settings().dealing, ""
    if n_all:
        same = f"The seat can't rule out {n_all:,} deals, each as likely as any other; all are "
        same += "solved" if len(items) == n_all else "to be solved, in random order"
        same += ". Only the card here is the same in all: later ones may hang on how the cards lie."
    elif drawn.determinization != POSTERIOR:
        same = f"{drawn.text('deals').capitalize()} are the first that the search in the table "
        same += "looked at."
    is_solved = trials.is_solved(observation)
    if is_solved:
        sentences = [best_sentence(rows, names.__getitem__, is_every=len(items) == n_all)]
        claim = trials.claim_of(observation, items, dealing)
        if claim:
            sentences.append(claim_sentence(claim, observation, pretty))
        st.markdown(" ".join(sentences))
        how = "all four hands open, both sides play on without a mistake; exact points for the "
        how += "mover's partnership. Who sees all cards never errs, so that a bluff or a safety "
        how += "play looks worse than it is"
    else:
        how = f"a search of {DEAL_ITERATIONS} iterations goes on with all four hands open; its "
        how += "mean, in points for the mover's partnership. Who sees the cards needs no guessing"
    st.caption(
        f"A card's value in a deal: it is played, then {how}. Look at differences, not levels. "
        f"Intervals: 95%, over deals. {same}"
    )
    panel.apart_from_conclusion(here, rows[0].card, OPEN_HANDS)
    _show_value_tables(rows, chosen, names, has_regret=is_solved)
    show_download(_deals_table(items, observation), "deals", "All deals (CSV)")


def _show_picker(n: int, here: panel.Here) -> int:
    """The number of the deal to look at; the address follows at once."""
    key, kept = page.key("deal"), min(int(page.get("deal")), n)
    if st.session_state.get(key, 1) > n:
        st.session_state[key] = kept
    deal = st.number_input(f"Deal, of {n:,}", 1, n, kept, key=key, width=150, help="One by one.")
    state.write_state(here.ply, here.hands)
    return int(deal)


def _show_deal(hands: Sequence[int], deal: int, here: panel.Here, observation: Observation) -> None:
    deck, mover = observation.rules.cards, observation.seat
    names = [SEAT_NAMES[seat] for seat in SEATS]
    titles = [name + " (decides)" * (seat == mover) for seat, name in enumerate(names)]
    table = pd.DataFrame({title: _suits(hands[seat], deck) for seat, title in enumerate(titles)})
    st.table(table.set_index(pd.Index(list("♠♥♦♣"))))
    found = f"Deal {deal:,}: {names[mover]}'s own cards and three hands that {names[mover]} "
    found += "can't rule out."
    if panel.is_truth_shown(here):
        truth = here.record.at(here.ply).hands
        others = [seat for seat in range(N_SEATS) if seat != mover]
        same = sum((hands[seat] & truth[seat]).bit_count() for seat in others)
        total = sum(truth[seat].bit_count() for seat in others)
        found += f" {same} of the {total} hidden cards lie there in truth."
    st.caption(found)


def _suits(hand: int, deck: Deck) -> list[str]:
    found: list[list[str]] = [[], [], [], []]
    for card in sorted(cards_in(hand), key=strength_of, reverse=True):
        name, suit = deck.format_card(card), suit_of(card)
        is_plain = pretty(name)[-1] in "♠♥♦♣" and name[0] == "SHDC"[suit]
        found[suit].append(pretty(name)[:-1] if is_plain else pretty(name))
    return [" ".join(ranks) or "–" for ranks in found]


def _show_value_tables(
    rows: Sequence[CandidateValue], chosen: str, names: Mapping[str, str], *, has_regret: bool
) -> None:
    """Each card against the search's choice in the same deals, and against every other."""
    gaps = {gap.card: gap for gap in trials.differences(rows, chosen)}
    hint = "Where no card is worth more; ties count for each."
    columns: Columns = {
        "card": ("Card", lambda row: names[row.card]),
        "deals": (number("Deals"), lambda row: row.n),
        "mean": (number("Mean", POINTS, "Points, over the deals."), lambda row: row.mean),
        "se": (number("SE", "%.1f", "Standard error of the mean."), lambda row: row.standard_error),
        "best_in": (number("Best in", hint=hint), lambda row: row.best_in),
        **(_regret_columns() if has_regret else {}),
        **_difference_columns("against", chosen, gaps),
        **_beats_column(chosen, "Deals where it is worth more."),
    }
    _show_columns(rows, "candidates", columns)
    st.caption(f"In how many of {rows[0].n:,} deals the card at the left is worth more:")
    pairs = [
        {"card": names[row.card]} | {names[other.card]: row.beats.get(other.card) for other in rows}
        for row in rows
    ]
    show_table(pd.DataFrame(pairs), "candidate-pairs", columns={"card": "Card"})


def _regret_columns() -> Columns:
    hint = "Points less than the card that is best in each deal, mean over the deals."
    return {
        "regret": (number("Regret", "%.1f", hint), lambda row: row.regret.mean),
        "regret_low": (number("95% from", "%.1f"), lambda row: max(0.0, row.regret.interval[0])),
        "regret_high": (number("95% to", "%.1f"), lambda row: row.regret.interval[1]),
    }


def _difference_columns(name: str, reference: str, gaps: Mapping[str, Difference]) -> Columns:
    """A card less the reference; nothing for the reference itself."""

    def of(value: Callable[[Difference], float]) -> Callable[[CandidateValue], float | None]:
        return lambda row: value(gaps[row.card]) if row.card in gaps else None

    hint = f"Points more than {pretty(reference)}, mean over the same deals."
    return {
        name: (number(f"Against {pretty(reference)}", POINTS, hint), of(lambda gap: gap.mean)),
        "low": (number("95% from", POINTS), of(lambda gap: gap.interval[0])),
        "high": (number("95% to", POINTS), of(lambda gap: gap.interval[1])),
    }


def _beats_column(reference: str, hint: str) -> Columns:
    head = number(f"Beats {pretty(reference)} in", hint=hint)
    return {"beats": (head, lambda row: row.beats.get(reference))}


def _deals_table(items: Sequence[list], observation: Observation) -> pd.DataFrame:
    deck, cards = observation.rules.cards, trials.legal_cards(observation)
    return pd.DataFrame(
        [
            {"deal": i}
            | {SEATS[seat]: deck.format_cards(hand) for seat, hand in enumerate(hands)}
            | {f"value_{card}": value for card, value in zip(cards, values, strict=True)}
            for i, (hands, values, *_) in enumerate(items, start=1)
        ]
    )


def show_what_if(here: panel.Here) -> None:
    decision = panel.judged_decision(here)
    if decision is None:
        return
    with widget_row():
        hint = "In all four seats, each seeing its own hand only."
        policy = page.select("Played on by", "policy", width=240, help=hint)
        dealing = _choose_dealing("whatif_dealing")
        wanted = page.select("Deals", "trials", width=110, **COUNTED)
    how = WhatIf(dealing, policy, page.get("seed"))

    def draw(items: Sequence[list], n_wanted: int) -> None:
        seen = here.record.observation(here.ply)
        cards, values = trials.values_by_class(seen, np.array(items, dtype=float))
        rows = trials.candidate_values(cards, values)
        _show_differences(rows, decision, how, n_wanted)
        gap = rows[0].against.get(decision.search_choice.card)
        if gap and gap.is_clear and not n_wanted:
            panel.apart_from_conclusion(here, rows[0].card, PLAYED_ON)

    key = f"what if {record_key(here.record)} {here.ply} {how}"
    make = partial(trials.what_if_series, here.record, here.ply, how)
    start = f"Play on {wanted:,} deals"
    panel.show_series(panel.SeriesPanel("whatif", key, make, draw, wanted, "deals", start))


def _show_differences(
    rows: Sequence[CandidateValue], decision: PlayDecision, how: WhatIf, n_wanted: int
) -> None:
    """Chart, sentence and table; ``n_wanted``: how many deals are to be, 0 if all are played."""
    chosen, n = decision.search_choice.card, rows[0].n
    reference = decision.played or chosen
    gaps = trials.differences(rows, reference)
    names = {row.card: row.label for row in decision.cards}
    labels = card_labels(names, {"● played": decision.played, "◆ search": chosen})
    figure = plot_differences(gaps, reference, labels=labels)
    show_chart(figure, page.key("whatif_chart"), "what-if")
    st.markdown(difference_sentence(gaps, reference, n, n_wanted))
    st.caption(
        f"Each legal card was played in the same {n:,} deals, {how.dealing.text()} ones that agree "
        "with what the seat to play has seen (the true hands are not looked at), and "
        f"{state.POLICY_LABELS[how.policy].lower()} played on in all seats. Points of the round "
        "for the mover's partnership, bags at their cost; differences deal by deal, intervals at "
        "95%."
    )
    by_card = {gap.card: gap for gap in gaps}
    columns: Columns = {
        "card": ("Card", lambda row: names[row.card]),
        "played": (checkbox("Played"), lambda row: row.card == decision.played),
        "deals": (number("Deals"), lambda row: row.n),
        "points": (number("Points", POINTS, "Mean over the deals."), lambda row: row.mean),
        "se": (number("SE", "%.1f"), lambda row: row.standard_error),
        **_difference_columns("difference", reference, by_card),
        "verdict": (
            text("", "By whether the interval covers 0."),
            lambda row: _gap_verdict(by_card.get(row.card)),
        ),
        **_beats_column(reference, "Deals where it gets more."),
    }
    _show_columns(rows, "what-if", columns)


def _gap_verdict(gap: Difference | None) -> str | None:
    if gap is None:
        return None
    better = "better" if gap.mean > 0 else "worse"
    return better if gap.is_clear else "no clear difference"


def difference_sentence(gaps: Sequence[Difference], reference: str, n: int, n_wanted: int) -> str:
    """Which cards did better or worse than the one played; nothing from a run cut short."""
    if n_wanted:
        return f"{n:,} of {n_wanted:,} deals are played: too early to say."
    name, found = pretty(reference), []
    groups = {
        f"**Better than {name}**:": [gap for gap in gaps if gap.is_clear and gap.mean > 0],
        "**Worse**:": [gap for gap in gaps if gap.is_clear and gap.mean < 0],
        f"**No clear difference** from {name}:": [gap for gap in gaps if not gap.is_clear],
    }
    for title, members in groups.items():
        if members:
            found.append(f"{title} {', '.join(map(_gap_text, members))}")
    return "; ".join(found) + f"; n = {n:,} deals."


def _gap_text(gap: Difference) -> str:
    low, high = gap.interval
    return f"{pretty(gap.card)} ({gap.mean:+.1f}, 95%: {low:+.1f} to {high:+.1f})"
