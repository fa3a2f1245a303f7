"""Pairs of games on common deals: each deal is played twice, the partnerships swapped.

Pair p of a seed is two games. In its first (seating 0) the first agent sits North and South, in its
second (seating 1) East and West. Round r of both is dealt by the same dealer from (seed, p, r)
alone, for as long as both games go on; what an agent draws at random depends on seat and ply, never
on who sits there. The pair of (first, second) is therefore the pair of (second, first) read
backwards.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from spades.agents.agent import Agent
from spades.agents.compiled import Seating
from spades.agents.play import GameResults, play_games
from spades.core.cards import Pair
from spades.core.errors import SpadesError
from spades.core.logs import Log, concatenate
from spades.core.rules import NIL_BID, Rules
from spades.core.scoring import winner_of

TIMED_PAIRS = 2  # of compiled agents in every call
N_SIDES = 2


class InvalidResultsError(SpadesError):
    """Stored results of pairs that aren't what was stored."""


@dataclass(frozen=True)
class Duel:
    """Two agents, each in both seats of a partnership, and the rules they play by.

    ``nil_only``: a deal on which nobody bids nil is thrown in and dealt anew by the same dealer, so
    that every round has a nil (Whitehouse et al. 2013, p. 5). The k-th deal of a round is common to
    both games of a pair; how many are thrown in can differ where the agents bid differently."""

    first: Agent
    second: Agent
    rules: Rules
    nil_only: bool = False

    @property
    def seatings(self) -> tuple[Seating, Seating]:
        return (
            Seating((self.first, self.second, self.first, self.second), self.rules),
            Seating((self.second, self.first, self.second, self.first), self.rules),
        )

    @property
    def is_compiled(self) -> bool:
        return self.seatings[0].is_compiled


@dataclass(frozen=True)
class PairResults:
    """n pairs of games, as int64 arrays by pair, seating (2) and agent (2: first, second).

    ``rounds`` (n, 2) by pair and seating; the others (n, 2, 2), over a whole game: ``scores``
    final, points; ``penalties`` points that bags cost, taken off the score; ``bags`` made; ``nils``
    bid (blind ones too) and ``nils_made``; ``contracts``, rounds with a contract above 0, and
    ``contracts_made``; ``nanoseconds`` thought over cards, forced ones too, 26 cards a round, 0 for
    a game that wasn't timed: a measurement, which differs from run to run as nothing else does.
    ``faults`` texts: which game of the pair an agent lost by a fault of its program or bot, and
    why, "" where it didn't: ``game 2, round 1, ...``. All the rest is of the rounds that were
    finished."""

    rounds: NDArray[np.int64]
    scores: NDArray[np.int64]
    penalties: NDArray[np.int64]
    bags: NDArray[np.int64]
    nils: NDArray[np.int64]
    nils_made: NDArray[np.int64]
    contracts: NDArray[np.int64]
    contracts_made: NDArray[np.int64]
    faults: NDArray[np.str_]
    nanoseconds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rounds)

    def winners(self, rules: Rules) -> NDArray[np.int64]:
        """Who won each game, (n, 2): agent 0 or 1; ``UNDECIDED`` (-1) after ``MAX_ROUNDS``. Whose
        program was at fault has lost, whatever the score."""
        scores = self.scores.reshape(-1, N_SIDES)
        by_game = [winner_of.py_func(score, rules.numbers) for score in scores]
        winners = np.array(by_game, dtype=np.int64).reshape(len(self), N_SIDES)
        first_lost, second_lost = np.moveaxis(self.faults != "", 2, 0)
        return np.where(first_lost, 1, np.where(second_lost, 0, winners))

    def swapped(self) -> Self:
        """The same games with second agent and first agent exchanged."""
        swapped = {}
        for name, array in vars(self).items():
            by_seating = array[:, ::-1]
            swapped[name] = by_seating[..., ::-1] if array.ndim == 3 else by_seating
        return type(self)(**swapped)

    def document(self) -> dict[str, list]:
        """Nested lists for JSON; ``from_document`` reads them. Faults only where there are any."""
        document = {name: array.tolist() for name, array in vars(self).items()}
        if not self.faults.any():
            del document["faults"]
        return document

    @classmethod
    def from_document(cls, document: Mapping[str, Any], n_pairs: int) -> Self:
        """Results of ``n_pairs`` pairs; ``InvalidResultsError`` for anything else."""
        arrays: dict[str, Any] = {"faults": _stored_faults(document.get("faults"), n_pairs)}
        for name in COUNTS:
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
    def joined(cls, parts: Sequence[Self]) -> Self:
        return cls(
            **{name: np.concatenate([getattr(part, name) for part in parts]) for name in FIELDS}
        )


FIELDS = tuple(field.name for field in dataclasses.fields(PairResults))
COUNTS = tuple(name for name in FIELDS if name != "faults")


def _stored_faults(texts: object, n_pairs: int) -> NDArray[np.str_]:
    shape = (n_pairs, N_SIDES, N_SIDES)
    if texts is None:
        return np.zeros(shape, dtype=np.str_)
    try:
        faults = np.array(texts)
    except ValueError:  # of uneven length
        faults = np.empty(0)
    if faults.shape != shape or faults.dtype.kind != "U":
        raise InvalidResultsError(f"faults of {n_pairs} stored pairs should be texts {shape}")
    return faults


def play_pairs(duel: Duel, seed: int, first: int, end: int) -> PairResults:
    """Pairs ``first`` to ``end`` - 1 of a seed.

    A game goes to the target or the floor; equal scores there play on; one that is still open
    after ``MAX_ROUNDS`` rounds has no winner. Compiled agents play in compiled code, all but the
    first ``TIMED_PAIRS``, which are played card by card to time each agent; the games are the same
    either way. A program or bot that is at fault loses that game. Raises ``NoNilError`` for a
    nil-only round in which nobody bids nil in ``MAX_DEALS`` deals."""
    cut = min(first + TIMED_PAIRS, end)
    parts = [_paired(duel, seed, (first, cut), by_card=True)]
    if cut < end:
        parts.append(_paired(duel, seed, (cut, end), by_card=False))
    return PairResults.joined(parts)


def _paired(duel: Duel, seed: int, games: Pair, *, by_card: bool) -> PairResults:
    """Games of both seatings by pair, seating and agent: agents sit the other way in seating 1."""
    played = [
        play_games(seating, seed, *games, nil_only=duel.nil_only, by_card=by_card)
        for seating in duel.seatings
    ]
    first, second = map(_by_game, played)
    columns = {name: np.stack([first[name], second[name][:, ::-1]], axis=1) for name in first}
    columns["faults"] = _with_game(columns["faults"])
    return PairResults(rounds=np.stack([games.n_rounds for games in played], axis=1), **columns)


def _with_game(faults: NDArray[np.str_]) -> NDArray[np.str_]:
    """The faults (n, 2, 2), each with the number of its game in the pair."""
    if not faults.any():
        return faults
    numbered = faults.astype(object)
    for pair, seating, agent in np.argwhere(faults != ""):
        text = faults[pair, seating, agent]
        numbered[pair, seating, agent] = f"game {seating + 1}, {text}"
    return numbered.astype(np.str_)


def _by_game(games: GameResults) -> dict[str, NDArray[np.int64]]:
    """The totals of every game, (n, 2) by partnership."""
    game_of_round = np.repeat(np.arange(len(games.n_rounds)), games.n_rounds)
    rounds = games.rounds

    def total(by_round: NDArray) -> NDArray:
        totals = np.zeros((len(games.n_rounds), N_SIDES), dtype=np.int64)
        np.add.at(totals, game_of_round, by_round)
        return totals

    counts = nils_and_contracts(games.seating.rules, rounds.bids, rounds.tricks)
    nils, nils_made, contracts, contracts_made = map(total, counts)
    return {
        "scores": games.score,
        "penalties": total(rounds.points) - games.score,
        "bags": total(rounds.bags),
        "nils": nils,
        "nils_made": nils_made,
        "contracts": contracts,
        "contracts_made": contracts_made,
        "nanoseconds": games.nanoseconds,
        "faults": games.faults,
    }


def nils_and_contracts(rules: Rules, bids: NDArray, tricks: NDArray) -> tuple[NDArray, ...]:
    """Nils bid and made, contracts above 0 bid and made, by partnership: int64 (n, 2) each.
    ``bids`` and ``tricks`` (n, 4) by seat. A failed nil's tricks count for the partner's contract
    unless the rules make them bags."""
    is_nil = (bids == NIL_BID) & (rules.nil is not None)
    counting = np.where(is_nil & (rules.failed_nil_tricks == "bags"), 0, tricks)
    contract = _by_side(bids)
    has_contract = contract > 0
    is_contract_made = has_contract & (_by_side(counting) >= contract)
    return (
        _by_side(is_nil),
        _by_side(is_nil & (tricks == 0)),
        has_contract.astype(np.int64),
        is_contract_made.astype(np.int64),
    )


def _by_side(by_seat: NDArray) -> NDArray[np.int64]:
    """Sums over the seats of N/S and of E/W, (n, 2) from (n, 4)."""
    return by_seat.astype(np.int64).reshape(-1, 2, N_SIDES).sum(axis=1)


def pair_log(duel: Duel, seed: int, pair: int) -> Log:
    """Both games of a pair, round by round, the first seating's first: a log to be replayed. The
    very rounds that ``play_pairs`` counts, for a nil-only round the deal that was kept; of a game
    that a fault ended also the last round, as far as it was played. Games are named seed-pair-1 and
    seed-pair-2."""
    logs = [
        play_games(seating, seed, pair, pair + 1, nil_only=duel.nil_only).log()
        for seating in duel.seatings
    ]
    return concatenate(
        [dataclasses.replace(log, games=(f"{seed}-{pair}-{i + 1}",)) for i, log in enumerate(logs)]
    )
