"""Deals that nobody can predict and everybody can verify afterwards (commitment scheme).

A table with people has a key of its own: 32 random bytes, as hexadecimal digits. Round r is dealt
from the key and r alone, by SHAKE-256; each choice of an agent has a seed of its own, by
HMAC-SHA256. Neither reveals anything about the key or other rounds. The key's SHA-256, the
``commitment``, is published when the table is opened, the key itself when the game is over.

>>> from spades.core.cards import STANDARD
>>> key = "00" * 32
>>> committed = commitment(key)
>>> committed[:16]
'66687aadf862bd77'
>>> deals = [(n % 4, secret_deal(STANDARD, key, n)) for n in range(3)]
>>> verify(key, committed, STANDARD, deals)
True
>>> verify(key, committed, STANDARD, deals[1:])
False
>>> verify("01" * 32, committed, STANDARD, deals)
False
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterator, Sequence

from spades.core.cards import N_CARDS, N_SEATS, Deck, Hands, four

KEY_BYTES = 32
SEED_BITS = 62
_KEY = re.compile(rf"[0-9a-f]{{{2 * KEY_BYTES}}}")
_STREAM_BYTES = 4_096  # a deal takes 51 bytes, and fewer than half of the bytes are rejected


def new_key() -> str:
    """A new random key."""
    return secrets.token_hex(KEY_BYTES)


def is_key(text: object) -> bool:
    return isinstance(text, str) and _KEY.fullmatch(text) is not None


def commitment(key: str) -> str:
    """The SHA-256 of a key, published before the first deal."""
    return hashlib.sha256(bytes.fromhex(key)).hexdigest()


def derived_key(key: str, label: str) -> str:
    """A key for one purpose; it reveals nothing about ``key`` or the keys for other purposes."""
    return hmac.digest(bytes.fromhex(key), label.encode(), "sha256").hex()


def secret_seed(key: str, label: str) -> int:
    """The seed of one choice of an agent, 0 to 2**62 - 1; ``label``: such as ``round 3 bid 0``."""
    digest = bytes.fromhex(derived_key(key, label))
    return int.from_bytes(digest[:8], "big") >> (64 - SEED_BITS)


def secret_deal(deck: Deck, key: str, n: int) -> Hands:
    """The hands of round ``n``, masks by seat; every deal is equally likely."""
    stream = _bytes_of(key, f"deal {n}")
    codes = [int(code) for code in deck.codes]
    for i in range(N_CARDS - 1, 0, -1):
        j = _below(i + 1, stream)
        codes[i], codes[j] = codes[j], codes[i]
    hands = [0] * N_SEATS
    for i, code in enumerate(codes):
        hands[i % N_SEATS] |= 1 << code
    return four(hands)


def verify(key: str, committed: str, deck: Deck, deals: Sequence[tuple[int, Hands]]) -> bool:
    """Whether a key matches the commitment and deals the rounds of a game; ``deals``: dealer and
    hands of each round from the first on."""
    if not is_key(key) or commitment(key) != committed:
        return False
    return all(
        dealer == n % N_SEATS and tuple(hands) == secret_deal(deck, key, n)
        for n, (dealer, hands) in enumerate(deals)
    )


def _bytes_of(key: str, label: str) -> Iterator[int]:
    # A sponge with the key in front is a keyed hash; the key has one length, so no label can
    # be taken for a part of it.
    stream = hashlib.shake_256(bytes.fromhex(key) + label.encode())
    return iter(stream.digest(_STREAM_BYTES))


def _below(n: int, stream: Iterator[int]) -> int:
    """A uniform number below ``n``, at most 256; bytes that would favour lower numbers are
    rejected."""
    limit = 256 - 256 % n
    return next(byte for byte in stream if byte < limit) % n
