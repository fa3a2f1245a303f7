"""SRP, the strong rule-based player: which of its rules decides a card.

Source: Cohensius et al. 2020, section 5.1, appendices D and E.
"""

from __future__ import annotations

from spades.agents.rule_based.cards import NO_CARD
from spades.agents.rule_based.discard import duck_under, throw_away
from spades.agents.rule_based.follow import follow_to_take
from spades.agents.rule_based.goals import TAKE, attacks_nil, goal_of
from spades.agents.rule_based.lead import lead_to_lose, lead_to_take
from spades.agents.rule_based.nil import attack_nil, cover_partner, play_nil
from spades.agents.rule_based.public import Public
from spades.agents.rule_based.sight import Sight, sight_of
from spades.core.kernel import Int, kernel, lowest


@kernel
def strong_card(hand: Int, public: Public) -> Int:
    """The card (code) that SRP plays from ``hand``; the same decision, the same card."""
    s = sight_of(hand, public)
    if s.legal & (s.legal - 1) == 0:
        return lowest(s.legal)
    return decide(s)


@kernel
def decide(s: Sight) -> Int:
    """Own nil, then partner's, then an opponent's, then the contract, sets and bags.

    The order is the paper's where it says (covering is never given up, D.2), else ours. While
    partner's nil is live, tricks that the contract needs are taken though sure: who wins, leads.
    """
    if s.own_nil:
        return play_nil(s)
    card = NO_CARD
    if s.partner_nil:
        card = cover_partner(s)
    if card == NO_CARD and attacks_nil(s):
        card = attack_nil(s)
    if card != NO_CARD:
        return card
    if goal_of(s) == TAKE or (s.partner_nil and s.need):
        return lead_to_take(s) if s.led < 0 else follow_to_take(s)
    if s.led < 0:
        return lead_to_lose(s)
    return throw_away(s) if s.partner_nil else duck_under(s)
