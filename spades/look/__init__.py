"""The look of cards, tables and decisions: one for pages and notebooks.

``tokens`` has sizes, spaces and colours. The style sheets and scripts beside it draw the card table
and the decision under it: Replay, Play and the Drill mount them in a page, ``spades.show`` in a
notebook. ``html`` makes of the same style sheets what a notebook shows without any script.

JavaScript and CSS are split by concern, and are joined into one module where they are mounted.
"""

from pathlib import Path

_HERE = Path(__file__).parent
REPLAY_SCRIPTS = (
    "dom cards position table plates trick tricks beliefs controls rows bids bid_rows decision "
    "summary help keys export main"
)
REPLAY_STYLES = "base cards table beliefs controls decision bids compact"
"""What the table and the decision panel of a whole round are made of, in this order."""
TABLE_SCRIPTS = "dom cards position table plates trick tricks beliefs bids keys choose"
TABLE_STYLES = "base cards table beliefs bids compact"
"""What a table is made of at which a seat chooses a card, in Play and in the Drill."""


def joined(kind: str, names: str, folder: Path = _HERE) -> str:
    """JavaScript or CSS files of a component as one text; ``kind``: ``js`` or ``css``."""
    files = (folder / kind / f"{name}.{kind}" for name in names.split())
    return "\n".join(file.read_text(encoding="utf-8") for file in files)
