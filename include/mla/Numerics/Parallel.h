//===- Parallel.h - A loop over the host's cores ----------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_NUMERICS_PARALLEL_H
#define MLA_NUMERICS_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace mla::numerics {

/// Calls body(i) for i in [0, count), each once, from up to `threads` threads
/// (0: one a core), and returns when all are done. The body must not throw.
template <typename Body>
void parallelFor(int64_t count, int threads, const Body &body) {
  if (threads <= 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<int64_t> next = 0;
  auto work = [&] {
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;)
      body(i);
  };
  std::vector<std::thread> helpers;
  for (int64_t t = 1; t < std::min<int64_t>(threads, count); ++t)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
}

} // namespace mla::numerics

#endif // MLA_NUMERICS_PARALLEL_H
