//===- Options.cpp - The command line of mla-compile ----------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace mla;
using namespace mla::compile;

namespace {

cl::OptionCategory problemCategory("Problem options (without an input file)");
cl::OptionCategory shapeCategory("Shape options",
                                 "What to tune for and store schedule tables "
                                 "of; the kernels are right at every shape.");
cl::OptionCategory outputCategory("Target and output options");

cl::opt<std::string> inputOption(cl::Positional, cl::desc("[problem.mlir]"),
                                 cl::cat(outputCategory));

cl::opt<int64_t> headsOption("heads", cl::desc("Query heads (default 16)"),
                             cl::value_desc("n"), cl::init(16),
                             cl::cat(problemCategory));
cl::opt<int64_t> pageSizeOption("page-size",
                                cl::desc("Rows of a page (default 1)"),
                                cl::value_desc("n"), cl::init(1),
                                cl::cat(problemCategory));
cl::opt<std::string>
    kvFormatOption("kv-format",
                   cl::desc("Cache elements: fp8 (the chip's own, "
                            "default) or bf16"),
                   cl::value_desc("format"), cl::init("fp8"),
                   cl::cat(problemCategory));
cl::opt<std::string>
    qFormatOption("q-format",
                  cl::desc("What attention reads Q as: fp8 or bf16 "
                           "(default: as the cache)"),
                  cl::value_desc("format"), cl::cat(problemCategory));
cl::opt<std::string>
    qModeOption("q-mode",
                cl::desc("Scale of an fp8 Q: per_head (found for each token "
                         "and head inside attention, default), static (given) "
                         "or dynamic (found on the device for the tensor)"),
                cl::value_desc("mode"), cl::cat(problemCategory));
cl::opt<double>
    smScaleOption("sm-scale",
                  cl::desc("Factor of the scores (default 1/sqrt(576))"),
                  cl::value_desc("x"), cl::cat(problemCategory));

cl::opt<int64_t> batchOption("batch", cl::desc("Sequences"),
                             cl::value_desc("n"), cl::init(0),
                             cl::cat(shapeCategory));
cl::list<int64_t> kvOption("kv", cl::CommaSeparated,
                           cl::desc("Cache rows of all sequences, or of each"),
                           cl::value_desc("n[,n...]"), cl::cat(shapeCategory));
cl::opt<int64_t>
    queryLengthOption("q-len",
                      cl::desc("Query tokens of a sequence (default 1)"),
                      cl::value_desc("n"), cl::init(1), cl::cat(shapeCategory));
cl::list<std::string> moreShapesOption(
    "shape", cl::CommaSeparated,
    cl::desc("Further shapes to store tables of, for instance 32x1024"),
    cl::value_desc("BATCHxROWS"), cl::cat(shapeCategory));

cl::opt<std::string> chipOption("chip", cl::desc("gfx942 or gfx950"),
                                cl::value_desc("name"),
                                cl::cat(outputCategory));
cl::opt<std::string> outputOption("o",
                                  cl::desc("Output file; - is standard output"),
                                  cl::value_desc("file"),
                                  cl::cat(outputCategory));
cl::opt<Emit> emitOption(
    "emit", cl::desc("What to write:"), cl::init(Emit::Bundle),
    cl::values(clEnumValN(Emit::MLIR, "mlir", "the problem as IR"),
               clEnumValN(Emit::Lowered, "lowered",
                          "kernels in MLIR's llvm and rocdl dialects"),
               clEnumValN(Emit::LLVMIR, "llvm", "optimised LLVM IR"),
               clEnumValN(Emit::Assembly, "asm", "assembly"),
               clEnumValN(Emit::Object, "obj", "the code object alone"),
               clEnumValN(Emit::Bundle, "bundle",
                          "code object, manifest and tables (default)")),
    cl::cat(outputCategory));
cl::opt<bool> fuseOption(
    "fuse",
    cl::desc("Quantise and combine inside attention: one launch (default); "
             "--fuse=false gives kernels of their own"),
    cl::init(true), cl::cat(outputCategory));
cl::opt<std::string> qPrecisionOption(
    "q-precision",
    cl::desc("Q as fp8, or as fp8x2, the sum of two (default: the most exact "
             "that memory time hides)"),
    cl::value_desc("precision"), cl::cat(outputCategory));
cl::opt<std::string> pPrecisionOption("p-precision",
                                      cl::desc("The probabilities likewise"),
                                      cl::value_desc("precision"),
                                      cl::cat(outputCategory));
cl::opt<int64_t> scheduleRowsOption(
    "schedule-rows",
    cl::desc("Rows that shares are a multiple of (default: chosen)"),
    cl::value_desc("n"), cl::init(0), cl::cat(outputCategory));
cl::opt<int64_t> workgroupsOption(
    "workgroups",
    cl::desc("Number of shares (default: as many as are resident)"),
    cl::value_desc("n"), cl::init(0), cl::cat(outputCategory));
cl::opt<bool> allowSpillsOption("allow-spills",
                                cl::desc("Accept kernels that spill registers"),
                                cl::cat(outputCategory));
cl::opt<std::string> deviceLibrariesOption(
    "rocm-device-libs",
    cl::desc("Folder with ocml.bc (default: looked for in "
             "$ROCM_PATH/amdgcn/bitcode, /opt/rocm and Debian's place)"),
    cl::value_desc("dir"), cl::cat(outputCategory));
cl::opt<bool> timingOption("timing", cl::desc("Print the time of each stage"),
                           cl::cat(outputCategory));
cl::opt<std::string> jsonOption("json",
                                cl::desc("Write kernels, resources, sizes and "
                                         "times as JSON too"),
                                cl::value_desc("file"),
                                cl::cat(outputCategory));

Error checkTarget() {
  if (chipOption.empty())
    return createStringError(Twine("--chip is missing; known are ") +
                             targets::kChipNames);
  if (!targets::findChip(chipOption))
    return createStringError("unknown chip '" + chipOption + "'; known are " +
                             targets::kChipNames);
  return Error::success();
}

/// An input file holds the problem: options must not say another.
Error checkInput() {
  const cl::Option *describing[] = {&headsOption,    &pageSizeOption,
                                    &kvFormatOption, &qFormatOption,
                                    &qModeOption,    &smScaleOption};
  for (const cl::Option *option : describing)
    if (option->getNumOccurrences())
      return createStringError("--" + option->ArgStr +
                               " describes a problem, and " + inputOption +
                               " holds one already; give one of the two");
  return Error::success();
}

Expected<Problem> readProblem() {
  Problem problem;
  problem.heads = headsOption;
  problem.pageSize = pageSizeOption;
  problem.kvFormat = kvFormatOption;
  problem.qFormat = qFormatOption;
  problem.qMode = qModeOption;
  if (smScaleOption.getNumOccurrences())
    problem.smScale = smScaleOption;
  if (Error error = complete(problem))
    return error;
  return problem;
}

Expected<std::vector<Shape>> readShapes() {
  std::vector<Shape> shapes;
  if (batchOption.getNumOccurrences() || !kvOption.empty()) {
    Expected<Shape> shape = makeShape(batchOption, kvOption, queryLengthOption);
    if (!shape)
      return shape.takeError();
    shapes.push_back(std::move(*shape));
  }
  for (const std::string &text : moreShapesOption) {
    Expected<Shape> shape = parseShape(text, queryLengthOption);
    if (!shape)
      return shape.takeError();
    shapes.push_back(std::move(*shape));
  }
  return shapes;
}

/// Text goes to standard output unless a file is named.
Expected<std::string> readOutput() {
  if (!outputOption.empty())
    return outputOption;
  if (emitOption < Emit::Object)
    return "-";
  return createStringError(
      "-o is missing: name a file, or - for standard output");
}

} // namespace

Expected<Options> mla::compile::parseCommandLine(int argc, char **argv) {
  cl::HideUnrelatedOptions({&problemCategory, &shapeCategory, &outputCategory});
  cl::SetVersionPrinter([](raw_ostream &stream) {
    stream << "mla-compile " MLA_VERSION " with LLVM " LLVM_VERSION_STRING "\n";
  });
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Compiles MLA decode for AMD Instinct.\n\n"
          "The problem is an .mlir file with an mla.decode, or described by "
          "options.\n",
          &errs()))
    return createStringError("the command line cannot be understood");

  Options options;
  options.input = inputOption;
  options.chip = chipOption;
  options.emit = emitOption;
  options.fuse = fuseOption;
  options.qPrecision = qPrecisionOption;
  options.pPrecision = pPrecisionOption;
  options.scheduleRows = scheduleRowsOption;
  options.workgroups = workgroupsOption;
  options.allowSpills = allowSpillsOption;
  options.deviceLibraries = deviceLibrariesOption;
  options.timing = timingOption;
  options.jsonFile = jsonOption;
  if (Error error = checkTarget())
    return error;
  if (options.input.empty()) {
    Expected<Problem> problem = readProblem();
    if (!problem)
      return problem.takeError();
    options.problem = std::move(*problem);
  } else if (Error error = checkInput()) {
    return error;
  }
  Expected<std::vector<Shape>> shapes = readShapes();
  if (!shapes)
    return shapes.takeError();
  options.shapes = std::move(*shapes);
  Expected<std::string> output = readOutput();
  if (!output)
    return output.takeError();
  options.output = std::move(*output);
  return options;
}
