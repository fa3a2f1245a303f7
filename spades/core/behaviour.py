"""Stored fingerprints of behaviour, of which keys of results are made; and the hash of the sources.

``spades.agents.behaviour`` says what a part is.
"""

import hashlib
import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from spades.core.documents import read_json
from spades.core.errors import SpadesError
from spades.core.paths import DATA, stored_table

SOURCES = Path(__file__).resolve().parents[1]
AROUND_THE_LIBRARY = {"analysis", "cli", "dashboard"}  # folders of SOURCES in a wheel
TABLE = DATA / "tables" / "behaviour.json"
RULES = "rules"
LOG_LINEAR = "log-linear"
NETWORKS = "networks"
ISMCTS = "ismcts"
_COMMAND = "python -m experiments.fingerprint_agents"


class UnknownBehaviourError(SpadesError):
    """A table of fingerprints that lacks a part, or can't be read."""


@lru_cache(maxsize=1)
def stored_fingerprints(path: Path = TABLE) -> dict[str, str]:
    """Fingerprints by part, as stored."""
    with stored_table(path, _COMMAND, UnknownBehaviourError):
        parts = read_json(path)["parts"]
        return {str(part): str(fingerprint) for part, fingerprint in parts.items()}


def combined(parts: Iterable[str]) -> str:
    """One stored fingerprint of several parts."""
    known = stored_fingerprints()
    wanted = sorted(parts)
    missing = [part for part in wanted if part not in known]
    if missing:
        raise UnknownBehaviourError(f"{TABLE} lacks {', '.join(missing)}; {_COMMAND} makes it anew")
    return digest({part: known[part] for part in wanted})


def behaviour_of_searches() -> str:
    """Combined fingerprint of all that an ISMCTS search can depend on."""
    parts = [RULES, LOG_LINEAR, NETWORKS]
    for part in stored_fingerprints():
        room, _, _ = part.partition(":")
        if room == ISMCTS:
            parts.append(part)
    return combined(parts)


def digest(document: Any) -> str:
    """Hash of a JSON document, 16 hexadecimal digits."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), default=int)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@lru_cache(maxsize=1)
def source_hash() -> str:
    """Hash of the library's Python sources, 16 hexadecimal digits: what made a file. The same in a
    checkout and in the wheel made of it."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*.py")):
        place = path.relative_to(SOURCES)
        if place.parts[0] not in AROUND_THE_LIBRARY:
            digest.update(place.as_posix().encode() + b"\0")
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
