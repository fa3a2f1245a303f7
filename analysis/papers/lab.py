"""What the studies of the papers are made with: matches, sweeps and other parts, at a scale.

All parts lie in the result store: a study is resumable, and one at a larger scale plays only what
is missing.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from analysis.matches.match import PART, MatchPlan, match_tasks, stored_results
from analysis.papers.claims import ACCURACY, WINS, Claim, Estimate, Sheet
from analysis.runs.store import Question, ResultStore, packed, version_of
from analysis.runs.tasks import RunOptions, Task, TaskRunner
from analysis.sweeps.run import run_sweep
from analysis.sweeps.sweep import BUDGET, SETTING, Setting, read_sweep
from spades.agents import PairResults
from spades.core.errors import SpadesError
from spades.core.paths import DATA

MEASURED = "paper-part"
SHIPPED = DATA / "tables" / "paper_parts.jsonl.xz"
COMMAND = "python -m analysis.papers.report"
NAMED_GAMES, GRID_GAMES = 2400, 1000  # of a setting that a paper names, of another
SCALES = {"quick": 0.0, "full": 1.0}
GAMES, ON, SHARE = "games", "simulated humans", "share of games"
Wins = NDArray[np.float64]


class StoppedError(Exception):
    """The run was cancelled; what has been played is stored."""


def parse_scale(text: str) -> float:
    """``quick``, ``full`` or a share of the full sizes; ``SpadesError`` for anything else."""
    try:
        found = SCALES[text] if text in SCALES else float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise SpadesError(f"scale is {text!r}; quick, full or a share of full from 0 to 1 is legal")
    return found


class Lab:
    """``share`` of the full sizes, 0 the least that can be run; ``options`` of the runs. ``used``:
    kind and question of all parts that took long, to be shipped."""

    def __init__(self, share: float, **options: Unpack[RunOptions]) -> None:
        self.share, self.options, self.store = share, options, ResultStore()
        self.used: list[tuple[str, Question]] = []
        if SHIPPED.exists():
            _unpack_once(SHIPPED.stat().st_mtime_ns, self.store.path)

    def n(self, full: int, quick: int) -> int:
        """An even number between ``quick`` and ``full``."""
        return min(full, max(quick, 2 * round(full * self.share / 2)))

    def play(self, *plans: MatchPlan) -> None:
        """Play what the store lacks of these matches."""
        tasks = [task for plan in plans for task in match_tasks(plan, self.store)]
        self._use(*plans)
        self._complete(tasks, GAMES)

    def results(self, plan: MatchPlan) -> PairResults:
        """The games of a match, played if they aren't stored."""
        self._use(plan)
        found = stored_results(plan, self.store)
        if found is None:
            self.play(plan)
            found = stored_results(plan, self.store)
        assert found is not None
        return found

    def win_rate(self, plan: MatchPlan) -> Estimate:
        """Share of the decided games that the first agent won, exact interval; and its points."""
        results = self.results(plan)
        winners = results.winners(plan.full_rules)
        won = Estimate.share(int((winners == 0).sum()), int((winners >= 0).sum()), GAMES)
        return won._replace(points=points_of(results))

    def win_row(
        self, sheet: Sheet, what: str, claim: Claim, plan: MatchPlan, to: str = "rows"
    ) -> Estimate:
        """Add the share of games that the first agent of a match won, and give it."""
        found = self.win_rate(plan)
        sheet.row(what, claim, found, to=to, **of_match(plan))
        return found

    def games_won(self, plan: MatchPlan) -> Wins:
        """Games of each pair that the first agent won, 0 to 2; an undecided one counts a half."""
        winners = self.results(plan).winners(plan.full_rules)
        return ((winners == 0) + 0.5 * (winners < 0)).sum(axis=1)

    def measure(
        self,
        name: str,
        compute: Callable[..., Any],
        ranges: Sequence[tuple[int, int]],
        *arguments: Any,
        agents: tuple[str, ...] = (),
    ) -> list[Any]:
        """``compute(first, end, *arguments)`` of every range, computed where it isn't stored. The
        arguments can be written as JSON; ``agents``: what the values depend on."""
        asked = {"name": name, "arguments": list(arguments), **version_of(*agents)}
        questions = [{**asked, "first": first, "end": end} for first, end in ranges]
        tasks = [
            Task.of_store(
                (self.store, MEASURED, question),
                compute,
                partial(tuple, (*one, *arguments)),
                agents,
            )
            for question, one in zip(questions, ranges, strict=True)
        ]
        self.used += [(MEASURED, question) for question in questions]
        self._complete(tasks, "parts")
        return [self.store.get(MEASURED, question) for question in questions]

    def sweep(
        self,
        name: str,
        quick: dict[str, int],
        only: Callable[[Setting], bool] = lambda setting: True,
    ) -> dict[str, Any]:
        """The document of a shipped sweep, of some of its settings, at this scale; its own counts
        are the full ones."""
        plan = read_sweep(DATA / "sweeps" / f"{name}.toml")
        counts: dict[str, Any] = {key: self.n(getattr(plan, key), quick[key]) for key in quick}
        plan = replace(plan, settings=tuple(filter(only, plan.settings)), **counts)
        self.used += [(SETTING, plan.question(one)) for one in plan.settings]
        self.used += [(BUDGET, plan.budget_question(one)) for one in plan.settings]
        found = run_sweep(plan, **self.options)
        if found is None:
            raise StoppedError
        matches = [plan.match_plan(one["agent"]) for one in found["settings"]]
        self._use(*(match for match in matches if match))
        return found

    def _use(self, *plans: MatchPlan) -> None:
        for plan in plans:
            if not plan.duel.is_compiled:  # those are played anew in seconds
                self.used += [(PART, question) for question in plan.ordered.parts().values()]

    def _complete(self, tasks: list[Task], unit: str) -> None:
        with TaskRunner(sum(task.size for task in tasks), unit, **self.options) as runner:
            if not runner.complete(tasks):
                raise StoppedError


@lru_cache(maxsize=8)
def _unpack_once(changed: int, store: Path) -> None:
    ResultStore(store).put_all(packed(SHIPPED, COMMAND))


# Estimates from games and sweeps


def of_match(plan: MatchPlan, unit: str = SHARE) -> dict[str, Any]:
    """What a row says of its match; ``match``: its plan, without what is empty."""
    told = {name: value for name, value in asdict(plan).items() if value}
    return {"unit": unit, "settings": f"{plan.ns} against {plan.ew}", "match": told}


def points_of(results: PairResults) -> Estimate:
    """How far the first agent of a match is ahead, points a round; interval over pairs."""
    ahead = np.subtract(*results.scores.sum(axis=1).T)
    return Estimate.mean(ahead, "rounds", results.rounds.sum(axis=1))


def difference(one: Wins, other: Wins) -> Estimate:
    """Difference of shares of games won on the same deals, interval over pairs."""
    n = len(one)
    found = Estimate.mean(one - other, "pairs of games", np.full(n, 2.0))
    if found.interval:  # of few pairs Student's t reaches beyond what can be
        found = found._replace(interval=(max(-1.0, found.interval[0]), min(1.0, found.interval[1])))
    if found.interval is None and n > 1:  # no pair differs: as if one game had
        found = found._replace(interval=(found.value - 1 / n, found.value + 1 / n))  # type: ignore[operator]
    return found._replace(n=n)


def of_setting(document: dict[str, Any], setting: Setting) -> dict[str, Any]:
    """What a sweep's document says of a setting."""
    wanted = setting.document()
    return next(one for one in document["settings"] if one["setting"] == wanted)


def accuracy_of(found: dict[str, Any]) -> Estimate:
    """Share of all plays, forced ones too, that the setting's card is the human's."""
    one = found["accuracy"]["all_plays"]
    return Estimate(one["share"], one["interval"], one["n"], "cards")


def kl_of(found: dict[str, Any]) -> Estimate:
    """KL(humans || agent) of abstract moves, nats."""
    one = found["kl"]
    return Estimate(one["value"], one["interval"], one["rounds"], "rounds")


def wins_of(found: dict[str, Any]) -> Estimate:
    """Share of the games against the unbiased search that were won."""
    one = found["match"]
    ahead = one["points_difference"]
    points = Estimate(ahead["value"], ahead["interval"], one["games"], GAMES)
    return Estimate(one["win_rate"], one["interval"], one["games"], GAMES, points)


MEASURES = {
    "accuracy": (accuracy_of, "share of cards", ACCURACY),
    "games won": (wins_of, SHARE, WINS),
}
"""Where a setting's document has them, their unit, and the margin of claims."""


def by_scale(lab: Lab, model: str, sheet: Sheet, setting: str, claims: dict[str, Claim]) -> None:
    """Add readings of a setting by how many points are worth one reward, which no paper says;
    ``claims`` by measure: of cards and of games."""
    quick = {"games": 2, "decisions": 200, "rounds": 0}
    found = lab.sweep("reward-scale", quick, lambda one: one.model == model)
    for one in found["settings"][1:]:
        scale = one["setting"]["reward_scale"]
        for name, claim in claims.items():
            of, unit, _ = MEASURES[name]
            what = f"{setting}, {scale:g} points a reward: {name}"
            about = {"unit": unit, "settings": one["agent"], "on": ON}
            sheet.row(what, claim, of(one), to="readings", **about)


def match_readings(lab: Lab, sheet: Sheet, plans: dict[str, tuple[MatchPlan, float]]) -> None:
    """Add readings of matches, each with what the paper prints."""
    lab.play(*(plan for plan, _ in plans.values()))
    for what, (plan, published) in plans.items():
        lab.win_row(sheet, what, Claim.share(published, WINS), plan, "readings")


def points_rows(
    lab: Lab, sheet: Sheet, claim: Claim, plans: Sequence[MatchPlan], to: str = "readings"
) -> None:
    """Add how far the first agents of matches are ahead; intervals over pairs."""
    lab.play(*plans)
    for plan in plans:
        about = of_match(plan, "points a round")
        sheet.row(about["settings"], claim, points_of(lab.results(plan)), to=to, **about)
