"""Disagreements as people read them: cards written out, lenses by name, and all of it as CSV."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.decisions.decision import pretty
from analysis.decisions.lenses import LABELS, names_in
from analysis.disagreements.found import CLASS_LABELS, ROLES
from spades.core.cards import SEAT_NAMES, SEATS
from spades.core.logs import Log
from spades.core.records import KINDS

EXPORTED = ("p", "share", "n", "value", "se")


def shown_rows(judged: pd.DataFrame, log: Log, role: str) -> pd.DataFrame:
    """The decisions as the page shows them: cards, values and what the lenses find of a card."""
    texts = _card_texts(judged, log)
    return pd.DataFrame(
        {
            "divergence": judged["divergence"].to_numpy(),
            "stakes": judged["stakes"].to_numpy(),
            "stakes_se": judged["stakes_se"].to_numpy(),
            "class": [CLASS_LABELS[name] for name in judged["class"]],
            "search": [pretty(text) for text in texts["search"]],
            "search_p": judged["search_p"].to_numpy(),
            "human": [pretty(text) for text in texts["human"]],
            "human_p": judged["human_p"].to_numpy(),
            "played": [pretty(text) for text in texts["played"]],
            "lenses": [
                "; ".join(LABELS[name] for name in names_in(int(mask)))
                for mask in judged[f"{role}_lenses"]
            ],
            "seat": [SEAT_NAMES[SEATS[seat]] for seat in judged["seat"]],
            "kind": [KINDS[kind].replace("-", " ") for kind in judged["kind"]],
            "trick": judged["trick"].to_numpy() + 1,
            "round": judged["round"].to_numpy(),
            "ply": judged["ply"].to_numpy(),
        }
    )


def exported_rows(judged: pd.DataFrame, log: Log, facts: dict[str, Any]) -> pd.DataFrame:
    """The decisions with every number behind them; ``facts``, what they depend on, in each row."""
    texts = _card_texts(judged, log)
    columns: dict[str, Any] = {name: judged[name].to_numpy() for name in ("round", "ply", "trick")}
    columns |= {
        "seat": [SEATS[seat] for seat in judged["seat"]],
        "kind": [KINDS[kind] for kind in judged["kind"]],
        "legal_cards": judged["legal"].to_numpy(),
        "divergence": judged["divergence"].to_numpy(),
        "stakes": judged["stakes"].to_numpy(),
        "stakes_se": judged["stakes_se"].to_numpy(),
        "intervals_apart": judged["is_clear"].to_numpy(),
        "class": judged["class"].to_numpy(),
    }
    for role in ROLES:
        columns[f"{role}_card"] = texts[role]
        for part in EXPORTED:
            name = {"p": "p_human", "n": "visits", "share": "visit_share"}.get(part, part)
            columns[f"{role}_{name}"] = judged[f"{role}_{part}"].to_numpy()
        columns[f"{role}_lenses"] = [" ".join(names_in(int(m))) for m in judged[f"{role}_lenses"]]
    return pd.DataFrame(columns | facts)


def _card_texts(judged: pd.DataFrame, log: Log) -> dict[str, list[str]]:
    decks = [rules.cards for rules in log.rules]
    codes = log.rules_code[judged["round"].to_numpy(int)]
    return {
        role: [
            decks[code].format_card(card)
            for code, card in zip(codes, judged[f"{role}_card"], strict=True)
        ]
        for role in ROLES
    }
