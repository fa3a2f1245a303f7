"""What Data says of a log is what Style, Bids and Replay say of it."""

import json

import pytest

from analysis.disagreements.plan import LogSearchPlan
from analysis.text_tables import span
from spades.agents import Seating, parse_agent, play_range
from spades.core.rules import Rules
from spades.notation.log_store import open_log, store_log
from tests.analysis.styles import random_log
from tests.pages.apps import button, open_page, texts
from tests.pages.conftest import compiled_kernels, empty_caches  # noqa: F401
from ui.data import answer
from ui.data.answer import _kind_names, costly_of, distance_of, nils_of, rates_of
from ui.style.state import COHORT

HUMANS = Seating(tuple(parse_agent("human") for _ in range(4)), Rules())
N_ROUNDS = 60


@pytest.fixture(autouse=True)
def _logs(tmp_path, monkeypatch):
    """A log of a person and bots, one of simulated humans, and the cohort."""
    for kind in ("LOGS", "RESULTS"):
        monkeypatch.setenv(f"SPADES_{kind}", str(tmp_path / kind.lower()))
    store_log(random_log(N_ROUNDS), "mine")
    store_log(play_range(HUMANS, 1, 0, 30, unit="rounds"), COHORT)
    store_log(play_range(HUMANS, 2, 0, 12, unit="rounds"), "simulated")


def table_with(app, *columns):
    return next(one.value for one in app.dataframe if set(columns) <= set(one.value))


def test_the_distance_is_that_of_style():
    said = texts(open_page("9_Data", {"log": "mine"}))
    distance = distance_of("mine", open_log("mine"))
    style = open_page("3_Style", distance.query)
    pairs = table_with(style, "kl", "chance")
    pairs = pairs[pairs["of"] == "Simulated humans"]
    assert set(pairs["to"]) == {"Humans", "Bots"}
    for pair in pairs.itertuples():
        interval = span((pair.kl_low, pair.kl_high), ".4f")
        assert f"{pair.to} {pair.kl:.4f} nats (95%: {interval}; " in said
        assert f"n = {pair.to_games:,} games" in said


def test_simulated_humans_alone_are_compared_by_log():
    distance = distance_of("simulated", open_log("simulated"))
    assert distance.humans.value == COHORT
    (label,) = distance.rows["to"]
    assert label == "simulated (with simulated humans)"
    assert distance_of(COHORT, open_log(COHORT)) is None
    assert "these are the simulated humans" in texts(open_page("9_Data", {"log": COHORT}))


def test_rates_are_those_of_style_and_bids():
    rates = rates_of("mine").set_index(["rate", "who"])
    nils = table_with(open_page("3_Style", {"logs": "mine"}), "success", "played_out")
    for nil in nils.itertuples():
        bid = rates.loc["Nil bid", nil.group]
        assert (bid["value"], bid["n"]) == (f"{nil.rate:.1%}", nil.bids)
        made = rates.loc["Nil made", nil.group]
        assert (made["value"], made["n"]) == (f"{nil.success:.1%}", nil.played_out)
        assert made["interval"] == span((nil.success_low, nil.success_high), ".1%")
    bids = open_page("5_Bids", {"lab": "kept", "lab_log": "mine"})
    kept = table_with(bids, "contracts", "made")
    for made in kept[kept["bid"] == "all"].itertuples():
        contracts = rates.loc["Contracts made", made.group]
        assert (contracts["value"], contracts["n"]) == (f"{made.made:.1%}", made.contracts)


def test_sums_of_bids_that_all_at_the_tables_share_are_everyones():
    for name, who in (("mine", "everyone"), ("simulated", "Simulated humans")):
        rates = rates_of(name)
        assert rates[rates["rate"] == "Sum of the four bids"]["who"].tolist() == [who]


def test_the_one_bidder_of_the_bots_goes_by_their_name():
    """As in the other rows; of two each has its own."""
    assert _kind_names(["Simulated humans", "srp"]) == {
        "Simulated humans": "Simulated humans",
        "srp": "Bots",
    }
    assert _kind_names(["srp", "wrp"]) == {"srp": "srp", "wrp": "wrp"}


def test_nils_are_those_of_bids():
    nils = nils_of("mine")
    said = texts(open_page("9_Data", {"log": "mine"}))
    bids = open_page("5_Bids", nils.query)
    total = table_with(bids, "sequence", "at 0.5").set_index("source").loc["mine"]
    assert total["sequence"] in said
    interval = span((total["low"], total["high"]), ".1%")
    words = f"{total['made']:,} of {total['n']:,} made, {total['rate']:.1%} (95%: {interval})"
    assert words in said


def test_the_costliest_decisions_are_those_of_replays_list(monkeypatch):
    """A shipped search judges the log; one that nobody has judged offers to begin."""
    monkeypatch.delenv("SPADES_LOGS")
    monkeypatch.delenv("SPADES_RESULTS")
    app = open_page("9_Data", {"log": "human-south"})
    costly = costly_of("human-south")
    listed = open_page("", costly.query)
    (rows,) = [one for one in listed.get("bidi_component") if '"order"' in one.proto.json]
    first = costly.rows.iloc[0]
    assert json.loads(rows.proto.json)["rows"][0]["first"] == f"−{first['stakes']:.1f}"
    said = texts(app)
    assert f"Costliest play gave away {first['stakes']:.1f} points" in said.replace("*", "")
    decisions = table_with(app, "loss", "played", "best")
    assert decisions["loss"].iloc[0] == pytest.approx(first["stakes"], abs=0.06)
    assert decisions["open"].str.startswith("/?log=human-south&round=").all()


def test_a_log_that_nobody_has_judged_can_be(monkeypatch):
    asked = []
    monkeypatch.setattr(answer.controls, "start", asked.append)
    app = open_page("9_Data", {"log": "mine"})
    assert "nothing of this log is judged yet" in texts(app)
    assert f"10 of {answer.JUDGED_ROUNDS} rounds are to be searched" in texts(app)
    button(app, "Search").click().run()
    assert asked == [LogSearchPlan("mine", answer.JUDGED_ROUNDS)]
