"""The tables of players, bidders and their options, made of the declarations.

``python -m spades.agents.document`` writes them into ``docs/agents.md``; a test fails where that
text and the declarations part. ``spades agents`` prints the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from spades.agents.bidders import BIDDERS
from spades.agents.component import Component
from spades.agents.players import PLAYERS
from spades.core.options import Option, options_of
from spades.core.paths import replacing

DOCUMENT = Path(__file__).parents[2] / "docs" / "agents.md"
BEGIN = "<!-- Made by python -m spades.agents.document. -->"
END = "<!-- End of what is made. -->"
HEAD = ("option", "legal", "default", "what")
OF_YOURS = {
    "external:cmd=NAME": "A program that plays by the engine protocol, by its name in the file of "
    "`SPADES_PROGRAMS`. It bids too, unless `+BIDDER` does; after a plus sign it only bids.",
    "external:http=NAME": "A program that has connected to the dashboard over HTTP, by the name "
    "that it gave; otherwise as the one before.",
    "py:module.Name": "A class or function in Python, in commands and Python alone. It bids too if "
    "it has `bid`, unless `+BIDDER` does; after a plus sign it only bids.",
}
"""What stands where a player or a bidder does, and is no part of the lab."""


class OptionRow(NamedTuple):
    """An option of a table, as text."""

    name: str
    legal: str
    default: str
    what: str


def summary(kind: type) -> str:
    """What a player or bidder is: the first paragraph of its docstring."""
    paragraph = (kind.__doc__ or "").partition("\n\n")[0]
    return " ".join(paragraph.split()).replace("``", "`")


def option_rows(kind: type) -> list[OptionRow]:
    """All options of a player or bidder."""
    return [_row(option) for option in options_of(kind).values()]


def _row(option: Option) -> OptionRow:
    what = option.help
    if option.needs:
        other, values = option.needs
        what += f" With {other}={' or '.join(map(option.format, values))}."
    legal = "the name of one that is here" if option.names else option.legal
    legal = legal.replace(" are legal", "").replace(" is legal", "")
    return OptionRow(
        name=option.name,
        legal=f"{legal} {option.unit}".strip(),
        default=option.format(option.default),
        what=what,
    )


def tables(known: Mapping[str, type[Component]]) -> Iterator[tuple[str, str, Sequence[OptionRow]]]:
    """A heading, a sentence and the rows of every player or bidder that has options."""
    for name, kind in known.items():
        if not options_of(kind):
            continue
        rows = option_rows(kind)
        base = next((other for other in known.values() if other is kind.__bases__[0]), None)
        if base is None:
            yield name, "", rows
        else:
            rows = [row for row in rows if row not in option_rows(base)]
            yield name, f"The options of `{base.name}`, but for these:", rows


def markdown() -> str:
    """What is made of the declarations, as it stands in ``docs/agents.md``."""
    lines = []
    for role, known in (("Player", PLAYERS), ("Bidder", BIDDERS)):
        lines += [f"| {role.lower()} | what |", "| --- | --- |"]
        lines += [f"| `{name}` | {summary(kind)} |" for name, kind in known.items()]
        lines += [f"| `{text}` | {what} |" for text, what in OF_YOURS.items()]
        lines.append("")
        for name, sentence, rows in tables(known):
            lines += [f"### {role} `{name}`", ""]
            if sentence:
                lines += [sentence, ""]
            lines += [f"| {' | '.join(HEAD)} |", "| --- | --- | --- | --- |"]
            lines += [f"| `{row.name}` | {' | '.join(row[1:])} |" for row in rows]
            lines.append("")
    return "\n".join(lines).rstrip("\n")


def with_tables(text: str) -> str:
    """A document with the tables between its two marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{markdown()}\n\n{END}{after}"


def main() -> None:
    text = with_tables(DOCUMENT.read_text(encoding="utf-8"))
    with replacing(DOCUMENT) as new:
        new.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
