"""Deals that nobody can know: chance at most for who has all that a server stores and sends."""

import doctest
import hashlib
import json
import re
import zlib

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from spades.core.cards import N_CARDS, N_SEATS, STANDARD
from spades.core.deal import derive_seed, random_deal
from spades.core.rules import Rules
from spades.notation.schema import row_of
from spades.tables import Game, Move, Setup, TableError, TableStore, play_again, secret
from spades.tables.game import BID, CARD, DEAL, OVER
from spades.tables.secret import commitment, new_key, secret_deal, secret_seed, verify
from spades.tables.setup import SEED_REFUSED
from tests.tables.test_game import KEY, lowest, played
from ui.play.seen import seat_view

PEOPLE = (None,) * 4
N_GAMES, LEVEL = 1_000, 0.01
MASK = 2**64 - 1
FACTORS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # of ``seed_state``
INVERSES = [pow(factor, -1, 2**64) for factor in FACTORS]


def test_what_the_module_shows_is_so():
    assert doctest.testmod(secret).attempted > 5
    assert doctest.testmod(secret).failed == 0


# A predictor that knows the code, and all that is stored in logs and sent.


def unshifted(value, n):
    """What ``value ^ value >> n`` was."""
    found = value
    for _ in range(64 // n):
        found = value ^ found >> n
    return found


def undone(state, stream):
    """The seed of which ``seed_state`` made this."""
    gamma, second, first = INVERSES
    state = unshifted(state, 31) * first & MASK
    state = unshifted(state, 27) * second & MASK
    product = unshifted(state, 30) - stream * 0xD1B54A32D192ED03 - 0x2545F4914F6CDD1D
    return product * gamma & MASK


def seeds_of_games(number):
    """The seeds of games in which a number may be the seed of round 0 or 1, or of all."""
    yield number
    for n in (0, 1):
        for low in range(4):  # two bits were cut off
            yield undone(undone(undone(number << 2 | low, n + 1), 1), 0)


def guessed_deal(material, n):
    """The hands of round ``n``, from what was told of those before."""
    for number in map(int, re.findall(r"\b\d{6,19}\b", material)):
        for seed in seeds_of_games(number):
            if seed < 2**53 and told(material, random_hands(seed, 0)):
                return random_hands(seed, n)
    for key in re.findall(r"\b[0-9a-f]{64}\b", material):
        for candidate in (key, commitment(key)):
            if told(material, secret_deal(STANDARD, candidate, 0)):
                return secret_deal(STANDARD, candidate, n)
    return random_hands(zlib.crc32(material.encode()), n)


def random_hands(seed, n):
    return random_deal(STANDARD, derive_seed(derive_seed(seed, 0, n), 0))


def told(material, hands):
    return all(str(hand) in material for hand in hands)


def material_of(game):
    """What a server stores in the log, sends to the seats and puts into links in two rounds."""
    told = []
    for _ in range(2):
        for seat in (1, 2, 3, 4):
            game.make(Move((game.round.table.dealer + seat) % N_SEATS, BID, 3))
        while len(game.round.table.plays) < N_CARDS - 1:
            game.round.play(lowest_legal(game))  # as ``make`` does
        game.make(Move(game.turn, CARD, lowest_legal(game)))
        told.append(seat_view(game, 2))
        game.make(Move(0, DEAL))
    rows = [row_of(record) for record in game.records]
    return json.dumps([told, rows, [record.hands for record in game.records]])


def lowest_legal(game):
    legal = game.round.legal_plays()
    return (legal & -legal).bit_length() - 1


def names_a_card(game):
    """Whether a card of North's in the third round is named."""
    hands = guessed_deal(material_of(game), 2)
    return bool(game.dealt[0] & hands[0] & -hands[0])


def test_nobody_names_a_card_of_the_next_round():
    keys = (hashlib.sha256(b"%d" % i).hexdigest() for i in range(N_GAMES))
    games = (Game(Setup(PEOPLE, rounds=3, key=key)) for key in keys)
    hits = sum(map(names_a_card, games))
    assert binomtest(hits, N_GAMES, 1 / N_SEATS, alternative="greater").pvalue > LEVEL


def test_where_rounds_tell_their_seeds_every_card_is_named():
    games = [Game(Setup(("random",) * 4, 7**i, rounds=3)) for i in range(1, 9)]
    assert all(map(names_a_card, games))


def test_deals_are_uniform():
    n = 4_000
    keys = [hashlib.sha256(b"deal %d" % i).hexdigest() for i in range(n // 4)]
    deals = [secret_deal(STANDARD, key, r) for key in keys for r in range(4)]
    hands = np.array(deals, dtype=np.uint64)
    codes = STANDARD.codes.astype(np.uint64)
    holds = (hands[:, :, None] >> codes & np.uint64(1)).astype(bool)  # (deal, seat, card)
    assert (holds.sum(axis=2) == 13).all()
    assert (holds.sum(axis=1) == 1).all()
    by_card = chisquare(holds.sum(axis=0), axis=0).pvalue
    assert by_card.min() > LEVEL / len(codes)
    together = (holds[:, :, :-1] & holds[:, :, 1:]).any(axis=1).sum(axis=0)
    pairs = [binomtest(int(k), n, 12 / 51).pvalue for k in together]
    assert min(pairs) > LEVEL / len(pairs)


def test_keys_and_what_comes_of_them():
    keys = {new_key() for _ in range(100)}
    assert len(keys) == 100
    labels = [f"round {r} {what} {n}" for r in range(3) for what in ("bid", "play") for n in (0, 1)]
    seeds = {secret_seed(key, label) for key in (KEY, "00" * 32) for label in labels}
    assert len(seeds) == 2 * len(labels)
    assert all(0 <= seed < 2**62 for seed in seeds)
    assert len({secret_deal(STANDARD, KEY, n) for n in range(100)}) == 100


def test_the_key_is_told_at_the_end_and_verifies_all_deals():
    game = Game(Setup((None, "srp+bis", None, "srp+bis"), rounds=3, key=KEY))
    committed = commitment(KEY)
    while game.phase != OVER:
        assert game.deal_key is None
        for seat in range(N_SEATS):
            view = seat_view(game, seat)
            assert (view["commitment"], view["deal_key"]) == (committed, None)
            assert KEY not in json.dumps(view)
        assert KEY not in repr((game.setup, game.record))
        game.make(Move(0, DEAL) if game.turn is None else game.agents_move() or lowest(game))
    assert seat_view(game, 0)["deal_key"] == KEY
    sources = [f"deals committed {committed}"] * 3
    sources[-1] += f"; deal key {KEY}"
    assert [record.source for record in game.records] == sources
    deals = [(record.dealer, record.hands) for record in game.records]
    assert verify(KEY, committed, STANDARD, deals)
    assert not verify(KEY, commitment("00" * 32), STANDARD, deals)
    assert not verify("x", committed, STANDARD, deals)
    swapped = [(dealer, hands[::-1]) for dealer, hands in deals]
    assert not verify(KEY, committed, STANDARD, swapped)
    assert [record.seed for record in game.records] == [None] * 3


def test_what_is_played_again_tells_nothing_of_later_rounds():
    setup = Setup((None, "srp+bis", None, "srp+bis"), rounds=3, key=KEY)
    game = Game(setup)
    while len(game.records) < 1:
        game.make(game.agents_move() or lowest(game))
    again = play_again(setup, 2, "wrp+rb", game.records[:1])
    assert [record.hands for record in again] == [game.records[0].hands]
    text = repr(again)
    assert KEY not in text
    assert all(record.seed is None for record in again)
    assert not any(str(hand) in text for hand in secret_deal(STANDARD, KEY, 1))
    with pytest.raises(TypeError):
        play_again(setup, 2, "wrp+rb", 3)  # a number of rounds names rounds that aren't over


def test_agents_of_a_table_with_people_have_the_same_chance_when_it_is_played_again():
    setup = Setup((None, "human", None, "random"), rounds=2, key=KEY)
    game = played(Game(setup), lowest)
    one, two = (play_again(setup, 0, "random", game.records) for _ in range(2))
    assert one == two


def test_a_seed_is_refused_where_people_sit(tmp_path):
    store = TableStore(tmp_path / "tables.sqlite")
    for agents in (PEOPLE, (None, "srp", "srp", "srp")):
        with pytest.raises(TableError, match="the deals of a table with people are drawn secretly"):
            store.open_table(Setup(agents, 7))
        with pytest.raises(TableError) as refused:
            Setup.from_request({"agents": list(agents), "seed": 7})
        assert str(refused.value) == SEED_REFUSED
    assert Setup.from_request({"agents": ["srp"] * 4, "seed": 7}).seed == 7
    assert Setup.from_request({"agents": ["srp"] * 4}).seed is not None
    for name in ("key", "is_sealed"):
        with pytest.raises(TableError, match=f"{name} is the server's to say"):
            Setup.from_request({"agents": list(PEOPLE), name: KEY})
    with pytest.raises(TableError, match="no set-up"):
        Setup.from_request([])


def test_every_table_has_a_key_of_its_own(tmp_path):
    store = TableStore(tmp_path / "tables.sqlite")
    setup = Setup(PEOPLE, rounds=1, rules=Rules(nil=50))
    games = [store.seat_of(store.open_table(setup)[0]).game for _ in range(3)]
    stored = [store.setup_of(game) for game in games]
    assert len({one.key for one in stored}) == 3
    assert len({Game(one).dealt for one in stored}) == 3
    with pytest.raises(TableError, match="this table hasn't been opened"):
        Game(setup)


def test_a_key_isnt_shown_in_errors():
    document = Setup(PEOPLE, key=KEY).document() | {"rounds": [1]}
    with pytest.raises(TableError) as refused:
        Setup.from_document(document)
    assert KEY not in str(refused.value)
