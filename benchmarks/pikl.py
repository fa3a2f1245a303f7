"""How well piKL foretells who plays: ``python -m benchmarks.pikl LOG KIND [--models NAME ...]``.

Searches decisions with a choice of a kind of player once and weighs the cards with each model at
every lambda. A row a model: log-loss of the card played (nats, 95% intervals over rounds) by the
model, by the shares of visits, and by piKL at the lambda that is best on the first half of the
decisions, measured on the second; and how much less that is than both."""

import argparse
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import ratio_interval
from spades.agents import IsmctsPlayer
from spades.core.cards import N_CARDS, cards_in
from spades.core.deal import derive_seed
from spades.core.logs import Log
from spades.core.records import KINDS
from spades.core.rules import NO_BID
from spades.human import load_prior
from spades.human.features.logs import LEGAL, SEAT, contexts_of_log
from spades.human.model import Prior, legal_priors
from spades.notation.log_store import open_log
from spades.search.bias import human_policy

LAMBDAS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
SEED = 1
_LEAST = 1e-12  # of a probability


def draw_plays(log: Log, kind: str, n: int, first: int) -> NDArray[np.int64]:
    """Plays with a choice, numbered through the log, of a kind of player from a round on."""
    codes = contexts_of_log(log).codes
    of = (log.kind == KINDS.index(kind)) & (log.bids.min(axis=1) != NO_BID)[:, None]
    chosen = np.take_along_axis(of, np.clip(codes[SEAT], 0, 3), axis=1)
    chosen &= (codes[SEAT] >= 0) & (codes[LEGAL] > 1)
    chosen[:first] = False
    return np.random.default_rng(SEED).permutation(np.flatnonzero(chosen))[:n]


def likelihoods(
    log: Log, plays: NDArray[np.int64], iterations: int, priors: dict[str, Prior]
) -> Iterator[list[float]]:
    """Of the card played: the share of visits; then by model its own P and piKL's by lambda."""
    player = IsmctsPlayer(iterations=iterations)
    for i, place in enumerate(plays.tolist()):
        row, ply = divmod(place, N_CARDS)
        record = log.record(row)
        seen = record.observation(ply)
        found = player.search(seen, derive_seed(SEED, i))
        played = list(cards_in(seen.legal_mask)).index(record.plays[ply])
        values = np.array([card.mean_value for card in found.cards])
        line = [float(found.probabilities[played])]
        for prior in priors.values():
            p = legal_priors(prior, seen)
            line.append(float(p[played]))
            line += [float(human_policy(p, values, each)[0][played]) for each in LAMBDAS]
        yield line


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("log")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--models", nargs="+", default=["devlin2016", "devlin2016-nil"])
    parser.add_argument("--decisions", type=int, default=4000)
    parser.add_argument("--iterations", type=int, default=2500)
    parser.add_argument("--from", type=int, default=0, dest="first", help="round, 0 the first")
    asked = parser.parse_args()
    log = open_log(asked.log).distinct()
    plays = draw_plays(log, asked.kind, asked.decisions, asked.first)
    priors = {name: load_prior(name) for name in asked.models}
    found = np.array(list(likelihoods(log, plays, asked.iterations, priors)))
    losses, half = -np.log(np.maximum(found, _LEAST)), len(found) // 2
    _, rounds = np.unique(plays[half:] // N_CARDS, return_inverse=True)

    def shown(loss: NDArray[np.float64]) -> str:
        ends = ratio_interval(np.bincount(rounds, loss), np.bincount(rounds))
        return f"{loss.mean():.4f}" + (f" ({ends[0]:.4f} to {ends[1]:.4f})" if ends else "")

    print(f"{len(found):,} decisions; on {len(found) - half:,} of {rounds.max() + 1:,} rounds:")
    visits = losses[half:, 0]
    print(f"visits {shown(visits)}")
    for i, name in enumerate(priors):
        own = 1 + i * (1 + len(LAMBDAS))
        best = int(losses[:half, own + 1 : own + 1 + len(LAMBDAS)].mean(axis=0).argmin())
        model, pikl = losses[half:, own], losses[half:, own + 1 + best]
        print(
            f"{name}: model {shown(model)}, piKL at {LAMBDAS[best]} {shown(pikl)}; less the "
            f"model's {shown(pikl - model)}, less the visits' {shown(pikl - visits)}"
        )


if __name__ == "__main__":
    main()
