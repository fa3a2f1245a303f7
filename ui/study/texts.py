"""A study's texts as its participants see them: Markdown that loads nothing from elsewhere.

Participants and the server's owner need not trust the author of a study. An image would tell its
server who reads the text, and when; so images become links, which load nothing until they are
followed, and HTML is shown as text.
"""

import re
from collections.abc import Mapping
from typing import Any

import streamlit as st

_BREAK = "\u200b"  # invisible, and breaks up Markdown's marks
_IMAGE_OR_TAG = re.compile(r"!(?=\[)|<(?=[A-Za-z/!?])")


def plain_markdown(text: str) -> str:
    """Markdown without images and HTML.

    >>> plain_markdown("**Read** ![this](https://x.org/i.png)") == (
    ...     "**Read** !\\u200b[this](https://x.org/i.png)"
    ... )
    True
    """
    return _IMAGE_OR_TAG.sub(rf"\g<0>{_BREAK}", text)


def show_text(text: str) -> None:
    st.markdown(plain_markdown(text))


def plain_question(question: Mapping[str, Any]) -> dict[str, Any]:
    """A question whose shown texts have no images and HTML; its options, which are stored as
    answers, stay as they are."""
    shown = dict(question)
    shown["ask"] = plain_markdown(question["ask"])
    shown["ends"] = [plain_markdown(str(end)) for end in question["ends"]]
    return shown
