"""A suite's result as JUnit XML, which continuous integration reads."""

import re
from xml.etree import ElementTree

from analysis.suites.run import PositionResult, SuiteResult
from analysis.text_tables import span

ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 can't hold, not even escaped."""
REPLACEMENT = "\ufffd"


def junit_xml(result: SuiteResult, least: float) -> str:
    """The document: a test case a position, its class the suite and its first theme; a failure
    where fewer than the share ``least`` of its seeds passed."""
    failing = {failed.id for failed in result.below(least)}
    counts = {
        "tests": str(len(result.positions)),
        "failures": str(len(failing)),
        "errors": "0",
        "skipped": "0",
    }
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": _text(result.name), **counts})
    properties = ElementTree.SubElement(suite, "properties")
    facts = {
        "agent": result.agent,
        "seed": str(result.seed),
        "seeds": str(result.n_seeds),
        "rate": f"{result.rate:.4f}",
    }
    for name, value in facts.items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": _text(value)})
    for position in result.positions:
        _add_case(suite, result.name, position, is_failing=position.id in failing)
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _add_case(
    suite: ElementTree.Element, name: str, result: PositionResult, *, is_failing: bool
) -> None:
    theme = result.position.themes[0]
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {"classname": _text(f"{name}.{theme}"), "name": _text(result.id)},
    )
    if is_failing:
        failure = ElementTree.SubElement(
            case, "failure", {"type": "wrong card", "message": _text(summary(result))}
        )
        failure.text = _text("\n".join(_details(result)))
    else:
        output = ElementTree.SubElement(case, "system-out")
        output.text = _text(summary(result))


def summary(result: PositionResult) -> str:
    """``passed with 3 of 10 seeds (95%: 6.7% to 65.2%): C7 7, CQ 3; best CQ``."""
    position = result.position
    chosen = ", ".join(f"{card} {n}" for card, n in result.chosen.items())
    best = " ".join(position.best)
    return (
        f"passed with {result.passed} of {result.of} seeds (95%: {span(result.interval, '.1%')}): "
        f"{chosen}; best {best}"
    )


def _details(result: PositionResult) -> list[str]:
    position = result.position
    lines = [position.observation.text()]
    for name, cards in (("acceptable", position.acceptable), ("wrong", position.wrong)):
        if cards:
            lines.append(f"{name}: {' '.join(cards)}")
    if position.reason:
        lines.append(position.reason)
    return lines


def _text(text: str) -> str:
    """A text as XML can hold it; what has to be escaped is when it is written."""
    return ILLEGAL.sub(REPLACEMENT, text)
