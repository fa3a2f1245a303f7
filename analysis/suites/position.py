"""A position of a suite: a decision, and which of its cards pass.

A suite is a file of JSON Lines, a position a line, an object of these keys:

- ``id``: what reports call it, once a file;
- ``record``: the round, as an object of the log schema, a text in any notation, or the name of a
  shipped hand or a stored log; ``round``: which of several, 0 by default;
- ``ply``: how many cards were played before the decision;
- ``themes``: what it tests, one or more words such as ``nil cover``;
- ``best``: the cards that should be played; ``acceptable``: those that will do; ``wrong``: those
  that are known to be worse. Cards that are worth the same to the hand that holds them count as
  one, so that one of them is enough. What is in no list doesn't pass.
- ``known``: what says so, ``by`` one of ``KNOWN_BY``; ``n``: by how many deals or rounds; ``lead``:
  by how many points the best is ahead of the first card that is worse; ``interval``: 95%, of that;
- ``reason``: the same in words.

``acceptable``, ``wrong`` and ``reason`` may be left out.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spades.core.cards import N_CARDS, Deck
from spades.core.documents import Document
from spades.core.equivalence import equivalent_cards
from spades.core.errors import InvalidRecordError, shown
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.records import Record
from spades.notation import read_text
from spades.notation.log_store import open_log
from spades.notation.schema import integer, record_of, row_of, text
from spades.notation.sources import hand_names, log_names, near_names

PROOF = "proof"
TRUTH = "truth"
PLAY_OUTS = "play-outs"
OPINION = "opinion"
KNOWN_BY = {
    PROOF: "all possible deals, each solved",
    TRUTH: "the truth set: rounds that strong agents played out",
    PLAY_OUTS: "the judge's rounds played on",
    OPINION: "somebody says so",
}
"""What a position can be known by."""
BEST = "best"
ACCEPTABLE = "acceptable"
WRONG = "wrong"
UNLISTED = "unlisted"
PASSING = (BEST, ACCEPTABLE)
LISTS = (BEST, ACCEPTABLE, WRONG)
COLUMNS = ("id", "record", "round", "ply", "themes", *LISTS, "known", "reason")
DUE = ("id", "record", "ply", "themes", BEST, "known")
MAX_TEXTS = 100
MAX_N = 2**31 - 1
MAX_POINTS = 10_000


@dataclass(frozen=True)
class Known:
    """Why the best card is known to be: ``by`` what of ``KNOWN_BY``, by ``n`` deals or rounds, 0
    for an opinion; ``lead`` in points over the first card that is worse, None where that isn't
    said, with its 95% ``interval``, of no width for a proof."""

    by: str
    n: int = 0
    lead: float | None = None
    interval: tuple[float, float] | None = None

    def document(self) -> Document:
        """As a row of a suite has it."""
        document: Document = {"by": self.by}
        if self.n:
            document["n"] = self.n
        if self.lead is not None:
            document["lead"] = round(self.lead, 2)
        if self.interval is not None:
            document["interval"] = [round(end, 2) for end in self.interval]
        return document


@dataclass(frozen=True, eq=False)
class SuitePosition:
    """A decision with a choice, and which cards pass; cards as texts, such as ``SA``.

    ``record``: a round with ``ply`` cards played, or more. ``best``, ``acceptable``, ``wrong``:
    legal cards, none equivalent to one of another list."""

    id: str
    record: Record
    ply: int
    themes: tuple[str, ...]
    best: tuple[str, ...]
    acceptable: tuple[str, ...]
    wrong: tuple[str, ...]
    known: Known
    reason: str = ""

    @cached_property
    def observation(self) -> Observation:
        """What the seat to play sees."""
        return self.record.observation(self.ply)

    @cached_property
    def verdicts(self) -> dict[str, str]:
        """Of every legal card, the list that it is in, or ``UNLISTED``."""
        deck = self.record.rules.cards
        verdicts: dict[str, str] = {}
        for codes in equivalent_cards(self.observation):
            names = [deck.format_card(code) for code in codes]
            verdict = _list_of(names, {name: getattr(self, name) for name in LISTS})
            verdicts.update(dict.fromkeys(names, verdict))
        return verdicts

    def row(self) -> Document:
        """As a line of a suite, the round no further than to the decision."""
        return {
            "id": self.id,
            "record": _short_row(self.record, self.ply),
            "ply": self.ply,
            "themes": list(self.themes),
            **{name: list(getattr(self, name)) for name in LISTS},
            "known": self.known.document(),
            "reason": self.reason,
        }

    def line(self) -> str:
        """``row`` as a line of JSON, without its end."""
        return json.dumps(self.row(), separators=(",", ":"), allow_nan=False)


def _short_row(record: Record, ply: int) -> Document:
    """A record up to a ply, without who played it, and without what every reader assumes."""
    row = row_of(record)
    row["plays"] = row["plays"][:ply]
    kept = ("schema_version", "rules", "deck", "dealer", "hands", "bids", "plays")
    short = {name: row[name] for name in kept}
    for name in ("score_before", "bags_before"):
        if row[name] is not None:
            short[name] = row[name]
    if any(record.blind):
        short["blind"] = row["blind"]
    return short


def position_of(row: Mapping[str, Any]) -> SuitePosition:
    """The position of a row, everything checked. Raises ``SpadesError``: what was found, and what
    would be legal."""
    _check_keys(row, COLUMNS, DUE, "a position")
    name = text(row["id"], "id")
    if not name.strip():
        raise InvalidRecordError("id is empty; a name that is there once is legal")
    record = _record(row["record"], row.get("round", 0))
    ply = integer(0, N_CARDS - 1)(row["ply"], "ply")
    if ply > len(record.plays):
        n_plays = len(record.plays)
        raise InvalidRecordError(f"ply is {ply}, of a round of {n_plays} plays; 0 to {n_plays}")
    observation = record.observation(ply)
    themes = _texts(row["themes"], "themes")
    if not themes:
        raise InvalidRecordError("themes is empty; what the position tests is due")
    deck = record.rules.cards
    lists = {name: _cards(row.get(name, []), name, deck, observation) for name in LISTS}
    if not lists[BEST]:
        raise InvalidRecordError("best is empty; one legal card or more are due")
    _check_classes(observation, lists)
    return SuitePosition(
        id=name,
        record=record,
        ply=ply,
        themes=themes,
        best=lists[BEST],
        acceptable=lists[ACCEPTABLE],
        wrong=lists[WRONG],
        known=_known(row["known"]),
        reason=text(row.get("reason", ""), "reason"),
    )


def _check_keys(
    row: Mapping[str, Any], legal: Sequence[str], due: Sequence[str], what: str
) -> None:
    unknown = [key for key in row if key not in legal]
    if unknown:
        keys = ", ".join(legal)
        raise InvalidRecordError(f"{what} has the key {shown(unknown[0])}; {keys} are legal")
    missing = [key for key in due if key not in row]
    if missing:
        raise InvalidRecordError(f"{what} lacks {', '.join(missing)}")


def _record(value: object, index: object) -> Record:
    """The round of a row: an object, a text, or a name and the index of the round."""
    number = integer(0, MAX_N)(index, "round")
    if isinstance(value, dict):
        record = record_of(value)
        record.final()
        records: Sequence[Record] | Log = [record]
    elif not isinstance(value, str):
        legal = "an object, a text in any notation, or a shipped name is legal"
        raise InvalidRecordError(f"record is {shown(value)}; {legal}")
    else:
        records = _named_or_written(value)
    if number >= len(records):
        last = len(records) - 1
        raise InvalidRecordError(f"round is {number}; 0 to {last} are there")
    if isinstance(records, Log):
        return records.record(number)
    return records[number]


def _named_or_written(value: str) -> Sequence[Record] | Log:
    """The rounds of a hand's or a log's name, or of a text."""
    from spades.library import shipped

    if value in hand_names():
        hand = shipped(value)
        assert isinstance(hand, Record)
        return [hand]
    if value in log_names():
        return open_log(value)
    reading = read_text(value)
    if reading.refused:
        refusal = reading.refused[0]
        near = ""
        if len(value.split()) == 1:
            near = near_names(value, [*hand_names(), *log_names()])
        raise InvalidRecordError(f"record can't be read: {refusal}{near}")
    return reading.records


def _texts(value: object, name: str) -> tuple[str, ...]:
    """A list of texts, none empty and none twice."""
    if not isinstance(value, list) or len(value) > MAX_TEXTS:
        raise InvalidRecordError(f"{name} is {shown(value)}; a list of texts is legal")
    texts = tuple(text(item, f"{name}[{i}]") for i, item in enumerate(value))
    for i, item in enumerate(texts):
        if not item.strip():
            raise InvalidRecordError(f"{name}[{i}] is empty")
        if item in texts[:i]:
            raise InvalidRecordError(f"{name} has {shown(item)} twice")
    return texts


def _cards(value: object, name: str, deck: Deck, seen: Observation) -> tuple[str, ...]:
    """A list of cards that are legal at the decision, in the deck's spelling."""
    cards = []
    for item in _texts(value, name):
        code = deck.parse_card(item)
        if not seen.legal_mask >> code & 1:
            legal = deck.format_cards(seen.legal_mask)
            raise InvalidRecordError(f"{name} has {item}, which can't be played; {legal} can")
        cards.append(str(deck.format_card(code)))
    return tuple(cards)


def _check_classes(seen: Observation, lists: Mapping[str, Sequence[str]]) -> None:
    """Refuse a card in two lists, and a decision at which no card fails."""
    deck = seen.rules.cards
    verdicts = []
    for codes in equivalent_cards(seen):
        names = [deck.format_card(code) for code in codes]
        found = [name for name in LISTS if any(card in lists[name] for card in names)]
        if len(found) > 1:
            cards = " ".join(names)
            alike = f"{cards} are worth the same" if len(names) > 1 else cards
            raise InvalidRecordError(f"{alike}, in {' and in '.join(found)}; one list is legal")
        verdicts.append(_list_of(names, lists))
    if all(verdict in PASSING for verdict in verdicts):
        raise InvalidRecordError("every legal card passes; one or more must fail")


def _list_of(names: Sequence[str], lists: Mapping[str, Sequence[str]]) -> str:
    """The list that holds one of some equivalent cards, or ``UNLISTED``."""
    holds = (name for name in LISTS if any(card in lists[name] for card in names))
    return next(holds, UNLISTED)


def _known(value: object) -> Known:
    if not isinstance(value, dict):
        raise InvalidRecordError(f"known is {shown(value)}; an object with the key by is legal")
    _check_keys(value, ("by", "n", "lead", "interval"), ("by",), "known")
    by = value["by"]
    if by not in KNOWN_BY:
        raise InvalidRecordError(f"known.by is {shown(by)}; {', '.join(KNOWN_BY)} are legal")
    n = integer(0, MAX_N)(value.get("n", 0), "known.n")
    if by != OPINION and not n:
        raise InvalidRecordError(f"known lacks n, by how many deals or rounds, for {by}")
    lead = value.get("lead")
    interval = value.get("interval")
    if by in (TRUTH, PLAY_OUTS) and (lead is None or interval is None):
        raise InvalidRecordError(f"known lacks lead or interval, which are due for {by}")
    return Known(
        by=by,
        n=n,
        lead=None if lead is None else _points(lead, "known.lead"),
        interval=None if interval is None else _interval(interval),
    )


def _points(value: object, name: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not abs(value) <= MAX_POINTS:  # type: ignore[arg-type]
        raise InvalidRecordError(f"{name} is {shown(value)}; a number of points is legal")
    return float(value)  # type: ignore[arg-type]


def _interval(value: object) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise InvalidRecordError(f"known.interval is {shown(value)}; [low, high] is legal")
    low, high = (_points(end, f"known.interval[{i}]") for i, end in enumerate(value))
    if low > high:
        raise InvalidRecordError(f"known.interval is {shown(value)}; low comes first")
    return low, high
