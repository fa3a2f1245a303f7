"""What the wheel holds; everything else about the package is in ``pyproject.toml``.

In the wheel everything lies inside the package ``spades``. No name as general as ``analysis`` or
``ui`` is installed, so a file of the user's with that name hides nothing and is hidden by nothing:

    checkout                                             wheel
    analysis/                                            spades/analysis/
    data/                                                spades/data/
    app.py, pages/, ui/, .streamlit/, docs/glossary.md   spades/dashboard/

``from analysis.intervals import ...`` becomes ``from spades.analysis.intervals import ...`` on the
way, and likewise in the names of modules that are imported later. ``spades dashboard`` runs the
server in ``spades/dashboard``, where it finds ``pages`` and ``ui`` under their own names.
"""

import re
import shutil
import sys
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
DATA_FOLDERS = (
    "beliefs",
    "corpora",
    "disagreements",
    "hands",
    "league",
    "logs",
    "models",
    "papers",
    "players",
    "studies",
    "suites",
    "sweeps",
    "tables",
)
PLACES = {
    "analysis": "analysis",
    "app.py": "dashboard/app.py",
    "pages": "dashboard/pages",
    "ui": "dashboard/ui",
    ".streamlit/config.toml": "dashboard/.streamlit/config.toml",
    "docs/glossary.md": "dashboard/docs/glossary.md",
    **{f"data/{folder}": f"data/{folder}" for folder in DATA_FOLDERS},
}
"""Paths in the checkout, and where the wheel has them below ``spades``."""

NAME_OF_ANALYSIS = re.compile(
    r"""
    (?<=from[ ])  analysis  (?=[.\w]*[ ]import[ ])   # from analysis.x import ...
    | (?<=["'])   analysis  (?=(\.\w+)+["'])         # import_module("analysis.x")
    | (?<=-m[ ])  analysis  (?=\.)                   # python -m analysis.x
    """,
    re.VERBOSE,
)
LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*")  # hidden: what is half written, in logs


class BuildInsideSpades(build_py):
    """Builds ``spades`` and puts the rest of the checkout into it."""

    def run(self) -> None:
        if self.editable_mode:  # the checkout is used as it lies
            super().run()
            return
        shutil.rmtree(self.build_lib, ignore_errors=True)  # it may hold files since removed
        super().run()
        package = Path(self.build_lib) / "spades"
        for source, place in PLACES.items():
            copy(ROOT / source, package / place)
        for module in package.rglob("*.py"):
            text = module.read_text(encoding="utf-8")
            module.write_text(NAME_OF_ANALYSIS.sub("spades.analysis", text), encoding="utf-8")


def copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=LEFT_OUT)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def packages() -> list[str]:
    rooms = ["spades*"]
    if "editable_wheel" in sys.argv:
        rooms += ["analysis*", "experiments*", "ui*"]
    return find_packages(include=rooms)


setup(packages=packages(), cmdclass={"build_py": BuildInsideSpades})
