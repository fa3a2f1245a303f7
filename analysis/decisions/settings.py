"""Settings of the searches of a decision, and the searches made from them."""

import hashlib
import json
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from functools import partial

from analysis.runs.store import version_of
from spades.belief import Dealing
from spades.core.behaviour import behaviour_of_searches
from spades.core.documents import Document
from spades.core.observation import Observation
from spades.core.records import Record
from spades.human import any_prior, model_hash
from spades.human.model import Prior
from spades.human.own import OwnModel
from spades.notation.schema import row_of
from spades.search import Search, SearchResult, SearchSettings
from spades.search.search import CHUNK
from spades.search.settings import iterations_option

DEFAULT_MODEL = "devlin2016"
STUDIED_SCALE = 400.0
"""Points in a reward that the papers support best: the choice of ``data/tables/reward_scale.json``
(``experiments.choose_reward_scale``)."""
STUDIED_AGENT = f"ismcts:reward_scale={STUDIED_SCALE:g}"
"""The search under study where none is named: the published one, at that scale. ``ismcts`` alone
has the scale of ``SearchSettings``, whatever is chosen here: stored results were measured by it."""
MODEL_LABELS = {
    "devlin2016": "Devlin 2016",
    "devlin2016-nil": "Devlin 2016 + nil (simulated humans)",
    "log-linear-fit": "Log-linear, refitted",
}


def model_label(name: str) -> str:
    """A model's name in tables; a model trained here goes by its own."""
    return MODEL_LABELS.get(name, name)


@dataclass(frozen=True)
class AnalysisSettings:
    """All that a decision's numbers depend on besides the round and the ply.

    ``search``: by default that of ``ismcts``; where none is named, pages, commands and
    ``spades.analyse`` take ``STUDIED_AGENT``. ``models``: human models compared with the search.
    ``dealing``: how hidden cards are drawn.
    ``others``: more searches of the same decision; their own ``models`` and ``others`` are ignored.
    ``agent``: the text of a player that values cards without a search tree; then ``iterations`` are
    the player's, and ``search`` and ``dealing`` are ignored."""

    iterations: int = iterations_option()
    seed: int = 0
    models: tuple[str, ...] = (DEFAULT_MODEL,)
    search: SearchSettings = field(default_factory=SearchSettings)
    others: tuple["AnalysisSettings", ...] = ()
    dealing: Dealing = field(default_factory=Dealing)
    agent: str = ""

    @property
    def searches(self) -> tuple["AnalysisSettings", ...]:
        """The settings of each search alone, these first."""
        return (replace(self, others=(), models=AnalysisSettings.models), *self.others)

    @property
    def model_names(self) -> tuple[str, ...]:
        """All human models that the numbers depend on: compared with, or a bias's."""
        biases = [asked.search.bias.model for asked in self.searches if asked.search.bias]
        return tuple(dict.fromkeys([*self.models, *biases]))


def settings_of_agent(text: str) -> AnalysisSettings:
    """How an agent searches a decision; ``UnknownAgentError`` where it gives cards no values."""
    # Every player: a first look does without.
    from spades.agents import PLAYERS, IsmctsPlayer, UnknownAgentError, parse_agent

    agent = parse_agent(text)
    player = agent.player
    if isinstance(player, IsmctsPlayer):
        return AnalysisSettings(
            player.iterations, search=player.search_settings, dealing=player.dealing
        )
    if not player.has_values():
        able = ", ".join(name for name, kind in PLAYERS.items() if kind.has_values())
        raise UnknownAgentError(f"{agent} gives cards no values; {able} do")
    return AnalysisSettings(getattr(player, "iterations", 0), agent=player.text)


class TreelessSearch:
    """The search of an agent without a tree, whose result is computed in one go."""

    def __init__(self, observation: Observation, agent: str, seed: int) -> None:
        from spades.agents import parse_agent

        self.iterations = 0
        self._evaluate = partial(parse_agent(agent).player.evaluate, observation, seed)

    def run(self, iterations: int) -> None:
        self.iterations += iterations

    def result(self) -> SearchResult:
        return self._evaluate()


def new_search(
    observation: Observation, settings: AnalysisSettings, *, offset: int = 0, room: int = 0
) -> Search | TreelessSearch:
    """A search by these settings, not run yet. ``offset`` is added to the seed; ``room``:
    iterations to reserve memory for, if more than the settings' will be run."""
    if settings.agent:
        return TreelessSearch(observation, settings.agent, settings.seed + offset)
    return Search(
        observation,
        seed=settings.seed + offset,
        settings=settings.search,
        determinizer=settings.dealing(observation),
        prior=prior_for(settings.search),
        room=max(room, settings.iterations),
    )


def prior_for(settings: SearchSettings) -> Prior | OwnModel | None:
    """The prior of a biased search's human model; None for an unbiased search."""
    return any_prior(settings.bias.model) if settings.bias else None


def search_in_slices(
    search: Search | TreelessSearch, iterations: int
) -> Generator[None, None, SearchResult]:
    """Run a search up to ``iterations`` in all, yielding after each slice."""
    while search.iterations < iterations:
        search.run(min(iterations - search.iterations, CHUNK))
        yield
    return search.result()


def search_key(
    record: Record, settings: AnalysisSettings, *, ply: int | None = None, n_seeds: int = 1
) -> str:
    """Key of a result: a hash of all that it depends on, code and models included."""
    parts = [record_key(record), repr(settings), repr(ply), repr(n_seeds)]
    parts += map(model_hash, settings.model_names)
    parts += [json.dumps(version_of(asked.agent)) for asked in settings.searches if asked.agent]
    parts.append(behaviour_of_searches())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]


def record_key(record: Record) -> str:
    """Hash of what a round is: rules, deal, bids, plays and scores, without names and source."""
    bare = replace(record, players=("",) * 4, game_id="", round_index=0, source="")
    text = json.dumps(row_of(bare), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def place_of(record: Record, ply: int) -> Document:
    """The decision in a stored series' question."""
    return {"round": record_key(record), "ply": ply}
