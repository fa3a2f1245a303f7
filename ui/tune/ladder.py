"""The ladder: one decision, searched at every strength of the bias that the controls say."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import thread_time

import pandas as pd
import streamlit as st

from analysis.decisions import visits
from analysis.decisions.candidates import CardStability, compute_stability, stability_series
from analysis.decisions.conclusion import Conclusion
from analysis.decisions.decision import pretty
from analysis.decisions.judge import judge_settings
from analysis.decisions.judgement import concluded
from analysis.decisions.settings import AnalysisSettings, record_key
from analysis.decisions.visits import LadderSettings
from analysis.intervals import share_interval
from analysis.plots.decisions import plot_ladder
from analysis.sweeps.sweep import AGENT_OPTIONS
from spades.core.cards import seat_name
from spades.core.equivalence import equivalent_cards
from spades.core.errors import SpadesError
from spades.core.records import Record
from spades.human import load_model, model_hash
from spades.search import SearchSettings, Technique
from ui.shared.bar import show_link
from ui.shared.options import model_label
from ui.shared.page import draw_again, literal
from ui.shared.records import find_hand, shipped_hands, title_of
from ui.shared.states import show_empty
from ui.shared.tables import number, percent, show_download, show_table, text
from ui.shared.widgets import row, show_chart
from ui.tune import state
from ui.tune.state import page

SECONDS = 1.0  # of searches that say what a search plays
SEARCHES = 60  # with seeds of their own, that say what a search plays
COLUMNS = {
    "played": text("", "● the card played", width="small"),
    "human": percent("Human", "By the model chosen."),
    "unbiased": percent("Unbiased share"),
    "share": percent("Share of visits", "Of piKL, its policy π."),
    "share_min": percent("Least"),
    "share_max": percent("Greatest"),
    "chosen": number("Chosen", hint="Seeds in which it was the choice."),
    "prior": percent("Prior P", "What the search was given."),
    "bias": number("Bias, points", "%+.1f", "Added to the value at the end."),
    "value": number("Value, points", "%+.1f"),
    "visits": number("Visits", "%.0f"),
}


@st.cache_data(max_entries=256, show_spinner="Searching every rung (the first time compiles)")
def ladder_of(key: str, ply: int, models: str, settings: LadderSettings, _record: Record):
    """The table of a ladder and each card's human probability; kept by all they depend on."""
    seen = _record.observation(ply)
    table = visits.ladder_table(visits.climb(seen, settings), seen)
    return table, load_model(settings.bias.model).probabilities(seen)


@st.cache_data(max_entries=256, show_spinner="Searching until the cards can be told apart")
def conclusion_of(
    key: str, ply: int, settings: AnalysisSettings, _record: Record
) -> Conclusion | None:
    """What Replay concludes of the decision: which card is worth most."""
    from analysis.decisions.evidence import decide  # loads SciPy: the ladder is on screen

    return decide(_record, ply, settings)


@st.cache_data(max_entries=256, show_spinner="Searching again with other seeds")
def choices_of(
    key: str, ply: int, models: str, settings: AnalysisSettings, _record: Record
) -> list[CardStability]:
    """Which class of equal cards many searches with other seeds play, the commonest first."""
    run = stability_series(_record, ply, settings)
    run.extend(SEARCHES)
    started = thread_time()
    for _ in run.steps():
        if thread_time() - started > SECONDS:
            break
    return compute_stability(run.items[:SEARCHES], _record.observation(ply))


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
        query = {there: page.get(here) for here, there in fields.items()}
        show_link("Replay", "Open in Replay", query)  # the bias next to the unbiased search
    controls, chart = st.columns([1, 3], gap="medium")
    with controls:
        _show_bias_controls()
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


def _show_bias_controls() -> None:
    page.control("technique")
    technique = page.get("technique")
    for name in state.STRENGTHS:
        if AGENT_OPTIONS[name].applies({"bias": technique}):
            page.stops(name)
    page.menu("model", format_func=model_label)
    with st.container(horizontal=True):
        page.menu("iterations", width=130)
        page.number("Seed", "ladder_seed", width=130)


def _show_search(record: Record) -> None:
    bias = state.bias()
    ply = page.get("ply")
    settings = LadderSettings(bias, page.get("iterations"), page.get("ladder_seed"))
    try:
        table, human = ladder_of(record_key(record), ply, model_hash(bias.model), settings, record)
        published = visits.published_for(bias)
    except SpadesError as error:
        show_empty(literal(f"Not searched: {error}"), icon="search_off")
        return
    played = record.plays[ply]
    _show_chart(table, human, published, played)
    try:
        st.markdown(_said(record, settings, table, human))
    except SpadesError as error:
        show_empty(literal(f"Not concluded: {error}"), icon="search_off")
    table = table.assign(of_visits=table["visits"] / settings.iterations)
    _show_rung(table, human, bias, played)


def _show_chart(
    table: pd.DataFrame, human: dict[str, float], published: dict[float, str], played: str
) -> None:
    bias = state.bias()
    choices = [visits.choice_at(table, rung) for rung in dict.fromkeys(table["strength"])]
    featured = list(dict.fromkeys([*choices, _likeliest(human), played]))[:6]
    figure = plot_ladder(
        table,
        human=human,
        featured=featured,
        chosen=visits.strength_of(bias),
        published=published,
        axis=bias.strength_option().title,
    )
    if bias.has_policy:
        figure.update_yaxes(title=f"{bias.label}'s policy π")
    show_chart(figure, page.key("ladder"), "ladder")


def _likeliest(human: dict[str, float]) -> str:
    return max(human, key=human.__getitem__)


def _said(
    record: Record, settings: LadderSettings, table: pd.DataFrame, human: dict[str, float]
) -> str:
    """Which card is worth most, in Replay's words; which one the search plays, unbiased and at the
    strength chosen; and from where on it plays the likeliest human card."""
    key = record_key(record)
    ply = page.get("ply")
    bias = settings.bias
    likely = _likeliest(human)
    strength = visits.strength_of(bias)
    classes = classes_of(record, ply)
    parts = []
    asked = AnalysisSettings(settings.iterations, settings.seed)
    found = conclusion_of(key, ply, judge_settings(asked), record)
    parts.append(f"{concluded(found) if found else 'Too few searches to tell the cards apart'}.")
    unbiased = choices_of(key, ply, "", asked, record)
    parts.append(f"Unbiased {choice_text(unbiased, classes)}.")
    if bias.has_policy:
        policy = table[table["strength"] == strength].set_index("card")["share"]
        card = pretty(str(policy.idxmax()))
        parts.append(f"At **{strength:g}** {bias.label} plays **{card}**, π {policy.max():.1%}.")
    elif strength or not bias.is_unbiased_at_0:
        asked = replace(asked, search=SearchSettings(bias=bias))
        biased = choices_of(key, ply, model_hash(bias.model), asked, record)
        parts.append(f"At **{strength:g}** {choice_text(biased, classes)}.")
    played = pretty(record.plays[ply])
    parts.append(
        f"The likeliest human card is {pretty(likely)} ({human[likely]:.1%}): "
        f"{_turn(table, classes[likely], bias)}. The record says {played}. "
        f"Bands: least to greatest of {settings.n_seeds} seeds; triangles: how likely a human is."
    )
    return " ".join(parts)


def choice_text(rows: Sequence[CardStability], classes: Mapping[str, Sequence[str]]) -> str:
    """What most of many searches play, or a toss-up where the two cards that they play most can't
    be told apart: the 95% interval of the first one's share of both leaves in 50%."""
    if not rows:
        return "there are too few searches to say what they play"
    labels = ["=".join(map(pretty, classes[row.card])) for row in rows]
    first = rows[0]
    n = rows[0].n
    if len(rows) == 1:
        return f"the search plays **{labels[0]}**, all legal cards being worth the same"
    second = rows[1]
    interval = share_interval(first.wins, first.wins + second.wins)
    if interval and interval[0] <= 0.5:
        return (
            f"it is a toss-up: {first.wins} of {n} searches play **{labels[0]}**, "
            f"{second.wins} play **{labels[1]}**"
        )
    return f"the search plays **{labels[0]}**, in {first.wins} of {n} searches"


def classes_of(record: Record, ply: int) -> dict[str, list[str]]:
    """Of each legal card those worth the same, the highest first, itself among them."""
    seen = record.observation(ply)
    classes = [list(map(seen.rules.cards.format_card, codes)) for codes in equivalent_cards(seen)]
    return {card: cards for cards in classes for card in cards}


def _turn(table: pd.DataFrame, cards: Sequence[str], bias: Technique) -> str:
    """From which strength on every seed's search plays one of these cards."""
    chosen = table[table["card"].isin(cards)].groupby("strength")["chosen"].sum()
    n_seeds = int(table["seeds"].iloc[0])
    first = None
    for strength, n in reversed(list(chosen.items())):
        if n < n_seeds:
            break
        first = float(strength)
    if first is None:
        return f"at the strongest bias here not all {n_seeds} seeds play it"
    if first == 0:
        too = ", unbiased too" if bias.is_unbiased_at_0 else ""
        return f"all {n_seeds} seeds play it at every strength{too}"
    return f"from {first:g} on all {n_seeds} seeds play it"


def _show_rung(table: pd.DataFrame, human: dict[str, float], bias: Technique, played: str) -> None:
    rung = table[table["strength"] == visits.strength_of(bias)].drop(columns=["strength"])
    rung = rung.assign(
        human=rung["card"].map(human),
        played=["●" if card == played else "" for card in rung["card"]],
    )
    order = ["played", "card", "human", "share", "share_min", "share_max"]
    order += ["chosen", "seeds", "prior", "bias", "value", "visits"]
    if bias.is_unbiased_at_0:
        rung["unbiased"] = table[table["strength"] == 0]["of_visits"].to_numpy()
        order.insert(order.index("share"), "unbiased")
    rung = rung.sort_values("share", ascending=False)
    with st.expander("Every card at this rung, and all rungs to download"):
        shown = rung[order].assign(card=[pretty(card) for card in rung["card"]])
        show_table(shown, "ladder-rung", columns=COLUMNS)
        show_download(table.drop(columns="of_visits"), "ladder", "all rungs")
