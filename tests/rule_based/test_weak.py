"""WRP: a hand-worked position for each rule of thumb."""

import pytest

from tests.rule_based.positions import Position

MADE = {"tricks": (3, 0, 3, 0)}
COVER = {"bids": (4, 4, 0, 3)}

CASES = {
    "lead an ace": ({"hand": "HA H2 CK S3"}, "HA"),
    "else low": ({"hand": "HK H4 C3 S2"}, "C3"),
    "low once the contract is made": ({"hand": "HA H2 CK", **MADE}, "H2"),
    "last wins cheaply": ({"hand": "HA HT H2", "trick": "H9 H3 H4"}, "HT"),
    "second hand low": ({"hand": "HK HT H2", "trick": "H5"}, "H2"),
    "second hand ace": ({"hand": "HA HT H2", "trick": "H5"}, "HA"),
    "third hand high": ({"hand": "HK HT H2", "trick": "H4 H7"}, "HK"),
    "ruff low": ({"hand": "S9 S4 D2", "trick": "HA H3 H4"}, "S4"),
    "partner's ruff stays": ({"hand": "S9 S4 D2", "trick": "H3 S5 H4"}, "D2"),
    "duck once the contract is made": ({"hand": "HT H5 H2", "trick": "H9 H3", **MADE}, "H5"),
    "an own nil ducks": ({"hand": "HT H5 H2", "trick": "H9", "bids": (0, 4, 4, 3)}, "H5"),
    "over partner's nil": ({"hand": "HK HT H2", "trick": "H9 H3", **COVER}, "HT"),
    "high before partner's nil": ({"hand": "HK HT H2", "trick": "H9", **COVER}, "HK"),
    "lead high for partner's nil": ({"hand": "HK HT C2", **COVER}, "HK"),
    "leave a nil that is ahead": (
        {"hand": "HA H8 H2", "trick": "H9 H3 H4", "bids": (3, 0, 3, 5)}, "H8"),
    "no count of cards: a bare king isn't led": (
        {"hand": "HK H2 D5 D3", "out": "HQ HJ H9 DA DK S3 S4 S5 C2"}, "H2"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_rule_of_thumb(name):
    fields, card = CASES[name]
    assert Position(**fields).weak() == card
