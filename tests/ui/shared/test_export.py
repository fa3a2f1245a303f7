"""What a browser fetches to export a figure."""

import base64
import io
import re
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from starlette.applications import Starlette

from tests.asgi import ask, run
from ui.shared.export import fonts
from ui.shared.export.routes import ROUTES
from ui.shared.gate import Gate

GATE = Gate(Starlette(routes=ROUTES), routes=ROUTES)
IMPORTED = re.compile(r"""(?:from |new URL\()'\./([\w.]+)'""")
WRITTEN = "0123456789%−–.,·’±×→›‹●★◆◀▶♠♥♦♣λπ‖" + "".join(map(chr, range(0x20, 0x7F)))
"""What stands in figures."""


def get(path, method="GET"):
    return run(ask(GATE, method, path))


@pytest.fixture(scope="module")
def made():
    return fonts.make_fonts()


@pytest.mark.parametrize("route", [route for route in ROUTES if "json" not in route.path])
def test_each_file_is_served_and_says_what_it_is(route):
    answer = get(route.path)
    assert answer.status == 200
    kind = "css" if route.path.endswith("css") else "javascript"
    assert kind in answer.headers["content-type"]
    assert len(answer.body) == int(answer.headers["content-length"]) > 0


def test_scripts_name_only_what_is_served():
    served = {Path(route.path).name for route in ROUTES}
    scripts = Path("ui/shared/export/js").glob("*.js")
    named = {name for script in scripts for name in IMPORTED.findall(script.read_text("utf-8"))}
    assert {"plotly.js", "fonts.json", "export.css", "pdf.js"} <= named <= served


def test_nothing_is_taken_in_and_nothing_else_is_there():
    assert get("/export/dialog.js", "POST").status == 405
    assert get("/export/../app.py").status == 404
    assert get("/export/fonts.py").status == 404


def test_the_fonts_are_two_weights_with_their_own_metrics(made):
    assert get("/export/fonts.json").json[0]["weight"] == 400
    regular, bold = made
    for font in made:
        file = TTFont(io.BytesIO(base64.b64decode(font["file"])))
        assert file.sfntVersion == "\0\1\0\0"
        assert "fvar" not in file
        letters = file.getBestCmap()
        assert font["glyphs"].keys() == letters.keys()
        for code in map(ord, WRITTEN):
            glyph, advance = font["glyphs"][code]
            assert file.getGlyphName(glyph) == letters[code]
            assert advance == file["hmtx"][letters[code]][0]  # its units are thousandths
        assert file["head"].unitsPerEm == 1000
        assert file["OS/2"].usWeightClass == font["weight"]
        assert font["descent"] < 0 < font["capHeight"] < font["ascent"]
    assert regular["glyphs"][ord("m")][1] < bold["glyphs"][ord("m")][1]


def test_a_typeface_elsewhere_is_a_clear_error(tmp_path, monkeypatch):
    monkeypatch.setattr(fonts.streamlit, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(FileNotFoundError, match="0 files of Source Sans"):
        fonts.font_file()
