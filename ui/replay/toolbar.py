"""The line above the table: which hand, how it is searched, what is shown, downloads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from analysis.decisions.decision import Decision
from spades.core.cards import SEAT_NAMES, SEATS
from spades.core.records import RoundRecord
from spades.notation import Reading, format_records, read_bytes, read_text
from ui.replay import state
from ui.replay.round_browser import show_round_browser
from ui.replay.search_controls import show_bias_controls, show_search_controls
from ui.replay.widgets import choose, model_options, segments, select_several, toggle
from ui.shared.hands import pack, shipped_hands, title_of
from ui.shared.page import (
    CHART_FORMATS,
    chart_format,
    draw_again,
    keep_chart_format,
    literal,
    show_complaints,
)

MAX_COMPLAINTS = 8
MAX_OPENED = 100  # rounds of one file in the picker; the Data page takes whole logs
ENDINGS = ["ptn", "pbn", "tn", "jsonl", "csv", "openspiel", "log", "parquet", "txt", "md"]
SEAT_LABELS = {"mover": "Seat to play", **{seat: SEAT_NAMES[seat] for seat in SEATS}}


def show_toolbar(decisions: Sequence[Decision | None], step: int) -> None:
    """One row of controls; everything that is set rarely is folded away."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _show_hand_picker()
        with st.popover("Open a hand", icon=":material/folder_open:"):
            _show_opening()
        choose(
            "Seat",
            "seat",
            form=SEAT_LABELS,
            label_visibility="collapsed",
            width=150,
            help="Who sits below, and whose cards, or beliefs, the one-hand views show.",
        )
        told = "Hide models, search and bidders at each step until you ask for them (M)."
        toggle("Spoiler mode", "spoiler", told)
        with st.popover("Search", icon=":material/tune:"):
            _show_settings()
        with st.popover("Bias", icon=":material/balance:"):
            show_bias_controls(step)
        with st.popover("Download", icon=":material/download:"):
            _show_downloads(decisions, step)


def _show_hand_picker() -> None:
    hands = [state.OpenHand(name, record) for name, record in shipped_hands().items()]
    hands += st.session_state.setdefault(state.key("opened"), [])
    current = state.get("hand")
    names = [hand.name for hand in hands]
    if current.name not in names:
        hands.insert(0, current)
        names.insert(0, current.name)
    titles = {hand.name: title_of(hand.record) for hand in hands}
    chosen = st.selectbox(
        "Hand",
        names,
        index=names.index(current.name),
        format_func=lambda name: titles[name],
        label_visibility="collapsed",
        width="stretch",
    )
    if chosen != current.name:
        state.open_hand(hands[names.index(chosen)])
        draw_again()


def _show_opening() -> None:
    given, logs = st.tabs(["Paste or file", "From a log"])
    with given:
        _show_record_forms()
    with logs:
        show_round_browser()


def _show_record_forms() -> None:
    st.caption(
        "PTN (Trickster Cards), trick-notation, JSON Lines, CSV, OpenSpiel histories or rhawk IRC "
        f"logs; a Parquet log as a file. Of more than {MAX_OPENED} rounds the first are opened. "
        "Every round is replayed through the rules it carries; what breaks them is refused, by "
        "line."
    )
    with st.form(state.key("paste_form"), border=False):
        st.text_area("Paste a record", key=state.key("paste"), height=180)
        st.form_submit_button(
            "Open pasted record", icon=":material/content_paste:", on_click=_open_pasted
        )
    upload = st.file_uploader("Or open a file", type=ENDINGS, key=state.key("file"))
    # No callback: a file stays given, so that a run which is cut short loses nothing.
    if upload is not None and st.session_state.get(state.key("upload")) != upload.file_id:
        st.session_state[state.key("upload")] = upload.file_id
        data = upload.getvalue()
        _open_reading(read_bytes(data, name=upload.name, enough=MAX_OPENED + 1))
        draw_again()


def _open_pasted() -> None:
    _open_reading(read_text(st.session_state[state.key("paste")], name="pasted"))


def _open_reading(reading: Reading) -> None:
    """Put the first round read on the table and keep the report of what was refused."""
    st.session_state[state.key("reading")] = reading
    opened = [state.OpenHand(pack(record), record) for record in reading.records[:MAX_OPENED]]
    if opened:
        known = st.session_state[state.key("opened")]
        names = {hand.name for hand in opened}
        known[:] = [*opened, *(hand for hand in known if hand.name not in names)]
        state.open_hand(opened[0])


def show_report(complaints: Sequence[str]) -> None:
    """What was wrong with the link and the models, and what the last record was refused for."""
    show_complaints(complaints)
    for refusal in state.refusals():
        st.warning(literal(refusal), icon=":material/block:")
    reading = st.session_state.get(state.key("reading"))
    if reading is None:
        return
    if len(reading.records) > MAX_OPENED:
        st.info(
            f"The first {MAX_OPENED} rounds of the record are in the list of hands. The Data page "
            "takes whole logs.",
            icon=":material/info:",
        )
    if reading.refused:
        lines = [f"- {literal(str(refusal))}" for refusal in reading.refused[:MAX_COMPLAINTS]]
        more = len(reading.refused) - len(lines)
        rest = f"\n- and {more} more" if more > 0 else ""
        head = f"{len(reading.records)} rounds read, {len(reading.refused)} refused"
        st.error(f"{head}\n" + "\n".join(lines) + rest, icon=":material/block:")
    elif reading.notes:
        with st.expander(f"Opened with {len(reading.notes)} remarks on the record"):
            for note in reading.notes[:MAX_COMPLAINTS]:
                st.caption(literal(str(note)))


def _show_settings() -> None:
    show_search_controls()
    told = "A column each. Divergence, verdict and the log ratio refer to the first."
    select_several("Human models", "model", model_options(), told)
    st.slider(
        "Call it a disagreement from (bits)",
        0.0,
        1.0,
        state.get("threshold"),
        step=0.01,
        key=state.key("threshold"),
        help="Jensen–Shannon divergence between visit shares and human probabilities. A bid is one "
        "where neither BIS nor the simulated human, most often, makes it.",
    )
    segments("Suit colours", "colors", "{} colours".format)


def _show_downloads(decisions: Sequence[Decision | None], step: int) -> None:
    record: RoundRecord = state.get("hand").record
    found = [decision for decision in decisions if decision is not None]
    here = [decision for decision in found if decision.ply == step]
    if here:
        _download("This decision (CSV)", lambda: _csv(here), f"decision-{step}.csv")
    if found:
        _download(f"{len(found)} decisions (CSV)", lambda: _csv(found), "decisions.csv")
    bare = replace(record, source="")
    _download("The round (PTN)", lambda: format_records([bare], "ptn"), "round.ptn")
    _download("The round (JSON Lines)", lambda: format_records([bare], "jsonl"), "round.jsonl")
    chosen = st.segmented_control(
        "Charts are saved as",
        CHART_FORMATS,
        default=chart_format(),
        key="chart_format",
        format_func=str.upper,
        required=True,
        help="By the camera on each chart, on every page.",
    )
    keep_chart_format(chosen)


def _download(label: str, make: Callable[[], str], file: str) -> None:
    """A button whose file is made when it is asked for."""
    st.download_button(label, make, f"spades-{file}", on_click="ignore", key=state.key(file))


def _csv(decisions: Sequence[Decision]) -> str:
    from analysis.decisions.decision import decisions_table  # pandas: not before someone wants one

    return decisions_table(decisions).to_csv(index=False)
