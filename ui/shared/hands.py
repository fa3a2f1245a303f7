"""The hands that Replay can open: shipped ones, opened files, and hands carried by a link."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import replace
from functools import lru_cache

from spades.core.cards import SEATS
from spades.core.errors import SpadesError
from spades.core.paths import DATA
from spades.core.records import RoundRecord
from spades.notation import read_path, read_text
from spades.notation.schema import row_of
from ui.shared.stored_logs import LOG_PREFIX, round_of

SHIPPED = DATA / "hands"
DEFAULT_HAND = "bug-report-335"
PACKED_PREFIX = "z."
MAX_PACKED, MAX_UNPACKED = 4_000, 64_000


class UnknownHandError(SpadesError):
    """A link names a hand that isn't here or can't be read."""


@lru_cache(maxsize=1)
def shipped_hands() -> dict[str, RoundRecord]:
    """The hands under ``data/hands`` by name, the default first."""
    paths = sorted(SHIPPED.glob("*.jsonl"), key=lambda path: (path.stem != DEFAULT_HAND, path.stem))
    return {path.stem: read_path(path).records[0] for path in paths}


def pack(record: RoundRecord) -> str:
    """A hand as a query value, so that a link carries it whole; names and source stay behind."""
    bare = replace(record, players=("",) * 4, source="", game_id="", round_index=0)
    row = {name: value for name, value in row_of(bare).items() if value not in ("", None, [""] * 4)}
    packed = zlib.compress(json.dumps(row, separators=(",", ":")).encode(), level=9)
    return PACKED_PREFIX + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def unpack(value: str) -> RoundRecord:
    """The hand that ``pack`` put into a link; ``UnknownHandError`` if it is damaged."""
    if len(value) > MAX_PACKED:
        raise UnknownHandError(f"the hand in this link has {len(value)} characters, too many")
    body = value.removeprefix(PACKED_PREFIX)
    try:
        packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        text = zlib.decompressobj().decompress(packed, MAX_UNPACKED).decode()
    except (binascii.Error, zlib.error, UnicodeDecodeError, ValueError):
        raise UnknownHandError("the hand in this link is damaged; ask for the link again") from None
    reading = read_text(text, name="link.jsonl")
    if not reading.records:
        raise UnknownHandError(f"the hand in this link is refused: {reading.refused[0].reason}")
    return reading.records[0]


def find_hand(value: str) -> RoundRecord:
    """The hand a link means: a shipped one by name, one that it carries, a round of a log."""
    if value.startswith(PACKED_PREFIX):
        return unpack(value)
    if value.startswith(LOG_PREFIX):
        return round_of(value)
    hands = shipped_hands()
    if value not in hands:
        raise UnknownHandError(f"there is no hand {value[:40]!r} here; {', '.join(hands)} are")
    return hands[value]


def title_of(record: RoundRecord) -> str:
    """A line that says which hand this is."""
    bids = " ".join(
        f"{seat}{'–' if bid < 0 else 'nil' if bid == 0 and record.rules.nil is not None else bid}"
        for seat, bid in zip(SEATS, record.bids, strict=True)
    )
    name = record.game_id or "Opened hand"
    kind = "" if record.is_complete else " · deal only" if not record.plays else " · cut short"
    return f"{name} · {bids}{kind}"
