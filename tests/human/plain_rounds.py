"""Prints a few simulated rounds; run with NUMBA_DISABLE_JIT=1 they are plain Python."""

from spades.core.rules import Rules
from spades.human import simulate_humans


def lines():
    for deck in ("standard", "joker-joker-deuce-deuce"):
        for record in simulate_humans(6, 4, rules=Rules(deck=deck, min_bid=3)).records():
            yield [record.hands, record.bids, record.plays, record.seed]


if __name__ == "__main__":
    for line in lines():
        print(line)
