"""Which number of points in a reward fits what the papers print: ``data/tables/reward_scale.json``
as tables and a sentence. ``experiments.choose_reward_scale`` makes it and says how it weighs."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import pandas as pd

from spades.core.documents import Document
from spades.core.options import options_of
from spades.core.paths import DATA
from spades.search import SearchSettings

PATH = DATA / "tables" / "reward_scale.json"
ALL_SOURCES = "all together"
NEAR = 0.05
"""Share of draws from which on a scale isn't ruled out."""


@lru_cache(maxsize=1)
def load_choice() -> Document:
    """The shipped table. Not to be changed by its readers."""
    document: Document = json.loads(PATH.read_text(encoding="utf-8"))
    return document


def misfit_table(choice: Document) -> pd.DataFrame:
    """A row for each ``source`` and ``reward_scale``, its ``misfit``; ``ALL_SOURCES`` come last."""
    rows = []
    for source in (*choice["sources"], {"source": ALL_SOURCES, "misfits": choice["misfits"]}):
        rows += [{"source": source["source"], **misfit} for misfit in source["misfits"]]
    return pd.DataFrame(rows)


def evidence_table(choice: Document) -> pd.DataFrame:
    """A row for each published number and scale: ``source``, ``what``, ``reading``, ``unit``,
    ``published``, ``reward_scale``, ``value``, ``low`` and ``high`` (95%), ``n`` and ``z``."""
    rows = []
    for row in choice["rows"]:
        about = {name: row[name] for name in ("source", "what", "reading", "unit", "published")}
        for ours in row["ours"]:
            low, high = ours["interval"]
            measured = {name: ours[name] for name in ("reward_scale", "value")}
            rows.append(
                {**about, **measured, "low": low, "high": high, "n": ours["n"], "z": ours["z"]}
            )
    return pd.DataFrame(rows)


def choice_text(choice: Document) -> str:
    """Which scale was chosen and why, what each source would have, how far it hangs on one."""
    chosen = choice["chosen"]
    best = choice["best"]
    draws = {row["reward_scale"]: row["share"] for row in choice["draws"]}
    near = [scale for scale, share in draws.items() if share >= NEAR]
    far = [scale for scale in draws if scale not in near]
    stays = " stay" if chosen == choice["standing"] else ""
    shares = listed([f"{draws[scale]:.0%}" for scale in near])
    text = (
        f"**{chosen} points in a reward{stays}.** {listed(near)} fit all that the papers print: "
        f"best in {shares} of draws within our errors."
    )
    if far:
        text += f" {listed(far)} fit worse."
    alone = "; ".join(f"{source['source']} {source['best']}" for source in choice["sources"])
    text += f" Alone, each source would have: {alone}."
    without = [
        f"{source['without']['best']} without {source['source']}"
        for source in choice["sources"]
        if source["without"]["best"] != best
    ]
    if without:
        return f"{text} All together have {best}; it would be {', '.join(without)}."
    return f"{text} All together have {best}, without any one of them too."


def listed(items: Sequence[Any]) -> str:
    """``25, 50 and 100``."""
    *most, last = map(str, items)
    return f"{', '.join(most)} and {last}" if most else last


def chosen_text(choice: Document) -> str:
    """A note that says at which reward scale stored results were measured."""
    stored = options_of(SearchSettings)["reward_scale"].default
    chosen = choice["chosen"]
    verdict = "it stays" if chosen == stored else f"{chosen} fit better"
    return (
        "The papers don't say how many points make one reward of the search. What is shown here "
        f"was measured at {stored:g}, as ismcts has it; by all that they do print {verdict}."
    )
