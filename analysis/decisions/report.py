"""A decision in words: the verdict, and a report in Markdown to paste into a bug tracker.

The verdict is the judge's conclusion, then what humans most often play and what was played, by the
same conclusion. It says nothing of the search under study, whose visits and choice stand in the
table. Values are for the mover's side.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spades.search.bias import PIKL

from analysis.decisions.claims import best_sentence, claim_sentence, n_possible, tricks_left
from analysis.decisions.classes import by_class, judged_best, needs_text
from analysis.decisions.conclusion import CLEAR, LEANS, TOSS_UP, ClassValue, Conclusion
from analysis.decisions.decision import AnalysisSettings, CardRow, Decision, pretty, search_key
from analysis.decisions.judge import JUDGE
from analysis.decisions.lenses import Scene, above, find_all
from analysis.decisions.reasons import card_name, reason
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
from spades.core.options import options_of
from spades.core.records import RoundRecord
from spades.core.rules import NO_BID
from spades.human import model_hash
from spades.notation import format_records
from spades.search import SearchSettings
from spades.search.search import GAME

if TYPE_CHECKING:
    from analysis.decisions.evidence import Repeats

PROVEN_TRICKS = 3  # at most 1,680 deals
NOT_JUDGED = f"Not judged: too few searches by {JUDGE} in the time given."
SUIT_WORD = ("spade", "heart", "diamond", "club")


def verdict(decision: Decision, model: str, conclusion: Conclusion | None) -> str:
    """The decision in a sentence or two, by the judge's conclusion."""
    if decision.is_forced:
        return f"Forced: {pretty(decision.cards[0].card)} is the only legal card."
    if conclusion is None:
        return NOT_JUDGED
    return _judged(decision, model, conclusion)


def _judged(decision: Decision, model: str, conclusion: Conclusion) -> str:
    """The conclusion, then what humans play and what was played, by the same conclusion."""
    text, seat = f"{concluded(conclusion, decision.unit)}.", seat_name(decision.seat)
    played = conclusion.class_of(decision.played) if decision.played else None
    shares = [_share(decision, one, model) for one in conclusion.classes]
    likeliest = [
        one
        for one, share in zip(conclusion.classes, shares, strict=True)
        if math.isclose(share, max(shares), rel_tol=1e-6)
    ]
    likely = played if played and played in likeliest else likeliest[0]
    equals = " or ".join(touching(one) for one in likeliest if one is not likely)
    share = f"{max(shares):.0%}"
    as_often = f"as often {equals}, {share} each" if equals else share
    text += f" Humans most often play {touching(likely)} ({as_often})"
    if played is likely:
        text += f", as {seat} did"
    text += f": {_behind(decision, conclusion, likely)}"
    if likely is conclusion.best and conclusion.kind == CLEAR and conclusion.classes[1:]:
        why = _terms(likely, conclusion.classes[1], decision.observation)
        text += f", {why}" * bool(why)
    text += "."
    if played is None or played is likely:
        return text
    return f"{text} {seat} played {touching(played)}: {_behind(decision, conclusion, played)}."


def concluded(found: Conclusion, unit: str = "points") -> str:
    """A conclusion in words, and whose it is, without a full stop; ``unit`` of its values."""
    best = touching(found.best)
    if len(found.classes) == 1:
        return f"All equal: {best} are worth the same"
    if found.kind == TOSS_UP:
        *others, last = map(touching, found.within)
        points = f"a {unit[:-1]}" if found.threshold == 1 else f"{found.threshold:g} {unit}"
        within = f"lie within {points}"
        if found.proof and found.within[-1].behind == 0:
            within = "are worth the same"
        return f"Toss-up: {', '.join(others)} and {last} {within} ({_by_whom(found)})"
    following = found.classes[1]
    low, high = following.interval
    interval = "" if found.proof else f"95%: {low:.1f} to {high:.1f}; "
    lead = f"{following.behind:.1f} {unit} over {touching(following)}"
    lead += f" ({interval}{_by_whom(found)})"
    if found.kind == CLEAR:
        return f"Clear: {best}, {lead}"
    return f"Leans to {best}, {lead}, not settled"


def _by_whom(found: Conclusion) -> str:
    """Who says so: the judge and its searches, or the possible deals that were solved."""
    n = found.searches
    searches = f"{JUDGE}, {n:,} searches"
    if found.iterations:
        searches += f" of {found.iterations:,} iterations"
    if (proof := found.proof) is None:
        return searches
    if proof.is_sure:
        deals = (
            "the only possible deal" if proof.deals == 1 else f"all {proof.deals:,} possible deals"
        )
        return f"proven: {deals} solved"
    deals = f"mean of all {proof.deals:,} possible deals, solved; best in {proof.best_in:,}"
    if found.kind != LEANS:
        return f"{deals}; {searches} agree"
    if proof.rival:
        return f"{deals}; {searches} prefer {'='.join(map(pretty, proof.rival))}"
    return f"{deals}; {searches} don't settle it"


def touching(found: ClassValue) -> str:
    """Equivalent cards as one: ``K♠=Q♠``."""
    return "=".join(map(pretty, found.cards))


def _share(decision: Decision, found: ClassValue, model: str) -> float:
    """How likely a human plays one of equivalent cards."""
    return sum(row.human[model] for row in decision.cards if row.card in found.cards)


def _behind(decision: Decision, conclusion: Conclusion, other: ClassValue) -> str:
    """How much less than the best a class is worth, and what that is in Spades terms."""
    best, seen = conclusion.best, decision.observation
    if other is best:
        return "the best" if conclusion.kind == CLEAR else "the first of them"
    low, high = other.interval
    if high <= conclusion.threshold:
        return f"as good ({0.0 - round(other.behind, 1):+.1f} {decision.unit})"
    text = f"{other.behind:.1f} {decision.unit} less"
    if conclusion.proof is None:
        text += f" (95%: {low:.1f} to {high:.1f})"
    if low <= conclusion.threshold:
        return f"{text}, not settled"
    first, row = decision.row(best.cards[0]), decision.row(other.cards[0])
    if first is None or row is None:
        return text
    why, lens = _terms(other, best, seen), _lens(seen, [(row, first), (first, row)])
    if not why and not lens:
        return text + _in_spades(decision, first, row)
    return text + f": {why}" * bool(why) + f"; {lens}" * bool(lens)


def _terms(one: ClassValue, other: ClassValue, seen: Observation) -> str:
    """What a class leads to beside another: the largest terms of the difference."""
    return reason(one.outcomes, other.outcomes, seen, touching(other))


def _in_spades(decision: Decision, best: CardRow, other: CardRow) -> str:
    """What the lenses find first, of the worse card before the best; else what each does."""
    seen = decision.observation
    if lens := _lens(seen, [(other, best), (best, other)]):
        return f"; {lens}"
    mine, theirs = (what_it_does(seen, row.code) for row in (best, other))
    if mine == theirs:
        return f"; {pretty(best.card)} {mine}{_beside(seen, best, other)}"
    return f"; {pretty(best.card)} {mine}, {pretty(other.card)} {theirs}"


def _lens(seen: Observation, pairs: Sequence[tuple[CardRow, CardRow]]) -> str:
    """What the lenses find first of a card beside its alternative, in the order of the pairs."""
    for card, alternative in pairs:
        if found := find_all(seen, card.code, alternative.code):
            return next(iter(found.values()))
    return ""


def _beside(seen: Observation, best: CardRow, other: CardRow) -> str:
    """What tells a card apart from one that does the same to the trick."""
    if suit_of(best.code) != suit_of(other.code):
        mine, theirs = (_thrown(seen, row.code) for row in (best, other))
        return f" {mine}, {pretty(other.card)} {theirs}"
    high, low = (best, other) if best.code > other.code else (other, best)
    like = f" as {pretty(other.card)} does"
    word = SUIT_WORD[suit_of(best.code)]
    if not Scene(seen).parts(high.code, low.code):
        return f"{like}, and no unseen {word} lies between the two"
    over_high, over_low = (n_above(seen, row.code) for row in (high, low))
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
    word, over = SUIT_WORD[suit_of(card)], n_above(seen, card)
    ones = "one" if over == 1 else "ones"
    text = f"a {word} that {over} unseen {ones} {_beat(over)}" if over else f"the boss of {word}s"
    is_last = not seen.hand_mask & suit_mask(suit_of(card)) & ~(1 << card)
    return f"{text} (the last in hand)" if is_last else text


def n_above(seen: Observation, card: int) -> int:
    """How many unseen cards of its suit beat a card; none beats a boss."""
    return (above(card) & seen.unseen_mask).bit_count()


def _beat(n: int) -> str:
    return "beats" if n == 1 else "beat"


def what_it_does(seen: Observation, card: int) -> str:
    """What a card does to the trick, in a player's words: ``ducks``, ``trumps``, ``discards``."""
    scene, suit = Scene(seen), suit_of(card)
    if scene.is_lead:
        return f"leads {SUIT_WORD[suit]}s"
    if scene.beats(card):
        if suit == SPADES != scene.led_suit:
            return "trumps"
        return "takes the trick" if scene.takes(card) else "goes ahead in the trick"
    return "ducks" if suit == scene.led_suit else "discards"


def report_markdown(
    record: RoundRecord,
    decision: Decision,
    settings: AnalysisSettings,
    link: str,
    conclusion: Conclusion | None = None,
    repeats: "Repeats | None" = None,
) -> str:
    """All that somebody else needs to see the same numbers; ``link`` opens the decision on Replay.
    ``conclusion``: the judge's; ``repeats``: all searches by the settings' agent.
    Text from records (names, sources) comes in the fenced record alone, where no mark has a
    meaning; the fence is longer than any run of its own in there."""
    seat = seat_name(decision.seat)
    kind = record.kinds[decision.seat].replace("-", " ")
    played = f", played {pretty(decision.played)}" if decision.played else ""
    head = ("card", *(f"human, {name}" for name in settings.models), "visits", "share")
    shown = by_class(decision, conclusion, repeats)
    best = judged_best(conclusion)
    rows = [(*head, "value", "s.e.", "abstract move", "")]
    rows += [_card_row(row, shown, settings, best) for row in shown.cards]
    blocks = [
        f"## Spades: {seat} to play, trick {decision.trick + 1}, ply {decision.ply}",
        verdict(decision, settings.models[0], conclusion),
        f"{seat} ({kind}{played}). Divergence of visit shares and human probabilities: "
        f"{shown.divergence:.3f} bits (Jensen–Shannon, 0 to 1).",
        _situation(shown.observation),
        markdown_table(rows),
        _what_visits_are(repeats, decision),
        _what_values_are(conclusion, decision),
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


def _proven(record: RoundRecord, decision: Decision, settings: AnalysisSettings) -> list[str]:
    """What holds in all possible deals of the last ``PROVEN_TRICKS`` tricks."""
    seen = decision.observation
    if tricks_left(seen) > PROVEN_TRICKS or not n_possible(seen, settings.dealing):
        return []
    from analysis.decisions.candidates import compute_regrets  # loads SciPy

    found = compute_regrets(record, decision.ply, settings, 0)
    names = {row.card: pretty(row.card) for row in found.rows}
    text = [best_sentence(found.rows, names, is_every=True)]
    text += [claim_sentence(found.claim, seen, pretty)] if found.claim else []
    return [f"{' '.join(text)} Each deal is solved with all four hands open."]


def _situation(seen: Observation) -> str:
    """The seat's hand, the tricks so far and what is needed."""
    table = seen.table
    hand = sorted(cards_in(seen.hand_mask), key=hand_order)
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


def _what_visits_are(repeats: "Repeats | None", decision: Decision) -> str:
    text = "Equivalent cards are one. Visits and shares are those of "
    if repeats is None:
        return f"{text}one search, with the seed below."
    iterations = decision.search.iterations
    return f"{text}the mean of {repeats.n:,} searches of {iterations:,} iterations."


def _what_values_are(conclusion: Conclusion | None, decision: Decision) -> str:
    if conclusion is None or decision.is_forced:
        return ""
    text = "Values are points for the mover's side (own minus theirs, bags at their cost), "
    if (chance := decision.win_chance()) is not None:
        text = "Values are match points for the mover's side: the change of its chance to win the "
        text += f"game, {chance:.1%} before the round, spread as widely as the round's points, "
    if proof := conclusion.proof:
        return (
            f"{text}exact means over all {proof.deals:,} possible deals, each solved with all "
            "four hands open."
        )
    n = f"{conclusion.searches:,} independent searches"
    iterations = conclusion.iterations
    return (
        f"{text}means of {n} by {JUDGE}, of {iterations:,} iterations; standard errors between "
        "searches."
    )


def _leads_to(decision: Decision) -> list[str]:
    """What each class leads to, where the judge has an estimate."""
    rows: list[Sequence[str]] = [
        ("card", "own contract", "theirs set", "nils kept", "bags, own : theirs")
    ]
    for row in decision.cards:
        if found := row.outcomes:
            nils = [f"{seat_name(seat)} {p:.0%}" for seat, p in found.nils.items()]
            bags = f"{found.own_bags:.1f} : {found.their_bags:.1f}"
            contracts = [_percent(found.own_contract), _percent(found.their_set)]
            rows.append((row.label, *contracts, ", ".join(nils) or "–", bags))
    if len(rows) == 1:
        return []
    text = f"What each card leads to: estimates of {JUDGE}'s playouts, not calibrated."
    return [markdown_table(rows), text]


def _percent(p: float) -> str:
    return "–" if math.isnan(p) else f"{p:.0%}"


def _command(decision: Decision, settings: AnalysisSettings) -> str:
    text = f"python -m spades analyze hand.ptn --ply {decision.ply} --seed {settings.seed} --judge"
    text += f' --agent "{agent_text(settings)}"'
    return f"{text} --model {' '.join(settings.models)}"


def agent_text(settings: AnalysisSettings) -> str:
    """The agent whose search the settings' first one is."""
    from spades.agents import parse_agent  # all players: a first look does without

    if settings.agent:
        return settings.agent
    options: dict[str, object] = {"iterations": settings.iterations}
    bias = settings.search.bias
    parts: list[Any] = [settings.search, settings.dealing]
    if bias:
        parts.append(bias)
    for part in parts:
        for name, option in options_of(type(part)).items():
            value = getattr(part, option.field)
            if name not in ("bias", "technique") and value != option.default:
                options[name] = option.format(value)
    if bias:
        options["bias"] = bias.technique
    text = ",".join(f"{name}={value}" for name, value in options.items())
    return str(parse_agent(f"ismcts:{text}"))


def _card_row(
    row: CardRow, decision: Decision, settings: AnalysisSettings, best: Sequence[str]
) -> tuple[str, ...]:
    marks = [
        ("search", row.card == decision.search_choice.card),
        (JUDGE, row.card in best),
        ("played", row.card == decision.played),
    ]
    return (
        row.label,
        *(f"{row.human[name]:.1%}" for name in settings.models),
        f"{row.visits:,}",
        f"{row.share:.1%}",
        "–" if math.isnan(row.value) else f"{row.value:+.1f}",
        "–" if math.isnan(row.value_se) else f"{row.value_se:.1f}",
        row.abstract_move,
        ", ".join(mark for mark, is_so in marks if is_so),
    )


def _settings_rows(
    record: RoundRecord, decision: Decision, settings: AnalysisSettings
) -> list[tuple[str, str]]:
    models = [f"{name} ({model_hash(name)})" for name in settings.models_asked]
    others = [("search beside it", agent_text(one)) for one in settings.others]
    return [
        ("judge", JUDGE),
        ("search", settings.agent or _search_text(settings.search)),
        *[("hidden cards drawn", settings.dealing.text())] * (not settings.agent),
        ("iterations", f"{decision.search.iterations:,}"),
        ("seed", str(settings.seed)),
        ("human models", ", ".join(models)),
        *others,
        ("code", source_hash()),
        ("key", search_key(record, settings, ply=decision.ply)),
    ]


def _search_text(search: SearchSettings) -> str:
    text = f"ISMCTS, exploration {search.exploration:g}, playout {search.playout}"
    text += f", reward scale {search.reward_scale:g}"
    if search.epsilon != SearchSettings.epsilon:
        text += f", epsilon {search.epsilon:g}"
    if search.objective == GAME:
        text += ", for the chance to win the game"
    names = {"equivalence": "equivalent cards once", "duck": "live nils minded"}
    text += "".join(f", {named}" for name, named in names.items() if getattr(search, name))
    if search.solved:
        text += f", last {search.solved} tricks solved"
    if search.skew:
        text += f", skew on, skew_k {search.skew_k:g}"
    if (bias := search.bias) and bias.technique == PIKL:
        text += f", piKL towards {bias.model}, lambda {bias.lambda_:g}, plays the {bias.play_}"
    elif bias:
        text += f", bias {bias.technique} towards {bias.model}, c_bt {bias.c_bt:g}, k {bias.k:g}"
        text += f", w {bias.w}, delay {bias.delay}"
    return text


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text as a table; the first is its head."""
    safe = [[text.replace("\\", "\\\\").replace("|", "\\|") for text in row] for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in safe]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def plain_link(link: str) -> str:
    """A link that ends where it ends: what could close or break it is percent-encoded."""
    unsafe = re.compile(r"[\s<>\"`|\\^{}]")
    return "<" + unsafe.sub(lambda found: f"%{ord(found[0]):02X}", link) + ">"


def fenced(text: str) -> str:
    """A text as a code block that nothing in it can end."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
