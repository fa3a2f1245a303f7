"""Conclusions about people, and of which populations of simulated people they hold.

Whoever stands in for people may be wrong about a number and still right about which of two is
larger. Each conclusion is such a comparison of two constraints (``analysis.papers.constraints``),
or of one with a level, drawn from the papers' numbers and from those of each population; or of two
settings of biased searches, which the papers plot, drawn from the sweep of each population.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import pandas as pd

from analysis.intervals import Interval, difference_interval
from analysis.markdown import markdown_table
from analysis.papers.constraints import DEFAULT, POPULATIONS, Population, constraint_rows
from analysis.papers.verdicts import CANT_TELL, difference_text
from analysis.sweeps.library import SWEEPS, read_document
from analysis.sweeps.sweep import Setting
from analysis.sweeps.views import ACCURACY_ALL, KL, WIN_RATE, Measure, setting_table
from spades.core.documents import Document
from spades.search import Experience, Knowledge, Technique

HOLDS = "holds"
FAILS = "doesn't hold"
SAME = "yes"
NOT_SAME = "no"
HEADS = ("conclusion", "papers", *(one.agent for one in POPULATIONS), "same in both")
RULE = (
    "A conclusion holds where the 95% interval of the difference lies above 0; it doesn't where "
    "that lies below."
)


class Conclusion(NamedTuple):
    """``more`` is more than ``less``: each the id of a constraint, or a level."""

    text: str
    more: str | float
    less: str | float


CONCLUSIONS = (
    Conclusion(
        "A network foretells more of people's cards than the unbiased search",
        "network-t-200-150-100",
        "search",
    ),
    Conclusion(
        "A network that is told bids and tricks foretells more than one that isn't",
        "network-t-200",
        "network-200",
    ),
    Conclusion(
        "A network of cards foretells more than one of abstract moves foretells of these",
        "network-200",
        "network-abstract",
    ),
    Conclusion(
        "The search biased by a network foretells more than the unbiased one",
        "indirect-accuracy",
        "search",
    ),
    Conclusion(
        "By abstract moves, the unbiased search is farther from people than AI Factory's",
        "kl-baseline",
        "kl-factory",
    ),
    Conclusion(
        "By abstract moves, AI Factory's search is farther from people than the biased one",
        "kl-factory",
        "kl-biased",
    ),
    Conclusion(
        "Without nil, two bots are ahead of a bot with a person",
        "no-nil-gap",
        0.0,
    ),
    Conclusion(
        "Two of BIS and SRP win most games against one with a person",
        "games-bis",
        0.5,
    ),
    Conclusion(
        "Two of RB and SRP win most games against one with a person",
        "games-rb",
        0.5,
    ),
    Conclusion(
        "BIS wins more against people than RB, both with SRP",
        "games-bis",
        "games-rb",
    ),
    Conclusion(
        "A person's partner, a bot, makes more of their nils than the person",
        "nil-of-partner",
        "nil-of-person",
    ),
    Conclusion(
        "Nils against a nil are made less often than those of the person alone",
        "nil-of-person",
        "nil-against-nil",
    ),
    Conclusion(
        "The network that imitates people beats the plain search of 50 iterations",
        "direct-50",
        0.5,
    ),
    Conclusion(
        "It loses to the plain search of 2,500",
        0.5,
        "direct-2500",
    ),
    Conclusion(
        "Biased at the root by that network, the search wins fewer games than the plain one",
        0.5,
        "indirect-games",
    ),
)


class BiasConclusion(NamedTuple):
    """A search with the bias ``more`` has more of a measure than one with the bias ``less``, both
    in every node; None is the unbiased search. The biases are written with the network of
    ``human``. ``in_papers``: whether a paper shows it."""

    text: str
    measure: Measure
    more: Technique | None
    less: Technique | None
    in_papers: bool = True


_WEAK_KNOWLEDGE, _KNOWLEDGE, _STRONG_KNOWLEDGE = (
    Knowledge(DEFAULT.network, c_bt=c_bt, k=1000.0) for c_bt in (0.05, 0.2, 0.5)
)
_WEAK_EXPERIENCE, _STRONG_EXPERIENCE = (Experience(DEFAULT.network, w=w) for w in (1, 100))
BIAS_CONCLUSIONS = (
    BiasConclusion(
        "More knowledge bias (C_BT 0.5 instead of 0.05) foretells more of people's cards",
        ACCURACY_ALL,
        _STRONG_KNOWLEDGE,
        _WEAK_KNOWLEDGE,
    ),
    BiasConclusion(
        "More knowledge bias wins fewer games against the unbiased search",
        WIN_RATE,
        _WEAK_KNOWLEDGE,
        _STRONG_KNOWLEDGE,
    ),
    BiasConclusion(
        "More equivalent experience (w 100 instead of 1) foretells more of people's cards",
        ACCURACY_ALL,
        _STRONG_EXPERIENCE,
        _WEAK_EXPERIENCE,
    ),
    BiasConclusion(
        "More equivalent experience wins fewer games against the unbiased search",
        WIN_RATE,
        _WEAK_EXPERIENCE,
        _STRONG_EXPERIENCE,
    ),
    BiasConclusion(
        "By abstract moves, C_BT 0.2, K 1000 brings the search nearer to people than no bias",
        KL,
        None,
        _KNOWLEDGE,
        in_papers=False,
    ),
)
"""Figures 2 and 3 of Baier et al. 2018, who print no KL."""
UNITS = {ACCURACY_ALL: "share of cards", WIN_RATE: "share of games", KL: "nats"}


class Difference(NamedTuple):
    """By how much the one number is more than the other, with its 95% interval, None where a number
    has none or isn't measured."""

    value: float | None
    interval: Interval

    @property
    def outcome(self) -> str:
        """``holds``, ``doesn't hold`` or ``can't tell``."""
        if self.interval is None:
            return CANT_TELL
        low, high = self.interval
        if low > 0:
            return HOLDS
        return FAILS if high < 0 else CANT_TELL


def conclusion_rows() -> list[Document]:
    """A row a conclusion: ``text``, ``unit`` and ``papers``, by how much the one published number
    is more than the other, None where the papers print no numbers; ``papers_outcome``: whether it
    holds there, None where they don't say. Under ``populations``, by agent: ``value`` and
    ``interval`` of the difference, ``outcome`` and, as people read it, ``text``. ``same``: whether
    all populations say the same, None where one can't tell."""
    constraints = {row["id"]: row for row in constraint_rows()}
    rows = [_row_of(conclusion, constraints) for conclusion in CONCLUSIONS]
    sweeps = {population: _settings_of(population) for population in POPULATIONS}
    return rows + [_row_of_bias(conclusion, sweeps) for conclusion in BIAS_CONCLUSIONS]


def _row_of(conclusion: Conclusion, constraints: Mapping[str, Document]) -> Document:
    ids = [one for one in (conclusion.more, conclusion.less) if isinstance(one, str)]
    unit = constraints[ids[0]]["unit"]
    printed = _published(conclusion.more, constraints) - _published(conclusion.less, constraints)
    differences = {}
    for population in POPULATIONS:
        more = _estimate(conclusion.more, constraints, population.agent)
        less = _estimate(conclusion.less, constraints, population.agent)
        differences[population.agent] = _difference(more, less)
    outcome = HOLDS if printed > 0 else FAILS
    return {
        "text": conclusion.text,
        "unit": unit,
        "papers": printed,
        "papers_outcome": outcome,
        "papers_text": _text(outcome, printed, None, unit),
        **_beside(differences, unit),
    }


def _row_of_bias(
    conclusion: BiasConclusion, sweeps: Mapping[Population, Mapping[Setting, pd.Series]]
) -> Document:
    unit = UNITS[conclusion.measure]
    differences = {}
    for population, settings in sweeps.items():
        more, less = (
            _estimate_of_bias(bias, conclusion.measure, population, settings)
            for bias in (conclusion.more, conclusion.less)
        )
        differences[population.agent] = _difference(more, less)
    return {
        "text": conclusion.text,
        "unit": unit,
        "papers": None,
        "papers_outcome": HOLDS if conclusion.in_papers else None,
        "papers_text": f"{HOLDS}: plotted" if conclusion.in_papers else "not printed",
        **_beside(differences, unit),
    }


def _settings_of(population: Population) -> Mapping[Setting, pd.Series]:
    """The rows of ``setting_table`` of a population's sweep, by setting."""
    document = read_document(SWEEPS / f"{population.sweep}.json")
    settings = [Setting.from_document(measured["setting"]) for measured in document["settings"]]
    rows = [row for _, row in setting_table(document).iterrows()]
    return dict(zip(settings, rows, strict=True))


def _estimate_of_bias(
    bias: Technique | None,
    measure: Measure,
    population: Population,
    settings: Mapping[Setting, pd.Series],
) -> Difference:
    """A measure of a bias towards the network of a population, as far from 0."""
    row = settings[Setting(bias and replace(bias, model=population.network))]
    low = float(row[f"{measure.name}_low"])
    high = float(row[f"{measure.name}_high"])
    return Difference(float(row[measure.name]), (low, high))


def _beside(differences: Mapping[str, Difference], unit: str) -> Document:
    """What a row says of each population, by agent, and whether that is the same of all."""
    outcomes = {difference.outcome for difference in differences.values()}
    return {
        "populations": {agent: _cell(of, unit) for agent, of in differences.items()},
        "same": None if CANT_TELL in outcomes else len(outcomes) == 1,
    }


def _published(of: str | float, constraints: Mapping[str, Document]) -> float:
    if not isinstance(of, str):
        return of
    value: float = constraints[of]["low"]
    return value


def _estimate(of: str | float, constraints: Mapping[str, Document], agent: str) -> Difference:
    """A number of a population, or a level, as far from 0."""
    if not isinstance(of, str):
        return Difference(of, (of, of))
    cell = constraints[of]["populations"][agent]
    return Difference(cell["value"], cell["interval"] and tuple(cell["interval"]))


def _difference(more: Difference, less: Difference) -> Difference:
    if more.value is None or less.value is None:
        return Difference(None, None)
    value = more.value - less.value
    if more.interval is None or less.interval is None:
        return Difference(value, None)
    interval = difference_interval(more.value, more.interval, less.value, less.interval)
    return Difference(value, interval)


def _cell(difference: Difference, unit: str) -> Document:
    return {
        "value": difference.value,
        "interval": difference.interval,
        "outcome": difference.outcome,
        "text": _text(difference.outcome, *difference, unit),
    }


def _text(outcome: str, value: float | None, interval: Interval, unit: str) -> str:
    if value is None:
        return "not measured"
    return f"{outcome}: {difference_text(value, interval, unit)}"


# For people


def summary(rows: Sequence[Document]) -> str:
    """Of how many conclusions the populations say the same, and of which they don't."""
    told = [row for row in rows if row["same"] is not None]
    same = [row for row in told if row["same"]]
    as_papers = [row for row in same if _outcomes(row) == {row["papers_outcome"]}]
    return (
        f"Of {len(rows)} conclusions, {len(told)} can be told of both populations: {len(same)} are "
        f"the same in both, {len(as_papers)} of these as in the papers."
    )


def _outcomes(row: Document) -> set[str]:
    return {cell["outcome"] for cell in row["populations"].values()}


def cells_of(row: Document) -> list[str]:
    """What a line of a table says of a conclusion, by ``HEADS``."""
    texts = [cell["text"] for cell in row["populations"].values()]
    return [row["text"], row["papers_text"], *texts, same_text(row)]


def same_text(row: Document) -> str:
    if row["same"] is None:
        return CANT_TELL
    return SAME if row["same"] else NOT_SAME


def conclusions_report(rows: Sequence[Document]) -> str:
    """All conclusions as Markdown."""
    table = markdown_table([HEADS, *map(cells_of, rows)])
    return "\n\n".join(["## Conclusions about people", f"{summary(rows)} {RULE}", table])
