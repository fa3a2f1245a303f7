"""The plan of a search of a log: which log, which agent, how many searches of a decision."""

from dataclasses import dataclass
from typing import Any

from analysis.decisions.claims import MAX_POSSIBLE
from analysis.decisions.conclusion import (
    LEAST_LONGER,
    LEAST_SEARCHES,
    LONGER,
    LONGEST,
    THRESHOLD,
    confirming_iterations,
)
from analysis.decisions.evidence import MOST_SEARCHES
from analysis.decisions.judge import JUDGE
from analysis.logs.simulate import seconds_a_round
from analysis.runs.store import key_of, version_of
from spades.agents import IsmctsPlayer, parse_agent
from spades.core.cards import N_SEATS
from spades.core.errors import SpadesError
from spades.notation.log_store import content_hash

SEARCH = "log-search"
"""The kind of stored result of a search of a log."""
STANDARD_AGENT = JUDGE
STANDARD_SEARCHES = 500  # settle 79% of the decisions of human-south, 1,000 settle 86%
MOST_LONGER = 80  # confirming searches of a decision at most
MAX_ROUNDS = 10_000_000
MAX_SEED = 2**31 - 1
PROOF = f"up to {MAX_POSSIBLE} deals solved"
OPTIONAL_SHARE = 0.25  # mean share of optional searches run: of those beyond the least
CLEAR_SHARE = 0.55  # of decisions between classes, those that confirming searches are made of
Question = dict[str, Any]


class LogSearchError(SpadesError):
    """An impossible search of a log, or unreadable results of one."""


@dataclass(frozen=True)
class LogSearchPlan:
    """Which rounds of a log are searched, and how.

    ``rounds``: the first so many, all where there are fewer. ``agent`` is stored as the shortest
    text that names the same player; only ``ismcts`` has visits. ``searches``: of each decision at
    most. Raises ``LogSearchError``, and ``UnknownAgentError`` for an agent that isn't there.
    """

    log: str
    rounds: int
    agent: str = STANDARD_AGENT
    seed: int = 0
    searches: int = STANDARD_SEARCHES

    def __post_init__(self) -> None:
        agent = parse_agent(self.agent)
        if not isinstance(agent.player, IsmctsPlayer):
            raise LogSearchError(f"{agent} doesn't search, so it has no visits; ismcts does")
        player_text, _, _ = str(agent).partition("+")
        object.__setattr__(self, "agent", player_text)
        if not 1 <= self.rounds <= MAX_ROUNDS:
            raise LogSearchError(f"{self.rounds} rounds; 1 to {MAX_ROUNDS:,} are legal")
        if not 0 <= self.seed <= MAX_SEED:
            raise LogSearchError(f"seed is {self.seed}; 0 to {MAX_SEED} are legal")
        if not LEAST_SEARCHES <= self.searches <= MOST_SEARCHES:
            legal = f"{LEAST_SEARCHES} to {MOST_SEARCHES:,} are legal"
            raise LogSearchError(f"{self.searches} searches of a decision; {legal}")

    @property
    def player(self) -> IsmctsPlayer:
        player = parse_agent(self.agent).player
        assert isinstance(player, IsmctsPlayer)
        return player

    def question(self) -> Question:
        """Everything that a round's results depend on; the number of rounds is no part of it."""
        return {
            "log": self.log,
            "content": content_hash(self.log),
            "agent": self.agent,
            "iterations": self.player.iterations,
            "seed": self.seed,
            "searches": self.searches,
            "threshold": THRESHOLD,
            "longer": f"{LONGER} x up to {LONGEST}; {LEAST_LONGER} to {MOST_LONGER}",
            "proof": PROOF,
            **version_of(self.agent),
        }

    @property
    def key(self) -> str:
        return search_key(self.question())

    @property
    def seconds_a_round(self) -> float:
        """About how long a round takes on one core."""
        iterations = self.player.iterations
        n_searches = LEAST_SEARCHES + OPTIONAL_SHARE * (self.searches - LEAST_SEARCHES)
        # A confirming search takes as long as so many of the first ones.
        n_searches += CLEAR_SHARE * LEAST_LONGER * confirming_iterations(iterations) / iterations
        return n_searches * N_SEATS * seconds_a_round(parse_agent(self.agent))


def search_key(question: Question) -> str:
    return key_of(SEARCH, question)
