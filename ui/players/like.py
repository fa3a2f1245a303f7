"""Plays like: the iterations and the bias at which ISMCTS predicts a player's cards best."""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from analysis.people import plays_like
from analysis.plots.people import plot_axis, plot_like
from analysis.runs.store import ResultStore
from analysis.text_tables import span
from spades.core.errors import SpadesError
from ui.players.state import page, pick_player
from ui.shared.jobs import WORKERS, show_jobs, show_start, start_job
from ui.shared.tables import warn_few
from ui.shared.widgets import show_chart, show_error, show_info

PLACE = partial(plays_like.place_stored, workers=WORKERS)


def show() -> None:
    try:
        log, player = pick_player()
        if not player:
            show_info("This log names no players.", "person_off")
            return
        page.segments("Choices", "decisions")
        show_jobs("players", made=lambda: ResultStore().stamp(plays_like.LIKE))
        n = page.get("decisions")
        found = ResultStore().get(plays_like.LIKE, plays_like.question_of(log, player, n))
        if found is None:
            note = f"Searches {n:,} choices at {len(plays_like.settings())} settings, the longest "
            note += "of 200,000 iterations: about half a second a choice."
            call = f"{player} in {log} placed", f"like {log} {player} {n}", PLACE, log, player, n
            show_start("Place this player", note, page.key("place"), start_job, *call)
            return
        _show_curves(found)
        _show_axis(f"{player} ({log})", found)
    except SpadesError as error:
        show_error(error)


def _show_curves(found: dict[str, Any]) -> None:
    best, bias, at = found["best_iterations"], found["best_c_bt"], plays_like.BIASED_AT
    within = span(best["interval"], ",.0f")
    st.markdown(
        f"Best predicted by **{best['best']:,} iterations** (95%: {within}); at {at:,} iterations "
        f"by a bias of **C_BT {bias['best']:g}** (95%: {span(bias['interval'], 'g')}), 0 for none."
    )
    plain = [one for one in found["rows"] if not one["c_bt"]]
    biased = [one for one in found["rows"] if one["iterations"] == at]
    left, right = st.columns(2, gap="large")
    for column, rows, name, title in (
        (left, plain, "iterations", "iterations"),
        (right, biased, "c_bt", f"C_BT at {at:,} iterations, bias by knowledge"),
    ):
        figure = plot_like(rows, name, title, found["human"])
        with column:
            show_chart(figure, page.key(f"curve_{name}"), f"like-{name}")
    warn_few({"this player": found["games"]}, "games")
    st.caption(
        f"{found['decisions']:,} choices of {found['games']:,} games, the same at each setting. "
        "Visits are pooled over 2 to 32 searches and raised to a power, fitted at each. "
        f"By chance: {found['chance']:.3f} nats. Bars: 95% of a "
        "bootstrap over games; settings share their choices, so differences are surer than bars."
    )


def _show_axis(own: str, found: dict[str, Any]) -> None:
    st.subheader("The skill axis")
    stored = ResultStore().sound_results(plays_like.LIKE, lambda one: one.answer["best_iterations"])
    players = {f"{q['player']} ({q['log']})": a for _, _, q, a, _ in stored} | {own: found}
    rows = [
        dict(zip(("low", "high"), one["best_iterations"]["interval"] or (None, None), strict=True))
        | {"player": name, "iterations": one["best_iterations"]["best"]}
        for name, one in players.items()
    ]
    show_chart(plot_axis(pd.DataFrame(rows), own), page.key("axis"), "like-axis")
    better = found["human"] < min(row["loss"] for row in found["rows"])
    beyond = " This player is predicted better by the simulated human than by any search here."
    st.caption(
        "Blue: this player; the others: whoever was placed here before, agents of known iterations "
        f"in a log, say. Bars: 95%.{beyond if better else ''}"
    )
