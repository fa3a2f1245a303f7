"""``spades agents``: what an agent can be."""

from spades.agents import BIDDERS, PLAYERS
from spades.cli.answer import DONE, REFUSED
from spades.cli.main import main
from tests.cli.test_records import run_json


def test_players_and_bidders_are_listed(capsys):
    assert main(["agents"]) == DONE
    text = capsys.readouterr().out
    assert all(f"\n{name} " in text for name in (*PLAYERS, *BIDDERS))
    assert "\nexternal:cmd=NAME " in text
    assert "\npy:module.Name " in text


def test_options_are_listed_by_their_declarations(capsys):
    status, document = run_json(capsys, "agents", "ismcts")
    assert status == DONE
    (agent,) = document["players"]
    (option,) = [one for one in agent["options"] if one["name"] == "c_bt"]
    assert option["legal"] == "0 to 1,000,000 rewards"
    assert option["default"] == "0.03"
    assert "With bias=knowledge." in option["what"]
    assert main(["agents", "human"]) == DONE
    text = capsys.readouterr().out
    assert "player human: " in text
    assert "bidder human: " in text
    assert main(["agents", "random"]) == DONE
    assert "No options." in capsys.readouterr().out


def test_an_unknown_name_is_refused(capsys):
    assert main(["agents", "deep-blue"]) == REFUSED
    assert "no player or bidder is 'deep-blue'; there are random, ismcts" in capsys.readouterr().err
