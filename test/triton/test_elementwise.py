import ml_dtypes
import numpy as np
import pytest
from kernels.elementwise import convert, online_softmax, softmax, vector_add

slow = pytest.mark.slow


def ceildiv(value, divisor):
    return -(-value // divisor)


# Half a step of the result's type; the sum itself is rounded once.
ROUNDING = {np.float64: 2.0**-53, np.float32: 2.0**-24, np.float16: 2.0**-11, ml_dtypes.bfloat16: 2.0**-8}


@pytest.mark.parametrize(
    "dtype, block, num_warps, count",
    [
        (np.float32, 1024, 4, 5000),
        (ml_dtypes.bfloat16, 2048, 8, 4099),
        pytest.param(np.float16, 256, 1, 1777, marks=slow),
        pytest.param(np.float64, 512, 2, 1025, marks=slow),
        pytest.param(np.float32, 128, 8, 300, marks=slow),
    ],
)
def test_vector_add(device, compare, random, dtype, block, num_warps, count):
    x, y = (random.standard_normal(count).astype(dtype) for _ in range(2))
    # Room behind the result shows stores that the mask should have stopped.
    out = device.result((count + block,), dtype)
    device.run(
        vector_add,
        (ceildiv(count, block),),
        device.upload(x),
        device.upload(y),
        out,
        count,
        BLOCK=block,
        num_warps=num_warps,
    )
    result = out.read()
    compare(result[:count], x.astype(np.float64) + y.astype(np.float64), ROUNDING[dtype])
    assert (result[count:].view(np.uint8) == 0xFF).all()


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_integer_add_wraps(device, random, dtype):
    limits = np.iinfo(dtype)
    x, y = (random.integers(limits.min, limits.max, 3000, dtype, endpoint=True) for _ in range(2))
    out = device.result(x.shape, dtype)
    device.run(vector_add, (3,), device.upload(x), device.upload(y), out, x.size, BLOCK=1024)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(out.read(), x + y)


FLOAT8 = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2]


def softmax_of(x):
    x = x.astype(np.float64)
    weights = np.exp(x - x.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    "dtype, columns, num_warps",
    [
        (np.float32, 781, 4),
        (ml_dtypes.bfloat16, 1500, 8),
        pytest.param(np.float32, 64, 1, marks=slow),
        pytest.param(np.float16, 257, 2, marks=slow),
        pytest.param(np.float32, 4096, 16, marks=slow),
        pytest.param(np.float32, 3, 4, marks=slow),
    ],
)
def test_softmax(device, compare, random, dtype, columns, num_warps):
    x = (random.standard_normal((13, columns)) * 4).astype(dtype)
    out = device.result(x.shape, dtype)
    block = 1 << (columns - 1).bit_length()
    device.run(softmax, (5,), device.upload(x), out, *x.shape, BLOCK=block, num_warps=num_warps)
    # f32: exp and the division each lose about a step, and the sum of 4096 terms a few.
    compare(out.read(), softmax_of(x), 2.0**-20 if dtype == np.float32 else ROUNDING[dtype])


@pytest.mark.parametrize(
    "rows, block, num_warps, num_stages",
    [
        (4, 128, 4, 2),
        pytest.param(1, 64, 1, 1, marks=slow),
        pytest.param(16, 64, 8, 3, marks=slow),
        pytest.param(8, 256, 4, 2, marks=slow),
    ],
)
def test_online_softmax(device, compare, random, rows, block, num_warps, num_stages):
    x = (random.standard_normal((18, 700)) * 4).astype(np.float32)
    out = device.result(x.shape, np.float32)
    device.run(
        online_softmax,
        (ceildiv(18, rows),),
        device.upload(x),
        out,
        *x.shape,
        ROWS=rows,
        BLOCK=block,
        num_warps=num_warps,
        num_stages=num_stages,
    )
    compare(out.read(), softmax_of(x), 2.0**-20)


@pytest.mark.parametrize("target", [*FLOAT8, ml_dtypes.bfloat16, np.float16])
def test_conversion_round_trip(device, random, target):
    """To a small type and back: in hardware where the chip has the format, else in Triton's own instructions."""
    limit = float(ml_dtypes.finfo(target).max) if target is not np.float16 else 65504.0
    x = (np.exp2(random.uniform(-9, 8, 4096)) * random.choice([-1, 1], 4096)).astype(np.float32)
    x = np.clip(x, -limit, limit)
    small = device.result(x.shape, target)
    device.run(convert, (4,), device.upload(x), small, x.size, BLOCK=1024)
    bits = f"u{small.dtype.itemsize}"
    np.testing.assert_array_equal(small.read().view(bits), x.astype(target).view(bits))
    back = device.result(x.shape, np.float32)
    device.run(convert, (4,), small, back, x.size, BLOCK=1024)
    np.testing.assert_array_equal(back.read(), x.astype(target).astype(np.float32))
