"""A decision as the scripts of ``spades.look`` draw it, and what is known of it so far."""

from typing import TYPE_CHECKING, Any, NamedTuple

from analysis.decisions.classes import by_class, needs_text, star_text, with_findings
from analysis.decisions.conclusion import Conclusion, Loss, estimate_text
from analysis.decisions.decision import PlayDecision, Repeats, card_document
from analysis.decisions.judgement import Judgement, judgement_of
from analysis.text_tables import signed
from spades.core.cards import SIDE_NAMES, partnership_of

if TYPE_CHECKING:  # it loads the players
    from analysis.decisions.hindsight import Hindsight

CHECKING = "Checking …"


class Judged(NamedTuple):
    """What is known of a decision so far.

    ``conclusion``: the judge's, None before there are enough searches; ``is_over``: whether there
    will be none in the time given; ``repeats``: by search shown, None before they are made;
    ``hindsight``: what the card played cost as the cards lay, None before that is measured."""

    conclusion: Conclusion | None = None
    is_over: bool = False
    repeats: tuple[Repeats | None, ...] = (None,)
    hindsight: "Hindsight | None" = None


def decision_data(
    decision: PlayDecision, model: str, threshold: float, judged: Judged
) -> dict[str, Any]:
    """A decision for the panel, and in ``others`` the same by the other searches. The judgement,
    losses and what a card leads to are the judge's; visits, shares and the choice the search's."""
    searched = [_by_search(decision, i, judged) for i in range(1 + len(decision.others))]
    first, *others = searched
    whole = with_findings(decision, judged.conclusion)
    is_checking = judged.conclusion is None and not judged.is_over and not decision.is_forced
    is_agreed = any(
        row.is_search_choice or row.is_judged_best for row in first.human_choices(model)
    )
    loss = None
    if judged.conclusion and decision.played:
        loss = judged.conclusion.loss_of(decision.played)
    return {
        **first.facts(),
        **_search_data(first),
        "played": decision.played,
        "seat": decision.seat,
        "needs": _at_stake(decision),
        "star": star_text(first),
        "judgement": _judgement_data(judgement_of(whole), is_checking=is_checking),
        "is_checking": is_checking,
        "loss": loss.points if loss else None,
        "is_settled": bool(loss and loss.is_settled),
        "grade": loss.grade if loss else "",
        "hindsight": hindsight_text(loss, judged.hindsight, decision.unit),
        "disagrees": first.divergence >= threshold and not is_agreed,
        "others": [_search_data(other) for other in others],
    }


def _judgement_data(judgement: Judgement, *, is_checking: bool) -> dict[str, str]:
    """A judgement for the panel; while there is too little to judge by, that alone."""
    if is_checking:
        judgement = Judgement(judgement.subject, CHECKING)
    return {**vars(judgement), "text": judgement.text}


def hindsight_text(loss: Loss | None, hindsight: "Hindsight | None", unit: str) -> str:
    """What the card played cost as the cards lay, and the luck in it; empty before both are
    known."""
    if loss is None or hindsight is None:
        return ""
    cost = 0.0 + round(hindsight.loss, 1)  # no -0.0
    luck = 0.0 + round(loss.points - hindsight.loss, 1)
    grade = Loss(max(cost, 0.0), True).grade
    return f"{grade}: it cost {estimate_text(cost, hindsight.se, unit)}, luck {signed(luck)}"


def _by_search(main: PlayDecision, i: int, judged: Judged) -> PlayDecision:
    """A decision as search ``i`` sees it, by classes of equivalent cards; ``main``: as the first
    does, whose objective is the judge's."""
    decision = (main, *main.others)[i]
    repeats = judged.repeats[i] if i < len(judged.repeats) else None
    return by_class(with_findings(decision, judged.conclusion, repeats, main.search.stakes))


def _search_data(decision: PlayDecision) -> dict[str, Any]:
    """What one search makes of each class of cards: the least loss first, as far as it's known."""
    rows = [
        {
            **card_document(row, decision.seat),
            "wins": row.wins,
            "loss": row.loss.points if row.loss else None,
            "is_settled": bool(row.loss and row.loss.is_settled),
            "grade": row.loss.grade if row.loss else "",
            "place": place,
        }
        for place, row in enumerate(decision.cards)
    ]
    rows.sort(key=lambda row: (row["loss"] or 0.0, not row["is_judged_best"], row["place"]))
    return {
        "cards": rows,
        "searches": decision.n_searches,
        "iterations": decision.iterations,
        "divergence": decision.divergence,
        "is_first_look": decision.repeats is None and not decision.is_forced,
    }


def _at_stake(decision: PlayDecision) -> str:
    """What both sides need; and the chance to win before the round, if the search plays for it."""
    parts = []
    if decision.observation:
        parts.append(needs_text(decision.observation))
    if decision.win_chance is not None:
        side = SIDE_NAMES[partnership_of(decision.seat)]
        chance = f"{decision.win_chance:.0%}"
        parts.append(f"{side} had a {chance} chance to win the game before this round")
    return " · ".join(filter(None, parts))
