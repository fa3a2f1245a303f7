"""Where search and humans disagree over a whole log: by how much, at what cost, and why.

A row of the decision table is a choice between classes of equivalent cards. Three classes matter:
the best by the judge's conclusion (``search``), the one a human most likely plays by a model
(``human``), and that of the card ``played``; shares of visits are the agent's. Names and shares of
disagreements are in ``analysis.disagreements.judged``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import rel_entr

from analysis.decisions import reasons
from analysis.decisions.conclusion import AS_GOOD, BEHIND, OPEN
from analysis.decisions.lenses import Scene, find_all, found_mask
from analysis.disagreements import rows as columns_of
from analysis.disagreements.plan import LogSearchError
from analysis.disagreements.rows import KINDS, NILS, OUTCOMES, STANDINGS, Rows
from spades.core.cards import HAND_SIZE, N_SEATS, cards_in
from spades.core.kernel import BoolArray, FloatArray
from spades.core.logs import Log, repeated_rounds
from spades.core.observation import Observation
from spades.human.model import HumanModel
from spades.search.outcomes import Outcomes

SEARCH = "search"
HUMAN = "human"
PLAYED = "played"
ROLES = (SEARCH, HUMAN, PLAYED)
MEASURES = {
    "p": "p_human",
    "share": "visit_share",
    "value": "value",
    "error": "error",
    "behind": "behind",
    "low": "low",
    "high": "high",
}
"""What each of the three classes has in a decision table, and its name in a file."""
BY_PROOF = "by all possible deals, each solved"  # where nothing more can be said of a card
CONFIRMING_TERMS = {"nil-uncovered": (reasons.NIL_KEPT,), "bag": (reasons.BAG,)}
"""By lens: a lens's finding is confirmed if the card's costliest outcome is of one of these."""
OTHER_CONFIRMING_TERMS = (reasons.CONTRACT, reasons.SET)
Classes = dict[str, NDArray]
"""The classes of n decisions, (n, 13) arrays, the best first, by name of ``MEASURES``, ``OUTCOMES``
and ``NILS``, and ``cards``, a mask; 0 or nan after the last class."""


def decision_table(rows: Rows, log: Log, first: int, model: HumanModel) -> pd.DataFrame:
    """A row for each searched decision; ``log``: its rounds, from row ``first`` on.

    For each of search, human and played: ``*_cards``, the class as a mask, its ``*_p`` by the
    model, and of ``ClassValue`` its ``*_share``, ``*_value``, ``*_error``, ``*_behind``, ``*_low``
    and ``*_high``, and whether it ``*_is_behind``. ``*_lenses``: of a clear disagreement, what the
    lenses find of that class beside the best (of the best beside the human's likeliest), a mask as
    ``found_mask``; ``*_reason``: why it is worse. ``conclusion``, ``n_rounds``: of the decision;
    ``n_good``: classes as good as the best, itself counted; ``is_decided``: all others are clearly
    worse; ``divergence``: Jensen-Shannon between visit shares and human probabilities over the
    classes, bits. Decisions that aren't ``is_valued`` are left out. Raises ``LogSearchError`` where
    the rows aren't of these rounds.
    """
    starts = rows.table[rows.starts]
    rounds = starts["round"].astype(np.int64) - first
    plies = starts["ply"].astype(np.int64)
    observations = _observations(log, rounds, plies)
    classes = _by_decision(rows, observations, model)
    seats = np.array([seen.seat for seen in observations], dtype=np.int64)
    cards_played = log.plays[rounds, plies].astype(np.int64)
    is_played = classes["cards"] >> cards_played[:, None] & 1
    picks = {
        SEARCH: np.zeros(len(starts), dtype=np.int64),
        HUMAN: classes["p"].argmax(axis=1),
        PLAYED: is_played.argmax(axis=1),
    }
    is_class = classes["cards"] != 0
    is_good = classes["standing"] == STANDINGS.index(AS_GOOD)
    is_worse = classes["standing"] == STANDINGS.index(BEHIND)
    columns: dict[str, NDArray] = {
        "round": starts["round"],
        "ply": starts["ply"],
        "trick": starts["ply"] // N_SEATS,
        "seat": seats.astype(np.int8),
        "kind": log.kind[rounds, seats],
        "classes": is_class.sum(axis=1).astype(np.int8),
        "conclusion": np.array(KINDS, dtype=object)[starts["kind"]],
        "n_rounds": starts["played_on"],
        "n_good": is_good.sum(axis=1).astype(np.int8),
        "is_decided": (is_good | is_worse | ~is_class).all(axis=1),
        "divergence": _divergences(classes),
    }
    decisions = np.arange(len(starts))
    for role, pick in picks.items():
        for name in ("cards", *MEASURES):
            columns[f"{role}_{name}"] = classes[name][decisions, pick]
        columns[f"{role}_is_behind"] = is_worse[decisions, pick]
    columns |= _explained(classes, picks, observations)
    table = pd.DataFrame(columns)
    return table[is_valued(starts)].reset_index(drop=True)


def whole_table(tables: Sequence[pd.DataFrame], log: Log, model: HumanModel) -> pd.DataFrame:
    """The decision tables of rounds of a log as one, without rounds that repeat another."""
    if not tables:
        return decision_table(columns_of.joined([]), log, 0, model)
    table = pd.concat(tables, ignore_index=True)
    (is_repeated,) = repeated_rounds([log])
    return table[~is_repeated[table["round"]]].reset_index(drop=True)


def is_valued(starts: NDArray[Any]) -> BoolArray:
    """Whether the judge valued the cards of each decision, from its best class's row."""
    return np.asarray(np.isfinite(starts["behind"]))


def _observations(log: Log, rounds: NDArray, plies: NDArray) -> list[Observation]:
    """The observations of the seats to play; rounds and plies are in the order of play."""
    observations = []
    for index in np.unique(rounds):
        wanted = set(plies[rounds == index].tolist())
        record = log.record(int(index))
        for ply, state in enumerate(record.positions()):
            if ply in wanted:
                observations.append(record.observe(state))
    return observations


def _by_decision(rows: Rows, observations: Sequence[Observation], model: HumanModel) -> Classes:
    """The rows by decision, with the model's probabilities. Raises ``LogSearchError`` where they
    aren't the legal cards."""
    table = rows.table
    starts = rows.starts
    n_classes = np.diff(starts, append=len(table))
    decision = np.repeat(np.arange(len(starts)), n_classes)
    column = np.arange(len(table)) - np.repeat(starts, n_classes)
    _check_cards(table["cards"], decision, n_classes, observations)

    def spread(values: Any, nothing: float, kind: type = np.float64) -> NDArray:
        array: NDArray = np.full((len(starts), HAND_SIZE), nothing, dtype=kind)
        array[decision, column] = values
        return array

    classes = {}
    for name in (*columns_of.MEASURES, *OUTCOMES, *NILS):
        classes[name] = spread(table[name], np.nan)
    classes["standing"] = spread(table["standing"], STANDINGS.index(OPEN), np.int8)
    classes["cards"] = spread(table["cards"], 0, np.int64)
    classes["share"] = spread(table["share"], 0.0)
    p = _class_probabilities(table["cards"], decision, observations, model)
    classes["p"] = spread(p, 0.0)
    return classes


def _check_cards(
    masks: NDArray, decision: NDArray, n_classes: NDArray, observations: Sequence[Observation]
) -> None:
    """Refuse classes that aren't the legal cards of their decisions."""
    searched = np.zeros(len(n_classes), dtype=np.int64)
    np.bitwise_or.at(searched, decision, masks)
    legal = np.array([seen.legal_mask for seen in observations], dtype=np.int64)
    is_same = len(legal) == len(searched) and (searched == legal).all()
    if not is_same or (n_classes > HAND_SIZE).any():
        raise LogSearchError("what was searched are other rounds than the log has now")


def _class_probabilities(
    masks: NDArray, decision: NDArray, observations: Sequence[Observation], model: HumanModel
) -> list[float]:
    """How likely a human plays each class, by the model."""
    if not observations:
        return []
    p_of_cards = model.predict_proba(observations)
    p_of_classes = []
    for i, mask in zip(decision.tolist(), masks.tolist(), strict=True):
        deck = observations[i].rules.cards
        indices = deck.indices[list(cards_in(mask))]
        p_of_classes.append(p_of_cards[i, indices].sum())
    return p_of_classes


def _divergences(classes: Classes) -> FloatArray:
    """Jensen-Shannon divergence of the model and the visit shares, bits, 0 to 1."""
    human = classes["p"]
    visits = classes["share"]
    middle = (human + visits) / 2
    terms = rel_entr(human, middle) + rel_entr(visits, middle)
    nats = terms.sum(axis=1) / 2
    return np.clip(nats / np.log(2), 0.0, 1.0)


@dataclass(frozen=True)
class RatedCard:
    """A card's code, and the outcomes of playing it."""

    code: int
    outcomes: Outcomes


def _explained(
    classes: Classes, picks: dict[str, NDArray], observations: Sequence[Observation]
) -> dict[str, NDArray]:
    """Columns of lens masks and reasons by role, 0 and '' but for clear disagreements."""
    n = len(observations)
    columns: dict[str, NDArray] = {}
    for role in ROLES:
        columns[f"{role}_lenses"] = np.zeros(n, dtype=np.uint8)
    for role in (HUMAN, PLAYED):
        columns[f"{role}_reason"] = np.full(n, "", dtype=object)
        pick = picks[role]
        is_clear = classes["standing"][np.arange(n), pick] == STANDINGS.index(BEHIND)
        for i in np.flatnonzero(is_clear).tolist():
            seen = observations[i]
            other = rated_card(classes, i, int(pick[i]))
            best = rated_card(classes, i, 0)
            scene = Scene(seen)
            columns[f"{role}_lenses"][i] = found_mask(scene, other.code, best.code)
            if role == HUMAN:
                columns[f"{SEARCH}_lenses"][i] = found_mask(scene, best.code, other.code)
            reason = why_worse(seen, other, best)
            if not reason and classes["error"][i, pick[i]] == 0:
                reason = BY_PROOF
            columns[f"{role}_reason"][i] = reason
    return columns


def rated_card(classes: Classes, i: int, column: int) -> RatedCard:
    """The highest card of a class of decision ``i``; outcomes that aren't known are nan."""
    mask = int(classes["cards"][i, column])
    known = {name: float(classes[name][i, column]) for name in OUTCOMES}
    nils = {}
    for seat, name in enumerate(NILS):
        p = float(classes[name][i, column])
        if not np.isnan(p):
            nils[seat] = p
    return RatedCard(mask.bit_length() - 1, Outcomes(**known, nils=nils))


def why_worse(seen: Observation, card: RatedCard, best: RatedCard) -> str:
    """Why a card is worse than the best; empty if no reason is known.

    First what a lens finds of it, the first lens that the costliest outcome confirms; then the
    outcomes. Where no outcome is known, as of a proof, what the first lens finds alone.
    """
    terms = reasons.terms_of(card.outcomes, best.outcomes, seen)
    has_outcomes = not np.isnan(card.outcomes.own_bags)
    texts = []
    for lens, text in find_all(seen, card.code, best.code).items():
        if not has_outcomes or _is_confirmed(lens, terms):
            texts.append(text)
            break
    best_name = reasons.card_name(seen, best.code)
    outcomes = reasons.reason(card.outcomes, best.outcomes, seen, best_name)
    if outcomes:
        texts.append(f"{reasons.card_name(seen, card.code)}: {outcomes}")
    return "; ".join(texts)


def _is_confirmed(lens: str, terms: Sequence[reasons.Term]) -> bool:
    """Whether the costliest outcome confirms a lens; one on attacking a nil also needs that the nil
    is broken more often."""
    losses = [term.kind for term in terms if term.points < 0]
    gains = [term.kind for term in terms if term.points > 0]
    confirming = CONFIRMING_TERMS.get(lens, OTHER_CONFIRMING_TERMS)
    if not losses or losses[0] not in confirming:
        return False
    return lens != "nil-over-contract" or reasons.NIL_BROKEN in gains
