//===- Statistics.h - What the simulated kernels did ------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TOOLS_MLARUN_STATISTICS_H
#define MLA_TOOLS_MLARUN_STATISTICS_H

#include "mla/Simulator/SimulatorApi.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mla::run {

/// The simulator's profiling functions, of the library that is open already.
class Profiling {
public:
  /// Switches profiling on. Fails when `library` is not the simulator.
  explicit Profiling(const std::string &library);

  /// The launches since the last call, in their order.
  std::vector<mla_sim_profile> take() const;

private:
  decltype(&mla_sim_take_profiles) takeProfiles;
};

/// Prints what each kernel did for 1,000 cache rows, where `rows` counts each
/// row once for each group of heads and query token that it is attended by.
void printStatistics(const std::vector<mla_sim_profile> &kernels, int64_t rows);

} // namespace mla::run

#endif // MLA_TOOLS_MLARUN_STATISTICS_H
