"""What CONTRIBUTING promises of security names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def rows():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text.partition("## Threat model")[2].partition("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("| ")][2:]


def test_each_promise_names_its_tests():
    assert len(rows()) >= 12
    for row in rows():
        named = re.findall(r"`(tests/[^`]+\.py)`", row)
        assert named, row
        assert all((ROOT / path).exists() for path in named), row
