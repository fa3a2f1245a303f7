"""Colours of figures: of kinds of players, of groups, cards and cells.

All are mixed of the tokens' and stand out from light and from dark paper. Where colour-blind
readers might take two for one, lines differ in dashes and points in symbols too."""

from collections.abc import Sequence
from zlib import crc32

from spades.look.tokens import channels, chart_color

BLUE = chart_color("human")
ORANGE = chart_color("search")
GREEN = chart_color("accent", is_pale=True)
PINK = chart_color("mistake", "paper")
OCHRE = chart_color("slip", is_pale=True)
TEAL = chart_color("human", "accent", is_pale=True)
PURPLE = chart_color("human", "mistake")
OLIVE = chart_color("slip", "accent")
RED = chart_color("mistake")
GREY = chart_color("fine")

HUMAN = BLUE
SEARCH = ORANGE
CHOSEN = RED  # frames what was chosen; no group, sequence or kind has it
SERIES_COLORS = (BLUE, ORANGE, GREEN, PINK, OCHRE, TEAL)
CARD_COLORS = (ORANGE, BLUE, GREEN, PINK, OCHRE, TEAL, PURPLE, OLIVE, RED)
NAME_COLORS = (GREEN, PINK, TEAL, ORANGE, BLUE)
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
    "Blue: simulated human; orange: tree search; purple: flat search; green: rules; "
    "pink: imitation; grey: random."
)

PLAYER_KIND_COLORS = {
    "simulated-human": HUMAN,
    "simulated humans": HUMAN,
    "human": TEAL,
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
    red, green, blue = channels(color)
    return f"rgba({red},{green},{blue},{alpha})"


# Cells are translucent, so that their letters, in the page's text colour, are readable on a light
# and on a dark page.
_PALEST = 0.05
_STRONGEST = 0.6
DIVERGING_SCALE = (
    (0.0, with_alpha(PURPLE, _STRONGEST)),
    (0.5, with_alpha(GREY, _PALEST)),
    (1.0, with_alpha(GREEN, _STRONGEST)),
)
SEQUENTIAL_SCALE = ((0.0, with_alpha(HUMAN, _PALEST)), (1.0, with_alpha(HUMAN, _STRONGEST)))
