"""What the papers print of people, and which populations of simulated people meet it.

No log of human Spades is public, so that simulated people stand in for real ones. What a paper
prints of people, or of programs that meet them, is a constraint on whoever stands in. A population
was fitted to some of them; the others say how far it can be trusted. Those of ``HELD_OUT`` were
named before any population but ``human`` was fitted: none is fitted to them.

``data/papers/people.csv`` lists the constraints by hand. Values of ``human`` are those of the
papers' rows, as far as there are rows; all others are in ``data/tables/constraints.json``.
"""

import csv
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from analysis.markdown import markdown_table
from analysis.papers.notes import FOLDER
from analysis.papers.results import find_row, shipped_documents
from analysis.papers.verdicts import AGREES, CANT_TELL, DIFFERS, texts_of
from spades.agents import parse_agent
from spades.core.documents import Document, read_json
from spades.core.errors import SpadesError
from spades.core.paths import DATA, stored_table

PATH = FOLDER / "people.csv"
TABLE = DATA / "tables" / "constraints.json"
COMMAND = "python -m experiments.measure_constraints"
VERSION = 1
HELD_OUT = ("Direct imitation", "Indirect imitation")
"""Groups of constraints that no population is fitted to."""
NOT_MEASURED = "not measured"
MET = "met"
FITTED = "fitted"
MEANINGS = {AGREES: MET, DIFFERS: "not met", CANT_TELL: CANT_TELL}
"""What verdicts mean for a constraint."""
OTHERS = (MEANINGS[DIFFERS], CANT_TELL, NOT_MEASURED)
"""Outcomes but ``MET``."""


class Constraint(NamedTuple):
    """A number that a paper prints of people.

    ``group``: the constraint that it belongs to; ``published``: as printed; it is met from ``low``
    to ``high`` (None: no end), widened by ``margin``. ``figure`` and ``claim``: of the papers' row
    that stands for it, empty where none does.
    """

    id: str
    group: str
    what: str
    published: str
    low: float | None
    high: float | None
    margin: float
    unit: str
    paper: str
    page: str
    place: str
    figure: str
    claim: str

    @property
    def is_held_out(self) -> bool:
        return self.group in HELD_OUT


class Population(NamedTuple):
    """Simulated people. ``agent``: as text; ``fitted``: ids of the constraints that it was fitted
    to; ``sweep``: the shipped one of searches biased towards ``network``, which imitates them."""

    agent: str
    fitted: frozenset[str]
    sweep: str = ""
    network: str = ""

    def role_of(self, constraint: Constraint) -> str:
        """Whether it was fitted to a constraint."""
        if constraint.id in self.fitted:
            return FITTED
        return "held out" if constraint.is_held_out else "not fitted"


DEFAULT = Population(
    "human", frozenset({"nil-rate", "nil-made", "sum-of-bids"}), "baier", "t-200-150-100"
)
"""The simulated human, whom the papers' rows are of. Its card model has the weights that Devlin
printed, which were fitted to people."""
THOUGHTFUL = Population(
    "thoughtful",
    frozenset(
        {
            "log-linear",
            "network-t-200-150-100",
            "search",
            "repeated-states",
            "disagreement",
            "kl-baseline",
            "kl-factory",
            "kl-biased",
            "no-nil-gap",
            "nil-of-person",
            "nil-of-partner",
            "nil-against-nil",
            "games-bis",
            "nil-rate",
            "nil-made",
            "sum-of-bids",
            "branching",
        }
    ),
    "thoughtful",
    "thoughtful-t-200-150-100",
)
"""Habit weighed with what cards are worth. Fitted to all that was looked at in choosing its options
by a coarse search, met or not: six numbers, on other seeds than those of the table."""
POPULATIONS = (DEFAULT, THOUGHTFUL)


def load_constraints() -> tuple[Constraint, ...]:
    """The list, read again when the file changes."""
    return _read_list(PATH, PATH.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _read_list(path: Path, changed: int) -> tuple[Constraint, ...]:
    constraints = []
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            fields: dict[str, Any] = dict(line)
            for end in ("low", "high"):
                fields[end] = float(line[end]) if line[end] else None
            fields["margin"] = float(line["margin"])
            constraints.append(Constraint(**fields))
    return tuple(constraints)


def population_named(agent: str) -> Population:
    """A listed population, or people who play as another agent; ``SpadesError`` for a text that
    names none."""
    text = str(parse_agent(agent))
    listed = {population.agent: population for population in POPULATIONS}
    return listed.get(text, Population(text, frozenset()))


def read_measured(path: Path = TABLE) -> Document:
    """The stored rows by population and constraint; ``SpadesError`` where they can't be read."""
    with stored_table(path, COMMAND, SpadesError):
        document = read_json(path)
        if document["version"] != VERSION:
            raise ValueError(f"no measurements of version {VERSION}")
        measured: Document = document["populations"]
    return measured


def rows_of(population: Population) -> dict[str, Document]:
    """A population's rows, as those of the papers, by constraint, as far as they are measured."""
    rows: dict[str, Document] = dict(read_measured().get(population.agent, {}))
    if population == DEFAULT:
        for constraint in load_constraints():
            row = find_row(shipped_documents(), constraint.figure, constraint.claim)
            if row is not None:
                rows[constraint.id] = row
    return rows


def outcome_of(row: Document | None) -> str:
    """``met``, ``not met``, ``can't tell`` or ``not measured``."""
    return NOT_MEASURED if row is None else MEANINGS[row["verdict"]]


def constraint_rows() -> list[Document]:
    """A row for each constraint: where it is printed, and under ``populations``, by agent, what
    each comes to: ``value``, ``interval``, ``n``, ``of``, ``outcome``, ``role`` and, with value and
    interval as people read them, ``text``."""
    measured = {population: rows_of(population) for population in POPULATIONS}
    table = []
    for constraint in load_constraints():
        populations = {
            population.agent: _value_of(population, constraint, rows.get(constraint.id))
            for population, rows in measured.items()
        }
        table.append({**constraint._asdict(), "populations": populations})
    return table


def _value_of(population: Population, constraint: Constraint, row: Document | None) -> Document:
    role = population.role_of(constraint)
    known = {"outcome": outcome_of(row), "role": role}
    if row is None:
        return {"value": None, "interval": None, "n": 0, "of": "", "text": "-", **known}
    texts = texts_of({**row, "unit": constraint.unit})
    return {
        "value": row["ours"],
        "interval": row["interval"],
        "n": row["n"],
        "of": row["of"],
        "text": f"{texts['ours']} ({texts['interval']})",
        **known,
    }


def summaries(rows: Sequence[Document]) -> list[str]:
    """How many of the numbers each population meets, a sentence a population."""
    return [_summary(population, rows) for population in POPULATIONS]


def _summary(population: Population, rows: Sequence[Document]) -> str:
    values = [row["populations"][population.agent] for row in rows]
    fitted = [value for value in values if value["role"] == FITTED]
    outcomes = [value["outcome"] for value in values]
    counts = [f"{outcomes.count(name)} {name}" for name in OTHERS if name in outcomes]
    n_fitted_met = sum(value["outcome"] == MET for value in fitted)
    return (
        f"`{population.agent}`, simulated, meets {outcomes.count(MET)} of {len(rows)} numbers "
        f"({n_fitted_met} of the {len(fitted)} that it was fitted to); {', '.join(counts)}."
    )


# For people


def cells_of(row: Document) -> list[str]:
    """What a line of a table says of a constraint: what, published, where, and of each population
    value, outcome and role."""
    cells = [row["what"], row["published"], f"{row['paper']}, {row['place']}"]
    for value in row["populations"].values():
        cells += [value["text"], f"{value['outcome']}, {value['role']}"]
    return cells


def heads() -> list[str]:
    """The heads of ``cells_of``."""
    names = ["of people", "published", "where"]
    for population in POPULATIONS:
        names += [population.agent, "meets it"]
    return names


def people_report(rows: Sequence[Document]) -> str:
    """All constraints as Markdown, by their order in the papers' list."""
    lines = [heads(), *map(cells_of, rows)]
    return "\n\n".join(
        ["## What the papers print of people", *summaries(rows), markdown_table(lines)]
    )
