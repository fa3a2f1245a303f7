"""The list of programs: the one place that a command line comes from."""

import pytest

from spades.agents import UnknownAgentError, parse_agent
from spades.core.programs import ProgramError
from spades.programs import find_program, program_names
from spades.programs.listed import read_programs

GOOD = '[bot]\ncommand = ["python3", "bot.py"]\nversion = "1.0"\n'


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "programs.toml"
    path.write_text(GOOD)
    monkeypatch.setenv("SPADES_PROGRAMS", str(path))
    return path


def test_an_entry(file):
    found = find_program("bot")
    assert found.command == ("python3", "bot.py")
    assert (found.version, found.seconds, found.folder) == ("1.0", 10.0, file.parent)
    assert program_names() == ("bot",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[bot]\nversion = '1'\n", r"\[bot\]: command is \[\]; a list of words"),
        ("[bot]\nversion = '1'\ncommand = 'rm -r /'\n", "command is 'rm -r /'; a list of words"),
        ("[bot]\nversion = '1'\ncommand = ['a', 3]\n", "a list of words"),
        ("[bot]\ncommand = ['a']\n", r"\[bot\]: the version of bot is ''"),
        (GOOD + "shell = true\n", "unknown key 'shell'; command, version, seconds are legal"),
        (GOOD + "seconds = 0\n", "seconds is 0; a number above 0, to 3600, is legal"),
        (GOOD + "seconds = true\n", "seconds is True"),
        ("bot = 3\n", "3 where a table with command, version, seconds is due"),
        ('["a b"]\n', "'a b' is no program's name"),
        ("[bot\n", "no valid TOML"),
    ],
)
def test_what_is_wrong_with_a_list(file, text, told):
    file.write_text(text)
    with pytest.raises(ProgramError, match=told):
        read_programs(file)


def test_an_agent_names_an_entry_and_can_bring_no_command(file, monkeypatch):
    agent = parse_agent("external:cmd=bot+bis")
    assert str(agent) == "external:cmd=bot+bis"
    assert str(parse_agent("external:cmd=bot")) == "external:cmd=bot"
    assert str(parse_agent("external:cmd=bot+human")) == "external:cmd=bot+human"
    assert str(parse_agent("srp+external:cmd=bot")) == "srp+external:cmd=bot"
    for text in (
        "external",
        "external:cmd=python3 bot.py",
        "external:cmd=/bin/sh",
        "external:cmd=",
    ):
        with pytest.raises(UnknownAgentError, match="lists no program"):
            parse_agent(text)
    with pytest.raises(UnknownAgentError):
        parse_agent("external:cmd=bot,command=sh")
    monkeypatch.delenv("SPADES_PROGRAMS")
    with pytest.raises(UnknownAgentError, match="SPADES_PROGRAMS names no file"):
        parse_agent("external:cmd=bot")


def test_a_worker_refuses_another_version(file):
    sent = find_program("bot")
    sent.admit()
    file.write_text(GOOD.replace("1.0", "2.0"))
    with pytest.raises(ProgramError, match=r"has version 2\.0 of bot, not 1\.0"):
        sent.admit()
