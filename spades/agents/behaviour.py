"""Behaviour fingerprints: what stored results depend on instead of the sources that made them.

A *part* is a piece of behaviour that results can depend on: the rules, a bidder, a player, an
option of a player that makes it decide otherwise. Its fingerprint is a hash of what it does on
fixed deals, bids and seeds, in every deck. Renaming, moving and documenting code leaves all
fingerprints as they are; a change of how one player decides changes that player's.

``data/tables/behaviour.json`` stores them, so that a key costs no search. A test fails when code
and table part; ``python -m spades.agents.behaviour`` recomputes the table, and stored results of
the parts that changed are no longer found under their keys.
"""

import argparse
import itertools
import json
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from spades.agents.compiled import Seating
from spades.agents.pairs import Duel, play_pairs
from spades.agents.play import deal_and_bid, play_cards
from spades.agents.spec import BIDDERS, PLAYERS, Agent, parse_agent
from spades.belief import DETERMINIZATIONS
from spades.core.behaviour import (
    LOG_LINEAR,
    NETWORKS,
    RULES,
    TABLE,
    combined,
    digest,
    stored_fingerprints,
)
from spades.core.cards import N_CARDS, N_SEATS
from spades.core.deal import derive_seed, random_deal
from spades.core.observation import observe
from spades.core.options import options_of, values_of
from spades.core.paths import replacing
from spades.core.rules import Round, Rules
from spades.core.scoring import GameScore, score_round
from spades.search import TECHNIQUES

SEED = 20_261_123
N_ROUNDS, N_DEALS = 2, 40  # of each set of rules: rounds of a player, deals of a bidder
SEARCHED_PLIES = (0, 21, 38)

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

_BIS_SWITCHES = (
    "threshold=0", "bid_sensitive=on", "single_curve=on", "end_game=off", "complete_to_14=off",
    "raise_to_win=off", "risky_nil=off", "opponent_nil=off", "safe_regular=off", "one_less=off",
    "ahead=off", "big5=on", "big6=on", "blind_nil=on",
)  # fmt: skip
_SEARCH = "ismcts:iterations=60"


def _probes_of(option: str, kinds: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """By part the probes of what an option chooses among, each of which declares its own."""
    return {
        f"ismcts:{option}={name}": tuple(
            f"{_SEARCH},{option}={name},{options}".rstrip(",") for options in kind.probes
        )
        for name, kind in kinds.items()
        if kind.probes
    }


PROBES: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("random", "human", "srp", "wrp", "thumb", "corpus", "best")},
    "human:spread": ("human:spread=0.5,player=7", "human:spread=0.2"),
    "human:person": ("human:person=devlin2016",),
    "uct": ("uct:iterations=30", "uct:iterations=30,last=4,exploration=20"),
    "direct": ("direct", "direct:sample=on"),
    "flat-mc": ("flat-mc:simulations=8", "flat-mc:simulations=4,epsilon=0.5,best_bonus=0"),
    "flat-mc:determinization": tuple(
        f"flat-mc:simulations=4,determinization={name}" for name in ("biased", "mixed", "posterior")
    ),
    "stars": ("stars:level=1", "stars:level=6", "stars:level=4,by=ismcts"),
    "flat-ucb": ("flat-ucb:iterations=40", "flat-ucb:iterations=40,epsilon=0.6,exploration=0.3"),
    "flat-ucb:seed=heuristic": ("flat-ucb:iterations=40,seed=heuristic",),
    "flat-ucb:seed=corpus": ("flat-ucb:iterations=40,seed=corpus",),
    "pimc": ("pimc:deals=5,depth=4,simulations=4", "pimc:deals=3,depth=2,determinization=mixed"),
    "ismcts": (_SEARCH, f"{_SEARCH},exploration=0.3,reward_scale=200"),
    "ismcts:playout=nil-aware": (f"{_SEARCH},playout=nil-aware",),
    "ismcts:playout=heuristic": (f"{_SEARCH},playout=heuristic,epsilon=0.3",),
    "ismcts:playout=human": (f"{_SEARCH},playout=human",),
    "ismcts:skew": (f"{_SEARCH},skew=on,skew_k=30",),
    "ismcts:solved": (
        f"{_SEARCH},solved=4",
        f"{_SEARCH},solved=2,playout=heuristic",
        f"{_SEARCH},solved=3,playout=nil-aware",
    ),
    "ismcts:equivalence": (f"{_SEARCH},equivalence=on",),
    "ismcts:objective=game": (f"{_SEARCH},objective=game",),
    "ismcts:duck": (f"{_SEARCH},duck=on",),
    **_probes_of("determinization", DETERMINIZATIONS),
    "ismcts:determinization=posterior,players": tuple(
        f"{_SEARCH},determinization=posterior,players={kind}" for kind in ("search", "rules")
    ),
    **_probes_of("bias", TECHNIQUES),
    NETWORKS: ("direct:model=t-200-100",),
    LOG_LINEAR: ("direct:model=devlin2016,sample=on", "direct:model=devlin2016-nil,sample=on"),
    **{f"+{name}": (f"random+{name}",) for name in ("human", "random", "io")},
    **{f"+{name}": (f"random+{name}", f"random+{name}:nil_ranks=2") for name in ("rb", "ms")},
    "+human:tricks": ("random+human:tricks=0.7,nil=-2,noise=1.5",),
    "+human:nil": ("random+human:nil=3",),
    "+human:noise": ("random+human:noise=0.5",),
    "+bis": ("random+bis", *(f"random+bis:{switch}" for switch in _BIS_SWITCHES)),
    "+bis:third_card": (
        "random+bis:third_card=pattern",
        "random+bis:third_card=pattern,single_curve=on",
    ),
    "+kb": ("random+kb", "random+kb:personality=1,randomness=0,their_bags=off"),
    "+noisy": ("random+noisy", "random+noisy:of=rb,noise=2,nil=0.3"),
}
UNKEYED_PROBES: dict[str, tuple[str, ...]] = {
    "flat-mc:second_bonus": ("flat-mc:simulations=8,best_bonus=0,second_bonus=60",),
    "flat-ucb:seed_visits": ("flat-ucb:iterations=40,seed=heuristic,seed_visits=100",),
    "+bis:risky_chance": ("random+bis:risky_chance=0",),
    "+bis:cover_discount": ("random+bis:big5=on,cover_discount=300",),
}
"""Options that had no probe when results were stored. Their fingerprints are compared like all
others, but belong to no part, so that the keys of stored results stay as they are: who changes what
such an option does also remakes the results of agents that have it."""
PARTS = (RULES, *PROBES)
_LOG_LINEAR_NAMES = ("devlin", "log-linear")


@lru_cache(maxsize=1024)
def parts_of(text: str) -> tuple[str, ...]:
    """The parts that an agent's decisions depend on, always with the rules."""
    preset = parse_agent(text)
    agent = preset.written_out
    parts = {RULES, preset.player_name}
    player, _, bidder = str(agent).partition("+")
    for half in (player, f"+{bidder or agent.bidder_name}"):
        name, _, listed = half.partition(":")
        said = set(filter(None, listed.split(",")))
        said |= {item.partition("=")[0] for item in said}
        parts.add(name)
        for part in PROBES:
            of, _, needed = part.partition(":")
            if of == name and needed and said.issuperset(needed.split(",")):
                parts.add(part)
    if model := model_of(agent):
        is_log_linear = player == f"human:person={model}" or model.startswith(_LOG_LINEAR_NAMES)
        parts.add(LOG_LINEAR if is_log_linear else NETWORKS)
    return tuple(sorted(parts))


def model_of(agent: Agent) -> str | None:
    """The human model that an agent's player queries, None if it queries none by name."""
    return agent.player.model_name


def behaviour_of(*agents: str) -> str:
    """Combined fingerprint of all that these agents' games depend on; of every part if none."""
    return combined({part for text in agents for part in parts_of(text)} or PARTS)


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
        for half in (agent.player, agent.bidder):
            values = values_of(half)
            for option in options_of(type(half)).values():
                if values[option.name] != option.default:
                    probed.add((option.owner, option.name))
    return probed


def unprobed_options() -> list[str]:
    """Options that no probe sets. Names of data need none: their hash is in every key."""
    probed = probed_options()
    kinds: dict[str, type] = {**PLAYERS, **{f"+{name}": kind for name, kind in BIDDERS.items()}}
    return [
        f"{name}:{option.name}"
        for name, kind in kinds.items()
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
            for tricks in ((0, 0, 6, 7), (3, 4, 2, 4), (10, 0, 1, 2), (5, 0, 5, 3)):
                for blind in ((False,) * 4, (bids[0] == 0, False, False, False)):
                    scored = score_round(rules, (*bids, 3, 4), blind, tricks)
                    yield str(scored)
        for nil_only in (False, True)[: 2 if rules.nil else 1]:
            played = play_pairs(Duel(agent, agent, rules, nil_only), SEED, 0, 2).document()
            yield {name: value for name, value in played.items() if "seconds" not in name}


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
    asked = parser.parse_args()
    every = (*PARTS, *UNKEYED_PROBES)
    out, chosen = asked.out, asked.parts or every
    if unknown := sorted(set(chosen) - set(every)):
        parser.error(f"no part is called {unknown[0]}; the parts are {', '.join(every)}")
    known = stored_fingerprints(out) if out.exists() else {}
    found = {part: fingerprint_of(part) for part in chosen}
    changed = [part for part in chosen if known.get(part) != found[part]]
    parts = {part: value for part, value in (known | found).items() if part in every}
    text = json.dumps({"version": 1, "parts": parts}, indent=2) + "\n"
    with replacing(out) as new:
        new.write_text(text, encoding="utf-8")
    sys.stderr.write(f"changed: {', '.join(changed) or 'nothing'}\n")


if __name__ == "__main__":
    main()
