"""The rules of the house: who imports whom, who prints, who caches, what may run what it reads.

Everything is read from the sources; nothing is imported.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("layers")  # one worker parses the sources
ROOT = Path(__file__).resolve().parents[1]

# Rooms in the order in which data flows; those of one row don't import each other.
ROWS = [
    ["spades.core.errors"],
    ["spades.core.paths"],
    ["spades.look"],
    ["spades"],
    ["spades.core"],
    ["spades.notation"],
    ["spades.bidding"],
    ["spades.human"],
    ["spades.library"],
    ["spades.rule_based"],
    ["spades.belief"],
    ["spades.search"],
    ["spades.programs"],
    ["spades.agents"],
    ["spades.adapters", "spades.tables"],
    ["analysis"],
    ["analysis.runs"],
    ["analysis.logs"],
    ["analysis.decisions"],
    ["analysis.matches", "analysis.style"],
    ["analysis.disagreements", "analysis.models", "analysis.suites"],
    ["analysis.drill"],
    ["analysis.bidding"],
    ["analysis.review"],
    ["analysis.own_plays"],
    ["analysis.people"],
    ["analysis.nil"],
    ["analysis.sweeps"],
    ["analysis.papers"],
    ["analysis.notebook"],
    ["analysis.engine"],
    ["analysis.library"],
    ["analysis.plots"],
    ["ui"],
    ["pages", "app"],
    ["spades.cli"],
    ["experiments"],
    ["spades.__main__", "tests"],
]
ROW_OF = {room: row for row, rooms in enumerate(ROWS) for room in rooms}
TOP = len(ROWS) - 1
PAGES = ("app", "pages", "ui")
CACHES = ("cache_data", "cache_resource")
PANEL = "ui/shared/panel.py"
FRONT_DOOR = "spades/__init__.py"  # names what later rooms offer, and imports it when asked
LEAN = {"inlined_kernel", "lean_kernel", "lean_sum_kernel"}
DASHBOARD = (*PAGES, "analysis.plots")


def python_files():
    """Every source of the project, as paths below the root."""
    roots = ["spades", "analysis", "ui", "pages", "experiments", "tests"]
    found = [path for root in roots for path in (ROOT / root).rglob("*.py")]
    return sorted(path.relative_to(ROOT).as_posix() for path in [*found, ROOT / "app.py"])


FILES = python_files()
SHIPPED = [path for path in FILES if not path.startswith("tests/")]


@cache
def source_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def nodes_of(source):
    return list(ast.walk(ast.parse(source)))


@pytest.fixture(scope="module", autouse=True)
def forget_afterwards():
    """Millions of nodes slow the garbage collector in every test that follows."""
    yield
    nodes_of.cache_clear()


def offenders(check, paths):
    """What a check finds in each file where it finds something."""
    return {path: found for path in paths if (found := check(source_of(path), path))}


def module_of(path):
    """``spades.search`` of ``spades/search/__init__.py``."""
    parts = path.removesuffix(".py").split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module):
    """The longest name of a room that a module's name begins with; None outside the project."""
    parts = module.split(".")
    names = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    room = next((name for name in names if name in ROW_OF), None)
    if room == "spades" and module != "spades":
        raise AssertionError(f"{module} has no room: give it a row in tests/test_layers.py")
    return room


def literal_argument(node):
    """The module that ``import_module("x")`` or ``__import__("x")`` names, if it's a literal."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name in ("import_module", "__import__") and node.args:
        return getattr(node.args[0], "value", None)
    return None


def imports_of(source, path, known=frozenset()):
    """Modules that a source imports, anywhere in it; ``from x import y`` names x.y if known."""
    found = set()
    for node in nodes_of(source):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= _imported_from(node, path, known)
        elif isinstance(node, ast.Call) and isinstance(literal_argument(node), str):
            found.add(literal_argument(node))
    return found


def _imported_from(node, path, known):
    base = node.module or ""
    if node.level:
        package = path.removesuffix(".py").split("/")[: -node.level]
        base = ".".join([*package, *filter(None, [base])])
    inside = {f"{base}.{alias.name}" for alias in node.names}
    return {name for name in inside if name in known or name in ROW_OF} or {base}


MODULES = frozenset(map(module_of, FILES))


def backward_imports(source, path):
    """Imports of a later room, or of another room of the same row."""
    own = room_of(module_of(path))
    if ROW_OF[own] == TOP or path == FRONT_DOOR:
        return []
    return sorted(
        module
        for module in imports_of(source, path, MODULES)
        for room in [room_of(module)]
        if room is not None and room != own and ROW_OF[room] >= ROW_OF[own]
    )


def packages_of(source, path):
    return {module.split(".")[0] for module in imports_of(source, path)}


def misplaced_packages(source, path):
    """Packages imported where the house doesn't want them."""
    room, packages = room_of(module_of(path)), packages_of(source, path)
    in_library = room.startswith("spades")
    may_train = path.startswith("spades/human/training")
    unwanted = {
        "streamlit": room not in PAGES and not path.startswith("experiments/bench"),
        "plotly": room not in DASHBOARD,
        "pandas": path.startswith("spades/"),
        "torch": in_library and not may_train,
        "pickle": True,
        "cPickle": True,
        "dill": True,
        "shelve": True,
    }
    return sorted(package for package in packages if unwanted.get(package))


def called_names(source):
    for node in nodes_of(source):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield f".{node.func.attr}"


def code_from_data(source, path):
    """Calls that run what was read: eval, exec, pickles under another name."""
    unwanted = {"eval", "exec", ".read_pickle", ".to_pickle"}
    found = sorted(unwanted & set(called_names(source)))
    pickles = [
        node.arg
        for node in nodes_of(source)
        if isinstance(node, ast.keyword)
        and node.arg == "allow_pickle"
        and getattr(node.value, "value", True)
    ]
    return found + pickles


def prints(source, path):
    return path != "spades/cli/main.py" and "print" in called_names(source)


def own_caches(source, path):
    """Caches that a page's script makes: it is run anew at every click, and they with it."""
    is_script = path == "app.py" or path.startswith("pages/")
    return sorted(
        node.attr
        for node in nodes_of(source)
        if is_script and isinstance(node, ast.Attribute) and node.attr in CACHES
    )


def arrays_given_back(source, path):
    """Lean kernels that return what they index: numba would free that array too early."""
    found = []
    for function in nodes_of(source):
        if not isinstance(function, ast.FunctionDef):
            continue
        if not LEAN & {ast.unparse(decorator) for decorator in function.decorator_list}:
            continue
        parts = list(ast.walk(function))
        arrays = {ast.unparse(part.value) for part in parts if isinstance(part, ast.Subscript)}
        for part in parts:
            if isinstance(part, ast.Return) and part.value is not None:
                values = part.value.elts if isinstance(part.value, ast.Tuple) else [part.value]
                is_one = any(
                    ast.unparse(value) in arrays
                    or (isinstance(value, ast.Subscript) and ":" in ast.unparse(value.slice))
                    for value in values
                )
                found += [function.name] * is_one
    return found


def drawn_otherwise(source, path):
    """Charts, tables and downloads that Streamlit draws outside a panel."""
    names = {node.attr for node in nodes_of(source) if isinstance(node, ast.Attribute)}
    drawn = {"dataframe", "data_editor", "download_button", "pyplot"}
    charts = {name for name in names if name.endswith("_chart") and name.islower()}
    return sorted(names & drawn | charts)


def test_figures_tables_and_exports_are_parts_of_panels():
    pages = [path for path in SHIPPED if room_of(module_of(path)) in PAGES]
    drawn = offenders(drawn_otherwise, pages)
    assert drawn == {PANEL: ["dataframe", "download_button", "plotly_chart"]}


def test_data_flows_one_way():
    assert offenders(backward_imports, SHIPPED) == {}


def names_experiments(source, path):
    """Strings from which a module of the experiments could be imported."""
    return sorted(
        node.value
        for node in nodes_of(source)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith("experiments.")
    )


def test_one_place_imports_the_experiments():
    product = [path for path in SHIPPED if not path.startswith("experiments/")]
    assert set(offenders(names_experiments, product)) == {"analysis/experiments.py"}


def ways_to_run_what_a_text_names(source, path):
    """Imports of the module whose functions load the code that an agent's text names."""
    return sorted({"spades.agents.admission"} & imports_of(source, path, MODULES))


def test_pages_tables_and_files_run_nothing_that_a_text_names():
    """Only what a user has typed, in a command or in Python, is loaded."""
    assert set(offenders(ways_to_run_what_a_text_names, SHIPPED)) == {
        "analysis/library.py",
        "spades/adapters/open_spiel.py",
        "spades/cli/own.py",
    }
    for path in SHIPPED:
        if room_of(module_of(path)) in (*PAGES, "spades.tables", "spades.notation"):
            imported = imports_of(source_of(path), path, MODULES)
            assert not imported & {"analysis.library", "spades.adapters", "spades.cli.own"}, path


def loads_of_own_code(source, path):
    """Calls of ``load``, which imports a module that a text names, by the classes that have it."""
    return sorted(
        ast.unparse(node.func)
        for node in nodes_of(source)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "load"
        and ast.unparse(node.func.value) in ("role", "OwnCode", "PlayerCode", "BidderCode")
    )


def test_one_place_loads_what_a_text_names():
    assert set(offenders(loads_of_own_code, SHIPPED)) == {"spades/agents/admission.py"}


def test_packages_stay_in_their_rooms():
    assert offenders(misplaced_packages, SHIPPED) == {}


def test_the_library_does_not_print():
    assert offenders(prints, SHIPPED) == {}


def test_pages_make_no_caches():
    assert offenders(own_caches, SHIPPED) == {}


def test_lean_kernels_give_no_array_back():
    assert offenders(arrays_given_back, SHIPPED) == {}


def test_nothing_runs_what_it_reads():
    assert offenders(code_from_data, SHIPPED) == {}


def test_every_room_exists():
    assert set(ROW_OF) == {room_of(module_of(path)) for path in FILES} - {None}
