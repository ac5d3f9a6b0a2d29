//===- mla-compile.cpp - From a problem to a bundle of kernels ------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Report.h"

#include "mla/CodeGen/Bundle.h"
#include "mla/CodeGen/DeviceModule.h"
#include "mla/Conversion/Passes.h"
#include "mla/IR/MLADialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include <cstdlib>

using namespace llvm;
using namespace mla;
using namespace mla::compile;

namespace {

enum ExitCode { Success = 0, CompileFailure = 1, UsageFailure = 2 };

int fail(Error error, ExitCode code) {
  handleAllErrors(std::move(error), [](const ErrorInfoBase &info) {
    WithColor::error(errs(), "mla-compile") << info.message() << "\n";
  });
  return code;
}

/// LLVM ends the process when it meets something it cannot compile.
void fatalError(void *, const char *reason, bool) {
  WithColor::error(errs(), "mla-compile") << "LLVM gave up: " << reason << "\n";
  // Not exit(): a pass may hold what destructors want.
  std::_Exit(CompileFailure);
}

Error write(StringRef path, StringRef bytes) {
  Error error = writeToOutput(path, [&](raw_ostream &stream) {
    stream << bytes;
    return Error::success();
  });
  if (!error)
    return error;
  return createStringError(path +
                           " cannot be written: " + toString(std::move(error)));
}

/// The input file, or the IR that the options stand for.
Expected<std::unique_ptr<MemoryBuffer>> openProblem(const Options &options) {
  if (options.input.empty()) {
    std::optional<Shape> tuned;
    if (!options.shapes.empty())
      tuned = options.shapes.front();
    return MemoryBuffer::getMemBufferCopy(
        problemText(options.problem, *targets::findChip(options.chip), tuned),
        "<options>");
  }
  std::string message;
  std::unique_ptr<MemoryBuffer> buffer =
      mlir::openInputFile(options.input, &message);
  if (!buffer)
    return createStringError(message);
  return buffer;
}

Expected<mlir::gpu::GPUModuleOp> findKernels(mlir::ModuleOp module) {
  auto modules = module.getOps<mlir::gpu::GPUModuleOp>();
  if (hasSingleElement(modules))
    return *modules.begin();
  return createStringError(
      Twine("the input must hold one mla.decode (or one gpu.module); it has ") +
      (modules.empty() ? "none" : "several"));
}

/// One run of the compiler, from a module to what is to be written.
class Compilation {
public:
  Compilation(const Options &options, Report &report, Stopwatch &watch)
      : options(options), report(report), watch(watch) {}

  Expected<std::string> run(mlir::ModuleOp module) {
    if (options.emit == Emit::MLIR)
      return print(module);
    if (Error error = lower(module))
      return error;
    watch.finish("lower");
    if (options.emit == Emit::Lowered)
      return print(module);
    Expected<mlir::gpu::GPUModuleOp> kernels = findKernels(module);
    if (!kernels)
      return kernels.takeError();
    Expected<codegen::DeviceModule> device = makeDeviceModule(*kernels);
    if (!device)
      return device.takeError();
    if (options.emit == Emit::LLVMIR)
      return device->ir();
    if (options.emit == Emit::Assembly) {
      Expected<std::string> text = device->assembly();
      watch.finish("code generation");
      return text;
    }
    return makeBundle(*kernels, *device);
  }

private:
  static std::string print(mlir::ModuleOp module) {
    std::string text;
    raw_string_ostream stream(text);
    module.print(stream);
    return text;
  }

  Error lower(mlir::ModuleOp module) {
    mlir::PassManager manager(module.getContext());
    MLAToAMDGPUOptions pipeline;
    pipeline.chip = options.chip;
    pipeline.fuse = options.fuse;
    pipeline.qPrecision = options.qPrecision;
    pipeline.pPrecision = options.pPrecision;
    pipeline.rows = options.scheduleRows;
    pipeline.workgroups = options.workgroups;
    buildMLAToAMDGPUPipeline(manager, pipeline);
    if (failed(manager.run(module)))
      return createStringError("the problem cannot be lowered for " +
                               options.chip);
    return Error::success();
  }

  /// Optimised LLVM IR of the kernels.
  Expected<codegen::DeviceModule>
  makeDeviceModule(mlir::gpu::GPUModuleOp kernels) {
    Expected<codegen::DeviceModule> device =
        codegen::DeviceModule::translate(kernels, options.chip);
    if (!device)
      return device.takeError();
    watch.finish("translate");
    if (Error error = device->linkLibraries(options.deviceLibraries))
      return error;
    watch.finish("device libraries");
    if (Error error = device->optimise())
      return error;
    watch.finish("optimise");
    return device;
  }

  /// The code object, or the bundle around it.
  Expected<std::string> makeBundle(mlir::gpu::GPUModuleOp kernels,
                                   const codegen::DeviceModule &device) {
    Expected<codegen::ObjectBytes> object = device.object();
    if (!object)
      return object.takeError();
    watch.finish("code generation");
    Expected<codegen::ObjectBytes> linked = codegen::linkCodeObject(*object);
    if (!linked)
      return linked.takeError();
    watch.finish("link");

    Expected<codegen::BundleInfo> info =
        codegen::readBundleInfo(kernels, options.chip);
    if (!info)
      return info.takeError();
    if (Error error =
            codegen::addResources(*info, *linked, options.allowSpills))
      return error;
    watch.finish("resources");
    report.info = *info;
    report.codeObjectBytes = linked->size();
    if (options.emit == Emit::Object)
      return std::string(linked->begin(), linked->end());

    Expected<std::vector<schedule::StoredTables>> tables = makeTables(*info);
    if (!tables)
      return tables.takeError();
    watch.finish("schedule tables");
    report.tables = tables->size();
    std::string file = codegen::writeBundle(*info, *linked, *tables);
    watch.finish("bundle");
    return file;
  }

  Expected<std::vector<schedule::StoredTables>>
  makeTables(const codegen::BundleInfo &info) {
    std::vector<schedule::StoredTables> all;
    for (const Shape &shape : options.shapes) {
      Expected<schedule::Lengths> lengths = makeLengths(shape, info.pageSize);
      if (!lengths)
        return lengths.takeError();
      std::string message;
      schedule::Config config = info.scheduleConfig();
      std::optional<schedule::Tables> tables =
          schedule::makeTables(*lengths, config, message);
      if (!tables)
        return createStringError(message);
      all.push_back({std::move(*lengths), config, std::move(*tables)});
    }
    return all;
  }

  const Options &options;
  Report &report;
  Stopwatch &watch;
};

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  Expected<Options> options = parseCommandLine(argc, argv);
  if (!options)
    return fail(options.takeError(), UsageFailure);
  Expected<std::unique_ptr<MemoryBuffer>> buffer = openProblem(*options);
  if (!buffer)
    return fail(buffer.takeError(), UsageFailure);
  install_fatal_error_handler(fatalError);

  Stopwatch watch;
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  registry.insert<MLADialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // The line of the input says enough.
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return CompileFailure; // The parser has said why.
  watch.finish("parse");

  Report report;
  report.output = options->output;
  Expected<std::string> bytes =
      Compilation(*options, report, watch).run(*module);
  if (!bytes)
    return fail(bytes.takeError(), CompileFailure);
  if (Error error = write(options->output, *bytes))
    return fail(std::move(error), CompileFailure);
  watch.finish("write");
  report.fileBytes = bytes->size();

  // What was written to standard output stays unmixed.
  raw_ostream &human = options->output == "-" ? errs() : outs();
  if (options->emit == Emit::Bundle)
    printSummary(report, human);
  if (options->timing)
    printTiming(watch, human);
  if (!options->jsonFile.empty())
    if (Error error = write(options->jsonFile, jsonReport(report, watch)))
      return fail(std::move(error), CompileFailure);
  return Success;
}
