"""Cohensius et al. 2020, section 4 and appendix D.1: its worked examples, ours exact.

    python -m spades reproduce cohensius-examples

The hand of section 4 is that of the paper's figure 1. The paper estimates its chances by dealing.
"""

from math import comb

from experiments.papers.claims import Claim, Estimate, Sheet
from experiments.papers.lab import Lab
from spades.bidding.hands import (
    holding_table,
    nil_tables,
    nil_value,
    p_cnil,
    regular_tricks,
    spade_tricks,
    suit_bits,
)
from spades.core.cards import CLUBS, DIAMONDS, HEARTS, SPADES, STANDARD, parse_hand
from spades.core.documents import Document
from spades.core.kernel import highest
from spades.rule_based.sight import sure_takes

HAND = "AKJ62.AQ.Q.K9543"
"""Spades, hearts, diamonds, clubs."""
CHANCE = 0.01
"""Margin of chances and of tricks."""


def examples(lab: Lab) -> Document:
    """The worked examples, which need no deals: ``lab`` isn't used."""
    sheet = Sheet("cohensius-examples", "", "", settings=HAND)
    hand = parse_hand(HAND, STANDARD)
    chances = holding_table()[2]

    def add(what: str, claim: Claim, exact: float, unit: str = "probability") -> None:
        estimate = Estimate(exact, (exact, exact), 1, "figure")
        sheet.row(what, claim, estimate, unit=unit)
        sheet.beside(unit, what, estimate, claim)

    for what, published, n_held, trick in (
        ("K of five clubs takes a trick", 0.678, 5, 1),
        ("A of two hearts takes a trick", 0.990, 2, 0),
        ("a lone diamond: the second trick can be cut", 0.942, 1, 1),
        ("a lone diamond: the third trick can be cut", 0.733, 1, 2),
        ("two hearts: the third trick can be cut", 0.624, 2, 2),
    ):
        claim = Claim.printed(published, CHANCE, f"{published:.3f}")
        add(what, claim, float(chances[13 - n_held, trick]))
    tricks = Claim.printed(5.89, CHANCE)
    add("tricks of the hand", tricks, regular_tricks(hand, STANDARD.mask, chances), "tricks")
    spades = suit_bits(hand, SPADES)
    ace = highest(suit_bits(STANDARD.mask, SPADES))
    add("A K J 6 2 of spades, high and long", whole(4), spade_tricks(spades, ace), "tricks")
    for what, held, unseen, n_sure in (
        ("A", "A", "KQJT98765432", 1),
        ("K Q", "KQ", "AJT98765432", 1),
        ("four of the last six", "T532", "AK", 2),
    ):
        add(f"sure takes: {what}", whole(n_sure), sure_of(held, unseen), "tricks")
    for what, claim, suit in (
        ("nil in clubs, K 9 5 4 3", Claim.printed(1.0, CHANCE), CLUBS),
        ("nil in diamonds, Q alone", Claim.share(0.578, CHANCE), DIAMONDS),
        ("nil in hearts, A Q", Claim("below 0.001", 0.0, 0.001, 0.001), HEARTS),
        ("nil in spades, A K J 6 2", Claim.printed(0.0, CHANCE), SPADES),
    ):
        add(what, claim, p_cnil(hand, suit, STANDARD))
    add("nil value of the hand", Claim.printed(0.0, CHANCE), nil_value(hand, nil_tables(STANDARD)))
    led_a_fourth_time = Claim.share(0.08, CHANCE)
    add("a suit of four: led a fourth time uncovered", led_a_fourth_time, fourth_trick_uncovered())
    return {sheet.figure: sheet.document}


def whole(n_tricks: int) -> Claim:
    """A number of tricks that a rule counts."""
    return Claim.printed(n_tricks, CHANCE)


def sure_of(held: str, unseen: str) -> float:
    """Tricks that spades win against any defence, by ranks (appendix D.1)."""
    held_bits, unseen_bits = (
        suit_bits(parse_hand(f"{ranks}...", STANDARD), SPADES) for ranks in (held, unseen)
    )
    return float(sure_takes(held_bits, unseen_bits))


def fourth_trick_uncovered() -> float:
    """P(an opponent can lead a suit a fourth time and the partner can't cut), of four cards held.

    Nine cards are out; the partner has at least four of them, and so has an opponent.
    """
    n_out = 9
    ways = 0
    for of_partner in range(4, n_out + 1):
        for of_left in range(n_out - of_partner + 1):
            of_right = n_out - of_partner - of_left
            if max(of_left, of_right) >= 4:
                ways += comb(13, of_partner) * comb(13, of_left) * comb(13, of_right)
    return ways / comb(39, n_out)
