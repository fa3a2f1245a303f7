"""SVG pictures in the pages' colours: of cards, hands, deals and decisions, and for the docs.

A picture has its own light background, so that it can be read on a light and on a dark page. Sizes
are in pixels, and x grows to the right, y downwards.
"""

from collections.abc import Sequence

from spades.look.html import Html, element
from spades.look.tokens import CARDS, LIGHT, SIZES
from spades.look.words import JOKERS, SYMBOLS, pretty_rank

FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
SMALL, BODY, _, LARGE, _ = SIZES
CARD_WIDTH = 40
CARD_HEIGHT = 54
CARD_GAP = 4
CHARACTER = 0.62
"""Width of a character of bold text, in its size: enough for every typeface of ``FONT``."""


def drawing(width: float, height: float, title: str, *parts: str) -> str:
    """A picture as a text; ``title``: what it shows, for whoever can't see it."""
    background = rectangle(0, 0, width, height, LIGHT["surface"], radius=6)
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {width:g} {height:g}",
        "width": f"{width:g}",
        "height": f"{height:g}",
        "role": "img",
        "font-family": FONT,
        "font-size": f"{SMALL}",
    }
    return str(element("svg", "", element("title", "", title), background, *parts, **attributes))


def rectangle(
    x: float, y: float, width: float, height: float, fill: str, *, line: str = "", radius: float = 0
) -> Html:
    attributes = {name: f"{value:g}" for name, value in (("x", x), ("y", y))}
    attributes |= {"width": f"{width:g}", "height": f"{height:g}", "fill": fill}
    if radius:
        attributes["rx"] = f"{radius:g}"
    if line:
        attributes["stroke"] = line
    return element("rect", "", **attributes)


def words(
    x: float,
    y: float,
    text: str,
    color: str = LIGHT["ink"],
    *,
    size: float = SMALL,
    anchor: str = "start",
    bold: bool = False,
) -> Html:
    """A line of text whose baseline is at ``y``; ``anchor``: start, middle or end is at ``x``."""
    attributes = {"x": f"{x:g}", "y": f"{y:g}", "fill": color}
    attributes |= {"font-size": f"{size:g}", "text-anchor": anchor}
    if bold:
        attributes["font-weight"] = "600"
    return element("text", "", text, **attributes)


def path(points: Sequence[tuple[float, float]], color: str, *, width: float = 1) -> Html:
    """A line through points."""
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    attributes = {"points": places, "fill": "none", "stroke": color, "stroke-width": f"{width:g}"}
    return element("polyline", "", **attributes)


def dot(x: float, y: float, radius: float, color: str) -> Html:
    attributes = {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": f"{radius:g}", "fill": color}
    return element("circle", "", **attributes)


def suit_color(suit: str) -> str:
    return LIGHT["red"] if suit in "HD" else CARDS["black"]


def card_at(x: float, y: float, card: str) -> Html:
    """A card whose upper left corner is there; ``card``: its text, as ``HT``."""
    face = rectangle(
        x + 0.5, y + 0.5, CARD_WIDTH - 1, CARD_HEIGHT - 1, LIGHT["card"], line=LIGHT["fine"],
        radius=4,
    )  # fmt: skip
    middle = x + CARD_WIDTH / 2
    if card in JOKERS:
        high_or_low, joker = JOKERS[card].split()
        color = CARDS["joker"]
        upper = words(middle, y + 24, high_or_low, color, size=SMALL, anchor="middle", bold=True)
        lower = words(middle, y + 40, joker, color, size=SMALL, anchor="middle", bold=True)
    else:
        suit = card[0]
        color = suit_color(suit)
        shown = pretty_rank(card)
        upper = words(middle, y + 23, shown, color, size=LARGE, anchor="middle", bold=True)
        lower = words(middle, y + 45, SYMBOLS[suit], color, size=LARGE, anchor="middle")
    return element("g", "", face, upper, lower)


def row_width(n: int) -> int:
    """Of so many cards side by side."""
    return n * (CARD_WIDTH + CARD_GAP) - CARD_GAP


def cards_at(x: float, y: float, cards: Sequence[str]) -> Html:
    """Cards side by side, from the upper left corner on."""
    step = CARD_WIDTH + CARD_GAP
    return element("g", "", *(card_at(x + i * step, y, card) for i, card in enumerate(cards)))


def ranks_at(x: float, y: float, lines: Sequence[str], size: float = BODY) -> Html:
    """A hand as text, a line a suit: ``♠ A K J``; ``y``: of the first baseline."""
    parts = []
    for i, (suit, line) in enumerate(zip(SYMBOLS, lines, strict=True)):
        symbol, ranks = line.split(" ", maxsplit=1)
        baseline = y + i * size * 1.3
        parts.append(words(x, baseline, symbol, suit_color(suit), size=size))
        parts.append(words(x + size * 1.1, baseline, ranks, size=size))
    return element("g", "", *parts)
