"""Agents in words, as people read them: ``Rules (srp) with bis bids``."""

from functools import lru_cache

from spades.agents.agent import parse_agent, usual_bidder
from spades.core.errors import SpadesError
from spades.core.options import format_options


@lru_cache(maxsize=256)
def short_words(text: str) -> str:
    """An agent's player in words, without options; another text unchanged.

    >>> short_words("best+bis"), short_words("Ann")
    ('Strong search', 'Ann')
    """
    try:
        return parse_agent(text).player.words
    except SpadesError:
        return text


@lru_cache(maxsize=256)
def agent_words(text: str) -> str:
    """An agent in words; another text unchanged.

    >>> agent_words("best+bis"), agent_words("ismcts:iterations=2500")
    ('Strong search (best) with bis bids', 'Search (ismcts, iterations 2500)')
    """
    try:
        agent = parse_agent(text)
    except SpadesError:
        return text
    player = agent.player
    words = player.words
    details = [] if player.name in ("human", words) else [player.name]
    options = format_options(player).split(",")
    details += [option.replace("=", " ") for option in options if option]
    if details:
        words += f" ({', '.join(details)})"
    if agent.bidder != usual_bidder(agent.player):
        words += f" with {agent.bidder.text} bids"
    return words
