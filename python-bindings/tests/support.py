# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests share: the simulated device, and attention in float64 that knows nothing of the compiler."""

import functools
import os

import mla
import numpy

CHIP = os.environ.get("MLA_TEST_CHIP", "gfx950")
COMPUTE_UNITS = 4
LATENT, ROW = 512, 576


@functools.cache
def device() -> mla.Device:
    return mla.Device.open(simulator=CHIP, compute_units=COMPUTE_UNITS)


@functools.cache
def bundle(**options) -> mla.Bundle:
    return mla.Bundle(mla.compile(chip=CHIP, **options), device())


def fp8_values(name: str) -> numpy.ndarray:
    """The numbers of all 256 codes of e4m3fn or e4m3fnuz (OCP 8-bit floating point specification, section 5)."""
    bias, nan = {"e4m3fn": (7, [0x7F, 0xFF]), "e4m3fnuz": (8, [0x80])}[name]
    codes = numpy.arange(256)
    exponent, mantissa = codes >> 3 & 15, codes & 7
    magnitude = numpy.where(
        exponent == 0, mantissa / 8 * 2.0 ** (1 - bias), (1 + mantissa / 8) * 2.0 ** (exponent - bias)
    )
    values = numpy.where(codes < 128, magnitude, -magnitude)
    values[nan] = numpy.nan
    return values


def to_fp8(array: numpy.ndarray, name: str) -> numpy.ndarray:
    """Codes of nearest numbers; which of two that are as near does not matter here."""
    values = fp8_values(name)
    codes = numpy.argsort(values)[: numpy.isfinite(values).sum()]
    ordered = values[codes]
    above = numpy.clip(numpy.searchsorted(ordered, array), 1, len(ordered) - 1)
    nearer = numpy.where(array - ordered[above - 1] < ordered[above] - array, above - 1, above)
    return codes[nearer].astype(numpy.uint8)


def attention(q, cache, lengths, page_size, pages, sm_scale):
    """out and lse of shape (total_q, heads, 512) and (total_q, heads), from arrays of float64."""
    qo_indptr, kv_indptr, kv_last_page_len = lengths
    out = numpy.zeros((len(q), q.shape[1], LATENT))
    lse = numpy.full(q.shape[:2], -numpy.inf)
    for sequence, last in enumerate(kv_last_page_len):
        table = pages[kv_indptr[sequence] : kv_indptr[sequence + 1]]
        if len(table) == 0:
            continue
        rows = (table[:, None] * page_size + numpy.arange(page_size)).reshape(-1)
        keys = cache[rows[: (len(table) - 1) * page_size + last]]
        for token in range(qo_indptr[sequence], qo_indptr[sequence + 1]):
            scores = sm_scale * q[token] @ keys.T
            top = scores.max(axis=1, keepdims=True)
            weights = numpy.exp(scores - top)
            total = weights.sum(axis=1, keepdims=True)
            out[token] = weights / total @ keys[:, :LATENT]
            lse[token] = (top + numpy.log(total))[:, 0]
    return out, lse
