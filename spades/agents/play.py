"""Rounds and games between agents, as arrays and as logs; and a round played on from its middle.

Round r of the game with index g is dealt and played from (seed, g, r) alone: games of two seatings
with the same seed are played on the same deals. Compiled agents play in compiled code, thousands of
rounds a second, any others card by card; both give the same rounds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.agents.agent import parse_agent
from spades.agents.compiled import (
    FREE,
    GAME,
    GIVEN,
    MAX_DEALS,
    NIL_GAME,
    NO_NIL,
    REDEALS,
    Rounds,
    Seating,
    crew_of,
    play_on,
    play_rows,
)
from spades.agents.players.human import HumanPlayer
from spades.core.cards import (
    N_CARDS,
    N_SEATS,
    SEATS,
    Pair,
    check_deal,
    four,
    mask_of,
    partnership_of,
)
from spades.core.deal import derive_seed, random_deal
from spades.core.errors import IllegalPlayError, SpadesError
from spades.core.kernel import seed_state
from spades.core.logs import Log, concatenate
from spades.core.observation import Observation, observe
from spades.core.programs import ProgramFaultError
from spades.core.records import KINDS, Record
from spades.core.rules import MAX_BID, NIL_BID, NO_BID, Round
from spades.core.scoring import GameScore, add_round, evaluation_table, score_round, winner
from spades.human import simulate_humans
from spades.notation.hands import record_of_table
from spades.rule_based import public_of
from spades.rule_based.sight import TRICKS

MAX_ROUNDS = 100  # a game of agents that only lose points ends here, undecided
POLICIES = ("srp", "wrp", "human", "random")
"""Agents that a round can be played on by."""
LEVEL = GameScore((0, 0), (0, 0))
_NO_PATH = np.uint64(0)
_NO_STANDING = np.zeros((2, 2), dtype=np.int64)


class NoNilError(SpadesError):
    """A nil-only round whose agents don't bid nil."""

    def __init__(self, seating: Seating) -> None:
        names = " and ".join(sorted({str(agent) for agent in seating.agents}))
        super().__init__(
            f"{names} bid no nil in {MAX_DEALS} deals: nil-only games need a bidder that does"
        )


@dataclass(frozen=True)
class GameResults:
    """Games ``first``, ``first`` + 1, ... of a seed, played by one seating.

    ``score`` int64 (n, 2): final points of N/S and E/W; ``nanoseconds`` int64 (n, 2): how long each
    thought over cards, 0 in compiled code; ``n_rounds`` int64 (n,); ``rounds``: game after game.
    ``faults`` texts (n, 2): why a partnership lost by a fault, "" where it didn't. Such a game ends
    there; the round that was being played isn't in ``rounds``, but in ``unfinished``, by the number
    of the game: the log has it, as far as it was played."""

    seating: Seating
    seed: int
    first: int
    score: NDArray[np.int64]
    nanoseconds: NDArray[np.int64]
    n_rounds: NDArray[np.int64]
    rounds: Rounds
    faults: NDArray[np.str_]
    unfinished: Mapping[int, Record]

    def log(self) -> Log:
        n_games = len(self.score)
        games = np.repeat(np.arange(n_games), self.n_rounds)
        first_rounds = np.cumsum(self.n_rounds) - self.n_rounds
        round_index = np.arange(len(games)) - first_rounds[games]
        names = tuple(f"{self.seed}-{self.first + i}" for i in range(n_games))
        log = _log(self.seating, self.rounds, games, round_index, names)
        return self._with_unfinished(log, names) if self.unfinished else log

    def _with_unfinished(self, finished: Log, names: Sequence[str]) -> Log:
        """The finished rounds, and after those of a game the one that a fault ended."""
        parts = []
        for i, name in enumerate(names):
            parts.append(finished.take(finished.game_code == i))
            if self.first + i in self.unfinished:
                record = replace(self.unfinished[self.first + i], game_id=name)
                parts.append(Log.from_records([record]))
        return concatenate(parts)


def play_games(
    seating: Seating,
    seed: int,
    first: int,
    end: int,
    *,
    nil_only: bool = False,
    by_card: bool = False,
) -> GameResults:
    """Whole games, ``first`` to ``end`` - 1 of a seed: to the target, the floor or ``MAX_ROUNDS``.

    Two seatings with the same seed play on the same deals. A ``ProgramFaultError`` ends its game,
    which is lost; the others are played. ``nil_only``: every round is dealt anew until somebody
    bids nil; ``NoNilError`` where nobody does. ``by_card``: compiled agents too play card by card
    and are timed; the games are the same."""
    indices = range(first, end)
    if by_card or not seating.is_compiled:
        games = [_game_by_card(seating, seed, game, nil_only) for game in indices]
    else:
        games = _compiled_games(seating, seed, indices, nil_only)
    shape = (len(games), 2)
    return GameResults(
        seating=seating,
        seed=seed,
        first=first,
        score=np.array([game.score for game in games], dtype=np.int64).reshape(shape),
        nanoseconds=np.array([game.nanoseconds for game in games], dtype=np.int64).reshape(shape),
        n_rounds=np.array([len(game.rounds.seeds) for game in games], dtype=np.int64),
        rounds=Rounds.joined([Rounds.empty(0), *(game.rounds for game in games)]),
        faults=np.array([game.faults for game in games], dtype=np.str_).reshape(shape),
        unfinished={
            index: game.unfinished
            for index, game in zip(indices, games, strict=True)
            if game.unfinished is not None
        },
    )


class _Game(NamedTuple):
    """A game's rounds, its final score, how long each partnership thought, the fault by which it
    lost, if it did, and the round that this ended."""

    rounds: Rounds
    score: Sequence[int]
    nanoseconds: Sequence[int]
    faults: tuple[str, str] = ("", "")
    unfinished: Record | None = None


def _compiled_games(seating: Seating, seed: int, games: range, nil_only: bool) -> list[_Game]:
    crew = crew_of(seating)
    path = seed_state(seed)
    rows = Rounds.empty(MAX_ROUNDS)
    kind = NIL_GAME if nil_only else GAME
    played = []
    for game in games:
        standing = np.zeros((2, 2), dtype=np.int64)
        n_rounds = play_rows(kind, game, path, crew, rows, standing)
        if n_rounds == NO_NIL:
            raise NoNilError(seating)
        played.append(_Game(rows.head(n_rounds), standing[0].tolist(), (0, 0)))
    return played


def _game_by_card(seating: Seating, seed: int, game: int, nil_only: bool) -> _Game:
    before = LEVEL
    nanoseconds = np.zeros(2, dtype=np.int64)
    rows: list[tuple] = []
    faults = ["", ""]
    unfinished = None
    while len(rows) < MAX_ROUNDS and winner(seating.rules, before.score) is None:
        dealer = (game + len(rows)) % N_SEATS
        round_seed = derive_seed(seed, game, len(rows))
        try:
            row, before, of_round = _play_row(seating, dealer, round_seed, before, nil_only)
        except _RoundEndedError as ended:
            faults[partnership_of(ended.seat)] = f"round {len(rows) + 1}, {ended}"
            unfinished = ended.record(seating, len(rows), before)
            break
        rows.append(row)
        nanoseconds += of_round
    first, second = faults
    played = Rounds.of(rows)
    return _Game(played, before.score, nanoseconds.tolist(), (first, second), unfinished)


def fault_text(seat: int) -> str:
    """What the source of a round says that the fault of the agent in ``seat`` ended.

    >>> fault_text(0)
    'N lost the game by a fault'
    """
    return f"{SEATS[seat]} lost the game by a fault"


class _RoundEndedError(ProgramFaultError):
    """A round that the fault of the agent in ``seat`` ended. ``state``: as far as it was played."""

    def __init__(self, fault: ProgramFaultError, seat: int, state: Round) -> None:
        super().__init__(str(fault), seat)
        self.state = state

    def __reduce__(self) -> tuple:
        """To another process goes the fault alone, which says all that is told."""
        return ProgramFaultError, (str(self), self.seat)

    def record(self, seating: Seating, index: int, before: GameScore) -> Record:
        """The round as a log has it, number ``index`` of its game; the source says who ended it."""
        table = self.state.table
        hands = list(self.state.hands)
        for seat, card in zip(table.seats, table.plays, strict=False):
            hands[seat] |= 1 << card
        texts = four(str(agent) for agent in seating.agents)
        return record_of_table(
            table,
            hands,
            round_index=index,
            score_before=before.score,
            bags_before=before.bags,
            players=texts,
            kinds=four(agent.player.kind for agent in seating.agents),
            agents=texts,
            source=fault_text(self.seat),
        )


def _play_row(
    seating: Seating, dealer: int, seed: int, before: GameScore, nil_only: bool = False
) -> tuple[tuple, GameScore, Pair]:
    """A round card by card: a row of ``Rounds``, the game's score after it, and nanoseconds."""
    state, deal_seed = _auction(seating, dealer, seed, before, nil_only)
    hands = tuple(state.hands)
    nanoseconds = play_cards(seating, state, deal_seed, before)
    _tell_the_end(seating, state, before)
    table = state.table
    scored = score_round(table.rules, table.bids, table.blind, table.tricks_taken)
    assert scored is not None
    row = (
        deal_seed,
        dealer,
        before.score,
        before.bags,
        hands,
        table.bids,
        table.blind,
        table.plays,
        table.tricks_taken,
        scored.points,
        scored.bags,
    )
    return row, add_round(table.rules, before, scored), nanoseconds


def _auction(
    seating: Seating, dealer: int, seed: int, before: GameScore, nil_only: bool
) -> tuple[Round, int]:
    """A round dealt and bid, and the seed that it is played from."""
    if not nil_only:
        return deal_and_bid(seating, dealer, seed, before), seed
    for attempt in range(MAX_DEALS):
        deal_seed = derive_seed(seed, REDEALS, attempt)
        state = deal_and_bid(seating, dealer, deal_seed, before)
        if NIL_BID in state.table.bids:
            return state, deal_seed
    raise NoNilError(seating)


def deal_and_bid(seating: Seating, dealer: int, seed: int, before: GameScore) -> Round:
    """Deal a round and let the agents bid, the dealer's left first."""
    deal = random_deal(seating.rules.cards, derive_seed(seed, 0))
    state = Round.deal(seating.rules, dealer, deal)
    for i in range(1, N_SEATS + 1):
        seat = (dealer + i) % N_SEATS
        seen = observe(state, seat, score_before=before.score, bags_before=before.bags)
        bidder = seating.agents[seat].bidder
        try:
            bid = bidder.bid(seen, derive_seed(seed, 1, seat))
        except ProgramFaultError as fault:
            raise _RoundEndedError(fault, seat, state) from fault
        state.table.bid(seat, bid, blind=bidder.bids_blind(seen))
    return state


def _tell_the_end(seating: Seating, state: Round, before: GameScore) -> None:
    """Tell programs, each in its seat, how a round ended."""
    for seat, agent in enumerate(seating.agents):
        if agent.player.program is not None:
            seen = observe(state, seat, score_before=before.score, bags_before=before.bags)
            agent.player.follow(seen)


def play_cards(seating: Seating, state: Round, seed: int, before: GameScore) -> Pair:
    """Let the agents play a round's cards; how long each partnership thought, nanoseconds by its
    players' clocks."""
    nanoseconds = [0, 0]
    for ply in range(N_CARDS):
        seen = observe(state, score_before=before.score, bags_before=before.bags)
        player = seating.agents[seen.seat].player
        started = player.clock()
        try:
            card = player.play(seen, derive_seed(seed, 2, ply))
        except ProgramFaultError as fault:  # a prior's, too: it may have been asked for any seat
            raise _RoundEndedError(fault, seen.seat, state) from fault
        nanoseconds[seen.seat % 2] += player.clock() - started
        state.play(card)
    return nanoseconds[0], nanoseconds[1]


def play_rounds(seating: Seating, seed: int, first: int, end: int) -> Rounds:
    """Rounds on their own at 0 to 0, ``first`` to ``end`` - 1 of a seed: each the first of a game
    that nobody finishes."""
    seeds = [derive_seed(seed, i, 0) for i in range(first, end)]
    if not seating.is_compiled:
        rows = []
        for i, round_seed in enumerate(seeds, first):
            row, _, _ = _play_row(seating, i % N_SEATS, round_seed, LEVEL)
            rows.append(row)
        return Rounds.of(rows)
    rounds = Rounds.empty(len(seeds))
    rounds.seeds[:] = seeds
    rounds.dealers[:] = np.arange(first, first + len(seeds)) % N_SEATS
    play_rows(FREE, 0, _NO_PATH, crew_of(seating), rounds, _NO_STANDING)
    return rounds


def play_bid_rounds(
    seating: Seating,
    hands: NDArray[np.int64],
    bids: NDArray[np.int8],
    dealers: NDArray[np.int8],
    *,
    blind: NDArray[np.bool_] | None = None,
    before: GameScore = LEVEL,
) -> Rounds:
    """Play rounds that are dealt and bid by a compiled seating, whose bidders are not queried.

    ``hands`` int64 (n, 4) masks, ``bids`` int8 (n, 4) by seat, ``dealers`` int8 (n,); ``blind``
    bool (n, 4), which nils were bid blind, none by default. ``before``: the game's score and bags
    in all of them. Random players take row i's number as their seed. Raises ``InvalidDealError``
    for the first row that is no deal and ``SpadesError`` where shapes or bids are wrong."""
    n = len(hands)
    by_seat = (n, N_SEATS)
    if np.shape(hands) != by_seat or np.shape(bids) != by_seat or np.shape(dealers) != (n,):
        raise SpadesError(f"hands and bids should be ({n}, {N_SEATS}) and dealers ({n},)")
    if n and not (np.min(bids) >= 0 and np.max(bids) <= MAX_BID):
        raise SpadesError(f"bids run from {np.min(bids)} to {np.max(bids)}; 0 to 13 are legal")
    for row in hands:
        check_deal(row.tolist(), seating.rules.cards)
    rounds = Rounds.empty(n)
    rounds.seeds[:] = np.arange(n)
    rounds.dealers[:] = dealers
    rounds.hands[:] = hands
    rounds.bids[:] = bids
    rounds.score_before[:] = before.score
    rounds.bags_before[:] = before.bags
    if blind is not None:
        rounds.blind[:] = blind
    play_rows(GIVEN, 0, _NO_PATH, crew_of(seating), rounds, _NO_STANDING)
    return rounds


def play_range(seating: Seating, seed: int, first: int, end: int, *, unit: str) -> Log:
    """Games, or rounds on their own, ``first`` to ``end`` - 1 of a seed, as a log. Raises
    ``ProgramFaultError`` where a program didn't play one to its end.

    Four simulated humans play the rounds of ``simulate_humans``."""
    n = end - first
    is_all_human = all(str(agent) == HumanPlayer.name for agent in seating.agents)
    if is_all_human and unit == "rounds":
        return simulate_humans(n, seed, first=first, rules=seating.rules)
    if is_all_human:
        return concatenate([_human_game(seating, seed, game) for game in range(first, end)])
    if unit != "rounds":
        games = play_games(seating, seed, first, end)
        for place in np.argwhere(games.faults != "")[:1]:  # a log has whole games
            game = first + int(place[0]) + 1
            raise ProgramFaultError(f"game {game}, {games.faults[tuple(place)]}")
        return games.log()
    rounds = play_rounds(seating, seed, first, end)
    names = tuple(f"{seed}-{i}" for i in range(first, end))
    return _log(seating, rounds, np.arange(n), np.zeros(n), names)


def _human_game(seating: Seating, seed: int, game: int) -> Log:
    """A game of four simulated humans, who bid and play the same at any score."""
    rules = seating.rules
    before = LEVEL
    scores = []
    log = simulate_humans(MAX_ROUNDS, derive_seed(seed, game), first=game % N_SEATS, rules=rules)
    for record in log.records():
        scored = record.score()
        assert scored is not None
        scores.append((before.score, before.bags))
        before = add_round(rules, before, scored)
        if winner(rules, before.score) is not None:
            break
    score, bags = np.moveaxis(np.array(scores, dtype=np.int32), 1, 0)
    return replace(
        log.take(slice(len(scores))),
        score_before=score.copy(),
        bags_before=bags.copy(),
        round_index=np.arange(len(scores), dtype=np.int32),
        game_code=np.zeros(len(scores), dtype=np.int32),
        games=(f"{seed}-{game}",),
    )


def _log(
    seating: Seating, rounds: Rounds, games: NDArray, round_index: NDArray, names: tuple[str, ...]
) -> Log:
    n = len(rounds.seeds)
    texts = [str(agent) for agent in seating.agents]
    agents = tuple(dict.fromkeys(texts))
    agent_of_seat = np.array([agents.index(text) for text in texts], dtype=np.int32)
    codes = np.tile(agent_of_seat, (n, 1))
    kinds = [KINDS.index(agent.player.kind) for agent in seating.agents]
    return Log(
        hands=rounds.hands,
        plays=rounds.plays,
        bids=rounds.bids,
        blind=rounds.blind,
        dealer=rounds.dealers,
        round_index=round_index.astype(np.int32),
        score_before=rounds.score_before.astype(np.int32),
        bags_before=rounds.bags_before.astype(np.int32),
        kind=np.tile(np.array(kinds, dtype=np.int8), (n, 1)),
        seed=rounds.seeds.astype(np.int64),
        rules_code=np.zeros(n, dtype=np.int32),
        game_code=games.astype(np.int32),
        player_code=codes,
        agent_code=codes,
        source_code=np.zeros(n, dtype=np.int32),
        rules=(seating.rules,),
        games=names,
        players=agents,
        agents=agents,
        sources=("",),
    )


class Continuation:
    """Plays a decision on, card by card and deal by deal: what one card brings against another.

    ``policy``: one of ``POLICIES``, in all four seats, each shown its own hand and the table. The
    seat to play decides between its legal cards; values are points of the round for its
    partnership, as those of a search: (s_p - 10 b_p) - (s_o - 10 b_o). Raises ``SpadesError`` for
    an unknown policy and where the bids are not known."""

    def __init__(self, observation: Observation, policy: str) -> None:
        if policy not in POLICIES:
            raise SpadesError(f"no policy {policy!r} to play on by; {', '.join(POLICIES)} are")
        table, rules = observation.table, observation.rules
        if min(table.bids) == NO_BID:
            raise SpadesError(f"the bids are not known, so no play has a value | {table.text()}")
        agent = parse_agent(policy)
        self.observation = observation
        self._start = public_of(observation)
        self._crew = crew_of(Seating((agent, agent, agent, agent), rules))
        self._rewards = evaluation_table(rules, tuple(table.bids), tuple(table.blind))
        self._sign = 1 if partnership_of(observation.seat) == 0 else -1
        self._plays = np.zeros(N_CARDS, dtype=np.int8)

    def values(self, deal: NDArray[np.int64], cards: Sequence[int], seed: int) -> list[int]:
        """Points after each of ``cards`` (codes) in one deal (4,), the rest played from a seed.
        Random players draw the same after every card. Raises ``IllegalPlayError`` for a card
        that can't be played."""
        seen = self.observation
        illegal = mask_of(cards) & ~seen.legal_mask
        if illegal:
            deck = seen.rules.cards
            raise IllegalPlayError(
                f"{deck.format_cards(illegal)} can't be played; legal: "
                f"{deck.format_cards(seen.legal_mask)} | {seen.text()}"
            )
        points = []
        for card in cards:
            self._crew.held[:] = deal
            play_on(card, np.uint64(seed), self._start, self._crew, self._plays)
            north, east, south, _ = self._crew.public.seats[TRICKS]
            points.append(self._sign * int(self._rewards[north, east, south]))
        return points
