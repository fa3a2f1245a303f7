"""The commands ``identify`` and ``plays-like``: who played, and like which search."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from analysis.people import plays_like
from analysis.people.identify import USUAL_MODELS, identify, parse_models, parse_prior, verdict
from analysis.people.players import seats_of_player
from analysis.people.predictions import Choices
from analysis.runs.command import add_cluster_options, on_cluster
from analysis.text_tables import span, text_table
from cli.main import Answer, finish, refused_rows
from spades.core.cards import N_SEATS, SEATS
from spades.notation import read_log


def add_identify(parser: argparse.ArgumentParser) -> None:
    """The odds of models and agents for a player's choices, and the plays that decided. Models:
    names or files of human models, persons (train person), agents as text. A search is made again
    eight times a choice at 2,500 iterations, 0.02 s in all."""
    _add_whose(parser, 2_000, "the first N choices")
    usual = f"by default {USUAL_MODELS}"
    parser.add_argument("--models", default=USUAL_MODELS, metavar="A,B,...", help=usual)
    parser.add_argument("--prior", default="", metavar="X,Y,...", help="odds, one a model")


def add_plays_like(parser: argparse.ArgumentParser) -> None:
    """By how many iterations, 100 to 200,000, and with how much human bias ISMCTS predicts a
    player's cards best: nats a choice by setting, with intervals over games, in some five minutes.
    Resumable."""
    _add_whose(parser, plays_like.DECISIONS, "N choices, drawn at random")
    add_cluster_options(parser)


def _add_whose(parser: argparse.ArgumentParser, n: int, which: str) -> None:
    parser.add_argument("--data", type=Path, required=True, metavar="LOG", help="a log")
    whose = parser.add_mutually_exclusive_group(required=True)
    whose.add_argument("--player", metavar="NAME", help="who is named so in the log")
    whose.add_argument("--seat", choices=tuple(SEATS), help="whoever sits there")
    parser.add_argument("--decisions", type=int, default=n, metavar="N", help=f"{which}, {n:,}")


def _read(options: argparse.Namespace) -> tuple[Choices, dict[str, Any]]:
    """The choices, and what the document says of them."""
    log, refusals = read_log(options.data)
    refused = refused_rows(options.data, refusals)
    wanted = np.tile(np.arange(N_SEATS) == SEATS.find(options.seat or "-"), (len(log), 1))
    if options.player is not None:
        wanted = seats_of_player(log, options.player)
    whose = {"player": options.player, "seat": options.seat}
    return Choices.of(log, wanted), {"file": options.data.name, **whose, "refused": refused}


def run_identify(options: argparse.Namespace) -> Answer:
    choices, facts = _read(options)
    choices = choices.take(slice(max(options.decisions, 0)))
    found = identify(parse_models(options.models), choices, parse_prior(options.prior))
    return Answer({**facts, **found}, _identify_table, finish(facts["refused"]))


def _identify_table(found: dict[str, Any]) -> str:
    rows = [["model", "log-likelihood", "probability", "check"]]
    for model, nats in found["log_likelihood"].items():
        odds, check = found["odds"][model], found["checks"][model]
        rows.append([model, f"{nats:.2f}", f"{odds:.4f}", f"{check:.4f}"])
    plays = [["round", "ply", "card", f"nats for {found['likeliest']} against {found['next']}"]]
    plays += [
        [str(one["round"]), str(one["ply"]), one["played"], f"{one['nats']:+.2f}"]
        for one in found["decisive"]
    ]
    return "\n".join([*text_table(rows), verdict(found), *text_table(plays)])


def run_plays_like(options: argparse.Namespace) -> Answer:
    choices, facts = _read(options)
    choices = plays_like.sample(choices, options.decisions)
    on_cluster(plays_like.search_settings, choices, options=options)
    found = plays_like.plays_like(choices)
    return Answer({**facts, **found}, _like_table, finish(facts["refused"]))


def _like_table(found: dict[str, Any]) -> str:
    rows = [["agent", "nats a choice", "95%", "power"]]
    for row in found["rows"]:
        loss, within = f"{row['loss']:.4f}", span(row["interval"], ".4f")
        rows.append([row["agent"], loss, within, f"{row['power']:.2f}"])
    rows += [[name, f"{found[name]:.4f}", "", ""] for name in ("human", "chance")]
    return "\n".join([*text_table(rows), plays_like.verdict(found)])
