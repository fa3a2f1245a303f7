"""Six lenses on one card of a decision: what players complain of, each with an exact definition.

A lens compares a card (the search's, the one played, a human's likeliest) with an alternative, by
what the table showed and the mover's own hand. It says what the card does that the alternative
doesn't; whether that was wrong is a question of points, which the search estimates. Players make
these complaints; the definitions are ours, since no paper has any. The words they use:

- *unseen*: a card that is neither played nor in the own hand.
- *beats*: played now, the card would win the trick so far.
- *takes the trick*: the card beats, and nobody can top it in the suit led: the seat is last to
  play, or no unseen card of that suit is higher. Ruffs by others are left aside.
- *gives the trick up*: following, the card doesn't beat; leading, an unseen card of its suit does.
- *high card*: at most one unseen card of its suit beats it, and at least one is below it.
- *needs*: tricks that a partnership lacks for its contract, the tricks of a failed nil counted as
  the rules have it.
- *at risk*: a contract that still needs at least half of the tricks left, this one included; for
  the own side, also more than the top spades in hand, those that no unseen spade beats.
- *alive*: a nil whose bidder has taken no trick.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from analysis.decisions.reasons import card_name
from spades.core.cards import (
    HAND_SIZE,
    N_SEATS,
    SPADES,
    cards_in,
    partner_of,
    partnership_of,
    seat_name,
    suit_mask,
    suit_of,
)
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, NO_BID, beats
from spades.core.scoring import POINTS_PER_TRICK, TEN_FOR_200
from spades.core.winning import UnknownChanceError, game_stakes

NOBODY = -1


def above(card: int) -> int:
    """Every higher code of a card's suit, as a mask."""
    return suit_mask(suit_of(card)) & ~((2 << card) - 1)


def below(card: int) -> int:
    return suit_mask(suit_of(card)) & ((1 << card) - 1)


class Scene:
    """One decision as the seat to play sees it: the trick, the cards, the bids."""

    def __init__(self, seen: Observation) -> None:
        table = seen.table
        self.seen = seen
        self.table = table
        self.rules = table.rules
        self.seat = seen.seat
        self.partner = partner_of(seen.seat)
        self.opponents = ((seen.seat + 1) % N_SEATS, (seen.seat + 3) % N_SEATS)
        self.side = partnership_of(seen.seat)
        self.hand = seen.hand
        self.unseen = seen.unseen_mask
        self.score = seen.score_before
        self.bags = seen.bags_before
        self.place = len(table.trick)
        self.is_lead = self.place == 0
        self.is_last = self.place == N_SEATS - 1
        self.led_suit = table.led_suit
        self.best_card = table.best_card
        self.best_seat = NOBODY
        if table.trick:
            self.best_seat = (table.leader + table.trick.index(self.best_card)) % N_SEATS
        self.partner_wins = self.best_seat == self.partner
        self.tricks_left = HAND_SIZE - len(table.winners)
        self.knows_bids = min(table.bids) != NO_BID

    def plays_later(self, seat: int) -> bool:
        """Whether a seat has yet to play to this trick after the mover."""
        return (seat - self.seat) % N_SEATS < N_SEATS - self.place and seat != self.seat

    def beats(self, card: int) -> bool:
        return self.is_lead or bool(beats.py_func(card, self.best_card))

    def suit_with(self, card: int) -> int:
        """The suit led, which a lead decides."""
        return suit_of(card) if self.is_lead else self.led_suit

    def can_be_topped(self, card: int) -> bool:
        """Whether, after the card, an unseen card of the suit led beats the best one."""
        best = card if self.beats(card) else self.best_card
        return suit_of(best) == self.suit_with(card) and bool(above(best) & self.unseen)

    def takes(self, card: int) -> bool:
        return self.beats(card) and (self.is_last or not self.can_be_topped(card))

    def gives_up(self, card: int) -> bool:
        return self.can_be_topped(card) if self.is_lead else not self.beats(card)

    def may_be_made_to_take(self, seat: int, card: int) -> bool:
        """Whether a seat that plays later may have to take the trick after the card. It hasn't
        shown out of the suit led, of which an unseen card beats the best one."""
        may_top = self.plays_later(seat) and self.can_be_topped(card)
        return may_top and not self.is_void(seat, self.suit_with(card))

    def is_void(self, seat: int, suit: int) -> bool:
        return bool(self.table.lacks(seat) & suit_mask(suit))

    def is_high(self, card: int) -> bool:
        topped_by = (above(card) & self.unseen).bit_count()
        return topped_by <= 1 and bool(below(card) & self.unseen)

    def parts(self, card: int, lower: int) -> bool:
        """Whether an unseen card lies between two of a suit: otherwise they are worth the same."""
        return bool(above(lower) & below(card) & self.unseen)

    def bid_nil(self, seat: int) -> bool:
        return self.rules.nil is not None and self.table.bids[seat] == NIL_BID

    def nil_alive(self, seat: int) -> bool:
        return self.bid_nil(seat) and self.table.tricks_taken[seat] == 0

    def needs(self, side: int) -> int:
        """Tricks that a partnership lacks; 0 or less once its contract is met. Bids are known."""
        return self.table.contract_of(side) - self._taken(side, as_bags=False)

    def _taken(self, side: int, *, as_bags: bool) -> int:
        """Tricks of a failed nil that the rules count as bags, or all others of a side."""
        return sum(
            self.table.tricks_taken[seat]
            for seat in (side, side + 2)
            if as_bags == (self.bid_nil(seat) and self.rules.failed_nil_tricks == "bags")
        )

    def opponents_at_risk(self) -> bool:
        return 0 < self.tricks_left <= 2 * self.needs(1 - self.side)

    def own_at_risk(self, card: int) -> bool:
        """Whether the own contract is at risk once the card is played."""
        needs = self.needs(self.side)
        spades = cards_in(self.hand & ~(1 << card) & suit_mask(SPADES))
        top_spades = sum(not above(spade) & self.unseen for spade in spades)
        return self.tricks_left <= 2 * needs and needs > top_spades

    def bags_so_far(self) -> int:
        """Bags of the own side before the round and in it; counts are known."""
        assert self.bags is not None
        over = max(0, -self.needs(self.side)) + self._taken(self.side, as_bags=True)
        return self.bags[self.side] + over

    def score_if_made(self, side: int) -> int:
        """A side's score if its contract and its nils alive are made, without bags."""
        assert self.score is not None
        contract = self.table.contract_of(side)
        is_big = self.rules.ten_for_200 and contract >= 10
        points = TEN_FOR_200 if is_big else POINTS_PER_TRICK * contract
        for seat in filter(self.bid_nil, (side, side + 2)):
            worth = self.rules.blind_nil if self.table.blind[seat] else self.rules.nil
            points += (worth or 0) * (1 if self.nil_alive(seat) else -1)
        return self.score[side] + points

    def chance_with(self, tricks: int) -> float | None:
        """The own side's chance to win the game if it takes so many tricks of the round in all and
        nobody alive loses a nil; None where chances aren't known by these rules."""
        taken = list(self.table.tricks_taken)
        for side, total in ((self.side, tricks), (1 - self.side, HAND_SIZE - tricks)):
            seats = (side, side + 2)
            takers = [seat for seat in seats if not self.nil_alive(seat)] or seats
            taken[takers[0]] += total - taken[seats[0]] - taken[seats[1]]
        try:
            stakes = game_stakes(self.seen)
        except UnknownChanceError:
            return None
        north, east, south, _ = taken
        value = int(stakes.table[north, east, south])
        return stakes.chance(-value if self.side else value, side=self.side)


class Lens(NamedTuple):
    """A complaint. ``finds``: the sentence on (scene, card, alternative), empty where the complaint
    doesn't apply; ``{card}``, ``{alternative}`` and ``{best}`` (the best card of the trick) stand
    for names."""

    name: str
    label: str
    finds: Callable[[Scene, int, int], str]

    @property
    def definition(self) -> str:
        """When exactly the complaint applies, for readers."""
        return " ".join((self.finds.__doc__ or "").split())


def find_all(seen: Observation, card: int, alternative: int) -> dict[str, str]:
    """What the lenses find about a legal card (code) beside a legal alternative: a sentence by lens
    name, in the order of ``LENSES``."""
    if card == alternative:
        return {}
    scene = Scene(seen)
    names = {"card": card_name(seen, card), "alternative": card_name(seen, alternative)}
    if not scene.is_lead:
        names["best"] = card_name(seen, scene.best_card)
    templates = {lens.name: lens.finds(scene, card, alternative) for lens in LENSES}
    return {lens: text.format(**names) for lens, text in templates.items() if text}


def found_mask(scene: Scene, card: int, alternative: int) -> int:
    """The lenses that find something, a bit each in the order of ``LENSES``."""
    if card == alternative:
        return 0
    mask = 0
    for i, lens in enumerate(LENSES):
        if lens.finds(scene, card, alternative):
            mask |= 1 << i
    return mask


def names_in(mask: int) -> Iterable[str]:
    """Names of the lenses in a mask of ``found_mask``."""
    return (lens.name for i, lens in enumerate(LENSES) if mask >> i & 1)


def leaves_nil_uncovered(scene: Scene, card: int, alternative: int) -> str:
    """Partner's nil is alive, the own is not. Either partner wins the trick so far, the alternative
    beats that card and this one doesn't; or partner has yet to play, hasn't shown out of the suit
    led, and after this card an unseen card of that suit beats the best one, which after the
    alternative isn't so."""
    if not scene.nil_alive(scene.partner) or scene.nil_alive(scene.seat):
        return ""
    if scene.partner_wins:
        if scene.beats(card) or not scene.beats(alternative):
            return ""
        return "{card} leaves the trick to partner's nil, where {alternative} would take it over"
    in_danger = partial(scene.may_be_made_to_take, scene.partner)
    if not in_danger(card) or in_danger(alternative):
        return ""
    return "{card} may leave partner's nil with the trick, where {alternative} covers it"


def attacks_nil(scene: Scene, card: int, alternative: int) -> str:
    """An opponent's nil is alive, and that opponent wins the trick so far or may have to take it
    after this card (has yet to play, hasn't shown out of the suit led, of which an unseen card
    beats the best one). This card gives the trick up, the alternative takes it, partner isn't
    winning it, and the own contract is at risk: it needs at least half of the tricks left, and more
    than the top spades in hand. The own nil, if any, is not alive."""
    if not scene.knows_bids or scene.nil_alive(scene.seat) or scene.partner_wins:
        return ""
    if not (scene.gives_up(card) and scene.takes(alternative) and scene.own_at_risk(card)):
        return ""
    for seat in filter(scene.nil_alive, scene.opponents):
        if seat == scene.best_seat or scene.may_be_made_to_take(seat, card):
            return (
                f"{{card}} goes after {seat_name(seat)}'s nil and gives up a trick that "
                f"{{alternative}} takes, with {scene.needs(scene.side)} of the "
                f"{scene.tricks_left} tricks left needed for the contract"
            )
    return ""


def wastes_high_card(scene: Scene, card: int, alternative: int) -> str:
    """The own contract isn't met, and the own nil, if any, is not alive. Either the seat is last to
    play and both cards win, this one higher in the same suit with an unseen card between; or
    neither beats the best card, this one is a high card (at most one unseen card of its suit beats
    it, at least one is below) and the alternative is none: a lower one of the suit with an unseen
    card between, or of another side suit."""
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
    """Partner wins the trick so far, not as a nil alive; this card beats partner's, the alternative
    doesn't. Partner's card was safe: the seat is last to play, or no unseen card of the suit led
    beats it and the opponent left hasn't shown out of that suit (unless out of spades too)."""
    if not scene.partner_wins or scene.nil_alive(scene.partner):
        return ""
    is_cut = scene.beats(card) and not scene.beats(alternative)
    if not is_cut or not _partner_is_safe(scene, alternative):
        return ""
    return "{card} cuts partner's {best}, which was winning, where {alternative} leaves it"


def _partner_is_safe(scene: Scene, duck: int) -> bool:
    """Whether the partner's card holds: the seat is last to play, or the opponent left can neither
    top the card nor, having shown a void, be expected to ruff it."""
    may_ruff = scene.led_suit != SPADES and any(
        scene.plays_later(seat)
        and scene.is_void(seat, scene.led_suit)
        and not scene.is_void(seat, SPADES)
        for seat in scene.opponents
    )
    return scene.is_last or not (scene.can_be_topped(duck) or may_ruff)


def takes_unwanted_bag(scene: Scene, card: int, alternative: int) -> str:
    """Bags cost something, the own contract is met, no nil of the own side is alive, partner isn't
    winning the trick. This card takes it, the alternative gives it up, and the opponents' contract
    is not at risk (needing at least half of the tricks left): a set that is in reach is worth
    bags."""
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
    """Scores are known, the own nil, if any, is not alive, and one of three holds. Making the
    contract and the nils alive wins the match, the contract is at risk, and this card gives up a
    trick that the alternative takes, partner not winning it. Or the opponents win it likewise, by a
    contract at risk and without a nil alive, and this card gives up such a trick. Or this card
    takes the bag that costs the penalty, the contract met, no own nil alive and partner not
    winning, where the alternative gives the trick up and the opponents needn't be set, unless
    the chance to win is no smaller with it."""
    if scene.score is None or not scene.knows_bids or scene.nil_alive(scene.seat):
        return ""
    target = scene.rules.target
    ours = scene.score_if_made(scene.side)
    theirs = scene.score_if_made(1 - scene.side)
    must_make = ours >= target and ours > theirs
    has_nil = any(map(scene.nil_alive, scene.opponents))
    must_set = theirs >= target and theirs > ours and scene.opponents_at_risk() and not has_nil
    if scene.gives_up(card) and scene.takes(alternative) and not scene.partner_wins:
        given_up = "{card} gives up a trick that {alternative} takes"
        if must_make and scene.own_at_risk(card):
            text = f"Making the contract wins the match at {ours}"
            chance_if_set = scene.chance_with(scene.table.contract_of(scene.side) - 1)
            if chance_if_set is not None:
                text += f"; set, the chance is {chance_if_set:.0%}"
            return f"{text}, and {given_up}"
        if must_set:
            return f"The opponents win the match at {theirs} unless they are set, and {given_up}"
    if must_set or scene.bags is None or not _is_bag(scene, card, alternative):
        return ""
    limit = scene.rules.bag_limit
    if scene.bags_so_far() % limit != limit - 1:
        return ""
    taken = sum(scene.table.tricks_taken[seat] for seat in (scene.side, scene.side + 2))
    chance_without = scene.chance_with(taken)
    chance_with_bag = scene.chance_with(taken + 1)
    text = f"{{card}} takes the bag that costs {scene.rules.bag_penalty} points"
    if chance_without is not None and chance_with_bag is not None:
        if chance_with_bag >= chance_without:
            return ""
        text += f" (a chance to win of {chance_with_bag:.0%}, {chance_without:.0%} without it)"
    return f"{text}, where {{alternative}} loses the trick"


LENSES = (
    Lens("nil-uncovered", "Fails to cover partner's nil", leaves_nil_uncovered),
    Lens("nil-over-contract", "Attacks a nil at the cost of the contract", attacks_nil),
    Lens("high-card", "Wastes a high card", wastes_high_card),
    Lens("partner-cut", "Cuts partner's winner", cuts_partner),
    Lens("bag", "Takes unwanted bags", takes_unwanted_bag),
    Lens("score", "Ignores the match score", ignores_score),
)
LENS_NAMES = tuple(lens.name for lens in LENSES)
LABELS = {lens.name: lens.label for lens in LENSES}
