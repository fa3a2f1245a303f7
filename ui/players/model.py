"""One player's model: fitted, compared on choices held out, its weights in words and drawn."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.intervals import with_ends as ends_of
from analysis.people.held_out import CHANCE, MAX_GAMES, NETWORK, OWN, POPULATION, RIVALS
from analysis.people.study import STUDIED, model_of, question_of, save_model, study_stored
from analysis.people.unusual import compare_weights
from analysis.plots.people import plot_person
from analysis.runs.store import ResultStore
from analysis.style.counts import KIND_LABELS
from spades.core.errors import SpadesError
from spades.core.records import KINDS
from spades.human.files import ENDING
from ui.players.state import page, pick_player
from ui.shared.jobs import show_jobs, show_start, start_job
from ui.shared.page import literal
from ui.shared.records import n_repeated, opened
from ui.shared.tables import count, number, percent, show_file, show_repeated, show_table
from ui.shared.tables import with_ends as end_columns
from ui.shared.widgets import once, row, show_chart, show_error, show_info

LABELS = {
    OWN: "The player's own",
    POPULATION: "Population",
    NETWORK: "Best network",
    CHANCE: "Chance",
}
IN_WORDS = 12
COLUMNS = {
    "model": "Model",
    "fitted_games": count("Games seen", "Of this player, for its own model."),
    **end_columns("log_loss", "Log-loss (nats)", "%.4f", "Of a choice; 0 is best."),
    "accuracy": percent("Top 1", "The likeliest card was played."),
    **end_columns(POPULATION, "Below the population", "%+.4f", "Nats, on the same choices."),
    NETWORK: number("Below the network", "%+.4f"),
    CHANCE: number("Below chance", "%+.4f"),
}


def show() -> None:
    try:
        log, player = pick_player()
        if not player:
            show_info("This log names no players.", "person_off")
            return
        show_jobs("players", made=lambda: ResultStore().stamp(STUDIED))
        found = ResultStore().get(STUDIED, question_of(log, player))
    except SpadesError as error:
        show_error(error)
        return
    if found is None:
        note = "Fits the model and measures it on games held out: seconds to a minute."
        call = (f"{player} in {log}", f"player {log} {player}", study_stored, log, player)
        show_start("Fit the model", note, page.key("fit"), start_job, *call)
        return
    show_repeated(n_repeated(log), "this log")
    _show_losses(found, _kinds_of(log, player))
    _show_unusual(found)
    _show_saving(found, log)


def _kinds_of(log_name: str, player: str) -> str:
    log = opened(log_name)
    kinds = np.unique(log.kind[log.player_code == log.players.index(player)])
    return ", ".join(KIND_LABELS[KINDS[kind]].lower() for kind in kinds)


def _show_losses(found: dict[str, Any], kinds: str) -> None:
    st.subheader("How well it predicts games it didn't see")
    rows = []
    for one in found["held_out"]:
        line = {"model": LABELS[one["model"]], "fitted_games": one["fitted_games"]}
        line |= ends_of("log_loss", one["log_loss"], one["intervals"]["log_loss"])
        line["accuracy"] = one["accuracy"]
        for rival in RIVALS:
            gain = one["gains"].get(rival, {"gain": None, "interval": None})
            line |= ends_of(rival, gain["gain"], gain["interval"])
        rows.append(line)
    columns = [*COLUMNS]
    show_table(pd.DataFrame(rows)[columns], "player-losses", COLUMNS)
    held = found["held_out"][0]
    few = f"; of more than {MAX_GAMES} games the first" if found["games"] > held["games"] else ""
    st.caption(
        f"{literal(found['player'])} ({kinds}): {held['decisions']:,} choices in {held['games']:,} "
        f"games{few}, each predicted by models fitted to other games only. The population is the "
        "simulated human; the network was trained on it. 95% intervals, a game counting once."
    )


def _show_unusual(found: dict[str, Any]) -> None:
    weights = compare_weights(found["weights"], found["standard_errors"])
    words = weights["words"][weights["is_unusual"]].tolist()
    st.subheader("What is unusual")
    left, right = st.columns(2, gap="large")
    with left:
        if not words:
            st.write("Nothing: every interval includes the population's weight.")
        st.markdown("\n".join(f"- {literal(one[0].upper() + one[1:])}" for one in words[:IN_WORDS]))
        more = f" {len(words) - IN_WORDS} more are in the picture." if words[IN_WORDS:] else ""
        st.caption(
            f"{len(words)} of {len(weights)} features, the largest difference first.{more} Other "
            "things equal: by how much the odds of such a card against another legal one are those "
            "of the population. Of so many features one or two may differ by chance."
        )
    with right:
        show_chart(plot_person(weights), page.key("weights"), "player-weights")


def _show_saving(found: dict[str, Any], log: str) -> None:
    st.subheader("Play against it")
    with row():
        name = st.text_input("Name of the model", "my-player", key=page.key("name"), width=260)
        st.button("Save", icon=":material/save:", key=page.key("save"), on_click=once(_save),
                  args=(found, log))  # fmt: skip
        file = f"player{ENDING}"
        show_file("Model file", lambda: _bytes_of(found, log), file, page.key("file"))
    if said := st.session_state.pop(page.key("said"), None):
        (show_error if isinstance(said, SpadesError) else st.success)(said)
    st.caption(
        f"Saved, it is a model like the others, and an agent, {literal(f'human:person={name}')}: "
        "in Play, Arena, `simulate`."
    )


def _save(found: dict[str, Any], log: str) -> None:
    name = st.session_state[page.key("name")].strip()
    try:
        save_model(found, name, log)
    except SpadesError as error:
        st.session_state[page.key("said")] = error
    else:
        st.session_state[page.key("said")] = f"Saved. The agent is human:person={literal(name)}."


def _bytes_of(found: dict[str, Any], log: str) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"player{ENDING}"
        model_of(found, path.stem, log).save(path)
        return path.read_bytes()
