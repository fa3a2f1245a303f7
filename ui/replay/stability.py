"""Decision stability on the Replay page: how often each card wins in independent searches."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.decisions.decision import AnalysisSettings, Decision, pretty
from analysis.decisions.searching import search_key
from analysis.decisions.stability import CardStability, compute_stability, stability_run
from analysis.plots.candidates import plot_stability
from analysis.runs.jobs import Desk
from analysis.runs.stored_runs import StoredRun
from ui.replay import state
from ui.replay.why import Here, RunControls, choose, show_run, why_closed
from ui.replay.why_state import SEARCH_COUNTS
from ui.shared.links import model_label
from ui.shared.page import chart_config
from ui.shared.tables import show_table


def show_stability(desk: Desk[StoredRun], here: Here) -> None:
    """The panel's inside: how many searches, start and stop, the bars, a sentence, the table."""
    if closed := why_closed(here):
        st.caption(closed)
        return
    decision = here.decision
    assert decision is not None
    settings = state.settings()
    wanted = choose(
        "Independent searches",
        "searches",
        SEARCH_COUNTS,
        width=210,
        told="Each with a seed of its own. Whitehouse et al. 2013 made 1,000 of each decision.",
    )

    def make() -> StoredRun:
        return stability_run(here.record, here.ply, settings)

    controls = RunControls(
        name="stability",
        key=f"stability {search_key(here.record, settings, ply=here.ply)}",
        make=make,
        wanted=wanted,
        noun="searches",
        start=f"Search {wanted:,} times",
    )

    def draw(items: Sequence[list], is_whole: bool) -> None:
        rows = compute_stability(items, here.record.observation(here.ply))
        _show(rows, decision, settings, wanted if not is_whole else 0)

    show_run(desk, controls, draw)


def _show(
    rows: Sequence[CardStability], decision: Decision, settings: AnalysisSettings, asked: int
) -> None:
    """Bars and table; ``asked``: how many searches were to be, 0 if all of them are done."""
    model = settings.models[0]
    likely = decision.human_choice(model).card
    st.plotly_chart(
        plot_stability(
            rows,
            played=decision.played,
            likely=likely,
            choice=decision.search_choice.card,
            human={row.card: row.human[model] for row in decision.cards},
        ),
        width="stretch",
        key=state.key("stability_chart"),
        config=chart_config("stability"),
    )
    st.markdown(sentence(rows, decision, asked))
    st.caption(
        f"{rows[0].n:,} searches of {settings.iterations:,} iterations, seeds {settings.seed:,} to "
        f"{settings.seed + rows[0].n - 1:,}; the first is the one in the table above. Bars: share "
        "of searches that choose the card, with Clopper and Pearson's 95 % interval. Triangles: "
        f"how likely a human plays it, by {model_label(model)}."
    )
    _show_rows(rows, decision, model, likely)


def sentence(rows: Sequence[CardStability], decision: Decision, asked: int) -> str:
    """How often the table's choice and the card played win, and which cards win most.

    From a run cut short no more than how many searches it has made.
    """
    n, most = rows[0].n, rows[0].wins
    if asked:
        return f"{n:,} of {asked:,} searches are done: too early to say."
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
    percent = {"format": "percent"}
    column = st.column_config
    table = pd.DataFrame(
        [
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
        ]
    )
    show_table(
        table,
        "stability",
        columns={
            "card": "Card",
            "choice": column.CheckboxColumn(
                "Table's choice", help="What the decision table's own search chose."
            ),
            "played": column.CheckboxColumn("Played"),
            "likeliest_human": column.CheckboxColumn("Likeliest human"),
            "wins": column.NumberColumn("Wins", help="Searches that choose the card."),
            "searches": column.NumberColumn("Searches", help="How many were made."),
            "share": column.NumberColumn("Share", **percent),
            "low": column.NumberColumn("95 % from", help="Clopper and Pearson.", **percent),
            "high": column.NumberColumn("95 % to", **percent),
            "mean_visits": column.NumberColumn(
                "Mean visits", help="Mean share of a search's visits.", **percent
            ),
            "least": column.NumberColumn("Least", help="In any of the searches.", **percent),
            "greatest": column.NumberColumn("Greatest", **percent),
            "human": column.NumberColumn("Human", help="How likely a human plays it.", **percent),
        },
    )
