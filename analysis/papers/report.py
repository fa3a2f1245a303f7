"""The published numbers beside ours as Markdown, all of it read from stored results."""

from collections.abc import Mapping

from analysis.markdown import markdown_table
from analysis.papers.belief_scores import (
    NETWORK_TOLD,
    OTHER_FLOORS,
    POSTERIOR_TOLD,
    load_scores,
)
from analysis.papers.conclusions import conclusion_rows, conclusions_report
from analysis.papers.constraints import constraint_rows, people_report
from analysis.papers.counting import headline
from analysis.papers.figures import FIGURES, Figure
from analysis.papers.notes import MAIN, question_of
from analysis.papers.results import scale_text, with_readings
from analysis.papers.sources import SOURCES
from analysis.papers.verdicts import texts_of
from analysis.runs.progress import format_seconds
from analysis.style.kl_sample import KlSample
from analysis.text_tables import shown, with_interval
from spades.core.documents import Document, read_json
from spades.core.paths import DATA

MOST_NAMED = 3
"""Claims that are named before a remark."""


def whole_report(results: Mapping[str, Document]) -> str:
    """All figures by paper, the headline first; then what they print of people, conclusions
    about them, the scores of beliefs, and piKL.

    ``results`` by figure, as ``load_results`` gives them.
    """
    blocks = ["# Every published number beside ours", headline(results)]
    paper = ""
    for figure in FIGURES:
        if figure.id in results:
            if figure.paper != paper:
                paper = figure.paper
                blocks += [f"## {paper}", SOURCES[paper].markdown()]
            blocks.append(figure_report(figure, results[figure.id]))
    blocks.append(people_report(constraint_rows()))
    blocks.append(conclusions_report(conclusion_rows()))
    blocks += _beliefs()
    blocks += _pikl()
    return "\n\n".join(blocks) + "\n"


def figure_report(figure: Figure, document: Document) -> str:
    """The claims of one figure, other readings under each; then why they differ, and why another
    reading is the main one."""
    scale = scale_text(document["share"])
    blocks = [
        f"### {heading(figure)}",
        question_of(figure.id),
        f"`{figure.command}`, {time_text(figure)}; scale of these: {scale}.",
        claims_table(document),
        *remarks(document),
    ]
    return "\n\n".join(filter(None, blocks))


def heading(figure: Figure) -> str:
    """Where the paper has it, and what it is of."""
    return f"{figure.place[:1].upper()}{figure.place[1:]}: {figure.title}"


def time_text(figure: Figure) -> str:
    """How long the figure's study takes at full scale, and how much is played then."""
    seconds = 3600 * figure.study.hours
    duration = f"about {format_seconds(seconds)} of one core" if seconds else "seconds"
    return f"{duration} at full scale ({figure.study.sizes})"


def remarks(document: Document) -> list[str]:
    """Why ours differ, each text once, after the claims it is of where it isn't of all; and why
    another reading is the main one."""
    rows = document["rows"]
    claims: dict[str, list[str]] = {}
    for row in rows:
        if row["explanation"]:
            claims.setdefault(row["explanation"], []).append(row["claim"])
    blocks = []
    for text, of in claims.items():
        if len(of) == len(rows):
            blocks.append(text)
            continue
        named = "; ".join(of[:MOST_NAMED])
        more = f"; and {len(of) - MOST_NAMED} more" if len(of) > MOST_NAMED else ""
        blocks.append(f"*{named}{more}*: {text}")
    reasons = dict.fromkeys(row["why_not_main"] for row in with_readings(document))
    if any(reasons):
        blocks.append(f"Other readings: {' '.join(filter(None, reasons))}")
    return blocks


def claims_table(document: Document) -> str:
    """The claims of a figure, the other readings of each number under its main row."""
    lines = [("claim", "published", "ours", "n", "verdict", "kind", "reading")]
    for row in with_readings(document):
        reading = row["reading"] if row["reading"] == MAIN else f"↳ {row['reading']}"
        lines.append((*_cells(row), row["kind"], reading))
    return markdown_table(lines)


def _cells(row: Document) -> tuple[str, str, str, str, str]:
    texts = texts_of(row)
    ours = f"{texts['ours']} ({texts['interval']})"
    if texts["points"]:
        ours += f"; {texts['points']} points"
    return texts["claim"], texts["published"], ours, texts["n"], texts["verdict"]


def _estimate(measured: Document, name: str, form: str) -> str:
    """A value with its interval, ``−1.012 (−1.020 to −1.004)``."""
    return with_interval(shown(measured[name], form), measured["interval"] or None, form)


def _beliefs() -> list[str]:
    scores = load_scores()
    if scores is None:
        return []
    methods = (
        "uniform",
        "biased",
        *OTHER_FLOORS,
        "posterior",
        "network",
        NETWORK_TOLD,
        POSTERIOR_TOLD,
    )
    lines = [("", *methods)]
    for name, group in scores["groups"].items():
        by_method = group["parts"]["all"]["scores"]
        estimates = [_estimate(by_method[method], "value", ".3f") for method in methods]
        lines.append((name, *estimates))
    return [
        "## Beliefs about hidden cards",
        f"Nats a card on {scores['rounds']} held-out rounds of each group "
        f"(`{scores['command']}`). The posterior knows the simulated humans' true model; told who "
        "plays, the rules' as well.",
        markdown_table(lines),
    ]


def _pikl() -> list[str]:
    sweep = read_json(DATA / "sweeps" / "pikl.json")
    lines = [("setting", "cards", "log-loss", "calibration error", "KL", "games won")]
    for setting in sweep["settings"]:
        predicted = setting["probabilities"]
        match = setting["match"]
        lines.append(
            (
                setting["label"],
                _estimate(setting["accuracy"], "share", ".1%"),
                _estimate(predicted["log_loss"], "value", ".3f"),
                f"{predicted['ece']:.1%}",
                _estimate(setting["kl"], "value", ".3f"),
                "" if match is None else _estimate(match, "win_rate", ".1%"),
            )
        )
    return [
        "## piKL (Jacob et al. 2022)",
        "Towards the model that the simulated humans of the log play by, which therefore no λ can "
        "foretell better than the model does. The humans are simulated. "
        f"{KlSample.of_sweep(sweep['plan']).text}.",
        markdown_table(lines),
    ]
