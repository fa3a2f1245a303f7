"""A decision as a report in Markdown to paste into a bug tracker. Values are the mover's side's."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from analysis.decisions.claims import n_possible, tricks_left
from analysis.decisions.classes import by_class, needs_text, star_text
from analysis.decisions.decision import CARD_COLUMNS, CardRow, PlayDecision, human_columns
from analysis.decisions.judge import PLAYER
from analysis.decisions.judgement import rounds_text, verdict
from analysis.decisions.reasons import card_name
from analysis.decisions.settings import AnalysisSettings, search_key
from analysis.markdown import fenced, markdown_table, plain_link
from analysis.records import Column, text_rows
from spades.core.behaviour import source_hash
from spades.core.cards import (
    N_SEATS,
    SEAT_NAMES,
    SEATS,
    cards_in,
    hand_order,
    seat_name,
)
from spades.core.observation import Observation
from spades.core.options import format_options, options_of, values_of
from spades.core.records import Record
from spades.core.rules import NO_BID
from spades.human import model_hash
from spades.look.words import pretty
from spades.notation import format_records
from spades.search import SearchSettings

PROVEN_TRICKS = 3  # at most 1,680 deals


def report_markdown(
    record: Record, decision: PlayDecision, settings: AnalysisSettings, link: str
) -> str:
    """All that is needed to reproduce the numbers; ``link`` opens the decision on Replay.

    Text from records (names, sources) appears in the fenced record alone, where Markdown has no
    effect; the fence is longer than any inside."""
    seat = seat_name(decision.seat)
    kind = record.kinds[decision.seat].replace("-", " ")
    played = f", played {pretty(decision.played)}" if decision.played else ""
    shown = by_class(decision)
    blocks = [
        f"## Spades: {seat} to play, trick {decision.trick + 1}, ply {decision.ply}",
        verdict(decision),
        f"{seat} ({kind}{played}). Divergence of visit shares and human probabilities: "
        f"{shown.divergence:.3f} bits (Jensen–Shannon, 0 to 1).",
        _situation(shown.observation),
        markdown_table(text_rows(shown.cards, _card_columns(settings.models), "–")),
        _what_visits_are(shown),
        _what_values_are(decision),
        *_leads_to(shown),
        *_proven(record, decision, settings),
        "### Settings",
        markdown_table([("setting", "value"), *_settings_rows(record, decision, settings)]),
        f"Link: {plain_link(link)}",
        "To repeat it, save the record below as `hand.ptn`:",
        fenced(_command(decision, settings)),
        "### Record",
        fenced(format_records([replace(record, source="")], "ptn").strip("\n")),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _card_columns(models: Sequence[str]) -> list[Column]:
    """The columns of the report's table of cards."""
    names = ("visits", "share", "judged_value", "judged_value_se", "abstract_move")
    return [
        CARD_COLUMNS["label"],
        *human_columns(models, "human, {}"),
        *(CARD_COLUMNS[name] for name in names),
        Column("marks", "", value=_marks),
    ]


def _marks(row: CardRow) -> str:
    """Who chooses the card, and whether it was played."""
    marks = []
    if row.is_search_choice:
        marks.append("search")
    if row.is_judged_best:
        marks.append("judge")
    if row.is_played:
        marks.append("played")
    return ", ".join(marks)


def _proven(record: Record, decision: PlayDecision, settings: AnalysisSettings) -> list[str]:
    """What holds in all possible deals of the last ``PROVEN_TRICKS`` tricks."""
    seen = decision.observation
    if tricks_left(seen) > PROVEN_TRICKS or not n_possible(seen, settings.dealing):
        return []
    from analysis.decisions.sampled_deals import solve_deals  # loads SciPy

    deals = solve_deals(record, decision.ply, settings, 0)
    return [f"{deals.text(pretty)} Each deal is solved with all four hands open."]


def _situation(seen: Observation) -> str:
    """The seat's hand, the tricks so far and what is needed."""
    table = seen.table
    hand = sorted(cards_in(seen.hand), key=hand_order)
    bids = table.bids if min(table.bids) != NO_BID else ["–"] * N_SEATS
    seats = [
        f"{SEAT_NAMES[seat]} bid {bid}, took {taken}"
        for seat, bid, taken in zip(SEATS, bids, table.tricks_taken, strict=True)
    ]
    trick = ", ".join(
        f"{seat_name((table.leader + i) % N_SEATS)} {card_name(seen, card)}"
        for i, card in enumerate(table.trick)
    )
    lines = [
        f"Hand: {' '.join(card_name(seen, card) for card in hand)}",
        f"Tricks so far: {'; '.join(seats)}",
        f"On the table: {trick or 'nothing'}",
        needs_text(seen),
    ]
    return "\n".join(f"- {line}" for line in lines if line)


def _what_visits_are(decision: PlayDecision) -> str:
    text = "Equivalent cards are one. Visits and shares are those of "
    if decision.repeats is None:
        text += "one search, with the seed below."
    else:
        searches = f"{decision.n_searches:,} searches of {decision.iterations:,} iterations"
        text += f"the mean of {searches}, most of which play the card marked *search*."
    return " ".join(filter(None, [text, star_text(decision)]))


def _what_values_are(decision: PlayDecision) -> str:
    conclusion = decision.conclusion
    if conclusion is None or decision.is_forced:
        return ""
    text = "Values are points for the mover's side (own minus theirs, bags at their cost), "
    if decision.win_chance is not None:
        text = "Values are match points for the mover's side: the change of its chance to win the "
        text += f"game, {decision.win_chance:.1%} before the round, spread as widely as the "
        text += "round's points, "
    if conclusion.is_proven and conclusion.proof:
        return (
            f"{text}exact means over all {conclusion.proof.deals:,} possible deals, each solved "
            "with all four hands open."
        )
    return (
        f"{text}estimated from {rounds_text(conclusion)}, by four of `{PLAYER}`, and what "
        "quicker judges say; standard errors hold the judges' own."
    )


def _leads_to(decision: PlayDecision) -> list[str]:
    """What each class leads to, where the judge has an estimate."""
    rows = [row for row in decision.cards if row.outcomes]
    if not rows:
        return []
    text = "What each card leads to: means of the rounds played on."
    return [markdown_table(text_rows(rows, OUTCOME_COLUMNS, "–")), text]


def _outcome(name: str) -> Callable[[CardRow], Any]:
    """One number of what a card leads to."""
    return lambda row: getattr(row.outcomes, name)


def _nils_text(row: CardRow) -> str | None:
    assert row.outcomes is not None
    kept = [f"{seat_name(bidder)} {p:.0%}" for bidder, p in row.outcomes.nils.items()]
    return ", ".join(kept) or None


def _bags_text(row: CardRow) -> str:
    assert row.outcomes is not None
    return f"{row.outcomes.own_bags:.1f} : {row.outcomes.their_bags:.1f}"


OUTCOME_COLUMNS = (
    CARD_COLUMNS["label"],
    Column("own_contract", "own contract", ".0%", value=_outcome("own_contract")),
    Column("their_set", "theirs set", ".0%", value=_outcome("their_set")),
    Column("nils", "nils kept", value=_nils_text),
    Column("bags", "bags, own : theirs", value=_bags_text),
)


def _command(decision: PlayDecision, settings: AnalysisSettings) -> str:
    """The command that analyses the decision again."""
    words = [
        "python -m spades analyze hand.ptn",
        f"--ply {decision.ply}",
        f"--seed {settings.seed}",
        "--judge",
        f'--agent "{agent_text(settings)}"',
        f"--model {' '.join(settings.models)}",
    ]
    return " ".join(words)


def agent_text(settings: AnalysisSettings) -> str:
    """The agent whose search the settings' first one is."""
    from spades.agents import parse_agent  # all players: a first look does without

    if settings.agent:
        return settings.agent
    options: dict[str, str] = {"iterations": str(settings.iterations)}
    for part in (settings.search, settings.dealing):
        values = values_of(part)
        for name, option in options_of(type(part)).items():
            if values[name] != option.default:
                options[name] = option.format(values[name])
    text = ",".join(f"{name}={value}" for name, value in options.items())
    return str(parse_agent(f"ismcts:{text}"))


def _settings_rows(
    record: Record, decision: PlayDecision, settings: AnalysisSettings
) -> list[tuple[str, str]]:
    models = [f"{name} ({model_hash(name)})" for name in settings.model_names]
    rows = [
        ("judge", f"four of {PLAYER} play on"),
        ("search", settings.agent or _search_text(settings.search)),
    ]
    if not settings.agent:
        rows.append(("hidden cards drawn", settings.dealing.text()))
    rows += [
        ("iterations", f"{decision.iterations:,}"),
        ("seed", str(settings.seed)),
        ("human models", ", ".join(models)),
    ]
    rows += [("search beside it", agent_text(other)) for other in settings.others]
    rows += [
        ("code", source_hash()),
        ("key", search_key(record, settings, ply=decision.ply)),
    ]
    return rows


def _search_text(search: SearchSettings) -> str:
    """A search's options in words; of options that are off nothing."""
    text = f"ISMCTS, exploration {search.exploration:g}, playout {search.playout.name}"
    text += f", reward scale {search.reward_scale:g}"
    playout_options = format_options(search.playout)
    if playout_options:
        text += f", {playout_options.replace('=', ' ')}"
    if not search.objective.is_points:
        text += ", for the chance to win the game"
    if search.equivalence:
        text += ", equivalent cards once"
    if search.duck:
        text += ", live nils minded"
    if search.solved:
        text += f", last {search.solved} tricks solved"
    if search.skew:
        text += f", skew on, skew_k {search.skew.skew_k:g}"
    bias = search.bias
    if bias is None:
        return text
    mode = f", {bias.mode_text}" if bias.mode_text else ""
    return f"{text}, {bias.label} towards {bias.model}, {bias.strength_text}{mode}"
