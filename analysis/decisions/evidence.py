"""The evidence on a decision, gathered in steps until it is settled or the budget is spent.

First comes the proof, where all possible deals can be solved (``analysis.decisions.proof``); then
the quick judges, ``SEARCHES`` searches and ``NETWORK_ROUNDS`` rounds that each of ``NETWORKS``
plays on; then rounds that searching agents play on from every class of cards. All look at deals as
the bids and plays of those at the table make them likely. From all of these the classes' values are
estimated (``analysis.decisions.estimate``), and classes that are surely not the best are set aside.
What a class leads to, its chances and bags, is that of the first network's rounds, calibrated
(``analysis.decisions.chances``). Searches and rounds are stored, as series that only grow.

Why this judge? On the reporting half of the truth set (``python -m experiments.compare_judges``)
its leads are as large as those realised, which the searches' are not, and few of its clear
conclusions are overturned; ``docs/judges.md`` has the table.
"""

import math
from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import cached_property
from time import thread_time

import numpy as np

from analysis.decisions.card_values import legal_cards
from analysis.decisions.conclusion import (
    CLEAR,
    DIFFER,
    GREEDY_NETWORK,
    LEANS,
    NETWORK,
    PLAYED_ON,
    SEARCH,
    THRESHOLD,
    ClassValue,
    Conclusion,
    View,
    estimated,
    kind_of,
    next_look,
    values_by_search,
)
from analysis.decisions.decision import Repeats
from analysis.decisions.estimate import Estimate, Means, estimate
from analysis.decisions.judge import (
    GREEDY_NETWORK_PLAYER,
    NETWORK_PLAYER,
    believed_deals,
    believed_players,
)
from analysis.decisions.played_on import (
    MOST_ROUNDS,
    NETWORK_ITEMS,
    ROUNDS_A_BLOCK,
    Rounds,
    means_by_network,
    means_of_rounds,
    network_series,
    outcomes_by_network,
    rounds_series,
)
from analysis.decisions.proof import agreed, is_provable, prove_in_steps
from analysis.decisions.settings import AnalysisSettings
from analysis.decisions.stability import SEARCHES_A_BLOCK, stability_series
from analysis.decisions.trust import SEARCHES_ALONE, trust_in
from analysis.runs.series import StoredSeries
from spades.core.equivalence import equivalent_cards
from spades.core.kernel import FloatArray, seconds_compiling
from spades.core.records import Record
from spades.core.rules import NO_BID
from spades.core.steps import last_value
from spades.search.outcomes import Outcomes

BUDGET_SECONDS = 4.0  # two seconds of two cores
SEARCHES = SEARCHES_A_BLOCK
REPEATS = 60
NETWORKS = {NETWORK: NETWORK_PLAYER, GREEDY_NETWORK: GREEDY_NETWORK_PLAYER}
"""Players that are networks, by their names as judges."""
LEAST_ROUNDS = 60
SET_ASIDE_ERRORS = 2.0  # standard errors behind the best


def made_within(series: StoredSeries, budget: float) -> Generator[None, None, float]:
    """Extend a series to its target in slices, or until ``budget`` is spent. Returns the time
    spent; both are seconds of this thread, without the time between slices, and without compiling:
    on a new machine that alone takes longer."""
    spent = 0.0
    started = _seconds_worked()
    for _ in series.steps():
        spent += _seconds_worked() - started
        if spent > budget:
            break
        yield
        started = _seconds_worked()
    return spent


def _seconds_worked() -> float:
    return thread_time() - seconds_compiling()


class Evidence:
    """Judges a decision, in steps.

    ``settings``: the judge's (``judge_settings``), but for how it deals. ``budget``: seconds of one
    core for rounds, of which there are at most ``most_rounds``, ``MOST_ROUNDS`` if None.
    ``threshold``: points. ``keep``: whether searches and rounds are stored. ``names``: the classes'
    cards. ``searches``, ``rounds``: what was searched and played on. ``guesses``: the classes'
    values by quick judge, once asked. ``conclusion``: the latest one, None before there are enough
    rounds or before the proof, where one is due. Proofs and quick players are in points, so there
    are none where the objective is to win the game; where bids aren't known, no round is played
    on."""

    def __init__(
        self,
        record: Record,
        ply: int,
        settings: AnalysisSettings,
        *,
        budget: float = BUDGET_SECONDS,
        most_rounds: int | None = None,
        threshold: float = THRESHOLD,
        keep: bool = True,
    ) -> None:
        settings = replace(settings, dealing=believed_deals(record))
        self._players = believed_players(record)
        self.settings = settings
        self.observation = record.observation(ply)
        self._can_play_on = NO_BID not in self.observation.table.bids
        is_of_points = settings.search.objective.is_points
        self._is_trusted = self._can_play_on and is_of_points
        self.searches = stability_series(record, ply, settings, keep=keep)
        self._networks = {
            name: network_series(record, ply, settings, player, keep=keep)
            for name, player in (NETWORKS if self._can_play_on else {}).items()
        }
        self.budget = budget
        self._most_rounds = most_rounds or MOST_ROUNDS
        self.threshold = threshold
        self.conclusion: Conclusion | None = None
        self._trust = trust_in(self.observation) if self._is_trusted else SEARCHES_ALONE
        chosen_by = f"{self._trust}, {SET_ASIDE_ERRORS} errors"
        self.rounds = rounds_series(record, ply, settings, self._open_after, chosen_by, keep=keep)
        self._classes = equivalent_cards(self.observation)
        deck = self.observation.rules.cards
        self.names: list[tuple[str, ...]] = [
            tuple(map(deck.format_card, codes)) for codes in self._classes
        ]
        self._lacks_proof = is_of_points and is_provable(self.observation)
        self._proven: Conclusion | None = None
        self._conclude()

    @property
    def _among(self) -> list[int]:
        """The classes between which the rounds decide: all, or those that are proven as good."""
        if self._proven is None or not self._proven.is_proven:
            return list(range(len(self.names)))
        proven_best = [candidate.cards for candidate in self._proven.within]
        return [i for i, cards in enumerate(self.names) if cards in proven_best]

    def _conclude(self) -> None:
        """Conclude from the proof, the searches and the rounds so far."""
        self._by_rounds = self._judged()
        if self._lacks_proof:
            self.conclusion = None
        elif self._proven is not None:
            self.conclusion = agreed(self._proven, self._by_rounds)
        else:
            self.conclusion = self._by_rounds

    def _judged(self) -> Conclusion | None:
        """The conclusion without the proof."""
        among = self._among
        n_rounds = self.rounds.done // ROUNDS_A_BLOCK * ROUNDS_A_BLOCK
        rounds = self.rounds.items[:n_rounds]
        if len(self.names) == 1:
            return Conclusion(CLEAR, (self._described(ClassValue(self.names[0])),), self.threshold)
        if len(among) == 1 or not self._has_guesses:
            return None
        if self._can_play_on and n_rounds < LEAST_ROUNDS:
            return None
        names = [self.names[i] for i in among]
        found = estimated(names, self._estimate(rounds), self.threshold)
        found = [self._described(row) for row in found]
        kind = kind_of(found[1:])
        views = self._views(rounds)
        if kind == LEANS and len({view.cards for view in views}) > 1:
            kind = DIFFER
        return Conclusion(
            kind,
            tuple(found),
            self.threshold,
            n_rounds,
            views=views if kind == DIFFER else (),
        )

    def _estimate(self, rounds: Rounds) -> Estimate:
        guesses = {name: values[self._among] for name, values in self.guesses.items()}
        return estimate(guesses, self._trust, self._means(rounds))

    def _means(self, rounds: Rounds) -> Means | None:
        """What the classes among which the rounds decide are worth by them."""
        if not rounds:
            return None
        among = self._among
        of_all = means_of_rounds(rounds, self.observation, self.settings.search.objective)
        return Means(of_all.values[among], of_all.covariance[np.ix_(among, among)])

    def _views(self, rounds: Rounds) -> tuple[View, ...]:
        """The class that each judge puts first."""
        names = [self.names[i] for i in self._among]
        firsts = {name: values[self._among] for name, values in self.guesses.items()}
        means = self._means(rounds)
        if means is not None:
            firsts[PLAYED_ON] = means.values
        return tuple(View(name, names[int(values.argmax())]) for name, values in firsts.items())

    @property
    def _has_guesses(self) -> bool:
        """Whether the quick judges are done."""
        return self.searches.done >= SEARCHES and self._has_network_rounds

    @property
    def _has_network_rounds(self) -> bool:
        return all(series.done >= NETWORK_ITEMS for series in self._networks.values())

    @cached_property
    def guesses(self) -> dict[str, FloatArray]:
        """The classes' values by each quick judge."""
        guesses = {SEARCH: self._searched[0]}
        if self._is_trusted:
            for name, series in self._networks.items():
                guesses[name] = means_by_network(series.items).values
        return guesses

    @cached_property
    def _searched(self) -> tuple[FloatArray, FloatArray]:
        """The classes' mean values and shares of visits in the searches; values of 0 where no
        search visited them all."""
        items = self.searches.items[:SEARCHES]
        values, shares = values_by_search(items, self.observation, self._classes)
        if not len(values):
            nothing = np.zeros(len(self._classes))
            return nothing, nothing
        return values.mean(axis=0), shares.mean(axis=0)

    def _described(self, row: ClassValue) -> ClassValue:
        """A class with its share of visits and what it leads to, as far as these are known."""
        i = self.names.index(row.cards)
        if self.searches.done >= SEARCHES:
            row = replace(row, share=float(self._searched[1][i]))
        if self._can_play_on and self._has_network_rounds:
            row = replace(row, outcomes=self._outcomes[i])
        return row

    @cached_property
    def _outcomes(self) -> list[Outcomes]:
        return outcomes_by_network(self._networks[NETWORK].items, self.observation, self._players)

    def _open_after(self, rounds: Rounds) -> list[int]:
        """The classes that may be the best after these rounds; two at least."""
        among = self._among
        if not rounds or len(among) == 1:
            return among
        found = self._estimate(rounds)
        best = found.best
        chances = []
        for i in range(len(among)):
            lead, error = found.lead(best, i)
            chances.append(lead / error if error else math.copysign(math.inf, lead))
        second = sorted(range(len(among)), key=lambda i: chances[i])[1]
        return [
            place
            for i, place in enumerate(among)
            if i in (best, second) or chances[i] < SET_ASIDE_ERRORS
        ]

    @property
    def is_settled(self) -> bool:
        """Whether nothing more is needed: no more rounds would change the conclusion."""
        if self._lacks_proof:
            return False
        if self._proven is not None and self._proven.is_proven and len(self._among) == 1:
            return True
        judged = self._by_rounds
        if judged is None or not judged.is_settled:
            return False
        return judged.kind == CLEAR or all(
            candidate.gap_error <= self.threshold for candidate in judged.within
        )

    def prove(self) -> Generator[None, None, None]:
        """Solve all possible deals, where the proof is still due."""
        if self._lacks_proof:
            self._proven = yield from prove_in_steps(self.observation, self.threshold)
            self._lacks_proof = False
            self._conclude()

    def steps(self) -> Generator[None, None, None]:
        yield from self.prove()
        if self.is_settled or self.budget <= 0:
            return
        yield from self.ask_quick_judges()
        self._conclude()
        spent = 0.0
        while self._can_play_on and not self.is_settled and spent < self.budget:
            target = self._next_target()
            if self.rounds.done >= target:
                break
            self.rounds.extend(target)
            spent += yield from made_within(self.rounds, self.budget - spent)
            self._conclude()

    def foresee(self) -> Generator[None, None, None]:
        """Let the networks play on from the only class there is, for what it leads to."""
        if len(self.names) == 1:
            yield from self._ask_networks()
            self._conclude()

    def ask_quick_judges(self) -> Generator[None, None, None]:
        """Make the searches and the networks' rounds."""
        self.searches.extend(SEARCHES)
        yield from self.searches.steps()
        yield from self._ask_networks()

    def _ask_networks(self) -> Generator[None, None, None]:
        for series in self._networks.values():
            series.extend(NETWORK_ITEMS)
            yield from series.steps()

    def _next_target(self) -> int:
        """How many rounds there are at the next look: whole blocks, the unit of storage."""
        n_blocks = -(-next_look(self.rounds.done, LEAST_ROUNDS) // ROUNDS_A_BLOCK)
        return min(self._most_rounds, n_blocks * ROUNDS_A_BLOCK)


class RepeatedSearch:
    """Repeats the search under study, in steps: ``n`` times, or as often as the ``budget`` allows
    (seconds of one core). ``found``: None until then."""

    def __init__(
        self,
        record: Record,
        ply: int,
        settings: AnalysisSettings,
        *,
        n: int = REPEATS,
        budget: float = BUDGET_SECONDS,
    ) -> None:
        self.series = stability_series(record, ply, settings)
        self.n = n
        self.budget = budget
        self._cards = legal_cards(record.observation(ply))
        self._codes = [record.rules.cards.parse_card(card) for card in self._cards]
        self.found = self._counted(self.series.items[:n]) if self.series.done >= n else None

    def steps(self) -> Generator[None, None, None]:
        self.series.extend(self.n)
        yield from made_within(self.series, self.budget)
        items = self.series.items[: self.n]
        if items:
            self.found = self._counted(items)

    def _counted(self, items: Sequence[list]) -> Repeats:
        visits = np.array([item[1] for item in items], dtype=float)
        shares = (visits / visits.sum(axis=1, keepdims=True)).mean(axis=0).tolist()
        choices = [item[0] for item in items]
        wins = [choices.count(code) for code in self._codes]
        return Repeats(
            n=len(items),
            shares=dict(zip(self._cards, shares, strict=True)),
            wins=dict(zip(self._cards, wins, strict=True)),
        )


def decide(
    record: Record, ply: int, settings: AnalysisSettings, **options: float
) -> Conclusion | None:
    """The judge's conclusion on a decision; arguments as of ``Evidence``. None where the budget is
    too short. Raises ``InvalidSearchError`` where there is nothing to search."""
    evidence = Evidence(record, ply, settings, **options)  # type: ignore[arg-type]
    last_value(evidence.steps())
    return evidence.conclusion
