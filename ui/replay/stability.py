"""Decision stability on the Replay page: how often each card wins in independent searches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from analysis.decisions.candidates import CardStability, compute_stability, stability_run
from analysis.decisions.decision import AnalysisSettings, Decision, pretty
from analysis.decisions.searching import search_key
from analysis.plots.decisions import plot_stability
from ui.replay import state
from ui.replay.panel import Here, PanelRun, open_decision, show_run
from ui.replay.widgets import choose_count
from ui.shared.links import model_label
from ui.shared.tables import number, percent, show_table
from ui.shared.widgets import show_chart


def show(here: Here) -> None:
    """The panel's inside: how many searches, start and stop, the bars, a sentence, the table."""
    decision = open_decision(here)
    if decision is None:
        return
    settings = state.settings()
    told = "Each with a seed of its own. Whitehouse et al. 2013 made 1,000 of each decision."
    wanted = choose_count("Independent searches", "searches", 210, told)

    def draw(items: Sequence[list], n_wanted: int) -> None:
        rows = compute_stability(items, here.record.observation(here.ply))
        _show(rows, decision, settings, n_wanted)

    show_run(
        PanelRun(
            name="stability",
            key=f"stability {search_key(here.record, settings, ply=here.ply)}",
            make=partial(stability_run, here.record, here.ply, settings),
            draw=draw,
            wanted=wanted,
            noun="searches",
            start=f"Search {wanted:,} times",
        )
    )


def _show(
    rows: Sequence[CardStability], decision: Decision, settings: AnalysisSettings, n_wanted: int
) -> None:
    """Bars and table; ``n_wanted``: how many searches are to be, 0 if all of them are done."""
    model = settings.models[0]
    likely = decision.human_choice(model).card
    figure = plot_stability(
        rows,
        played=decision.played,
        likely=likely,
        choice=decision.search_choice.card,
        human={row.card: row.human[model] for row in decision.cards},
    )
    show_chart(figure, state.key("stability_chart"), "stability")
    st.markdown(sentence(rows, decision, n_wanted))
    st.caption(
        f"{rows[0].n:,} searches of {settings.iterations:,} iterations, seeds {settings.seed:,} to "
        f"{settings.seed + rows[0].n - 1:,}; the first is the one in the table above. Bars: share "
        "of searches that choose the card, with Clopper and Pearson's 95 % interval. Triangles: "
        f"how likely a human plays it, by {model_label(model)}."
    )
    _show_rows(rows, decision, model, likely)


def sentence(rows: Sequence[CardStability], decision: Decision, n_wanted: int) -> str:
    """How often the table's choice and the card played win, and which cards win most.

    Of a run cut short no more than how many searches it has made.
    """
    n, most = rows[0].n, rows[0].wins
    if n_wanted:
        return f"{n:,} of {n_wanted:,} searches are done: too early to say."
    by_card = {row.card: row for row in rows}
    choice = by_card[decision.search_choice.card]
    leaders = [row for row in rows if row.wins == most]
    leads_alone = leaders == [choice]
    wins = "wins most often, in" if leads_alone else "wins"
    told = f"**{pretty(choice.card)}**, the decision table's choice, {wins} {_wins(choice)}"
    if decision.played and decision.played != choice.card:
        played = by_card[decision.played]
        told += f"; {pretty(played.card)}, the card played, wins {_wins(played)}"
    if leads_alone:
        return f"{told}."
    names = [pretty(row.card) for row in leaders]
    if len(leaders) == 1:
        return f"{told}. {names[0]} wins most often, in {_wins(leaders[0])}."
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{told}. {listed} tie for the most wins, each {_wins(leaders[0])}."


def _wins(row: CardStability) -> str:
    low, high = row.interval
    return f"{row.wins:,} of {row.n:,} searches ({row.share:.1%}, 95 %: {low:.1%} to {high:.1%})"


def _show_rows(rows: Sequence[CardStability], decision: Decision, model: str, likely: str) -> None:
    table = pd.DataFrame(
        {
            "card": pretty(row.card),
            "choice": row.card == decision.search_choice.card,
            "played": row.card == decision.played,
            "likeliest_human": row.card == likely,
            "wins": row.wins,
            "searches": row.n,
            "share": row.share,
            "low": row.interval[0],
            "high": row.interval[1],
            "mean_visits": row.mean_visits,
            "least": row.least,
            "greatest": row.greatest,
            "human": found.human[model] if (found := decision.row(row.card)) else None,
        }
        for row in rows
    )
    check = st.column_config.CheckboxColumn
    show_table(
        table,
        "stability",
        columns={
            "card": "Card",
            "choice": check("Table's choice", help="What the decision table's own search chose."),
            "played": check("Played"),
            "likeliest_human": check("Likeliest human"),
            "wins": number("Wins", told="Searches that choose the card."),
            "searches": number("Searches", told="How many were made."),
            "share": percent("Share"),
            "low": percent("95 % from", "Clopper and Pearson."),
            "high": percent("95 % to"),
            "mean_visits": percent("Mean visits", "Mean share of a search's visits."),
            "least": percent("Least", "In any of the searches."),
            "greatest": percent("Greatest"),
            "human": percent("Human", "How likely a human plays it."),
        },
    )
