"""``spades study``: a study made, looked at and exported from the command line."""

import json
import zipfile

import pytest

from spades.cli.main import main
from spades.tables import LiveTables
from spades.tables.studies import DONE, StudyStore
from tests.tables.study_texts import SMALL, take_part


@pytest.fixture(autouse=True)
def own_games(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_GAMES", str(tmp_path / "games"))


def run(capsys, *options):
    assert main(["study", *options, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_from_a_file_to_a_zip(tmp_path, capsys):
    (tmp_path / "study.toml").write_text(SMALL)
    url = "https://example.org/lab/"
    made = run(capsys, "new", f"{tmp_path}/study.toml", "--url", url, "--links", "2")
    owner, links = made["owner"], made["single links"]
    assert made["link"].startswith("https://example.org/lab/Study?study=")
    assert made["progress"] == f"https://example.org/lab/Data?view=studies&owner={owner}"
    store = StudyStore()
    token = links[0].partition("token=")[2]
    take_part(store, LiveTables(store.tables), token)
    rows = run(capsys, "status", owner)["participants"]
    assert [(row["participant"], row["step"], row["rounds"]) for row in rows] == [
        ("P01", DONE, 3), ("P02", "consent", 0),
    ]  # fmt: skip
    assert rows[0]["begun"].startswith("20")
    assert main(["study", "status", owner]) == 0
    assert "participants: P01, done, 3, 20" in capsys.readouterr().out
    out = tmp_path / "data.zip"
    assert run(capsys, "export", owner, "--out", str(out))["written"] == str(out)
    assert "plays.parquet" in zipfile.ZipFile(out).namelist()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["status", "guessed"], "no study has this link"),
        (["export", "guessed"], "no study has this link"),
        (["new", "missing.toml"], "missing.toml"),
    ],
)
def test_refusals(options, error, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["study", *options]) == 1
    assert error in capsys.readouterr().err
    assert not list(tmp_path.glob("*.zip"))


def test_a_wrong_study_is_refused(tmp_path, capsys):
    (tmp_path / "study.toml").write_text(SMALL.replace("seed = 7", "seed = -9"))
    assert main(["study", "new", f"{tmp_path}/study.toml"]) == 1
    assert "games[1]: seed is -9" in capsys.readouterr().err
