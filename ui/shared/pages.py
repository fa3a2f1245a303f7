"""The pages: where each is, and what it is for."""

from typing import NamedTuple


class Page(NamedTuple):
    """A page's file, title and Material icon; ``purpose``, of which the page says the first
    sentence and the tour all; ``example``, an address of the page that shows something."""

    file: str
    title: str
    icon: str
    purpose: str
    example: str

    @property
    def address(self) -> str:
        """Where it is, after the server's address."""
        return "/" if self.file == "app.py" else f"/{self.title}"

    @property
    def path(self) -> str:
        """The address at its example."""
        return f"{self.address}?{self.example}"

    @property
    def line(self) -> str:
        return self.purpose.partition(". ")[0].rstrip(".") + "."


PAGES = (
    Page("app.py", "Replay", "playing_cards", (
        "Replay a logged hand and see, for every legal card, how likely a human plays it and how "
        "often the search chose it. Step with the buttons under the table or the arrow keys. The "
        "blue bar is the human's probability, the orange one the share of the search's visits. "
        "● was played, ★ is the search's choice. The verdict says what that is worth in points."
    ), "hand=bug-report-335&ply=24"),
    Page("pages/11_Play.py", "Play", "stadia_controller", (
        "Take a seat against any agents, and look at your own hands afterwards. Cards by click, "
        "touch or keyboard: 1 to 9 and the arrows choose, Enter plays."
    ), "left=srp%2Bbis&partner=srp%2Bbis&right=srp%2Bbis"),
    Page("pages/14_Studies.py", "Studies", "groups", (
        "Have people play the deals that you choose. You get a link for participants, their "
        "progress, and all data as one ZIP with a codebook."
    ), "owner="),
    Page("pages/13_Drill.py", "Drill", "exercise", (
        "Which card? Answer positions from logs: your own costly ones, or those where humans go "
        "wrong. Many searches decide what is right; what you miss comes back, spaced by FSRS."
    ), "logs=human-south"),
    Page("pages/3_Playstyle.py", "Playstyle", "bar_chart", (
        "What kinds of cards people and bots play, and how far apart two groups are (KL "
        "divergence). A bar leads to the hands behind it."
    ), "style_logs=human-south&style_classes=68"),
    Page("pages/4_Tuning.py", "Tuning", "tune", (
        "How strongly a human model should bias the search: one decision at every strength on the "
        "ladder, human-likeness against games won on the frontier."
    ), "view=frontier"),
    Page("pages/5_Nil.py", "Nil", "exposure_zero", (
        "How often nils are made, by the hand's value and the bids before. *A hand* computes the "
        "chance of your own."
    ), "view=hand&hand=J52.9643.Q.K9543&previous=3,3"),
    Page("pages/6_Bidding.py", "Bidding", "gavel", (
        "What five bidders and the simulated human bid on a hand, why, and what each bid scores "
        "when it is played out."
    ), "bid_hand=5432.32.5432.432&bid_previous=3,3"),
    Page("pages/7_Arena.py", "Arena", "trophy", (
        "Agents against each other on the same deals, with intervals. Play a match of your own."
    ), "chart=points"),
    Page("pages/8_Models.py", "Models", "psychology", (
        "The models of human play compared. Train one on a log of yours."
    ), "view=one"),
    Page("pages/12_Players.py", "Players", "person_search", (
        "What a log says of one player: rates against a cohort, a model of its own, who played a "
        "seat, whom it plays like. A saved model plays as an agent."
    ), "log=human-south&player=human"),
    Page("pages/10_Papers.py", "Papers", "article", (
        "Every table and figure of the five papers beside ours, with intervals and a verdict. A "
        "bar opens its figure."
    ), "figure=devlin-table1"),
    Page("pages/9_Data.py", "Data", "database", (
        "Your own logs come in here, in any of the usual notations. A single hand goes straight "
        "into Replay: *Open a hand*."
    ), "log=human-south"),
)  # fmt: skip


def page_of(title: str) -> Page:
    return next(page for page in PAGES if page.title == title)
