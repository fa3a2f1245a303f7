"""A decision as people read it: in a terminal, and as a notebook shows it."""

import math
from collections.abc import Sequence

from analysis.decisions.classes import by_class, needs_text
from analysis.decisions.conclusion import GRADES
from analysis.decisions.decision import CARD_COLUMNS, CardRow, PlayDecision, human_columns
from analysis.decisions.judgement import concluded, judgement_of
from analysis.decisions.settings import model_label
from analysis.records import Column, text_rows
from analysis.text_tables import signed, text_table
from spades.core.cards import HAND_SIZE, SEATS, seat_name
from spades.look import svg
from spades.look.html import Html, Row, bar, chip, element, figure, percent, table, together
from spades.look.tokens import LIGHT
from spades.look.words import pretty

GRADE_WORDS = {grade: grade.capitalize() for grade in GRADES}
_LOSS = Column("loss", "loss", ".1f", value=lambda row: row.loss and row.loss.points)


def decision_text(decision: PlayDecision) -> str:
    """The decision for a terminal: where it is, the conclusion if it was judged, every card."""
    lines = [heading_line(decision)]
    if decision.conclusion is not None:
        lines.append(concluded(decision.conclusion, decision.unit))
    columns = card_columns(decision)
    if decision.conclusion is not None:
        columns[2:2] = [_LOSS, CARD_COLUMNS["judged_value"], CARD_COLUMNS["judged_value_se"]]
    lines += text_table(text_rows(decision.cards, columns))
    return "\n".join(lines)


def heading_line(decision: PlayDecision) -> str:
    return (
        f"ply {decision.ply}  trick {decision.trick + 1}  {SEATS[decision.seat]} played "
        f"{decision.played}  divergence {decision.divergence:.3f} bits"
    )


def card_columns(decision: PlayDecision) -> list[Column]:
    """What is shown of a decision's cards: of bias and chance to win only where there are any."""
    share = "policy" if decision.is_weighed else "share"
    names = ["visits", share, "availability", "value", "value_se"]
    if decision.win_chance is not None:
        names.append("win_chance")
    if any(not math.isnan(row.prior) for row in decision.cards):
        names += ["prior", "bias"]
    names.append("abstract_move")
    return [
        Column("is_played", "", value=lambda row: ">" if row.is_played else ""),
        CARD_COLUMNS["card"],
        *human_columns(list(decision.cards[0].human)),
        *(CARD_COLUMNS[name] for name in names),
    ]


def decision_figure(decision: PlayDecision) -> str:
    """The decision for a notebook: its sentence, and a row for every class of equivalent cards,
    human bars to the left of the card, search bars to the right; judged, the least loss first."""
    shown = by_class(decision)
    place = (
        f"{seat_name(shown.seat)} to play, trick {shown.trick + 1} of {HAND_SIZE} (ply {shown.ply})"
    )
    return figure(
        element("p", "quiet", place),
        _sentence(shown),
        _card_table(shown),
        element("p", "quiet", _legend(shown)),
    )


def _sentence(decision: PlayDecision) -> Html:
    """The judgement; of a decision that isn't judged who plays what."""
    if decision.conclusion is None and not decision.is_forced:
        return element("section", "judgement", element("p", "reason", _choices(decision)))
    judgement = judgement_of(decision)
    grade = judgement.grade
    title = [f"{judgement.subject} ", element("span", "says", judgement.says)]
    if grade:
        title.append(element("span", "grade-word", GRADE_WORDS[grade]))
    parts = [element("h3", "", *title), element("p", "reason", judgement.reason)]
    if judgement.sure:
        sure = together(element("b", "", "How sure"), " ", judgement.sure)
        parts.append(element("p", "sure", sure))
    return element("section", f"judgement grade-{grade}" if grade else "judgement", *parts)


def _choices(decision: PlayDecision) -> str:
    """What was played, what the search plays and what humans play most often."""
    sentences = []
    if decision.played:
        sentences.append(f"{seat_name(decision.seat)} played {pretty(decision.played)}.")
    choice = decision.search_choice
    sentences.append(f"The search plays {choice.label}, {percent(choice.share)} of its visits;")
    model, *_ = choice.human
    human = decision.human_choice(model)
    sentences.append(f"humans most likely {human.label}, {percent(human.likely)}.")
    sentences.append("Not judged yet: spades.judge says what each card costs.")
    return " ".join(sentences)


def _card_table(decision: PlayDecision) -> Html:
    """The table of all cards. Human and search bars have one scale: the longest fills its cell."""
    models = list(decision.cards[0].human)
    longest = max(max(row.share, *row.human.values()) for row in decision.cards)
    most = {model: max(row.human[model] for row in decision.cards) for model in models}
    is_judged = decision.conclusion is not None
    columns = [("human", f"Human · {model_label(model)}") for model in reversed(models)]
    columns += [("card", "Card"), ("search", f"Search · {decision.iterations:,}")]
    columns += [("visits", "Visits"), ("value", "Judge’s points" if is_judged else "Points")]
    if is_judged:
        columns.insert(0, ("loss", "Loss"))
    rows = []
    for row in _in_order(decision.cards):
        cells: list[str] = []
        if is_judged:
            cells.append(_loss(row))
        for model in reversed(models):
            mark = "▲ " if math.isclose(row.human[model], most[model], rel_tol=1e-6) else ""
            cells.append(bar(mark + percent(row.human[model]), row.human[model] / longest))
        cells.append(_card(row))
        star = " ★" if row.is_search_choice else ""
        cells.append(bar(percent(row.share) + star, row.share / longest))
        cells += [f"{row.visits:,}", _value(row, is_judged=is_judged)]
        rows.append(Row(_classes(row), cells))
    return table(columns, rows, "decision", header="card")


def _in_order(cards: Sequence[CardRow]) -> list[CardRow]:
    """The least loss first, the judge's best before what is as good; unjudged as they are."""
    return sorted(
        cards, key=lambda row: (row.loss.points if row.loss else 0.0, not row.is_judged_best)
    )


def _classes(row: CardRow) -> str:
    marks = {
        "is-played": row.is_played,
        "is-choice": row.is_search_choice,
        f"grade-{row.loss.grade}" if row.loss else "": row.loss is not None,
    }
    return " ".join(name for name, is_on in marks.items() if is_on)


def _card(row: CardRow) -> Html:
    played = element("span", "played", "●" if row.is_played else "")
    others = [element("span", "", f"= {pretty(card)} ") for card in row.equals]
    equals = [element("small", "equals", *others)] if others else []
    slot = element("span", "chip-slot", chip(row.card), *equals)
    return element("span", "spine", played, slot, Html(""))


def _loss(row: CardRow) -> str:
    """Points given away: nothing by the best and what is as good; with a mark where it isn't
    settled."""
    if row.loss is None:
        return ""
    best = "✓ " if row.is_judged_best else ""
    if row.loss.points == 0:
        return f"{best}0"
    return f"{best}−{row.loss.points:.1f}{'' if row.loss.is_settled else '?'}"


def _value(row: CardRow, *, is_judged: bool) -> str:
    value = row.judged_value if is_judged else row.value
    error = row.judged_value_se if is_judged else row.value_se
    if math.isnan(value):
        return "–"
    return f"{signed(value)} ± {error:.1f}"


def _legend(decision: PlayDecision) -> str:
    """What the marks mean, what both sides need, and the search's seed."""
    marks = "● played · ▲ likeliest for humans · ★ the search’s choice"
    if decision.conclusion is not None:
        marks += " · ✓ the judge’s best, ? not settled"
    needs = needs_text(decision.observation)
    parts = [marks, needs, f"{decision.unit} ± s.e. · seed {decision.search.seed}"]
    return " · ".join(filter(None, parts))


_BAR = 190
_SPINE = 270
"""Of a drawn decision: the longest bar, and where the cards stand, between the two bars."""
_ROW = 62


def decision_drawing(decision: PlayDecision) -> str:
    """The decision as an SVG picture: a row for every class of equivalent cards, the first model's
    human bar to the left of the card, the search's to the right."""
    shown = by_class(decision)
    model, *_ = shown.cards[0].human
    longest = max(max(row.share, row.human[model]) for row in shown.cards)
    middle = _SPINE + svg.CARD_WIDTH / 2
    right = _SPINE + svg.CARD_WIDTH + 10
    parts: list[str] = [
        svg.words(_SPINE - 10, 22, f"Human · {model_label(model)}", LIGHT["human"], anchor="end"),
        svg.words(right, 22, f"Search · {shown.iterations:,} visits", LIGHT["search"]),
    ]
    for i, row in enumerate(_in_order(shown.cards)):
        y = 34 + i * _ROW
        human = _BAR * row.human[model] / longest
        search = _BAR * row.share / longest
        parts += [
            svg.card_at(_SPINE, y, row.card),
            svg.rectangle(_SPINE - 10 - human, y + 18, human, 18, LIGHT["human"]),
            svg.words(
                _SPINE - 16 - human, y + 32, percent(row.human[model]), LIGHT["human"], anchor="end"
            ),
            svg.rectangle(right, y + 18, search, 18, LIGHT["search"]),
            svg.words(
                right + 6 + search,
                y + 32,
                percent(row.share) + (" ★" if row.is_search_choice else ""),
                LIGHT["search"],
            ),
        ]
        if row.is_played:
            parts.append(svg.dot(_SPINE - 5, y + 27, 3, LIGHT["ink"]))
    height = 34 + len(shown.cards) * _ROW
    return svg.drawing(2 * middle, height, heading_line(shown), *parts)
