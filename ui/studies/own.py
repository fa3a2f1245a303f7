"""The Studies page: a study defined, its links, how far its participants are, its data."""

import pandas as pd
import streamlit as st

from analysis.logs.study_export import codebook, export_study
from spades.core.errors import SpadesError
from spades.tables.studies import DONE, FOLDER, read_table
from ui.play.server import tables
from ui.shared.address import TEXT, Choice, Field, PageState
from ui.shared.tables import number, show_file, show_frame, show_table
from ui.shared.widgets import row, show_button, show_error, show_info
from ui.studies.take import studies

LOOK_SECONDS = 5.0
VIEWS = {"new": "A new study", "keys": "What it may say", "export": "What the export holds"}
page = PageState("studies", {"owner": Field(TEXT, ""), "view": Field(Choice(VIEWS), "new")})
COLUMNS = {
    "participant": "Participant",
    "step": st.column_config.TextColumn("Next", help="What the participant has to do next."),
    "rounds": number("Rounds", hint="How many rounds are over."),
    "begun": st.column_config.DatetimeColumn("Agreed"),
    "seen": st.column_config.DatetimeColumn("Last seen", help="Last step, bid or card."),
    "think_ms": number("Think time, ms", "localized", "Median over bids and cards."),
}


def show() -> None:
    if why := st.session_state.pop(page.key("refused"), None):
        show_error(why)
    if owner := page.get("owner"):
        try:
            _show_study(owner)
            return
        except SpadesError as error:
            show_error(error)
    page.view("Show", "view")
    if page.get("view") == "new":
        _show_form()
    else:
        table = "keys" if page.get("view") == "keys" else "codebook"
        show_table(pd.DataFrame(read_table(table)), f"studies-{table}")


def _show_form() -> None:
    example = (FOLDER / "example.toml").read_text("utf-8")
    st.text_area("The study, in TOML", example, height=480, key=page.key("toml"))
    st.file_uploader("Or a file", type=["toml"], key=page.key("file"))
    show_button("Create", "add", "studies_create", _create, type="primary")


def _create() -> None:
    upload = st.session_state[page.key("file")]
    text = upload.getvalue().decode("utf-8", "replace") if upload else page.get("toml")
    try:
        page.put("owner", studies().create(text))
    except SpadesError as error:
        page.put("refused", str(error))


def _show_study(owner: str) -> None:
    study, toml, ended = studies().owned(owner)
    plan, base = studies().study(study), (st.context.url or "").partition("/Studies")[0]
    st.subheader(plan["title"], anchor=False)
    if ended:
        show_info("The study has ended: nobody new takes part; who has agreed may go on.", "flag")
    else:
        st.markdown("**Hand this address out.** Whoever opens it and agrees takes part:")
        st.code(f"{base}/Study?study={study}", language=None)
    st.markdown("**Keep this one.** Whoever has it reads and deletes what is here:")
    st.code(f"{base}/Studies?owner={owner}", language=None)
    st.fragment(_show_progress, run_every=LOOK_SECONDS)(owner)
    with row():
        make = lambda: export_study(studies(), owner)  # noqa: E731
        show_file("Export (ZIP)", make, f"spades-study-{study}.zip", "studies_export")
        with st.popover("Single links", icon=":material/link:"):
            st.number_input("How many", 1, 100, 10, key=page.key("n"))
            show_button("Make", "add_link", "studies_invite", _invite, study)
        with st.popover("Delete a participant", icon=":material/delete:"):
            names = [person.name for person in studies().people(owner)]
            st.selectbox("Whose answers, games and link", names, None, key=page.key("who"))
            show_button("Delete all of theirs", "delete", "studies_delete", _delete, owner)
        with st.popover("End", icon=":material/flag:", disabled=ended is not None):
            st.write("Nobody new will take part; links that nobody has used lead nowhere.")
            show_button("End the study", "flag", "studies_end", studies().end, owner)
    if tokens := st.session_state.get(page.key("links")):
        st.markdown("**A link a participant**, not shown again:")
        st.code("\n".join(f"{base}/Study?token={token}" for token in tokens), language=None)
    with st.expander("The study, in TOML, and the columns of its export"):
        st.code(toml, language="toml")
        show_frame(codebook(plan))


def _show_progress(owner: str) -> None:
    rows = [studies().progress(person) for person in studies().people(owner)]
    if not rows:
        show_info("Nobody has taken part so far.", "group")
        return
    table = pd.DataFrame(rows)
    for name in ("begun", "seen"):
        table[name] = pd.to_datetime(table[name], unit="s", utc=True)
    show_frame(table, COLUMNS)
    st.caption(f"{(table.step == DONE).sum()} of {len(table)} are done. Looked at again by itself.")


def _invite(study: str) -> None:
    try:
        n = int(page.get("n"))
        page.put("links", [studies().invite(study) for _ in range(n)])
    except SpadesError as error:
        page.put("refused", str(error))


def _delete(owner: str) -> None:
    studies().delete(owner, page.get("who"), tables().delete)
