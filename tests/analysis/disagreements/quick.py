"""A judge and a log so quick that tests can search logs, and just as deterministic."""

import math
from dataclasses import replace
from functools import partial

from analysis.bidding import judged
from analysis.decisions import evidence, hindsight, judge, played_on
from analysis.disagreements import plan as plans
from analysis.disagreements import search as log_search
from analysis.review import round as review_of_round
from spades.core.logs import Log
from spades.notation.log_store import store_log
from tests.analysis.small_sweeps import tiny_log

PLAYER = "best:iterations=4"
LEAST = 8  # rounds played on before the judge concludes
MOST = 12
BLOCK = 4
SEARCHES = 3


def judge_quickly(patch):
    """Few searches and rounds, by weak agents."""
    for module in (evidence, plans):
        patch.setattr(module, "LEAST_ROUNDS", LEAST)
    for module in (evidence, played_on):
        patch.setattr(module, "ROUNDS_A_BLOCK", BLOCK)
    for module in (plans, log_search):
        patch.setattr(module, "SEARCHES", SEARCHES)
    patch.setattr(evidence, "SET_ASIDE_ERRORS", math.inf)  # so few rounds set no class aside
    patch.setattr(evidence, "SEARCHES", 2)
    patch.setattr(evidence, "NETWORK_ITEMS", 1)
    patch.setattr(judge, "FIRST", "ismcts:iterations=50")
    patch.setattr(played_on, "PLAYER", PLAYER)
    patch.setattr(played_on, "WEIGHED_DEALS", 200)


def review_quickly(patch):
    """As ``judge_quickly``, for a whole round: its bids too, and what plays cost as the cards
    lay."""
    judge_quickly(patch)
    patch.setattr(evidence, "MOST_ROUNDS", MOST)
    for name in ("LEAST_DEALS", "MAX_DEALS"):
        patch.setattr(judged, name, judged.DEALS_A_BLOCK)
    few_rounds = partial(hindsight.hindsight_in_steps, rounds=LEAST)
    patch.setattr(review_of_round, "hindsight_in_steps", few_rounds)
    for module in (hindsight, judged):
        patch.setattr(module, "PLAYER", PLAYER)


def store_cut_log(n_rounds, n_plays):
    """The first plays of a small log's rounds, as the log "tiny"."""
    whole = tiny_log(max(n_rounds, 12))
    records = [replace(record, plays=record.plays[:n_plays]) for record in whole.records()]
    store_log(Log.from_records(records[:n_rounds]), "tiny")
