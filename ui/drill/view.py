"""The Drill page: a position to answer, the verdict on the answer, and the exercises due."""

import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pandas as pd
import streamlit as st

from analysis.decisions.candidates import HUMAN
from analysis.decisions.classes import needs_text
from analysis.decisions.decision import pretty
from analysis.decisions.judge import JUDGE
from analysis.decisions.lenses import LABELS
from analysis.decisions.review import EARLY, EARLY_TRICKS, LATE
from analysis.disagreements.plan import MAX_ROUNDS, LogSearchPlan
from analysis.disagreements.stored import StoredSearch, find
from analysis.drill import NILS, DrillStore, Exercise, draw, exercise_table, passing
from analysis.intervals import share_interval
from analysis.text_tables import span
from spades.core.cards import N_SEATS, SEATS, cards_in, seat_name
from spades.human import load_model
from ui.disagreements.controls import drawn, show_search_start
from ui.disagreements.view import decisions_of
from ui.play.seen import seen_round
from ui.replay.view import joined
from ui.shared import address
from ui.shared.address import Field
from ui.shared.bar import show_link
from ui.shared.codecs import TEXT, Choice, Integer, Several
from ui.shared.jobs import show_jobs
from ui.shared.options import model_label
from ui.shared.page import literal
from ui.shared.records import log_shown_first, opened, pack, readable_logs
from ui.shared.table_data import sorted_hand
from ui.shared.tables import show_frame
from ui.shared.widgets import errors_shown, row, show_button, show_info, show_note

LAST = 100  # answers over which the share right is taken
PHASES = {EARLY: f"Tricks 1 to {EARLY_TRICKS}", LATE: f"From trick {EARLY_TRICKS + 1}"}
NIL_LABELS = dict(zip(NILS, ("Own", "Partner's", "An opponent's", "None"), strict=True))
FILTERS = ("lens", "phase", "nil")
VIEW = "drill_table"
page = address.PageState(
    "drill",
    {
        "profile": Field(TEXT, "player"),
        "logs": Field(Several(Choice(readable_logs)), lambda _: [log_shown_first()]),
        "player": Field(TEXT, ""),
        "lens": Field(Several(Choice(LABELS)), []),
        "phase": Field(Several(Choice(PHASES)), []),
        "nil": Field(Several(Choice(NIL_LABELS)), []),
        "rounds": Field(Integer(1, MAX_ROUNDS), 200),
    },
    files=("logs",),
)
OPEN = page.key("open")  # the ``Shown`` exercise
_mount = st.components.v2.component(
    "spades_drill_table",
    html="<div class='rv-mount'></div>",
    css=joined("css", "base cards table beliefs bids compact"),
    js=joined("js", "dom cards position table plates trick beliefs bids keys choose")
    + joined("js", "drill", Path(__file__).parent),
)


@dataclass
class Shown:
    """An exercise on screen: for which profile and choice of exercises, its id for the browser, and
    the card of the answer, '' before it."""

    profile: str
    choice: str
    exercise: Exercise
    id: str
    answer: str = ""


def show() -> None:
    logs = readable_logs()
    if not logs:
        show_info("No logs yet: play on the Play page, or import one on Data.", "inbox")
        return
    if not page.get("logs"):
        page.put("logs", list(logs)[:1])
    above = st.container()
    _show_more()  # first, so that exercises which a job has added are drawn in the same run
    with above, errors_shown():
        _show_choice()
        _show_drill(DrillStore(), page.get("profile").strip() or "player", time.time())


def _show_choice() -> None:
    players = sorted({name for log in page.get("logs") for name in opened(log).players})
    labels = {"": "Where humans go wrong"}
    labels |= {name: f"Costly plays of {name}" for name in players}
    label = f"{page.get('profile')} · {labels[page.settle('player', labels)]}"
    with st.popover(literal(label), icon=":material/tune:", key=page.key("choice")):
        page.text("Profile", "profile", max_chars=40, help="Progress is kept under this name.")
        page.several("Logs", "logs", list(readable_logs()))
        page.select("Exercises", "player", labels)
        page.several("Lens", "lens", placeholder="Any", help="What is wrong with the wrong card.")
        page.pills("Phase", "phase")
        page.pills("A nil that is alive", "nil")


def _show_drill(store: DrillStore, profile: str, now: float) -> None:
    shown: Shown | None = st.session_state.get(OPEN)
    if shown is not None and not shown.answer:
        _take_answer(store, shown, now)
    cards = store.cards(profile)
    new = _exercises()
    filters = [page.get(name) for name in FILTERS]
    choice = repr((profile, page.get("logs"), page.get("player"), filters))
    if shown is None or shown.choice != choice:
        due = passing(cards[cards["due"] <= now], *filters)["key"].head(1).tolist()
        if due:
            exercise = store.exercise(due[0])
        else:
            exercise = draw(passing(new, *filters), profile, cards["key"])
        shown = Shown(profile, choice, exercise, str(now)) if exercise else None
        st.session_state[OPEN] = shown
    n_new = (~new["key"].isin(cards["key"])).sum()
    show_note(f"{_progress_text(store, profile, cards, now)} · {n_new:,} new ones here")
    if shown is not None:
        _show_exercise(shown)
    else:
        show_info("Nothing is due, and no new exercise is left: judge more below.", "task_alt")


def _take_answer(store: DrillStore, shown: Shown, now: float) -> None:
    """Store the answer that the browser has sent, if it is to this exercise."""
    sent = (st.session_state.get(VIEW) or {}).get("answer") or {}
    if sent.get("id") == shown.id:
        card = sent["card"]
        store.answer(shown.profile, shown.exercise, card, ms=int(sent["ms"]), now=now)
        shown.answer = card


def _progress_text(store: DrillStore, profile: str, cards: pd.DataFrame, now: float) -> str:
    today = datetime.fromtimestamp(now).date()
    n_due = sum(datetime.fromtimestamp(due).date() <= today for due in cards["due"])
    text = f"{n_due:,} due today · {cards['is_learned'].sum():,} of {len(cards):,} learned"
    answers = store.last(profile, LAST)
    n = len(answers)
    n_right = sum(answers)
    interval = share_interval(n_right, n)
    if interval is None:
        return text
    return f"{text} · right {n_right / n:.1%}, last n = {n} (95%: {span(interval, '.1%')})"


def _exercises() -> pd.DataFrame:
    """The exercises among the judged rounds of the chosen logs."""
    tables = []
    for log in page.get("logs"):
        search = find(LogSearchPlan(log, MAX_ROUNDS, JUDGE))
        player = page.get("player")
        tables.append(_exercises_of(log, player, search.key, search.rounds, _search=search))
    return pd.concat(tables, ignore_index=True).drop_duplicates("key")


@st.cache_resource(max_entries=16, show_spinner="Looking for exercises ...")
def _exercises_of(
    log: str, player: str, search_key: str, rounds: tuple[int, ...], *, _search: StoredSearch
) -> pd.DataFrame:
    """``search_key`` and ``rounds`` are part of the cache's key, for ``_search`` isn't."""
    return exercise_table(decisions_of(_search, log, HUMAN), _search, opened(log), player)


def _show_exercise(shown: Shown) -> None:
    exercise = shown.exercise
    observation = exercise.observation
    seat = observation.seat
    drawn_round = seen_round(observation, exercise.record.players, exercise.record.kinds)
    drawn_round["plays"] = [*drawn_round["plays"], ""]
    drawn_round["play_seats"] = [*drawn_round["play_seats"], seat]
    lit = observation.legal_mask
    if shown.answer:
        lit = sum(exercise.rows["cards"][exercise.is_good].tolist())
    data = {
        "id": shown.id,
        "seat": SEATS[seat],
        "answer": shown.answer,
        "lit": sorted_hand(exercise.record.rules, lit),
        "round": drawn_round,
    }
    table, beside = st.columns([3, 2], gap="medium")
    with table, st.container(key="drill_view"):
        _mount(data=data, key=VIEW, on_answer_change=lambda: None)
    with beside:
        if shown.answer:
            _show_verdict(exercise, shown.answer)
            return
        trick, i = divmod(exercise.ply, N_SEATS)
        place = ("on lead", "second hand", "third hand", "last hand")[i]
        st.subheader(f"Which card does {seat_name(seat)} play?", anchor=False)
        st.markdown(f"Trick {trick + 1}, {place}. {needs_text(observation)}")
        st.caption("Click it, or choose with 1 to 9 or the arrows and press Enter.")


def _show_verdict(exercise: Exercise, answer: str) -> None:
    rows = exercise.rows
    deck = exercise.record.rules.cards
    classes = [sorted(cards_in(mask), reverse=True) for mask in rows["cards"].tolist()]
    names = ["=".join(pretty(deck.format_card(card)) for card in cards) for cards in classes]
    good = [name for name, is_good in zip(names, exercise.is_good, strict=True) if is_good]
    answered = exercise.class_of(answer)
    if exercise.is_good[answered]:
        praise = "is clearly best" if len(good) == 1 else "are as good, within a point"
        st.success(f"**Right.** {', '.join(good)} {praise}.", icon=":material/check_circle:")
    else:
        cost = f"{rows['behind'][answered]:.1f} points"
        text = f"**Wrong.** {names[answered]} costs {cost} compared with {good[0]}"
        if not exercise.is_proven:
            interval = (rows["low"][answered], rows["high"][answered])
            text += f" (95%: {span(interval, '.1f')})"
        st.error(f"{text}. {literal(exercise.why(answer))}", icon=":material/cancel:")
    with row():
        show_button(
            "Next",
            "arrow_forward",
            "drill_next",
            st.session_state.update,
            {OPEN: None},
            type="primary",
            shortcut="Enter",
        )
        show_link("Replay", "Why", {"hand": pack(exercise.record), "ply": exercise.ply})
    human = load_model(HUMAN).probabilities(exercise.observation)
    intervals = [_interval(-high, -low) for low, high in rows[["low", "high"]].tolist()]
    table = {
        "Card": [f"{'✓' if name in good else '✗'} {name}" for name in names],
        "Points": [f"{-behind:+.1f}" if behind else "best" for behind in rows["behind"]],
        "95%": ["", *intervals[1:]],
        "Human": [f"{sum(human[deck.card(code)] for code in cards):.1%}" for cards in classes],
        "Search": [f"{share:.1%}" for share in rows["share"]],
    }
    show_frame(pd.DataFrame(table))
    if exercise.is_proven:
        judged = "Judged by all possible deals, each solved"
    else:
        judged = f"Judged by {rows['searches'][0]:,} independent searches of {exercise.judge}"
    played = pretty(deck.format_card(exercise.record.plays[exercise.ply]))
    show_note(f"{judged}. Human: {model_label(HUMAN)}. In the log {played} was played.")


def _interval(low: float, high: float) -> str:
    return f"{low:+.1f} to {high:+.1f}" if low < high else "exact"


def _asked_plan() -> LogSearchPlan:
    return LogSearchPlan(page.get("logs")[0], page.asked("rounds")["rounds"], JUDGE)


def _show_more() -> None:
    with errors_shown():
        with st.expander(f"Judge more of the log by {JUDGE}", icon=":material/manage_search:"):
            page.number("Rounds", "rounds", step=10, width=140, help="The first ones of the log.")
            show_search_start(_asked_plan, "drill_start")
        show_jobs("drill", made=lambda: drawn(_asked_plan()))
