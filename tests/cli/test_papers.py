"""``spades reproduce`` on what is shipped, and at a scale."""

import json

import pytest

from spades.cli.main import main
from tests.analysis.papers.test_results import KEYS
from tests.results import own_results  # noqa: F401 - a fixture of every test here

ID = "cohensius-table1-5-6"


def rows_of(capsys, *options):
    assert main(["reproduce", *options, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["rows"]


def test_what_is_shipped_is_printed(capsys):
    rows = rows_of(capsys, "cohensius-fig2-7")
    assert {row["id"] for row in rows} == {f"cohensius-fig{i}" for i in range(2, 8)}
    assert all(set(row) >= KEYS for row in rows)
    by_claim = {row["claim"]: row for row in rows if row["id"] == "cohensius-fig5"}
    fitted = by_claim["mean, simulated humans"]
    assert (fitted["kind"], fitted["reading"]) == ("calibrated", "simulated humans")
    assert {row["kind"] for row in rows} == {"number", "direction", "calibrated"}
    assert main(["reproduce", "cohensius-table2"]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    i = next(i for i, line in enumerate(lines) if "BIS against RB, strong player: games" in line)
    assert "raised by 1" in lines[i + 1]
    assert "↳ RB's thresholds of nil raised by 1" in lines[i + 1], "under its main row"
    assert main(["reproduce", ID]) == 0
    assert "table 1, two opponents: largest difference" in capsys.readouterr().out


def test_the_report_is_printed_as_markdown(capsys):
    assert main(["reproduce", ID, "--markdown"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("### Tables 1, 5, 6: side suits")
    assert "| table 1, two opponents: largest difference | 36 figures |" in text


def test_what_is_printed_of_people(capsys):
    rows = rows_of(capsys, "--people")
    by_id = {row["id"]: row for row in rows}
    human = by_id["search"]["populations"]["human"]
    assert (by_id["search"]["published"], human["outcome"]) == ("58.2%", "not met")
    assert human["interval"][0] < human["value"] < human["interval"][1]
    assert main(["reproduce", "--people"]) == 0
    out = capsys.readouterr().out
    assert "48.9% (48.3% to 49.5%)" in out
    assert "`human`, simulated, meets 4 of 34 numbers" in out
    assert "holds: +17.1 pp (+16.5 to +17.7)" in out, "a conclusion"
    assert main(["reproduce", "--people", "--markdown"]) == 0
    report = capsys.readouterr().out
    assert report.startswith("## What the papers print of people")
    assert "## Conclusions about people" in report
    assert main(["reproduce", "baier-table1", "--people"]) == 1
    assert "takes no NAME" in capsys.readouterr().err


def test_outside_a_checkout_nothing_is_made(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("analysis.experiments.CHECKOUT", tmp_path)
    assert main(["reproduce", ID, "--scale", "quick"]) == 1
    assert "this runs in a checkout of the project" in capsys.readouterr().err
    assert main(["bench"]) == 1
    assert "this runs in a checkout of the project" in capsys.readouterr().err


def test_a_figure_is_made_at_a_scale(capsys):
    assert len(rows_of(capsys, ID, "--scale", "quick", "--workers", "1")) == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["nothing"], "no table or figure 'nothing'; legal are whitehouse-fig1a"),
        ([ID, "--scale", "7"], "quick, full or a share of full"),
    ],
)
def test_refusals(options, said, capsys):
    assert main(["reproduce", *options]) == 1
    assert said in capsys.readouterr().err
