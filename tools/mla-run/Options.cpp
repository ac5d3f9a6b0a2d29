//===- Options.cpp - The command line of mla-run --------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "mla/Runtime/BundleFormat.h"
#include "mla/Targets/Chips.h"

#include "BaseShapes.inc"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

using namespace mla::run;
namespace format = mla::bundle::format;
namespace qmode = mla::bundle::qmode;

static const char *const kDescription =
    "Runs MLA decode on random data, on the simulator or a GPU, and compares "
    "it\nwith float64. Exit code: 0 all within bounds, 1 a bound was exceeded, "
    "2 anything else.";

static const char *const kFooter =
    "Bounds: relative L2 error 3.5e-2 where anything is fp8, else 5e-3.\n"
    "Environment: MLA_COMPILE names the mla-compile to call (default: beside "
    "mla-run),\nMLA_HIP_LIBRARY the HIP library of --device hip.\n"
    "Example: mla-run --chip gfx950 --kv 1,17,1000,0,4096 --page-size 16";

static std::string combined(std::string_view kv, std::string_view q) {
  return "--kv-format " + std::string(kv) + " with --q-format " +
         std::string(q);
}

static Formats makeFormats(const std::string &kv, const std::string &q,
                           const std::string &qMode) {
  if (q == format::bf16) {
    if (!qMode.empty())
      throw Failure("--q-mode " + qMode + " is for a Q of fp8; with " +
                    combined(kv, q) + " Q is not quantised");
    return {kv, q, std::string(qmode::none)};
  }
  return {kv, q, qMode.empty() ? std::string(qmode::perHead) : qMode};
}

/// The shapes of kernels-gen/base.json, which is compiled in.
static void readBaseSuite(Options &options,
                          std::optional<int32_t> queryLength) {
  nlohmann::json suite = nlohmann::json::parse(kBaseShapes);
  if (!options.heads)
    options.heads = suite["heads"].get<int32_t>();
  if (!options.pageSize)
    options.pageSize = suite["page_size"].get<int32_t>();
  for (const auto &shape : suite["shapes"]) {
    Case entry;
    entry.queryLength = queryLength.value_or(suite["q_len"].get<int32_t>());
    entry.kv.assign(shape["batch"].get<size_t>(), shape["kv"].get<int32_t>());
    options.cases.push_back(std::move(entry));
  }
}

static Case makeCase(std::optional<int32_t> batch, std::vector<int32_t> kv,
                     std::optional<int32_t> queryLength) {
  if (kv.empty())
    kv = {1024};
  if (!batch)
    batch = kv.size() == 1 ? 4 : static_cast<int32_t>(kv.size());
  if (kv.size() == 1)
    kv.resize(static_cast<size_t>(*batch), kv.front());
  if (kv.size() != static_cast<size_t>(*batch))
    throw Failure("--kv has " + std::to_string(kv.size()) +
                  " lengths for a batch of " + std::to_string(*batch) +
                  "; give one for all sequences, or one a sequence");
  return {queryLength.value_or(1), std::move(kv)};
}

std::optional<Options> mla::run::parseOptions(int argc, char **argv,
                                              int &exitCode) {
  Options options;
  std::string kvFormat, qFormat, qMode, suite;
  std::vector<std::string> formatList;
  std::vector<int32_t> kv;
  std::optional<int32_t> batch, queryLength;
  constexpr int32_t most = std::numeric_limits<int32_t>::max();
  CLI::Range positive(1, most), natural(0, most);
  // Said by the option's text; in --help the limits would only be noise.
  positive.description("");
  natural.description("");
  std::vector<std::string> chipNames;
  chipNames.reserve(targets::kChips.size());
  for (const targets::Chip &chip : targets::kChips)
    chipNames.emplace_back(chip.name);
  const CLI::IsMember isFormat(
      {std::string(format::fp8), std::string(format::bf16)});

  CLI::App app(kDescription, "mla-run");
  app.footer(kFooter);
  app.set_version_flag("--version", "mla-run " MLA_VERSION);

  app.add_option("--batch", batch, "Sequences (default 4)")
      ->check(positive)
      ->group("Shape");
  auto *kvOption =
      app.add_option("--kv", kv,
                     "Cache rows of all sequences, or a list of one length a "
                     "sequence (default 1024)")
          ->delimiter(',')
          ->check(natural)
          ->group("Shape");
  app.add_option("--q-len", queryLength, "Query tokens a sequence (default 1)")
      ->check(positive)
      ->group("Shape");
  app.add_option("--suite", suite, "Run a list of shapes: base")
      ->check(CLI::IsMember({"base"}))
      ->excludes(app.get_option("--batch"))
      ->excludes(kvOption)
      ->group("Shape");

  app.add_option("--heads", options.heads, "Query heads (default 16)")
      ->check(positive)
      ->group("Problem");
  app.add_option("--page-size", options.pageSize,
                 "Cache rows of a page (default 1)")
      ->check(positive)
      ->group("Problem");
  app.add_option("--sm-scale", options.smScale,
                 "Factor of the scores (default 1/sqrt(576))")
      ->check(CLI::PositiveNumber)
      ->group("Problem");
  app.add_option("--kv-format", kvFormat, "fp8 (default) or bf16")
      ->check(isFormat)
      ->group("Problem");
  app.add_option("--q-format", qFormat, "fp8 or bf16 (default: as the cache)")
      ->check(isFormat)
      ->group("Problem");
  app.add_option("--q-mode", qMode,
                 "Scale of an fp8 Q: per_head (default), static or dynamic")
      ->check(
          CLI::IsMember({std::string(qmode::fixed), std::string(qmode::dynamic),
                         std::string(qmode::perHead)}))
      ->group("Problem");
  app.add_option("--formats", formatList,
                 "Run in each of these formats, of cache and Q alike")
      ->delimiter(',')
      ->check(isFormat)
      ->excludes(app.get_option("--kv-format"))
      ->excludes(app.get_option("--q-format"))
      ->group("Problem");
  app.add_flag("--fuse,!--no-fuse", options.fuse,
               "Quantise and combine inside attention (default), or in kernels "
               "of their own")
      ->group("Problem");
  const CLI::IsMember isPrecision({"fp8", "fp8x2"});
  app.add_option("--q-precision", options.qPrecision,
                 "Q as fp8, or as fp8x2, a sum of two (default: the compiler's "
                 "choice)")
      ->check(isPrecision)
      ->group("Problem");
  app.add_option("--p-precision", options.pPrecision,
                 "The probabilities likewise")
      ->check(isPrecision)
      ->group("Problem");
  app.add_option("--bundle", options.bundle,
                 "Kernels to run (default: call mla-compile)")
      ->group("Problem");
  // They are for the compiler, and a bundle is compiled.
  for (const char *forCompiler : {"--fuse", "--q-precision", "--p-precision"})
    app.get_option(forCompiler)->excludes(app.get_option("--bundle"));
  auto *codeObject =
      app.add_option("--code-object", options.codeObject,
                     "Run a kernel of this file, not one of ours; needs --abi")
          ->excludes(app.get_option("--bundle"))
          ->group("Problem");
  app.add_option("--abi", options.abi,
                 "How that kernel is called: aiter-ps, as aiter calls its "
                 "persistent MLA decode")
      ->check(CLI::IsMember({"aiter-ps"}))
      ->needs(codeObject)
      ->group("Problem");
  app.add_option("--kernel", options.kernel,
                 "Name of that kernel (default: the only one of the file)")
      ->needs(codeObject)
      ->group("Problem");
  codeObject->needs(app.get_option("--abi"));

  app.add_option("--device", options.device, "sim (default) or hip")
      ->check(CLI::IsMember({"sim", "hip"}))
      ->group("Device");
  app.add_option("--chip", options.chip,
                 "gfx942 or gfx950 (default: the bundle's or the GPU's, else "
                 "gfx950)")
      ->check(CLI::IsMember(chipNames))
      ->group("Device");
  app.add_option("--hip-library", options.hipLibrary,
                 "HIP library to open, whichever the device")
      ->group("Device");
  app.add_option("--ordinal", options.ordinal, "Number of the GPU (default 0)")
      ->check(natural)
      ->group("Device");
  app.add_option("--cus", options.computeUnits,
                 "Compute units to simulate (default: all of the chip's)")
      ->check(positive)
      ->group("Device");
  app.add_option("--threads", options.threads,
                 "Host threads to simulate and check with (default: one a "
                 "core)")
      ->check(positive)
      ->group("Device");

  app.add_flag("--stats", options.statistics,
               "Say what the simulated kernels did for 1,000 cache rows")
      ->group("Data and report");
  app.add_flag("--late", options.late,
               "Let simulated loads arrive only when they are waited for")
      ->group("Device");
  app.add_option("--order-seed", options.orderSeed,
                 "Simulate workgroups and waves in a random order (default: in "
                 "turn); compare --digest")
      ->check(positive)
      ->group("Device");

  app.add_option("--seed", options.seed, "Seed of the data (default 1)")
      ->group("Data and report");
  app.add_option("--sample", options.sample,
                 "Compare only so many sequences with float64; of the others, "
                 "only see that everything was written")
      ->check(positive)
      ->group("Data and report");
  app.add_flag("--identity-pages", options.identityPages,
               "Number the pages in order, instead of at random")
      ->group("Data and report");
  app.add_flag("--against-bf16-q", options.againstBf16Q,
               "Report the error with the quantisation of Q counted in, too")
      ->group("Data and report");
  app.add_flag("--digest", options.digest, "Report a hash of the outputs' bits")
      ->group("Data and report");
  app.add_option("--json", options.json, "Write the results as JSON too")
      ->group("Data and report");
  app.add_flag("--quiet", options.quiet, "No progress on standard error")
      ->group("Data and report");

  try {
    app.parse(argc, argv);
    if (formatList.empty()) {
      options.formatsGiven =
          !kvFormat.empty() || !qFormat.empty() || !qMode.empty();
      if (kvFormat.empty())
        kvFormat = qFormat.empty() ? std::string(format::fp8) : qFormat;
      if (qFormat.empty())
        qFormat = kvFormat;
      // Foreign kernels know no scale for each head.
      if (!options.codeObject.empty() && qMode.empty() &&
          qFormat == format::fp8)
        qMode = qmode::dynamic;
      options.formats = {makeFormats(kvFormat, qFormat, qMode)};
    } else {
      options.formatsGiven = true;
      for (const std::string &name : formatList)
        options.formats.push_back(
            makeFormats(name, name, name == format::fp8 ? qMode : ""));
    }
    if (!options.bundle.empty() && options.formats.size() > 1)
      throw Failure("--bundle holds kernels of one format; --formats gives " +
                    std::to_string(options.formats.size()));
    if (suite.empty())
      options.cases = {makeCase(batch, std::move(kv), queryLength)};
    else
      readBaseSuite(options, queryLength);
  } catch (const CLI::Success &success) {
    exitCode = app.exit(success);
    return std::nullopt;
  } catch (const CLI::Error &error) {
    throw Failure(std::string(error.what()) + " (mla-run --help says more)");
  }
  return options;
}
