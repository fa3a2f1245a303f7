"""The log schema: a round as plain values.

A row is a mapping of column names to JSON values, cards as text (``SA``), lists of four by seat
N E S W. ``complete`` and everything else that can be derived is never stored.
"""

from collections.abc import Callable, Mapping
from typing import Any

from spades.core.cards import DECKS, N_CARDS, N_SEATS, STANDARD
from spades.core.documents import is_unicode
from spades.core.errors import InvalidRecordError, shown
from spades.core.logs import SEED_RANGE
from spades.core.records import KINDS, SCHEMA_VERSION, Record
from spades.core.rules import LARGEST, MAX_BID, NO_BID, Rules
from spades.notation.reading import Intake

MAX_TEXT = 10_000

Value = Callable[[object, str], Any]
"""Checks a value of a column, of that name in errors; gives it as a record has it."""


def _checker(is_legal: Callable[[Any], bool], legal: str) -> Value:
    def check(value: object, name: str) -> Any:
        if not is_legal(value):
            raise InvalidRecordError(f"{name} is {shown(value)}; {legal}")
        return value

    return check


def integer(low: int, high: int) -> Value:
    """Checker of a whole number in a range; True and 1.0 are none."""
    return _checker(lambda n: type(n) is int and low <= n <= high, f"{low} to {high} are legal")


boolean = _checker(lambda value: isinstance(value, bool), "true or false is legal")
_kind = _checker(lambda value: value in KINDS, f"{', '.join(KINDS)} are legal")
_string = _checker(lambda value: isinstance(value, str), "a text is legal")
_short = _checker(
    lambda text: len(text) <= MAX_TEXT and is_unicode(text),
    f"Unicode text of up to {MAX_TEXT:,} characters is legal",
)


def text(value: object, name: str) -> str:
    return str(_short(_string(value, name), name))


def _list(check_item: Value, n: int) -> Value:
    """Checker of a list of ``n`` values, which becomes a tuple."""
    check_list = _checker(
        lambda value: isinstance(value, list) and len(value) == n, f"a list of {n} is legal"
    )

    def check(value: object, name: str) -> tuple[Any, ...]:
        items = check_list(value, name)
        return tuple(check_item(item, f"{name}[{i}]") for i, item in enumerate(items))

    return check


def _or_null(check: Value) -> Value:
    return lambda value, name: None if value is None else check(value, name)


_CHECKS: dict[str, Value] = {  # of the columns that need no deck to be read
    "game_id": text,
    "round": integer(0, LARGEST),
    "dealer": integer(0, N_SEATS - 1),
    "bids": _list(integer(NO_BID, MAX_BID), N_SEATS),
    "blind": _list(boolean, N_SEATS),
    "score_before": _or_null(_list(integer(-LARGEST, LARGEST), 2)),
    "bags_before": _or_null(_list(integer(0, LARGEST), 2)),
    "player": _list(text, N_SEATS),
    "kind": _list(_kind, N_SEATS),
    "agent": _list(text, N_SEATS),
    "seed": _or_null(integer(*SEED_RANGE)),
    "source": text,
}
_RENAMED = {"round": "round_index", "player": "players", "kind": "kinds", "agent": "agents"}
COLUMNS = (
    "schema_version", "game_id", "round", "rules", "deck", "dealer", "hands", "bids", "blind",
    "plays", "score_before", "bags_before", "player", "kind", "agent", "seed", "source",
)  # fmt: skip


def plain_values(row: Mapping[str, object]) -> dict[str, Any]:
    """Record attributes of the columns in ``row`` that need no deck, checked."""
    values = {}
    for name, check in _CHECKS.items():
        if name in row:
            values[_attribute(name)] = check(row[name], name)
    return values


def _attribute(column: str) -> str:
    """The attribute of a record that holds a column."""
    return _RENAMED.get(column, column)


def rules_options(rules: Rules) -> dict[str, Any]:
    """The non-default options but the deck, which is a column of its own."""
    return {name: value for name, value in rules.non_defaults().items() if name != "deck"}


def _plain_row(record: Record) -> dict[str, Any]:
    """The columns of a record that need no deck."""
    row: dict[str, Any] = {}
    for name in _CHECKS:
        value = getattr(record, _attribute(name))
        row[name] = list(value) if isinstance(value, tuple) else value
    return row


def row_of(record: Record) -> dict[str, Any]:
    """A record as the values of ``COLUMNS``."""
    deck = record.rules.cards
    row = {
        "schema_version": SCHEMA_VERSION,
        "rules": rules_options(record.rules),
        "deck": deck.name,
        "hands": [deck.format_cards(hand).split() for hand in record.hands],
        "plays": list(record.plays),
        **_plain_row(record),
    }
    return {name: row[name] for name in COLUMNS}


_DEFAULTS = _plain_row(Record(Rules(), 0, STANDARD.hands((0, 0, 0, 0))))
_ALWAYS_SAID = ("game_id", "round")  # so that a reader knows which records follow each other
_OF_THE_AUCTION = ("bids", "blind")


def unsaid_columns(record: Record, heard: Mapping[str, object]) -> dict[str, object]:
    """Columns that the text of a notation, which says the auction, doesn't give back; ``heard``:
    what a reader makes of it."""
    known = {**_DEFAULTS, **heard}
    unsaid = _plain_row(record)
    for column, value in list(unsaid.items()):
        is_heard = value == known[column] and column not in _ALWAYS_SAID
        if is_heard or column in _OF_THE_AUCTION:
            del unsaid[column]
    return unsaid


def note_unknown(intake: Intake, line: int, row: Mapping[str, object]) -> None:
    if unknown := [column for column in row if column not in COLUMNS]:
        intake.note(line, f"unknown columns left out: {shown(', '.join(unknown))}")


def record_of(row: Mapping[str, object]) -> Record:
    """The record of a row, types and names checked; the caller replays it."""
    for name in ("schema_version", "dealer", "hands"):
        if name not in row:
            raise InvalidRecordError(f"the column {name} is missing")
    version = row["schema_version"]
    if version != SCHEMA_VERSION or version is True:
        raise InvalidRecordError(f"schema_version is {shown(version)}; {SCHEMA_VERSION} is legal")
    rules = rules_of(row)
    deck = rules.cards
    check_hands = _list(lambda value, name: deck.parse_cards(_cards(value, name)), N_SEATS)
    record = Record(
        rules=rules,
        hands=deck.hands(check_hands(row["hands"], "hands")),
        plays=deck.cards(_cards(row.get("plays", []), "plays")),
        **plain_values(row),
    )
    for seat, is_blind in enumerate(record.blind):
        if is_blind and record.bids[seat] == NO_BID:
            raise InvalidRecordError(f"blind[{seat}] is true but bids[{seat}] is unknown")
    return record


def rules_of(row: Mapping[str, object]) -> Rules:
    """The rules of a row, from its columns ``rules`` and ``deck``."""
    options = row.get("rules", {})
    if not isinstance(options, dict):
        raise InvalidRecordError(f"rules is {shown(options)}; an object of options is legal")
    deck = row.get("deck", options.get("deck", STANDARD.name))
    if not isinstance(deck, str) or deck not in DECKS:
        raise InvalidRecordError(f"deck is {shown(deck)}; {', '.join(DECKS)} are legal")
    if options.get("deck", deck) != deck:
        raise InvalidRecordError(f"rules say the deck {shown(options['deck'])}, deck says {deck}")
    return Rules.from_options({**options, "deck": deck})


_texts = _checker(
    lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    "a list of cards as SA or HT is legal",
)


def _cards(value: object, name: str) -> list[str]:
    """Texts of cards, no more than a deck has."""
    cards: list[str] = _texts(value, name)
    if len(cards) > N_CARDS:
        raise InvalidRecordError(f"{name} lists {len(cards)} cards, a deck has {N_CARDS}")
    return cards


def read_row(row: Mapping[str, object], intake: Intake, line: int) -> Record:
    """The record of a row, replayed; unknown columns are noted."""
    note_unknown(intake, line, row)
    record = record_of(row)
    record.final()
    return record
