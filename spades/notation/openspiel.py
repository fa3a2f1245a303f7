"""Action histories of OpenSpiel's ``spades`` (num_tricks=13): one round a line of integers.

52 deals, then up to 4 bids (52 + n), then up to 52 plays. A card is
13 * suit + rank with suits C D H S and ranks 2..A; the k-th dealt card goes to player k % 4;
player 0 is North, bids and leads first, so West deals. Read only; ``#`` starts a comment line.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from spades.core.cards import N_CARDS, N_SEATS, RANKS, STANDARD, WEST, four
from spades.core.errors import InvalidRecordError, shown
from spades.core.records import Record
from spades.core.rules import MAX_BID, NO_BID, Rules
from spades.notation.reading import Draft, Intake, Reading, lines_of, read_drafts

NOTATION = "openspiel"
SUIT_ORDER = "CDHS"
FIRST_BID = 52
MAX_ACTIONS = N_CARDS + N_SEATS + N_CARDS
_CARDS = tuple(suit + rank for suit in SUIT_ORDER for rank in RANKS)


def parse(text: str, *, name: str = "") -> Reading:
    return read_drafts(_drafts(text), Intake(NOTATION, name))


def _drafts(text: str) -> Iterator[Draft]:
    """The lines that hold a round, each to be read later."""
    for number, line in lines_of(text):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, partial(_record, line)


def _record(line: str, _: Intake) -> Record:
    actions = _actions(line)
    first_play = N_CARDS + N_SEATS
    dealt = [_card(actions, i) for i in range(N_CARDS)]
    bids = [_bid(actions, i) for i in range(N_CARDS, min(len(actions), first_play))]
    plays = [_card(actions, i) for i in range(first_play, len(actions))]
    record = Record(
        rules=Rules(),
        dealer=WEST,
        hands=STANDARD.hands(STANDARD.parse_cards(dealt[seat::N_SEATS]) for seat in range(N_SEATS)),
        bids=four(bids + [NO_BID] * (N_SEATS - len(bids))),
        plays=STANDARD.cards(plays),
    )
    record.final()
    return record


def _actions(line: str) -> Sequence[int]:
    # Bounded, so that a line of any length is looked at once only.
    tokens = line.split(maxsplit=MAX_ACTIONS)
    if not N_CARDS <= len(tokens) <= MAX_ACTIONS:
        many = "more" if len(tokens) > MAX_ACTIONS else str(len(tokens))
        reason = f"{many} actions in a line; {N_CARDS} (the deal) to {MAX_ACTIONS} are legal"
        raise InvalidRecordError(reason)
    for i, token in enumerate(tokens):
        if not (token.isascii() and token.isdecimal() and len(token) <= 3):
            raise InvalidRecordError(f"action {i} is {shown(token)}; 0 to 65 are legal")
    return [int(token) for token in tokens]


def _card(actions: Sequence[int], i: int) -> str:
    if actions[i] >= N_CARDS:
        raise InvalidRecordError(f"action {i} is {actions[i]} where a card, 0 to 51, is due")
    return _CARDS[actions[i]]


def _bid(actions: Sequence[int], i: int) -> int:
    if not FIRST_BID <= actions[i] <= FIRST_BID + MAX_BID:
        raise InvalidRecordError(f"action {i} is {actions[i]} where a bid, 52 to 65, is due")
    return actions[i] - FIRST_BID
