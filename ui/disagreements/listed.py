"""The list of disagreements: which decisions are in it, and rows that show each one's position."""

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pandas as pd
import streamlit as st

from analysis.decisions.conclusion import BEST, Loss
from analysis.decisions.judge import FIRST
from analysis.disagreements.judged import DIVERGENCE, judge, ranked
from analysis.disagreements.plan import LogSearchPlan
from analysis.disagreements.stored import StoredSearch, find
from analysis.disagreements.table import HUMAN, PLAYED, SEARCH
from analysis.text_tables import span
from spades.agents import IsmctsPlayer
from spades.core.cards import SEATS, Card, Deck, cards_in, hand_order, seat_name
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.options import values_of
from spades.core.records import KINDS
from spades.look.words import pretty
from ui.disagreements import state, switch
from ui.disagreements.state import PER_PAGE, page
from ui.disagreements.view import decisions_of
from ui.replay import state as replay
from ui.shared.address import replay_link
from ui.shared.codecs import text_of
from ui.shared.options import DEALING_OPTIONS, SEARCH_OPTIONS, STRENGTHS
from ui.shared.records import opened
from ui.shared.widgets import once

LONG = 20  # rows that fill every window
VIEW = "disagreements_rows"

Place = tuple[int, int]
"""Round and ply of a decision."""

_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "spades_disagreements",
    html="<div class='list'></div>",
    css=(_HERE / "css" / "list.css").read_text(encoding="utf-8"),
    js=(_HERE / "js" / "list.js").read_text(encoding="utf-8"),
)


def judged_of(search: StoredSearch, values: Mapping[str, Any]) -> pd.DataFrame:
    """Every decision of a search, judged as the list's values say."""
    table = decisions_of(search, values["log"], values["model"])
    return judge(table, values["points"], values["against"])


def passing(judged: pd.DataFrame, values: Mapping[str, Any]) -> pd.DataFrame:
    """The disagreements that pass the filters, however small."""
    is_passing = state.filter_of(values).rows(judged) & judged["is_clear"].to_numpy()
    return judged[is_passing]


def least_of(values: Mapping[str, Any]) -> float:
    """The least points or bits of a row."""
    return float(values["bits" if values["by"] == DIVERGENCE else "points"])


def disagreements(judged: pd.DataFrame, values: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of the list, in its order."""
    return ranked(passing(judged, values), values["by"], least_of(values))


def places_of(table: pd.DataFrame) -> tuple[Place, ...]:
    return tuple(table[["round", "ply"]].itertuples(index=False, name=None))


def listed_places(text: str) -> tuple[Place, ...]:
    """The decisions of the list that a link names. Raises ``SpadesError`` where it isn't there."""
    values = state.parse_list(text)
    judged = judged_of(find(state.plan_of(values)), values)
    return places_of(disagreements(judged, values))


def show_list(rows: pd.DataFrame, plan: LogSearchPlan) -> None:
    """A page of the list; the decision that was opened last is marked."""
    n_pages = max(1, -(-len(rows) // PER_PAGE))
    number = min(page.get("page"), n_pages)
    page.put("page", number)
    first = (number - 1) * PER_PAGE
    shown = rows.iloc[first : first + PER_PAGE]
    places = places_of(shown)
    marked = st.session_state.get(switch.MARKED)
    listed = _rows_data(shown, plan, opened(plan.log))
    is_by_divergence = page.get("by") == DIVERGENCE
    data = {
        "rows": listed,
        "first": first,
        "total": len(rows),
        "page": number,
        "pages": n_pages,
        "at": places.index(marked) if marked in places else None,
        "order": "Divergence" if is_by_divergence else "Loss",
        "about": state.ORDER_HINT,
    }

    def turn() -> None:
        page.put("page", int(st.session_state[VIEW].turn))

    def open_row() -> None:
        i = int(st.session_state[VIEW].open)
        st.session_state[switch.MARKED] = places[i]
        query = dict(parse_qsl(urlsplit(listed[i]["href"]).query))
        values, _, _ = replay.parse_link(query)
        switch.go_to(switch.HAND, replay.page.format(values))

    is_long = len(listed) >= LONG
    with st.container(key="disagreements_list" if is_long else None):  # the stylesheet's name
        _mount(data=data, key=VIEW, on_turn_change=once(turn), on_open_change=once(open_row))


def _rows_data(table: pd.DataFrame, plan: LogSearchPlan, log: Log) -> list[dict[str, Any]]:
    records = {index: log.record(index) for index in table["round"].unique().tolist()}
    source = state.list_text(page.values())
    rows = []
    for decision in table.to_dict("records"):
        index, ply = int(decision["round"]), int(decision["ply"])
        seen = records[index].observation(ply)
        rows.append(
            {
                **_worth(decision),
                **_position(decision, seen),
                "href": link_to_decision(plan, index, ply, list=source),
                "reason": decision["reason"],
            }
        )
    return rows


def _worth(decision: Mapping[str, Any]) -> dict[str, str]:
    """What the decision is listed for, and under it what else it is worth."""
    stakes = decision["stakes"]
    loss = f"−{stakes:.1f}"
    bits = f"{decision['divergence']:.3f}"
    low = decision["low"]
    high = decision["high"]
    grade = Loss(stakes, is_settled=True).grade
    if page.get("by") == DIVERGENCE:
        return {"first": bits, "unit": "bits", "second": f"{loss} points", "grade": ""}
    interval = span((-high, -low), ".1f") if low < high else "exact"
    return {
        "first": loss,
        "unit": "points",
        "second": interval,
        "grade": "" if grade == BEST else grade,
    }


def _position(decision: Mapping[str, Any], seen: Observation) -> dict[str, Any]:
    deck = seen.rules.cards
    laid = zip(seen.table.seats[-len(seen.trick) :], seen.trick, strict=False)
    other = HUMAN if page.get("against") == state.judged.LIKELIEST else PLAYED
    marks = {}
    for role, mark in ((other, "worse"), (SEARCH, "good")):
        marks |= dict.fromkeys(cards_of(decision, role, deck), mark)
    kind = KINDS[decision["kind"]].replace("-", " ")
    return {
        "seat": seat_name(decision["seat"]),
        "number": decision["trick"] + 1,
        "about": f"round {decision['round']} · {kind}",
        "trick": [(SEATS[seat], pretty(card)) for seat, card in laid],
        "legal": _suits(seen.legal_mask, deck),
        "marks": marks,
        "best": list(map(pretty, cards_of(decision, SEARCH, deck))),
        "best_share": f"humans {decision['search_p']:.0%}",
        "human": list(map(pretty, cards_of(decision, HUMAN, deck))),
        "human_share": f"humans {decision['human_p']:.0%}",
        "played": list(map(pretty, cards_of(decision, PLAYED, deck))),
    }


def cards_of(decision: Mapping[str, Any], role: str, deck: Deck) -> list[Card]:
    """The cards of a role's class, highest first."""
    codes = sorted(cards_in(int(decision[f"{role}_cards"])), reverse=True)
    return [deck.format_card(code) for code in codes]


def _suits(mask: int, deck: Deck) -> list[tuple[str, list[tuple[str, Card]]]]:
    """Cards by the suit printed on them, highest first: each as its rank and its code's text."""
    cards = [deck.format_card(code) for code in sorted(cards_in(mask), key=hand_order)]
    printed = [(*_sign_and_rank(card), card) for card in cards]
    suits = []
    for sign, group in groupby(printed, key=lambda one: one[0]):
        suits.append((sign, [(rank, card) for _, rank, card in group]))
    return suits


def _sign_and_rank(card: Card) -> tuple[str, str]:
    name = pretty(card)
    if name.endswith("joker"):
        return "♠", name
    return name[-1], name[:-1]


def link_to_decision(plan: LogSearchPlan, index: int, ply: int, **more: object) -> str:
    """The address of Replay at a decision, with ``more`` of its fields; an agent other than
    ``FIRST`` is the search shown there."""
    values = {"ply": ply, "seed": plan.seed, "model": page.get("model")}
    if plan.agent != FIRST:  # whose column is there in any case
        values |= _search_values(plan.player)
    return replay_link(plan.log, index, **values, **more)


def _search_values(player: IsmctsPlayer) -> dict[str, Any]:
    """The values of Replay's search controls that make this player's search."""
    options = values_of(player)
    values = {"iterations": player.iterations}
    for name, option in (SEARCH_OPTIONS | DEALING_OPTIONS).items():
        if options[name] != option.default:
            values[name] = text_of(options[name])
    if player.bias is not None:
        values["technique"] = player.bias.name
        values["bias_model"] = player.bias.model
        for name in STRENGTHS:
            values[name] = options[name]
    return values
