"""What the command line prints: documents for ``--json``, tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from analysis.decisions.decision import (
    AnalysisSettings,
    Decision,
    analyse_observation,
    decision_document,
)
from analysis.text_tables import text_table
from spades.agents import Agent, IsmctsPlayer, UnknownAgentError
from spades.core.errors import InvalidRecordError
from spades.core.records import RoundRecord
from spades.human import load_model
from spades.search.search import InvalidSearchError

MAX_PLAYERS = 3  # of a seat, named
_COLUMNS = ("card", "visits", "share", "avail", "value", "se", "abstract move")


def analysis_document(
    file: str,
    rounds: Iterable[tuple[int, RoundRecord]],
    agent: Agent,
    *,
    models: Sequence[str],
    seed: int,
    ply: int | None = None,
) -> dict[str, Any]:
    """What ``analyze --json`` prints (spec 6); a round that can't be searched says why."""
    for name in models:
        load_model(name)  # an unknown name is refused before any work
    player = agent.player
    if not isinstance(player, IsmctsPlayer):
        raise UnknownAgentError(f"{agent} doesn't search, so it has no visits; ismcts does")
    settings = AnalysisSettings(
        iterations=player.iterations,
        seed=seed,
        models=tuple(models),
        search=player.search_settings,
        dealing=player.dealing,
    )
    return {
        "file": file,
        "agent": str(agent),
        "models": list(models),
        "seed": seed,
        "rounds": [_round_document(index, record, settings, ply) for index, record in rounds],
    }


def _round_document(
    index: int, record: RoundRecord, settings: AnalysisSettings, ply: int | None
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "index": index,
        "game_id": record.game_id,
        "deck": record.rules.deck,
        "decisions": [],
    }
    try:
        found = _decisions(record, settings, ply)
        document["decisions"] = [decision_document(decision) for decision in found]
    except InvalidSearchError as error:
        document["not_searched"] = str(error)
    return document


def _decisions(
    record: RoundRecord, settings: AnalysisSettings, ply: int | None
) -> Iterable[Decision]:
    n_plays = len(record.plays)
    if ply is not None and not 0 <= ply < n_plays:
        legal = f"0 to {n_plays - 1} are there" if n_plays else "it is a deal without plays"
        raise InvalidRecordError(f"the round has no play {ply}; {legal}")
    for at, state in enumerate(record.positions()):
        if at < n_plays and ply in (None, at):
            yield analyse_observation(record, at, record.observe(state), settings)


def analysis_table(document: dict[str, Any]) -> str:
    """The document as text, a block a decision."""
    lines = [f"{document['file']}  {document['agent']}  seed {document['seed']}"]
    for found in document["rounds"]:
        lines += ["", f"round {found['index']}  {found['game_id']}  {found['deck']} deck"]
        if "not_searched" in found:
            lines.append(f"not searched: {found['not_searched']}")
        if not found["decisions"]:
            lines.append("no plays to analyse")
        for decision in found["decisions"]:
            lines += ["", *_decision_lines(decision, document["models"])]
    return "\n".join(lines)


def _decision_lines(decision: dict[str, Any], models: Sequence[str]) -> list[str]:
    head = (
        f"ply {decision['ply']}  trick {decision['trick'] + 1}  {decision['seat']} played "
        f"{decision['played']}  divergence {decision['divergence']:.3f} bits"
    )
    is_biased = any(row["prior"] is not None for row in decision["cards"])
    bias_names = ("prior", "bias") if is_biased else ()
    rows = [("", *_COLUMNS[:1], *models, *_COLUMNS[1:-1], *bias_names, _COLUMNS[-1])]
    for row in decision["cards"]:
        rows.append(
            (
                ">" if row["card"] == decision["played"] else "",
                row["card"],
                *(f"{row['human'][model]:.1%}" for model in models),
                str(row["visits"]),
                f"{row['share']:.1%}",
                str(row["availability"]),
                _points(row["value"], "+.1f"),
                _points(row["value_se"], ".1f"),
                *(
                    (_points(row["prior"], ".1%"), _points(row["bias"], "+.1f"))
                    if is_biased
                    else ()
                ),
                row["abstract_move"],
            )
        )
    return [head, *text_table(rows)]


def _points(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def validation_table(file: str, summary: dict[str, Any]) -> str:
    """What ``validate`` prints for people."""
    lines = [f"{file}: {summary['rounds']} rounds read, {summary['complete']} complete"]
    lines += [f"  deck {name}: {count}" for name, count in summary["decks"].items()]
    lines += [f"  {seat}: {_players(rows)}" for seat, rows in summary["played_by"].items() if rows]
    lines += [f"  round {item['round']} lacks {item['lacks']}" for item in summary["incomplete"]]
    lines += [f"  refused, line {item['line']}: {item['reason']}" for item in summary["refused"]]
    lines += [f"  note, line {item['line']}: {item['text']}" for item in summary["notes"]]
    return "\n".join(lines)


def _players(rows: Sequence[dict[str, Any]]) -> str:
    """Who sat in a seat in how many rounds: by kind, and by agent where known."""
    told = [
        f"{row['kind'].replace('-', ' ')}"
        + (f" ({row['agent']})" if row["agent"] else "")
        + f" in {row['rounds']:,}"
        for row in rows[:MAX_PLAYERS]
    ]
    more = [f"{len(rows) - MAX_PLAYERS} more"] if len(rows) > MAX_PLAYERS else []
    return ", ".join(told + more)
