"""The command line: ``python -m spades COMMAND``; see ``--help`` of each.

Results go to standard output, as a table or with ``--json`` as one JSON document and nothing else;
messages to standard error. Exit status 0: done; 1: the input was refused; 2: wrong usage; 130:
stopped by Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis.runs.parts import add_cluster_options
from cli.corpus import add_corpus
from cli.logs import add_convert, add_simulate
from cli.models import DONE, REFUSED, Console, add_model_commands
from spades.core.errors import InvalidRecordError, SpadesError

Command = Callable[[argparse.Namespace], int]
USAGE, STOPPED = 2, 130
GOES_ON = "stopped; the same command goes on"


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    options = _parser().parse_args(arguments)
    command: Command = options.command
    try:
        return command(options)
    except BrokenPipeError:  # the reader of our output went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (SpadesError, OSError) as error:
        _say(f"spades: {error}")
        return REFUSED
    except KeyboardInterrupt:
        _say(GOES_ON if getattr(options, "goes_on", False) else "stopped")
        return STOPPED


def _parser() -> argparse.ArgumentParser:
    from cli.sweep import add_sweep

    parser = argparse.ArgumentParser(prog="python -m spades", description="Spades decision lab")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    console = Console(_print, _say)
    _add_analyze(commands)
    add_convert(commands, console)
    _add_validate(commands)
    add_simulate(commands, console)
    _add_match(commands)
    add_sweep(commands).set_defaults(command=_sweep, goes_on=True)
    _add_bid(commands)
    _add_style(commands)
    add_model_commands(commands, console)
    add_corpus(commands, console)
    _add_bench(commands)
    return parser


def _add_analyze(commands: Any) -> None:
    parser = commands.add_parser(
        "analyze",
        help="search every play decision and put human probabilities beside it",
        description="For every legal card of every play decision: the probability that a human "
        "plays it, the search's visits, availability, value (points for the mover's partnership), "
        "its standard error, and the abstract move; and the card played.",
    )
    parser.add_argument(
        "file", type=Path, help="a record: .ptn .tn .log .openspiel .jsonl .parquet .csv"
    )
    parser.add_argument("--round", type=int, metavar="N", help="only round N of the file, from 0")
    parser.add_argument("--ply", type=int, metavar="N", help="only play N, from 0")
    parser.add_argument("--agent", default="ismcts", metavar="SPEC", help="ismcts:iterations=2500")
    parser.add_argument("--iterations", type=int, metavar="N", help="iterations a decision")
    parser.add_argument("--model", nargs="+", default=["devlin2016"], metavar="NAME")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.set_defaults(command=_analyze)


def _add_validate(commands: Any) -> None:
    parser = commands.add_parser(
        "validate",
        help="what is in a file, what was refused and why",
        description="Read a file, replay every round through the rules, and say what is in it and "
        "what was refused, by line. Exit status 1 if anything was refused.",
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.set_defaults(command=_validate)


def _add_match(commands: Any) -> None:
    parser = commands.add_parser(
        "match",
        help="win rate, interval, points and time per move between two agents",
        description="Play games between two agents on common deals, each deal twice with the "
        "partnerships swapped. Stop it at any moment: the same command goes on where it was, and "
        "what has been played is never played again.",
    )
    parser.add_argument("--ns", required=True, metavar="SPEC", help="ismcts, human, ...")
    parser.add_argument("--ew", required=True, metavar="SPEC", help="its opponents")
    parser.add_argument("--games", type=int, required=True, metavar="N", help="an even number")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--nil-only", action="store_true", help="deals without a nil are thrown in")
    parser.add_argument("--target", type=int, default=500, metavar="POINTS", help="500 by default")
    parser.add_argument("--floor", type=int, metavar="POINTS", help="losing floor, none by default")
    add_cluster_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.set_defaults(command=_match, goes_on=True)


def _add_bid(commands: Any) -> None:
    parser = commands.add_parser(
        "bid",
        help="what bidders bid on a hand, and why BIS does",
        description="What each bidder bids on a hand after the bids before it, and what BIS makes "
        "of it: the value of every card, the nil value by suit, the success curve, the threshold, "
        "the expected points.",
    )
    parser.add_argument("--hand", required=True, metavar="S.H.D.C", help="AKJ62.AQ.Q.K9543")
    parser.add_argument(
        "--previous",
        type=_bids,
        default="",
        metavar="3,1",
        help="bids before, in the order made: nil (or 0), blind nil, 1 to 13",
    )
    parser.add_argument(
        "--bidder", nargs="+", metavar="NAME", help="bis:threshold=20 rb ...; all by default"
    )
    parser.add_argument(
        "--score", type=_pair, default=(0, 0), metavar="US,THEM", help="--score=-20,95"
    )
    parser.add_argument("--bags", type=_pair, default=(0, 0), metavar="US,THEM")
    parser.add_argument("--target", type=int, metavar="POINTS", help="500 by default")
    parser.add_argument("--floor", type=int, metavar="POINTS", help="losing floor, none by default")
    parser.add_argument("--deck", metavar="NAME", help="standard by default, or a joker deck")
    parser.add_argument(
        "--rules", default="", metavar="OPTIONS", help="others of the rules: nil=50,min_bid=4"
    )
    parser.add_argument(
        "--simulate",
        type=int,
        metavar="N",
        help="points of the round for nil and the regular bid, over N simulated rounds each",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.set_defaults(command=_bid)


def _bids(text: str) -> str:
    words = text.split(",") if text.strip() else []
    if not all(re.fullmatch(r"\s*(-?\d+|(blind[ -]?)?nil|blind)\s*", word, re.I) for word in words):
        raise argparse.ArgumentTypeError(f"{text!r}; numbers, nil or blind nil, as nil,3")
    return text


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in text.split(",")) if text.strip() else ()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}; whole numbers, as 3,1") from None


def _pair(text: str) -> tuple[int, int]:
    numbers = _numbers(text)
    if len(numbers) != 2:
        raise argparse.ArgumentTypeError(f"{text!r}; two numbers, ours first, as 120,95")
    return numbers[0], numbers[1]


def _add_style(commands: Any) -> None:
    parser = commands.add_parser(
        "style",
        help="abstract-move frequencies and KL divergence between groups of players",
        description="How groups of players differ: frequencies of abstract moves and "
        "Kullback-Leibler divergences with bootstrap intervals over games.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--by", choices=("kind", "agent", "player"), default="kind")
    parser.add_argument("--classes", type=int, choices=(32, 68), default=32)
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.set_defaults(command=_style)


def _add_bench(commands: Any) -> None:
    parser = commands.add_parser(
        "bench",
        help="the speed table, with ratios",
        description="Measure the speed table on this machine. Rows that need something which "
        "isn't here (the yardstick's source, OpenSpiel, Chromium) are marked not measured.",
    )
    parser.add_argument("--yardstick", type=Path, metavar="FILE.c", help="the C search to compare")
    parser.add_argument("--only", nargs="+", metavar="ID", help="only these rows")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.set_defaults(command=_bench)


def _analyze(options: argparse.Namespace) -> int:
    from cli.reports import analysis_document, analysis_table
    from spades.agents import parse_agent

    agent = parse_agent(options.agent)
    if options.iterations is not None:
        agent = agent.with_iterations(options.iterations)
    rounds = _chosen_rounds(options)
    document = analysis_document(
        options.file.name,
        rounds,
        agent,
        models=tuple(options.model),
        seed=options.seed,
        ply=options.ply,
    )
    _print(json.dumps(document) if options.json else analysis_table(document))
    return DONE


def _chosen_rounds(options: argparse.Namespace) -> list[tuple[int, Any]]:
    """(index, record) of the rounds asked for; what the file refused is said."""
    from spades.notation import read_path

    reading = read_path(options.file)
    for refusal in reading.refused:
        _say(f"{options.file.name}: {refusal}")
    if not reading.records:
        raise InvalidRecordError(f"{options.file.name}: no round to analyse")
    rounds = list(enumerate(reading.records))
    if options.round is None:
        return rounds
    if not 0 <= options.round < len(rounds):
        raise InvalidRecordError(
            f"{options.file.name} has no round {options.round}; 0 to {len(rounds) - 1} are there"
        )
    return [rounds[options.round]]


def _validate(options: argparse.Namespace) -> int:
    from cli.reports import validation_table
    from spades.notation import read_parts, summarise_parts

    summary = summarise_parts(read_parts(options.file))
    _print(json.dumps(summary) if options.json else validation_table(options.file.name, summary))
    return REFUSED if summary["refused"] or not summary["rounds"] else DONE


def _match(options: argparse.Namespace) -> int:
    from analysis.matches.match import MatchPlan, play_match
    from analysis.runs.parts import stoppable
    from cli.match_report import match_table

    names = ("ns", "ew", "games", "seed", "target", "floor", "nil_only")
    plan = MatchPlan(**{name: getattr(options, name) for name in names})
    with stoppable(_say) as is_stopping:
        document = play_match(
            plan,
            workers=options.workers,
            scheduler=options.scheduler,
            tell=lambda progress: _say(progress.text()),
            is_cancelled=is_stopping,
        )
    if document is None:
        raise KeyboardInterrupt
    _print(json.dumps(document) if options.json else match_table(document))
    return DONE


def _sweep(options: argparse.Namespace) -> int:
    from analysis.runs.parts import stoppable
    from cli.sweep import sweep_text

    with stoppable(_say) as is_stopping:
        text = sweep_text(options, _say, is_stopping)
    if text is None:
        raise KeyboardInterrupt
    _print(text)
    return DONE


def _bid(options: argparse.Namespace) -> int:
    from analysis.bidding.checks import parse_previous
    from analysis.bidding.decisions import parse_rules
    from cli.bid_report import BidQuestion, bid_document, bid_table

    own = {"target": options.target, "losing_floor": options.floor, "deck": options.deck}
    question = BidQuestion(
        hand=options.hand,
        previous=parse_previous(options.previous),
        score=options.score,
        bags=options.bags,
        rules=parse_rules(options.rules).non_defaults()
        | {name: value for name, value in own.items() if value is not None},
    )
    document = bid_document(question, options.bidder, seed=options.seed, simulate=options.simulate)
    _print(json.dumps(document) if options.json else bid_table(document))
    return DONE


def _style(options: argparse.Namespace) -> int:
    from cli.style_report import refused_text, style_document, style_table

    document = style_document(options.files, options.by, options.classes)
    if document["refused"]:
        _say(refused_text(document["refused"]))
    _print(json.dumps(document) if options.json else style_table(document))
    return REFUSED if document["refused"] else DONE


def _bench(options: argparse.Namespace) -> int:
    from benchmarks.speed import bench_document, bench_table

    document = bench_document(options.yardstick, only=options.only, say=_say)
    _print(json.dumps(document) if options.json else bench_table(document))
    return DONE


def _print(text: str) -> None:
    print(text)


def _say(text: str) -> None:
    print(text, file=sys.stderr)
