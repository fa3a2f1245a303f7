"""Python code of one's own that a command's user names: ``py:module.Name``."""

import sys
from pathlib import Path

from spades.agents.admission import admit


def admitted(text: str) -> str:
    """An agent's text as it was typed, the Python code that it names loaded: modules of the working
    folder too, after those that are installed."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
    admit(text)
    return text
