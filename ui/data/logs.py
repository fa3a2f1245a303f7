"""The logs of the store: what is in them, how they were made, export, and importing others."""

import contextlib
import tempfile
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from analysis.logs.tables import log_summary, refusal_table, store_table
from spades.core.errors import SpadesError
from spades.core.logs import Log
from spades.notation import Reading, read_bytes, read_text, write_path
from spades.notation.log_store import LogEntry, delete_log, list_logs, store_log
from ui.data import state
from ui.shared.address import STYLE_PREFIX
from ui.shared.page import literal
from ui.shared.records import opened

EXPORTS = {"parquet": "Parquet", "csv": "CSV, a row a play", "jsonl": "JSON Lines", "ptn": "PTN"}
ENDINGS = ["ptn", "pbn", "tn", "jsonl", "openspiel", "log", "csv", "parquet", "txt", "md"]


def show() -> None:
    entries = list_logs()
    if not entries:
        st.info("No logs yet: import one, or generate one from any agents.")
        return
    select = {"on_select": "rerun", "selection_mode": "single-row", "key": "data_logs"}
    chosen = st.dataframe(store_table(entries), hide_index=True, width="stretch", **select)
    st.caption("Select a row to see what is in the log, where it is from, and to export it.")
    by_name = {entry.name: entry for entry in entries}
    if rows := chosen["selection"]["rows"]:
        state.put("log", entries[rows[0]].name)
    name = state.get("log")
    if name in by_name:
        _show_log(by_name[name])
    elif name:
        st.warning(literal(f"There is no log {name!r} here; there are: {', '.join(by_name)}."))
        state.put("log", "")


def _show_log(entry: LogEntry) -> None:
    st.subheader(literal(entry.name))
    try:
        log = opened(entry.name)
    except SpadesError as error:
        st.error(literal(str(error)))
        return
    left, right = st.columns(2)
    left.dataframe(log_summary(log), hide_index=True, width="stretch")
    right.json(entry.provenance or {"source": "not recorded"}, expanded=1)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _link_to_replay("Replay its rounds", entry.name)
        query = {f"{STYLE_PREFIX}logs": entry.name}
        icon = ":material/bar_chart:"
        st.page_link("pages/3_Playstyle.py", label="Playstyle", icon=icon, query_params=query)
        options = {"format_func": EXPORTS.get, "key": "data_export", "width": 200}
        ending = st.selectbox("Export as", list(EXPORTS), **options)
        st.download_button(
            "Download",
            lambda: _export(log, ending),
            f"{entry.name}.{ending}",
            on_click="ignore",
            icon=":material/download:",
        )
        with st.popover("Delete", icon=":material/delete:"):
            st.write(f"Delete {literal(entry.name)}? This can't be undone.")
            call = {"key": "data_delete", "on_click": _delete, "args": (entry.name,)}
            st.button("Delete it", type="primary", **call)


def _link_to_replay(label: str, log: str) -> None:
    query = {"log": log, "round": "0"}
    st.page_link("app.py", label=label, icon=":material/playing_cards:", query_params=query)


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


def show_import() -> None:
    """Any notation, by file or paste, with a report by line."""
    st.caption(
        "PTN, trick-notation, JSON Lines, OpenSpiel histories, the rhawk IRC log, CSV or Parquet. "
        "Every round is replayed through the rules it carries: what breaks them is refused by "
        "line, the rest is kept."
    )
    with st.form("data_import", border=True):
        st.text_input("Name of the log", placeholder="my-games", key="data_import_name")
        st.file_uploader("A file", type=ENDINGS, key="data_file")
        st.text_area("Or paste records", key="data_paste", height=160)
        # A callback: no other rerun can cut in before it, and so import nothing or twice.
        st.form_submit_button("Import", icon=":material/upload:", on_click=_import)
    if report := st.session_state.get("data_report"):
        _show_report(report)


@dataclass
class Report:
    """What an import read, the log it was stored as, and why it was not stored if it wasn't."""

    reading: Reading
    stored: str = ""
    problem: str = ""


def _import() -> None:
    name, upload = st.session_state["data_import_name"], st.session_state["data_file"]
    text, reading = st.session_state["data_paste"], Reading()
    if upload is not None:
        reading = read_bytes(upload.getvalue(), name=upload.name)
    elif text.strip():
        reading = read_text(text, name="pasted")
    report = st.session_state["data_report"] = Report(reading)
    if reading.records:
        log, name = Log.from_records(reading.records), name or (upload.name if upload else "pasted")
        provenance = {"imported": reading.notation, "refused": len(reading.refused)}
        try:
            report.stored = store_log(log, name, provenance).name
        except (SpadesError, OSError) as error:
            report.problem = str(error)


def _show_report(report: Report) -> None:
    reading, stored = report.reading, report.stored
    if not (reading.records or reading.refused):
        st.warning("Choose a file or paste records first.")
        return
    if report.problem:
        st.error(literal(f"Not stored: {report.problem}"))
    if stored:
        st.success(f"{len(reading.records):,} rounds stored as {literal(stored)}")
        _link_to_replay("Replay them", stored)
    if reading.refused or reading.notes:
        table = refusal_table(reading)
        st.error(f"{len(reading.refused):,} refused, {len(reading.notes):,} remarks")
        st.dataframe(table, hide_index=True, width="stretch")
        file = table.to_csv(index=False), "import-report.csv"
        st.download_button("The report (CSV)", *file, on_click="ignore")
