"""The pages: where each is, and what it is for."""

from typing import NamedTuple


class Page(NamedTuple):
    """A page's file, title and Material icon; ``purpose``, which the tour tells at ``example``, an
    address of the page."""

    file: str
    title: str
    icon: str
    purpose: str
    example: str = ""


PAGES = (
    Page("app.py", "Replay", "playing_cards", (
        "A logged hand, card by card: step with the buttons under the table or the arrow keys. For "
        "every legal card the blue bar is the probability that a human plays it, the orange one "
        "the share of the search that chose it. ● was played, ★ is the search's choice. The "
        "verdict below says what that is worth in points."
    ), "hand=bug-report-335&ply=24"),
    Page("pages/2_Disagreements.py", "Disagreements", "call_split", (
        "Every decision of a log searched at once, those first where search and human part most. A "
        "row opens it in Replay."
    )),
    Page("pages/3_Playstyle.py", "Playstyle", "bar_chart", (
        "What kinds of cards people and bots play, and how far apart two groups are (KL "
        "divergence). A bar leads to the hands behind it."
    )),
    Page("pages/4_Tuning.py", "Tuning", "tune", (
        "How far a human model should pull the search: one decision at every strength on the "
        "ladder, human-likeness against games won on the frontier."
    )),
    Page("pages/5_Nil.py", "Nil", "exposure_zero", (
        "How often nils are made, by the hand's value and the bids before. Your own hand gets its "
        "chance on *A hand*."
    )),
    Page("pages/6_Bidding.py", "Bidding", "gavel", (
        "What five bidders and the simulated human bid on a hand, why, and what each bid brings "
        "when it is played out."
    )),
    Page("pages/7_Arena.py", "Arena", "trophy", (
        "Agents against each other on the same deals, with intervals. Play a match of your own."
    )),
    Page("pages/8_Models.py", "Models", "psychology", (
        "The models of human play compared; train one on a log of yours."
    )),
    Page("pages/9_Data.py", "Data", "database", (
        "Your own logs come in here, in any of the usual notations. A single hand goes straight "
        "into Replay: *Open a hand*."
    )),
)  # fmt: skip
