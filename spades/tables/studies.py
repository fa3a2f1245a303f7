"""A study: what its participants read, answer and play, as a researcher writes it in TOML.

``data/studies/keys.csv`` declares its keys, ``example.toml`` is one. In Python it is a mapping of
all of them.
"""

import csv
import json
import re
from collections.abc import Mapping
from typing import Any

from spades.core.cards import SEAT_NAMES, SEATS
from spades.core.documents import load_toml
from spades.core.errors import SpadesError, shown
from spades.core.paths import DATA
from spades.core.rules import Rules
from spades.notation.hands import format_hand, parse_hand, parse_seat
from spades.notation.log_store import open_log
from spades.tables.game import Setup

FOLDER = DATA / "studies"
CONSENT, BEFORE, AFTER, DONE = "consent", "questions before", "questions after", "done"
PARTICIPANT, MAX_ANSWER = "participant", 2_000
_TYPES = {
    "switch": bool,
    "number": int,
    "table": dict,
    **dict.fromkeys(("list", "game", "question"), list),
}


class StudyError(SpadesError):
    """A study that can't be made, or what nobody may do in one."""


def read_table(name: str) -> list[dict[str, str]]:
    """The rows of ``keys`` or ``codebook``."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


_KEYS = read_table("keys")


def study_of(found: Mapping[str, Any]) -> dict[str, Any]:
    """The study of what TOML says, whole and checked; ``SpadesError`` says what is wrong, where."""
    usual, games = {k: found[k] for k in ("seats", "rules") if k in found}, found.get("games")
    if isinstance(games, list):
        games = [{**usual, **game} if isinstance(game, dict) else game for game in games]
    study = _checked("study", {**found, "games": games}, "study")
    if study["rating"]:
        rating = load_toml((FOLDER / "rating.toml").read_text("utf-8"))["before"]
        study["before"] += [_checked("question", one, "rating") for one in rating]
    study["rating"] = False  # asked for by now
    names = [question["name"] for question in study["before"] + study["after"]]
    if len(set(names)) < len(names):
        raise StudyError(f"each question has a name of its own, not {', '.join(names)}")
    return study


def steps_of(study: Mapping[str, Any]) -> dict[str, Any]:
    """What a participant goes through: by step the consent, questions, or a game."""
    games = {f"game {i}": game for i, game in enumerate(study["games"], 1)}
    steps = {CONSENT: study["consent"], BEFORE: study["before"], **games, AFTER: study["after"]}
    return {step: what for step, what in steps.items() if what}


def setup_of(game: Mapping[str, Any]) -> Setup:
    """The table of a game; the participant's seat is the one without an agent."""
    names = [name.lower() for name in SEAT_NAMES.values()]
    found = [game["seats"].get(name) for name in names]
    if not all(isinstance(who, str) for who in found) or found.count(PARTICIPANT) != 1:
        raise StudyError(f'seats are {", ".join(names)}, one of them "{PARTICIPANT}"')
    north, east, south, west = (None if who == PARTICIPANT else who for who in found)
    rules, seed = Rules.from_options(game["rules"]), max(0, game["seed"])
    deals = tuple(_deal(str(line).split(), rules) for line in game["deals"])
    rounds = len(deals) or game["rounds"]
    return Setup((north, east, south, west), seed, rules, rounds, deals=deals)


def _deal(words: list[str], rules: Rules) -> tuple[int, tuple[int, int, int, int]]:
    if len(words) != 5:
        raise StudyError(f"deals are the dealer and four hands S.H.D.C, not {' '.join(words)}")
    north, east, south, west = (parse_hand(word, rules.cards) for word in words[1:])
    return parse_seat(words[0], "the dealer"), (north, east, south, west)


def check_answer(question: Mapping[str, Any], value: Any) -> Any:
    """An answer as it is stored, None for none; ``StudyError`` says what would be legal."""
    if value in (None, "") and not question["required"]:
        return None
    key = {**question, "default": "", "meaning": "it needs an answer", "type": "number"}
    if question["kind"] in ("text", "choice"):
        key |= {"type": "text", "low": 1, "high": MAX_ANSWER}
    found = _value(key, None if value == "" else value, shown(question["ask"]))
    if question["kind"] == "choice" and found not in question["options"]:
        raise StudyError(f"{shown(found)} is none of {', '.join(question['options'])}")
    return found


def _checked(table: str, found: object, where: str) -> dict[str, Any]:
    """The values of every key of a table."""
    known = {one["key"]: one for one in _KEYS if one["table"] == table}
    if not isinstance(found, dict):
        raise StudyError(f"{where} is {shown(found)}; a table is legal")
    if unknown := sorted(set(found) - set(known)):
        raise StudyError(f"{where}: unknown {shown(', '.join(unknown))}; known: {', '.join(known)}")
    values = {name: _value(key, found.get(name), f"{where}: {name}") for name, key in known.items()}
    try:
        if table == "game":
            _write_deals(values)
            setup_of(values)
        elif table == "question":
            _check_question(**values)
    except SpadesError as error:
        raise StudyError(f"{where}: {error}") from None
    return values


def _value(key: Mapping[str, Any], value: Any, where: str) -> Any:
    """A value of a key's type: a text is ``text``, or matches it as a pattern."""
    if value is None:
        if not key["default"]:
            raise StudyError(f"{where} is missing: {key['meaning']}")
        value = json.loads(key["default"])
    name, low, high = key["type"], int(key["low"]), int(key["high"])
    kind: Any = _TYPES.get(name, str)
    size = value if kind in (int, bool) else len(value) if isinstance(value, kind) else -1
    is_other = kind is str and name != "text" and not re.fullmatch(name, str(value))
    if type(value) is not kind or not low <= size <= high or is_other:
        raise StudyError(f"{where} is {shown(value)}; legal: {name}, {low:,} to {high:,}")
    if name in ("game", "question"):
        return [_checked(name, one, f"{where}[{i}]") for i, one in enumerate(value, 1)]
    return value


def _write_deals(game: dict[str, Any]) -> None:
    """Take the deals of its log into a game."""
    if name := game["log"]:
        log, rounds = open_log(name), game["log_rounds"]
        if not rounds or any(type(i) is not int or not 0 <= i < len(log) for i in rounds):
            raise StudyError(f"log_rounds are {shown(rounds)}; {name} has 0 to {len(log) - 1}")
        for record in map(log.record, rounds):
            hands = (format_hand(hand, record.rules.cards) for hand in record.hands)
            game["deals"].append(" ".join([SEATS[record.dealer], *hands]))
        game["log"] = ""


def _check_question(kind: str, low: int, high: int, options: list[Any], **_: Any) -> None:
    if not high - low > 0 or (kind == "scale" and high - low > 10):
        raise StudyError(f"low {low}, high {high}; low is less, on a scale by at most 10")
    texts = {one for one in options if isinstance(one, str)}
    if len(texts) < max(2 * (kind == "choice"), len(options)):
        raise StudyError(f"options are {shown(options)}; two or more different texts are due")
