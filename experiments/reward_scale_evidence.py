"""What speaks for a reward scale: numbers that papers print, and ours at every scale.

``experiments.choose_reward_scale`` says what is compared, weighs it and chooses.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analysis.matches.match import MatchPlan
from analysis.papers.results import find_row, load_results
from analysis.runs.command import say
from analysis.style.compare import PUBLISHED_KL
from analysis.sweeps.run import run_sweep
from analysis.sweeps.sweep import Setting, SweepPlan
from analysis.sweeps.views import TIMES
from experiments.papers import baier, baier_plays
from experiments.papers.claims import ACCURACY, KL, WINS, Estimate
from experiments.papers.lab import Lab, StoppedError, accuracy_of, kl_of, of_setting
from spades.core.documents import Document
from spades.core.errors import SpadesError
from spades.core.scoring import evaluation_table
from spades.notation.log_store import open_log
from spades.search import Experience, Knowledge
from spades.search.techniques.technique import ALL_CHILDREN, FIRST_CHILD, ROOT_ONLY

SCALES = (25, 50, 100, 200, 400, 800)
ITERATIONS = 2500
LOG = "human-south"
SEARCHES_LOG = "four-ismcts"
SEED = 20181
STANDING = 400
"""The scale of ``ismcts``, by which all that is stored was measured."""
GAMES = {25: 60, 50: 60, 100: 60, 200: 160, 800: 120}
"""By scale, more where the choice is close; at ``STANDING`` *Papers* has thousands already."""
DECISIONS = 1000
STYLE_ROUNDS = 200
CALL_ROUNDS = 40

CALLS = "Baier, calls"
BAIER_WON = "Baier, games won"
BAIER_ACCURACY = "Baier, accuracy"
DEVLIN_WON = "Devlin, games won"
DEVLIN_KL = "Devlin, KL"
RANGE = "Whitehouse, range"
OF_PEOPLE = (BAIER_ACCURACY, DEVLIN_KL)
"""Sources that depend on who plays the human, whom we only simulate."""
SOURCES = {
    CALLS: "Baier et al. 2018, table II",
    BAIER_WON: "Baier et al. 2018, IV-C",
    BAIER_ACCURACY: "Baier et al. 2018, IV-C and table I",
    DEVLIN_WON: "Devlin et al. 2016, table 1",
    DEVLIN_KL: "Devlin et al. 2016, table 1",
    RANGE: "Whitehouse et al. 2013, equation 1",
}

# What the papers print besides what ``analysis.sweeps.views`` has

AT_THE_ROOT = (
    Experience(baier.NETWORK, w=10, delay=ROOT_ONLY),
    Knowledge(baier.NETWORK, c_bt=0.2, k=1000.0, delay=ROOT_ONLY),
)
"""The two that the paper recommends."""
BAIER_GAMES = 1000
BAIER_MOVES = 135_603
DEVLIN_BIAS = Knowledge("devlin2016", c_bt=0.03, k=1000.0)
PAPERS_ROWS = {
    AT_THE_ROOT[0]: (
        "baier-fig6-7",
        f"experience, w 10, root only, equal time: games won, {baier.PLAIN}",
    ),
    AT_THE_ROOT[1]: (
        "baier-fig6-7",
        f"knowledge, C_BT 0.2, K 1000, root only, equal time: games won, {baier.PLAIN}",
    ),
    DEVLIN_BIAS: ("devlin-table1", "Biased agent: games won against the baseline"),
}
"""Where the games at ``STANDING`` stand. At the root equal time is nearly equal iterations."""
DEVLIN_WINS = 0.496
DEVLIN_HALF_WIDTH = 0.034
TYPICAL = 0.95
"""Our reading of "typically"."""
TIMES_OFF = 2.0
"""Tolerance of a word."""
CALLS_OFF = 0.1
"""Tolerance of calls, as a share of them; *Papers* has the same."""

QUANTILE_95 = 1.959964  # of a normal distribution, from which intervals at 95% are made


@dataclass(frozen=True)
class Measured:
    """A number of ours at one scale; ``error``: its standard error."""

    value: float
    error: float
    n: int

    @classmethod
    def of(cls, estimate: Estimate) -> "Measured":
        assert estimate.value is not None
        if estimate.interval is None:
            return cls(estimate.value, 0.0, estimate.n)
        low, high = estimate.interval
        return cls(estimate.value, (high - low) / (2 * QUANTILE_95), estimate.n)


@dataclass(frozen=True)
class Evidence:
    """A published number and ours at each scale.

    ``tolerance``, ``published_error``: in the unit of the difference, which is that of the
    logarithms where ``by_ratio``. ``reading``: empty for what counts; else the name of another way
    to count ours, shown beside it.
    """

    source: str
    what: str
    unit: str
    published: float
    ours: Mapping[int, Measured]
    tolerance: float
    published_error: float = 0.0
    by_ratio: bool = False
    reading: str = ""

    def z(self, scale: int, tolerances: float = 1.0) -> float:
        """How far ours is from the published at a scale, in standard errors, tolerance included.
        ``tolerances``: by how much that is widened."""
        ours = self.ours[scale]
        difference = ours.value - self.published
        error = ours.error
        if self.by_ratio:
            difference = math.log(ours.value / self.published)
            error = ours.error / ours.value
        return difference / math.hypot(error, self.published_error, tolerances * self.tolerance)

    def document(self) -> Document:
        ours = [
            {
                "reward_scale": scale,
                "value": measured.value,
                "interval": [
                    measured.value - QUANTILE_95 * measured.error,
                    measured.value + QUANTILE_95 * measured.error,
                ],
                "n": measured.n,
                "z": self.z(scale),
            }
            for scale, measured in self.ours.items()
        ]
        return {
            "source": self.source,
            "what": self.what,
            "reading": self.reading,
            "unit": self.unit,
            "published": self.published,
            "published_error": self.published_error,
            "tolerance": self.tolerance,
            "by_ratio": self.by_ratio,
            "ours": ours,
        }


# What is measured


def unbiased(scale: int) -> Setting:
    return Setting(iterations=ITERATIONS, reward_scale=float(scale))


def biased(bias: Any, scale: int) -> Setting:
    return Setting(bias, ITERATIONS, float(scale))


def calls(lab: Lab) -> Iterator[Evidence]:
    """Nodes of a search in which the network is called: at the first card tried there, as the text
    says, and once all were tried, which is the other reading."""
    for printed in TIMES:
        what = f"{printed.bias.name}, delay {printed.delay}"
        for asked, suffix, reading in (
            (FIRST_CHILD, "", ""),
            (ALL_CHILDREN, ", after all cards", "asked when every legal card has a child"),
        ):
            ours = {}
            for scale in SCALES:
                if scale == STANDING:
                    ours[scale] = shown_on_papers("baier-table2", f"{what}: calls a move{suffix}")
                    continue
                setting = baier.delayed(printed.bias, printed.delay, asked=asked)
                nodes, _ = baier_plays.count_calls(
                    lab, biased(setting.bias, scale).agent(), CALL_ROUNDS
                )
                ours[scale] = Measured.of(nodes)
            yield Evidence(
                CALLS,
                what,
                "calls a search",
                printed.model_calls,
                ours,
                CALLS_OFF,
                by_ratio=True,
                reading=reading,
            )


def games_won(lab: Lab) -> Iterator[Evidence]:
    """Games won against the unbiased search of the same scale."""
    for bias in AT_THE_ROOT:
        _, published = baier.printed_of(f"{bias.strength_text}, root only")
        error = math.sqrt(published * (1 - published) / BAIER_GAMES)
        yield won(lab, BAIER_WON, bias, published, error)
    yield won(lab, DEVLIN_WON, DEVLIN_BIAS, DEVLIN_WINS, DEVLIN_HALF_WIDTH / QUANTILE_95)


def won(lab: Lab, source: str, bias: Any, published: float, error: float) -> Evidence:
    ours = {}
    for scale in SCALES:
        if scale == STANDING:
            ours[scale] = shown_on_papers(*PAPERS_ROWS[bias])
            continue
        plan = MatchPlan(biased(bias, scale).agent(), unbiased(scale).agent(), GAMES[scale], SEED)
        ours[scale] = Measured.of(lab.win_rate(plan))
        say(f"{source}, {bias.strength_text}, {scale} points: {ours[scale].value:.1%} won")
    return Evidence(
        source,
        f"{bias.name}, {bias.strength_text}",
        "share of games",
        published,
        ours,
        WINS,
        error,
    )


def shown_on_papers(figure: str, claim: str) -> Measured:
    """Our value of a claim on the *Papers* page, main or read otherwise."""
    row = find_row(load_results(), figure, claim)
    if row is None:
        raise SpadesError(f"{figure} has no row of {claim!r}")
    return Measured.of(Estimate(row["ours"], tuple(row["interval"]), row["n"], row["of"]))


def accuracies(run: Callable[[SweepPlan], Document]) -> Iterator[Evidence]:
    """How much of the way from the unbiased search's accuracy to the network's own a search comes.

    The errors of the three accuracies are taken as independent, though they are of the same cards.
    """
    network = Setting.direct(baier.NETWORK)
    settings = [network]
    for scale in SCALES:
        settings.append(unbiased(scale))
        settings += [biased(bias, scale) for bias in AT_THE_ROOT]
    plan = SweepPlan(tuple(settings), games=0, rounds=0, decisions=DECISIONS, seed=SEED, log=LOG)
    document = run(plan)

    def measured(setting: Setting) -> Measured:
        return Measured.of(accuracy_of(of_setting(document, setting)))

    published_network, _ = baier.printed_of("direct imitation")
    base = baier.BASELINE_ACCURACY
    whole = published_network - base
    one = math.sqrt(0.25 / BAIER_MOVES)  # standard error of an accuracy, at most
    for bias in AT_THE_ROOT:
        accuracy, _ = baier.printed_of(f"{bias.strength_text}, root only")
        yield Evidence(
            BAIER_ACCURACY,
            f"{bias.name}, {bias.strength_text}",
            "share of the way to the network",
            (accuracy - base) / whole,
            {
                scale: share_of_way(
                    measured(biased(bias, scale)), measured(unbiased(scale)), measured(network)
                )
                for scale in SCALES
            },
            ACCURACY / whole,
            math.sqrt(2) * one / whole,
        )


def share_of_way(at: Measured, start: Measured, end: Measured) -> Measured:
    """How much of the way from ``start`` to ``end`` one is."""
    whole = end.value - start.value
    share = (at.value - start.value) / whole
    errors = (at.error, (1 - share) * start.error, share * end.error)
    return Measured(share, math.hypot(*errors) / abs(whole), at.n)


def divergence(run: Callable[[SweepPlan], Document]) -> Evidence:
    """The KL of the biased search over that of the unbiased one, of the same rounds."""
    settings = []
    for scale in SCALES:
        settings += [unbiased(scale), biased(DEVLIN_BIAS, scale)]
    plan = SweepPlan(tuple(settings), games=0, decisions=0, rounds=STYLE_ROUNDS, seed=SEED, log=LOG)
    document = run(plan)
    ours = {}
    for scale in SCALES:
        plain = above_chance(of_setting(document, unbiased(scale)))
        near = above_chance(of_setting(document, biased(DEVLIN_BIAS, scale)))
        error = math.hypot(plain.error / plain.value, near.error / near.value)
        ratio = near.value / plain.value
        ours[scale] = Measured(ratio, ratio * error, near.n)
    plain_kl = PUBLISHED_KL["Baseline ISMCTS"]
    near_kl = PUBLISHED_KL["Biased agent"]
    return Evidence(
        DEVLIN_KL,
        DEVLIN_BIAS.strength_text,
        "KL over the unbiased search's",
        near_kl / plain_kl,
        ours,
        math.hypot(KL / plain_kl, KL / near_kl),
        by_ratio=True,
    )


def above_chance(measured: Document) -> Measured:
    """A setting's KL less what as few rounds of the same player would have against themselves."""
    estimate = Measured.of(kl_of(measured))
    return replace(estimate, value=estimate.value - measured["kl"]["chance"])


def typical_range() -> Evidence:
    """How many times as wide the interval from -1/2 to 1/2 is as what ``TYPICAL`` of rounds need.

    At a scale of c it reaches to c / 2 points.
    """
    values = np.abs(round_values(SEARCHES_LOG))
    n = len(values)
    needed = 2 * float(np.quantile(values, TYPICAL))
    width = QUANTILE_95 * math.sqrt(TYPICAL * (1 - TYPICAL) / n)
    low, high = 2 * np.quantile(values, [TYPICAL - width, TYPICAL + width])
    error = float(high - low) / (2 * QUANTILE_95)
    return Evidence(
        RANGE,
        f"{TYPICAL:.0%} of rounds within -1/2 to 1/2",
        "width of -1/2 to 1/2 over what they need",
        1.0,
        {scale: Measured(scale / needed, scale / needed * error / needed, n) for scale in SCALES},
        math.log(TIMES_OFF),
        by_ratio=True,
    )


def round_values(name: str) -> np.ndarray:
    """What the rounds of a log are worth for N/S, in points, as the search counts them."""
    values = []
    for record in open_log(name).records():
        tricks = record.at(len(record.plays)).table.tricks_taken
        table = evaluation_table(record.rules, tuple(record.bids), tuple(record.blind))
        values.append(int(table[tuple(tricks[:3])]))
    return np.array(values)


# What a scale means


GAPS = (5, 15, 30)
N_LEGAL = (2, 5, 8)


def visit_share(
    points: float, scale: float, n_cards: int, *, n: int = ITERATIONS, c: float = 0.7
) -> float:
    """Share of the visits of a card that is so many points better than all others, which are equal.

    UCB1 keeps the bounds level: with bound B, a card of mean X has C^2 ln n / (B - X)^2 visits, and
    B is such that those of all cards are n (``docs/principles.md``).

    >>> [round(visit_share(15, scale, 5), 2) for scale in (100, 400)]
    [0.84, 0.39]
    """
    ahead = points / scale
    width = c * math.sqrt(math.log(n))
    below = ahead + width / math.sqrt(n)  # the bound, had the better card all visits
    above = ahead + width / math.sqrt(n / n_cards)  # had it no more than the others
    for _ in range(100):
        bound = (below + above) / 2
        visits = (width / (bound - ahead)) ** 2
        others = (n_cards - 1) * (width / bound) ** 2
        if visits + others > n:
            below = bound
        else:
            above = bound
    return visits / n


def visit_shares() -> list[Document]:
    return [
        {
            "points": points,
            "legal_cards": n_cards,
            "shares": [
                {"reward_scale": scale, "share": visit_share(points, scale, n_cards)}
                for scale in SCALES
            ],
        }
        for points in GAPS
        for n_cards in N_LEGAL
    ]


def evidence(**options: Any) -> list[Evidence]:
    """All rows; ``StoppedError`` where the run was cancelled."""
    lab = Lab(1.0, **options)

    def run(plan: SweepPlan) -> Document:
        document = run_sweep(plan, **options)
        if document is None:
            raise StoppedError
        return document

    return [
        typical_range(),
        *calls(lab),
        divergence(run),
        *accuracies(run),
        *games_won(lab),
    ]
