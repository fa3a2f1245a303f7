"""Analyses in one call, as ``import spades`` offers them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from analysis.decisions.decision import PlayDecision, analyse_decision, analyse_observation
from analysis.decisions.settings import DEFAULT_MODEL, settings_of_agent
from analysis.matches.match import MatchPlan, match_result
from analysis.matches.result import MatchResult
from spades.agents import play_pairs
from spades.agents.admission import admit, admit_models
from spades.core.errors import SpadesError
from spades.core.observation import Observation
from spades.core.records import Record
from spades.core.rules import Rules
from spades.programs import close_programs


def analyse(
    source: Record | Observation,
    ply: int | None = None,
    *,
    agent: str = "ismcts",
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
    admit(agent)
    admit_models(*models)
    settings = replace(settings_of_agent(agent), models=tuple(models), seed=seed)
    if isinstance(source, Observation):
        if ply is not None:
            raise SpadesError(f"ply is {ply}; an observation is of one ply, so none is given")
        return analyse_observation(source, settings)
    n_plays = len(source.plays)
    if ply is None or not 0 <= ply <= n_plays:
        raise SpadesError(f"ply is {ply}; 0 to {n_plays}, the cards played before, are legal")
    return analyse_decision(source, ply, settings)


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
    games, and ``ProgramError`` where code of your own can't be had or does what isn't legal."""
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
