"""Disagreements of a log: how far search and humans differ, how often in which way."""

import pandas as pd
import plotly.graph_objects as go

from analysis.disagreements.judged import AGREED, CLASS_LABELS, FINDS, OTHER, STYLE, TRAP
from analysis.plots.colors import GREY, HUMAN, OCHRE, PINK, SEARCH, with_alpha
from analysis.plots.layout import LEGEND_BELOW, figure_of, percent_axis, top_margin
from analysis.plots.traces import TRACE_NAME, bars, estimates

COLORS = {
    FINDS: (SEARCH, ""),
    TRAP: (OCHRE, "/"),
    STYLE: (HUMAN, "."),
    OTHER: (PINK, "x"),
    AGREED: (GREY, ""),
}
"""Colour and pattern of each class."""
_MAX_LINE = 25  # letters of a label on one line


def plot_histogram(bins: pd.DataFrame) -> go.Figure:
    """Share of decisions by divergence, stacked by class; error bars: the interval of each bin."""
    bins = bins.assign(
        middle=(bins["from"] + bins["to"]) / 2,
        total=max(1, int(bins["n"].sum())),
    )
    used = bins.loc[bins["n"] > 0, "to"]
    end = float(used.max()) if len(used) else 1.0
    return figure_of(
        [*(_class_bars(bins, name) for name in COLORS), _all_classes(bins)],
        shows="share of decisions by the divergence of search and humans, by class",
        height=380,
        xaxis={"title": "divergence, bits", "range": [0, end]},
        yaxis=percent_axis("share of decisions", rangemode="tozero"),
        legend={**LEGEND_BELOW, "traceorder": "normal"},
        barmode="stack",
    )


def _class_bars(bins: pd.DataFrame, name: str) -> go.Bar:
    bins = bins.assign(count=bins[f"n_{name}"])
    color, pattern = COLORS[name]
    hover = (
        "%{customdata[0]:.2f} to %{customdata[1]:.2f} bits: %{y:.1%}<br>"
        "%{customdata[2]:,} of %{customdata[3]:,} decisions" + TRACE_NAME
    )
    return bars(
        bins["middle"],
        bins["count"] / bins["total"],
        hover,
        color=with_alpha(color, 0.8),
        data=bins[["from", "to", "count", "total"]],
        marker={"pattern": {"shape": pattern, "solidity": 0.2, "fillmode": "overlay"}},
        name=CLASS_LABELS[name],
        width=0.9 * (bins["to"] - bins["from"]),
    )


def _all_classes(bins: pd.DataFrame) -> go.Scatter:
    hover = (
        "all: %{y:.1%}, 95% %{customdata[1]:.1%} to %{customdata[2]:.1%}<br>"
        "%{customdata[0]:,} decisions"
    )
    points = estimates(
        bins,
        "share",
        bins["middle"],
        hover,
        ["n", "low", "high"],
        along="y",
        marker={"size": 4, "color": GREY},
        name="all, with 95% interval over rounds",
        error_bar={"color": GREY, "thickness": 1.5, "width": 3},
    )
    return points.update(y=bins["share"].where(bins["n"] > 0))


def plot_shares(rows: pd.DataFrame, kind: str) -> go.Figure:
    """Share of decisions of each class, or that each lens finds, with its interval."""
    shown = rows[rows["kind"] == kind].iloc[::-1]
    hover = (
        "%{customdata[0]:,} of %{customdata[1]:,} decisions: %{x:.1%}<br>"
        "95% %{customdata[2]:.1%} to %{customdata[3]:.1%} (bootstrap over rounds)<br>"
        "in %{customdata[4]:,} of %{customdata[5]:,} rounds, 95% %{customdata[6]:.1%} to "
        "%{customdata[7]:.1%} (Clopper–Pearson)"
    )
    colors = [COLORS[name][0] if name in COLORS else HUMAN for name in shown["name"]]
    points = estimates(
        shown,
        "share",
        [_wrapped(label) for label in shown["label"]],
        hover,
        ["n", "of", "low", "high", "rounds", "of_rounds", "round_low", "round_high"],
        mode="markers+text",
        marker={"size": 11, "color": colors},
        text=[f"{n:,}" for n in shown["n"]],
        textposition="top center",
        cliponaxis=False,
        error_bar={"thickness": 2, "width": 6, "color": GREY},
    )
    return figure_of(
        [points],
        shows="share of decisions of each kind, with 95% intervals",
        height=90 + 42 * len(shown),
        xaxis={"title": "share of decisions", "tickformat": ".1~%", "rangemode": "tozero"},
        yaxis={"type": "category", "automargin": True, "range": [-0.5, len(shown) - 0.3]},
        margin=top_margin(20),
        showlegend=False,
    )


def _wrapped(label: str) -> str:
    """A long label on two lines of about one length."""
    if len(label) <= _MAX_LINE:
        return label
    words = label.split()
    half = len(label) / 2
    n_first = min(range(1, len(words)), key=lambda n: abs(len(" ".join(words[:n])) - half))
    return " ".join(words[:n_first]) + "<br>" + " ".join(words[n_first:])
