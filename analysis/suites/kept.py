"""A decision that the judge has concluded on, as a position of a suite."""

from analysis.decisions.conclusion import BEHIND, ClassValue, Conclusion
from analysis.decisions.judgement import concluded
from analysis.decisions.lenses import Scene
from analysis.phases import phase_of
from analysis.suites.position import PLAY_OUTS, PROOF, Known, SuitePosition, position_of
from spades.core.errors import SpadesError
from spades.core.observation import Observation
from spades.core.records import Record


class NotKeptError(SpadesError):
    """A conclusion of which no position can be made."""


def kept_position(record: Record, ply: int, conclusion: Conclusion, name: str) -> SuitePosition:
    """The position with the judge's best cards, all that it finds clearly behind as wrong, and all
    others as acceptable, also where it isn't settled that they are as good. Values are points.

    Raises ``NotKeptError`` where nothing is clearly behind, or no round was played on."""
    best = conclusion.judged_best
    wrong: list[ClassValue] = []
    acceptable: list[ClassValue] = []
    for judged in conclusion.classes:
        if judged in best:
            continue
        if judged.standing == BEHIND and conclusion.loss_of(judged.cards[0]).is_settled:
            wrong.append(judged)
        else:
            acceptable.append(judged)
    if not wrong:
        raise NotKeptError("no card is clearly worse here, so that none could fail")
    if not conclusion.is_proven and not conclusion.rounds:
        raise NotKeptError("the judge has played no round on here")
    nearest = wrong[0]
    if conclusion.is_proven:
        assert conclusion.proof is not None
        exactly = (nearest.behind, nearest.behind)
        known = Known(PROOF, conclusion.proof.deals, nearest.behind, exactly)
    else:
        known = Known(PLAY_OUTS, conclusion.rounds, nearest.behind, nearest.interval)
    position = SuitePosition(
        id=name,
        record=record,
        ply=ply,
        themes=themes_at(record.observation(ply)),
        best=tuple(judged.cards[0] for judged in best),
        acceptable=tuple(judged.cards[0] for judged in acceptable),
        wrong=tuple(judged.cards[0] for judged in wrong),
        known=known,
        reason=concluded(conclusion),
    )
    return position_of(position.row())  # what a reader of the suite will check


def themes_at(seen: Observation) -> tuple[str, ...]:
    """Whose nil is alive, or that none is, and the phase of the round."""
    scene = Scene(seen)
    themes = []
    if scene.nil_alive(scene.seat):
        themes.append("protecting a nil")
    if scene.nil_alive(scene.partner):
        themes.append("partner's nil")
    if any(map(scene.nil_alive, scene.opponents)):
        themes.append("setting a nil")
    return (*(themes or ["no nil"]), phase_of(len(seen.table.plays)))
