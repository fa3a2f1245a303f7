"""The look of every page: sizes, spaces and colours, which style sheets, theme and charts share.

Streamlit's theme is a file of its own, ``.streamlit/config.toml``; a test holds it to these."""

SIZES = (12, 14, 16, 20, 28)  # of text, in pixels; the second is the body's
SPACES = (4, 8, 12, 16, 24, 32)  # pixels
RADIUS = 8  # pixels

LIGHT = {
    "paper": "#fbfbf9",
    "surface": "#ffffff",
    "wash": "#f0f1ec",
    "line": "#dfe2da",
    "ink": "#1d2420",
    "quiet": "#5d6661",
    "accent": "#0b6e4f",
    "human": "#2b6cb0",
    "search": "#a65806",
    "best": "#0b6e4f",
    "fine": "#66706a",
    "slip": "#8a6700",
    "mistake": "#b3261e",
    "felt": "#dcebe3",
    "card": "#fffef9",
    "red": "#c1272d",
}
DARK = {
    "paper": "#14181a",
    "surface": "#1a1f22",
    "wash": "#20272a",
    "line": "#323a3d",
    "ink": "#e8ebe6",
    "quiet": "#9aa39e",
    "accent": "#4fc3a1",
    "human": "#74aee8",
    "search": "#e59a45",
    "best": "#4fc3a1",
    "fine": "#8d9791",
    "slip": "#d9b23c",
    "mistake": "#ef7d74",
    "felt": "#1d322a",
    "card": "#f4f2ea",
    "red": "#c1272d",
}


def channels(color: str) -> tuple[int, int, int]:
    """Red, green and blue of a colour ``#rrggbb``, from 0 to 255."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def mix(one: str, other: str, share: float) -> str:
    """A colour between two, with this share of the second."""
    pairs = zip(channels(one), channels(other), strict=True)
    mixed = (round(first + (second - first) * share) for first, second in pairs)
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


CARDS = {  # on cards, which are light in both schemes
    "black": LIGHT["ink"],
    "club": LIGHT["best"],  # of a deck of four colours, as the diamond
    "diamond": LIGHT["human"],
    "joker": mix(LIGHT["human"], LIGHT["mistake"], 0.5),
    "back": mix(LIGHT["human"], LIGHT["accent"], 0.5),
}
GRAPHIC_CONTRAST = 3.0  # WCAG 2.2, 1.4.11
TEXT_CONTRAST = 4.5  # WCAG 2.2, 1.4.3


DARK_HOSTS = (
    ":is([data-jp-theme-light=false],.vscode-dark,.dark,[theme=dark])"
    " :is(.spades-look,.spades-table){color-scheme:dark}"
)
"""This CSS rule makes figures and tables dark in JupyterLab, VS Code, marimo and Colab."""


def variables() -> dict[str, str]:
    """These values as CSS has them, by name: ``size-1``, ``space-1``, ``radius``, the colours."""
    values = {f"size-{i}": f"{size}px" for i, size in enumerate(SIZES, start=1)}
    values |= {f"space-{i}": f"{space}px" for i, space in enumerate(SPACES, start=1)}
    values["radius"] = f"{RADIUS}px"
    values |= {name: f"light-dark({LIGHT[name]}, {DARK[name]})" for name in LIGHT}
    return values | CARDS


def css_variables(selector: str = ":root") -> str:
    """A CSS rule with these values as variables of the elements that are selected, by default of
    the document, which its components inherit."""
    declared = " ".join(f"--{name}: {value};" for name, value in variables().items())
    return f"{selector} {{ {declared} }}"


def contrast(one: str, other: str) -> float:
    """Contrast ratio, from 1 to 21, of two colours ``#rrggbb``."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    """Relative luminance of a colour, from 0 to 1, as WCAG 2.2 defines it."""
    red, green, blue = (_linear(channel / 255) for channel in channels(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)


def chart_color(name: str, other: str = "", *, is_pale: bool = False) -> str:
    """A colour for graphics of charts, which Plotly draws alike on light and on dark pages.

    It lies between the light scheme's and the dark one's, nearest to the light one's that stands
    out from both papers, or farthest from it (``is_pale``). ``other``: a second colour that is
    mixed in by half."""
    light, dark = LIGHT[name], DARK[name]
    if other:
        light, dark = mix(light, LIGHT[other], 0.5), mix(dark, DARK[other], 0.5)
    papers = (LIGHT["paper"], DARK["paper"])
    steps = [mix(light, dark, i / 20) for i in range(21)]
    clear = [
        color
        for color in steps
        if min(contrast(color, paper) for paper in papers) >= GRAPHIC_CONTRAST
    ]
    return clear[-1 if is_pale else 0]
