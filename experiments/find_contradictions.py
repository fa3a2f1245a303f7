"""Decisions at which a search contradicts the proof: ``python -m experiments.find_contradictions``.

Writes ``tests/analysis/decisions/contradictions.jsonl``, which the judge is tested on. Random
decisions of the last tricks of shipped logs are proven; where one class of cards is best in every
deal, or several are, and ``SEARCHES`` searches of the published ISMCTS put another clearly first,
or one of several equals, the decision is kept, one a round at most. Some minutes of one core.
"""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from analysis.decisions.conclusion import (
    CLEAR,
    compare,
    kind_of,
    values_by_search,
)
from analysis.decisions.proof import prove
from analysis.decisions.settings import new_search, settings_of_agent
from analysis.decisions.stability import item_of
from analysis.runs.command import say
from spades.core.documents import Document
from spades.core.equivalence import equivalent_cards
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.records import Record
from spades.notation.log_store import list_logs, open_log
from spades.notation.schema import row_of

OUT = Path("tests/analysis/decisions/contradictions.jsonl")
AGENT = "ismcts:iterations=2500"
SEARCHES = 30
N_CASES = 100
SEED = 404
LAST_PLIES = range(36, 48)


def contradiction(record: Record, ply: int) -> Document | None:
    """What search and proof say of a decision where they contradict each other, else None."""
    seen = record.observation(ply)
    proven = prove(seen)
    if proven is None or not proven.is_proven:
        return None
    first = clearly_first(seen)
    best = [candidate.cards for candidate in proven.within]
    if first is None or (first in best and proven.kind == CLEAR):
        return None
    return {
        "record": row_of(record),
        "ply": ply,
        "kind": proven.kind,
        "best": [list(cards) for cards in best],
        "searched": list(first),
    }


def clearly_first(seen: Observation) -> tuple[str, ...] | None:
    """The class that many searches put clearly first; None without one."""
    settings = settings_of_agent(AGENT)
    classes = equivalent_cards(seen)
    items = []
    for i in range(SEARCHES):
        search = new_search(seen, settings, offset=i)
        search.run(settings.iterations)
        items.append(item_of(search.result()))
    values, _ = values_by_search(items, seen, classes)
    if len(values) < 2:
        return None
    names = [tuple(map(seen.rules.cards.format_card, codes)) for codes in classes]
    rows = compare(names, np.array(values))
    return rows[0].cards if kind_of(rows[1:]) == CLEAR else None


def random_rounds(logs: Sequence[Log], rng: random.Random) -> Iterator[Record]:
    """Rounds of these logs in random order, none twice; without an end once all have been given."""
    tried = set()
    while True:
        number = rng.randrange(len(logs))
        index = rng.randrange(len(logs[number]))
        if (number, index) not in tried:
            tried.add((number, index))
            yield logs[number].record(index)


def cases() -> Iterator[Document]:
    rng = random.Random(SEED)
    logs = [open_log(entry.name) for entry in list_logs()]
    for record in random_rounds(logs, rng):
        plies = [ply for ply in LAST_PLIES if is_choice(record, ply)]
        for ply in rng.sample(plies, len(plies)):
            found = contradiction(record, ply)
            if found:
                yield found
                break


def is_choice(record: Record, ply: int) -> bool:
    return len(equivalent_cards(record.observation(ply))) > 1


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", type=int, default=N_CASES)
    parser.add_argument("--out", type=Path, default=OUT, help="file to write")
    options = parser.parse_args()
    lines = []
    for number, found in enumerate(cases(), 1):
        lines.append(json.dumps(found, separators=(",", ":")))
        if number % 10 == 0:
            say(f"{number} of {options.cases}")
        if number == options.cases:
            break
    options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
