"""The player that does what a corpus of plays did."""

from dataclasses import dataclass
from typing import ClassVar

from spades.agents.player import Player
from spades.core.observation import Observation
from spades.core.options import option
from spades.human.corpus import CORPORA, DEFAULT_CORPUS, Corpus, load_corpus, suggest


@dataclass(frozen=True)
class CorpusPlayer(Player):
    """No playouts: the card with the highest Q of a corpus, the same card every time."""

    name: ClassVar[str] = "corpus"
    words: ClassVar[str] = "Corpus"
    place: ClassVar[int] = 12
    eager: ClassVar[tuple[str, ...]] = ("loaded",)

    corpus: str = option(DEFAULT_CORPUS, names=CORPORA.names, help="Whose pairs it plays by.")

    @property
    def corpus_name(self) -> str | None:
        return self.corpus

    @property
    def loaded(self) -> Corpus:
        return load_corpus(self.corpus)

    def choose(self, observation: Observation, seed: int) -> int:
        return suggest(self.loaded, observation).best
