"""Colours that colour-blind readers can tell apart (Okabe and Ito 2008), and chart settings."""

from __future__ import annotations

HUMAN = "#0072B2"
SEARCH = "#D55E00"
QUIET = "#8a928e"
CYCLE = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")


def with_alpha(color: str, alpha: float) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"
