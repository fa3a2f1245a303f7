"""Python code of one's own that a command's user names: ``py:module.Name``."""

import sys
from pathlib import Path

from spades.agents.admission import admit, admit_models


def admitted(text: str) -> str:
    """An agent's text as it was typed, the Python code that it names loaded."""
    _find_working_folder()
    admit(text)
    return text


def admitted_models(names: list[str]) -> list[str]:
    """Names of models as they were typed, the Python code among them loaded."""
    _find_working_folder()
    admit_models(*names)
    return names


def _find_working_folder() -> None:
    """Let modules of the working folder be imported too, after those that are installed."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
