"""The shipped suite of 60 positions: ``python -m experiments.make_suite``.

Writes ``data/suites/sixty.jsonl``. A position is known in one of two ways:

- By the *truth set*, of its half to report on alone, to which nothing was fitted. Its best class is
  ahead of each wrong one by ``LEAST_LEAD`` points or more and by ``LEAST_Z`` standard errors or
  more, in the same 1,000 deals; every other class that was played out is acceptable: no more than
  ``ACCEPTED`` points behind, and by its 95% interval no more than ``ACCEPTED_AT_MOST``. Cards that
  the set didn't play out are in no list: all of its four judges put them 15 points behind.
- By *proof*, in rounds of shipped logs: every possible deal of the last tricks is solved, and in
  each of them nothing is worth more than the best class; a wrong one is behind by ``PROVEN_LEAD``
  points or more in the mean, every other one by ``ACCEPTED`` at most. Since proofs are with open
  hands, the deals are played out too, by agents that see their own hands alone: they must realise
  ``REALISED`` of each lead or more, by ``REALISED_Z`` standard errors. So that the answer isn't
  plain, simulated humans play a wrong card with a probability of ``TEMPTING`` or more.

What a position is about, its first theme, is the outcome that gives the best class most of its
lead over the wrong one that comes nearest: a nil of the seat's own, of its partner's or of an
opponent's, a contract, bags. Outcomes are those of the deals played out, or solved. A partner's nil
is *covered* where that costs something: solved with nils worth nothing, a wrong card is ahead by
``COVERS_COST`` points or more. ``QUOTAS`` says how many of each theme are known in which way. Of
the truth set those come first whose round is younger, then whose lead is surer; of proofs, those
found first. Some five minutes of one core, most of them for nils that are covered.
"""

import argparse
import math
import random
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from analysis.decisions.conclusion import ClassValue, interval_around
from analysis.decisions.lenses import Scene
from analysis.decisions.proof import is_provable, prove
from analysis.decisions.reasons import terms_of
from analysis.decisions.truth import REPORT, TruthDecision, truth_set
from analysis.phases import PHASES, phase_of
from analysis.runs.command import say
from analysis.suites.position import PROOF, TRUTH, Known, SuitePosition
from analysis.suites.suite import FOLDER, write_suite
from experiments.find_contradictions import random_rounds
from experiments.truth_set import PLAYER
from spades.agents import parse_agent
from spades.agents.compiled_search import PlayedOnBySearch
from spades.belief import every_deal
from spades.core.cards import SPADES, partner_of, partnership_of, suit_mask, suit_of
from spades.core.kernel import FloatArray
from spades.core.observation import Observation
from spades.core.records import Record
from spades.core.rules import NIL_BID, Round
from spades.human import load_model
from spades.notation.log_store import open_log
from spades.search.alpha_beta import Memory
from spades.search.outcomes import (
    BAGS,
    N_MADE,
    NILS,
    Outcomes,
    endings_from,
    outcome_points,
    outcome_table,
)
from spades.search.solver import Solver

OUT = FOLDER / "sixty.jsonl"
LEAST_LEAD = 3.0  # points
LEAST_Z = 4.0
ACCEPTED = 1.0  # points
ACCEPTED_AT_MOST = 3.0
PROVEN_LEAD = 5.0
REALISED = 0.5  # of a proven lead
REALISED_Z = 3.0
PLAYED_DEALS = 200  # or all that are possible, if they are more
TEMPTING = 0.3
HUMAN = "devlin2016-nil"
COVERS_COST = 1.0  # points
LAST_PLIES = range(36, 48)
MOST_DEALS = 400  # each is played to its end, which takes some milliseconds
SEED = 431
LOGS = ("four-humans", "four-ismcts", "four-quick-ismcts", "four-srp-nil", "human-south")
OWN_NIL = "protecting a nil"
COVER = "nil cover"
PARTNERS_NIL = "partner's nil"
SETTING_NIL = "setting a nil"
CONTRACT = "contract at stake"
SETTING = "setting a contract"
BAG = "bags"
ENDGAME = "endgame proof"
TRUMPS = "counting trumps"
QUOTAS = {
    OWN_NIL: (7, 3),
    COVER: (0, 8),
    PARTNERS_NIL: (7, 0),
    SETTING_NIL: (8, 3),
    CONTRACT: (8, 2),
    SETTING: (6, 2),
    BAG: (4, 2),
}
"""By theme: positions by the truth set, and by proof."""


class Found(NamedTuple):
    """A position before it has a name: ``theme``, its first; ``z``: how sure its lead is."""

    theme: str
    z: float
    position: SuitePosition


def by_truth() -> Iterator[Found]:
    """The decisions of the truth set that are sure enough."""
    for decision in truth_set():
        if decision.half == REPORT:
            found = sure_decision(decision)
            if found is not None:
                yield found


def sure_decision(decision: TruthDecision) -> Found | None:
    """A position of the truth set; None where a class is neither acceptable nor wrong, or none is
    wrong."""
    best = int(np.argmax(decision.values))
    wrong = []
    acceptable = []
    for i in range(len(decision.classes)):
        lead, error = decision.lead(best, i)
        if i == best:
            continue
        if lead >= LEAST_LEAD and lead >= LEAST_Z * error:
            wrong.append(i)
        elif lead <= ACCEPTED and interval_around(lead, error)[1] <= ACCEPTED_AT_MOST:
            acceptable.append(i)
        else:
            return None
    if not wrong:
        return None
    nearest = min(wrong, key=lambda i: decision.lead(best, i)[0])
    lead, error = decision.lead(best, nearest)
    seen = decision.observation
    outcomes = decision.outcomes[[best, nearest]]
    theme = theme_of(seen, outcomes)
    card = decision.classes[best][0]
    other = decision.classes[nearest][0]
    z = lead / error if error else math.inf
    interval = interval_around(lead, error)
    known = Known(TRUTH, decision.deals, lead, interval)
    surely = f"95%: {interval[0]:.1f} to {interval[1]:.1f}; z = {z:.1f}"
    if z == math.inf:
        surely = "the same in each"
    reason = (
        f"{card} is worth {lead:.1f} points more than {other} ({surely}) in {decision.deals:,} "
        f"deals that four of {PLAYER} played out{why(seen, outcomes, other)}."
    )
    themes = themes_of(theme, seen, card, other, known)
    position = SuitePosition(
        id="",
        record=decision.record,
        ply=decision.ply,
        themes=themes,
        best=(card,),
        acceptable=tuple(decision.classes[i][0] for i in acceptable),
        wrong=tuple(decision.classes[i][0] for i in wrong),
        known=known,
        reason=reason,
    )
    return Found(theme, z, position)


def by_proof(wanted: Counter[str]) -> Iterator[Found]:
    """Proven decisions of random rounds of shipped logs, one a round, of the themes wanted."""
    rng = random.Random(SEED)
    logs = [open_log(name) for name in LOGS]
    for record in random_rounds(logs, rng):
        if not wanted.total():
            return
        for ply in rng.sample(LAST_PLIES, len(LAST_PLIES)):
            if set(+wanted) == {COVER} and not may_cover(record, ply):
                continue
            found = proven_decision(record, ply, set(+wanted))
            if found is not None:
                wanted[found.theme] -= 1
                say(f"{found.theme}; {wanted.total()} proofs to find")
                yield found
                break


def proven_decision(record: Record, ply: int, wanted: Collection[str]) -> Found | None:
    """A position of a theme that is wanted, proven by all possible deals; None where it isn't, or
    isn't tempting."""
    seen = record.observation(ply)
    if not is_provable(seen):
        return None
    proven = prove(seen)
    if proven is None or proven.proof is None or not proven.proof.is_sure:
        return None
    n_deals = proven.proof.deals
    wrong = [row for row in proven.classes if row.behind >= PROVEN_LEAD]
    good = [row for row in proven.classes if row.behind == 0]
    acceptable = [row for row in proven.classes if 0 < row.behind <= ACCEPTED]
    is_whole = len(wrong) + len(good) + len(acceptable) == len(proven.classes)
    if not wrong or not is_whole or n_deals > MOST_DEALS or not is_tempting(seen, wrong):
        return None
    best = good[0]
    nearest = wrong[0]
    lead = nearest.behind
    outcomes = solved_outcomes(record.at(ply), seen, [best.cards[0], nearest.cards[0]])
    theme = theme_of(seen, outcomes)
    if theme == PARTNERS_NIL and may_cover(record, ply) and is_cover(seen, best.cards[0], wrong):
        theme = COVER
    realised = realised_leads(seen, [best, *wrong]) if theme in wanted else None
    if realised is None:
        return None
    known = Known(PROOF, n_deals, lead, (lead, lead))
    deals = "In the only possible deal" if n_deals == 1 else f"In each of {n_deals} possible deals"
    reason = (
        f"{deals} nothing is worth more than {best.cards[0]}; {nearest.cards[0]} is worth "
        f"{lead:.1f} points less on average{why(seen, outcomes, nearest.cards[0])}. "
        f"Four of {PLAYER} realise {realised[0]:.1f} of them."
    )
    position = SuitePosition(
        id="",
        record=record,
        ply=ply,
        themes=themes_of(theme, seen, best.cards[0], nearest.cards[0], known),
        best=tuple(str(row.cards[0]) for row in good),
        acceptable=tuple(str(row.cards[0]) for row in acceptable),
        wrong=tuple(str(row.cards[0]) for row in wrong),
        known=known,
        reason=reason,
    )
    return Found(theme, math.inf, position)


def realised_leads(seen: Observation, classes: Sequence[ClassValue]) -> FloatArray | None:
    """The leads of the first class over the others where four of ``PLAYER`` play all possible deals
    out; None where one of them isn't realised."""
    deals = np.array([list(deal) for deal in every_deal(seen)])
    deals = np.repeat(deals, math.ceil(PLAYED_DEALS / len(deals)), axis=0)
    cards = [seen.rules.cards.parse_card(row.cards[0]) for row in classes]
    table = PlayedOnBySearch(seen, parse_agent(PLAYER).player)
    points = table.points(table.tricks(deals, cards, range(len(deals)))).astype(float)
    leads = points[:, [0]] - points[:, 1:]
    means = leads.mean(axis=0)
    errors = leads.std(axis=0, ddof=1) / math.sqrt(len(leads))
    proven = np.array([row.behind for row in classes[1:]])
    is_realised = (means >= REALISED * proven) & (means >= REALISED_Z * errors)
    return means if is_realised.all() else None


def is_tempting(seen: Observation, wrong: list[ClassValue]) -> bool:
    """Whether simulated humans often play a wrong card."""
    p = load_model(HUMAN).probabilities(seen)
    return sum(p[card] for row in wrong for card in row.cards) >= TEMPTING


def may_cover(record: Record, ply: int) -> bool:
    """Whether one seat alone has bid nil, the partner of the seat to play, and it is alive."""
    if record.bids.count(NIL_BID) != 1:
        return False
    scene = Scene(record.observation(ply))
    return scene.nil_alive(scene.partner)


def is_cover(seen: Observation, best: str, wrong: Sequence[ClassValue]) -> bool:
    """Whether, if nils were worth nothing, a wrong card would be ahead of the best in the mean of
    all possible deals. Partner's is the only one."""
    table = seen.table.copy()
    table.rules = replace(table.rules, nil=None, blind_nil=None)  # a bid of 0 is a contract of 0
    solver = Solver(table)
    values = [solver.values(deal) for deal in every_deal(seen)]
    parse_card = seen.rules.cards.parse_card

    def mean(card: str) -> float:
        return float(np.mean([value[parse_card(card)] for value in values]))

    return max(mean(row.cards[0]) for row in wrong) >= mean(best) + COVERS_COST


def solved_outcomes(state: Round, seen: Observation, cards: list[str]) -> FloatArray:
    """Mean outcomes (cards, 8) over all possible deals, all four hands open and played on without a
    mistake; columns as in ``outcome_table``."""
    memory = Memory.new()
    table = seen.table
    taken = tuple(table.tricks_taken)
    rows = outcome_table(table.rules, tuple(table.bids), taken)
    places = endings_from(taken).places
    sums = np.zeros((len(cards), rows.shape[1]))
    n_deals = 0
    for deal in every_deal(seen):
        n_deals += 1
        for i, card in enumerate(cards):
            ending = Round(state.table.copy(), [int(hand) for hand in deal])
            ending.play(ending.table.rules.cards.parse_card(card))
            while not ending.table.is_over:
                values = Solver(ending.table, memory).values(ending.hands)
                ending.play(max(values, key=values.__getitem__))
            north, east, south, _ = ending.table.tricks_taken
            sums[i] += rows[places[north, east, south]]
    return sums / n_deals


def theme_of(seen: Observation, outcomes: FloatArray) -> str:
    """What the best card gains most by; ``outcomes`` (2, 8): of the best and of the wrong one that
    comes nearest."""
    points = outcome_points(seen) * (outcomes[0] - outcomes[1])
    largest = int(points.argmax())
    own = partnership_of(seen.seat)
    if largest >= NILS:
        bidder = largest - NILS
        if bidder == seen.seat:
            return OWN_NIL
        return PARTNERS_NIL if bidder == partner_of(seen.seat) else SETTING_NIL
    if largest >= BAGS:
        return BAG
    return CONTRACT if largest == N_MADE + own else SETTING


def themes_of(
    theme: str, seen: Observation, card: str, other: str, known: Known
) -> tuple[str, ...]:
    """The theme, then: proven in the last tricks; a choice on lead between a spade and another suit
    while others hold spades; the phase of the round."""
    themes = [theme]
    if known.by == PROOF:
        themes.append(ENDGAME)
    suits = [suit_of(seen.rules.cards.parse_card(name)) for name in (card, other)]
    has_spade = suits.count(SPADES) == 1
    if has_spade and not seen.table.trick and seen.unseen_mask & suit_mask(SPADES):
        themes.append(TRUMPS)
    return (*themes, phase_of(len(seen.table.plays)))


def why(seen: Observation, outcomes: FloatArray, other: str) -> str:
    """The largest term of the lead in words, of which ``theme_of`` speaks; empty where it is none
    of a point. ``other``: the wrong card."""
    best, wrong = (Outcomes.of(row, seen) for row in outcomes)
    gains = [term.text for term in terms_of(best, wrong, seen) if term.points > 0]
    return f": it {gains[0].replace('(', f'({other} ')}" if gains else ""


def make() -> list[SuitePosition]:
    """All positions, by theme, those of the truth set first."""
    kept = {theme: list[SuitePosition]() for theme in QUOTAS}
    phases = list(PHASES)
    ordered = sorted(by_truth(), key=lambda found: (phases.index(_phase(found)), -found.z))
    for found in ordered:
        if len(kept[found.theme]) < QUOTAS[found.theme][0]:
            kept[found.theme].append(found.position)
    for found in by_proof(Counter({theme: n for theme, (_, n) in QUOTAS.items()})):
        kept[found.theme].append(found.position)
    return [
        _named(position, theme, i)
        for theme, positions in kept.items()
        for i, position in enumerate(positions, 1)
    ]


def _phase(found: Found) -> str:
    return phase_of(found.position.ply)


def _named(position: SuitePosition, theme: str, number: int) -> SuitePosition:
    return replace(position, id=f"{theme.replace(' ', '-')}-{number:02}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=OUT, help="where to write (default: shipped)")
    options = parser.parse_args()
    positions = make()
    write_suite(positions, options.out)
    say(f"{len(positions)} positions written to {options.out}")


if __name__ == "__main__":
    main()
