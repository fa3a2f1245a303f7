"""The published tables and figures: where each is printed, what it takes to make ours.

``experiments/papers`` makes them; ``analysis.papers.results`` reads what was made.
"""

import math
from dataclasses import dataclass, field

from spades.core.errors import SpadesError

# Sizes at full scale. A scale of 0.1 takes a tenth of each.
NAMED_GAMES = 2400
"""Games of a setting that a paper names."""
GRID_GAMES = 1000
"""Games of any other setting."""
DELAYED_GAMES = 1600
"""Games of Baier et al.'s settings that call the network at 100 visits."""
SEEDED_GAMES = 4800
"""Games of Dobre and Lascarides' searches, of which two are level."""
FACTORY_GAMES = 60
"""Games of a search against the one that stands in for AI Factory's: a second each. Few; those
played stay when it is raised."""
FACTORY_NETWORK_GAMES = 100
"""Games of a network against it."""
FACTORY_TEAM_GAMES = 300
"""Games against it of two biased searches, and as many of one with the baseline: enough to tell
shares that are some 10 points apart."""
RANDOM_GAMES = 250
"""Games of each of five agents against random cards, counted together."""
ALL_ROUND_GAMES = 400
"""Games of UCT in all tricks: a quarter of a second each."""
WRONG_MOVE_ROUNDS = 400
ACCURACY_ROUNDS = 5000
STYLE_ROUNDS = 2000
BIDDER_GAMES = 10_000
"""As many as Cohensius et al. play. A match whose claim these don't tell has more."""
TABLE_GAMES = 20_000
MIXED_TABLE_GAMES = 90_000
"""Games of a person and three bots: bids rarely sum to more than 14."""
PEOPLE_GAMES = 100_000
PUBLISHED = "published"
"""In the names of series of published points."""


def precision(*sizes: int) -> str:
    """What shares of so many games are worth: ``2,400 games: ±2.0%``."""
    return "; ".join(f"{n:,} games: ±{1.96 * math.sqrt(0.25 / n):.1%}" for n in sizes)


@dataclass(frozen=True)
class Study:
    """One run of ``experiments/papers``, which makes one figure or several together.

    ``hours``: of one core at full scale, about. ``sizes``: how much is played then, and what that
    is worth.
    """

    name: str
    hours: float
    sizes: str


STRENGTH = Study("whitehouse-strength", 10, precision(NAMED_GAMES, GRID_GAMES))
WRONG_MOVES = Study(
    "whitehouse-wrong-moves", 1, f"{WRONG_MOVE_ROUNDS} rounds; {precision(GRID_GAMES)}"
)
ACCURACY = Study("devlin-accuracy", 0.01, f"{ACCURACY_ROUNDS:,} rounds")
GRID = Study("devlin-grid", 4.4, precision(NAMED_GAMES, GRID_GAMES))
KL = Study("devlin-style", 0.4, f"{STYLE_ROUNDS:,} rounds; {precision(NAMED_GAMES)}")
NETWORKS = Study(
    "baier-networks", 2.0, precision(NAMED_GAMES, GRID_GAMES, FACTORY_NETWORK_GAMES, FACTORY_GAMES)
)
BIASED = Study(
    "baier-biased-search",
    10.6,
    precision(NAMED_GAMES, DELAYED_GAMES, GRID_GAMES, FACTORY_TEAM_GAMES, FACTORY_GAMES),
)
CORPUS = Study(
    "dobre-corpus", 3.3, precision(SEEDED_GAMES, NAMED_GAMES, GRID_GAMES, 5 * RANDOM_GAMES)
)
EXACT = Study("cohensius-exact", 0, "exact")
BIDDERS = Study("cohensius-bidders", 1.4, precision(BIDDER_GAMES, NAMED_GAMES, ALL_ROUND_GAMES))
PEOPLE = Study("cohensius-people", 0.03, f"{PEOPLE_GAMES:,} games of each kind of bot")
ROUNDS = Study(
    "cohensius-rounds",
    0.5,
    f"{MIXED_TABLE_GAMES:,} games of a person and three bots, {TABLE_GAMES:,} of four alike",
)


@dataclass(frozen=True)
class Figure:
    """A published table or figure. ``page`` and ``query``: where the dashboard looks into it."""

    id: str
    paper: str
    place: str
    title: str
    study: Study
    page: str
    query: dict[str, str] = field(default_factory=dict)

    @property
    def source(self) -> str:
        return f"{self.paper}, {self.place}"

    @property
    def short_source(self) -> str:
        """By the first author, where all papers stand together: ``Devlin, table 1``."""
        return f"{self.paper.split()[0]}, {self.place}"

    @property
    def command(self) -> str:
        return f"python -m spades reproduce {self.id} --scale full"


WHITEHOUSE = "Whitehouse et al. 2013"
DEVLIN = "Devlin et al. 2016"
BAIER = "Baier et al. 2018"
DOBRE = "Dobre and Lascarides 2015"
COHENSIUS = "Cohensius et al. 2020"

LEAGUE = ("Agents", {"view": "league"})
MODELS = ("Agents", {"view": "compare"})
FRONTIER = ("Tune", {"view": "frontier"})
FRONTIER_OF_BAIER = ("Tune", {"view": "frontier", "sweep": "baier", "x": "accuracy_all"})
STYLE = ("Style", {"logs": "human-south"})
NIL_CURVES = ("Bids", {"view": "curves"})

FIGURES = (
    Figure("whitehouse-fig1a", WHITEHOUSE, "figure 1 (a)", "ISMCTS against knowledge", STRENGTH,
           *LEAGUE),
    Figure("whitehouse-fig1b", WHITEHOUSE, "figure 1 (b)", "the same, always a nil", STRENGTH,
           *LEAGUE),
    Figure("whitehouse-stability", WHITEHOUSE, "page 5", "wrong moves searched again", WRONG_MOVES,
           "Replay", {"hand": "bug-report-335", "ply": "24"}),
    Figure("devlin-accuracy", DEVLIN, "text", "accuracy of the human model", ACCURACY,
           *MODELS),
    Figure("devlin-fig1", DEVLIN, "figure 1", "KL and games won over C_BT and DR", GRID,
           *FRONTIER),
    Figure("devlin-table1", DEVLIN, "table 1", "KL to human play", KL, *STYLE),
    Figure("devlin-fig2", DEVLIN, "figure 2", "frequencies of abstract moves", KL, *STYLE),
    Figure("baier-table1", BAIER, "table I", "networks that imitate", NETWORKS, *MODELS),
    Figure("baier-fig2-3", BAIER, "figures 2 and 3", "accuracy and strength", BIASED,
           *FRONTIER_OF_BAIER),
    Figure("baier-table2", BAIER, "table II", "speed by delay", BIASED, *FRONTIER_OF_BAIER),
    Figure("baier-fig4-5", BAIER, "figures 4 and 5", "the delay", BIASED, *FRONTIER_OF_BAIER),
    Figure("baier-fig6-7", BAIER, "figures 6 and 7", "bias at the root only", BIASED,
           *FRONTIER_OF_BAIER),
    Figure("baier-table3", BAIER, "table III", "indirect and direct imitation", BIASED,
           *FRONTIER_OF_BAIER),
    Figure("dobre-table1", DOBRE, "table I", "Flat-UCB seeded by a corpus", CORPUS, *LEAGUE),
    Figure("cohensius-table1-5-6", COHENSIUS, "tables 1, 5, 6", "side suits", EXACT, "Bids"),
    Figure("cohensius-examples", COHENSIUS, "sections 4, D.1", "worked examples", EXACT, "Bids"),
    Figure("cohensius-table2", COHENSIUS, "table 2, section 5.1", "BIS against other bidders",
           BIDDERS, *LEAGUE),
    Figure("cohensius-table3", COHENSIUS, "table 3", "points and nils with a person", PEOPLE,
           "Bids"),
    Figure("cohensius-people", COHENSIUS, "sections 1, 5.1, 5.2", "games and nils with a person",
           PEOPLE, *LEAGUE),
    Figure("cohensius-table4", COHENSIUS, "table 4, section 5.3", "BIS without a part", BIDDERS,
           *LEAGUE),
    Figure("cohensius-fig2", COHENSIUS, "figure 2", "points with and without nil", ROUNDS,
           *NIL_CURVES),
    Figure("cohensius-fig3", COHENSIUS, "figure 3", "success curves of nil", ROUNDS, *NIL_CURVES),
    Figure("cohensius-fig4", COHENSIUS, "figure 4", "points by the sum of bids", ROUNDS,
           "Bids"),
    Figure("cohensius-fig5", COHENSIUS, "figure 5", "the sum of the bids", ROUNDS, *STYLE),
    Figure("cohensius-fig6", COHENSIUS, "figure 6", "the branching factor", ROUNDS, *STYLE),
    Figure("cohensius-fig7", COHENSIUS, "figure 7", "the ace of spades", ROUNDS,
           "Bids", {"view": "ace"}),
)  # fmt: skip
GROUPS = {"cohensius-fig2-7": [f"cohensius-fig{i}" for i in range(2, 8)]}
"""Names of several figures whose ids don't begin alike."""


def figures_named(name: str | None) -> list[Figure]:
    """The figure of this id, or those whose ids begin so; all for None. ``SpadesError``: none."""
    if name is None:
        return list(FIGURES)
    exact = [figure for figure in FIGURES if figure.id == name]
    if exact:
        return exact
    group = GROUPS.get(name, [])
    figures = [figure for figure in FIGURES if figure.id in group or figure.id.startswith(name)]
    if not figures:
        legal = ", ".join(figure.id for figure in FIGURES)
        raise SpadesError(f"no table or figure {name!r}; legal are {legal}, or how some begin")
    return figures
