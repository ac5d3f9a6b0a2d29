//===- mla-run.cpp - Runs MLA decode and checks it against float64 --------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AiterPs.h"
#include "Compiler.h"
#include "Report.h"
#include "Runner.h"

#include "mla/Runtime/BundleFormat.h"

#include <cstdio>

using namespace mla::run;

/// Fails when the bundle holds another problem than the options ask for.
static void requireProblem(const Options &options, const mla_problem &problem) {
  auto require = [&](const char *option, auto asked, auto built) {
    auto text = [](auto value) {
      if constexpr (std::is_arithmetic_v<decltype(value)>)
        return std::to_string(value);
      else
        return std::string(value);
    };
    if (asked != built)
      throw Failure(std::string(option) + " is " + text(asked) +
                    ", but the bundle was built for " + text(built));
  };
  if (options.heads)
    require("--heads", *options.heads, problem.heads);
  if (options.pageSize)
    require("--page-size", *options.pageSize, problem.page_size);
  if (options.smScale)
    require("--sm-scale", *options.smScale, problem.sm_scale);
  if (options.chip)
    require("--chip", *options.chip, std::string(problem.chip));
  if (!options.formatsGiven)
    return;
  const Formats &formats = options.formats.front();
  require("--kv-format", formats.kv, std::string(problem.kv_format));
  require("--q-format", formats.q, std::string(problem.q_format));
  require("--q-mode", formats.qMode, std::string(problem.q_mode));
}

namespace {
/// Runs cases one after the other, and shows and keeps what came of them.
class Session {
public:
  explicit Session(const Options &options)
      : options(options), table(options),
        total(options.formats.size() * options.cases.size()) {}

  void say(const std::string &what) const {
    if (!options.quiet)
      std::fprintf(stderr, "%s\n", what.c_str());
  }

  /// Calls run(case, progress), which returns a Result, for each case.
  template <typename Run> void runCases(const Run &run) {
    for (const Case &entry : options.cases) {
      std::string label = "[" + std::to_string(results.size() + 1) + "/" +
                          std::to_string(total) + "] batch " +
                          std::to_string(entry.batch()) + ", kv " +
                          describeKv(entry) + ": ";
      results.push_back(
          run(entry, [&](const std::string &what) { say(label + what); }));
      if (options.statistics)
        results.back().kernels = profiling->take();
      table.add(results.back());
      if (options.statistics)
        printStatistics(results.back().kernels, results.back().attendedRows());
    }
  }

  /// Once the device is open.
  void startProfiling() {
    if (options.statistics)
      profiling.emplace(hipLibraryOf(options));
  }

  /// Writes the JSON file if one is wanted; true when all is within bounds.
  bool finish() const {
    if (!options.json.empty())
      writeJson(options.json, options, results);
    bool allOk = true;
    for (const Result &result : results)
      allOk &= result.ok();
    return allOk;
  }

private:
  const Options &options;
  Table table;
  size_t total;
  std::vector<Result> results;
  std::optional<Profiling> profiling;
};
} // namespace

static bool runBundles(const Options &options) {
  std::string chip = options.chip.value_or("gfx950");
  if (!options.bundle.empty()) {
    Bundle bundle = loadBundle(nullptr, options.bundle);
    mla_problem problem = mla_bundle_problem(bundle.get());
    requireProblem(options, problem);
    chip = problem.chip;
  }
  Device device = openDevice(options, chip);
  const char *found = mla_device_chip(device.get());
  if (!options.chip && options.bundle.empty())
    chip = found;
  if (chip != found)
    throw Failure("--chip is " + chip + ", but the device is " + found);

  TemporaryFolder folder;
  Session session(options);
  session.startProfiling();
  for (size_t f = 0; f < options.formats.size(); ++f) {
    std::string path = options.bundle;
    if (path.empty()) {
      path = (folder.path() / (std::to_string(f) + ".mlab")).string();
      session.say("compiling for " + chip + ", " +
                  describeFormats(options.formats[f]));
      compileBundle(options, chip, options.formats[f], path);
    }
    Bundle bundle = loadBundle(device.get(), path);
    session.runCases([&](const Case &entry, const Progress &progress) {
      return runCase(device.get(), bundle.get(), entry, options, progress);
    });
  }
  return session.finish();
}

static bool runCodeObject(const Options &options) {
  AiterKernel kernel(CodeObject::read(options.codeObject), options);
  Device device = kernel.openDevice(options);
  Session session(options);
  session.startProfiling();
  session.runCases([&](const Case &entry, const Progress &progress) {
    return kernel.run(device.get(), entry, options, progress);
  });
  std::printf("%s: the parts of split sequences are put together on the host, "
              "in f32 as aiter's reduction does\n",
              kAiterPs);
  return session.finish();
}

int main(int argc, char **argv) {
  constexpr int boundExceeded = 1, failed = 2;
  try {
    int exitCode = 0;
    std::optional<Options> options = parseOptions(argc, argv, exitCode);
    if (!options)
      return exitCode;
    bool ok = options->codeObject.empty() ? runBundles(*options)
                                          : runCodeObject(*options);
    return ok ? 0 : boundExceeded;
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "mla-run: error: the host has too little memory\n");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "mla-run: error: %s\n", error.what());
  }
  return failed;
}
