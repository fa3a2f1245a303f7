"""An agent of ours as a bot of OpenSpiel's game ``spades(num_tricks=13)``.

OpenSpiel never counts spades as broken: a spade is led only by a hand of nothing else. And a
partnership's second bid is limited so that both make at most 13. The bot keeps to both.
"""

import pyspiel

from spades.agents import parse_agent
from spades.agents.admission import admit
from spades.core.deal import derive_seed
from spades.core.observation import Observation
from spades.core.rules import NO_SUIT
from spades.notation.notations.openspiel import (
    FIRST_BID,
    action_of_card,
    record_of_actions,
)


class AgentBot(pyspiel.Bot):
    """Bids and plays as an agent does. It is shown what its seat sees, and no more of a state.

    ``agent``: as text, ``py:module.Name`` for one's own; ``seed``: of all that it draws.
    ``UnknownAgentError`` for a text that names no agent.

    >>> import pyspiel
    >>> from spades.adapters.open_spiel import AgentBot
    >>> game = pyspiel.load_game("spades(num_tricks=13)")
    >>> bots = [AgentBot(text, seed=1) for text in ("srp+bis", "random", "srp+bis", "random")]
    >>> points = pyspiel.evaluate_bots(game.new_initial_state(), bots, 1)
    >>> points[0] == points[2]
    True
    """

    def __init__(self, agent: str, *, seed: int = 0) -> None:
        super().__init__()
        admit(agent)
        self._agent = parse_agent(agent)
        self._seed = seed

    def step(self, state: pyspiel.State) -> int:
        """The action for the player to move, one of the legal ones."""
        history = state.history()
        seed = derive_seed(self._seed, len(history))
        record = record_of_actions(history)
        observation = record.observation(len(record.plays), state.current_player())
        if not record.has_bids:
            return self._bid(observation, state.legal_actions(), seed)
        if observation.table.led_suit == NO_SUIT:
            observation.table.broken = False  # as OpenSpiel has it, for the agent's choice as well
        card = self._agent.player.play(observation, seed)
        return action_of_card(observation.rules.cards.card(card))

    def _bid(self, observation: Observation, legal: list[int], seed: int) -> int:
        wanted = FIRST_BID + self._agent.bidder.bid(observation, seed)
        return min(legal, key=lambda action: abs(action - wanted))
