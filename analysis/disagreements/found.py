"""Where search and humans part, over a whole log: how far, how dearly, and in which way.

A row is a play decision with a choice that was searched to the end. Three cards matter: the
search's (most visits), the one a human most likely plays by a model, and the one played.

- *Divergence*: Jensen-Shannon between visit shares and human probabilities over the legal cards,
  in bits, 0 to 1.
- *Stakes*: points between the search's card and the human's likeliest, or the one played, by the
  search's mean values; above 0 where the search's card is worth more.

Classes look at the human's likeliest card where it isn't the search's. The search can't tell two
cards apart while the 95 % intervals of their values (1.96 standard errors to a side) overlap:

- *Style only*: the intervals overlap.
- *Search finds, human misses*: they don't, the search's card is worth at least the threshold more,
  and a human plays it with under 10 %.
- *Human trap*: they don't, and the human's card loses at least the threshold. Every find is a trap
  as well; a decision is called by the first name that applies.

That a finding needs intervals apart is our reading: a difference that can't be told from none is
no finding, however large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.decisions.decision import INTERVAL_SE
from analysis.decisions.lenses import LENS_NAMES, Scene, found_mask
from analysis.disagreements.files import LogSearchError, Rows
from spades.core.cards import HAND_SIZE, N_SEATS, SEATS
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.records import KINDS
from spades.human.model import HumanModel

FINDS, TRAP, STYLE = "finds", "trap", "style"
AGREED, OTHER = "agreed", "other"
CLASS_LABELS = {
    FINDS: "Search finds, human misses",
    TRAP: "Human trap",
    STYLE: "Style only",
    OTHER: "Another card, below the threshold",
    AGREED: "Same card",
}
CLASSES = (FINDS, TRAP, STYLE)
RARE = 0.10  # a card that humans play less often is one they miss
DEFAULT_THRESHOLD = 10.0  # points: a trick bid, or a bag's price
DIVERGENCE, STAKES = "divergence", "stakes"
LIKELIEST, PLAYED = "likeliest", "played"
ROLES = ("search", "human", "played")


@dataclass(frozen=True)
class _Cards:
    """Rows of decisions as (n, 13) arrays; what a decision hasn't got is -1, 0 or nan."""

    card: NDArray[np.int64]
    visits: NDArray[np.int64]
    value: NDArray[np.float64]
    se: NDArray[np.float64]
    p: NDArray[np.float64]


def decision_table(rows: Rows, log: Log, first: int, model: HumanModel) -> pd.DataFrame:
    """A row a searched decision; ``log`` are the rounds from row ``first`` on.

    Cards are codes of the round's deck. For each of search, human and played: ``*_card``, ``*_p``
    by the model, ``*_share`` of visits, ``*_value`` and ``*_se`` in points for the mover's side,
    ``*_n`` visits, and ``*_lenses``, what the lenses find of that card: a mask as
    ``found_mask``, beside the search's card (the search's own beside the
    human's likeliest). Raises ``LogSearchError`` where the rows aren't of these rounds.
    """
    starts = rows.starts
    at, ply = rows.round[starts].astype(np.int64) - first, rows.ply[starts].astype(np.int64)
    seen = _observations(log, at, ply)
    cards = _spread(rows, seen, model)
    seat = np.array([one.seat for one in seen], dtype=np.int64)
    played = log.plays[at, ply].astype(np.int64)
    picks = {
        "search": _search_choice(cards),
        "human": cards.p.argmax(axis=1),
        "played": (cards.card == played[:, None]).argmax(axis=1),
    }
    columns: dict[str, NDArray] = {
        "round": rows.round[starts],
        "ply": rows.ply[starts],
        "trick": rows.ply[starts] // N_SEATS,
        "seat": seat.astype(np.int8),
        "kind": log.kind[at, seat],
        "legal": (cards.card >= 0).sum(axis=1).astype(np.int8),
        "divergence": _divergences(cards),
    }
    n, total = np.arange(len(starts)), cards.visits.sum(axis=1)
    for role, pick in picks.items():
        columns[f"{role}_card"] = cards.card[n, pick].astype(np.int8)
        columns[f"{role}_p"] = cards.p[n, pick]
        columns[f"{role}_share"] = cards.visits[n, pick] / total
        columns[f"{role}_value"] = cards.value[n, pick]
        columns[f"{role}_se"] = cards.se[n, pick]
        columns[f"{role}_n"] = cards.visits[n, pick]
    return pd.DataFrame(columns | _lens_masks(columns, seen))


def _observations(log: Log, rounds: NDArray, plies: NDArray) -> list[Observation]:
    """What the seats to play saw in these places, given in the order of play."""
    found = []
    for i in np.unique(rounds):
        wanted = set(plies[rounds == i].tolist())
        record = log.record(int(i))
        for ply, state in enumerate(record.positions()):
            if ply in wanted:
                found.append(record.observe(state))
    return found


def _spread(rows: Rows, seen: Sequence[Observation], model: HumanModel) -> _Cards:
    """The rows by decision, the model asked; refused where they aren't the legal cards."""
    starts, code = rows.starts, rows.card.astype(np.int64)
    sizes = np.diff(starts, append=len(rows))
    decision = np.repeat(np.arange(len(starts)), sizes)
    column = np.arange(len(rows)) - np.repeat(starts, sizes)
    held = np.zeros(len(starts), dtype=np.int64)
    np.bitwise_or.at(held, decision, np.int64(1) << code)
    legal = np.array([one.legal_mask for one in seen], dtype=np.int64)
    if len(seen) != len(starts) or (held != legal).any() or (sizes > HAND_SIZE).any():
        raise LogSearchError("what was searched are other rounds than the log has now")
    index = np.array([one.rules.cards.indices for one in seen], dtype=np.int64).reshape(-1, 64)
    p = model.predict_proba(seen)[decision, index[decision, code]] if len(seen) else np.zeros(0)
    shape = (len(starts), HAND_SIZE)
    found = _Cards(
        np.full(shape, -1, dtype=np.int64),
        np.zeros(shape, dtype=np.int64),
        np.full(shape, np.nan),
        np.full(shape, np.nan),
        np.zeros(shape),
    )
    columns = (code, rows.visits, rows.value, rows.value_se, p)
    for array, values in zip(vars(found).values(), columns, strict=True):
        array[decision, column] = values
    return found


def _search_choice(cards: _Cards) -> NDArray[np.int64]:
    """Column of the card with most visits, then the higher value, then the lower code."""
    value = np.where(np.isnan(cards.value), -np.inf, cards.value)
    order = np.lexsort((-cards.card, value, np.where(cards.card < 0, -1, cards.visits)), axis=1)
    return order[:, -1]


def _divergences(cards: _Cards) -> NDArray[np.float64]:
    q, p = cards.visits / cards.visits.sum(axis=1, keepdims=True), cards.p
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [np.where(x > 0, x * np.log2(x / middle), 0.0) for x in (p, q)]
    return np.clip((terms[0] + terms[1]).sum(axis=1) / 2, 0.0, 1.0)


def _lens_masks(columns: dict[str, NDArray], seen: Sequence[Observation]) -> dict[str, NDArray]:
    """What the lenses find, by role; only decisions with two different cards are looked at."""
    cards = np.stack([columns[f"{role}_card"] for role in ROLES], axis=1).astype(np.int64)
    search, human, played = cards.T
    masks = np.zeros((len(seen), len(ROLES)), dtype=np.uint8)
    for row in np.flatnonzero((search != human) | (search != played)).tolist():
        s, h, c = cards[row].tolist()
        scene = Scene(seen[row])
        masks[row] = [
            found_mask(scene, s, h),
            found_mask(scene, h, s),
            found_mask(scene, c, s if c != s else h),
        ]
    return {f"{role}_lenses": masks[:, i] for i, role in enumerate(ROLES)}


def judge(
    table: pd.DataFrame, threshold: float = DEFAULT_THRESHOLD, against: str = LIKELIEST
) -> pd.DataFrame:
    """The table with ``stakes``, ``stakes_se``, ``is_clear`` and ``class``.

    ``against``: stakes of the search's card against the human's likeliest or the one played;
    ``stakes_se`` the standard error of that difference, ``is_clear`` whether the 95 % intervals
    of the two values are apart. Classes are always against the human's likeliest.
    """
    other = "human" if against == LIKELIEST else "played"
    stakes, error, is_clear = _difference(table, other)
    gap, _, is_apart = _difference(table, "human")
    same = (table["search_card"] == table["human_card"]).to_numpy()
    known = np.isfinite(table["search_se"] + table["human_se"]).to_numpy()
    is_trap = ~same & is_apart & (gap >= threshold)
    kinds = np.select(
        [same, is_trap & (table["search_p"].to_numpy() < RARE), is_trap, known & ~is_apart],
        [AGREED, FINDS, TRAP, STYLE],
        OTHER,
    )
    columns = {"stakes": stakes, "stakes_se": error, "is_clear": is_clear, "class": kinds}
    return table.assign(**columns)


def _difference(table: pd.DataFrame, other: str) -> tuple[NDArray, NDArray, NDArray]:
    """Points between the search's card and another: gap, its standard error, intervals apart."""
    gap = (table["search_value"] - table[f"{other}_value"]).to_numpy(float)
    ours, theirs = table["search_se"].to_numpy(float), table[f"{other}_se"].to_numpy(float)
    return gap, np.hypot(ours, theirs), np.abs(gap) > INTERVAL_SE * (ours + theirs)


def of_class(judged: pd.DataFrame, name: str) -> pd.Series:
    """Whether each decision is of a class; a find is a trap too."""
    names = (FINDS, TRAP) if name == TRAP else (name,)
    return judged["class"].isin(names)


def has_lens(judged: pd.DataFrame, lens: str, role: str) -> NDArray[np.bool_]:
    """Whether a lens finds something of the search's card, the human's or the one played."""
    masks = judged[f"{role}_lenses"].to_numpy(np.int64)
    return (masks >> LENS_NAMES.index(lens) & 1).astype(bool)


@dataclass(frozen=True)
class DecisionFilter:
    """Which decisions are shown; what is empty lets all pass. ``seats`` N E S W, ``kinds`` of
    ``KINDS``, ``tricks`` the first and last, from 0; ``lenses`` of the card of
    ``role``; with several classes or lenses one suffices."""

    seats: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tricks: tuple[int, int] = (0, HAND_SIZE - 1)
    classes: tuple[str, ...] = ()
    lenses: tuple[str, ...] = ()
    role: str = "search"

    def decisions(self, judged: pd.DataFrame) -> NDArray[np.bool_]:
        """Those of these seats, kinds and tricks: what shares are taken of."""
        keep = judged["trick"].between(*self.tricks).to_numpy()
        if self.seats:
            keep = keep & judged["seat"].isin([SEATS.index(seat) for seat in self.seats]).to_numpy()
        if self.kinds:
            keep = keep & judged["kind"].isin([KINDS.index(kind) for kind in self.kinds]).to_numpy()
        return keep

    def rows(self, judged: pd.DataFrame) -> NDArray[np.bool_]:
        """Those of them that are of the classes and have the lenses."""
        keep = self.decisions(judged)
        if self.classes:
            keep = keep & np.any([of_class(judged, name) for name in self.classes], axis=0)
        if self.lenses:
            keep = keep & np.any(
                [has_lens(judged, name, self.role) for name in self.lenses], axis=0
            )
        return keep


def ranked(judged: pd.DataFrame, by: str, least: float) -> pd.DataFrame:
    """Decisions from ``least`` on, biggest first; where nothing parts them, in the log's order."""
    kept = judged[judged[by] >= least]
    return kept.sort_values([by, "round", "ply"], ascending=[False, True, True], kind="stable")
