"""The pages' typeface as a figure takes it along: two weights of it, without what no figure needs.

Streamlit ships it as one packed file of all weights. PDF can hold neither, so each weight is made a
plain TrueType font, with the numbers that a PDF says about it."""

import base64
import io
import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit

WEIGHTS = (400, 700)  # of texts, and of what is bold
_LETTERS = (  # first and last: Latin, Greek, punctuation to signs of mathematics, shapes and suits
    (0x20, 0x17F),
    (0x370, 0x3FF),
    (0x2000, 0x22FF),
    (0x25A0, 0x27BF),
)
_STAR = "★"  # which the typeface lacks; as wide as:
_AS_WIDE = "◆"
_UNUSED_TABLES = ("BASE", "GDEF", "GPOS", "GSUB", "STAT")


def font_file() -> Path:
    """Streamlit's file of the typeface; ``FileNotFoundError`` where it isn't as expected."""
    media = Path(streamlit.__file__).parent / "static/static/media"
    found = sorted(media.glob("SourceSansVF-Upright.*.woff2"))
    if len(found) != 1:
        raise FileNotFoundError(f"{media} has {len(found)} files of Source Sans, not 1")
    return found[0]


@lru_cache(maxsize=1)
def make_fonts() -> list[dict[str, Any]]:
    """Of each weight: the file in base64, its metrics in thousandths of the size, and of each
    character's code its glyph's number and advance. Takes a second or two."""
    return [_make_font(weight) for weight in WEIGHTS]


def _make_font(weight: int) -> dict[str, Any]:
    from fontTools.subset import Options, Subsetter  # not before somebody exports
    from fontTools.ttLib import TTFont
    from fontTools.varLib.instancer import instantiateVariableFont

    font = TTFont(font_file())
    for table in _UNUSED_TABLES:
        if table in font:
            del font[table]
    options = Options(hinting=False, notdef_outline=True)
    subsetter = Subsetter(options)
    subsetter.populate(
        unicodes=[code for first, last in _LETTERS for code in range(first, last + 1)]
    )
    subsetter.subset(font)
    font = instantiateVariableFont(font, {"wght": weight})
    _add_star(font)
    font.flavor = None
    file = io.BytesIO()
    font.save(file)
    head = font["head"]
    scale = 1000 / head.unitsPerEm
    box = (head.xMin, head.yMin, head.xMax, head.yMax)
    advances = font["hmtx"].metrics
    return {
        "weight": weight,
        "file": base64.b64encode(file.getvalue()).decode(),
        "ascent": round(font["hhea"].ascent * scale),
        "descent": round(font["hhea"].descent * scale),
        "capHeight": round(font["OS/2"].sCapHeight * scale),
        "box": [round(side * scale) for side in box],
        "glyphs": {
            code: (font.getGlyphID(name), round(advances[name][0] * scale))
            for code, name in font.getBestCmap().items()
        },
    }


def _add_star(font: Any) -> None:
    """A five-pointed star for ``_STAR``."""
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    advance, _ = font["hmtx"][font.getBestCmap()[ord(_AS_WIDE)]]
    outer = advance / 2
    inner = outer * math.sin(math.radians(18)) / math.sin(math.radians(126))
    middle = font["OS/2"].sCapHeight / 2
    corners = []
    for i in range(10):
        reach = inner if i % 2 else outer
        angle = math.radians(90 - 36 * i)  # clockwise: filled
        corners.append((outer + reach * math.cos(angle), middle + reach * math.sin(angle)))
    pen = TTGlyphPen(None)
    pen.moveTo(corners[0])
    for corner in corners[1:]:
        pen.lineTo(corner)
    pen.closePath()
    glyph = pen.glyph()
    glyph.recalcBounds(font["glyf"])
    font["glyf"]["star"] = glyph
    font["hmtx"]["star"] = (advance, glyph.xMin)
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap[ord(_STAR)] = "star"
