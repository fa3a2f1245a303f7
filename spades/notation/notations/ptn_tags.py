"""The parts of a PTN record: its tags and rows as text; names, options and scores as values.

Tolerated, as real records have them: a tag without its closing
bracket or quote, unescaped quotes inside a tag, ``%`` comments, a Markdown fence, PBN headers.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from spades.core.cards import DECKS, N_SEATS, SEATS, Pair, partnership_of
from spades.core.errors import InvalidRecordError, shown
from spades.core.records import BOT, HUMAN, Record
from spades.core.rules import LARGEST, MAX_BID, Rules
from spades.core.scoring import RoundScore, score_round, winner
from spades.notation.hands import parse_seat
from spades.notation.reading import FENCES, MAX_ROWS, MAX_TAGS, Intake, Line, Lines, Tagged
from spades.notation.schema import Value, boolean, integer, rules_options

EVENT = "Event"
AUCTION = "Auction"
PLAY = "Play"
LAB_TAG = "LabJson"
SCORES = "GameScores"
NAME_TAGS = ("North", "East", "South", "West")
UNKNOWN = "-"
_TAG = re.compile(r"\[(\w{1,40})[ \t]{0,8}\"")
_KNOWN_TAG = re.compile(r"\[(Dealer|Deal|Auction|Play|Game\w+|North|East|South|West)\b")
_CARD = re.compile(r"[SHDCJ][2-9TJQKAHL]|-")


class Row(NamedTuple):
    """Words of one line of a section."""

    line: int
    words: list[str]


@dataclass
class RecordText(Tagged):
    """The text of one record. ``cut_line``: where it may have been cut off, the last line of the
    file; ``section``: whose rows are being added."""

    rows: dict[str, list[Row]] = field(default_factory=lambda: {AUCTION: [], PLAY: []})
    notes: list[Line] = field(default_factory=list)
    section: str = ""
    after_blank: bool = False
    has_prose: bool = False
    cut_line: int = 0

    def add_line(self, number: int, line: str) -> None:
        if _TAG.match(line):
            self._add_tag(number, line)
        elif _KNOWN_TAG.match(line):
            self.blame(number, f"a tag's value stands in quotes, found {shown(line)}")
        elif not line:
            self.after_blank = True
        elif self.section and not (self.after_blank and _is_prose(line)):
            self._add_row(number, line.split("%", 1)[0].split())
        elif not self.has_prose:
            self.section = ""
            self.has_prose = True
            self.notes.append(Line(number, f"text outside the record left out: {shown(line)}"))

    def _add_row(self, number: int, words: list[str]) -> None:
        rows = self.rows[self.section]
        self.after_blank = False
        if len(rows) == MAX_ROWS:
            self.blame(number, f"over {MAX_ROWS} rows in {self.section}; 13 tricks are legal")
        elif words:
            rows.append(Row(number, words))

    def _add_tag(self, number: int, line: str) -> None:
        name, _, rest = line[1:].partition('"')
        name = name.strip()
        if name in self.tags:
            return self.blame(number, f"the tag {name} comes twice in a record")
        if len(self.tags) == MAX_TAGS:
            return self.blame(number, f"over {MAX_TAGS} tags in one record")
        value, quote, tail = rest.rpartition('"')
        if not quote:
            value = rest.rstrip("] \t")
            self.notes.append(Line(number, f"the tag {name} has no closing quote"))
        elif "]" not in tail:
            self.notes.append(Line(number, f"the tag {name} has no closing bracket"))
        self.tags[name] = Line(number, value)
        self.section = name if name in self.rows else ""
        self.after_blank = False


def _is_prose(line: str) -> bool:
    return not any(_CARD.fullmatch(word) for word in line.split(maxsplit=8)[:8])


def record_texts(lines: Lines) -> Iterator[RecordText]:
    """The records among numbered lines; other text is skipped."""
    current: RecordText | None = None
    is_inside = False
    last_line = 0
    for number, raw in lines:
        line = raw.strip()
        if line:
            last_line = number
        if line.startswith(FENCES):
            is_inside = False
        elif not line.startswith("%"):
            tag = _TAG.match(line)
            if tag and (not is_inside or tag[1] == EVENT):
                if current is not None:
                    yield current
                current = RecordText(number)
                is_inside = True
            if current is not None and is_inside:
                current.add_line(number, line)
    if current is not None:
        current.cut_line = last_line
        yield current


def parse_name(value: str) -> tuple[str, str | None]:
    """Shown name and kind of a seat's tag: ``(Auto)`` is a bot, ``(digits)`` a human, else None."""
    name, bracket, rest = value.strip().rpartition("(")
    mark = rest.removesuffix(")")
    is_marked = bool(bracket) and rest.endswith(")")
    if is_marked and mark.isascii() and mark.isdecimal():
        return name.strip(), HUMAN
    if is_marked and mark == "Auto":
        return name.strip(), BOT
    return value.strip(), None


def format_tag(name: str, value: str) -> str:
    """A tag on one line: no value can end it or add another."""
    return f'[{name} "{_printable(value)}"]\n'


def format_name(name: str, kind: str) -> str:
    # A double quote would end the value for readers that stop at the second one.
    plain = _printable(name).replace('"', "'").strip()
    return f"{plain} ({'1' if kind == HUMAN else 'Auto'})".strip()


def _printable(text: str) -> str:
    """Text with line ends, controls and other invisible characters made spaces."""
    return "".join(char if char.isprintable() else " " for char in text)


_DECKS = tuple(DECKS)  # standard, then the joker decks in the order of `variation`
_MERCY_FLOOR = -200
_FAIL_POINTS = 10

Options = Mapping[str, object]


def parse_options(options: Options, extra_rules: Options) -> tuple[Rules, list[str]]:
    """Rules of ``[GameOptionsJson]`` and the option keys not known.

    The options hold only what differs from the site's defaults, so 0 means the default everywhere.
    ``extra_rules`` are engine options, which PTN can't say. Raises ``InvalidRecordError`` for a
    value of the wrong type or a rule the engine lacks."""
    rules: dict[str, Any] = {}
    unknown: list[str] = []
    for key, value in options.items():
        option = f"option {key}"
        if key in _SETTERS:
            for rule, new in _SETTERS[key](value, option).items():
                if rules.setdefault(rule, new) != new:
                    raise InvalidRecordError(f"{option} says {rule} {new}, another {rules[rule]}")
        elif key in ("players", "numPlayers", "playerCount"):
            integer(N_SEATS, N_SEATS)(value, option)
        elif "pass" in key.lower():
            if value:
                raise InvalidRecordError(f"{option} {shown(value)}: passing cards is not supported")
        elif key not in ("noWatching", "noSuggestions"):
            unknown.append(key)
    return Rules.from_options({**rules, **extra_rules}), unknown


@lru_cache(maxsize=256)
def format_options(rules: Rules) -> tuple[dict[str, Any], dict[str, Any]]:
    """The PTN options of some rules, and the engine options that PTN can't say."""
    options: dict[str, Any] = {
        "variation": _DECKS.index(rules.deck),
        "playTo": max(0, rules.target) if rules.target != Rules.target else 0,
        "mercyRule": int(rules.losing_floor == _MERCY_FLOOR),
        "failBidScoring": int(rules.failed_contract == _FAIL_POINTS),
        "minBid": rules.min_bid,
        "nilOrZero": int(rules.nil is None),
        "leadSpades": 2 if rules.spades_lead == "any" else 0,
        "tenForTwoHundred": rules.ten_for_200,
        "firstHandBidsItself": rules.first_hand_bids_itself,
        "bagsThreshold": rules.bag_limit if rules.bag_limit != Rules.bag_limit else 0,
    }
    options = {key: value for key, value in options.items() if value}
    if not rules.bag_limit:
        options["tenBagsPenalty"] = False
    heard, _ = parse_options(options, {})
    unsaid = rules_options(rules)
    for name in list(unsaid):
        if unsaid[name] == getattr(heard, name):
            del unsaid[name]
    return options, unsaid


def _choice(rule: str, by_value: Mapping[int, Any]) -> Value:
    """Setter of an option coded as a number; 0 is the default, another number isn't known."""

    def read(value: object, option: str) -> dict[str, Any]:
        if type(value) is not int or value not in (0, *by_value):
            legal = ", ".join(map(str, (0, *by_value)))
            raise InvalidRecordError(f"{option} is {shown(value)}; the engine knows {legal}")
        return {rule: by_value[value]} if value else {}

    return read


def _plain(rule: str, check: Value) -> Value:
    return lambda value, option: {rule: value} if check(value, option) else {}


_points = integer(0, LARGEST)
_SETTERS: dict[str, Callable[[object, str], dict[str, Any]]] = {
    "variation": _choice("deck", dict(enumerate(_DECKS))),
    "playTo": _plain("target", _points),
    "gameOverScore": _plain("target", _points),
    "mercyRule": _choice("losing_floor", {1: _MERCY_FLOOR}),
    "failBidScoring": _choice("failed_contract", {1: _FAIL_POINTS}),
    "minBid": _plain("min_bid", integer(0, MAX_BID)),
    "nilOrZero": _choice("nil", {1: None}),
    "leadSpades": _choice("spades_lead", {2: "any"}),
    "tenForTwoHundred": _plain("ten_for_200", boolean),
    "tenBagsPenalty": lambda value, option: {} if boolean(value, option) else {"bag_limit": 0},
    # Unlike everywhere else, 0 isn't the default: it turns the penalty off.
    "bagsThreshold": lambda value, option: {"bag_limit": _points(value, option)},
    "firstHandBidsItself": _plain("first_hand_bids_itself", boolean),
}


@dataclass
class LastRound:
    """The record before in the file, and the scores after it; None where it can't be built on."""

    record: Record | None = None
    after: Pair | None = None
    is_ours: bool = False

    def remember(self, record: Record | None, text: RecordText) -> None:
        self.record = record
        self.after = None
        self.is_ours = LAB_TAG in text.tags
        if record is not None and record.is_complete and text.value(SCORES):
            self.after = parse_scores(text.value(SCORES))

    def score_before(self, record: Record, *, is_ours: bool) -> Pair | None:
        """The score before ``record`` if the record remembered is plainly the round before it."""
        last = self.record
        if last is None or self.after is None:
            return None
        if winner(last.rules, self.after) is not None:
            return None
        follows = (
            last.players == record.players
            and any(record.players)
            and last.rules == record.rules
            and record.dealer == (last.dealer + 1) % N_SEATS
        )
        if is_ours or self.is_ours:
            is_next = record.round_index == last.round_index + 1
            follows = follows and is_next and record.game_id == last.game_id != ""
        return self.after if follows else None


def parse_scores(value: str) -> Pair:
    """Scores by partnership of ``S:a b c d``, clockwise from the seat, partners repeating."""
    seat, _, rest = value.partition(":")
    first = parse_seat(seat, f"the tag {SCORES}")
    words = rest.replace("\u2212", "-").split()
    are_numbers = all(re.fullmatch("-?[0-9]{1,8}", word) for word in words)
    if len(words) != N_SEATS or not are_numbers:
        raise InvalidRecordError(f"{SCORES} is {shown(value)}; a seat and four scores are legal")
    own, left, partner, right = map(int, words)
    if own != partner or left != right:
        raise InvalidRecordError(f"{SCORES} is {shown(value)}; partners have the same score")
    return (left, own) if partnership_of(first) else (own, left)


def read_scores(
    record: Record,
    tricks: Sequence[int],
    text: RecordText,
    intake: Intake,
    last_round: LastRound,
) -> Record:
    """``record`` with the score before it; refused if the scores contradict the plays. The scores
    are the game's after a hand, points by partnership (N/S, E/W). What the lab's tag says of the
    score before counts, whatever record comes before."""
    points = _round_points(record, tricks)
    if points and "failBidScoring" not in text.value("GameOptionsJson"):
        _note_failure(record, tricks, text, intake)
    if not text.value(SCORES):
        return record
    after = parse_scores(text.value(SCORES))
    if points is None:
        intake.note(
            text.line_of(SCORES),
            "the scores are those after the hand, which is not complete: score before unknown",
        )
        return record
    gains = _gains(record, points)
    is_ours = LAB_TAG in text.tags
    before = record.score_before or last_round.score_before(record, is_ours=is_ours)
    # A game that starts anew may follow at any time.
    starts_anew = after == points.points and not record.score_before
    if before is None or starts_anew:
        if record.bags_before is None and record.rules.bag_limit and max(points.bags):
            intake.note(
                text.line_of(SCORES),
                "score before: bags are unknown, no bag penalty in this hand assumed",
            )
        (our_gain, *_), (their_gain, *_) = gains
        before = (after[0] - our_gain, after[1] - their_gain)
    _check_gains(before, after, gains)
    return replace(record, score_before=before)


def _round_points(record: Record, tricks: Sequence[int]) -> RoundScore | None:
    """Points and bags of the round; None if it is cut short or its bids are unknown."""
    if not record.is_complete:
        return None
    return score_round(record.rules, record.bids, record.blind, tricks)


def _check_gains(before: Pair, after: Pair, gains: list[list[int]]) -> None:
    """Refuse scores that differ by something else than the plays score."""
    for p, side in enumerate(("N/S", "E/W")):
        gained = after[p] - before[p]
        if gained not in gains[p]:
            legal = " or ".join(f"{gain:+d}" for gain in gains[p][:4])
            raise InvalidRecordError(
                f"{SCORES} of {side} go from {before[p]} to {after[p]}, by {gained:+d}; the plays "
                f"score {legal}"
            )


def _gains(record: Record, points: RoundScore) -> list[list[int]]:
    """What the round may have added to each partnership's score, with the fewest bag penalties
    first: one number where the bags before are known."""
    limit = record.rules.bag_limit
    gains = []
    for p in (0, 1):
        bags_before = record.bags_before[p] if record.bags_before else limit - 1
        most = (bags_before + points.bags[p]) // limit if limit else 0
        least = most if record.bags_before else 0
        penalties = [record.rules.bag_penalty * n for n in range(least, most + 1)]
        gains.append([points.points[p] - penalty for penalty in penalties])
    return gains


def _note_failure(record: Record, tricks: Sequence[int], text: RecordText, intake: Intake) -> None:
    """Note that a contract was set, as the record doesn't say what that costs."""
    milder = replace(record, rules=replace(record.rules, failed_contract=0))
    if _round_points(record, tricks) != _round_points(milder, tricks):
        intake.note(
            text.line,
            "a contract was set and failBidScoring is not given: "
            f"-{record.rules.failed_contract} per bid assumed",
        )


def format_scores(record: Record, tricks: Sequence[int]) -> str:
    """``S:a b c d`` after the round; empty if it is cut short, unscored, or the score unknown."""
    points = _round_points(record, tricks)
    if points is None or record.score_before is None:
        return ""
    (our_gain, *_), (their_gain, *_) = _gains(record, points)
    ours = record.score_before[0] + our_gain
    theirs = record.score_before[1] + their_gain
    return f"{SEATS[2]}:{ours} {theirs} {ours} {theirs}"
