from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from analysis.bidding.style import compute_bidding
from analysis.style.counts import (
    GROUPINGS,
    Cell,
    Group,
    PlayFilter,
    classify,
    context_counts,
    find_plays,
    fold,
    game_counts,
    groups_of,
    has_simulated,
    moves_of_class,
    page_count,
    player_and_others,
    pool,
    seats_of,
)
from spades.core.errors import SpadesError
from spades.core.logs import Log, concatenate
from spades.core.records import KINDS
from spades.human.features.abstract_moves import MOVES_68
from spades.human.features.logs import FIELDS, LEGAL
from tests.analysis.styles import random_log, random_round

ALL = Group("log", "log", "log")
FILTERS = [
    PlayFilter(),
    PlayFilter(forced=False),
    PlayFilter(turn=(0, 3), nil=(1, 2)),
    PlayFilter(tricks=(2, 8), bids=(1, 3)),
    PlayFilter(score=(0,), bags=(1,), contract=(0,), partner=(1,)),
]


@pytest.fixture(scope="module")
def plays():
    return classify(random_log(12, score_before=(50, 250), bags_before=(6, 9)), "log")


def planes_of(plays):
    """The planes of the contexts by name, (n, 52) each."""
    return SimpleNamespace(**dict(zip(FIELDS, plays.contexts.codes, strict=True)))


def _slow_mask(plays, who, where):
    """Which plays count, by plain indexing."""
    contexts = planes_of(plays)
    mask = np.take_along_axis(who, contexts.seat, axis=1)
    for name in ("nil", "bags", "partner", "turn", "score", "contract"):
        if wanted := getattr(where, name):
            mask &= np.isin(getattr(contexts, name), wanted)
    mask &= (contexts.trick >= where.tricks[0]) & (contexts.trick <= where.tricks[1])
    if where.bids is not None:
        bid = np.take_along_axis(plays.log.bids, contexts.seat, axis=1)
        mask &= (bid >= where.bids[0]) & (bid <= where.bids[1])
    return mask & (where.forced | (contexts.legal > 1))


@pytest.mark.parametrize("where", FILTERS)
def test_counts_equal_plain_indexing(plays, where):
    humans = groups_of([plays], "kind")[0]
    mask = _slow_mask(plays, plays.log.kind == 0, where)
    found = game_counts([plays], humans, where)
    assert found.shape == (4, 68)
    for game in range(4):
        rows = plays.units == game
        expected = np.bincount(planes_of(plays).move[rows][mask[rows]], minlength=68)
        assert (found[game] == expected).all()
    by_turn = context_counts([plays], humans, where, "turn")
    assert (by_turn.sum(axis=0) == found.sum(axis=0)).all()
    assert by_turn.sum(axis=1).tolist() == [
        np.count_nonzero(mask & (planes_of(plays).turn == turn)) for turn in range(4)
    ]
    legal = game_counts([plays], humans, where, field=LEGAL)
    assert legal.sum() == found.sum()


def test_groups_by_everything(plays):
    by_name = {by: [group.label for group in groups_of([plays], by)] for by in GROUPINGS}
    assert by_name["kind"] == ["Humans", "Bots"]
    assert by_name["agent"] == ["random", "ismcts:iterations=2500", "(no agent named)"]
    assert by_name["player"] == ["N", "E", "Ann", "W"]
    assert by_name["nil"][1] == "Nil alive: own"
    for by in GROUPINGS:
        groups = groups_of([plays], by)
        total = sum(game_counts([plays], group, PlayFilter()).sum() for group in groups)
        assert total == 12 * 52, by
    with pytest.raises(SpadesError, match="kind, agent, player"):
        groups_of([plays], "seat")
    with pytest.raises(SpadesError, match="68 or 32"):
        fold(np.zeros(68), 30)


def test_simulated_humans_are_named_as_such():
    kinds = ("simulated-human", "bot", "human", "simulated-human")
    agents = ("human", "", "", "human")
    data = [classify(random_log(2, kinds=kinds, agents=agents), "mine")]
    assert has_simulated(data)
    assert [group.label for group in groups_of(data, "kind")] == [
        "Humans",
        "Simulated humans",
        "Bots",
    ]
    assert "human (simulated human)" in [group.label for group in groups_of(data, "agent")]
    assert groups_of(data, "log")[0].label == "mine (with simulated humans)"


def test_several_logs_are_one_set_and_can_be_compared():
    logs = [classify(random_log(n), name) for n, name in ((6, "a"), (9, "b"))]
    groups = groups_of(logs, "log")
    counts = [game_counts(logs, group, PlayFilter()) for group in groups]
    assert [table.shape for table in counts] == [(5, 68), (5, 68)]  # the same games in both
    assert [table.sum() for table in counts] == [6 * 52, 9 * 52]
    assert [np.flatnonzero(table.any(axis=1)).tolist() for table in counts] == [[0, 1], [2, 3, 4]]


def test_a_game_in_two_logs_counts_once():
    log = random_log(9)
    one, two = (classify(log, name) for name in ("first", "copy"))
    half = classify(concatenate([log.take(slice(0, 4)), log.take(slice(2, 4))]), "half")
    (group,) = (group for group in groups_of([one], "kind") if group.value == "bot")
    alone = game_counts([one], group, PlayFilter())
    both = pool([one, two])
    assert game_counts(both, group, PlayFilter()).sum() == alone.sum()
    assert find_plays(both, group, PlayFilter())[1] == alone.sum()
    assert sum(int(plays.repeated.sum()) for plays in both) == 9
    assert half.repeated.sum() == 2  # within a log too
    assert [int(plays.repeated.sum()) for plays in pool([half, one])] == [2, 4]
    nils = [compute_bidding(logs, [group], PlayFilter()).nils["bids"][0] for logs in ([one], both)]
    assert nils[0] == nils[1] == 27


def test_rounds_of_no_named_game_stand_alone():
    records = [random_round(seed) for seed in range(4)]
    records[1], records[3] = (replace(records[i], game_id="") for i in (1, 3))
    plays = classify(Log.from_records(records), "log")
    assert plays.n_units == 3  # game-0 with two rounds, and two rounds of their own
    assert plays.units[0] == plays.units[2]
    assert len(set(plays.units.tolist())) == 3


def test_rounds_cut_short_count_as_far_as_they_go():
    record = random_round(1)
    plays = classify(Log.from_records([replace(record, plays=record.plays[:10])]), "log")
    assert game_counts([plays], ALL, PlayFilter()).sum() == 10


def test_the_plays_behind_a_cell(plays):
    moves = moves_of_class(17, 32)
    assert len(moves) == 3
    found, n = find_plays([plays], ALL, PlayFilter(), Cell(moves, ("turn", 1)), limit=5)
    counts = context_counts([plays], ALL, PlayFilter(), "turn")
    assert n == counts[1, moves].sum()
    assert len(found) == -(-n // page_count(n, 5)) <= 5  # as many on every page
    for row in found.itertuples():
        record = plays.log.record(row.round)
        state = record.at(row.ply)
        assert record.rules.cards.format_card(record.plays[row.ply]) == row.card
        assert "NESW"[state.table.turn] == row.seat
        assert len(state.table.trick) == 1
        assert row.move in {MOVES_68[move] for move in moves}
    nothing, n = find_plays([plays], ALL, PlayFilter(tricks=(0, 0)), Cell(at=("trick", 5)))
    assert n == 0
    assert nothing.empty


def test_the_pages_of_a_cell_hold_every_play_once(plays):
    at, limit = ("turn", 1), 25
    _, n = find_plays([plays], ALL, PlayFilter(), Cell(at=at), limit=limit)
    assert n > limit
    pages = [
        find_plays([plays], ALL, PlayFilter(), Cell(at=at), limit=limit, page=page)[0]
        for page in range(page_count(n, limit))
    ]
    assert max(map(len, pages)) <= limit
    rows = pd.concat(pages)
    assert len(rows) == n == len(rows.drop_duplicates(["round", "ply"]))
    beyond, _ = find_plays([plays], ALL, PlayFilter(), Cell(at=at), limit=limit, page=len(pages))
    assert beyond.empty


def test_a_player_and_the_others_of_the_log_share_its_people(plays):
    log = plays.log
    name = next(name for name in log.players if name)
    own, others = player_and_others([plays], name, "log", "log")
    seats = [seats_of(plays, group) for group in (own, others)]
    is_own = log.player_code == log.players.index(name)
    is_bot = log.kind == KINDS.index("bot")
    assert (seats[0] == is_own).all()
    assert (seats[1] == ~is_own & ~is_bot).all()
    assert others.label == "Other humans of log"


def test_the_people_of_another_log_are_all_counted_and_only_they(plays):
    simulated = classify(
        random_log(5, kinds=("simulated-human",) * 4, agents=("simulated",) * 4), "cohort"
    )
    data = pool([plays, simulated])
    name = next(name for name in plays.log.players if name)
    own, others = player_and_others(data, name, "log", "cohort")
    assert others.label == "Simulated humans of cohort"
    for logged, n_own, n_others in zip(data, (True, False), (False, True), strict=True):
        assert seats_of(logged, own).any() == n_own
        assert seats_of(logged, others).any() == n_others
    assert seats_of(data[1], others).sum() == 4 * (~data[1].repeated).sum()
