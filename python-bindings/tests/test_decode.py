# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decode on the simulator against float64."""

import itertools
import unittest

import numpy
from mla import simulator
from support import LATENT, ROW, attention, bundle, device, fp8_values, to_fp8


def lengths_of(rows, page_size):
    """One query token a sequence."""
    pages = [-(-count // page_size) for count in rows]
    last = [count - (held - 1) * page_size if held else 0 for count, held in zip(rows, pages, strict=True)]
    return list(range(len(rows) + 1)), [0, *itertools.accumulate(pages)], last


class Case:
    """Normally distributed q and cache behind a shuffled page table."""

    def __init__(self, loaded, rows):
        self.problem = problem = loaded.problem
        random = numpy.random.default_rng(len(rows))
        self.lengths = lengths_of(rows, problem.page_size)
        pages = self.lengths[1][-1]
        self.pages = random.permutation(pages).astype(numpy.int32)
        self.q = simulator.bf16(random.standard_normal((len(rows), problem.heads, ROW)))
        cache = random.standard_normal((pages * problem.page_size, ROW))
        if problem.kv_format == "fp8":
            self.kv_scale = numpy.float32(abs(cache).max() / numpy.nanmax(fp8_values(problem.fp8)))
            self.cache = to_fp8(cache / self.kv_scale, problem.fp8)
            self.cache_values = fp8_values(problem.fp8)[self.cache] * float(self.kv_scale)
        else:
            self.kv_scale = numpy.float32(1)
            self.cache = simulator.bf16(cache)
            self.cache_values = simulator.from_bf16(self.cache).astype(float)
        self.plan = loaded.plan(*self.lengths, kv_indices=self.pages, num_pages=pages)

    def run(self):
        put = {name: simulator.to_device(device(), getattr(self, name)) for name in ("q", "cache", "pages")}
        scale = simulator.to_device(device(), self.kv_scale)
        out = simulator.to_device(device(), numpy.full((*self.q.shape[:2], LATENT), 0xFFFF, numpy.uint16))
        lse = simulator.to_device(device(), numpy.full(self.q.shape[:2], numpy.nan, numpy.float32))
        # One as an object, the other as the number that torch's data_ptr() gives.
        self.plan.run(
            q=put["q"],
            cache=put["cache"].data_ptr(),
            kv_indices=put["pages"],
            kv_scale=scale,
            out=out.data_ptr(),
            lse=lse,
            stream=0,
        )
        device().synchronize()
        return simulator.from_bf16(simulator.from_device(out)), simulator.from_device(lse)

    def expected(self):
        q = simulator.from_bf16(self.q).astype(float)
        problem = self.problem
        return attention(q, self.cache_values, self.lengths, problem.page_size, self.pages, problem.sm_scale)


class Decode(unittest.TestCase):
    def check(self, loaded, rows, bound):
        case = Case(loaded, rows)
        out, lse = case.run()
        expected_out, expected_lse = case.expected()
        self.assertLessEqual(numpy.linalg.norm(out - expected_out) / numpy.linalg.norm(expected_out), bound)
        empty = numpy.array(rows) == 0
        self.assertTrue((out[empty] == 0).all())
        self.assertTrue((lse[empty] == -numpy.inf).all())
        numpy.testing.assert_allclose(lse[~empty], expected_lse[~empty], rtol=0, atol=2e-3)
        return case.plan

    def test_bf16(self):
        plan = self.check(bundle(kv_format="bf16", page_size=4), [5, 130, 0, 401], 5e-3)
        # One sequence holds more rows than a share: something was combined.
        self.assertGreater(plan.info.partials, 0)
        self.assertEqual(plan.info.launches, 1)

    def test_fp8(self):
        """Q and P as two terms, so that little more than the rounding of the output is left."""
        self.check(bundle(heads=20, q_precision="fp8x2", p_precision="fp8x2"), [300, 17, 64], 6e-3)

    def test_kernels_of_their_own(self):
        loaded = bundle(kv_format="bf16", fuse=False)
        plan = self.check(loaded, [500, 1], 5e-3)
        self.assertEqual(plan.info.launches, len(loaded.kernels))

    def test_stored_tables_are_used(self):
        loaded = bundle(kv_format="bf16", batch=2, kv=(40, 7), workgroups=4)
        self.assertEqual(loaded.table_count, 1)
        self.assertTrue(loaded.plan(*lengths_of([40, 7], 1)).info.stored_tables)
        self.assertFalse(loaded.plan(*lengths_of([41, 7], 1)).info.stored_tables)


if __name__ == "__main__":
    unittest.main()
