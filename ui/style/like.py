"""Plays like: the iterations and the bias at which ISMCTS predicts a player's cards best."""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from analysis.people import plays_like
from analysis.plots.people import plot_like, plot_likest_iterations
from analysis.runs.store import ResultStore
from ui.shared.jobs import WORKERS, show_jobs, show_start, start_job
from ui.shared.panel import Panel
from ui.shared.tables import warn_few
from ui.style.state import page, pick_player

PLACE = partial(plays_like.place_stored, workers=WORKERS)


def show() -> None:
    log, player = pick_player()
    page.segments("Choices", "decisions")
    show_jobs("players", made=lambda: ResultStore().stamp(plays_like.LIKE))
    n = page.get("decisions")
    question = plays_like.question_of(log, player, n)
    answer = ResultStore().get(plays_like.LIKE, question)
    if answer is not None:
        _show_curves(answer)
        _show_axis(f"{player} ({log})", answer)
        return
    n_settings = len(plays_like.settings())
    show_start(
        "Place this player",
        f"Searches {n:,} choices at {n_settings} settings: about half a second a choice.",
        page.key("place"),
        start_job,
        f"{player} in {log} placed",
        f"like {log} {player} {n}",
        PLACE,
        log,
        player,
        n,
        disabled=not player,
    )


def _show_curves(answer: dict[str, Any]) -> None:
    biased_at = plays_like.BIASED_AT
    unbiased = [row for row in answer["rows"] if not row["c_bt"]]
    biased = [row for row in answer["rows"] if row["iterations"] == biased_at]
    axes = {
        "iterations": ("iterations", unbiased),
        "c_bt": (f"C_BT at {biased_at:,} iterations, bias by knowledge", biased),
    }
    Panel("like").answer(plays_like.verdict(answer))
    for column, (name, (axis, rows)) in zip(st.columns(2, gap="large"), axes.items(), strict=True):
        with column:
            figure = plot_like(rows, name, axis, answer["human"])
            Panel(f"like-{name}").figure(figure)
    warn_few({"this player": answer["games"]}, "games")
    st.caption(
        "Bars: 95% of a bootstrap over games; settings share their choices, so differences are "
        f"surer than bars. By chance: {answer['chance']:.3f} nats."
    )


def _show_axis(own: str, answer: dict[str, Any]) -> None:
    shipped = plays_like.load_references()
    best = {reference["agent"]: reference for reference in shipped["rows"]}
    stored = ResultStore().sound_results(
        plays_like.LIKE, lambda result: result.answer["best_iterations"]
    )
    for result in stored:
        name = f"{result.question['player']} ({result.question['log']})"
        best[name] = result.answer["best_iterations"]
    best[own] = answer["best_iterations"]
    rows = []
    for name, iterations in best.items():
        low, high = iterations["interval"] or (None, None)
        rows.append({"player": name, "iterations": iterations["best"], "low": low, "high": high})
    figure = plot_likest_iterations(pd.DataFrame(rows), own)
    panel = Panel("like-axis", "The skill axis")
    least_loss = min(row["loss"] for row in answer["rows"])
    if answer["human"] < least_loss:
        panel.answer("The simulated human predicts this player better than any search here.")
    panel.figure(
        figure,
        "Blue: this player; with a log's name: placed here before; the others are agents in South "
        f"among simulated humans, {shipped['decisions']:,} choices of each. Bars: 95%.",
    )
