"""What pyproject.toml can't say: the shipped files of ``data/`` become ``spades/data``."""

from setuptools import find_packages, setup

KINDS = ("beliefs", "corpora", "disagreements", "hands", "league", "logs", "models", "studies",
         "sweeps", "tables")  # fmt: skip
FOLDERS = {f"spades.data.{kind}": f"data/{kind}" for kind in KINDS}

setup(
    packages=[*find_packages(include=["spades*", "analysis*", "benchmarks*"]), *FOLDERS],
    package_dir=FOLDERS,
    package_data={package: ["*"] for package in FOLDERS},
)
