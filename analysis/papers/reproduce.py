"""Every published table and figure beside ours: which there are, how each is made, what is known.

A figure's result is a document: ``rows`` (``claims.row``), ``points`` of its picture, ``axes``, and
the scale it was made at. ``readings``, where there are any, are rows of what else was tried: the
same claims under another reading of the paper, or under another assumption.

Shipped results are in ``data/tables/papers.json``, made by ``python -m analysis.papers.report``;
what a user made is in the store, and is shown where it has more games than the shipped, or the
shipped is missing.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from analysis.papers import baier, cohensius, devlin, dobre, whitehouse
from analysis.papers.claims import DIFFERS, UNKNOWN_CAUSE, precision
from analysis.papers.counting import counts_as, reason_not_again
from analysis.papers.lab import COMMAND, GRID_GAMES, NAMED_GAMES, Lab
from analysis.runs.store import Result, ResultStore, version_of
from spades.core.documents import load_toml, read_json
from spades.core.errors import SpadesError
from spades.core.paths import DATA, stored_table

TABLE = DATA / "tables" / "papers.json"
EXPLANATIONS = TABLE.with_name("paper_explanations.toml")
KIND = "paper"
LISTS = "rows", "readings"


class Study(NamedTuple):
    """What makes some figures together: ``make`` gives their documents by id. ``hours`` of one core
    at full scale, about; ``sizes``: how many there are then, and what they are worth."""

    make: Callable[[Lab], dict[str, dict[str, Any]]]
    hours: float
    sizes: str


class Figure(NamedTuple):
    """A published table or figure. ``page`` and ``query``: where the lab looks into it."""

    id: str
    source: str
    title: str
    study: Study
    page: str
    query: dict[str, str]

    @property
    def command(self) -> str:
        return f"python -m spades reproduce {self.id} --scale full"


STRENGTH = Study(whitehouse.fig1, 10, precision(NAMED_GAMES, GRID_GAMES))
WRONG = Study(whitehouse.stability, 1, f"{whitehouse.FULL_ROUNDS} rounds; {precision(GRID_GAMES)}")
ACCURACY = Study(devlin.accuracy, 0.01, f"{devlin.FRESH_ROUNDS:,} rounds")
GRID = Study(devlin.fig1, 4, precision(GRID_GAMES))
KL = Study(devlin.style, 0.4, f"{devlin.STYLE_ROUNDS:,} rounds; {precision(NAMED_GAMES)}")
NETWORKS = Study(baier.networks, 1.5, precision(NAMED_GAMES, GRID_GAMES))
BIASED = Study(baier.biased, 6, precision(NAMED_GAMES, GRID_GAMES))
CORPUS = Study(dobre.table1, 2.5, precision(NAMED_GAMES, GRID_GAMES))
EXACT = Study(cohensius.tables, 0, "exact")
BIDDERS = Study(cohensius.matches, 0.3, precision(cohensius.GAMES, NAMED_GAMES))
ROUNDS = Study(cohensius.rounds, 0.4, f"{cohensius.TABLE_GAMES:,} games of each kind of table")

W, D, B, DL, C = (
    "Whitehouse et al. 2013", "Devlin et al. 2016", "Baier et al. 2018",
    "Dobre and Lascarides 2015", "Cohensius et al. 2020",
)  # fmt: skip
REPLAY = ("Replay", {"hand": "bug-report-335", "ply": "24"})
LEAGUE = ("Arena", {"view": "league"})
FRONTIER = ("Tuning", {"view": "frontier"})
OF_BAIER = ("Tuning", {"view": "frontier", "sweep": "baier", "x": "accuracy_all"})
STYLE = ("Playstyle", {"style_logs": "human-south"})
MODELS: tuple[str, dict[str, str]] = ("Models", {})
BIDDING: tuple[str, dict[str, str]] = ("Bidding", {})
NIL = ("Nil", {"view": "curves"})
FIGURES = tuple(
    Figure(name, f"{paper}, {place}", title, study, *page)
    for name, paper, place, title, study, page in (
        ("whitehouse-fig1a", W, "figure 1 (a)", "ISMCTS against knowledge", STRENGTH, LEAGUE),
        ("whitehouse-fig1b", W, "figure 1 (b)", "the same, always a nil", STRENGTH, LEAGUE),
        ("whitehouse-stability", W, "page 5", "wrong moves searched again", WRONG, REPLAY),
        ("devlin-accuracy", D, "text", "accuracy of the human model", ACCURACY, MODELS),
        ("devlin-fig1", D, "figure 1", "KL and games won over C_BT and DR", GRID, FRONTIER),
        ("devlin-table1", D, "table 1", "KL to human play", KL, STYLE),
        ("devlin-fig2", D, "figure 2", "frequencies of abstract moves", KL, STYLE),
        ("baier-table1", B, "table I", "networks that imitate", NETWORKS, MODELS),
        ("baier-fig2-3", B, "figures 2 and 3", "accuracy and strength", BIASED, OF_BAIER),
        ("baier-table2", B, "table II", "speed by delay", BIASED, OF_BAIER),
        ("baier-fig4-5", B, "figures 4 and 5", "the delay", BIASED, OF_BAIER),
        ("baier-fig6-7", B, "figures 6 and 7", "bias at the root only", BIASED, OF_BAIER),
        ("baier-table3", B, "table III", "indirect and direct imitation", BIASED, OF_BAIER),
        ("dobre-table1", DL, "table I", "Flat-UCB seeded by a corpus", CORPUS, LEAGUE),
        ("cohensius-table1-5-6", C, "tables 1, 5, 6", "side suits", EXACT, BIDDING),
        ("cohensius-table2", C, "table 2", "BIS against other bidders", BIDDERS, LEAGUE),
        ("cohensius-table4", C, "table 4", "BIS without a part", BIDDERS, LEAGUE),
        ("cohensius-fig2", C, "figure 2", "points with and without nil", ROUNDS, NIL),
        ("cohensius-fig3", C, "figure 3", "success curves of nil", ROUNDS, NIL),
        ("cohensius-fig4", C, "figure 4", "points by the sum of bids", ROUNDS, BIDDING),
        ("cohensius-fig5", C, "figure 5", "the sum of the bids", ROUNDS, STYLE),
        ("cohensius-fig6", C, "figure 6", "the branching factor", ROUNDS, STYLE),
        ("cohensius-fig7", C, "figure 7", "the ace of spades", ROUNDS, ("Nil", {"view": "ace"})),
    )
)
GROUPS = {"cohensius-fig2-7": [f"cohensius-fig{i}" for i in range(2, 8)]}


def figures_named(name: str | None) -> list[Figure]:
    """The figure of this id, or those whose ids begin so; all for None. ``SpadesError``: none."""
    wanted = GROUPS.get(name or "", [])
    found = [one for one in FIGURES if name is None or one.id in wanted or one.id.startswith(name)]
    exact = [one for one in found if one.id == name]
    if not found:
        legal = ", ".join(one.id for one in FIGURES)
        raise SpadesError(f"no table or figure {name!r}; legal are {legal}, or how some begin")
    return exact or found


def run(wanted: Iterable[Figure], lab: Lab, begin: Callable[[Figure], None]) -> None:
    """Make figures and store their documents; ``StoppedError`` where it was cancelled."""
    ids = [figure.id for figure in wanted]
    done: set[Study] = set()
    for figure in FIGURES:
        if figure.id not in ids or figure.study in done:
            continue
        begin(figure)
        done.add(figure.study)
        for name, document in figure.study.make(lab).items():
            # What a study makes besides costs nothing more.
            made = {"share": lab.share, **version_of()}
            lab.store.put(KIND, {"figure": name, **made}, {**document, **made}, anew=True)


def shipped(path: Path = TABLE) -> dict[str, Any]:
    """Documents by figure; {} where none were made. ``SpadesError``: they can't be read."""
    if not path.exists():
        return {}
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _read(path: Path, changed: int) -> dict[str, Any]:
    with stored_table(path, COMMAND, SpadesError):
        return dict(read_json(path)["figures"])


def documents(wrong: list[str] | None = None) -> dict[str, Any]:
    """Documents by figure: the shipped ones, or the user's own where they have at least as many
    games. ``wrong`` as in ``ResultStore.sound_results``."""
    best = dict(shipped())
    for result in ResultStore().sound_results(KIND, _check, wrong):  # the newest last
        name, own = result.question["figure"], result.answer
        if name not in best or own["share"] >= best[name]["share"]:
            best[name] = own
    return {figure.id: best[figure.id] for figure in FIGURES if figure.id in best}


def stored(wrong: list[str] | None = None) -> dict[str, Any]:
    """The same, with what is told of each row: explanation, command, source."""
    known, figures = documents(wrong), {figure.id: figure for figure in FIGURES}
    for name, document in known.items():
        told = {key: [_told(figures[name], one) for one in document.get(key, [])] for key in LISTS}
        known[name] = {**document, **told}
    return known


def _check(result: Result) -> None:
    _ = result.question["figure"], result.answer["share"], result.answer["points"]
    for key in LISTS:
        for one in result.answer.get(key, []):
            _ = one["claim"], one["verdict"], one["interval"], counts_as(one)


def scale_text(share: float) -> str:
    """A share of the full sizes, for people."""
    return {0.0: "quick", 1.0: "full"}.get(share, f"{100 * share:g}% of full")


@lru_cache(maxsize=1)
def explanations() -> dict[str, Any]:
    return dict(load_toml(EXPLANATIONS.read_text("utf-8")))


def _told(figure: Figure, one: dict[str, Any]) -> dict[str, Any]:
    """A row with its explanation, the command that makes it, and what the totals count it as. An
    explanation is of all rows of a figure, or of those whose claim begins with a key."""
    texts = explanations().get(figure.id, {})
    fitting = [text for start, text in texts.items() if one["claim"].startswith(start)]
    text = fitting[-1] if fitting else texts.get("all", "")
    if one["verdict"] == DIFFERS and not text:
        text = UNKNOWN_CAUSE
    return {
        **one,
        "explanation": text,
        "command": figure.command,
        "source": figure.source,
        "counts_as": counts_as(one),
        "why_not_again": reason_not_again(one),
    }
