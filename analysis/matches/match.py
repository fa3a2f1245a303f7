"""Matches between agents: pairs of games on common deals, in parts, stored as they finish.

A part is a fixed range of pairs that depends on its agents, variant, seed and code alone: the
result of a match is the same whatever the number of workers, and after any interruption. A stored
part serves every match that it belongs to, a longer one and the one with the sides exchanged too.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Unpack

from analysis.logs.simulate import ROUNDS_A_GAME, seconds_a_round
from analysis.matches.summary import match_summary
from analysis.runs.parts import Part, Run, RunOptions, part_size, ranges
from analysis.runs.store import Question, ResultStore, key_of, version_of
from spades.agents import Duel, PairResults, parse_agent, play_pairs
from spades.core.errors import SpadesError
from spades.core.rules import Rules

Pairs = tuple[int, int]  # first pair, and the one after the last
MATCH, PART = "match", "match-part"
MAX_PAIRS_A_PART = 500
MAX_GAMES = 1_000_000
MAX_SEED = 2**63 - 1
DEFAULT_TARGET = Rules.target


class MatchError(SpadesError):
    """A match that can't be played as asked."""


@dataclass(frozen=True)
class MatchPlan:
    """All that a match depends on but the code: agents as text, how many games, and the variant.

    ``ns`` and ``ew`` are stored as the shortest text that names the same agent; they exchange seats
    after every game, so that ``ns`` sits North and South in the first game of each pair only.
    ``games`` counts all games played and is even. ``floor``: a side at or below it loses.
    ``nil_only``: Whitehouse's variant, see ``Duel``. ``rules``: other options
    that aren't defaults. An agent against itself wins one game of every pair.
    """

    ns: str
    ew: str
    games: int
    seed: int = 0
    target: int = DEFAULT_TARGET
    floor: int | None = None
    nil_only: bool = False
    rules: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for side in ("ns", "ew"):
            object.__setattr__(self, side, str(parse_agent(getattr(self, side))))
        _check_numbers(self)
        if self.full_rules.nil is None and self.nil_only:
            raise MatchError("rules without nil have no nil-only variant")

    @property
    def full_rules(self) -> Rules:
        return Rules.from_options({**self.rules, "target": self.target, "losing_floor": self.floor})

    @property
    def duel(self) -> Duel:
        return Duel(parse_agent(self.ns), parse_agent(self.ew), self.full_rules, self.nil_only)

    @property
    def ordered(self) -> MatchPlan:
        """This match as it is stored: the sides in the order of their agents' texts."""
        ns, ew = sorted((self.ns, self.ew))
        return replace(self, ns=ns, ew=ew)

    @property
    def ranges(self) -> list[Pairs]:
        """Parts as (first, end) pairs; the same for any number of games but for the last."""
        return ranges(self.games // 2, _pairs_a_part(self.duel))

    def settings(self) -> dict[str, Any]:
        """What matches of one league have in common."""
        return {"nil_only": self.nil_only, "rules": self.full_rules.non_defaults()}

    def question(self) -> dict[str, Any]:
        """What the store keeps this match under; the same with the sides exchanged."""
        return {**self._asked(), "games": self.games}

    def part_questions(self, parts: Sequence[Pairs]) -> list[dict[str, Any]]:
        """What the store keeps parts under."""
        asked = self._asked()
        return [{**asked, "first": first, "end": end} for first, end in parts]

    def _asked(self) -> dict[str, Any]:
        return {
            "agents": sorted((self.ns, self.ew)),
            "seed": self.seed,
            **self.settings(),
            **self.version(),
        }

    def version(self) -> dict[str, Any]:
        """What plays it: code, tables, and the human models that the agents lean on."""
        return version_of(self.ns, self.ew)

    @property
    def key(self) -> str:
        return key_of(MATCH, self.question())


def _pairs_a_part(duel: Duel) -> int:
    if duel.is_compiled:
        return MAX_PAIRS_A_PART
    seconds = 4 * ROUNDS_A_GAME * (seconds_a_round(duel.first) + seconds_a_round(duel.second))
    return part_size(seconds, MAX_PAIRS_A_PART)


def _check_numbers(plan: MatchPlan) -> None:
    if not 2 <= plan.games <= MAX_GAMES or plan.games % 2:
        raise MatchError(
            f"{plan.games} games; an even number from 2 to {MAX_GAMES:,} is legal: every deal is "
            "played twice, with the partnerships swapped"
        )
    if not 0 <= plan.seed <= MAX_SEED:
        raise MatchError(f"seed is {plan.seed}; 0 to {MAX_SEED} are legal")
    if plan.target < 1 or (plan.floor is not None and plan.floor >= 0):
        raise MatchError(
            f"target {plan.target}, floor {plan.floor}: target above 0 and floor below are legal"
        )
    if not {"target", "losing_floor"}.isdisjoint(plan.rules):
        raise MatchError("target and floor are fields of the plan, not among its rules")


def play_match(plan: MatchPlan, **options: Unpack[RunOptions]) -> dict[str, Any] | None:
    """Play a match, or what the store lacks of it: its document, None if cancelled before the end.

    Two runs of one match at once share its parts out between them.
    """
    with Run(plan.games, "games", **options) as run:
        return complete_match(plan, run)


def complete_match(
    plan: MatchPlan, run: Run, store: ResultStore | None = None
) -> dict[str, Any] | None:
    """As ``play_match``, with the workers and the progress of a run."""
    store = store or ResultStore()
    parts = match_parts(plan, store)
    # In an order of chance: two runs of one match at once seldom play the same part.
    return store_match(plan, store) if run.complete(random.sample(parts, len(parts))) else None


def store_match(plan: MatchPlan, store: ResultStore) -> dict[str, Any]:
    """The document of a match all of whose parts are stored; the store gets it too."""
    results = stored_results(plan, store)
    assert results is not None
    store.put(MATCH, plan.question(), match_document(plan.ordered, _turned(plan, results)))
    return match_document(plan, results)


def match_parts(plan: MatchPlan, store: ResultStore) -> list[Part]:
    """Parts of a match; each counts its games."""
    ranges = plan.ranges
    return [
        _part(plan.ordered, pairs, (store, PART, question))
        for pairs, question in zip(ranges, plan.part_questions(ranges), strict=True)
    ]


def _part(plan: MatchPlan, pairs: Pairs, place: tuple[ResultStore, str, Question]) -> Part:
    agents, (first, end) = (plan.ns, plan.ew), pairs
    return Part.of_store(place, play_part, lambda: (plan, first, end), agents, 2 * (end - first))


def play_part(plan: MatchPlan, first: int, end: int) -> dict[str, Any]:
    """Results of pairs ``first`` to ``end`` - 1, played on a worker."""
    _warm_up(plan.duel)
    return play_pairs(plan.duel, plan.seed, first, end).document()


@lru_cache(maxsize=64)
def _warm_up(duel: Duel) -> None:
    """Play two rounds once a process, so that no move is timed while its code is compiled."""
    play_pairs(replace(duel, rules=replace(duel.rules, target=1, losing_floor=0)), 0, 0, 1)


def stored_results(plan: MatchPlan, store: ResultStore) -> PairResults | None:
    """The games of a match from the store; None while any of its parts isn't there."""
    parts, ranges = [], plan.ranges
    for (first, end), question in zip(ranges, plan.part_questions(ranges), strict=True):
        found = store.get(PART, question)
        if found is None:
            return None
        parts.append(PairResults.from_document(found, end - first))
    return _turned(plan, PairResults.joined(parts))


def _turned(plan: MatchPlan, results: PairResults) -> PairResults:
    """Results as the store keeps them from results of the plan, or the other way round."""
    return results if plan == plan.ordered else results.swapped()


def match_document(plan: MatchPlan, results: PairResults) -> dict[str, Any]:
    """What ``match --json`` prints (spec 6)."""
    return {
        "ns": plan.ns,
        "ew": plan.ew,
        "games": plan.games,
        "seed": plan.seed,
        "target": plan.target,
        "floor": plan.floor,
        "nil_only": plan.nil_only,
        "rules": dict(plan.rules),
        **match_summary(results, plan.full_rules),
        "key": plan.key,
        **plan.version(),
    }
