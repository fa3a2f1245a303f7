"""Hints, explanations and claims over the server's functions: by what the seat sees alone."""

from dataclasses import replace

import pytest

from analysis.decisions import evidence
from analysis.decisions.claims import own_claim
from analysis.decisions.explain import explain_trick
from spades.core.cards import HEARTS, SPADES, STANDARD, cards_in, suit_mask, suit_of
from spades.core.deal import random_deal
from spades.core.errors import SpadesError
from spades.core.observation import observe
from spades.core.rules import Round, Rules
from spades.look.words import pretty
from spades.tables import LiveTables, TableStore
from tests.analysis.decisions.test_claims import seen_by_south
from tests.tables.test_live import game_of
from tests.ui.play.test_seen import lowest
from ui.play import help as helper
from ui.play import server

TABLE = {"agents": ["srp+bis", "srp+bis", None, "srp+bis"], "rounds": 1, "help": True}


@pytest.fixture(autouse=True)
def own_tables(tmp_path, monkeypatch):
    live = LiveTables(TableStore(tmp_path / "tables.sqlite"))
    monkeypatch.setattr(server, "tables", lambda: live)
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(evidence, "MOST_ROUNDS", 20)
    monkeypatch.setattr(evidence, "LEAST_ROUNDS", 20)
    monkeypatch.setattr(evidence, "NETWORK_ITEMS", 1)
    return live


def dealt(cards=0, seed=6, **more):
    """South's token, due after so many tricks."""
    table = {**TABLE, **more}
    if table["rounds"]:
        table["deals"] = [[0, random_deal(STANDARD, seed)]]
    token = server.open_table(table)["S"]
    view = server.view_of(token)
    while not (view["phase"] == "play" and len(view["round"]["winners"]) >= cards) and cards:
        view = server.make_move({"token": token, "n": view["n"], **lowest(view)})
    return token, view


def help_with(document):
    return server.help_answer(document, server.begin_help(document).result(server.WAIT_SECONDS))


def ask(token, view, what):
    return help_with({"token": token, "n": view["n"], "ask": what})


def test_a_hint_on_a_bid_says_what_bidders_bid(own_tables):
    token, view = dealt()
    found = ask(token, view, "hint")
    assert "BIS counts" in found["help"]["text"][0]
    assert found["table"]["n"] == view["n"] + 1
    assert own_tables.store.moves_of(own_tables.seat_of(token).game)[-1].kind == "hint"
    (text,) = ask(token, found["table"], "explain")["help"]["text"]
    assert "once all four have bid" in text


def test_a_hint_on_a_card_has_human_search_and_judge():
    token, view = dealt(cards=1)
    found = ask(token, view, "hint")["help"]
    rows = found["rows"]
    cards = [card for row in rows for card in row["card"].split(" = ")]
    assert sorted(cards) == sorted(map(pretty, view["legal"]))
    assert len(rows) < len(cards)  # equivalent cards are one
    assert sum(row["human"] for row in rows) == pytest.approx(1)
    assert sum(row["visits"] for row in rows) == pytest.approx(1)
    losses = [row["loss"] for row in rows]
    assert losses[0] == 0
    assert losses == sorted(losses)
    kinds = ("Clear", "Leans", "Toss-up", "All equal", "Judges differ")
    assert any(kind in found["text"][0] for kind in kinds)


def with_cards_exchanged(game):
    """The round as it is, but two unplayed cards of one suit, of two hands that South doesn't see,
    in each other's hand."""
    one, other = (game.round.hands[i] for i in (0, 1))
    for suit in range(4):
        a, b = (hand & suit_mask(suit) for hand in (one, other))
        if a and b:
            both = (a & -a) | (b & -b)
            dealt = list(game.record.hands)
            dealt[0], dealt[1] = dealt[0] ^ both, dealt[1] ^ both
            return replace(game.record, hands=tuple(dealt))
    return pytest.fail("no suit that both hold")


def test_help_is_the_same_wherever_hidden_cards_lie(own_tables):
    token, _ = dealt(cards=1)
    game = game_of(own_tables, token)
    ply, record, other = len(game.round.table.plays), game.record, with_cards_exchanged(game)
    assert record.hands != other.hands
    told = []
    for one in (record, other):
        seen = one.observation(ply)
        rows = helper.hint(one, seen)["rows"]
        judged = [row.pop("loss") is not None for row in rows]
        told.append((explain_trick(seen), own_claim(seen), rows, any(judged)))
    assert told[0][:3] == told[1][:3]
    assert told[0][2]


def test_the_rest_is_claimed_once_it_is_sure():
    n_claims = 0
    for seed in range(5, 40):
        token, view = dealt(cards=10, seed=seed)
        while view["phase"] == "play":
            if ask(token, view, "claim")["may_claim"]:
                n_claims += 1
                taken = len([w for w in view["round"]["winners"] if w % 2 == 0])
                left = 13 - len(view["round"]["winners"])
                view = server.make_move({"token": token, "n": view["n"], "claim": True})
                ours = len([w for w in view["round"]["winners"] if w % 2 == 0])
                assert ours == taken + left
                break
            with pytest.raises(SpadesError, match="depends on the other hands"):
                server.make_move({"token": token, "n": view["n"], "claim": True})
            view = server.make_move({"token": token, "n": view["n"], **lowest(view)})
        if n_claims >= 2:
            return
    pytest.fail("nothing was claimed")


def test_a_claim_needs_every_deal_and_no_live_nil():
    seen = seen_by_south("SA SK HA", "S2 S3 H2 H3 H4 D2 D3 D4 C2")
    assert own_claim(seen).tricks == 3
    seen.table.bids[1] = 0  # has taken no trick
    assert own_claim(seen) is None
    assert own_claim(seen_by_south("SK HA", "SA H2 H3 D2 D3 C2")) is None


@pytest.mark.parametrize(
    ("more", "asked", "error"),
    [
        ({}, {"ask": "cards"}, "hint, explain or claim"),
        ({}, {"ask": "hint", "n": 0}, "move 0 isn't due"),
        ({"help": False}, {"ask": "hint"}, "help is off"),
        ({"help": False}, {"ask": "explain"}, "help is off"),
    ],
)
def test_help_that_is_refused(more, asked, error):
    token, view = dealt(**more)
    with pytest.raises(SpadesError, match=error):
        help_with({"token": token, "n": view["n"], **asked})
    assert server.view_of(token) == view


def test_a_hidden_hand_is_sent_to_nobody(own_tables):
    token, _ = dealt(rounds=0)
    with own_tables.playing(own_tables.seat_of(token).game) as game:
        game.score = replace(game.score, score=(-120, 0))
    hidden = server.view_of(token)
    assert hidden["may_look"]
    assert hidden["round"]["hands"][2] == ["?"] * 13
    with pytest.raises(SpadesError, match="look at the hand first"):
        ask(token, hidden, "hint")


def test_the_trick_in_words():
    """North leads K of hearts from A K, East shows out and trumps; South has T 2 of hearts."""
    suits = ["SA S4 S3 H2 HT D2 D3 D4 D5 C2 C3 C4 C5", "HA HK S5 S6 D6 D7 D8 D9 C6 C7 C8 C9 CT"]
    south, north = (STANDARD.parse_cards(hand.split()) for hand in suits)
    rest = STANDARD.mask & ~(south | north)
    hearts = rest & suit_mask(HEARTS)
    spades = [card for card in cards_in(rest) if suit_of(card) == SPADES]
    others = [card for card in cards_in(rest & ~hearts) if card not in spades]
    east = sum(1 << card for card in [*spades[:5], *others[:8]])
    table = Round.deal(Rules(), 3, (north, east, south, rest & ~east))
    for seat in (0, 1, 2, 3):
        table.table.bid(seat, 3)
    table.play(STANDARD.parse_card("HK"))
    table.play(spades[0])
    first, needs, out, cards = explain_trick(observe(table))
    trump = pretty(STANDARD.format_card(spades[0]))
    assert first == f"So far: Your partner K♥, East {trump}. East is ahead."
    assert needs == "North/South need 6 of the last 13 · East/West need 6 of the last 13."
    assert out == "Shown out: East of hearts."
    assert cards == "10♥, 2♥: ducks."
