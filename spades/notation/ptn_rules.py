"""The rules and scores of PTN: ``[GameOptionsJson]`` and ``[GameScores]``, read and written.

Source: spec 1, notation 1. The options hold only what differs from the site's defaults, so 0 means
the default everywhere; rules that PTN has no option for travel in ``[LabJson]`` (see ``ptn``). The
scores are the game's after a hand, points by partnership (N/S, E/W); they are checked and turned
into those before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from spades.core.cards import DECKS, N_SEATS, SEATS, partnership_of
from spades.core.errors import InvalidRecordError
from spades.core.observation import Pair
from spades.core.records import RoundRecord
from spades.core.rules import MAX_BID, Rules
from spades.core.scoring import GameScore, RoundScore, add_round, score_round, winner
from spades.notation.hands import parse_seat
from spades.notation.ptn_tags import LAB_TAG, Draft
from spades.notation.reading import Intake, shown
from spades.notation.schema import LARGEST, boolean, bounded_rules, integer, rules_options

_DECKS = tuple(DECKS)  # standard, then the joker decks in the order of `variation`
_MERCY_FLOOR = -200
_FAIL_POINTS = 10
_IGNORED = ("noWatching", "noSuggestions")
_PLAYER_COUNTS = ("players", "numPlayers", "playerCount")

Options = Mapping[str, object]
_Setter = Callable[[object, str], dict[str, Any]]


def parse_options(options: Options, extra_rules: Options) -> tuple[Rules, list[str]]:
    """Rules of a record and the option keys not known. ``extra_rules`` are engine options.

    Raises ``InvalidRecordError`` for a value of the wrong type or a rule the engine lacks.
    """
    found: dict[str, Any] = {}
    unknown = []
    for key, value in options.items():
        setter = _SETTERS.get(key)
        if setter:
            _merge(found, setter(value, key), key)
        elif key in _PLAYER_COUNTS:
            integer(N_SEATS, N_SEATS)(value, f"option {key}")
        elif "pass" in key.lower():
            _check_no_passing(value, key)
        elif key not in _IGNORED:
            unknown.append(key)
    return bounded_rules({**found, **extra_rules}), unknown


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
    return options, _unsaid(rules, options)


def _unsaid(rules: Rules, options: Options) -> dict[str, Any]:
    heard, _ = parse_options(options, {})
    return {
        name: value for name, value in rules_options(rules).items() if getattr(heard, name) != value
    }


def _check_no_passing(value: object, key: str) -> None:
    if value:
        raise InvalidRecordError(f"option {key} {shown(value)}: passing cards is not supported")


def _merge(found: dict[str, Any], new: dict[str, Any], key: str) -> None:
    for name, value in new.items():
        if found.get(name, value) != value:
            raise InvalidRecordError(f"option {key} says {name} {value}, another {found[name]}")
    found.update(new)


def _choice(rule: str, by_value: Mapping[int, Any]) -> _Setter:
    """Setter of an option coded as a number; 0 is the default, another number isn't known."""

    def read(value: object, key: str) -> dict[str, Any]:
        if type(value) is not int or value not in (0, *by_value):
            legal = ", ".join(map(str, (0, *by_value)))
            raise InvalidRecordError(f"option {key} is {shown(value)}; the engine knows {legal}")
        return {rule: by_value[value]} if value else {}

    return read


def _number(rule: str, high: int) -> _Setter:
    def read(value: object, key: str) -> dict[str, Any]:
        number = integer(0, high)(value, f"option {key}")
        return {rule: number} if number else {}

    return read


def _switch(rule: str) -> _Setter:
    def read(value: object, key: str) -> dict[str, Any]:
        return {rule: True} if boolean(value, f"option {key}") else {}

    return read


def _bag_limit(value: object, key: str) -> dict[str, Any]:
    # Unlike everywhere else, 0 isn't the default: it turns the penalty off.
    return {"bag_limit": integer(0, LARGEST)(value, f"option {key}")}


def _bag_penalty(value: object, key: str) -> dict[str, Any]:
    return {} if boolean(value, f"option {key}") else {"bag_limit": 0}


_SETTERS: dict[str, _Setter] = {
    "variation": _choice("deck", dict(enumerate(_DECKS))),
    "playTo": _number("target", LARGEST),
    "gameOverScore": _number("target", LARGEST),
    "mercyRule": _choice("losing_floor", {1: _MERCY_FLOOR}),
    "failBidScoring": _choice("failed_contract", {1: _FAIL_POINTS}),
    "minBid": _number("min_bid", MAX_BID),
    "nilOrZero": _choice("nil", {1: None}),
    "leadSpades": _choice("spades_lead", {2: "any"}),
    "tenForTwoHundred": _switch("ten_for_200"),
    "tenBagsPenalty": _bag_penalty,
    "bagsThreshold": _bag_limit,
    "firstHandBidsItself": _switch("first_hand_bids_itself"),
}


TAG = "GameScores"
_MOST_DIGITS = 8
SIDES = ("N/S", "E/W")


@dataclass
class Scores:
    """The record before in the file, and the scores after it; None where it can't be built on."""

    record: RoundRecord | None = None
    after: Pair | None = None
    is_ours: bool = False

    def remember(self, record: RoundRecord | None, draft: Draft) -> None:
        self.record, self.after = record, None
        self.is_ours = LAB_TAG in draft.tags
        if record is not None and record.is_complete and draft.value(TAG):
            self.after = parse_scores(draft.value(TAG))

    def before(self, record: RoundRecord, *, is_ours: bool) -> Pair | None:
        """Scores before ``record`` if the record remembered is plainly the round before it."""
        last = self.record
        if last is None or self.after is None or winner(last.rules, self.after) is not None:
            return None
        follows = (
            last.players == record.players
            and any(record.players)
            and last.rules == record.rules
            and record.dealer == (last.dealer + 1) % N_SEATS
        )
        if is_ours or self.is_ours:
            is_next = record.round_index == last.round_index + 1
            follows = (
                follows and bool(record.game_id) and record.game_id == last.game_id and is_next
            )
        return self.after if follows else None


def parse_scores(value: str) -> Pair:
    """Scores by partnership of ``S:a b c d``, clockwise from the seat, partners repeating."""
    seat, _, rest = value.partition(":")
    first = parse_seat(seat, f"the tag {TAG}")
    words = rest.replace("\u2212", "-").split()
    if len(words) != N_SEATS or not all(map(_is_points, words)):
        raise InvalidRecordError(f"{TAG} is {shown(value)}; a seat and four scores are legal")
    scores = [0, 0]
    for i, word in enumerate(words):
        scores[partnership_of(first + i)] = int(word)
    if int(words[0]) != int(words[2]) or int(words[1]) != int(words[3]):
        raise InvalidRecordError(f"{TAG} is {shown(value)}; partners have the same score")
    return scores[0], scores[1]


def _is_points(word: str) -> bool:
    digits = word.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS


def read_scores(
    record: RoundRecord, tricks: Sequence[int], draft: Draft, intake: Intake, last: Scores
) -> RoundRecord:
    """``record`` with the score before it; refused if the scores contradict the plays."""
    points = score_round(record.rules, record.bids, record.blind, tricks)
    if not record.is_complete:
        points = None
    elif points and "failBidScoring" not in draft.value("GameOptionsJson"):
        _note_failure(record, tricks, draft, intake)
    if not draft.value(TAG):
        return record
    after = parse_scores(draft.value(TAG))
    if points is None:
        intake.note(
            draft.line_of(TAG),
            "the scores are those after the hand, which is not complete: score before unknown",
        )
        return record
    before = last.before(record, is_ours=LAB_TAG in draft.tags)
    # A game that starts anew may follow at any time.
    if before is not None and after != points.points:
        _check(record, before, after, points)
        return replace(record, score_before=before)
    return replace(record, score_before=_before(record, after, points, draft, intake))


def _before(
    record: RoundRecord, after: Pair, points: RoundScore, draft: Draft, intake: Intake
) -> Pair:
    penalties = (0, 0)
    if record.bags_before is not None:
        penalties = add_round(record.rules, GameScore((0, 0), record.bags_before), points).penalties
    elif record.rules.bag_limit and max(points.bags):
        intake.note(
            draft.line_of(TAG),
            "score before: bags are unknown, no bag penalty in this hand assumed",
        )
    scores = [after[p] - points.points[p] + penalties[p] for p in (0, 1)]
    return scores[0], scores[1]


def _check(record: RoundRecord, before: Pair, after: Pair, points: RoundScore) -> None:
    for p, side in enumerate(SIDES):
        legal = [points.points[p] - penalty for penalty in _penalties(record, p, points.bags[p])]
        if after[p] - before[p] not in legal:
            raise InvalidRecordError(
                f"{TAG} of {side} go from {before[p]} to {after[p]}, by {after[p] - before[p]:+d}; "
                f"the plays score {' or '.join(f'{n:+d}' for n in legal[:4])}"
            )


def _penalties(record: RoundRecord, p: int, bags: int) -> list[int]:
    """Bag penalties that the round may have brought a partnership, points."""
    limit = record.rules.bag_limit
    if not limit:
        return [0]
    if record.bags_before is not None:
        return [(record.bags_before[p] + bags) // limit * record.rules.bag_penalty]
    return [record.rules.bag_penalty * n for n in range((limit - 1 + bags) // limit + 1)]


def _note_failure(record: RoundRecord, tricks: Sequence[int], draft: Draft, intake: Intake) -> None:
    """Note that a contract was set, as the record doesn't say what that costs."""
    milder = replace(record.rules, failed_contract=0)
    scored, mild = (
        score_round(rules, record.bids, record.blind, tricks) for rules in (record.rules, milder)
    )
    if scored != mild:
        intake.note(
            draft.line,
            "a contract was set and failBidScoring is not given: "
            f"-{record.rules.failed_contract} per bid assumed",
        )


def format_scores(record: RoundRecord, tricks: Sequence[int]) -> str:
    """``S:a b c d`` after the round; empty if it is cut short, unscored, or the score unknown."""
    points = score_round(record.rules, record.bids, record.blind, tricks)
    if points is None or record.score_before is None or not record.is_complete:
        return ""
    before = GameScore(record.score_before, record.bags_before or (0, 0))
    after = add_round(record.rules, before, points) if record.bags_before is not None else None
    scores = (
        after.score if after else tuple(record.score_before[p] + points.points[p] for p in (0, 1))
    )
    order = [(2 + i) % N_SEATS for i in range(N_SEATS)]
    return f"{SEATS[2]}:" + " ".join(str(scores[partnership_of(seat)]) for seat in order)
