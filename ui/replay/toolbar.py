"""The line above the table: which hand, how it is searched, what is shown, downloads."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from analysis.decisions.decision import PlayDecision, decisions_table
from analysis.decisions.report import agent_text
from analysis.text_tables import counted
from spades.core.cards import HAND_SIZE, STANDARD, format_hand, seat_name
from spades.core.errors import SpadesError
from spades.core.options import Option, legal_range
from spades.core.rules import Rules
from spades.notation import NOTATIONS, Reading, format_records, read_bytes, read_text
from spades.notation.hands import read_hand
from spades.search.techniques.technique import UNBIASED
from ui.disagreements.switch import show_switch
from ui.replay import state
from ui.replay.complaint import ask_about
from ui.replay.panel import Here
from ui.replay.state import page
from ui.replay.view_data import send_place, viewer_of
from ui.shared import records
from ui.shared.address import ask_number
from ui.shared.bar import show_link
from ui.shared.codecs import Integer, Optional, check_number
from ui.shared.log_in_hand import log_in_hand, take_in_hand, usual_log
from ui.shared.options import (
    BIAS_OPTIONS,
    DEALING_OPTIONS,
    SEARCH_OPTIONS,
    STRENGTHS,
    model_label,
)
from ui.shared.page import draw_again, literal, show_complaints
from ui.shared.panel import Panel, show_file
from ui.shared.states import show_empty, show_partial, show_wrong
from ui.shared.widgets import centered_row, errors_shown, new_click, once, show_button, show_popover

if TYPE_CHECKING:  # pandas is imported with the first table
    import pandas as pd

MAX_COMPLAINTS = 8
MAX_OPENED = 100  # rounds of one file in the picker; the Data page takes whole logs
MAX_SHOWN = 2000  # rounds of a log on a page
OTHER_AGENTS = (
    state.SECOND,
    "ismcts:iterations=10000",
    "ismcts:playout=nil-aware",
    "ismcts:determinization=posterior",
    "ismcts:determinization=network",
    "ismcts:equivalence=on",
    "ismcts:objective=game",
    "uct",
    "flat-mc",
    "pimc",
)


def show_toolbar(decisions: Sequence[PlayDecision | None], here: Here) -> None:
    with centered_row(key=page.key("toolbar")):
        show_switch()
        _show_hand_picker()
        key = page.key(f"open_hand_{_n_closed()}")  # a new key closes the popover
        show_popover("Open a hand", "folder_open", key, _show_ways_to_open)
        share = page.key("open_share")
        show_popover("Share", "share", share, _show_ways_to_share, decisions, here.step)
        show_popover("Report", "bug_report", page.key("open_report"), _show_bug_report, here)
        show_popover("Settings", "tune", page.key("open_settings"), _show_settings, here.step)


def _show_bug_report(here: Here) -> None:
    from ui.replay.visits import show_report  # loads pandas and plotly

    show_report(here)


def _hide_hands() -> None:
    """Hide the hands of the other seats in spoiler mode, and show them again after it."""
    page.put("view_shown", "own" if page.get("spoiler") else "all")
    send_place()


def _show_hand_picker() -> None:
    hands = [state.OpenHand(name, record) for name, record in records.shipped_hands().items()]
    hands += st.session_state.setdefault(page.key("opened"), [])
    current = page.get("hand")
    if current.name not in [hand.name for hand in hands]:
        hands.insert(0, current)
    by_name = {hand.name: hand for hand in hands}
    names = list(by_name)
    chosen = st.selectbox(
        "Hand",
        names,
        names.index(current.name),
        format_func=lambda name: records.title_of(by_name[name].record),
        label_visibility="collapsed",
    )
    if chosen != current.name:
        state.open_hand(by_name[chosen])
        draw_again()


def _show_ways_to_open() -> None:
    pasted, logs = st.tabs(["Paste or file", "From a log"])
    with pasted:
        _show_record_forms()
    with logs:
        show_round_browser()


def _show_record_forms() -> None:
    st.caption(
        f"Notations: {', '.join(notation.label for notation in NOTATIONS.values())}. "
        f"At most {MAX_OPENED} rounds are opened. Every round is checked by the "
        "rules it carries; illegal rounds are refused, by line."
    )
    with st.form(page.key("paste_form"), border=False):
        st.text_area("Paste a record", key=page.key("paste"), height=180)
        icon = ":material/content_paste:"
        st.form_submit_button("Open pasted record", icon=icon, on_click=once(_open_pasted))
    reading = st.session_state.get(page.key("reading"))
    if reading is not None and not reading.records:
        _show_refused(reading)
        if reading.notation == "csv":
            from ui.shared.template import show_template  # loads pandas

            show_template(page.key("template"))
    upload = st.file_uploader("Or open a file", type=records.ENDINGS, key=page.key("file"))
    # No callback: the file stays uploaded, so a run that is cut short loses nothing. That may
    # happen wherever the session is written, so the file is marked as read last.
    if upload is not None and st.session_state.get(page.key("upload")) != upload.file_id:
        _open_reading(read_bytes(upload.getvalue(), name=upload.name, enough=MAX_OPENED + 1))
        page.put("upload", upload.file_id)
        draw_again()


def _open_pasted() -> None:
    text = st.session_state[page.key("paste")]
    with suppress(SpadesError):  # a single hand is no record: it gets links to other pages
        hand = read_hand(text, STANDARD)
        if hand.bit_count() == HAND_SIZE:
            page.put("lone_hand", format_hand(hand, STANDARD))
            page.put("reading", None)
            _close()
            return
    _open_reading(read_text(text, name="pasted"))


def _n_closed() -> int:
    """How often the popover was closed by opening a hand."""
    return st.session_state.get(page.key("n_opened"), 0)


def _close() -> None:
    page.put("n_opened", _n_closed() + 1)


def _open_reading(reading: Reading) -> None:
    """Put the first round read on the table and keep the report of what was refused."""
    opened = {}
    for record in reading.records[:MAX_OPENED]:
        name = records.pack(record)
        opened[name] = state.OpenHand(name, record)
    if opened:
        known = st.session_state[page.key("opened")]
        earlier = [hand for hand in known if hand.name not in opened]
        known[:] = [*opened.values(), *earlier]
        state.open_hand(known[0])
        ask_about(known[0].name)
        _close()
    page.put("reading", reading)


def show_links_of_hands(step: int) -> None:
    """Links from a single hand, pasted alone or of a deal without plays, to Bids."""
    record = page.get("hand").record
    hand = st.session_state.get(page.key("lone_hand"))
    if hand:
        rules = Rules()
        caption = f"Pasted: the hand {hand}, no deal."
    elif not record.plays:
        rules = record.rules
        seat = viewer_of(record, max(step, 0))
        hand = format_hand(record.hands[seat], rules.cards)
        caption = f"No play is recorded. {seat_name(seat)}'s hand: {hand}."
    else:
        return
    from analysis.bidding.questions import format_rules  # loads the bidders

    query = {"hand": hand, "previous": "", "rules": format_rules(rules)}
    with centered_row():
        st.caption(caption, width="content")
        show_link("Bids", "What it is bid", query)
        show_link("Bids", "Its chance of nil", {**query, "view": "nil"})


def show_report(complaints: Sequence[str]) -> None:
    """What was wrong with the link and the models, and why the last record was refused."""
    show_complaints(complaints)
    for refusal in state.refusals():
        show_partial(literal(refusal))
    reading = st.session_state.get(page.key("reading"))
    if reading is None:
        return
    if len(reading.records) > MAX_OPENED:
        show_empty(
            f"The first {MAX_OPENED} rounds of the record are in the list of hands. The Data page "
            "takes whole logs.",
            icon="info",
        )
    if reading.refused and reading.records:
        _show_refused(reading)
    elif reading.notes:
        with st.expander(f"Opened with {counted(len(reading.notes), 'remark')} on the record"):
            for note in reading.notes[:MAX_COMPLAINTS]:
                st.caption(literal(str(note)))


def _show_refused(reading: Reading) -> None:
    n_refused = len(reading.refused)
    lines = [f"{len(reading.records)} rounds read, {n_refused} refused"]
    lines += [f"- {literal(str(refusal))}" for refusal in reading.refused[:MAX_COMPLAINTS]]
    if n_refused > MAX_COMPLAINTS:
        lines.append(f"- and {n_refused - MAX_COMPLAINTS} more")
    show_wrong("\n".join(lines))


def _show_settings(step: int) -> None:
    view, search, bias = st.tabs(["View", "Search", "Bias"])
    with view:
        _show_view_controls()
    with search:
        _show_search_controls()
    with bias:
        _show_bias_controls(step)


def _show_view_controls() -> None:
    _show_second_opinion()
    hint = "Who sits below, and whose cards, or beliefs, the one-hand views show."
    page.select("Seat", "seat", help=hint)
    hint = (
        "Hide models, search, bidders and the other hands at each step until you ask for them "
        "(M, H). Pick your own card first: the score is kept."
    )
    page.toggle("Spoiler mode", "spoiler", help=hint, on_change=_hide_hands)
    hint = (
        "The judge's points, log₂ of search over human, visits, the kind of play; and how far "
        "search and humans are apart."
    )
    page.toggle("More columns", "more", help=hint)
    hint = "A column each. Divergence, verdict and the log ratio refer to the first."
    page.several("Human models", "model", format_func=model_label, help=hint)
    hint = (
        "How the cards that one hand can't see are dealt for the view “Beliefs”. The network "
        "predicts the true cards of searches and rules best, the posterior those of simulated "
        "humans; the scores are under Where the cards may be."
    )
    page.select("Beliefs by", "believed", format_func=str.capitalize, help=hint)
    hint = (
        "Jensen–Shannon divergence between visit shares and human probabilities. A bid is a "
        "disagreement if it is neither BIS's nor the simulated human's most frequent bid."
    )
    page.slider("Call it a disagreement from (bits)", "threshold", step=0.01, help=hint)
    page.segments("Suit colours", "colors")


def _show_second_opinion() -> None:
    agents = page.get("agents")
    is_on = state.SECOND in agents
    st.session_state[page.key("second")] = is_on
    st.toggle(
        "Second opinion",
        key=page.key("second"),
        help=(
            f"A column by `{state.SECOND}`, the strongest search found, beside the published "
            "baseline: what its own searches visit. Agents shows its parts; other agents are under "
            "Search."
        ),
        on_change=_switch_second,
        disabled=len(agents) >= state.MAX_AGENTS and not is_on,
    )


def _switch_second() -> None:
    others = [agent for agent in page.get("agents") if agent != state.SECOND]
    is_wanted = st.session_state[page.key("second")]
    page.put("agents", [state.SECOND, *others] if is_wanted else others)


def _show_search_controls() -> None:
    page.stops("iterations")
    left, right = st.columns(2)
    with left:
        page.number("Seed", "seed")
    with right:
        page.control("determinization")
    _show_needing(DEALING_OPTIONS, "determinization")
    page.control("objective")
    with st.expander("Exploration, playouts, rules of thumb"):
        _show_rest()
    page.several(
        "Other searches beside it",
        "agents",
        OTHER_AGENTS,
        placeholder="Choose, or type an agent",
        max_selections=state.MAX_AGENTS,
        accept_new_options=True,
        help=(
            "A column each, with its own visits: any agent that gives cards values, with its "
            "options, which docs/agents.md lists."
        ),
    )
    hint = (
        "Of a core. The judge has strong agents play rounds on until one card is clearly best. A "
        "decision that isn't settled in this time leans, or judges differ; what was played is kept."
    )
    page.select("Seconds to settle a decision", "budget", help=hint)


def _show_needing(options: Mapping[str, Option], other: str) -> None:
    """The options that another one's current value makes effective."""
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
        show_button(
            "Keep this one too",
            "add",
            page.key("add_bias"),
            _keep_bias,
            disabled=len(page.get("agents")) >= state.MAX_AGENTS,
            help=f"Among the other searches under Search, {state.MAX_AGENTS} at most.",
        )
    if step < 0:
        st.caption("A bid is made here: the bias of a card's search is tuned at a play.")
        return
    query = {"view": "ladder", "hand": page.get("hand").name, "ply": step}
    query["ladder_scale"] = page.get("reward_scale")
    if page.get("technique") != UNBIASED:
        query["technique"] = page.get("technique")
        for name in STRENGTHS:
            if not BIAS_OPTIONS[name].choices:  # the ladder has those at their defaults
                query[name] = page.get(name)
        query["model"] = page.get("bias_model")
    show_link("Tune", "Tune the bias on this decision", query)


def _keep_bias() -> None:
    agents = page.get("agents")
    agent = agent_text(state.biased(state.settings()))
    if agent not in agents:
        page.put("agents", [*agents, agent])


def _show_bias() -> None:
    page.menu("bias_model", format_func=model_label)
    technique = page.get("technique")
    for name in STRENGTHS:
        option = BIAS_OPTIONS[name]
        if option.applies({"bias": technique}):
            draw = page.pick if option.choices else page.control
            draw(name)


def _show_ways_to_share(decisions: Sequence[PlayDecision | None], step: int) -> None:
    st.caption("A link to this very place; L copies it as well.")
    st.code(state.link_here(), language=None)
    _show_downloads(decisions, step)
    show_link("Play", "Play this deal", {"hand": page.get("hand").name})


def _show_downloads(decisions: Sequence[PlayDecision | None], step: int) -> None:
    record = replace(page.get("hand").record, source="")
    searched = [decision for decision in decisions if decision is not None]
    here = [decision for decision in searched if decision.ply == step]
    if here:
        _download("This decision (CSV)", partial(_csv, here), f"decision-{step}.csv")
    if searched:
        _download(f"{len(searched)} decisions (CSV)", partial(_csv, searched), "decisions.csv")
    for label, ending in (("PTN", "ptn"), ("JSON Lines", "jsonl")):
        make = partial(format_records, [record], ending)
        _download(f"The round ({label})", make, f"round.{ending}")


def _download(label: str, make: Callable[[], str], file: str) -> None:
    """A button whose file is made at the click."""
    show_file(label, make, f"spades-{file}", page.key(file), type="secondary")


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
    event = Panel(f"rounds-{name}-{chosen}-{game}-{table.index.min()}").table(
        table,
        is_exported=False,
        height=300,
        on_select="rerun",
        selection_mode="single-row",
    )
    rows = event["selection"]["rows"]
    selected = records.hand_name(name, int(table.iloc[rows[0]]["round"])) if rows else ""
    if new_click(page.key("picked"), selected):
        _open_round(selected)
        draw_again()


def _show_log(names: list[str]) -> str:
    """The log in hand, or another that is taken instead."""
    page.put("browse_usual", records.log_of(page.get("hand").name) or usual_log())
    name = log_in_hand()
    page.put("browse_log", name if name in names else names[0])
    return page.select("Log", "browse_log", names, on_change=_browse)


def _browse() -> None:
    take_in_hand(page.get("browse_log"))
    _go_to_first_page()


def _show_filters() -> tuple[str, str]:
    chosen = page.select("Rounds", "browse", on_change=_go_to_first_page)
    game = page.text(
        "Game",
        "browse_game",
        max_chars=state.LONGEST_GAME,
        placeholder="Any; or a part of its name",
        on_change=_go_to_first_page,
    )
    return chosen, game.strip()


def _go_to_first_page() -> None:
    page.put("browse_page", 1)


def _show_number(log: str, n_rounds: int) -> None:
    key = page.key(f"number-{log}-{n_rounds}")
    codec = Optional(Integer(0, n_rounds - 1))
    ask_number(
        f"Round, of {n_rounds:,}",
        codec,
        key,
        None,
        placeholder=f"0 to {n_rounds - 1}",
        help="Counted from 0, as in links.",
        on_change=_open_number,
        args=(log, codec, key),
    )


def _open_number(log: str, codec: Optional, key: str) -> None:
    number, error = check_number(codec, st.session_state[key])
    if number is not None and not error:
        _open_round(records.hand_name(log, number))


def _open_round(hand: str) -> None:
    state.open_hand(state.OpenHand(hand, records.round_of(hand)))


def _show_page(table: pd.DataFrame, where: Sequence[str]) -> pd.DataFrame:
    """A page of a long table, and the box that turns it; ``where``: what the table depends on."""
    n_pages = max(1, math.ceil(len(table) / MAX_SHOWN))
    number = page.get("browse_page")
    if number > n_pages:
        legal = f"{legal_range(1, n_pages)} for these rounds. Shown: {n_pages}."
        page.complain(f"The link says browse_page={number}; {legal}")
        number = n_pages
    per_page = ""
    if n_pages > 1:
        key = page.key(f"page-{where}-{page.get('rev')}")  # anew where a link or a filter sets it
        typed, error = ask_number(f"Page, of {n_pages}", Integer(1, n_pages), key, number)
        number = number if error else typed
        per_page = f", {MAX_SHOWN:,} a page"
    page.put("browse_page", number)
    st.caption(f"{len(table):,} rounds{per_page}. Select one to replay it.")
    return table.iloc[(number - 1) * MAX_SHOWN : number * MAX_SHOWN]


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
