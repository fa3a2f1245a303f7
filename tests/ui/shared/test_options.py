"""Whatever an agent accepts, every page, link and sweep accepts: all declared options."""

import pytest

from analysis.sweeps.sweep import AGENT_OPTIONS, GRID, SET_BY, parse_sweep
from spades.agents import BIDDERS, PLAYERS, IsmctsPlayer, parse_agent
from spades.core.options import options_of
from spades.search import TECHNIQUES
from spades.search.techniques.technique import WHEN_NEEDED
from tests.pages.apps import address, open_page, texts
from tests.pages.conftest import compiled_kernels, empty_caches, quick_judge  # noqa: F401
from ui.disagreements import state as disagreements
from ui.play import state as play
from ui.replay import state as replay
from ui.shared.options import BIAS_OPTIONS, STRENGTHS
from ui.tune import state as tune

NAMES_ON_REPLAY = {"bias": "technique", "model": "bias_model"}


def values_of(option):
    """The ends of what is legal, or every choice."""
    if option.is_number:
        return [option.kind(option.least), option.kind(option.most), *option.usual]
    if option.kind is bool:
        return [False, True]
    if option.separator:
        return [option.choices[0], option.separator.join(option.choices)]
    if option.names:
        return list(option.names())
    return [*option.choices, *option.words, *option.usual, *["7"] * bool(option.words)]


def text_of_agent(role, name, option, value):
    """An agent with the option, and what the option needs."""
    items = [f"{option.name}={option.format(value)}"]
    if option.needs:
        other, values = option.needs
        items.insert(0, f"{other}={options_of(role[name])[other].format(values[0])}")
    return f"{name}:{','.join(items)}"


def every(role):
    return [
        pytest.param(name, option, id=f"{name}:{option.name}")
        for name, kind in role.items()
        for option in options_of(kind).values()
        if option.name not in ("person", "player")  # a file; of a spread
    ]


def extremes(name, option):
    """Values that the agent accepts; some pairs of options exclude one another."""
    for value in values_of(option):
        text = text_of_agent(PLAYERS, name, option, value)
        if name == "best" and option.name in ("bias", "skew", "skew_k", "objective", *STRENGTHS):
            text += ",equivalence=off,duck=off"
        yield text


@pytest.mark.parametrize(("name", "option"), every(PLAYERS))
def test_matches_play_and_disagreements_take_every_option_of_a_player(name, option):
    if name == "best" and (option.name == "model" or option.name in STRENGTHS):
        pytest.skip("as ismcts")
    for text in extremes(name, option):
        agent = parse_agent(text)
        assert parse_agent(str(agent)) == agent
        assert tune.page.parse({"ns": text})[1] == []
        assert play.page.parse({"partner": text})[1] == []
        if isinstance(agent.player, IsmctsPlayer) and agent.player.name == "ismcts":
            assert disagreements.page.parse({"agent": text})[1] == []
        if agent.player.has_values():
            assert replay.page.parse({"agents": text})[1] == []


@pytest.mark.parametrize(("name", "option"), every(BIDDERS))
def test_bidders_take_every_option_to_its_limits(name, option):
    for value in values_of(option):
        text = text_of_agent(BIDDERS, name, option, value)
        assert parse_agent(f"random+{text}") == parse_agent(str(parse_agent(f"random+{text}")))


@pytest.mark.parametrize("name", AGENT_OPTIONS)
def test_links_to_replay_take_what_the_agent_takes(name):
    option, field = AGENT_OPTIONS[name], NAMES_ON_REPLAY.get(name, name)
    for value in values_of(option):
        values, _, complaints = replay.parse_link({field: option.format(value)})
        assert complaints == []
        wanted = value.split(option.separator) if option.separator else value
        assert values[field] == wanted
        assert values == replay.parse_link(replay.page.format(values))[0]


@pytest.mark.parametrize("name", tune.LADDER_OPTIONS)
def test_links_to_tune_take_what_the_agent_takes(name):
    option = tune.LADDER_OPTIONS[name]
    for value in values_of(option):
        values, complaints = tune.page.parse({name: option.format(value)})
        assert complaints == []
        assert values[name] == value


@pytest.mark.parametrize("technique", [name for name in SET_BY if name != "direct"])
@pytest.mark.parametrize("name", [name for name in GRID if name != "technique"])
def test_sweeps_take_what_the_agent_takes(technique, name, monkeypatch):
    if name in STRENGTHS and name not in SET_BY[technique]:
        return
    if name == "model" and technique == "none":
        return
    option = AGENT_OPTIONS[name]
    grid = {one: AGENT_OPTIONS[one].default for one in SET_BY[technique]} | {"technique": technique}
    for value in values_of(option):
        given = {**grid, name: value}
        if "delay" in given and given["delay"].isdecimal():
            given["delay"] = int(given["delay"])
        lines = [f"{key} = {one!r}" for key, one in given.items()]
        plan = parse_sweep("[[grid]]\n" + "\n".join(lines), "name")
        if name == "asked" and value == TECHNIQUES[technique].counts_from:
            given[name] = WHEN_NEEDED  # the same search
        assert plan.settings[-1].values[name] == given[name]


BEYOND_BEFORE = [
    {"technique": "knowledge", "c_bt": "50"},
    {"technique": "pikl", "lambda": "20000"},
    {"technique": "experience", "w": "50000"},
    {"technique": "knowledge", "delay": "7"},
]
"""Links that pages refused while each had limits of its own."""


@pytest.mark.usefixtures("empty_caches", "quick_judge")
@pytest.mark.parametrize("query", BEYOND_BEFORE)
def test_the_ladder_shows_a_strength_beyond_the_usual_ones(query):
    query = {"iterations": "100", **query}
    app = open_page("4_Tune", {"view": "ladder", **query})
    assert not app.warning
    assert not app.exception
    shown = {name: value for name, value in query.items() if value != "knowledge"}
    assert address(app) == {"view": "ladder", **shown}


@pytest.mark.parametrize(
    "query",
    [
        *BEYOND_BEFORE,
        {"exploration": "20"},
        {"iterations": "777"},
        {"equivalence": "1", "duck": "1", "solved": "2"},
        {"determinization": "biased", "floor": "0.5", "without": "nil/ducked"},
    ],
)
def test_replay_searches_by_what_a_link_says(query):
    query = {"hand": "four-bots", "ply": "40", "iterations": "100", **query}
    app = open_page("", query, 30)
    for name in ("search", "bias"):
        app.session_state[f"replay_open_{name}"] = True
    app.run()
    assert not app.warning
    assert not app.exception
    assert address(app) == query


def test_replay_says_which_options_do_not_go_together():
    app = open_page("", {"hand": "four-bots", "ply": "40", "duck": "1", "skew": "1"}, 30)
    assert "Not searched so: duck goes with neither skew nor bias" in texts(app)
    assert "In force: without equivalence, duck, solved" in texts(app)


@pytest.mark.usefixtures("empty_caches", "quick_judge")
def test_a_control_is_labelled_by_the_declaration_on_every_page():
    app = open_page("4_Tune", {"view": "ladder", "iterations": "100", "technique": "pikl"})
    option = BIAS_OPTIONS["lambda"]
    (slider,) = [one for one in app.select_slider if one.label == option.title]
    assert slider.help == option.help
    assert len(slider.options) == len(option.usual)
