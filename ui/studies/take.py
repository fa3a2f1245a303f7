"""The Study page: what a participant reads, answers and plays, step by step."""

from typing import Any

import streamlit as st

from spades.tables.game import OVER
from spades.tables.studies import CONSENT, DONE, MAX_ANSWER, Participant, StudyStore, steps_of
from ui.play.server import tables
from ui.play.view import show_live
from ui.shared.address import TEXT, Field, PageState
from ui.shared.page import APP_NAME
from ui.shared.widgets import errors_shown, once, refusal_kept, show_button, show_refusal
from ui.studies.texts import plain_markdown, plain_question, show_text

page = PageState("study", {"study": Field(TEXT, ""), "token": Field(TEXT, "")})


def studies() -> StudyStore:
    """The studies of this server."""
    return StudyStore(tables().store)


def show() -> None:
    """The step that is due, without the bar: a participant sees nothing else of the dashboard."""
    st.set_page_config(f"Study · {APP_NAME}", page_icon="♠️", layout="wide")
    page.read()
    show_refusal(page.key("refused"))
    with errors_shown():
        person = studies().person(page.get("token")) if page.get("token") else None
        study = person.study if person else studies().study(page.get("study"))
        st.header(plain_markdown(study["title"]), anchor=False)
        if not person or person.step == CONSENT:
            show_text(study["text"])
            with st.container(border=True):
                show_text(study["consent"])
                show_button("I agree", "check", "study_agree", _go_on, CONSENT, [], type="primary")
        elif person.step == DONE:
            show_text(study["thanks"])
        else:
            _show_step(person, steps_of(study))
    page.write()


def _go_on(step: str, questions: list[dict[str, Any]]) -> None:
    """Do a step; a button's callback. Who agrees to a study's link becomes a participant."""
    given = {one["name"]: st.session_state.get(f"study_q_{one['name']}") for one in questions}
    with refusal_kept(page.key("refused")):
        token = page.get("token") or studies().invite(page.get("study"))
        studies().go_on(token, step, given)
        page.put("token", token)
        page.put("study", "")


def _show_step(person: Participant, plan: dict[str, Any]) -> None:
    """Questions, or a game."""
    st.caption(f"Step {list(plan).index(person.step)} of {len(plan) - 1}: {person.step}")
    if isinstance(asked := plan[person.step], dict):
        place = studies().table(person.token)
        game = studies().game(place["game"])
        show_live(place["seat"], game.setup, person.study["pace"])
        if game.phase == OVER:
            act = _go_on, person.step, []
            show_button("Continue", "arrow_forward", "study_go_on", *act, type="primary")
        return
    with st.form("study_questions"):
        for question in asked:
            _ask(**plain_question(question))
        look = {"on_click": once(_go_on), "args": (person.step, asked), "type": "primary"}
        st.form_submit_button("Continue", **look)


def _ask(name: str, ask: str, kind: str, low: int, high: int, **more: Any) -> None:
    key, ends = f"study_q_{name}", dict(zip((low, high), more["ends"], strict=False))
    label = ask if more["required"] else f"{ask} *(may be left out)*"
    if kind == "text":
        st.text_area(label, key=key, max_chars=MAX_ANSWER)
    elif kind == "number":
        st.number_input(label, low, high, None, 1, key=key, width=300)
    else:
        offered = more["options"] or range(low, high + 1)
        said = {
            one: plain_markdown(f"{one}, {ends[one]}" if one in ends else f"{one}")
            for one in offered
        }
        st.radio(label, offered, None, said.get, key=key, horizontal=kind == "scale")
