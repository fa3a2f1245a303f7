"""One friendly search over an observation, which can be run on."""

import math
import time
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from spades.belief import Determinizer, UniformDeals
from spades.core.cards import HAND_SIZE, N_CARDS, cards_in
from spades.core.kernel import seed_state
from spades.core.observation import Observation
from spades.core.rules import NO_BID
from spades.search.bandit import bandit_tables
from spades.search.ismcts import Notes, Parts, Problem, run_iterations
from spades.search.objectives import UnknownStakesError
from spades.search.outcomes import endings_from
from spades.search.playouts.heuristic import EPSILON, heuristic_cards
from spades.search.priors import AnyPrior, AskedPrior, asked_prior
from spades.search.result import CardStatistics, SearchResult, mean_and_error
from spades.search.settings import (
    BY_RULES,
    STANDARD_ITERATIONS,
    STANDARD_SETTINGS,
    InvalidSearchError,
    SearchSettings,
)
from spades.search.solved import solved_endings
from spades.search.techniques.technique import Added, Bias, TreeTechnique
from spades.search.tree import (
    AVAILABILITY,
    MAX_ITERATIONS,
    N_CHOICES,
    N_CODES,
    NILS,
    NO_NODE,
    NO_SLOT,
    PRIOR,
    ROOT,
    ROOT_SLOT,
    SLOT,
    VALUE,
    VISITS,
    Tree,
    new_scratch,
    start_position,
)

CHUNK = 4096
N_CHECKPOINTS = 24
DEAL_STREAM = 1
TREE_STREAM = 2


class Search:
    """A search that can be run on: ``run(n)`` adds iterations, ``result()`` reads the root.

    The same observation, settings and seed give the same result for the same total number of
    iterations, however they were split over calls."""

    def __init__(
        self,
        observation: Observation,
        *,
        seed: int = 0,
        settings: SearchSettings | None = None,
        determinizer: Determinizer | None = None,
        prior: AnyPrior | None = None,
        room: int = STANDARD_ITERATIONS,
    ) -> None:
        check_iterations(room, room)
        self.seed = seed
        self.settings = settings or STANDARD_SETTINGS
        if self.settings.bias is not None and prior is None:
            raise InvalidSearchError("a search with a bias needs the prior of a human model")
        self._scratch = new_scratch()
        self._prior = None if prior is None else asked_prior(prior, observation, self._scratch)
        self.settings = _naming(self.settings, self._prior)
        self._bias: Bias | None = None
        self.iterations = 0
        self.seconds = 0.0
        self._legal = check_decision(observation)
        self._deck = observation.rules.cards
        self._deals = determinizer or UniformDeals(observation)
        self._seat = observation.seat if self.settings.equivalence else -1
        self._position = start_position(observation)
        self._ducking = int(self._position[NILS]) if self.settings.duck else 0
        self._observation = observation
        how = self.settings
        try:
            self._stakes = how.objective.stakes(observation)
        except UnknownStakesError as error:
            raise InvalidSearchError(str(error)) from None
        self._rewards = how.objective.rewards(observation, self._stakes)
        self._playout = how.playout.numbers(observation)
        self._skew = how.skew.numbers(observation, how.reward_scale) if how.skew else None
        self._states = [seed_state(seed, DEAL_STREAM), seed_state(seed, TREE_STREAM)]
        self._tree = Tree.with_room(room, self._nodes_an_iteration())
        self._others = heuristic_cards(observation, EPSILON) if how.others == BY_RULES else None
        self._solved = solved_endings(observation, how.solved)
        self._ways = endings_from(tuple(observation.table.tricks_taken))
        self._squares = np.zeros(N_CODES, dtype=np.int64)
        n_ways = 0 if how.solved else len(self._ways.tricks)
        self._endings = np.zeros((len(self._legal), n_ways), dtype=np.int32)
        self._marks: list[NDArray[np.int64]] = []
        self._curves: list[NDArray[np.int32]] = []

    def _nodes_an_iteration(self) -> int:
        """At most so many nodes are made in an iteration: one, or the model's in a node new to it.

        Memory that no node needs is never touched."""
        bias = self.settings.bias
        if isinstance(bias, TreeTechnique) and bias.asks_first and bias.queries_model:
            return N_CARDS - len(self._observation.table.plays)
        return 1

    def run(self, iterations: int) -> None:
        """Add iterations. Raises ``InvalidSearchError`` beyond 1,000,000 iterations in all."""
        check_iterations(iterations, self.iterations + iterations)
        total = self.iterations + iterations
        started = time.perf_counter()
        self._make_room(total)
        marks = _checkpoints(self.iterations, total)
        curves = np.zeros((len(marks), N_CODES), dtype=np.int32)
        while self.iterations < total:
            self._run_chunk(min(CHUNK, total - self.iterations), marks, curves)
        self._marks.append(marks)
        self._curves.append(curves)
        self.seconds += time.perf_counter() - started

    def _make_room(self, iterations: int) -> None:
        if iterations > self._tree.room:
            room = max(iterations, 2 * self._tree.room)
            self._tree = self._tree.enlarged(min(MAX_ITERATIONS, room))
        bias = self.settings.bias
        scale = self.settings.reward_scale
        room = self._tree.room
        visits_before = 0  # each card's, and the other legal cards' when available
        if isinstance(bias, TreeTechnique):
            visits_before = bias.visits_before
            if bias.queries_model and self._prior is not None:
                self._bias = bias.bias(self._prior, room, scale)
        size = room + 2 + HAND_SIZE * visits_before
        self._scales = bandit_tables(size, self.settings.exploration, scale)

    def _run_chunk(self, n: int, marks: NDArray[np.int64], curves: NDArray[np.int32]) -> None:
        deals, self._states[0] = self._deals.sample(n, self._states[0])
        problem = Problem(self._position, self._rewards, self._scales, self._seat, self._ducking)
        parts = Parts(self._playout, self._bias, self._skew, self._solved, self._others)
        notes = Notes(self._squares, self._endings, self._ways.places, marks, curves)
        state = run_iterations(
            tuple(self._tree),
            tuple(problem),
            tuple(parts),
            deals,
            tuple(notes),
            tuple(self._scratch),
            self._states[1],
        )
        if self._prior is not None:
            self._prior.raise_error()
        self._states[1] = np.uint64(state)
        self.iterations += n

    def result(self) -> SearchResult:
        """The root's statistics so far."""
        tree = self._tree
        curves = np.concatenate(self._curves) if self._curves else np.zeros((0, N_CODES), np.int32)
        marks = np.concatenate(self._marks) if self._marks else np.zeros(0, np.int64)
        bias = self.settings.bias
        added: Added | None = None
        if isinstance(bias, TreeTechnique):
            added = bias.added(self.iterations, self.settings.reward_scale)
        result = SearchResult(
            cards=tuple(self._statistics(card, added) for card in self._legal),
            checkpoints=marks,
            visit_curves=curves[:, self._legal],
            iterations=self.iterations,
            nodes=1 + int(np.count_nonzero(tree.nodes[1 : tree.used[0], VISITS])),
            seed=self.seed,
            seconds=self.seconds,
            settings=self.settings,
            model_calls=int(tree.used[2]),
            queried_nodes=int(np.count_nonzero(tree.known[: tree.used[1]])),
            endings=self._endings.copy(),
            stakes=self._stakes,
        )
        if bias is None or isinstance(bias, TreeTechnique):
            return result
        return bias.weighed(result, self._human)

    @property
    def depth(self) -> int:
        """Depth of the tree: cards from the root to its deepest visited node."""
        tree = self._tree
        depths = np.zeros(int(tree.used[0]), dtype=np.int64)
        for node in np.flatnonzero(tree.nodes[: len(depths), SLOT]):  # parents before children
            children = tree.children[tree.nodes[node, SLOT]]
            depths[children[children != NO_NODE]] = depths[node] + 1
        return int(depths[tree.nodes[: len(depths), VISITS] > 0].max(initial=0))

    def replies(self, *cards: str) -> tuple[CardStatistics, ...]:
        """What the tree knows after some cards: a row for each card that it has tried there.

        ``mean_value`` is in points for the partnership of the seat that plays the reply;
        ``standard_error`` isn't kept there, nor is a bias. None where the search never went.

        >>> import spades
        >>> from spades.search import Search
        >>> search = Search(spades.shipped("south-nil").observation(40), seed=1)
        >>> search.run(2500)
        >>> for row in search.replies("SK"):
        ...     print(row.card, row.visits, row.availability)
        S2 243 740
        S3 360 805
        S4 250 804
        S8 158 762
        S9 253 789
        ST 295 771
        """
        tree = self._tree
        node = ROOT
        for card in cards:
            node = int(tree.children[tree.nodes[node, SLOT], self._deck.card(card).code])
            if node == NO_NODE:
                return ()
        slot = int(tree.nodes[node, SLOT])
        if slot == NO_SLOT:
            return ()
        rows = []
        for code in map(int, np.flatnonzero(tree.children[slot])):
            row = tree.nodes[tree.children[slot, code]].tolist()
            visits = row[VISITS]
            if not visits:
                continue
            mean = row[VALUE] / visits
            card = self._deck.card(code)
            rows.append(CardStatistics(card, visits, row[AVAILABILITY], mean, math.nan))
        return tuple(rows)

    @cached_property
    def _human(self) -> NDArray[np.float64] | None:
        """P of the legal cards at the root, which a technique weighs; asked once a search."""
        return None if self._prior is None else self._prior.at_root(self._observation)

    def _statistics(self, code: int, added: Added | None) -> CardStatistics:
        card = self._deck.card(code)
        node = int(self._tree.children[ROOT_SLOT, code])
        if node == NO_NODE:
            return CardStatistics(card, 0, self.iterations, math.nan, math.nan)
        row = self._tree.nodes[node].tolist()
        visits = row[VISITS]
        mean, error = mean_and_error(visits, row[VALUE], int(self._squares[code]))
        if added is None or not row[N_CHOICES]:
            return CardStatistics(card, visits, row[AVAILABILITY], mean, error)
        prior = self._tree.priors.item(node, PRIOR)
        bias = added(prior, visits, mean) if visits else 0.0
        return CardStatistics(card, visits, row[AVAILABILITY], mean, error, prior, bias)


def _naming(settings: SearchSettings, prior: AskedPrior | None) -> SearchSettings:
    """The settings, their bias naming the model that is asked."""
    if settings.bias is None or prior is None:
        return settings
    model = prior.name(settings.bias.model)
    if model == settings.bias.model:
        return settings
    return replace(settings, bias=replace(settings.bias, model=model))


def search(
    observation: Observation,
    *,
    iterations: int = STANDARD_ITERATIONS,
    seed: int = 0,
    settings: SearchSettings | None = None,
    determinizer: Determinizer | None = None,
    prior: AnyPrior | None = None,
) -> SearchResult:
    """Search a decision: which card is worth most to the seat to play, by what it may know.

    ``prior``: what ``settings.bias`` leans towards: a human model, its numbers, the probabilities
    of the legal cards at the root, or a function of an observation that gives those of any
    (``spades.search.priors``). The result's settings name what was given as the bias's model: a
    model's or function's name, ``a row``, or ``other numbers`` than the named model has.

    >>> import spades
    >>> (record,) = spades.read("bug-report-335")
    >>> result = spades.search(record.observation(24), iterations=2500, seed=1)
    >>> print(result.best.card)
    ST
    >>> print(result)
       card  visits  share  value (points ± standard error)
     > 10♠      487  19.5%  −56.6 ± 3.9
       8♣       373  14.9%  −61.8 ± 4.4
       9♠       356  14.2%  −62.2 ± 4.4
       Q♠       352  14.1%  −62.8 ± 4.3
       K♠       340  13.6%  −63.6 ± 4.5
       2♠       316  12.6%  −65.3 ± 4.6
       4♥       276  11.0%  −68.4 ± 4.8

    Raises ``InvalidSearchError`` when another seat is to play, when bids are unknown or when
    ``iterations`` is out of range. Source: Whitehouse et al. 2013 (ISMCTS)."""
    run = Search(
        observation,
        seed=seed,
        settings=settings,
        determinizer=determinizer,
        prior=prior,
        room=iterations,
    )
    run.run(iterations)
    return run.result()


def check_iterations(added: int, total: int) -> None:
    if added < 0 or total > MAX_ITERATIONS:
        asked = total if total > MAX_ITERATIONS else added
        legal = f"0 to {MAX_ITERATIONS} are possible"
        raise InvalidSearchError(f"{asked} iterations asked for; {legal}")


def check_decision(observation: Observation) -> list[int]:
    """The legal cards; ``InvalidSearchError`` where there is nothing to search."""
    table = observation.table
    if table.is_over or table.turn != observation.seat:
        raise InvalidSearchError(f"nothing to decide for this seat | {observation.text()}")
    known = min(table.bids) != NO_BID
    if not known and not (table.rules.first_hand_bids_itself and max(table.bids) == NO_BID):
        raise InvalidSearchError(
            f"the bids are not known, so no play has a value | {observation.text()}"
        )
    return list(cards_in(observation.legal_mask))


@lru_cache(maxsize=256)
def _checkpoints(start: int, stop: int) -> NDArray[np.int64]:
    """Iteration counts to note visits at: 24 in equal ratios from 10 on, 24 evenly spaced."""
    ratios = np.geomspace(min(10, max(stop, 1)), max(stop, 1), N_CHECKPOINTS)
    even = np.linspace(start, stop, N_CHECKPOINTS + 1)
    marks = np.union1d(np.round(ratios), np.round(even)).astype(np.int64)
    return marks[(marks > start) & (marks <= stop)]
