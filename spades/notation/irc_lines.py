"""Lines of the rhawk bot's IRC logs as messages: what kind each is and what it says.

Lines are ``YYYY-mm-dd HH:MM:SS | message``. Colour codes (``\\x03``...) and Unicode suits of older
files are taken off first. Nicks appear in messages only; they go nowhere else but into hashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spades.core.cards import STANDARD
from spades.core.errors import InvalidRecordError
from spades.notation.reading import FENCES, shown

MAX_LINE = 2_000
UNKNOWN, UNSTAMPED = "unknown", "unstamped"

_STAMP = re.compile(r"\s*(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \| ?")
_COLOUR = re.compile(
    "\x03(?:\\d{1,2}(?:,\\d{1,2})?)?|\x04[0-9a-fA-F]{0,6}|[\x02\x0f\x11\x16\x1d-\x1f]"
)
_SUITS = str.maketrans({**dict(zip("♠♥♦♣♤♡♢♧", "shdcshdc", strict=True)), "\ufe0f": None})
_NICK = r"(?:[^\s:/]{1,64})"
_PAIR = rf"(?:{_NICK}/{_NICK})"
_CARD = r"(?:(?:10|[2-9TJQKA])[shdc])"
_BID = r"(?:\d{1,2}|nil|blind)"
_BIDS = rf"\((?P<bids>{_NICK}:{_BID}(?: {_NICK}:{_BID}){{0,3}})?\)"
_CARDS = rf"\((?P<cards>{_CARD}(?:, ?{_CARD}){{0,3}})\)"
_N = r"-?\d{1,7}"

# The commonest first.
_PATTERNS = {
    "turn": rf"(?P<who>{_NICK}): it is your turn!(?: {_CARDS})?",
    "win": rf"(?P<who>{_NICK}) wins with (?P<card>{_CARD}) {_CARDS}",
    "bid": rf"(?P<who>{_NICK}): it is your bid!(?: {_BIDS})?",
    "deal": r"/me deals the cards",
    "first": rf"(?P<who>{_NICK}): you bid first!",
    "auction": rf"(?:Playing with (?P<bags>\d+) bags?!|(?P<even>No bags!)|"
    rf"Fighting for (?P<short>\d+) tricks?!)(?: {_BIDS})?",
    "lead": rf"(?P<who>{_NICK}): you have the opening lead!",
    "nil": rf"(?P<who>{_NICK}) goes (?P<blind>blind )?nil!",
    "over": r"Round over!",
    "made": r"(?P<team>.{1,200}?) (?P<how>make their bid|go bust): (?P<took>\d+)/(?P<bid>\d+)",
    "score": rf"(?P<team>.{{1,200}}?) lead (?P<ours>{_N}) to (?P<theirs>{_N}) of (?P<target>{_N})",
    "tied": rf"tied at (?P<ours>{_N}) of (?P<target>{_N})",
    "nil_result": rf"(?P<who>{_NICK}) (?:(?P<made>makes)|fails(?: miserably)? at) "
    r"(?P<blind>blind )?nil!",
    "recap": rf"(?P<a>{_NICK})/(?P<c>{_NICK}) bid (?P<bid_a>{_BID})/(?P<bid_c>{_BID}), "
    rf"(?P<b>{_NICK})/(?P<d>{_NICK}) bid (?P<bid_b>{_BID})/(?P<bid_d>{_BID}), .{{1,40}}",
    "start": rf"(?P<who>{_NICK}) starts a game of Spades to (?P<target>\d{{1,6}}) with "
    r"(?P<limit>\d{1,4}) bags?!",
    "join": rf"{_NICK} joins the game!",
    "end": rf"Game over!|{_NICK} ends the game",
    "named": rf"(?P<pair>{_PAIR}) are now known as (?P<team>.{{1,200}})",
    "passing": rf"{_PAIR}: select a card to pass.*|{_NICK} passes a card|Cards have been passed!",
    "cheating": rf"{_NICK} is cheating for {_NICK}",
    "substitute": rf"{_NICK} (?:\({_NICK}\) )?can (?:now|no longer) play for {_NICK}",
    "nothing": r".* bag (?:way )?out|It's a tie! Playing an extra round!|.* are (?:now )?boring",
}
_COMPILED = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS.items()]


@dataclass(frozen=True)
class Message:
    """A line of the log: its number, time, kind (a key of the patterns, ``UNKNOWN`` or
    ``UNSTAMPED``) and named parts."""

    line: int
    when: str
    kind: str
    parts: dict[str, str | None]

    def __getitem__(self, name: str) -> str:
        return self.parts[name] or ""


def is_log_line(line: str) -> bool:
    return _STAMP.match(line) is not None


def messages(lines: Iterable[tuple[int, str]]) -> Iterator[Message]:
    """Messages of numbered lines; a line without a time stamp says nothing but that it is there."""
    for number, raw in lines:
        stamp = _STAMP.match(raw)
        if stamp is None:
            if raw.strip() and not raw.startswith(FENCES):
                yield Message(number, "", UNSTAMPED, {})
            continue
        text = _COLOUR.sub("", raw[stamp.end() : stamp.end() + MAX_LINE]).translate(_SUITS).strip()
        yield _message(number, stamp.group(1), text)


def _message(number: int, when: str, text: str) -> Message:
    for kind, pattern in _COMPILED:
        if found := pattern.fullmatch(text):
            return Message(number, when, kind, found.groupdict())
    return Message(number, when, UNKNOWN, {})


def parse_cards(text: str) -> list[int]:
    """Codes of ``10h,Qh`` (rank then suit; T for 10 will do)."""
    cards = [card.strip().upper().replace("10", "T") for card in text.split(",") if card.strip()]
    return [STANDARD.parse_card(card[::-1]) for card in cards]


def parse_bids(text: str) -> list[tuple[str, str]]:
    """(nick, bid) of ``A:4 B:nil``, in the order bid."""
    pairs = [word.rpartition(":") for word in text.split()]
    return [(nick, bid.lower()) for nick, _, bid in pairs]


def parse_bid(text: str) -> tuple[int, bool]:
    """Bid and whether it is blind; 0 is nil."""
    if text in ("nil", "blind"):
        return 0, text == "blind"
    if int(text) > 13:
        raise InvalidRecordError(f"a bid of {shown(text)}; 0 to 13, nil and blind are legal")
    return int(text), False
