"""Another card from here, on the Replay page: every legal card over the same consistent deals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from analysis.decisions.candidates import (
    CandidateValue,
    Difference,
    WhatIf,
    candidate_values,
    differences,
    legal_cards,
    what_if_run,
)
from analysis.decisions.decision import Decision, pretty
from analysis.decisions.searching import record_key
from analysis.plots.decisions import card_names, plot_differences
from ui.replay import state
from ui.replay.panel import Here, PanelRun, open_decision, show_run
from ui.replay.widgets import choose, choose_count, choose_dealing
from ui.shared.tables import number, show_table, text
from ui.shared.widgets import row as widget_row
from ui.shared.widgets import show_chart

POLICY_LABELS = {
    "srp": "Strong rule-based players",
    "wrp": "Weak rule-based players",
    "human": "Simulated humans",
    "random": "Random players",
}


def show(here: Here) -> None:
    """The panel's inside: deals and players to choose, the differences, a sentence, the table."""
    decision = open_decision(here)
    if decision is None:
        return
    how, wanted = _show_controls()

    def draw(items: Sequence[list], n_wanted: int) -> None:
        cards = legal_cards(here.record.observation(here.ply))
        rows = candidate_values(cards, np.array(items, dtype=float))
        _show(rows, decision, how, n_wanted)

    show_run(
        PanelRun(
            name="whatif",
            key=f"what if {record_key(here.record)} {here.ply} {how}",
            make=partial(what_if_run, here.record, here.ply, how),
            draw=draw,
            wanted=wanted,
            noun="deals",
            start=f"Play on {wanted:,} deals",
        )
    )


def _show_controls() -> tuple[WhatIf, int]:
    with widget_row():
        told = "In all four seats, each seeing its own hand only."
        policy = choose("Played on by", "policy", form=POLICY_LABELS, width=240, help=told)
        dealing = choose_dealing("whatif_dealing")
        wanted = choose_count("Deals", "trials", 110)
    return WhatIf(dealing, policy, state.get("seed")), wanted


def _show(rows: Sequence[CandidateValue], decision: Decision, how: WhatIf, n_wanted: int) -> None:
    """Chart, sentence and table; ``n_wanted``: how many deals are to be, 0 if all are played."""
    chosen = decision.search_choice.card
    reference = decision.played or chosen
    gaps = differences(rows, reference)
    labels = card_names([row.card for row in rows], played=decision.played, chosen=chosen)
    figure = plot_differences(gaps, reference, labels=labels)
    show_chart(figure, state.key("whatif_chart"), "what-if")
    st.markdown(sentence(gaps, reference, rows[0].n, n_wanted))
    st.caption(
        f"Each legal card was played in the same {rows[0].n:,} deals, {how.dealing.text()} ones "
        "that agree with what the seat to play has seen (the true hands are not looked at), and "
        f"{POLICY_LABELS[how.policy].lower()} played on in all seats. Points of the round for the "
        "mover's partnership, bags at their cost; differences deal by deal, intervals at 95 %."
    )
    _show_table(rows, gaps, reference, decision)


def sentence(gaps: Sequence[Difference], reference: str, n: int, n_wanted: int) -> str:
    """Which cards did better or worse than the one played; nothing from a run cut short."""
    if n_wanted:
        return f"{n:,} of {n_wanted:,} deals are played: too early to say."
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
    rows: Sequence[CandidateValue], gaps: Sequence[Difference], reference: str, decision: Decision
) -> None:
    points, name = "%+.1f", pretty(reference)
    by_card = {gap.card: gap for gap in gaps}
    show_table(
        pd.DataFrame([_row(row, by_card.get(row.card), reference, decision) for row in rows]),
        "what-if",
        columns={
            "card": "Card",
            "played": st.column_config.CheckboxColumn("Played"),
            "deals": number("Deals"),
            "points": number("Points", points, "Mean over the deals."),
            "se": number("SE", "%.1f"),
            "difference": number(f"Less {name}", points, "Mean difference in the same deal."),
            "low": number("95 % from", points),
            "high": number("95 % to", points),
            "verdict": text("", "By whether the interval covers 0."),
            "beats": number(f"Beats {name} in", told="Deals where it gets more."),
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
