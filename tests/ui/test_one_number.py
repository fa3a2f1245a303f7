"""What two panels of a page say of one thing, on the shipped logs, sweeps and curves."""

import re

import numpy as np
import pytest
import streamlit as st

from analysis.style.kl_sample import CANONICAL, OF_THESE_PLAYS, KlSample
from tests.pages.apps import charts, numbers, open_page, texts

HAND = {"hand": "AQ97.65.A732.T32", "previous": "3,3"}


@pytest.fixture(autouse=True)
def _own_results(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    st.cache_data.clear()


def tables_with(page, *columns):
    frames = [frame.value for frame in page.dataframe]
    return [frame for frame in frames if {*columns} <= set(frame.columns)]


def table_with(page, *columns):
    (found,) = tables_with(page, *columns)
    return found


def series(figure, name):
    """The first trace of a figure with this name."""
    return next(trace for trace in figure["data"] if trace.get("name") == name)


def found_in(page, pattern):
    """The numbers that a sentence of the page holds, by the groups of its pattern."""
    match = re.search(pattern, texts(page))
    assert match, f"{pattern} isn't in {texts(page)}"
    return [float(number.replace(",", "").replace("−", "-")) for number in match.groups()]


# Style


def style(**query):
    return open_page("3_Style", {"logs": "human-south", **query})


def test_the_distance_of_two_groups():
    page = style()
    row = table_with(page, "kl", "of", "to").iloc[0]
    drawn = series(charts(page)["style_divergences"], "KL, 95% interval over games")
    assert numbers(drawn["x"])[0] == pytest.approx(row["kl"], abs=5e-7)
    assert numbers(drawn["customdata"])[0][:2] == pytest.approx(
        row[["kl_low", "kl_high"]], abs=1e-5
    )
    assert drawn["y"] == [row["to"]]
    (said,) = found_in(page, r"the KL of the moves alone, (0\.\d+)")
    assert said == pytest.approx(row["kl"], abs=5.1e-5)


def test_the_plays_of_a_group():
    page = style()
    groups = table_with(page, "decisions", "kl_halves").set_index("group")
    pair = table_with(page, "kl", "of", "to").iloc[0]
    assert pair["of_decisions"] == groups.loc[pair["of"], "decisions"]
    assert pair["to_decisions"] == groups.loc[pair["to"], "decisions"]
    assert pair["of_games"] == groups.loc[pair["of"], "games"]
    legal = table_with(page, "measure", "mean").set_index(["measure", "group"])
    for group in groups.index:
        assert legal.loc[("legal cards", group), "n"] == groups.loc[group, "decisions"]
        drawn = series(charts(page)["style_legal"], group)
        counts = numbers(drawn["customdata"])
        assert counts[:, 1].sum() == groups.loc[group, "decisions"]
        assert numbers(drawn["y"]) == pytest.approx(counts[:, 1] / counts[:, 2])


def test_nils_of_a_player_in_groups_and_rates():
    page = style(rounds="nil")
    nils = table_with(page, "nils", "success").set_index("group").loc["Simulated humans"]
    (listed,) = found_in(page, r"in all ([\d,]+) by Simulated humans\. Replay opens a nil")
    assert listed == nils["nils"]
    rates = style(view="rates", log="human-south", player="human")
    rate = table_with(rates, "Rate").set_index("Rate").loc["Rounds with a nil bid", "Player"]
    assert rate == (
        f"{nils['rate']:.1%} ({nils['rate_low']:.1%} to {nils['rate_high']:.1%}), "
        f"n = {int(nils['bids']):,}"
    )


# Tune


def test_a_setting_on_the_frontier_and_in_its_table():
    page = open_page("4_Tune", {"view": "frontier"})
    table = table_with(page, "kl", "win_rate", "key").set_index("key")
    figure = charts(page)["tune_frontier_devlin_fig1"]
    seen = set()
    for trace in figure["data"]:
        keys = [row[0] for row in trace.get("customdata") or [] if isinstance(row, list)]
        for key, kl, won in zip(keys, numbers(trace["x"]), numbers(trace["y"]), strict=False):
            assert (kl, won) == pytest.approx(tuple(table.loc[key, ["kl", "win_rate"]]))
            seen.add(key)
    assert seen == set(table.index)
    n_settings, games = found_in(page, r"shipped: ([\d,]+) settings measured, ([\d,]+) games")
    assert n_settings == len(table)
    assert set(table["games"].dropna()) == {games}
    (disputed,) = found_in(page, r"disagree on (\d+) of")
    assert disputed == sum(map(bool, table["disputed"]))


# Bids


def test_the_bid_and_its_nil():
    page = open_page("5_Bids", {**HAND, "rounds": "500"})
    bids = table_with(page, "bidder", "share").set_index("bidder")
    (bid,) = found_in(page, r"Why BIS bids (\w+)")
    assert bids.loc["BIS", "bid"] == bid
    trials = table_with(page, "made_share", "points").set_index("bid")
    share, low, high, n, points = found_in(
        page,
        r"\*\*Chance of this nil\.\*\* Made in ([\d.]+)% \(([\d.]+)% to ([\d.]+)%\) of ([\d,]+) "
        r"simulated rounds\. A nil scores \+?(−?[\d.]+) own points",
    )
    nil = trials.loc[0]
    assert nil["n"] == n == 500
    assert (share, low, high) == pytest.approx(
        tuple(100 * nil[["made_share", "made_share_low", "made_share_high"]].astype(float)),
        abs=0.051,
    )
    assert points == pytest.approx(nil["points"], abs=0.051)
    drawn = series(charts(page)["bid_outcomes"], "own points")
    assert numbers(drawn["x"]) == pytest.approx(trials["points"].to_numpy())
    assert [f"bid {i}" if i else "nil" for i in trials.index] == drawn["y"]


CHANCE = (
    r"Hands of this value, after these bids, make ([\d.]+)% of their nils "
    r"\(([\d.]+)% to ([\d.]+)%\); these cards ([+−][\d.]+) pp "
    r"\(([+−][\d.]+) to ([+−][\d.]+)\): ([\d.]+)% \(([\d.]+)% to ([\d.]+)%\)"
)
SUM = ["chance", "low", "high"]


@pytest.mark.parametrize("seed", ["0", "3"])
def test_the_chance_of_a_nil(seed):
    """One sum on both views, of which the large number, the table, the figure and the trials of
    the bid are parts."""
    query = {"hand": "Q74.J742.T863.K6", "previous": "3,3", "rounds": "500", "seed": seed}
    page = open_page("5_Bids", query)
    nil = open_page("5_Bids", {"view": "nil", **query})
    (said,) = re.findall(CHANCE, texts(page))
    assert [said] == re.findall(CHANCE, texts(nil))
    shown = [float(number.replace("−", "-")) for number in said]
    rows = table_with(nil, "what", "chance")
    parts = 100 * rows[SUM].to_numpy(dtype=float)
    assert parts.flatten() == pytest.approx(shown, abs=0.051)
    assert parts[0, 0] + parts[1, 0] == pytest.approx(parts[2, 0], abs=0.051)
    assert rows["points"].iloc[:2].sum() == pytest.approx(rows["points"].iloc[2], abs=0.051)
    metrics = {metric.label: metric.value for metric in nil.metric}
    assert metrics["Chance of this nil"] == f"{shown[6]:.1f}%"
    expected = float(metrics["Expected from nil"].replace("−", "-"))
    assert expected == pytest.approx(rows["points"].iloc[2], abs=0.051)
    tried = table_with(page, "made_share", "points").set_index("bid").loc[0]
    assert 100 * tried["made_share"] == pytest.approx(shown[6], abs=0.051)
    places = table_with(nil, "source", "after").set_index("source").loc["srp bots"]
    assert 100 * places[SUM].to_numpy(dtype=float) == pytest.approx(shown[:3], abs=0.051)
    traces = charts(nil)["nil_place"]["data"]
    stem, star = [trace for trace in traces if trace.get("legendgroup") == "this nil"]
    assert 100 * numbers(star["y"]) == pytest.approx(shown[6], abs=0.051)
    assert 100 * numbers(stem["y"]) == pytest.approx([shown[0], shown[6]], abs=0.051)
    (value,) = found_in(nil, r"Nil value: [\d. ×]+ = (\d+\.\d+)")
    assert numbers(star["x"]) == pytest.approx(value, abs=5.1e-4)
    assert metrics["Nil value"] == f"{value:.3f}"


def test_the_chance_that_bis_bids_by():
    """It is said to be BIS's wherever it stands."""
    query = {"hand": "Q74.J742.T863.K6", "previous": "3,3", "rounds": "500"}
    page = open_page("5_Bids", query)
    pattern = r"BIS gives a nil ([\d.]+)% \(([\d.]+)% to ([\d.]+)%\)"
    chance, low, high = found_in(page, pattern)
    assert low < chance < high
    curve = charts(page)["bid_curve"]["data"]
    (marked,) = [trace for trace in curve if trace.get("mode") == "markers+text"]
    assert marked["text"] == [f"BIS {chance:.1f}%"]
    assert 100 * numbers(marked["y"])[0] == pytest.approx(chance, abs=0.051)
    nil = open_page("5_Bids", {"view": "nil", **query})
    assert [chance, low, high] == found_in(nil, pattern)
    assert "by its logistic curve" in texts(nil)
    (value,) = found_in(page, r"The nil value: [\d. ×]+ = (\d+\.\d+)")
    assert value == pytest.approx(numbers(marked["x"])[0], abs=5.1e-4)


def test_nils_after_bids_in_curves_and_table():
    page = open_page("5_Bids", {"view": "curves"})
    table = table_with(page, "sequence", "rate").set_index("sequence")
    figure = charts(page)["nil_curves"]
    for sequence, row in table.iterrows():
        assert row["rate"] == pytest.approx(row["made"] / row["n"], abs=5.1e-4)
        bars = [t for t in figure["data"] if t["type"] == "bar" and t.get("name") == sequence]
        drawn = np.nansum([numbers(bar["y"]).astype(float) for bar in bars])
        assert drawn == row["n"]
        for at in (0.5, 0.9):
            drawn_at = next(
                chance
                for trace in figure["data"]
                if trace.get("name") == sequence and trace.get("mode") == "lines"
                for value, chance in zip(numbers(trace["x"]), numbers(trace["y"]), strict=True)
                if value == pytest.approx(at) and chance == chance
            )
            assert drawn_at == pytest.approx(row[f"at {at}"], abs=5.1e-4)


# KL of an agent to humans


def test_the_canonical_kl_of_an_agent_is_one_number():
    """That of the shipped sweep: on Tune, in its table and in the paper's figure."""
    tune = table_with(open_page("4_Tune", {"view": "frontier"}), "kl", "win_rate", "key")
    tune = tune.dropna(subset=["c_bt"]).set_index(["c_bt", "k"])["kl"]
    papers = open_page("10_Papers", {"figure": "devlin-fig1"})
    figure = charts(papers)["devlin_fig1"]
    n_compared = 0
    for trace in figure["data"]:
        name = trace.get("name") or ""
        if not name.startswith("C_BT") or trace["xaxis"] != "x":  # the first panel is of KL
            continue
        c_bt = float(name.removeprefix("C_BT "))
        for k, kl in zip(numbers(trace["x"]), numbers(trace["y"]), strict=True):
            assert kl == pytest.approx(tune.loc[c_bt, k], abs=1e-9)
            n_compared += 1
    assert n_compared == len(tune)


@pytest.mark.parametrize(
    ("name", "query", "said"),
    [
        ("4_Tune", {"view": "frontier"}, CANONICAL.text),
        ("4_Tune", {"sweep": "baier"}, KlSample("human-south", 100).text),
        ("4_Tune", {"sweep": "pikl"}, KlSample("human-south", 200).text),
        ("10_Papers", {"figure": "devlin-fig1"}, CANONICAL.text),
        ("10_Papers", {"figure": "devlin-table1"}, KlSample("human-south", 2000).text),
        ("3_Style", {"logs": "human-south"}, OF_THESE_PLAYS),
        (
            "9_Data",
            {"log": "four-ismcts"},
            "(KL of abstract moves, with the log four-humans beside it)",
        ),
    ],
)
def test_a_page_with_a_kl_names_its_sample(name, query, said):
    assert said in texts(open_page(name, query))
