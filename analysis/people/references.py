"""Where known agents stand on the skill axis: the stored table.

``experiments/place_agents.py`` makes it.
"""

from pathlib import Path
from typing import Any

from spades.core.documents import read_json
from spades.core.errors import SpadesError
from spades.core.paths import DATA, stored_table

TABLE = DATA / "tables" / "skill_axis.json"
COMMAND = "python -m experiments.place_agents"


def load_references(path: Path = TABLE) -> dict[str, Any]:
    """The stored table. Raises ``SpadesError`` with the command that makes it."""
    with stored_table(path, COMMAND, SpadesError):
        return dict(read_json(path))
