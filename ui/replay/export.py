"""The figures of the replay view as the exporter takes them, drawn when they are asked for.

The view's own graph is drawn by the browser, which steps through a hand without the server; a
chart of the server's would follow a step only after a run of the page. What is taken away is the
same numbers as a chart of ``analysis.plots``, and so in all files of the other charts."""

import json
from collections.abc import Sequence
from typing import Any

import streamlit as st

from analysis.decisions.classes import by_class, with_findings
from analysis.decisions.decision import PlayDecision
from analysis.decisions.decision_view import Judged
from ui.replay import state
from ui.replay.view import VIEW

GRAPH = "given-away"
DECISION = "decision"


def exported(
    decisions: Sequence[PlayDecision | None], judged: Sequence[Judged]
) -> dict[str, Any] | None:
    """The figure that the reader has just asked for: ``id`` of the request and the ``figure`` as
    JSON; None without a request."""
    asked = (st.session_state.get(VIEW) or {}).get("export")
    if not asked:
        return None
    from analysis.plots.layout import finish  # loads plotly

    figure = _figure(asked, decisions, judged)
    if figure is None:
        return None
    figure = finish(figure)
    figure.layout.template = None  # the exporter has its own
    figure.update_xaxes(automargin=True, title_standoff=8)  # as the page's charts have it
    figure.update_yaxes(automargin=True)
    figure.layout.meta = {**figure.layout.meta, "file": f"spades-{asked['figure']}"}
    return {"id": asked["id"], "figure": json.loads(figure.to_json())}


def _figure(
    asked: dict[str, Any], decisions: Sequence[PlayDecision | None], judged: Sequence[Judged]
) -> Any:
    from analysis.decisions.given_away import given_away
    from analysis.plots.replay import plot_given_away, plot_shares  # loads plotly

    record = state.get("hand").record
    plies = [ply for ply in asked["plies"] if 0 <= ply < len(judged)]
    if asked["figure"] == GRAPH:
        conclusions = [one.conclusion for one in judged]
        return plot_given_away(given_away(record, conclusions, plies), len(record.plays))
    decision = decisions[plies[0]] if plies else None
    if decision is None:
        return None
    found = judged[plies[0]]
    shown = by_class(with_findings(decision, found.conclusion, found.repeats[0]))
    return plot_shares(shown, state.settings().models[0])
