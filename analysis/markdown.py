"""Pieces of Markdown in which no text from outside can break out of its place."""

import re
from collections.abc import Sequence


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text as a table; the first is its head."""
    lines = []
    for row in rows:
        cells = " | ".join(map(_escaped, row))
        lines.append(f"| {cells} |")
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def _escaped(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|")


def plain_link(link: str) -> str:
    """A link in which all that could close or break it is percent-encoded."""
    unsafe = re.compile(r"[\s<>\"`|\\^{}]")
    encoded = unsafe.sub(lambda match: f"%{ord(match[0]):02X}", link)
    return f"<{encoded}>"


def fenced(text: str) -> str:
    """A text as a code block that nothing in it can end: its fence is longer than any inside."""
    inner_fences = re.findall("`+", text)
    longest = max(map(len, inner_fences), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
