"""The commands ``identify`` and ``plays-like``: who played, and which search plays alike."""

import argparse

import numpy as np

from analysis.people import plays_like
from analysis.people.identify import USUAL_MODELS, identify, parse_models, parse_prior, verdict
from analysis.people.players import seats_of_player
from analysis.people.predictions import Choices
from analysis.runs.command import add_cluster_options, on_cluster
from analysis.text_tables import chance_text, signed, span, text_table
from spades.cli.answer import Answer, refused_rows, report_refused
from spades.cli.arguments import add_data, add_number
from spades.cli.own import admitted
from spades.core.cards import N_SEATS, SEATS
from spades.core.documents import Document
from spades.notation import read_log

IDENTIFIED_BY = 2_000  # choices, by default


def add_identify(parser: argparse.ArgumentParser) -> None:
    """The odds of models and agents given a player's choices, and the plays that decided. Models:
    names or files of human models, persons (see ``train person``), agents as text. An agent that
    searches is run eight times a choice; at 2,500 iterations that takes 0.02 s."""
    _add_player(parser)
    first = f"the first N choices, {IDENTIFIED_BY:,} by default"
    add_number(parser, "--decisions", first, default=IDENTIFIED_BY)
    parser.add_argument(
        "--models",
        default=USUAL_MODELS,
        metavar="A,B,...",
        help=f"who may have played, by default {USUAL_MODELS}",
    )
    parser.add_argument(
        "--prior", default="", metavar="X,Y,...", help="prior odds, one a model; equal by default"
    )


def add_plays_like(parser: argparse.ArgumentParser) -> None:
    """The iterations, 100 to 200,000, and the strength of human bias at which ISMCTS predicts a
    player's cards best: nats a choice by setting, with intervals over games, in about five minutes.
    Resumable: interrupt it at any moment, and the same command continues."""
    _add_player(parser)
    drawn = f"N choices drawn at random, {plays_like.DECISIONS:,} by default"
    add_number(parser, "--decisions", drawn, default=plays_like.DECISIONS)
    add_cluster_options(parser)


def _add_player(parser: argparse.ArgumentParser) -> None:
    add_data(parser)
    player = parser.add_mutually_exclusive_group(required=True)
    player.add_argument("--player", metavar="NAME", help="the player of this name in the log")
    player.add_argument("--seat", choices=tuple(SEATS), help="whoever played this seat")


def _read_choices(options: argparse.Namespace) -> tuple[Choices, Document]:
    """The player's choices, and the document's facts about them."""
    log, refusals = read_log(options.data)
    if options.player is not None:
        is_players = seats_of_player(log, options.player)
    else:
        is_players = np.tile(np.arange(N_SEATS) == SEATS.index(options.seat), (len(log), 1))
    facts = {
        "file": options.data.name,
        "player": options.player,
        "seat": options.seat,
        "refused": refused_rows(options.data, refusals),
    }
    return Choices.of(log, is_players), facts


def run_identify(options: argparse.Namespace) -> Answer:
    choices, facts = _read_choices(options)
    choices = choices.take(slice(max(options.decisions, 0)))
    models = [admitted(model) for model in parse_models(options.models)]
    identified = identify(models, choices, parse_prior(options.prior))
    return Answer({**facts, **identified}, _identify_table, report_refused(facts["refused"]))


def _identify_table(document: Document) -> str:
    models = [["model", "log-likelihood", "probability", "check"]]
    for model, log_likelihood in document["log_likelihood"].items():
        odds = chance_text(document["odds"][model])
        check = chance_text(document["checks"][model])
        models.append([model, signed(log_likelihood, ".2f"), odds, check])
    evidence = f"nats for {document['likeliest']} against {document['next']}"
    plays = [["round", "ply", "card", evidence]]
    for play in document["decisive"]:
        nats = signed(play["nats"], "+.2f")
        plays.append([str(play["round"]), str(play["ply"]), play["played"], nats])
    return "\n".join([*text_table(models), verdict(document), *text_table(plays)])


def run_plays_like(options: argparse.Namespace) -> Answer:
    choices, facts = _read_choices(options)
    choices = plays_like.sample(choices, options.decisions)
    on_cluster(plays_like.search_settings, choices, options=options)
    predicted = plays_like.plays_like(choices)
    return Answer({**facts, **predicted}, _plays_like_table, report_refused(facts["refused"]))


def _plays_like_table(document: Document) -> str:
    rows = [["agent", "nats a choice", "95%", "power"]]
    for row in document["rows"]:
        interval = span(row["interval"], ".4f")
        rows.append([row["agent"], f"{row['loss']:.4f}", interval, f"{row['power']:.2f}"])
    for reference in ("human", "chance"):
        rows.append([reference, f"{document[reference]:.4f}", "", ""])
    return "\n".join([*text_table(rows), plays_like.verdict(document)])
