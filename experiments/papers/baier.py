"""Baier et al. 2018: networks that play like people (tables I and III), and the search biased
towards one of them (table II, figures 2 to 7).

    python -m spades reproduce baier --scale full

takes some 4 hours on two cores. The people are simulated, and the networks are ours, trained on
them. The paper's times are of its machine: what can stand beside is how many iterations take the
same time, and how often the network is called.

His opponent, the commercial agent, uses "a number of game-specific heuristic improvements in the
determinizations, playouts, and move selection" (III): win rates that he prints are measured against
the search that stands in for it in Devlin's table 1, and against the plain search as another
reading. With the margin of 4 points, some 600 games tell that a share near 46% agrees, 100 that it
is 14 points off, 60 that it is 17 off: so many are played so far, of networks 50. Sweeps, and so
the changes of figures 2 to 5, are against the plain search alone.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.matches.match import MatchPlan, match_result
from analysis.models.measures import compute_answers
from analysis.models.tables import PUBLISHED, read_comparison
from analysis.models.training import CONVERGED
from analysis.papers.figures import FACTORY_GAMES, FACTORY_NETWORK_GAMES, GRID_GAMES, NAMED_GAMES
from analysis.runs.tasks import ranges
from analysis.style.counts import fold
from analysis.sweeps.sweep import EQUAL_TIME, Setting, SweepError
from analysis.sweeps.views import POINTS, TIMES, PublishedTime
from experiments.papers import devlin, stand_in
from experiments.papers.claims import ACCURACY, WINS, Claim, Estimate, Sheet
from experiments.papers.lab import (
    HUMAN,
    MEASURES,
    SHARE_OF_GAMES,
    SIMULATED_HUMANS,
    Lab,
    accuracy_of,
    by_scale,
    match_readings,
    of_setting,
    wins_of,
)
from spades.agents import parse_agent
from spades.core.cards import N_CARDS, SOUTH
from spades.core.deal import derive_seed
from spades.core.options import made, values_of
from spades.human import load_model, model_hash, simulate_humans
from spades.human.features.abstract_moves import N_MOVES, N_SUIT_MOVES
from spades.human.features.logs import examples_of_log, features_of_log
from spades.human.networks.config import OURS
from spades.human.simulated import MODEL_NAME
from spades.notation.log_store import content_hash, open_log
from spades.search import Experience, Knowledge, Technique
from spades.search.techniques.technique import ALL_CHILDREN, FIRST_CHILD, ROOT_ONLY

NETWORK = "t-200-150-100"
LOG = "human-south"
SEED = 201800
FRESH_SEED = 203
ITERATIONS = 2500
SHARE_OF_CARDS = "share of cards"
QUICK = {"games": 2, "decisions": 900, "rounds": 2}
"""The least of each count, at quick scale."""

# What the paper prints

BASELINE_ACCURACY = 0.582
"""Of the unbiased search, on people."""
RANDOM = "random"
COMMONEST_MOVE = 0.165
"""How often always guessing the commonest of the 68 abstract moves is right."""
WIN_RATES = {
    "200": (0.115, 0.455),
    "200-100": (0.114, 0.432),
    "t-200": (0.175, 0.553),
    "t-200-100": (0.181, 0.600),
    "t-200-150-100": (0.220, 0.589),
    "t-c-200": (0.184, 0.579),
    "t-c-200-100": (0.140, 0.567),
    "t-cA-200": (0.200, 0.574),
    "t-cA-200-100": (0.166, 0.553),
    RANDOM: (0.0, 0.004),
}
"""Games won against 2,500 and 50 iterations (table I)."""
BASELINE_WINS = 0.875
"""Games that the opponent won against itself at 50 iterations (table I)."""
INDIRECT = (0.703, 0.461)
"""Accuracy and games won of ``NETWORK``, C_BT 0.2 and K 1000 at the root only (table III)."""

# Other networks than those of table I

ABSTRACT = "abstract-200"
FEWER_PASSES = ("t-200-100", NETWORK)
BOUNDS = {
    f"{CONVERGED}t-600-300": "wider than the paper's, reads the same",
    OURS: "reads the cards played as well",
    MODEL_NAME: "the players' own model, the most that is possible",
}

# The opponents

THUMB_RULES = "determinization=biased,playout=nil-aware"
"""What a biased search can have of the opponent's: its skew goes with no bias."""
PLAIN = "against the plain search"
"""What win rates say that aren't measured against ``factory``."""


def factory(iterations: int) -> str:
    """The search that stands in for his opponent, with so many iterations."""
    return devlin.FACTORY.replace(devlin.BASELINE, f"ismcts:iterations={iterations}")


def plain(iterations: int) -> str:
    return f"ismcts:iterations={iterations}"


Measured = Callable[[Setting], dict[str, Any]]
"""What a sweep measured of a setting."""


def knowledge(c_bt: float, k: float, delay: str, iterations: int | str) -> Setting:
    return Setting(Knowledge(NETWORK, c_bt=c_bt, k=k, delay=delay), iterations)


def experience(w: int, delay: str, iterations: int | str) -> Setting:
    return Setting(Experience(NETWORK, w=w, delay=delay), iterations)


STRONG = (Knowledge(NETWORK, c_bt=0.2, k=1000.0), Experience(NETWORK, w=10))
"""The strong biases of table II."""


def delayed(
    bias: Technique, delay: int, iterations: int | str = ITERATIONS, asked: str = ALL_CHILDREN
) -> Setting:
    """A bias towards ``NETWORK``, which is called after ``delay`` visits; ``asked``: once all cards
    were tried, as in the sweep, or at the first."""
    values = values_of(bias) | {"model": NETWORK, "delay": str(delay), "asked": asked}
    return Setting(made(type(bias), values, SweepError), iterations)


AT_THE_ROOT = (
    experience(10, ROOT_ONLY, EQUAL_TIME),
    knowledge(0.2, 1000.0, ROOT_ONLY, EQUAL_TIME),
    knowledge(0.5, 100.0, ROOT_ONLY, EQUAL_TIME),
    knowledge(1.0, 10.0, ROOT_ONLY, EQUAL_TIME),
)
"""Settings of section V-C."""
DELAYS = (1, 20, 100, 500)
"""Of those of table II, in the sweep."""


# Tables I and III: the networks


def networks(lab: Lab) -> dict[str, Any]:
    """Table I. Our networks are those trained until they gained no more.

    Other readings: those with fewer passes over the data, and one that imitates a stronger
    stand-in for people.
    """
    sheet = Sheet("baier-table1", "", "", unit=SHARE_OF_CARDS)
    _add_accuracies(lab, sheet)
    _add_commonest_move(lab, sheet)
    _add_games_won(lab, sheet)
    for name in FEWER_PASSES:
        matches = _matches(lab, f"direct:model={name}", name, plain, GRID_GAMES)
        readings = {
            f"fewer passes, {name}: games won {what}, {PLAIN}": match
            for what, match in matches.items()
        }
        match_readings(lab, sheet, readings)
    published = {"search": BASELINE_ACCURACY, "network": PUBLISHED[NETWORK]}
    stand_in.add_predicted(lab, sheet, published)
    matches = _matches(lab, f"direct:model={stand_in.MODEL}", NETWORK, plain, GRID_GAMES)
    readings = {
        f"stand-in's network: games won {what}, {PLAIN}": match for what, match in matches.items()
    }
    match_readings(lab, sheet, readings)
    return {sheet.figure: sheet.document}


def _add_accuracies(lab: Lab, sheet: Sheet) -> None:
    compared = {row["model"]: row for row in read_comparison()["models"]}
    for model, published in PUBLISHED.items():
        claim = Claim.share(published, ACCURACY)
        row = compared[model]
        accuracy = Estimate(
            row["accuracy"], row["intervals"]["accuracy"], row["decisions"], "cards"
        )
        settings = model
        if model in WIN_RATES or model == ABSTRACT:
            what = f"fewer passes, {model}: accuracy"
            sheet.reading(what, claim, accuracy, on=SIMULATED_HUMANS, settings=model)
            settings = f"{CONVERGED}{model}"
            accuracy = _accuracy(lab, settings)
        sheet.row(f"{model}: accuracy", claim, accuracy, on=SIMULATED_HUMANS, settings=settings)
        sheet.beside("accuracy", model, accuracy, published)
    highest = Claim.share(max(PUBLISHED.values()), ACCURACY)
    for model, what in BOUNDS.items():
        accuracy = _accuracy(lab, model)
        sheet.reading(f"{model}, {what}: accuracy", highest, accuracy, on=SIMULATED_HUMANS)


def _add_commonest_move(lab: Lab, sheet: Sheet) -> None:
    """How often the commonest abstract move is played, as if it were always guessed."""
    parts = ranges(lab.n(5000, 100), 500)
    name = "abstract moves of simulated humans"
    counts = np.concatenate(lab.measure(name, count_moves, parts, agents=(HUMAN,)))
    claim = Claim.share(COMMONEST_MOVE, ACCURACY)
    for moves, add, suffix in (
        (counts, sheet.row, ""),
        (fold(counts, N_MOVES), sheet.reading, ", without the suit"),
    ):
        hits = moves[:, moves.sum(axis=0).argmax()]
        guessed = Estimate.mean(hits, "cards", moves.sum(axis=1))
        what = f"the commonest abstract move: accuracy{suffix}"
        add(what, claim, guessed, on=SIMULATED_HUMANS)


def count_moves(first: int, end: int) -> list[list[int]]:
    """Plays of each of the 68 abstract moves in each of some fresh rounds of simulated humans."""
    moves, _ = features_of_log(simulate_humans(end - first, FRESH_SEED, first=first))
    counts = [np.bincount(of_round, minlength=N_SUIT_MOVES) for of_round in moves]
    return np.array(counts).tolist()


def _add_games_won(lab: Lab, sheet: Sheet) -> None:
    agents = {
        name: RANDOM if name == RANDOM else f"direct:model={CONVERGED}{name}" for name in WIN_RATES
    }
    plain_matches = {
        f"games won {what}: {name}, {PLAIN}": match
        for name, agent in agents.items()
        for what, match in _matches(lab, agent, name, plain, NAMED_GAMES).items()
    }
    match_readings(lab, sheet, plain_matches)
    plans = {
        name: _matches(lab, agent, name, factory, FACTORY_NETWORK_GAMES)
        for name, agent in agents.items()
    }
    lab.play(*(plan for matches in plans.values() for plan, _ in matches.values()))
    for name, matches in plans.items():
        for what, (plan, published) in matches.items():
            claim = Claim.share(published, WINS)
            won = lab.win_row(sheet.row, f"games won {what}: {name}", claim, plan)
            sheet.beside(what, name, won, published)
    _add_baseline(lab, sheet)


def _add_baseline(lab: Lab, sheet: Sheet) -> None:
    """Games that the opponent wins against itself at 50 iterations."""
    what = "games won against 50 iterations: the baseline"
    games = lab.n(FACTORY_GAMES, QUICK["games"])
    claim = Claim.share(BASELINE_WINS, WINS)
    for opponent, add, suffix in ((factory, sheet.row, ""), (plain, sheet.reading, f", {PLAIN}")):
        plan = MatchPlan(opponent(ITERATIONS), opponent(50), games, SEED)
        lab.win_row(add, f"{what}{suffix}", claim, plan)


def _accuracy(lab: Lab, model: str) -> Estimate:
    """Of a stored model, on fresh rounds of simulated humans."""
    name = f"cards foretold by {model_hash(model)}"
    parts = ranges(lab.n(5000, 100), 500)
    hits = np.concatenate(lab.measure(name, count_foretold, parts, model, agents=(HUMAN,)))
    return Estimate.mean(hits, "cards", np.full(len(hits), float(N_CARDS)))


def count_foretold(first: int, end: int, model: str) -> list[int]:
    """Cards of each of some fresh rounds of simulated humans that a model finds likeliest."""
    fresh = examples_of_log(simulate_humans(end - first, FRESH_SEED, first=first))
    right = compute_answers(load_model(model).prior(), fresh)["accuracy"].to_numpy()
    hits: list[int] = right.reshape(-1, N_CARDS).sum(axis=1).astype(int).tolist()
    return hits


def _matches(
    lab: Lab, agent: str, network: str, opponent: Callable[[int], str], full_games: int
) -> dict[str, tuple[MatchPlan, float]]:
    """The matches of table I, each with what the paper prints of a network."""
    games = lab.n(full_games, QUICK["games"])
    return {
        f"against {n:,} iterations": (MatchPlan(agent, opponent(n), games, SEED), won)
        for n, won in zip((ITERATIONS, 50), WIN_RATES[network], strict=True)
    }


# Table II, figures 2 to 7: the biased search


def biased_search(lab: Lab) -> dict[str, Any]:
    sweep = lab.sweep("baier", QUICK)

    def measured(setting: Setting) -> dict[str, Any]:
        return of_setting(sweep, setting)

    def measured_longer(setting: Setting) -> dict[str, Any]:
        """The same, with as many games as settings have that the paper names."""
        found = measured(setting)
        unbiased = sweep["settings"][0]["agent"]
        games = lab.n(NAMED_GAMES, QUICK["games"])
        plan = MatchPlan(found["agent"], unbiased, games, sweep["plan"]["seed"])
        return {**found, "match": match_result(plan, lab.results(plan)).document()}

    sheets = [
        _bias_in_every_node(sweep, measured),
        _times(lab, measured),
        _delays(measured),
        _bias_at_the_root(lab, measured_longer),
        _imitation(lab, sweep, measured_longer),
    ]
    return {sheet.figure: sheet.document for sheet in sheets}


def _add_change(
    sheet: Sheet,
    what: str,
    measured: Measured,
    more: Setting,
    less: Setting,
    claims: dict[str, Claim],
) -> None:
    """Add rows of how two settings differ, by measure."""
    for name, claim in claims.items():
        estimate_of, unit, _ = MEASURES[name]
        change = estimate_of(measured(more)).less(estimate_of(measured(less)))
        settings = f"{more.label} less {less.label}"
        sheet.row(f"{what}: {name}", claim, change, unit=unit, settings=settings)


def _add_points(sheet: Sheet, technique: str, series: str, x: float, found: dict[str, Any]) -> None:
    """Add a setting's point in the panel of each measure."""
    for name, (estimate_of, _, _) in MEASURES.items():
        sheet.point(f"{technique}: {name}", series, x, estimate_of(found))


def _add_beside(
    lab: Lab, sheet: Sheet, what: str, found: dict[str, Any], x: str, published: tuple[float, float]
) -> None:
    """Add what a measured setting reaches, and what the paper prints: accuracy and games won."""
    accuracy, wins = published
    claim = Claim.share(accuracy, ACCURACY)
    about = {"settings": found["agent"], "on": SIMULATED_HUMANS}
    foretold = accuracy_of(found)
    sheet.row(f"{what}: accuracy", claim, foretold, unit=SHARE_OF_CARDS, **about)
    sheet.beside("accuracy", x, foretold, accuracy)
    claim = Claim.share(wins, WINS)
    plan = MatchPlan(
        found["agent"], factory(ITERATIONS), lab.n(FACTORY_GAMES, QUICK["games"]), SEED
    )
    won = lab.win_row(sheet.row, f"{what}: games won", claim, plan)
    sheet.beside("games won", x, won, wins)
    settings = f"{found['agent']} against {plain(ITERATIONS)}"
    what = f"{what}: games won, {PLAIN}"
    sheet.reading(what, claim, wins_of(found), unit=SHARE_OF_GAMES, settings=settings)


def _bias_in_every_node(sweep: dict[str, Any], measured: Measured) -> Sheet:
    """Figures 2 and 3: the stronger the bias, the more human and the weaker."""
    sheet = Sheet("baier-fig2-3", "C_BT, or w", "", on=SIMULATED_HUMANS)
    trade_off = {
        "accuracy": Claim.above(0.0, "increases"),
        "games won": Claim.below(0.0, "drops"),
    }
    for k in (100.0, 1000.0):
        more = knowledge(0.5, k, "1", ITERATIONS)
        less = knowledge(0.05, k, "1", ITERATIONS)
        _add_change(sheet, f"K {k:g}: C_BT 0.5 less 0.05", measured, more, less, trade_off)
    more = experience(100, "1", ITERATIONS)
    less = experience(1, "1", ITERATIONS)
    _add_change(sheet, "w 100 less w 1", measured, more, less, trade_off)
    for found in sweep["settings"]:
        setting = Setting.from_document(found["setting"])
        bias = setting.bias
        if bias is None or setting.values["delay"] != 1 or setting.is_equal_time:
            continue
        values = values_of(bias)
        series = f"{bias.name}, K {values['k']:g}" if bias.second else bias.label.lower()
        _add_points(sheet, bias.name, series, values[bias.strength], found)
    return sheet


def _times(lab: Lab, measured: Measured) -> Sheet:
    """Table II: calls of the network a move, and iterations in equal time, by delay."""
    sheet = Sheet("baier-table2", "delay, visits", "speed, unbiased = 1", on=SIMULATED_HUMANS)
    for printed in TIMES:
        _add_calls(lab, sheet, printed)
        if printed.delay not in DELAYS:
            continue
        found = measured(delayed(printed.bias, printed.delay))
        agent = found["agent"]
        time = found["time"]
        n_decisions = found["accuracy"]["n"]
        what = f"{printed.bias.name}, delay {printed.delay}"
        speed = _speed(time, n_decisions)
        published = printed.iterations / ITERATIONS
        sheet.row(
            f"{what}: speed beside the unbiased search",
            Claim.printed(published, 0.05, f"{printed.iterations:,} of 2,500"),
            speed,
            unit="ratio",
            settings=agent,
        )
        sheet.point("speed", printed.bias.name, printed.delay, speed)
        sheet.point("speed", "published", printed.delay, published)
    return sheet


def _speed(time: dict[str, Any], n_decisions: int) -> Estimate:
    """Of a biased search, the unbiased being 1."""
    interval = None
    if time["interval"]:
        low, high = time["interval"]
        interval = (1 / high, 1 / low)
    return Estimate(1 / time["ratio"], interval, n_decisions, "decisions")


def _add_calls(lab: Lab, sheet: Sheet, printed: PublishedTime) -> None:
    """Add how often the network is called: "in every node at the time of expansion of its first
    child node", once. Other readings: called once all cards of a node were tried, and called again
    in a node where another deal makes cards legal that it hasn't judged, as this lab's search does.
    """
    claim = Claim.printed(printed.model_calls, 0.1 * printed.model_calls)
    what = f"{printed.bias.name}, delay {printed.delay}: calls a move"
    for asked, when in ((FIRST_CHILD, ""), (ALL_CHILDREN, ", after all cards")):
        agent = delayed(printed.bias, printed.delay, asked=asked).agent()
        nodes, calls = count_calls(lab, agent, lab.n(200, 60))
        add = sheet.reading if when else sheet.row
        add(f"{what}{when}", claim, nodes, unit="calls", settings=agent)
        sheet.reading(f"{what}{when}, in each deal", claim, calls, unit="calls", settings=agent)


def count_calls(lab: Lab, agent: str, n_rounds: int) -> tuple[Estimate, Estimate]:
    """Nodes in which the network is called, and calls, a move, in rounds of ``LOG``."""
    name = f"nodes queried and calls on {content_hash(LOG)}"
    parts = ranges(n_rounds, 20)
    counted = lab.measure(name, count_queries, parts, agent, agents=(agent,))
    nodes, calls, decisions = np.concatenate(counted).T
    return (
        Estimate.mean(nodes, "decisions", decisions),
        Estimate.mean(calls, "decisions", decisions),
    )


def count_queries(first: int, end: int, agent: str) -> list[tuple[int, int, int]]:
    """By round: nodes in which searches of South's unforced plays queried the model, how often they
    did, and plays."""
    log = open_log(LOG)
    player: Any = parse_agent(agent).player
    counts = []
    for i in range(first, end):
        decisions = [
            seen
            for seen in map(log.record(i).observation, range(N_CARDS))
            if seen.seat == SOUTH and seen.legal_mask.bit_count() > 1
        ]
        n_nodes = 0
        n_calls = 0
        for j, seen in enumerate(decisions):
            searched = player.search(seen, derive_seed(SEED, i, j))
            n_nodes += searched.queried_nodes
            n_calls += searched.model_calls
        counts.append((n_nodes, n_calls, len(decisions)))
    return counts


def _delays(measured: Measured) -> Sheet:
    """Figures 4 and 5: what is left of the bias where the network is called later."""
    sheet = Sheet("baier-fig4-5", "delay, visits", "", on=SIMULATED_HUMANS)
    independent = Claim.printed(0.0, ACCURACY, "relatively independent")
    improves = Claim.above(0.0, "the expected improvement")
    catches_up = Claim.printed(0.0, WINS, "catches up")
    for bias in STRONG:
        _add_change(
            sheet,
            f"{bias.name}: delay 100 less 1",
            measured,
            delayed(bias, 100),
            delayed(bias, 1),
            {"accuracy": independent},
        )
        _add_change(
            sheet,
            f"{bias.name}, equal time: delay 100 less 1",
            measured,
            delayed(bias, 100, EQUAL_TIME),
            delayed(bias, 1, EQUAL_TIME),
            {"games won": improves},
        )
        _add_change(
            sheet,
            f"{bias.name}, delay 100: equal time less equal rollouts",
            measured,
            delayed(bias, 100, EQUAL_TIME),
            delayed(bias, 100),
            {"games won": catches_up},
        )
        for delay in DELAYS:
            found = measured(delayed(bias, delay))
            _add_points(sheet, bias.name, "equal rollouts", delay, found)
            if delay in (1, 100):
                found = measured(delayed(bias, delay, EQUAL_TIME))
                _add_points(sheet, bias.name, "equal time", delay, found)
    return sheet


def printed_of(label: str) -> tuple[float, float]:
    """Accuracy and games won that the paper prints."""
    for point in POINTS:
        if point.label == label and point.accuracy_all is not None:
            return point.accuracy_all, point.win_rate
    raise KeyError(label)


def _bias_at_the_root(lab: Lab, measured: Measured) -> Sheet:
    """Figures 6 and 7. Other readings, of the strongest bias: by points a reward, towards the
    network of a stronger stand-in for people, and in a search with the opponent's rules of thumb.
    """
    sheet = Sheet("baier-fig6-7", "", "")
    for setting in AT_THE_ROOT:
        published = printed_of(f"{setting.strength}, root only")
        what = f"{setting.technique}, {setting.strength}, root only, equal time"
        _add_beside(lab, sheet, what, measured(setting), setting.strength, published)
    strongest = knowledge(0.2, 1000.0, ROOT_ONLY, ITERATIONS)
    what = f"{strongest.strength}, root only"
    accuracy, won = printed_of(what)
    claims = {"accuracy": Claim.share(accuracy, ACCURACY), "games won": Claim.share(won, WINS)}
    by_scale(lab, NETWORK, sheet, what, claims, PLAIN)
    agent = strongest.agent().replace(NETWORK, stand_in.MODEL)
    games = lab.n(GRID_GAMES, QUICK["games"])
    plan = MatchPlan(agent, f"ismcts:iterations={ITERATIONS}", games, SEED)
    match_readings(lab, sheet, {f"stand-in's network: {what}: games won, {PLAIN}": (plan, won)})
    thumbed = f"{measured(AT_THE_ROOT[1])['agent']},{THUMB_RULES}"
    plan = MatchPlan(thumbed, factory(ITERATIONS), lab.n(FACTORY_GAMES, QUICK["games"]), SEED)
    match_readings(lab, sheet, {f"with the opponent's deals and playouts: {what}": (plan, won)})
    return sheet


def _imitation(lab: Lab, sweep: dict[str, Any], measured: Measured) -> Sheet:
    """Table III: imitation by the biased search, and by the network itself."""
    sheet = Sheet("baier-table3", "", "", on=SIMULATED_HUMANS)
    unbiased = sweep["settings"][0]
    sheet.row(
        "ISMCTS baseline: accuracy",
        Claim.share(BASELINE_ACCURACY, ACCURACY),
        accuracy_of(unbiased),
        unit=SHARE_OF_CARDS,
        settings=unbiased["agent"],
    )
    settings = {
        "indirect": (knowledge(0.2, 1000.0, ROOT_ONLY, EQUAL_TIME), INDIRECT),
        "direct": (Setting.direct(NETWORK), printed_of("direct imitation")),
    }
    for kind, (setting, published) in settings.items():
        what = f"{NETWORK}, {kind} imitation"
        _add_beside(lab, sheet, what, measured(setting), kind, published)
    return sheet
