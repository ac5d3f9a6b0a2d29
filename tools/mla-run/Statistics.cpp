//===- Statistics.cpp - What the simulated kernels did --------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Statistics.h"

#include "Options.h"

#include <cstdio>
#include <dlfcn.h>

using namespace mla::run;

Profiling::Profiling(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD);
  auto symbol = [&](const char *name) {
    return handle ? dlsym(handle, name) : nullptr;
  };
  takeProfiles =
      reinterpret_cast<decltype(takeProfiles)>(symbol("mla_sim_take_profiles"));
  auto *setProfiling = reinterpret_cast<decltype(&mla_sim_set_profiling)>(
      symbol("mla_sim_set_profiling"));
  if (!takeProfiles || !setProfiling)
    throw Failure("--stats needs the simulator, and " + library + " is not it");
  setProfiling(1);
}

std::vector<mla_sim_profile> Profiling::take() const {
  // A plan launches a handful of kernels.
  std::vector<mla_sim_profile> profiles(64);
  profiles.resize(takeProfiles(profiles.data(), 64));
  return profiles;
}

void mla::run::printStatistics(const std::vector<mla_sim_profile> &kernels,
                               int64_t rows) {
  std::printf("  for 1,000 rows%6sVALU    MFMA     LDS  VALU cyc  MFMA cyc  "
              "LDS cyc  conflicts   loads  load kB  touched kB  in flight\n",
              "");
  for (const mla_sim_profile &kernel : kernels) {
    auto per = [&](uint64_t count) {
      return rows ? double(count) * 1000 / double(rows) : 0.0;
    };
    std::printf("  %-16s%8.0f%8.0f%8.0f%10.0f%10.0f%9.0f%11.0f%8.0f%9.1f%12.1f"
                "%8.1f kB\n",
                kernel.kernel, per(kernel.valu), per(kernel.mfma),
                per(kernel.lds), per(kernel.valu_cycles),
                per(kernel.matrix_cycles), per(kernel.lds_cycles),
                per(kernel.lds_conflict_cycles), per(kernel.global_loads),
                per(kernel.load_bytes) / 1e3,
                per(kernel.distinct_load_segments * 64) / 1e3,
                double(kernel.bytes_in_flight) / 1e3);
  }
}
