"""The stored logs, their export, import of others, generation from agents."""

import contextlib
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from analysis.logs.simulate import SimulationPlan, interrupted, simulate
from analysis.logs.tables import log_summary, refusal_table, store_table
from analysis.runs.jobs import Job
from spades.agents import BIDDERS, PLAYERS
from spades.core.errors import SpadesError
from spades.core.logs import Log, repeated_rounds
from spades.human.simulated import AGENT
from spades.notation import (
    NOTATIONS,
    Reading,
    log_store,
    read_bytes,
    read_text,
    write_path,
    written_notations,
)
from spades.notation.sources import LOG_ENDING
from ui.data.state import SEATS, page
from ui.shared import tables
from ui.shared.bar import show_link
from ui.shared.jobs import WORKERS, page_jobs, show_jobs
from ui.shared.page import literal
from ui.shared.records import ENDINGS, opened
from ui.shared.widgets import errors_shown, once, refusal_kept, show_button, show_refusal

EXPORTS = {notation.endings[0]: notation.label for notation in written_notations()}


def show_logs() -> None:
    st.caption(
        "There is no public log of human Spades. Players called *simulated human* are a model with "
        "published weights; nobody real played their cards."
    )
    entries = log_store.list_logs()
    if not entries:
        st.info("No logs yet: import one, or generate one from any agents.")
        return
    selected = tables.show_frame(
        store_table(entries),
        {"rounds": tables.count("rounds")},
        on_select="rerun",
        selection_mode="single-row",
        key="data_logs",
    )
    st.caption("Select a row to see the log's contents and origin, and to export it.")
    by_name = {entry.name: entry for entry in entries}
    rows = selected["selection"]["rows"]
    if rows:
        page.put("log", entries[rows[0]].name)
    name = page.get("log")
    if name in by_name:
        _show_log(by_name[name])
    elif name:
        st.warning(literal(f"There is no log {name!r} here; there are: {', '.join(by_name)}."))
        page.put("log", "")


@errors_shown()
def _show_log(entry: log_store.LogEntry) -> None:
    st.subheader(literal(entry.name))
    log = opened(entry.name)
    left, right = st.columns(2)
    left.dataframe(log_summary(log), hide_index=True, width="stretch")
    provenance = entry.provenance or {"source": "not recorded"}
    provenance_text = json.dumps(provenance, indent=1, ensure_ascii=False)
    right.code(provenance_text, language=None, wrap_lines=True)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        show_link("Replay", "Replay its rounds", {"log": entry.name, "round": 0})
        show_link("Style", "Its players' style", {"logs": entry.name})
        ending = st.selectbox(
            "Export as",
            list(EXPORTS),
            index=list(EXPORTS).index(LOG_ENDING),
            format_func=EXPORTS.get,
            key="data_export",
            width=240,
        )
        tables.show_file(
            "Download",
            lambda: _export(log, ending),
            f"{entry.name}{ending}",
            "data_download",
            type="secondary",
        )
        with st.popover("Delete", icon=":material/delete:"):
            st.write(f"Delete {literal(entry.name)}? This can't be undone.")
            st.button(
                "Delete it",
                type="primary",
                key="data_delete",
                on_click=_delete,
                args=(entry.name,),
            )


def _delete(name: str) -> None:
    with contextlib.suppress(SpadesError, FileNotFoundError):  # deleted by somebody else
        log_store.delete_log(name)
    st.session_state.pop("data_logs", None)
    page.put("log", "")


def _export(log: Log, ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"log{ending}"
        write_path(log.records(), path)
        return path.read_bytes()


def show_import() -> None:
    st.caption(
        f"Notations: {', '.join(notation.label for notation in NOTATIONS.values())}. "
        "Lines that break the rules are refused, the rest is kept."
    )
    with st.form("data_import", border=True):
        st.text_input("Name of the log", placeholder="my-games", key="data_import_name")
        st.file_uploader("A file", type=ENDINGS, key="data_file")
        st.text_area("Or paste records", key="data_paste", height=160)
        # A callback runs before any other rerun, which could import nothing or twice.
        st.form_submit_button("Import", icon=":material/upload:", on_click=once(_import))
    report = st.session_state.get("data_report")
    if report:
        _show_report(report)


@dataclass
class Report:
    """What an import read, and the name of the stored log or the problem that prevented it;
    ``known``: how many of its rounds repeat others, by name of an imported log or of itself."""

    reading: Reading
    stored: str = ""
    problem: str = ""
    known: dict[str, int] = field(default_factory=dict)


def _import() -> None:
    upload = st.session_state["data_file"]
    text = st.session_state["data_paste"]
    if upload is not None:
        source = upload.name
        reading = read_bytes(upload.getvalue(), name=source)
    elif text.strip():
        source = "pasted"
        reading = read_text(text, name=source)
    else:
        source = ""
        reading = Reading()
    report = Report(reading)
    st.session_state["data_report"] = report
    if not reading.records:
        return
    log = Log.from_records(reading.records)
    name = st.session_state["data_import_name"] or source
    provenance = {"imported": reading.notation, "refused": len(reading.refused)}
    try:
        imported = [
            entry.name
            for entry in log_store.list_logs()
            if "imported" in entry.provenance and entry.is_readable
        ]
        report.known = known_rounds(log, imported)
        report.stored = log_store.store_log(log, name, provenance).name
    except (SpadesError, OSError) as error:
        report.problem = str(error)


def known_rounds(log: Log, names: Sequence[str]) -> dict[str, int]:
    """How many rounds of a log each log of these names has too, and how many it repeats itself."""
    (is_repeated,) = repeated_rounds([log])
    known = {"this import": int(is_repeated.sum())}
    distinct = log.distinct()
    for name in names:
        with contextlib.suppress(SpadesError, OSError):  # damaged, or deleted meanwhile
            _, is_known = repeated_rounds([opened(name), distinct])
            known[name] = int(is_known.sum())
    return known


def _show_report(report: Report) -> None:
    reading = report.reading
    stored = report.stored
    if not (reading.records or reading.refused):
        st.warning("Choose a file or paste records first.")
        return
    if report.problem:
        st.error(literal(f"Not stored: {report.problem}"))
    if stored:
        st.success(f"{len(reading.records):,} rounds stored as {literal(stored)}")
        for name, n in report.known.items():
            tables.show_repeated(n, name)
        show_link("Replay", "Replay them", {"log": stored, "round": 0})
    if reading.refused or reading.notes:
        st.error(f"{len(reading.refused):,} refused, {len(reading.notes):,} remarks")
        tables.show_table(refusal_table(reading), "import-report")


def show_generate() -> None:
    """A log of any agents' games, generated by a job that can be cancelled and resumed."""
    _show_form()
    if any(is_human(page.get(seat)) for seat in SEATS):
        tables.show_achieved()
    _show_interrupted()
    if page_jobs().jobs_here():
        st.subheader("Running and done")
        show_jobs("data")


def _show_form() -> None:
    with st.form("data_simulate", border=True):
        for seat, column in zip(SEATS, st.columns(4), strict=True):
            with column:
                page.text(seat.capitalize(), seat)
        st.caption(
            f"PLAYER:option=value,...+BIDDER. Players: {', '.join(PLAYERS)}; bidders: "
            f"{', '.join(BIDDERS)}. *human* is the simulated human."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            page.number("How many", "count")
            page.select("of", "unit")
            page.number("Seed", "seed")
            page.text("Name of the log", "name")
        # A callback runs before any other rerun.
        st.form_submit_button("Generate", icon=":material/play_arrow:", on_click=once(_start))
    show_refusal(page.key("refused"))


def is_human(agent: str) -> bool:
    player, _, bidder = agent.partition("+")
    return AGENT in (player.partition(":")[0].strip(), bidder.partition(":")[0].strip())


def _start() -> None:
    with refusal_kept(page.key("refused")):
        agents = tuple(page.get(seat) for seat in SEATS)
        plan = SimulationPlan(agents, **page.asked("count", "unit", "seed"))
        _queue(plan, free_name(page.get("name")))


def free_name(wanted: str) -> str:
    """A name like ``wanted`` that no log has, stored or being generated."""
    folder = log_store.store_folder()
    taken = {name for name, _ in interrupted(folder)} | names_being_made()
    paths = log_store.numbered_paths(folder, log_store.safe_name(wanted))
    return next(path.stem for path in paths if path.stem not in taken and not path.exists())


def names_being_made() -> set[str]:
    return {job.key for job in page_jobs().jobs_here() if job.is_active}


def _path(name: str) -> Path:
    """The stored file of a log of that name."""
    return log_store.store_folder() / f"{log_store.safe_name(name)}.parquet"


def _queue(plan: SimulationPlan, name: str) -> None:
    amount = f"{plan.count:,} {plan.unit}"

    def work(job: Job) -> None:
        simulated = simulate(
            plan,
            _path(name),
            workers=WORKERS,
            may_rename=True,
            tell=job.report,
            is_cancelled=lambda: job.is_cancelled,
        )
        if simulated and simulated.path != _path(name):
            job.title = f"{simulated.path.stem} ({name} was taken meanwhile): {amount}"

    page_jobs().call(f"{name}: {amount}", work, key=name)


def _show_interrupted() -> None:
    """Interrupted simulations whose finished parts are stored."""
    running = names_being_made()
    for name, plan in interrupted(log_store.store_folder()):
        if name in running:
            continue
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.write(f"**{literal(name)}** was interrupted: {plan.count:,} {plan.unit}")
            show_button("Go on", "play_arrow", f"data_resume_{name}", _queue, plan, name)
