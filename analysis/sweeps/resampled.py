"""Some decisions of a log, searched again with a setting and without a bias.

Each is searched ``N_SEARCHES`` times with seeds of its own. What the searches play is a class of
cards that are worth the same, or a toss-up where the two classes that they play most can't be told
apart at 95%: of six searches all must agree.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from analysis.intervals import is_told_apart
from analysis.sweeps.run import decide
from spades.agents import parse_agent
from spades.core.cards import Deck, seat_name
from spades.core.deal import derive_seed
from spades.core.equivalence import equivalent_cards
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.records import HUMAN, KINDS, SIMULATED_HUMAN, Record

N_DECISIONS = 20
N_SEARCHES = 6
SEED = 42_001
PLACES = ("leads", "second", "third", "last")


class Sampled(NamedTuple):
    """A decision between cards that aren't worth the same.

    ``row``: of the log; ``played``: code of the card that was played; ``class_of``: of each legal
    card's code the highest of those worth the same."""

    row: int
    ply: int
    title: str
    seen: Observation
    played: int
    class_of: dict[int, int]

    def equal_cards(self, card: int) -> list[str]:
        """The cards that are worth the same as this one, the highest first."""
        deck: Deck = self.seen.rules.cards
        codes = [code for code, highest in self.class_of.items() if highest == self.class_of[card]]
        return [deck.format_card(code) for code in sorted(codes, reverse=True)]


class CardPlayed(NamedTuple):
    """What the searches of a decision play: ``card``, the highest of its class, None for a toss-up;
    ``human``: the mean probability of the class of the card that was played."""

    card: int | None
    human: float


class Change(NamedTuple):
    """A decision without a bias and with a setting."""

    decision: Sampled
    before: CardPlayed
    after: CardPlayed

    @property
    def is_changed(self) -> bool:
        """Whether the searches play another card, or begin or cease to play one card."""
        return self.before.card != self.after.card

    @property
    def gain(self) -> float:
        """How much likelier the human's card is now."""
        return self.after.human - self.before.human


class Times(NamedTuple):
    """Milliseconds of the processor that a search takes, unbiased and with a setting."""

    unbiased_ms: float
    ms: float

    @property
    def ratio(self) -> float:
        return self.ms / self.unbiased_ms


def sample_decisions(log: Log, n: int = N_DECISIONS) -> list[Sampled]:
    """Decisions of a log's humans, real or simulated, or of anybody where it has none: at most one
    of each round, drawn at random, the same ones every time."""
    found: list[Sampled] = []
    rng = np.random.default_rng(SEED)
    is_human = np.isin(log.kind, [KINDS.index(HUMAN), KINDS.index(SIMULATED_HUMAN)])
    if not is_human.any():
        is_human = np.ones_like(is_human)
    for row in rng.permutation(np.flatnonzero(is_human.any(axis=1))).tolist():
        decisions = list(_decisions_of(log.record(row), row, is_human[row].tolist()))
        if decisions:
            found.append(decisions[int(rng.integers(len(decisions)))])
        if len(found) == n:
            break
    return found


def _decisions_of(record: Record, row: int, counts: Sequence[bool]) -> Iterator[Sampled]:
    """A round's decisions by the seats that count."""
    for ply in range(len(record.plays)):
        seen = record.observation(ply)
        seat = seen.table.turn
        if not counts[seat]:
            continue
        classes = [list(codes) for codes in equivalent_cards(seen)]
        if len(classes) < 2:
            continue
        class_of = {code: max(codes) for codes in classes for code in codes}
        title = f"Trick {ply // 4 + 1}, {seat_name(seat)} {PLACES[ply % 4]}"
        yield Sampled(row, ply, title, seen, record.plays[ply].code, class_of)


def search_decisions(decisions: Sequence[Sampled], agent: str) -> list[CardPlayed]:
    """Search every decision with an agent, ``N_SEARCHES`` times each."""
    player = parse_agent(agent)
    answers = []
    for i, decision in enumerate(decisions):
        wins: Counter[int] = Counter()
        human = 0.0
        played = decision.class_of[decision.played]
        codes = [card.code for card in decision.seen.legal]
        for k in range(N_SEARCHES):
            answer = decide(player, decision.seen, derive_seed(SEED, i, k))
            wins[decision.class_of[answer.card]] += 1
            likely = zip(codes, answer.p.tolist(), strict=True)
            human += sum(p for code, p in likely if decision.class_of[code] == played)
        answers.append(CardPlayed(told_card(wins), human / N_SEARCHES))
    return answers


def time_searches(decisions: Sequence[Sampled], unbiased: str, agent: str) -> Times:
    """Search every decision once with both agents, by turns, and time it."""
    players = [parse_agent(text) for text in (unbiased, agent)]
    for player in players:  # so that nothing is timed while it is compiled
        decide(player, decisions[0].seen, SEED)
    seconds = [0.0, 0.0]
    for i, decision in enumerate(decisions):
        for k, player in enumerate(players):
            seconds[k] += decide(player, decision.seen, derive_seed(SEED, i)).seconds
    return Times(*(1000 * one / len(decisions) for one in seconds))


def told_card(wins: Counter[int]) -> int | None:
    """The class of cards that most searches play; None where the second can't be told from it."""
    ranked = wins.most_common(2)
    first, n_first = ranked[0]
    n_second = ranked[1][1] if len(ranked) > 1 else 0
    return first if is_told_apart(n_first, n_second) else None


def compare(
    decisions: Sequence[Sampled], before: Sequence[CardPlayed], after: Sequence[CardPlayed]
) -> list[Change]:
    """The decisions that change first; those first whose human card gains or loses most."""
    changes = [Change(*row) for row in zip(decisions, before, after, strict=True)]
    return sorted(changes, key=lambda row: (not row.is_changed, -abs(row.gain)))
