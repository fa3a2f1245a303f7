"""A position without a choice of ours: a hand of the project, with lists as a test wants them."""

from analysis.suites.position import SuitePosition, position_of
from spades.notation import read

PLY = 20
(RECORD,) = read("south-nil")
LEGAL = [str(card) for card in RECORD.observation(PLY).legal]


def position(name="one", themes=("nil cover",), **changes) -> SuitePosition:
    """East leads the sixth trick; the lowest of its clubs is best."""
    plain = {
        "id": name,
        "record": "south-nil",
        "ply": PLY,
        "themes": list(themes),
        "best": LEGAL[:1],
        "known": {"by": "opinion"},
    }
    return position_of({**plain, **changes})
