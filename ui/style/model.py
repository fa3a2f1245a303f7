"""One player's model: fitted, compared on choices held out, its weights in words and drawn."""

from typing import Any

import pandas as pd
import streamlit as st

from analysis.people.fitting import fit_stored, persons
from analysis.people.held_out import CHANCE, NETWORK, OWN, POPULATION
from analysis.people.unusual import compare_weights
from analysis.plots.people import plot_person
from analysis.text_tables import shown, span
from spades.human import model_names
from spades.notation.log_store import safe_name
from ui.shared.jobs import show_jobs, show_start, start_job
from ui.shared.page import literal
from ui.shared.panel import Panel
from ui.shared.states import show_empty
from ui.shared.tables import count, number, percent, with_ends
from ui.shared.widgets import errors_shown, row, show_note
from ui.style.state import page, pick_player

LABELS = {
    OWN: "The player's own",
    POPULATION: "Population",
    NETWORK: "Best network",
    CHANCE: "Chance",
}
IN_WORDS = 12
BEGUN = page.key("begun")  # the name of the model that is being fitted
COLUMNS = {
    "model": "Model",
    "fitted_games": count("Games seen", "Of this player, for its own model."),
    **with_ends("log_loss", "Log-loss (nats)", "%.4f", "Of a choice; 0 is best."),
    "accuracy": percent("Top 1", "The likeliest card was played."),
    **with_ends(POPULATION, "Below the population", "%+.4f", "Nats, on the same choices."),
    NETWORK: number("Below the network", "%+.4f"),
    CHANCE: number("Below chance", "%+.4f"),
}


def show() -> None:
    with st.expander("Fit a player's model", expanded=not persons()):
        _show_fit()
    show_jobs("players", made=model_names)
    known = persons()
    if st.session_state.get(BEGUN) in known:  # it is done
        page.put("model", st.session_state.pop(BEGUN))
    page.settle("model", known, next(iter(known), ""))
    if not known:
        show_empty("No player's model yet: fit one.", "person")
        return
    with row():
        name = page.select("Model", "model", list(known), width=320)
    model = known[name]
    show_note(f"On every page a model like the others, and an agent: human:person={name}.")
    _show_losses(model.facts_)
    bids = model.facts_.get("bids")
    if bids:
        _show_bids(bids)
    _show_unusual(compare_weights(model.weights_, model.facts_["standard_errors"]))


@errors_shown()
def _show_fit() -> None:
    log, player = pick_player()
    with row():
        key = page.key(f"name of {player}")
        name = st.text_input("Name of the model", safe_name(player), key=key, width=320)
    note = "Fitted, and measured on games held out: seconds to some minutes."
    show_start("Fit", note, page.key("fit"), _start, log, player, name.strip(), disabled=not player)


def _start(log: str, player: str, name: str) -> None:
    if name not in model_names():
        st.session_state[BEGUN] = name
    start_job(f"{name}: {player} in {log}", f"model {name}", fit_stored, log, player, name)


def _show_losses(facts: dict[str, Any]) -> None:
    table = pd.DataFrame(facts["held_out"])
    table["model"] = table["model"].map(LABELS)
    tested = facts["held_out"][0]
    data = facts["data"]
    note = (
        f"{facts['player']} ({', '.join(facts['kinds'])}) in {data['log']}: "
        f"{tested['decisions']:,} choices in the first {tested['games']:,} of {data['games']:,} "
        "games, each predicted by models fitted to other games only. The population is the "
        "simulated human; the network learned from it. 95% intervals, a game counting once."
    )
    panel = Panel("player-losses", "Prediction of games held out")
    panel.table(table.reindex(columns=list(COLUMNS)), COLUMNS, literal(note))


def _show_bids(bids: dict[str, Any]) -> None:
    columns = {"what": "", **with_ends("value", "Estimate", "%.2f")}
    note = (
        "Compared with the simulated human, which has 0, 0 and 1: tricks added to the count of a "
        "hand, ranks by which the low cards of a nil may be higher in all, scatter of the bids. "
        f"{bids['bids']:,} bids of {bids['games']:,} games; on games held out they are predicted "
        f"better by {shown(bids['gain'], '+.3f')} nats a bid (95%: "
        f"{span(bids['gain_within'], '+.3f')}). "
        f"As an agent's bidder: +{bids['agent']}."
    )
    panel = Panel("player-bids", "Bidding")
    panel.table(pd.DataFrame(bids["estimates"]), columns, literal(note))


def _show_unusual(weights: pd.DataFrame) -> None:
    words = weights["words"][weights["is_unusual"]].tolist()
    listed = words[:IN_WORDS] or ["nothing: every interval includes the population's weight"]
    items = [literal(phrase[0].upper() + phrase[1:]) for phrase in listed]
    n_more = len(words) - IN_WORDS
    more = f" {n_more} more are in the figure." if n_more > 0 else ""
    reading = (
        f"{len(words)} of {len(weights)} features, the largest difference first.{more} Other "
        "things equal: the odds of such a card against another legal one, over those of the "
        "population. Of so many features one or two may differ by chance."
    )
    left, right = st.columns(2, gap="large")
    with left:
        Panel("unusual", "What is unusual").answer("\n".join(f"- {item}" for item in items))
    with right:
        Panel("player-weights").figure(plot_person(weights), reading)
