"""Bit tricks, random numbers and the cache of compiled code."""

import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

import spades
import spades.agents
import spades.core.kernel as kernels
from spades.core import kernel_cache
from spades.core.kernel import (
    below,
    gather_bits,
    highest,
    kernel,
    lowest,
    mixed,
    next_state,
    nth_bit,
    popcount,
    seconds_compiling,
    seed_state,
    spread_bits,
    unit,
)

MASK_64 = (1 << 64) - 1
EDGES = [0, 1, 2, 1 << 62, 1 | 1 << 62, (1 << 63) - 1, (1 << 62) - 1, 0xFFFF, 0x5555 << 40]
masks = st.integers(0, (1 << 63) - 1) | st.sampled_from(EDGES)
words = st.integers(0, MASK_64) | st.sampled_from([0, 1, MASK_64, 1 << 63])


@numba.njit
def compiled_popcount(mask):
    return popcount(mask)


@numba.njit
def compiled_lowest(mask):
    return lowest(mask)


@numba.njit
def compiled_highest(mask):
    return highest(mask)


@numba.njit
def compiled_spread_bits(source, mask):
    return spread_bits(source, mask)


@numba.njit
def compiled_gather_bits(source, mask):
    return gather_bits(source, mask)


# Bit tricks


@given(masks)
def test_popcount(mask):
    assert compiled_popcount(mask) == popcount(mask) == bin(mask).count("1")


@given(masks.filter(bool))
def test_lowest_and_highest(mask):
    bits = [i for i in range(63) if mask >> i & 1]
    assert compiled_lowest(mask) == lowest(mask) == bits[0]
    assert compiled_highest(mask) == highest(mask) == bits[-1]


def spread_by_hand(source, mask):
    bits = [i for i in range(63) if mask >> i & 1]
    return sum(1 << bit for k, bit in enumerate(bits) if source >> k & 1)


@given(masks, masks)
def test_spread_bits(source, mask):
    expected = spread_by_hand(source, mask)
    assert spread_bits(source, mask) == expected
    assert compiled_spread_bits(source, mask) == expected


@pytest.fixture(scope="module")
def spread_by_loop():
    """What a processor without PDEP compiles."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "HAS_PDEP", False)
        by_loop = kernels._spread_bits(0, 0)
    assert by_loop is kernels._spread
    return numba.njit(by_loop)


@given(source=masks, mask=masks)
def test_spread_bits_without_pdep(spread_by_loop, source, mask):
    assert spread_by_loop(source, mask) == spread_by_hand(source, mask)


def gather_by_hand(source, mask):
    bits = [i for i in range(63) if mask >> i & 1]
    return sum((source >> bit & 1) << k for k, bit in enumerate(bits))


@pytest.fixture(scope="module")
def gather_by_loop():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "HAS_PDEP", False)
        return numba.njit(kernels._gather_bits(0, 0))


@given(source=masks, mask=masks)
def test_gather_bits(gather_by_loop, source, mask):
    expected = gather_by_hand(source, mask)
    assert gather_bits(source, mask) == compiled_gather_bits(source, mask) == expected
    assert gather_by_loop(source, mask) == expected


@pytest.mark.parametrize("mask", EDGES[1:])
def test_nth_bit(mask):
    bits = [i for i in range(63) if mask >> i & 1]
    for n, bit in enumerate(bits):
        assert nth_bit(mask, n) == nth_bit.py_func(mask, n) == 1 << bit


# Random numbers


def splitmix64(state):
    """Steele, Lea, Flood (2014) in integers of any size: (output, next state)."""
    state = (state + 0x9E3779B97F4A7C15) & MASK_64
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK_64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK_64
    return z ^ (z >> 31), state


@given(words)
def test_next_state_and_mixed_are_splitmix64(word):
    output, state = splitmix64(word)
    assert next_state(np.uint64(word)) == state
    assert mixed(np.uint64(state)) == output
    with np.errstate(over="ignore"):
        assert next_state.py_func(np.uint64(word)) == state
        assert mixed.py_func(np.uint64(state)) == output


def test_published_outputs_of_splitmix64():
    """The first outputs from the seed 1234567, as published with the generator."""
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    state = np.uint64(1234567)
    for output in expected:
        state = np.uint64(next_state(state))
        assert mixed(state) == output


def stream(seed, n):
    """``n`` words of 64 random bits from a seed, drawn by the kernels."""
    state, drawn = seed_state(seed), []
    for _ in range(n):
        state = np.uint64(next_state(state))
        drawn.append(np.uint64(mixed(state)))
    return drawn


@given(words, st.integers(1, 1 << 20))
def test_below_stays_in_range(bits, n):
    drawn = below(np.uint64(bits), n)
    assert 0 <= drawn < n
    assert drawn == (bits & 0xFFFFFFFF) * n >> 32
    assert below.py_func(np.uint64(bits), n) == drawn


def test_below_reaches_both_ends():
    assert below(np.uint64(0), 13) == 0
    assert below(np.uint64(MASK_64), 13) == 12
    assert below(np.uint64(MASK_64), 1) == 0


@pytest.mark.parametrize("n", [2, 3, 7, 13, 52])
def test_below_is_uniform(n):
    counts = np.bincount([below(bits, n) for bits in stream(n, 400 * n)], minlength=n)
    assert chisquare(counts).pvalue > 1e-4


def test_unit_is_uniform_in_0_to_1():
    assert unit(np.uint64(0)) == 0.0
    assert unit(np.uint64(MASK_64)) < 1.0
    drawn = [unit(bits) for bits in stream(5, 5_000)]
    assert kstest(drawn, "uniform").pvalue > 1e-4


@given(words)
def test_unit_equals_its_plain_twin(bits):
    assert unit(np.uint64(bits)) == unit.py_func(np.uint64(bits)) == (bits >> 11) / 2**53


def test_seeds_and_streams_give_different_states():
    states = {int(seed_state(seed, stream)) for seed in range(500) for stream in range(20)}
    assert len(states) == 10_000
    assert seed_state(3) == seed_state(3, 0)
    assert isinstance(seed_state(3), np.uint64)


@pytest.mark.parametrize("seed", [0, -1, 2**63, 2**64 - 1, 2**70])
def test_any_integer_is_a_seed(seed):
    assert 0 <= int(seed_state(seed)) <= MASK_64


def test_streams_of_one_seed_are_unrelated():
    """Bits of neighbouring streams agree in half of the places."""
    agreements = []
    for seed in range(200):
        a, b = int(mixed(seed_state(seed, 1))), int(mixed(seed_state(seed, 2)))
        agreements.append(64 - (a ^ b).bit_count())
    assert 31 < np.mean(agreements) < 33
    first, second = stream(1, 50), stream(2, 50)
    assert not set(map(int, first)) & set(map(int, second))


# The cache of compiled code


CALLER = """
from spades.core.kernel import kernel

STEP = {step}

@kernel
def callee(x):
    {callee}

@kernel
def caller(x):
    {caller}
"""


def fingerprint_of(*, step=1, callee="return x + STEP", caller="return callee(x) * 2"):
    scope = {"__name__": "spades.made_up"}
    exec(CALLER.format(step=step, callee=callee, caller=caller), scope)
    return kernel_cache.fingerprint(scope["caller"])


@pytest.mark.parametrize(
    "edit",
    [
        {"caller": "y = callee(x)\n    return y * 2", "callee": "return x + STEP  # a comment"},
        {"caller": "z = callee(x)\n    return z * 2", "callee": "'Adds.'\n    return x + STEP"},
        {"caller": "\n\n    y_of_another_name = callee(x)\n    return y_of_another_name * 2"},
    ],
)
def test_edits_that_compile_to_the_same_keep_the_fingerprint(edit):
    assert fingerprint_of(**edit) == fingerprint_of(caller="y = callee(x)\n    return y * 2")


@pytest.mark.parametrize(
    "edit",
    [
        {"step": 2},
        {"step": 1.0},
        {"callee": "return x - STEP"},
        {"caller": "return callee(x) * 3"},
        {"caller": "return callee(x) + 2"},
    ],
)
def test_edits_that_compile_to_something_else_change_the_fingerprint(edit):
    assert fingerprint_of(**edit) != fingerprint_of()


def test_what_a_kernel_names_in_a_module_counts():
    def of(step):
        module = types.ModuleType("spades.made_up_too")
        module.STEP = step
        scope = {"__name__": "spades.made_up", "module": module}
        lines = "from spades.core.kernel import kernel", "@kernel", "def add(x):"
        exec("\n".join([*lines, "    return x + module.STEP"]), scope)
        return kernel_cache.fingerprint(scope["add"])

    assert of(1) == of(1)
    assert of(1) != of(2)


FINGERPRINTS = """
import importlib, json, pkgutil, sys, spades
from numba.core.dispatcher import Dispatcher
from spades.core.kernel_cache import fingerprint
names = [module.name for module in pkgutil.walk_packages(spades.__path__, "spades.")]
for name in sorted(names, reverse=sys.argv[1] == "2"):
    if not name.endswith("__main__"):
        importlib.import_module(name)
kernels = {value for name, module in list(sys.modules.items()) if name.startswith("spades")
           for value in vars(module).values() if isinstance(value, Dispatcher)}
prints = {f"{k.py_func.__module__}.{k.py_func.__qualname__}": fingerprint(k) for k in kernels}
print(json.dumps(prints, sort_keys=True))
"""


@pytest.mark.slow
def test_fingerprints_are_the_same_in_every_process():
    runs = [
        subprocess.run(
            [sys.executable, "-c", FINGERPRINTS, seed],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        for seed in ("1", "2")
    ]
    first, second = (json.loads(run.stdout) for run in runs)
    assert len(first) > 100
    assert first == second


def test_kernels_unused_for_a_month_are_swept(tmp_path):
    for days in (0, 29, 31):
        path = tmp_path / f"{days}.nbc"
        path.write_bytes(b"")
        os.utime(path, (time.time() - days * 86400,) * 2)
    kernel_cache.sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.nbc", "29.nbc"]


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"SPADES_CACHE": "/x/y"}, "/x/y"),
        ({"SPADES_CACHE": "", "XDG_CACHE_HOME": "/z"}, "/z/spades-decision-lab"),
        ({"SPADES_CACHE": "", "XDG_CACHE_HOME": "", "HOME": "/h"}, "/h/.cache/spades-decision-lab"),
    ],
)
def test_place_of_the_cache(monkeypatch, environment, expected):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert kernel_cache.cache_root() == Path(expected)


FLIP_COINS = """
import json, numpy as np
from spades.belief.determinize import _coin_flips
flips = int(_coin_flips(8, 1, np.uint64(7)))
stats = _coin_flips.stats
print(json.dumps([flips, sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]))
"""


def flip_coins(folder, cache):
    """Run a kernel of the copy in ``folder``: (value, cache hits, cache misses)."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "SPADES_CACHE": str(cache)}
    run = subprocess.run(
        [sys.executable, "-B", "-c", FLIP_COINS],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout)


@pytest.mark.slow
def test_only_an_edit_that_matters_compiles_anew(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(spades.__file__).parent, tmp_path / "spades", ignore=ignored)
    cache = tmp_path / "cache"
    first, *how = flip_coins(tmp_path, cache)
    assert how == [0, 1]
    assert flip_coins(tmp_path, cache) == [first, 1, 0]

    callee = tmp_path / "spades" / "core" / "kernel.py"
    text = callee.read_text()
    callee.write_text("# one line down\n" + text)
    assert flip_coins(tmp_path, cache) == [first, 1, 0]

    assert text.count("return state + _GAMMA") == 1
    callee.write_text(text.replace("return state + _GAMMA", "return state - _GAMMA"))
    second, *how = flip_coins(tmp_path, cache)
    assert how == [0, 1]
    assert second != first

    callee.write_text(text)
    assert flip_coins(tmp_path, cache) == [first, 1, 0]


@pytest.mark.slow
def test_processes_that_start_at_once_compile_a_kernel_once(tmp_path):
    environment = {**os.environ, "SPADES_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", FLIP_COINS]
    options = {"env": environment, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, **options) for _ in range(4)]
    runs = [json.loads(process.communicate()[0]) for process in processes]
    assert sorted(misses for _, _, misses in runs) == [0, 0, 0, 1]


def test_a_claim_ends_with_its_process(tmp_path):
    claim = "import sys, pathlib; from spades.core import kernel_cache as cache; "
    claim += "cache.wait_and_claim(pathlib.Path(sys.argv[1]), 'kernel'); print(flush=True); input()"
    other = subprocess.Popen(
        [sys.executable, "-c", claim, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    other.stdout.readline()
    started = time.monotonic()
    threading.Timer(0.5, other.kill).start()
    kernel_cache.wait_and_claim(tmp_path, "kernel")
    assert 0.4 < time.monotonic() - started < kernel_cache.CLAIM_TIMEOUT / 2
    kernel_cache.release(tmp_path, "kernel")
    other.communicate()


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_done_without(tmp_path):
    (tmp_path / "file").write_text("")
    _, *how = flip_coins(Path(spades.__file__).parents[1], tmp_path / "file")
    assert how == [0, 1]


SCRIPT = """
from typing import NamedTuple
from spades.core.kernel import kernel

class Pair(NamedTuple):
    a: int
    b: int

@kernel
def total(pair):
    return pair.a + pair.b

@kernel
def multiple(pair):
    return TIMES * total(pair)

print(multiple(Pair(3, 4)))
"""


@pytest.mark.slow
def test_an_edited_script_with_types_of_its_own_runs_again(tmp_path):
    environment = {**os.environ, "SPADES_CACHE": str(tmp_path)}
    for times in (2, 3):  # the second time the callee hasn't changed
        command = [sys.executable, "-c", SCRIPT.replace("TIMES", str(times))]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert run.stdout == f"{7 * times}\n"


@settings(max_examples=20)
@given(st.integers(0, 2**32))
def test_python_twins_take_numpy_integers(seed):
    mask = random.Random(seed).getrandbits(63) | 1
    assert popcount(np.int64(mask)) == popcount(mask)
    assert lowest(np.int64(mask)) == lowest(mask)
    assert highest(np.int64(mask)) == highest(mask)
    assert spread_bits(np.int64(5), np.int64(mask)) == spread_bits(5, mask)


def test_the_seconds_of_compiling_are_known():
    @kernel
    def add_one(number):
        return number + 1

    before = seconds_compiling()
    add_one(1)
    after = seconds_compiling()
    assert after > before
    add_one(2)
    assert seconds_compiling() == after
