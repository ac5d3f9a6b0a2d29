"""What else the language offers: scans, sorting, gathers, random numbers, atomics, integer and library arithmetic."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def first_order(a1, b1, a2, b2):
    """Composition of x ↦ a·x + b, first 1, then 2."""
    return a1 * a2, b1 * a2 + b2


@triton.jit
def scans(x, sums, products, recurrence, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Along the rows: sums, reversed products, and r[i] = 0.5 · r[i-1] + x[i]."""
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    values = tl.load(x + at)
    tl.store(sums + at, tl.cumsum(values, axis=1))
    tl.store(products + at, tl.cumprod(values, axis=1, reverse=True))
    factors = tl.full([ROWS, COLUMNS], 0.5, tl.float32)
    _, result = tl.associative_scan((factors, values), 1, first_order)
    tl.store(recurrence + at, result)


@triton.jit
def order(x, ascending, largest_at, histogram, picked, index, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Sorted rows, where each row's largest value is, a histogram of x modulo 64, and x[row, index[row, ·]]."""
    row = tl.arange(0, ROWS)
    at = row[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    values = tl.load(x + at)
    tl.store(ascending + at, tl.sort(values, dim=1))
    tl.store(largest_at + row, tl.argmax(values, axis=1))
    bins = tl.histogram(tl.reshape(values & 63, [ROWS * COLUMNS]), 64)
    tl.store(histogram + tl.arange(0, 64), bins)
    tl.store(picked + at, tl.gather(values, tl.load(index + at), axis=1))


@triton.jit
def shapes(x, transposed, interleaved, flipped, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row, column = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    at = row[:, None] * COLUMNS + column[None, :]
    values = tl.load(x + at)
    tl.store(transposed + column[:, None] * ROWS + row[None, :], tl.trans(values))
    tl.store(
        interleaved + row[:, None] * (2 * COLUMNS) + tl.arange(0, 2 * COLUMNS)[None, :], tl.interleave(values, -values)
    )
    tl.store(flipped + at, tl.flip(values, 1))


@triton.jit
def random_bits(out, seed, count, BLOCK: tl.constexpr):
    """Philox 4x32, ten rounds: counter (position, 0, 0, 0), key (seed, 0)."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.randint4x(seed, at)
    inside = at < count
    tl.store(out + 4 * at, a, mask=inside)
    tl.store(out + 4 * at + 1, b, mask=inside)
    tl.store(out + 4 * at + 2, c, mask=inside)
    tl.store(out + 4 * at + 3, d, mask=inside)


@triton.jit
def integers(x, y, quotient, remainder, high, shifted, bits, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    a = tl.load(x + at, mask=inside, other=1)
    b = tl.load(y + at, mask=inside, other=1)
    tl.store(quotient + at, a // b, mask=inside)
    tl.store(remainder + at, a % b, mask=inside)
    tl.store(high + at, tl.umulhi(a, b), mask=inside)
    tl.store(shifted + at, (a << (b & 7)) ^ (a >> (b & 7)), mask=inside)
    SIGNED: tl.constexpr = tl.int32 if a.dtype == tl.uint32 else tl.int64
    signed = a.to(SIGNED, bitcast=True)
    tl.store(bits + at, libdevice.popc(signed) * 100 + libdevice.clz(signed), mask=inside)


@triton.jit
def functions(x, y, out, count, NAME: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    a = tl.load(x + at, mask=inside, other=0.5)
    b = tl.load(y + at, mask=inside, other=0.5)
    if NAME == "exp":
        result = libdevice.exp(a)
    elif NAME == "log":
        result = libdevice.log(b)
    elif NAME == "sin":
        result = libdevice.sin(a)
    elif NAME == "tan":
        result = libdevice.tan(a)
    elif NAME == "tanh":
        result = libdevice.tanh(a)
    elif NAME == "erf":
        result = libdevice.erf(a)
    elif NAME == "pow":
        result = libdevice.pow(b, a)
    elif NAME == "sqrt":
        result = tl.sqrt_rn(b) if b.dtype == tl.float32 else tl.sqrt(b)
    elif NAME == "divide":
        result = tl.div_rn(a, b) if b.dtype == tl.float32 else a / b
    elif NAME == "atan2":
        result = libdevice.atan2(a, b)
    elif NAME == "fmod":
        result = libdevice.fmod(a, b)
    elif NAME == "round":
        result = libdevice.nearbyint(a) + 1000.0 * tl.floor(b)
    tl.store(out + at, result, mask=inside)


@triton.jit
def atomics_on_one(x, results, lock, counter, guarded, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    """Every kind of atomic by all lanes on results[0 … 5], tickets, and a value that a spin lock guards."""
    values = tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    zero = tl.zeros([BLOCK], tl.int32)
    tl.atomic_add(results + zero, values)
    tl.atomic_max(results + 1 + zero, values)
    tl.atomic_min(results + 2 + zero, values)
    tl.atomic_and(results + 3 + zero, values)
    tl.atomic_or(results + 4 + zero, values)
    tl.atomic_xor(results + 5 + zero, values)
    # Each program draws a ticket of its own.
    tl.store(counter + 1 + tl.atomic_add(counter, 1), 1)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(guarded, tl.load(guarded) + COUNT)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def atomics_on_many(x, largest, smallest, total, old, BLOCK: tl.constexpr):
    """Programs fold the blocks of x into one; old: what each addition found, in the lanes that add."""
    lane = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * BLOCK + lane)
    tl.atomic_max(largest + lane, values)
    tl.atomic_min(smallest + lane, values)
    tl.store(old + tl.program_id(0) * BLOCK + lane, tl.atomic_add(total + lane, values, mask=lane % 3 != 0))
