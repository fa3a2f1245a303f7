"""The published numbers beside ours as Markdown, all of it read from stored results."""

from collections.abc import Mapping, Sequence

from analysis.markdown import markdown_table
from analysis.papers.belief_scores import (
    NETWORK_TOLD,
    OTHER_FLOORS,
    POSTERIOR_TOLD,
    load_scores,
)
from analysis.papers.counting import headline
from analysis.papers.figures import FIGURES, LINKS, Figure
from analysis.papers.notes import MAIN
from analysis.papers.results import scale_text, with_readings
from analysis.papers.verdicts import texts_of
from analysis.style.kl_sample import KlSample
from analysis.text_tables import shown
from spades.core.documents import Document, read_json
from spades.core.paths import DATA


def whole_report(results: Mapping[str, Document]) -> str:
    """All figures by paper, the headline first; then the scores of beliefs, and piKL.

    ``results`` by figure, as ``load_results`` gives them.
    """
    blocks = ["# Every published number beside ours", headline(results)]
    paper = ""
    for figure in FIGURES:
        if figure.id in results:
            if figure.paper != paper:
                paper = figure.paper
                blocks.append(f"## [{paper}]({LINKS[paper]})")
            blocks.append(figure_report(figure, results[figure.id]))
    blocks += _beliefs()
    blocks += _pikl()
    return "\n\n".join(blocks) + "\n"


def figure_report(figure: Figure, document: Document) -> str:
    """The claims of one figure, other readings under each; then why they differ, and why another
    reading is the main one."""
    place = figure.place[:1].upper() + figure.place[1:]
    rows = with_readings(document)
    explanations = dict.fromkeys(row["explanation"] for row in document["rows"])
    reasons = dict.fromkeys(row["why_not_main"] for row in rows)
    blocks = [
        f"### {place}: {figure.title}",
        f"`{figure.command}`; scale of these: {scale_text(document['share'])}.",
        _claims(rows),
    ]
    blocks += filter(None, explanations)
    if any(reasons):
        blocks.append(f"Other readings: {' '.join(filter(None, reasons))}")
    return "\n\n".join(blocks)


def _claims(rows: Sequence[Document]) -> str:
    lines = [("kind", "reading", "claim", "published", "ours", "n", "verdict")]
    for row in rows:
        reading = row["reading"] if row["reading"] == MAIN else f"↳ {row['reading']}"
        lines.append((row["kind"], reading, *_cells(row)))
    return markdown_table(lines)


def _cells(row: Document) -> tuple[str, str, str, str, str]:
    texts = texts_of(row)
    ours = f"{texts['ours']} [{texts['interval']}]"
    if texts["points"]:
        ours += f"; {texts['points']} points"
    return texts["claim"], texts["published"], ours, texts["n"], texts["verdict"]


def _estimate(measured: Document, name: str, form: str) -> str:
    """A value with its interval, ``-1.012 [-1.020, -1.004]``."""
    value = shown(measured[name], form)
    if not measured["interval"]:
        return value
    low, high = measured["interval"]
    return f"{value} [{low:{form}}, {high:{form}}]"


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
