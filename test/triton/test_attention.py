import ml_dtypes
import numpy as np
import pytest
from kernels.attention import flash_attention

slow = pytest.mark.slow
LOG2_E = 1.4426950408889634


def reference(q, k, v, scale, causal):
    scores = np.einsum("hid,hjd->hij", q, k) * scale
    if causal:
        scores[:, ~np.tri(scores.shape[1], dtype=bool)] = -np.inf
    largest = scores.max(axis=2, keepdims=True)
    weights = np.exp(scores - largest)
    total = weights.sum(axis=2, keepdims=True)
    return weights @ v / total, (largest + np.log(total))[..., 0]


@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
@pytest.mark.parametrize(
    "kind, length, dim, block_m, block_n, options",
    [
        ("bf16", 200, 64, 64, 32, {}),
        ("fp8", 160, 128, 64, 64, {}),
        pytest.param("bf16", 256, 128, 128, 64, {"num_warps": 8, "num_stages": 1}, marks=slow),
        pytest.param("f16", 130, 64, 32, 32, {"num_warps": 1, "num_stages": 3}, marks=slow),
        pytest.param("bf16", 190, 64, 64, 64, {"matrix_instr_nonkdim": 32}, marks=slow),
        pytest.param("bf16", 33, 32, 16, 16, {"num_warps": 2, "waves_per_eu": 2}, marks=slow),
        pytest.param("fp8", 256, 64, 128, 128, {"num_warps": 4, "num_stages": 1}, marks=slow),
        pytest.param("bf16", 300, 128, 128, 128, {"num_warps": 8, "num_stages": 1}, marks=slow),
    ],
)
def test_flash_attention(device, compare, random, fp8, kind, length, dim, block_m, block_n, options, causal):
    dtype = {"bf16": np.dtype(ml_dtypes.bfloat16), "f16": np.dtype(np.float16), "fp8": fp8}[kind]
    q, k, v = (random.standard_normal((2, length, dim)).astype(np.float32).astype(dtype) for _ in range(3))
    scale = dim**-0.5
    out, lse = device.result(q.shape, np.float32), device.result(q.shape[:2], np.float32)
    kernel = device.run(
        flash_attention,
        (-(-length // block_m), 2),
        *(device.upload(array) for array in (q, k, v)),
        out,
        lse,
        length,
        scale * LOG2_E,
        DIM=dim,
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        CAUSAL=causal,
        **options,
    )
    assert "mfma" in kernel.assembly
    expected, expected_lse = reference(*(array.astype(np.float64) for array in (q, k, v)), scale, causal)
    # The weights are rounded to the type of v, so each part of an output is off by up to half a step of that type.
    compare(out.read(), expected, {"bf16": 2.0**-8, "f16": 2.0**-11, "fp8": 2.0**-4}[kind])
    compare(lse.read(), expected_lse, 2.0**-20)
