"""Files of results, written whole or not at all."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spades.notation.files import replacing


def write_table(content: Mapping[str, Any], path: Path, *, indent: int = 2) -> None:
    """Write a document as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        text = json.dumps(content, indent=indent, allow_nan=False)
        temporary.write_text(text + "\n", encoding="utf-8")
