"""Write the documentation's page of every experiment, from its shipped results.

``docs/conf.py`` calls it whenever the site is built; ``python -m experiments.document_papers``
writes the same pages into ``docs/experiments``, which git doesn't keep. All of it is read: results
from ``data/papers/ID.json``, question and explanations from ``data/papers/ID.toml``.
"""

import argparse
import shutil
from pathlib import Path

from analysis.markdown import markdown_table
from analysis.papers.counting import counted, headline, outcomes_text
from analysis.papers.figures import FIGURES, Figure
from analysis.papers.notes import question_of
from analysis.papers.report import claims_table, heading, remarks, time_text
from analysis.papers.results import annotated, scale_text, shipped_documents
from analysis.papers.sources import SOURCES
from analysis.papers.verdicts import OUTCOMES, count_outcomes
from analysis.runs.command import say
from experiments.draw_papers import pictures_of
from spades.core.documents import Document

FOLDER = Path(__file__).parents[1] / "docs" / "experiments"
MODULES = {
    "cohensius-examples": "cohensius_examples",
    "cohensius-people": "cohensius_people",
    "cohensius-table3": "cohensius_people",
}
"""Of experiments whose module isn't named after their paper."""
SIMULATED = (
    "Where the paper had people play, ours are **simulated humans**: there is no public log of "
    "human Spades."
)


def page_text(figure: Figure, document: Document) -> str:
    """The page of a table or figure: its question, published results and ours, the command that
    reproduces them, and how they differ."""
    rows = document["rows"]
    module = MODULES.get(figure.id, figure.id.partition("-")[0])
    facts = [
        ("Command", f"`{figure.command}`"),
        ("Takes", time_text(figure)),
        ("Scale of these", scale_text(document["share"])),
        ("Played and measured by", f"`experiments/papers/{module}.py`"),
        ("Results", f"`data/papers/{figure.id}.json`"),
        ("Look further", f"the page *{figure.page}* of the dashboard"),
    ]
    blocks = [
        f"# {figure.paper}, {heading(figure)}",
        SOURCES[figure.paper].markdown(),
        f"**Asked**: {question_of(figure.id)}",
        f"**Found**: {_found(document)} {SIMULATED}",
        "## Published and ours",
        *(f"![Published and ours]({name})" for name in picture_names(figure, rows)),
        claims_table(document),
        "[How verdicts are made](../papers.md).",
        "## What differs, and why",
        *(remarks(document) or ["Nothing differs that would have to be explained."]),
    ]
    blocks += ["## Make it again", markdown_table([("what", "how"), *facts])]
    return "\n\n".join(blocks) + "\n"


def picture_names(figure: Figure, rows: list[Document]) -> dict[str, str]:
    """The pictures of a page by the names of their files."""
    return {f"{figure.id}-{i}.svg": text for i, text in enumerate(pictures_of(rows), start=1)}


def _found(document: Document) -> str:
    rows = counted(document)
    what = "row that counts" if len(rows) == 1 else "rows that count"
    return f"of {len(rows)} {what}, {outcomes_text(rows)}."


def index_text(documents: Document) -> str:
    """The list of all experiments by paper, with their verdicts."""
    blocks = ["# Experiments", headline(documents)]
    names = [figure.id for figure in FIGURES if figure.id in documents]
    for paper, source in SOURCES.items():
        lines: list[tuple[str, ...]] = [("experiment", *OUTCOMES)]
        for figure in FIGURES:
            if figure.paper == paper and figure.id in documents:
                n = count_outcomes(counted(documents[figure.id]))
                link = f"[{heading(figure)}]({figure.id}.md)"
                lines.append((link, *(str(n[name]) for name in lines[0][1:])))
        blocks += [f"## {paper}", source.markdown(), markdown_table(lines)]
    tree = "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])
    return "\n\n".join([*blocks, tree]) + "\n"


def write_pages(folder: Path = FOLDER) -> int:
    """Write all pages anew into a folder of their own; how many."""
    documents = annotated(shipped_documents())
    texts = {"index.md": index_text(documents)}
    for figure in FIGURES:
        if figure.id in documents:
            document = documents[figure.id]
            texts[f"{figure.id}.md"] = page_text(figure, document)
            texts |= picture_names(figure, document["rows"])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return sum(name.endswith(".md") for name in texts)


def main() -> None:
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    say(f"{write_pages()} pages are written")


if __name__ == "__main__":
    main()
