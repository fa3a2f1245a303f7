"""The commands that read records of rounds: ``analyze``, ``validate``, ``convert``."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from analysis.decisions.candidates import (
    MAX_DEALS,
    CandidateValue,
    SolvedDeals,
    compute_regrets,
    is_solved,
)
from analysis.decisions.claims import MAX_POSSIBLE, best_sentence, claim_sentence
from analysis.decisions.conclusion import THRESHOLD
from analysis.decisions.decision import (
    AnalysisSettings,
    analyse_decision,
    decision_document,
    outcomes_document,
    settings_of_agent,
)
from analysis.decisions.evidence import BUDGET_SECONDS, conclusion_document, decide
from analysis.decisions.judge import JUDGE, judge_settings
from analysis.decisions.review import review_document, review_round
from analysis.runs.command import say
from analysis.text_tables import shown, text_table
from spades.agents import Agent, parse_agent
from spades.cli.main import DONE, REFUSED, Answer, add_seed
from spades.core.cards import N_CARDS, SEATS
from spades.core.equivalence import equivalent_cards
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.observation import Observation
from spades.core.records import RoundRecord
from spades.human import load_model
from spades.notation import read_parts, read_path, write_parts
from spades.notation.reading import summarise
from spades.search.search import GAME, ROUND, InvalidSearchError
from spades.search.solver import MAX_SOLVED, solve

MAX_PLAYERS = 3  # of a seat, named
JUDGING = {"budget": 3600, "threshold": 1000}  # of --judge and --review, and the most of each


def add_analyze(parser: argparse.ArgumentParser) -> None:
    """For every legal card of every play decision: the probability that a human plays it, the
    search's visits, availability, value (points for the mover's partnership), its standard error,
    and the abstract move; and the card played. --review sums a round up: 20 to 40 s each."""
    hint = "a record: .ptn .tn .log .openspiel .jsonl .parquet .csv"
    parser.add_argument("file", type=Path, help=hint)
    parser.add_argument("--round", type=int, metavar="N", help="only round N of the file, from 0")
    parser.add_argument("--ply", type=int, metavar="N", help="only play N, from 0")
    hint = f"whose search is shown, by default ismcts:iterations=2500; {JUDGE} judges in any case"
    parser.add_argument("--agent", metavar="SPEC", help=hint)
    parser.add_argument("--iterations", type=int, metavar="N", help="iterations a decision")
    parser.add_argument("--model", nargs="+", default=["devlin2016"], metavar="NAME")
    hint = (
        f"judge each decision by {JUDGE}, with many seeds, until it is clear, a toss-up, or out of "
    )
    hint += "time; the last tricks by all possible deals"
    parser.add_argument("--judge", action="store_true", help=hint)
    hint = "judge each round as a whole: points given away by seat, the costliest plays"
    parser.add_argument("--review", action="store_true", help=hint)
    hint = f"of --judge, {BUDGET_SECONDS:g} a decision"
    parser.add_argument("--budget", type=float, metavar="SECONDS", help=hint)
    hint = f"that matter to --judge, {THRESHOLD:g}"
    parser.add_argument("--threshold", type=float, metavar="POINTS", help=hint)
    hint = "what the search is rewarded for: round, or the chance to win the game"
    parser.add_argument("--objective", choices=(ROUND, GAME), help=hint)
    hint = f"of --judge: deals solved exactly, in the last {MAX_SOLVED} tricks; all there are, "
    hint += f"if no more than {MAX_POSSIBLE:,}"
    parser.add_argument("--regret", type=int, metavar="DEALS", help=hint)
    add_seed(parser)


def run_analyze(options: argparse.Namespace) -> Answer:
    agent = _agent("ismcts", options)
    rounds = _chosen_rounds(options.file, options.round)
    settings, judging = _settings(agent, options), _judging(options)
    document = {
        "file": options.file.name,
        "agent": str(agent),
        "models": options.model,
        "seed": options.seed,
        "rounds": [_round_document(*each, settings, options, judging) for each in rounds],
    }
    return Answer(document, analysis_table)


def _agent(usual: str, options: argparse.Namespace) -> Agent:
    """The agent asked for, or the usual one, with the iterations and the objective asked for."""
    agent = parse_agent(options.agent or usual)
    for name in ("iterations", "objective"):
        if (value := getattr(options, name)) is not None:
            agent = agent.with_option(name, value)
    return agent


def _judging(options: argparse.Namespace) -> dict[str, float]:
    """How decisions are to be judged, where they are."""
    if options.review and options.ply is not None:
        raise SpadesError("--review is of whole rounds; leave out --ply")
    given = {k: v for k in JUDGING if (v := getattr(options, k)) is not None}
    if options.regret is not None and not options.judge:
        raise SpadesError("--regret is an option of --judge, which wasn't asked for")
    if options.regret is not None and not 2 <= options.regret <= MAX_DEALS:
        raise SpadesError(f"--regret is {options.regret}; 2 to {MAX_DEALS:,} deals are legal")
    if given and not (options.judge or options.review):
        raise SpadesError(f"--{next(iter(given))} is an option of --judge, which wasn't asked for")
    for name, value in given.items():
        if not 0 <= value <= JUDGING[name]:
            raise SpadesError(f"--{name} is {value:g}; 0 to {JUDGING[name]:,} are legal")
    return given


def _chosen_rounds(path: Path, chosen: int | None) -> list[tuple[int, RoundRecord]]:
    """The file's rounds, or one of them, with their index; reports what is refused."""
    reading = read_path(path)
    for refusal in reading.refused:
        say(f"{path.name}: {refusal}")
    if not reading.records:
        raise InvalidRecordError(f"{path.name}: no round to analyse")
    rounds = list(enumerate(reading.records))
    if chosen is None:
        return rounds
    if not 0 <= chosen < len(rounds):
        reason = f"{path.name} has no round {chosen}; 0 to {len(rounds) - 1} are there"
        raise InvalidRecordError(reason)
    return [rounds[chosen]]


def _settings(agent: Agent, options: argparse.Namespace) -> AnalysisSettings:
    for name in options.model:
        load_model(name)  # an unknown name is refused before any work
    found = settings_of_agent(str(agent))
    return replace(found, seed=options.seed, models=tuple(options.model))


def _round_document(
    index: int,
    record: RoundRecord,
    settings: AnalysisSettings,
    options: argparse.Namespace,
    judging: dict[str, float],
) -> dict[str, Any]:
    document: dict[str, Any] = {"index": index, "game_id": record.game_id}
    document |= {"deck": record.rules.deck, "decisions": []}
    n_plays, ply = len(record.plays), options.ply
    if ply is not None and not 0 <= ply < n_plays:
        legal = f"0 to {n_plays - 1} are there" if n_plays else "it is a deal without plays"
        raise InvalidRecordError(f"the round has no play {ply}; {legal}")
    judged = judging if options.judge else None
    document |= {"review": None} if options.review else {}
    try:
        document["decisions"] = [
            _decision_document(
                record, at, settings, record.observe(state), judged, n_deals=options.regret
            )
            for at, state in zip(range(n_plays), record.positions(), strict=False)
            if ply in (None, at)
        ]
        if options.review and n_plays:
            found = review_round(record, judge_settings(settings), **judging)
            document["review"] = {"judge": JUDGE, **review_document(found)}
    except InvalidSearchError as error:
        document["not_searched"] = str(error)
    return document


def _decision_document(
    record: RoundRecord,
    ply: int,
    settings: AnalysisSettings,
    seen: Observation,
    judging: dict[str, float] | None,
    *,
    n_deals: int | None = None,
) -> dict[str, Any]:
    decision = analyse_decision(record, ply, settings, seen)
    document = decision_document(decision)
    if judging is None or decision.is_forced:
        return document
    deck = record.rules.cards
    classes = [list(map(deck.format_card, cards)) for cards in equivalent_cards(seen)]
    found = decide(record, ply, judge_settings(settings), **judging)
    for row in document["cards"]:
        outcomes = found.class_of(row["card"]).outcomes if found else None
        row["outcomes"] = outcomes_document(outcomes, decision.seat)
    if n_deals:
        deals = compute_regrets(record, ply, settings, n_deals) if is_solved(seen) else None
        regrets = {row.card: _regret_document(row) for row in deals.rows} if deals else {}
        for row in document["cards"]:
            row["regret"] = regrets.get(row["card"])
        document["deals"] = _deals_document(deals, seen) if deals else None
    return {**document, "classes": classes, "conclusion": conclusion_document(found)}


def _regret_document(row: CandidateValue) -> dict[str, Any]:
    low, high = row.regret.interval
    found = {"mean": row.regret.mean, "interval": [max(0.0, low), high]}
    return {**found, "deals": row.n, "best_in": row.best_in}


def _deals_document(found: SolvedDeals, seen: Observation) -> dict[str, Any]:
    """What holds in all solved deals, which are ``every`` possible one or sampled."""
    n, deck, claim = found.rows[0].n, seen.rules.cards, found.claim
    names = {row.card: row.card for row in found.rows}
    text = best_sentence(found.rows, names, is_every=found.is_every).replace("**", "")
    document: dict[str, Any] = {"deals": n, "every": found.is_every, "claim": None}
    document["best_in_all"] = [row.card for row in found.rows if row.best_in == n]
    if claim:
        document["claim"] = {"side": ("ns", "ew")[claim.side], "tricks": claim.tricks}
        document["claim"] |= {"of": claim.left, "cards": list(map(deck.format_card, claim.cards))}
        text += f" {claim_sentence(claim, seen)}"
    return {**document, "text": text}


def analysis_table(document: dict[str, Any]) -> str:
    lines = [f"{document['file']}  {document['agent']}  seed {document['seed']}"]
    for found in document["rounds"]:
        lines += ["", f"round {found['index']}  {found['game_id']}  {found['deck']} deck"]
        if "not_searched" in found:
            lines.append(f"not searched: {found['not_searched']}")
        if not found["decisions"]:
            lines.append("no plays to analyse")
        for decision in found["decisions"]:
            lines += ["", *_decision_lines(decision, document["models"])]
        if found.get("review"):
            lines += _review_lines(found["review"], found["decisions"])
    return "\n".join(lines)


def _decision_lines(decision: dict[str, Any], models: Sequence[str]) -> list[str]:
    head = (
        f"ply {decision['ply']}  trick {decision['trick'] + 1}  {decision['seat']} played "
        f"{decision['played']}  divergence {decision['divergence']:.3f} bits"
    )
    is_biased = any(row["prior"] is not None for row in decision["cards"])
    is_weighed = any(row["policy"] is not None for row in decision["cards"])
    share = "policy" if is_weighed else "share"
    is_for_game = decision["win_chance"] is not None
    names = ["visits", share, "avail", "value", "se", *["to win"] * is_for_game]
    names += ["prior", "bias"] * is_biased
    rows = [["", "card", *models, *names, "abstract move"]]
    for row in decision["cards"]:
        bias = [shown(row["prior"], ".1%"), shown(row["bias"], "+.1f")] if is_biased else []
        rows.append(
            [
                ">" if row["card"] == decision["played"] else "",
                row["card"],
                *(f"{row['human'][model]:.1%}" for model in models),
                str(row["visits"]),
                f"{row['share']:.1%}",
                str(row["availability"]),
                shown(row["value"], "+.1f"),
                shown(row["value_se"], ".1f"),
                *[shown(row["win_chance"], ".1%")] * is_for_game,
                *bias,
                row["abstract_move"],
            ]
        )
    unit = "match points" if is_for_game else "points"
    found = [_concluded(decision["conclusion"], unit)] if "conclusion" in decision else []
    found += [decision["deals"]["text"]] if decision.get("deals") else []
    return [head, *found, *text_table(rows)]


def _concluded(conclusion: dict[str, Any] | None, unit: str) -> str:
    if conclusion is None:
        return "not judged: the budget is too short"
    cards = " or ".join("=".join(cards) for cards in conclusion["cards"])
    text = f"{conclusion['kind']}: {cards}, by "
    if proof := conclusion["proof"]:
        text += f"all {proof['deals']:,} possible deals, best in {proof['best_in']:,}"
    if conclusion["searches"]:
        text += " and " if proof else ""
        text += f"{conclusion['judge']}, {conclusion['searches']:,} searches of "
        text += f"{conclusion['iterations']:,} iterations"
    if conclusion["lead"] is None:
        return text
    text += f"; {conclusion['lead']:.1f} {unit} over the next"
    if proof:
        return text
    low, high = conclusion["interval"]
    return f"{text}, {low:+.1f} to {high:+.1f}"


def _review_lines(found: dict[str, Any], decisions: Sequence[dict[str, Any]]) -> list[str]:
    names = ("decisions", "given_away", "se", "as_search", "as_human", "unsettled")
    rows = [["", *(name.replace("_", " ") for name in names), "early", "late"]]
    for name, row in (found["seats"] | found["partnerships"]).items():
        phases = [f"{row[phase]['given_away']:.1f}" for phase in ("early", "late")]
        cells = (f"{row[key]:.1f}" if key in names[1:3] else str(row[key]) for key in names)
        rows.append([name.upper(), *cells, *phases])
    head = f"review by {found['judge']}: points given away, bids not judged"
    lines = ["", head, *text_table(rows)]
    for play in found["costliest"]:
        place = f"ply {play['ply']}  trick {play['trick'] + 1}  {play['seat']} played"
        points = f"{play['given_away']:.1f} points, s.e. {play['se']:.1f}"
        lines.append(f"{place} {play['card']}: {points}; best {' or '.join(play['best'])}")
    ends = {None: "open", False: "set", True: "made"}
    for chance in found["chances"]:
        text = f"{chance['goal']} of {chance['of'].upper()}: {ends[chance['is_reached']]}"
        if cost := chance["costliest"]:
            play = decisions[cost["ply"]]
            text += f"; ply {cost['ply']}, {play['seat']}'s {play['played']}, cost it most: "
            text += f"{cost['played']:.1%} where the best leaves {cost['best']:.1%}"
        lines.append(text)
    return lines


def add_solve(parser: argparse.ArgumentParser) -> None:
    """The exact value of every legal card of a play if all four hands are open, points for the side
    of the seat to play, from the last ten tricks on. Who sees all cards never errs: a bluff or a
    safety play looks worse than it is."""
    parser.add_argument("file", type=Path)
    parser.add_argument("--round", type=int, metavar="N", help="only round N of the file, from 0")
    parser.add_argument("--ply", type=int, metavar="N", required=True, help="play N, from 0")


def run_solve(options: argparse.Namespace) -> Answer:
    ((_, record),) = _chosen_rounds(options.file, options.round or 0)
    n_plays, ply = len(record.plays), options.ply
    if not 0 <= ply <= n_plays or ply == N_CARDS:
        legal = f"0 to {min(n_plays, N_CARDS - 1)}"
        raise InvalidRecordError(f"the round has no decision at play {ply}; {legal} are there")
    state = record.at(ply)
    deck = record.rules.cards
    values = {deck.format_card(code): value for code, value in solve(state).items()}
    played = deck.format_card(record.plays[ply]) if ply < n_plays else None
    document = {"seat": SEATS[state.table.turn], "ply": ply, "played": played, "values": values}
    return Answer(document, solution_table)


def solution_table(document: dict[str, Any]) -> str:
    best, played = max(document["values"].values()), document["played"]
    rows = [["", "card", "value", "regret"]]
    for card, value in sorted(document["values"].items(), key=lambda item: -item[1]):
        rows.append([">" if card == played else "", card, f"{value:+d}", str(best - value)])
    head = f"ply {document['ply']}  {document['seat']} to play, all hands open: points for its side"
    return "\n".join([head, *text_table(rows)])


def add_validate(parser: argparse.ArgumentParser) -> None:
    """Read a file, replay every round through the rules, and say what is in it and what was
    refused, by line. Exit status 1 if anything was refused."""
    parser.add_argument("file", type=Path)


def run_validate(options: argparse.Namespace) -> Answer:
    found = summarise(read_parts(options.file))
    status = REFUSED if found["refused"] or not found["rounds"] else DONE
    return Answer(found, lambda found: validation_table(options.file.name, found), status)


def validation_table(file: str, summary: dict[str, Any]) -> str:
    lines = [f"{file}: {summary['rounds']} rounds read, {summary['complete']} complete"]
    lines += [f"  deck {name}: {count}" for name, count in summary["decks"].items()]
    lines += [f"  {seat}: {_players(rows)}" for seat, rows in summary["played_by"].items() if rows]
    lines += [f"  round {item['round']} lacks {item['lacks']}" for item in summary["incomplete"]]
    lines += [f"  refused, line {item['line']}: {item['reason']}" for item in summary["refused"]]
    lines += [f"  note, line {item['line']}: {item['text']}" for item in summary["notes"]]
    return "\n".join(lines)


def _players(rows: Sequence[dict[str, Any]]) -> str:
    """Who sat in a seat in how many rounds: by kind, and by agent where known."""
    shown = [
        f"{row['kind'].replace('-', ' ')}"
        + (f" ({row['agent']})" if row["agent"] else "")
        + f" in {row['rounds']:,}"
        for row in rows[:MAX_PLAYERS]
    ]
    more = [f"{len(rows) - MAX_PLAYERS} more"] if len(rows) > MAX_PLAYERS else []
    return ", ".join(shown + more)


def add_convert(parser: argparse.ArgumentParser) -> None:
    """Convert between notations by file ending: .ptn .tn .jsonl .parquet .csv; .openspiel and .log
    are read only."""
    parser.add_argument("source", type=Path, metavar="IN")
    parser.add_argument("target", type=Path, metavar="OUT")


def run_convert(options: argparse.Namespace) -> Answer:
    refused: list[dict[str, Any]] = []
    n_rounds = write_parts(_legal_rounds(options.source, refused), options.target)
    say(f"{n_rounds} rounds written to {options.target}")
    written = {"file": options.source.name, "written": str(options.target), "rounds": n_rounds}
    return Answer({**written, "refused": refused}, status=REFUSED if refused else DONE)


def _legal_rounds(source: Path, refused: list[dict[str, Any]]) -> Iterator[Sequence[RoundRecord]]:
    """The rounds of a file in parts; reports what is refused and adds it to ``refused``."""
    n_read = 0
    for reading in read_parts(source):
        for refusal in reading.refused:
            say(f"{source.name}: {refusal}")
            refused.append({"line": refusal.line, "reason": refusal.reason})
        n_read += len(reading.records)
        yield reading.records
    if not n_read:
        raise InvalidRecordError(f"{source.name}: no round to convert; nothing written")
