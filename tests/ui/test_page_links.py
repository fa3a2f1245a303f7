"""Links to pages as functions: what they say, what is wrong with them, and back."""

from urllib.parse import parse_qsl

import pytest

from spades.bidding import BLIND_NIL
from ui.agents import state as agents
from ui.bids import state as bids
from ui.data import state as data
from ui.disagreements import state as disagreements
from ui.play import state as play
from ui.shared.moved import moved
from ui.style import state as style
from ui.tune import state as tune

PAGES = {
    "Agents": agents.page,
    "Bids": bids.page,
    "Data": data.page,
    "Disagreements": disagreements.page,
    "Play": play.page,
    "Tune": tune.page,
    "Style": style.page,
}
HAND = "AKJ62.AQ.Q.K9543"
# Parameters as links wrote them from the first version on: they must mean the same for ever.
LINKS = [
    ("Arena", "view=match&ns=srp&ew=ismcts:iterations=500+bis&games=90&seed=3&target=200"),
    ("Arena", "floor=-100&nil_only=1&agents=srp|wrp&league=500&match=ab12&turned=1&chart=points"),
    ("Bidding", f"bid_hand={HAND}&bid_previous=1,blind nil,0&bid_score=242,-76&bid_bags=3,9"),
    ("Bidding", "bid_hand=...&bid_rules=target=600,min_bid=4&bid_rounds=500&bid_also=7"),
    ("Bidding", "bid_others=rb&bid_shape=histogram&bid_previous=&bid_lab=kept&bid_first=io"),
    ("Bidding", "bid_lab=kept&bid_lab_rounds=500&bid_log=four-humans"),
    ("Data", "tab=generate&south=srp&count=7&unit=rounds&seed=9&name=mine"),
    ("Data", "log=four-humans"),
    ("Disagreements", "log=four-humans&agent=ismcts:iterations=500&seed=5&model=devlin2016"),
    ("Disagreements", "rounds=7&by=divergence&against=played&bits=0.25&points=40&lens_of=search"),
    ("Disagreements", "tricks=2-9&chart=lens&class=trap,finds&lens=bag&seat=S,W&kind=human"),
    ("Drill", "profile=Ann&logs=four-humans&player=human&lens=bag&phase=early&nil=own,none"),
    ("Models", "view=one&measure=log_loss&model=devlin2016-nil&data=four-humans&rounds=200&seed=7"),
    ("Nil", f"deck=joker-joker-ace&hand={HAND}&previous=4,0&view=surface&threshold=-5"),
    ("Nil", "previous=4,3&compare=3,*|0,2&tables=srp|human&logs=four-humans&kind=bot&at=3,*&bin=3"),
    ("Nil", "value=35&after=2&measure=rate&form=surface&of=human&partner=4&sum=9&heard=2"),
    ("Nil", "scored=human&group=2 previous bids&by=sequences&methods=trees&compare=&tables="),
    ("Play", "seat=E&left=human&partner=best+bis&right=person&rules=nil=50&length=one&name=Ann"),
    ("Play", "hand=log.four-humans.3&rounds=7&rating=1850&since=1999&pace=0&help=1&target=300"),
    ("Playstyle", "style_by=agent&style_groups=random|ismcts:iterations=2500|~none~|a%7Cb"),
    (
        "Playstyle",
        "style_classes=68&style_measure=share&style_errors=interval&style_forced=0&style_bids=0-5",
    ),
    ("Playstyle", "style_from=~none~&style_to=a%7Cb&style_context=turn&style_at=second"),
    ("Playstyle", "style_nil=none|an-opponents&style_partner=yes&style_tricks=1-11"),
    ("Playstyle", "style_logs=four-humans|human-south&style_move=any move&style_bar=Trump"),
]
ALWAYS_WRITTEN = {"log", "logs", "sweep_log", "view"}


def lead(title, link):
    """(page, what its address says) of a link, which may be older than the page."""
    pairs = [part.split("=", 1) for part in link.split("&")]
    address = moved(title, pairs)
    if address is None:
        return PAGES[title], dict(pairs)
    page, _, query = address.partition("?")
    return PAGES[title if page == "./" else page], dict(parse_qsl(query, keep_blank_values=True))


@pytest.mark.parametrize(("title", "link"), LINKS)
def test_link_is_read_and_written_back(title, link):
    page, query = lead(title, link)
    values, complaints = page.parse(query)
    assert complaints == []
    if "view" in query and query["view"] == page.fields["view"].default:
        del query["view"]
    written = page.format(values)
    for name in ALWAYS_WRITTEN - set(query):
        written.pop(name, None)
    assert written == query


@pytest.mark.parametrize("page", PAGES)
def test_bare_address_needs_no_parameters(page):
    values, complaints = PAGES[page].parse({})
    assert complaints == []
    assert set(PAGES[page].format(values)) <= ALWAYS_WRITTEN


@pytest.mark.parametrize(
    ("page", "name", "found", "shown", "words"),
    [
        ("Agents", "view", "cup", "league", "league, best"),
        ("Tune", "games", "lots", 400, "2 to 1,000,000 are legal"),
        ("Tune", "games", "9" * 5000, 1_000_000, "2 to 1,000,000 are legal"),
        ("Tune", "floor", "3", -1, "-1,000,000 to -1 are legal"),
        ("Bids", "hand", HAND + "2", HAND, f"14 cards, a hand is 13. Shown: {HAND}"),
        ("Bids", "hand", "AKX...", bids.USUAL_HAND, "Shown: Q4.J742.T83.K652"),
        ("Bids", "previous", "3,99", (3, 4), "0 to 13 are legal, nil (0) and blind nil"),
        ("Bids", "previous", "1,2,3,4", (3, 4), "4 bids; 0 to 3 come before one"),
        ("Bids", "score", "1", (0, 0), "two numbers from -10,000 to 10,000, ours,theirs"),
        ("Bids", "score", "510,-40", (499, -40), "our side has reached the target of 500"),
        ("Bids", "bags", "3,12", (3, 9), "0 to 9 are legal"),
        ("Bids", "rules", "target=0", None, "target 0; 1 to 10,000 are legal here"),
        ("Bids", "rules", "deck=tarot", None, "tarot"),
        ("Bids", "rules", "target=300,target=400", None, "the rule 'target' comes twice"),
        *(
            ("Bids", "rules", f"{rule}={number}", None, f"rule '{rule}' is '9999")
            for rule in ("nil", "bag_limit", "blind_nil", "failed_contract", "target")
            for number in (10**20 - 1, "9" * 5000)
        ),
        ("Bids", "score", f"{'9' * 5000},0", (0, 0), "two numbers from -10,000"),
        ("Bids", "previous", "9" * 5000, (3, 4), "0 to 13 are legal, nil (0)"),
        ("Bids", "rounds", "7", 2_000, "500, 2000, 5000, 20000"),
        ("Data", "count", "0", 1, "1 to 1,000,000 are legal"),
        ("Disagreements", "log", "gone", "human-south", "four-humans"),
        ("Disagreements", "agent", "srp", None, "srp doesn't search"),
        ("Disagreements", "agent", "ismcts:speed=9", None, "unknown option 'speed=9'"),
        ("Disagreements", "agent", "ismcts:iterations=9,bias=knowledge,model=ghost", None, "ghost"),
        ("Disagreements", "lens", "cheats,bag", ["bag"], "lens=cheats; "),
        *(
            (
                "Disagreements",
                "tricks",
                text,
                (1, 13),
                "two numbers from 1 to 13 are legal, as 1-13",
            )
            for text in ("9-2", "0010-0020", "1-", "-", "1-2-3", f"1-{'9' * 5000}")
        ),
        ("Disagreements", "seed", "9" * 5000, 2**31 - 1, "0 to 2,147,483,647 are legal"),
        ("Disagreements", "agent", f"ismcts:iterations={'9' * 5000}", None, "no whole number"),
        (
            *("Disagreements", "agent", f"ismcts:bias=knowledge,delay={'9' * 5000}", None),
            "a whole number from 1, root and inf are legal",
        ),
        ("Agents", "data", "gone", "", "(nothing), four-humans"),
        ("Bids", "view", "weather", "hand", "hand, nil, curves, surface, ace"),
        ("Bids", "sequence", "3,99", (3, -1), "0 to 13 are legal, nil (0)"),
        ("Bids", "sequence", "1,2,3,4", (1, 2, 3), "0 to 3 can come before"),
        ("Bids", "compare", "3,x|3,3", ["3,3"], "a previous bid of x"),
        ("Bids", "compare", "1,1|2,2|3,3|4,4|5,5", ["1,1", "2,2", "3,3", "4,4"], "not 5,5"),
        ("Bids", "hand", "AKQ", bids.USUAL_HAND, "legal are AKJ62"),
        ("Bids", "hand", "AAQ.2.3.4", bids.USUAL_HAND, "SA comes twice"),
        ("Bids", "tables", "x|human", ["human"], "srp, human are legal. Left out"),
        ("Bids", "tables", "x", ["srp"], "Shown: srp"),
        ("Bids", "log", "gone", "human-south", "Shown: human-south"),
        ("Bids", "at", "7,7", "", "these bids are not drawn; there are: 1,3, 3,3, 8,3"),
        ("Bids", "bin", "77", 19, "0 to 19"),
        ("Bids", "group", "the best ones", "all", "a partner's nil"),
        ("Style", "logs", "gone", ["human-south"], "four-humans"),
        ("Tune", "sweep_log", "gone", "human-south", "four-humans"),
        ("Style", "by", "weather", "kind", "kind, agent, player"),
        ("Style", "nil", "maybe", [], "own, partners"),
        ("Style", "tricks", "5-99", (1, 13), "from 1 to 13"),
        ("Style", "bids", "x", (0, 13), "from 0 to 13"),
    ],
)
def test_bad_link_says_what_is_wrong_and_shows_the_nearest(page, name, found, shown, words):
    fields = PAGES[page]
    values, (complaint,) = fields.parse({name: found})
    assert complaint.startswith(f"The link says {name}=")
    assert words in complaint
    if shown is not None and name == "hand":
        assert fields.fields["hand"].codec_for(values).format(values["hand"]) == shown
    elif shown is not None:
        assert values[name] == shown
    again, complaints = fields.parse(fields.format(values))
    assert again == values
    assert complaints == []


def test_sum_of_a_cell_is_one_that_can_be():
    values, (complaint,) = bids.page.parse({"after": "2", "partner": "9", "sum": "3"})
    assert values["sum"] == 9
    assert "9 to 22 are legal. Shown: 9" in complaint
    assert bids.page.parse({"partner": "12"})[0]["sum"] == 12


def test_words_for_nil_are_understood():
    assert bids.page.parse({"sequence": "nil,blind nil,3"})[0]["sequence"] == (0, 0, 3)
    values, _ = bids.page.parse({"previous": "blind nil,nil,3"})
    assert values["previous"] == (BLIND_NIL, 0, 3)
    assert bids.page.format(values)["previous"] == "blind nil,0,3"
