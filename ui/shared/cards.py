"""Cards in texts and tables: hearts and diamonds are red wherever Markdown is shown."""

import re

import pandas as pd
import streamlit as st

_RED_CARD = re.compile("(?:10|[2-9JQKA])?[♥♦]")


def with_red(text: str) -> str:
    """Markdown whose red cards are red: ``:red[K♥]``.

    >>> with_red("K♥ = Q♥ is as good as A♠")
    ':red[K♥] = :red[Q♥] is as good as A♠'
    """
    return _RED_CARD.sub(lambda card: f":red[{card[0]}]", text)


def show_card_table(table: pd.DataFrame, numbers: tuple[str, ...] = ()) -> None:
    """A short table of texts with cards in them; the columns ``numbers`` are aligned as numbers.

    Markdown in cells follows the scheme; a data frame's cells have one colour in both."""
    st.markdown(_as_markdown(table, numbers))


def _as_markdown(table: pd.DataFrame, numbers: tuple[str, ...]) -> str:
    names = list(table.columns)
    lines = [names, ["---:" if name in numbers else ":---" for name in names]]
    lines += [[with_red(cell) for cell in row] for row in table.itertuples(index=False)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
