"""What the papers print of people, and which populations of simulated people meet it.

No log of human Spades is public, so that simulated people stand in for real ones. What a paper
prints of people, or of programs that meet them, is a constraint on whoever stands in. A population
was fitted to some of them; the others say how far it can be trusted. Those of ``HELD_OUT`` were
named before any population but ``human`` was fitted: none is fitted to them.

``data/papers/people.csv`` lists the constraints by hand. Values of ``human`` are those of the
papers' rows, as far as there are rows; all others are in ``data/tables/constraints.json``.
"""

import csv
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from analysis.papers.notes import FOLDER
from analysis.papers.results import shipped_documents
from analysis.papers.verdicts import AGREES, CANT_TELL, DIFFERS, texts_of
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
MEANINGS = {AGREES: MET, DIFFERS: "not met", CANT_TELL: CANT_TELL}
"""What verdicts mean for a constraint."""


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
    to."""

    agent: str
    fitted: frozenset[str]

    def role_of(self, constraint: Constraint) -> str:
        """Whether it was fitted to a constraint."""
        if constraint.id in self.fitted:
            return "fitted"
        return "held out" if constraint.is_held_out else "not fitted"


DEFAULT = Population("human", frozenset({"nil-rate", "nil-made", "sum-of-bids"}))
"""The simulated human, whom the papers' rows are of. Its card model has the weights that Devlin
printed, which were fitted to people."""
POPULATIONS = (DEFAULT,)


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
    """``SpadesError`` for one that isn't listed."""
    for population in POPULATIONS:
        if population.agent == agent:
            return population
    names = ", ".join(population.agent for population in POPULATIONS)
    raise SpadesError(f"{agent!r} is no population; {names} are")


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
            row = row_in(shipped_documents(), constraint)
            if row is not None:
                rows[constraint.id] = row
    return rows


def row_in(documents: Mapping[str, Document], constraint: Constraint) -> Document | None:
    """The papers' row that stands for a constraint, in documents by figure."""
    document = documents.get(constraint.figure, {})
    for row in (*document.get("rows", ()), *document.get("readings", ())):
        if row["claim"] == constraint.claim:
            return dict(row)
    return None


def outcome_of(row: Document | None) -> str:
    """``met``, ``not met``, ``can't tell`` or ``not measured``."""
    return NOT_MEASURED if row is None else MEANINGS[row["verdict"]]


def constraint_rows() -> list[Document]:
    """A row for each constraint: where it is printed, and of each population ``value``,
    ``interval``, ``n``, ``outcome`` and ``role``, under ``populations`` by its agent."""
    measured = {population: rows_of(population) for population in POPULATIONS}
    table = []
    for constraint in load_constraints():
        populations = {}
        for population, rows in measured.items():
            row = rows.get(constraint.id)
            populations[population.agent] = {
                "value": row["ours"] if row else None,
                "interval": row["interval"] if row else None,
                "n": row["n"] if row else 0,
                "of": row["of"] if row else "",
                "outcome": outcome_of(row),
                "role": population.role_of(constraint),
                "text": value_text(row, constraint),
            }
        table.append({**constraint._asdict(), "populations": populations})
    return table


def value_text(row: Document | None, constraint: Constraint) -> str:
    """A value with its interval, as rows of the papers write it; a dash where there is none."""
    if row is None:
        return "-"
    texts = texts_of({**row, "unit": constraint.unit})
    return f"{texts['ours']} [{texts['interval']}]" if row["interval"] else texts["ours"]


def summary(rows: Sequence[Document]) -> list[str]:
    """How many constraints each population meets, a sentence a population."""
    return [_summary_of(population, rows) for population in POPULATIONS]


def _summary_of(population: Population, rows: Sequence[Document]) -> str:
    values = [row["populations"][population.agent] for row in rows]
    met = [value for value in values if value["outcome"] == MET]
    n_fitted = sum(value["role"] == "fitted" for value in values)
    n_fitted_met = sum(value["role"] == "fitted" for value in met)
    outcomes = [value["outcome"] for value in values]
    others = ", ".join(
        f"{outcomes.count(outcome)} {outcome}"
        for outcome in (MEANINGS[DIFFERS], CANT_TELL, NOT_MEASURED)
    )
    return (
        f"`{population.agent}` meets {len(met)} of {len(rows)}, {n_fitted_met} of them among the "
        f"{n_fitted} that it was fitted to; {others}."
    )
