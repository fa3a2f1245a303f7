"""Six lenses on one card of a decision: what players complain of, each with an exact definition.

A lens looks at what the table showed, the card in question (the search's, the one played, the one
a human most likely plays) and an alternative to it. It sees public information and the mover's own
hand, nothing else, and says what the card does that the alternative doesn't; whether that was
wrong is a matter of points, which the search estimates. Names of players' complaints, our
definitions: no paper has any. Their words are explained in ``analysis.decisions.lens_scene``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from analysis.decisions.lens_scene import Scene
from spades.core.cards import SEAT_NAMES, SEATS, SPADES, suit_of
from spades.core.observation import Observation

Finds = Callable[[Scene, int, int], str]


@dataclass(frozen=True)
class Lens:
    """A complaint. ``finds``: what to say of (scene, card, alternative), empty where it isn't so.

    ``{card}``, ``{alternative}`` and ``{best}`` (the best card of the trick) stand for names.
    """

    name: str
    label: str
    definition: str
    finds: Finds


@dataclass(frozen=True)
class Finding:
    """A lens that finds something, and its sentence with places for the names of cards."""

    lens: Lens
    text: str
    card: int
    alternative: int
    best: int

    def sentence(self, name: Callable[[int], str]) -> str:
        """What was found; ``name`` writes a card (code)."""
        names = {"card": name(self.card), "alternative": name(self.alternative)}
        return self.text.format(**names, best=name(self.best) if self.best >= 0 else "")


def find_all(seen: Observation, card: int, alternative: int) -> list[Finding]:
    """What the lenses find about a legal card (code) beside a legal alternative."""
    if card == alternative:
        return []
    scene = Scene(seen)
    told = ((lens, lens.finds(scene, card, alternative)) for lens in LENSES)
    return [Finding(lens, text, card, alternative, scene.best_card) for lens, text in told if text]


def found_mask(scene: Scene, card: int, alternative: int) -> int:
    """The lenses that find something, a bit each in the order of ``LENSES``."""
    if card == alternative:
        return 0
    return sum(bool(lens.finds(scene, card, alternative)) << i for i, lens in enumerate(LENSES))


def names_in(mask: int) -> Iterable[str]:
    """Names of the lenses in a mask of ``found_mask``."""
    return (lens.name for i, lens in enumerate(LENSES) if mask >> i & 1)


def leaves_nil_uncovered(scene: Scene, card: int, alternative: int) -> str:
    if not scene.nil_alive(scene.partner) or scene.nil_alive(scene.seat):
        return ""
    if scene.partner_wins:
        if scene.beats(card) or not scene.beats(alternative):
            return ""
        return "{card} leaves the trick to partner's nil, where {alternative} would take it over"
    danger = scene.may_be_made_to_take(scene.partner, card)
    if not danger or scene.may_be_made_to_take(scene.partner, alternative):
        return ""
    return "{card} may leave partner's nil with the trick, where {alternative} covers it"


def attacks_nil(scene: Scene, card: int, alternative: int) -> str:
    if not scene.knows_bids or scene.nil_alive(scene.seat) or scene.partner_wins:
        return ""
    if not (scene.gives_up(card) and scene.takes(alternative) and scene.own_at_risk(card)):
        return ""
    for seat in filter(scene.nil_alive, scene.opponents):
        if seat == scene.best_seat or scene.may_be_made_to_take(seat, card):
            needs = scene.needs(scene.side)
            name = SEAT_NAMES[SEATS[seat]]
            return (
                f"{{card}} goes after {name}'s nil and gives up a trick that {{alternative}} "
                f"takes, with {needs} of the {scene.tricks_left} tricks left needed for the "
                "contract"
            )
    return ""


def wastes_high_card(scene: Scene, card: int, alternative: int) -> str:
    if not scene.knows_bids or scene.needs(scene.side) <= 0 or scene.nil_alive(scene.seat):
        return ""
    is_same_suit = suit_of(card) == suit_of(alternative)
    if is_same_suit and (card < alternative or not scene.parts(card, alternative)):
        return ""
    if scene.is_last and is_same_suit and scene.beats(alternative):
        return "{card} is more than the last to play needs to win, where {alternative} would do"
    if scene.beats(card) or scene.beats(alternative):
        return ""
    is_kept = is_same_suit or suit_of(alternative) != SPADES
    if not is_kept or not scene.is_high(card) or scene.is_high(alternative):
        return ""
    return "{card} is wasted on a trick that it can't win, where {alternative} would keep it"


def cuts_partner(scene: Scene, card: int, alternative: int) -> str:
    if not scene.partner_wins or scene.nil_alive(scene.partner):
        return ""
    if (
        not scene.beats(card)
        or scene.beats(alternative)
        or not _partner_is_safe(scene, alternative)
    ):
        return ""
    return "{card} cuts partner's {best}, which was winning, where {alternative} leaves it"


def _partner_is_safe(scene: Scene, duck: int) -> bool:
    """Whether the partner's card holds: last to play, or the one opponent left can't be expected
    to beat it, having shown no void to ruff with."""
    if scene.is_last:
        return True
    left = [seat for seat in scene.opponents if scene.plays_later(seat)]
    may_ruff = scene.led_suit != SPADES and any(
        _is_void(scene, seat, scene.led_suit) and not _is_void(scene, seat, SPADES) for seat in left
    )
    return not scene.can_be_topped(duck) and not may_ruff


def _is_void(scene: Scene, seat: int, suit: int) -> bool:
    return bool(scene.table.voids[seat] >> 16 * suit & 1)


def takes_unwanted_bag(scene: Scene, card: int, alternative: int) -> str:
    if not _is_bag(scene, card, alternative) or scene.opponents_at_risk():
        return ""
    over = 1 - scene.needs(scene.side)
    return f"{{card}} takes a trick beyond the contract, bag {over}, where {{alternative}} loses it"


def _is_bag(scene: Scene, card: int, alternative: int) -> bool:
    """Whether the card takes a trick that costs a bag and the alternative gives it up."""
    if not scene.knows_bids or not scene.rules.bag_limit or scene.needs(scene.side) > 0:
        return False
    if scene.nil_alive(scene.seat) or scene.nil_alive(scene.partner) or scene.partner_wins:
        return False
    return scene.takes(card) and scene.gives_up(alternative)


def ignores_score(scene: Scene, card: int, alternative: int) -> str:
    if scene.score is None or not scene.knows_bids or scene.nil_alive(scene.seat):
        return ""
    target = scene.rules.target
    ours, theirs = (scene.score_if_made(side) for side in (scene.side, 1 - scene.side))
    must_make = ours >= target and ours > theirs
    has_nil = any(map(scene.nil_alive, scene.opponents))
    must_set = theirs >= target and theirs > ours and scene.opponents_at_risk() and not has_nil
    if scene.gives_up(card) and scene.takes(alternative) and not scene.partner_wins:
        if must_make and scene.own_at_risk(card):
            return (
                f"Making the contract wins the match at {ours}, and {{card}} gives up a trick "
                "that {alternative} takes"
            )
        if must_set:
            return (
                f"The opponents win the match at {theirs} unless they are set, and {{card}} gives "
                "up a trick that {alternative} takes"
            )
    if must_set or scene.bags is None or not _is_bag(scene, card, alternative):
        return ""
    limit = scene.rules.bag_limit
    if scene.bags_so_far() % limit != limit - 1:
        return ""
    return (
        f"{{card}} takes the bag that costs {scene.rules.bag_penalty} points, where "
        "{alternative} loses the trick"
    )


LENSES = (
    Lens(
        "nil-uncovered",
        "Fails to cover partner's nil",
        "Partner's nil is alive, the own is not. Either partner wins the trick so far, the "
        "alternative beats that card and this one doesn't; or partner has yet to play, hasn't "
        "shown out of the suit led, and after this card an unseen card of that suit beats the best "
        "one, which after the alternative isn't so.",
        leaves_nil_uncovered,
    ),
    Lens(
        "nil-over-contract",
        "Attacks a nil at the cost of the contract",
        "An opponent's nil is alive, and that opponent wins the trick so far or may have to take "
        "it after this card (has yet to play, hasn't shown out of the suit led, of which an unseen "
        "card beats the best one). This card gives the trick up, the alternative takes it, partner "
        "isn't winning it, and the own contract is at risk: it needs at least half of the tricks "
        "left, and more than the top spades in hand. The own nil, if any, is not alive.",
        attacks_nil,
    ),
    Lens(
        "high-card",
        "Wastes a high card",
        "The own contract isn't met, and the own nil, if any, is not alive. Either the seat is "
        "last to play and both cards win, this one higher in the same suit with an unseen card "
        "between; or neither beats the best card, this one is a high card (at most one unseen card "
        "of its suit beats it, at least one is below) and the alternative is none: a lower one of "
        "the suit with an unseen card between, or of another side suit.",
        wastes_high_card,
    ),
    Lens(
        "partner-cut",
        "Cuts partner's winner",
        "Partner wins the trick so far, not as a nil alive; this card beats partner's, the "
        "alternative doesn't. Partner's card was safe: the seat is last to play, or no unseen card "
        "of the suit led beats it and the opponent left hasn't shown out of that suit (unless out "
        "of spades too).",
        cuts_partner,
    ),
    Lens(
        "bag",
        "Takes unwanted bags",
        "Bags cost something, the own contract is met, no nil of the own side is alive, partner "
        "isn't winning the trick. This card takes it, the alternative gives it up, and the "
        "opponents' contract is not at risk (needing at least half of the tricks left): a set that "
        "is in reach is worth bags.",
        takes_unwanted_bag,
    ),
    Lens(
        "score",
        "Ignores the match score",
        "Scores are known, the own nil, if any, is not alive, and one of three holds. Making the "
        "contract and the nils alive wins the match, the contract is at risk, and this card gives "
        "up a trick that the alternative takes, partner not winning it. Or the opponents win it "
        "likewise, by a contract at risk and without a nil alive, and this card gives up such a "
        "trick. Or this card takes the bag that costs the penalty, the contract met, no own nil "
        "alive and partner not winning, where the alternative gives the trick up and the opponents "
        "needn't be set.",
        ignores_score,
    ),
)
LENS_NAMES = tuple(lens.name for lens in LENSES)
LABELS = {lens.name: lens.label for lens in LENSES}
