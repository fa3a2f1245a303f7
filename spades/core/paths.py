"""Where shipped files lie, and where new ones go.

In a checkout both are ``data/``. Installed, shipped files are part of the package, and new ones go
to the user's folder: ``$SPADES_DATA``, or ``spades-decision-lab`` in the user's data folder.
"""

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
IS_INSTALLED = (_PACKAGE / "data").is_dir()
DATA = (_PACKAGE if IS_INSTALLED else _PACKAGE.parent) / "data"


def user_folder() -> Path:
    if configured := os.environ.get("SPADES_DATA"):
        return Path(configured)
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "spades-decision-lab"


def folders_of(kind: str) -> list[Path]:
    """Folders of the ``logs``, ``models``, ``corpora`` or ``results``; new files go to the first.

    One folder where ``$SPADES_LOGS`` (``MODELS``, ...) names it.
    """
    if configured := os.environ.get(f"SPADES_{kind.upper()}"):
        return [Path(configured)]
    return [*([user_folder() / kind] if IS_INSTALLED else []), DATA / kind]
