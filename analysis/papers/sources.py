"""The five papers: who wrote what, and where it is found."""

from typing import NamedTuple

from analysis.papers.figures import BAIER, COHENSIUS, DEVLIN, DOBRE, WHITEHOUSE


class Source(NamedTuple):
    """A publication. ``doi``: its digital object identifier."""

    authors: str
    title: str
    where: str
    doi: str

    @property
    def link(self) -> str:
        return f"https://doi.org/{self.doi}"

    def markdown(self) -> str:
        """The reference in a line, with its link."""
        return f"{self.authors}: *{self.title}*. {self.where}, [doi {self.doi}]({self.link})."


SOURCES = {
    WHITEHOUSE: Source(
        "Daniel Whitehouse, Peter I. Cowling, Edward J. Powley, Jeff Rollason",
        "Integrating Monte Carlo tree search with knowledge-based methods to create engaging play "
        "in a commercial mobile game",
        "AIIDE 2013",
        "10.1609/aiide.v9i1.12679",
    ),
    DEVLIN: Source(
        "Sam Devlin, Anastasija Anspoka, Nick Sephton, Peter I. Cowling, Jeff Rollason",
        "Combining gameplay data with Monte Carlo tree search to emulate human play",
        "AIIDE 2016",
        "10.1609/aiide.v12i1.12858",
    ),
    BAIER: Source(
        "Hendrik Baier, Adam Sattaur, Edward J. Powley, Sam Devlin, Jeff Rollason, "
        "Peter I. Cowling",
        "Emulating human play in a leading mobile card game",
        "IEEE Transactions on Games 2018",
        "10.1109/TG.2018.2835764",
    ),
    DOBRE: Source(
        "Mihai Dobre, Alex Lascarides",
        "Online learning and mining human play in complex games",
        "IEEE Conference on Computational Intelligence and Games 2015",
        "10.1109/CIG.2015.7317942",
    ),
    COHENSIUS: Source(
        "Gal Cohensius, Reshef Meir, Nadav Oved, Roni Stern",
        "Bidding in Spades",
        "ECAI 2020",
        "10.48550/arXiv.1912.11323",
    ),
}
"""By the names that figures give their papers."""
