"""The bench: a setting by its sliders, its four numbers, where it lies among the measured ones, and
what it changes in twenty decisions of the log in hand."""

from functools import partial
from math import nan
from typing import Any, Literal, NamedTuple

import pandas as pd
import streamlit as st

from analysis.plots.bench import plot_bench
from analysis.runs.progress import format_seconds
from analysis.style.kl_sample import DEFINITION, KlSample
from analysis.sweeps import likeness, views
from analysis.sweeps.estimate import MEASURES, Estimate, Estimator, Measured, measured_settings
from analysis.sweeps.library import is_simulated
from analysis.sweeps.likeness import Dispute, find_dispute
from analysis.sweeps.point import AMOUNTS, Amount, measure_point, plan_of
from analysis.sweeps.resampled import Times
from analysis.sweeps.run import Sweep, expected_seconds
from analysis.sweeps.sweep import AGENT_OPTIONS, REWARD_SCALE, Setting, SweepPlan
from analysis.sweeps.views import setting_table
from analysis.text_tables import points_text, signed, span
from spades.core.errors import SpadesError
from ui.shared.bar import show_link
from ui.shared.jobs import page_jobs, start_tasks
from ui.shared.options import model_label
from ui.shared.page import draw_again, is_narrow, literal, poll_seconds
from ui.shared.panel import Panel
from ui.shared.states import show_empty
from ui.shared.widgets import (
    centered_row,
    clicked_data,
    errors_shown,
    show_button,
    show_note,
    show_popover,
)
from ui.tune import state
from ui.tune.controls import show_setting_controls
from ui.tune.frontier import pick_setting
from ui.tune.naming import show_naming
from ui.tune.resampled import show_decisions, times_of
from ui.tune.state import page
from ui.tune.sweeps import documents, settings_stamp, show_sweep_jobs

POLL_SECONDS = 0.7
SHOWN = 0.001  # the last digit shown, of shares and of nats
FACTS = {
    views.KL.name: "KL to humans, nats",
    views.ACCURACY.name: "Human's card",
    views.WIN_RATE.name: "Games won",
}
COUNTED = {
    views.KL.name: "rounds",
    views.ACCURACY.name: "decisions",
    views.WIN_RATE.name: "games",
}
"""Columns that say how many a number comes from."""
ALSO = {views.LOG_LOSS: "log-loss", views.AUC: "AUC"}
"""What is shown beside them where it was measured."""


class Fact(NamedTuple):
    """A number of the setting with its 95% interval, measured on ``n``; 0: estimated."""

    value: float
    low: float
    high: float
    n: int = 0


UNKNOWN = Fact(nan, nan, nan)


def show_bench() -> None:
    show_sweep_jobs()
    _show()


@st.fragment
def _show() -> None:
    if is_narrow():
        controls = st.container()
        middle = st.container()
        decisions = st.container()
    else:
        controls, middle, decisions = st.columns([2.3, 6, 3.2], gap="medium")
    with controls:
        show_setting_controls()
    with middle, errors_shown("Not shown: "):
        _show_setting(state.setting_in_hand())
    with decisions, errors_shown("Not searched: "):
        show_decisions(state.setting_in_hand(), _known().unbiased_agent)
    page.write(["view", *state.BENCH_SHOWN])


# What was measured


class Known(NamedTuple):
    """The ``settings`` that were measured as the first sweep's: on the humans of ``log``, against
    an unbiased search of so many ``iterations``; and the ``estimator`` fitted to them."""

    log: str
    iterations: int
    settings: Measured
    estimator: Estimator
    is_simulated: bool

    @property
    def unbiased_agent(self) -> str:
        return Setting(iterations=self.iterations).agent()

    def plan(self, setting: Setting, amount: Amount) -> SweepPlan:
        return plan_of(setting, self.log, self.iterations, amount)

    def active_plan(self, setting: Setting) -> SweepPlan | None:
        """What is being measured of a setting now."""
        plans = [self.plan(setting, amount) for amount in AMOUNTS.values()]
        return next((plan for plan in plans if page_jobs().active(plan.key)), None)


def _known() -> Known:
    """Raises ``SpadesError`` where no sweep has results."""
    return _fitted(settings_stamp())


@st.cache_resource(max_entries=2, show_spinner="Fitting the estimates to what was measured ...")
def _fitted(results: tuple) -> Known:
    """``results``: changes when there are more."""
    found = documents()
    nothing = SpadesError("No sweep has results yet: run one.")
    if not found:
        raise nothing
    first = found[0]["plan"]
    measured = measured_settings(found, first["log"], first["iterations"])
    if measured is None:
        raise nothing
    estimator = Estimator(measured, first["iterations"])
    return Known(first["log"], first["iterations"], measured, estimator, is_simulated(found[0]))


@st.cache_resource(max_entries=4, show_spinner=False)
def _sweep_of(plan: SweepPlan) -> Sweep:
    return Sweep(plan)


@st.cache_data(max_entries=4, show_spinner=False)
def _so_far(plan: SweepPlan, n_parts: int) -> pd.Series:
    """What is measured of the setting of a plan after so many parts."""
    document = _sweep_of(plan).so_far(plan.settings[-1])
    return setting_table({"settings": [document]}).iloc[0]


# The four numbers, and the chart


def _show_setting(setting: Setting) -> None:
    known = _known()
    plan = known.active_plan(setting)

    @st.fragment(run_every=poll_seconds(POLL_SECONDS) if plan else None)
    def show_numbers() -> None:
        _show_numbers(known, setting, plan)
        if plan and not page_jobs().active(plan.key):
            draw_again()

    show_numbers()


def _show_numbers(known: Known, setting: Setting, plan: SweepPlan | None) -> None:
    measured = known.settings
    found = measured.find(setting)
    if found is None and plan is not None:
        job = page_jobs().find(plan.key)
        found = _so_far(plan, job.progress.done if job else 0)
    estimates = known.estimator.estimate(setting)
    facts = _facts(found, estimates)
    _show_facts(known, facts, found, setting)
    with centered_row():
        st.markdown("For a search that", width="content")
        page.view("For a search that", "task", on_change=state.take_task)
    measure = state.AXES[page.get("task")]
    measures = (measure, views.other_view(measure))
    on_chart = [facts[one.name] for one in (measures[0], views.WIN_RATE) if one.name in facts]
    figure = plot_bench(
        measured.once(),
        {name: (fact.value, fact.low, fact.high) for name, fact in facts.items()},
        technique=setting.technique,
        model=setting.model,
        measures=measures,
        is_measured=all(fact.n for fact in on_chart),
    )
    panel = Panel("tune-bench")
    panel.figure(figure, on_select=partial(_pick_point, panel.key))
    _show_also(measured.unbiased_beside(found), found)
    _show_actions(known, setting, plan)
    _show_origin(known, setting, facts, estimates, _dispute(known, facts, found))


def _facts(found: pd.Series | None, estimates: dict[str, Estimate]) -> dict[str, Fact]:
    """What is known of a setting, by the measures' names: measured, else estimated."""
    facts = {}
    for measure in MEASURES:
        name = measure.name
        if found is not None and not pd.isna(found[name]):
            facts[name] = _measured_fact(found, name)
        elif name in estimates:
            estimate = estimates[name]
            facts[name] = Fact(estimate.value, estimate.low, estimate.high)
    return facts


def _measured_fact(found: pd.Series, name: str) -> Fact:
    value = float(found[name])
    ends = [found[f"{name}_{end}"] for end in ("low", "high")]
    low, high = (value if pd.isna(end) else float(end) for end in ends)
    return Fact(value, low, high, int(found[COUNTED.get(name, "rounds")]))


def _show_facts(
    known: Known, facts: dict[str, Fact], found: pd.Series | None, setting: Setting
) -> None:
    unbiased = known.settings.unbiased_beside(found)
    with st.container(horizontal=True, gap="small"):
        for measure in MEASURES:
            name = measure.name
            label = FACTS[name]
            if name not in facts:
                st.metric(label, "–", "not measured", delta_color="off", delta_arrow="off")
                continue
            fact = facts[name]
            form = ".1%" if measure.form.endswith("%") else ".3f"
            change = fact.value - float(unbiased[name])
            if fact.n and name == views.ACCURACY.name:
                change = float(found["gain"])  # on the same decisions
            change_text = signed(change, f"+{form}")
            if form.endswith("%"):
                change_text = f"{points_text(change)} pp"
            color: Literal["green", "red", "gray"] = "red"
            if (change > 0) is measure.more_is_better:
                color = "green"
            if abs(change) < SHOWN / 2:
                change_text = "±0"
                color = "gray"
            st.metric(
                label,
                f"{fact.value:{form}}",
                f"{change_text} · {span((fact.low, fact.high), form)}",
                delta_color=color,
                delta_arrow="off",
            )
        _show_time(known, found, setting)


def _show_also(unbiased: pd.Series, found: pd.Series | None) -> None:
    """The other measures of likeness, which are measured and not estimated."""
    if found is None:
        show_note(f"Also, once it is measured: {' and '.join(ALSO.values())}.")
        return
    parts = []
    for measure, label in ALSO.items():
        value = found[measure.name]
        if pd.isna(value):
            parts.append(f"{label} –")
            continue
        form = measure.form
        change = value - unbiased[measure.name]
        ends = (found[f"{measure.name}_low"], found[f"{measure.name}_high"])
        change_text = signed(change, f"+{form}")
        parts.append(f"{label} **{value:{form}}**, {change_text} · {span(ends, form)}")
    st.caption(f"Also: {'; '.join(parts)}.")


def _show_time(known: Known, found: pd.Series | None, setting: Setting) -> None:
    """Measured with the rest, else here and now, on the decisions beside."""
    times: Times | None
    if found is not None and not pd.isna(found["time_ratio"]):
        times = Times(float(found["unbiased_ms"]), float(found["ms"]))
    else:
        times = times_of(setting, known.unbiased_agent)
    if times is None:
        return
    st.metric(
        "Time a move",
        f"{times.ratio:.2f} ×",
        f"{times.ms:.2f} ms, {times.unbiased_ms:.2f} ms unbiased",
        delta_color="off",
        delta_arrow="off",
    )


def _show_origin(
    known: Known,
    setting: Setting,
    facts: dict[str, Fact],
    estimates: dict[str, Estimate],
    dispute: Dispute | None,
) -> None:
    """Where the numbers come from, and whether they agree on how human the setting is."""
    humans = f"humans of {literal(known.log)}"
    if known.is_simulated:
        humans += ", **simulated**"
    if not facts:
        st.caption(
            f"No setting of this technique with {literal(model_label(setting.model))} was measured "
            f"against the {humans}: there is nothing to estimate from. Measure this point."
        )
        return
    measured = [f"{fact.n:,} {COUNTED[name]}" for name, fact in facts.items() if fact.n]
    if len(measured) == len(facts):
        said = f"Filled: measured, {', '.join(measured)}."
    elif measured:
        said = f"Measured so far: {', '.join(measured)}; the other numbers are estimates."
    else:
        n = known.settings.n_searches
        said = f"Hollow: estimated from {n} measured settings, with its 95% interval."
        if any(estimate.is_far for estimate in estimates.values()):
            said += " None near this one was measured: the estimate says little."
    if dispute is not None:
        said += f" {_dispute_text(dispute)}"
    kl = facts.get(views.KL.name)
    sample = KlSample(known.log, kl.n).text if kl is not None and kl.n else DEFINITION
    other = views.other_view(state.AXES[page.get("task")])
    usual = AGENT_OPTIONS[REWARD_SCALE].default
    scale = f"{page.get(REWARD_SCALE):,g} points in a reward, {usual:g} of the unbiased search"
    st.caption(
        f"{said} Below each number: its change from the unbiased search · the 95% interval. "
        f"{literal(sample)}; {humans}; {scale}. Human's card: of decisions with a choice. The "
        f"bluer a mark, the more human by {other.axis}. A click on a mark sets the sliders to it."
    )
    st.code(setting.agent(), language=None, wrap_lines=True)


def _dispute(known: Known, facts: dict[str, Fact], found: pd.Series | None) -> Dispute | None:
    """Whether one measure calls the setting more human than the unbiased search, another less: by
    the rule of the Sweeps view, where a number isn't measured by its estimate."""
    unbiased = known.settings.unbiased_beside(found).to_dict()
    row: dict[str, Any] = {"key": ""}
    for measure in likeness.MEASURES:
        name = measure.name
        fact = facts.get(name, UNKNOWN)
        if found is not None and not pd.isna(found[name]):
            fact = _measured_fact(found, name)
        row |= {name: fact.value, f"{name}_low": fact.low, f"{name}_high": fact.high}
    accuracy = views.ACCURACY.name
    for end in ("low", "high"):
        row[f"gain_{end}"] = row[f"{accuracy}_{end}"] - unbiased[accuracy]
    if found is not None and not pd.isna(found["gain_low"]):  # on the same decisions
        row |= {"gain_low": found["gain_low"], "gain_high": found["gain_high"]}
    return find_dispute(row, unbiased)


def _dispute_text(dispute: Dispute) -> str:
    text = f"The measures disagree: beside the unbiased search it is {dispute.text}"
    return f"**{text}.**" if dispute.is_settled else f"{text}, within the 95% intervals."


def _pick_point(key: str) -> None:
    """A click on a mark: the sliders are set to its setting."""
    data = clicked_data(st.session_state[key])
    if data:
        pick_setting(documents(), data[0])


# What can be done with it


def _show_actions(known: Known, setting: Setting, plan: SweepPlan | None) -> None:
    agent = setting.agent()
    with centered_row(gap="small"):
        _show_measure(known, setting, plan)
        asked = (agent, known.unbiased_agent)
        show_popover("Use it", "arrow_outward", page.key("use"), _show_uses, *asked)


def _show_uses(agent: str, unbiased: str) -> None:
    """What other views and pages do with the setting's agent."""
    show_button("Match", "trophy", page.key("bench_match"), _ask_match, agent, unbiased)
    show_button("One decision", "stairs", page.key("bench_ladder"), _turn_to, "ladder")
    query = {"view": "generate", "name": "bench", "unit": "rounds", "count": 300}
    show_link("Data", "Rounds of it", query | dict.fromkeys(("north", "east", "west"), agent))
    show_naming(agent)


def _show_measure(known: Known, setting: Setting, plan: SweepPlan | None) -> None:
    if plan is not None:
        show_empty("Being measured: the numbers come in as games are played.", icon="timer")
        return
    found = known.settings.find(setting)
    n_games = 0 if found is None else int(found["games"])
    for amount in AMOUNTS.values():
        if n_games >= amount.games:
            continue
        wanted = known.plan(setting, amount)
        seconds = expected_seconds(wanted)
        label = "Measure on" if n_games else "Measure this point"
        show_button(
            f"{label} · {format_seconds(seconds)}",
            "science",
            page.key("measure"),
            _start,
            wanted,
            type="primary",
            help=f"{amount.games:,} games, {amount.decisions:,} decisions, {amount.rounds:,} "
            "rounds; the first come within seconds. Resumable.",
        )
        return


def _start(plan: SweepPlan) -> None:
    start_tasks(f"Measuring {plan.title}", plan.key, measure_point, plan)
    st.rerun()


def _ask_match(agent: str, unbiased: str) -> None:
    page.put("ns", agent)
    page.put("ew", unbiased)
    _turn_to("match")


def _turn_to(view: str) -> None:
    page.put("view", view)
    st.rerun()
