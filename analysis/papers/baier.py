"""Baier et al. 2018: networks that play like people (tables I and III), and the search biased
towards one of them (table II, figures 2 to 7).

The people are simulated, and the networks are ours, trained on them. The paper's times are of its
machine: what can stand beside is how many iterations take the same time, and how often the network
is called.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.matches.match import MatchPlan, match_result
from analysis.models.measures import compute_answers
from analysis.models.tables import PUBLISHED, read_comparison
from analysis.models.training import CONVERGED
from analysis.papers import stand_in
from analysis.papers.claims import ACCURACY, WINS, Claim, Estimate, Sheet
from analysis.papers.lab import (
    GRID_GAMES,
    MEASURES,
    NAMED_GAMES,
    ON,
    Lab,
    accuracy_of,
    by_scale,
    match_readings,
    of_setting,
)
from analysis.runs.tasks import ranges
from analysis.sweeps.sweep import DIRECT, EQUAL_TIME, EXPERIENCE, KNOWLEDGE, ROOT, Setting
from analysis.sweeps.views import POINTS, TIMES
from spades.agents import parse_agent
from spades.core.cards import N_CARDS, SOUTH
from spades.core.deal import derive_seed
from spades.human import load_model, model_hash, simulate_humans
from spades.human.features.logs import examples_of_log
from spades.human.networks.config import OURS
from spades.human.simulated import MODEL_NAME
from spades.notation.log_store import content_hash, open_log

TABLE1, FIG2, TABLE2, FIG4, FIG6, TABLE3 = (
    "baier-table1", "baier-fig2-3", "baier-table2", "baier-fig4-5", "baier-fig6-7", "baier-table3"
)  # fmt: skip
NETWORK, LOG, SEED, N = "t-200-150-100", "human-south", 201800, 2500
ABSTRACT, RANDOM, FEWER_PASSES = "abstract-200", "random", ("t-200-100", NETWORK)
BOUNDS = {
    f"{CONVERGED}t-600-300": "wider than the paper's, reads the same",
    OURS: "reads the cards played as well",
    MODEL_NAME: "the players' own model, the most that is possible",
}
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
    "random": (0.0, 0.004),
}
"""Games won against 2,500 and 50 iterations (table I)."""
INDIRECT = 0.703, 0.461
"""Accuracy and games won of ``NETWORK``, C_BT 0.2 and K 1000 at the root only (table III)."""
QUICK = {"games": 2, "decisions": 900, "rounds": 2}
BASELINE = 0.582
"""Accuracy of the unbiased search on people."""
Of = Callable[[Setting], dict[str, Any]]
CARDS = "share of cards"
FRESH_SEED = 203


def knowledge(c_bt: float, k: float, delay: int | str, iterations: int | str = N) -> Setting:
    return Setting(KNOWLEDGE, NETWORK, c_bt=c_bt, k=k, delay=delay, iterations=iterations)


def experience(w: int, delay: int | str, iterations: int | str = N) -> Setting:
    return Setting(EXPERIENCE, NETWORK, w=w, delay=delay, iterations=iterations)


STRONG = {
    KNOWLEDGE: lambda *of: knowledge(0.2, 1000.0, *of),
    EXPERIENCE: lambda *of: experience(10, *of),
}
NAMED = (  # at the root only and at equal time (section V-C)
    experience(10, ROOT, EQUAL_TIME),
    knowledge(0.2, 1000.0, ROOT, EQUAL_TIME),
    knowledge(0.5, 100.0, ROOT, EQUAL_TIME),
    knowledge(1.0, 10.0, ROOT, EQUAL_TIME),
)
DELAYS = 1, 20, 100, 500  # of those of table II


# Tables I and III: the networks


def networks(lab: Lab) -> dict[str, Any]:
    """Our networks are those trained until they gained no more, other readings those with fewer
    passes over the data and one that imitates a stronger stand-in for people."""
    stored = {one["model"]: one for one in read_comparison()["models"]}
    sheet = Sheet(TABLE1, "", "", unit=CARDS)
    for model, published in PUBLISHED.items():
        one, claim, about = stored[model], Claim.share(published, ACCURACY), {"on": ON}
        found = Estimate(one["accuracy"], one["intervals"]["accuracy"], one["decisions"], "cards")
        about["settings"] = model
        if model in (*WIN_RATES, ABSTRACT):
            what = f"fewer passes, {model}: accuracy"
            sheet.row(what, claim, found, **about, to="readings")
            about["settings"] = f"{CONVERGED}{model}"
            found = _accuracy(lab, about["settings"])
        sheet.row(f"{model}: accuracy", claim, found, **about)
        sheet.beside("accuracy", model, found, published)
    for model, what in BOUNDS.items():
        claim, about = Claim.share(max(PUBLISHED.values()), ACCURACY), {"on": ON, "to": "readings"}
        sheet.row(f"{model}, {what}: accuracy", claim, _accuracy(lab, model), **about)
    agents = {name: f"direct:model={CONVERGED}{name}" for name in WIN_RATES if name != RANDOM}
    agents |= {RANDOM: RANDOM}
    plans = {name: _matches(lab, agent, name, NAMED_GAMES) for name, agent in agents.items()}
    lab.play(*(plan for of_name in plans.values() for plan, _ in of_name.values()))
    for name, of_name in plans.items():
        for what, (plan, published) in of_name.items():
            claim = Claim.share(published, WINS)
            found = lab.win_row(sheet, f"games won {what}: {name}", claim, plan)
            sheet.beside(what, name, found, published)
    for name in FEWER_PASSES:
        matches = _matches(lab, f"direct:model={name}", name)
        named = {f"fewer passes, {name}: games won {what}": one for what, one in matches.items()}
        match_readings(lab, sheet, named)
    stand_in.predicted(lab, sheet, {"search": BASELINE, "network": PUBLISHED[NETWORK]})
    matches = _matches(lab, f"direct:model={stand_in.MODEL}", NETWORK)
    own = {f"stand-in's network: games won {what}": match for what, match in matches.items()}
    match_readings(lab, sheet, own)
    return {TABLE1: sheet.document}


def _accuracy(lab: Lab, model: str) -> Estimate:
    """Of a stored model, on fresh rounds of simulated humans."""
    name, parts = f"cards foretold by {model_hash(model)}", ranges(lab.n(5000, 100), 500)
    hits = np.concatenate(lab.measure(name, foretold, parts, model))
    return Estimate.mean(hits, "cards", np.full(len(hits), float(N_CARDS)))


def foretold(first: int, end: int, model: str) -> list[int]:
    """Cards of each of some fresh rounds of simulated humans that a model finds likeliest."""
    fresh = examples_of_log(simulate_humans(end - first, FRESH_SEED, first=first))
    right = compute_answers(load_model(model).prior(), fresh)["accuracy"].to_numpy()
    found: list[int] = right.reshape(-1, N_CARDS).sum(axis=1).astype(int).tolist()
    return found


def _matches(
    lab: Lab, agent: str, network: str, full: int = GRID_GAMES
) -> dict[str, tuple[MatchPlan, float]]:
    """The matches of table I, each with what the paper prints of a network."""
    games = lab.n(full, QUICK["games"])
    return {
        f"against {n:,} iterations": (MatchPlan(agent, f"ismcts:iterations={n}", games, SEED), won)
        for n, won in zip((N, 50), WIN_RATES[network], strict=True)
    }


# Table II, figures 2 to 7: the biased search


def biased(lab: Lab) -> dict[str, Any]:
    document = lab.sweep("baier", QUICK)

    def of(setting: Setting) -> dict[str, Any]:
        return of_setting(document, setting)

    def named(setting: Setting) -> dict[str, Any]:
        """The same, with as many games as settings have that the paper names."""
        found, baseline = of(setting), document["settings"][0]["agent"]
        games, seed = lab.n(NAMED_GAMES, QUICK["games"]), document["plan"]["seed"]
        plan = MatchPlan(found["agent"], baseline, games, seed)
        return {**found, "match": match_result(plan, lab.results(plan)).document()}

    sheets = _every_node(document, of), _times(lab, of), _delays(of), _root(lab, named)
    return {one.figure: one.document for one in (*sheets, _indirect(document, named))}


def _change(
    sheet: Sheet, what: str, of: Of, pair: tuple[Setting, Setting], **claims: Claim
) -> None:
    """Add rows of how two settings differ, by measure."""
    more, less = pair
    for name, claim in ((name.replace("_", " "), claim) for name, claim in claims.items()):
        measure, unit, _ = MEASURES[name]
        about = {"unit": unit, "settings": f"{more.label} less {less.label}"}
        sheet.row(f"{what}: {name}", claim, measure(of(more)).less(measure(of(less))), **about)


def _points(sheet: Sheet, technique: str, series: str, x: float, found: dict[str, Any]) -> None:
    """Add a setting's point in the panel of each measure."""
    for name, (measure, *_) in MEASURES.items():
        sheet.point(f"{technique}: {name}", series, x, measure(found))


def _beside(
    sheet: Sheet, what: str, setting: Setting, of: Of, x: str, published: tuple[float, float]
) -> None:
    """Add what a setting reaches, and what the paper prints, by measure."""
    found = of(setting)
    for (name, (measure, unit, margin)), value in zip(MEASURES.items(), published, strict=True):
        about = {"unit": unit, "settings": setting.label, "on": ON}
        sheet.row(f"{what}: {name}", Claim.share(value, margin), measure(found), **about)
        sheet.beside(name, x, measure(found), value)


def _every_node(document: dict[str, Any], of: Of) -> Sheet:
    trade = {"accuracy": Claim.above(0.0, "increases"), "games_won": Claim.below(0.0, "drops")}
    sheet = Sheet(FIG2, "C_BT, or w", "", on=ON)
    for k in (100.0, 1000.0):
        pair = knowledge(0.5, k, 1), knowledge(0.05, k, 1)
        _change(sheet, f"K {k:g}: C_BT 0.5 less 0.05", of, pair, **trade)
    _change(sheet, "w 100 less w 1", of, (experience(100, 1), experience(1, 1)), **trade)
    for one in document["settings"]:
        setting = Setting.from_document(one["setting"])
        if setting.delay == 1 and not setting.is_equal_time:
            series = "equivalent experience" if setting.w else f"knowledge, K {setting.k:g}"
            _points(sheet, setting.technique, series, setting.w or setting.c_bt or 0.0, one)
    return sheet


def queried_nodes(first: int, end: int, agent: str) -> list[tuple[int, int]]:
    """By round: nodes in which searches of South's unforced plays queried the model, and plays."""
    log, found = open_log(LOG), []
    player: Any = parse_agent(agent).player
    for i in range(first, end):
        plies = map(log.record(i).observation, range(N_CARDS))
        seen = [one for one in plies if one.seat == SOUTH and one.legal_mask.bit_count() > 1]
        trees = [player.search(one, derive_seed(SEED, i, j)) for j, one in enumerate(seen)]
        found.append((sum(tree.queried_nodes for tree in trees), len(seen)))
    return found


def _times(lab: Lab, of: Of) -> Sheet:
    sheet = Sheet(TABLE2, "delay, visits", "speed, unbiased = 1", on=ON)
    for paper in (paper for paper in TIMES if paper.delay in DELAYS):
        one = of(STRONG[paper.technique](paper.delay))
        time, n, about = one["time"], one["accuracy"]["n"], {"settings": one["agent"]}
        what = f"{paper.technique}, delay {paper.delay}"
        found = Estimate(time["model_calls"], time["calls_interval"], n, "decisions")
        claim = Claim.printed(paper.model_calls, 0.1 * paper.model_calls)
        sheet.row(f"{what}: calls a move", claim, found, unit="calls", **about)
        name, parts = f"nodes queried on {content_hash(LOG)}", ranges(lab.n(200, 60), 10)
        counted = lab.measure(name, queried_nodes, parts, one["agent"], agents=(one["agent"],))
        nodes, decisions = np.concatenate(counted).T
        found = Estimate.mean(nodes, "decisions", decisions)
        sheet.row(f"{what}, once a node: calls", claim, found, to="readings", unit="calls", **about)
        ends = time["interval"] and (1 / time["interval"][1], 1 / time["interval"][0])
        found = Estimate(1 / time["ratio"], ends, n, "decisions")
        claim = Claim.printed(paper.iterations / N, 0.05, f"{paper.iterations:,} of 2,500")
        what += ": speed beside the unbiased search"
        sheet.row(what, claim, found, unit="ratio", **about)
        sheet.point("speed", paper.technique, paper.delay, found)
        sheet.point("speed", "published", paper.delay, paper.iterations / N)
    return sheet


def _delays(of: Of) -> Sheet:
    sheet = Sheet(FIG4, "delay, visits", "", on=ON)
    for technique, setting in STRONG.items():
        same = Claim.printed(0.0, ACCURACY, "relatively independent")
        pair = setting(100), setting(1)
        _change(sheet, f"{technique}: delay 100 less 1", of, pair, accuracy=same)
        pair = setting(100, EQUAL_TIME), setting(1, EQUAL_TIME)
        gain, what = Claim.above(0.0, "the expected improvement"), f"{technique}, equal time: delay"
        _change(sheet, f"{what} 100 less 1", of, pair, games_won=gain)
        pair = setting(100, EQUAL_TIME), setting(100)
        level, what = Claim.printed(0.0, WINS, "catches up"), "equal time less equal rollouts"
        _change(sheet, f"{technique}, delay 100: {what}", of, pair, games_won=level)
        for delay in DELAYS:
            _points(sheet, technique, "equal rollouts", delay, of(setting(delay)))
            if delay in (1, 100):
                _points(sheet, technique, "equal time", delay, of(setting(delay, EQUAL_TIME)))
    return sheet


def printed_of(label: str) -> tuple[float, float]:
    """Accuracy and games won that the paper prints."""
    one = next(one for one in POINTS if one.label == label and one.accuracy_all is not None)
    return one.accuracy_all or 0.0, one.win_rate


def _root(lab: Lab, of: Of) -> Sheet:
    sheet = Sheet(FIG6, "", "")
    for setting in NAMED:
        published = printed_of(f"{setting.strength}, root only")
        what = f"{setting.technique}, {setting.strength}, root only, equal time"
        _beside(sheet, what, setting, of, setting.strength, published)
    # The strongest bias by points a reward, and towards the network of a stronger stand-in.
    strongest = knowledge(0.2, 1000.0, ROOT)
    what = f"{strongest.strength}, root only"
    claims = {
        name: Claim.share(value, MEASURES[name][2])
        for name, value in zip(MEASURES, printed_of(what), strict=True)
    }
    by_scale(lab, NETWORK, sheet, what, claims)
    agent = strongest.agent().replace(NETWORK, stand_in.MODEL)
    plan = MatchPlan(agent, f"ismcts:iterations={N}", lab.n(GRID_GAMES, QUICK["games"]), SEED)
    own = {f"stand-in's network: {what}: games won": (plan, printed_of(what)[1])}
    match_readings(lab, sheet, own)
    return sheet


def _indirect(document: dict[str, Any], of: Of) -> Sheet:
    sheet, unbiased = Sheet(TABLE3, "", "", on=ON), document["settings"][0]
    about = {"unit": CARDS, "settings": unbiased["agent"]}
    claim = Claim.share(BASELINE, ACCURACY)
    sheet.row("ISMCTS baseline: accuracy", claim, accuracy_of(unbiased), **about)
    settings = {
        "indirect": (knowledge(0.2, 1000.0, ROOT, EQUAL_TIME), INDIRECT),
        "direct": (Setting(DIRECT, NETWORK, iterations=None), printed_of("direct imitation")),
    }
    for kind, (setting, values) in settings.items():
        _beside(sheet, f"{NETWORK}, {kind} imitation", setting, of, kind, values)
    return sheet
