"""A tour of the pages in two minutes: what each shows, said on the page itself."""

from typing import NamedTuple

import streamlit as st

_STEP = "tour_step"


class Step(NamedTuple):
    """A page, its file, the address that it is shown at, and what is said there."""

    page: str
    file: str
    query: dict[str, str]
    text: str


STEPS = (
    Step("Replay", "app.py", {"hand": "bug-report-335", "ply": "24"}, (
        "A logged hand, card by card: step with the buttons under the table or the arrow keys. For "
        "every legal card the blue bar is the probability that a human plays it, the orange one "
        "the share of the search that chose it. ● was played, ★ is the search's choice. The "
        "verdict below says what that is worth in points."
    )),
    Step("Disagreements", "pages/2_Disagreements.py", {}, (
        "Every decision of a log searched at once, those first where search and human part most. A "
        "row opens it in Replay."
    )),
    Step("Playstyle", "pages/3_Playstyle.py", {}, (
        "What kinds of cards people and bots play, and how far apart two groups are (KL "
        "divergence). A bar leads to the hands behind it."
    )),
    Step("Tuning", "pages/4_Tuning.py", {}, (
        "How far a human model should pull the search: one decision at every strength on the "
        "ladder, human-likeness against games won on the frontier."
    )),
    Step("Nil", "pages/5_Nil.py", {}, (
        "How often nils are made, by the hand's value and the bids before. Your own hand gets its "
        "chance on *A hand*."
    )),
    Step("Bidding", "pages/6_Bidding.py", {}, (
        "What five bidders and the simulated human bid on a hand, why, and what each bid brings "
        "when it is played out."
    )),
    Step("Arena", "pages/7_Arena.py", {}, (
        "Agents against each other on the same deals, with intervals. Play a match of your own."
    )),
    Step("Models", "pages/8_Models.py", {}, (
        "The models of human play compared; train one on a log of yours."
    )),
    Step("Data", "pages/9_Data.py", {}, (
        "Your own logs come in here, in any of the usual notations. A single hand goes straight "
        "into Replay: *Open a hand*."
    )),
)  # fmt: skip


def start_tour() -> None:
    st.session_state[_STEP] = 0


def end_tour() -> None:
    st.session_state.pop(_STEP, None)


def show_tour(page: str) -> None:
    """The step of the tour that is on, on any page; nothing when none is."""
    i = st.session_state.get(_STEP)
    if i is None:
        return
    if STEPS[i].page != page:  # the reader went to a page by the bar: the tour goes on there
        i = st.session_state[_STEP] = [step.page for step in STEPS].index(page)
    step, is_last = STEPS[i], i == len(STEPS) - 1
    with st.container(key="tour", border=True):
        st.markdown(f"**{step.page}**, {i + 1} of {len(STEPS)}. {step.text}")
        with st.container(horizontal=True):
            if not is_last and st.button("Next", icon=":material/arrow_forward:", key="tour_next"):
                st.session_state[_STEP] = i + 1
                st.switch_page(STEPS[i + 1].file, query_params=STEPS[i + 1].query)
            st.button("Done" if is_last else "Skip the tour", key="tour_end", on_click=end_tour)
