"""What stands in a PDF that the export of figures writes: read here by other means than there."""

import re
import zlib
from typing import NamedTuple

STREAM = re.compile(rb"/Length (\d+)[^\n]*>>\nstream\n")
SHOWN = re.compile(r"<([0-9a-f]+)> Tj")
LETTER = re.compile(r"<([0-9a-f]{4})> <([0-9a-f]+)>")


class Pdf(NamedTuple):
    """A page's size in points, its texts, the operators that draw it, the number of pictures."""

    size: tuple[float, float]
    texts: list[str]
    operators: list[str]
    n_images: int
    n_fonts: int


def read_pdf(data: bytes) -> Pdf:
    """ValueError where the file's own table leads nowhere."""
    assert data.startswith(b"%PDF-1.7\n")
    assert data.endswith(b"%%EOF\n")
    _check_table(data)
    streams = [_unpacked(data, match) for match in STREAM.finditer(data)]
    texts = [stream.decode("latin-1") for stream in streams]
    letters = {
        int(glyph, 16): bytes.fromhex(text).decode("utf-16-be")
        for table in texts
        if "beginbfchar" in table
        for glyph, text in LETTER.findall(table)
    }
    content = next(text for text in texts if " cm\nq" in text)
    shown = [
        "".join(letters[int(run[i : i + 4], 16)] for i in range(0, len(run), 4))
        for run in SHOWN.findall(content)
    ]
    width, height = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data).groups()
    return Pdf(
        size=(float(width), float(height)),
        texts=shown,
        operators=content.split("\n"),
        n_images=data.count(b"/ColorSpace /DeviceRGB /SMask"),
        n_fonts=data.count(b"/FontFile2"),
    )


def _check_table(data: bytes) -> None:
    start = int(re.search(rb"startxref\n(\d+)\n", data)[1])
    lines = data[start:].split(b"\n")
    assert lines[0] == b"xref"
    n_objects = int(lines[1].split()[1])
    for number, line in enumerate(lines[3 : 2 + n_objects], start=1):
        assert data[int(line.split()[0]) :].startswith(b"%d 0 obj\n" % number)


def _unpacked(data: bytes, match: re.Match[bytes]) -> bytes:
    end = match.end() + int(match[1])
    assert data[end:].startswith(b"\nendstream")
    return zlib.decompress(data[match.end() : end])
