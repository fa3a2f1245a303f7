"""Style sheets take their sizes of text, spaces and colours from the document's variables."""

import re
from pathlib import Path

import pytest

from spades.look.tokens import css_variables

FOLDERS = (Path("spades/look"), Path("ui"))


def files(kind):
    return [path for folder in FOLDERS for path in sorted(folder.rglob(f"*.{kind}"))]


SHEETS = files("css")
SOURCES = [path for path in files("py") + files("js") if path.name != "tokens.py"]
DECLARATION = re.compile(r"(?<![\w-])(-{0,2}[a-z][a-z-]*):\s*([^;{}]+)(?=[;}])")
LITERAL_COLOR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b(rgba?|hsla?|oklch|lab)\(")
SPACE = re.compile(r"(padding|margin|gap|row-gap|column-gap)(-[a-z-]+)?$")
LENGTH = re.compile(r"\d(px|rem|em|ch)\b")


def declarations(sheet):
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text("utf-8"), flags=re.DOTALL)
    return [(name, value.strip()) for name, value in DECLARATION.findall(text)]


def faults(sheet):
    """Declarations with a size, a space or a colour of their own."""
    found = []
    for name, value in declarations(sheet):
        is_size = name in ("font", "font-size") and LENGTH.search(value)
        is_space = SPACE.match(name) and LENGTH.search(value)
        if is_size or is_space or LITERAL_COLOR.search(value):
            found.append(f"{name}: {value}")
    return found


@pytest.mark.parametrize("sheet", SHEETS, ids=str)
def test_sizes_spaces_and_colours_are_variables(sheet):
    assert not faults(sheet)


def test_a_value_of_its_own_would_be_found(tmp_path):
    sheet = tmp_path / "own.css"
    sheet.write_text(
        ".a { font-size: 13px; padding: 0 6px; color: #abc; gap: var(--space-1) }\n"
        ".b { font: 600 11px/1 x; margin-left: -.5rem; background: rgb(0 0 0 / 10%) }"
    )
    assert len(faults(sheet)) == 6


def test_every_variable_is_declared():
    declared = set(re.findall(r"--[\w-]+(?=:)", css_variables()))
    sheets = {sheet: sheet.read_text("utf-8") for sheet in SHEETS}
    scripts = "".join(path.read_text("utf-8") for path in SOURCES)
    declared |= set(re.findall(r"(--[\w-]+)(?:: |['`])", "".join(sheets.values()) + scripts))
    used = {
        (str(sheet), name)
        for sheet, text in sheets.items()
        for name in re.findall(r"var\((--[\w-]+)", text)
        if not name.startswith("--st-")
    }
    assert not {(sheet, name) for sheet, name in used if name not in declared}


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_no_script_has_a_colour_or_a_size_of_its_own(source):
    text = source.read_text("utf-8")
    assert not re.findall(r"#[0-9a-fA-F]{6}\b|font-size\W+\d|fontSize\s*[:=]", text)
