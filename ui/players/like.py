"""Plays like: the iterations and the bias at which ISMCTS predicts a player's cards best."""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from analysis.people import plays_like
from analysis.people.references import load_references
from analysis.plots.people import plot_like, plot_likest_iterations
from analysis.runs.store import ResultStore
from ui.players.state import page, pick_player
from ui.shared.jobs import WORKERS, show_jobs, show_start, start_job
from ui.shared.tables import warn_few
from ui.shared.widgets import show_chart

PLACE = partial(plays_like.place_stored, workers=WORKERS)


def show() -> None:
    log, player = pick_player()
    page.segments("Choices", "decisions")
    show_jobs("players", made=lambda: ResultStore().stamp(plays_like.LIKE))
    n = page.get("decisions")
    found = ResultStore().get(plays_like.LIKE, plays_like.question_of(log, player, n))
    if found is not None:
        _show_curves(found)
        _show_axis(f"{player} ({log})", found)
        return
    note = f"Searches {n:,} choices at {len(plays_like.settings())} settings: about half a second "
    call = f"{player} in {log} placed", f"like {log} {player} {n}", PLACE, log, player, n
    look = {"disabled": not player}
    show_start("Place this player", f"{note}a choice.", page.key("place"), start_job, *call, **look)


def _show_curves(found: dict[str, Any]) -> None:
    st.markdown(f"**{plays_like.verdict(found)}**")
    at, rows = plays_like.BIASED_AT, found["rows"]
    plain = [one for one in rows if not one["c_bt"]]
    biased = [one for one in rows if one["iterations"] == at]
    curves = {
        "iterations": (plain, "iterations"),
        "c_bt": (biased, f"C_BT at {at:,} iterations, bias by knowledge"),
    }
    columns = st.columns(2, gap="large")
    for column, (name, (part, title)) in zip(columns, curves.items(), strict=True):
        figure = plot_like(part, name, title, found["human"])
        with column:
            show_chart(figure, page.key(f"curve_{name}"), f"like-{name}")
    warn_few({"this player": found["games"]}, "games")
    st.caption(
        "Bars: 95% of a bootstrap over games; settings share their choices, so differences are "
        f"surer than bars. By chance: {found['chance']:.3f} nats."
    )


def _show_axis(own: str, found: dict[str, Any]) -> None:
    st.subheader("The skill axis")
    stored = ResultStore().sound_results(plays_like.LIKE, lambda one: one.answer["best_iterations"])
    shipped = load_references()
    players = {one["agent"]: one for one in shipped["rows"]}
    players |= {f"{q['player']} ({q['log']})": a["best_iterations"] for _, _, q, a, _ in stored}
    rows = [
        dict(zip(("low", "high"), one["interval"] or (None, None), strict=True))
        | {"player": name, "iterations": one["best"]}
        for name, one in (players | {own: found["best_iterations"]}).items()
    ]
    show_chart(plot_likest_iterations(pd.DataFrame(rows), own), page.key("axis"), "like-axis")
    if found["human"] < min(row["loss"] for row in found["rows"]):
        st.markdown("The simulated human predicts this player better than any search here.")
    st.caption(
        "Blue: this player; with a log's name: placed here before; the others are agents in South "
        f"among simulated humans, {shipped['decisions']:,} choices of each. Bars: 95%."
    )
