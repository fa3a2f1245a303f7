"""One decision, two readings: how likely a human plays each card, how often the search visits it.

Divergence of a decision is the Jensen-Shannon divergence between the search's visit shares and a
human model's probabilities over the legal cards, in bits: 0 (they agree) to 1 (no card shared).
Searches run in the background and are shared: who opens the same link reads the same search.
"""

import hashlib
import json
import math
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from spades.search.bias import PIKL

from analysis.runs.jobs import IDLE_TIMEOUT, Job
from analysis.runs.registry import JobRegistry
from analysis.runs.scheduler import RoundRobin
from analysis.runs.store import version_of
from spades.belief import Dealing
from spades.core.behaviour import behaviour_of_searches
from spades.core.cards import N_SEATS, SEATS, hand_order, partnership_of
from spades.core.documents import without_nan
from spades.core.observation import Observation
from spades.core.records import RoundRecord
from spades.human import load_model, load_prior, model_hash
from spades.human.features.abstract_moves import abstract_move_names
from spades.human.model import Prior
from spades.notation.schema import row_of
from spades.search import Search, SearchResult, SearchSettings
from spades.search.outcomes import Outcomes
from spades.search.search import CHUNK, iterations_option

if TYPE_CHECKING:  # Replay's table is on screen before pandas is imported
    import pandas as pd

DEFAULT_MODEL = "devlin2016"
INTERVAL_SE = 1.96  # standard errors to a side of a 95% interval
MAX_ROUNDS = 64
MAX_LIVE_ITERATIONS = 250_000  # a seed
ITERATION_BYTES = 150  # of a tree, at most; measured are 50 to 150
MAX_TREE_BYTES = 600_000_000  # of all long searches together


@dataclass(frozen=True)
class AnalysisSettings:
    """What a decision's numbers depend on, besides the round and the ply. ``dealing``: how hidden
    cards are drawn. ``others``: more searches of the same decision, compared with the same human
    models; their own ``models`` and ``others`` count for nothing. ``agent``: the text of a player
    that gives cards values without a search tree; ``iterations`` are its own then, and ``search``
    and ``dealing`` count for nothing."""

    iterations: int = iterations_option()
    seed: int = 0
    models: tuple[str, ...] = (DEFAULT_MODEL,)
    search: SearchSettings = field(default_factory=SearchSettings)
    others: tuple["AnalysisSettings", ...] = ()
    dealing: Dealing = field(default_factory=Dealing)
    agent: str = ""

    @property
    def searches(self) -> tuple["AnalysisSettings", ...]:
        """Each search alone, the settings' own first."""
        return (replace(self, others=(), models=AnalysisSettings.models), *self.others)

    @property
    def models_asked(self) -> tuple[str, ...]:
        """All human models that the numbers depend on."""
        biases = [one.search.bias.model for one in self.searches if one.search.bias]
        return tuple(dict.fromkeys([*self.models, *biases]))


@dataclass(frozen=True, kw_only=True)
class CardRow:
    """One legal card of a decision; points for the mover's partnership, nan without visits.

    ``human``: probability by model. ``prior``: P of the human model that the search leans towards,
    nan where none was called; ``bias``: what that added to the value, points. ``policy``: piKL's
    probability, nan of other searches; ``share`` is that one then, not of visits. ``equals``: cards
    worth the same, where the row is of a class (``analysis.decisions.classes``), and ``outcomes``:
    what it leads to, where many searches were made."""

    code: int
    card: str
    human: dict[str, float]
    visits: int
    availability: int
    share: float
    value: float
    value_se: float
    abstract_move: str
    prior: float = math.nan
    bias: float = 0.0
    policy: float = math.nan
    equals: tuple[str, ...] = ()
    outcomes: Outcomes | None = None

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval of the value, points."""
        margin = INTERVAL_SE * self.value_se
        return self.value - margin, self.value + margin

    @property
    def likely(self) -> float:
        """Probability by the first model."""
        return next(iter(self.human.values()))

    @property
    def log_ratio(self) -> float | None:
        """log2 of visit share over the first model's probability; None where either is 0."""
        return math.log2(self.share / self.likely) if self.share > 0 and self.likely > 0 else None

    @property
    def label(self) -> str:
        """The card or its class as players write it: ``K♠=Q♠``."""
        return "=".join(map(pretty, (self.card, *self.equals)))


@dataclass(frozen=True, eq=False)
class Decision:
    """A play decision: a row for every legal card, suit by suit, highest first.

    ``played`` is the card played, None past the record's last play; ``search`` the whole result
    that the rows show; ``observation`` what the seat to play saw; ``others`` the same decision as
    the other searches saw it; ``choice``: the card to play, where more than the one search says so.
    """

    ply: int
    seat: int
    played: str | None
    cards: tuple[CardRow, ...]
    search: SearchResult
    observation: Observation
    others: tuple["Decision", ...] = ()
    choice: str = ""

    @property
    def trick(self) -> int:
        """Number of the trick, from 0."""
        return self.ply // N_SEATS

    @property
    def divergence(self) -> float:
        """Of visit shares and the first model, in bits."""
        return jensen_shannon(*np.array([(row.share, row.likely) for row in self.cards]).T)

    @property
    def is_forced(self) -> bool:
        return len(self.cards) == 1

    @property
    def search_choice(self) -> CardRow:
        """The card the search would play."""
        best, chosen = self.search.best.card, self.choice
        return next(row for row in self.cards if row.card == (chosen or best))

    def human_choice(self, model: str) -> CardRow:
        """The card a human most likely plays, by a model (equal odds: the first row)."""
        return self.human_choices(model)[0]

    def human_choices(self, model: str) -> list[CardRow]:
        """The cards that a human plays likeliest, by a model: several where they are equal."""
        top = max(row.human[model] for row in self.cards)
        return [row for row in self.cards if math.isclose(row.human[model], top, rel_tol=1e-6)]

    def row(self, card: str | None) -> CardRow | None:
        return next((row for row in self.cards if row.card == card), None)

    @property
    def unit(self) -> str:
        """What values are in."""
        return "match points" if self.search.stakes else "points"

    def win_chance(self, value: float = 0.0) -> float | None:
        """The mover's side's chance to win the game at a value, 0: before the round. None unless
        that is the search's objective, and for nan."""
        if self.search.stakes is None or math.isnan(value):
            return None
        return self.search.stakes.chance(value, side=partnership_of(self.seat))


def analyse_decision(
    record: RoundRecord,
    ply: int,
    settings: AnalysisSettings,
    observation: Observation | None = None,
) -> Decision:
    """Search the play decision at a ply and put the human models beside it. ``observation``: that
    of the ply, where it is at hand. Raises ``InvalidSearchError`` where nothing can be searched."""
    observation = observation or record.observation(ply)
    return analyse_observation(observation, settings, played=_played(record, ply))


def analyse_observation(
    observation: Observation, settings: AnalysisSettings, *, played: str | None = None
) -> Decision:
    """Search the decision of the seat to play and put the human models beside it. ``played``: the
    card that was played, where one was. Raises as ``analyse_decision``."""
    results = []
    for one in settings.searches:
        search = new_search(observation, one)
        search.run(one.iterations)
        results.append(search.result())
    return _compare(observation, played, results, settings.models)


def _played(record: RoundRecord, ply: int) -> str | None:
    """The card played at a ply, None past the record's last play."""
    return record.plays[ply] if ply < len(record.plays) else None


def settings_of_agent(text: str) -> AnalysisSettings:
    """How an agent searches a decision; ``UnknownAgentError`` where it gives cards no values."""
    from spades.agents import IsmctsPlayer, parse_agent  # every player: a first look does without
    from spades.agents.players import PLAYERS, UnknownAgentError

    agent = parse_agent(text)
    player = agent.player
    if isinstance(player, IsmctsPlayer):
        return AnalysisSettings(
            player.iterations, search=player.search_settings, dealing=player.dealing
        )
    if not player.has_values():
        able = ", ".join(name for name, kind in PLAYERS.items() if kind.has_values())
        raise UnknownAgentError(f"{agent} gives cards no values; {able} do")
    return AnalysisSettings(getattr(player, "iterations", 0), agent=agent.player_text)


class WithoutTree:
    """What stands for the search of an agent that has no tree: its result is made as a whole."""

    def __init__(self, observation: Observation, agent: str, seed: int) -> None:
        from spades.agents import parse_agent

        self.iterations = 0
        self._find = partial(parse_agent(agent).player.evaluate, observation, seed)

    def run(self, iterations: int) -> None:
        self.iterations += iterations

    def result(self) -> SearchResult:
        return self._find()


def new_search(
    observation: Observation, settings: AnalysisSettings, *, offset: int = 0, room: int = 0
) -> Search | WithoutTree:
    """The settings' own search of a decision, not run yet; ``offset`` is added to the seed.
    ``room``: for more iterations than the settings'."""
    if settings.agent:
        return WithoutTree(observation, settings.agent, settings.seed + offset)
    return Search(
        observation,
        seed=settings.seed + offset,
        settings=settings.search,
        determinizer=settings.dealing(observation),
        prior=prior_for(settings.search),
        room=max(room, settings.iterations),
    )


def prior_for(settings: SearchSettings) -> Prior | None:
    """The numbers of the model that a search leans towards; None for an unbiased one."""
    return load_prior(settings.bias.model) if settings.bias else None


def search_in_slices(
    search: Search | WithoutTree, iterations: int
) -> Generator[None, None, SearchResult]:
    """Search up to so many iterations in all, yielding after each slice."""
    while left := iterations - search.iterations:
        search.run(min(left, CHUNK))
        yield
    return search.result()


def _compare(
    observation: Observation,
    played: str | None,
    results: Sequence[SearchResult],
    models: tuple[str, ...],
) -> Decision:
    """A decision's rows from the human models named and each search's result."""
    human = {name: load_model(name).probabilities(observation) for name in models}
    first, *others = [_of_search(observation, played, one, human) for one in results]
    return replace(first, others=tuple(others))


def searched_longer(record: RoundRecord, decision: Decision, result: SearchResult) -> Decision:
    """A decision whose rows show a longer run of its first search; ``others`` stay."""
    models = tuple(decision.cards[0].human)
    longer = _compare(decision.observation, decision.played, [result], models)
    return replace(longer, others=decision.others)


def _of_search(
    observation: Observation,
    played: str | None,
    result: SearchResult,
    human: dict[str, dict[str, float]],
) -> Decision:
    """``human``: probabilities of the legal cards by model, the one compared with first."""
    moves, rows = abstract_move_names(observation), []
    held = zip(result.cards, result.probabilities.tolist(), strict=True)
    for found, share in sorted(held, key=lambda row: hand_order(row[0].card.code)):
        row = CardRow(
            code=found.card.code,
            card=found.card,
            human={name: likely[found.card] for name, likely in human.items()},
            visits=found.visits,
            availability=found.availability,
            share=share,
            value=found.mean_value,
            value_se=found.standard_error,
            abstract_move=moves[found.card.code],
            prior=found.prior,
            bias=found.bias,
            policy=found.policy,
        )
        rows.append(row)
    ply = len(observation.table.plays)
    return Decision(ply, observation.seat, played, tuple(rows), result, observation)


def jensen_shannon(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Jensen-Shannon divergence of two distributions, in bits, 0 to 1."""
    middle = (p + q) / 2
    return min(1.0, max(0.0, (_kl_bits(p, middle) + _kl_bits(q, middle)) / 2))


def _kl_bits(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    used = p > 0
    return float(np.sum(p[used] * np.log2(p[used] / q[used])))


def pretty(card: str) -> str:
    """A card as players write it: ``10♥``. ``JH`` is a joker; the jack of hearts is ``HJ``."""
    if joker := {"JH": "high joker", "JL": "low joker"}.get(card):
        return joker
    return f"{card[1].replace('T', '10')}{'♠♥♦♣'['SHDC'.index(card[0])]}"


_DOCUMENTED = (
    *("card", "human", "visits", "availability", "share", "value", "value_se"),
    *("log_ratio", "abstract_move", "prior", "bias", "policy"),
)
_COLUMNS = {"visits": "visits", "share": "visit_share", "availability": "availability"}
_COLUMNS |= {"value": "value", "value_se": "value_se", "log_ratio": "log2_ratio"}


def decision_document(decision: Decision) -> dict[str, Any]:
    """A decision as ``analyze --json`` prints it; nan becomes null."""
    cards = [
        {**row_document(row), "win_chance": decision.win_chance(row.value)}
        for row in decision.cards
    ]
    return {**decision_facts(decision), "cards": cards}


def decision_facts(decision: Decision) -> dict[str, Any]:
    """All of a decision's document but its cards."""
    return {
        **_place(decision),
        "played": decision.played,
        "iterations": decision.search.iterations,
        "model_calls": decision.search.model_calls,
        "divergence": decision.divergence,
        "objective": decision.search.settings.objective,
        "win_chance": decision.win_chance(),
    }


def row_document(row: CardRow) -> dict[str, Any]:
    return without_nan({name: getattr(row, name) for name in _DOCUMENTED})


def outcomes_document(found: Outcomes | None, seat: int) -> dict[str, Any] | None:
    """What a card of a seat leads to, for JSON: ``nils`` by the bidder's letter, ``own_nil`` and
    ``their_nil`` by side (of two, the one likelier lost); null where there is none."""
    if found is None:
        return None
    sides = [[p for at, p in found.nils.items() if (at - seat) % 2 == side] for side in (0, 1)]
    nils = {
        f"{name}_nil": min(ps, default=None)
        for name, ps in zip(("own", "their"), sides, strict=True)
    }
    by_seat = {SEATS[at]: p for at, p in found.nils.items()}
    return without_nan({**vars(found), **nils, "nils": by_seat})


def _place(decision: Decision) -> dict[str, Any]:
    return {"ply": decision.ply, "trick": decision.trick, "seat": SEATS[decision.seat]}


def decisions_table(decisions: Iterable[Decision]) -> "pd.DataFrame":
    """One row a legal card of each decision and search, whose number is ``search``, 0 the first's;
    ``p_human_*`` by model, values: points."""
    import pandas as pd

    searches = [found for one in decisions for found in enumerate((one, *one.others))]
    rows = [_table_row(one, row) | {"search": i} for i, one in searches for row in one.cards]
    return pd.DataFrame(rows)


def _table_row(decision: Decision, row: CardRow) -> dict[str, Any]:
    found = _place(decision) | {"card": row.card, "is_played": row.card == decision.played}
    found |= {f"p_human_{name}": p for name, p in row.human.items()}
    found |= {column: getattr(row, name) for name, column in _COLUMNS.items()}
    found["abstract_move"] = row.abstract_move
    if settings := decision.search.settings.bias:
        found |= {"prior": row.prior, "bias": row.bias, "bias_settings": repr(settings)}
        if settings.technique == PIKL:
            share = row.visits / max(decision.search.iterations, 1)
            found |= {"policy": row.policy, "visit_share": share}
    n, seed = decision.search.iterations, decision.search.seed
    return {**found, "divergence": decision.divergence, "iterations": n, "seed": seed}


# Searches in the background


class RoundSearch:
    """Every play decision of a round, the one in ``focus`` (a ply) and what follows it first.
    ``decisions[ply]`` is None until that decision's search is complete: a search cut short is never
    shown as a result."""

    def __init__(self, record: RoundRecord, settings: AnalysisSettings, focus: int = 0) -> None:
        self.record, self.settings, self.focus = record, settings, focus
        self.decisions: list[Decision | None] = [None] * len(record.plays)

    @property
    def n_done(self) -> int:
        return sum(decision is not None for decision in self.decisions)

    def steps(self) -> Iterator[None]:
        seen = [self.record.observe(state) for state in self.record.positions()]
        while pending := [ply for ply, found in enumerate(self.decisions) if found is None]:
            ply = min(pending, key=lambda ply: (ply < self.focus, ply))
            results = []
            for one in self.settings.searches:
                search = new_search(seen[ply], one)
                results.append((yield from search_in_slices(search, one.iterations)))
            models = self.settings.models
            played = _played(self.record, ply)
            self.decisions[ply] = _compare(seen[ply], played, results, models)


class LiveSearch:
    """One decision searched at length with several seeds in step; ``results`` has one a seed."""

    def __init__(
        self, record: RoundRecord, ply: int, settings: AnalysisSettings, n_seeds: int
    ) -> None:
        self.target = 0
        observation = record.observation(ply)
        # Memory is taken as trees grow into their room; trees that are copied leave holes in it.
        self._searches = [
            new_search(observation, settings, offset=i, room=MAX_LIVE_ITERATIONS)
            for i in range(n_seeds)
        ]
        self.results: tuple[SearchResult, ...] = ()

    @property
    def iterations(self) -> int:
        """Iterations that every seed has done."""
        return min((result.iterations for result in self.results), default=0)

    def extend(self, iterations: int) -> None:
        """Ask for more iterations a seed, up to ``MAX_LIVE_ITERATIONS`` in all."""
        self.target = self._target(iterations)

    def bytes_with(self, iterations: int) -> int:
        """What the trees take at most, once so many more iterations are done."""
        return ITERATION_BYTES * len(self._searches) * self._target(iterations)

    def _target(self, iterations: int) -> int:
        return min(MAX_LIVE_ITERATIONS, self.iterations + iterations)

    def steps(self) -> Iterator[None]:
        while self.iterations < self.target:
            for search in self._searches:
                search.run(min(CHUNK, self.target - search.iterations))
                yield
            self.results = tuple(search.result() for search in self._searches)


class SearchJobs:
    """The jobs that search decisions, by key; shared by every session of a server."""

    def __init__(self) -> None:
        self.scheduler = RoundRobin()  # other registries share it
        self.rounds: JobRegistry[RoundSearch] = JobRegistry(
            self.scheduler, capacity=MAX_ROUNDS, idle_timeout=IDLE_TIMEOUT
        )
        self.live: JobRegistry[LiveSearch] = JobRegistry(
            self.scheduler, capacity=MAX_TREE_BYTES, idle_timeout=IDLE_TIMEOUT
        )

    def search_round(
        self,
        record: RoundRecord,
        settings: AnalysisSettings,
        *,
        focus: int = 0,
        restart: bool = False,
    ) -> Job[RoundSearch]:
        """The round's search, started if it is new; ``focus`` moves to the front.

        ``restart``: also where it was cancelled. Raises ``RegistryFullError``.
        """
        key = search_key(record, settings)
        new = partial(RoundSearch, record, settings, focus)
        job = self.rounds.start(key, new, restart=restart)
        job.work.focus = focus
        return job


def search_key(
    record: RoundRecord, settings: AnalysisSettings, *, ply: int | None = None, n_seeds: int = 1
) -> str:
    """Key of a result: everything it depends on, the code and the models' numbers included."""
    models = map(model_hash, settings.models_asked)
    parts = [record_key(record), repr(settings), repr(ply), repr(n_seeds), *models]
    parts += [json.dumps(version_of(one.agent)) for one in settings.searches if one.agent]
    return hashlib.sha256("\n".join([*parts, behaviour_of_searches()]).encode()).hexdigest()[:20]


def record_key(record: RoundRecord) -> str:
    """Hash of what a round is: rules, deal, bids, plays and scores, without names and source."""
    bare = replace(record, players=("",) * 4, game_id="", round_index=0, source="")
    text = json.dumps(row_of(bare), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
