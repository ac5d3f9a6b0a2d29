# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The schedule: which workgroup does which rows. The compiler and the runtime make their tables with the same code."""

import dataclasses

import numpy
from numpy.typing import ArrayLike, NDArray

from mla import _native
from mla.runtime import int32, int32_array

# One share's part of one block. include/mla/Schedule/Schedule.h says what the members mean.
WORK_ITEM = numpy.dtype(
    [
        (name, numpy.int32)
        for name in (
            "query_row",
            "head_begin",
            "page_begin",
            "row_begin",
            "row_end",
            "partial",
            "combine_item",
            "reserved",
        )
    ]
)
# A block that is put together from partial results.
COMBINE_ITEM = numpy.dtype(
    [(name, numpy.int32) for name in ("query_row", "head_begin", "partial_begin", "partial_count")]
)


@dataclasses.dataclass(frozen=True)
class Tables:
    """Share i does work_items[work_indptr[i] : work_indptr[i + 1]]."""

    work_indptr: NDArray[numpy.int32]
    work_items: NDArray[numpy.void]  # of WORK_ITEM
    combine_items: NDArray[numpy.void]  # of COMBINE_ITEM
    partials: int


def tables(
    qo_indptr: ArrayLike,
    kv_indptr: ArrayLike,
    kv_last_page_len: ArrayLike,
    *,
    heads: int,
    workgroups: int,
    tile_rows: int,
    page_size: int = 1,
    heads_per_block: int = 16,
    partial_rows: int = 0,
    latency_rows: int = 0,
    saturating_workgroups: int = 0,
) -> Tables:
    """The tables for these lengths; raises ShapeError for lengths that contradict each other.

    The last three are what fewer shares save and cost, in rows (a bundle's manifest has those of its chip); with zeros
    there are as many shares as workgroups.
    """
    work_indptr, work_items, combine_items, partials = _native.tables(
        int32_array("qo_indptr", qo_indptr),
        int32_array("kv_indptr", kv_indptr),
        int32_array("kv_last_page_len", kv_last_page_len),
        int32("page_size", page_size),
        int32("heads", heads),
        int32("heads_per_block", heads_per_block),
        int32("workgroups", workgroups),
        int32("tile_rows", tile_rows),
        int32("partial_rows", partial_rows),
        int32("latency_rows", latency_rows),
        int32("saturating_workgroups", saturating_workgroups),
    )
    return Tables(
        work_indptr.reshape(-1),
        work_items.view(WORK_ITEM).reshape(-1),
        combine_items.view(COMBINE_ITEM).reshape(-1),
        partials,
    )
