"""The command ``agents``: what an agent can be, by the declarations of its options."""

import argparse
from collections.abc import Mapping

from analysis.text_tables import text_table
from spades.agents import BIDDERS, PLAYERS, UnknownAgentError
from spades.agents.document import HEAD, OF_YOURS, OptionRow, option_rows, summary
from spades.cli.answer import Answer
from spades.core.documents import Document
from spades.core.errors import shown


def add_agents(parser: argparse.ArgumentParser) -> None:
    """List players and bidders, or all options of one: what may stand in an agent's text,
    PLAYER:option=value,...+BIDDER:option=value,..., wherever a command takes an agent."""
    hint = "a player's or a bidder's; by default all are listed"
    parser.add_argument("name", nargs="?", metavar="NAME", help=hint)


def run_agents(options: argparse.Namespace) -> Answer:
    groups: dict[str, Mapping[str, type]] = {"players": PLAYERS, "bidders": BIDDERS}
    if options.name and all(options.name not in known for known in groups.values()):
        legal = ", ".join(dict.fromkeys([*PLAYERS, *BIDDERS]))
        raise UnknownAgentError(f"no player or bidder is {shown(options.name)}; there are {legal}")
    document: Document = {
        group: [
            {"name": name, "what": summary(kind), "options": _options(kind)}
            for name, kind in known.items()
            if options.name in (None, name)
        ]
        for group, known in groups.items()
    }
    if options.name is not None:
        return Answer(document, options_table)
    document["yours"] = [{"name": text, "what": what} for text, what in OF_YOURS.items()]
    return Answer(document, agents_table)


def _options(kind: type) -> list[dict[str, str]]:
    return [row._asdict() for row in option_rows(kind)]


def agents_table(document: Document) -> str:
    """Names and what they are; ``yours`` may stand for a player and for a bidder."""
    lines = []
    for group, agents in document.items():
        rows = [(one["name"], one["what"]) for one in agents]
        lines += [*text_table([(group, ""), *rows]), ""]
    return "\n".join([*lines, "spades agents NAME lists the options of one."])


def options_table(document: Document) -> str:
    lines = []
    for group, agents in document.items():
        for one in agents:
            lines += [f"{group.removesuffix('s')} {one['name']}: {one['what']}", ""]
            rows = [OptionRow(**row) for row in one["options"]]
            lines += [*text_table([HEAD, *rows]), ""] if rows else ["No options.", ""]
    return "\n".join(lines).rstrip("\n")
