# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is refused, with the sentences that say why."""

import pathlib
import tempfile
import unittest

import mla
import numpy
from mla import simulator
from support import CHIP, bundle, device

OTHER = {"gfx942": "gfx950", "gfx950": "gfx942"}[CHIP]


class Errors(unittest.TestCase):
    def refused(self, kind, sentence, call, *arguments, **keywords):
        with self.assertRaises(kind) as caught:
            call(*arguments, **keywords)
        self.assertIn(sentence, str(caught.exception))
        self.assertIsInstance(caught.exception, mla.Error)

    def loaded(self):
        return bundle(kv_format="bf16", page_size=4)

    def test_library(self):
        self.refused(mla.HipLibraryError, "/nowhere/libamdhip64.so", mla.Device.open, "/nowhere/libamdhip64.so")

    def test_devices(self):
        device()
        self.refused(mla.NoDevice, f"simulates a {CHIP} of 4 compute units", mla.Device.open, simulator=OTHER)
        self.refused(mla.NoDevice, "there is no device 3", mla.Device.open, ordinal=3, simulator=CHIP)
        self.refused(mla.InvalidArgument, "with simulator only", mla.Device.open, compute_units=4)

    def test_bundles(self):
        self.refused(mla.BundleError, "No such file", mla.Bundle, "/nowhere/a.mlab")
        path = mla.compile(chip=OTHER, kv_format="bf16")
        self.refused(mla.ChipError, f"built for {OTHER}", mla.Bundle, path, device())
        # Without a device it can be asked all the same, but makes no plan.
        unloaded = mla.Bundle(path)
        self.assertEqual(unloaded.problem.chip, OTHER)
        self.assertEqual(unloaded.kernels[0].scratch_bytes, 0)
        self.refused(mla.InvalidArgument, "a plan needs one", unloaded.plan, [0], [0], [])
        with tempfile.TemporaryDirectory() as folder:
            cut = pathlib.Path(folder) / "cut.mlab"
            cut.write_bytes(path.read_bytes()[:-1])
            self.refused(mla.BundleError, "it is truncated", mla.Bundle, cut, device())

    def test_compiling(self):
        self.refused(mla.CompileError, "unknown chip 'gfx90a'; known are", mla.compile, chip="gfx90a")
        self.refused(mla.CompileError, "--no-such-thing", mla.compile, chip=CHIP, no_such_thing=1)

    def test_shapes(self):
        plan = self.loaded().plan
        self.refused(mla.ShapeError, "with page size 4 it must be 1 to 4", plan, [0, 1], [0, 2], [5])
        self.refused(mla.ShapeError, "qo_indptr has 1 entries, but a batch of 1", plan, [0], [0, 2], [4])
        self.refused(mla.ShapeError, "kv_indptr has 3 entries, but a batch of 1", plan, [0, 1], [0, 2, 3], [4])
        self.refused(mla.ShapeError, "kv_indices[1] is 9", plan, [0, 1], [0, 2], [4], [0, 9], 9)
        self.refused(mla.ShapeError, "kv_indices has only 1 entries", plan, [0, 1], [0, 2], [4], [0], 9)
        self.refused(mla.ShapeError, "kv_indices has only 0 entries", plan, [0, 1], [0, 2], [4], [], 9)
        self.refused(mla.InvalidArgument, "go together", plan, [0, 1], [0, 2], [4], [0, 1])

    def test_arrays(self):
        plan = self.loaded().plan
        self.refused(mla.InvalidArgument, "type float64", plan, [0, 1.5], [0, 2], [4])
        self.refused(mla.InvalidArgument, "2 dimensions", plan, [[0, 1]], [0, 2], [4])
        self.refused(mla.InvalidArgument, "do not fit 32 bits", plan, [0, 1], [0, 2**31], [4])
        # Other integers, strides and tuples are as good.
        wide = numpy.array([0, 0, 1, 1], numpy.int64)[::2]
        self.assertEqual(plan(wide, (0, 2), numpy.array([4], numpy.uint8)).info.workgroups, 1)

    def test_pointers(self):
        plan = self.loaded().plan([0, 1], [0, 2], [4])
        memory = simulator.to_device(device(), numpy.zeros(64, numpy.uint8)).data_ptr()
        self.refused(
            mla.InvalidArgument, "q is null, but", plan.run, q=None, cache=memory, kv_indices=memory, out=memory
        )
        self.refused(
            mla.InvalidArgument,
            "out must be aligned to 16 bytes",
            plan.run,
            q=memory,
            cache=memory,
            kv_indices=memory,
            out=memory + 2,
        )

    def test_a_failed_launch_does_not_spoil_the_plan(self):
        """The last share of a long sequence strays; the shares before it have arrived at its combination by then."""
        plan = self.loaded().plan([0, 1], [0, 200], [4])
        self.assertEqual(plan.info.partials, 4)
        pages = numpy.arange(200, dtype=numpy.int32)
        bad = pages.copy()
        bad[199] = 1 << 28
        out = simulator.to_device(device(), numpy.zeros((1, 16, 512), numpy.uint16))

        def run(value, table):
            plan.run(
                q=simulator.to_device(device(), simulator.bf16(numpy.ones((1, 16, 576)))),
                cache=simulator.to_device(device(), simulator.bf16(numpy.full((200 * 4, 576), value))),
                kv_indices=simulator.to_device(device(), table),
                out=out,
            )

        for reset in False, True:
            # What the failed run left outweighs what the next finds, were it to be combined with that.
            self.refused(mla.HipError, "cannot launch the kernel mla_attend", run, 2, bad)
            if reset:
                plan.reset()
            run(1, pages)
            self.assertTrue((simulator.from_bf16(simulator.from_device(out)) == 1).all())


if __name__ == "__main__":
    unittest.main()
