"""The verdict on a decision: what search and humans play, in Spades terms, with the arithmetic.

Only a search that ran to its end has a decision (``Decision``), so no
verdict is ever of a partial one. Two cards are told apart where the 95 % intervals of their values
don't overlap, as everywhere in this project. Values are for the mover's side; standard errors are
those of the search, and n its visits of either card.
"""

from __future__ import annotations

import math

from analysis.decisions.decision import CardRow, Decision, pretty
from analysis.decisions.lens_scene import Scene, above
from analysis.decisions.lenses import find_all
from spades.core.cards import SEAT_NAMES, SEATS, SPADES, suit_mask, suit_of
from spades.core.observation import Observation

SUIT_WORD = ("spade", "heart", "diamond", "club")
SUIT_WORDS = tuple(f"{word}s" for word in SUIT_WORD)


def verdict(decision: Decision, model: str) -> str:
    """The decision in a sentence or two."""
    if decision.is_forced:
        return f"Forced: {pretty(decision.cards[0].card)} is the only legal card."
    best, likely = decision.search_choice, decision.human_choice(model)
    n = decision.search.iterations
    searched = f"The search plays {pretty(best.card)} ({best.share:.0%} of {n:,} visits)"
    if best is likely:
        agreed = f"{searched}, as most humans would ({likely.human[model]:.0%})."
        return agreed + _about_played(decision, best)
    humans = f"humans most often play {pretty(likely.card)} ({likely.human[model]:.0%})"
    if likely.card == decision.played:
        humans += f", as {_seat(decision)} did"
    told = f"{searched}; {humans}: {difference(best, likely)}{_in_spades(decision, best, likely)}."
    return told if likely.card == decision.played else told + _about_played(decision, best)


def _about_played(decision: Decision, best: CardRow) -> str:
    """A second sentence, where yet another card was played."""
    played = decision.row(decision.played) if decision.played else None
    if played is None or played is best:
        return ""
    words = f" {_seat(decision)} played {pretty(played.card)}: {difference(best, played)}"
    return f"{words}{_in_spades(decision, best, played)}."


def _seat(decision: Decision) -> str:
    return SEAT_NAMES[SEATS[decision.seat]]


def are_apart(one: CardRow, other: CardRow) -> bool:
    """Whether the 95 % intervals of two values don't overlap; no where either has none."""
    first, second = one.interval, other.interval
    return first[0] > second[1] or second[0] > first[1]


def difference(best: CardRow, other: CardRow) -> str:
    """How much less or more the other card is worth, or that it can't be told."""
    error = math.hypot(best.value_se, other.value_se)
    if math.isnan(error):
        return f"{pretty(other.card)} had too few visits to value"
    gap = best.value - other.value
    based = f"standard error {error:.1f}, n {best.visits:,} and {other.visits:,}"
    if not are_apart(best, other):
        return f"no clear difference ({gap:+.1f} points, {based}; 95 % intervals overlap)"
    return f"worth {abs(gap):.1f} points {'less' if gap > 0 else 'more'} ({based})"


def _in_spades(decision: Decision, best: CardRow, other: CardRow) -> str:
    """What the lenses find first, of the card worth less before the other; else what each does."""
    seen = decision.observation
    if seen is None:
        return ""
    deck = seen.rules.cards
    is_worse = are_apart(best, other) and other.value < best.value
    pairs = [(other, best), (best, other)] if is_worse else [(best, other), (other, best)]
    for card, alternative in pairs:
        if found := find_all(seen, card.code, alternative.code):
            return "; " + found[0].sentence(lambda code: pretty(deck.format_card(code)))
    mine, theirs = (what_it_does(seen, row.code) for row in (best, other))
    if mine == theirs:
        return f"; {pretty(best.card)} {mine}{_beside(seen, best, other)}"
    return f"; {pretty(best.card)} {mine}, {pretty(other.card)} {theirs}"


def _beside(seen: Observation, best: CardRow, other: CardRow) -> str:
    """What tells a card apart from one that does the same to the trick."""
    if suit_of(best.code) != suit_of(other.code):
        mine, theirs = (_thrown(seen, row.code) for row in (best, other))
        return f" {mine}, {pretty(other.card)} {theirs}"
    high, low = (best, other) if best.code > other.code else (other, best)
    like = f" as {pretty(other.card)} does"
    scene, word = Scene(seen), SUIT_WORD[suit_of(best.code)]
    if not scene.parts(high.code, low.code):
        return f"{like}, and no unseen {word} lies between the two"
    over_high, over_low = (n_above(seen, row.code) for row in (high, low))
    if over_high:
        how = "higher" if best is high else "lower"
        plural = word if over_high == 1 else f"{word}s"
        told = f"but {how}: {over_high} unseen {plural} {_beat(over_high)} {pretty(high.card)}"
    else:
        deed = "spends" if best is high else "keeps"
        told = f"but {deed} the boss: no unseen {word} beats {pretty(high.card)}"
    return f"{like}, {told}, {over_low} {_beat(over_low)} {pretty(low.card)}"


def _thrown(seen: Observation, card: int) -> str:
    """A discard in a player's words: the boss of its suit, the last of it in hand, or how high."""
    suit = suit_of(card)
    if over := n_above(seen, card):
        told = (
            f"a {SUIT_WORD[suit]} that {over} unseen {'one' if over == 1 else 'ones'} {_beat(over)}"
        )
    else:
        told = f"the boss of {SUIT_WORDS[suit]}"
    is_last = not seen.hand & suit_mask(suit) & ~(1 << card)
    return f"{told} (the last in hand)" if is_last else told


def n_above(seen: Observation, card: int) -> int:
    """How many unseen cards of its suit beat a card; none beats a boss."""
    return (above(card) & seen.unseen_mask).bit_count()


def _beat(n: int) -> str:
    return "beats" if n == 1 else "beat"


def what_it_does(seen: Observation, card: int) -> str:
    """What a card does to the trick, in a player's words: ``ducks``, ``trumps``, ``discards``."""
    scene, suit = Scene(seen), suit_of(card)
    if scene.is_lead:
        return f"leads {SUIT_WORDS[suit]}"
    if scene.beats(card):
        if suit == SPADES != scene.led_suit:
            return "trumps"
        return "takes the trick" if scene.takes(card) else "goes ahead in the trick"
    return "ducks" if suit == scene.led_suit else "discards"
