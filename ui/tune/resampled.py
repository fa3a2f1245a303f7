"""Twenty decisions of the log in hand, searched again with the bench's setting."""

import streamlit as st

from analysis.sweeps.resampled import (
    N_SEARCHES,
    CardPlayed,
    Change,
    Sampled,
    Times,
    compare,
    sample_decisions,
    search_decisions,
    time_searches,
)
from analysis.sweeps.sweep import REWARD_SCALE, Setting
from spades.core.errors import SpadesError
from spades.human import model_hash
from spades.look.words import pretty_class
from ui.shared.bar import show_link
from ui.shared.log_in_hand import log_in_hand
from ui.shared.page import literal
from ui.shared.records import LogKey, log_key, opened, readable_logs
from ui.shared.states import show_empty
from ui.shared.widgets import NO_LOGS, show_note
from ui.tune import state
from ui.tune.state import page


def _log_key() -> LogKey:
    """Raises ``SpadesError`` where there is no log."""
    entry = readable_logs().get(log_in_hand())
    if entry is None:
        raise SpadesError(NO_LOGS)
    return log_key(entry)


@st.cache_resource(max_entries=4, show_spinner=False)
def _sampled(key: LogKey) -> list[Sampled]:
    return sample_decisions(opened(key.name))


def times_of(setting: Setting, unbiased: str) -> Times | None:
    """How long a search of these decisions takes; None where there are none."""
    key = _log_key()
    if not _sampled(key):
        return None
    return _times(key, unbiased, setting.agent(), model_hash(setting.model))


@st.cache_data(max_entries=512, show_spinner=False)
def _times(key: LogKey, unbiased: str, agent: str, model: str) -> Times:
    """``model``: the hash of its numbers."""
    return time_searches(_sampled(key), unbiased, agent)


@st.cache_resource(max_entries=512, show_spinner="Searching ...")
def _answers(key: LogKey, agent: str, model: str) -> list[CardPlayed]:
    return search_decisions(_sampled(key), agent)


def show_decisions(setting: Setting, unbiased: str) -> None:
    """The decisions that change from the agent ``unbiased`` to the setting, then the others."""
    key = _log_key()
    decisions = _sampled(key)
    if not decisions:
        show_empty(f"No decision in {literal(key.name)} is between cards that differ.", "style")
        return
    before = _answers(key, unbiased, "")
    now = _answers(key, setting.agent(), model_hash(setting.model))
    changes = compare(decisions, before, now)
    n_changed = sum(change.is_changed for change in changes)
    st.markdown(f"**{n_changed} of {len(changes)} decisions change**")
    show_note(
        f"{key.name}, {N_SEARCHES} searches each, unbiased → now; blue: how likely each holds the "
        "card that was played."
    )
    with st.container(key="tune_decision_rows"):
        for change in changes[:n_changed]:
            _show_change(change, key)
    with st.expander(f"{len(changes) - n_changed} that don't"):
        for change in changes[n_changed:]:
            _show_change(change, key)


def _show_change(change: Change, key: LogKey) -> None:
    decision = change.decision
    before, after = (_card_text(answer, decision) for answer in (change.before, change.after))
    cards = f"{before} → {after}" if change.is_changed else after
    likely = f":blue[{change.before.human:.0%} → {change.after.human:.0%}]"
    bias = {f"bias_{name}" if name == "model" else name: page.get(name) for name in state.BIAS}
    scale = {REWARD_SCALE: page.get(REWARD_SCALE)}
    query = {"log": key.name, "round": decision.row, "ply": decision.ply, **bias, **scale}
    show_link("Replay", f"{decision.title}: {cards} · {likely}", query, has_icon=False)


def _card_text(answer: CardPlayed, decision: Sampled) -> str:
    if answer.card is None:
        return "toss-up"
    cards = decision.equal_cards(answer.card)
    text = f"**{pretty_class(cards)}**"
    return f":red[{text}]" if cards[0][0] in "HD" else text
