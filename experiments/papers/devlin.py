"""Devlin et al. 2016: accuracy of the human model, figures 1 and 2, table 1.

    python -m spades reproduce devlin --scale full

takes some 2 hours and a half on two cores. The humans are simulated: ``devlin2016-nil`` plays
``human-south``. The paper names neither unit nor direction of its KL divergence: table 1 has all
four readings. AI Factory's own agent isn't public; a search with the parts that Whitehouse et al.
2013 describe of it stands in.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.matches.match import MatchPlan
from analysis.models.measures import compute_answers
from analysis.papers.figures import ACCURACY_ROUNDS, NAMED_GAMES, STYLE_ROUNDS
from analysis.runs.tasks import ranges
from analysis.style.compare import PUBLISHED_KL, Sample, compute_divergences, compute_frequencies
from analysis.style.counts import fold
from analysis.sweeps.held_out import hold_out
from analysis.sweeps.replays import Humans, rounds_part
from analysis.sweeps.sweep import Setting
from experiments.papers.claims import ACCURACY, KL, WINS, Claim, Estimate, Sheet
from experiments.papers.lab import (
    HUMAN,
    SIMULATED_HUMANS,
    Lab,
    by_scale,
    kl_of,
    wins_of,
)
from spades.core.deal import derive_seed
from spades.human import load_model, model_hash, simulate_humans
from spades.human.features.abstract_moves import MOVES_32, N_MOVES
from spades.human.features.logs import examples_of_log
from spades.human.features.view import LEGAL
from spades.notation.log_store import content_hash, open_log
from spades.search import Knowledge

MODEL = "log-linear-fit"
LOG = "human-south"
SEED = 1
FRESH_SEED = 20160
MATCH_SEED = 201600
ROUNDS_A_PART = 250
STYLE_ROUNDS_A_PART = 10
QUICK = {"games": 2, "decisions": 20, "rounds": 12}
"""The least of each count, at quick scale."""

BASELINE = "ismcts:iterations=2500"
FACTORY = f"{BASELINE},determinization=biased,playout=nil-aware,skew=on"
BIASED = "ismcts:iterations=2500,bias=knowledge,c_bt=0.03,k=1000,model=devlin2016"
AGENTS = {"Baseline ISMCTS": BASELINE, "AI Factory Spades": FACTORY, "Biased agent": BIASED}
NATS_A_BIT = float(np.log(2))

# What the paper prints (the KL of table 1 is ``PUBLISHED_KL``)

PUBLISHED_ACCURACY = 0.4496
PUBLISHED_RANDOM = 0.2939
PUBLISHED_WINS = Claim.printed(0.496, WINS, "49.6% ± 3.4%")


# Accuracy


def accuracy(lab: Lab) -> dict[str, Any]:
    parts = ranges(lab.n(ACCURACY_ROUNDS, 100), ROUNDS_A_PART)
    name = f"accuracy of {model_hash(MODEL)}"
    by_part = lab.measure(name, sum_answers, parts, MODEL, FRESH_SEED, agents=(HUMAN,))
    sums = {key: np.concatenate([part[key] for part in by_part]) for key in by_part[0]}
    sheet = Sheet(
        "devlin-accuracy", "", "cards predicted", unit="share of cards", on=SIMULATED_HUMANS
    )
    predictors = (
        ("sampled", "the model, a card drawn by its probabilities", PUBLISHED_ACCURACY),
        ("likeliest", "the model, its likeliest card", PUBLISHED_ACCURACY),
        ("random", "a random legal card", PUBLISHED_RANDOM),
    )
    for reading, cards in (("unforced", "cards with a choice"), ("all", "all cards")):
        n = sums[f"{reading}: n"]
        for name, what, published in predictors:
            claim = Claim.printed(published, ACCURACY, f"{published:.2%}")
            predicted = Estimate.mean(sums[f"{reading}: {name}"], "cards", n)
            sheet.row(f"{what}, {cards}", claim, predicted)
            sheet.beside(cards, name, predicted, claim)
    return {sheet.figure: sheet.document}


def sum_answers(first: int, end: int, model: str, seed: int) -> dict[str, list[float]]:
    """Sums over each of ``end - first`` fresh rounds, all cards and those with a choice."""
    examples = examples_of_log(simulate_humans(end - first, derive_seed(seed, first, 0)))
    answers = compute_answers(load_model(model).prior(), examples)
    n_legal = np.bitwise_count(examples.views[:, LEGAL].astype(np.uint64))
    _, round_of = np.unique(examples.games, return_inverse=True)
    columns = {
        "n": np.ones(len(n_legal)),
        "likeliest": answers["accuracy"].to_numpy(float),
        "sampled": answers["accuracy_sampled"].to_numpy(float),
        "random": 1 / n_legal,
    }
    sums = {}
    for reading, is_counted in (("all", n_legal > 0), ("unforced", n_legal > 1)):
        for name, values in columns.items():
            by_round = np.bincount(round_of[is_counted], values[is_counted], end - first)
            sums[f"{reading}: {name}"] = by_round.tolist()
    return sums


# Figure 1


def grid(lab: Lab) -> dict[str, Any]:
    """Figure 1. The paper's DR is K."""
    sweep = lab.sweep("devlin-fig1", QUICK)
    by_place: dict[tuple[float, float], dict[str, Any]] = {}
    for measured in sweep["settings"]:
        bias = Setting.from_document(measured["setting"]).bias
        if isinstance(bias, Knowledge):
            by_place[bias.c_bt, bias.k] = measured
    sheet = Sheet("devlin-fig1", "DR", "")

    def add_fall(c_bt: float, more: float, less: float, text: str) -> None:
        change = kl_of(by_place[c_bt, less]).less(kl_of(by_place[c_bt, more]))
        what = f"C_BT {c_bt:g}: KL at DR {less:g} less KL at DR {more:g}"
        sheet.row(what, Claim.above(0.0, text), change, unit="nats", on=SIMULATED_HUMANS)

    add_fall(0.1, 100, 50, "falls rapidly")
    add_fall(0.1, 100, 1000, "increases again")
    for c_bt in sorted({place[0] for place in by_place} - {0.1}):
        add_fall(c_bt, 1000, 50, "falls")
    claim = Claim.above(0.5, "at least 50%")
    won = lab.win_row(sheet.row, "C_BT 0.03, DR 1000: games won", claim, match_of_table1(lab))
    in_table1 = (0.03, 1000.0)
    for (c_bt, k), measured in sorted(by_place.items()):
        series = f"C_BT {c_bt:g}"
        sheet.point("KL, nats", series, k, kl_of(measured))
        sheet.point("games won", series, k, won if (c_bt, k) == in_table1 else wins_of(measured))
    agent = by_place[in_table1]["agent"]
    by_scale(lab, "devlin2016", sheet, "C_BT 0.03, DR 1000", {"games won": claim}, main=agent)
    return {sheet.figure: sheet.document}


# Table 1 and figure 2


def style(lab: Lab) -> dict[str, Any]:
    humans = Humans(hold_out(open_log(LOG), SEED))
    n_rounds = lab.n(STYLE_ROUNDS, QUICK["rounds"])
    samples = {name: sample_of(lab, humans, agent, n_rounds) for name, agent in AGENTS.items()}
    human = humans.sample
    sheets = [table1(lab, human, samples, n_rounds), _fig2(human, samples, n_rounds)]
    return {sheet.figure: sheet.document for sheet in sheets}


def sample_of(lab: Lab, humans: Humans, agent: str, n_rounds: int) -> Sample:
    """Abstract moves of an agent in the human's seat of the first held-out rounds."""
    parts = ranges(n_rounds, STYLE_ROUNDS_A_PART)
    measurement = f"style in {content_hash(LOG)}"
    by_part = lab.measure(
        measurement, count_moves, parts, LOG, SEED, agent, agents=(agent, BASELINE)
    )
    return humans.sample_of([of_round for part in by_part for of_round in part])


def count_moves(first: int, end: int, log: str, seed: int, agent: str) -> list[list[int]]:
    """Abstract moves of an agent in the human's seat, by round."""
    held_out = hold_out(open_log(log), seed)
    records = held_out.records(held_out.rounds[first:end])
    plays = rounds_part(agent, BASELINE, records, seed, first)["plays"]
    return Humans(held_out).replays(plays, first).moves


def table1(lab: Lab, human: Sample, samples: dict[str, Sample], n_rounds: int) -> Sheet:
    """KL divergence from people's moves to those of agents, and back, by agent."""
    sheet = Sheet("devlin-table1", "", "KL divergence")
    for name, sample in samples.items():
        claim = Claim.printed(PUBLISHED_KL[name], KL)
        table = compute_divergences([human, sample])
        is_of_human = table["of"] == human.group.label
        for direction, rows in (
            ("humans || agent", table[is_of_human]),
            ("agent || humans", table[~is_of_human]),
        ):
            kl = rows.iloc[0]
            for unit, scale in (("nats", 1.0), ("bits", NATS_A_BIT)):
                interval = (kl["kl_low"] / scale, kl["kl_high"] / scale)
                estimate = Estimate(float(kl["kl"]) / scale, interval, n_rounds, "rounds")
                what = f"KL({direction}), {unit}"
                sheet.row(
                    f"{name}: {what}",
                    claim,
                    estimate,
                    unit=unit,
                    settings=AGENTS[name],
                    on=SIMULATED_HUMANS,
                )
                sheet.point("", what, name, estimate)
        sheet.published("", name, claim)
    what = "Biased agent: games won against the baseline"
    lab.win_row(sheet.row, what, PUBLISHED_WINS, match_of_table1(lab))
    return sheet


def match_of_table1(lab: Lab) -> MatchPlan:
    """Of the biased agent, which is a setting of figure 1 too."""
    return MatchPlan(BIASED, BASELINE, lab.n(NAMED_GAMES, QUICK["games"]), MATCH_SEED)


def _fig2(human: Sample, samples: dict[str, Sample], n_rounds: int) -> Sheet:
    """How far each agent's frequencies lie from the humans'. Bootstrap over games."""
    factory = samples["AI Factory Spades"]
    biased = samples["Biased agent"]
    sheet = Sheet(
        "devlin-fig2",
        "",
        "share within the category",
        unit="share of plays",
        on=SIMULATED_HUMANS,
    )
    for series, sample in (
        ("humans", human),
        ("AI Factory Spades", factory),
        ("Biased agent", biased),
    ):
        for row in compute_frequencies([sample]).itertuples():
            interval = (row.within_low, row.within_high)
            share = Estimate(float(row.within), interval, n_rounds, "rounds")
            sheet.point(str(row.position), series, f"{row.category}", share)
    for name in ("Follow duck other", "Follow duck highest"):
        move = list(MOVES_32).index(name)
        nearer = _gap(human, factory, move) - _gap(human, biased, move)
        low, high = np.quantile(nearer[1:], (0.025, 0.975))
        sheet.row(
            f"{name}: how much nearer to the humans' share the biased agent is than AI Factory's",
            Claim.above(0.0, "large change"),
            Estimate(float(nearer[0]), (float(low), float(high)), n_rounds, "rounds"),
        )
    return sheet


def _gap(human: Sample, agent: Sample, move: int) -> NDArray[np.float64]:
    """Distance of a move's share of all plays from the humans', the estimate first, then the
    bootstrap's."""
    return np.asarray(np.abs(_shares(human, move) - _shares(agent, move)))


def _shares(sample: Sample, move: int) -> NDArray[np.float64]:
    total = sample.moves.total[None].astype(float)
    counts = [fold(one, N_MOVES) for one in (total, sample.moves.replicates)]
    return np.concatenate([one[:, move] / one.sum(axis=1) for one in counts])
