"""How large the house is, room by room: ``python -m tests.house``.

Lines of code are those that aren't blank, comment or docstring. The limits are those of
CONTRIBUTING.md; ``tests/test_layers.py`` holds the house to them."""

import ast
import io
import statistics
import tokenize
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOTS = ("pages", "ui", "cli", "spades", "analysis", "benchmarks", "data")
MAX_MODULES, MAX_FILE, MAX_FUNCTION, MAX_PARAMETERS, MAX_CROWDED = 30, 600, 50, 6, 10
_NOT_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENCODING, tokenize.ENDMARKER,
}  # fmt: skip


@dataclass
class Size:
    """Lines of a file or room: all of them, and of code; ``functions``: (lines, parameters)."""

    lines: int = 0
    code: int = 0
    functions: dict[str, tuple[int, int]] = field(default_factory=dict)


def product_files() -> list[Path]:
    """Every Python file of the product; tests don't count."""
    found = [path for root in ROOTS for path in (ROOT / root).rglob("*.py")]
    found += [ROOT / "app.py", ROOT / "setup.py"]
    return sorted(path.relative_to(ROOT) for path in found)


def size_of(path: Path) -> Size:
    source = (ROOT / path).read_text(encoding="utf-8")
    tree = ast.parse(source)
    docstrings = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    code = {
        line
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in _NOT_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    functions = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            n_given = sum(each.arg not in ("self", "cls") for each in given)
            n_lines = (node.end_lineno or node.lineno) - node.lineno + 1
            functions[f"{path}:{node.name}"] = n_lines, n_given
    return Size(len(source.splitlines()), len(code - docstrings), functions)


def room_of(path: Path) -> str:
    """``spades/search`` of a file in that folder, ``pages`` of one in that."""
    return "/".join(path.parts[:-1][:2]) or path.name


def measure() -> tuple[dict[str, Size], dict[str, int], Size]:
    """Sizes by room, modules by folder, and the whole house."""
    rooms: dict[str, Size] = defaultdict(Size)
    folders = Counter(path.parent.as_posix() for path in product_files())
    whole = Size()
    for path in product_files():
        size = size_of(path)
        for total in (rooms[room_of(path)], whole):
            total.lines += size.lines
            total.code += size.code
            total.functions |= size.functions
    return dict(rooms), dict(folders), whole


def main() -> None:
    rooms, folders, whole = measure()
    for name, size in [*rooms.items(), ("all", whole)]:
        print(f"{name:24} {size.lines:7,} lines {size.code:7,} of code")
    lengths = [lines for lines, _ in whole.functions.values()]
    crowded = {n: p for n, (_, p) in whole.functions.items() if p > MAX_PARAMETERS}
    print(f"functions: {len(lengths):,}, median {statistics.median(lengths)} lines")
    print(
        f"over {MAX_FUNCTION} lines:",
        [n for n, (c, _) in whole.functions.items() if c > MAX_FUNCTION],
    )
    print(f"over {MAX_PARAMETERS} parameters: {len(crowded)}", *sorted(crowded), sep="\n  ")
    print(
        f"folders of over {MAX_MODULES} modules:",
        [f for f, n in folders.items() if n > MAX_MODULES],
    )


if __name__ == "__main__":
    main()
