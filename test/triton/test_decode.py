import ml_dtypes
import numpy as np
import pytest
from kernels.decode import mla_combine, mla_decode

slow = pytest.mark.slow
bf16 = np.dtype(ml_dtypes.bfloat16)
LATENT, ROPE = 512, 64
LOG2_E = 1.4426950408889634


def paged(random, lengths, page_size):
    """kv_indptr, shuffled kv_indices, kv_last_page_len and the number of pages in the cache, some used by nobody."""
    pages = [-(-length // page_size) for length in lengths]
    indptr = np.concatenate([[0], np.cumsum(pages)]).astype(np.int32)
    in_cache = int(indptr[-1]) + 3
    indices = random.permutation(in_cache)[: max(indptr[-1], 1)].astype(np.int32)
    last = np.array(
        [length - (count - 1) * page_size if count else 0 for length, count in zip(lengths, pages, strict=True)]
    )
    return indptr, indices, last.astype(np.int32), in_cache


def reference(q, cache, lengths, indptr, indices, page_size, scale):
    out = np.zeros((*q.shape[:2], LATENT))
    lse = np.full(q.shape[:2], -np.inf)
    for sequence, length in enumerate(lengths):
        if not length:
            continue
        row = np.arange(length)
        rows = cache[indices[indptr[sequence] + row // page_size].astype(np.int64) * page_size + row % page_size]
        scores = q[sequence] @ rows.T * scale
        largest = scores.max(axis=1, keepdims=True)
        weights = np.exp(scores - largest)
        total = weights.sum(axis=1, keepdims=True)
        out[sequence] = weights @ rows[:, :LATENT] / total
        lse[sequence] = (largest + np.log(total))[:, 0]
    return out, lse


def check_decode(device, compare, random, fp8, kind, heads, lengths, page_size, splits, block_n, options):
    dtype = fp8 if kind == "fp8" else bf16
    limit = float(ml_dtypes.finfo(dtype).max)
    indptr, indices, last, pages = paged(random, lengths, page_size)
    q = random.standard_normal((len(lengths), heads, LATENT + ROPE)).astype(np.float32)
    cache = random.standard_normal((pages * page_size, LATENT + ROPE)).astype(np.float32)
    q_scale, kv_scale = (np.float32([abs(x).max() / limit if kind == "fp8" else 1.0]) for x in (q, cache))
    q, cache = (q / q_scale).astype(dtype), (cache / kv_scale).astype(dtype)
    # What lies behind a sequence's last row, and in pages that belong to none, must not be used.
    used = np.zeros(len(cache), bool)
    for sequence, length in enumerate(lengths):
        row = np.arange(length)
        used[indices[indptr[sequence] + row // page_size] * page_size + row % page_size] = True
    cache[~used] = np.nan

    out = device.result((len(lengths), heads, LATENT), bf16)
    lse = device.result((len(lengths), heads), np.float32)
    partial_out = device.result((len(lengths), heads, splits, LATENT), np.float32)
    partial_lse = device.result((len(lengths), heads, splits), np.float32)
    scale = (LATENT + ROPE) ** -0.5
    kernel = device.run(
        mla_decode,
        (len(lengths), -(-heads // 16), splits),
        *(device.upload(array) for array in (q, cache, indptr, indices, last, q_scale, kv_scale)),
        partial_out,
        partial_lse,
        scale * LOG2_E,
        heads,
        page_size,
        splits,
        LATENT=LATENT,
        ROPE=ROPE,
        BLOCK_H=16,
        BLOCK_N=block_n,
        P_SCALE=limit / 2 if kind == "fp8" else 1.0,
        **options,
    )
    assert "mfma" in kernel.assembly
    device.run(mla_combine, (len(lengths) * heads,), partial_out, partial_lse, out, lse, splits, LATENT=LATENT)

    expected, expected_lse = reference(
        q.astype(np.float64) * q_scale[0],
        cache.astype(np.float64) * kv_scale[0],
        lengths,
        indptr,
        indices,
        page_size,
        scale,
    )
    # The weights are rounded to the type of the cache, the result to bf16.
    compare(out.read(), expected, 2.0**-4 if kind == "fp8" else 2.0**-7)
    compare(lse.read(), expected_lse, 2.0**-20)
    return kernel


@pytest.mark.parametrize(
    "kind, heads, lengths, page_size, splits, block_n, options",
    [
        ("bf16", 16, [100, 7, 0], 1, 2, 32, {"num_stages": 1}),
        ("fp8", 16, [150, 33, 0], 16, 2, 32, {"num_stages": 2}),
        pytest.param("fp8", 16, [300, 1], 1, 3, 64, {"num_stages": 1, "num_warps": 8}, marks=slow),
        pytest.param("bf16", 16, [129, 64], 64, 4, 16, {"num_stages": 2}, marks=slow),
        pytest.param("fp8", 128, [70], 64, 1, 32, {"num_stages": 1}, marks=slow),
        pytest.param("bf16", 12, [90], 8, 2, 32, {"num_stages": 1, "num_warps": 8}, marks=slow),
        pytest.param("fp8", 32, [200, 3], 4, 2, 128, {"num_stages": 1, "num_warps": 8}, marks=slow),
        pytest.param(
            "fp8", 16, [97], 1, 1, 32, {"num_stages": 1, "matrix_instr_nonkdim": 16, "num_warps": 2}, marks=slow
        ),
    ],
)
def test_split_kv_decode(device, compare, random, fp8, kind, heads, lengths, page_size, splits, block_n, options):
    check_decode(device, compare, random, fp8, kind, heads, lengths, page_size, splits, block_n, options)
