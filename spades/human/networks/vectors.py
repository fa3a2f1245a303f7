"""Sums over rows of floats in vector registers, 16 at a time, for the layers of a network.

Without this the compiler checks each row for overlap and finishes it float by float, which costs
more than the sums. Here lengths are multiples of ``LANES`` (``.model`` pads them), arrays are
float32, and each is addressed by an offset, since a slice costs more than a short row. The plain
functions define what the compiled ones do, up to the order of the sums.
"""

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from spades.core.kernel import overload

LANES = 16
_AT_ONCE = 4  # vectors of a row summed in registers at a time
_BYTE = 8
_FLOAT = ir.FloatType()
_INT = ir.IntType(64)
_VECTOR = ir.VectorType(_FLOAT, LANES)
_ZEROS = ir.Constant(_VECTOR, [0.0] * LANES)
_ANY_ORDER = ("reassoc", "contract", "nsz")


def list_positive(x, at, n, ids):
    """Write the indices of the positive ones of n floats from ``x[at]`` on into ``ids`` (int64);
    returns their number. ``ids`` needs room for 8 more than are listed."""
    positive = np.flatnonzero(x[at : at + n] > 0)
    ids[: len(positive)] = positive
    return len(positive)


def relu_dot(x, x_at, numbers, at, n):
    """Dot product of n floats each, negative ones of ``x`` counting as 0."""
    rectified = np.maximum(x[x_at : x_at + n], 0)
    return np.float32(rectified @ numbers[at : at + n])


def sum_rows(scratch, ids, n_ids, numbers, before, places, n):
    """Write n floats into ``scratch``: those of ``before`` plus the rows ``ids`` of a matrix, each
    times its input.

    ``places``: where the inputs begin in ``scratch``, the matrix (n wide) in ``numbers``, the
    addends in ``before``, and the result in ``scratch``. The arrays are separate arguments because
    a tuple of them would be reference-counted in every call."""
    x_at, at, before_at, out_at = places
    total = before[before_at : before_at + n].copy()
    for row in ids[:n_ids]:
        start = at + row * n
        total += scratch[x_at + row] * numbers[start : start + n]
    scratch[out_at : out_at + n] = total


@overload(list_positive, inline="always")
def _list_positive(x, at, n, ids):
    return lambda x, at, n, ids: _compiled_list(x, np.int64(at), np.int64(n), ids)


@overload(relu_dot, inline="always")
def _relu_dot(x, x_at, numbers, at, n):
    return lambda x, x_at, numbers, at, n: _compiled_dot(
        x, np.int64(x_at), numbers, np.int64(at), np.int64(n)
    )


@overload(sum_rows, inline="always")
def _sum_rows(scratch, ids, n_ids, numbers, before, places, n):
    return lambda scratch, ids, n_ids, numbers, before, places, n: _compiled_rows(
        scratch,
        ids,
        numbers,
        before,
        (
            np.int64(n_ids),
            np.int64(places[0]),
            np.int64(places[1]),
            np.int64(places[2]),
            np.int64(places[3]),
            np.int64(n),
        ),
    )


def _constant(n):
    return ir.Constant(_INT, n)


def _place(context, builder, array_type, array, at):
    """Pointer to an element of an array."""
    struct = context.make_array(array_type)(context, builder, array)
    return builder.gep(struct.data, [at])


def _load(builder, pointer):
    """The vector that begins at a float."""
    vector_pointer = builder.bitcast(pointer, _VECTOR.as_pointer())
    return builder.load(vector_pointer, align=4)


def _spread(builder, number, lanes=LANES):
    """The vector with a number in every lane."""
    index = ir.IntType(32)
    nothing = ir.Constant(ir.VectorType(number.type, lanes), ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(index, 0))
    zeros = ir.Constant(ir.VectorType(index, lanes), [0] * lanes)
    return builder.shuffle_vector(first, nothing, zeros)


def _add_product(builder, total, a, b):
    """total += a * b."""
    product = builder.fmul(a, b, flags=_ANY_ORDER)
    sum_so_far = builder.load(total)
    new_sum = builder.fadd(sum_so_far, product, flags=_ANY_ORDER)
    builder.store(new_sum, total)


@intrinsic
def _compiled_list(typingctx, x, at, n, ids):
    """Eight at a time by a table of all bytes: the places of a byte's set bits, then zeros.

    A loop over the set bits would end unpredictably, and the mispredicted branches would cost more
    than all else."""

    def codegen(context, builder, signature, args):
        xs = _place(context, builder, signature.args[0], args[0], args[1])
        target = _place(context, builder, signature.args[3], args[3], _constant(0))
        table = cgutils.global_constant(builder, "places_of_bits", _places_of_bits())
        count = cgutils.alloca_once_value(builder, _constant(0))
        n_vectors = builder.udiv(args[2], _constant(LANES))
        with cgutils.for_range(builder, n_vectors, intp=_INT) as loop:
            first = builder.mul(loop.index, _constant(LANES))
            vector = _load(builder, builder.gep(xs, [first]))
            above = builder.fcmp_ordered(">", vector, _ZEROS)
            bits = builder.zext(builder.bitcast(above, ir.IntType(LANES)), _INT)
            for start in range(0, LANES, _BYTE):
                shifted = builder.lshr(bits, _constant(start))
                byte = builder.and_(shifted, _constant(255))
                row = builder.gep(table, [_constant(0), byte])
                listed = builder.load(row, align=_BYTE)
                base = builder.add(first, _constant(start))
                wide = builder.zext(listed, ir.VectorType(_INT, _BYTE))
                wide = builder.add(wide, _spread(builder, base, _BYTE))
                done = builder.load(count)
                end = builder.gep(target, [done])
                pointer = builder.bitcast(end, wide.type.as_pointer())
                builder.store(wide, pointer, align=8)
                n_listed = builder.ctpop(byte)
                builder.store(builder.add(done, n_listed), count)
        return builder.load(count)

    return types.int64(x, types.int64, types.int64, ids), codegen


def _places_of_bits():
    """For each byte the places of its set bits, then zeros, (256, 8)."""
    rows = []
    for byte in range(256):
        places = [bit for bit in range(_BYTE) if byte >> bit & 1]
        n_zeros = _BYTE - len(places)
        rows.append(places + [0] * n_zeros)
    vector = ir.VectorType(ir.IntType(8), _BYTE)
    constants = [ir.Constant(vector, row) for row in rows]
    return ir.Constant(ir.ArrayType(vector, 256), constants)


@intrinsic
def _compiled_dot(typingctx, x, x_at, numbers, at, n):
    def codegen(context, builder, signature, args):
        xs = _place(context, builder, signature.args[0], args[0], args[1])
        row = _place(context, builder, signature.args[2], args[2], args[3])
        totals = [cgutils.alloca_once_value(builder, _ZEROS) for _ in range(2)]

        def add(total, at):
            vector = _load(builder, builder.gep(xs, [at]))
            above = builder.fcmp_ordered(">", vector, _ZEROS)
            rectified = builder.select(above, vector, _ZEROS)
            weights = _load(builder, builder.gep(row, [at]))
            _add_product(builder, total, rectified, weights)

        pairs = builder.udiv(args[4], _constant(2 * LANES))
        with cgutils.for_range(builder, pairs, intp=_INT) as loop:
            at = builder.mul(loop.index, _constant(2 * LANES))
            add(totals[0], at)
            add(totals[1], builder.add(at, _constant(LANES)))
        rest = builder.mul(pairs, _constant(2 * LANES))
        with builder.if_then(builder.icmp_signed("<", rest, args[4])):
            add(totals[0], rest)
        first, second = map(builder.load, totals)
        total = builder.fadd(first, second, flags=_ANY_ORDER)
        sum_up = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(_FLOAT, [_FLOAT, _VECTOR]),
            f"llvm.vector.reduce.fadd.v{LANES}f32",
        )
        zero = ir.Constant(_FLOAT, 0.0)
        return builder.call(sum_up, [zero, total], fastmath=["reassoc"])

    return types.float32(x, types.int64, numbers, types.int64, types.int64), codegen


@intrinsic
def _compiled_rows(typingctx, scratch, ids, numbers, before, places):
    def codegen(context, builder, signature, args):
        n_ids, x_at, at, before_at, out_at, n = cgutils.unpack_tuple(builder, args[4])

        def place(i, offset):
            return _place(context, builder, signature.args[i], args[i], offset)

        xs = place(0, x_at)
        target = place(0, out_at)
        listed = place(1, _constant(0))
        matrix = place(2, at)
        source = place(3, before_at)

        def sum_columns(start, n_vectors):
            places = [[builder.add(start, _constant(i * LANES))] for i in range(n_vectors)]
            totals = [cgutils.alloca_once(builder, _VECTOR) for _ in places]
            for place, total in zip(places, totals, strict=True):
                builder.store(_load(builder, builder.gep(source, place)), total)
            with cgutils.for_range(builder, n_ids, intp=_INT) as loop:
                row = builder.load(builder.gep(listed, [loop.index]))
                factor = _spread(builder, builder.load(builder.gep(xs, [row])))
                offset = builder.add(builder.mul(row, n), start)
                begin = builder.gep(matrix, [offset])
                for i, total in enumerate(totals):
                    vector = _load(builder, builder.gep(begin, [_constant(i * LANES)]))
                    _add_product(builder, total, vector, factor)
            for place, total in zip(places, totals, strict=True):
                pointer = builder.bitcast(builder.gep(target, place), _VECTOR.as_pointer())
                builder.store(builder.load(total), pointer, align=4)

        step = _constant(_AT_ONCE * LANES)
        n_wide = builder.udiv(n, step)
        with cgutils.for_range(builder, n_wide, intp=_INT) as loop:
            sum_columns(builder.mul(loop.index, step), _AT_ONCE)
        rest = builder.mul(n_wide, step)
        n_rest = builder.udiv(builder.sub(n, rest), _constant(LANES))
        for n_vectors in range(1, _AT_ONCE):
            with builder.if_then(builder.icmp_signed("==", n_rest, _constant(n_vectors))):
                sum_columns(rest, n_vectors)
        return context.get_dummy_value()

    return types.void(scratch, ids, numbers, before, places), codegen
