"""The bench of tuning: what was measured of a bias, and where a setting lies between it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from analysis.plots.colors import CHOSEN, GREY, HUMAN, SEARCH, with_alpha
from analysis.plots.layout import CLICKABLE, Options, add_horizontal_line, figure_of, percent_axis
from analysis.plots.sweeps import setting_hover
from analysis.plots.traces import UNFADED, dots, error_bars, text_labels
from analysis.sweeps import views
from analysis.sweeps.sweep import DIRECT, NONE
from spades.look.tokens import SIZES, mix

_HEIGHT = 316
_ROOM = 0.12  # the margin on either side, as a share of the values' range
_STAR = 15  # pixels
_NATS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


def plot_bench(
    table: pd.DataFrame,
    point: Mapping[str, tuple[float, float, float]],
    *,
    technique: str,
    model: str,
    measures: tuple[views.Measure, views.Measure],
    is_measured: bool,
) -> go.Figure:
    """Games won against how human each measured setting plays, and the setting in hand.

    ``table``: of ``views.view_table``, all settings that were measured alike; those of a
    ``technique`` with a ``model`` are coloured, the others grey. ``point``: value and ends of the
    interval of the setting in hand, by the measures' names; empty where they aren't known.
    ``measures``: the one along x, further right being more human, and the one that colours marks.
    ``customdata`` of a mark is its setting's key."""
    measure, colored = measures
    table = table.dropna(subset=[measure.name, "win_rate"])
    is_own = (table["technique"] == technique) & (table["model"] == model)
    is_model = (table["technique"] == DIRECT) & (table["model"] == model)
    is_unbiased = table["technique"] == NONE
    named = is_own | is_model | is_unbiased
    traces = [
        *_others(table[~named], measure),
        _own(table[named], measure, colored),
        _names(table[is_model | is_unbiased], measure),
    ]
    if measure.name in point:
        traces.append(_point(point, measure, is_filled=is_measured))
    framed = table[is_own | is_unbiased]
    figure = figure_of(
        traces,
        shows=f"games won against {measure.label} of each measured setting, and the one in hand",
        height=_HEIGHT,
        xaxis=_closeness_axis(measure, [*framed[measure.name], *point.get(measure.name, ())[:1]]),
        yaxis=percent_axis(
            views.WIN_RATE.axis,
            range=_range([*_ends(framed, "win_rate"), *point.get("win_rate", ())[:1]]),
        ),
        showlegend=False,
        **CLICKABLE,
    )
    add_horizontal_line(figure, 0.5)
    recommended = table[is_own & (table["paper"] != "")].drop_duplicates("paper")
    for row in recommended.to_dict("records"):
        _add_paper(figure, row, measure)
    return figure


def _add_paper(figure: go.Figure, row: Mapping[str, Any], measure: views.Measure) -> None:
    """The name of the paper that recommends a setting, with a line to its mark."""
    x = row[measure.name]
    figure.add_annotation(
        x=x if measure.form.endswith("%") else math.log10(x),
        y=row["win_rate"],
        text=row["paper"],
        ax=0,
        ay=-58,
        arrowhead=0,
        arrowwidth=1,
        arrowcolor=GREY,
    )


def _closeness_axis(measure: views.Measure, values: Sequence[float]) -> Options:
    """More human to the right; nats by their logarithm, since settings near 0 matter most."""
    title = {"title": f"{measure.axis} · more human →"}
    if measure.form.endswith("%"):
        return title | {"tickformat": ".0%", "range": _range(values)}
    least, most = _range(list(map(math.log10, values)))
    ticks = [tick for tick in _NATS if least <= math.log10(tick) <= most]
    return title | {"type": "log", "range": [most, least], "tickvals": ticks, "ticktext": ticks}


def _range(values: Sequence[float]) -> list[float]:
    """Of an axis, which stays where it is while the point moves among what was measured."""
    room = _ROOM * (max(values) - min(values))
    return [min(values) - room, max(values) + room]


def _ends(rows: pd.DataFrame, name: str) -> list[float]:
    """Of all intervals, where there are any, and the values."""
    return rows[[name, f"{name}_low", f"{name}_high"]].stack().dropna().tolist()


def _others(rows: pd.DataFrame, measure: views.Measure) -> list[go.Scatter]:
    if rows.empty:
        return []
    marker = {"color": with_alpha(GREY, 0.35), "size": 6}
    return [_marks(rows, measure, marker=marker, name="other settings")]


def _own(rows: pd.DataFrame, measure: views.Measure, colored: views.Measure) -> go.Scatter:
    colors = _colors(rows[colored.name], is_reversed=not colored.more_is_better)
    symbols = ["star" if technique == NONE else "circle" for technique in rows["technique"]]
    sizes = [_STAR if technique == NONE else 10 for technique in rows["technique"]]
    thin = {"color": with_alpha(GREY, 0.35), "thickness": 1, "width": 0}
    ends = {}
    for axis, name in (("error_x", measure.name), ("error_y", "win_rate")):
        value = rows[name]
        low = rows[f"{name}_low"].fillna(value)
        high = rows[f"{name}_high"].fillna(value)
        ends[axis] = error_bars(value, low, high, **thin)
    marker = {"color": colors, "size": sizes, "symbol": symbols}
    return _marks(rows, measure, marker=marker, name="measured", **ends)


def _colors(values: pd.Series, *, is_reversed: bool) -> list[str]:
    """From the search's colour to the human's, the more human the nearer to that."""
    span = float(values.max() - values.min()) or 1.0
    shares = ((values - values.min()) / span).fillna(0.0)
    return [mix(SEARCH, HUMAN, 1 - share if is_reversed else share) for share in shares]


def _marks(rows: pd.DataFrame, measure: views.Measure, **trace: Any) -> go.Scatter:
    return dots(
        rows[measure.name],
        rows["win_rate"],
        "%{hovertext}",
        data=[[key] for key in rows["key"]],
        hovertext=[setting_hover(row, measure) for row in rows.to_dict("records")],
        **trace,
        **UNFADED,
    )


def _names(rows: pd.DataFrame, measure: views.Measure) -> go.Scatter:
    known = {NONE: "unbiased", DIRECT: "the model alone"}
    names = [known[technique] for technique in rows["technique"]]
    places = (rows[measure.name], rows["win_rate"])
    return text_labels(*places, names, "bottom center", SIZES[0], beside=_STAR)


def _point(
    point: Mapping[str, tuple[float, float, float]], measure: views.Measure, *, is_filled: bool
) -> go.Scatter:
    x, *x_ends = point[measure.name]
    y, *y_ends = point["win_rate"]
    bar = {"color": with_alpha(CHOSEN, 0.7), "thickness": 1.5, "width": 0}
    how = "measured" if is_filled else "estimated"
    return dots(
        [x],
        [y],
        f"<b>the setting in hand, {how}</b><br>%{{x:{measure.form}}}, wins %{{y:.1%}}",
        error_x=error_bars([x], x_ends[:1], x_ends[1:], **bar),
        error_y=error_bars([y], y_ends[:1], y_ends[1:], **bar),
        marker={
            "color": CHOSEN,
            "size": 17,
            "symbol": "circle" if is_filled else "circle-open",
            "line": {"width": 3},
        },
        name="the setting in hand",
        **UNFADED,
    )
