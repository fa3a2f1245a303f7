"""Pairs of games on common deals: each deal is played twice, the partnerships swapped.

Pair p of a seed is two games. In its first (seating 0) the first agent sits North and South, in its
second (seating 1) East and West. Round r of both is dealt by the same dealer from (seed, p, r)
alone, for as long as both games go on; what an agent draws at random depends on seat and ply, never
on who sits there. The pair of (first, second) is therefore the pair of (second, first) read
backwards.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.agents.play import MAX_ROUNDS, Seating, deal_and_bid, play_cards
from spades.agents.spec import Agent
from spades.cards import N_SEATS
from spades.deal import derive_seed
from spades.errors import SpadesError
from spades.observation import Pair
from spades.rules import NIL_BID, Round, Rules, Table
from spades.scoring import GameScore, add_round, score_round, winner

MAX_DEALS = 1000  # of one nil-only round; simulated humans need 2 or 3
_REDEAL_STREAM = 3  # streams 0 to 2 of a round's seed: its deal, its bids, its plays
N_SIDES = 2


class NoNilError(SpadesError):
    """A nil-only round whose agents don't bid nil."""


class InvalidResultsError(SpadesError):
    """Stored results of pairs that aren't what was stored."""


@dataclass(frozen=True)
class Duel:
    """Two agents, each in both seats of a partnership, and the rules they play by.

    ``nil_only``: a deal on which nobody bids nil is thrown in and dealt anew by the same dealer, so
    that every round has a nil (Whitehouse et al. 2013, p. 5). The k-th deal of a round is common to
    both games of a pair; how many are thrown in can differ where the agents bid differently.
    """

    first: Agent
    second: Agent
    rules: Rules
    nil_only: bool = False

    @property
    def seatings(self) -> tuple[Seating, Seating]:
        a, b = self.first, self.second
        return Seating((a, b, a, b), self.rules), Seating((b, a, b, a), self.rules)


@dataclass(frozen=True)
class PairResults:
    """n pairs of games, as int64 arrays by pair, seating (2) and agent (2: first, second).

    ``rounds`` (n, 2) by pair and seating; the others (n, 2, 2), over a whole game: ``scores``
    final, points; ``penalties`` points that bags cost, taken off the score; ``bags`` made; ``nils``
    bid (blind ones too) and ``nils_made``; ``contracts``, rounds with a contract above 0, and
    ``contracts_made``; ``nanoseconds`` thought over cards, forced ones too, 26 cards a round: a
    measurement, which differs from run to run as nothing else does.
    """

    rounds: NDArray[np.int64]
    scores: NDArray[np.int64]
    penalties: NDArray[np.int64]
    bags: NDArray[np.int64]
    nils: NDArray[np.int64]
    nils_made: NDArray[np.int64]
    contracts: NDArray[np.int64]
    contracts_made: NDArray[np.int64]
    nanoseconds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rounds)

    def winners(self, rules: Rules) -> NDArray[np.int64]:
        """Who won each game, (n, 2): agent 0 or 1; -1 where :data:`MAX_ROUNDS` left it open."""
        found = [
            [-1 if (side := winner(rules, game)) is None else side for game in pair]
            for pair in self.scores.tolist()
        ]
        return np.array(found, dtype=np.int64).reshape(len(self), N_SIDES)

    def swapped(self) -> PairResults:
        """The same games with second agent and first agent exchanged."""
        columns = {name: array[:, ::-1, ...] for name, array in vars(self).items()}
        sides = {name: array[..., ::-1] for name, array in columns.items() if array.ndim == 3}
        return PairResults(**{**columns, **sides})

    def document(self) -> dict[str, list]:
        """Nested lists for JSON; :meth:`from_document` reads them."""
        return {name: array.tolist() for name, array in vars(self).items()}

    @classmethod
    def from_document(cls, document: Mapping[str, Any], n_pairs: int) -> PairResults:
        """Results of ``n_pairs`` pairs; :class:`InvalidResultsError` for anything else."""
        arrays = {}
        for name in FIELDS:
            shape = (n_pairs, 2) if name == "rounds" else (n_pairs, 2, 2)
            try:
                array = np.array(document[name])
            except (KeyError, TypeError, ValueError):
                array = np.empty(0)
            if array.shape != shape or array.dtype != np.int64:
                raise InvalidResultsError(
                    f"{name} of {n_pairs} stored pairs should be whole numbers of shape {shape}"
                )
            arrays[name] = array
        return cls(**arrays)

    @classmethod
    def joined(cls, parts: Sequence[PairResults]) -> PairResults:
        """Parts one after the other."""
        return cls(**{name: np.concatenate([vars(p)[name] for p in parts]) for name in FIELDS})


FIELDS = tuple(option.name for option in dataclasses.fields(PairResults))


class _Counts(NamedTuple):
    """What one round, or game, comes to by partnership; fields as in :class:`PairResults`."""

    scores: Pair
    penalties: Pair
    bags: Pair
    nanoseconds: Pair
    nils: Pair
    nils_made: Pair
    contracts: Pair
    contracts_made: Pair


def play_pairs(duel: Duel, seed: int, first: int, end: int) -> PairResults:
    """Pairs ``first`` to ``end`` - 1 of a seed, card by card.

    A game goes to the target or the floor; equal scores there play on; one that is still open
    after :data:`MAX_ROUNDS` rounds has no winner. Raises :class:`NoNilError` for a nil-only round
    in which nobody bids nil in :data:`MAX_DEALS` deals.
    """
    rounds, games = [], []
    for pair in range(first, end):
        for seating in duel.seatings:
            n, counts = _play_game(seating, seed, pair, duel.nil_only)
            rounds.append(n)
            games.append(counts)
    by_game = np.array(games, dtype=np.int64).reshape(end - first, 2, len(_Counts._fields), 2)
    by_game[:, 1] = by_game[:, 1, :, ::-1].copy()  # by agent, where it was by partnership
    columns = {name: by_game[:, :, i] for i, name in enumerate(_Counts._fields)}
    return PairResults(rounds=np.array(rounds, dtype=np.int64).reshape(-1, 2), **columns)


def _play_game(
    seating: Seating, seed: int, game: int, nil_only: bool
) -> tuple[int, NDArray[np.int64]]:
    """One game: its rounds, and its :class:`_Counts` as an array (8, 2)."""
    before = GameScore((0, 0), (0, 0))
    total = np.zeros((len(_Counts._fields), 2), dtype=np.int64)
    for i in range(MAX_ROUNDS):
        round_seed, dealer = derive_seed(seed, game, i), (game + i) % N_SEATS
        state, round_seed = _auction(seating, dealer, round_seed, before, nil_only)
        thought = play_cards(seating, state, round_seed, before)
        after, counts = _count(state.table, before, thought)
        total += np.array(counts)
        before = after
        if winner(seating.rules, before.score) is not None:
            break
    return i + 1, total


def _auction(
    seating: Seating, dealer: int, seed: int, before: GameScore, nil_only: bool
) -> tuple[Round, int]:
    """A round dealt and bid, and the seed that it is played from."""
    if not nil_only:
        return deal_and_bid(seating, dealer, seed, before), seed
    for attempt in range(MAX_DEALS):
        deal_seed = derive_seed(seed, _REDEAL_STREAM, attempt)
        state = deal_and_bid(seating, dealer, deal_seed, before)
        if NIL_BID in state.table.bids:
            return state, deal_seed
    names = " and ".join(sorted({str(agent) for agent in seating.agents}))
    raise NoNilError(
        f"{names} bid no nil in {MAX_DEALS} deals: nil-only games need a bidder that does"
    )


def _count(table: Table, before: GameScore, thought: Pair) -> tuple[GameScore, _Counts]:
    """The game's score after a finished round, and what the round came to."""
    scored = score_round(table.rules, table.bids, table.blind, table.tricks_taken)
    assert scored is not None
    after = add_round(table.rules, before, scored)
    gained = (after.score[0] - before.score[0], after.score[1] - before.score[1])
    ours, theirs = _nils_and_contract(table, 0), _nils_and_contract(table, 1)
    shares = zip(ours, theirs, strict=True)
    return after, _Counts(gained, after.penalties, scored.bags, thought, *shares)


def _nils_and_contract(table: Table, side: int) -> tuple[int, int, int, int]:
    """A partnership's nils bid and made, and its contracts above 0 bid and made (0 or 1)."""
    has_nil = table.rules.nil is not None
    to_bags = table.rules.failed_nil_tricks == "bags"
    nils = [has_nil and table.bids[seat] == NIL_BID for seat in (side, side + 2)]
    tricks = [table.tricks_taken[seat] for seat in (side, side + 2)]
    counting = sum(t for t, nil in zip(tricks, nils, strict=True) if not (nil and to_bags))
    made = sum(nil and t == 0 for t, nil in zip(tricks, nils, strict=True))
    contract = table.contract_of(side)
    return sum(nils), made, int(contract > 0), int(0 < contract <= counting)
