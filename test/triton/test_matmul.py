import re

import ml_dtypes
import numpy as np
import pytest
from kernels.matmul import matmul, matmul_scaled, matmul_split_k

slow = pytest.mark.slow
bf16 = ml_dtypes.bfloat16


def ceildiv(value, divisor):
    return -(-value // divisor)


def matrix_instructions(kernel):
    """Name endings of the kernel's matrix instructions: types, and for mixed ones the types of A and B."""
    return {match.split("_", 1)[1] for match in re.findall(r"v_mfma_[a-z0-9]+_([0-9x]+_?[a-z0-9_]+)", kernel.assembly)}


def run_matmul(device, a, b, blocks, out_type, layout="rows", scale=1.0, precision="ieee", **options):
    """b is given as (k, n) and lies in memory by rows or by columns. Returns the result and the kernel."""
    (m, k), n = a.shape, b.shape[1]
    b_device = device.upload(np.ascontiguousarray(b.T) if layout == "columns" else b)
    strides = (1, k) if layout == "columns" else (n, 1)
    block_m, block_n, block_k = blocks
    out = device.result((m, n), out_type)
    kernel = device.run(
        matmul,
        (ceildiv(m, block_m) * ceildiv(n, block_n),),
        device.upload(a),
        b_device,
        out,
        m,
        n,
        k,
        *strides,
        scale,
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        BLOCK_K=block_k,
        GROUP=2,
        PRECISION=precision,
        **options,
    )
    return out.read(), kernel


@pytest.mark.parametrize(
    "size, blocks, layout, options",
    [
        ((128, 128, 128), (64, 64, 32), "rows", {}),
        ((100, 90, 104), (32, 64, 64), "columns", {"num_warps": 8, "num_stages": 3}),
        pytest.param((128, 128, 128), (64, 64, 32), "columns", {}, marks=slow),
        pytest.param((128, 128, 128), (64, 64, 64), "rows", {"matrix_instr_nonkdim": 32, "num_stages": 1}, marks=slow),
        pytest.param((96, 160, 200), (32, 32, 32), "rows", {"matrix_instr_nonkdim": 32, "num_warps": 1}, marks=slow),
        pytest.param((96, 160, 200), (32, 32, 32), "columns", {"matrix_instr_nonkdim": 32, "num_warps": 1}, marks=slow),
        pytest.param((256, 256, 256), (128, 128, 64), "rows", {"num_warps": 8, "waves_per_eu": 2}, marks=slow),
        pytest.param((256, 256, 128), (256, 256, 32), "columns", {"num_warps": 8}, marks=slow),
        pytest.param((64, 64, 256), (16, 16, 128), "rows", {"num_warps": 2, "num_stages": 4}, marks=slow),
        pytest.param((64, 64, 256), (16, 16, 128), "columns", {"num_warps": 2, "num_stages": 4}, marks=slow),
        pytest.param((17, 33, 65), (16, 32, 32), "rows", {"num_warps": 2}, marks=slow),
    ],
)
@pytest.mark.parametrize("dtype", [bf16, pytest.param(np.float16, marks=slow)])
def test_matmul(device, compare, random, size, blocks, layout, options, dtype):
    m, n, k = size
    a = random.standard_normal((m, k)).astype(dtype)
    b = random.standard_normal((k, n)).astype(dtype)
    result, kernel = run_matmul(device, a, b, blocks, np.float32, layout, **options)
    assert "mfma" in kernel.assembly
    # The products are exact in f32; k additions each lose at most a step.
    compare(result, a.astype(np.float64) @ b.astype(np.float64), k * 2.0**-24)


@slow
def test_kpack(device, compare, random, chip):
    if chip == "gfx950":
        pytest.skip("Triton ignores kpack on gfx950")
    a = random.standard_normal((64, 128)).astype(bf16)
    b = random.standard_normal((128, 64)).astype(bf16)
    result, _ = run_matmul(device, a, b, (64, 64, 64), bf16, kpack=2, scale=0.125)
    compare(result, a.astype(np.float64) @ b.astype(np.float64) / 8, 2.0**-8)


@slow
@pytest.mark.parametrize("nonkdim", [16, 32])
@pytest.mark.parametrize(
    "precision, tolerance",
    [
        ("ieee", 64 * 2.0**-24),
        # Each operand is rounded to 10 fraction bits.
        ("tf32", 2.0**-10),
        # What the third of three bf16 parts and the small products would hold is missing.
        ("bf16x3", 2.0**-15),
    ],
)
def test_f32_matmul(device, compare, random, chip, nonkdim, precision, tolerance):
    if precision == "tf32" and chip == "gfx950":
        pytest.skip("gfx950 has no matrix instruction for tf32")
    a, b = (random.standard_normal((64, 64)).astype(np.float32) for _ in range(2))
    result, kernel = run_matmul(
        device, a, b, (32, 32, 32), np.float32, precision=precision, matrix_instr_nonkdim=nonkdim
    )
    assert {"ieee": "f32", "tf32": "xf32", "bf16x3": "bf16"}[precision] in matrix_instructions(kernel)
    compare(result, a.astype(np.float64) @ b.astype(np.float64), tolerance)


@slow
def test_f64_matmul(device, compare, random):
    a, b = (random.standard_normal((64, 64)) for _ in range(2))
    result, kernel = run_matmul(device, a, b, (32, 32, 32), np.float64)
    assert "f64" in matrix_instructions(kernel)
    compare(result, a @ b, 64 * 2.0**-53)


@slow
@pytest.mark.parametrize("nonkdim", [16, 32])
def test_i8_matmul(device, random, nonkdim):
    a, b = (random.integers(-128, 128, (64, 64), np.int8) for _ in range(2))
    result, kernel = run_matmul(device, a, b, (32, 32, 64), np.int32, matrix_instr_nonkdim=nonkdim)
    assert "i8" in matrix_instructions(kernel)
    np.testing.assert_array_equal(result, a.astype(np.int32) @ b.astype(np.int32))


@pytest.mark.parametrize(
    "size, blocks, layout, options, instructions",
    [
        (
            (64, 96, 256),
            (32, 32, 128),
            "rows",
            {"num_warps": 2, "matrix_instr_nonkdim": 16},
            {"gfx942": "v_mfma_f32_16x16x32_fp8_fp8", "gfx950": "v_mfma_f32_16x16x128_f8f6f4"},
        ),
        ((100, 70, 208), (32, 32, 64), "columns", {"matrix_instr_nonkdim": 16}, "v_mfma_f32_16x16x32_fp8_fp8"),
        pytest.param(
            (128, 128, 256),
            (64, 64, 128),
            "columns",
            {"matrix_instr_nonkdim": 32},
            {"gfx942": "v_mfma_f32_32x32x16_fp8_fp8", "gfx950": "v_mfma_f32_32x32x64_f8f6f4"},
            marks=slow,
        ),
        pytest.param((128, 128, 256), (64, 64, 128), "rows", {"matrix_instr_nonkdim": 32}, "mfma", marks=slow),
        pytest.param((64, 64, 256), (64, 64, 64), "columns", {}, "mfma", marks=slow),
        pytest.param((100, 70, 208), (32, 32, 64), "rows", {"num_stages": 1}, "mfma", marks=slow),
        pytest.param((256, 256, 128), (128, 128, 128), "rows", {"num_warps": 8, "num_stages": 2}, "mfma", marks=slow),
        pytest.param((256, 256, 128), (128, 128, 128), "columns", {"num_warps": 8}, "mfma", marks=slow),
    ],
)
def test_fp8_matmul(device, compare, random, chip, fp8, size, blocks, layout, options, instructions):
    m, n, k = size
    a = random.standard_normal((m, k)).astype(np.float32).astype(fp8)
    b = random.standard_normal((k, n)).astype(np.float32).astype(fp8)
    result, kernel = run_matmul(device, a, b, blocks, np.float32, layout, scale=0.25, **options)
    assert (instructions if isinstance(instructions, str) else instructions[chip]) in kernel.assembly
    compare(result, a.astype(np.float64) @ b.astype(np.float64) / 4, k * 2.0**-24)


@slow
def test_fp8_of_the_other_chip(device, compare, random, chip):
    """The format that the chip's matrix cores lack: Triton converts it to one that they have."""
    other = ml_dtypes.float8_e4m3fn if chip == "gfx942" else ml_dtypes.float8_e5m2
    a = random.standard_normal((64, 64)).astype(np.float32).astype(other)
    b = random.standard_normal((64, 64)).astype(np.float32).astype(other)
    result, _ = run_matmul(device, a, b, (32, 32, 64), np.float32)
    compare(result, a.astype(np.float64) @ b.astype(np.float64), 64 * 2.0**-24)


@pytest.mark.parametrize("splits", [2, pytest.param(5, marks=slow)])
def test_split_k_with_atomics(device, compare, random, splits):
    a = random.standard_normal((48, 320)).astype(bf16)
    b = random.standard_normal((320, 80)).astype(bf16)
    out = device.filled((48, 80), np.float32, 0)
    device.run(
        matmul_split_k,
        (2, 2, splits),
        device.upload(a),
        device.upload(b),
        out,
        48,
        80,
        320,
        BLOCK_M=32,
        BLOCK_N=64,
        BLOCK_K=32,
        SPLITS=splits,
    )
    compare(out.read(), a.astype(np.float64) @ b.astype(np.float64), 320 * 2.0**-24)


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def microscaled(random, rows, k, kind):
    """Random bytes of a matrix, bytes of its scales, and the values that they mean."""
    scales = random.integers(120, 134, (rows, k // 32), np.uint8)
    if kind == "e2m1":
        codes = random.integers(0, 16, (rows, k), np.uint8)
        data, values = codes[:, 0::2] | codes[:, 1::2] << 4, E2M1[codes]
    else:
        dtype = ml_dtypes.float8_e4m3fn if kind == "e4m3" else ml_dtypes.float8_e5m2
        values = random.standard_normal((rows, k)).astype(np.float32).astype(dtype)
        data = values.view(np.uint8)
    return data, scales, values.astype(np.float64) * np.repeat(np.exp2(scales.astype(np.float64) - 127), 32, axis=1)


@pytest.mark.parametrize(
    "a_kind, b_kind",
    [
        ("e4m3", "e2m1"),
        pytest.param("e4m3", "e4m3", marks=slow),
        pytest.param("e2m1", "e2m1", marks=slow),
        pytest.param("e5m2", "e4m3", marks=slow),
    ],
)
@pytest.mark.parametrize("nonkdim", [16, pytest.param(32, marks=slow)])
def test_microscaled_matmul(device, compare, random, chip, a_kind, b_kind, nonkdim):
    m, n, k = 64, 64, 256
    a, a_scale, a_values = microscaled(random, m, k, a_kind)
    b, b_scale, b_values = microscaled(random, n, k, b_kind)
    out = device.result((m, n), np.float32)
    kernel = device.run(
        matmul_scaled,
        (2, 1),
        *(device.upload(array) for array in (a, a_scale, b, b_scale)),
        out,
        n,
        k,
        A_FORMAT=a_kind,
        B_FORMAT=b_kind,
        A_PACK=1 + (a_kind == "e2m1"),
        B_PACK=1 + (b_kind == "e2m1"),
        BLOCK_M=32,
        BLOCK_N=64,
        BLOCK_K=128,
        matrix_instr_nonkdim=nonkdim,
    )
    assert ("v_mfma_scale_f32" in kernel.assembly) == (chip == "gfx950")
    compare(out.read(), a_values @ b_values.T, k * 2.0**-24)
