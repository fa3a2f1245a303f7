"""Files of results, written whole or not at all."""

import json
import os
from pathlib import Path
from typing import Any


def write_table(content: dict[str, Any], path: Path) -> None:
    """Write the table whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    temporary.replace(path)
