"""The command ``solve``: exact values of the legal cards with all four hands open."""

import argparse
from pathlib import Path

from analysis.text_tables import signed, text_table
from spades.cli.analyze import chosen_rounds
from spades.cli.answer import Answer
from spades.cli.arguments import add_number, add_round
from spades.core.cards import N_CARDS, SEATS
from spades.core.documents import Document
from spades.core.errors import InvalidRecordError
from spades.search.solver import solve


def add_solve(parser: argparse.ArgumentParser) -> None:
    """The exact value of every legal card of one play with all four hands open, in points for the
    side to play, from the last ten tricks on. A player who sees all cards never errs, so bluffs and
    safety plays look worse than they are."""
    parser.add_argument("file", type=Path)
    add_round(parser)
    add_number(parser, "--ply", "play N, from 0", required=True)


def run_solve(options: argparse.Namespace) -> Answer:
    ((_, record),) = chosen_rounds(options.file, options.round or 0)
    ply = options.ply
    n_plays = len(record.plays)
    if not 0 <= ply <= n_plays or ply == N_CARDS:
        last = min(n_plays, N_CARDS - 1)
        raise InvalidRecordError(f"the round has no decision at play {ply}; 0 to {last} are there")
    state = record.at(ply)
    deck = record.rules.cards
    document = {
        "seat": SEATS[state.table.turn],
        "ply": ply,
        "played": record.plays[ply] if ply < n_plays else None,
        "values": {deck.format_card(card): value for card, value in solve(state).items()},
    }
    return Answer(document, solution_table)


def solution_table(document: Document) -> str:
    values = document["values"]
    best = max(values.values())
    rows = [["", "card", "value", "regret"]]
    for card, value in sorted(values.items(), key=lambda item: -item[1]):
        mark = ">" if card == document["played"] else ""
        rows.append([mark, card, signed(value, "+d"), str(best - value)])
    head = f"ply {document['ply']}  {document['seat']} to play, all hands open: points for its side"
    return "\n".join([head, *text_table(rows)])
