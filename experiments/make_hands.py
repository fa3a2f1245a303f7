"""Make the hands that Replay ships with: ``python -m experiments.make_hands RECORDS_FOLDER``.

Re-encodes three records of real hands as JSON Lines, names and ids left out, plays one round with a
nil between four searches (simulated; seed below), and takes from the shipped disagreements the
round on which Replay opens. ``data/README.md`` lists the results.
"""

import random
import sys
from dataclasses import replace
from pathlib import Path

from analysis.decisions.conclusion import CLEAR
from analysis.disagreements.judged import PLAYED, judge
from analysis.disagreements.stored import shipped
from analysis.disagreements.table import decision_table
from spades.core.cards import N_SEATS, SPADES_MASK, mask_of
from spades.core.observation import observe
from spades.core.paths import DATA
from spades.core.records import Record
from spades.core.rules import NIL_BID, Round, Rules
from spades.human import load_model
from spades.notation import read_path, write_path
from spades.notation.hands import record_of_table
from spades.notation.log_store import open_log
from spades.search import search

HANDS = DATA / "hands"
SOURCES = {
    "bug-report-335": ("trickster_335.ptn", "A bug report: one human, three bots"),
    "four-bots": ("standard_bots.ptn", "Four bots, standard deck"),
    "deal-231": ("trickster_231_deal_only.ptn", "A deal from a bug report"),
}
NIL_SEED = 7
ITERATIONS = 2500
LOG = "human-south"
MODEL = "devlin2016"
FEWEST_CLASSES = 4  # of cards to choose from
AMONG_ROUNDS = 15
"""Judging more rounds of the log must not change the hand that Replay opens on."""


def reencode(folder: Path) -> None:
    """The records of real hands, without names."""
    for name, (file, title) in SOURCES.items():
        record = read_path(folder / file).records[0]
        bare = replace(record, players=("",) * 4, game_id=title, source="public bug report")
        write_path([bare], HANDS / f"{name}.jsonl")


def play_nil_round() -> Record:
    """A round in which South bids nil on a hand low enough, played by four searches."""
    rules = Rules()
    rng = random.Random(NIL_SEED)
    cards = [int(card) for card in rules.cards.codes]
    is_low_enough = False
    while not is_low_enough:
        rng.shuffle(cards)
        hands = [mask_of(cards[seat::4]) for seat in range(4)]
        highest = max(card % 16 for card in cards[2::4])
        is_low_enough = highest <= 9 and hands[2] & SPADES_MASK < 1 << 6
    state = Round.deal(rules, 3, hands)
    for seat, bid in enumerate((5, 3, 0, 3)):
        state.table.bid(seat, bid)
    dealt = tuple(state.hands)
    while not state.table.is_over:
        result = search(observe(state), iterations=ITERATIONS, seed=len(state.table.plays))
        state.play(result.best.card)
    return record_of_table(
        state.table,
        dealt,
        game_id="South bids nil: four searches (simulated)",
        score_before=(0, 0),
        bags_before=(0, 0),
        agents=(f"ismcts:iterations={ITERATIONS}",) * 4,
        seed=NIL_SEED,
        source="python -m experiments.make_hands",
    )


def find_showpiece() -> tuple[int, int]:
    """Round and ply of the shipped disagreement that shows most of what Replay is for.

    It is of the first ``AMONG_ROUNDS`` rounds. A nil is alive; of at least ``FEWEST_CLASSES``
    classes of cards the judge puts all but the best behind; the card played is the one that a human
    most likely plays. Of these the costliest."""
    log = open_log(LOG)
    (search,) = [one for one in shipped() if one.question["log"] == LOG]
    rows = search.rows.within(0, AMONG_ROUNDS)
    table = decision_table(rows, log.take(slice(AMONG_ROUNDS)), 0, load_model(MODEL))
    judged = judge(table, against=PLAYED).sort_values("stakes", ascending=False)
    is_fit = (
        (judged["conclusion"] == CLEAR)
        & judged["is_decided"]
        & (judged["classes"] >= FEWEST_CLASSES)
        & (judged["human_cards"] == judged["played_cards"])
    )
    for row in judged[is_fit].itertuples():
        record = log.record(row.round)
        taken = record.at(row.ply).table.tricks_taken
        if any(record.bids[seat] == NIL_BID and not taken[seat] for seat in range(N_SEATS)):
            return row.round, row.ply
    raise LookupError(f"no disagreement of {LOG} is fit")


def showpiece() -> Record:
    """The round of ``find_showpiece`` under a title of its own."""
    index, _ = find_showpiece()
    return replace(
        open_log(LOG).record(index),
        game_id="North bids nil: three searches, a human (simulated)",
        round_index=0,
        source=f"round {index} of the log {LOG}",
    )


if __name__ == "__main__":
    HANDS.mkdir(exist_ok=True)
    reencode(Path(sys.argv[1]))
    write_path([play_nil_round()], HANDS / "south-nil.jsonl")
    write_path([showpiece()], HANDS / "north-nil.jsonl")
