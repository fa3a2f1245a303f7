"""Action histories of OpenSpiel's ``spades`` (num_tricks=13): one round a line of integers.

52 deals, then up to 4 bids (52 + n), then up to 52 plays. A card is
13 * suit + rank with suits C D H S and ranks 2..A; the k-th dealt card goes to player k % 4;
player 0 is North, bids and leads first, so West deals. Read only; ``#`` starts a comment line.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from spades.core.cards import N_CARDS, N_SEATS, RANKS, STANDARD, WEST, Card, four
from spades.core.errors import InvalidRecordError, shown
from spades.core.records import Record
from spades.core.rules import MAX_BID, NO_BID, Rules
from spades.notation.notations.notation import TextNotation
from spades.notation.reading import Draft, Intake, Lines

SUIT_ORDER = "CDHS"
FIRST_BID = 52
FIRST_PLAY = N_CARDS + N_SEATS  # place in a history
MAX_ACTIONS = N_CARDS + N_SEATS + N_CARDS
_CARDS = tuple(suit + rank for suit in SUIT_ORDER for rank in RANKS)
_ACTION_OF_CARD = {card: action for action, card in enumerate(_CARDS)}


class OpenSpiel(TextNotation):
    """Histories, which are only read."""

    name = "openspiel"
    label = "OpenSpiel histories"
    endings = (".openspiel",)
    place = 50
    can_be_written = False

    def recognises(self, lines: Sequence[str]) -> bool:
        return all(map(str.isdecimal, lines[0].split()[:8]))

    def drafts(self, lines: Lines) -> Iterator[Draft]:
        for number, line in lines:
            if line.strip() and not line.lstrip().startswith("#"):
                yield number, partial(_read, line)


def action_of_card(card: Card) -> int:
    """OpenSpiel's action of a card of the standard deck, 0 to 51."""
    return _ACTION_OF_CARD[str(card)]


def _read(line: str, _: Intake) -> Record:
    record = record_of_actions(_actions(line))
    record.final()
    return record


def record_of_actions(actions: Sequence[int]) -> Record:
    """The round of a history from the whole deal on, not yet replayed; ``InvalidRecordError`` for
    an action that is no card or bid where one is due."""
    dealt = [_card(actions, i) for i in range(N_CARDS)]
    hands = [STANDARD.parse_cards(dealt[seat::N_SEATS]) for seat in range(N_SEATS)]
    bids = [_bid(actions, i) for i in range(N_CARDS, min(len(actions), FIRST_PLAY))]
    unknown_bids = [NO_BID] * (N_SEATS - len(bids))
    plays = [_card(actions, i) for i in range(FIRST_PLAY, len(actions))]
    return Record(
        rules=Rules(),
        dealer=WEST,
        hands=STANDARD.hands(hands),
        bids=four(bids + unknown_bids),
        plays=STANDARD.cards(plays),
    )


def _actions(line: str) -> list[int]:
    # Bounded, so that a line of any length is looked at once only.
    words = line.split(maxsplit=MAX_ACTIONS)
    if not N_CARDS <= len(words) <= MAX_ACTIONS:
        n_actions = "more" if len(words) > MAX_ACTIONS else str(len(words))
        raise InvalidRecordError(
            f"{n_actions} actions in a line; {N_CARDS} (the deal) to {MAX_ACTIONS} are legal"
        )
    for i, word in enumerate(words):
        is_action = word.isascii() and word.isdecimal() and len(word) <= 3
        if not is_action:
            raise InvalidRecordError(f"action {i} is {shown(word)}; 0 to 65 are legal")
    return list(map(int, words))


def _card(actions: Sequence[int], i: int) -> str:
    if actions[i] >= N_CARDS:
        raise InvalidRecordError(f"action {i} is {actions[i]} where a card, 0 to 51, is due")
    return _CARDS[actions[i]]


def _bid(actions: Sequence[int], i: int) -> int:
    if not FIRST_BID <= actions[i] <= FIRST_BID + MAX_BID:
        raise InvalidRecordError(f"action {i} is {actions[i]} where a bid, 52 to 65, is due")
    return actions[i] - FIRST_BID
