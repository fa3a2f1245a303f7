"""The view Studies: creating a study, its links, its participants' progress, its data."""

from functools import partial

import pandas as pd
import streamlit as st

from analysis.logs.study_export import codebook, export_study
from spades.tables.studies import DONE, FOLDER, read_table
from ui.data.state import page
from ui.play.server import tables
from ui.shared.panel import Panel, show_file
from ui.shared.states import show_empty
from ui.shared.tables import number, text
from ui.shared.widgets import errors_shown, refusal_kept, row, show_button, show_refusal
from ui.study.take import studies
from ui.study.texts import plain_markdown

REFRESH_SECONDS = 10.0
_keep_refusal = refusal_kept(page.key("refused"))  # decorates buttons' callbacks
COLUMNS = {
    "participant": "Participant",
    "step": text("Next", "The participant's next step."),
    "rounds": number("Rounds", hint="Finished ones."),
    "begun": st.column_config.DatetimeColumn("Agreed"),
    "seen": st.column_config.DatetimeColumn("Last seen", help="Last step, bid or card."),
    "think_ms": number("Think time, ms", "localized", "Median over bids and cards."),
}


def show() -> None:
    show_refusal(page.key("refused"))
    with errors_shown():
        owner = page.get("owner")
        if owner:
            _show_study(owner)
            return
    _show_new_study()


def _show_new_study() -> None:
    example = (FOLDER / "example.toml").read_text("utf-8")
    st.text_area("The study, in TOML", example, height=480, key=page.key("toml"))
    show_button("Create", "add", "studies_create", _create, type="primary")
    with st.expander("The keys of a study"):
        Panel("study-keys").table(pd.DataFrame(read_table("keys")))


@_keep_refusal
def _create() -> None:
    page.put("owner", studies().create(page.get("toml")))


def _show_study(owner: str) -> None:
    study, toml, ended = studies().owned(owner)
    plan = studies().study(study)
    base = (st.context.url or "").partition("/Data")[0]
    st.subheader(plain_markdown(plan["title"]), anchor=False)
    if ended:
        show_empty(
            "The study has ended: it takes no new participants; those who agreed may continue.",
            "flag",
        )
    else:
        st.markdown(
            "**Give this address to participants.** Whoever opens it and agrees takes part:"
        )
        _show_code(f"{base}/Study?study={study}")
    st.markdown("**Keep this address to yourself.** Whoever has it can read and delete all data:")
    _show_code(f"{base}/Data?view=studies&owner={owner}")
    st.fragment(_show_progress, run_every=REFRESH_SECONDS)(owner)
    _show_actions(study, owner, is_ended=ended is not None)
    tokens = st.session_state.get(page.key(f"links_{study}"))
    if tokens:
        st.markdown("**One link for each participant**, not shown again:")
        _show_code("\n".join(f"{base}/Study?token={token}" for token in tokens))
    with st.expander("The study, in TOML, and the columns of its export"):
        _show_code(toml)
        Panel("study-codebook").table(codebook(plan))


def _show_code(text: str) -> None:
    st.code(text, language=None, wrap_lines=True)


def _show_actions(study: str, owner: str, *, is_ended: bool) -> None:
    with row():
        export = partial(export_study, studies(), owner)
        show_file("Export (ZIP)", export, f"spades-study-{study}.zip", "studies_export")
        with st.popover("Single links", icon=":material/link:"):
            st.number_input("How many", 1, 100, 10, key=page.key("n"))
            show_button("Make", "add_link", "studies_invite", _invite, study)
        with st.popover("Delete a participant", icon=":material/delete:"):
            names = [person.name for person in studies().people(owner)]
            st.selectbox("Whose answers, games and link", names, None, key=page.key("who"))
            show_button("Delete all of theirs", "delete", "studies_delete", _delete, owner)
        with st.popover("End", icon=":material/flag:", disabled=is_ended):
            st.write("The study takes no new participants; unused links stop working.")
            show_button("End the study", "flag", "studies_end", _end, owner)


@_keep_refusal
def _invite(study: str) -> None:
    tokens = [studies().invite(study) for _ in range(int(page.get("n")))]
    page.put(f"links_{study}", tokens)


@_keep_refusal
def _delete(owner: str) -> None:
    studies().delete(owner, page.get("who"), tables().delete)


@_keep_refusal
def _end(owner: str) -> None:
    studies().end(owner)


def _show_progress(owner: str) -> None:
    people = studies().people(owner)
    if not people:
        show_empty("Nobody has taken part so far.", "group")
        return
    table = pd.DataFrame(map(studies().progress, people))
    table["begun"] = pd.to_datetime(table["begun"])
    table["seen"] = pd.to_datetime(table["seen"])
    n_done = (table["step"] == DONE).sum()
    note = f"{n_done} of {len(people)} are done. Refreshed every {REFRESH_SECONDS:.0f} seconds."
    Panel("study-progress").table(table, COLUMNS, note)
