"""How well each way of dealing explains the true cards, measured on held-out rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from analysis.decisions.card_beliefs import METHODS
from analysis.papers.belief_scores import BARE, COMMAND, FIRST, LATER, load_scores
from analysis.plots.decisions import METHOD_NAMES
from ui.shared.tables import number, show_download, show_table

CAUSES = ("all", "rounds with a nil", "rounds without", FIRST, LATER)
COMPARED = (
    ("posterior - biased", "posterior", "biased"),
    ("posterior - uniform", "posterior", "uniform"),
    ("biased - uniform", "biased", "uniform"),
    ("inferred - uniform", "the inference table", "uniform"),
)


def show_belief_scores() -> None:
    """The stored scores by group and method, what they say, and where biased dealing loses."""
    st.subheader(
        "How well each way of dealing explains the cards",
        help="Mean log of the probability given to who holds each unseen card, in nats.",
    )
    document = load_scores()
    if document is None:
        st.caption(f"Not measured here yet: `{COMMAND}` does, in some minutes.")
        return
    show_table(
        scores_table(document),
        "belief-scores",
        columns={
            "group": "Held-out rounds",
            "rounds": number("Rounds"),
            "cards": number("Cards", "%d"),
            **{name: METHOD_NAMES[name] for name in METHODS},
        },
    )
    st.markdown(finding(document))
    st.caption(
        "Nats a card, nearer 0 is better (a third each: -1.099), with 95 % intervals by bootstrap "
        f"over rounds; {document['deals']} deals a position, before plies "
        f"{', '.join(map(str, document['plies']))}. Humans are simulated, by the very model that "
        f"the posterior has. Remade by `{COMMAND}`. Below: biased less uniform, by kind of round "
        "and card."
    )
    show_table(causes_table(document), "belief-causes", columns={"part": "Biased less uniform"})
    n_rounds = next(iter(document["rules"].values()))["rounds"]
    st.caption(
        "What each rule of the inference table brings the biased deals: their score less that "
        f"with the rule switched off, in {n_rounds} of the rounds of each group."
    )
    show_table(rules_table(document), "belief-rules", columns={"rule": "Rule"})
    show_download(long_table(document), "belief-scores-all", "All scores (CSV)")


def scores_table(document: Mapping[str, Any]) -> pd.DataFrame:
    """A row a group: rounds, cards, and each method's score with its interval."""
    rows = []
    for group, found in document["groups"].items():
        part = found["parts"]["all"]
        scores = {method: _text(part["scores"][method]) for method in METHODS}
        rows.append({"group": group, "rounds": part["rounds"], "cards": part["cards"], **scores})
    return pd.DataFrame(rows)


def causes_table(document: Mapping[str, Any]) -> pd.DataFrame:
    """A row a part of the rounds or cards: biased less uniform in each group."""
    return pd.DataFrame(
        [
            {"part": name}
            | {
                group: _text(found["parts"][name]["differences"]["biased - uniform"])
                for group, found in document["groups"].items()
                if name in found["parts"]
            }
            for name in CAUSES
        ]
    )


def rules_table(document: Mapping[str, Any]) -> pd.DataFrame:
    """A row a rule: what it brings the biased deals in each group."""
    rules = document["rules"]
    names = next(iter(rules.values()))["gain"]
    return pd.DataFrame(
        [
            {"rule": "all rules" if name == BARE else name}
            | {group: _text(found["gain"][name]["biased"]) for group, found in rules.items()}
            for name in names
        ]
    )


def long_table(document: Mapping[str, Any]) -> pd.DataFrame:
    """A row a group, part and method or difference, with n and interval."""
    rows = []
    for group, found in document["groups"].items():
        for name, part in found["parts"].items():
            for what, value in (*part["scores"].items(), *part["differences"].items()):
                low, high = value["interval"]
                rows.append(
                    {
                        "group": group,
                        "part": name,
                        "rounds": part["rounds"],
                        "cards": part["cards"],
                        "what": what,
                        "nats_a_card": value["value"],
                        "low": low,
                        "high": high,
                    }
                )
    return pd.DataFrame(rows)


def finding(document: Mapping[str, Any]) -> str:
    """Which way of dealing does better than which, by whether intervals leave out 0."""
    groups, told = document["groups"], []
    for pair, a, b in COMPARED:
        if any(pair not in found["parts"]["all"]["differences"] for found in groups.values()):
            continue  # a table made before this pair was compared
        values = [found["parts"]["all"]["differences"][pair] for found in groups.values()]
        better = sum(value["interval"][0] > 0 for value in values)
        worse = sum(value["interval"][1] < 0 for value in values)
        if better == len(values):
            told.append(f"{a} explains the cards better than {b} in all {better} groups")
        elif worse == len(values):
            told.append(f"**{a} explains them worse than {b}** in all {worse} groups")
        else:
            told.append(
                f"{a} does better than {b} in {better}, worse in {worse} of {len(values)} groups"
            )
    text = "; ".join(told)
    return f"{text[0].upper()}{text[1:]}.{_cause(document)}"


def _cause(document: Mapping[str, Any]) -> str:
    """Why biased deals lose, where the table that they are drawn from doesn't."""
    gaps = [found["parts"]["all"]["differences"] for found in document["groups"].values()]
    is_dealing = all(
        gap["biased - uniform"]["interval"][1] < 0 and gap["biased - inferred"]["interval"][1] < 0
        for gap in gaps
    )
    if not is_dealing:
        return ""
    return (
        " The inference table, from which the biased deals are drawn, does better than they do: "
        "the dealing loses it, high cards and spades first, by the bids, and the rest into the "
        "room that is left."
    )


def _text(value: Mapping[str, Any]) -> str:
    low, high = value["interval"]
    return f"{value['value']:.3f} ({low:.3f} to {high:.3f})"
