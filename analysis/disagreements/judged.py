"""Which decisions are disagreements, of which class, and how they are listed.

- *Stakes*: points between the best class and the human's likeliest, or the one played.
- *Disagreement*: another class than the best that is clearly worse: the judge puts it behind. A
  toss-up is none.

Every decision has one name, by the human's likeliest class; the first that applies:

- *Same cards*: it is the best class;
- *Search finds, human misses*: clearly worse, by at least the threshold, and a human plays the best
  with under 10%;
- *Human trap*: clearly worse, by at least the threshold; every find is a trap too;
- *Clearly worse, below the threshold*;
- *Not clearly worse*.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.decisions.conclusion import THRESHOLD
from analysis.decisions.lenses import LENS_NAMES, names_in
from analysis.disagreements.table import HUMAN, MEASURES, PLAYED, ROLES
from spades.core.cards import HAND_SIZE, SEATS, cards_in
from spades.core.kernel import BoolArray
from spades.core.logs import Log
from spades.core.records import KINDS

FINDS = "finds"
TRAP = "trap"
STYLE = "style"
AGREED = "agreed"
OTHER = "other"
CLASS_LABELS = {
    FINDS: "Search finds, human misses",
    TRAP: "Human trap",
    STYLE: "Not clearly worse",
    OTHER: "Clearly worse, below the threshold",
    AGREED: "Same cards",
}
CLASSES = (FINDS, TRAP, STYLE)
RARE = 0.10  # a card that humans play less often is one they miss
DIVERGENCE = "divergence"
STAKES = "stakes"
LIKELIEST = "likeliest"
EXPORTED = [
    "round",
    "ply",
    "trick",
    "seat",
    "kind",
    "classes",
    "conclusion",
    "n_rounds",
    "divergence",
    "stakes",
    "low",
    "high",
    "class",
    "reason",
]


def judge(
    table: pd.DataFrame, threshold: float = THRESHOLD, against: str = LIKELIEST
) -> pd.DataFrame:
    """The decision table with ``stakes``, their interval ``low`` and ``high``, ``is_clear``,
    ``class`` and ``reason``.

    ``against``: the human's likeliest class or the one played. Classes are always against the
    human's likeliest.
    """
    other = HUMAN if against == LIKELIEST else PLAYED
    is_same = (table["search_cards"] == table["human_cards"]).to_numpy()
    is_clear = table["human_is_behind"].to_numpy()
    is_trap = is_clear & (table["human_behind"].to_numpy() >= threshold)
    is_find = is_trap & (table["search_p"].to_numpy() < RARE)
    kinds = np.select(
        [is_same, is_find, is_trap, is_clear],
        [AGREED, FINDS, TRAP, OTHER],
        STYLE,
    )
    return table.assign(
        stakes=table[f"{other}_behind"],
        low=table[f"{other}_low"],
        high=table[f"{other}_high"],
        is_clear=table[f"{other}_is_behind"],
        reason=table[f"{other}_reason"],
        **{"class": kinds},
    )


def of_class(judged: pd.DataFrame, name: str) -> BoolArray:
    """Whether each decision is of a class; a find is a trap too."""
    names = (FINDS, TRAP) if name == TRAP else (name,)
    return judged["class"].isin(names).to_numpy()


def has_lens(judged: pd.DataFrame, lens: str, role: str) -> BoolArray:
    """Whether a lens finds something of the search's card, the human's or the one played."""
    masks = judged[f"{role}_lenses"].to_numpy(np.int64)
    return (masks >> LENS_NAMES.index(lens) & 1).astype(bool)


class DecisionFilter(NamedTuple):
    """Which decisions are shown; an empty field lets all pass.

    ``seats``: of N E S W; ``kinds``: of ``KINDS``; ``tricks``: the first and last, from 0;
    ``lenses``: of the card of ``role``. With several classes or lenses one suffices.
    """

    seats: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tricks: tuple[int, int] = (0, HAND_SIZE - 1)
    classes: tuple[str, ...] = ()
    lenses: tuple[str, ...] = ()
    role: str = "search"

    def decisions(self, judged: pd.DataFrame) -> BoolArray:
        """The decisions of these seats, kinds and tricks, of which shares are taken."""
        keep = judged["trick"].between(*self.tricks)
        if self.seats:
            keep &= judged["seat"].isin(map(SEATS.index, self.seats))
        if self.kinds:
            keep &= judged["kind"].isin(map(KINDS.index, self.kinds))
        return keep.to_numpy()

    def rows(self, judged: pd.DataFrame) -> BoolArray:
        """The decisions that are also of these classes and have these lenses."""
        keep = self.decisions(judged)
        if self.classes:
            in_class = [of_class(judged, name) for name in self.classes]
            keep = keep & np.any(in_class, axis=0)
        if self.lenses:
            with_lens = [has_lens(judged, lens, self.role) for lens in self.lenses]
            keep = keep & np.any(with_lens, axis=0)
        return keep


def ranked(judged: pd.DataFrame, by: str, least: float) -> pd.DataFrame:
    """Disagreements of at least ``least``, biggest first; ties in the log's order."""
    is_kept = judged["is_clear"] & (judged[by] >= least)
    in_order = judged[is_kept].sort_values(["round", "ply"])
    return in_order.sort_values(by, ascending=False, kind="stable")


def exported_rows(judged: pd.DataFrame, log: Log, facts: dict[str, Any]) -> pd.DataFrame:
    """The decisions with every number behind them; ``facts``, what they depend on, in each row."""
    texts = _card_texts(judged, log)
    columns: dict[str, Any] = dict(judged[EXPORTED].items())
    columns["seat"] = [SEATS[seat] for seat in judged["seat"]]
    columns["kind"] = [KINDS[kind] for kind in judged["kind"]]
    for role in ROLES:
        columns[f"{role}_cards"] = [" ".join(cards) for cards in texts[role]]
        for column, name in MEASURES.items():
            columns[f"{role}_{name}"] = judged[f"{role}_{column}"]
        masks = judged[f"{role}_lenses"].tolist()
        columns[f"{role}_lenses"] = [" ".join(names_in(mask)) for mask in masks]
    return pd.DataFrame(columns | facts).reset_index(drop=True)


def _card_texts(judged: pd.DataFrame, log: Log) -> dict[str, list[list[str]]]:
    """The cards of each role's class, highest first."""
    codes = log.rules_code[judged["round"].to_numpy(int)]
    decks = [log.rules[code].cards for code in codes]
    texts: dict[str, list[list[str]]] = {}
    for role in ROLES:
        masks = judged[f"{role}_cards"].tolist()
        texts[role] = []
        for deck, mask in zip(decks, masks, strict=True):
            cards = sorted(cards_in(mask), reverse=True)
            texts[role].append([deck.format_card(card) for card in cards])
    return texts
