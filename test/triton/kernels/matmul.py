"""Matrix products on the matrix cores."""

import triton
import triton.language as tl


@triton.jit
def matmul(
    a,
    b,
    out,
    m,
    n,
    k,
    stride_bk,
    stride_bn,
    scale,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """out = scale · a·b for any sizes; GROUP row blocks in a row share the columns of b in the cache.

    PRECISION says how f32 operands reach the matrix cores: "ieee", "tf32" (10 fraction bits), "bf16x3" (three products
    of bf16 parts).
    """
    accumulator: tl.constexpr = (
        tl.int32 if a.dtype.element_ty == tl.int8 else tl.float64 if a.dtype.element_ty == tl.float64 else tl.float32
    )
    program = tl.program_id(0)
    row_blocks = tl.cdiv(m, BLOCK_M)
    column_blocks = tl.cdiv(n, BLOCK_N)
    group = program // (GROUP * column_blocks)
    first = group * GROUP
    height = tl.minimum(row_blocks - first, GROUP)
    block_row = first + program % (GROUP * column_blocks) % height
    block_column = program % (GROUP * column_blocks) // height

    row = block_row * BLOCK_M + tl.arange(0, BLOCK_M)
    column = block_column * BLOCK_N + tl.arange(0, BLOCK_N)
    step = tl.arange(0, BLOCK_K)
    a_at = a + row[:, None] * k + step[None, :]
    b_at = b + step[:, None] * stride_bk + column[None, :] * stride_bn
    total = tl.zeros([BLOCK_M, BLOCK_N], accumulator)
    for begin in range(0, k, BLOCK_K):
        left = k - begin
        a_block = tl.load(a_at, mask=(row < m)[:, None] & (step < left)[None, :], other=0.0)
        b_block = tl.load(b_at, mask=(step < left)[:, None] & (column < n)[None, :], other=0.0)
        total = tl.dot(a_block, b_block, total, input_precision=PRECISION, out_dtype=accumulator)
        a_at += BLOCK_K
        b_at += BLOCK_K * stride_bk
    inside = (row < m)[:, None] & (column < n)[None, :]
    tl.store(out + row[:, None] * n + column[None, :], (total * scale).to(out.dtype.element_ty), mask=inside)


@triton.jit
def matmul_split_k(
    a, b, out, m, n, k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLITS: tl.constexpr
):
    """out += a·b (out f32), each program adding its part of k with atomics."""
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for begin in range(tl.program_id(2) * BLOCK_K, k, SPLITS * BLOCK_K):
        step = begin + tl.arange(0, BLOCK_K)
        a_block = tl.load(
            a + row[:, None] * k + step[None, :], mask=(row < m)[:, None] & (step < k)[None, :], other=0.0
        )
        b_block = tl.load(
            b + step[:, None] * n + column[None, :], mask=(step < k)[:, None] & (column < n)[None, :], other=0.0
        )
        total = tl.dot(a_block, b_block, total)
    inside = (row < m)[:, None] & (column < n)[None, :]
    tl.atomic_add(out + row[:, None] * n + column[None, :], total, mask=inside)


@triton.jit
def matmul_scaled(
    a,
    a_scale,
    b,
    b_scale,
    out,
    n,
    k,
    A_FORMAT: tl.constexpr,
    B_FORMAT: tl.constexpr,
    A_PACK: tl.constexpr,
    B_PACK: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """out = a·bᵀ of OCP microscaled matrices: an e8m0 scale for each 32 elements of k, PACK elements in a byte.

    a: (m, k / A_PACK) bytes, b: (n, k / B_PACK) bytes, scales (m or n, k / 32); sizes are multiples of the blocks.
    """
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    a_step = tl.arange(0, BLOCK_K // A_PACK)
    b_step = tl.arange(0, BLOCK_K // B_PACK)
    scale_step = tl.arange(0, BLOCK_K // 32)
    total = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for begin in range(0, k, BLOCK_K):
        a_block = tl.load(a + row[:, None] * (k // A_PACK) + begin // A_PACK + a_step[None, :])
        b_block = tl.load(b + column[None, :] * (k // B_PACK) + begin // B_PACK + b_step[:, None])
        a_scales = tl.load(a_scale + row[:, None] * (k // 32) + begin // 32 + scale_step[None, :])
        b_scales = tl.load(b_scale + column[:, None] * (k // 32) + begin // 32 + scale_step[None, :])
        total = tl.dot_scaled(a_block, a_scales, A_FORMAT, b_block, b_scales, B_FORMAT, total)
    tl.store(out + row[:, None] * n + column[None, :], total)
