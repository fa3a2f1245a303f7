"""One player as a group of one: against the people of a log, as any two groups are compared; and
the player's rates of points, sets, nils and bags."""

from functools import partial

import pandas as pd
import streamlit as st

from analysis.people.rates import MEASURES, SHARES
from analysis.plots.people import plot_rate
from analysis.style.counts import player_and_others, seats_of
from analysis.text_tables import shown, span
from ui.shared.page import literal
from ui.shared.panel import Panel
from ui.shared.records import log_key, readable_logs
from ui.shared.states import show_empty
from ui.shared.tables import number, text
from ui.shared.widgets import row
from ui.style import cached, state
from ui.style.cached import Pair, Selection
from ui.style.groups import show_comparison
from ui.style.state import page, pick_player

COLUMNS = {
    "Distance": text(
        "Distance", "Of the two means, in standard deviations of the cohort's rounds or nils."
    ),
    "Percentile": number(
        "Percentile",
        "%.0f",
        "The share of samples of the cohort, as large as the player's, that are lower; by chance "
        "alone it is anywhere from 0 to 100.",
    ),
}


def show() -> None:
    chosen, rest = st.columns([3, 2], vertical_alignment="bottom")
    with chosen, row():
        log, player = pick_player()
        hint = "The player is compared with the people of this log, simulated ones included."
        cohort = page.select("Cohort", "cohort", list(readable_logs()), width=260, help=hint)
    with rest, row():
        state.show_play_controls()
    if not player:
        show_empty(f"{log} names no player.", "person_off")
        return
    entries = readable_logs()
    logs = tuple(log_key(entries[name]) for name in dict.fromkeys([log, cohort]))
    data = cached.pooled(logs)
    pair = player_and_others(data, player, log, cohort)
    selection = Selection(logs, pair, state.play_filter(), page.get("classes"))
    if not any(seats_of(plays, pair[1]).any() for plays in data):
        show_empty(f"There are no other people in {cohort}: choose another cohort.", "group")
        return
    show_comparison(data, selection, lambda _: pair, partial(_show_rates, selection, pair))


def _show_rates(selection: Selection, pair: Pair) -> None:
    own, others = pair
    table = cached.rates(selection, pair)
    rates, chart = st.columns([3, 2], gap="medium")
    with rates:
        panel = Panel("rates", "Rates, the largest and surest difference first")
        note = (
            f"{own.label} in {own.log} against {others.label}, {int(table['cohort_n'].max()):,} "
            "rounds. In brackets: 95%. Ranked by the distance times how sure it is: the share of "
            "samples of the cohort that lie nearer to their middle."
        )
        rows = pd.DataFrame([_texts(rates) for rates in table.to_dict("records")])
        panel.table(rows, COLUMNS, literal(note))
    with chart:
        _show_parts(selection, pair, table)


def _show_parts(selection: Selection, pair: Pair, table: pd.DataFrame) -> None:
    """A rate over the player's rounds, in order: records have no dates."""
    measures = {name: MEASURES[name] for name in table["measure"]}
    page.settle("rate", measures, next(iter(measures)))
    panel = Panel("rate-over-rounds", "Over the player's rounds")
    with panel.question:
        measure = page.select("Rate, in the log's order", "rate", measures)
    parts = cached.rate_in_parts(selection, pair[0], measure)
    cohort = table.set_index("measure").loc[measure, "cohort"]
    figure = plot_rate(
        parts,
        cohort,
        title=MEASURES[measure],
        cohort_name=pair[1].label,
        is_share=measure in SHARES,
    )
    panel.figure(figure)
    panel.export(parts)


def _texts(rates: dict) -> dict[str, object]:
    """A row of the comparison."""
    form = ".1%" if rates["measure"] in SHARES else ".2f"

    def text_of(prefix: str) -> str:
        value = shown(rates[prefix], form)
        interval = span((rates[f"{prefix}_low"], rates[f"{prefix}_high"]), form)
        return f"{value} ({interval}), n = {rates[f'{prefix}_n']:,}"

    return {
        "Rate": MEASURES[rates["measure"]],
        "Player": text_of("own"),
        "Cohort": text_of("cohort"),
        "Distance": shown(rates["distance"], "+.2f"),
        "Percentile": 100 * rates["percentile"],
    }
