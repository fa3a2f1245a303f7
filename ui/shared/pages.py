"""The pages: where each is, and what it is for."""

from typing import NamedTuple


class Page(NamedTuple):
    """A page's file, title and Material icon; ``purpose``, of which the page says the first
    sentence and the palette finds all; ``example``, an address of the page that shows something."""

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
        "● was played, ★ is the search's choice, ✓ the judge's best. The headline says what the "
        "card played costs."
    ), "hand=north-nil&ply=20"),
    Page("pages/11_Play.py", "Play", "stadia_controller", (
        "Take a seat against any agents, and look at your own hands afterwards. Cards by click, "
        "touch or keyboard: 1 to 9 and the arrows choose, Enter plays. *Drill* asks for a card in "
        "positions from logs: your own costly ones, or those where humans go wrong. The judge "
        "decides what is right; what you miss comes back, spaced by FSRS."
    ), "left=srp%2Bbis&partner=srp%2Bbis&right=srp%2Bbis"),
    Page("pages/3_Style.py", "Style", "bar_chart", (
        "What kinds of cards people and bots play, and how far apart two groups are (KL "
        "divergence). A bar leads to the hands behind it. Of one player: rates against a cohort, a "
        "model that also plays as an agent, who played a seat, whom it plays like."
    ), "logs=human-south&classes=68"),
    Page("pages/4_Tune.py", "Tune", "tune", (
        "How strongly a human model should bias the search: human-likeness against games won. One "
        "decision at every strength, sweeps of your own, and the match that proves it."
    ), "c_bt=0.05"),
    Page("pages/5_Bids.py", "Bids", "gavel", (
        "What five bidders and the simulated human bid on a hand, why, and what each bid scores "
        "when it is played out; its chance of nil. How often nils are made, by the hand's value "
        "and the bids before."
    ), "hand=5432.32.5432.432&previous=3,3"),
    Page("pages/7_Agents.py", "Agents", "trophy", (
        "Agents against each other on the same deals, with intervals. What the best is made of, "
        "how far judges are right. The models of human play compared; train one on a log of yours."
    ), "chart=wins"),
    Page("pages/10_Papers.py", "Papers", "article", (
        "Every table and figure of the five papers beside ours, with intervals and a verdict. A "
        "bar opens its figure."
    ), "figure=devlin-table1"),
    Page("pages/9_Data.py", "Data", "database", (
        "Your own logs come in here, in any of the usual notations. A single hand goes straight "
        "into Replay: *Open a hand*. *Studies* has people play the deals that you choose: links "
        "for participants, their progress, all data as one ZIP with a codebook."
    ), "log=human-south"),
)  # fmt: skip


def page_of(title: str) -> Page:
    return next(page for page in PAGES if page.title == title)
