"""Kernels in which every program handles one block of a flat array or one row."""

import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    total = tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside)
    tl.store(out + at, total, mask=inside)


@triton.jit
def softmax(x, out, rows, columns, BLOCK: tl.constexpr):
    """Softmax of rows that fit one block; programs stride over the rows."""
    column = tl.arange(0, BLOCK)
    inside = column < columns
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        values = tl.load(x + row * columns + column, mask=inside, other=float("-inf")).to(tl.float32)
        weights = tl.exp(values - tl.max(values, axis=0))
        result = weights / tl.sum(weights, axis=0)
        tl.store(out + row * columns + column, result.to(out.dtype.element_ty), mask=inside)


@triton.jit
def online_softmax(x, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Softmax of rows longer than a block: one pass finds maximum and sum together, a second one writes."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    base = (row * columns)[:, None]
    largest = tl.full([ROWS], float("-inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    for begin in range(0, columns, BLOCK):
        column = begin + tl.arange(0, BLOCK)[None, :]
        inside = (row < rows)[:, None] & (column < columns)
        values = tl.load(x + base + column, mask=inside, other=-1.0e30).to(tl.float32)
        larger = tl.maximum(largest, tl.max(values, axis=1))
        total = total * tl.exp2((largest - larger) * 1.44269504) + tl.sum(
            tl.exp2((values - larger[:, None]) * 1.44269504), axis=1
        )
        largest = larger
    for begin in range(0, columns, BLOCK):
        column = begin + tl.arange(0, BLOCK)[None, :]
        inside = (row < rows)[:, None] & (column < columns)
        values = tl.load(x + base + column, mask=inside, other=-1.0e30).to(tl.float32)
        result = tl.exp2((values - largest[:, None]) * 1.44269504) / total[:, None]
        tl.store(out + base + column, result.to(out.dtype.element_ty), mask=inside)


@triton.jit
def convert(x, out, count, BLOCK: tl.constexpr):
    """Rounds to the type of `out`, through f32."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    values = tl.load(x + at, mask=inside).to(tl.float32)
    tl.store(out + at, values.to(out.dtype.element_ty), mask=inside)
