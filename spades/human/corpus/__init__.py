"""Corpora of human play as vectors, and what they suggest (Dobre and Lascarides 2015)."""

from spades.human.corpus.features import decision_features
from spades.human.corpus.files import (
    DEFAULT_CORPUS,
    corpus_names,
    load_corpus,
    read_corpus,
    write_corpus,
)
from spades.human.corpus.pairs import Corpus, CorpusError, build_corpus
from spades.human.corpus.relevance import Suggestions, suggest

__all__ = [
    "DEFAULT_CORPUS",
    "Corpus",
    "CorpusError",
    "Suggestions",
    "build_corpus",
    "corpus_names",
    "decision_features",
    "load_corpus",
    "read_corpus",
    "suggest",
    "write_corpus",
]
