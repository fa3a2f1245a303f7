"""Random positions for tests: legal by construction, or of the shipped logs and hands."""

import random
from collections.abc import Iterator

from spades.core.cards import cards_in, mask_of
from spades.core.equivalence import equivalent_cards
from spades.core.paths import DATA
from spades.core.records import Record
from spades.core.rules import NO_BID, Round, Rules
from spades.notation import read_path
from spades.notation.log_store import list_logs, open_log


def random_round(
    rng: random.Random, n_played: int, *, rules: Rules | None = None, bids=(3, 3, 3, 3)
) -> Round:
    """A round with ``n_played`` random legal cards played."""
    rules = rules or Rules()
    codes = [int(code) for code in rules.cards.codes]
    rng.shuffle(codes)
    state = Round.deal(rules, rng.randrange(4), [mask_of(codes[i::4]) for i in range(4)])
    state.table.bids[:] = list(bids)
    for _ in range(n_played):
        state.play(rng.choice(list(cards_in(state.legal_plays()))))
    return state


def random_bids(rng: random.Random) -> list[int]:
    return [rng.choice([0, 1, 2, 3, 3, 4, 5]) for _ in range(4)]


def swap_hidden(state: Round, seat: int, rng: random.Random) -> Round:
    """The same observation for ``seat``, the other hands dealt anew as it allows."""
    from spades.belief import UniformDeals
    from spades.core.kernel import seed_state
    from spades.core.observation import observe

    deals, _ = UniformDeals(observe(state, seat)).sample(1, seed_state(rng.randrange(1 << 30)))
    other = state.copy()
    other.hands = [int(hand) for hand in deals[0]]
    return other


def draw_decisions(n: int, seed: int) -> Iterator[tuple[Record, int]]:
    """Decisions between two or more classes of cards, at random over rounds and plies."""
    rng, logs = random.Random(seed), [open_log(entry.name) for entry in list_logs()]
    paths = sorted((DATA / "hands").glob("*.jsonl"))
    hands = [record for path in paths for record in read_path(path).records]
    while n:
        log = rng.choice([*logs, None])
        record = rng.choice(hands) if log is None else log.record(rng.randrange(len(log)))
        if not record.plays or min(record.bids) == NO_BID:
            continue
        ply = rng.randrange(len(record.plays))
        if len(equivalent_cards(record.observation(ply))) > 1:
            n -= 1
            yield record, ply
