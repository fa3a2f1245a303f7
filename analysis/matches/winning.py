"""How often the chances to win a game came true: the stored calibration.

``experiments/measure_winning.py`` plays the games.
"""

from pathlib import Path

from spades.core import winning
from spades.core.documents import Document, read_json
from spades.core.paths import DATA, stored_table

TABLE = DATA / "tables" / "winning.json"


def stored_calibration(path: Path = TABLE) -> Document:
    """The stored document; ``UnknownChanceError`` where it can't be read."""
    with stored_table(path, winning.COMMAND, winning.UnknownChanceError):
        found = read_json(path)
        if found["version"] != winning.VERSION or not found["held_out"]:
            raise ValueError(f"version {found['version']} instead of {winning.VERSION}")
        return found
