"""Fingerprints of behaviour: ``python -m experiments.fingerprint_agents [PART ...]``.

Writes ``data/tables/behaviour.json``, of which keys of stored results are made
(``spades.agents.behaviour``), in some two minutes: for each part a hash of what the rules, or the
agents that probe it, do on fixed deals, bids and seeds. It says which parts have changed.
"""

import argparse
import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spades.agents import BIDDERS, PLAYERS, Agent, Duel, Seating, parse_agent, play_pairs
from spades.agents.behaviour import PARTS, PROBES
from spades.agents.play import deal_and_bid, play_cards
from spades.core.behaviour import RULES, TABLE, digest, stored_fingerprints
from spades.core.cards import N_CARDS, N_SEATS
from spades.core.deal import derive_seed, random_deal
from spades.core.observation import observe
from spades.core.options import options_of, values_of
from spades.core.paths import replacing
from spades.core.rules import Round, Rules
from spades.core.scoring import GameScore, score_round

SEED = 20_261_123
N_ROUNDS = 2  # of a player, with each set of rules
N_DEALS = 40  # of a bidder
SEARCHED_PLIES = (0, 21, 38)
TRICKS = ((0, 0, 6, 7), (3, 4, 2, 4), (10, 0, 1, 2), (5, 0, 5, 3))

RULE_SETS = (
    Rules(),
    Rules(deck="joker-joker-ace", spades_lead="any", min_bid=4, failed_nil_tricks="bags"),
    Rules(deck="joker-joker-deuce-ace", target=200, losing_floor=-100, nil=50, bag_limit=5),
    Rules(deck="joker-joker-deuce-deuce", nil=None, ten_for_200=True, failed_contract=5),
)
SCORES = (
    GameScore((0, 0), (0, 0)),
    GameScore((430, 380), (9, 2)),
    GameScore((-80, 190), (0, 8)),
    GameScore((180, 150), (4, 4)),
)

UNKEYED_PROBES: dict[str, tuple[str, ...]] = {
    "flat-mc:second_bonus": ("flat-mc:simulations=8,best_bonus=0,second_bonus=60",),
    "flat-ucb:seed_visits": ("flat-ucb:iterations=40,seed=heuristic,seed_visits=100",),
    "+bis:risky_chance": ("random+bis:risky_chance=0",),
    "+bis:cover_discount": ("random+bis:big5=on,cover_discount=300",),
}
"""Options that had no probe when results were stored. Their fingerprints are compared like all
others, but belong to no part, so that the keys of stored results stay as they are: who changes what
such an option does also remakes the results of agents that have it."""


def fingerprint_of(part: str) -> str:
    """The fingerprint of a part, or of an unkeyed probe, as the code is now: 16 hexadecimal
    digits."""
    if part == RULES:
        return digest(list(_rules_in_use()))
    probe = _bids if part.startswith("+") else _plays
    return digest([list(probe(parse_agent(text))) for text in (PROBES | UNKEYED_PROBES)[part]])


def probed_options() -> set[tuple[str, str]]:
    """The declared options that some probe sets to another value than the default: the class that
    declares each, and its name. An option that several players borrow is probed with one."""
    probed = set()
    for text in itertools.chain(*PROBES.values(), *UNKEYED_PROBES.values()):
        agent = parse_agent(text)
        for component in (agent.player, agent.bidder):
            values = values_of(component)
            for option in options_of(type(component)).values():
                if values[option.name] != option.default:
                    probed.add((option.owner, option.name))
    return probed


def unprobed_options() -> list[str]:
    """Options that no probe sets. Names of data need none: their hash is in every key."""
    probed = probed_options()
    return [
        f"{kind.name}:{option.name}"
        for kind in (*PLAYERS.values(), *BIDDERS.values())
        for option in options_of(kind).values()
        if not option.names and (option.owner, option.name) not in probed
    ]


def _rules_in_use() -> Iterator[Any]:
    """Deals, legal cards, tricks, points, games and pairs of games of random players."""
    agent = parse_agent("random+random")
    for rules in RULE_SETS:
        for state, seed in _auctions(rules, 3 * N_ROUNDS):
            yield state.hands
            for ply in range(N_CARDS):
                legal = [code for code in range(64) if state.legal_plays() >> code & 1]
                yield legal
                state.play(legal[derive_seed(seed, ply) % len(legal)])
            yield state.table.winners
        for bids in itertools.product((0, 1, 5, 10), repeat=2):
            for tricks in TRICKS:
                for is_blind in (False, bids[0] == 0):
                    blind = (is_blind, False, False, False)
                    yield str(score_round(rules, (*bids, 3, 4), blind, tricks))
        for nil_only in (False, True) if rules.nil else (False,):
            played = play_pairs(Duel(agent, agent, rules, nil_only), SEED, 0, 2).document()
            del played["nanoseconds"]
            yield played


def _auctions(rules: Rules, n: int) -> Iterator[tuple[Round, int]]:
    """Deals with bids drawn from the seed alone, so that a player's probe needs no bidder."""
    for index in range(n):
        seed = derive_seed(SEED, RULE_SETS.index(rules), index)
        state = Round.deal(rules, index % N_SEATS, random_deal(rules.cards, seed))
        for i in range(1, N_SEATS + 1):
            seat = (state.table.dealer + i) % N_SEATS
            legal = state.table.legal_bids(seat)[:6]
            bid = legal[derive_seed(seed, seat) % len(legal)]
            is_blind = bid == 0 and rules.has_blind_nil and index % 5 == 4
            state.table.bid(seat, bid, blind=is_blind)
        yield state, seed


def _plays(agent: Agent) -> Iterator[Any]:
    """The cards that four of an agent play, and what its search finds at some plies."""
    for rules, before in zip(RULE_SETS, SCORES, strict=True):
        seating = Seating((agent,) * 4, rules)
        for state, seed in _auctions(rules, N_ROUNDS):
            start = state.copy()
            play_cards(seating, state, seed, before)
            yield state.table.plays
            if hasattr(agent.player, "search"):
                for ply in SEARCHED_PLIES:
                    yield _searched(agent, start.copy(), state.table.plays[:ply], before)


def _searched(agent: Agent, state: Round, plays: list[int], before: GameScore) -> list[list[int]]:
    """Visits, availability and points (whole sums) of every legal card after ``plays``."""
    for card in plays:
        state.play(card)
    seen = observe(state, score_before=before.score, bags_before=before.bags)
    player: Any = agent.player
    return [
        [
            row.card.code,
            row.visits,
            getattr(row, "availability", 0),
            round(row.mean_value * row.visits),
        ]
        for row in player.search(seen, SEED).cards
        if row.visits
    ]


def _bids(agent: Agent) -> Iterator[Any]:
    """The bids of four of an agent on many deals at several scores."""
    for rules in RULE_SETS:
        seating = Seating((agent,) * 4, rules)
        for index in range(N_DEALS):
            score = SCORES[index % len(SCORES)]
            state = deal_and_bid(seating, index % N_SEATS, derive_seed(SEED, index), score)
            yield [state.table.bids, state.table.blind]


def main() -> None:
    parser = argparse.ArgumentParser(description="Recompute the fingerprints of behaviour")
    parser.add_argument("parts", nargs="*", metavar="PART", help="by default all")
    parser.add_argument("--out", type=Path, default=TABLE, help="by default the shipped table")
    options = parser.parse_args()
    every = (*PARTS, *UNKEYED_PROBES)
    out = options.out
    chosen = options.parts or every
    unknown = sorted(set(chosen) - set(every))
    if unknown:
        parser.error(f"no part is called {unknown[0]}; the parts are {', '.join(every)}")
    stored = stored_fingerprints(out) if out.exists() else {}
    computed = {part: fingerprint_of(part) for part in chosen}
    changed = [part for part in chosen if stored.get(part) != computed[part]]
    parts = {part: value for part, value in (stored | computed).items() if part in every}
    text = json.dumps({"version": 1, "parts": parts}, indent=2) + "\n"
    with replacing(out) as new:
        new.write_text(text, encoding="utf-8")
    sys.stderr.write(f"changed: {', '.join(changed) or 'nothing'}\n")


if __name__ == "__main__":
    main()
