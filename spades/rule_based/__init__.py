"""Rule-based players: strong (SRP) and weak (WRP), as kernels over what one seat may see.

Source: Cohensius et al. 2020, section 5.1 and appendices D and E, which name the parts of the
strong player but print few rules. Where the paper is silent, a rule follows what good players do
and its docstring says so. A decision takes a hand and the ``Public`` record of the round, so no
kernel here
sees another hand.
"""

from spades.rule_based.players import strong_card, weak_card
from spades.rule_based.sight import Public, public_of

__all__ = ["Public", "public_of", "strong_card", "weak_card"]
