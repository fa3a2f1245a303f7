"""The result of a match: its numbers with intervals, and what tables, pages and files show of it.

``MatchResult`` is the one source of every number; the store keeps its document, and all texts and
tables are made of its ``measures``.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import Interval, ratio_interval, share_interval
from analysis.records import Column, documents_of, frame_of
from analysis.runs.store import version_of
from analysis.text_tables import signed, span, with_interval
from spades.agents import PairResults
from spades.agents.behaviour import parts_beside_programs
from spades.core.behaviour import combined
from spades.core.cards import HAND_SIZE
from spades.core.documents import Document
from spades.core.errors import SpadesError
from spades.core.rules import Rules
from spades.human import model_hash
from spades.human.corpus import load_corpus
from spades.human.own import VERSION
from spades.programs.connected import CONNECTED

if TYPE_CHECKING:  # the library does without pandas
    import pandas as pd

FEW_PAIRS = 20
MAX_FAULTS = 20  # that a result has in words
PAIRS = "over pairs of games"
CLOPPER_PEARSON = "Clopper-Pearson"
WIN_RATE = "win rate"
MILLISECONDS = "ms a card"
NILS_MADE = "nils made"
CONTRACTS_MADE = "contracts made"
FORMS = {
    WIN_RATE: ".1%",
    "points a round": ".1f",
    "bags a round": ".2f",
    "bag penalty a round": ".1f",
    NILS_MADE: ".1%",
    CONTRACTS_MADE: ".1%",
    MILLISECONDS: ".3f",
}
"""Measures of an agent in a match, in the order of tables, and the format of their numbers."""

FINGERPRINTED = ("models", "corpora", "programs")
"""Fields that name what the agents use, by its hash or version."""
PLAIN_BY_SIDE = (
    "wins",
    "points_per_round",
    "bags_per_round",
    "penalty_per_round",
    "ms_per_move",
)
"""Fields that hold a number of each side."""

T = TypeVar("T")


class BySide(NamedTuple, Generic[T]):
    """A value for each agent: the first, ``ns``, and the second, ``ew``."""

    ns: T
    ew: T

    def turned(self) -> "BySide[T]":
        return BySide(self.ew, self.ns)


NO_FORFEITS = BySide(0, 0)


class Made(NamedTuple):
    """Contracts or nils of a side: how many were bid and made, the share made with its interval."""

    bid: int
    made: int
    share: float | None
    interval: Interval


class PointsDifference(NamedTuple):
    """Points a round of the first agent less those of the second, with the interval over pairs;
    None where no round was finished."""

    value: float | None
    interval: Interval


@dataclass(frozen=True, kw_only=True)
class MatchNumbers:
    """What was counted and measured in the games of a match.

    ``wins`` and ``undecided`` are games. ``win_rate``: of the first agent, of the games that were
    decided: equal scores at the target play on, and a game that is still open after 100 rounds is
    undecided and nobody's win. ``interval``: Clopper and Pearson's over those games;
    ``interval_pairs``: over pairs of games. ``points_per_round``: points of the game's score, bag
    penalties (``penalty_per_round``) taken off, with ``points_interval`` over pairs.
    ``ms_per_move``: mean over the cards of timed games, forced ones too, in milliseconds of this
    machine's processor, of programs by the clock. None where there is nothing to tell it from.
    ``forfeits``: games of ``wins`` that the other side lost by a fault of its program or bot; those
    end there, and points, bags, nils and contracts are those of finished rounds. ``faults``: what
    was wrong in the first of them, with pair and game as in the log of the match."""

    wins: BySide[int]
    undecided: int
    win_rate: float | None
    interval: Interval
    interval_pairs: Interval
    rounds: int
    points_per_round: BySide[float | None]
    points_interval: BySide[Interval]
    points_difference: PointsDifference
    bags_per_round: BySide[float | None]
    penalty_per_round: BySide[float | None]
    nil: BySide[Made]
    contract: BySide[Made]
    ms_per_move: BySide[float | None]
    forfeits: BySide[int] = NO_FORFEITS
    faults: tuple[str, ...] = ()

    @classmethod
    def of(cls, results: PairResults, rules: Rules) -> Self:
        """The numbers of games on common deals, the first agent being ``ns``."""
        winners = results.winners(rules)
        wins = BySide(int((winners == 0).sum()), int((winners == 1).sum()))
        decided = sum(wins)
        over_pairs = ratio_interval((winners == 0).sum(axis=1), (winners >= 0).sum(axis=1))
        if over_pairs is not None:
            low, high = over_pairs
            over_pairs = (max(0.0, low), min(1.0, high))
        rounds = int(results.rounds.sum())
        points = results.scores.sum(axis=1)
        first = _mean_points(results, points[:, 0])
        second = _mean_points(results, points[:, 1])
        return cls(
            wins=wins,
            undecided=int((winners < 0).sum()),
            win_rate=wins.ns / decided if decided else None,
            interval=share_interval(wins.ns, decided),
            interval_pairs=over_pairs,
            rounds=rounds,
            points_per_round=BySide(first.value, second.value),
            points_interval=BySide(first.interval, second.interval),
            points_difference=_mean_points(results, points[:, 0] - points[:, 1]),
            bags_per_round=_per_round(results.bags, rounds),
            penalty_per_round=_per_round(results.penalties, rounds),
            nil=_made(results.nils, results.nils_made),
            contract=_made(results.contracts, results.contracts_made),
            ms_per_move=_times(results),
            forfeits=BySide(*_totals(results.faults != "")),
            faults=_first_faults(results),
        )


def _mean_points(results: PairResults, points: NDArray) -> PointsDifference:
    """The mean a round of points by pair."""
    rounds = results.rounds.sum(axis=1)
    n_rounds = int(rounds.sum())
    mean = float(points.sum()) / n_rounds if n_rounds else None
    return PointsDifference(mean, ratio_interval(points, rounds))


def _per_round(by_game: NDArray, rounds: int) -> BySide[float | None]:
    """The mean a round of each side; None where programs finished no round."""
    first, second = _totals(by_game)
    return BySide(first / rounds, second / rounds) if rounds else BySide(None, None)


def _first_faults(results: PairResults) -> tuple[str, ...]:
    """What the first faults were, in the order of the deals."""
    found = np.argwhere(results.faults != "")[:MAX_FAULTS]
    return tuple(f"pair {place[0] + 1}, {results.faults[tuple(place)]}" for place in found)


def _made(bid_by_game: NDArray, made_by_game: NDArray) -> BySide[Made]:
    by_side = []
    for bid, made in zip(_totals(bid_by_game), _totals(made_by_game), strict=True):
        by_side.append(Made(bid, made, made / bid if bid else None, share_interval(made, bid)))
    return BySide(*by_side)


def _times(results: PairResults) -> BySide[float | None]:
    is_timed = (results.nanoseconds > 0).any(axis=2)
    n_cards = 2 * HAND_SIZE * int(results.rounds[is_timed].sum())
    if not n_cards:
        return BySide(None, None)
    first, second = _totals(results.nanoseconds)
    return BySide(first / n_cards / 1e6, second / n_cards / 1e6)


def _totals(by_game: NDArray) -> list[int]:
    """Sum over all games by agent."""
    return [int(total) for total in by_game.sum(axis=(0, 1))]


@dataclass(frozen=True)
class Measure:
    """One number of one agent in a match: its ``value`` with the ends of its 95% interval, which is
    ``interval``'s, None where there is none. The value is the share that ``n`` are of ``n_of``, or,
    where ``n`` is None, a mean over ``n_of``."""

    measure: str
    agent: str
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    n_of: int | None
    interval: str


COLUMNS = tuple(Column(declared.name, declared.name) for declared in fields(Measure))


@dataclass(frozen=True, kw_only=True)
class MatchResult(MatchNumbers):
    """A match between two agents, ``ns`` the first and ``ew`` the second, as it was played.

    ``ns`` to ``rules``: its plan, see ``MatchPlan``. ``key``: what the store keeps it under.
    ``code``, ``models``, ``corpora``: fingerprints of the agents' behaviour, and of the models and
    corpora that they ask. ``programs``: the versions that agents of other people declare."""

    ns: str
    ew: str
    games: int
    seed: int
    target: int
    floor: int | None
    nil_only: bool
    rules: Mapping[str, Any]
    key: str
    code: str
    models: Mapping[str, str] = field(default_factory=dict)
    corpora: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"{self.ns} against {self.ew}: {self.games:,} games"]
        if self.win_rate is None:
            lines.append("no game was decided")
        else:
            share = with_interval(f"{self.win_rate:.1%}", self.interval, ".1%", says="95%: ")
            lines.append(f"{self.ns} won {self.wins.ns:,} of {sum(self.wins):,}, {share}")
        difference = self.points_difference
        if difference.value is not None:
            value = signed(difference.value)
            points = with_interval(value, difference.interval, "+.1f", says="95%: ")
            lines.append(f"points a round, {self.ns} less {self.ew}: {points}")
        return "\n".join([*lines, *self.fault_lines])

    @property
    def fault_lines(self) -> list[str]:
        """Who lost games by faults, and what the first of these were."""
        lines = []
        for agent, n in zip((self.ns, self.ew), self.forfeits, strict=True):
            if n:
                lines.append(f"{agent} lost {n:,} of {self.games:,} games by a fault")
        n_more = sum(self.forfeits) - len(self.faults)
        lines += self.faults
        if n_more:
            lines.append(f"and {n_more:,} more")
        return lines

    def document(self) -> Document:
        """The result for JSON and for the store: which match it is, then its numbers; models,
        corpora, programs and faults only where there are any."""
        names = [declared.name for declared in fields(self)]
        n_numbers = len(fields(MatchNumbers))
        document = documents_of(self, names[n_numbers:] + names[:n_numbers])
        for name in FINGERPRINTED:
            if not document[name]:
                del document[name]
        if not self.faults:
            del document["forfeits"], document["faults"]
        return document

    @classmethod
    def from_document(cls, document: Document) -> Self:
        """The result that a document holds. Raises ``LookupError``, ``TypeError`` or ``ValueError``
        for a document of something else."""
        known = {f.name: document[f.name] for f in fields(cls) if f.name in document}
        for name in PLAIN_BY_SIDE:
            known[name] = BySide(**document[name])
        for name, parse in (
            ("points_interval", _interval),
            ("nil", _made_of),
            ("contract", _made_of),
        ):
            by_side = document[name]
            known[name] = BySide(parse(by_side["ns"]), parse(by_side["ew"]))
        if "faults" in document:
            known["forfeits"] = BySide(**document["forfeits"])
            known["faults"] = tuple(document["faults"])
        difference = document["points_difference"]
        interval = _interval(difference["interval"])
        known["points_difference"] = PointsDifference(difference["value"], interval)
        for name in ("interval", "interval_pairs"):
            known[name] = _interval(document[name])
        return cls(**known)

    def turned(self) -> Self:
        """The same match with its sides exchanged."""
        swapped: dict[str, Any] = {
            name: value.turned() for name, value in vars(self).items() if isinstance(value, BySide)
        }
        difference = self.points_difference
        value = difference.value
        return replace(
            self,
            **swapped,
            ns=self.ew,
            ew=self.ns,
            win_rate=None if self.win_rate is None else 1 - self.win_rate,
            interval=_mirrored(self.interval, 1.0),
            interval_pairs=_mirrored(self.interval_pairs, 1.0),
            points_difference=PointsDifference(
                None if value is None else -value, _mirrored(difference.interval, 0.0)
            ),
        )

    @property
    def decided(self) -> int:
        """Games that one of the two won."""
        return sum(self.wins)

    @property
    def is_current(self) -> bool:
        """Whether agents and models still play as they did. Programs and models of other people
        are what their versions say, also where they aren't here."""
        return self.is_playable or self._is_current_beside_programs()

    @property
    def is_playable(self) -> bool:
        """Whether it can be played again here: agents and models are here and as they were."""
        try:
            version = version_of(self.ns, self.ew)
        except SpadesError:  # an agent or a model that isn't there any more
            return False
        known = {name: getattr(self, name) for name in FINGERPRINTED if getattr(self, name)}
        return {"code": self.code, **known} == version

    @property
    def versions(self) -> dict[str, str]:
        """The versions of other people's programs and models, by name."""
        models = {name: one for name, one in self.models.items() if one.startswith(VERSION)}
        programs = {name: f"{VERSION}{one}" for name, one in self.programs.items()}
        return programs | models

    def _is_current_beside_programs(self) -> bool:
        """``is_current``, by what is shipped."""
        versions = self.versions
        if not versions:
            return False
        agents = (self.ns, self.ew)
        try:
            parts = [parts_beside_programs(text, self.programs, versions) for text in agents]
            models = {name: model_hash(name) for name in self.models if name not in versions}
            corpora = {name: load_corpus(name).hash for name in self.corpora}
            code = combined(set().union(*parts))
        except SpadesError:
            return False
        known = {name: one for name, one in self.models.items() if name not in versions}
        return (code, models, corpora) == (self.code, known, dict(self.corpora))

    def title_of(self, agent: str) -> str:
        """An agent of the match with the versions that other people's code in it declares: another
        version is another player."""
        player, _, bidder = agent.partition("+")
        items = player.partition(":")[2].split(",")
        names = (player, f"+{bidder}")
        shown = [
            version
            for name, version in self.versions.items()
            if name in names or f"model={name}" in items
        ]
        return f"{agent} ({', '.join(dict.fromkeys(shown))})" if shown else agent

    @property
    def command(self) -> str | None:
        """The command that plays it; None where its rules have options no command takes, or a
        program that no command has."""
        if self.rules or any(key.startswith(CONNECTED) for key in self.programs):
            return None
        words = ["python -m spades match"]
        for name in ("ns", "ew", "games", "seed", "target", "floor"):
            value = getattr(self, name)
            if value is not None:
                words.append(f"--{name} {shlex.quote(str(value))}")
        if self.nil_only:
            words.append("--nil-only")
        return " ".join(words)

    @property
    def title(self) -> str:
        """Who met whom."""
        return f"{self.ns} against {self.ew}"

    @property
    def variant_text(self) -> str:
        """The rules' end of a game and whether nils alone count: ``500, floor -100, nil-only``."""
        text = str(self.target)
        if self.floor is not None:
            text += f", floor {self.floor}"
        if self.nil_only:
            text += ", nil-only"
        return text

    @property
    def measures(self) -> list[Measure]:
        """Every number of both agents, those of the first before those of the second."""
        return [*_measures_of_first(self), *_measures_of_first(self.turned())]


def _made_of(document: Document) -> Made:
    interval = _interval(document["interval"])
    return Made(document["bid"], document["made"], document["share"], interval)


def _interval(ends: Sequence[float] | None) -> Interval:
    if ends is None:
        return None
    low, high = ends
    return low, high


def _mirrored(interval: Interval, total: float) -> Interval:
    """The interval of a number's complement to ``total``."""
    if interval is None:
        return None
    low, high = interval
    return total - high, total - low


def _measures_of_first(result: MatchResult) -> list[Measure]:
    def measure(
        name: str,
        value: float | None,
        ends: Interval = None,
        counts: tuple[int | None, int | None] = (None, None),
        interval: str = "",
    ) -> Measure:
        low, high = ends or (None, None)
        n, n_of = counts
        return Measure(name, result.ns, value, low, high, n, n_of, interval)

    def share(name: str, made: Made) -> Measure:
        return measure(name, made.share, made.interval, (made.made, made.bid), CLOPPER_PEARSON)

    won = (result.wins.ns, result.decided)
    mean = (None, result.rounds)
    points = result.points_interval.ns
    return [
        measure(WIN_RATE, result.win_rate, result.interval, won, CLOPPER_PEARSON),
        measure(WIN_RATE, result.win_rate, result.interval_pairs, won, PAIRS),
        measure("points a round", result.points_per_round.ns, points, mean, PAIRS),
        measure("bags a round", result.bags_per_round.ns, None, mean),
        measure("bag penalty a round", result.penalty_per_round.ns, None, mean),
        measure(MILLISECONDS, result.ms_per_move.ns),
        share(NILS_MADE, result.nil.ns),
        share(CONTRACTS_MADE, result.contract.ns),
    ]


def measure_table(result: MatchResult) -> "pd.DataFrame":
    """Every number of a match to download, a row a measure and agent."""
    return frame_of(result.measures, COLUMNS)


def side_texts(result: MatchResult) -> "pd.DataFrame":
    """What each side did, for people: a row a measure, a column a side (``ns``, ``ew``)."""
    import pandas as pd

    texts = {"ns": _texts_of_first(result), "ew": _texts_of_first(result.turned())}
    return pd.DataFrame(texts).rename_axis("measure").reset_index()


def _texts_of_first(result: MatchResult) -> dict[str, str]:
    labels = {
        WIN_RATE: f"games won, of {result.decided:,}",
        "points a round": f"points a round, {result.rounds:,} rounds",
        MILLISECONDS: "time a card",
    }
    shown = {row.measure: row for row in reversed(_measures_of_first(result))}  # the first of two
    return {labels.get(name, name): _measure_text(shown[name]) for name in FORMS}


def _measure_text(row: Measure) -> str:
    """A number with its counts and interval: ``12 of 20 = 60.0% (36.1% to 80.9%)``."""
    form = FORMS[row.measure]
    if row.measure == MILLISECONDS:
        return "not timed" if row.value is None else f"{row.value:{form}} ms"
    count = ""
    if row.measure == WIN_RATE:
        count = f"{row.n:,}"
    elif row.measure in (NILS_MADE, CONTRACTS_MADE):
        count = f"{row.n:,} of {row.n_of:,}" if row.n_of else "none bid"
    if row.value is None:
        return count
    value = signed(row.value, form)
    text = f"{count} = {value}" if count else value
    return with_interval(text, None if row.low is None else (row.low, row.high), form)


def match_verdict(result: MatchResult) -> str:
    """Who won more often, in one sentence; "no clear difference" where chance may explain it, and
    no claim from few pairs, of which the interval over pairs is too narrow."""
    first = result.ns
    second = result.ew
    if sum(result.forfeits) == result.games:
        return "Every game was lost by a fault."
    if result.win_rate is None or result.interval is None:
        return "No game was decided."
    if first == second:
        return f"{first} against itself wins one game of every pair: a check, no comparison."
    if result.games < 2 * FEW_PAIRS:
        return (
            f"{result.games} games are too few to say who wins more often: the exact 95% "
            f"interval is {span(result.interval, '.1%')}."
        )
    kind = CLOPPER_PEARSON
    interval = result.interval
    if result.interval_pairs:
        kind = PAIRS
        interval = result.interval_pairs
    interval_text = f"the 95% interval {kind} is {span(interval, '.1%')}"
    low, high = interval
    if low <= 0.5 <= high:
        return f"No clear difference in games won: {interval_text}."
    better, worse = (first, second) if low > 0.5 else (second, first)
    return f"{better} wins more often than {worse}: {interval_text}."
