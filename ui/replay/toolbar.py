"""The line above the table: which hand, how it is searched, what is shown, downloads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from analysis.decisions.decision import PlayDecision, decisions_table
from analysis.decisions.report import agent_text
from spades.core.cards import HAND_SIZE, STANDARD, format_hand, seat_name
from spades.core.errors import SpadesError
from spades.core.options import Option, legal_range
from spades.core.rules import Rules
from spades.notation import NOTATIONS, Reading, format_records, read_bytes, read_text
from spades.notation.hands import read_hand
from spades.search.techniques.technique import UNBIASED
from ui.replay import state
from ui.replay.state import page
from ui.replay.view_data import move, viewer_of
from ui.shared import page as shared
from ui.shared import records
from ui.shared.address import Integer, Optional, ask_number
from ui.shared.bar import show_link
from ui.shared.options import (
    BIAS_OPTIONS,
    DEALING_OPTIONS,
    SEARCH_OPTIONS,
    STRENGTHS,
    model_label,
)
from ui.shared.page import draw_again, literal
from ui.shared.widgets import errors_shown, once, show_button, show_popover

if TYPE_CHECKING:  # pandas is imported with the first table
    import pandas as pd

MAX_COMPLAINTS = 8
MAX_OPENED = 100  # rounds of one file in the picker; the Data page takes whole logs
MAX_SHOWN = 2000  # rounds of a log on a page
OTHER_AGENTS = (
    *(state.SECOND, "ismcts:iterations=10000", "ismcts:playout=nil-aware"),
    *("ismcts:determinization=posterior", "ismcts:determinization=network"),
    *("ismcts:equivalence=on", "ismcts:objective=game", "uct", "flat-mc", "pimc"),
)


def show_toolbar(decisions: Sequence[PlayDecision | None], step: int) -> None:
    look = {"horizontal": True, "vertical_alignment": "center", "gap": "small"}
    with st.container(key=page.key("toolbar"), **look):
        _show_hand_picker()
        # A new key closes it: once a hand is open the reader is done there.
        key = page.key(f"open_{st.session_state.get(page.key('n_opened'), 0)}")
        show_popover("Open a hand", "folder_open", key, _show_ways_to_open)
        hint = "Who sits below, and whose cards, or beliefs, the one-hand views show."
        page.select("Seat", "seat", label_visibility="collapsed", width=150, help=hint)
        hint = "Hide models, search, bidders and the other hands at each step until you ask for "
        hint += "them (M, H). Pick your own card first: the score is kept."
        page.toggle("Spoiler mode", "spoiler", help=hint, on_change=_hide_hands)
        show_popover("Search", "tune", page.key("open_search"), _show_settings)
        show_popover("Bias", "balance", page.key("open_bias"), _show_bias_controls, step)
        download = page.key("open_download")
        show_popover("Download", "download", download, _show_downloads, decisions, step)
        show_link("Play", "Play this deal", {"hand": page.get("hand").name})
        _show_listed_rows()


def _show_listed_rows() -> None:
    """The rows beside the one of Disagreements that was opened here."""
    if (listed := page.get("rows")) is None:
        return
    for label, icon, by in (("Previous row", "skip_previous", -1), ("Next row", "skip_next", 1)):
        at = listed.at + by
        look = {"disabled": not 0 <= at < len(listed.places), "help": "Of the list you came from."}
        show_button(label, icon, page.key(label), _open_row, listed._replace(at=at), **look)


def _open_row(listed: records.ListedRows) -> None:
    index, ply = listed.places[listed.at]
    name = records.hand_name(listed.log, index)
    try:
        record = records.round_of(name)
    except SpadesError as error:
        page.put("complaints", [str(error)])
        return
    page.put("rows", listed)
    state.open_hand(state.OpenHand(name, record))
    state.go_to(ply)


def _hide_hands() -> None:
    """The hands of the other seats go with the spoilers, and come back with them."""
    page.put("view_shown", "own" if page.get("spoiler") else "all")
    move(0)


def _show_hand_picker() -> None:
    hands = [state.OpenHand(name, record) for name, record in records.shipped_hands().items()]
    hands += st.session_state.setdefault(page.key("opened"), [])
    current = page.get("hand")
    if current.name not in [hand.name for hand in hands]:
        hands.insert(0, current)
    by_name = {hand.name: hand for hand in hands}
    names, look = list(by_name), {"label_visibility": "collapsed", "width": "stretch"}
    look["format_func"] = lambda name: records.title_of(by_name[name].record)
    chosen = st.selectbox("Hand", names, names.index(current.name), **look)
    if chosen != current.name:
        state.open_hand(by_name[chosen])
        draw_again()


def _show_ways_to_open() -> None:
    given, logs = st.tabs(["Paste or file", "From a log"])
    with given:
        _show_record_forms()
    with logs:
        show_round_browser()


def _show_record_forms() -> None:
    st.caption(
        f"Notations: {', '.join(notation.label for notation in NOTATIONS.values())}. "
        f"Of more than {MAX_OPENED} rounds the first are opened. "
        "Every round is replayed through the rules it carries; what breaks them is refused, by "
        "line."
    )
    with st.form(page.key("paste_form"), border=False):
        st.text_area("Paste a record", key=page.key("paste"), height=180)
        icon = ":material/content_paste:"
        st.form_submit_button("Open pasted record", icon=icon, on_click=once(_open_pasted))
    reading = st.session_state.get(page.key("reading"))
    if reading is not None and not reading.records:
        _show_refused(reading)
    upload = st.file_uploader("Or open a file", type=records.ENDINGS, key=page.key("file"))
    # No callback: a file stays given, so that a run which is cut short loses nothing; it may be cut
    # short wherever the session is written, so the file counts as read last.
    if upload is not None and st.session_state.get(page.key("upload")) != upload.file_id:
        _open_reading(read_bytes(upload.getvalue(), name=upload.name, enough=MAX_OPENED + 1))
        page.put("upload", upload.file_id)
        draw_again()


def _open_pasted() -> None:
    text = st.session_state[page.key("paste")]
    with suppress(SpadesError):  # one hand is no record: it leads to the pages of hands
        hand = read_hand(text, STANDARD)
        if hand.bit_count() == HAND_SIZE:
            page.put("lone_hand", format_hand(hand, STANDARD))
            page.put("reading", None)
            _close()
            return
    _open_reading(read_text(text, name="pasted"))


def _close() -> None:
    page.put("n_opened", st.session_state.get(page.key("n_opened"), 0) + 1)


def _open_reading(reading: Reading) -> None:
    """Put the first round read on the table and keep the report of what was refused."""
    read = reading.records[:MAX_OPENED]
    if opened := [state.OpenHand(records.pack(record), record) for record in read]:
        known = st.session_state[page.key("opened")]
        names = {hand.name for hand in opened}
        known[:] = [*opened, *(hand for hand in known if hand.name not in names)]
        state.open_hand(opened[0])
        _close()
    page.put("reading", reading)


def show_links_of_hands(step: int) -> None:
    """Where a single hand is looked at: one that was pasted alone, and that of a deal without
    plays."""
    record, rules = page.get("hand").record, Rules()
    hand = st.session_state.get(page.key("lone_hand"))
    whose = f"Pasted: the hand {hand}, no deal"
    if not hand and not record.plays:
        seat, rules = viewer_of(record, max(step, 0)), record.rules
        hand = format_hand(record.hands[seat], rules.cards)
        whose = f"No play is recorded. {seat_name(seat)}'s hand: {hand}"
    if hand:
        from analysis.bidding.questions import format_rules  # loads the bidders

        bidding = {"bid_hand": hand, "bid_previous": "", "bid_rules": format_rules(rules)}
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"{whose}.", width="content")
            show_link("Bidding", "What it is bid", bidding)
            nil = {"view": "hand", "deck": rules.cards.name, "hand": hand}
            show_link("Nil", "Its chance of nil", nil)


def show_report(complaints: Sequence[str]) -> None:
    """What was wrong with the link and the models, and what the last record was refused for."""
    shared.show_complaints(complaints)
    for refusal in state.refusals():
        st.warning(literal(refusal), icon=":material/block:")
    reading = st.session_state.get(page.key("reading"))
    if reading is None:
        return
    if len(reading.records) > MAX_OPENED:
        st.info(
            f"The first {MAX_OPENED} rounds of the record are in the list of hands. The Data page "
            "takes whole logs.",
            icon=":material/info:",
        )
    if reading.refused and reading.records:
        _show_refused(reading)
    elif reading.notes:
        n = len(reading.notes)
        with st.expander(f"Opened with {n} remark{'s' * (n > 1)} on the record"):
            for note in reading.notes[:MAX_COMPLAINTS]:
                st.caption(literal(str(note)))


def _show_refused(reading: Reading) -> None:
    lines = [f"- {literal(str(refusal))}" for refusal in reading.refused[:MAX_COMPLAINTS]]
    more = len(reading.refused) - len(lines)
    rest = [f"- and {more} more"] if more > 0 else []
    head = f"{len(reading.records)} rounds read, {len(reading.refused)} refused"
    st.error("\n".join([head, *lines, *rest]), icon=":material/block:")


def _show_settings() -> None:
    _show_search_controls()
    hint = "A column each, with points, visits, divergence and verdict of its own: any agent that "
    hint += "gives cards values, with its options, which docs/agents.md lists."
    look = {"placeholder": "Choose, or type an agent", "max_selections": state.MAX_AGENTS}
    look |= {"accept_new_options": True, "help": hint}
    page.several("Other searches beside it", "agents", OTHER_AGENTS, **look)
    hint = "Many searches, with other seeds, settle whether a card is clearly best. A decision "
    hint += "that they don't settle in this time leans; what was searched is kept."
    page.select("Seconds to settle a decision", "budget", help=hint)
    hint = "A column each. Divergence, verdict and the log ratio refer to the first."
    page.several("Human models", "model", format_func=model_label, help=hint)
    hint = "Jensen–Shannon divergence between visit shares and human probabilities. A bid is one "
    hint += "where neither BIS nor the simulated human, most often, makes it."
    page.slider("Call it a disagreement from (bits)", "threshold", step=0.01, help=hint)
    page.segments("Suit colours", "colors")


def _show_search_controls() -> None:
    page.stops("iterations")
    left, right = st.columns(2)
    with left:
        page.number("Seed", "seed")
    with right:
        page.control("determinization")
    hint = "How the cards that one hand can't see are dealt for the view “Beliefs”. The network "
    hint += "explains the true cards of searches and rules best, the posterior those of simulated "
    hint += "humans; the scores are under Sampled deals."
    page.select("Beliefs by", "believed", format_func=str.capitalize, help=hint)
    _show_needing(DEALING_OPTIONS, "determinization")
    page.control("objective")
    with st.expander("Exploration, playouts, rules of thumb"):
        _show_rest()


def _show_needing(options: Mapping[str, Option], other: str) -> None:
    """The options that do something with the value of another one as it is."""
    for name, option in options.items():
        if option.needs and option.needs[0] == other and page.get(other) in option.needs[1]:
            page.control(name)


def _show_rest() -> None:
    left, right = st.columns(2)
    with left:
        page.control("exploration")
    with right:
        page.control("reward_scale")
    for name in ("playout", "skew"):
        page.control(name)
        _show_needing(SEARCH_OPTIONS, name)
    for name in state.UNCOMBINED:
        page.control(name)


def _show_bias_controls(step: int) -> None:
    page.pick("technique")
    if page.get("technique") == UNBIASED:
        st.caption("Pick a bias: a second search, leaning towards a human model, gets a column.")
    else:
        _show_bias()
        is_full = len(page.get("agents")) >= state.MAX_AGENTS
        hint = f"Among the other searches under Search, {state.MAX_AGENTS} at most."
        look = {"disabled": is_full, "help": hint}
        show_button("Keep this one too", "add", page.key("add_bias"), _keep_bias, **look)
    if step < 0:
        st.caption("A bid is made here: the bias of a card's search is tuned at a play.")
        return
    shown = {"hand": page.get("hand").name, "ply": step}
    if page.get("technique") != UNBIASED:
        names = [name for name in STRENGTHS if name != "play"]
        shown |= {name: page.get(name) for name in ("technique", *names)}
        shown["model"] = page.get("bias_model")
    show_link("Tuning", "Tune the bias on this decision", shown)


def _keep_bias() -> None:
    kept, agent = page.get("agents"), agent_text(state.biased(state.settings()))
    page.put("agents", [*kept, agent] if agent not in kept else kept)


def _show_bias() -> None:
    page.menu("bias_model", format_func=model_label)
    technique = page.get("technique")
    for name in STRENGTHS:
        option = BIAS_OPTIONS[name]
        if option.applies({"bias": technique}):
            draw = page.pick if option.choices else page.control
            draw(name)


def _show_downloads(decisions: Sequence[PlayDecision | None], step: int) -> None:
    bare = replace(page.get("hand").record, source="")
    found = [decision for decision in decisions if decision is not None]
    here = [decision for decision in found if decision.ply == step]
    if here:
        _download("This decision (CSV)", partial(_csv, here), f"decision-{step}.csv")
    if found:
        _download(f"{len(found)} decisions (CSV)", partial(_csv, found), "decisions.csv")
    for label, ending in (("PTN", "ptn"), ("JSON Lines", "jsonl")):
        make = partial(format_records, [bare], ending)
        _download(f"The round ({label})", make, f"round.{ending}")
    hint = "By the camera on each chart, on every page."
    look = {"default": shared.chart_format(), "format_func": str.upper, "required": True}
    formats = ("Charts are saved as", shared.CHART_FORMATS)
    chosen = st.segmented_control(*formats, key="chart_format", help=hint, **look)
    st.session_state[shared.KEPT_FORMAT] = chosen


def _download(label: str, make: Callable[[], str], file: str) -> None:
    """A button whose file is made when somebody clicks it."""
    st.download_button(label, make, f"spades-{file}", on_click="ignore", key=page.key(file))


def _csv(decisions: Sequence[PlayDecision]) -> str:
    return decisions_table(decisions).to_csv(index=False)


@errors_shown()
def show_round_browser() -> None:
    """A log's rounds by number and as a table; the one chosen is put on the table."""
    names = state.log_names()
    if not names:
        st.caption("No logs yet: the Data page imports and generates them.")
        return
    name = _show_log(names)
    table = records.rounds_of(name)
    if table.empty:
        st.caption("No round in this log.")
        return
    _show_number(name, len(table))
    chosen, game = _show_filters()
    table = _show_page(_filtered(table, chosen, game), (name, chosen, game))
    key = page.key(f"rounds-{name}-{chosen}-{game}-{table.index.min()}")
    clicks = {"on_select": "rerun", "selection_mode": "single-row"}
    event = st.dataframe(table, hide_index=True, height=300, key=key, **clicks)
    rows = event["selection"]["rows"]
    picked = records.hand_name(name, int(table.iloc[rows[0]]["round"])) if rows else ""
    # A selection stays selected: only a new one opens a round.
    if picked != st.session_state.get(page.key("picked"), ""):
        page.put("picked", picked)
        if picked:
            _open_round(picked)
            draw_again()


def _show_log(names: list[str]) -> str:
    """Which log: as chosen, else the one on the table, else the first."""
    hand = page.get("hand").name
    current = hand.removeprefix(records.LOG_PREFIX).rpartition(".")[0]
    usual = current if hand.startswith(records.LOG_PREFIX) and current in names else names[0]
    page.put("browse_usual", usual)
    if page.get("browse_log") not in names:
        page.put("browse_log", usual)
    return page.select("Log", "browse_log", names, on_change=_begin_anew)


def _show_filters() -> tuple[str, str]:
    chosen = page.select("Rounds", "browse", on_change=_begin_anew)
    look = {"placeholder": "Any; or a part of its name", "on_change": _begin_anew}
    game = page.text("Game", "browse_game", max_chars=state.LONGEST_GAME, **look)
    return chosen, game.strip()


def _begin_anew() -> None:
    page.put("browse_page", 1)


def _show_number(log: str, n_rounds: int) -> None:
    key, legal = page.key(f"number-{log}-{n_rounds}"), Optional(Integer(0, n_rounds - 1))
    shown = {"placeholder": f"0 to {n_rounds - 1}", "help": "Counted from 0, as in links."}
    act = {"on_change": _open_number, "args": (log, legal, key)}
    ask_number(f"Round, of {n_rounds:,}", legal, key, None, **shown, **act)


def _open_number(log: str, legal: Optional, key: str) -> None:
    with suppress(ValueError):  # the page says what would be legal
        number = legal.take(st.session_state[key])
        if number is not None:
            _open_round(records.hand_name(log, number))


def _open_round(hand: str) -> None:
    state.open_hand(state.OpenHand(hand, records.round_of(hand)))


def _show_page(table: pd.DataFrame, where: Sequence[str]) -> pd.DataFrame:
    n_pages, at = max(1, -(-len(table) // MAX_SHOWN)), page.get("browse_page")
    if at > n_pages:
        legal = f"{legal_range(1, n_pages)} for these rounds. Shown: {n_pages}."
        page.complain(f"The link says browse_page={at}; {legal}")
        page.put("browse_page", at := n_pages)
    if n_pages > 1:
        key = page.key(f"page-{where}-{page.get('rev')}")  # anew where a link or a filter sets it
        typed, why = ask_number(f"Page, of {n_pages}", Integer(1, n_pages), key, at)
        if not why:
            page.put("browse_page", at := typed)
    more = f", {MAX_SHOWN:,} a page" if n_pages > 1 else ""
    st.caption(f"{len(table):,} rounds{more}. Select one to replay it.")
    return table.iloc[(at - 1) * MAX_SHOWN : at * MAX_SHOWN]


def _filtered(table: pd.DataFrame, chosen: str, game: str) -> pd.DataFrame:
    """The rows of a round table that a filter of ``ROUND_FILTERS`` keeps, and whose game has
    ``game`` in its name."""
    kept = table["game"].str.contains(game, case=False, regex=False)
    if chosen == "nil":
        kept &= table["nil"] != ""
    elif chosen == "failed":
        kept &= table["nil"].str.contains("failed")
    elif chosen == "set":
        kept &= (table["points N/S"] < 0) | (table["points E/W"] < 0)
    return table[kept]
