"""The log in hand: chosen once, and the same on every page that reads a log.

The session holds its name. The bar shows it and changes it; a link that names a log takes it in
hand, and so does a log just imported, generated or played. Until one is taken it is the usual one.
A log that is deleted meanwhile gives way to the usual one, and the reader is told.

| page | what it reads of the log in hand |
| --- | --- |
| Replay | its rounds to open, and its disagreements; a link to a round takes the round's log |
| Play | the drill's exercises, of it alone or of several logs; the log of one's game is taken |
| Style | groups, of it alone or of several logs; the player of the other views |
| Tune | the decisions of a sweep |
| Bids | nils on the curves, of it alone or of several logs; the rounds behind a point or a cell |
| Data | what is in it |

Of several logs (``ui.shared.log_fields.SeveralLogs``) it is one; where it isn't any more, it
replaces them. Logs with another part to play are chosen where they play it: Style's cohort, the log
that a model is measured or trained on (Agents), and that of the bidders compared (Bids).
"""

import streamlit as st

from ui.shared.records import readable_logs

USUAL = "human-south"
_NAME = "log_in_hand"  # session key; no widget's, which Streamlit forgets on other pages


def usual_log() -> str:
    """The log of a reader who has taken none; ``USUAL`` also where there is no log."""
    names = list(readable_logs())
    return USUAL if USUAL in names or not names else names[0]


def log_in_hand() -> str:
    """The log in hand, or the usual one where it is gone."""
    name = named_log()
    return name if name in readable_logs() else usual_log()


def named_log() -> str:
    """The log in hand, which may have been deleted or damaged since it was taken."""
    return str(st.session_state.get(_NAME) or usual_log())


def take_in_hand(name: str) -> None:
    """Make a log the one in hand."""
    if name:
        st.session_state[_NAME] = name


def give_way() -> str:
    """Take the usual log where the one in hand is gone; returns the name of the one that was."""
    name = named_log()
    logs = readable_logs()
    if not logs or name in logs:
        return ""
    st.session_state[_NAME] = usual_log()
    return name
