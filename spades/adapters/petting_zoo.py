"""A round of Spades as an environment of PettingZoo (AEC): an auction, then thirteen tricks."""

from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS, SEATS, cards_in
from spades.core.deal import derive_seed, random_deal
from spades.core.observation import Observation, observe
from spades.core.rules import MAX_BID, NO_BID, Round, Rules
from spades.core.scoring import score_round

N_BIDS = MAX_BID + 1
N_ACTIONS = N_BIDS + N_CARDS
POINTS_PER_REWARD = 100
PLANES = 2 + 2 * N_SEATS
"""Of cards: held, legal to play; then by seat from one's own on, played earlier, in this trick."""
PER_SEAT = (N_BIDS + 1) + 1
"""Its bid, one-hot with one more for none yet, and the share of tricks that it has taken."""
SIZE = PLANES * N_CARDS + N_SEATS * PER_SEAT + 1

Values = NDArray[np.float32]
Mask = NDArray[np.int8]


def env(rules: Rules | None = None, *, render_mode: str | None = None) -> AECEnv:
    """The environment with PettingZoo's usual wrappers: an illegal action ends the round with a
    reward of -1 for who made it, and calls out of order are refused.

    >>> from spades.adapters import petting_zoo
    >>> spades_env = petting_zoo.env()
    >>> spades_env.reset(seed=1)
    >>> observation, reward, is_over, _, _ = spades_env.last()
    >>> int(observation["action_mask"].sum())
    14
    """
    wrapped = TerminateIllegalWrapper(SpadesEnv(rules, render_mode=render_mode), illegal_reward=-1)
    return OrderEnforcingWrapper(wrapped)


class SpadesEnv(AECEnv):
    """Agents ``N``, ``E``, ``S`` and ``W``; who deals is drawn.

    *Actions*: 0 to 13 bid that many tricks, 0 is nil; 14 to 65 play the card at that place of the
    deck's order (spades, hearts, diamonds, clubs, each lowest first).

    *Observations*: ``action_mask`` int8 (66,), and ``observation`` float32 (SIZE,), all from 0 to 1
    and from the seat's own view: ``PLANES`` planes of the deck's 52 cards, then ``PER_SEAT`` values
    for each seat, its own first, then whether spades are broken. A seat is shown its own hand and
    what lies on the table, nothing else; there is no ``state``, which would hold all hands.

    *Rewards*: at the end of the round, what a side scored more than the other, in hundreds of
    points; 0 before. ``rules`` without blind nil, as no action bids it. ``IllegalPlayError`` and
    ``IllegalBidError`` for what the rules forbid, unless a wrapper catches it before."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "spades_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(self, rules: Rules | None = None, *, render_mode: str | None = None) -> None:
        super().__init__()
        self.rules = rules or Rules()
        self.render_mode = render_mode
        self.possible_agents = list(SEATS)
        mask = Box(0, 1, (N_ACTIONS,), np.int8)
        values = Box(0.0, 1.0, (SIZE,), np.float32)
        self._observation_space = Dict({"observation": values, "action_mask": mask})
        self._action_spaces = {agent: Discrete(N_ACTIONS) for agent in SEATS}
        self._seed: int | None = None
        self._n_rounds = 0

    def observation_space(self, agent: str) -> Space[Any]:
        return self._observation_space

    def action_space(self, agent: str) -> Space[Any]:
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a round. The same seed, the same deals from there on; without any, others."""
        if seed is not None or self._seed is None:
            self._seed = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] >> 2)
            self._n_rounds = 0
        deal_seed = derive_seed(self._seed, self._n_rounds)
        self._n_rounds += 1
        hands = random_deal(self.rules.cards, deal_seed)
        self._round = Round.deal(self.rules, deal_seed % N_SEATS, hands)
        self._turn = self._round.table.leader
        self.agents = list(SEATS)
        self.rewards = dict.fromkeys(SEATS, 0.0)
        self._cumulative_rewards = dict.fromkeys(SEATS, 0.0)
        self.terminations = dict.fromkeys(SEATS, False)
        self.truncations = dict.fromkeys(SEATS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in SEATS}
        self.agent_selection = SEATS[self._turn]

    def observe(self, agent: str) -> dict[str, Values | Mask]:
        seat = SEATS.index(agent)
        seen = observe(self._round, seat)
        mask = np.zeros(N_ACTIONS, np.int8)
        if seat == self._turn and not self._round.table.is_over:
            mask[self._legal_actions(seen)] = 1
        return {"observation": _values_of(seen), "action_mask": mask}

    def _legal_actions(self, seen: Observation) -> list[int]:
        if self._is_auction:
            return seen.table.legal_bids(seen.seat)
        return [N_BIDS + place for place in _places(seen, seen.legal_mask)]

    @property
    def _is_auction(self) -> bool:
        return NO_BID in self._round.table.bids

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        assert action is not None
        self._cumulative_rewards[self.agent_selection] = 0.0
        table = self._round.table
        if self._is_auction:
            table.bid(self._turn, int(action))
            self._turn = (self._turn + 1) % N_SEATS
        else:
            card = self.rules.cards.order[int(action) - N_BIDS]
            self._round.play(card.code)
            self._turn = table.turn
        self._clear_rewards()
        if table.is_over:
            self._end()
        self.agent_selection = SEATS[self._turn]
        self._accumulate_rewards()

    def _end(self) -> None:
        table = self._round.table
        scored = score_round(self.rules, table.bids, table.blind, table.tricks_taken)
        assert scored is not None
        ahead = (scored.points[0] - scored.points[1]) / POINTS_PER_REWARD
        for seat, agent in enumerate(SEATS):
            self.rewards[agent] = ahead if seat % 2 == 0 else -ahead
            self.terminations[agent] = True

    def render(self) -> str | None:
        """What the seat to move sees, as text; None without ``render_mode="ansi"``."""
        if self.render_mode is None:
            return None
        return str(observe(self._round, self._turn))

    def close(self) -> None:
        """Nothing is held open."""


def _places(seen: Observation, mask: int) -> list[int]:
    """Places of a set of cards in the deck's order."""
    indices = seen.rules.cards.indices
    return [int(indices[code]) for code in cards_in(mask)]


def _values_of(seen: Observation) -> Values:
    table = seen.table
    planes = np.zeros((PLANES, N_CARDS), np.float32)
    planes[0, _places(seen, seen.hand_mask)] = 1
    planes[1, _places(seen, seen.legal_mask)] = 1
    per_seat = np.zeros((N_SEATS, PER_SEAT), np.float32)
    in_trick = dict(zip(table.seats[len(table.winners) * N_SEATS :], table.trick, strict=True))
    for place in range(N_SEATS):
        seat = (seen.seat + place) % N_SEATS
        now = 1 << in_trick[seat] if seat in in_trick else 0
        planes[2 + place, _places(seen, table.played[seat] & ~now)] = 1
        planes[2 + N_SEATS + place, _places(seen, now)] = 1
        bid = table.bids[seat]
        per_seat[place, N_BIDS if bid == NO_BID else bid] = 1
        per_seat[place, -1] = table.tricks_taken[seat] / HAND_SIZE
    return np.concatenate([planes.ravel(), per_seat.ravel(), [table.broken]], dtype=np.float32)
