"""A decision in words: the verdict, and a report in Markdown to paste into a bug tracker.

The verdict is the judge's conclusion, and what it says of the cards that humans most often play and
that was played. It says nothing of the search under study, whose visits and choice are in the
table. Values are for the mover's side.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from analysis.decisions.claims import n_possible, tricks_left
from analysis.decisions.classes import by_class, needs_text
from analysis.decisions.conclusion import (
    AS_GOOD,
    CLEAR,
    DIFFER,
    OPEN,
    TOSS_UP,
    ClassValue,
    Conclusion,
)
from analysis.decisions.decision import (
    CARD_COLUMNS,
    CardRow,
    PlayDecision,
    human_columns,
    pretty,
    pretty_class,
)
from analysis.decisions.judge import PLAYER
from analysis.decisions.lenses import Scene, above, find_all
from analysis.decisions.reasons import card_name, reason
from analysis.decisions.settings import AnalysisSettings, search_key
from analysis.markdown import fenced, markdown_table, plain_link
from analysis.records import Column, text_rows
from spades.core.behaviour import source_hash
from spades.core.cards import (
    N_SEATS,
    SEAT_NAMES,
    SEATS,
    SPADES,
    cards_in,
    hand_order,
    seat_name,
    suit_mask,
    suit_of,
)
from spades.core.observation import Observation
from spades.core.options import format_options, options_of, values_of
from spades.core.records import Record
from spades.core.rules import NO_BID
from spades.human import model_hash
from spades.notation import format_records
from spades.search import SearchSettings

PROVEN_TRICKS = 3  # at most 1,680 deals
NOT_JUDGED = "Not judged: too few rounds were played on in the time given."
SUIT_WORD = ("spade", "heart", "diamond", "club")


def verdict(decision: PlayDecision, model: str) -> str:
    """The decision in a sentence or two, by its conclusion; ``model``: of human play."""
    if decision.is_forced:
        return f"Forced: {pretty(decision.cards[0].card)} is the only legal card."
    if decision.conclusion is None:
        return NOT_JUDGED
    sentences = [f"{concluded(decision.conclusion, decision.unit)}."]
    sentences += _compared(decision, decision.conclusion, model)
    return " ".join(sentences)


def _compared(decision: PlayDecision, conclusion: Conclusion, model: str) -> list[str]:
    """What humans play and what was played, by the conclusion."""
    seat = seat_name(decision.seat)
    played = conclusion.class_of(decision.played) if decision.played else None
    shares = [_share(decision, candidate, model) for candidate in conclusion.classes]
    most = max(shares)
    likeliest = [
        candidate
        for candidate, share in zip(conclusion.classes, shares, strict=True)
        if math.isclose(share, most, rel_tol=1e-6)
    ]
    likely = played if played and played in likeliest else likeliest[0]
    how_often = f"{most:.0%}"
    if len(likeliest) > 1:
        equals = " or ".join(
            touching(candidate) for candidate in likeliest if candidate is not likely
        )
        how_often = f"as often {equals}, {most:.0%} each"
    text = f"Humans most often play {touching(likely)} ({how_often})"
    if played is likely:
        text += f", as {seat} did"
    text += f": {_behind(decision, conclusion, likely)}"
    if likely is conclusion.best and conclusion.kind == CLEAR and conclusion.is_choice:
        why = _terms(likely, conclusion.classes[1], decision.observation)
        if why:
            text += f", {why}"
    sentences = [f"{text}."]
    if played is not None and played is not likely:
        behind = _behind(decision, conclusion, played)
        sentences.append(f"{seat} played {touching(played)}: {behind}.")
    return sentences


def concluded(conclusion: Conclusion, unit: str = "points") -> str:
    """A conclusion in words, and whose it is, without a full stop; ``unit`` of its values."""
    best = touching(conclusion.best)
    if not conclusion.is_choice:
        return f"All equal: {best} are worth the same"
    if conclusion.kind == TOSS_UP:
        *others, last = map(touching, conclusion.within)
        points = f"{conclusion.threshold:g} {unit}"
        if conclusion.threshold == 1:
            points = f"a {unit.removesuffix('s')}"
        within = f"lie within {points}"
        if conclusion.proof and conclusion.within[-1].behind == 0:
            within = "are worth the same"
            if conclusion.proof.gain:
                within += " against the best defence"
        text = f"Toss-up: {', '.join(others)} and {last} {within} ({_by_whom(conclusion)})"
        return text + _if_they_err(conclusion, unit)
    following = conclusion.classes[1]
    interval = ""
    if not conclusion.is_proven:
        low, high = following.interval
        interval = f"95%: {low:.1f} to {high:.1f}; "
    lead = f"{following.behind:.1f} {unit} over {touching(following)}"
    lead += f" ({interval}{_by_whom(conclusion)})"
    if conclusion.kind == CLEAR:
        return f"Clear: {best}, {lead}" + _if_they_err(conclusion, unit)
    if conclusion.kind == DIFFER:
        return (
            f"Judges differ: {_views_text(conclusion)}; by all together {best}, {lead}, not settled"
        )
    return f"Leans to {best}, {lead}, not settled"


def _views_text(conclusion: Conclusion) -> str:
    """Each card that a judge puts first, and by whom."""
    by_cards: dict[tuple[str, ...], list[str]] = {}
    for view in conclusion.views:
        by_cards.setdefault(view.cards, []).append(view.by)
    return ", ".join(
        f"{pretty_class(cards)} by {' and '.join(names)}" for cards, names in by_cards.items()
    )


def _if_they_err(conclusion: Conclusion, unit: str) -> str:
    """What one of several proven best classes gains where the others may err."""
    gain = conclusion.proof.gain if conclusion.proof else None
    if gain is None:
        return ""
    low, high = gain.interval
    return (
        f"; {pretty_class(gain.cards)} gains {gain.points:.1f} {unit} over "
        f"{pretty_class(gain.over)} if they err (95%: {low:.1f} to {high:.1f}; {gain.rounds:,} "
        "rounds played on)"
    )


def _by_whom(conclusion: Conclusion) -> str:
    """Who says so: the rounds played on, or the possible deals solved."""
    by_whom = _rounds_text(conclusion)
    proof = conclusion.proof
    if proof is None:
        return by_whom
    if proof.is_sure and proof.deals == 1:
        return "proven: the only possible deal solved"
    if proof.is_sure:
        return f"proven: all {proof.deals:,} possible deals solved"
    return f"{by_whom}; which is best differs between the {proof.deals:,} possible deals"


def _rounds_text(conclusion: Conclusion) -> str:
    """What a conclusion rests on."""
    if conclusion.rounds:
        return f"{conclusion.rounds:,} rounds played on"
    return "searches alone: without bids no round can be played on"


def touching(candidate: ClassValue) -> str:
    """Equivalent cards as one: ``K♠=Q♠``."""
    return pretty_class(candidate.cards)


def _share(decision: PlayDecision, candidate: ClassValue, model: str) -> float:
    """How likely a human plays one of equivalent cards."""
    return sum(row.human[model] for row in decision.cards if row.card in candidate.cards)


def _behind(decision: PlayDecision, conclusion: Conclusion, other: ClassValue) -> str:
    """How much less than the best a class is worth, and what that is in Spades terms."""
    best = conclusion.best
    if other is best:
        return "the best" if conclusion.kind == CLEAR else "the first of them"
    if other.standing == AS_GOOD:
        return f"as good ({0.0 - round(other.behind, 1):+.1f} {decision.unit})"
    text = f"{other.behind:.1f} {decision.unit} less"
    if not conclusion.is_proven:
        low, high = other.interval
        text += f" (95%: {low:.1f} to {high:.1f})"
    if other.standing == OPEN:
        return f"{text}, not settled"
    best_row = decision.row(best.cards[0])
    row = decision.row(other.cards[0])
    if best_row is None or row is None:
        return text
    seen = decision.observation
    why = _terms(other, best, seen)
    lens = _lens(seen, [(row, best_row), (best_row, row)])
    if not why and not lens:
        return text + _what_each_does(decision, best_row, row)
    if why:
        text += f": {why}"
    if lens:
        text += f"; {lens}"
    return text


def _terms(candidate: ClassValue, other: ClassValue, seen: Observation) -> str:
    """What a class leads to beside another: the largest terms of the difference."""
    return reason(candidate.outcomes, other.outcomes, seen, touching(other))


def _what_each_does(decision: PlayDecision, best: CardRow, other: CardRow) -> str:
    """What the best card and another do to the trick."""
    seen = decision.observation
    best_does = what_it_does(seen, best.code)
    other_does = what_it_does(seen, other.code)
    if best_does == other_does:
        return f"; {pretty(best.card)} {best_does}{_beside(seen, best, other)}"
    return f"; {pretty(best.card)} {best_does}, {pretty(other.card)} {other_does}"


def _lens(seen: Observation, pairs: Sequence[tuple[CardRow, CardRow]]) -> str:
    """What the lenses find first of a card beside its alternative, in the order of the pairs."""
    for card, alternative in pairs:
        sentences = find_all(seen, card.code, alternative.code)
        if sentences:
            return next(iter(sentences.values()))
    return ""


def _beside(seen: Observation, best: CardRow, other: CardRow) -> str:
    """What tells the best card apart from another that does the same to the trick."""
    if suit_of(best.code) != suit_of(other.code):
        best_thrown = _thrown(seen, best.code)
        other_thrown = _thrown(seen, other.code)
        return f" {best_thrown}, {pretty(other.card)} {other_thrown}"
    high, low = (best, other) if best.code > other.code else (other, best)
    like = f" as {pretty(other.card)} does"
    word = SUIT_WORD[suit_of(best.code)]
    if not Scene(seen).parts(high.code, low.code):
        return f"{like}, and no unseen {word} lies between the two"
    over_high = n_above(seen, high.code)
    over_low = n_above(seen, low.code)
    if over_high:
        how = "higher" if best is high else "lower"
        plural = word if over_high == 1 else f"{word}s"
        text = f"but {how}: {over_high} unseen {plural} {_beat(over_high)} {pretty(high.card)}"
    else:
        deed = "spends" if best is high else "keeps"
        text = f"but {deed} the boss: no unseen {word} beats {pretty(high.card)}"
    return f"{like}, {text}, {over_low} {_beat(over_low)} {pretty(low.card)}"


def _thrown(seen: Observation, card: int) -> str:
    """A discard in a player's words: the boss of its suit, the last of it in hand, or how high."""
    word = SUIT_WORD[suit_of(card)]
    n_higher = n_above(seen, card)
    text = f"the boss of {word}s"
    if n_higher:
        noun = "one" if n_higher == 1 else "ones"
        text = f"a {word} that {n_higher} unseen {noun} {_beat(n_higher)}"
    is_last = not seen.hand & suit_mask(suit_of(card)) & ~(1 << card)
    return f"{text} (the last in hand)" if is_last else text


def n_above(seen: Observation, card: int) -> int:
    """How many unseen cards of its suit beat a card; none beats a boss."""
    return (above(card) & seen.unseen_mask).bit_count()


def _beat(n: int) -> str:
    return "beats" if n == 1 else "beat"


def what_it_does(seen: Observation, card: int) -> str:
    """What a card does to the trick, in a player's words: ``ducks``, ``trumps``, ``discards``."""
    scene = Scene(seen)
    suit = suit_of(card)
    if scene.is_lead:
        return f"leads {SUIT_WORD[suit]}s"
    if scene.beats(card):
        if suit == SPADES != scene.led_suit:
            return "trumps"
        return "takes the trick" if scene.takes(card) else "goes ahead in the trick"
    return "ducks" if suit == scene.led_suit else "discards"


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
        verdict(decision, settings.models[0]),
        f"{seat} ({kind}{played}). Divergence of visit shares and human probabilities: "
        f"{shown.divergence:.3f} bits (Jensen–Shannon, 0 to 1).",
        _situation(shown.observation),
        markdown_table(text_rows(shown.cards, _card_columns(settings.models), "–")),
        _what_visits_are(decision),
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
    from analysis.decisions.candidates import solve_deals  # loads SciPy

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
        return f"{text}one search, with the seed below."
    searches = f"{decision.n_searches:,} searches of {decision.iterations:,} iterations"
    return f"{text}the mean of {searches}."


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
        f"{text}estimated from {_rounds_text(conclusion)}, by four of `{PLAYER}`, and what "
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
