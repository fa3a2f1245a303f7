"""Links to seven pages as functions: what they say, what is wrong with them, and back."""

import pytest

from spades.bidding import BLIND_NIL
from ui.arena import match as arena
from ui.bidding import state as bidding
from ui.data import logs as data
from ui.disagreements import state as disagreements
from ui.drill import view as drill
from ui.models import compare as models
from ui.nil import state as nil
from ui.playstyle import state as playstyle

PAGES = {
    "arena": arena.page,
    "bidding": bidding.page,
    "data": data.page,
    "disagreements": disagreements.page,
    "drill": drill.page,
    "models": models.page,
    "nil": nil.page,
    "playstyle": playstyle.page,
}
HAND = "AKJ62.AQ.Q.K9543"
# Parameters as links wrote them from the first version on: they must mean the same for ever.
LINKS = [
    ("arena", "view=match&ns=srp&ew=ismcts:iterations=500+bis&games=90&seed=3&target=200"),
    ("arena", "floor=-100&nil_only=1&agents=srp|wrp&league=500&match=ab12&turned=1&chart=points"),
    ("bidding", f"bid_hand={HAND}&bid_previous=1,blind nil,0&bid_score=242,-76&bid_bags=3,9"),
    ("bidding", "bid_hand=...&bid_rules=target=600,min_bid=4&bid_rounds=500&bid_also=7"),
    ("bidding", "bid_others=rb&bid_shape=histogram&bid_previous=&bid_lab=kept&bid_first=io"),
    ("bidding", "bid_lab=kept&bid_lab_rounds=500&bid_log=four-humans"),
    ("data", "tab=generate&south=srp&count=7&unit=rounds&seed=9&name=mine"),
    ("data", "log=four-humans"),
    ("disagreements", "log=four-humans&agent=ismcts:iterations=500&seed=5&model=devlin2016"),
    ("disagreements", "rounds=7&by=divergence&against=played&bits=0.25&points=40.0&lens_of=search"),
    ("disagreements", "tricks=2-9&chart=lens&class=trap,finds&lens=bag&seat=S,W&kind=human"),
    ("drill", "profile=Ann&logs=four-humans&player=human&lens=bag&phase=early&nil=own,none"),
    ("models", "view=one&measure=log_loss&model=devlin2016-nil&data=four-humans&rounds=200&seed=7"),
    ("nil", f"deck=joker-joker-ace&hand={HAND}&previous=4,0&view=surface&threshold=-5"),
    ("nil", "previous=4,3&compare=3,*|0,2&tables=srp|human&logs=four-humans&kind=bot&at=3,*&bin=3"),
    ("nil", "value=35&after=2&measure=rate&form=surface&of=human&partner=4&sum=9&heard=2"),
    ("nil", "scored=human&group=2 previous bids&by=sequences&methods=trees&compare=&tables="),
    ("playstyle", "style_by=agent&style_groups=random|ismcts:iterations=2500|~none~|a%7Cb"),
    (
        "playstyle",
        "style_classes=68&style_measure=share&style_errors=interval&style_forced=0&style_bids=0-5",
    ),
    ("playstyle", "style_from=~none~&style_to=a%7Cb&style_context=turn&style_at=second"),
    ("playstyle", "style_nil=none|an-opponents&style_partner=yes&style_tricks=1-11"),
    ("playstyle", "style_logs=four-humans|human-south&style_move=any move&style_bar=Trump"),
]
ALWAYS_WRITTEN = {"log", "style_logs", "view"}


def query_of(link):
    return dict(part.split("=", 1) for part in link.split("&"))


@pytest.mark.parametrize(("page", "link"), LINKS)
def test_link_is_read_and_written_back(page, link):
    values, complaints = PAGES[page].parse(query_of(link))
    written = PAGES[page].format(values)
    assert complaints == []
    for name in ALWAYS_WRITTEN - set(query_of(link)):
        written.pop(name, None)
    assert written == query_of(link)


@pytest.mark.parametrize("page", PAGES)
def test_bare_address_needs_no_parameters(page):
    values, complaints = PAGES[page].parse({})
    assert complaints == []
    assert set(PAGES[page].format(values)) <= ALWAYS_WRITTEN


@pytest.mark.parametrize(
    ("page", "name", "found", "shown", "words"),
    [
        ("arena", "view", "cup", "league", "league, match"),
        ("arena", "games", "lots", 400, "2 to 1,000,000 are legal"),
        ("arena", "games", "9" * 5000, 1_000_000, "2 to 1,000,000 are legal"),
        ("arena", "floor", "3", -1, "-1,000,000 to -1 are legal"),
        ("bidding", "bid_hand", HAND + "2", HAND, f"14 cards, a hand is 13. Shown: {HAND}"),
        ("bidding", "bid_hand", "AKX...", bidding.USUAL_HAND, "Shown: Q4.J742.T83.K652"),
        ("bidding", "bid_previous", "3,99", (3, 4), "0 to 13 are legal, nil (0) and blind nil"),
        ("bidding", "bid_previous", "1,2,3,4", (3, 4), "4 bids; 0 to 3 come before one"),
        ("bidding", "bid_score", "1", (0, 0), "two numbers from -10,000 to 10,000, ours,theirs"),
        ("bidding", "bid_score", "510,-40", (499, -40), "our side has reached the target of 500"),
        ("bidding", "bid_bags", "3,12", (3, 9), "0 to 9 are legal"),
        ("bidding", "bid_rules", "target=0", None, "target 0; 1 to 10,000 are legal here"),
        ("bidding", "bid_rules", "deck=tarot", None, "tarot"),
        ("bidding", "bid_rules", "target=300,target=400", None, "the rule 'target' comes twice"),
        *(
            ("bidding", "bid_rules", f"{rule}={number}", None, f"rule '{rule}' is '9999")
            for rule in ("nil", "bag_limit", "blind_nil", "failed_contract", "target")
            for number in (10**20 - 1, "9" * 5000)
        ),
        ("bidding", "bid_score", f"{'9' * 5000},0", (0, 0), "two numbers from -10,000"),
        ("bidding", "bid_previous", "9" * 5000, (3, 4), "0 to 13 are legal, nil (0)"),
        ("bidding", "bid_rounds", "7", 2_000, "500, 2000, 5000, 20000"),
        ("data", "count", "0", 1, "1 to 1,000,000 are legal"),
        ("disagreements", "log", "gone", "human-south", "four-humans"),
        ("disagreements", "agent", "srp", None, "srp doesn't search"),
        ("disagreements", "agent", "ismcts:speed=9", None, "unknown option 'speed=9'"),
        ("disagreements", "agent", "ismcts:iterations=9,bias=knowledge,model=ghost", None, "ghost"),
        ("disagreements", "lens", "cheats,bag", ["bag"], "lens=cheats; "),
        *(
            (
                "disagreements",
                "tricks",
                text,
                (1, 13),
                "two numbers from 1 to 13 are legal, as 1-13",
            )
            for text in ("9-2", "0010-0020", "1-", "-", "1-2-3", f"1-{'9' * 5000}")
        ),
        ("disagreements", "seed", "9" * 5000, 2**31 - 1, "0 to 2,147,483,647 are legal"),
        ("disagreements", "agent", f"ismcts:iterations={'9' * 5000}", None, "no whole number"),
        (
            *("disagreements", "agent", f"ismcts:bias=knowledge,delay={'9' * 5000}", None),
            "a whole number from 1, root and inf are legal",
        ),
        ("models", "data", "gone", "", "(nothing), four-humans"),
        ("nil", "view", "weather", "curves", "curves, hand, surface, ace"),
        ("nil", "previous", "3,99", (3, -1), "0 to 13 are legal, nil (0)"),
        ("nil", "previous", "1,2,3,4", (1, 2, 3), "0 to 3 can come before"),
        ("nil", "compare", "3,x|3,3", ["3,3"], "a previous bid of x"),
        ("nil", "compare", "1,1|2,2|3,3|4,4|5,5", ["1,1", "2,2", "3,3", "4,4"], "not 5,5"),
        ("nil", "hand", "AKQ", nil.USUAL_HAND, "legal are AKJ62"),
        ("nil", "hand", "AAQ.2.3.4", nil.USUAL_HAND, "SA comes twice"),
        ("nil", "tables", "x|human", ["human"], "srp, human are legal. Left out"),
        ("nil", "tables", "x", ["srp"], "Shown: srp"),
        ("nil", "log", "gone", "four-srp-nil", "Shown: four-srp-nil"),
        ("nil", "at", "7,7", "", "these bids are not drawn; there are: 1,3, 3,3, 8,3"),
        ("nil", "bin", "77", 19, "0 to 19"),
        ("nil", "deck", "<b>tarot</b>", "standard", "joker-joker-ace"),
        ("nil", "group", "the best ones", "all", "a partner's nil"),
        ("playstyle", "style_logs", "gone", None, "four-humans"),
        ("playstyle", "style_by", "weather", "kind", "kind, agent, player"),
        ("playstyle", "style_nil", "maybe", [], "own, partners"),
        ("playstyle", "style_tricks", "5-99", (1, 13), "from 1 to 13"),
        ("playstyle", "style_bids", "x", (0, 13), "from 0 to 13"),
    ],
)
def test_bad_link_says_what_is_wrong_and_shows_the_nearest(page, name, found, shown, words):
    fields = PAGES[page]
    values, (complaint,) = fields.parse({name: found})
    assert complaint.startswith(f"The link says {name}=")
    assert words in complaint
    plain = name.removeprefix(fields.prefix)
    if shown is not None and plain == "hand":
        assert fields.fields["hand"].codec_for(values).format(values["hand"]) == shown
    elif shown is not None:
        assert values[plain] == shown
    again, complaints = fields.parse(fields.format(values))
    assert again == values
    assert complaints == []


def test_hand_in_a_link_opens_the_nil_page_on_it():
    for hand in (HAND, nil.USUAL_HAND, "no hand"):
        assert nil.page.parse({"hand": hand})[0]["view"] == "hand"
    assert nil.page.parse({"hand": HAND, "view": "ace"})[0]["view"] == "ace"


def test_sum_of_a_cell_is_one_that_can_be():
    values, (complaint,) = nil.page.parse({"after": "2", "partner": "9", "sum": "3"})
    assert values["sum"] == 9
    assert "9 to 22 are legal. Shown: 9" in complaint
    assert nil.page.parse({"partner": "12"})[0]["sum"] == 12


def test_words_for_nil_are_understood():
    assert nil.page.parse({"previous": "nil,blind nil,3"})[0]["previous"] == (0, 0, 3)
    values, _ = bidding.page.parse({"bid_previous": "blind nil,nil,3"})
    assert values["previous"] == (BLIND_NIL, 0, 3)
    assert bidding.page.format(values)["bid_previous"] == "blind nil,0,3"


def test_other_pages_parameters_say_nothing():
    for page in ("bidding", "playstyle"):
        assert PAGES[page].parse({"hand": "x", "by": "x", "logs": "x"})[1] == []
