"""The ladder: one decision, searched at every strength of the bias that the controls say."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from analysis.decisions import ladder
from analysis.decisions.conclusion import Conclusion
from analysis.decisions.judge import judge_settings
from analysis.decisions.judgement import concluded
from analysis.decisions.ladder import LadderSettings, RungPlay
from analysis.decisions.settings import AnalysisSettings, record_key
from analysis.plots.decisions import plot_ladder
from spades.core.cards import seat_name
from spades.core.errors import SpadesError
from spades.core.records import Record
from spades.human import load_model, model_hash
from spades.look.words import pretty
from spades.search import Technique
from ui.shared.bar import show_link
from ui.shared.page import draw_again, literal
from ui.shared.panel import Panel
from ui.shared.records import find_hand, shipped_hands, title_of
from ui.shared.states import show_empty
from ui.shared.tables import number, percent, text
from ui.shared.widgets import row
from ui.tune import state
from ui.tune.controls import show_bias_controls
from ui.tune.state import page

COLUMNS = {
    "played": text("", "● the card of the record", width="small"),
    "label": text("Card", "Cards that are worth the same are one."),
    "human": percent("Human", "By the model chosen."),
    "unbiased": percent("Unbiased share"),
    "share": percent("Share of visits", "Mean of all searches; of piKL, its policy π."),
    "share_min": percent("Least"),
    "share_max": percent("Greatest"),
    "chosen": number("Played", hint="Searches that play it."),
    "seeds": number("Of", hint="Searches, each with a seed of its own."),
    "prior": percent("Prior P", "What the search was given."),
    "bias": number("Bias, points", "%+.1f", "Added to the value at the end."),
    "value": number("Value, points", "%+.1f"),
    "visits": number("Visits", "%.0f"),
}


@st.cache_data(max_entries=256, show_spinner="Searching every rung (the first time compiles)")
def ladder_of(
    key: str, ply: int, models: str, settings: LadderSettings, _record: Record
) -> pd.DataFrame:
    """The table of a ladder, with each class's ``human`` probability; kept by all that it depends
    on."""
    seen = _record.observation(ply)
    table = ladder.ladder_table(ladder.climb(seen, settings), seen)
    human = load_model(settings.bias.model).probabilities(seen)
    sums = [sum(human[card] for card in cards) for cards in table["cards"]]
    return table.assign(human=sums)


@st.cache_data(max_entries=256, show_spinner="Searching until the cards can be told apart")
def conclusion_of(
    key: str, ply: int, settings: AnalysisSettings, _record: Record
) -> Conclusion | None:
    """What Replay concludes of the decision: which card is worth most."""
    from analysis.decisions.evidence import decide  # loads SciPy: the ladder is on screen

    return decide(_record, ply, settings)


@st.fragment
def show_ladder() -> None:
    if page.look_up(*page.files):  # the page's own look is not repeated with the ladder
        draw_again()
    record = find_hand(page.get("hand"))
    plies = state.open_decisions(record)
    titles = {name: title_of(hand) for name, hand in shipped_hands().items()}
    titles = {page.get("hand"): title_of(record)} | titles
    if not plies:
        show_empty("This hand has no decision with more than one legal card. Pick another.")
        page.select("Hand", "hand", titles)
        return
    page.put("ply", state.nearest_of(plies, page.get("ply")))
    with row():
        page.select("Hand", "hand", titles)
        names = {ply: _decision_name(record, ply) for ply in plies}
        page.select("Decision", "ply", names, width="stretch")
        fields = {name: name for name in ("hand", "ply", *state.BIAS)} | {"model": "bias_model"}
        fields["ladder_scale"] = "reward_scale"
        query = {there: page.get(here) for here, there in fields.items()}
        show_link("Replay", "Open in Replay", query)  # the bias next to the unbiased search
    controls, chart = st.columns([1, 3], gap="medium")
    with controls:
        show_bias_controls()
        with st.container(horizontal=True):
            page.menu("iterations", width=130)
            page.number("Seed", "ladder_seed", width=130)
        page.control("ladder_scale", width=276)
    with chart:
        for remark in state.remarks():
            show_empty(literal(remark), icon="info")
        _show_search(record)
    page.write(["view", *state.LADDER])


def _decision_name(record: Record, ply: int) -> str:
    table = record.at(ply).table
    seat = seat_name(table.turn)
    played = pretty(record.plays[ply])
    how = "leads" if not table.trick else "plays"
    return f"Trick {ply // 4 + 1}: {seat} {how} {played} (ply {ply})"


def _show_search(record: Record) -> None:
    bias = state.bias()
    ply = page.get("ply")
    settings = LadderSettings(
        bias,
        page.get("iterations"),
        page.get("ladder_seed"),
        reward_scale=page.get("ladder_scale"),
    )
    try:
        table = ladder_of(
            record_key(record), ply, model_hash(bias.model), settings.from_the_lowest, record
        )
        published = ladder.published_for(bias)
    except SpadesError as error:
        show_empty(literal(f"Not searched: {error}"), icon="search_off")
        return
    choices = ladder.choices_of(table)
    played = _class_of(table, record.plays[ply])
    panel = Panel("ladder")
    panel.answer(_answer(record, bias, table, choices))
    _show_chart(panel, table, choices, published, played)
    table = table.assign(of_visits=table["visits"] / settings.iterations)
    _show_rung(panel, table, bias, played)
    try:
        st.markdown(_conclusion_text(record, settings))
    except SpadesError as error:
        show_empty(literal(f"Not concluded: {error}"), icon="search_off")


def _class_of(table: pd.DataFrame, card: str) -> str:
    """The class that a card is of, by its label."""
    is_own = [card in cards for cards in table["cards"]]
    return str(table["label"][is_own].iloc[0])


def _show_chart(
    panel: Panel,
    table: pd.DataFrame,
    choices: Mapping[float, RungPlay],
    published: Mapping[float, str],
    played: str,
) -> None:
    bias = state.bias()
    figure = plot_ladder(
        table,
        human=dict(zip(table["card"], table["human"], strict=True)),
        featured=featured_of(table, choices, played),
        chosen=ladder.strength_of(bias),
        published=published,
        axis=bias.strength_option().title,
    )
    if bias.has_policy:
        figure.update_yaxes(title=f"{bias.label}'s policy π")
    n_searches = table["seeds"].max()
    panel.figure(
        figure,
        f"Bands: least to greatest of {n_searches} searches; triangles: how likely a human is.",
    )


def featured_of(table: pd.DataFrame, choices: Mapping[float, RungPlay], played: str) -> list[str]:
    """The classes to colour, by their highest cards: what people play most, that of the record,
    and what is played at some rung, where it is a toss-up both."""
    labels = [_likeliest(table)["label"], played]
    for choice in choices.values():
        labels += choice.classes
    highest = dict(zip(table["label"], table["card"], strict=True))
    return [highest[label] for label in dict.fromkeys(labels)]


def _likeliest(table: pd.DataFrame) -> pd.Series:
    """A row of the class that people play most."""
    return table.loc[table["human"].idxmax()]


def _conclusion_text(record: Record, settings: LadderSettings) -> str:
    """Which card is worth most, in Replay's words."""
    asked = judge_settings(AnalysisSettings(settings.iterations, settings.seed))
    found = conclusion_of(record_key(record), page.get("ply"), asked, record)
    return f"{concluded(found) if found else 'Too few searches to tell the cards apart'}."


def _answer(
    record: Record, bias: Technique, table: pd.DataFrame, choices: Mapping[float, RungPlay]
) -> str:
    """What the search plays, unbiased and at the strength chosen; from where on it plays what
    people play most."""
    likely = _likeliest(table)
    return (
        f"{choices_text(choices, bias)} People most likely play {likely['label']} "
        f"({likely['human']:.1%}): {turn_text(choices, likely['label'], bias)}. "
        f"The record says {pretty(record.plays[page.get('ply')])}."
    )


def choices_text(choices: Mapping[float, RungPlay], bias: Technique) -> str:
    """What the search plays unbiased and at the strength chosen."""
    strength = ladder.strength_of(bias)
    sentences = []
    if bias.is_unbiased_at_0:
        sentences.append(f"Unbiased {choices[0].text}.")
    if strength or not bias.is_unbiased_at_0:
        sentences.append(f"At **{strength:g}** {choices[strength].text}.")
    return " ".join(sentences)


def turn_text(choices: Mapping[float, RungPlay], label: str, bias: Technique) -> str:
    """From which strength on the search plays a class of cards."""
    first = None
    for strength, choice in sorted(choices.items(), reverse=True):
        if choice.classes != [label]:
            break
        first = strength
    if first is None:
        return f"at the strongest bias here {choices[max(choices)].text}"
    if first == 0:
        too = ", unbiased too" if bias.is_unbiased_at_0 else ""
        return f"the search plays it at every strength{too}"
    return f"from {first:g} on the search plays it"


def _show_rung(panel: Panel, table: pd.DataFrame, bias: Technique, played: str) -> None:
    rung = table[table["strength"] == ladder.strength_of(bias)]
    rung = rung.assign(played=["●" if label == played else "" for label in rung["label"]])
    shown = [name for name in COLUMNS if name != "unbiased" or bias.is_unbiased_at_0]
    if bias.is_unbiased_at_0:
        rung["unbiased"] = table[table["strength"] == 0]["of_visits"].to_numpy()
    rung = rung.sort_values(["chosen", "share"], ascending=False)
    panel.table(rung[shown], COLUMNS, folded="Every card at this rung")
    panel.export(table.drop(columns=["cards", "of_visits"]), "rungs")
