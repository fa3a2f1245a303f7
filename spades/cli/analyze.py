"""The command ``analyze``: every decision of a record searched, judged and reviewed."""

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from analysis.bidding.judged import HINT
from analysis.bidding.judged import PLAYER as BID_PLAYER
from analysis.decisions.claims import MAX_POSSIBLE
from analysis.decisions.classes import with_findings
from analysis.decisions.conclusion import THRESHOLD, estimate_text
from analysis.decisions.decision import PlayDecision, analyse_decision
from analysis.decisions.display import card_columns, heading_line
from analysis.decisions.evidence import BUDGET_SECONDS, decide
from analysis.decisions.judge import PLAYER, judge_settings
from analysis.decisions.judgement import concluded
from analysis.decisions.sampled_deals import MAX_DEALS, is_solved, solve_deals
from analysis.decisions.settings import STUDIED_AGENT, AnalysisSettings, settings_of_agent
from analysis.records import document_of, documents_of, text_rows
from analysis.review.plays import TALLY_COLUMNS
from analysis.review.round import Review, chance_sentence, review_round, score_sentence
from analysis.runs.command import say
from analysis.text_tables import text_table
from spades.agents import Agent, parse_agent
from spades.cli.answer import Answer
from spades.cli.arguments import add_number, add_round, add_seed
from spades.cli.own import admitted, admitted_models
from spades.core.cards import SEATS
from spades.core.documents import Document
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.records import Record
from spades.human import load_model
from spades.notation import read_path
from spades.search import OBJECTIVES
from spades.search.settings import InvalidSearchError
from spades.search.solver import MAX_SOLVED

LARGEST = {"budget": 3600, "threshold": 1000}  # options of --judge and --review


def add_analyze(parser: argparse.ArgumentParser) -> None:
    """For every legal card of every decision: the probability that a human plays it, the search's
    visits, availability, value (points for the mover's partnership) and its standard error, and the
    abstract move. ``--judge`` settles which card is best, ``--review`` sums a round up, in 30 to
    60 s each."""
    parser.add_argument(
        "file",
        type=Path,
        help="a record in any notation, or a shipped hand's name",
    )
    add_round(parser)
    add_number(parser, "--ply", "only play N, from 0")
    parser.add_argument(
        "--agent",
        metavar="SPEC",
        default=STUDIED_AGENT,
        help=f"the search shown, by default {STUDIED_AGENT}; it doesn't judge",
    )
    add_number(parser, "--iterations", "iterations a decision")
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
        help=f"judge each decision by rounds that four of {PLAYER} play on, until one card is "
        "clearly best, several are a toss-up, or time is up; the last tricks by all possible deals",
    )
    parser.add_argument(
        "--review",
        action="store_true",
        help="judge each round as a whole: points given away by seat, the costliest plays",
    )
    budget = f"for --judge: time a decision, {BUDGET_SECONDS:g} by default"
    threshold = f"for --judge: the smallest difference that matters, {THRESHOLD:g} by default"
    deals = (
        f"for --judge: deals to solve exactly in the last {MAX_SOLVED} tricks; all that are "
        f"possible, if no more than {MAX_POSSIBLE:,}"
    )
    add_number(parser, "--budget", budget, unit="SECONDS", kind=float)
    add_number(parser, "--threshold", threshold, unit="POINTS", kind=float)
    objective = "what the search maximizes: points of the round, or the chance to win the game"
    parser.add_argument("--objective", choices=tuple(OBJECTIVES), help=objective)
    add_number(parser, "--regret", deals, unit="DEALS")
    add_seed(parser)


@dataclass(frozen=True, kw_only=True)
class AnalysedRound:
    """A round of the file, ``index`` from 0. ``review``: None unless asked for; ``not_searched``:
    why, where nothing could be searched."""

    index: int
    game_id: str
    deck: str
    decisions: tuple[PlayDecision, ...] = ()
    review: Review | None = None
    not_searched: str = ""

    def document(self, *, is_reviewed: bool) -> Document:
        """The round for JSON; ``is_reviewed``: whether a review was asked for."""
        document = documents_of(self, ("index", "game_id", "deck", "decisions"))
        if is_reviewed:
            document["review"] = document_of(self.review)
        if self.not_searched:
            document["not_searched"] = self.not_searched
        return document


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
    records = chosen_rounds(options.file, options.round)
    plan = Plan(
        settings=_settings(agent, options),
        ply=options.ply,
        is_judged=options.judge,
        is_reviewed=options.review,
        judging=_judging(options),
        n_deals=options.regret,
    )
    rounds = [_analysed(index, record, plan) for index, record in records]
    document = {
        "file": options.file.name,
        "agent": str(agent),
        "models": options.model,
        "seed": options.seed,
        "rounds": [found.document(is_reviewed=options.review) for found in rounds],
    }
    head = f"{options.file.name}  {agent}  seed {options.seed}"
    return Answer(document, lambda _: analysis_text(head, rounds, plan))


def _agent(options: argparse.Namespace) -> Agent:
    """The agent asked for, with the iterations and the objective asked for."""
    agent = parse_agent(admitted(options.agent))
    if options.iterations is not None:
        agent = agent.with_option("iterations", options.iterations)
    if options.objective is not None:
        agent = agent.with_option("objective", options.objective)
    return agent


def _settings(agent: Agent, options: argparse.Namespace) -> AnalysisSettings:
    for name in admitted_models(options.model):
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


def chosen_rounds(path: Path, chosen: int | None) -> list[tuple[int, Record]]:
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


def _analysed(index: int, record: Record, plan: Plan) -> AnalysedRound:
    found = AnalysedRound(index=index, game_id=record.game_id, deck=record.rules.deck)
    n_plays = len(record.plays)
    plies: Sequence[int] = range(n_plays)
    if plan.ply is not None:
        if not 0 <= plan.ply < n_plays:
            legal = f"0 to {n_plays - 1} are there" if n_plays else "it is a deal without plays"
            raise InvalidRecordError(f"the round has no play {plan.ply}; {legal}")
        plies = [plan.ply]
    try:
        decisions = tuple(_decision(record, ply, plan) for ply in plies)
        found = replace(found, decisions=decisions)
        if plan.is_reviewed and n_plays:
            settings = judge_settings(plan.settings)
            found = replace(found, review=review_round(record, settings, **plan.judging))
    except InvalidSearchError as error:
        found = replace(found, not_searched=str(error))
    return found


def _decision(record: Record, ply: int, plan: Plan) -> PlayDecision:
    """A decision, with the judge's conclusion and solved deals where they are asked for."""
    settings = plan.settings
    decision = analyse_decision(record, ply, settings)
    if not plan.is_judged or decision.is_forced:
        return decision
    conclusion = decide(record, ply, judge_settings(settings), **plan.judging)
    decision = with_findings(decision, conclusion)
    if plan.n_deals is None or not is_solved(decision.observation):
        return decision
    deals = solve_deals(record, ply, settings, plan.n_deals)
    regrets = deals.regrets
    cards = [replace(row, regret=regrets.get(row.card)) for row in decision.cards]
    return replace(decision, cards=tuple(cards), deals=deals)


def analysis_text(head: str, rounds: Sequence[AnalysedRound], plan: Plan) -> str:
    """The analysed rounds for people."""
    lines = [head]
    for found in rounds:
        lines += ["", f"round {found.index}  {found.game_id}  {found.deck} deck"]
        if found.not_searched:
            lines.append(f"not searched: {found.not_searched}")
        if not found.decisions:
            lines.append("no plays to analyse")
        for decision in found.decisions:
            lines += ["", *_decision_lines(decision, plan)]
        if found.review:
            lines += _review_lines(found.review)
    return "\n".join(lines)


def _decision_lines(decision: PlayDecision, plan: Plan) -> list[str]:
    lines = [heading_line(decision)]
    if plan.is_judged and not decision.is_forced:
        if decision.conclusion is None:
            lines.append("not judged: the budget is too short")
        else:
            lines.append(concluded(decision.conclusion, decision.unit))
    if decision.deals:
        lines.append(decision.deals.text().replace("**", ""))
    return [*lines, *text_table(text_rows(decision.cards, card_columns(decision)))]


def _review_lines(found: Review) -> list[str]:
    """What each seat gave away, the costliest plays, how contracts and nils ended."""
    lines = ["", f"review, rounds played on by {PLAYER}: points given away by plays"]
    tallies = (*found.seats, *found.partnerships)
    lines += text_table(text_rows(tallies, TALLY_COLUMNS))
    for play in found.costliest:
        place = f"ply {play.ply}  trick {play.trick + 1}  {SEATS[play.seat]} played"
        points = estimate_text(play.given_away, play.se)
        if not math.isnan(play.hindsight):
            points += f", as the cards lay {estimate_text(play.hindsight, play.hindsight_se)}"
        lines.append(f"{place} {play.card}: {points}; best {' or '.join(play.best)}")
    if found.bids:
        lines.append(f"bids, played on by {BID_PLAYER}. {HINT}")
        lines += [bid.text() for bid in found.bids]
    lines += [chance_sentence(found, chance) for chance in found.chances]
    if found.score is not None:
        lines.append(score_sentence(found))
    return lines
