"""The panel that says how often each card wins in independent searches."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from analysis.decisions.decision import PlayDecision
from analysis.decisions.settings import AnalysisSettings, search_key
from analysis.decisions.stability import CardStability, compute_stability, stability_series
from analysis.plots.decisions import card_labels, plot_stability
from analysis.text_tables import span
from spades.look.words import pretty
from ui.replay import panel, state
from ui.replay.state import page
from ui.shared.cards import with_red
from ui.shared.options import model_label
from ui.shared.panel import Panel
from ui.shared.tables import ends, number, percent

THOUSANDS = "{:,}".format
WINS_OFTENEST = (
    "these are searches by the agent shown, which plays the card that it visits most; the "
    "conclusion goes by the judge's estimate of what each card is worth."
)
checkbox = st.column_config.CheckboxColumn
STABILITY_COLUMNS = {
    "card": "Card",
    "choice": checkbox("Table's choice", help="What the decision table's own search chose."),
    "played": checkbox("Played"),
    "likeliest_human": checkbox("Likeliest human"),
    "wins": number("Wins", hint="Searches that choose the card."),
    "searches": number("Searches", hint="How many were made."),
    "share": percent("Share"),
    **ends(),
    "mean_visits": percent("Mean visits", "Mean share of a search's visits."),
    "least": percent("Least", "In any of the searches."),
    "greatest": percent("Greatest"),
    "human": percent("Human", "How likely a human plays it."),
}


def show_stability(here: panel.Here) -> None:
    decision = panel.judged_decision(here)
    if decision is None:
        return
    settings = state.settings()
    wanted = page.select(
        "Independent searches",
        "searches",
        format_func=THOUSANDS,
        width=210,
        help="Each with a seed of its own. Whitehouse et al. 2013 made 1,000 of each decision.",
    )

    def draw(items: Sequence[list], n_wanted: int) -> None:
        rows = compute_stability(items, here.record.observation(here.ply))
        _show_wins(rows, decision, settings, n_wanted)
        if rows and not n_wanted:
            panel.apart_from_conclusion(here, rows[0].card, WINS_OFTENEST)

    key = f"stability {search_key(here.record, settings, ply=here.ply)}"
    make = partial(stability_series, here.record, here.ply, settings)
    start = f"Search {wanted:,} times"
    panel.show_series(panel.SeriesPanel("stability", key, make, draw, wanted, "searches", start))


def _show_wins(
    rows: Sequence[CardStability], decision: PlayDecision, settings: AnalysisSettings, n_wanted: int
) -> None:
    """Bars, sentence and table; ``n_wanted``: searches that are to be, 0 if all are done."""
    model = settings.models[0]
    choice = decision.search_choice.card
    likeliest = decision.human_choice(model).card
    human = {row.card: row.human[model] for row in decision.cards}
    names = card_names(decision)
    marks = {
        "● played": decision.played,
        "▲ likeliest human": likeliest,
        "★ table's choice": choice,
    }
    figure = plot_stability(rows, labels=card_labels(names, marks), human=human)
    wins_panel = Panel("stability")
    wins_panel.answer(with_red(stability_sentence(rows, decision, n_wanted)))
    n = rows[0].n
    last_seed = settings.seed + n - 1
    reading = (
        f"{n:,} searches of {settings.iterations:,} iterations, seeds {settings.seed:,} to "
        f"{last_seed:,}, the first of which are those of the table; the conclusion is the "
        "judge's. Bars: share of searches that choose the card, with Clopper and "
        "Pearson's 95% interval. Triangles: how likely a human "
        f"plays it, by {model_label(model)}."
    )
    wins_panel.figure(figure, reading)
    table = [
        {
            "card": names[row.card],
            "choice": row.card == choice,
            "played": row.card == decision.played,
            "likeliest_human": row.card == likeliest,
            "wins": row.wins,
            "searches": row.n,
            "share": row.share,
            "low": row.interval[0],
            "high": row.interval[1],
            "mean_visits": row.mean_visits,
            "least": row.least,
            "greatest": row.greatest,
            "human": human.get(row.card),
        }
        for row in rows
    ]
    wins_panel.table(pd.DataFrame(table), STABILITY_COLUMNS)


def stability_sentence(rows: Sequence[CardStability], decision: PlayDecision, n_wanted: int) -> str:
    """How often the table's choice and the card played win, and which cards win most.

    For a run cut short, only how many searches it has made."""
    n = rows[0].n
    if n_wanted:
        return f"{n:,} of {n_wanted:,} searches are done: too early to say."
    by_card = {row.card: row for row in rows}
    choice = by_card[decision.search_choice.card]
    leaders = [row for row in rows if row.wins == rows[0].wins]
    leads_alone = leaders == [choice]
    wins = "wins most often, in" if leads_alone else "wins"
    sentence = f"**{pretty(choice.card)}**, the decision table's choice, {wins} {_wins(choice)}"
    if decision.played and decision.played != choice.card:
        played = by_card[decision.played]
        sentence += f"; {pretty(played.card)}, the card played, wins {_wins(played)}"
    if leads_alone:
        return f"{sentence}."
    *others, last = [pretty(row.card) for row in leaders]
    most = _wins(leaders[0])
    if not others:
        return f"{sentence}. {last} wins most often, in {most}."
    return f"{sentence}. {', '.join(others)} and {last} tie for the most wins, each {most}."


def _wins(row: CardStability) -> str:
    within = span(row.interval, ".1%")
    return f"{row.wins:,} of {row.n:,} searches ({row.share:.1%}, 95%: {within})"


def card_names(decision: PlayDecision) -> dict[str, str]:
    """How each class of equivalent cards is written, by its highest card."""
    return {row.card: row.label for row in decision.cards}
