"""Pieces of Markdown in which no text from outside can break out of its place."""

import re
from collections.abc import Sequence


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text as a table; the first is its head."""
    lines = ["| " + " | ".join(map(_escaped, row)) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def _escaped(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|")


def plain_link(link: str) -> str:
    """A link that ends where it ends: what could close or break it is percent-encoded."""
    unsafe = re.compile(r"[\s<>\"`|\\^{}]")
    encoded = unsafe.sub(lambda match: f"%{ord(match[0]):02X}", link)
    return f"<{encoded}>"


def fenced(text: str) -> str:
    """A text as a code block that nothing in it can end: its fence is longer than any inside."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
