"""The command ``suite``: an agent asked positions whose best cards are known."""

import argparse
from pathlib import Path

from analysis.runs.command import add_cluster_options, on_cluster, say
from analysis.suites import run as suites
from analysis.suites.junit import junit_xml
from analysis.suites.run import SEEDS, PositionResult, SuitePlan, SuiteResult, ThemeResult
from analysis.suites.suite import read_suite, suite_names
from analysis.text_tables import span, text_table
from spades.cli.answer import DONE, FAILED, Answer, refused_rows, report_refused
from spades.cli.arguments import AGENT, add_number, add_seed
from spades.core.errors import SpadesError
from spades.core.paths import replacing

EACH = 0.5  # of a position's seeds: a test case of JUnit passes from here on
MOST_LISTED = 20


def add_suite(parser: argparse.ArgumentParser) -> None:
    """Ask an agent the positions of a suite, each with several seeds, and say how often it plays a
    card that is known to be right. A suite is a file of JSON Lines; docs/suites.md says what a line
    holds. Exit status 3 where less was passed than required. Resumable: interrupt it at any moment,
    and the same command continues."""
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help=f"a suite, or a shipped one's name: {', '.join(suite_names())}",
    )
    parser.add_argument("--agent", required=True, metavar="SPEC", help=f"who is asked, {AGENT}")
    seeds = f"seeds a position, {SEEDS} by default"
    add_number(parser, "--seeds", seeds, default=SEEDS)
    add_seed(parser)
    rate = "exit with status 3 where a smaller share, 0 to 1, was passed of all"
    each = "the same where a smaller share was passed of any position"
    add_number(parser, "--require", rate, unit="RATE", kind=float)
    add_number(parser, "--require-each", each, unit="RATE", kind=float)
    parser.add_argument(
        "--junit",
        type=Path,
        metavar="FILE.xml",
        help="write JUnit XML; a test case is a position, and fails below --require-each, by "
        f"default {EACH:g}",
    )
    add_cluster_options(parser)


def run_suite(options: argparse.Namespace) -> Answer:
    for name in ("require", "require_each"):
        rate = getattr(options, name)
        if rate is not None and not 0 <= rate <= 1:
            raise SpadesError(f"--{name.replace('_', '-')} is {rate:g}; 0 to 1 are legal")
    suite = read_suite(options.file)
    if suite.refused:
        report_refused(refused_rows(options.file, suite.refused))
        n_refused = len(suite.refused)
        are = "is no position" if n_refused == 1 else "are no positions"
        raise SpadesError(f"{options.file.name}: {n_refused:,} of its lines {are}")
    plan = SuitePlan(suite, options.agent, options.seed, options.seeds)
    result = on_cluster(suites.run_suite, plan, options=options)
    if options.junit is not None:
        each = EACH if options.require_each is None else options.require_each
        _write(junit_xml(result, each), options.junit)
    status = FAILED if _falls_short(result, options) else DONE
    return Answer(result.document(), lambda _: suite_text(result), status)


def _falls_short(result: SuiteResult, options: argparse.Namespace) -> bool:
    """Whether less was passed than required; says what."""
    is_short = False
    if options.require is not None and result.rate < options.require:
        say(f"{result.rate:.1%} passed of all; {options.require:.1%} are required")
        is_short = True
    if options.require_each is not None:
        failing = result.below(options.require_each)
        if failing:
            names = ", ".join(failed.id for failed in failing[:MOST_LISTED])
            more = "" if len(failing) <= MOST_LISTED else " ..."
            required = f"{options.require_each:.1%} are required of each"
            noun = "position" if len(failing) == 1 else "positions"
            say(f"{len(failing)} {noun} passed too rarely, {required}: {names}{more}")
            is_short = True
    return is_short


def _write(text: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    say(f"written to {path}")


def suite_text(result: SuiteResult) -> str:
    """The result for people: by theme, then the positions that weren't passed with every seed."""
    total = result.total
    lines = [
        f"{result.name}: {len(result.positions)} positions, {result.n_seeds} seeds each from "
        f"{result.seed}, {result.agent}",
        f"{_share(total)} passed; intervals of 95%, over seeds",
        "",
    ]
    rows = [["", "theme", "positions", "passed", "rate", "95%"]]
    for theme in [*result.themes, total]:
        passed = f"{theme.passed:,} of {theme.of:,}"
        interval = span(theme.interval, ".1%")
        rows.append(["", theme.theme, str(theme.positions), passed, f"{theme.rate:.1%}", interval])
    lines += text_table(rows)
    failed = result.below(1.0)
    if failed:
        lines += ["", *text_table(_position_rows(failed))]
    n_whole = len(result.positions) - len(failed)
    lines += ["", f"{n_whole} of {len(result.positions)} positions passed with every seed"]
    return "\n".join(lines)


def _share(total: ThemeResult) -> str:
    return f"{total.rate:.1%} ({total.passed:,} of {total.of:,}; {span(total.interval, '.1%')})"


def _position_rows(results: list[PositionResult]) -> list[list[str]]:
    """A row a position: how often passed, what was chosen, what is best."""
    rows = [["", "position", "passed", "rate", "95%", "best", "chosen"]]
    for result in results:
        chosen = ", ".join(f"{card} {n}" for card, n in result.chosen.items())
        rows.append(
            [
                "",
                result.id,
                f"{result.passed} of {result.of}",
                f"{result.rate:.1%}",
                span(result.interval, ".1%"),
                " ".join(result.position.best),
                chosen,
            ]
        )
    return rows
