"""How often bidders make their contracts, and how many points one bidder is ahead of another.

Cohensius 2020 compares bidders by whole games (table 3); here their bids are measured too: how
often the contract is made, and how many tricks the bidder takes beyond its bid, by bid."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.bidding.bid_trials import PLAYER, check_rounds, seating_of
from analysis.intervals import mean_interval, ratio_interval, share_interval, with_ends
from analysis.matches.league import Variant, league_of, variants
from analysis.style.counts import KIND_LABELS, units_of
from spades.agents import parse_agent, play_rounds
from spades.agents.pairs import Duel, nils_and_contracts
from spades.core.cards import N_CARDS
from spades.core.derived import derive
from spades.core.kernel import FloatArray, IntArray
from spades.core.logs import Log
from spades.core.records import BOT, KINDS
from spades.core.rules import NIL_BID, NO_BID, Rules

DEFAULT_ROUNDS = 2_000
MAX_ROUNDS = 50_000
SEED = 0
_NO_INTERVAL = (np.nan, np.nan)
PAIR_COLUMNS = [
    "first",
    "second",
    "games",
    "win_rate",
    "low",
    "high",
    "points_first",
    "points_second",
]
MATCH_COLUMNS = [*PAIR_COLUMNS, "rules"]


def simulate_bidder(
    bidder: str,
    *,
    n: int = DEFAULT_ROUNDS,
    rules: Rules | None = None,
) -> pd.DataFrame:
    """``regular_bids`` of rounds at 0 to 0 in which the bidder bids for all four seats and the
    strong rule-based player plays; every bidder gets the same deals. Raises ``SpadesError`` for an
    unknown bidder or a number of rounds out of range."""
    rules = rules or Rules()
    check_rounds(n, MAX_ROUNDS)
    rounds = play_rounds(seating_of(rules, bidder), SEED, 0, n)
    return regular_bids(rules, rounds.bids, rounds.tricks, np.arange(n), bidder)


def regular_bids(
    rules: Rules,
    bids: NDArray,
    tricks: NDArray,
    games: IntArray,
    names: str | NDArray,
) -> pd.DataFrame:
    """A row for each regular bid of complete rounds with the same rules.

    ``bids``, ``tricks`` and ``names`` of the bidders (n, 4) by seat; ``games`` (n,), the
    independent units. Columns: ``group`` (the name), ``bid``, ``over`` (own tricks less the bid),
    ``round`` (row), ``side``, ``made`` (whether the partnership made its contract), ``game``."""
    _, _, _, contracts_made = nils_and_contracts(rules, bids, tricks)
    is_zero = bids[:, :2] + bids[:, 2:] == 0  # no contract, which can't fail
    columns = {
        "group": names,
        "bid": bids,
        "over": tricks.astype(np.int64) - bids,
        "round": np.arange(len(bids))[:, None],
        "side": np.array([0, 1, 0, 1]),
        "made": np.tile((contracts_made > 0) | is_zero, 2),
        "game": games[:, None],
    }
    table = pd.DataFrame(
        {name: np.broadcast_to(values, bids.shape).ravel() for name, values in columns.items()}
    )
    is_nil = (bids == NIL_BID) & (rules.nil is not None)
    return table[(~is_nil & (bids != NO_BID)).ravel()]


def bids_of_log(log: Log) -> pd.DataFrame:
    """``regular_bids`` of a log, grouped into humans, simulated humans and agents by text."""
    tricks = derive(log).tricks_taken
    is_whole = (log.n_plays == N_CARDS) & (log.bids != NO_BID).all(axis=1)
    games = units_of(log)[0].astype(np.int64)
    agents = np.array([agent or BOT for agent in log.agents])
    kinds = np.array([KIND_LABELS.get(kind, kind) for kind in KINDS])
    is_bot = log.kind == KINDS.index(BOT)
    names = np.where(is_bot, agents[log.agent_code], kinds[log.kind])
    tables = []
    for code, rules in enumerate(log.rules):
        rows = np.flatnonzero(is_whole & (log.rules_code == code))
        table = regular_bids(rules, log.bids[rows], tricks[rows], games[rows], names[rows])
        tables.append(table.assign(round=rows[table["round"]]))
    return pd.concat(tables, ignore_index=True).sort_values("group", kind="stable")


CALIBRATION_COLUMNS = [
    "group",
    "bid",
    "n",
    "contracts",
    "made",
    "made_low",
    "made_high",
    "over",
    "over_low",
    "over_high",
]


def calibration_table(bids: pd.DataFrame) -> pd.DataFrame:
    """One row for each group and bid, and one with bid -1 for all regular bids of the group.

    ``n`` bids in ``contracts`` contracts (a partnership's two bids of a round, at least one of them
    counted here). ``made``: share of the contracts made, with Clopper and Pearson's 95% interval.
    ``over``: the bidder's own tricks less its bid, with the 95% interval of ``ratio_interval`` over
    games, missing where fewer than two games have such a bid or none differs."""
    rows = []
    for group, group_bids in bids.groupby("group", sort=False):
        rows.append({"group": group, "bid": NO_BID, **_made_and_over(group_bids)})
        for bid, same_bids in group_bids.groupby("bid"):
            rows.append({"group": group, "bid": bid, **_made_and_over(same_bids)})
    return pd.DataFrame(rows, columns=CALIBRATION_COLUMNS)


def _made_and_over(bids: pd.DataFrame) -> dict[str, float]:
    contracts = bids.drop_duplicates(["round", "side"])["made"]
    n = len(contracts)
    n_made = int(contracts.sum())
    over, n_bids = bids.groupby("game")["over"].agg(["sum", "size"]).to_numpy().T
    mean_over = float(over.sum() / n_bids.sum())
    return {
        "n": len(bids),
        "contracts": n,
        **with_ends("made", n_made / n, share_interval(n_made, n)),
        **with_ends("over", mean_over, ratio_interval(over, n_bids)),
    }


def play_duel(
    first: str,
    second: str,
    *,
    n: int = DEFAULT_ROUNDS,
    rules: Rules | None = None,
) -> FloatArray:
    """Points a round by which the first bidder's partnership is ahead of the second's, (n,): the
    mean of two rounds of each deal at 0 to 0, with the partnerships swapped. The strong rule-based
    player plays in all seats. Bags count their points, without penalties."""
    duel = Duel(
        parse_agent(f"{PLAYER}+{first}"), parse_agent(f"{PLAYER}+{second}"), rules or Rules()
    )
    first_north, second_north = duel.seatings
    check_rounds(n, MAX_ROUNDS)
    points = play_rounds(first_north, SEED, 0, n).points
    swapped = play_rounds(second_north, SEED, 0, n).points
    ahead = points[:, 0] - points[:, 1] + swapped[:, 1] - swapped[:, 0]
    return np.asarray(ahead / 2.0)


def duel_table(duels: Mapping[tuple[str, str], FloatArray]) -> pd.DataFrame:
    """A row for each pair of bidders: deals, mean points a round that the first is ahead, and its
    interval."""
    rows = []
    for (first, second), ahead in duels.items():
        low, high = mean_interval(ahead) or _NO_INTERVAL
        rows.append((first, second, len(ahead), float(ahead.mean()), low, high))
    return pd.DataFrame(rows, columns=["first", "second", "deals", "ahead", "low", "high"])


def bidder_matches(matches: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """Whole games: a row for each pair of agents that play alike and bid differently.

    ``matches``: ``known_matches``. Games by ``rules`` and today's code come first, then those of
    other rules or code; ``rules`` in words. Shares are of the decided games, with exact 95%
    intervals; points are those a round of both."""
    own_variant = Variant.of(rules)
    tables = []
    for variant in sorted(variants(matches), key=lambda variant: variant != own_variant):
        pairs = matches_of_bidders(league_of(matches, variant).pairs)
        if len(pairs):
            tables.append(pairs.assign(rules=variant.label))
    if not tables:
        return pd.DataFrame(columns=MATCH_COLUMNS)
    return pd.concat(tables, ignore_index=True)[MATCH_COLUMNS]


def matches_of_bidders(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs of a league (``pair_table``) whose agents differ in their bidders alone."""
    players = pairs[["first", "second"]].map(lambda agent: agent.partition("+")[0])
    return pairs.loc[players["first"] == players["second"], PAIR_COLUMNS].reset_index(drop=True)
