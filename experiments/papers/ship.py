"""Ship the papers' results: ``python -m experiments.papers.ship``, a minute.

Takes from the store what was made there at least at the scale of what is shipped
(``python -m spades reproduce NAME --scale full``). Writes ``data/papers/ID.json``, a file a figure,
and ``experiments/papers/parts/STUDY.jsonl.xz``: the parts that took long (matches, settings of
sweeps, measurements), from which a larger scale goes on. A study of which nothing new was made
keeps its files as they are.
"""

import argparse
from contextlib import suppress

from analysis.papers.figures import FIGURES, Study
from analysis.papers.results import COMMAND, load_documents, shipped_documents, shipped_path
from analysis.runs.command import say, write_table
from analysis.runs.store import Question, ResultStore, pack, packed, version_of
from analysis.sweeps.sweep import Setting
from experiments.papers.lab import Lab, StoppedError, parts_path
from experiments.papers.run import make_study
from spades.core.documents import Document


def parts_of(study: Study, shares: set[float]) -> list[tuple[str, Question]]:
    """Kind and question of the parts of a study's figures at these scales; nothing is computed."""
    parts = []
    for share in sorted(shares):
        lab = Lab(share, is_cancelled=lambda: True)
        with suppress(StoppedError):
            make_study(study, lab)
        parts += lab.used
    return parts


def is_asked(question: Question) -> bool:
    """Whether today's code asks for a shipped part.

    A study that lacks a part lists none after it, so that what is shipped is kept by this alone.
    What depends on no agent, or doesn't say on which, is kept.
    """
    agents = question.get("agents", ())
    if "baseline" in question:  # a sweep's
        agents = (question.get("agent") or _agent_of(question["setting"]), question["baseline"])
    return not agents or version_of(*agents).items() <= question.items()


def _agent_of(setting: Document) -> str:
    """An agent of a sweep's setting; how long it thinks changes no version."""
    return Setting.from_document(setting).agent(iterations=1)


def ship_parts(study: Study, shares: set[float]) -> int:
    """Write the parts of a study; how many."""
    path = parts_path(study.name)
    parts = parts_of(study, shares)
    if path.exists():
        for kind, question, _ in packed(path, COMMAND):
            if is_asked(question):
                parts.append((kind, question))
    return pack(parts, ResultStore(), path) if parts else 0


def main() -> None:
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    shipped = shipped_documents()
    documents = load_documents()
    new = [
        figure
        for figure in FIGURES
        if figure.id in documents and documents[figure.id] != shipped.get(figure.id)
    ]
    for figure in new:
        path = shipped_path(figure.id)
        document = {"made_by": COMMAND, **documents[figure.id]}
        write_table(document, path, indent=1)
        say(f"{path.name} is written")
    for study in dict.fromkeys(figure.study for figure in new):
        figures = [figure for figure in FIGURES if figure.study == study]
        shares = {documents[figure.id]["share"] for figure in figures}
        n = ship_parts(study, shares | {1.0})
        say(f"{parts_path(study.name).name} is written, {n:,} parts")


if __name__ == "__main__":
    main()
