"""Whether bidders make their contracts, and what one bidder is worth against another.

Cohensius 2020 judges bidders by whole games (table 3); here also the bids themselves: how often the
contract is made, and how many tricks the bidder takes beyond the bid, by the number bid."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.bidding.outcomes import PLAYER, seating_of
from analysis.intervals import mean_interval, ratio_interval, share_interval
from analysis.matches.league import Variant, league_of, variants
from analysis.style.counts import units_of
from spades.agents import parse_agent, play_rounds
from spades.agents.pairs import Duel, nils_and_contracts
from spades.core.cards import N_CARDS
from spades.core.derived import derive
from spades.core.errors import SpadesError
from spades.core.logs import Log
from spades.core.records import BOT, KINDS, SIMULATED_HUMAN
from spades.core.rules import NIL_BID, NO_BID, Rules

DEFAULT_ROUNDS, MAX_ROUNDS = 2_000, 50_000
_NOTHING = (np.nan, np.nan)
_KIND_NAMES = {SIMULATED_HUMAN: "simulated humans"}
COLUMNS = [
    "group", "bid", "n", "contracts", "made", "made_low", "made_high",
    "over", "over_low", "over_high",
]  # fmt: skip
PAIR_COLUMNS = ["first", "second", "games", "win_rate", "low", "high", "points_first",
                "points_second"]  # fmt: skip
MATCH_COLUMNS = [*PAIR_COLUMNS, "rules"]


def simulate_bidder(
    bidder: str, *, n: int = DEFAULT_ROUNDS, seed: int = 0, rules: Rules | None = None
) -> pd.DataFrame:
    """``regular_bids`` of rounds at 0 to 0 in which all four seats bid so and the strong rule-based
    player plays. The same seed deals the same rounds to every bidder. Raises ``SpadesError`` for a
    bidder or a number of rounds that can't be."""
    rules = rules or Rules()
    rounds = play_rounds(seating_of(rules, bidder), seed, 0, checked_rounds(n))
    return regular_bids(rules, rounds.bids, rounds.tricks, np.arange(n), bidder)


def checked_rounds(n: int) -> int:
    if not 1 <= n <= MAX_ROUNDS:
        raise SpadesError(f"{n} rounds to simulate; 1 to {MAX_ROUNDS:,} are legal")
    return n


def regular_bids(
    rules: Rules, bids: NDArray, tricks: NDArray, games: NDArray[np.int64], names: str | NDArray
) -> pd.DataFrame:
    """A row a regular bid of rounds played out under one set of rules.

    ``bids``, ``tricks`` and ``names`` of who bid (n, 4) by seat; ``games`` (n,). Columns ``group``
    (the name), ``bid``, ``over`` (own tricks less the bid), ``round`` (row), ``side``, ``made``
    (the partnership made its contract) and ``game``: games are what is independent."""
    is_zero = bids[:, :2] + bids[:, 2:] == 0  # no contract to be made: it can't fail
    columns = {
        "group": names,
        "bid": bids,
        "over": tricks.astype(np.int64) - bids,
        "round": np.arange(len(bids))[:, None],
        "side": np.array([0, 1, 0, 1]),
        "made": np.tile((nils_and_contracts(rules, bids, tricks)[3] > 0) | is_zero, 2),
        "game": games[:, None],
    }
    table = pd.DataFrame({k: np.broadcast_to(v, bids.shape).ravel() for k, v in columns.items()})
    is_nil = (bids == NIL_BID) & (rules.nil is not None)
    return table[(~is_nil & (bids != NO_BID)).ravel()]


def bids_of_log(log: Log) -> pd.DataFrame:
    """``regular_bids`` of a log by who made them: humans, simulated humans, each agent's text."""
    taken, whole = derive(log).tricks_taken, log.n_plays == N_CARDS
    whole &= (log.bids != NO_BID).all(axis=1)
    games, agents = units_of(log)[0].astype(np.int64), np.array([a or BOT for a in log.agents])
    kinds = np.array([_KIND_NAMES.get(kind, kind) for kind in KINDS])
    names = np.where(log.kind == KINDS.index(BOT), agents[log.agent_code], kinds[log.kind])
    parts = []
    for code, rules in enumerate(log.rules):
        rows = np.flatnonzero(whole & (log.rules_code == code))
        part = regular_bids(rules, log.bids[rows], taken[rows], games[rows], names[rows])
        parts.append(part.assign(round=rows[part["round"]]))
    return pd.concat(parts, ignore_index=True).sort_values("group", kind="stable")


def calibration_table(bids: pd.DataFrame) -> pd.DataFrame:
    """One row a group and bid, and one with bid -1 for all its regular bids.

    ``n`` bids in ``contracts`` contracts: a partnership's two bids of a round, one at least counted
    here. ``made``: share of the contracts made, with Clopper and Pearson's 95% interval. ``over``:
    the bidder's own tricks less its bid, with the 95% interval of ``ratio_interval`` over games,
    missing where fewer than two games have such a bid or none differs."""
    rows = []
    for label, mine in bids.groupby("group", sort=False):
        rows.append((label, NO_BID, *_row(mine)))
        rows += [(label, bid, *_row(of_bid)) for bid, of_bid in mine.groupby("bid")]
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(bids: pd.DataFrame) -> tuple[float, ...]:
    contracts = bids.drop_duplicates(["round", "side"])["made"]
    n, n_made = len(contracts), int(contracts.sum())
    over, n_bids = bids.groupby("game")["over"].agg(["sum", "size"]).to_numpy().T
    within, ends = share_interval(n_made, n), ratio_interval(over, n_bids)
    mean = float(over.sum() / n_bids.sum())
    return (len(bids), n, n_made / n, *(within or _NOTHING), mean, *(ends or _NOTHING))


def play_duel(
    first: str, second: str, *, n: int = DEFAULT_ROUNDS, seed: int = 0, rules: Rules | None = None
) -> NDArray[np.float64]:
    """Points a round that the first bidder's partnership scores more than the second's, (n,). Each
    deal is played twice at 0 to 0, the partnerships swapped, by the strong rule-based player in all
    seats; the mean of the two counts. Penalties for bags aren't in it, bags are."""
    one, other = (parse_agent(f"{PLAYER}+{bidder}") for bidder in (first, second))
    seatings = Duel(one, other, rules or Rules()).seatings
    ours, theirs = (play_rounds(seating, seed, 0, checked_rounds(n)).points for seating in seatings)
    ahead = ours[:, 0] - ours[:, 1] + theirs[:, 1] - theirs[:, 0]
    return np.asarray(ahead / 2.0)


def duel_table(duels: Mapping[tuple[str, str], NDArray[np.float64]]) -> pd.DataFrame:
    """One row a pair of bidders: deals, mean points a round that the first is ahead, interval."""
    rows = [
        (*pair, len(ahead), float(ahead.mean()), *(mean_interval(ahead) or _NOTHING))
        for pair, ahead in duels.items()
    ]
    return pd.DataFrame(rows, columns=["first", "second", "deals", "ahead", "low", "high"])


def bidder_matches(matches: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """Whole games: a row a pair of agents that play alike and bid differently.

    ``matches``: ``known_matches``. Today's games by ``rules`` come first, then other leagues (by
    rules and by the code that played); ``rules`` in words. Shares are of the
    decided games, exact 95% intervals; points are a round of both."""
    asked, parts = Variant.of(rules), []
    for variant in sorted(variants(matches), key=lambda variant: variant != asked):
        pairs = matches_of_bidders(league_of(matches, variant).pairs)
        parts += [pairs.assign(rules=variant.label)] if len(pairs) else []
    parts = parts or [pd.DataFrame(columns=MATCH_COLUMNS)]
    return pd.concat(parts, ignore_index=True)[MATCH_COLUMNS]


def matches_of_bidders(pairs: pd.DataFrame) -> pd.DataFrame:
    """Of the league's pairs (``pair_table``) those whose agents play alike and bid differently."""
    players = pairs[["first", "second"]].map(lambda agent: parse_agent(agent).player)
    return pairs.loc[players["first"] == players["second"], PAIR_COLUMNS].reset_index(drop=True)
