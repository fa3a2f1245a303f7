"""Another card from here, on the Replay page: every legal card over the same consistent deals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from analysis.decisions.decision import Decision, pretty
from analysis.decisions.sampled_deals import CandidateValue, candidate_values, legal_cards
from analysis.decisions.searching import record_key
from analysis.decisions.what_if import Difference, WhatIf, differences, what_if_run
from analysis.plots.candidates import card_names, plot_differences
from analysis.runs.jobs import Desk
from analysis.runs.stored_runs import StoredRun
from ui.replay import state
from ui.replay.why import Here, RunControls, choose, choose_dealing, show_run, why_closed
from ui.replay.why_state import POLICIES, TRIAL_COUNTS
from ui.shared.page import chart_config
from ui.shared.tables import show_table

POLICY_LABELS = {
    "srp": "Strong rule-based players",
    "wrp": "Weak rule-based players",
    "human": "Simulated humans",
    "random": "Random players",
}


def show_what_if(desk: Desk[StoredRun], here: Here) -> None:
    """The panel's inside: deals and players to choose, the differences, a sentence, the table."""
    if closed := why_closed(here):
        st.caption(closed)
        return
    decision = here.decision
    assert decision is not None
    how, wanted = _show_controls()

    def make() -> StoredRun:
        return what_if_run(here.record, here.ply, how)

    def draw(items: Sequence[list], is_whole: bool) -> None:
        cards = legal_cards(here.record.observation(here.ply))
        rows = candidate_values(cards, np.array(items, dtype=float))
        _show(rows, decision, how, 0 if is_whole else wanted)

    controls = RunControls(
        name="whatif",
        key=f"what if {record_key(here.record)} {here.ply} {how}",
        make=make,
        wanted=wanted,
        noun="deals",
        start=f"Play on {wanted:,} deals",
    )
    show_run(desk, controls, draw)


def _show_controls() -> tuple[WhatIf, int]:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        policy = choose(
            "Played on by",
            "policy",
            POLICIES,
            width=240,
            form=POLICY_LABELS.__getitem__,
            told="In all four seats, each seeing its own hand only.",
        )
        dealing = choose_dealing("whatif_dealing")
        wanted = choose("Deals", "trials", TRIAL_COUNTS, width=110)
    return WhatIf(dealing, policy, state.get("seed")), wanted


def _show(rows: Sequence[CandidateValue], decision: Decision, how: WhatIf, asked: int) -> None:
    """Chart, sentence and table; ``asked``: how many deals were to be, 0 if all are played."""
    chosen = decision.search_choice.card
    reference = decision.played or chosen
    gaps = differences(rows, reference)
    labels = card_names([row.card for row in rows], played=decision.played, chosen=chosen)
    st.plotly_chart(
        plot_differences(gaps, reference, labels=labels),
        width="stretch",
        key=state.key("whatif_chart"),
        config=chart_config("what-if"),
    )
    st.markdown(sentence(gaps, reference, rows[0].n, asked))
    st.caption(
        f"Each legal card was played in the same {rows[0].n:,} deals, {how.dealing.text()} ones "
        "that agree with what the seat to play has seen (the true hands are not looked at), and "
        f"{POLICY_LABELS[how.policy].lower()} played on in all seats. Points of the round for the "
        "mover's partnership, bags at their cost; differences deal by deal, intervals at 95 %."
    )
    _show_table(rows, gaps, reference, decision)


def sentence(gaps: Sequence[Difference], reference: str, n: int, asked: int) -> str:
    """Which cards did better or worse than the one played; nothing from a run cut short."""
    if asked:
        return f"{n:,} of {asked:,} deals are played: too early to say."
    better = [gap for gap in gaps if gap.is_clear and gap.mean > 0]
    worse = [gap for gap in gaps if gap.is_clear and gap.mean < 0]
    unclear = [gap for gap in gaps if not gap.is_clear]
    name, told = pretty(reference), []
    if better:
        told.append(f"**Better than {name}**: " + ", ".join(map(_told, better)))
    if worse:
        told.append("**Worse**: " + ", ".join(map(_told, worse)))
    if unclear:
        listed = ", ".join(map(_told, unclear))
        told.append(f"**No clear difference** from {name}: {listed}")
    return "; ".join(told) + f"; n = {n:,} deals."


def _told(gap: Difference) -> str:
    low, high = gap.interval
    return f"{pretty(gap.card)} ({gap.mean:+.1f}, 95 %: {low:+.1f} to {high:+.1f})"


def _show_table(
    rows: Sequence[CandidateValue],
    gaps: Sequence[Difference],
    reference: str,
    decision: Decision,
) -> None:
    column, points = st.column_config, {"format": "%+.1f"}
    by_card = {gap.card: gap for gap in gaps}
    name = pretty(reference)
    show_table(
        pd.DataFrame([_row(row, by_card.get(row.card), reference, decision) for row in rows]),
        "what-if",
        columns={
            "card": "Card",
            "played": column.CheckboxColumn("Played"),
            "deals": column.NumberColumn("Deals"),
            "points": column.NumberColumn("Points", help="Mean over the deals.", **points),
            "se": column.NumberColumn("SE", format="%.1f"),
            "difference": column.NumberColumn(
                f"Less {name}", help="Mean difference in the same deal.", **points
            ),
            "low": column.NumberColumn("95 % from", **points),
            "high": column.NumberColumn("95 % to", **points),
            "verdict": column.TextColumn("", help="By whether the interval covers 0."),
            "beats": column.NumberColumn(f"Beats {name} in", help="Deals where it gets more."),
        },
    )


def _row(
    row: CandidateValue, gap: Difference | None, reference: str, decision: Decision
) -> dict[str, object]:
    found: dict[str, object] = {
        "card": pretty(row.card),
        "played": row.card == decision.played,
        "deals": row.n,
        "points": row.mean,
        "se": row.standard_error,
    }
    if gap is not None:
        better = "better" if gap.mean > 0 else "worse"
        found |= {
            "difference": gap.mean,
            "low": gap.interval[0],
            "high": gap.interval[1],
            "verdict": better if gap.is_clear else "no clear difference",
            "beats": row.beats[reference],
        }
    return found
