"""``[GameOptionsJson]`` of PTN to rules and back.

Source: spec 1, notation 1. The tag holds only what differs from the site's defaults, so 0 means
the default everywhere. Rules that PTN has no option for travel in ``[LabJson]`` (see ``ptn``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from spades.core.cards import DECKS, N_SEATS
from spades.core.errors import InvalidRecordError
from spades.core.rules import MAX_BID, Rules
from spades.notation.reading import shown
from spades.notation.schema import LARGEST, bounded_rules, integer, rules_options

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
    said = {key: value for key, value in options.items() if value}
    if not rules.bag_limit:
        said["tenBagsPenalty"] = False
    return said, _unsaid(rules, said)


def _unsaid(rules: Rules, said: Options) -> dict[str, Any]:
    heard, _ = parse_options(said, {})
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
        return {rule: True} if _flag(value, key) else {}

    return read


def _flag(value: object, key: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidRecordError(f"option {key} is {shown(value)}; true or false is legal")
    return value


def _bag_limit(value: object, key: str) -> dict[str, Any]:
    # Unlike everywhere else, 0 isn't the default: it turns the penalty off.
    return {"bag_limit": integer(0, LARGEST)(value, f"option {key}")}


def _bag_penalty(value: object, key: str) -> dict[str, Any]:
    return {} if _flag(value, key) else {"bag_limit": 0}


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
