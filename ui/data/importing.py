"""Importing rounds into the store: any notation, by file or paste, with a report by line."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from analysis.logs.tables import refusal_table
from spades.core.errors import SpadesError
from spades.core.logs import Log
from spades.notation import Reading, read_bytes, read_text
from spades.notation.log_store import store_log
from ui.shared.page import literal

ENDINGS = ["ptn", "pbn", "tn", "jsonl", "openspiel", "log", "csv", "parquet", "txt", "md"]


def show() -> None:
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
    _show_report()


def _import() -> None:
    name, upload = st.session_state["data_import_name"], st.session_state["data_file"]
    text = st.session_state["data_paste"]
    if upload is not None:
        _keep(read_bytes(upload.getvalue(), name=upload.name), name or upload.name)
    elif text.strip():
        _keep(read_text(text, name="pasted"), name or "pasted")
    else:
        st.session_state["data_report"] = Report(Reading())


@dataclass
class Report:
    """What an import read, the log it was stored as, and why it was not stored if it wasn't."""

    reading: Reading
    stored: str = ""
    problem: str = ""


def _keep(reading: Reading, name: str) -> None:
    report = Report(reading)
    if reading.records:
        provenance = {"imported": reading.notation, "refused": len(reading.refused)}
        try:
            report.stored = store_log(Log.from_records(reading.records), name, provenance).name
        except (SpadesError, OSError) as error:
            report.problem = str(error)
    st.session_state["data_report"] = report


def _show_report() -> None:
    report: Report | None = st.session_state.get("data_report")
    if report is None:
        return
    reading, stored = report.reading, report.stored
    if not (reading.records or reading.refused):
        st.warning("Choose a file or paste records first.")
        return
    if report.problem:
        st.error(literal(f"Not stored: {report.problem}"))
    if stored:
        st.success(f"{len(reading.records):,} rounds stored as {literal(stored)}")
        st.page_link(
            "app.py",
            label="Replay them",
            icon=":material/playing_cards:",
            query_params={"log": stored, "round": "0"},
        )
    if reading.refused or reading.notes:
        table: pd.DataFrame = refusal_table(reading)
        st.error(f"{len(reading.refused):,} refused, {len(reading.notes):,} remarks")
        st.dataframe(table, hide_index=True, width="stretch")
        st.download_button(
            "The report (CSV)", table.to_csv(index=False), "import-report.csv", on_click="ignore"
        )
