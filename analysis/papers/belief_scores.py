"""How well determinizations explain hidden cards: ``python -m analysis.papers.belief_scores``.

Score: the log of P(true holder holds the card), in nats, mean over the unseen cards (spec 2,
"Determinization"). P is marginal, card by card: the share of 400 deals in which the holder has the
card, smoothed as by one more deal in which each of the three seats has a third of it,
(400 share + 1/3) / 401. All methods have the same smoothing and positions, and as many deals but
for the inference table itself (``inferred``) and the belief network (``network``), whose shares
need none, and the posterior, whose shares are by the weights of all its deals. Guessing a third
scores -1.099.

Positions: the seat to play before plies 0, 13, 26 and 39 of each round. Rounds are held out:
nothing here was fitted on them. But the posterior takes everybody for the simulated human, who made
the first group's bids and plays and the second's bids; told who plays, it knows the very rules of
the third group's players and the noise of their bids. Intervals are at 95%, by bootstrap over
rounds; differences are of the same cards. Why biased deals do as they do is measured by rounds with
a nil and without, by cards dealt first (by the bids) and last (by the table), by each rule
switched off (in the first 120 rounds).

Writes ``data/tables/belief_scores.json`` in some five minutes on one core."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.decisions import card_beliefs
from analysis.decisions.card_beliefs import INFERRED, METHODS
from analysis.papers import whitehouse
from analysis.runs.command import make_table, number
from spades import belief
from spades.belief.dealing import BIASED, NETWORK, POSTERIOR, is_dealt_by_bids
from spades.core.deal import derive_seed
from spades.core.documents import read_json
from spades.core.errors import SpadesError
from spades.core.kernel import seed_state
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.paths import DATA, stored_table
from spades.core.records import RoundRecord
from spades.core.rules import NIL_BID
from spades.human import simulate_humans
from spades.notation.log_store import open_log

TABLE = DATA / "tables" / "belief_scores.json"
COMMAND = "python -m analysis.papers.belief_scores"
PLIES = (0, 13, 26, 39)
N_DEALS, N_ROUNDS, N_RULE_ROUNDS, SEED = 400, 300, 120, 60601
N_RESAMPLES = 1000
GROUPS = {
    "simulated humans": "four simulated humans, simulated anew (seed 60601)",
    "four-ismcts": "four ISMCTS of 2,500 iterations, bids of the simulated human (shipped log)",
    "four-srp-nil": "four strong rule-based players, BIS's bids made noisy (shipped log)",
}
PLAYERS = dict(zip(GROUPS, ("human", "search", "rules"), strict=True))
"""What the belief network is told of each group, in ``TOLD``, and the posterior."""
TOLD, POSTERIOR_TOLD = (f"{name}, told who plays" for name in (NETWORK, POSTERIOR))
FLOORS = tuple(f"biased: {floor:g}" for floor in whitehouse.FLOORS[1:])
"""Biased deals with other floors than 0.02: no paper prints one."""
PAIRS = (*((name, "uniform") for name in FLOORS), ("biased", "uniform"), ("mixed", "uniform"),
         ("posterior", "uniform"), ("posterior", "biased"), ("biased", INFERRED),
         (INFERRED, "uniform"), (NETWORK, "uniform"), (TOLD, "uniform"),
         (TOLD, "posterior"), (POSTERIOR_TOLD, "uniform"), (POSTERIOR_TOLD, TOLD))  # fmt: skip
FIRST, LATER = "cards dealt first, by the bids", "cards dealt last, by the table"
BARE = "no rule at all"


@dataclass(frozen=True)
class Scored:
    """Sums of log P of a group: ``total`` (rounds, plies, 2, methods) and how many cards, ``n``.
    The third axis: cards that biased dealing gives out first, by the bids, and the rest.
    ``has_nil`` (rounds,): somebody bid nil."""

    methods: tuple[str, ...]
    total: NDArray[np.float64]
    n: NDArray[np.int64]
    has_nil: NDArray[np.bool_]


def rounds_of(group: str, n: int) -> list[RoundRecord]:
    """``n`` rounds of a group, drawn without replacement from a shipped log."""
    if group == "simulated humans":
        return list(simulate_humans(n, SEED).records())
    log: Log = open_log(group)
    rows = np.random.default_rng(SEED).permutation(len(log))[:n]
    return list(log.take(np.sort(rows)).records())


def score_rounds(records: Sequence[RoundRecord], methods: Sequence[str]) -> Scored:
    """Every method on every position of the rounds."""
    shape = (len(records), len(PLIES), 2)
    total, n = np.zeros((*shape, len(methods))), np.zeros(shape, dtype=np.int64)
    for i, record in enumerate(records):
        for j, ply in enumerate(PLIES):
            state, seed = record.at(ply), derive_seed(SEED, i, ply)
            position = record.observe(state), state.hands
            total[i, j], n[i, j] = score_position(*position, methods, seed)
    has_nil = np.array([NIL_BID in record.bids for record in records])
    return Scored(tuple(methods), total, n, has_nil)


def score_position(
    observation: Observation, hands: Sequence[int], methods: Sequence[str], seed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Sums of log P (2, methods) and numbers of cards (2,), those dealt by the bids first."""
    cards, seats = card_beliefs.unseen_cards(observation), card_beliefs.other_seats(observation)
    holders = [next(k for k in range(3) if hands[seats[k]] >> card & 1) for card in cards]
    holder = np.array(holders, dtype=np.int64)
    deck = observation.rules.cards.mask
    is_later = np.array([not is_dealt_by_bids(card, deck) for card in cards], dtype=np.int64)
    total = np.zeros((2, len(methods)))
    for k, method in enumerate(methods):
        shares = shares_of(method, observation, seed)
        logs = card_beliefs.log_scores(shares[np.arange(len(cards)), holder], N_DEALS)
        total[:, k] = np.bincount(is_later, logs, 2)
    return total, np.bincount(is_later, minlength=2)


def shares_of(method: str, observation: Observation, seed: int) -> NDArray[np.float64]:
    """P(card, seat), (cards, 3), by a method; ``biased - RULE`` leaves a rule out,
    ``biased: FLOOR`` has another floor, ``network: PLAYERS`` tells the network who plays,
    ``posterior: PLAYERS`` the posterior."""
    if method.startswith(NETWORK):
        players = method.partition(": ")[2] or belief.Dealing.players
        return card_beliefs.network_shares(observation, players)
    name, _, off = method.partition(" - ")
    rules = [rule for rule in belief.RULE_NAMES if off not in (rule, BARE)]
    if name == INFERRED:
        return card_beliefs.inferred_shares(observation, rules)
    name, _, said = name.partition(": ")
    dealing: belief.Determinizer
    if name == BIASED:
        options = {"floor": float(said)} if said else {}
        dealing = belief.BiasedDeals(observation, rules=rules, **options)
    else:
        dealing = belief.Dealing(name, players=said or belief.Dealing.players)(observation)
    deals, _ = dealing.sample(N_DEALS, seed_state(seed))
    if isinstance(dealing, belief.PosteriorDeals):
        return card_beliefs.shares_of_deals(observation, *dealing.weighed_)
    return card_beliefs.shares_of_deals(observation, deals)


def part_scores(total: NDArray, n: NDArray, methods: Sequence[str]) -> dict[str, Any]:
    """Mean score by method and the differences of ``PAIRS``, with intervals. ``total`` (rounds,
    methods) and ``n`` (rounds,): sums of log P and cards of each round."""
    found = bootstrap_means(total, n, methods)
    return {
        "rounds": int((n > 0).sum()),
        "cards": int(n.sum()),
        "scores": {method: value_of(means) for method, means in found.items()},
        "differences": {
            f"{a} - {b}": value_of(found[a] - found[b]) for a, b in PAIRS if {a, b} <= found.keys()
        },
    }


def bootstrap_means(total: NDArray, n: NDArray, methods: Sequence[str]) -> dict[str, NDArray]:
    """By method the mean over all cards and, after it, the means of resampled rounds."""
    rng = np.random.default_rng(SEED)
    rows = rng.integers(0, len(n), (N_RESAMPLES, len(n)))
    again = total[rows].sum(axis=1) / np.maximum(n[rows].sum(axis=1), 1)[:, None]
    means = np.vstack([total.sum(axis=0) / n.sum(), again])
    return dict(zip(methods, means.T, strict=True))


def value_of(means: NDArray) -> dict[str, Any]:
    """A mean or difference with its interval."""
    low, high = np.quantile(means[1:], (0.025, 0.975))
    return {"value": float(means[0]), "interval": [float(low), float(high)]}


def group_document(scored: Scored) -> dict[str, Any]:
    """All parts of a group that have a card."""
    whole, nil = np.ones(len(scored.has_nil), dtype=bool), scored.has_nil
    plies, kinds = range(len(PLIES)), range(2)
    cuts: dict[str, tuple] = {
        "all": (whole, plies, kinds),
        "rounds with a nil": (nil, plies, kinds),
        "rounds without": (~nil, plies, kinds),
        FIRST: (whole, plies, [0]),
        LATER: (whole, plies, [1]),
        f"{LATER}, with a nil": (nil, plies, [1]),
        **{f"before ply {ply}": (whole, [j], kinds) for j, ply in enumerate(PLIES)},
    }
    parts = {}
    for name, (rounds, at, which) in cuts.items():
        total = scored.total[rounds][:, at][:, :, which].sum(axis=(1, 2))
        n = scored.n[rounds][:, at][:, :, which].sum(axis=(1, 2))
        if n.sum():
            parts[name] = part_scores(total, n, scored.methods)
    return parts


def rules_document(scored: Scored) -> dict[str, Any]:
    """What each rule brings: the score with all rules less that with the rule switched off."""
    total, n = scored.total.sum(axis=(1, 2)), scored.n.sum(axis=(1, 2))
    means = bootstrap_means(total, n, scored.methods)
    return {
        rule: {
            name: value_of(means[name] - means[f"{name} - {rule}"]) for name in ("biased", INFERRED)
        }
        for rule in (*belief.RULE_NAMES, BARE)
    }


def scores_document(n_rounds: int = N_ROUNDS) -> dict[str, Any]:
    off = [
        f"{name} - {rule}" for rule in (*belief.RULE_NAMES, BARE) for name in ("biased", INFERRED)
    ]
    groups, rules = {}, {}
    for group, what in GROUPS.items():
        records = rounds_of(group, n_rounds)
        told = [f"{name}: {PLAYERS[group]}" for name in (NETWORK, POSTERIOR)]
        scored = score_rounds(records, (*METHODS, *FLOORS, *told))
        scored = replace(scored, methods=(*METHODS, *FLOORS, TOLD, POSTERIOR_TOLD))
        groups[group] = {"what": what, "parts": group_document(scored)}
        some = score_rounds(records[:N_RULE_ROUNDS], ["biased", INFERRED, *off])
        rules[group] = {"rounds": len(some.n), "gain": rules_document(some)}
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


def load_scores(path: Path = TABLE) -> Mapping[str, Any] | None:
    """The stored table as it is now, None where it hasn't been made."""
    return _parsed(path, path.stat().st_mtime_ns) if path.exists() else None


@lru_cache(maxsize=1)
def _parsed(path: Path, changed: int) -> Mapping[str, Any]:
    with stored_table(path, COMMAND, SpadesError):
        return dict(read_json(path))


if __name__ == "__main__":
    group_size = number("--rounds", N_ROUNDS, "rounds of each group")
    make_table(__doc__, TABLE, lambda options: scores_document(options.rounds), group_size)
