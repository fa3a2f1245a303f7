"""Colours of figures: of kinds of players, of groups, cards and cells.

All are told apart by colour-blind readers (palette: Okabe and Ito 2008)."""

from collections.abc import Sequence
from zlib import crc32

VERMILION = "#D55E00"
BLUE = "#0072B2"
GREEN = "#009E73"
PINK = "#CC79A7"
ORANGE = "#E69F00"
SKY_BLUE = "#56B4E9"
GREY = "#8a928e"
# Where the palette has too few.
PURPLE = "#9467bd"
OLIVE = "#8c8c2a"
TEAL = "#17a2a2"

HUMAN = BLUE
SEARCH = VERMILION
CHOSEN = ORANGE  # frames what was chosen; no group, sequence or kind has it
SERIES_COLORS = (BLUE, VERMILION, GREEN, PINK, ORANGE, SKY_BLUE)
CARD_COLORS = (VERMILION, BLUE, GREEN, PINK, ORANGE, SKY_BLUE, PURPLE, OLIVE, TEAL)
NAME_COLORS = (GREEN, PINK, SKY_BLUE, VERMILION, BLUE)
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")

AGENT_COLORS = {
    "human": HUMAN,
    "simulated-human": HUMAN,
    "ismcts": SEARCH,
    "best": SEARCH,
    "uct": SEARCH,
    "flat-mc": PURPLE,
    "flat-ucb": PURPLE,
    "stars": PURPLE,
    "pimc": PURPLE,
    "srp": GREEN,
    "wrp": GREEN,
    "thumb": GREEN,
    "direct": PINK,
    "distilled": PINK,
    "corpus": PINK,
}
AGENT_COLORS_CAPTION = (
    "Blue: simulated human; vermilion: tree search; purple: flat search; green: rules; "
    "pink: imitation; grey: random."
)

PLAYER_KIND_COLORS = {
    "simulated-human": HUMAN,
    "simulated humans": HUMAN,
    "human": SKY_BLUE,
    "bot": SEARCH,
    "srp bots": GREEN,
}
"""Kinds of players as pages call them: each has one colour everywhere."""


def agent_color(agent: str) -> str:
    """The colour of an agent's kind, by its text: the same in all figures."""
    kind = agent.partition("+")[0].partition(":")[0]
    return AGENT_COLORS.get(kind, GREY)


def assign_colors(names: Sequence[str]) -> dict[str, str]:
    """A colour for each name: that of its kind of player, else one chosen by the name alone, so
    that it stays the same whichever others are shown. Of two names with one colour the later takes
    the next free one."""
    colors: dict[str, str] = {}
    for name in names:
        start = crc32(name.encode()) % len(NAME_COLORS)
        candidates = [*NAME_COLORS[start:], *NAME_COLORS[:start]]
        if name in PLAYER_KIND_COLORS:
            candidates.insert(0, PLAYER_KIND_COLORS[name])
        free = [color for color in candidates if color not in colors.values()]
        colors[name] = free[0] if free else candidates[0]
    return colors


def with_alpha(color: str, alpha: float) -> str:
    """A colour ``#rrggbb`` with an opacity of 0 to 1."""
    red = int(color[1:3], 16)
    green = int(color[3:5], 16)
    blue = int(color[5:7], 16)
    return f"rgba({red},{green},{blue},{alpha})"


# Cells are translucent, so that their letters, in the page's text colour, are readable on a light
# and on a dark page.
_PALEST = 0.05
_STRONGEST = 0.6
DIVERGING_SCALE = (
    (0.0, with_alpha("#7b3294", _STRONGEST)),
    (0.5, with_alpha(GREY, _PALEST)),
    (1.0, with_alpha("#008837", _STRONGEST)),
)
SEQUENTIAL_SCALE = ((0.0, with_alpha(HUMAN, _PALEST)), (1.0, with_alpha(HUMAN, _STRONGEST)))
