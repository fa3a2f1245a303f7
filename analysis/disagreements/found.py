"""Where search and humans part, over a whole log: how far, how dearly, how often, in which way.

A row is a play decision between classes of equivalent cards. Three classes matter: the best by the
conclusion, the judge's unless another agent was asked for, the one a human most likely plays by a
model, and that of the card played.

- *Divergence*: Jensen-Shannon between mean visit shares and human probabilities over the classes,
  in bits, 0 to 1.
- *Stakes*: points between the best class and the human's likeliest, or the one played.
- *Disagreement*: another class than the best, and clearly worse: the interval of the stakes, which
  holds at every look, is above the conclusion's threshold. A toss-up is none.

Every decision has one name, by the human's likeliest class, the first that applies: *Same cards*;
*Not clearly worse*; *Search finds, human misses*: clearly worse, at least the threshold, and
a human plays the best with under 10%; *Human trap*: clearly worse and at least the threshold, and
every find is one too.

Decisions of one round hang together: shares of decisions have the Poisson bootstrap over rounds,
shares of rounds Clopper and Pearson's interval, which also says what a count of 0 may hide.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import rel_entr

from analysis.decisions import reasons
from analysis.decisions.conclusion import THRESHOLD
from analysis.decisions.decision import pretty
from analysis.decisions.lenses import LENS_NAMES, LENSES, Scene, find_all, found_mask, names_in
from analysis.disagreements import search
from analysis.disagreements.search import NILS, OUTCOMES, LogSearchError, Rows
from analysis.intervals import rate_columns
from analysis.style.compare import ByGame
from spades.core.cards import HAND_SIZE, N_SEATS, SEATS, cards_in, seat_name
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.records import KINDS
from spades.human.model import HumanModel
from spades.search.outcomes import Outcomes

FINDS, TRAP, STYLE = "finds", "trap", "style"
AGREED, OTHER = "agreed", "other"
CLASS_LABELS = {
    FINDS: "Search finds, human misses",
    TRAP: "Human trap",
    STYLE: "Not clearly worse",
    OTHER: "Clearly worse, below the threshold",
    AGREED: "Same cards",
}
CLASSES = (FINDS, TRAP, STYLE)
RARE = 0.10  # a card that humans play less often is one they miss
DIVERGENCE, STAKES = "divergence", "stakes"
LIKELIEST, PLAYED = "likeliest", "played"
ROLES = ("search", "human", "played")
MEASURES = {"p": "p_human", "share": "visit_share"}
MEASURES |= {name: name for name in ("value", "error", "behind", "low", "high")}
"""What each of the three classes has in a decision table, and its name in a file."""
BIN, N_BINS = 0.05, 20
CLASS, LENS = "class", "lens"
BY_PROOF = "by all possible deals, each solved"  # where nothing says more of it
BEARS_OUT = {"nil-uncovered": (reasons.NIL_KEPT,), "bag": (reasons.BAG,)}
"""Kinds of the costliest outcome where a lens found the reason; of others contract or set."""

Cards = dict[str, NDArray]
"""By name of ``MEASURES``, ``OUTCOMES`` and ``NILS``, and ``cards``, a mask: rows of decisions as
(n, 13) arrays, the best class first; what a decision hasn't got is 0 or nan."""


def decision_table(rows: Rows, log: Log, first: int, model: HumanModel) -> pd.DataFrame:
    """A row a searched decision; ``log`` are the rounds from row ``first`` on.

    For each of search, human and played: ``*_cards``, the class as a mask, its ``*_p`` by the
    model, and of ``ClassValue`` its ``*_share``, ``*_value``, ``*_error``, ``*_behind``, ``*_low``
    and ``*_high``. ``*_lenses``: of a clear disagreement, what the lenses find of that class beside
    the best (of the best beside the human's likeliest), a mask as ``found_mask``; ``*_reason``: why
    it is worse. ``conclusion``, ``n_searches``: of the decision; ``n_good``: classes within the
    threshold of the best, itself counted, ``is_decided``: all others are clearly worse. Decisions
    that aren't ``is_valued`` are left out. Raises
    ``LogSearchError`` where the rows aren't of these rounds."""
    starts = rows.table[rows.starts]
    at, ply = starts["round"].astype(np.int64) - first, starts["ply"].astype(np.int64)
    seen = _observations(log, at, ply)
    cards = _by_decision(rows, seen, model)
    seat = np.array([one.seat for one in seen], dtype=np.int64)
    played = np.int64(1) << log.plays[at, ply].astype(np.int64)
    picks = {
        "search": np.zeros(len(starts), dtype=np.int64),
        "human": cards["p"].argmax(axis=1),
        "played": (cards["cards"] & played[:, None] != 0).argmax(axis=1),
    }
    is_good = cards["high"] <= THRESHOLD  # the best is 0 behind itself
    columns: dict[str, NDArray] = {
        "round": starts["round"],
        "ply": starts["ply"],
        "trick": starts["ply"] // N_SEATS,
        "seat": seat.astype(np.int8),
        "kind": log.kind[at, seat],
        "classes": (cards["cards"] != 0).sum(axis=1).astype(np.int8),
        "conclusion": np.array(search.KINDS, dtype=object)[starts["kind"]],
        "n_searches": starts["searches"],
        "n_good": is_good.sum(axis=1).astype(np.int8),
        "is_decided": (is_good | (cards["low"] > THRESHOLD) | (cards["cards"] == 0)).all(axis=1),
        "divergence": _divergences(cards),
    }
    decisions = np.arange(len(starts))
    for role, pick in picks.items():
        for name in ("cards", *MEASURES):
            columns[f"{role}_{name}"] = cards[name][decisions, pick]
    table = pd.DataFrame(columns | _explained(cards, picks, seen))
    return table[is_valued(starts)].reset_index(drop=True)


def is_valued(starts: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the searches valued all cards of each decision, from its best class's row. `best`
    plays some cards by rule, as one that ducks under its own nil: others it doesn't search."""
    known: NDArray[np.bool_] = np.isfinite(starts["behind"])
    return known


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
    sizes = np.diff(starts, append=len(table))
    decision = np.repeat(np.arange(len(starts)), sizes)
    column = np.arange(len(table)) - np.repeat(starts, sizes)
    held = np.zeros(len(starts), dtype=np.int64)
    np.bitwise_or.at(held, decision, table["cards"])
    legal = np.array([one.legal_mask for one in seen], dtype=np.int64)
    if len(seen) != len(starts) or (held != legal).any() or (sizes > HAND_SIZE).any():
        raise LogSearchError("what was searched are other rounds than the log has now")
    p = model.predict_proba(seen) if len(seen) else np.zeros((0, 0))
    likely = [
        p[i, seen[i].rules.cards.indices[list(cards_in(mask))]].sum()
        for i, mask in zip(decision.tolist(), table["cards"].tolist(), strict=True)
    ]

    def spread(values: Any, nothing: float, kind: type = np.float64) -> NDArray:
        array: NDArray = np.full((len(starts), HAND_SIZE), nothing, dtype=kind)
        array[decision, column] = values
        return array

    names = (*search.MEASURES, *OUTCOMES, *NILS)
    cards = {name: spread(table[name], np.nan) for name in names}
    shares = spread(table["share"], 0.0)
    return cards | {
        "cards": spread(table["cards"], 0, np.int64),
        "p": spread(likely, 0.0),
        "share": shares,
    }


def _divergences(cards: Cards) -> NDArray[np.float64]:
    p, q = cards["p"], cards["share"]
    middle = (p + q) / 2
    nats = (rel_entr(p, middle) + rel_entr(q, middle)).sum(axis=1) / 2
    return np.clip(nats / np.log(2), 0.0, 1.0)


def _explained(
    cards: Cards, picks: dict[str, NDArray], seen: Sequence[Observation]
) -> dict[str, NDArray]:
    """Lens masks and reasons by role; only clear disagreements are looked at."""
    masks = {role: np.zeros(len(seen), dtype=np.uint8) for role in ROLES}
    why = {role: np.full(len(seen), "", dtype=object) for role in ROLES}
    code = [[mask.bit_length() - 1 for mask in row] for row in cards["cards"].tolist()]

    for role in ROLES[1:]:
        rows = np.arange(len(seen))
        for i in np.flatnonzero(cards["low"][rows, picks[role]] > THRESHOLD).tolist():
            pick, scene = int(picks[role][i]), Scene(seen[i])
            other, best = code[i][pick], code[i][0]
            masks[role][i] = found_mask(scene, other, best)
            if role == "human":
                masks["search"][i] = found_mask(scene, best, other)
            led, best_led = (outcomes_of(cards, i, at) for at in (pick, 0))
            why[role][i] = why_worse(seen[i], (other, led), (best, best_led))
            if not why[role][i] and cards["error"][i, pick] == 0:
                why[role][i] = BY_PROOF
    found: dict[str, NDArray] = {f"{role}_lenses": masks[role] for role in ROLES}
    return found | {f"{role}_reason": why[role] for role in ROLES[1:]}


def outcomes_of(cards: Cards, i: int, pick: int) -> Outcomes:
    """What a class leads to; nan where it isn't known."""
    known = {name: float(cards[name][i, pick]) for name in OUTCOMES}
    nils = {seat: float(cards[name][i, pick]) for seat, name in enumerate(NILS)}
    return Outcomes(**known, nils={seat: p for seat, p in nils.items() if not np.isnan(p)})


def why_worse(seen: Observation, card: tuple[int, Outcomes], best: tuple[int, Outcomes]) -> str:
    """Why a card (its code and what it leads to) is worse than the best: the first thing that a
    lens finds of it and its costliest outcome bears out, then the outcomes; where no outcome is
    known, as of a proof, the lens alone. Empty where neither says anything."""
    (code, led), (other, best_led) = card, best
    terms = reasons.terms_of(led, best_led, seen)
    lenses = find_all(seen, code, other).items()
    is_known = not np.isnan(led.own_bags)
    found = [text for lens, text in lenses if not is_known or _is_borne_out(lens, terms)][:1]
    if outcomes := reasons.reason(led, best_led, seen, reasons.card_name(seen, other)):
        found.append(f"{reasons.card_name(seen, code)}: {outcomes}")
    return "; ".join(found)


def _is_borne_out(lens: str, terms: Sequence[reasons.Term]) -> bool:
    """Whether the costliest outcome is of a lens's kind; one on attacking a nil also needs that the
    nil is broken more often."""
    lost = next((term.kind for term in terms if term.points < 0), "")
    gained = [term.kind for term in terms if term.points > 0]
    is_of_its_kind = lost in BEARS_OUT.get(lens, (reasons.CONTRACT, reasons.SET))
    return is_of_its_kind and (lens != "nil-over-contract" or reasons.NIL_BROKEN in gained)


def judge(
    table: pd.DataFrame, threshold: float = THRESHOLD, against: str = LIKELIEST
) -> pd.DataFrame:
    """The table with ``stakes``, their interval ``low`` and ``high``, ``is_clear``, ``class`` and
    ``reason``; ``against``: the human's likeliest class or the one played. Classes are always
    against the human's likeliest."""
    other = "human" if against == LIKELIEST else "played"
    same = (table["search_cards"] == table["human_cards"]).to_numpy()
    is_clear = table["human_low"].to_numpy() > THRESHOLD
    is_trap = is_clear & (table["human_behind"].to_numpy() >= threshold)
    kinds = np.select(
        [same, is_trap & (table["search_p"].to_numpy() < RARE), is_trap, is_clear],
        [AGREED, FINDS, TRAP, OTHER],
        STYLE,
    )
    return table.assign(
        stakes=table[f"{other}_behind"],
        low=table[f"{other}_low"],
        high=table[f"{other}_high"],
        is_clear=table[f"{other}_low"] > THRESHOLD,
        reason=table[f"{other}_reason"],
        **{"class": kinds},
    )


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
    """Disagreements from ``least`` on, biggest first; where nothing parts them, in the log's
    order."""
    kept = judged[judged["is_clear"] & (judged[by] >= least)]
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
    n, rounds = by_round.total[:-1], (by_round.counts[:, :-1] > 0).sum(axis=0)
    of_rounds = rate_columns(np.full(len(n), len(by_round.counts)), rounds)
    table = pd.DataFrame([names for *names, _ in groups], columns=["kind", "name", "label"])
    return table.assign(
        n=n,
        of=by_round.total[-1],
        share=_shares(by_round.total),
        low=np.where(n, low, np.nan),
        high=np.where(n, high, np.nan),
        rounds=rounds,
        of_rounds=of_rounds["n"],
        round_share=of_rounds["rate"],
        round_low=of_rounds["low"],
        round_high=of_rounds["high"],
    )


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


def shown_rows(judged: pd.DataFrame, log: Log) -> pd.DataFrame:
    """The decisions as the page shows them: cards, what is at stake, and why."""
    texts = _card_texts(judged, log)
    ends = zip(judged["low"], judged["high"], strict=True)
    columns: dict[str, Any] = {
        "stakes": judged["stakes"],
        "interval": [f"{low:.1f} to {high:.1f}" if low < high else "exact" for low, high in ends],
        **{role: ["=".join(map(pretty, cards)) for cards in texts[role]] for role in ROLES},
        "reason": judged["reason"],
        **{name: judged[name] for name in ("human_p", "search_p", "conclusion", "n_searches")},
        "divergence": judged["divergence"],
        "class": judged["class"].map(CLASS_LABELS),
        "seat": [seat_name(seat) for seat in judged["seat"]],
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
        **{name: judged[name] for name in ("classes", "conclusion", "n_searches", "divergence")},
        **{name: judged[name] for name in ("stakes", "low", "high", "class", "reason")},
    }
    for role in ROLES:
        columns[f"{role}_cards"] = [" ".join(cards) for cards in texts[role]]
        for part, name in MEASURES.items():
            columns[f"{role}_{name}"] = judged[f"{role}_{part}"]
        columns[f"{role}_lenses"] = [" ".join(names_in(int(m))) for m in judged[f"{role}_lenses"]]
    return pd.DataFrame(columns | facts).reset_index(drop=True)


def _card_texts(judged: pd.DataFrame, log: Log) -> dict[str, list[list[str]]]:
    """The cards of each role's class, highest first."""
    decks = [rules.cards for rules in log.rules]
    codes = log.rules_code[judged["round"].to_numpy(int)]
    return {
        role: [
            [decks[code].format_card(card) for card in sorted(cards_in(mask), reverse=True)]
            for code, mask in zip(codes, judged[f"{role}_cards"].tolist(), strict=True)
        ]
        for role in ROLES
    }
