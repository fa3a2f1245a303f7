"""Who played this: the odds of models and agents for a player's choices, and the decisive ones."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.people.identify import identify, parse_models, parse_prior, read_measured, verdict
from analysis.people.players import seats_of_player
from analysis.people.predictions import REFERENCE_CHOICES, Choices, seconds_a_choice
from analysis.plots.models import plot_reliability
from analysis.plots.people import plot_running
from analysis.runs.store import version_of
from analysis.text_tables import chance_text, span
from spades.core.errors import SpadesError
from spades.human import model_hash, model_names
from spades.human.files import ENDING
from spades.look.words import pretty
from spades.notation.log_store import content_hash
from ui.shared.address import replay_link
from ui.shared.page import literal
from ui.shared.panel import Panel
from ui.shared.records import opened
from ui.shared.tables import REPLAY_COLUMNS, number, percent, text
from ui.shared.widgets import row
from ui.style.state import page, pick_player

MAX_SECONDS = 120  # of searches
COLUMNS = {
    "log_likelihood": number("Log-likelihood", "%.2f", "Nats, of all choices together."),
    "odds": text("Probability", "Of these models, by likelihood and prior odds."),
    "checks": text("Check", "Chance that the model's own plays are as unlike it as these."),
}


def show() -> None:
    log, player = pick_player()
    with row():
        hint = f"Human models: {', '.join(model_names())}; agents as text."
        page.text("Models, separated by commas", "models", width=460, help=hint)
        page.text("Prior odds", "prior", width=130, placeholder="even", help="As 1, 3")
        page.number("From round", "first_round", width=130, help="Of the player's rounds, from 0.")
        page.number("Rounds", "n_rounds", width=110)
    models = parse_models(page.get("models"))
    prior = parse_prior(page.get("prior"))
    choices = _choices(log, player)
    _check_models(models, len(choices))
    versions: list[object] = []
    for model in models:
        is_human = model in model_names()
        versions.append(model_hash(model) if is_human else version_of(model))
    key = (content_hash(log), choices.rows.tolist(), player, str(versions))
    _show_answer(_identified(key, models, prior, _choices=choices), log)


def _choices(name: str, player: str) -> Choices:
    """Those of the player in the chosen rounds."""
    log = opened(name)
    seats = seats_of_player(log, player)
    own_rounds = np.flatnonzero(seats.any(axis=1))
    first = page.get("first_round")
    chosen = own_rounds[first : first + page.get("n_rounds")]
    is_chosen = np.isin(np.arange(len(seats)), chosen)
    return Choices.of(log, seats & is_chosen[:, None])


def _check_models(models: list[str], n: int) -> None:
    """Raise ``SpadesError`` for files of the server, and for searches that take too long."""
    if any(ENDING in model for model in models):
        raise SpadesError(f"files are for the command line; models: {', '.join(model_names())}")
    agents = [model for model in models if model not in model_names()]
    seconds = (n + REFERENCE_CHOICES) * sum(map(seconds_a_choice, agents))
    if seconds > MAX_SECONDS:
        raise SpadesError(
            f"the searches take some {seconds:,.0f} s; choose fewer rounds or iterations, or use "
            "`spades identify`"
        )


@st.cache_data(max_entries=32, show_spinner="Searching the choices again")
def _identified(
    key: tuple, models: list[str], prior: list[float] | None, _choices: Choices
) -> dict[str, Any]:
    return identify(models, _choices, prior)


def _show_answer(answer: dict[str, Any], log: str) -> None:
    best = answer["likeliest"]
    other = answer["next"]
    panel = Panel("who", widths=[1, 1])
    panel.answer(literal(verdict(answer)))
    panel.figure(plot_running(answer["running"], best, other))
    table = pd.DataFrame({name: answer[name] for name in COLUMNS})
    table = table.sort_values("odds", ascending=False).rename_axis("Model").reset_index()
    for chances in ("odds", "checks"):
        table[chances] = table[chances].map(chance_text)
    panel.table(
        table,
        COLUMNS,
        f"Odds: prior times likelihood ratio, to the power {answer['trust']:.2f}; a model whose "
        f"check is under {answer['false_rate']:.0%} doesn't fit.",
    )
    _show_decisive(answer["decisive"], best, other, log)
    with st.expander("Measured reliability", icon=":material/target:"):
        _show_measured(read_measured())


def _show_decisive(plays: list[dict[str, Any]], best: str, other: str, log: str) -> None:
    rows = []
    for play in plays:
        rows.append(
            {
                "open": replay_link(log, play["round"], ply=play["ply"]),
                "played": pretty(play["played"]),
                "nats": play["nats"],
                "round": play["round"],
                "ply": play["ply"],
                "best": play["p"][best],
                "other": play["p"][other],
            }
        )
    columns = {
        **REPLAY_COLUMNS,
        "played": "Card",
        "nats": number("Nats", "%+.2f", f"For {best} against {other}."),
        "best": percent(f"P by {best}"),
        "other": percent(f"P by {other}"),
    }
    Panel("who-decisive", "The decisive plays").table(pd.DataFrame(rows), columns)


def _show_measured(measured: dict[str, Any]) -> None:
    persons = measured["persons"]
    seats = measured["seats"]
    bins = {
        "simulated players": persons["stated"]["bins"],
        "human or search": seats["stated"]["bins"],
    }

    def share(counts: dict[str, Any], name: str = "share") -> str:
        return f"{counts[name]:.1%} ({span(counts['interval'], '.1%')}) of {counts['n']:,}"

    named = persons["right"][-1]
    seat = seats["right"][-1]
    reading = (
        f"With {named['rounds']} rounds the right one of {persons['known']} **simulated** players, "
        f"known by {persons['games']} games each, is named in {share(named, 'right')} trials; "
        f"*none of these* is said of the right one in {share(persons['refused'])}, of strangers in "
        f"{share(persons['strangers'])}. Human or {literal(seats['models'][1])}: right for "
        f"{share(seat, 'right')} seats after {seat['rounds']} rounds. In brackets: 95%."
    )
    Panel("who-stated").figure(plot_reliability("odds", bins), reading)
