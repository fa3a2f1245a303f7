"""The logs of the store: what is in them, how they were made, and their export."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

import streamlit as st

from analysis.logs.tables import log_summary, store_table
from spades.core.errors import SpadesError
from spades.core.logs import Log
from spades.notation import write_path
from spades.notation.log_store import LogEntry, delete_log, list_logs
from ui.data import state
from ui.shared.address import STYLE_PREFIX
from ui.shared.page import literal
from ui.shared.records import opened

EXPORTS = {"parquet": "Parquet", "csv": "CSV, a row a play", "jsonl": "JSON Lines", "ptn": "PTN"}


def show() -> None:
    entries = list_logs()
    if not entries:
        st.info("No logs yet: import one, or generate one from any agents.")
        return
    chosen = st.dataframe(
        store_table(entries),
        hide_index=True,
        width="stretch",
        on_select="rerun",
        selection_mode="single-row",
        key="data_logs",
    )
    st.caption("Select a row to see what is in the log, where it is from, and to export it.")
    rows = chosen["selection"]["rows"]
    names = [entry.name for entry in entries]
    if rows:
        state.put("log", names[rows[0]])
    if state.get("log") in names:
        _show_log(entries[names.index(state.get("log"))])
    elif state.get("log"):
        st.warning(
            literal(f"There is no log {state.get('log')!r} here; there are: {', '.join(names)}.")
        )
        state.put("log", "")


def _show_log(entry: LogEntry) -> None:
    st.subheader(literal(entry.name))
    try:
        log = opened(entry.name)
    except SpadesError as error:
        st.error(literal(str(error)))
        return
    left, right = st.columns(2)
    with left:
        st.dataframe(log_summary(log), hide_index=True, width="stretch")
    with right:
        st.json(entry.provenance or {"source": "not recorded"}, expanded=1)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.page_link(
            "app.py",
            label="Replay its rounds",
            icon=":material/playing_cards:",
            query_params={"log": entry.name, "round": "0"},
        )
        st.page_link(
            "pages/3_Playstyle.py",
            label="Playstyle",
            icon=":material/bar_chart:",
            query_params={f"{STYLE_PREFIX}logs": entry.name},
        )
        ending = st.selectbox(
            "Export as", list(EXPORTS), format_func=EXPORTS.get, key="data_export", width=200
        )
        st.download_button(
            "Download",
            lambda: _export(log, ending),
            f"{entry.name}.{ending}",
            on_click="ignore",
            icon=":material/download:",
        )
        with st.popover("Delete", icon=":material/delete:"):
            st.write(f"Delete {literal(entry.name)}? This can't be undone.")
            st.button(
                "Delete it", type="primary", key="data_delete", on_click=_delete, args=(entry.name,)
            )


def _delete(name: str) -> None:
    with contextlib.suppress(SpadesError, FileNotFoundError):  # somebody else was quicker
        delete_log(name)
    st.session_state.pop("data_logs", None)
    state.put("log", "")


def _export(log: Log, ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"log.{ending}"
        write_path(log.records(), path)
        return path.read_bytes()
