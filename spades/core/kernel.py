"""Compiled code: the one decorator, bit tricks on card masks, and random numbers.

Kernels take ints and arrays, validate nothing and get scratch memory and random state passed in.
``function.py_func`` is the plain Python twin of a kernel that calls no other; under
``NUMBA_DISABLE_JIT=1`` all of them are plain, the bit tricks too, and tests compare the two.
A kernel hands a random state back as a plain int: wrap it in ``np.uint64`` before passing it on.
"""

import math
import threading
import time
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic
from numba.extending import overload as numba_overload
from numba.extending import overload_method as numba_overload_method
from numpy.typing import NDArray

from spades.core.kernel_cache import OVERLOADS, KernelCache

Int = int | np.integer  # what kernels take and give: Python's or numpy's
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
HAS_PDEP = bool(llvm.get_host_cpu_features().get("bmi2", False))

_of_thread = threading.local()
_OPTIONS = {"nogil": True, "error_model": "numpy"}


def kernel(function):
    """Compile a function; under ``NUMBA_DISABLE_JIT=1`` it stays plain Python throughout."""
    return _compiled(function, _nrt=True)


def lean_kernel(function):
    """A ``kernel`` that neither makes arrays nor gives one back, for the innermost loops.

    Whoever calls it holds the arrays for as long, so that no references are counted. numba counts
    them wherever an array is handed on, which took a tenth of a search and a fifth of a network's
    answer. Making an array isn't compiled; giving one back would free it too early, which is why
    a test looks at what lean kernels return."""
    return _compiled(function, _nrt=False)


def inlined_kernel(function):
    """A ``lean_kernel`` that becomes part of its caller. A call hands on every array as seven
    numbers: with a dozen arrays that costs more than the work."""
    return _compiled(function, _nrt=False, forceinline=True)


def lean_sum_kernel(function):
    """A ``lean_kernel`` that may add floats in any order, so that long sums use vectors."""
    return _compiled(function, _nrt=False, fastmath={"reassoc", "contract", "nsz"})


def _compiled(function, **options):
    if numba.config.DISABLE_JIT:
        function.py_func = function
        return function
    return _Kernel(function, **_OPTIONS, **options)


class _Kernel(CPUDispatcher):
    """A compiled function. To the kernels that call it, it is ``inner``, which Python can't call:
    taking Python's arguments apart is a fifth of all compiling, a third where they are many.
    Kernels in ``__main__`` are not cached: their classes do not unpickle."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        options["nopython"] = True
        inner = options | {"no_cpython_wrapper": True}
        self.inner: Any = CPUDispatcher(function, targetoptions=inner)
        super().__init__(function, targetoptions=options)
        if function.__module__ != "__main__":
            for dispatcher in (self, self.inner):
                dispatcher._cache = KernelCache(dispatcher)  # type: ignore[attr-defined]

    def compile(self, sig: Any) -> Any:
        started = time.thread_time()
        try:
            return super().compile(sig)
        finally:
            _of_thread.compiling = seconds_compiling() + time.thread_time() - started

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self.inner.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self.inner.get_overload(sig)


def seconds_compiling() -> float:
    """Seconds of the processor that this thread has compiled kernels for, or loaded them."""
    return getattr(_of_thread, "compiling", 0.0)


def overload(plain: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """numba's ``overload``, noted for the fingerprints of the kernels that call ``plain``."""

    def register(compiled: Callable[..., Any]) -> Callable[..., Any]:
        OVERLOADS[plain] = compiled
        return numba_overload(plain, **options)(compiled)

    return register


def compiled_method(name: str) -> None:
    """Let kernels call the method ``name`` of a named tuple whose class has it as a kernel::

        class Uniform(NamedTuple):
            n_sides: int

            @inlined_kernel
            def roll(self, bits):
                return below(bits, self.n_sides)

    No named tuple that kernels take may have a field of that name.

    What a search is built of (playouts, biases) is passed in as such tuples: their numbers change
    from call to call, and each class is compiled into its caller without a branch."""

    how: dict[str, Any] = {"jit_options": {"forceinline": True, "_nrt": False}}

    @numba_overload_method(types.BaseNamedTuple, name, **how)
    def method(numbers, *args):
        function = getattr(numbers.instance_class, name, None)
        return function and (lambda numbers, *args: function(numbers, *args))


_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_U27 = np.uint64(27)
_U30 = np.uint64(30)
_U31 = np.uint64(31)
_U32 = np.uint64(32)
_LOW_32 = np.uint64(0xFFFFFFFF)


@intrinsic
def _ctpop(typingctx, x):
    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@intrinsic
def _cttz(typingctx, x):
    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@intrinsic
def _ctlz(typingctx, x):
    def codegen(context, builder, signature, args):
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


def _bmi2(name):
    """An instruction of BMI2 on two words."""

    def instruction(typingctx, source, mask):
        def codegen(context, builder, signature, args):
            word = ir.IntType(64)
            function_type = ir.FunctionType(word, [word, word])
            function = cgutils.get_or_insert_function(
                builder.module, function_type, f"llvm.x86.bmi.{name}.64"
            )
            return builder.call(function, args)

        return types.int64(types.int64, types.int64), codegen

    instruction.__name__ = name
    return intrinsic(instruction)


_pdep = _bmi2("pdep")
_pext = _bmi2("pext")


def popcount(mask):
    """Number of cards in a mask."""
    return int(mask).bit_count()


@overload(popcount, inline="always")
def _popcount(mask):
    return lambda mask: _ctpop(np.int64(mask))


def lowest(mask):
    """Code of the lowest set bit of a mask that isn't empty."""
    return (int(mask) & -int(mask)).bit_length() - 1


@overload(lowest, inline="always")
def _lowest(mask):
    return lambda mask: _cttz(np.int64(mask))


def highest(mask):
    """Code of the highest set bit of a mask that isn't empty."""
    return int(mask).bit_length() - 1


@overload(highest, inline="always")
def _highest(mask):
    return lambda mask: np.int64(63) - _ctlz(np.int64(mask))


def _spread(source, mask):
    source = int(source)
    mask = int(mask)
    result = 0
    while mask:
        low = mask & -mask
        if source & 1:
            result |= low
        source >>= 1
        mask ^= low
    return result


def spread_bits(source, mask):
    """The lowest bits of ``source`` laid, in order, on the set bits of ``mask`` (PDEP)."""
    return _spread(source, mask)


@overload(spread_bits, inline="always")
def _spread_bits(source, mask):
    if HAS_PDEP:
        return lambda source, mask: _pdep(np.int64(source), np.int64(mask))
    return _spread


def _gather(source, mask):
    source = int(source)
    mask = int(mask)
    result = 0
    n = 0
    while mask:
        low = mask & -mask
        result |= int(source & low != 0) << n
        mask ^= low
        n += 1
    return result


def gather_bits(source, mask):
    """The bits of ``source`` at the set bits of ``mask``, in order, as the lowest bits (PEXT)."""
    return _gather(source, mask)


@overload(gather_bits, inline="always")
def _gather_bits(source, mask):
    if HAS_PDEP:
        return lambda source, mask: _pext(np.int64(source), np.int64(mask))
    return _gather


@kernel
def nth_bit(mask, n):
    """The n-th set bit of a mask, counted from 0, as a one-card mask."""
    return spread_bits(np.int64(1) << np.int64(n), mask)


@kernel
def next_state(state):
    """Step of the SplitMix64 generator (Steele, Lea, Flood 2014); state is uint64."""
    return state + _GAMMA


@kernel
def mixed(state):
    """64 random bits from a state."""
    z = (state ^ (state >> _U30)) * _MIX_1
    z = (z ^ (z >> _U27)) * _MIX_2
    return z ^ (z >> _U31)


@kernel
def below(bits, n):
    """An integer in 0..n-1 from the low 32 of some random bits; off uniform by under n / 2**32."""
    return np.int64(((bits & _LOW_32) * np.uint64(n)) >> _U32)


@kernel
def unit(bits):
    """A float in [0, 1) from 53 of 64 random bits."""
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def two_normals(state: np.uint64) -> tuple[float, float, np.uint64]:
    """Two independent standard normals (Box and Muller 1958) and the random state."""
    first = next_state(state)
    second = next_state(first)
    radius = math.sqrt(-2.0 * math.log(1.0 - unit(mixed(first))))
    angle = 2.0 * math.pi * unit(mixed(second))
    return radius * math.cos(angle), radius * math.sin(angle), second


@kernel
def normal_below(x: float) -> float:
    """Standard normal distribution function."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def random_words(n: int, state: np.uint64) -> tuple[NDArray[np.uint64], np.uint64]:
    """64 random bits from each of the next ``n`` states, and the last of these."""
    states = np.uint64(state) + _GAMMA * np.arange(n + 1, dtype=np.uint64)
    return mixed.py_func(states[1:]), states[-1]


def seed_state(seed: int, stream: int = 0) -> np.uint64:
    """Random state of one stream of a seed; streams of one seed are unrelated."""
    low_64 = (1 << 64) - 1
    z = int(seed) * 0x9E3779B97F4A7C15 + int(stream) * 0xD1B54A32D192ED03 + 0x2545F4914F6CDD1D
    z &= low_64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & low_64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & low_64
    return np.uint64(z ^ (z >> 31))
