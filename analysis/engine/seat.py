"""What the messages of the engine protocol say of a round: the observation of one seat."""

from collections.abc import Mapping
from typing import Any, Self

from spades.core.cards import HAND_SIZE, SEATS, Pair, cards_in
from spades.core.documents import Document
from spades.core.errors import InvalidRecordError, shown
from spades.core.observation import Observation
from spades.core.rules import NO_BID, Rules, Table
from spades.programs.messages import SIDES

CARD, BID, TRICK, ROUND = "card", "bid", "trick", "round"


class Seat:
    """A seat, the cards dealt to it and the table, which events change."""

    def __init__(
        self, seat: int, dealt: int, table: Table, score: Pair | None, bags: Pair | None
    ) -> None:
        self._seat = seat
        self._dealt = dealt
        self._table = table
        self._score = score
        self._bags = bags

    @classmethod
    def of(cls, message: Document) -> Self:
        """The seat of a message ``newround``; ``SpadesError`` says what is wrong with it."""
        rules = Rules.from_options(object_of(message.get("rules", {}), "rules"))
        hand = message.get("hand")
        if not isinstance(hand, list) or not all(isinstance(card, str) for card in hand):
            raise InvalidRecordError(f"hand is {shown(hand)}; a list of 13 cards is legal")
        dealt = rules.cards.parse_cards(hand)
        if len(hand) != HAND_SIZE:
            raise InvalidRecordError(f"the hand has {len(hand)} cards; {HAND_SIZE} are legal")
        return cls(
            seat=seat_of(message, "seat"),
            dealt=dealt,
            table=Table(rules, seat_of(message, "dealer")),
            score=_pair_of(message, "score"),
            bags=_pair_of(message, "bags"),
        )

    @classmethod
    def of_position(cls, position: Document) -> Self:
        """A seat in the middle of a round: a ``newround`` with ``bids`` by seat, null where there
        is none, and ``plays``, the cards in the order played."""
        seat = cls.of(position)
        for name, bid in object_of(position.get("bids", {}), "bids").items():
            if bid is not None:
                seat.follow({"event": BID, "seat": name, "bid": bid})
        plays = position.get("plays", [])
        if not isinstance(plays, list):
            raise InvalidRecordError(f"plays is {shown(plays)}; a list of cards is legal")
        for card in plays:
            turn = SEATS[seat._table.turn]
            seat.follow({"event": CARD, "seat": turn, "card": card})
        return seat

    def follow(self, event: Document) -> None:
        """Take an event in; ``SpadesError`` where the rules don't allow it."""
        kind = event.get("event")
        if kind == BID:
            self._follow_bid(seat_of(event, "seat"), event.get("bid"), event.get("blind", False))
        elif kind == CARD:
            self._follow_card(seat_of(event, "seat"), event.get("card"))
        elif kind not in (TRICK, ROUND):  # these follow from the cards
            raise InvalidRecordError(
                f"event {shown(kind)}; {BID}, {CARD}, {TRICK} and {ROUND} are legal"
            )

    def _follow_bid(self, seat: int, bid: Any, is_blind: Any) -> None:
        if type(bid) is not int or type(is_blind) is not bool:
            found = f"bid {shown(bid)}, blind {shown(is_blind)}"
            raise InvalidRecordError(f"{found}; a whole number, and true or false, are legal")
        if self._table.bids[seat] != NO_BID:
            raise InvalidRecordError(f"{SEATS[seat]} has bid {self._table.bids[seat]} already")
        self._table.bid(seat, bid, blind=is_blind)

    def _follow_card(self, seat: int, text: Any) -> None:
        table = self._table
        if not isinstance(text, str):
            raise InvalidRecordError(f"card is {shown(text)}; a text as HT is legal")
        card = table.rules.cards.parse_card(text)
        if table.is_over or seat != table.turn:
            due = "no card is due" if table.is_over else f"{SEATS[table.turn]} is to play"
            raise InvalidRecordError(f"{SEATS[seat]} plays {text}, but {due}")
        seen = self.observation
        possible = seen.legal_mask if seat == self._seat else seen.unseen_mask
        if not possible >> card & 1:
            reason = "can't be played" if seat == self._seat else "has been seen elsewhere"
            legal = table.rules.cards.format_cards(possible)
            raise InvalidRecordError(f"{SEATS[seat]}'s {text} {reason}; legal: {legal}")
        table.record_play(card)

    @property
    def observation(self) -> Observation:
        held = self._dealt & ~self._table.played[self._seat]
        return Observation(self._seat, held, self._table.copy(), self._score, self._bags)

    def legal_cards(self) -> list[int]:
        return list(cards_in(self.observation.legal_mask))


def object_of(value: Any, name: str) -> Mapping[str, Any]:
    """A JSON object under a name; ``InvalidRecordError`` for anything else."""
    if not isinstance(value, dict):
        raise InvalidRecordError(f"{name} is {shown(value)}; an object {{...}} is legal")
    return value


def seat_of(message: Document, name: str) -> int:
    """The seat that a message names by its letter."""
    letter = message.get(name)
    if not isinstance(letter, str) or len(letter) != 1 or letter not in SEATS:
        raise InvalidRecordError(f"{name} is {shown(letter)}; {', '.join(SEATS)} are legal")
    return SEATS.index(letter)


def _pair_of(message: Document, name: str) -> Pair | None:
    """Two whole numbers by partnership, None where they aren't known."""
    value = message.get(name)
    if value is None:
        return None
    by_side = object_of(value, name)
    ours, theirs = (by_side.get(side) for side in SIDES)
    if type(ours) is not int or type(theirs) is not int:
        example = '{"NS": 120, "EW": 85}'
        raise InvalidRecordError(f"{name} is {shown(value)}; as {example} is legal, or null")
    return ours, theirs
