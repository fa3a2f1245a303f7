"""Every agent by name against SRP: ``python -m analysis.matches.shipped_league``.

The matches that the Arena's league opens with: each agent meets ``srp`` on the same deals, every
deal from both sides, in games to 500, ``--games`` of them or as many as 1,000 rounds take; bidders
meet ``srp`` with the simulated human's bids. Stopped at any moment, the command goes on where it
was.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Unpack

from analysis.matches.match import MATCH, MatchError, MatchPlan, complete_rounds
from analysis.matches.result import MatchResult, side_texts
from analysis.runs.command import add_workers, make_table, number, say
from analysis.runs.store import Result, ResultStore, ResultStoreError
from analysis.runs.tasks import RunOptions, TaskRunner
from spades.core.documents import read_json
from spades.core.paths import DATA, stored_table
from spades.core.rules import Rules

TABLE = DATA / "league" / "against-srp.json"
COMMAND = "python -m analysis.matches.shipped_league"
OPPONENT = "srp"
N_GAMES, SEED, VERSION = 100, 20261121, 1
MIN_ROUNDS, MORE_GAMES, MOST_GAMES = 1000, 10, 200
AGENTS = (
    *("random", "human", "wrp", "thumb", "corpus", "best"),
    *(
        f"direct:model={model}"
        for model in ("t-200-100", "t-200-150-100", "h-160-96-128-96,sample=on")
    ),
    *(f"ismcts:iterations={n}" for n in (100, 1000, 2500)),
    *(
        f"ismcts:iterations=2500,{options}"
        for options in (
            *("playout=nil-aware", "playout=heuristic", "playout=human"),
            *("determinization=biased", "determinization=mixed", "determinization=posterior"),
            "determinization=network,players=human",
            "skew=on",
            "bias=knowledge,model=devlin2016,c_bt=0.03,k=1000",
            "bias=knowledge,model=devlin2016,c_bt=0.03,k=1000,delay=root",
            "bias=experience,model=t-200-150-100,w=10",
            *("bias=pikl,model=devlin2016", "objective=game", "duck=on"),
        )
    ),
    *("flat-mc", "pimc:deals=20,depth=6"),
    *(f"stars:level={level}" for level in range(1, 6)),
    *("flat-ucb", "flat-ucb:seed=heuristic", "flat-ucb:seed=corpus", "uct", "uct:last=5"),
    *(f"srp+{bidder}" for bidder in ("bis", "rb", "ms", "io", "kb", "noisy")),
)


@lru_cache(maxsize=4)
def shipped_results(path: Path = TABLE) -> tuple[Result, ...]:
    """The shipped matches as the store would hold them; none where the file isn't there.
    ``MatchError`` where it isn't sound."""
    if not path.exists():
        return ()
    with stored_table(path, COMMAND, MatchError):
        return tuple(map(_result_of, read_json(path)["matches"]))


def _result_of(row: dict[str, Any]) -> Result:
    result = Result(str(row["key"]), MATCH, row["question"], row["answer"], float(row["created"]))
    side_texts(MatchResult.from_document(result.answer))
    Rules.from_options(result.question["rules"])
    return result


def all_results(check: Callable[[Result], object], wrong: list[str] | None = None) -> list[Result]:
    """Sound matches of the store, and those shipped that it doesn't have; ``wrong`` as in
    ``ResultStore.sound_results``, and what is the matter with the shipped ones."""
    own = ResultStore().sound_results(MATCH, check, wrong)
    known = {result.key for result in own}
    try:
        shipped = shipped_results()
    except MatchError as error:
        if wrong is None:
            raise
        wrong.append(str(error))
        shipped = ()
    return own + [result for result in shipped if result.key not in known]


def result_by_key(key: str) -> Result | None:
    """A match of the store, or a shipped one."""
    with suppress(ResultStoreError):
        if found := ResultStore().by_key(key):
            return found
    return next((result for result in shipped_results() if result.key == key), None)


def play(games: int, **options: Unpack[RunOptions]) -> dict[str, Any]:
    """The document of all matches; what is stored, or shipped, isn't played again."""
    with TaskRunner(0, "games", **options) as run:
        keys = [_long_enough(agent, games, run).key for agent in AGENTS]
    rows = [
        {name: getattr(result, name) for name in ("key", "question", "answer", "created")}
        for key in keys
        if (result := result_by_key(key))
    ]
    return {"version": VERSION, "made_by": f"{COMMAND} --games {games}", "matches": rows}


def _long_enough(agent: str, games: int, run: TaskRunner) -> MatchPlan:
    """The match that has been played to so many rounds."""
    for n in range(games, MOST_GAMES + 1, MORE_GAMES):
        known = result_by_key((plan := MatchPlan(agent, OPPONENT, n, SEED)).key)
        if known and known.answer["rounds"] >= MIN_ROUNDS:
            return plan
    plan = MatchPlan(agent, OPPONENT, games, SEED)
    say(f"{plan.ns} against {plan.ew}, {MIN_ROUNDS:,} rounds or more")
    played = complete_rounds(plan, MIN_ROUNDS, MORE_GAMES, run)
    assert played is not None
    return MatchPlan.of(played)


if __name__ == "__main__":
    make_table(
        __doc__,
        TABLE,
        lambda options: play(options.games, workers=options.workers),
        number("--games", N_GAMES, "of each match, even"),
        add_workers,
    )
