"""Make the papers' tables and figures at a scale and store them; ``spades reproduce --scale``.

Every study is a function of its paper's module; ``analysis.papers.figures`` lists which figures it
makes, from how many games, and in how many hours.
"""

import time
from collections.abc import Callable, Iterable

from analysis.papers.figures import FIGURES, Figure, Study
from analysis.papers.results import KIND
from analysis.runs.cluster import dask_client
from analysis.runs.command import interruptible, say
from analysis.runs.progress import Progress, format_seconds
from analysis.runs.store import version_of
from experiments.papers import (
    baier,
    baier_networks,
    cohensius,
    cohensius_examples,
    cohensius_people,
    devlin,
    dobre,
    whitehouse,
)
from experiments.papers.lab import Lab, StoppedError, parse_scale
from spades.core.documents import Document

Documents = dict[str, Document]
"""By id of the figure."""


def make_exact(lab: Lab) -> Documents:
    """What Cohensius et al. estimate by dealing, exactly."""
    return {**cohensius.exact_tables(lab), **cohensius_examples.examples(lab)}


STUDIES: dict[str, Callable[[Lab], Documents]] = {
    "whitehouse-strength": whitehouse.strength,
    "whitehouse-wrong-moves": whitehouse.wrong_moves,
    "devlin-accuracy": devlin.accuracy,
    "devlin-grid": devlin.grid,
    "devlin-style": devlin.style,
    "baier-networks": baier_networks.networks,
    "baier-biased-search": baier.biased_search,
    "dobre-corpus": dobre.corpus,
    "cohensius-exact": make_exact,
    "cohensius-bidders": cohensius.bidders,
    "cohensius-people": cohensius_people.people,
    "cohensius-rounds": cohensius.rounds,
}
SECONDS_BETWEEN_LINES = 10.0


def make_study(study: Study, lab: Lab) -> Documents:
    """The documents of a study's figures; ``StoppedError`` where it was cancelled."""
    lab.load_shipped(study.name)
    return STUDIES[study.name](lab)


def make_figures(figures: Iterable[Figure], lab: Lab, begin: Callable[[Study], None]) -> None:
    """Make figures and store their documents; ``StoppedError`` where it was cancelled.

    A study's other figures are stored too: they cost nothing more. ``begin`` is called before
    each study.
    """
    for study in dict.fromkeys(figure.study for figure in figures):
        begin(study)
        for figure_id, document in make_study(study, lab).items():
            made = {"share": lab.share, **version_of()}
            question = {"figure": figure_id, **made}
            lab.store.put(KIND, question, {**document, **made}, anew=True)


def reproduce(
    figures: Iterable[Figure], scale: str, *, workers: int | None, scheduler: str | None
) -> bool:
    """Make figures on a cluster, telling how far it is; False where Ctrl-C stopped it."""
    share = parse_scale(scale)
    last_line = 0.0

    def tell(progress: Progress) -> None:
        nonlocal last_line
        is_due = time.monotonic() - last_line >= SECONDS_BETWEEN_LINES
        if is_due or progress.done == progress.total:
            last_line = time.monotonic()
            say(f"  {progress.text()}")

    def begin(study: Study) -> None:
        ids = [figure.id for figure in FIGURES if figure.study == study]
        hours = format_seconds(3600 * study.hours)
        say(f"{', '.join(ids)}; full: {study.sizes}, about {hours} of one core")

    with interruptible(say) as is_cancelled, dask_client(workers, scheduler) as client:
        lab = Lab(share, client=client, tell=tell, is_cancelled=is_cancelled)
        try:
            make_figures(figures, lab, begin)
        except StoppedError:
            return False
    return True
