"""The judgement of a decision in words: what the card played costs, why the best card is best, and
how sure that is.

It is the judge's, and says nothing of the search under study, whose visits and choice are in the
table. The headline, the losses of the table (``Loss``), the graph of a hand and its review are
views of one conclusion. Values are for the mover's side.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.decisions.conclusion import (
    BEHIND,
    CLEAR,
    DIFFER,
    LEANS,
    TOSS_UP,
    ClassValue,
    Conclusion,
    Loss,
)
from analysis.decisions.decision import PlayDecision
from analysis.decisions.lenses import Scene, above, find_all
from analysis.decisions.reasons import card_name, reason, terms_of
from analysis.text_tables import span
from spades.core.cards import SPADES, seat_name, suit_mask, suit_of
from spades.core.observation import Observation
from spades.look.words import pretty_class

NOT_JUDGED = "Too few rounds were played on in the time given."
SUIT_WORD = ("spade", "heart", "diamond", "club")


@dataclass(frozen=True)
class Judgement:
    """``subject``: whose card is judged, as in ``East's K♠``, or the best one where none was
    played; ``says``: of it that it costs so much; ``grade``: of the loss, empty where it isn't
    known or divides the judges; ``reason``: why the best card is best, empty where nothing tells;
    ``sure``: the conclusion, and what it rests on."""

    subject: str
    says: str
    grade: str = ""
    reason: str = ""
    sure: str = ""

    @property
    def headline(self) -> str:
        return f"{self.subject} {self.says}"

    @property
    def text(self) -> str:
        """All of it on one line."""
        sentences = [f"{self.headline}.", self.reason, self.sure]
        return " ".join(filter(None, sentences))


def judgement_of(decision: PlayDecision) -> Judgement:
    """The judgement of a decision by its conclusion."""
    conclusion = decision.conclusion
    subject = _subject(decision)
    if decision.is_forced:
        return Judgement(subject, "is forced", reason="No other card is legal.")
    if conclusion is None:
        return Judgement(subject, "is not judged", reason=NOT_JUDGED)
    card = decision.played or conclusion.best.cards[0]
    loss = conclusion.loss_of(card)
    is_divided = conclusion.kind == DIFFER and not loss.is_settled
    return Judgement(
        subject,
        "divides the judges" if is_divided else _says(conclusion, loss, decision.unit),
        "" if is_divided else loss.grade,
        reason_of(decision.observation, conclusion, card),
        f"{concluded(conclusion, decision.unit)}.",
    )


def verdict(decision: PlayDecision) -> str:
    """The judgement of a decision on one line."""
    return judgement_of(decision).text


def _subject(decision: PlayDecision) -> str:
    """The card played and by whom; the best card where none was."""
    conclusion = decision.conclusion
    if decision.played:
        row = next(row for row in decision.cards if decision.played in row.cards)
        cards = conclusion.class_of(row.card).cards if conclusion else row.cards
        return f"{seat_name(decision.seat)}'s {pretty_class(cards)}"
    if decision.is_forced or conclusion is None:
        return f"{seat_name(decision.seat)}'s card"
    return pretty_class(conclusion.best.cards)


def _says(conclusion: Conclusion, loss: Loss, unit: str) -> str:
    """What a card costs."""
    points = f"{loss.points:.1f}".removesuffix(".0")
    costs = f"{points} {unit.removesuffix('s') if points == '1' else unit}"
    if loss.points > 0:
        return f"costs {costs}" if loss.is_settled else f"may cost {costs}"
    if conclusion.kind == CLEAR and conclusion.is_choice:
        return "is best"
    if not loss.is_settled:
        return "looks best"
    return "is as good as any"


def reason_of(seen: Observation, conclusion: Conclusion, card: str) -> str:
    """Why the best card is better than the card, or where that is as good, than the next."""
    best = conclusion.best
    other = conclusion.class_of(card)
    if other in conclusion.within:
        behind = [one for one in conclusion.classes[1:] if one not in conclusion.within]
        if not behind:
            return ""
        other = behind[0]
    if conclusion.kind == DIFFER:
        return ""
    parts = [_terms(best, other, seen), _complaint(seen, other, best)]
    text = "; ".join(filter(None, parts))
    if not text and other.standing == BEHIND:
        text = _what_each_does(seen, best, other)
    return f"{text}." if text else ""


def _terms(best: ClassValue, other: ClassValue, seen: Observation) -> str:
    """How the best class's chances compare with another's, where they favour it."""
    if best.outcomes is None or other.outcomes is None:
        return ""
    terms = terms_of(best.outcomes, other.outcomes, seen)
    if sum(term.points for term in terms) <= 0:
        return ""
    return f"{touching(best)} {reason(best.outcomes, other.outcomes, seen, touching(other))}"


def _complaint(seen: Observation, other: ClassValue, best: ClassValue) -> str:
    """The first lens's words for a card compared with the best one."""
    parse = seen.rules.cards.parse_card
    sentences = find_all(seen, parse(other.cards[0]), parse(best.cards[0]))
    return next(iter(sentences.values()), "")


def compared(decision: PlayDecision, conclusion: Conclusion, other: ClassValue) -> str:
    """How much less than the best a class is worth, and why."""
    best = conclusion.best
    loss = conclusion.loss_of(other.cards[0])
    if other is best and conclusion.kind in (LEANS, DIFFER):
        return "looks best"
    if other is best or loss.points == 0:
        return "the best" if conclusion.kind == CLEAR else "as good as any"
    text = f"{loss.points:.1f} {decision.unit} less"
    if not conclusion.is_proven:
        text += f" (95%: {span(other.interval, '.1f')})"
    if not loss.is_settled:
        return f"{text}, not settled"
    seen = decision.observation
    why = reason(other.outcomes, best.outcomes, seen, touching(best))
    if why:
        text += f": {why}"
    complaint = _complaint(seen, other, best)
    return f"{text}; {complaint}" if complaint else text


def concluded(conclusion: Conclusion, unit: str = "points") -> str:
    """A conclusion in words, and whose it is, without a full stop; ``unit`` of its values."""
    best = touching(conclusion.best)
    if not conclusion.is_choice:
        return f"All equal: {best} are worth the same"
    if conclusion.kind == TOSS_UP:
        as_good = _listed([touching(one) for one in conclusion.within])
        points = f"{conclusion.threshold:g} {unit}"
        if conclusion.threshold == 1:
            points = f"a {unit.removesuffix('s')}"
        within = f"lie within {points}"
        if conclusion.proof and conclusion.within[-1].behind == 0:
            within = "are worth the same"
            if conclusion.proof.gain:
                within += " against the best defence"
        text = f"Toss-up: {as_good} {within} ({_by_whom(conclusion)})"
        return text + _if_they_err(conclusion, unit)
    following = conclusion.classes[1]
    interval = ""
    if not conclusion.is_proven:
        interval = f"95%: {span(following.interval, '.1f')}; "
    lead = f"{following.behind:.1f} {unit} over {touching(following)}"
    lead += f" ({interval}{_by_whom(conclusion)})"
    if conclusion.kind == CLEAR:
        return f"Clear: {best}, {lead}" + _if_they_err(conclusion, unit)
    if conclusion.kind == DIFFER:
        return f"Judges differ: {_views_text(conclusion)}. Together {best}, {lead}, not settled"
    return f"Leans to {best}, {lead}, not settled"


def _views_text(conclusion: Conclusion) -> str:
    """Each card that a judge puts first, and by whom: ``K♠ by search and network; 2♠ by rounds
    played on``."""
    by_cards: dict[tuple[str, ...], list[str]] = {}
    for view in conclusion.views:
        by_cards.setdefault(view.cards, []).append(view.by)
    return "; ".join(
        f"{pretty_class(cards)} by {_listed(names)}" for cards, names in by_cards.items()
    )


def _listed(names: Sequence[str]) -> str:
    """``search, network and greedy network``."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _if_they_err(conclusion: Conclusion, unit: str) -> str:
    """What one of several proven best classes gains where the others may err."""
    gain = conclusion.proof.gain if conclusion.proof else None
    if gain is None:
        return ""
    return (
        f"; {pretty_class(gain.cards)} gains {gain.points:.1f} {unit} over "
        f"{pretty_class(gain.over)} if they err (95%: {span(gain.interval, '.1f')}; "
        f"{gain.rounds:,} rounds played on)"
    )


def _by_whom(conclusion: Conclusion) -> str:
    """Who says so: the rounds played on, or the possible deals solved."""
    by_whom = rounds_text(conclusion)
    proof = conclusion.proof
    if proof is None:
        return by_whom
    if proof.is_sure and proof.deals == 1:
        return "proven: the only possible deal solved"
    if proof.is_sure:
        return f"proven: all {proof.deals:,} possible deals solved"
    return f"{by_whom}; which is best differs between the {proof.deals:,} possible deals"


def rounds_text(conclusion: Conclusion) -> str:
    """What a conclusion rests on."""
    if conclusion.rounds:
        return f"{conclusion.rounds:,} rounds played on"
    return "searches alone: without bids no round can be played on"


def touching(candidate: ClassValue) -> str:
    """Equivalent cards as one: ``K♠ = Q♠``."""
    return pretty_class(candidate.cards)


def _what_each_does(seen: Observation, best: ClassValue, other: ClassValue) -> str:
    """What the best card and another do to the trick."""
    parse = seen.rules.cards.parse_card
    first = parse(best.cards[0])
    second = parse(other.cards[0])
    best_does = what_it_does(seen, first)
    other_does = what_it_does(seen, second)
    if best_does == other_does:
        return f"{touching(best)} {best_does}{_beside(seen, first, second)}"
    if not seen.table.trick:  # the suits alone say nothing
        best_does = f"leads {_thrown(seen, first)}"
        other_does = f"leads {_thrown(seen, second)}"
    return f"{touching(best)} {best_does}, {touching(other)} {other_does}"


def _beside(seen: Observation, best: int, other: int) -> str:
    """What tells the best card apart from another that does the same to the trick."""
    if suit_of(best) != suit_of(other):
        best_thrown = _thrown(seen, best)
        other_thrown = _thrown(seen, other)
        return f" {best_thrown}, {card_name(seen, other)} {other_thrown}"
    high = max(best, other)
    low = min(best, other)
    like = f" as {card_name(seen, other)} does"
    word = SUIT_WORD[suit_of(best)]
    if not Scene(seen).parts(high, low):
        return f"{like}, and no unseen {word} lies between the two"
    over_high = n_above(seen, high)
    over_low = n_above(seen, low)
    if over_high:
        how = "higher" if best == high else "lower"
        plural = word if over_high == 1 else f"{word}s"
        text = f"but {how}: {over_high} unseen {plural} {_beat(over_high)} {card_name(seen, high)}"
    else:
        deed = "spends" if best == high else "keeps"
        text = f"but {deed} the boss: no unseen {word} beats {card_name(seen, high)}"
    return f"{like}, {text}, {over_low} {_beat(over_low)} {card_name(seen, low)}"


def _thrown(seen: Observation, card: int) -> str:
    """A discard in a player's words: the boss of its suit, the last of it in hand, or how high."""
    word = SUIT_WORD[suit_of(card)]
    n_higher = n_above(seen, card)
    text = f"the boss of {word}s"
    if n_higher:
        noun = "one" if n_higher == 1 else "ones"
        text = f"a {word} that {n_higher} unseen {noun} {_beat(n_higher)}"
    is_last = not seen.hand & suit_mask(suit_of(card)) & ~(1 << card)
    return f"{text} (the last in hand)" if is_last else text


def n_above(seen: Observation, card: int) -> int:
    """How many unseen cards of its suit beat a card; none beats a boss."""
    return (above(card) & seen.unseen_mask).bit_count()


def _beat(n: int) -> str:
    return "beats" if n == 1 else "beat"


def what_it_does(seen: Observation, card: int) -> str:
    """What a card does to the trick, in a player's words: ``ducks``, ``trumps``, ``discards``."""
    scene = Scene(seen)
    suit = suit_of(card)
    if scene.is_lead:
        return f"leads {SUIT_WORD[suit]}s"
    if scene.beats(card):
        if suit == SPADES != scene.led_suit:
            return "trumps"
        return "takes the trick" if scene.takes(card) else "goes ahead in the trick"
    return "ducks" if suit == scene.led_suit else "discards"
