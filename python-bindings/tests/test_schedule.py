# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The schedule's tables as numpy sees them."""

import unittest

import mla
import numpy
from mla import schedule


def rows_of(kv_indptr, last, page_size):
    pages = numpy.diff(kv_indptr)
    return numpy.where(pages > 0, (pages - 1) * page_size + last, 0)


class Schedule(unittest.TestCase):
    def test_every_row_once(self):
        random = numpy.random.default_rng(7)
        for round in range(80):
            # Half of them with what more shares cost.
            rates = {"partial_rows": 27, "latency_rows": 128, "saturating_workgroups": 12} if round % 2 else {}
            batch, page_size = int(random.integers(1, 9)), int(random.choice([1, 4, 64]))
            heads, tile_rows = int(random.choice([8, 16, 40])), int(random.choice([16, 64]))
            workgroups = int(random.integers(1, 40))
            qo_indptr = numpy.concatenate([[0], numpy.cumsum(random.integers(0, 4, batch))])
            pages = random.integers(0, 30, batch)
            kv_indptr = numpy.concatenate([[0], numpy.cumsum(pages)])
            last = numpy.where(pages > 0, random.integers(1, page_size + 1, batch), 0)
            tables = schedule.tables(
                qo_indptr,
                kv_indptr,
                last,
                page_size=page_size,
                heads=heads,
                workgroups=workgroups,
                tile_rows=tile_rows,
                **rates,
            )
            shares = self.check(tables, qo_indptr, rows_of(kv_indptr, last, page_size), heads, tile_rows)
            self.assertLessEqual(len(shares), workgroups)
            if not rates:
                self.assertEqual(len(shares), min(workgroups, sum(shares)))
                self.assertLessEqual(max(shares, default=0) - min(shares, default=0), 1)

    def test_fewer_shares_where_combining_costs_more(self):
        lengths = [0, 1], [0, 512], [1]
        many = schedule.tables(*lengths, heads=16, workgroups=16, tile_rows=32)
        few = schedule.tables(*lengths, heads=16, workgroups=16, tile_rows=32, partial_rows=200)
        self.assertEqual(len(many.work_indptr), 17)
        self.assertLess(len(few.work_indptr), 17)

    def check(self, tables, qo_indptr, rows, heads, tile_rows):
        items, combines = tables.work_items, tables.combine_items
        sequence_of = numpy.repeat(numpy.arange(len(rows)), numpy.diff(qo_indptr))
        seen = {
            (token, head): numpy.zeros(rows[sequence], int)
            for token, sequence in enumerate(sequence_of)
            for head in range(0, heads, 16)
        }
        for item in items:
            seen[item["query_row"], item["head_begin"]][item["row_begin"] : item["row_end"]] += 1
        self.assertTrue(all((count == 1).all() for count in seen.values()))
        # Blocks without rows are dealt out too: somebody writes their zeros.
        self.assertEqual({(item["query_row"], item["head_begin"]) for item in items}, set(seen))

        tiles = numpy.maximum(1, -(-(items["row_end"] - items["row_begin"]) // tile_rows))
        shares = [
            tiles[begin:end].sum() for begin, end in zip(tables.work_indptr, tables.work_indptr[1:], strict=False)
        ]
        slots = numpy.sort(items["partial"][items["partial"] >= 0])
        numpy.testing.assert_array_equal(slots, numpy.arange(tables.partials))
        self.assertEqual(combines["partial_count"].sum(), tables.partials)
        return shares

    def test_types(self):
        tables = schedule.tables([0, 1], [0, 100], [1], heads=16, workgroups=4, tile_rows=32)
        self.assertEqual(tables.work_items.dtype.itemsize, 32)
        self.assertEqual(tables.combine_items.dtype.itemsize, 16)
        self.assertEqual(tables.work_indptr.tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(tables.work_items["row_end"].tolist(), [32, 64, 96, 100])

    def test_nothing_to_do(self):
        tables = schedule.tables([0], [0], [], heads=16, workgroups=4, tile_rows=32)
        self.assertEqual((tables.work_indptr.tolist(), len(tables.work_items), tables.partials), ([0], 0, 0))

    def test_contradictions_are_refused(self):
        with self.assertRaisesRegex(mla.ShapeError, "kv_indptr decreases from 5 to 3 at entry 2"):
            schedule.tables([0, 1, 2], [0, 5, 3], [1, 1], heads=16, workgroups=4, tile_rows=32)
        with self.assertRaisesRegex(mla.ShapeError, "workgroups is 0; it must be at least 1"):
            schedule.tables([0], [0], [], heads=16, workgroups=0, tile_rows=32)
        with self.assertRaisesRegex(mla.InvalidArgument, "heads is 4294967296, which does not fit 32 bits"):
            schedule.tables([0], [0], [], heads=2**32, workgroups=4, tile_rows=32)


if __name__ == "__main__":
    unittest.main()
