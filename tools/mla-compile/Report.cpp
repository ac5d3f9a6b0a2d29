//===- Report.cpp - What mla-compile tells about its work -----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "llvm/Support/FormatVariadic.h"
#include <nlohmann/json.hpp>

using namespace llvm;
using namespace mla::codegen;
using namespace mla::compile;

void mla::compile::printSummary(const Report &report, raw_ostream &stream) {
  const BundleInfo &info = report.info;
  stream << formatv("{0}: {1}, {2} heads, {3} cache{4}, page size {5}, "
                    "q mode {6}\n\n",
                    report.output, info.chip, info.heads, info.kvFormat,
                    info.fp8 ? " (" + *info.fp8 + ")" : "", info.pageSize,
                    info.qMode);
  constexpr const char *kRow =
      "{0,-16} {1,-9} {2,8} {3,6} {4,6} {5,6} {6,8} {7,8} {8,11}\n";
  stream << formatv(kRow, "kernel", "role", "threads", "vgprs", "agprs",
                    "sgprs", "LDS", "scratch", "waves/SIMD");
  for (const KernelInfo &kernel : info.kernels) {
    const KernelResources &used = kernel.resources;
    stream << formatv(kRow, kernel.name, kernel.role, kernel.block, used.vgprs,
                      used.agprs, used.sgprs, used.ldsBytes, used.scratchBytes,
                      kernel.wavesPerSimd);
  }
  stream << formatv("\n{0} bytes of code object, schedule tables of {1} {2}, "
                    "{3} bytes in all\n",
                    report.codeObjectBytes, report.tables,
                    report.tables == 1 ? "shape" : "shapes", report.fileBytes);
}

void mla::compile::printTiming(const Stopwatch &watch, raw_ostream &stream) {
  double total = 0;
  stream << formatv("{0,-18} {1,9}\n", "stage", "ms");
  for (const Stopwatch::Stage &stage : watch.all()) {
    stream << formatv("{0,-18} {1,9:F1}\n", stage.name, stage.milliseconds);
    total += stage.milliseconds;
  }
  stream << formatv("{0,-18} {1,9:F1}\n", "total", total);
}

std::string mla::compile::jsonReport(const Report &report,
                                     const Stopwatch &watch) {
  using Json = nlohmann::ordered_json;
  Json kernels = Json::array();
  for (const KernelInfo &kernel : report.info.kernels) {
    const KernelResources &used = kernel.resources;
    kernels.push_back({{"name", kernel.name},
                       {"role", kernel.role},
                       {"block", kernel.block},
                       {"vgprs", used.vgprs},
                       {"agprs", used.agprs},
                       {"sgprs", used.sgprs},
                       {"lds_bytes", used.ldsBytes},
                       {"scratch_bytes", used.scratchBytes},
                       {"vgpr_spills", used.vgprSpills},
                       {"sgpr_spills", used.sgprSpills},
                       {"waves_per_simd", kernel.wavesPerSimd}});
  }
  Json stages = Json::array();
  for (const Stopwatch::Stage &stage : watch.all())
    stages.push_back({{"name", stage.name}, {"ms", stage.milliseconds}});
  Json json = {
      {"output", report.output}, {"chip", report.info.chip},
      {"kernels", kernels},      {"code_object_bytes", report.codeObjectBytes},
      {"tables", report.tables}, {"file_bytes", report.fileBytes},
      {"stages", stages}};
  return json.dump(/*indent=*/1) + "\n";
}
