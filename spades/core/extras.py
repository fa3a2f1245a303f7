"""Packages that the library does without, and the extra of the installation that brings them."""

from spades.core.errors import SpadesError

PROJECT = "spades-decision-lab"
EXTRA_OF_PACKAGE = {
    "pettingzoo": "adapters",
    "pyspiel": "adapters",
    "anywidget": "notebook",
    "dask": "cluster",
    "distributed": "cluster",
    "fsrs": "dashboard",
    "pandas": "dashboard",
    "plotly": "dashboard",
    "sklearn": "dashboard",
    "streamlit": "dashboard",
    "torch": "train",
    "traitlets": "notebook",
}


class MissingExtraError(SpadesError):
    """Something asked for needs a package that is not installed; the message says how to get it."""


def explain_missing(error: ModuleNotFoundError, extra: str = "") -> MissingExtraError:
    """The error to show for a failed import; ``error`` itself is raised if no extra brings it.
    ``extra``: the one to name where several bring the package."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRA_OF_PACKAGE:
        raise error
    extra = extra or EXTRA_OF_PACKAGE[package]
    return MissingExtraError(f"{package} is not installed: pip install '{PROJECT}[{extra}]'")
