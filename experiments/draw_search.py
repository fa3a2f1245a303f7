"""Draw the pictures of ``docs/principles.md`` from real searches of a shipped hand.

``python -m experiments.draw_search`` writes ``docs/images/search-*.svg``, in some seconds. A test
holds what is stored there to what is drawn anew.
"""

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import spades
from analysis.decisions.decision import PlayDecision
from analysis.runs.command import say
from spades.belief import every_deal
from spades.core.cards import Hand, seat_name
from spades.core.paths import replacing
from spades.human import load_model
from spades.library import HandName
from spades.look import svg
from spades.look.html import Html
from spades.look.tokens import LIGHT
from spades.look.words import pretty
from spades.search import Knowledge, Search, SearchSettings
from spades.search.solver import Solver

FOLDER = Path(__file__).parents[1] / "docs" / "images"
HAND: HandName = "south-nil"
PLY = 40
SEED = 1
BIASED = 20
"""Searches for each strength of a bias."""
CARDS = ("DQ", "SK", "S7")
COLORS = {"DQ": LIGHT["best"], "SK": LIGHT["search"], "S7": LIGHT["human"]}
WIDTH = 680
LEFT = 70
CELL = 38  # as wide as "−108"
RIGHT = 90
TOP = 40
PLOT_HEIGHT = 190


class Axes(NamedTuple):
    """Where a picture's data lie: the range of x and of y, and the plot's bottom in pixels."""

    x_range: tuple[float, float]
    y_range: tuple[float, float]
    bottom: float = TOP + PLOT_HEIGHT

    def place(self, x: float, y: float) -> tuple[float, float]:
        """The pixels of a point."""
        x_low, x_high = self.x_range
        y_low, y_high = self.y_range
        across = (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)
        up = (y - y_low) / (y_high - y_low) * PLOT_HEIGHT
        return LEFT + across, self.bottom - up

    def ticks(self, xs: Mapping[float, str], ys: Mapping[float, str]) -> list[Html]:
        """Labels of both axes, and a fine line at each y."""
        low, high = self.x_range
        parts = []
        for y, text in ys.items():
            ends = [self.place(low, y), self.place(high, y)]
            parts.append(svg.path(ends, LIGHT["line"]))
            x_pixel, y_pixel = ends[0]
            parts.append(svg.words(x_pixel - 8, y_pixel + 4, text, LIGHT["quiet"], anchor="end"))
        for x, text in xs.items():
            x_pixel, y_pixel = self.place(x, self.y_range[0])
            parts.append(svg.words(x_pixel, y_pixel + 20, text, LIGHT["quiet"], anchor="middle"))
        return parts


def caption(text: str) -> Html:
    return svg.words(14, 22, text, size=svg.BODY, bold=True)


def draw_deals(observation: spades.Observation) -> str:
    """Three of the deals that agree with what the seat has seen."""
    deals = every_deal(observation)
    chosen = [0, len(deals) // 2, len(deals) - 1]
    parts: list[str] = [caption(f"Three of the {len(deals)} deals that West can't tell apart")]
    hidden = [seat for seat in range(4) if seat != observation.seat]
    step = (WIDTH - 80) / len(chosen)
    for row, seat in enumerate(hidden):
        y = 40 + row * 64
        parts.append(svg.words(14, y + 32, seat_name(seat)))
        for column, index in enumerate(chosen):
            cards = list(Hand(int(deals[index, seat])))
            parts.append(svg.cards_at(80 + column * step, y, cards))
    return svg.drawing(WIDTH, 40 + 64 * len(hidden), "Three deals", *parts)


def draw_tree(search: Search) -> str:
    """The root's cards, and the replies to the one visited most."""
    rows = search.result().cards
    best = max(rows, key=lambda row: row.visits)
    replies = search.replies(best.card)
    parts: list[str] = [
        caption(f"The upper tree after {search.iterations:,} iterations: visits of availability")
    ]
    top = (WIDTH / 2, 64.0)
    parts.append(svg.words(top[0], top[1] - 8, "West", anchor="middle"))
    edges: list[str] = []
    for i, row in enumerate(rows):
        x = WIDTH * (2 * i + 1) / (2 * len(rows))
        share = row.visits / search.iterations
        edges.append(svg.path([top, (x, 104)], COLORS[row.card], width=1 + 12 * share))
        parts += _node(x, 104, row.card, f"{row.visits:,} of {row.availability:,}")
        if row.card == best.card:
            for k, reply in enumerate(replies):
                place = WIDTH * (2 * k + 1) / (2 * len(replies))
                share = reply.visits / search.iterations
                edges.append(
                    svg.path([(x, 180), (place, 226)], LIGHT["search"], width=1 + 12 * share)
                )
                parts += _node(
                    place, 226, reply.card, f"{reply.visits:,} of {reply.availability:,}"
                )
    parts.append(svg.words(14, 222, "North", LIGHT["quiet"]))
    return svg.drawing(WIDTH, 306, "The upper search tree", *edges, *parts)


def _node(x: float, y: float, card: str, text: str) -> list[Html]:
    return [
        svg.card_at(x - svg.CARD_WIDTH / 2, y, card),
        svg.words(x, y + svg.CARD_HEIGHT + 15, text, size=svg.SMALL, anchor="middle"),
    ]


def draw_bounds(searches: Sequence[Search]) -> str:
    """Mean reward and upper bound of each card of the root, a group a search."""
    settings = searches[0].settings
    parts: list[str] = [caption("Mean reward (dot) and what it may be (to the end of the line)")]
    axes = Axes((0.0, 0.4), (0.0, 1.0))
    rows = [(search, card) for search in searches for card in CARDS]
    for i, (search, name) in enumerate(rows):
        group = i // len(CARDS)
        y = TOP + 38 + i * 27 + 24 * group
        if i % len(CARDS) == 0:
            of = f"{search.iterations:,} iterations"
            parts.append(svg.words(14, y - 20, of, LIGHT["quiet"]))
        row = search.result().row(name)
        mean = row.mean_value / settings.reward_scale
        bound = mean + settings.exploration * math.sqrt(math.log(row.availability) / row.visits)
        start, _ = axes.place(mean, 0)
        end, _ = axes.place(bound, 0)
        color = COLORS[name]
        parts += [
            svg.words(LEFT - 8, y + 5, pretty(name), color, anchor="end", bold=True),
            svg.path([(start, y), (end, y)], color, width=3),
            svg.dot(start, y, 5, color),
            svg.words(end + 8, y + 5, f"{bound:.3f} after {row.visits:,} visits", LIGHT["quiet"]),
        ]
    height = TOP + 12 + len(rows) * 27 + 24 * len(searches)
    return svg.drawing(WIDTH, height, "Bounds of three cards", *parts)


def draw_visits(search: Search) -> str:
    """Shares of the visits as a search goes on, by the logarithm of its iterations."""
    result = search.result()
    first = 100
    axes = Axes((math.log10(first), math.log10(result.iterations)), (0.0, 1.0))
    powers = range(2, int(math.log10(result.iterations)) + 1)
    parts: list[str] = [
        caption("Share of the visits by iterations"),
        *axes.ticks({p: f"{10**p:,}" for p in powers}, {0: "0%", 0.5: "50%", 1: "100%"}),
    ]
    kept = result.checkpoints >= first
    marks = result.checkpoints[kept]
    lines = {}
    for i, row in enumerate(result.cards):
        shares = result.visit_curves[kept, i] / marks
        points = zip(np.log10(marks).tolist(), shares.tolist(), strict=True)
        lines[str(row.card)] = [axes.place(x, share) for x, share in points]
    parts += _named_lines(lines)
    return svg.drawing(WIDTH, TOP + PLOT_HEIGHT + 32, "Visits by iterations", *parts)


def _named_lines(lines: Mapping[str, Sequence[tuple[float, float]]]) -> list[Html]:
    """A line a card, named at its end; names that would lie on one another stand side by side."""
    parts = []
    named: list[float] = []
    for card, places in sorted(lines.items()):
        x, y = places[-1]
        beside = sum(abs(y - other) < 14 for other in named)
        named.append(y)
        parts.append(svg.path(places, COLORS[card], width=2.5))
        parts.append(svg.words(x + 8 + 32 * beside, y + 4, pretty(card), COLORS[card], bold=True))
    return parts


def draw_bias(observation: spades.Observation) -> str:
    """Shares of the visits by the strength of a knowledge bias, means over ``BIASED`` searches."""
    strengths = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
    human = load_model("devlin2016")
    shares: dict[str, list[float]] = {card: [] for card in CARDS}
    for strength in strengths:
        settings = SearchSettings(bias=Knowledge(c_bt=strength, k=1000.0))
        results = [
            spades.search(observation, seed=seed, settings=settings, prior=human)
            for seed in range(BIASED)
        ]
        for card in CARDS:
            visits = sum(result.row(card).visits for result in results)
            shares[card].append(visits / sum(result.iterations for result in results))
    axes = Axes((0.0, strengths[-1]), (0.0, 1.0))
    parts: list[str] = [
        caption(f"Share of the visits of {BIASED} searches by C_BT, the strength of a bias"),
        *axes.ticks({s: f"{s:g}" for s in strengths}, {0: "0%", 0.5: "50%", 1: "100%"}),
    ]
    lines = {}
    for card in CARDS:
        points = zip(strengths, shares[card], strict=True)
        lines[card] = [axes.place(strength, share) for strength, share in points]
    parts += _named_lines(lines)
    return svg.drawing(WIDTH, TOP + PLOT_HEIGHT + 32, "Visits by strength of a bias", *parts)


def draw_solved(record: spades.Record) -> str:
    """The value of each card in every possible deal, solved with open hands."""
    observation = record.observation(PLY)
    deals = every_deal(observation)
    solver = Solver(observation.table)
    values = np.array([list(solver.values(deal).values()) for deal in deals])
    names = [str(card) for card in observation.legal]
    order = np.lexsort(values[:, [names.index(card) for card in reversed(CARDS)]].T)[::-1]
    colors = {92: LIGHT["best"], -17: LIGHT["slip"], -108: LIGHT["mistake"]}
    width = LEFT + CELL * len(deals) + 20
    parts: list[str] = [caption(f"All {len(deals)} deals, solved: points for East and West")]
    for row, card in enumerate(CARDS):
        y = TOP + row * 36
        parts.append(svg.words(LEFT - 8, y + 20, pretty(card), anchor="end", bold=True))
        for column, value in enumerate(values[order, names.index(card)].tolist()):
            x = LEFT + column * CELL
            parts.append(svg.rectangle(x, y, CELL - 2, 30, colors[value], radius=3))
            text = f"{value:+d}".replace("-", "−")
            parts.append(
                svg.words(
                    x + CELL / 2 - 1, y + 19, text, "#ffffff", size=svg.SMALL, anchor="middle"
                )
            )
    return svg.drawing(width, TOP + len(CARDS) * 36 + 6, "Solved deals", *parts)


def draw_decision(decision: PlayDecision) -> str:
    return decision._repr_svg_()


def searched(observation: spades.Observation, iterations: int) -> Search:
    search = Search(observation, seed=SEED, room=iterations)
    search.run(iterations)
    return search


def pictures() -> dict[str, str]:
    """All pictures, as texts by the names of their files."""
    record = spades.shipped(HAND)
    observation = record.observation(PLY)
    standard = searched(observation, 2500)
    return {
        "search-decision.svg": draw_decision(
            spades.analyse(record, PLY, agent="ismcts", seed=SEED)
        ),
        "search-deals.svg": draw_deals(observation),
        "search-tree.svg": draw_tree(standard),
        "search-bounds.svg": draw_bounds([searched(observation, 200), standard]),
        "search-visits.svg": draw_visits(searched(observation, 1_000_000)),
        "search-bias.svg": draw_bias(observation),
        "search-solved.svg": draw_solved(record),
    }


def main() -> None:
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    FOLDER.mkdir(exist_ok=True)
    for name, text in pictures().items():
        with replacing(FOLDER / name) as new:
            new.write_text(text + "\n", encoding="utf-8")
        say(f"{name} is written")


if __name__ == "__main__":
    main()
