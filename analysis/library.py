"""Analyses in one call, as ``import spades`` offers them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from analysis.decisions.classes import with_findings
from analysis.decisions.decision import PlayDecision, analyse_decision, analyse_observation
from analysis.decisions.settings import (
    DEFAULT_MODEL,
    STUDIED_AGENT,
    AnalysisSettings,
    settings_of_agent,
)
from analysis.matches.match import MatchPlan, match_result
from analysis.matches.result import MatchResult
from spades.agents import play_pairs
from spades.agents.admission import admit, admit_models
from spades.core.errors import SpadesError
from spades.core.extras import explain_missing
from spades.core.observation import Observation
from spades.core.records import Record
from spades.core.rules import Rules
from spades.programs import close_programs

if TYPE_CHECKING:  # it needs an extra
    from analysis.notebook import RoundTable


def analyse(
    source: Record | Observation,
    ply: int | None = None,
    *,
    agent: str = STUDIED_AGENT,
    models: Sequence[str] = (DEFAULT_MODEL,),
    seed: int = 0,
) -> PlayDecision:
    """Search a decision and put beside it how likely humans play each card.

    ``source``: a round, of which the decision is the one with ``ply`` cards played, or an
    observation of the seat to play. ``agent``: whose search it is, as a text such as
    ``ismcts:iterations=10000``. ``models``: human models, by name or file, and priors of your own
    (``register_prior``, or ``py:module.function``).

    >>> import spades
    >>> (record,) = spades.read("bug-report-335")
    >>> decision = spades.analyse(record, 24, seed=1)
    >>> print(decision.played, decision.search_choice.card)
    H4 ST
    >>> for row in (decision.row("H4"), decision.row("ST")):
    ...     print(row.card, row.visits, f"{row.human['devlin2016']:.0%}")
    H4 276 44%
    ST 487 1%

    Raises ``SpadesError`` for a round without a ply or with one past its end, for an agent that
    gives cards no values, and where there is nothing to search."""
    settings = _settings(agent, models, seed)
    if isinstance(source, Observation):
        if ply is not None:
            raise SpadesError(f"ply is {ply}; an observation is of one ply, so none is given")
        return analyse_observation(source, settings)
    n_plays = len(source.plays)
    if ply is None or not 0 <= ply <= n_plays:
        raise SpadesError(f"ply is {ply}; 0 to {n_plays}, the cards played before, are legal")
    return analyse_decision(source, ply, settings)


def _settings(agent: str, models: Sequence[str], seed: int) -> AnalysisSettings:
    """The settings of what the caller has named, code of their own loaded."""
    admit(agent)
    admit_models(*models)
    return replace(settings_of_agent(agent), models=tuple(models), seed=seed)


def judge(
    record: Record,
    ply: int,
    *,
    agent: str = STUDIED_AGENT,
    models: Sequence[str] = (DEFAULT_MODEL,),
    seed: int = 0,
    seconds: float = 4.0,
    rounds: int | None = None,
) -> PlayDecision:
    """Analyse a decision and judge it: what each card gives away, and what it leads to.

    Strong agents, each shown its own hand alone, play the round on from every card, in deals as the
    bids and plays make them likely, until one card is clearly best or several are a toss-up, or
    until ``seconds`` of one core are spent or ``rounds`` played. With few rounds and ample seconds
    the result is the same on every machine. ``agent``, ``models``: as in ``analyse``; the search
    shown doesn't judge. Stores nothing.

    >>> import spades
    >>> (record,) = spades.read("bug-report-335")
    >>> decision = spades.judge(record, 44, seed=1)
    >>> for row in decision.cards:
    ...     print(row.card, row.visits, f"{row.loss.points:.1f} points given away")
    S2 455 15.1 points given away
    SK 2045 0.0 points given away

    Raises as ``analyse``. The conclusion is None where there was too little time."""
    from analysis.decisions.evidence import decide  # loads SciPy
    from analysis.decisions.judge import judge_settings

    decision = analyse(record, ply, agent=agent, models=models, seed=seed)
    if decision.is_forced:
        return decision
    settings = replace(settings_of_agent(agent), seed=seed)
    limits: dict[str, Any] = {"budget": seconds, "most_rounds": rounds, "keep": False}
    return with_findings(decision, decide(record, ply, judge_settings(settings), **limits))


def show(
    source: Record | Observation,
    ply: int | None = None,
    *,
    agent: str = STUDIED_AGENT,
    models: Sequence[str] = (DEFAULT_MODEL,),
    seed: int = 0,
    seconds: float = 4.0,
) -> "RoundTable":
    """A round on the table in a notebook, with every decision's cards: Replay's own view.

    Buttons step through it, and once it was clicked the arrow keys (``?`` lists all). Where one
    rests, the decision is judged in ``seconds`` of one core, 0 for never. ``source``: a round, from
    ``ply`` on, all hands open; or an observation, of which only what its seat sees is shown.
    ``agent``, ``models``: as in ``analyse``.

    >>> import spades
    >>> (record,) = spades.read("bug-report-335")
    >>> table = spades.show(record, 24, seconds=0)
    >>> table.ply
    24

    Raises ``MissingExtraError`` without the extra ``notebook``, and ``SpadesError`` for a ply that
    the round doesn't have."""
    try:
        from analysis.notebook import observation_table, record_table
    except ModuleNotFoundError as error:
        raise explain_missing(error) from None

    settings = _settings(agent, models, seed)
    if isinstance(source, Observation):
        if ply is not None:
            raise SpadesError(f"ply is {ply}; an observation is of one ply, so none is given")
        return observation_table(source, settings)
    return record_table(source, ply, settings, seconds)


def play_match(
    first: str,
    second: str,
    *,
    games: int = 100,
    seed: int = 0,
    rules: Rules | Mapping[str, Any] | None = None,
) -> MatchResult:
    """Play two agents against each other, every deal twice with the sides exchanged.

    Both are texts; a bot of your own is one by the name of ``register_player``, or as
    ``py:module.Name``. ``games``: an even number. ``rules``: those of the game, or the options that
    aren't default, as ``{"target": 200}``. Plays in this process and stores nothing; the command
    ``spades match`` spreads over processes, goes on where it was stopped and keeps its result.

    >>> import spades
    >>> print(spades.play_match("srp+bis", "random+random", games=10, seed=1))
    srp+bis against random+random: 10 games
    srp+bis won 10 of 10, 100.0% (95%: 69.2% to 100.0%)
    points a round, srp+bis less random+random: +102.7 (95%: +91.2 to +114.2)

    Raises ``UnknownAgentError`` for a text that names no agent, ``MatchError`` for an odd number of
    games, and ``ProgramError`` where code of your own can't be had; what it does that isn't legal
    loses it the game, as ``faults`` of the result say."""
    admit(first, second)
    if not isinstance(rules, Rules):
        rules = Rules.from_options(rules or {})
    options = rules.non_defaults()
    plan = MatchPlan(
        first,
        second,
        games,
        seed,
        target=rules.target,
        floor=rules.losing_floor,
        rules={name: options[name] for name in options if name not in ("target", "losing_floor")},
    )
    try:
        pairs = play_pairs(plan.duel, seed, 0, games // 2)
    finally:
        close_programs()
    return match_result(plan, pairs)
