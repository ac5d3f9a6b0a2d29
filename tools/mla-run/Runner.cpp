//===- Runner.cpp - Runs cases on a device and checks them ----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "Compiler.h"
#include "DeviceArray.h"
#include "Workload.h"

#include "mla/Numerics/Error.h"
#include "mla/Runtime/BundleFormat.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>

using namespace mla::run;
using namespace mla::numerics;

/// Bounds on the error against float64 on the same quantised inputs. With fp8
/// the weights of the softmax are rounded to fp8 too: 3 bits of mantissa, a
/// relative error of up to 2^-4 each. The logarithm of their sum is taken in
/// f32 from unrounded weights.
static constexpr double kBoundFp8 = 3.5e-2, kBoundBf16 = 5e-3;
static constexpr double kBoundLseFp8 = 1e-2, kBoundLseBf16 = 1e-3;

std::string mla::run::hipLibraryOf(const Options &options) {
  if (!options.hipLibrary.empty() || options.device != "sim")
    return options.hipLibrary;
  std::filesystem::path path =
      programFolder() / ".." / "lib" / "libmla_hip_sim.so";
  return path.lexically_normal().string();
}

Device mla::run::openDevice(const Options &options, const std::string &chip) {
  if (options.device == "sim") {
    setenv("MLA_SIM_CHIP", chip.c_str(), 1);
    if (options.computeUnits)
      setenv("MLA_SIM_CUS", std::to_string(options.computeUnits).c_str(), 1);
    if (options.threads)
      setenv("MLA_SIM_THREADS", std::to_string(options.threads).c_str(), 1);
    if (options.late)
      setenv("MLA_SIM_LATE", "1", 1);
    if (options.orderSeed)
      setenv("MLA_SIM_ORDER_SEED", std::to_string(options.orderSeed).c_str(),
             1);
  }
  std::string library = hipLibraryOf(options);
  mla_device *device = nullptr;
  check(mla_device_open(library.empty() ? nullptr : library.c_str(),
                        options.ordinal, &device));
  return Device(device);
}

Bundle mla::run::loadBundle(mla_device *device, const std::string &path) {
  mla_bundle *bundle = nullptr;
  check(mla_bundle_load_file(device, path.c_str(), &bundle));
  return Bundle(bundle);
}

/// Runs the plan once on outputs full of NaN.
static Outputs runOnDevice(mla_device *device, const mla_plan *plan,
                           const mla_problem &problem, const Workload &data,
                           double &seconds) {
  size_t heads = static_cast<size_t>(data.totalQ()) * problem.heads;
  Outputs outputs = {std::vector<uint16_t>(heads * problem.latent, 0xffff),
                     std::vector<float>(heads, NAN),
                     {}};
  DeviceArray q(device, data.q), kvIndices(device, data.kvIndices),
      out(device, outputs.out), lse(device, outputs.lse),
      qScale(device, &data.qScale, sizeof(float)),
      kvScale(device, &data.kvScale, sizeof(float)),
      cache(device, data.cache.get(), data.cacheBytes);
  mla_args args = {.q = q.get(),
                   .cache = cache.get(),
                   .kv_indices = kvIndices.get<int32_t>(),
                   .q_scale = qScale.get<float>(),
                   .kv_scale = kvScale.get<float>(),
                   .out = out.get(),
                   .lse = lse.get<float>()};
  Stopwatch watch;
  check(mla_plan_run(plan, &args, nullptr));
  check(mla_device_synchronize(device));
  seconds = watch.seconds();
  out.read(outputs.out.data());
  lse.read(outputs.lse.data());
  return outputs;
}

/// The sequences to compare: all, or a sample spread over the batch that holds
/// the first and the last.
static std::vector<int32_t> chooseSequences(int32_t batch, int32_t sample) {
  int32_t count = sample ? std::min(sample, batch) : batch;
  std::vector<int32_t> sequences;
  sequences.reserve(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i)
    sequences.push_back(
        count == 1
            ? 0
            : static_cast<int32_t>(int64_t{i} * (batch - 1) / (count - 1)));
  return sequences;
}

/// Compares the rows of the chosen sequences with float64.
static void compare(const AttentionInputs &inputs,
                    const std::vector<int32_t> &sequences,
                    const Outputs &outputs, int threads, ErrorMeasure &outError,
                    ErrorMeasure &lseError) {
  std::vector<double> out(outputs.out.size()), lse(outputs.lse.size());
  attend(inputs, sequences, threads, out.data(), lse.data());
  for (int32_t sequence : sequences) {
    size_t begin =
        static_cast<size_t>(inputs.qoIndptr[sequence]) * inputs.heads;
    size_t end =
        static_cast<size_t>(inputs.qoIndptr[sequence + 1]) * inputs.heads;
    for (size_t i = begin * inputs.latent; i < end * inputs.latent; ++i)
      outError.add(decodeBf16(outputs.out[i]), out[i]);
    if (outputs.lseUnknown.empty() || !outputs.lseUnknown[sequence])
      for (size_t i = begin; i < end; ++i)
        lseError.add(outputs.lse[i], lse[i]);
  }
}

/// 64-bit FNV-1a: equal for runs that left the same bits.
static uint64_t digestOf(const Outputs &outputs) {
  uint64_t hash = 0xcbf29ce484222325;
  auto add = [&](const void *data, size_t size) {
    const auto *bytes = static_cast<const uint8_t *>(data);
    for (size_t i = 0; i < size; ++i)
      hash = (hash ^ bytes[i]) * 0x100000001b3;
  };
  add(outputs.out.data(), outputs.out.size() * sizeof(outputs.out[0]));
  add(outputs.lse.data(), outputs.lse.size() * sizeof(outputs.lse[0]));
  return hash;
}

void mla::run::setBounds(bool anyFp8, Result &result) {
  result.boundL2 = anyFp8 ? kBoundFp8 : kBoundBf16;
  result.boundLse = anyFp8 ? kBoundLseFp8 : kBoundLseBf16;
}

void mla::run::measure(const Workload &data, const Outputs &outputs,
                       const Options &options, Result &result) {
  Stopwatch checkWatch;
  std::vector<int32_t> sequences =
      chooseSequences(result.lengths.batch(), options.sample);
  result.checked = static_cast<int32_t>(sequences.size());
  ErrorMeasure outError, lseError;
  compare(data.quantised(), sequences, outputs, options.threads, outError,
          lseError);
  result.relativeL2 = outError.relativeL2();
  result.maxAbs = outError.maxAbs();
  result.lseMaxAbs = lseError.maxAbs();
  result.lseChecked = lseError.count();
  result.digest = digestOf(outputs);
  for (uint16_t code : outputs.out)
    result.unwritten += !std::isfinite(decodeBf16(code));
  if (options.againstBf16Q) {
    ErrorMeasure error, ignored;
    compare(data.withBf16Q(), sequences, outputs, options.threads, error,
            ignored);
    result.relativeL2Bf16Q = error.relativeL2();
  }
  result.checkSeconds = checkWatch.seconds();
}

Result mla::run::runCase(mla_device *device, mla_bundle *bundle,
                         const Case &lengths, const Options &options,
                         const Progress &progress) {
  const mla_problem problem = mla_bundle_problem(bundle);
  Result result;
  result.chip = problem.chip;
  result.lengths = lengths;
  result.heads = problem.heads;
  result.pageSize = problem.page_size;
  result.formats = {problem.kv_format, problem.q_format, problem.q_mode};
  setBounds(problem.fp8 != nullptr, result);

  progress("making data");
  Stopwatch dataWatch;
  Workload data(problem, lengths, options);
  result.dataSeconds = dataWatch.seconds();
  result.rows = data.rows;
  result.kvBytes = data.rows * data.rowBytes;

  mla_shape shape = data.shape();
  mla_plan *created = nullptr;
  check(mla_plan_create(bundle, &shape, &created));
  Plan plan(created);
  result.plan = mla_plan_get_info(created);
  progress("running");
  Outputs outputs =
      runOnDevice(device, created, problem, data, result.runSeconds);

  progress("comparing with float64");
  measure(data, outputs, options, result);
  return result;
}
