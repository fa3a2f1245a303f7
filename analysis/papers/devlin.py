"""Devlin et al. 2016: accuracy of the human model, figures 1 and 2, table 1.

The humans are simulated: ``devlin2016-nil`` plays ``human-south``. The paper names neither unit nor
direction of its KL divergence: table 1 has all four readings. AI Factory's own agent isn't public;
a search with the parts that Whitehouse et al. 2013 describe of it stands in.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.matches.match import MatchPlan
from analysis.models.measures import compute_answers
from analysis.papers.claims import ACCURACY, KL, WINS, Claim, Estimate, Sheet
from analysis.papers.lab import NAMED_GAMES, ON, SHARE, Lab, by_scale, kl_of, wins_of
from analysis.runs.tasks import ranges
from analysis.style.compare import PUBLISHED_KL, Sample, compute_divergences, compute_frequencies
from analysis.style.counts import fold
from analysis.sweeps.run import agent_sample, hold_out, human_sample, rounds_part
from spades.core.deal import derive_seed
from spades.human import load_model, model_hash, simulate_humans
from spades.human.features.abstract_moves import MOVES_32, N_MOVES
from spades.human.features.logs import examples_of_log
from spades.human.features.view import LEGAL
from spades.notation.log_store import content_hash, open_log

ACCURACY_FIGURE, FIG1 = "devlin-accuracy", "devlin-fig1"
TABLE1, FIG2 = "devlin-table1", "devlin-fig2"
MODEL, LOG, SEED = "log-linear-fit", "human-south", 1
FRESH, FRESH_ROUNDS, ROUNDS_A_PART = 20160, 5000, 250
STYLE_ROUNDS = 2000
QUICK = {"games": 2, "decisions": 20, "rounds": 12}
BASELINE = "ismcts:iterations=2500"
FACTORY = f"{BASELINE},determinization=biased,playout=nil-aware,skew=on"
BIASED = "ismcts:iterations=2500,bias=knowledge,c_bt=0.03,k=1000,model=devlin2016"
AGENTS = {"Baseline ISMCTS": BASELINE, "AI Factory Spades": FACTORY, "Biased agent": BIASED}
ROUNDS_OF_STYLE = 10
NATS_A_BIT = float(np.log(2))


# Accuracy


def accuracy(lab: Lab) -> dict[str, Any]:
    parts = ranges(lab.n(FRESH_ROUNDS, 100), ROUNDS_A_PART)
    name = f"accuracy of {model_hash(MODEL)}"
    found = lab.measure(name, answers_part, parts, MODEL, FRESH)
    sums = {name: np.concatenate([part[name] for part in found]) for name in found[0]}
    sheet = Sheet(ACCURACY_FIGURE, "", "cards predicted", unit="share of cards", on=ON)
    for reading, cards in (("unforced", "cards with a choice"), ("all", "all cards")):
        n = sums[f"{reading}: n"]
        for name, what, published in (
            ("sampled", "the model, a card drawn by its probabilities", 0.4496),
            ("likeliest", "the model, its likeliest card", 0.4496),
            ("random", "a random legal card", 0.2939),
        ):
            claim = Claim.printed(published, ACCURACY, f"{published:.2%}")
            predicted = Estimate.mean(sums[f"{reading}: {name}"], "cards", n)
            sheet.row(f"{what}, {cards}", claim, predicted)
            sheet.beside(cards, name, predicted, published)
    return {ACCURACY_FIGURE: sheet.document}


def answers_part(first: int, end: int, model: str, seed: int) -> dict[str, list[float]]:
    """Sums over each of ``end - first`` fresh rounds, all cards and those with a choice."""
    examples = examples_of_log(simulate_humans(end - first, derive_seed(seed, first, 0)))
    answers = compute_answers(load_model(model).prior(), examples)
    legal = np.bitwise_count(examples.views[:, LEGAL].astype(np.uint64))
    _, of = np.unique(examples.games, return_inverse=True)
    columns = {
        "n": np.ones(len(legal)),
        "likeliest": answers["accuracy"].to_numpy(float),
        "sampled": answers["accuracy_sampled"].to_numpy(float),
        "random": 1 / legal,
    }
    found = {}
    for reading, counts in (("all", legal > 0), ("unforced", legal > 1)):
        for name, values in columns.items():
            sums = np.bincount(of[counts], values[counts], end - first)
            found[f"{reading}: {name}"] = sums.tolist()
    return found


# Figure 1


def fig1(lab: Lab) -> dict[str, Any]:
    found = lab.sweep("devlin-fig1", QUICK)
    by_place: dict[tuple[float, float], dict[str, Any]] = {
        (one["setting"]["c_bt"], one["setting"]["k"]): one
        for one in found["settings"]
        if one["setting"]["technique"] == "knowledge"
    }
    sheet = Sheet(FIG1, "DR", "")

    def falls(c_bt: float, more: float, less: float, text: str) -> None:
        change = kl_of(by_place[c_bt, less]).less(kl_of(by_place[c_bt, more]))
        what = f"C_BT {c_bt:g}: KL at DR {less:g} less KL at DR {more:g}"
        sheet.row(what, Claim.above(0.0, text), change, unit="nats", on=ON)

    falls(0.1, 100, 50, "falls rapidly")
    falls(0.1, 100, 1000, "increases again")
    for c_bt in sorted({place[0] for place in by_place} - {0.1}):
        falls(c_bt, 1000, 50, "falls")
    best = by_place[0.03, 1000]
    claim = Claim.above(0.5, "at least 50%")
    what = "C_BT 0.03, DR 1000: games won"
    sheet.row(what, claim, wins_of(best), unit=SHARE, settings=best["agent"])
    for panel, of in (("KL, nats", kl_of), ("games won", wins_of)):
        for (c_bt, k), one in sorted(by_place.items()):
            sheet.point(panel, f"C_BT {c_bt:g}", k, of(one))
    by_scale(lab, "devlin2016", sheet, "C_BT 0.03, DR 1000", {"games won": claim})
    return {FIG1: sheet.document}


# Table 1 and figure 2


def style(lab: Lab) -> dict[str, Any]:
    held = hold_out(open_log(LOG), SEED)
    n = lab.n(STYLE_ROUNDS, QUICK["rounds"])
    samples = {}
    for name, agent in AGENTS.items():
        parts = ranges(n, ROUNDS_OF_STYLE)
        agents, kind = (agent, BASELINE), f"style in {content_hash(LOG)}"
        found = lab.measure(kind, style_part, parts, LOG, SEED, agent, agents=agents)
        moves = [one for part in found for one in part]
        samples[name] = agent_sample(held, moves)
    human = human_sample(held)
    return {TABLE1: _table1(lab, human, samples, n), FIG2: _fig2(human, samples, n)}


def style_part(first: int, end: int, log: str, seed: int, agent: str) -> list[list[int]]:
    """Abstract moves of an agent in the human's seat, by round."""
    held = hold_out(open_log(log), seed)
    places = held.records(held.rounds[first:end])
    moves: list[list[int]] = rounds_part(agent, BASELINE, places, seed, first)["moves"]
    return moves


def _table1(lab: Lab, human: Sample, samples: dict[str, Sample], n: int) -> dict[str, Any]:
    sheet = Sheet(TABLE1, "", "KL divergence")
    for name, sample in samples.items():
        table = compute_divergences([human, sample])
        is_of_human = table["of"] == human.group.label
        directions = {"humans || agent": is_of_human, "agent || humans": ~is_of_human}
        for direction, mask in directions.items():
            one = table[mask].iloc[0]
            for unit, scale in (("nats", 1.0), ("bits", NATS_A_BIT)):
                ends = (one["kl_low"] / scale, one["kl_high"] / scale)
                estimate = Estimate(float(one["kl"]) / scale, ends, n, "rounds")
                claim, what = Claim.printed(PUBLISHED_KL[name], KL), f"KL({direction}), {unit}"
                about = {"unit": unit, "settings": AGENTS[name], "on": ON}
                sheet.row(f"{name}: {what}", claim, estimate, **about)
                sheet.point("", what, name, estimate)
        sheet.point("", "published", name, PUBLISHED_KL[name])
    plan = MatchPlan(BIASED, BASELINE, lab.n(NAMED_GAMES, QUICK["games"]), 201600)
    claim, what = Claim.printed(0.496, WINS, "49.6% ± 3.4%"), "games won against the baseline"
    lab.win_row(sheet, f"Biased agent: {what}", claim, plan)
    return sheet.document


def _fig2(human: Sample, samples: dict[str, Sample], n: int) -> dict[str, Any]:
    """How far each agent's frequencies lie from the humans'. Bootstrap over games."""
    names = list(samples)
    shown = {"humans": human, **{name: samples[name] for name in (names[1], names[2])}}
    sheet = Sheet(FIG2, "", "share within the category", unit="share of plays", on=ON)
    for label, sample in shown.items():
        table = compute_frequencies([sample])
        for one in table.itertuples():
            ends = (one.within_low, one.within_high)
            found = Estimate(float(one.within), ends, n, "rounds")
            sheet.point(str(one.position), label, f"{one.category}", found)
    for move in ("Follow duck other", "Follow duck highest"):
        i = list(MOVES_32).index(move)
        gaps = [_gap(human, samples[name], i) for name in names[1:]]
        change = gaps[0] - gaps[1]
        low, high = np.quantile(change[1:], (0.025, 0.975))
        found = Estimate(float(change[0]), (float(low), float(high)), n, "rounds")
        what = f"{move}: how much nearer to the humans' share the biased agent is than AI Factory's"
        sheet.row(what, Claim.above(0.0, "large change"), found)
    return sheet.document


def _gap(human: Sample, agent: Sample, move: int) -> NDArray[np.float64]:
    """Distance of a move's share of all plays from the humans', the estimate first, then the
    bootstrap's."""
    both = []
    for sample in (human, agent):
        total = sample.moves.total[None].astype(float)
        folded = [fold(one, N_MOVES) for one in (total, sample.moves.replicates)]
        shares = [one[:, move] / one.sum(axis=1) for one in folded]
        both.append(np.concatenate(shares))
    return np.asarray(np.abs(both[0] - both[1]))
