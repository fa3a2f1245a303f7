"""The Drill page: a position to answer, the verdict on the answer, and what is due."""

import time
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
from spades.core.cards import N_SEATS, SEATS, cards_in, seat_name
from spades.human import load_model
from ui.disagreements.controls import drawn, show_search_start
from ui.disagreements.view import decisions_of
from ui.play.seen import seen_round
from ui.replay.view import joined
from ui.shared import address
from ui.shared.address import TEXT, Choice, Field, Integer, Several
from ui.shared.bar import show_link
from ui.shared.jobs import show_jobs
from ui.shared.options import model_label
from ui.shared.page import literal
from ui.shared.records import log_shown_first, opened, pack, readable_logs
from ui.shared.table_data import sorted_hand
from ui.shared.tables import show_frame
from ui.shared.widgets import errors_shown, row, show_button, show_info, show_note

LAST = 100  # answers that the share right is taken of
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
OPEN = page.key("open")  # what is on screen: profile, choices, exercise, its id, the answer
_mount = st.components.v2.component(
    "spades_drill_table",
    html="<div class='rv-mount'></div>",
    css=joined("css", "base cards table beliefs bids compact"),
    js=joined("js", "dom cards position table plates trick beliefs bids keys choose")
    + joined("js", "drill", Path(__file__).parent),
)


def show() -> None:
    if not (logs := readable_logs()):
        show_info("No logs yet: play on the Play page, or import one on Data.", "inbox")
        return
    if not page.get("logs"):
        page.put("logs", list(logs)[:1])
    above = st.container()
    _show_more()  # first: what a job adds meanwhile is drawn next
    with above, errors_shown():
        _show_choice()
        _show_drill(DrillStore(), page.get("profile").strip() or "player", time.time())


def _show_choice() -> None:
    players = sorted({name for log in page.get("logs") for name in opened(log).players})
    labels = {"": "Where humans go wrong", **{one: f"Costly plays of {one}" for one in players}}
    label = f"{page.get('profile')} · {labels[page.settle('player', labels)]}"
    with st.popover(literal(label), icon=":material/tune:", key=page.key("choice")):
        page.text("Profile", "profile", max_chars=40, help="Progress is kept under this name.")
        page.several("Logs", "logs", list(readable_logs()))
        page.select("Exercises", "player", labels)
        page.several("Lens", "lens", placeholder="Any", help="Found of the wrong card.")
        page.pills("Phase", "phase")
        page.pills("A nil that is alive", "nil")


def _show_drill(store: DrillStore, profile: str, now: float) -> None:
    held = st.session_state.get(OPEN) or {}
    said = (st.session_state.get(VIEW) or {}).get("answer") or {}
    if held and not held["answer"] and said.get("id") == held["id"]:
        store.answer(held["profile"], held["one"], said["card"], ms=int(said["ms"]), now=now)
        held["answer"] = said["card"]
    cards, new, wanted = store.cards(profile), _exercises(), [page.get(name) for name in FILTERS]
    chosen = repr((profile, page.get("logs"), page.get("player"), wanted))
    if held.get("chosen") != chosen:
        due = passing(cards[cards["due"] <= now], *wanted)["key"].head(1).tolist()
        one = store.exercise(due[0]) if due else draw(passing(new, *wanted), profile, cards["key"])
        held = {"chosen": chosen, "profile": profile, "one": one, "id": str(now), "answer": ""}
        st.session_state[OPEN] = held if one else None
    right, today = store.last(profile, LAST), datetime.fromtimestamp(now).date()
    due_today = sum(datetime.fromtimestamp(at).date() <= today for at in cards["due"])
    text = f"{due_today:,} due today · {cards['is_learned'].sum():,} of {len(cards):,} learned"
    if interval := share_interval(sum(right), len(right)):
        text += f" · right {sum(right) / len(right):.1%}, last n = {len(right)}"
        text += " (95%: {:.1%} to {:.1%})".format(*interval)
    show_note(f"{text} · {(~new['key'].isin(cards['key'])).sum():,} new ones here")
    if held["one"]:
        _show_exercise(held["one"], held["answer"], held["id"])
    else:
        show_info("Nothing is due, and no new exercise passes: judge more below.", "task_alt")


def _exercises() -> pd.DataFrame:
    """Those of the rounds of the logs that the judge has judged."""
    tables = []
    for log in page.get("logs"):
        search = find(LogSearchPlan(log, MAX_ROUNDS, JUDGE))
        asked = (log, page.get("player"), search.key, search.rounds)
        tables.append(_exercises_of(asked, _search=search))
    return pd.concat(tables, ignore_index=True).drop_duplicates("key")


@st.cache_resource(max_entries=16, show_spinner="Looking for exercises ...")
def _exercises_of(asked: tuple, *, _search: StoredSearch) -> pd.DataFrame:
    name, player, *_ = asked
    return exercise_table(decisions_of(_search, name, HUMAN), _search, opened(name), player)


def _show_exercise(one: Exercise, answer: str, id_: str) -> None:
    seen, rules = one.seen, one.record.rules
    shown = seen_round(seen, one.record.players, one.record.kinds)
    shown["plays"], shown["play_seats"] = [*shown["plays"], ""], [*shown["play_seats"], seen.seat]
    lit = sum(one.rows["cards"][one.is_good].tolist()) if answer else seen.legal_mask
    data = {"id": id_, "seat": SEATS[seen.seat], "answer": answer, "lit": sorted_hand(rules, lit)}
    table, beside = st.columns([3, 2], gap="medium")
    with table, st.container(key="drill_view"):
        _mount(data=data | {"round": shown}, key=VIEW, on_answer_change=lambda: None)
    with beside:
        if answer:
            _show_verdict(one, answer)
            return
        trick, i = divmod(one.ply, N_SEATS)
        place = ("on lead", "second hand", "third hand", "last hand")[i]
        st.subheader(f"Which card does {seat_name(seen.seat)} play?", anchor=False)
        st.markdown(f"Trick {trick + 1}, {place}. {needs_text(seen)}")
        st.caption("Click it, or choose by 1 to 9 or the arrows and press Enter.")


def _show_verdict(one: Exercise, answer: str) -> None:
    i, deck = one.class_of(answer), one.record.rules.cards
    codes = [sorted(cards_in(mask), reverse=True) for mask in one.rows["cards"].tolist()]
    names = ["=".join(pretty(deck.format_card(code)) for code in those) for those in codes]
    good = [name for name, is_good in zip(names, one.is_good, strict=True) if is_good]
    ends = [_interval(-high, -low) for low, high in one.rows[["low", "high"]].tolist()]
    if one.is_good[i]:
        what = "is clearly best" if len(good) == 1 else "are as good, within a point"
        st.success(f"**Right.** {', '.join(good)} {what}.", icon=":material/check_circle:")
    else:
        text = f"**Wrong.** {names[i]} costs {one.rows['behind'][i]:.1f} points beside {good[0]}"
        if not one.is_proven:
            text += " (95%: {:.1f} to {:.1f})".format(*one.rows[["low", "high"]][i])
        text += ". "
        st.error(text + literal(one.why(answer)), icon=":material/cancel:")
    with row():
        go_on, look = st.session_state.update, {"type": "primary", "shortcut": "Enter"}
        show_button("Next", "arrow_forward", "drill_next", go_on, {OPEN: None}, **look)
        show_link("Replay", "Why", {"hand": pack(one.record), "ply": one.ply})
    human = load_model(HUMAN).probabilities(one.seen)
    rows = {
        "Card": [f"{'✓' if name in good else '✗'} {name}" for name in names],
        "Points": [f"{-behind:+.1f}" if behind else "best" for behind in one.rows["behind"]],
        "95%": ["", *ends[1:]],
        "Human": [f"{sum(human[deck.card(code)] for code in those):.1%}" for those in codes],
        "Search": [f"{share:.1%}" for share in one.rows["share"]],
    }
    show_frame(pd.DataFrame(rows))
    played = pretty(one.record.plays[one.ply])
    judged = f"Judged by {one.rows['searches'][0]:,} independent searches of {one.judge}"
    if one.is_proven:
        judged = "Judged by all possible deals, each solved"
    show_note(f"{judged}. Human: {model_label(HUMAN)}. In the log {played} was played.")


def _interval(low: float, high: float) -> str:
    return f"{low:+.1f} to {high:+.1f}" if low < high else "exact"


def _asked_plan() -> LogSearchPlan:
    return LogSearchPlan(page.get("logs")[0], page.asked("rounds")["rounds"], JUDGE)


def _show_more() -> None:
    with errors_shown():
        with st.expander(f"Judge more of the log by {JUDGE}", icon=":material/manage_search:"):
            page.number("Rounds", "rounds", step=10, width=140, help="The first so many.")
            show_search_start(_asked_plan, "drill_start")
        show_jobs("drill", made=lambda: drawn(_asked_plan()))
