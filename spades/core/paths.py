"""Where the shipped data lie."""

from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "data"
