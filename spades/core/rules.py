"""The rules of Spades and a round in play.

Source: Whitehouse et al. 2013, section "Spades"; Cohensius et al. 2020, section 2; the Pagat page
that both cite. A game is rounds to a target, a round is a deal, four bids and thirteen tricks.
Seats are N E S W = 0 1 2 3 clockwise; partnership 0 is N/S, 1 is E/W. The dealer's left bids first
and leads first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from spades.core.cards import (
    ALL_CODES,
    DECKS,
    HAND_SIZE,
    N_CARDS,
    N_SEATS,
    SEATS,
    SPADES,
    SPADES_MASK,
    SUITS,
    Card,
    Deck,
    check_deal,
    format_hand,
    partner_of,
    suit_mask,
    suit_of,
)
from spades.core.errors import IllegalBidError, IllegalPlayError, InvalidRulesError, shown
from spades.core.kernel import kernel
from spades.core.options import check_options, option

NO_BID = -1
NIL_BID = 0
NO_SUIT = -1
MAX_BID = HAND_SIZE
NO_FLOOR = -(1 << 40)
LARGEST = 1_000_000  # of a rule in points or bags: no sum of a game overflows


class RuleNumbers(NamedTuple):
    """``Rules`` as kernels take them: ``deck`` a mask, switches 0 or 1, None 0 or ``NO_FLOOR``."""

    deck: int
    any_lead: int
    min_bid: int
    target: int
    floor: int
    bag_limit: int
    bag_penalty: int
    bag_cost: int
    has_nil: int
    nil: int
    has_blind_nil: int
    blind_nil: int
    nil_to_bags: int
    failed_contract: int
    ten_for_200: int
    bids_itself: int


@dataclass(frozen=True)
class Rules:
    """Every option of the game, in points where it is a score.

    ``losing_floor``: a partnership at or below it loses the game. ``bag_limit`` 0 turns the bag
    penalty off. ``nil`` None makes a bid of 0 an ordinary zero; ``blind_nil`` None forbids it.
    ``failed_nil_tricks``: tricks of a failed nil count for the partner's ``contract`` or are
    ``bags``. ``spades_lead``: once ``broken`` or at ``any`` time. ``failed_contract``: lost per
    trick bid. ``ten_for_200``: a contract of ten or more scores 200, or costs 200.
    ``min_bid``: least sum of a partnership's bids. ``first_hand_bids_itself``: the game's first
    round has no auction and scores 10 a trick."""

    target: int = option(500, least=-LARGEST, most=LARGEST)
    losing_floor: int | None = option(None, least=-LARGEST, most=LARGEST)
    bag_limit: int = option(10, least=0, most=LARGEST)
    bag_penalty: int = option(100, least=0, most=LARGEST)
    nil: int | None = option(100, least=-LARGEST, most=LARGEST)
    blind_nil: int | None = option(200, least=-LARGEST, most=LARGEST)
    failed_nil_tricks: str = option("contract", choices=("contract", "bags"))
    spades_lead: str = option("broken", choices=("broken", "any"))
    failed_contract: int = option(10, least=0, most=LARGEST)
    ten_for_200: bool = False
    min_bid: int = option(0, least=0, most=MAX_BID)
    first_hand_bids_itself: bool = False
    deck: str = option("standard", choices=tuple(DECKS))

    def __post_init__(self) -> None:
        check_options(self, InvalidRulesError)
        if self.losing_floor is not None and self.losing_floor >= self.target:
            raise InvalidRulesError(
                f"losing_floor {self.losing_floor} must be below the target {self.target}"
            )

    @property
    def cards(self) -> Deck:
        """The deck that is played with."""
        return DECKS[self.deck]

    @property
    def bag_cost(self) -> int:
        """What one bag costs in the long run, points: penalty / limit, rounded; 0 without one."""
        return round(self.bag_penalty / self.bag_limit) if self.bag_limit else 0

    @property
    def has_blind_nil(self) -> bool:
        return self.blind_nil is not None and self.nil is not None

    @property
    def numbers(self) -> RuleNumbers:
        return RuleNumbers(
            deck=self.cards.mask,
            any_lead=int(self.spades_lead == "any"),
            min_bid=self.min_bid,
            target=self.target,
            floor=NO_FLOOR if self.losing_floor is None else self.losing_floor,
            bag_limit=self.bag_limit,
            bag_penalty=self.bag_penalty,
            bag_cost=self.bag_cost,
            has_nil=int(self.nil is not None),
            nil=self.nil or 0,
            has_blind_nil=int(self.has_blind_nil),
            blind_nil=self.blind_nil or 0,
            nil_to_bags=int(self.failed_nil_tricks == "bags"),
            failed_contract=self.failed_contract,
            ten_for_200=int(self.ten_for_200),
            bids_itself=int(self.first_hand_bids_itself),
        )

    def non_defaults(self) -> dict[str, Any]:
        """The options that differ from the defaults; what a log stores."""
        return {
            declared.name: getattr(self, declared.name)
            for declared in dataclasses.fields(self)
            if getattr(self, declared.name) != declared.default
        }

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Rules:
        """Rules from a mapping of options; ``InvalidRulesError`` for one unknown."""
        defaults = {declared.name: declared.default for declared in dataclasses.fields(cls)}
        for name, value in options.items():
            if name not in defaults:
                raise InvalidRulesError(
                    f"unknown rule {shown(name)}; the engine knows {', '.join(sorted(defaults))}"
                )
            if not _has_type_of(value, name, defaults[name]):
                raise InvalidRulesError(
                    f"rule {name} can't be {shown(value)}, the default is {defaults[name]!r}"
                )
        return cls(**options)


_MAY_BE_NONE = {"losing_floor", "nil", "blind_nil"}


def _has_type_of(value: object, name: str, default: object) -> bool:
    if name in _MAY_BE_NONE:
        return value is None or (isinstance(value, int) and not isinstance(value, bool))
    return type(value) is type(default)


@kernel
def legal_mask(hand: int, led_suit: int, may_lead_spades: bool) -> int:
    """Legal cards of a hand. ``led_suit`` is ``NO_SUIT`` for the leader of a trick."""
    if led_suit >= 0:
        following = hand & (SPADES_MASK << (16 * led_suit) & ALL_CODES)
        return following if following else hand
    if may_lead_spades:
        return hand
    plain = hand & ~SPADES_MASK
    return plain if plain else hand


@kernel
def beats(card: int, best: int) -> bool:
    """Whether a card (code) beats the best one so far of the trick."""
    if card >> 4 == best >> 4:
        return card > best
    return card >> 4 == SPADES


def _best_of(trick: Sequence[int]) -> int:
    """The card that wins a trick so far; -1 before the lead."""
    best = trick[0] if trick else -1
    for card in trick[1:]:
        if beats.py_func(card, best):
            best = card
    return best


@dataclass(repr=False)
class Table:
    """What every seat can see: rules, bids and the cards played, as codes and masks.

    ``bids`` by seat, ``NO_BID`` where none (yet); ``plays`` card codes in the order played and
    ``seats``, who played each. Derived as cards fall: ``leader`` and ``trick`` of the trick under
    way, ``tricks_taken`` by seat, ``voids`` (a suit mask a seat, of the suits it has shown out of),
    ``played`` (a mask a seat), ``bare`` (it led a spade that only a hand of spades may lead),
    ``broken``, ``winners`` of the tricks done."""

    rules: Rules
    dealer: int
    bids: list[int] = field(default_factory=lambda: [NO_BID] * N_SEATS)
    blind: list[bool] = field(default_factory=lambda: [False] * N_SEATS)
    plays: list[int] = field(default_factory=list)
    seats: list[int] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    tricks_taken: list[int] = field(default_factory=lambda: [0] * N_SEATS)
    voids: list[int] = field(default_factory=lambda: [0] * N_SEATS)
    played: list[int] = field(default_factory=lambda: [0] * N_SEATS)
    bare: list[bool] = field(default_factory=lambda: [False] * N_SEATS)
    broken: bool = False
    leader: int = -1

    def __post_init__(self) -> None:
        if self.leader < 0:
            self.leader = (self.dealer + 1) % N_SEATS

    def copy(self) -> Table:
        fields: dict[str, Any] = {
            name: value.copy() if type(value) is list else value
            for name, value in vars(self).items()
        }
        return type(self)(**fields)

    @property
    def trick(self) -> list[int]:
        """Cards of the trick under way, in the order played."""
        return self.plays[len(self.winners) * N_SEATS :]

    @property
    def played_mask(self) -> int:
        """Cards that all four have played."""
        north, east, south, west = self.played
        return north | east | south | west

    @property
    def turn(self) -> int:
        """Seat to play."""
        return (self.leader + len(self.plays) - len(self.winners) * N_SEATS) % N_SEATS

    @property
    def led_suit(self) -> int:
        trick = self.trick
        return suit_of(trick[0]) if trick else NO_SUIT

    @property
    def best_card(self) -> int:
        """Code of the card that wins the trick so far; -1 before the lead."""
        return _best_of(self.trick)

    @property
    def is_over(self) -> bool:
        return len(self.plays) == N_CARDS

    @property
    def may_lead_spades(self) -> bool:
        return self.broken or self.rules.spades_lead == "any"

    def legal_plays(self, hand: int) -> int:
        """Mask of the cards that the seat to play may play from ``hand``."""
        return legal_mask.py_func(hand, self.led_suit, self.may_lead_spades)

    def legal_bids(self, seat: int) -> list[int]:
        partner_bid = self.bids[partner_of(seat)]
        least = 0 if partner_bid == NO_BID else max(0, self.rules.min_bid - partner_bid)
        return list(range(least, MAX_BID + 1))

    def bid(self, seat: int, bid: int, *, blind: bool = False) -> None:
        """Enter a seat's bid; ``IllegalBidError`` if the rules don't allow it."""
        legal = self.legal_bids(seat)
        if bid not in legal:
            least = self.rules.min_bid
            minimum = f" (partnership minimum {least})" if least else ""
            raise IllegalBidError(
                f"{SEATS[seat]} can't bid {bid}; {legal[0]} to {legal[-1]} are legal{minimum}"
            )
        if blind and bid != NIL_BID:
            raise IllegalBidError(
                f"{SEATS[seat]} can't bid blind: a blind bid of {bid}; only nil may be blind"
            )
        if blind and not self.rules.has_blind_nil:
            raise IllegalBidError(
                f"{SEATS[seat]} can't bid blind: blind nil is off in these rules; only nil may be "
                "blind"
            )
        self.bids[seat] = bid
        self.blind[seat] = blind

    def record_play(self, card: int) -> None:
        """Add a card (code) to the trick; the caller has checked that it is legal."""
        seat = self.turn
        led = self.led_suit
        suit = suit_of(card)
        if led not in (NO_SUIT, suit):
            self.voids[seat] |= suit_mask(led)
        if led == NO_SUIT and suit == SPADES and not self.may_lead_spades:
            self.bare[seat] = True
        self.plays.append(card)
        self.seats.append(seat)
        self.played[seat] |= 1 << card
        self.broken |= suit == SPADES
        if len(self.plays) % N_SEATS == 0:
            trick = self.plays[-N_SEATS:]
            self.leader = (self.leader + trick.index(_best_of(trick))) % N_SEATS
            self.winners.append(self.leader)
            self.tricks_taken[self.leader] += 1

    def lacks(self, seat: int) -> int:
        """The suits, as a mask, that a seat can't hold by what it has played."""
        other_suits = ALL_CODES & ~SPADES_MASK
        return self.voids[seat] | other_suits if self.bare[seat] else self.voids[seat]

    def is_nil(self, seat: int) -> bool:
        """Whether a seat has bid nil; without it in the rules 0 is an ordinary bid."""
        return self.bids[seat] == NIL_BID and self.rules.nil is not None

    def contract_of(self, partnership: int) -> int:
        """Sum of a partnership's bids, a bid not made counting as 0."""
        return max(0, self.bids[partnership]) + max(0, self.bids[partnership + 2])

    def tricks_of(self, partnership: int) -> int:
        return self.tricks_taken[partnership] + self.tricks_taken[partnership + 2]

    def text(self) -> str:
        """Public part of the position on one line."""
        bids = " ".join("-" if bid == NO_BID else str(bid) for bid in self.bids)
        cards = " ".join(self.rules.cards.cards(self.trick)) or "-"
        tricks = " ".join(map(str, self.tricks_taken))
        spades = "broken" if self.broken else "not broken"
        return (
            f"bids NESW {bids}; tricks NESW {tricks}; {SEATS[self.leader]} led {cards}; "
            f"spades {spades}"
        )

    def __repr__(self) -> str:
        return f"<Table {self.text()}>"


@dataclass(repr=False)
class Round:
    """A round in play: the table and the four hands, masks by seat. Only ``play`` changes it once
    bids are in."""

    table: Table
    hands: list[int]

    @classmethod
    def deal(cls, rules: Rules, dealer: int, hands: Iterable[int]) -> Round:
        """Start a round; ``InvalidDealError`` unless ``hands`` are a deal."""
        masks = [int(hand) for hand in hands]
        check_deal(masks, rules.cards)
        return cls(Table(rules, dealer), masks)

    def copy(self) -> Round:
        return Round(self.table.copy(), list(self.hands))

    def legal_plays(self) -> int:
        """Mask of the cards that the seat to play may play."""
        return self.table.legal_plays(self.hands[self.table.turn])

    def play(self, card: int | Card) -> None:
        """Play a card, or its code, for the seat to play; ``IllegalPlayError`` if the rules forbid
        it."""
        code = self.table.rules.cards.parse_card(card) if isinstance(card, str) else card
        if code < 0 or not self.legal_plays() >> code & 1:
            raise IllegalPlayError(self._why_illegal(code))
        self.hands[self.table.turn] ^= 1 << code
        self.table.record_play(code)

    def _why_illegal(self, code: int) -> str:
        deck = self.table.rules.cards
        card = deck.card(code)
        if self.table.is_over:
            return f"{card} after the 13th trick"
        seat = self.table.turn
        led = self.table.led_suit
        if not self.hands[seat] >> code & 1:
            reason = f"{SEATS[seat]} doesn't hold it"
        elif led == NO_SUIT:
            reason = "spades are not broken"
        else:
            reason = f"{SEATS[seat]} must follow {SUITS[led]}"
        legal = deck.format_cards(self.legal_plays())
        return f"{SEATS[seat]} can't play {card}: {reason}; legal: {legal} | {self.text()}"

    def text(self) -> str:
        """The position on one line: hands S.H.D.C clockwise from N, bids, tricks, trick."""
        hands = " ".join(format_hand(hand, self.table.rules.cards) for hand in self.hands)
        return f"N:{hands}; {self.table.text()}"

    def __repr__(self) -> str:
        return f"<Round {self.text()}>"
