"""What Devlin 2016 and Baier 2018 print of their settings: measured on real humans' play.

Accuracies are over all plays, forced ones too (a random legal card is right in 44 % of them in
Baier 2018, as in ours). Win rates are against each paper's own unbiased search of 2,500 iterations;
that search's own, 50 %, holds by definition.
"""

from __future__ import annotations

from dataclasses import dataclass

from analysis.sweeps.sweep import EXPERIENCE, KNOWLEDGE, Setting

DEVLIN, BAIER = "Devlin 2016", "Baier 2018"
NETWORK = "t-200-150-100"


@dataclass(frozen=True)
class PublishedPoint:
    """A published agent: shares of 1, KL in nats; None where the paper doesn't say."""

    label: str
    source: str
    win_rate: float
    accuracy_all: float | None = None
    kl: float | None = None
    half_width: float | None = None  # of the win rate's 95 % interval

    @property
    def text(self) -> str:
        return f"{self.source}: {self.label}"


POINTS = (
    PublishedPoint("unbiased", f"{DEVLIN}, table 1", 0.5, kl=0.1142),
    PublishedPoint("C_BT 0.03, K 1000", f"{DEVLIN}, table 1", 0.496, kl=0.0291, half_width=0.034),
    PublishedPoint("unbiased", f"{BAIER}, table I", 0.5, accuracy_all=0.582),
    PublishedPoint("direct imitation", f"{BAIER}, table I", 0.220, accuracy_all=0.711),
    PublishedPoint("C_BT 0.2, K 1000, root only", f"{BAIER}, IV-C", 0.452, accuracy_all=0.703),
    PublishedPoint("C_BT 0.5, K 100, root only", f"{BAIER}, IV-C", 0.475, accuracy_all=0.705),
    PublishedPoint("C_BT 1, K 10, root only", f"{BAIER}, IV-C", 0.465, accuracy_all=0.696),
    PublishedPoint("w 10, root only", f"{BAIER}, IV-C", 0.465, accuracy_all=0.696),
)


@dataclass(frozen=True)
class PublishedTime:
    """A row of Baier 2018, table II: ``delay`` of visits, time of a move relative to unbiased."""

    technique: str
    delay: int
    ratio: float
    model_calls: float
    iterations: int  # that take the unbiased search's time for 2,500

    @property
    def text(self) -> str:
        bias = "C_BT 0.2, K 1000" if self.technique == KNOWLEDGE else "w 10"
        return f"{BAIER}, table II: {bias}, delay {self.delay}"


_UNBIASED_MS = 33.84
_TABLE_2 = {
    KNOWLEDGE: (
        (1, 85.56, 343.17, 989),
        (5, 63.66, 173.70, 1329),
        (20, 45.88, 59.25, 1844),
        (100, 38.71, 13.53, 2185),
        (500, 35.68, 3.36, 2371),
        (2000, 35.46, 1.64, 2386),
    ),
    EXPERIENCE: (
        (1, 83.71, 339.69, 1031),
        (5, 79.44, 305.27, 1086),
        (20, 49.97, 88.86, 1727),
        (100, 38.81, 13.64, 2223),
        (500, 36.53, 3.17, 2362),
        (2000, 35.37, 1.52, 2439),
    ),
}
TIMES = tuple(
    PublishedTime(technique, delay, ms / _UNBIASED_MS, calls, iterations)
    for technique, rows in _TABLE_2.items()
    for delay, ms, calls, iterations in rows
)

_STRENGTHS = {
    (KNOWLEDGE, 0.03, 1000.0, None): DEVLIN,
    (KNOWLEDGE, 0.2, 1000.0, None): BAIER,
    (KNOWLEDGE, 0.5, 100.0, None): BAIER,
    (KNOWLEDGE, 1.0, 10.0, None): BAIER,
    (EXPERIENCE, None, None, 10): BAIER,
}


def published_in(setting: Setting) -> str | None:
    """The paper that recommends a bias of this strength, whatever model and delay."""
    return _STRENGTHS.get((setting.technique, setting.c_bt, setting.k, setting.w))
