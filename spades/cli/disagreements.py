"""The command ``disagreements``: where the players of a log chose a worse card than the judge."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.decisions.conclusion import THRESHOLD
from analysis.disagreements.judged import STAKES, judge, ranked
from analysis.disagreements.plan import LogSearchPlan
from analysis.disagreements.search import run_log_search
from analysis.disagreements.search_log import add_plan_options, plan_of
from analysis.disagreements.stored import find
from analysis.disagreements.summary import share_of_decisions
from analysis.disagreements.table import PLAYED, decision_table, whole_table
from analysis.records import document_of
from analysis.runs.command import add_cluster_options, on_cluster, say
from analysis.text_tables import span, text_table
from spades.cli.answer import DONE, REFUSED, Answer, refused_rows, report_refused
from spades.cli.arguments import add_number
from spades.core.cards import SEATS, Deck
from spades.core.documents import Document
from spades.core.errors import Refusal, SpadesError
from spades.core.logs import Log, concatenate
from spades.human import MODEL_NAME, load_model
from spades.notation import read_log, stream_log
from spades.notation.log_store import content_hash, delete_log, open_log, store_log
from spades.notation.sources import find_source, log_names

ROUNDS = 10
LEAST_STORED = 1000  # rounds of a folder
TOP = 20


def add_disagreements(parser: argparse.ArgumentParser) -> None:
    """How often the players of a log chose another card than the judge puts first, and the plays
    that cost most. About a minute a round on one core; what the dashboard's list of disagreements
    has judged isn't judged again, and it lists what is judged here. Resumable: interrupt it at any
    moment, and the same command continues."""
    parser.add_argument(
        "log",
        metavar="LOG",
        help="a log's name, or a file or folder of rounds, which is added to your logs",
    )
    add_plan_options(parser, ROUNDS)
    parser.add_argument(
        "--seat", nargs="+", choices=tuple(SEATS), help="whose plays, by default everybody's"
    )
    points = f"the smallest loss that is listed, {THRESHOLD:g} by default"
    add_number(parser, "--threshold", points, unit="POINTS", kind=float, default=THRESHOLD)
    add_number(parser, "--top", f"plays printed, {TOP} by default; --json has all", default=TOP)
    add_cluster_options(parser)


@dataclass(frozen=True)
class DisagreementRow:
    """A play that cost points, beside the best card. ``round``: the row of the log; ``ply``: cards
    played before; ``loss``: points, with the 95% ``interval``; ``reason``: why it is worse, empty
    where none is known. Of equivalent cards ``best`` is the highest."""

    round: int
    ply: int
    seat: str
    played: str
    best: str
    loss: float
    interval: tuple[float, float]
    reason: str


@dataclass(frozen=True)
class LogDisagreements:
    """What was found in the ``n_rounds`` judged ones of a log.

    ``decisions``: plays; ``with_choice``: those between cards that aren't worth the same, which the
    judge valued; ``another``: where another card was played than the best, share of the choices
    with the ends of its interval; ``worse``: where that was clearly worse. ``rows``: the latter of
    at least the threshold, the costliest first; ``refused``: rounds that can't be judged, and
    why."""

    title: str
    n_rounds: int
    decisions: int
    with_choice: int
    another: tuple[float, float, float]
    worse: tuple[float, float, float]
    rows: tuple[DisagreementRow, ...]
    refused: dict[int, str]

    def document(self) -> Document:
        """What ``disagreements --json`` prints."""
        return {
            "decisions": self.decisions,
            "with_choice": self.with_choice,
            "disagreements": len(self.rows),
            "rows": document_of(self.rows),
        }


def run_disagreements(options: argparse.Namespace) -> Answer:
    if not 0 <= options.threshold <= 400:
        raise SpadesError(f"--threshold is {options.threshold:g}; 0 to 400 are legal")
    if options.top < 0:
        raise SpadesError(f"--top is {options.top}; 0 or more are legal")
    plan = plan_of(options, stored_name(options.log, options.rounds))
    on_cluster(run_log_search, plan, options=options)
    found = disagreements(plan, options.seat or SEATS, options.threshold)
    for index, reason in found.refused.items():
        say(f"round {index} left out: {reason}")
    status = REFUSED if found.refused else DONE
    return Answer(found.document(), lambda _: disagreements_text(found, options.top), status)


def stored_name(source: str, n_rounds: int = LEAST_STORED) -> str:
    """The name of a stored log; a file of rounds is stored under one, once. Of a folder those that
    are judged, and at least the first ``LEAST_STORED``."""
    if source in log_names():
        return source
    path = find_source(Path(source))
    if path.is_dir():
        log, refusals = first_rounds(path, max(n_rounds, LEAST_STORED))
    else:
        log, refusals = read_log(path)
    report_refused(refused_rows(path, refusals))
    before = set(log_names())
    entry = store_log(log, path.stem, {"source": path.name})
    same = [name for name in sorted(before) if content_hash(name) == content_hash(entry.name)]
    if same:
        delete_log(entry.name)
        return same[0]
    say(f"{path.name} is the log {entry.name} from now on")
    return entry.name


def first_rounds(folder: Path, n_rounds: int) -> tuple[Log, list[Refusal]]:
    """The first so many rounds of a folder, and what was refused before them."""
    logs: list[Log] = []
    refused: list[Refusal] = []
    missing = n_rounds
    for log, refusals in stream_log(folder):
        logs.append(log.take(slice(missing)).compact())
        refused += refusals
        missing -= len(logs[-1])
        if not missing:
            break
    return concatenate(logs), refused


def disagreements(plan: LogSearchPlan, seats: Sequence[str], threshold: float) -> LogDisagreements:
    """What is found in the judged rounds of a plan, of the plays of some seats (letters)."""
    search = find(plan)
    indices = [index for index in search.rounds if index < plan.rounds]
    log = open_log(plan.log)
    model = load_model(MODEL_NAME)  # the table wants one; what is reported here asks none
    refused: dict[int, str] = {}
    tables = []
    for index in indices:
        rows = search.read(index)
        refused |= rows.refused
        only = log.take(slice(index, index + 1))
        tables.append(decision_table(rows, only, index, model))
    table = whole_table(tables, log, model)
    codes = [SEATS.index(seat) for seat in seats]
    judged = judge(table[table["seat"].isin(codes)], threshold, PLAYED)
    listed = ranked(judged, STAKES, threshold)
    is_another = (judged["search_cards"] != judged["played_cards"]).to_numpy()
    counted = sorted(set(table["round"]) - refused.keys())
    return LogDisagreements(
        title=f"{plan.log}, judged by up to {plan.played_on:,} rounds played on of a decision",
        n_rounds=len(counted),
        decisions=sum(_plays_of(log, int(index), codes) for index in counted),
        with_choice=len(judged),
        another=share_of_decisions(judged, is_another),
        worse=share_of_decisions(judged, judged["is_clear"].to_numpy()),
        rows=tuple(_row(row, log) for row in listed.to_dict("records")),
        refused=refused,
    )


def _plays_of(log: Log, index: int, seats: Sequence[int]) -> int:
    """How many cards some seats played in a round."""
    record = log.record(index)
    turns = [state.table.turn for state in record.positions()]
    return sum(turn in seats for turn in turns[: len(record.plays)])


def _row(row: dict, log: Log) -> DisagreementRow:
    index, ply = int(row["round"]), int(row["ply"])
    deck: Deck = log.rules[log.rules_code[index]].cards
    return DisagreementRow(
        round=index,
        ply=ply,
        seat=SEATS[row["seat"]],
        played=str(deck.format_card(int(log.plays[index, ply]))),
        best=str(deck.format_card(int(row["search_cards"]).bit_length() - 1)),
        loss=round(float(row["stakes"]), 4),
        interval=(round(float(row["low"]), 4), round(float(row["high"]), 4)),
        reason=row["reason"],
    )


def disagreements_text(found: LogDisagreements, top: int) -> str:
    """The finding for people: shares, then the costliest plays."""
    lines = [
        f"{found.title}: {found.n_rounds:,} rounds, {found.decisions:,} plays, "
        f"{found.with_choice:,} between cards that aren't worth the same",
        f"another card than the judge's first: {_share(found.another, found.with_choice)}",
        f"clearly worse: {_share(found.worse, found.with_choice)}",
    ]
    shown = found.rows[:top]
    if shown:
        heading = f"the {len(shown)} costliest of {len(found.rows)}"
        rows = [["round", "ply", "seat", "played", "best", "loss", "95%", "reason"]]
        for row in shown:
            interval = span(row.interval, ".1f") if row.interval[0] < row.interval[1] else "exact"
            numbers = (f"{row.loss:.1f}", interval, row.reason)
            rows.append([str(row.round), str(row.ply), row.seat, row.played, row.best, *numbers])
        lines += ["", heading, *text_table(rows)]
    return "\n".join(lines)


def _share(share: tuple[float, float, float], n: int) -> str:
    """``12.3% of 400 (95%: 9.9% to 15.0%)``."""
    if not n:
        return "no choice was judged"
    value, *ends = share
    return f"{value:.1%} of {n:,} (95%: {span(ends, '.1%')}, over rounds)"
