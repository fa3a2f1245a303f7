"""The command ``analyze``: every decision of a record searched, judged and reviewed."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from spades.cli.answer import Answer
from spades.cli.arguments import add_seed
from spades.core.equivalence import equivalent_cards
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.observation import Observation
from spades.core.records import RoundRecord
from spades.human import load_model
from spades.notation import read_path
from spades.search import OBJECTIVES
from spades.search.search import InvalidSearchError
from spades.search.solver import MAX_SOLVED

LARGEST = {"budget": 3600, "threshold": 1000}  # options of --judge and --review


def add_analyze(parser: argparse.ArgumentParser) -> None:
    """For every legal card of every decision: the probability that a human plays it, the search's
    visits, availability, value (points for the mover's partnership) and its standard error, and the
    abstract move. ``--judge`` settles which card is best, ``--review`` sums a round up, in 20 to
    40 s each."""
    parser.add_argument(
        "file",
        type=Path,
        help="a record, .ptn .tn .openspiel .jsonl .parquet .csv, or a shipped hand's name",
    )
    parser.add_argument("--round", type=int, metavar="N", help="only round N of the file, from 0")
    parser.add_argument("--ply", type=int, metavar="N", help="only play N, from 0")
    parser.add_argument(
        "--agent",
        metavar="SPEC",
        help=f"the search shown, by default ismcts:iterations=2500; {JUDGE} judges in any case",
    )
    parser.add_argument("--iterations", type=int, metavar="N", help="iterations a decision")
    parser.add_argument(
        "--model",
        nargs="+",
        default=["devlin2016"],
        metavar="NAME",
        help="models of human play, by default devlin2016",
    )
    parser.add_argument(
        "--judge",
        action="store_true",
        help=f"judge each decision by searches of {JUDGE} with many seeds, until one card is "
        "clearly best, several are a toss-up, or time is up; the last tricks by all possible deals",
    )
    parser.add_argument(
        "--review",
        action="store_true",
        help="judge each round as a whole: points given away by seat, the costliest plays",
    )
    parser.add_argument(
        "--budget",
        type=float,
        metavar="SECONDS",
        help=f"for --judge: time a decision, {BUDGET_SECONDS:g} by default",
    )
    parser.add_argument(
        "--threshold",
        type=float,
        metavar="POINTS",
        help=f"for --judge: the smallest difference that matters, {THRESHOLD:g} by default",
    )
    parser.add_argument(
        "--objective",
        choices=tuple(OBJECTIVES),
        help="what the search maximizes: points of the round, or the chance to win the game",
    )
    parser.add_argument(
        "--regret",
        type=int,
        metavar="DEALS",
        help=f"for --judge: deals to solve exactly in the last {MAX_SOLVED} tricks; all that are "
        f"possible, if no more than {MAX_POSSIBLE:,}",
    )
    add_seed(parser)


@dataclass(frozen=True)
class Plan:
    """What is done with every round. ``ply``: the only play to analyse, None for all. ``judging``:
    ``budget`` and ``threshold`` where given, for ``decide`` and ``review_round``. ``n_deals``: to
    solve exactly for regrets, None for none."""

    settings: AnalysisSettings
    ply: int | None
    is_judged: bool
    is_reviewed: bool
    judging: dict[str, float]
    n_deals: int | None


def run_analyze(options: argparse.Namespace) -> Answer:
    agent = _agent(options)
    rounds = chosen_rounds(options.file, options.round)
    plan = Plan(
        settings=_settings(agent, options),
        ply=options.ply,
        is_judged=options.judge,
        is_reviewed=options.review,
        judging=_judging(options),
        n_deals=options.regret,
    )
    document = {
        "file": options.file.name,
        "agent": str(agent),
        "models": options.model,
        "seed": options.seed,
        "rounds": [_round_document(index, record, plan) for index, record in rounds],
    }
    return Answer(document, analysis_table)


def _agent(options: argparse.Namespace) -> Agent:
    """The agent asked for, with the iterations and the objective asked for."""
    agent = parse_agent(options.agent or "ismcts")
    if options.iterations is not None:
        agent = agent.with_option("iterations", options.iterations)
    if options.objective is not None:
        agent = agent.with_option("objective", options.objective)
    return agent


def _settings(agent: Agent, options: argparse.Namespace) -> AnalysisSettings:
    for name in options.model:
        load_model(name)  # an unknown name is refused before any work
    settings = settings_of_agent(str(agent))
    return replace(settings, seed=options.seed, models=tuple(options.model))


def _judging(options: argparse.Namespace) -> dict[str, float]:
    """The options of judging that were given; ``SpadesError`` for what can't be judged so."""
    if options.review and options.ply is not None:
        raise SpadesError("--review is of whole rounds; leave out --ply")
    if options.regret is not None and not options.judge:
        raise SpadesError("--regret is an option of --judge, which wasn't asked for")
    if options.regret is not None and not 2 <= options.regret <= MAX_DEALS:
        raise SpadesError(f"--regret is {options.regret}; 2 to {MAX_DEALS:,} deals are legal")
    given = {}
    for name, largest in LARGEST.items():
        value = getattr(options, name)
        if value is None:
            continue
        if not (options.judge or options.review):
            raise SpadesError(f"--{name} is an option of --judge, which wasn't asked for")
        if not 0 <= value <= largest:
            raise SpadesError(f"--{name} is {value:g}; 0 to {largest:,} are legal")
        given[name] = value
    return given


def chosen_rounds(path: Path, chosen: int | None) -> list[tuple[int, RoundRecord]]:
    """The rounds of a file, or one of them, each with its index; reports what is refused."""
    reading = read_path(path)
    for refusal in reading.refused:
        say(f"{path.name}: {refusal}")
    rounds = list(enumerate(reading.records))
    if chosen is None:
        return rounds
    if not 0 <= chosen < len(rounds):
        last = len(rounds) - 1
        raise InvalidRecordError(f"{path.name} has no round {chosen}; 0 to {last} are there")
    return [rounds[chosen]]


def _round_document(index: int, record: RoundRecord, plan: Plan) -> dict[str, Any]:
    n_plays = len(record.plays)
    if plan.ply is not None and not 0 <= plan.ply < n_plays:
        legal = f"0 to {n_plays - 1} are there" if n_plays else "it is a deal without plays"
        raise InvalidRecordError(f"the round has no play {plan.ply}; {legal}")
    document: dict[str, Any] = {
        "index": index,
        "game_id": record.game_id,
        "deck": record.rules.deck,
        "decisions": [],
    }
    if plan.is_reviewed:
        document["review"] = None
    try:
        document["decisions"] = [
            _decision_document(record, ply, record.observe(state), plan)
            for ply, state in zip(range(n_plays), record.positions(), strict=False)
            if plan.ply is None or ply == plan.ply
        ]
        if plan.is_reviewed and n_plays:
            review = review_round(record, judge_settings(plan.settings), **plan.judging)
            document["review"] = {"judge": JUDGE, **review_document(review)}
    except InvalidSearchError as error:
        document["not_searched"] = str(error)
    return document


def _decision_document(
    record: RoundRecord, ply: int, observation: Observation, plan: Plan
) -> dict[str, Any]:
    decision = analyse_decision(record, ply, plan.settings, observation)
    document = decision_document(decision)
    if not plan.is_judged or decision.is_forced:
        return document
    judged = decide(record, ply, judge_settings(plan.settings), **plan.judging)
    for row in document["cards"]:
        outcomes = judged.class_of(row["card"]).outcomes if judged else None
        row["outcomes"] = outcomes_document(outcomes, decision.seat)
    if plan.n_deals:
        solved = None
        if is_solved(observation):
            solved = compute_regrets(record, ply, plan.settings, plan.n_deals)
        _add_regrets(document, solved, observation)
    deck = record.rules.cards
    document["classes"] = [
        [deck.format_card(card) for card in cards] for cards in equivalent_cards(observation)
    ]
    document["conclusion"] = conclusion_document(judged)
    return document


def _add_regrets(
    document: dict[str, Any], solved: SolvedDeals | None, observation: Observation
) -> None:
    """Add every card's regret over solved deals; None where no deal can be solved yet."""
    regrets = {row.card: _regret_document(row) for row in solved.rows} if solved else {}
    for row in document["cards"]:
        row["regret"] = regrets.get(row["card"])
    document["deals"] = _deals_document(solved, observation) if solved else None


def _regret_document(row: CandidateValue) -> dict[str, Any]:
    low, high = row.regret.interval
    return {
        "mean": row.regret.mean,
        "interval": [max(0.0, low), high],
        "deals": row.n,
        "best_in": row.best_in,
    }


def _deals_document(solved: SolvedDeals, observation: Observation) -> dict[str, Any]:
    """What holds in all solved deals. ``every``: they are all that are possible, not a sample."""
    n_deals = solved.rows[0].n
    names = {row.card: row.card for row in solved.rows}
    text = best_sentence(solved.rows, names, is_every=solved.is_every).replace("**", "")
    document: dict[str, Any] = {
        "deals": n_deals,
        "every": solved.is_every,
        "claim": None,
        "best_in_all": [row.card for row in solved.rows if row.best_in == n_deals],
    }
    claim = solved.claim
    if claim:
        deck = observation.rules.cards
        document["claim"] = {
            "side": ("ns", "ew")[claim.side],
            "tricks": claim.tricks,
            "of": claim.left,
            "cards": [deck.format_card(card) for card in claim.cards],
        }
        text += f" {claim_sentence(claim, observation)}"
    document["text"] = text
    return document


def analysis_table(document: dict[str, Any]) -> str:
    """The document as text: a table a decision, then the review of each round."""
    lines = [f"{document['file']}  {document['agent']}  seed {document['seed']}"]
    for played in document["rounds"]:
        lines += ["", f"round {played['index']}  {played['game_id']}  {played['deck']} deck"]
        if "not_searched" in played:
            lines.append(f"not searched: {played['not_searched']}")
        if not played["decisions"]:
            lines.append("no plays to analyse")
        for decision in played["decisions"]:
            lines += ["", *_decision_lines(decision, document["models"])]
        if played.get("review"):
            lines += _review_lines(played["review"], played["decisions"])
    return "\n".join(lines)


def _decision_lines(decision: dict[str, Any], models: Sequence[str]) -> list[str]:
    lines = [
        f"ply {decision['ply']}  trick {decision['trick'] + 1}  {decision['seat']} played "
        f"{decision['played']}  divergence {decision['divergence']:.3f} bits"
    ]
    is_for_game = decision["win_chance"] is not None
    if "conclusion" in decision:
        unit = "match points" if is_for_game else "points"
        lines.append(_conclusion_text(decision["conclusion"], unit))
    if decision.get("deals"):
        lines.append(decision["deals"]["text"])

    is_biased = any(row["prior"] is not None for row in decision["cards"])
    is_weighed = any(row["policy"] is not None for row in decision["cards"])
    head = ["", "card", *models, "visits", "policy" if is_weighed else "share"]
    head += ["avail", "value", "se"]
    if is_for_game:
        head.append("to win")
    if is_biased:
        head += ["prior", "bias"]
    rows = [[*head, "abstract move"]]
    for card in decision["cards"]:
        cells = [">" if card["card"] == decision["played"] else "", card["card"]]
        cells += [f"{card['human'][model]:.1%}" for model in models]
        cells += [str(card["visits"]), f"{card['share']:.1%}", str(card["availability"])]
        cells += [shown(card["value"], "+.1f"), shown(card["value_se"], ".1f")]
        if is_for_game:
            cells.append(shown(card["win_chance"], ".1%"))
        if is_biased:
            cells += [shown(card["prior"], ".1%"), shown(card["bias"], "+.1f")]
        rows.append([*cells, card["abstract_move"]])
    return [*lines, *text_table(rows)]


def _conclusion_text(conclusion: dict[str, Any] | None, unit: str) -> str:
    if conclusion is None:
        return "not judged: the budget is too short"
    proof = conclusion["proof"]
    evidence = []
    if proof:
        evidence.append(f"all {proof['deals']:,} possible deals, best in {proof['best_in']:,}")
    if conclusion["searches"]:
        evidence.append(
            f"{conclusion['judge']}, {conclusion['searches']:,} searches of "
            f"{conclusion['iterations']:,} iterations"
        )
    cards = " or ".join("=".join(equivalent) for equivalent in conclusion["cards"])
    text = f"{conclusion['kind']}: {cards}, by {' and '.join(evidence)}"
    if conclusion["lead"] is None:
        return text
    text += f"; {conclusion['lead']:.1f} {unit} over the next"
    if proof:
        return text
    low, high = conclusion["interval"]
    return f"{text}, {low:+.1f} to {high:+.1f}"


def _review_lines(review: dict[str, Any], decisions: Sequence[dict[str, Any]]) -> list[str]:
    lines = ["", f"review by {review['judge']}: points given away, bids not judged"]
    lines += text_table(_points_given_away(review))
    for play in review["costliest"]:
        lines.append(
            f"ply {play['ply']}  trick {play['trick'] + 1}  {play['seat']} played {play['card']}: "
            f"{play['given_away']:.1f} points, s.e. {play['se']:.1f}; "
            f"best {' or '.join(play['best'])}"
        )
    lines += [_chance_text(chance, decisions) for chance in review["chances"]]
    return lines


def _points_given_away(review: dict[str, Any]) -> list[list[str]]:
    """Rows of a table: every seat and partnership."""
    rows = [
        [
            "",
            "decisions",
            "given away",
            "se",
            "as search",
            "as human",
            "unsettled",
            "early",
            "late",
        ]
    ]
    for name, row in (review["seats"] | review["partnerships"]).items():
        rows.append(
            [
                name.upper(),
                str(row["decisions"]),
                f"{row['given_away']:.1f}",
                f"{row['se']:.1f}",
                str(row["as_search"]),
                str(row["as_human"]),
                str(row["unsettled"]),
                f"{row['early']['given_away']:.1f}",
                f"{row['late']['given_away']:.1f}",
            ]
        )
    return rows


def _chance_text(chance: dict[str, Any], decisions: Sequence[dict[str, Any]]) -> str:
    """How a contract or nil ended, and the play that cost most of its chance."""
    outcome = {None: "open", False: "set", True: "made"}[chance["is_reached"]]
    text = f"{chance['goal']} of {chance['of'].upper()}: {outcome}"
    costliest = chance["costliest"]
    if not costliest:
        return text
    play = decisions[costliest["ply"]]
    return (
        f"{text}; ply {costliest['ply']}, {play['seat']}'s {play['played']}, cost it most: "
        f"{costliest['played']:.1%} where the best leaves {costliest['best']:.1%}"
    )
