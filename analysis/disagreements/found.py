"""Where search and humans part, over a whole log: how far, how dearly, how often, in which way.

A row is a play decision with a choice that was searched to the end. Three cards matter: the
search's (most visits), the one a human most likely plays by a model, and the one played.

- *Divergence*: Jensen-Shannon between visit shares and human probabilities over the legal cards,
  in bits, 0 to 1.
- *Stakes*: points between the search's card and the human's likeliest, or the one played, by the
  search's mean values; above 0 where the search's card is worth more.

Classes look at the human's likeliest card where it isn't the search's, by the 95 % intervals of the
two values (1.96 standard errors to a side); that a finding needs intervals apart is our reading.
A decision is called by the first name that applies:

- *Search finds, human misses*: apart, the search's card is worth at least the threshold more, and a
  human plays it with under 10 %. *Human trap*: apart, and the human's card loses at least the
  threshold; every find is one too. *Style only*: the intervals overlap.

Decisions of one round hang together: shares of decisions have the Poisson bootstrap over rounds,
shares of rounds Clopper and Pearson's interval, which also says what a count of 0 may hide.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.decisions.decision import INTERVAL_SE, pretty
from analysis.decisions.lenses import LABELS, LENS_NAMES, LENSES, Scene, found_mask, names_in
from analysis.disagreements.search import LogSearchError, Rows
from analysis.intervals import share_interval
from analysis.style.compare import ByGame
from spades.core.cards import HAND_SIZE, N_SEATS, SEAT_NAMES, SEATS
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
MEASURES = {"p": "p_human", "share": "visit_share", "n": "visits", "value": "value", "se": "se"}
"""What each of the three cards has in a decision table, and its name in a file."""
BIN, N_BINS = 0.05, 20
CLASS, LENS = "class", "lens"


Cards = dict[str, NDArray]
"""By name of ``MEASURES``, and ``card``: rows of decisions as (n, 13) arrays; what a decision
hasn't got is -1, 0 or nan."""


def decision_table(rows: Rows, log: Log, first: int, model: HumanModel) -> pd.DataFrame:
    """A row a searched decision; ``log`` are the rounds from row ``first`` on.

    Cards are codes of the round's deck. For each of search, human and played: ``*_card``, ``*_p``
    by the model, ``*_share`` of visits, ``*_value`` and ``*_se`` in points for the mover's side,
    ``*_n`` visits, and ``*_lenses``, what the lenses find of that card beside the search's (of the
    search's own beside the human's likeliest): a mask as ``found_mask``. Raises
    ``LogSearchError`` where the rows aren't of these rounds.
    """
    starts = rows.table[rows.starts]
    at, ply = starts["round"].astype(np.int64) - first, starts["ply"].astype(np.int64)
    seen = _observations(log, at, ply)
    cards = _by_decision(rows, seen, model)
    seat = np.array([one.seat for one in seen], dtype=np.int64)
    played = log.plays[at, ply].astype(np.int64)
    picks = {
        "search": _search_choice(cards),
        "human": cards["p"].argmax(axis=1),
        "played": (cards["card"] == played[:, None]).argmax(axis=1),
    }
    columns: dict[str, NDArray] = {
        "round": starts["round"],
        "ply": starts["ply"],
        "trick": starts["ply"] // N_SEATS,
        "seat": seat.astype(np.int8),
        "kind": log.kind[at, seat],
        "legal": (cards["card"] >= 0).sum(axis=1).astype(np.int8),
        "divergence": _divergences(cards),
    }
    decisions = np.arange(len(starts))
    for role, pick in picks.items():
        columns[f"{role}_card"] = cards["card"][decisions, pick].astype(np.int8)
        for name in MEASURES:
            columns[f"{role}_{name}"] = cards[name][decisions, pick]
    return pd.DataFrame(columns | _lens_masks(columns, seen))


def _observations(log: Log, rounds: NDArray, plies: NDArray) -> list[Observation]:
    """What the seats to play saw in these places, given in the order of play."""
    found = []
    for i in np.unique(rounds):
        wanted, record = set(plies[rounds == i].tolist()), log.record(int(i))
        states = enumerate(record.positions())
        found += [record.observe(state) for ply, state in states if ply in wanted]
    return found


def _by_decision(rows: Rows, seen: Sequence[Observation], model: HumanModel) -> Cards:
    """The rows by decision with the model's P; refused where they aren't the legal cards."""
    starts, table = rows.starts, rows.table
    code, sizes = table["card"].astype(np.int64), np.diff(starts, append=len(table))
    decision = np.repeat(np.arange(len(starts)), sizes)
    column = np.arange(len(table)) - np.repeat(starts, sizes)
    held = np.zeros(len(starts), dtype=np.int64)
    np.bitwise_or.at(held, decision, np.int64(1) << code)
    legal = np.array([one.legal_mask for one in seen], dtype=np.int64)
    if len(seen) != len(starts) or (held != legal).any() or (sizes > HAND_SIZE).any():
        raise LogSearchError("what was searched are other rounds than the log has now")
    index = np.array([one.rules.cards.indices for one in seen], dtype=np.int64).reshape(-1, 64)
    p = model.predict_proba(seen)[decision, index[decision, code]] if len(seen) else np.zeros(0)

    def spread(values: NDArray, nothing: float, kind: type) -> NDArray:
        array: NDArray = np.full((len(starts), HAND_SIZE), nothing, dtype=kind)
        array[decision, column] = values
        return array

    visits = spread(table["visits"], 0, np.int64)
    return {
        "card": spread(code, -1, np.int64),
        "n": visits,
        "share": visits / visits.sum(axis=1, keepdims=True),
        "value": spread(table["value"], np.nan, np.float64),
        "se": spread(table["value_se"], np.nan, np.float64),
        "p": spread(p, 0.0, np.float64),
    }


def _search_choice(cards: Cards) -> NDArray[np.int64]:
    """Column of the card with most visits, then the higher value, then the lower code."""
    value = np.where(np.isnan(cards["value"]), -np.inf, cards["value"])
    visits = np.where(cards["card"] < 0, -1, cards["n"])
    return np.lexsort((-cards["card"], value, visits), axis=1)[:, -1]


def _divergences(cards: Cards) -> NDArray[np.float64]:
    p, q = cards["p"], cards["share"]
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
        pairs, scene = ((s, h), (h, s), (c, s if c != s else h)), Scene(seen[row])
        masks[row] = [found_mask(scene, card, other) for card, other in pairs]
    return {f"{role}_lenses": masks[:, i] for i, role in enumerate(ROLES)}


def judge(
    table: pd.DataFrame, threshold: float = DEFAULT_THRESHOLD, against: str = LIKELIEST
) -> pd.DataFrame:
    """The table with ``stakes``, ``stakes_se``, ``is_clear`` and ``class``.

    ``against``: stakes of the search's card against the human's likeliest or the one played;
    ``stakes_se`` the standard error of that difference, ``is_clear`` whether the 95 % intervals
    of the two values are apart. Classes are always against the human's likeliest.
    """
    stakes, error, is_clear = _difference(table, "human" if against == LIKELIEST else "played")
    gap, gap_error, is_apart = _difference(table, "human")
    same = (table["search_card"] == table["human_card"]).to_numpy()
    is_trap = ~same & is_apart & (gap >= threshold)
    is_style = np.isfinite(gap_error) & ~is_apart
    kinds = np.select(
        [same, is_trap & (table["search_p"].to_numpy() < RARE), is_trap, is_style],
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


def of_class(judged: pd.DataFrame, name: str) -> NDArray[np.bool_]:
    """Whether each decision is of a class; a find is a trap too."""
    return judged["class"].isin((FINDS, TRAP) if name == TRAP else (name,)).to_numpy()


def has_lens(judged: pd.DataFrame, lens: str, role: str) -> NDArray[np.bool_]:
    """Whether a lens finds something of the search's card, the human's or the one played."""
    masks = judged[f"{role}_lenses"].to_numpy(np.int64)
    return (masks >> LENS_NAMES.index(lens) & 1).astype(bool)


class DecisionFilter(NamedTuple):
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
        keep = judged["trick"].between(*self.tricks)
        if self.seats:
            keep &= judged["seat"].isin([SEATS.index(seat) for seat in self.seats])
        if self.kinds:
            keep &= judged["kind"].isin([KINDS.index(kind) for kind in self.kinds])
        return keep.to_numpy()

    def rows(self, judged: pd.DataFrame) -> NDArray[np.bool_]:
        """Those of them that are of the classes and have the lenses."""
        keep = self.decisions(judged)
        if self.classes:
            keep = keep & np.any([of_class(judged, name) for name in self.classes], axis=0)
        if self.lenses:
            found = [has_lens(judged, name, self.role) for name in self.lenses]
            keep = keep & np.any(found, axis=0)
        return keep


def ranked(judged: pd.DataFrame, by: str, least: float) -> pd.DataFrame:
    """Decisions from ``least`` on, biggest first; where nothing parts them, in the log's order."""
    kept = judged[judged[by] >= least]
    return kept.sort_values([by, "round", "ply"], ascending=[False, True, True], kind="stable")


def summarise(judged: pd.DataFrame, role: str) -> pd.DataFrame:
    """A row a class and a lens: ``kind``, ``name``, ``label``; ``n`` decisions of the ``of`` there
    are, their ``share``, ``low`` and ``high`` (bootstrap over rounds, nan for
    fewer than two and for a count of 0, of which it knows nothing);
    ``rounds`` with at least one of the ``of_rounds``, ``round_share``, ``round_low``,
    ``round_high``. Lenses look at the card of ``role``."""
    groups = [(CLASS, name, CLASS_LABELS[name], of_class(judged, name)) for name in CLASSES]
    groups += [(LENS, one.name, one.label, has_lens(judged, one.name, role)) for one in LENSES]
    by_round = _by_round(judged, [is_in for *_, is_in in groups])
    low, high = by_round.interval(_shares)
    of, of_rounds = int(by_round.total[-1]), len(by_round.counts)
    rows = []
    for i, (kind, name, label, _) in enumerate(groups):
        n, rounds = int(by_round.total[i]), int((by_round.counts[:, i] > 0).sum())
        round_low, round_high = share_interval(rounds, of_rounds) or (np.nan, np.nan)
        row = {
            "kind": kind,
            "name": name,
            "label": label,
            "n": n,
            "of": of,
            "share": n / of if of else np.nan,
            "low": low[i] if n else np.nan,
            "high": high[i] if n else np.nan,
            "rounds": rounds,
            "of_rounds": of_rounds,
            "round_share": rounds / of_rounds if of_rounds else np.nan,
            "round_low": round_low,
            "round_high": round_high,
        }
        rows.append(row)
    return pd.DataFrame(rows)


def divergence_histogram(judged: pd.DataFrame) -> pd.DataFrame:
    """Decisions by divergence, a row for each of 20 bins: ``from``, ``to`` (bits), ``n``,
    ``share``, ``low``, ``high`` (bootstrap over rounds), and ``n_*`` by class, each decision in
    the first class that applies."""
    bins = np.minimum((judged["divergence"].to_numpy() / BIN + 1e-9).astype(int), N_BINS - 1)
    low, high = _by_round(judged, [bins == i for i in range(N_BINS)]).interval(_shares)
    kinds, n = judged["class"].to_numpy(), np.bincount(bins, minlength=N_BINS)
    columns = {
        "from": np.arange(N_BINS) * BIN,
        "to": np.arange(1, N_BINS + 1) * BIN,
        "n": n,
        "share": n / max(1, len(judged)),
        "low": np.where(n > 0, low, np.nan),
        "high": np.where(n > 0, high, np.nan),
    }
    for name in (*CLASSES, OTHER, AGREED):
        columns[f"n_{name}"] = np.bincount(bins[kinds == name], minlength=N_BINS)
    return pd.DataFrame(columns)


def mean_divergence(judged: pd.DataFrame) -> tuple[float, float, float]:
    """Mean divergence of the decisions, bits, with its interval (bootstrap over rounds)."""
    # In millionths of a bit: counts are whole numbers.
    millionths = np.round(judged["divergence"].to_numpy() * 1e6)
    low, high = _by_round(judged, [millionths]).interval(_shares)
    mean = float(judged["divergence"].mean()) if len(judged) else float("nan")
    return mean, float(low[0]) / 1e6, float(high[0]) / 1e6


def _by_round(judged: pd.DataFrame, amounts: Sequence[NDArray]) -> ByGame:
    """Sums by round of an amount a decision each, and the count of all in the last column."""
    rounds, index = np.unique(judged["round"], return_inverse=True)
    columns = [np.bincount(index, amount, minlength=len(rounds)) for amount in amounts]
    everything = np.bincount(index, minlength=len(rounds))
    return ByGame(np.stack([*columns, everything], axis=1).astype(np.int32))


def _shares(totals: NDArray) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return totals[..., :-1] / totals[..., -1:]


def shown_rows(judged: pd.DataFrame, log: Log, role: str) -> pd.DataFrame:
    """The decisions as the page shows them: cards, values and what the lenses find of a card."""
    texts = _card_texts(judged, log)
    masks = judged[f"{role}_lenses"].astype(int)
    columns = {name: judged[name] for name in ("divergence", "stakes", "stakes_se")}
    columns |= {
        "class": judged["class"].map(CLASS_LABELS),
        "search": [pretty(text) for text in texts["search"]],
        "search_p": judged["search_p"],
        "human": [pretty(text) for text in texts["human"]],
        "human_p": judged["human_p"],
        "played": [pretty(text) for text in texts["played"]],
        "lenses": ["; ".join(LABELS[name] for name in names_in(mask)) for mask in masks],
        "seat": [SEAT_NAMES[SEATS[seat]] for seat in judged["seat"]],
        "kind": [KINDS[kind].replace("-", " ") for kind in judged["kind"]],
        "trick": judged["trick"] + 1,
        "round": judged["round"],
        "ply": judged["ply"],
    }
    return pd.DataFrame(columns).reset_index(drop=True)


def exported_rows(judged: pd.DataFrame, log: Log, facts: dict[str, Any]) -> pd.DataFrame:
    """The decisions with every number behind them; ``facts``, what they depend on, in each row."""
    texts = _card_texts(judged, log)
    columns: dict[str, Any] = {name: judged[name] for name in ("round", "ply", "trick")}
    columns |= {
        "seat": [SEATS[seat] for seat in judged["seat"]],
        "kind": [KINDS[kind] for kind in judged["kind"]],
        "legal_cards": judged["legal"],
        **{name: judged[name] for name in ("divergence", "stakes", "stakes_se")},
        "intervals_apart": judged["is_clear"],
        "class": judged["class"],
    }
    for role in ROLES:
        columns[f"{role}_card"] = texts[role]
        for part, name in MEASURES.items():
            columns[f"{role}_{name}"] = judged[f"{role}_{part}"]
        columns[f"{role}_lenses"] = [" ".join(names_in(int(m))) for m in judged[f"{role}_lenses"]]
    return pd.DataFrame(columns | facts).reset_index(drop=True)


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
