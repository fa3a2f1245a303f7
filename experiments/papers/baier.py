"""Baier et al. 2018: the search biased towards a network that plays like people (tables II and
III, figures 2 to 7). ``baier_networks`` has the networks themselves (table I).

    python -m spades reproduce baier --scale full

takes some 6 hours on two cores, table I among them. The people are simulated, and the networks are
ours, trained on them. The paper's times are of its machine: what can stand beside is how many
iterations take the same time, and how often the network is called.

His opponent, the commercial agent, uses "a number of game-specific heuristic improvements in the
determinizations, playouts, and move selection" (III): win rates that he prints are measured against
the search that stands in for it in Devlin's table 1, and against the plain search as another
reading. With the margin of 4 points, some 600 games tell that a share near 46% agrees, 100 that it
is 14 points off, 60 that it is 17 off: so many are played so far, of networks 100, and 300 of the
setting of table III, beside which stands a team of it and the baseline. Sweeps, and so the changes
of figures 2 to 5 and what the text says in words of settings, are against the plain search alone.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analysis.matches.match import MatchPlan, match_result
from analysis.models.training import CONVERGED
from analysis.papers.figures import (
    DELAYED_GAMES,
    FACTORY_GAMES,
    FACTORY_TEAM_GAMES,
    GRID_GAMES,
    NAMED_GAMES,
)
from analysis.sweeps.sweep import EQUAL_TIME, Setting, SweepError, read_sweep
from analysis.sweeps.views import POINTS, TIMES, PublishedTime
from experiments.papers import devlin, stand_in
from experiments.papers.baier_plays import SEED, count_calls, measure_accuracy, measure_time
from experiments.papers.baier_teams import add_team
from experiments.papers.claims import ACCURACY, WINS, Claim, Estimate, Sheet, mean_of
from experiments.papers.lab import (
    MEASURES,
    SHARE_OF_GAMES,
    SIMULATED_HUMANS,
    Lab,
    Wins,
    accuracy_of,
    by_scale,
    difference,
    match_readings,
    of_setting,
    points_of,
    wins_of,
)
from spades.core.documents import Document
from spades.core.options import made, values_of
from spades.core.paths import DATA
from spades.search import Experience, Knowledge, Technique
from spades.search.techniques.technique import ALL_CHILDREN, FIRST_CHILD, ROOT_ONLY, WHEN_NEEDED

NETWORK = "t-200-150-100"
ITERATIONS = 2500
SHARE_OF_CARDS = "share of cards"
QUICK = {"games": 2, "decisions": 900, "rounds": 2}
"""The least of each count, at quick scale."""

# What the paper prints

BASELINE_ACCURACY = 0.582
"""Of the unbiased search, on people."""
INDIRECT = (0.703, 0.461)
"""Accuracy and games won of ``NETWORK``, C_BT 0.2 and K 1000 at the root only (table III)."""
OTHER_INDIRECT = {
    "200": (0.690, 0.473),
    "200-100": (0.691, 0.462),
    "t-200": (0.700, 0.458),
    "t-200-100": (0.704, 0.466),
    "t-c-200": (0.701, 0.460),
    "t-c-200-100": (0.703, 0.459),
    "t-cA-200": (0.703, 0.449),
    "t-cA-200-100": (0.703, 0.488),
}
"""The same of the other networks."""

# The opponents

THUMB_RULES = "determinization=biased,playout=nil-aware"
"""What a biased search can have of the opponent's: its skew goes with no bias."""
AFTER_ALL_CARDS = ", after all cards"
"""What readings say in which the network is called once all cards of a node were tried."""
PLAIN = "against the plain search"
"""What win rates say that aren't measured against ``factory``."""


def factory(iterations: int) -> str:
    """The search that stands in for his opponent, with so many iterations."""
    return devlin.FACTORY.replace(devlin.BASELINE, f"ismcts:iterations={iterations}")


def plain(iterations: int) -> str:
    return f"ismcts:iterations={iterations}"


def knowledge(c_bt: float, k: float, delay: str, iterations: int | str) -> Setting:
    return Setting(Knowledge(NETWORK, c_bt=c_bt, k=k, delay=delay), iterations)


def experience(w: int, delay: str, iterations: int | str, asked: str = WHEN_NEEDED) -> Setting:
    return Setting(Experience(NETWORK, w=w, delay=delay, asked=asked), iterations)


STRONG = (Knowledge(NETWORK, c_bt=0.2, k=1000.0), Experience(NETWORK, w=10))
"""The strong biases of table II."""


def delayed(
    bias: Technique, delay: int, iterations: int | str = ITERATIONS, asked: str = WHEN_NEEDED
) -> Setting:
    """A setting of the search biased by ``NETWORK``, with these options ``delay`` and ``asked``."""
    values = values_of(bias) | {"model": NETWORK, "delay": str(delay), "asked": asked}
    return Setting(made(type(bias), values, SweepError), iterations)


AT_THE_ROOT = (
    experience(10, ROOT_ONLY, EQUAL_TIME),
    knowledge(0.2, 1000.0, ROOT_ONLY, EQUAL_TIME),
    knowledge(0.5, 100.0, ROOT_ONLY, EQUAL_TIME),
    knowledge(1.0, 10.0, ROOT_ONLY, EQUAL_TIME),
)
"""Settings of section IV-C."""
IMITATION = AT_THE_ROOT[1]
"""The setting of table III, of every network."""
NETWORK_ALONE = Setting.direct(NETWORK)
"""Without a search."""
_NAMED = (*AT_THE_ROOT, delayed(STRONG[0], 1), NETWORK_ALONE)
_DELAYED = tuple(
    delayed(bias, 100, iterations) for bias in STRONG for iterations in (ITERATIONS, EQUAL_TIME)
)
LONGER = dict.fromkeys(_NAMED, NAMED_GAMES) | dict.fromkeys(_DELAYED, DELAYED_GAMES)
"""Games of settings that have more than in the sweep: those of which the text speaks and more tell
what it says. Experience in every node at once takes the longest, and is left out."""
DELAYS = (1, 20, 100, 500)
"""Of those of table II, in the sweep."""
TIMED_ROUNDS = 100
"""In which the speed of table II is measured."""
FORETOLD_ROUNDS = 120
"""For the networks that aren't in the sweep."""


# Table II, figures 2 to 7: the biased search


def match_of_network(lab: Lab) -> MatchPlan:
    """Of ``NETWORK_ALONE`` against the plain search, which table I has as well: the same as
    ``Measurements.longer_match``, for which the sweep must be measured."""
    seed = read_sweep(DATA / "sweeps" / "baier.toml").seed
    games = lab.n(LONGER[NETWORK_ALONE], QUICK["games"])
    return MatchPlan(NETWORK_ALONE.agent(), plain(ITERATIONS), games, seed)


@dataclass(frozen=True)
class Measurements:
    """What is measured of the settings: by the sweeps, and in the matches of ``LONGER``."""

    lab: Lab
    sweep: Document
    after_all_cards: Document

    def of(self, setting: Setting) -> Document:
        """What was measured of a setting, with the games of its longest match."""
        measured = self._in_sweep(setting)
        if setting not in LONGER:
            return measured
        plan = self.longer_match(setting)
        match = match_result(plan, self.lab.results(plan)).document()
        return {**measured, "match": match}

    def longer_match(self, setting: Setting) -> MatchPlan:
        """Of a setting against the unbiased search."""
        agent = self._in_sweep(setting)["agent"]
        unbiased = self.sweep["settings"][0]["agent"]
        games = self.lab.n(LONGER[setting], QUICK["games"])
        return MatchPlan(agent, unbiased, games, self.sweep["plan"]["seed"])

    def games_won(self, setting: Setting) -> Wins:
        return self.lab.games_won(self.longer_match(setting))

    def points(self, setting: Setting) -> Estimate:
        return points_of(self.lab.results(self.longer_match(setting)))

    def _in_sweep(self, setting: Setting) -> Document:
        is_late = setting.asked == ALL_CHILDREN
        return of_setting(self.after_all_cards if is_late else self.sweep, setting)


def biased_search(lab: Lab) -> dict[str, Any]:
    sweeps = [lab.sweep(name, QUICK) for name in ("baier", "baier-after-all-cards")]
    measured = Measurements(lab, *sweeps)
    sheets = [
        _bias_in_every_node(measured),
        _times(measured),
        _delays(measured),
        _bias_at_the_root(measured),
        _imitation(measured),
    ]
    return {sheet.figure: sheet.document for sheet in sheets}


def _add_change(
    sheet: Sheet,
    what: str,
    measured: Measurements,
    more: Setting,
    less: Setting,
    claims: dict[str, Claim],
) -> None:
    """Add rows of how two settings differ, by measure."""
    for name, claim in claims.items():
        estimate_of, unit, _ = MEASURES[name]
        change = estimate_of(measured.of(more)).less(estimate_of(measured.of(less)))
        settings = f"{more.label} less {less.label}"
        sheet.row(f"{what}: {name}", claim, change, unit=unit, settings=settings)


def _add_points(sheet: Sheet, technique: str, series: str, x: float, found: dict[str, Any]) -> None:
    """Add a setting's point in the panel of each measure."""
    for name, (estimate_of, _, _) in MEASURES.items():
        sheet.point(f"{technique}: {name}", series, x, estimate_of(found))


def _factory_match(lab: Lab, setting: Setting, agent: str) -> MatchPlan:
    """Of a setting's agent against the opponent."""
    games = FACTORY_TEAM_GAMES if setting == IMITATION else FACTORY_GAMES
    return MatchPlan(agent, factory(ITERATIONS), lab.n(games, QUICK["games"]), SEED)


def _add_beside(
    lab: Lab, sheet: Sheet, what: str, found: dict[str, Any], x: str, published: tuple[float, float]
) -> None:
    """Add what a measured setting reaches, and what the paper prints: accuracy and games won."""
    published_accuracy, published_wins = published
    claim = Claim.share(published_accuracy, ACCURACY)
    about = {"settings": found["agent"], "on": SIMULATED_HUMANS}
    foretold = accuracy_of(found)
    sheet.row(f"{what}: accuracy", claim, foretold, unit=SHARE_OF_CARDS, **about)
    sheet.beside("accuracy", x, foretold, claim)
    claim = Claim.share(published_wins, WINS)
    plan = _factory_match(lab, Setting.from_document(found["setting"]), found["agent"])
    won = lab.win_row(sheet.row, f"{what}: games won", claim, plan)
    sheet.beside("games won", x, won, claim)
    settings = f"{found['agent']} against {plain(ITERATIONS)}"
    what = f"{what}: games won, {PLAIN}"
    sheet.reading(what, claim, wins_of(found), unit=SHARE_OF_GAMES, settings=settings)


def _bias_in_every_node(measured: Measurements) -> Sheet:
    """Figures 2 and 3: the stronger the bias, the more human and the weaker; and which settings
    the text chooses by them."""
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
    in_every_node = _measured_in_every_node(measured)
    _add_promising(sheet, in_every_node)
    for bias, found in in_every_node.items():
        values = values_of(bias)
        series = f"{bias.name}, K {values['k']:g}" if bias.second else bias.label.lower()
        _add_points(sheet, bias.name, series, values[bias.strength], found)
    return sheet


def _measured_in_every_node(measured: Measurements) -> dict[Technique, Document]:
    """What was measured of the biases of figures 2 and 3: no delay, equal rollouts."""
    in_every_node = {}
    for found in measured.sweep["settings"]:
        setting = Setting.from_document(found["setting"])
        bias = setting.bias
        if bias and setting.values["delay"] == 1 and not setting.is_equal_time:
            in_every_node[bias] = measured.of(setting)
    return in_every_node


def _add_promising(sheet: Sheet, in_every_node: dict[Technique, Document]) -> None:
    """Add why the text finds a setting of each bias promising: "nearly maximal accuracy while not
    yet playing significantly weaker than the baseline"."""
    for bias, found in in_every_node.items():
        if bias not in STRONG:
            continue
        what = f"{bias.name}, {bias.strength_text}"
        accuracies = [
            accuracy_of(other) for one, other in in_every_node.items() if one.name == bias.name
        ]
        highest = max(accuracies, key=lambda accuracy: accuracy.value or 0.0)
        sheet.row(
            f"{what}: accuracy less the highest",
            Claim.printed(0.0, ACCURACY, "nearly maximal"),
            accuracy_of(found).less(highest),
            unit=SHARE_OF_CARDS,
            settings=found["agent"],
        )
        sheet.row(
            f"{what}: games won",
            Claim.not_weaker(0.5, WINS),
            wins_of(found),
            unit=SHARE_OF_GAMES,
            settings=f"{found['agent']} against {plain(ITERATIONS)}",
        )


def _times(measured: Measurements) -> Sheet:
    """Table II: calls of the network a move, and iterations in equal time, by delay. Other
    readings: calls and time of a search that calls the network once all cards of a node were
    tried."""
    lab = measured.lab
    sheet = Sheet("baier-table2", "delay, visits", "speed, unbiased = 1", on=SIMULATED_HUMANS)
    for printed in TIMES:
        _add_calls(lab, sheet, printed)
        agent = delayed(printed.bias, printed.delay, asked=FIRST_CHILD).agent()
        time = measure_time(lab, agent, plain(ITERATIONS), lab.n(TIMED_ROUNDS, 2))
        speed = _inverse(time)
        published = printed.iterations / ITERATIONS
        claim = Claim.printed(published, 0.05, f"{printed.iterations:,} of 2,500")
        what = f"{printed.bias.name}, delay {printed.delay}: speed beside the unbiased search"
        sheet.row(what, claim, speed, unit="ratio", settings=agent)
        sheet.point("speed", printed.bias.name, printed.delay, speed)
        sheet.published("speed", printed.delay, claim)
        if printed.delay in DELAYS:
            found = measured.of(delayed(printed.bias, printed.delay, asked=ALL_CHILDREN))
            sheet.reading(
                f"{what}{AFTER_ALL_CARDS}",
                claim,
                _speed_in_sweep(found),
                unit="ratio",
                settings=found["agent"],
            )
    return sheet


def _speed_in_sweep(found: dict[str, Any]) -> Estimate:
    """How many moves it makes in the time of one of the unbiased search, by the sweep's times."""
    time = found["time"]
    n = found["accuracy"]["n"]
    return _inverse(Estimate(time["ratio"], time["interval"], n, "decisions"))


def _inverse(ratio: Estimate) -> Estimate:
    """Speed from time."""
    assert ratio.value is not None
    interval = None
    if ratio.interval:
        low, high = ratio.interval
        interval = (1 / high, 1 / low)
    return ratio._replace(value=1 / ratio.value, interval=interval)


def _add_calls(lab: Lab, sheet: Sheet, printed: PublishedTime) -> None:
    """Add how often the network is called: "in every node at the time of expansion of its first
    child node", once. Other readings: called once all cards of a node were tried, and called again
    in a node where another deal makes cards legal that it hasn't judged, as this lab's search does.
    """
    claim = Claim.printed(printed.model_calls, 0.1 * printed.model_calls)
    what = f"{printed.bias.name}, delay {printed.delay}: calls a move"
    for asked, when in ((FIRST_CHILD, ""), (ALL_CHILDREN, AFTER_ALL_CARDS)):
        agent = delayed(printed.bias, printed.delay, asked=asked).agent()
        nodes, calls = count_calls(lab, agent, lab.n(200, 60))
        add = sheet.reading if when else sheet.row
        add(f"{what}{when}", claim, nodes, unit="calls", settings=agent)
        sheet.reading(f"{what}{when}, in each deal", claim, calls, unit="calls", settings=agent)


def _delays(measured: Measurements) -> Sheet:
    """Figures 4 and 5: what is left of the bias where the network is called later."""
    sheet = Sheet("baier-fig4-5", "delay, visits", "", on=SIMULATED_HUMANS)
    independent = {"accuracy": Claim.printed(0.0, ACCURACY, "relatively independent")}
    improves = {"games won": Claim.above(0.0, "the expected improvement")}
    catches_up = {"games won": Claim.printed(0.0, WINS, "catches up")}
    for bias in STRONG:
        at_once = delayed(bias, 1)
        at_once_in_time = delayed(bias, 1, EQUAL_TIME)
        late = delayed(bias, 100)
        late_in_time = delayed(bias, 100, EQUAL_TIME)
        what = f"{bias.name}: delay 100 less 1"
        _add_change(sheet, what, measured, late, at_once, independent)
        what = f"{bias.name}, equal time: delay 100 less 1"
        _add_change(sheet, what, measured, late_in_time, at_once_in_time, improves)
        what = f"{bias.name}, delay 100: equal time less equal rollouts"
        _add_change(sheet, what, measured, late_in_time, late, catches_up)
        for delay in DELAYS:
            for iterations, series in ((ITERATIONS, "equal rollouts"), (EQUAL_TIME, "equal time")):
                found = measured.of(delayed(bias, delay, iterations))
                _add_points(sheet, bias.name, series, delay, found)
    return sheet


def printed_of(label: str) -> tuple[float, float]:
    """Accuracy and games won that the paper prints."""
    for point in POINTS:
        if point.label == label and point.accuracy_all is not None:
            return point.accuracy_all, point.win_rate
    raise KeyError(label)


def _bias_at_the_root(measured: Measurements) -> Sheet:
    """Figures 6 and 7, and what the text says of them. Other readings: of experience, a network
    called once all cards of a node were tried; of the strongest bias, by points a reward, towards
    the network of a stronger stand-in for people, and in a search with the opponent's rules of
    thumb.
    """
    lab = measured.lab
    sheet = Sheet("baier-fig6-7", "", "")
    for setting in AT_THE_ROOT:
        published = printed_of(f"{setting.strength}, root only")
        what = f"{setting.technique}, {setting.strength}, root only, equal time"
        _add_beside(lab, sheet, what, measured.of(setting), setting.strength, published)
    _add_after_all_cards(sheet, measured)
    _add_root_against_every_node(sheet, measured)
    _add_one_bias_against_the_other(sheet, measured)
    strongest = knowledge(0.2, 1000.0, ROOT_ONLY, ITERATIONS)
    what = f"{strongest.strength}, root only"
    accuracy, won = printed_of(what)
    claims = {"accuracy": Claim.share(accuracy, ACCURACY), "games won": Claim.share(won, WINS)}
    by_scale(lab, NETWORK, sheet, what, claims, PLAIN)
    agent = strongest.agent().replace(NETWORK, stand_in.MODEL)
    games = lab.n(GRID_GAMES, QUICK["games"])
    plan = MatchPlan(agent, f"ismcts:iterations={ITERATIONS}", games, SEED)
    match_readings(lab, sheet, {f"stand-in's network: {what}: games won, {PLAIN}": (plan, won)})
    thumbed = f"{measured.of(IMITATION)['agent']},{THUMB_RULES}"
    plan = MatchPlan(thumbed, factory(ITERATIONS), lab.n(FACTORY_GAMES, QUICK["games"]), SEED)
    match_readings(lab, sheet, {f"with the opponent's deals and playouts: {what}": (plan, won)})
    return sheet


def _add_after_all_cards(sheet: Sheet, measured: Measurements) -> None:
    """Add experience at the root, lent to cards that were all tried before."""
    lab = measured.lab
    setting = experience(10, ROOT_ONLY, EQUAL_TIME, ALL_CHILDREN)
    accuracy, won = printed_of(f"{setting.strength}, root only")
    found = measured.of(setting)
    what = f"experience, w 10, root only, equal time{AFTER_ALL_CARDS}"
    sheet.reading(
        f"{what}: accuracy",
        Claim.share(accuracy, ACCURACY),
        accuracy_of(found),
        unit=SHARE_OF_CARDS,
        settings=found["agent"],
        on=SIMULATED_HUMANS,
    )
    match_readings(
        lab, sheet, {f"{what}: games won": (_factory_match(lab, setting, found["agent"]), won)}
    )


def _add_root_against_every_node(sheet: Sheet, measured: Measurements) -> None:
    """Add that both biases are as they were in every node, now in the time of the baseline."""
    very_similar = {
        name: Claim.printed(0.0, margin, "very similar")
        for name, (_, _, margin) in MEASURES.items()
    }
    for bias in STRONG:
        at_the_root = next(one for one in AT_THE_ROOT if one.technique == bias.name)
        what = f"{bias.name}: root only, equal time, less every node, equal rollouts"
        _add_change(sheet, what, measured, at_the_root, delayed(bias, 1), very_similar)


def _add_one_bias_against_the_other(sheet: Sheet, measured: Measurements) -> None:
    """Add that both biases "achieve similar performance to each other if tuned correctly":
    experience less the mean of the settings of knowledge that the text prints, then less each; and
    that the accuracy of knowledge is slightly higher.

    All settings play the same deals, so that games are compared deal by deal.
    """
    own, *others = AT_THE_ROOT
    own_accuracy = accuracy_of(measured.of(own))
    compared = {"": others} | {f", {other.strength}": [other] for other in others}
    about = {"unit": SHARE_OF_CARDS, "on": SIMULATED_HUMANS}
    for which, settings in compared.items():
        what = f"experience less knowledge{which}, root only, equal time"
        label = f"{own.label} less {'; '.join(setting.label for setting in settings)}"
        accuracy = mean_of([accuracy_of(measured.of(setting)) for setting in settings])
        sheet.row(
            f"{what}: accuracy",
            Claim.printed(0.0, ACCURACY, "similar"),
            own_accuracy.less(accuracy),
            settings=label,
            **about,
        )
        wins = np.mean([measured.games_won(setting) for setting in settings], axis=0)
        points = measured.points(own).less(mean_of(list(map(measured.points, settings))))
        sheet.row(
            f"{what}: games won",
            Claim.printed(0.0, WINS, "similar"),
            difference(measured.games_won(own), wins)._replace(points=points),
            unit=SHARE_OF_GAMES,
            settings=f"{label}, each {PLAIN}",
        )
    mean_accuracy = mean_of([accuracy_of(measured.of(setting)) for setting in others])
    sheet.row(
        "knowledge less experience, root only, equal time: accuracy",
        Claim.above(0.0, "slightly higher"),
        mean_accuracy.less(own_accuracy),
        settings=f"{'; '.join(setting.label for setting in others)} less {own.label}",
        **about,
    )


def _imitation(measured: Measurements) -> Sheet:
    """Table III: imitation by the biased search, and by the network itself.

    The other networks are those of table I, trained until they gained no more. They bias the
    search for as many iterations: each is called once a move, so that it costs about the same.
    """
    lab = measured.lab
    sheet = Sheet("baier-table3", "", "", on=SIMULATED_HUMANS)
    unbiased = measured.sweep["settings"][0]
    sheet.row(
        "ISMCTS baseline: accuracy",
        Claim.share(BASELINE_ACCURACY, ACCURACY),
        accuracy_of(unbiased),
        unit=SHARE_OF_CARDS,
        settings=unbiased["agent"],
    )
    settings = {
        "indirect": (IMITATION, INDIRECT),
        "direct": (NETWORK_ALONE, printed_of("direct imitation")),
    }
    for kind, (setting, published) in settings.items():
        what = f"{NETWORK}, {kind} imitation"
        _add_beside(lab, sheet, what, measured.of(setting), f"{kind}, {NETWORK}", published)
    agent = measured.of(IMITATION)["agent"]
    _add_other_networks(lab, sheet, agent)
    _add_teams(sheet, measured)
    return sheet


def _add_other_networks(lab: Lab, sheet: Sheet, agent: str) -> None:
    """Add what the other networks reach in the place of ``NETWORK``, which biases ``agent``."""
    games = lab.n(FACTORY_GAMES, QUICK["games"])
    plans = {
        network: MatchPlan(
            agent.replace(NETWORK, f"{CONVERGED}{network}"), factory(ITERATIONS), games, SEED
        )
        for network in OTHER_INDIRECT
    }
    lab.play(*plans.values())
    for network, plan in plans.items():
        accuracy, wins = OTHER_INDIRECT[network]
        what = f"{network}, indirect imitation"
        x = f"indirect, {network}"
        claim = Claim.share(accuracy, ACCURACY)
        foretold = measure_accuracy(lab, plan.ns, lab.n(FORETOLD_ROUNDS, 2))
        sheet.row(f"{what}: accuracy", claim, foretold, unit=SHARE_OF_CARDS, settings=plan.ns)
        sheet.beside("accuracy", x, foretold, claim)
        claim = Claim.share(wins, WINS)
        won = lab.win_row(sheet.row, f"{what}: games won", claim, plan)
        sheet.beside("games won", x, won, claim)


def _add_teams(sheet: Sheet, measured: Measurements) -> None:
    """Add what a team of the table's biased search and the baseline reaches, against both
    opponents."""
    lab = measured.lab
    agent = measured.of(IMITATION)["agent"]
    what = f"{NETWORK}, indirect imitation, with the baseline"
    won = add_team(lab, sheet, what, _factory_match(lab, IMITATION, agent))
    sheet.point("games won", "ours", "indirect, with the baseline", won)
    plan = replace(measured.longer_match(IMITATION), games=lab.n(GRID_GAMES, QUICK["games"]))
    add_team(lab, sheet, what, plan, f", {PLAIN}")
