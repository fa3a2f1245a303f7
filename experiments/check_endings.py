"""Conclusions of the last tricks held against the proof: ``python -m experiments.check_endings``.

Of ``--hands`` rounds of shipped logs every decision of the last three tricks whose possible deals
can all be listed is judged, and held against the points of every card in every deal. Prints the
faults, and writes ``data/tables/endings.json``: the number of ``decisions``, in how many of these
one class is best in every deal (``proven``), and the faults:

- ``against_the_proof``: one class is best in every deal, and the judge puts another first, or calls
  a class behind that is proven as good.
- ``clear_of_equals``: clear, though another class is worth the same in every deal and the
  conclusion doesn't say what is gained if the others err.

Some 20 minutes of one core.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator

from analysis.decisions.conclusion import BEHIND, CLEAR, Conclusion
from analysis.decisions.evidence import decide
from analysis.decisions.judge import judge_settings
from analysis.decisions.proof import is_provable, prove
from analysis.decisions.settings import AnalysisSettings
from analysis.runs.command import say
from experiments.command import make_table, number
from spades.core.documents import Document
from spades.core.paths import DATA
from spades.core.records import Record
from spades.notation.log_store import list_logs, open_log

SEED = 405
HANDS = 300
LAST_PLIES = range(40, 52)
BUDGET = 0.5  # seconds of one core a decision
FAULTS = AGAINST_PROOF, CLEAR_OF_EQUALS = "against_the_proof", "clear_of_equals"
PATH = DATA / "tables" / "endings.json"


def fault_of(found: Conclusion, proven: Conclusion) -> str:
    """What is wrong with a conclusion by a proof; empty where nothing is."""
    best = {candidate.cards for candidate in proven.within}
    if proven.is_proven:
        behind = {candidate.cards for candidate in found.classes if candidate.standing == BEHIND}
        if found.best.cards not in best or behind & best:
            return AGAINST_PROOF
    proof = found.proof
    equals = proof.equal_to(found.best.cards) if proof else []
    if found.kind == CLEAR and equals and (proof is None or proof.gain is None):
        return CLEAR_OF_EQUALS
    return ""


def random_records(n: int) -> Iterator[Record]:
    """So many whole rounds, drawn from all shipped logs."""
    rng = random.Random(SEED)
    logs = [open_log(entry.name) for entry in list_logs()]
    for _ in range(n):
        log = rng.choice(logs)
        yield log.record(rng.randrange(len(log)))


def make(options: argparse.Namespace) -> Document:
    """The table."""
    settings = judge_settings(AnalysisSettings())
    counts: Counter[str] = Counter()
    for n_done, record in enumerate(random_records(options.hands), 1):
        for ply in LAST_PLIES:
            if not is_provable(record.observation(ply)):
                continue
            proven = prove(record.observation(ply))
            found = decide(record, ply, settings, budget=BUDGET)
            if proven is None or found is None:
                counts["not_judged"] += 1
                continue
            counts["decisions"] += 1
            counts["proven"] += proven.is_proven
            fault = fault_of(found, proven)
            if fault:
                counts[fault] += 1
                say(f"{fault}: {record.observation(ply).text()} | {found.kind}")
        if n_done % 50 == 0:
            say(f"{n_done} of {options.hands} hands")
    return table_of(counts, options.hands)


def table_of(counts: Counter[str], n_hands: int) -> Document:
    return {
        "made_by": f"python -m experiments.check_endings --hands {n_hands}",
        "hands": n_hands,
        **{name: counts[name] for name in ("decisions", "proven", "not_judged", *FAULTS)},
    }


if __name__ == "__main__":
    make_table(__doc__, PATH, make, number("--hands", HANDS, "of shipped logs"))
