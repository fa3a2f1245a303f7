"""What is written of agents' options is what they declare."""

from experiments.fingerprint_agents import unprobed_options
from spades.agents import BIDDERS, PLAYERS
from spades.agents.document import DOCUMENT, option_rows, with_tables
from spades.core.options import options_of


def test_the_document_has_the_tables_of_the_declarations():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert with_tables(text) == text, "python -m spades.agents.document makes them anew"


def test_every_option_says_what_it_is_and_what_is_legal():
    for kind in (*PLAYERS.values(), *BIDDERS.values()):
        for option in options_of(kind).values():
            assert option.help, f"{kind.__name__} doesn't say what {option.name} is"
            assert option.is_legal(option.default)
        for row in option_rows(kind):
            assert row.legal


def test_every_option_is_probed():
    assert unprobed_options() == [], "a new option gets a probe in its class"
