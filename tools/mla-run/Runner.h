//===- Runner.h - Runs cases on a device and checks them --------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TOOLS_MLARUN_RUNNER_H
#define MLA_TOOLS_MLARUN_RUNNER_H

#include "Options.h"
#include "Statistics.h"

#include "mla/Runtime/mla_runtime.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mla::run {

struct DeviceCloser {
  void operator()(mla_device *device) const { mla_device_close(device); }
};
struct BundleUnloader {
  void operator()(mla_bundle *bundle) const { mla_bundle_unload(bundle); }
};
struct PlanDestroyer {
  void operator()(mla_plan *plan) const { mla_plan_destroy(plan); }
};
using Device = std::unique_ptr<mla_device, DeviceCloser>;
using Bundle = std::unique_ptr<mla_bundle, BundleUnloader>;
using Plan = std::unique_ptr<mla_plan, PlanDestroyer>;

/// Opens the simulator (found beside this program) or the HIP library as the
/// options say. `chip` is what to simulate.
Device openDevice(const Options &options, const std::string &chip);

/// A null device reads the bundle only.
Bundle loadBundle(mla_device *device, const std::string &path);

struct Result {
  std::string chip;
  Case lengths;
  int32_t heads = 0, pageSize = 0;
  Formats formats;
  /// The interface that a foreign code object was called by, and
  /// its kernel; empty for ours.
  std::string abi, kernel;
  mla_plan_info plan{};
  int64_t rows = 0;       ///< Of all sequences.
  int64_t kvBytes = 0;    ///< Of these rows.
  int32_t checked = 0;    ///< Sequences compared with float64.
  int64_t lseChecked = 0; ///< Values of lse that were.
  double relativeL2 = 0, maxAbs = 0, lseMaxAbs = 0;
  double relativeL2Bf16Q = -1; ///< Negative when not asked for.
  int64_t unwritten = 0;       ///< Values that are not finite, of all.
  uint64_t digest = 0;         ///< Of the bytes of out, then of lse.
  double boundL2 = 0, boundLse = 0;
  double dataSeconds = 0, runSeconds = 0, checkSeconds = 0;
  std::vector<mla_sim_profile> kernels; ///< Empty when not asked for.

  /// Rows times the groups of heads and query tokens that attend them.
  int64_t attendedRows() const {
    return rows * lengths.queryLength * ((heads + 15) / 16);
  }

  /// A NaN or infinity passes no comparison.
  bool ok() const {
    return relativeL2 <= boundL2 && lseMaxAbs <= boundLse && unwritten == 0;
  }
};

/// The HIP library that openDevice opens; empty where the runtime looks for
/// one.
std::string hipLibraryOf(const Options &options);

/// Told what is being done.
using Progress = std::function<void(const std::string &)>;

/// What a run left on the device.
struct Outputs {
  std::vector<uint16_t> out; ///< bf16 (total_q, heads, latent)
  std::vector<float> lse;    ///< (total_q, heads)
  /// One a sequence, not 0 where the kernels tell no lse. Empty: all do.
  std::vector<uint8_t> lseUnknown;
};

class Workload;

/// The bounds for problems with anything in fp8, or with nothing.
void setBounds(bool anyFp8, Result &result);

/// Compares with float64, and fills in the errors.
void measure(const Workload &data, const Outputs &outputs,
             const Options &options, Result &result);

Result runCase(mla_device *device, mla_bundle *bundle, const Case &lengths,
               const Options &options, const Progress &progress);

} // namespace mla::run

#endif // MLA_TOOLS_MLARUN_RUNNER_H
