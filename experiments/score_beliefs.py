"""How well determinizations explain hidden cards: ``python -m experiments.score_beliefs``.

Writes ``data/tables/belief_scores.json`` in some five minutes on one core.

Score: the log of P(true holder holds the card), in nats, mean over the unseen cards. P is marginal,
card by card: the share of 400 deals in which the holder has the card, smoothed as by one more deal
in which each of the three seats has a third of it, (400 share + 1/3) / 401. All methods have the
same smoothing and positions, and as many deals but for the inference table itself (``inferred``)
and the belief network (``network``), whose shares need none, and the posterior, whose shares are by
the weights of all its deals. Guessing a third scores -1.099.

Positions: the seat to play before plies 0, 13, 26 and 39 of each round. Rounds are held out:
nothing here was fitted on them. But the posterior takes everybody for the simulated human, who made
the first group's bids and plays and the second's bids; told who plays, it knows the very rules of
the third group's players and the noise of their bids. Intervals are at 95%, by bootstrap over
rounds; differences are of the same cards. Why biased deals do as they do is measured by rounds with
a nil and without, by cards dealt first (by the bids) and last (by the table), by each rule
switched off (in the first 120 rounds).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.decisions import card_beliefs
from analysis.decisions.card_beliefs import INFERRED, METHODS
from analysis.papers.belief_scores import (
    COMMAND,
    DEALT_FIRST,
    DEALT_LAST,
    NETWORK_TOLD,
    NO_RULE,
    OTHER_FLOORS,
    POSTERIOR_TOLD,
    TABLE,
)
from experiments.command import make_table, number
from spades import belief
from spades.belief.determinizations.biased import BiasedDeterminization, is_dealt_by_bids
from spades.belief.determinizations.network import NetworkDeterminization
from spades.belief.determinizations.posterior import PosteriorDeterminization
from spades.belief.network import PLAYER_KINDS
from spades.core.deal import derive_seed
from spades.core.documents import Document
from spades.core.kernel import BoolArray, FloatArray, IntArray, seed_state
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.records import Record
from spades.core.rules import NIL_BID
from spades.human import simulate_humans
from spades.notation.log_store import open_log

PLIES = (0, 13, 26, 39)
N_DEALS = 400
N_ROUNDS = 300
N_RULE_ROUNDS = 120
N_RESAMPLES = 1000
SEED = 60601
GROUPS = {
    "simulated humans": "four simulated humans, simulated anew (seed 60601)",
    "four-ismcts": "four ISMCTS of 2,500 iterations, bids of the simulated human (shipped log)",
    "four-srp-nil": "four strong rule-based players, BIS's bids made noisy (shipped log)",
}
BIASED = BiasedDeterminization.name
NETWORK = NetworkDeterminization.name
POSTERIOR = PosteriorDeterminization.name
PLAYERS = {"simulated humans": "human", "four-ismcts": "search", "four-srp-nil": "rules"}
"""What the belief network and the posterior are told of each group."""
PAIRS = (
    *((name, "uniform") for name in OTHER_FLOORS),
    ("biased", "uniform"),
    ("mixed", "uniform"),
    ("posterior", "uniform"),
    ("posterior", "biased"),
    ("biased", INFERRED),
    (INFERRED, "uniform"),
    (NETWORK, "uniform"),
    (NETWORK_TOLD, "uniform"),
    (NETWORK_TOLD, "posterior"),
    (POSTERIOR_TOLD, "uniform"),
    (POSTERIOR_TOLD, NETWORK_TOLD),
)
"""Methods whose difference is measured."""


WITH_RULES = ("biased", INFERRED)
"""Methods that have the soft rules."""
RULES_OFF = (*belief.RULE_NAMES, NO_RULE)
"""What is switched off in turn."""


@dataclass(frozen=True)
class Scored:
    """Sums of log P of a group: ``total`` (rounds, plies, 2, methods) and how many cards, ``n``.
    The third axis: cards that biased dealing gives out first, by the bids, and the rest.
    ``has_nil`` (rounds,): somebody bid nil."""

    methods: tuple[str, ...]
    total: FloatArray
    n: IntArray
    has_nil: BoolArray


def rounds_of(group: str, n: int) -> list[Record]:
    """``n`` rounds of a group, drawn without replacement from a shipped log."""
    if group == "simulated humans":
        return list(simulate_humans(n, SEED).records())
    log: Log = open_log(group)
    rows = np.random.default_rng(SEED).permutation(len(log))[:n]
    return list(log.take(np.sort(rows)).records())


def score_rounds(records: Sequence[Record], methods: Sequence[str]) -> Scored:
    """Every method on every position of the rounds."""
    shape = (len(records), len(PLIES), 2)
    total = np.zeros((*shape, len(methods)))
    n = np.zeros(shape, dtype=np.int64)
    for (i, record), (j, ply) in product(enumerate(records), enumerate(PLIES)):
        state = record.at(ply)
        seen = record.observe(state)
        seed = derive_seed(SEED, i, ply)
        total[i, j], n[i, j] = score_position(seen, state.hands, methods, seed)
    has_nil = np.array([NIL_BID in record.bids for record in records])
    return Scored(tuple(methods), total, n, has_nil)


def score_position(
    observation: Observation, hands: Sequence[int], methods: Sequence[str], seed: int
) -> tuple[FloatArray, IntArray]:
    """Sums of log P (2, methods) and numbers of cards (2,), those dealt by the bids first."""
    cards = card_beliefs.unseen_cards(observation)
    seats = card_beliefs.other_seats(observation)
    deck = observation.rules.cards.mask
    holders = np.zeros(len(cards), dtype=np.int64)
    is_later = np.zeros(len(cards), dtype=np.int64)
    for i, card in enumerate(cards):
        holders[i] = next(k for k in range(3) if hands[seats[k]] >> card & 1)
        is_later[i] = not is_dealt_by_bids(card, deck)
    total = np.zeros((2, len(methods)))
    for k, method in enumerate(methods):
        shares = shares_of(method, observation, seed)
        of_holders = shares[np.arange(len(cards)), holders]
        logs = card_beliefs.log_scores(of_holders, N_DEALS)
        total[:, k] = np.bincount(is_later, logs, 2)
    return total, np.bincount(is_later, minlength=2)


def shares_of(method: str, observation: Observation, seed: int) -> FloatArray:
    """P(card, seat), (cards, 3), by a method; ``biased - RULE`` leaves a rule out,
    ``biased: FLOOR`` has another floor, ``network: PLAYERS`` tells the network who plays,
    ``posterior: PLAYERS`` the posterior."""
    if method.startswith(NETWORK):
        players = method.partition(": ")[2] or PLAYER_KINDS[0]
        dealing = belief.Dealing.of(NETWORK, players=players)
        return card_beliefs.shares_by(dealing, observation)
    name, _, rule_off = method.partition(" - ")
    rules = [rule for rule in belief.RULE_NAMES if rule_off not in (rule, NO_RULE)]
    if name == INFERRED:
        return card_beliefs.inferred_shares(observation, rules)
    name, _, option = name.partition(": ")
    determinizer: belief.Determinizer
    options: dict[str, Any] = {}
    if name == BIASED:
        if option:
            options["floor"] = float(option)
        determinizer = belief.BiasedDeals(observation, rules=rules, **options)
    else:
        if option:
            options["players"] = option
        determinizer = belief.Dealing.of(name, **options)(observation)
    deals, _ = determinizer.sample(N_DEALS, seed_state(seed))
    if isinstance(determinizer, belief.PosteriorDeals):
        return card_beliefs.shares_of_deals(observation, *determinizer.weighed_)
    return card_beliefs.shares_of_deals(observation, deals)


def part_scores(total: NDArray, n: NDArray, methods: Sequence[str]) -> Document:
    """Mean score by method and the differences of ``PAIRS``, with intervals. ``total`` (rounds,
    methods) and ``n`` (rounds,): sums of log P and cards of each round."""
    means = bootstrap_means(total, n, methods)
    return {
        "rounds": int((n > 0).sum()),
        "cards": int(n.sum()),
        "scores": {method: value_of(of_method) for method, of_method in means.items()},
        "differences": {
            f"{a} - {b}": value_of(means[a] - means[b])
            for a, b in PAIRS
            if a in means and b in means
        },
    }


def bootstrap_means(total: NDArray, n: NDArray, methods: Sequence[str]) -> dict[str, NDArray]:
    """By method the mean over all cards and, after it, the means of resampled rounds."""
    rng = np.random.default_rng(SEED)
    rows = rng.integers(0, len(n), (N_RESAMPLES, len(n)))
    n_cards = np.maximum(n[rows].sum(axis=1), 1)
    resampled = total[rows].sum(axis=1) / n_cards[:, None]
    mean = total.sum(axis=0) / n.sum()
    means = np.vstack([mean, resampled])
    return dict(zip(methods, means.T, strict=True))


def value_of(means: NDArray) -> Document:
    """A mean or difference with its interval."""
    mean, *resampled = means.tolist()
    return {"value": mean, "interval": np.quantile(resampled, (0.025, 0.975)).tolist()}


def group_document(scored: Scored) -> Document:
    """All parts of a group that have a card."""
    has_nil = scored.has_nil
    all_rounds = np.ones(len(has_nil), dtype=bool)
    all_plies = range(len(PLIES))
    both_kinds = range(2)
    cuts: dict[str, tuple] = {
        "all": (all_rounds, all_plies, both_kinds),
        "rounds with a nil": (has_nil, all_plies, both_kinds),
        "rounds without": (~has_nil, all_plies, both_kinds),
        DEALT_FIRST: (all_rounds, all_plies, [0]),
        DEALT_LAST: (all_rounds, all_plies, [1]),
        f"{DEALT_LAST}, with a nil": (has_nil, all_plies, [1]),
    }
    for j, ply in enumerate(PLIES):
        cuts[f"before ply {ply}"] = (all_rounds, [j], both_kinds)
    parts = {}
    for name, (rounds, plies, kinds) in cuts.items():
        cells = np.ix_(rounds, plies, kinds)
        total = scored.total[cells].sum(axis=(1, 2))
        n = scored.n[cells].sum(axis=(1, 2))
        if n.sum():
            parts[name] = part_scores(total, n, scored.methods)
    return parts


def rules_document(scored: Scored) -> Document:
    """What each rule brings: the score with all rules less that with the rule switched off."""
    total = scored.total.sum(axis=(1, 2))
    n = scored.n.sum(axis=(1, 2))
    means = bootstrap_means(total, n, scored.methods)
    gain: Document = {}
    for rule, name in product(RULES_OFF, WITH_RULES):
        brought = value_of(means[name] - means[f"{name} - {rule}"])
        gain.setdefault(rule, {})[name] = brought
    return gain


def scores_document(n_rounds: int) -> Document:
    off = [f"{name} - {rule}" for rule, name in product(RULES_OFF, WITH_RULES)]
    groups = {}
    rules = {}
    for group, what in GROUPS.items():
        records = rounds_of(group, n_rounds)
        told = [f"{name}: {PLAYERS[group]}" for name in (NETWORK, POSTERIOR)]
        scored = score_rounds(records, (*METHODS, *OTHER_FLOORS, *told))
        scored = replace(scored, methods=(*METHODS, *OTHER_FLOORS, NETWORK_TOLD, POSTERIOR_TOLD))
        groups[group] = {"what": what, "parts": group_document(scored)}
        by_rule = score_rounds(records[:N_RULE_ROUNDS], [*WITH_RULES, *off])
        rules[group] = {"rounds": len(by_rule.n), "gain": rules_document(by_rule)}
    return {
        "what": "mean log-likelihood of the true holders of the unseen cards, nats a card",
        "command": COMMAND,
        "rounds": n_rounds,
        "plies": list(PLIES),
        "deals": N_DEALS,
        "smoothing": "(deals * share + 1/3) / (deals + 1)",
        "confidence": 0.95,
        "resamples": N_RESAMPLES,
        "seed": SEED,
        "groups": groups,
        "rules": rules,
    }


if __name__ == "__main__":
    group_size = number("--rounds", N_ROUNDS, "rounds of each group")
    make_table(__doc__, TABLE, lambda options: scores_document(options.rounds), group_size)
