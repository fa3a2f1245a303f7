"""One seat's plays in a round, judged: which gave most away. The searches and rounds are stored as
those of a review (``analysis.review.round``), which then finds them made."""

from collections.abc import Generator

from analysis.decisions.hindsight import UNKNOWN
from analysis.decisions.settings import AnalysisSettings
from analysis.review.plays import ReviewedPlay, costliest_first, reviewed
from analysis.review.round import RoundEvidence
from spades.core.records import Record


class OwnPlays:
    """Judges the plays of one seat in steps; ``settings``: the judge's (``judge_settings``).

    ``plies``: where the seat played; ``n_done``: how many of them are judged; ``costliest``: the
    play that gave most away, once all are judged: None where none gave any."""

    def __init__(
        self, record: Record, seat: int, settings: AnalysisSettings, **options: float
    ) -> None:
        self._judged = RoundEvidence(record, settings, **options)
        self._seat = seat
        self._plays: list[ReviewedPlay] = []
        movers = [state.table.turn for state in record.positions()][: len(record.plays)]
        self.plies = [ply for ply, mover in enumerate(movers) if mover == seat]
        self.n_done = 0
        self.costliest: ReviewedPlay | None = None

    def steps(self) -> Generator[None, None, None]:
        record = self._judged.record
        human = self._judged.human
        for ply in self.plies[self.n_done :]:
            conclusion = yield from self._judged.judge(ply)
            card = record.rules.cards.format_card(record.plays[ply])
            if conclusion is not None and conclusion.is_choice:
                play = reviewed(ply, self._seat, card, conclusion, human[ply], UNKNOWN)
                self._plays.append(play)
            self.n_done += 1
            yield
        costly = costliest_first(self._plays)
        self.costliest = costly[0] if costly else None
