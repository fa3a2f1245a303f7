"""Every agent by name against SRP: ``python -m experiments.play_league``.

Writes ``data/league/against-srp.json``, the matches that the league opens with, in some 45
minutes of one core. Each agent meets ``srp`` on the same deals, every deal from both sides, in
games to 500, ``--games`` of them or as many as 1,000 rounds take; bidders meet ``srp`` with the
simulated human's bids. Stopped at any moment, the command goes on where it was.
"""

from dataclasses import replace
from typing import Unpack

from analysis.matches.match import MatchPlan, complete_match
from analysis.matches.result import MatchResult
from analysis.matches.shipped_league import COMMAND, TABLE, result_by_key
from analysis.runs.command import add_workers, say
from analysis.runs.tasks import RunOptions, TaskRunner
from experiments.command import make_table, number
from spades.core.documents import Document

OPPONENT = "srp"
N_GAMES = 100
SEED = 20261121
VERSION = 1
MIN_ROUNDS = 1000
MORE_GAMES = 10
MOST_GAMES = 200
MODELS = ("t-200-100", "t-200-150-100", "h-160-96-128-96,sample=on")
SEARCH_OPTIONS = (
    "playout=nil-aware",
    "playout=heuristic",
    "playout=human",
    "determinization=biased",
    "determinization=mixed",
    "determinization=posterior",
    "determinization=network,players=human",
    "skew=on",
    "bias=knowledge,model=devlin2016,c_bt=0.03,k=1000",
    "bias=knowledge,model=devlin2016,c_bt=0.03,k=1000,delay=root",
    "bias=experience,model=t-200-150-100,w=10",
    "bias=pikl,model=devlin2016",
    "objective=game",
    "duck=on",
)
AGENTS = (
    *("random", "human", "wrp", "thumb", "corpus", "best"),
    *(f"direct:model={model}" for model in MODELS),
    *(f"ismcts:iterations={n}" for n in (100, 1000, 2500)),
    *(f"ismcts:iterations=2500,{options}" for options in SEARCH_OPTIONS),
    *("flat-mc", "pimc:deals=20,depth=6"),
    *(f"stars:level={level}" for level in range(1, 6)),
    *("flat-ucb", "flat-ucb:seed=heuristic", "flat-ucb:seed=corpus", "uct", "uct:last=5"),
    *(f"srp+{bidder}" for bidder in ("bis", "rb", "ms", "io", "kb", "noisy")),
)


def play(games: int, **options: Unpack[RunOptions]) -> Document:
    """The document of all matches; what is stored, or shipped, isn't played again."""
    with TaskRunner(0, "games", **options) as run:
        plans = [_long_enough(agent, games, run) for agent in AGENTS]
    rows = []
    for plan in plans:
        result = result_by_key(plan.key)
        if result:
            rows.append(
                {
                    "key": result.key,
                    "question": result.question,
                    "answer": result.answer,
                    "created": result.created,
                }
            )
    return {"version": VERSION, "made_by": f"{COMMAND} --games {games}", "matches": rows}


def _long_enough(agent: str, games: int, run: TaskRunner) -> MatchPlan:
    """The match that has been played to so many rounds."""
    for n_games in range(games, MOST_GAMES + 1, MORE_GAMES):
        plan = MatchPlan(agent, OPPONENT, n_games, SEED)
        known = result_by_key(plan.key)
        if known and known.answer["rounds"] >= MIN_ROUNDS:
            return plan
    plan = MatchPlan(agent, OPPONENT, games, SEED)
    say(f"{plan.ns} against {plan.ew}, {MIN_ROUNDS:,} rounds or more")
    played = complete_rounds(plan, MIN_ROUNDS, MORE_GAMES, run)
    assert played is not None
    return MatchPlan.of(played)


def complete_rounds(
    plan: MatchPlan, rounds: int, step: int, runner: TaskRunner
) -> MatchResult | None:
    """The result of a match of at least so many rounds: as ``complete_match``, and then longer by
    ``step`` games at a time."""
    while True:
        result = complete_match(plan, runner)
        if result is None or result.rounds >= rounds:
            return result
        plan = replace(plan, games=plan.games + step)


if __name__ == "__main__":
    make_table(
        __doc__,
        TABLE,
        lambda options: play(options.games, workers=options.workers),
        number("--games", N_GAMES, "of each match, even"),
        add_workers,
    )
