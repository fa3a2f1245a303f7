"""The drill: a position to answer, the verdict on the answer, and the exercises due."""

import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pandas as pd
import streamlit as st

from analysis.decisions.classes import needs_text
from analysis.decisions.conclusion import BEST, FINE, MISTAKE, SLIP
from analysis.decisions.round_view import seen_round, sorted_hand
from analysis.disagreements.plan import MAX_ROUNDS, LogSearchPlan
from analysis.disagreements.stored import StoredSearch, find
from analysis.drill import DrillStore, Exercise, draw, exercise_table, grade_of, passing
from analysis.intervals import share_interval
from analysis.runs.progress import format_seconds
from analysis.text_tables import signed, span
from spades.core.cards import N_SEATS, SEATS, cards_in, seat_name
from spades.human import MODEL_NAME, load_model
from spades.look import TABLE_SCRIPTS, TABLE_STYLES, joined
from spades.look.words import pretty, pretty_class
from ui.disagreements.controls import drawn, show_search_start
from ui.disagreements.view import decisions_of
from ui.play.state import LOGS, page
from ui.shared.bar import show_link
from ui.shared.cards import show_card_table, with_red
from ui.shared.jobs import show_jobs
from ui.shared.options import model_label
from ui.shared.page import literal
from ui.shared.records import opened, pack, readable_logs
from ui.shared.states import show_empty
from ui.shared.widgets import centered_row, errors_shown, row, show_button, show_note

LAST = 100  # answers over which the share right is taken
ROUNDS = 200  # of a log, to judge
GRADE_TEXTS = {
    BEST: (st.success, "check_circle", "Right: best."),
    FINE: (st.info, "do_not_disturb_on", "Wrong, but fine."),
    SLIP: (st.warning, "error", "Wrong: a slip."),
    MISTAKE: (st.error, "cancel", "Wrong: a mistake."),
}
"""How an answer of each grade is shown: in which box, with which icon, and its title."""
FILTERS = ("lens", "phase", "nil")
VIEW = "drill_table"
_HERE = Path(__file__).parent
OPEN = page.key("exercise")  # the ``Shown`` exercise
_mount = st.components.v2.component(
    "spades_drill_table",
    html="<div class='rv-mount'></div>",
    css=joined("css", TABLE_STYLES) + joined("css", "history", _HERE),
    js=joined("js", TABLE_SCRIPTS) + joined("js", "history drill", _HERE),
)


@dataclass
class Shown:
    """An exercise on screen, for a profile and a choice of exercises. ``id``: by which the browser
    knows it; ``answer``: the card, '' before it, and ``ms``: how long that took."""

    profile: str
    choice: str
    exercise: Exercise
    id: str
    answer: str = ""
    ms: int = 0


def show() -> None:
    if not readable_logs():
        show_empty("No logs yet: play a table, or import one on Data.", "inbox")
        return
    above = st.container()
    _show_more()  # first, so that exercises which a job has added are drawn in the same run
    with above, errors_shown():
        _show_drill(DrillStore(), page.get("profile").strip() or "player", time.time())


def _show_choice() -> None:
    players: set[str] = set()
    for log in page.get("logs"):
        players.update(opened(log).players)
    labels = {"": "Where humans go wrong"}
    for name in sorted(players):
        labels[name] = f"Costly plays of {name}"
    exercises = labels[page.settle("player", labels)]
    profile = page.get("profile")
    is_usual = profile == page.fields["profile"].default
    label = literal(exercises if is_usual else f"{profile} · {exercises}")
    with st.popover(label, icon=":material/tune:", key="drill_choice"):
        page.text("Profile", "profile", max_chars=40, help="Progress is kept under this name.")
        LOGS.control("Logs", readable_logs())
        page.select("Exercises", "player", labels)
        page.several("Lens", "lens", placeholder="Any", help="What is wrong with the wrong card.")
        page.pills("Phase", "phase")
        page.pills("A nil that is alive", "nil")


def _show_drill(store: DrillStore, profile: str, now: float) -> None:
    shown: Shown | None = st.session_state.get(OPEN)
    if shown is not None and not shown.answer:
        _take_answer(store, shown, now)
    head = centered_row()
    with head:
        _show_choice()
    cards = store.cards(profile)
    new = _exercises()
    filters = [page.get(name) for name in FILTERS]
    choice = repr((profile, page.get("logs"), page.get("player"), filters))
    if shown is None or shown.choice != choice:
        is_due = cards["due"] <= now
        due = passing(cards[is_due], *filters)
        if len(due):
            exercise = store.exercise(due["key"].iloc[0])
        else:
            exercise = draw(passing(new, *filters), profile, cards["key"])
        shown = Shown(profile, choice, exercise, str(now)) if exercise else None
        st.session_state[OPEN] = shown
    is_begun = new["key"].isin(cards["key"])
    n_new = len(new) - is_begun.sum()
    with head:
        show_note(f"{_progress_text(store, profile, cards, now)} · {n_new:,} new ones here")
    if shown is not None:
        due = cards.loc[cards["key"] == shown.exercise.key, "due"]
        _show_exercise(shown, _repetition_text(shown, due.max(), now) if shown.answer else "")
    else:
        show_empty("Nothing is due, and no new exercise is left: judge more below.", "task_alt")


def _take_answer(store: DrillStore, shown: Shown, now: float) -> None:
    """Store the answer that the browser has sent, if it is to this exercise."""
    view = st.session_state.get(VIEW) or {}
    sent = view.get("answer")
    if sent and sent.get("id") == shown.id:
        card = sent["card"]
        shown.ms = int(sent["ms"])
        store.answer(shown.profile, shown.exercise, card, ms=shown.ms, now=now)
        shown.answer = card


def _progress_text(store: DrillStore, profile: str, cards: pd.DataFrame, now: float) -> str:
    today = date.fromtimestamp(now)
    n_due = sum(date.fromtimestamp(due) <= today for due in cards["due"])
    text = f"{n_due:,} due today · {cards['is_learned'].sum():,} of {len(cards):,} learned"
    answers = store.last(profile, LAST)
    n = len(answers)
    n_right = sum(answers)
    interval = share_interval(n_right, n)
    if interval is None:
        return text
    return f"{text} · right {n_right / n:.1%}, last n = {n} (95%: {span(interval, '.1%')})"


def _repetition_text(shown: Shown, due: float, now: float) -> str:
    """How the answer is graded for its repetition, and when that is due."""
    is_right = bool(shown.exercise.is_good[shown.exercise.class_of(shown.answer)])
    grade = grade_of(is_right, shown.ms).name
    wait = format_seconds(max(0.0, due - now))
    days = (date.fromtimestamp(due) - date.fromtimestamp(now)).days
    if days:
        wait = "a day" if days == 1 else f"{days} days"
    return f"Answered in {shown.ms / 1000:.0f} s, graded {grade}: it comes back in {wait}."


def _exercises() -> pd.DataFrame:
    """The exercises among the judged rounds of the chosen logs."""
    tables = []
    for log in page.get("logs"):
        search = find(LogSearchPlan(log, MAX_ROUNDS))
        player = page.get("player")
        tables.append(_exercises_of(log, player, search.key, search.rounds, _search=search))
    return pd.concat(tables, ignore_index=True).drop_duplicates("key")


@st.cache_resource(max_entries=16, show_spinner="Looking for exercises ...")
def _exercises_of(
    log: str, player: str, search_key: str, rounds: tuple[int, ...], *, _search: StoredSearch
) -> pd.DataFrame:
    """``search_key`` and ``rounds`` stand for ``_search`` in the cache's key."""
    decisions = decisions_of(_search, log, MODEL_NAME)
    return exercise_table(decisions, _search, opened(log), player)


def _show_exercise(shown: Shown, repetition: str) -> None:
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
    trick, place = divmod(exercise.ply, N_SEATS)
    place_name = ("on lead", "second hand", "third hand", "last hand")[place]
    st.markdown(
        f"**Which card does {seat_name(seat)} play?** Trick {trick + 1}, {place_name}. "
        f"{needs_text(observation)}"
    )
    table, beside = st.columns([3, 2], gap="medium")
    with table, st.container(key="drill_view"):
        _mount(data=data, key=VIEW, on_answer_change=lambda: None)
    with beside:
        if shown.answer:
            _show_verdict(exercise, shown.answer, repetition)
        else:
            st.caption("Click it, or choose with 1 to 9 or the arrows and press Enter.")


def _show_verdict(exercise: Exercise, answer: str, repetition: str) -> None:
    deck = exercise.record.rules.cards
    names = []
    for mask in exercise.rows["cards"].tolist():
        cards = sorted(cards_in(mask), reverse=True)
        names.append(pretty_class(map(deck.format_card, cards)))
    _show_answer(exercise, answer, names)
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
        query = {"hand": pack(exercise.record), "ply": exercise.ply}
        show_link("Replay", "Why", query)
    show_note(repetition)
    _show_classes(exercise, names)


def _show_answer(exercise: Exercise, answer: str, names: list[str]) -> None:
    """The grade of the answer, and the reason; ``names``: the cards of each class."""
    rows = exercise.rows
    grade = exercise.grade(answer)
    show, icon, title = GRADE_TEXTS[grade]
    good = [name for name, is_good in zip(names, exercise.is_good, strict=True) if is_good]
    if grade == BEST:
        praise = "is clearly best" if len(good) == 1 else "are as good, within a point"
        text = f"{', '.join(good)} {praise}"
    else:
        answered = exercise.class_of(answer)
        points = f"{rows['behind'][answered]:.1f} points"
        text = f"{names[answered]} costs {points} compared with {good[0]}"
        if not exercise.is_proven:
            interval = (rows["low"][answered], rows["high"][answered])
            text += f" (95%: {span(interval, '.1f')})"
    text = with_red(f"**{title}** {text}. {literal(exercise.why(answer))}")
    show(text, icon=f":material/{icon}:")


def _show_classes(exercise: Exercise, names: list[str]) -> None:
    """What the judge and the human model say of every class of cards."""
    deck = exercise.record.rules.cards
    human = load_model(MODEL_NAME).probabilities(exercise.observation)
    table = []
    for name, is_good, result in zip(names, exercise.is_good, exercise.rows, strict=True):
        cards = [deck.card(code) for code in cards_in(result["cards"].item())]
        is_best = not table
        table.append(
            {
                "Card": f"{'✓' if is_good else '✗'} {name}",
                "Loss": signed(-result["behind"]) if result["behind"] else "0",
                "95%": "" if is_best else _interval(-result["high"], -result["low"]),
                "Human": f"{sum(human[card] for card in cards):.1%}",
                "Search": f"{result['share']:.1%}",
            }
        )
    show_card_table(pd.DataFrame(table), ("Loss", "95%", "Human", "Search"))
    n_rounds = exercise.rows["played_on"][0]
    if exercise.is_proven:
        judged = "Judged by all possible deals, each solved"
    elif n_rounds:
        judged = f"Judged by {n_rounds:,} rounds played on"
    else:
        judged = "Judged by searches, in an earlier version"
    played = pretty(deck.format_card(exercise.record.plays[exercise.ply]))
    note = literal(f"{judged}. Human: {model_label(MODEL_NAME)}. In the log {played} was played.")
    st.caption(with_red(note))


def _interval(low: float, high: float) -> str:
    return span((low, high), "+.1f") if low < high else "exact"


def _asked_plan() -> LogSearchPlan:
    rounds = page.asked("rounds")["rounds"]
    return LogSearchPlan(page.get("logs")[0], rounds or ROUNDS)


def _show_more() -> None:
    with errors_shown():
        with st.expander("Judge more of the log", icon=":material/manage_search:"):
            page.number(
                "Rounds",
                "rounds",
                step=10,
                width=140,
                placeholder=str(ROUNDS),
                help="The first ones of the log.",
            )
            show_search_start(_asked_plan, "drill_start")
        show_jobs("drill", made=lambda: drawn(_asked_plan()))
