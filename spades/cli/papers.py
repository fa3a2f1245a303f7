"""The command ``reproduce``: the published tables and figures beside ours."""

import argparse

from analysis.experiments import load_experiment
from analysis.papers import conclusions
from analysis.papers.constraints import cells_of, constraint_rows, heads, people_report, summaries
from analysis.papers.figures import figures_named
from analysis.papers.notes import MAIN
from analysis.papers.report import figure_report, whole_report
from analysis.papers.results import LISTS, load_results, with_readings
from analysis.papers.verdicts import texts_of
from analysis.runs.command import INTERRUPTED, RESUMABLE, add_cluster_options, say
from analysis.text_tables import text_table
from spades.cli.answer import DONE, Answer
from spades.core.documents import Document
from spades.core.errors import SpadesError


def add_reproduce(parser: argparse.ArgumentParser) -> None:
    """Published tables and figures beside ours: every claim with the paper's figure, ours, its 95%
    interval, n, and a verdict by one rule. A row's kind is number, direction or calibrated (ours
    was fitted to it); its reading is main, or the name of another reading of the same number.
    Prints what is stored; with --scale, in a checkout, it first computes what is missing at that
    scale. Resumable."""
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="baier-table1, baier, cohensius-fig2-7, ...; all by default",
    )
    parser.add_argument(
        "--scale",
        metavar="SCALE",
        help="quick, full, or a share of full, as 0.1",
    )
    parser.add_argument(
        "--people",
        action="store_true",
        help="instead, what the papers print of people, who meets it, and conclusions from it",
    )
    parser.add_argument("--markdown", action="store_true", help="tables in Markdown, explained")
    add_cluster_options(parser)


def run_reproduce(options: argparse.Namespace) -> Answer:
    if options.people:
        return _people(options)
    figures = figures_named(options.name)
    if options.scale is not None:
        is_whole = load_experiment("papers.run").reproduce(
            figures, options.scale, workers=options.workers, scheduler=options.scheduler
        )
        if not is_whole:
            say(RESUMABLE)
            return Answer({key: [] for key in LISTS}, status=INTERRUPTED)
    results = load_results()
    known = [figure for figure in figures if figure.id in results]
    missing = [figure.id for figure in figures if figure.id not in results]
    if missing:
        say(f"not computed yet: {', '.join(missing)}; --scale quick computes them")
    if not known:
        raise SpadesError("nothing is stored of these figures")
    lists = {key: [row for figure in known for row in results[figure.id][key]] for key in LISTS}
    if not options.markdown:
        text = _claims_table([row for figure in known for row in with_readings(results[figure.id])])
    elif options.name is None:
        text = whole_report(results)
    else:
        text = "\n\n".join(figure_report(figure, results[figure.id]) for figure in known)
    return Answer(lists, lambda lists: text, DONE)


def _people(options: argparse.Namespace) -> Answer:
    """What the papers print of people, and conclusions from it; ``rows`` as
    ``analysis.papers.constraints`` gives them, ``conclusions`` as ``analysis.papers.conclusions``
    does."""
    if options.name is not None or options.scale is not None:
        raise SpadesError("--people takes no NAME and no --scale: it prints what is stored")
    rows = constraint_rows()
    drawn = conclusions.conclusion_rows()
    lists = {"rows": rows, "conclusions": drawn}
    if options.markdown:
        blocks = (people_report(rows), conclusions.conclusions_report(drawn))
        return Answer(lists, lambda shown: "\n\n".join(blocks), DONE)
    table = text_table([heads(), *map(cells_of, rows)])
    drawn_table = text_table([conclusions.HEADS, *map(conclusions.cells_of, drawn)])
    lines = [*table, "", *summaries(rows), "", *drawn_table, "", conclusions.summary(drawn)]
    return Answer(lists, lambda shown: "\n".join(lines), DONE)


def _claims_table(rows: list[Document]) -> str:
    """Each main row with the other readings of its number under it."""
    columns = ("claim", "published", "ours", "95% interval", "points/round", "n", "verdict")
    cells = []
    for row in rows:
        texts = texts_of(row)
        if row["reading"] != MAIN:
            texts["claim"] = f"↳ {texts['claim']}"
        cells.append((row["id"], row["kind"], row["reading"], *texts.values()))
    return "\n".join(text_table([("figure", "kind", "reading", *columns), *cells]))
