"""The Study page: a participant's steps: a text, questions, games."""

from typing import Any

import streamlit as st

from spades.tables.game import OVER
from spades.tables.studies import CONSENT, DONE, MAX_ANSWER, Participant, StudyStore, steps_of
from ui.play.live import show_live
from ui.play.server import tables
from ui.shared.address import Field, PageState
from ui.shared.codecs import TEXT
from ui.shared.page import APP_NAME
from ui.shared.widgets import errors_shown, once, refusal_kept, show_button, show_refusal
from ui.study.texts import plain_markdown, plain_question, show_text

page = PageState("study", {"study": Field(TEXT, ""), "token": Field(TEXT, "")})


def studies() -> StudyStore:
    """The studies of this server."""
    return StudyStore(tables().store)


def show() -> None:
    """The participant's next step, without the dashboard's bar."""
    st.set_page_config(f"Study · {APP_NAME}", page_icon="♠️", layout="wide")
    page.read()
    show_refusal(page.key("refused"))
    with errors_shown():
        _show_next_step()
    page.write()


def _show_next_step() -> None:
    token = page.get("token")
    person = studies().person(token) if token else None
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


def _go_on(step: str, questions: list[dict[str, Any]]) -> None:
    """A button's callback: finish a step. Agreeing to a study's link makes a participant."""
    answers = {}
    for question in questions:
        answers[question["name"]] = st.session_state.get(_question_key(question))
    with refusal_kept(page.key("refused")):
        token = page.get("token") or studies().invite(page.get("study"))
        studies().go_on(token, step, answers)
        page.put("token", token)
        page.put("study", "")


def _show_step(person: Participant, plan: dict[str, Any]) -> None:
    """Questions, or a game."""
    number = list(plan).index(person.step)
    st.caption(f"Step {number} of {len(plan) - 1}: {person.step}")
    content = plan[person.step]
    if isinstance(content, dict):
        _show_game(person)
        return
    with st.form("study_questions"):
        for question in content:
            _show_question(plain_question(question))
        st.form_submit_button(
            "Continue", on_click=once(_go_on), args=(person.step, content), type="primary"
        )


def _show_game(person: Participant) -> None:
    table = studies().table(person.token)
    game = studies().game(table["game"])
    show_live(table["seat"], game.setup, person.study["pace"])
    if game.phase == OVER:
        show_button(
            "Continue", "arrow_forward", "study_go_on", _go_on, person.step, [], type="primary"
        )


def _show_question(question: dict[str, Any]) -> None:
    key = _question_key(question)
    kind = question["kind"]
    label = question["ask"]
    if not question["required"]:
        label += " *(optional)*"
    if kind == "text":
        st.text_area(label, key=key, max_chars=MAX_ANSWER)
    elif kind == "number":
        st.number_input(label, question["low"], question["high"], None, 1, key=key, width=300)
    else:
        labels = _option_labels(question)
        st.radio(label, list(labels), None, labels.get, key=key, horizontal=kind == "scale")


def _option_labels(question: dict[str, Any]) -> dict[Any, str]:
    """The options of a choice, or the numbers of a scale, whose ends have names."""
    low = question["low"]
    high = question["high"]
    ends = dict(zip((low, high), question["ends"], strict=False))
    labels = {}
    for option in question["options"] or range(low, high + 1):
        text = str(option)
        if option in ends:
            text += f", {ends[option]}"
        labels[option] = plain_markdown(text)
    return labels


def _question_key(question: dict[str, Any]) -> str:
    return f"study_q_{question['name']}"
