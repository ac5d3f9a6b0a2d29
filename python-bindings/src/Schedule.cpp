//===- Schedule.cpp - Schedule tables as numpy arrays ---------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Schedule/Schedule.h"
#include "Bindings.h"

#include <utility>

namespace nb = nanobind;
using namespace mla::python;
namespace schedule = mla::schedule;

static std::vector<int32_t> copyOf(const Int32Array &array) {
  return {array.data(), array.data() + array.size()};
}

/// Gives the entries to numpy, as rows of int32.
template <typename Entry> static nb::object rowsOf(std::vector<Entry> entries) {
  auto *kept = new std::vector<Entry>(std::move(entries));
  nb::capsule owner(kept, [](void *memory) noexcept {
    delete static_cast<std::vector<Entry> *>(memory);
  });
  nb::ndarray<nb::numpy, int32_t, nb::ndim<2>> rows(
      kept->data(), {kept->size(), sizeof(Entry) / sizeof(int32_t)}, owner);
  return nb::cast(rows);
}

static nb::tuple tables(const Int32Array &qoIndptr, const Int32Array &kvIndptr,
                        const Int32Array &kvLastPageLen, int32_t pageSize,
                        int32_t heads, int32_t headsPerBlock,
                        int32_t workgroups, int32_t tileRows,
                        int32_t partialRows, int32_t latencyRows,
                        int32_t saturatingWorkgroups) {
  std::string error;
  auto made = schedule::makeTables(
      {copyOf(qoIndptr), copyOf(kvIndptr), copyOf(kvLastPageLen), pageSize},
      {heads,
       headsPerBlock,
       workgroups,
       tileRows,
       {partialRows, latencyRows, saturatingWorkgroups}},
      error);
  if (!made)
    throw Failure{MLA_ERROR_SHAPE, std::move(error)};
  return nb::make_tuple(rowsOf(std::move(made->workIndptr)),
                        rowsOf(std::move(made->workItems)),
                        rowsOf(std::move(made->combineItems)), made->partials);
}

void mla::python::bindSchedule(nb::module_ &module) {
  using namespace nb::literals;
  module.def("tables", tables, "qo_indptr"_a, "kv_indptr"_a,
             "kv_last_page_len"_a, "page_size"_a, "heads"_a,
             "heads_per_block"_a, "workgroups"_a, "tile_rows"_a,
             "partial_rows"_a, "latency_rows"_a, "saturating_workgroups"_a);
}
