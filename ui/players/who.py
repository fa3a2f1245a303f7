"""Who played this: the odds of models and agents for a player's choices, and what decided."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.decisions.decision import pretty
from analysis.people.identify import identify, parse_models, parse_prior, read_measured, verdict
from analysis.people.players import seats_of_player
from analysis.people.predictions import REFERENCE_CHOICES, Choices, seconds_a_choice
from analysis.plots.models import plot_reliability
from analysis.plots.people import plot_running
from analysis.runs.store import version_of
from analysis.text_tables import span
from spades.core.errors import SpadesError
from spades.human import model_hash, model_names
from spades.human.files import ENDING
from spades.notation.log_store import content_hash
from ui.players.state import page, pick_player
from ui.shared.address import replay_link
from ui.shared.page import literal
from ui.shared.records import opened
from ui.shared.tables import REPLAY_COLUMNS, number, percent, show_table
from ui.shared.widgets import row, show_chart

PATIENCE = 120  # seconds
COLUMNS = {
    "log_likelihood": number("Log-likelihood", "%.2f", "Nats, of all choices together."),
    "odds": percent("Probability", "Of these models, by likelihood and prior odds."),
    "checks": percent("Check", "Chance of plays as unlike the model, if it played itself."),
}


def show() -> None:
    log, player = pick_player()
    with row():
        hint = f"Human models: {', '.join(model_names())}; agents as text."
        page.text("Models, between commas", "models", width=460, help=hint)
        page.text("Prior odds", "prior", width=130, placeholder="even", help="As 1, 3")
        page.number("From round", "first", width=130, help="Of the player's rounds, from 0.")
        page.number("Rounds", "rounds", width=110)
    models, prior = parse_models(page.get("models")), parse_prior(page.get("prior"))
    choices = _choices(log, player)
    _refuse_slow(models, len(choices))
    named = [model_hash(one) if one in model_names() else version_of(one) for one in models]
    key = content_hash(log), choices.rows.tolist(), player, str(named)
    _show_found(_identified(key, models, prior, _choices=choices), log)


def _choices(name: str, player: str) -> Choices:
    log, first = opened(name), page.get("first")
    seats = seats_of_player(log, player)
    own = np.flatnonzero(seats.any(axis=1))[first : first + page.get("rounds")]
    return Choices.of(log, seats & np.isin(np.arange(len(seats)), own)[:, None])


def _refuse_slow(models: list[str], n: int) -> None:
    """Files of the server, and searches that a reader wouldn't wait for."""
    if any(ENDING in one for one in models):
        raise SpadesError(f"files are for the command line; models: {', '.join(model_names())}")
    agents = [one for one in models if one not in model_names()]
    seconds = (n + REFERENCE_CHOICES) * sum(map(seconds_a_choice, agents))
    if seconds > PATIENCE:
        less = "fewer rounds or iterations do, and `spades identify`"
        raise SpadesError(f"the searches take some {seconds:,.0f} s; {less}")


@st.cache_data(max_entries=32, show_spinner="Searching the choices again")
def _identified(
    key: tuple, models: list[str], prior: list[float] | None, _choices: Choices
) -> dict[str, Any]:
    return identify(models, _choices, prior)


def _show_found(found: dict[str, Any], log: str) -> None:
    best, other = found["likeliest"], found["next"]
    st.markdown(f"**{literal(verdict(found))}**")
    left, right = st.columns(2, gap="large")
    with left:
        table = pd.DataFrame({name: found[name] for name in COLUMNS}).rename_axis("Model")
        show_table(table.sort_values("odds", ascending=False).reset_index(), "who", COLUMNS)
        st.caption(
            f"Odds: prior times likelihood ratio, to the power {found['trust']:.2f}; a model whose "
            f"check is under {found['false_rate']:.0%} doesn't fit."
        )
    with right:
        figure = plot_running(found["running"], best, other)
        show_chart(figure, page.key("running"), "who-running")
    st.subheader("The plays that decided")
    rows = [
        {"open": replay_link(log, one["round"], ply=one["ply"]), "played": pretty(one["played"])}
        | {name: one[name] for name in ("nats", "round", "ply")}
        | {"best": one["p"][best], "other": one["p"][other]}
        for one in found["decisive"]
    ]
    nats = number("Nats", "%+.2f", f"For {best} against {other}.")
    columns = {**REPLAY_COLUMNS, "played": "Card", "nats": nats}
    columns |= {"best": percent(f"P by {best}"), "other": percent(f"P by {other}")}
    show_table(pd.DataFrame(rows), "who-decisive", columns)
    with st.expander("How well this works, measured", icon=":material/target:"):
        _show_measured(read_measured())


def _show_measured(found: dict[str, Any]) -> None:
    persons, seats = found["persons"], found["seats"]
    of = {"simulated players": persons, "human or search": seats}
    figure = plot_reliability("odds", {name: one["stated"]["bins"] for name, one in of.items()})
    show_chart(figure, page.key("stated"), "who-stated")

    def share(one: dict[str, Any], name: str = "share") -> str:
        return f"{one[name]:.1%} ({span(one['interval'], '.1%')}) of {one['n']:,}"

    named, seat = persons["right"][-1], seats["right"][-1]
    st.caption(
        f"{named['rounds']} rounds name the right one of {persons['known']} **simulated** players, "
        f"known by {persons['games']} games each, in {share(named, 'right')} trials; *none of "
        f"these* is said of the right one in {share(persons['refused'])}, of strangers in "
        f"{share(persons['strangers'])}. Human or {literal(seats['models'][1])}: right for "
        f"{share(seat, 'right')} seats after {seat['rounds']} rounds. In brackets: 95%."
    )
