"""The parts of the papers' studies, matches, sweeps and others, made at a scale.

All parts are in the result store: an interrupted study is resumable, and one at a larger scale
plays only what is missing. Parts that take long are shipped in ``experiments/papers/parts``, a file
for each study.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from analysis.matches.match import PART, MatchPlan, match_tasks, stored_results
from analysis.papers.results import COMMAND
from analysis.runs.store import Question, ResultStore, packed, version_of
from analysis.runs.tasks import RunOptions, Task, TaskRunner
from analysis.sweeps.run import run_sweep
from analysis.sweeps.sweep import BUDGET, COUNTS, SETTING, Setting, read_sweep
from experiments.papers.claims import ACCURACY, WINS, Claim, Estimate, Sheet
from spades.agents import PairResults
from spades.core.documents import Document
from spades.core.errors import SpadesError
from spades.core.kernel import FloatArray
from spades.core.paths import DATA
from spades.core.rules import Rules

MEASURED = "paper-part"
PARTS = Path(__file__).parent / "parts"
SCALES = {"quick": 0.0, "full": 1.0}
GAMES = "games"
HUMAN = "human"  # the agent that plays their rounds
SIMULATED_HUMANS = "simulated humans"
SHARE_OF_GAMES = "share of games"
Wins = FloatArray
AddRow = Callable[..., None]
"""``Sheet.row`` or ``Sheet.reading``."""


class StoppedError(Exception):
    """The run was cancelled; what has been played is stored."""


def parse_scale(text: str) -> float:
    """``quick``, ``full`` or a share of the full sizes; ``SpadesError`` for anything else."""
    with suppress(ValueError):
        share = SCALES[text] if text in SCALES else float(text)
        if 0 <= share <= 1:
            return share
    raise SpadesError(f"scale is {text!r}; quick, full or a share of full from 0 to 1 is legal")


class Lab:
    """Runs and stores the parts of studies.

    ``share``: of the full sizes; at 0 the least that can be run. ``options``: of the runs.
    ``used``: kind and question of all parts that take long, to be shipped.
    """

    def __init__(self, share: float, **options: Unpack[RunOptions]) -> None:
        self.share = share
        self.options = options
        self.store = ResultStore()
        self.used: list[tuple[str, Question]] = []

    def load_shipped(self, study: str) -> None:
        """Put the shipped parts of a study into the store, once a process."""
        path = parts_path(study)
        if path.exists():
            _unpack_once(path, path.stat().st_mtime_ns, self.store.path)

    def n(self, full: int, quick: int) -> int:
        """An even number between ``quick`` and ``full``."""
        n_at_scale = 2 * round(full * self.share / 2)
        return min(full, max(quick, n_at_scale))

    def play(self, *plans: MatchPlan) -> None:
        """Play what the store lacks of these matches."""
        parts = [part for plan in plans for part in match_tasks(plan, self.store)]
        self._note_matches(*plans)
        self._complete(parts, GAMES)

    def results(self, plan: MatchPlan) -> PairResults:
        """The games of a match, played if they aren't stored."""
        self._note_matches(plan)
        results = stored_results(plan, self.store)
        if results is None:
            self.play(plan)
            results = stored_results(plan, self.store)
        assert results is not None
        return results

    def win_rate(self, plan: MatchPlan) -> Estimate:
        """Share of the decided games that the first agent won, exact interval; and its points."""
        return win_rate_of(self.results(plan), plan.full_rules)

    def win_row(self, add: AddRow, what: str, claim: Claim, plan: MatchPlan) -> Estimate:
        """Add the share of games that the first agent of a match won, and return it."""
        won = self.win_rate(plan)
        add(what, claim, won, **of_match(plan))
        return won

    def games_won(self, plan: MatchPlan) -> Wins:
        """Games of each pair that the first agent won, 0 to 2; an undecided one counts a half."""
        return wins_by_pair(self.results(plan), plan.full_rules)

    def measure(
        self,
        name: str,
        compute: Callable[..., Any],
        ranges: Sequence[tuple[int, int]],
        *arguments: Any,
        agents: tuple[str, ...],
    ) -> list[Any]:
        """``compute(first, end, *arguments)`` of every range, computed where it isn't stored.

        The arguments can be written as JSON; ``agents``: all that the values depend on.
        """
        asked = {"name": name, "arguments": list(arguments), **version_of(*agents)}
        questions = []
        tasks = []
        for first, end in ranges:
            question = {**asked, "first": first, "end": end}
            place = (self.store, MEASURED, question)
            part = partial(tuple, (first, end, *arguments))
            questions.append(question)
            tasks.append(Task.of_store(place, compute, part, agents))
        self.used += [(MEASURED, question) for question in questions]
        self._complete(tasks, "parts")
        return [self.store.get(MEASURED, question) for question in questions]

    def sweep(
        self,
        name: str,
        quick: dict[str, int],
        is_wanted: Callable[[Setting], bool] = lambda setting: True,
    ) -> Document:
        """The document of a shipped sweep, of some of its settings, at this scale.

        Its own counts are the full ones, ``quick`` the least; a count that isn't in there is left
        out.
        """
        full = read_sweep(DATA / "sweeps" / f"{name}.toml")
        counts: dict[str, Any] = dict.fromkeys(COUNTS, 0)
        for field, least in quick.items():
            counts[field] = self.n(getattr(full, field), least)
        settings = tuple(filter(is_wanted, full.settings))
        plan = replace(full, settings=settings, **counts)
        self.used += [(SETTING, plan.question(setting)) for setting in settings]
        self.used += [(BUDGET, plan.budget_question(setting)) for setting in settings]
        document = run_sweep(plan, **self.options)
        if document is None:
            raise StoppedError
        for setting in document["settings"]:
            match = plan.match_plan(setting["agent"])
            if match:
                self._note_matches(match)
        return document

    def _note_matches(self, *plans: MatchPlan) -> None:
        for plan in plans:
            if plan.duel.is_compiled:  # it is played anew in seconds
                continue
            questions = plan.ordered.parts().values()
            self.used += [(PART, question) for question in questions]

    def _complete(self, tasks: list[Task], unit: str) -> None:
        size = sum(task.size for task in tasks)
        with TaskRunner(size, unit, **self.options) as runner:
            if not runner.complete(tasks):
                raise StoppedError


def parts_path(study: str) -> Path:
    """The file of the shipped parts of a study."""
    return PARTS / f"{study}.jsonl.xz"


@lru_cache(maxsize=64)
def _unpack_once(path: Path, changed: int, store: Path) -> None:
    ResultStore(store).put_all(packed(path, COMMAND))


# Estimates from games and sweeps


def of_match(plan: MatchPlan, unit: str = SHARE_OF_GAMES) -> Document:
    """What a row says of its match; ``match``: its plan, without what is empty."""
    match = {name: value for name, value in asdict(plan).items() if value}
    return {"unit": unit, "settings": f"{plan.ns} against {plan.ew}", "match": match}


def win_rate_of(results: PairResults, rules: Rules) -> Estimate:
    """Share of the decided games that the first agent won, exact interval; and its points."""
    winners = results.winners(rules)
    n_won = int((winners == 0).sum())
    n_decided = int((winners >= 0).sum())
    return Estimate.share(n_won, n_decided, GAMES)._replace(points=points_of(results))


def wins_by_pair(results: PairResults, rules: Rules) -> Wins:
    """Games of each pair that the first agent won, 0 to 2; an undecided one counts a half."""
    winners = results.winners(rules)
    has_won = winners == 0
    is_undecided = winners < 0
    return (has_won + 0.5 * is_undecided).sum(axis=1)


def points_of(results: PairResults) -> Estimate:
    """How far the first agent of a match is ahead, points a round; interval over pairs."""
    first, second = results.scores.sum(axis=1).T
    n_rounds = results.rounds.sum(axis=1)
    return Estimate.mean(first - second, "rounds", n_rounds)


def difference(ours: Wins, theirs: Wins) -> Estimate:
    """Difference of shares of games won on the same deals, interval over pairs."""
    n_pairs = len(ours)
    games = np.full(n_pairs, 2.0)
    change = Estimate.mean(ours - theirs, "pairs of games", games)
    interval = change.interval
    if interval:  # Student's t of few pairs reaches beyond -1 or 1
        low, high = interval
        interval = (max(-1.0, low), min(1.0, high))
    elif change.value is not None and n_pairs > 1:  # no pair differs: as if one game had
        margin = 1 / n_pairs
        interval = (change.value - margin, change.value + margin)
    return change._replace(n=n_pairs, interval=interval)


def of_setting(document: Document, setting: Setting) -> Document:
    """What a sweep's document says of a setting."""
    wanted = setting.document()
    return next(row for row in document["settings"] if row["setting"] == wanted)


def accuracy_of(measured: Document) -> Estimate:
    """Share of all plays, forced ones too, in which a setting's card is the human's."""
    accuracy = measured["accuracy"]["all_plays"]
    return Estimate(accuracy["share"], accuracy["interval"], accuracy["n"], "cards")


def kl_of(measured: Document) -> Estimate:
    """KL(humans || agent) of abstract moves, nats."""
    kl = measured["kl"]
    return Estimate(kl["value"], kl["interval"], kl["rounds"], "rounds")


def wins_of(measured: Document) -> Estimate:
    """Share of the games against the unbiased search that a setting won."""
    match = measured["match"]
    ahead = match["points_difference"]
    points = Estimate(ahead["value"], ahead["interval"], match["games"], GAMES)
    return Estimate(match["win_rate"], match["interval"], match["games"], GAMES, points)


MEASURES = {
    "accuracy": (accuracy_of, "share of cards", ACCURACY),
    "games won": (wins_of, SHARE_OF_GAMES, WINS),
}
"""Where a setting's document has them, their unit, and the margin of claims."""


def by_scale(
    lab: Lab,
    model: str,
    sheet: Sheet,
    setting: str,
    claims: dict[str, Claim],
    opponent: str = "",
    main: str = "",
) -> None:
    """Add readings of a setting by how many points are worth one reward, which no paper says.

    ``claims`` by measure: of cards and of games. ``opponent``: what claims on games say of it.
    ``main``: the agent that has a row already.
    """
    quick = {"games": 2, "decisions": 200}
    document = lab.sweep("reward-scale", quick, lambda one: one.model == model)
    for measured in document["settings"][1:]:  # the first is the unbiased search
        if measured["agent"] == main:
            continue
        scale = measured["setting"]["reward_scale"]
        for name, claim in claims.items():
            estimate_of, unit, _ = MEASURES[name]
            what = f"{setting}, {scale:g} points a reward: {name}"
            if opponent and estimate_of is wins_of:
                what += f", {opponent}"
            sheet.reading(
                what,
                claim,
                estimate_of(measured),
                unit=unit,
                settings=measured["agent"],
                on=SIMULATED_HUMANS,
            )


def match_readings(lab: Lab, sheet: Sheet, plans: dict[str, tuple[MatchPlan, float]]) -> None:
    """Add readings of matches, each with what the paper prints."""
    lab.play(*(plan for plan, _ in plans.values()))
    for what, (plan, published) in plans.items():
        lab.win_row(sheet.reading, what, Claim.share(published, WINS), plan)


def points_rows(lab: Lab, add: AddRow, claim: Claim, plans: Sequence[MatchPlan]) -> None:
    """Add how far the first agents of matches are ahead; intervals over pairs."""
    lab.play(*plans)
    for plan in plans:
        about = of_match(plan, "points a round")
        add(about["settings"], claim, points_of(lab.results(plan)), **about)
