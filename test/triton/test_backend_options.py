"""The same kernels through other paths of Triton's AMD backend, each with instructions of its own."""

import re

import ml_dtypes
import numpy as np
import pytest
import triton
from test_decode import check_decode
from test_matmul import run_matmul

pytestmark = pytest.mark.slow

# Switches (fields of triton.knobs.amd, or environment variables), and a word that instructions then begin or end with,
# or after "no " do not.
PATHS = [
    ({"use_buffer_ops": False}, "no buffer_load"),
    ({"use_async_copy": False}, "no lds"),
    ({"use_async_copy": True}, "lds"),
    ({"use_in_thread_transpose": False}, ""),
    ({"use_in_thread_transpose": True}, ""),
    ({"TRITON_DEFAULT_FP_FUSION": "0"}, ""),
    # Almost no optimisation: spilled registers, calls of every helper inlined as they are.
    ({"DISABLE_LLVM_OPT": "1"}, ""),
]
every_path = pytest.mark.parametrize("switches, text", PATHS)


def select(monkeypatch, switches):
    # The names of cache entries do not depend on all of these switches.
    monkeypatch.setattr(triton.knobs.compilation, "always_compile", True)
    for name, value in switches.items():
        if name.isupper():
            monkeypatch.setenv(name, value)
        else:
            monkeypatch.setattr(triton.knobs.amd, name, value)


def check_text(kernel, text):
    wanted = text.removeprefix("no ")
    assert bool(re.search(rf"^\t.*\b{wanted}", kernel.assembly, re.MULTILINE)) == (wanted == text)


@every_path
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_matmul(device, compare, random, monkeypatch, layout, switches, text):
    select(monkeypatch, switches)
    a = random.standard_normal((200, 256)).astype(ml_dtypes.bfloat16)
    b = random.standard_normal((256, 130)).astype(ml_dtypes.bfloat16)
    result, kernel = run_matmul(device, a, b, (128, 128, 64), np.float32, layout, num_warps=8, num_stages=2)
    check_text(kernel, text)
    compare(result, a.astype(np.float64) @ b.astype(np.float64), 256 * 2.0**-24)


@every_path
def test_decode(device, compare, random, fp8, monkeypatch, switches, text):
    select(monkeypatch, switches)
    kernel = check_decode(device, compare, random, fp8, "fp8", 16, [150, 33, 0], 16, 2, 32, {"num_stages": 2})
    check_text(kernel, text)
