"""The plan of a search of a log: which log, which agent, how long the judge looks at a decision."""

from dataclasses import dataclass

from analysis.decisions.chances import table_of_chances
from analysis.decisions.claims import MAX_POSSIBLE
from analysis.decisions.conclusion import THRESHOLD
from analysis.decisions.evidence import LEAST_ROUNDS, NETWORKS
from analysis.decisions.judge import FIRST, PLAYER
from analysis.decisions.played_on import MOST_ROUNDS, WEIGHING
from analysis.decisions.trust import trusts
from analysis.logs.simulate import seconds_a_round
from analysis.runs.store import Question, key_of, version_of
from spades.agents import IsmctsPlayer, parse_agent
from spades.core.cards import N_SEATS
from spades.core.errors import SpadesError
from spades.notation.log_store import content_hash

SEARCH = "log-search"
"""The kind of stored result of a search of a log."""
STANDARD_AGENT = FIRST
STANDARD_PLAYED_ON = 200
SEARCHES = 20  # of a decision, by the agent: their mean shares of visits
MAX_ROUNDS = 10_000_000
MAX_SEED = 2**31 - 1
PROOF = f"up to {MAX_POSSIBLE} deals solved"
SECONDS_PLAYED_ON = 0.2  # a round of a log, for each round that is played on of a decision


class LogSearchError(SpadesError):
    """An impossible search of a log, or unreadable results of one."""


@dataclass(frozen=True)
class LogSearchPlan:
    """Which rounds of a log are searched, and how.

    ``rounds``: the first so many, all where there are fewer. ``agent`` is stored as the shortest
    text that names the same player; only ``ismcts`` has visits. ``played_on``: of each decision the
    judge plays at most so many rounds on. Raises ``LogSearchError``, and ``UnknownAgentError`` for
    an agent that isn't there.
    """

    log: str
    rounds: int
    agent: str = STANDARD_AGENT
    seed: int = 0
    played_on: int = STANDARD_PLAYED_ON

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
        if not LEAST_ROUNDS <= self.played_on <= MOST_ROUNDS:
            legal = f"{LEAST_ROUNDS} to {MOST_ROUNDS:,} are legal"
            raise LogSearchError(f"{self.played_on} rounds played on of a decision; {legal}")

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
            "played_on": self.played_on,
            "searches": SEARCHES,
            "threshold": THRESHOLD,
            "proof": PROOF,
            "weighing": WEIGHING,
            "trust": repr(trusts()),
            "chances": repr(table_of_chances()),
            **version_of(self.agent, PLAYER, FIRST, *NETWORKS.values()),
        }

    @property
    def key(self) -> str:
        return search_key(self.question())

    @property
    def seconds_a_round(self) -> float:
        """About how long a round takes on one core."""
        searching = SEARCHES * N_SEATS * seconds_a_round(parse_agent(self.agent))
        return searching + SECONDS_PLAYED_ON * self.played_on


def search_key(question: Question) -> str:
    return key_of(SEARCH, question)
