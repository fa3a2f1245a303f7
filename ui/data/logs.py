"""The stored logs, their export, import of others, generation from agents."""

import contextlib
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import streamlit as st

from analysis.logs.simulate import SimulationPlan, interrupted, simulate
from analysis.logs.tables import log_summary, refusal_table, store_table
from analysis.runs.jobs import Job
from analysis.text_tables import counted
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
from ui.data.answer import show_answer
from ui.data.state import SEATS, page
from ui.shared import tables
from ui.shared.bar import show_link
from ui.shared.jobs import WORKERS, page_jobs, show_jobs
from ui.shared.page import draw_again, is_narrow, literal
from ui.shared.panel import Panel, show_file
from ui.shared.records import ENDINGS, opened, readable_logs
from ui.shared.states import show_empty, show_partial, show_wrong
from ui.shared.template import show_template
from ui.shared.widgets import (
    centered_row,
    errors_shown,
    once,
    refusal_kept,
    row,
    show_button,
    show_error,
    show_popover,
    show_refusal,
)

_REPORT = "data_report"  # session key of the last import's report
_MADE = "data_made"  # ... of the generations begun: each a list, of the log's name once it is there
_GENERATED = "data_generated"  # ... of the log that was generated last
ROW_HEIGHT = 31  # pixels
MOST_ROWS = {False: 12, True: 4}  # of the list in sight, by whether the page is narrow
LIST_COLUMNS = {
    "log": tables.text("Log", width=120),
    "rounds": tables.count("Rounds"),
    "made by": tables.text("Made by", width=240),
    "MB": None,
    "changed": st.column_config.DatetimeColumn("Changed"),
}
EXPORTS = {notation.endings[0]: notation.label for notation in written_notations()}


def show_logs() -> None:
    entries = log_store.list_logs()
    if not entries:
        show_empty("No logs yet: import one, or generate one from any agents.")
        return
    _show_import_report(page.get("log"))
    if is_narrow():  # the list is longer than the screen
        answer = st.container()
        listed = st.container()
    else:
        listed, answer = st.columns([2, 5], gap="medium")
    with listed:
        _show_list(entries)
        st.caption(
            "There is no public log of human Spades. Players called *simulated human* are a model "
            "with published weights; nobody real played their cards."
        )
    with answer:
        readable = readable_logs()
        if readable:
            _show_log(readable[page.get("log")])


def _show_list(entries: list[log_store.LogEntry]) -> None:
    """The stored logs; the ticked one is in hand."""
    names = [entry.name for entry in entries]
    in_hand = page.get("log")
    ticked = [names.index(in_hand)] if in_hand in names else []
    event = Panel(f"logs-{in_hand}-{len(entries)}").table(
        store_table(entries),
        LIST_COLUMNS,
        is_exported=False,
        on_select="rerun",
        selection_mode="single-row-required" if ticked else "single-row",
        selection_default={"selection": {"rows": ticked}},
        height=ROW_HEIGHT * (1 + min(len(entries), MOST_ROWS[is_narrow()])) + 3,
    )
    rows = event["selection"]["rows"]
    if not rows or names[rows[0]] == in_hand:
        return
    chosen = entries[rows[0]]
    if chosen.name in readable_logs():
        page.put("log", chosen.name)
        draw_again()  # the bar shows it too
    else:
        show_error(chosen.problem or "it holds no round", f"{chosen.name} can't be shown: ")


@errors_shown()
def _show_log(entry: log_store.LogEntry) -> None:
    log = opened(entry.name)
    with centered_row(horizontal_alignment="distribute"):
        st.markdown(f"##### {literal(entry.name)}: {_contents(log)}", width="content")
        _show_ways_on(entry, log)
    show_answer(entry, log)


def _contents(log: Log) -> str:
    """How much is in a log."""
    n_games = len(np.unique(log.game_code))
    return f"{counted(len(log), 'round')} in {counted(n_games, 'game')}"


def _show_ways_on(entry: log_store.LogEntry, log: Log) -> None:
    with centered_row(width="content", key="data_ways"):
        show_link("Replay", "First round", {"log": entry.name, "round": 0})
        show_popover("Contents", "info", "data_contents", _show_contents, entry, log)
        show_popover("Export", "download", "data_take", _show_export, entry, log)
        if entry.path.is_dir():  # of files that somebody put there
            return
        with st.popover("Delete", icon=":material/delete:"):
            st.write(f"Delete {literal(entry.name)}? This can't be undone.")
            st.button(
                "Delete it",
                type="primary",
                key="data_delete",
                on_click=_delete,
                args=(entry.name,),
            )


def _show_contents(entry: log_store.LogEntry, log: Log) -> None:
    Panel("log-contents").table(log_summary(log))
    provenance = entry.provenance or {"source": "not recorded"}
    provenance_text = json.dumps(provenance, indent=1, ensure_ascii=False)
    st.code(provenance_text, language=None, wrap_lines=True)


def _show_export(entry: log_store.LogEntry, log: Log) -> None:
    with row():
        ending = st.selectbox(
            "Export as",
            list(EXPORTS),
            index=list(EXPORTS).index(LOG_ENDING),
            format_func=EXPORTS.get,
            key="data_export",
            width=240,
        )
        show_file(
            "Download",
            lambda: _export(log, ending),
            f"{entry.name}{ending}",
            "data_download",
            type="secondary",
        )


def _delete(name: str) -> None:
    with contextlib.suppress(SpadesError, FileNotFoundError):  # deleted by somebody else
        log_store.delete_log(name)


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
    show_template("data_template")
    report = st.session_state.get(_REPORT)
    if report and not report.stored:
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
    """Store what was chosen or pasted, take it in hand and turn to its answers."""
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
    st.session_state[_REPORT] = report
    if not reading.records:
        return
    log = Log.from_records(reading.records)
    name = st.session_state["data_import_name"] or source
    provenance = {
        "imported": reading.notation,
        "source": source,
        "refused": len(reading.refused),
    }
    try:
        imported = [
            entry.name
            for entry in log_store.list_logs()
            if "imported" in entry.provenance and entry.is_readable
        ]
        report.known = known_rounds(log, imported)
        report.stored = log_store.store_log(log, name, provenance).name
        page.put("log", report.stored)
        page.put("view", "logs")
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


def _show_import_report(name: str) -> None:
    """What was said of the import that made a log, while that is in hand."""
    report = st.session_state.get(_REPORT)
    if report and report.stored == name:
        _show_report(report)


def _show_report(report: Report) -> None:
    reading = report.reading
    stored = report.stored
    if not (reading.records or reading.refused):
        show_partial("Choose a file or paste records first.")
        return
    if report.problem:
        show_wrong(literal(f"Not stored: {report.problem}"))
    if stored:
        st.success(f"{counted(len(reading.records), 'round')} stored as {literal(stored)}")
        for name, n in report.known.items():
            tables.show_repeated(n, name)
    elif reading.refused:
        show_wrong(literal(f"Nothing is stored: {reading.refused[0]}"))
    if reading.refused or reading.notes:
        remarks = counted(len(reading.notes), "remark")
        show_wrong(f"{len(reading.refused):,} refused, {remarks}")
        Panel("import-report").table(refusal_table(reading))


def show_generate() -> None:
    """A log of any agents' games, generated by a job that can be cancelled and resumed."""
    _show_form()
    if any(is_human(page.get(seat)) for seat in SEATS):
        tables.show_achieved()
    _show_interrupted()
    _show_made()
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
            page.select("Counted in", "unit")
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
    made: list[str] = []

    def work(job: Job) -> None:
        simulated = simulate(
            plan,
            _path(name),
            workers=WORKERS,
            may_rename=True,
            tell=job.report,
            is_cancelled=lambda: job.is_cancelled,
        )
        if not simulated:
            return
        if simulated.path != _path(name):
            job.title = f"{simulated.path.stem} ({name} was taken meanwhile): {amount}"
        made.append(simulated.path.stem)

    page_jobs().call(f"{name}: {amount}", work, key=name)
    st.session_state.setdefault(_MADE, []).append(made)


def _show_made() -> None:
    """Take the log in hand that was generated last, and lead to what it says."""
    waiting = st.session_state.get(_MADE, [])
    for made in [made for made in waiting if made]:
        waiting.remove(made)
        st.session_state[_GENERATED] = made[0]
        page.put("log", made[0])
        draw_again()  # the bar shows it too
    name = st.session_state.get(_GENERATED)
    if name in readable_logs():
        with centered_row():
            st.markdown(f"**{literal(name)}** is generated.", width="content")
            show_link("Data", "What it says", {"log": name})


def _show_interrupted() -> None:
    """Interrupted simulations whose finished parts are stored."""
    running = names_being_made()
    for name, plan in interrupted(log_store.store_folder()):
        if name in running:
            continue
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            st.write(f"**{literal(name)}** was interrupted: {plan.count:,} {plan.unit}")
            show_button("Go on", "play_arrow", f"data_resume_{name}", _queue, plan, name)
