"""The Studies page: a study defined, its links, how far its participants are, its data."""

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from analysis.logs.study_export import codebook, export_study
from spades.tables.studies import DONE, FOLDER, read_table
from ui.play.server import tables
from ui.shared.address import TEXT, Field, PageState
from ui.shared.tables import number, show_file, show_frame, text
from ui.shared.widgets import errors_shown, refusal_kept, row, show_button, show_info, show_refusal
from ui.studies.take import studies
from ui.studies.texts import plain_markdown

LOOK_SECONDS, PLAIN = 10.0, {"language": None, "wrap_lines": True}
page = PageState("studies", {"owner": Field(TEXT, "")})
COLUMNS = {
    "participant": "Participant",
    "step": text("Next", "What the participant has to do next."),
    "rounds": number("Rounds", hint="How many are over."),
    "begun": st.column_config.DatetimeColumn("Agreed"),
    "seen": st.column_config.DatetimeColumn("Last seen", help="Last step, bid or card."),
    "think_ms": number("Think time, ms", "localized", "Median over bids and cards."),
}


def show() -> None:
    show_refusal(page.key("refused"))
    with errors_shown():
        if owner := page.get("owner"):
            _show_study(owner)
            return
    example = (FOLDER / "example.toml").read_text("utf-8")
    st.text_area("The study, in TOML", example, height=480, key=page.key("toml"))
    show_button("Create", "add", "studies_create", _try, _create, type="primary")
    with st.expander("What a study may say"):
        show_frame(pd.DataFrame(read_table("keys")))


def _create() -> None:
    page.put("owner", studies().create(page.get("toml")))


def _try(act: Callable[[], None]) -> None:
    """A button's callback: what is refused is said on top of the page."""
    with refusal_kept(page.key("refused")):
        act()


def _show_study(owner: str) -> None:
    study, toml, ended = studies().owned(owner)
    plan, base = studies().study(study), (st.context.url or "").partition("/Studies")[0]

    def invite() -> None:
        page.put(f"links_{study}", [studies().invite(study) for _ in range(int(page.get("n")))])

    def delete() -> None:
        studies().delete(owner, page.get("who"), tables().delete)

    st.subheader(plain_markdown(plan["title"]), anchor=False)
    if ended:
        show_info("The study has ended: nobody new takes part; who has agreed may go on.", "flag")
    else:
        st.markdown("**Hand this address out.** Whoever opens it and agrees takes part:")
        st.code(f"{base}/Study?study={study}", **PLAIN)
    st.markdown("**Keep this one.** Whoever has it reads and deletes what is here:")
    st.code(f"{base}/Studies?owner={owner}", **PLAIN)
    st.fragment(_show_progress, run_every=LOOK_SECONDS)(owner)
    with row():
        file, make = f"spades-study-{study}.zip", partial(export_study, studies(), owner)
        show_file("Export (ZIP)", make, file, "studies_export")
        with st.popover("Single links", icon=":material/link:"):
            st.number_input("How many", 1, 100, 10, key=page.key("n"))
            show_button("Make", "add_link", "studies_invite", _try, invite)
        with st.popover("Delete a participant", icon=":material/delete:"):
            names = [person.name for person in studies().people(owner)]
            st.selectbox("Whose answers, games and link", names, None, key=page.key("who"))
            show_button("Delete all of theirs", "delete", "studies_delete", _try, delete)
        with st.popover("End", icon=":material/flag:", disabled=ended is not None):
            st.write("Nobody new will take part; links that nobody has used lead nowhere.")
            show_button("End the study", "flag", "studies_end", _try, partial(studies().end, owner))
    if tokens := st.session_state.get(page.key(f"links_{study}")):
        st.markdown("**A link a participant**, not shown again:")
        st.code("\n".join(f"{base}/Study?token={token}" for token in tokens), **PLAIN)
    with st.expander("The study, in TOML, and the columns of its export"):
        st.code(toml, **PLAIN)
        show_frame(codebook(plan))


def _show_progress(owner: str) -> None:
    rows = [studies().progress(person) for person in studies().people(owner)]
    if not rows:
        show_info("Nobody has taken part so far.", "group")
        return
    table = pd.DataFrame(rows)
    for name in ("begun", "seen"):
        table[name] = pd.to_datetime(table[name])
    show_frame(table, COLUMNS)
    st.caption(f"{(table.step == DONE).sum()} of {len(rows)} are done. This is looked at again.")
