"""Baier et al. 2018: networks that play like people (tables I and III), and the search biased
towards one of them (table II, figures 2 to 7).

The people are simulated, and the networks are ours, trained on them. The paper's times are of its
machine: what can stand beside is how many iterations take the same time, and how often the network
is called.
"""

from collections.abc import Callable
from typing import Any

from analysis.matches.match import MatchPlan
from analysis.models.tables import PUBLISHED, read_comparison
from analysis.papers import stand_in
from analysis.papers.claims import (
    ACCURACY,
    WINS,
    Claim,
    Estimate,
    above,
    bare_point,
    below,
    point,
    printed,
    row,
)
from analysis.papers.lab import (
    MEASURES,
    ON,
    Lab,
    accuracy_of,
    apart,
    by_scale,
    of_setting,
    win_rate,
)  # fmt: skip
from analysis.sweeps.sweep import DIRECT, EQUAL_TIME, EXPERIENCE, KNOWLEDGE, ROOT, Setting
from analysis.sweeps.views import POINTS, TIMES
from spades.core.paths import DATA
from spades.human.files import ENDING

TABLE1, FIG2, TABLE2, FIG4, FIG6, TABLE3 = (
    "baier-table1", "baier-fig2-3", "baier-table2", "baier-fig4-5", "baier-fig6-7", "baier-table3"
)  # fmt: skip
NETWORK, SEED, N = "t-200-150-100", 201800, 2500
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
FULL = {"games": 1000, "decisions": 21_800, "rounds": 100}  # all decisions of the log
BASELINE = 0.582
"""Accuracy of the unbiased search on people."""
Rows = list[dict[str, Any]]
Of = Callable[[Setting], dict[str, Any]]
SHARE, CARDS = "share of games", "share of cards"


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
    stored = {one["model"]: one for one in read_comparison()["models"]}
    rows, points = [], []
    for model, published in PUBLISHED.items():
        one = stored[model]
        found = Estimate(one["accuracy"], one["intervals"]["accuracy"], one["decisions"], "cards")
        claim = printed(published, ACCURACY, f"{published:.1%}")
        about = {"unit": CARDS, "settings": model, "on": ON}
        rows.append(row(TABLE1, f"{model}: accuracy", claim, found, **about))
        points.append(point("accuracy", "ours", model, found))
        points.append(bare_point("accuracy", "published", model, published))
    files = {name: DATA / "models" / f"{name}{ENDING}" for name in WIN_RATES}
    playing = [name for name in WIN_RATES if name == "random" or files[name].exists()]
    games = lab.n(FULL["games"], QUICK["games"])
    agents = {name: name if name == "random" else f"direct:model={name}" for name in playing}
    plans = {
        (name, n): MatchPlan(agent, f"ismcts:iterations={n}", games, SEED)
        for name, agent in agents.items()
        for n in (N, 50)
    }
    lab.play(*plans.values())
    for name in playing:
        for n, published in zip((N, 50), WIN_RATES[name], strict=True):
            plan = plans[name, n]
            found, against = win_rate(plan, lab.results(plan)), f"against {n:,} iterations"
            about = {"unit": SHARE, "settings": f"{plan.ns} {against}"}
            claim = printed(published, WINS, f"{published:.1%}")
            rows.append(row(TABLE1, f"{name}: games won {against}", claim, found, **about))
            points.append(point(against, "ours", name, found))
            points.append(bare_point(against, "published", name, published))
    readings = _stand_in(lab, games)
    return {TABLE1: {"rows": rows, "points": points, "axes": ["", ""], "readings": readings}}


def _stand_in(lab: Lab, games: int) -> Rows:
    """Table I with a stronger stand-in for people."""
    foretold = {"search": BASELINE, "network": PUBLISHED[NETWORK]}
    direct = f"direct:model={stand_in.MODEL}"
    plans = {
        f"games won against {n:,} iterations": (
            MatchPlan(direct, f"ismcts:iterations={n}", games, SEED),
            published,
        )
        for n, published in zip((N, 50), WIN_RATES[NETWORK], strict=True)
    }
    return [*stand_in.predicted(lab, TABLE1, foretold), *stand_in.games_won(lab, TABLE1, plans)]


# Table II, figures 2 to 7: the biased search


def biased(lab: Lab) -> dict[str, Any]:
    document = lab.sweep("baier", QUICK, FULL)

    def of(setting: Setting) -> dict[str, Any]:
        return of_setting(document, setting)

    return {
        FIG2: _every_node(document, of),
        TABLE2: _times(of),
        FIG4: _delays(of),
        FIG6: {**_root(of), "readings": _scales(lab)},
        TABLE3: _indirect(document, of),
    }


def _change(figure: str, what: str, of: Of, pair: tuple[Setting, Setting], **claims: Claim) -> Rows:
    """Rows of how two settings differ, by measure."""
    rows, (more, less) = [], pair
    for name, claim in claims.items():
        measure, unit = MEASURES[name.replace("_", " ")]
        found = apart(measure(of(more)), measure(of(less)))
        about = {"unit": unit, "settings": f"{more.label} less {less.label}", "on": ON}
        rows.append(row(figure, f"{what}: {name.replace('_', ' ')}", claim, found, **about))
    return rows


def _both(technique: str, series: str, x: float, found: dict[str, Any]) -> Rows:
    """A setting's point in the panel of each measure."""
    return [
        point(f"{technique}: {name}", series, x, measure(found))
        for name, (measure, _) in MEASURES.items()
    ]


def _every_node(document: dict[str, Any], of: Of) -> dict[str, Any]:
    trade = {"accuracy": above(0.0, "increases"), "games_won": below(0.0, "drops")}
    rows = []
    for k in (100.0, 1000.0):
        pair = knowledge(0.5, k, 1), knowledge(0.05, k, 1)
        rows += _change(FIG2, f"K {k:g}: C_BT 0.5 less 0.05", of, pair, **trade)
    rows += _change(FIG2, "w 100 less w 1", of, (experience(100, 1), experience(1, 1)), **trade)
    points = []
    for one in document["settings"]:
        setting = Setting.from_document(one["setting"])
        if setting.delay == 1 and not setting.is_equal_time:
            series = "equivalent experience" if setting.w else f"knowledge, K {setting.k:g}"
            x = setting.w or setting.c_bt or 0.0
            points += _both(setting.technique, series, x, one)
    return {"rows": rows, "points": points, "axes": ["C_BT, or w", ""]}


def _times(of: Of) -> dict[str, Any]:
    rows, points = [], []
    for paper in TIMES:
        if paper.delay not in DELAYS:
            continue
        one = of(STRONG[paper.technique](paper.delay))
        time, n = one["time"], one["accuracy"]["n"]
        about = {"settings": one["agent"], "on": ON}
        what = f"{paper.technique}, delay {paper.delay}"
        found = Estimate(time["model_calls"], time["calls_interval"], n, "decisions")
        claim = printed(paper.model_calls, 0.1 * paper.model_calls)
        rows.append(row(TABLE2, f"{what}: calls a move", claim, found, unit="calls", **about))
        ends = time["interval"] and (1 / time["interval"][1], 1 / time["interval"][0])
        found = Estimate(1 / time["ratio"], ends, n, "decisions")
        claim = printed(paper.iterations / N, 0.05, f"{paper.iterations:,} of 2,500")
        what += ": speed beside the unbiased search"
        rows.append(row(TABLE2, what, claim, found, unit="ratio", **about))
        points.append(point("speed", paper.technique, paper.delay, found))
        points.append(bare_point("speed", "published", paper.delay, paper.iterations / N))
    return {"rows": rows, "points": points, "axes": ["delay, visits", "speed, unbiased = 1"]}


def _delays(of: Of) -> dict[str, Any]:
    rows, points = [], []
    for technique, setting in STRONG.items():
        same = printed(0.0, ACCURACY, "relatively independent")
        pair = setting(100), setting(1)
        rows += _change(FIG4, f"{technique}: delay 100 less 1", of, pair, accuracy=same)
        pair = setting(100, EQUAL_TIME), setting(1, EQUAL_TIME)
        gain, what = above(0.0, "the expected improvement"), f"{technique}, equal time: delay"
        rows += _change(FIG4, f"{what} 100 less 1", of, pair, games_won=gain)
        pair = setting(100, EQUAL_TIME), setting(100)
        level, what = printed(0.0, WINS, "catches up"), "equal time less equal rollouts"
        rows += _change(FIG4, f"{technique}, delay 100: {what}", of, pair, games_won=level)
        for delay in (1, 20, 100, 500):
            for iterations, label in ((N, "equal rollouts"), (EQUAL_TIME, "equal time")):
                if iterations == EQUAL_TIME and delay not in (1, 100):
                    continue
                one = of(setting(delay, iterations))
                points += _both(technique, label, delay, one)
    return {"rows": rows, "points": points, "axes": ["delay, visits", ""]}


def printed_of(label: str) -> tuple[float, float]:
    """Accuracy and games won that the paper prints."""
    one = next(one for one in POINTS if one.label == label and one.accuracy_all is not None)
    return one.accuracy_all or 0.0, one.win_rate


def _root(of: Of) -> dict[str, Any]:
    rows, points = [], []
    for setting in NAMED:
        published = printed_of(f"{setting.strength}, root only")
        for (name, (measure, unit)), value in zip(MEASURES.items(), published, strict=True):
            margin = ACCURACY if measure is accuracy_of else WINS
            found, claim = measure(of(setting)), printed(value, margin, f"{value:.1%}")
            about = {"unit": unit, "settings": setting.label, "on": ON}
            what = f"{setting.technique}, {setting.strength}, root only, equal time: {name}"
            rows.append(row(FIG6, what, claim, found, **about))
            points.append(point(name, "ours", setting.strength, found))
            points.append(bare_point(name, "published", setting.strength, value))
    return {"rows": rows, "points": points, "axes": ["", ""]}


def _scales(lab: Lab) -> Rows:
    """The strongest bias by points a reward, and towards the network of a stronger stand-in."""
    strength = knowledge(0.2, 1000.0, ROOT).strength
    values = dict(zip(MEASURES, printed_of(f"{strength}, root only"), strict=True))
    margins = dict(zip(MEASURES, (ACCURACY, WINS), strict=True))
    claims = {name: printed(value, margins[name], f"{value:.1%}") for name, value in values.items()}
    agent = knowledge(0.2, 1000.0, ROOT).agent().replace(NETWORK, stand_in.MODEL)
    plan = MatchPlan(agent, f"ismcts:iterations={N}", lab.n(FULL["games"], QUICK["games"]), SEED)
    what = f"{strength}, root only: games won"
    return [
        *by_scale(lab, NETWORK, FIG6, f"{strength}, root only", claims),
        *stand_in.games_won(lab, FIG6, {what: (plan, values["games won"])}),
    ]


def _indirect(document: dict[str, Any], of: Of) -> dict[str, Any]:
    rows, points = [], []
    unbiased = document["settings"][0]
    about = {"unit": CARDS, "settings": unbiased["agent"], "on": ON}
    claim = printed(BASELINE, ACCURACY, f"{BASELINE:.1%}")
    rows.append(row(TABLE3, "ISMCTS baseline: accuracy", claim, accuracy_of(unbiased), **about))
    settings = {
        "indirect": (knowledge(0.2, 1000.0, ROOT, EQUAL_TIME), INDIRECT),
        "direct": (Setting(DIRECT, NETWORK, iterations=None), printed_of("direct imitation")),
    }
    for kind, (setting, values) in settings.items():
        for (name, (measure, unit)), value in zip(MEASURES.items(), values, strict=True):
            margin = ACCURACY if measure is accuracy_of else WINS
            found, claim = measure(of(setting)), printed(value, margin, f"{value:.1%}")
            about = {"unit": unit, "settings": setting.label, "on": ON}
            rows.append(row(TABLE3, f"{NETWORK}, {kind} imitation: {name}", claim, found, **about))
            points.append(point(name, "ours", kind, found))
            points.append(bare_point(name, "published", kind, value))
    return {"rows": rows, "points": points, "axes": ["", ""]}
