"""The whole hand, from conclusions made by hand, and from the search's own."""

import math
from dataclasses import replace

import pytest

from analysis.decisions import evidence, played_on, stability
from analysis.decisions.conclusion import CLEAR, LEANS, TOSS_UP, Conclusion
from analysis.decisions.hindsight import Hindsight
from analysis.decisions.judge import judge_settings
from analysis.decisions.settings import AnalysisSettings, settings_of_agent
from analysis.decisions.stability import SEARCHES_A_BLOCK
from analysis.own_plays import OwnPlays
from analysis.review.chances import Goal
from analysis.review.plays import Tally
from analysis.review.round import RoundEvidence, chance_sentence, review, score_sentence
from spades.core.equivalence import equivalent_cards
from spades.notation import read_text
from spades.search import GameChance, SearchSettings
from spades.search.outcomes import Outcomes
from tests.analysis.decisions.made_up import class_value
from tests.analysis.disagreements.quick import review_quickly
from tests.pages.texts import shipped, without_bids

NIL, OURS, THEIRS = Goal(True, 2), Goal(False, 0), Goal(False, 1)
RECORD = shipped("south-nil")  # South bids nil and keeps it, both contracts are made
CARDS = [RECORD.rules.cards.format_card(card) for card in RECORD.plays]
SEATS = [RECORD.at(ply).table.turn for ply in range(52)]


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


def outcomes(own=0.5, their_set=0.5, nil=0.5):
    return Outcomes(own, their_set, {2: nil}, 0.0, 0.0)


def clear(card, best, behind, error=0.0, *, kind=CLEAR, leads_to=None, best_leads_to=None):
    """A conclusion that a card is behind the best one, of a decision between two."""
    width = 1.5 if kind == LEANS else 0.5
    ends = (behind - width, behind + width)
    played = class_value((card,), behind, ends, outcomes=leads_to, gap_error=error)
    return Conclusion(kind, (class_value((best,), outcomes=best_leads_to), played), 1.0, 100)


def reviewed(conclusions, human=None, record=RECORD, costs=None):
    """A review of a round whose other plays are not judged."""
    found = [conclusions.get(ply) for ply in range(len(record.plays))]
    likely = [
        (human or {}).get(ply, dict.fromkeys([*CARDS, "best", "other"], 0.5)) for ply in range(52)
    ]
    return review(record, found, likely[: len(record.plays)], costs or {})


def test_points_given_away_are_added_by_seat_side_and_phase():
    a, b, c, d = (p for p in (2, 6, 23, 24))
    found = reviewed(
        {
            a: clear(CARDS[a], "best", 5.0, 0.3),
            b: clear(CARDS[b], "best", 0.3, 0.1, kind=TOSS_UP),  # ends .8: as good
            c: clear(CARDS[c], "best", 2.0, 0.4, kind=LEANS),
            d: clear("other", CARDS[d], 9.0, 0.2),
        }
    )
    whole = Tally.of(found.plays)
    assert (whole.decisions, whole.given_away, whole.as_judge) == (4, 7.0, 2)
    assert whole.se == pytest.approx(0.5)  # .3 and .4 in squares
    assert whole.unsettled == 1
    assert whole.as_judge_share == 0.5
    assert [tally.who for tally in found.seats] == list("NESW")
    for tallies in (found.seats, found.partnerships):
        assert sum(tally.given_away for tally in tallies) == 7.0
        assert sum(tally.by_phase["early"].given_away for tally in tallies) == 5.0
        assert sum(tally.by_phase["middle"].given_away for tally in tallies) == 2.0
        assert sum(tally.by_phase["late"].given_away for tally in tallies) == 0.0
        assert sum(tally.by_phase["middle"].decisions for tally in tallies) == 2
    by_seat = [tally.given_away for tally in found.seats]
    assert by_seat[SEATS[a]] + by_seat[SEATS[c]] * (SEATS[a] != SEATS[c]) == 7.0
    assert [(play.ply, play.given_away) for play in found.costliest] == [(a, 5.0), (c, 2.0)]
    assert found.costliest[0].best == ("best",)
    assert found.unjudged == 48


def test_luck_is_what_was_given_away_less_what_it_cost_as_the_cards_lay():
    """A wrong card that went unpunished was lucky, a right one that failed unlucky."""
    unpunished, failed = 2, 6
    judged = {
        unpunished: clear(CARDS[unpunished], "best", 5.0),
        failed: clear("other", CARDS[failed], 9.0),
    }
    costs = {unpunished: Hindsight(0.5, 3.0, 80), failed: Hindsight(12.0, 4.0, 80)}
    found = reviewed(judged, costs=costs)
    assert [play.luck for play in found.plays] == [4.5, -12.0]
    whole = Tally.of(found.plays)
    assert (whole.hindsight, whole.hindsight_se, whole.luck) == (12.5, 5.0, -7.5)
    for tallies in (found.seats, found.partnerships):
        assert sum(tally.luck for tally in tallies) == -7.5
    assert found.document()["partnerships"]["ns"].keys() >= {"hindsight", "hindsight_se", "luck"}
    (unknown, _) = reviewed(judged).plays
    assert math.isnan(unknown.hindsight)


def test_a_play_is_as_humans_where_its_class_is_likeliest():
    """Equivalent cards count together: .3 + .3 beat .4."""
    played = CARDS[0]
    classes = (class_value(("best",)), class_value((played, "equal"), 3.0, (2.0, 4.0)))
    decision = {0: Conclusion(CLEAR, classes, 1.0, 100)}
    for odds, is_likeliest in ((0.3, True), (0.1, False)):
        human = {played: 0.3, "equal": odds, "best": 0.7 - odds}
        (play,) = reviewed(decision, {0: human}).plays
        assert play.as_human == is_likeliest
        assert (play.given_away, play.as_judge) == (3.0, False)


def test_the_chance_is_the_mean_of_what_the_seats_last_thought():
    """A mover's own contract is of N/S for North and South; their set turns round."""
    judged = {
        ply: clear("other", CARDS[ply], 3.0, best_leads_to=outcomes(0.8, 0.3, nil))
        for ply, nil in enumerate((0.1, 0.2, 0.3, 0.4, 0.9))
    }
    chances = {chance.goal: chance for chance in reviewed(judged).chances}
    assert list(chances) == [OURS, THEIRS, NIL]
    nil, ours = chances[NIL].values, chances[OURS].values
    assert all(math.isnan(value) for value in nil[:3])
    assert nil[3] == pytest.approx(0.25)  # (.1 + .2 + .3 + .4) / 4
    leader = SEATS[4]  # who plays again
    assert nil[4] == pytest.approx(0.25 + (0.9 - 0.1 * (SEATS.index(leader) + 1)) / 4)
    assert nil[5] == nil[4]  # carried on
    assert ours[3] == pytest.approx((0.8 + 0.8 + 0.7 + 0.7) / 4)


def test_tricks_decide_a_goal_whatever_the_seats_think():
    chances = {chance.goal: chance for chance in reviewed({}).chances}
    for goal, chance in chances.items():
        assert chance.values[-1] == 1.0, goal
        assert chance.is_reached
    assert math.isnan(chances[NIL].values[47])  # South can take the last trick until it is over
    taken = [RECORD.at(ply + 1).table.tricks_of(1) for ply in range(52)]
    need = RECORD.bids[1] + RECORD.bids[3]
    assert [value == 1 for value in chances[THEIRS].values] == [tricks >= need for tricks in taken]
    cut_short = reviewed({}, record=replace(RECORD, plays=RECORD.plays[:8])).chances[2]
    assert cut_short.values == pytest.approx((math.nan,) * 8, nan_ok=True)
    assert cut_short.is_reached is None


def test_a_contract_is_cost_most_by_a_faulted_play_of_its_own_side():
    ours = [ply for ply in range(48) if SEATS[ply] % 2 == 0]
    theirs = next(ply for ply in range(48) if SEATS[ply] % 2 == 1)
    low, high = outcomes(own=0.2, nil=0.2), outcomes(own=0.9, nil=0.6)
    judged = {
        ours[0]: clear(CARDS[ours[0]], "D8", 5.0, leads_to=outcomes(0.6), best_leads_to=high),
        ours[1]: clear(CARDS[ours[1]], "D9", 5.0, leads_to=low, best_leads_to=high),
        ours[2]: clear(CARDS[ours[2]], "DT", 0.1, leads_to=low, best_leads_to=high),  # as good
        theirs: clear(CARDS[theirs], "DJ", 5.0, leads_to=outcomes(nil=0), best_leads_to=high),
    }
    found = reviewed(judged)
    mine, other, nil = found.chances
    assert mine.costliest == (ours[1], 0.2, 0.9)
    assert nil.costliest == (ours[1], 0.2, 0.6)
    assert other.costliest == (theirs, 0.5, 0.9)
    assert "20.0% where 9♦ leaves 90.0%" in chance_sentence(found, mine)
    assert chance_sentence(found, nil).startswith("South's nil was kept; of North/South's plays ")
    none = reviewed({})
    assert chance_sentence(none, none.chances[0]) == (
        "North/South's contract was made; no play of North/South that the judge faults cost it "
        "anything."
    )


def test_the_score_after_the_round():
    found = reviewed({}, record=replace(RECORD, score_before=(200, 100), bags_before=(0, 9)))
    assert score_sentence(found) == (
        "The round: North/South +150, 0 bags; East/West +62, 2 bags. "
        "The game: North/South 350, 0 bags; East/West 62, 1 bag."
    )
    unknown = replace(RECORD, score_before=None, bags_before=None)
    assert "The game" not in score_sentence(reviewed({}, record=unknown))
    assert score_sentence(reviewed({}, record=replace(RECORD, plays=RECORD.plays[:4]))) == ""


@pytest.mark.slow
def test_a_round_is_searched_once_and_stored(monkeypatch):
    review_quickly(monkeypatch)
    monkeypatch.setattr(evidence, "SEARCHES", SEARCHES_A_BLOCK)  # a whole block is stored
    monkeypatch.setattr(played_on, "NETWORK_ITEMS", 1)
    settings = AnalysisSettings(iterations=60)
    short = replace(RECORD, plays=RECORD.plays[:12])
    work = RoundEvidence(short, settings, budget=1.0, threshold=5.0)
    for _ in work.steps():
        pass
    found = work.found
    n_classes = [len(equivalent_cards(short.observation(ply))) for ply in range(12)]
    assert len(found.plays) == sum(n > 1 for n in n_classes)
    assert found.unjudged == 0
    forced = [one for one in work.conclusions if len(one.classes) == 1]
    assert all(0 <= one.best.outcomes.own_contract <= 1 for one in forced)
    monkeypatch.setattr(stability, "new_search", None)  # a second reader searches nothing
    monkeypatch.setattr(played_on, "PlayedOnBySearch", None)  # and plays nothing on
    monkeypatch.setattr(played_on, "PlayedOnByNetwork", None)
    again = RoundEvidence(short, settings, budget=1.0, threshold=5.0)
    for _ in again.steps():
        pass
    for first, second in zip(work.conclusions, again.conclusions, strict=True):
        assert (second.kind, second.classes) == (first.kind, first.classes)
    for seat in range(4):
        own = OwnPlays(short, seat, settings, budget=1.0, threshold=5.0)
        for _ in own.steps():
            pass
        assert own.n_done == len(own.plies) == 3
        lost = [play for play in found.plays if play.seat == seat and play.given_away]
        worst = max(lost, key=lambda play: play.given_away, default=None)
        assert (own.costliest and own.costliest.ply) == (worst and worst.ply)
    document = found.document()
    assert set(document["seats"]) == set("NESW")
    both = document["partnerships"]
    total = sum(seat["given_away"] for seat in document["seats"].values())
    assert both["ns"]["given_away"] + both["ew"]["given_away"] == pytest.approx(total)
    assert [chance["of"] for chance in document["chances"]] == ["ns", "ew", "S"]


def test_a_review_is_judged_by_best_with_what_the_reader_asked_for():
    search = SearchSettings(objective=GameChance(), exploration=0.2)
    asked = AnalysisSettings(500, 7, ("devlin2016-nil", "devlin2016"), search)
    judge, best = judge_settings(asked), settings_of_agent("best")
    assert (judge.iterations, judge.dealing) == (best.iterations, best.dealing)
    assert judge.search == replace(best.search, objective=GameChance())
    assert (judge.seed, judge.models) == (7, ("devlin2016-nil",))


def test_a_round_without_plays_has_nothing_to_review():
    found = review(replace(RECORD, plays=()), [], [], {})
    assert (found.plays, found.costliest) == ((), ())
    assert [chance.values for chance in found.chances] == [(), (), ()]
    unknown = read_text(without_bids()).records[0]
    assert review(unknown, [None] * 52, [{}] * 52, {}).chances == ()
