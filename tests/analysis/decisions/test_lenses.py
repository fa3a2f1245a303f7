"""Six lenses on hand-made decisions: what each finds, and what it just doesn't."""

import random
import re

import pytest

from analysis.decisions.lenses import LENS_NAMES, Scene, find_all, found_mask, names_in
from spades.core.cards import SEATS, cards_in
from spades.core.observation import Observation, observe
from spades.core.rules import Rules, Table
from spades.core.scoring import GameScore
from spades.core.winning import winning_chances
from tests.positions import random_bids, random_round, swap_hidden

SOUTH = SEATS.index("S")


def seen(hand, trick="", past=(), *, bids="3333", rules=None, **game):
    """South to play: own cards, the trick so far, tricks before as ``"W C2 C3 C4 C5"`` (leader
    first), bids N E S W."""
    rules = rules or Rules()
    parse = rules.cards.parse_card
    leader = (SOUTH - len(trick.split())) % 4
    first = SEATS.index(past[0][0]) if past else leader
    table = Table(rules, (first - 1) % 4, bids=[int(bid) for bid in bids])
    for text in past:
        who, *cards = text.split()
        assert SEATS[table.leader] == who
        for card in cards:
            table.record_play(parse(card))
    assert table.leader == leader
    for card in trick.split():
        table.record_play(parse(card))
    assert table.turn == SOUTH
    found = Observation(SOUTH, rules.cards.parse_cards(hand.split()), table, **game)
    assert not found.hand & table.played_mask
    return found


def finds(found, card, alternative):
    """Names of the lenses that find something."""
    parse = found.rules.cards.parse_card
    names = set(find_all(found, parse(card), parse(alternative)))
    scene = Scene(found)
    assert names == set(names_in(found_mask(scene, parse(card), parse(alternative))))
    return names


def told(found, card, alternative):
    deck = found.rules.cards
    cards = (deck.parse_card(card), deck.parse_card(alternative))
    return list(find_all(found, *cards).values())


# Fails to cover partner's nil


def test_partner_s_nil_is_left_with_the_trick():
    # North, nil, has the best card; South could take it over.
    found = seen("SA HK H3 C5", "H4 H9 H5", bids="0343")
    assert finds(found, "H3", "HK") == {"nil-uncovered"}
    assert told(found, "H3", "HK") == [
        "3♥ leaves the trick to partner's nil, where K♥ would take it over"
    ]
    assert finds(found, "HK", "H3") == set()


@pytest.mark.parametrize(
    ("trick", "bids", "alternative"),
    [
        ("H4 H9 HJ", "0343", "HK"),  # East is above North's nine
        ("H4 H9 H5", "1343", "HK"),  # no nil
        ("H4 HA H5", "0343", "HK"),  # the king can't cover an ace
        ("H4 H9 H5", "0303", "HK"),  # South has a nil of its own
    ],
)
def test_a_nil_that_needs_or_gets_no_cover(trick, bids, alternative):
    assert "nil-uncovered" not in finds(seen("SA HK H3 C5", trick, bids=bids), "H3", alternative)


def test_a_failed_nil_needs_no_cover():
    past = ["W D2 DA D3 D4", "N C2 C3 C4 CA"]  # North takes one, West leads
    found = seen("SA HK H3 C5", "H4 H9 H5", past, bids="0343")
    assert "nil-uncovered" not in finds(found, "H3", "HK")


def test_a_low_lead_to_partner_s_nil():
    found = seen("SA HA H3 C5", bids="0343")
    assert finds(found, "H3", "HA") == {"nil-uncovered"}
    assert told(found, "H3", "HA")[0].startswith("3♥ may leave partner's nil with the trick")


def test_a_low_lead_is_safe_where_partner_has_shown_out():
    past = ["S HQ H4 D2 H5"]  # North discards on hearts
    assert finds(seen("SA HA H3 C5", past=past, bids="0343"), "H3", "HA") == set()


def test_second_to_play_with_partner_last():
    assert "nil-uncovered" in finds(seen("HA H3 C5", "H7", bids="0343"), "H3", "HA")
    # The king after it can be topped all the same: no cover.
    assert finds(seen("HK H3 C5", "H7", bids="0343"), "H3", "HK") == set()


# Attacks a nil at the cost of the contract


def test_a_nil_attacked_with_the_contract_at_risk():
    found = seen("SA S3 HA H3 C5", bids="4034")  # East nil; North and South bid seven of thirteen
    assert finds(found, "H3", "HA") == {"nil-over-contract"}
    assert told(found, "H3", "HA") == [
        "3♥ goes after East's nil and gives up a trick that A♥ takes, with 7 of the 13 tricks "
        "left needed for the contract"
    ]


@pytest.mark.parametrize("bids", ["3033", "4334"])
def test_no_attack_where_six_of_thirteen_are_needed_or_nobody_bid_nil(bids):
    assert finds(seen("SA S3 HA H3 C5", bids=bids), "H3", "HA") == set()


@pytest.mark.parametrize(
    ("east", "found"), [("D2", set()), ("H2", {"nil-over-contract"})], ids=["out", "follows"]
)
def test_a_nil_that_has_shown_out_is_not_attacked(east, found):
    past = [f"S HQ H4 H5 {east}"]
    assert finds(seen("SA S3 HA H3 C5", past=past, bids="4054"), "H3", "HA") == found


def test_top_spades_in_hand_make_the_contract_safe():
    past = [f"S C{a} C{b} C{c} C{d}" for a, b, c, d in ("A234", "K567", "Q89T")]
    bids = "4340"  # West's nil; eight bid, three taken, five of ten needed: at risk
    found = seen("SA SK SQ SJ HA H3", past=past, bids=bids)
    assert finds(found, "H3", "HA") == {"nil-over-contract"}
    found = seen("SA SK SQ SJ ST HA H3", past=past, bids=bids)  # five top spades make it
    assert finds(found, "H3", "HA") == set()


# Wastes a high card


def test_a_king_thrown_under_an_ace():
    found = seen("HK H3 C5", "H4 H9 HA")
    assert finds(found, "HK", "H3") == {"high-card"}
    assert told(found, "HK", "H3") == [
        "K♥ is wasted on a trick that it can't win, where 3♥ would keep it"
    ]


def test_a_high_discard():
    assert finds(seen("DK C5 S2", "H4 H9 HA"), "DK", "C5") == {"high-card"}


@pytest.mark.parametrize(
    ("hand", "trick", "card", "alternative", "bids"),
    [
        ("HJ H3 C5", "H4 H9 HA", "HJ", "H3", "3333"),  # king and queen are out: no high card
        ("HK HQ C5", "H4 H9 HA", "HK", "HQ", "3333"),  # worth the same
        ("HK H3 C5", "H4 H9 HA", "HK", "H3", "3303"),  # an own nil gets rid of it
        ("DK S2 C5", "H4 H9 HA", "DK", "S2", "3333"),  # the spade would win
        ("HK H3 C5", "H4 H9 HQ", "HK", "H3", "3333"),  # it wins
    ],
)
def test_a_high_card_that_is_not_wasted(hand, trick, card, alternative, bids):
    assert "high-card" not in finds(seen(hand, trick, bids=bids), card, alternative)


def test_a_high_card_may_go_once_the_contract_is_met():
    past = ["W D2 D3 D4 DA", "S C2 C3 C4 CA"]  # South takes one, East leads
    for bids, found in (("0312", set()), ("0322", {"high-card"})):
        there = seen("HK H3 C5", "HA", past, bids=bids, rules=Rules(nil=None))
        assert finds(there, "HK", "H3") == found


def test_the_last_to_play_wins_with_more_than_it_takes():
    found = seen("HA HJ C5", "H4 H2 HT")
    assert finds(found, "HA", "HJ") == {"high-card"}
    assert finds(seen("HA HK C5", "H4 H2 HT"), "HA", "HK") == set()  # worth the same
    third = seen("HA HJ C5", "H2 HT")  # West may have king or queen
    assert "high-card" not in finds(third, "HA", "HJ")


# Cuts partner's winner


def test_partner_s_winner_is_cut():
    found = seen("HA H3 C5", "H4 HK HT")
    assert "partner-cut" in finds(found, "HA", "H3")
    assert told(found, "HA", "H3")[0] == (
        "A♥ cuts partner's K♥, which was winning, where 3♥ leaves it"
    )
    assert finds(seen("S2 C5 D5", "H4 HK HT"), "S2", "C5") == {"partner-cut"}


@pytest.mark.parametrize(
    ("trick", "bids"),
    [
        ("H4 HK S2", "3333"),  # East has ruffed
        ("H4 HK HT", "0333"),  # North's nil wants to be covered
    ],
)
def test_a_trick_that_is_not_partner_s_to_keep(trick, bids):
    assert "partner-cut" not in finds(seen("S9 C5 D5", trick, bids=bids), "S9", "C5")


def test_third_hand_cuts_a_card_that_was_safe():
    assert finds(seen("S2 C5 D5", "HA H4"), "S2", "C5") == {"partner-cut"}
    assert finds(seen("S2 C5 D5", "HQ H4"), "S2", "C5") == set()  # West may have king or ace
    west_is_out = ["N HK H5 H6 D2"]
    assert finds(seen("S2 C5 D5", "HA H4", west_is_out), "S2", "C5") == set()  # West would ruff


# Takes unwanted bags

MET = ["N C2 C3 CA C4"]  # South takes one


def test_a_bag_that_nobody_wanted():
    found = seen("HA H3 D5", past=MET, bids="0312", rules=Rules(nil=None))
    assert finds(found, "HA", "H3") == {"bag"}
    assert told(found, "HA", "H3") == [
        "A♥ takes a trick beyond the contract, bag 1, where 3♥ loses it"
    ]


@pytest.mark.parametrize(
    ("bids", "options", "card", "alternative"),
    [
        ("0322", {"nil": None}, "HA", "H3"),  # one more is needed
        ("0414", {"nil": None}, "HA", "H3"),  # the opponents need eight of twelve
        ("0312", {"nil": None, "bag_limit": 0}, "HA", "H3"),  # bags cost nothing
        ("0312", {"nil": None}, "H3", "HA"),  # loses it
        ("0312", {}, "HA", "H3"),  # covers North's nil
    ],
)
def test_a_trick_that_is_no_unwanted_bag(bids, options, card, alternative):
    found = seen("HA H3 D5", past=MET, bids=bids, rules=Rules(**options))
    assert "bag" not in finds(found, card, alternative)


# Ignores the match score


def test_the_contract_that_wins_the_match_is_put_at_risk():
    score = {"score_before": (440, 300), "bags_before": (0, 0)}
    found = seen("SA S3 HA H3 C5", bids="4234", **score)  # seven bid: 510
    assert finds(found, "H3", "HA") == {"score"}
    # Set at six tricks; theirs, six bid, are made with a bag, and South deals next.
    chance = winning_chances(Rules()).chance(GameScore((370, 361), (0, 1)), SOUTH)
    assert told(found, "H3", "HA") == [
        f"Making the contract wins the match at 510; set, the chance is {chance:.0%}, and 3♥ gives "
        "up a trick that A♥ takes"
    ]
    short = {"score_before": (420, 300), "bags_before": (0, 0)}
    assert finds(seen("SA S3 HA H3 C5", bids="4234", **short), "H3", "HA") == set()
    assert finds(seen("SA S3 HA H3 C5", bids="4234"), "H3", "HA") == set()  # score not known


def test_opponents_who_must_be_set_are_let_off():
    score = {"score_before": (200, 440), "bags_before": (0, 0)}
    found = seen("SA S3 HA H3 C5", bids="2423", **score)  # they bid seven: 510
    assert finds(found, "H3", "HA") == {"score"}
    assert "win the match at 510 unless they are set" in told(found, "H3", "HA")[0]
    behind = {"score_before": (200, 420), "bags_before": (0, 0)}
    assert finds(seen("SA S3 HA H3 C5", bids="2423", **behind), "H3", "HA") == set()
    nil = seen("SA S3 HA H3 C5", bids="2720", **score)  # West's nil may be set in their stead
    assert "score" not in finds(nil, "H3", "HA")


def test_the_bag_that_costs_a_hundred():
    rules = Rules(nil=None)
    game = {"score_before": (100, 100), "bags_before": (9, 0)}
    found = seen("HA H3 D5", past=MET, bids="0312", rules=rules, **game)
    assert finds(found, "HA", "H3") == {"bag", "score"}
    text = next(one for one in told(found, "HA", "H3") if "costs 100 points" in one)
    bagged, kept = map(int, re.findall(r"(\d+)%", text))
    assert text.startswith("A♥ takes the bag that costs 100 points (a chance to win of ")
    assert bagged < kept  # by little: the bag would come in the next round
    unknown = seen("HA H3 D5", past=MET, bids="0312", rules=Rules(nil=None, target=5000), **game)
    assert "A♥ takes the bag that costs 100 points, where 3♥ loses the trick" in told(
        unknown, "HA", "H3"
    )
    game["bags_before"] = (8, 0)
    found = seen("HA H3 D5", past=MET, bids="0312", rules=rules, **game)
    assert finds(found, "HA", "H3") == {"bag"}


# All of them


def test_a_card_beside_itself_is_nothing():
    assert finds(seen("HA H3 C5", "H4 HK HT"), "HA", "HA") == set()


def test_unknown_bids_find_no_contract():
    found = seen("HK H3 C5", "H4 H9 HA")
    found.table.bids[1] = -1
    assert finds(found, "HK", "H3") == set()


def test_lenses_see_nothing_hidden_and_every_one_is_met():
    """Over random positions: the other hands dealt anew change nothing."""
    rng, met = random.Random(3), set()
    for i in range(1500):
        rules = Rules(nil=None) if i % 3 == 0 else Rules()
        state = random_round(rng, rng.randrange(50), rules=rules, bids=random_bids(rng))
        legal = list(cards_in(state.legal_plays()))
        if len(legal) < 2:
            continue
        card, alternative = rng.sample(legal, 2)
        game = {"score_before": (430, 440), "bags_before": (8, 9)}
        mover = state.table.turn
        here = found_mask(Scene(observe(state, **game)), card, alternative)
        met |= set(names_in(here))
        other = swap_hidden(state, mover, rng) if i % 20 == 0 else state
        assert found_mask(Scene(observe(other, mover, **game)), card, alternative) == here
    assert met == set(LENS_NAMES)
