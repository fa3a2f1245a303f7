"""The table of a round and its decisions as a widget in a notebook: Replay's own, without a page.

It steps in the browser. Wherever the reader rests, the kernel judges that decision, and the table
shows what it finds. Without a kernel, as in a stored notebook, it still steps through what it has.
"""

import json
from collections.abc import Sequence
from typing import Any

import anywidget
import traitlets

from analysis.decisions.conclusion import Conclusion
from analysis.decisions.decision import PlayDecision, analyse_decision, analyse_observation
from analysis.decisions.decision_view import Judged, decision_data
from analysis.decisions.evidence import decide
from analysis.decisions.judge import judge_settings
from analysis.decisions.round_view import round_data, seen_round
from analysis.decisions.settings import AnalysisSettings, model_label, record_key
from spades.core.cards import N_SEATS, SEATS
from spades.core.errors import SpadesError
from spades.core.observation import Observation
from spades.core.records import BOT, Record
from spades.core.rules import NO_BID
from spades.look import REPLAY_SCRIPTS, REPLAY_STYLES, joined
from spades.look.tokens import DARK_HOSTS, css_variables
from spades.search.settings import InvalidSearchError

NOT_JUDGED = "Search and human model alone: no round was played on."
DISAGREEMENT = 0.1  # bits of divergence from which a decision is marked as one
_FONT = ".spades-table{--st-font:system-ui,sans-serif}"


class RoundTable(anywidget.AnyWidget):
    """A round on the table, with the decision before every card.

    ``ply``: how many cards are played where the reader is; it may be set. ``shown``: the round and
    what else doesn't change, ``decisions``: one a ply, as JSON texts, None where there is none."""

    _esm = joined("js", f"{REPLAY_SCRIPTS} notebook")
    _css = f"{css_variables('.spades-table')}{_FONT}{DARK_HOSTS}" + (
        f".spades-table{{{joined('css', REPLAY_STYLES)}}}"
    )
    ply = traitlets.Int().tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    decisions = traitlets.List(traitlets.Unicode(allow_none=True)).tag(sync=True)

    def __init__(
        self,
        shown: dict[str, Any],
        ply: int,
        found: Sequence[PlayDecision | None],
        judge: "RoundJudge | None",
    ) -> None:
        self._found = list(found)
        self._judge = judge
        self._conclusions: dict[int, Conclusion | None] = {}
        decisions = [self._text_of(i) for i in range(len(self._found))]
        plain = json.loads(json.dumps({**shown, "ply": ply}))  # marimo sends no ``Card``
        super().__init__(shown=plain, ply=ply, decisions=decisions)
        self._judge_here()

    @traitlets.observe("ply")
    def _judge_here(self, change: Any = None) -> None:
        """Judge the decision that the reader is at, unless that was done."""
        ply = self.ply
        if self._judge is None or ply in self._conclusions or not 0 <= ply < len(self._found):
            return
        decision = self._found[ply]
        if decision is None or decision.is_forced:
            return
        self._conclusions[ply] = self._judge(ply)
        decisions = list(self.decisions)
        decisions[ply] = self._text_of(ply)
        self.decisions = decisions

    def _text_of(self, ply: int) -> str | None:
        decision = self._found[ply]
        if decision is None:
            return None
        is_over = self._judge is None or ply in self._conclusions
        judged = Judged(self._conclusions.get(ply), is_over)
        model = next(iter(decision.cards[0].human))
        data = decision_data(decision, model, DISAGREEMENT, judged)
        if self._judge is None and not decision.is_forced:
            data["judgement"]["reason"] = NOT_JUDGED
        return json.dumps(data)


class RoundJudge:
    """Judges a decision of a round by its ply, in ``seconds`` of one core."""

    def __init__(self, record: Record, settings: AnalysisSettings, seconds: float) -> None:
        self._record = record
        self._settings = judge_settings(settings)
        self._seconds = seconds

    def __call__(self, ply: int) -> Conclusion | None:
        limits: dict[str, Any] = {"budget": self._seconds, "keep": False}
        return decide(self._record, ply, self._settings, **limits)


def record_table(
    record: Record, ply: int | None, settings: AnalysisSettings, seconds: float
) -> RoundTable:
    """A whole round, all hands open, from ``ply`` on."""
    last = len(record.plays)
    if ply is None:
        ply = 0
    if not 0 <= ply <= last:
        raise SpadesError(f"ply is {ply}; 0 to {last}, the cards played before, are legal")
    found: list[PlayDecision | None] = []
    for i in range(last):
        try:
            found.append(analyse_decision(record, i, settings))
        except InvalidSearchError:
            found.append(None)
    shown = {
        **_same_for_all(settings),
        "id": record_key(record),
        "view": "all",
        "views": ["all", "own"],
        "seat": "mover",
        "round": round_data(record),
    }
    judge = RoundJudge(record, settings, seconds) if seconds > 0 else None
    return RoundTable(shown, ply, found, judge)


def observation_table(observation: Observation, settings: AnalysisSettings) -> RoundTable:
    """What one seat sees, up to its decision; the other hands are not in the widget at all."""
    table = observation.table
    ply = len(table.plays)
    decision = None
    if observation.legal:
        decision = analyse_observation(observation, settings)
    shown = {
        **_same_for_all(settings),
        "id": observation.text(),
        "view": "own",
        "views": ["own"],
        "seat": SEATS[observation.seat],
        "round": {
            **seen_round(observation, ("",) * N_SEATS, (BOT,) * N_SEATS),
            "score_before": _listed(observation.score_before),
            "bags_before": _listed(observation.bags_before),
            "has_auction": NO_BID not in table.bids,
            "points": None,
            "is_open": decision is not None,
        },
    }
    return RoundTable(shown, ply, [*(None for _ in range(ply)), decision], None)


def _listed(pair: tuple[int, int] | None) -> list[int] | None:
    return None if pair is None else list(pair)


def _same_for_all(settings: AnalysisSettings) -> dict[str, Any]:
    """The data that every table gets in addition to its round."""
    search = settings.agent or f"ISMCTS {settings.iterations:,}"
    return {
        "rev": 0,
        "spoiler": False,
        "four_color": False,
        "more": False,
        "dealing": "",
        "beliefs": None,
        "models": [{"id": name, "label": model_label(name)} for name in settings.models],
        "iterations": [settings.iterations],
        "searches": [search],
        "bids": None,
        "progress": None,
    }
