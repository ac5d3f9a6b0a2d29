//===- DeviceModule.cpp - From a gpu.module to a code object --------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/CodeGen/DeviceModule.h"

#include "DeviceLibraries.h"

#include "mla/IR/MLADialect.h"
#include "mla/Targets/Chips.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm-c/Target.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <mutex>

using namespace llvm;
using namespace mla::codegen;

namespace {

/// Collects the errors that LLVM reports while it lives; LLVM's own handler
/// would print them and end the process.
class ErrorCollector {
public:
  explicit ErrorCollector(LLVMContext &context)
      : context(context), previous(context.getDiagnosticHandler()) {
    struct Handler : DiagnosticHandler {
      explicit Handler(std::string &text) : text(text) {}
      bool handleDiagnostics(const DiagnosticInfo &info) override {
        if (info.getSeverity() == DS_Error) {
          raw_string_ostream stream(text);
          DiagnosticPrinterRawOStream printer(stream);
          stream << (text.empty() ? "" : "; ");
          info.print(printer);
        }
        return true;
      }
      std::string &text;
    };
    context.setDiagnosticHandler(std::make_unique<Handler>(text));
  }
  ~ErrorCollector() { context.setDiagnosticHandler(std::move(previous)); }

  Error take(const Twine &what) {
    return text.empty() ? Error::success()
                        : createStringError(what + ": " + text);
  }

private:
  LLVMContext &context;
  std::unique_ptr<DiagnosticHandler> previous;
  std::string text;
};

Expected<std::unique_ptr<TargetMachine>> createMachine(StringRef chip) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
  });
  Triple triple("amdgcn-amd-amdhsa");
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return createStringError("this LLVM has no AMDGPU back end: " + message);
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, chip, /*Features=*/"", TargetOptions(), Reloc::PIC_, std::nullopt,
      CodeGenOptLevel::Aggressive));
}

/// Tells the back end how many threads a workgroup has. Without it a kernel
/// must be ready for 1,024, which leaves a lane 128 registers.
void setWorkgroupSizes(mlir::gpu::GPUModuleOp source, Module &module) {
  for (auto function : source.getOps<mlir::LLVM::LLVMFuncOp>()) {
    auto kernel =
        function->getAttrOfType<mla::KernelAttr>(mla::kKernelAttrName);
    if (!kernel)
      continue;
    Function *target = module.getFunction(function.getName());
    std::string threads = std::to_string(kernel.getBlock());
    target->addFnAttr("amdgpu-flat-work-group-size", threads + "," + threads);
    target->addFnAttr("uniform-work-group-size", "true");
    LLVMContext &context = module.getContext();
    auto size = [&](int64_t value) {
      return ConstantAsMetadata::get(
          ConstantInt::get(Type::getInt32Ty(context), value));
    };
    target->setMetadata(
        "reqd_work_group_size",
        MDNode::get(context, {size(kernel.getBlock()), size(1), size(1)}));
  }
}

Error emit(const Module &module, TargetMachine &machine, CodeGenFileType type,
           raw_pwrite_stream &stream) {
  // Code generation changes the IR; the module stays as it is for others.
  std::unique_ptr<Module> copy = CloneModule(module);
  ErrorCollector errors(copy->getContext());
  legacy::PassManager passes;
  passes.add(new TargetLibraryInfoWrapperPass(machine.getTargetTriple()));
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return createStringError("the AMDGPU back end emits no such file");
  passes.run(*copy);
  return errors.take("code generation failed");
}

} // namespace

DeviceModule::DeviceModule(std::unique_ptr<LLVMContext> context,
                           std::unique_ptr<Module> module,
                           std::unique_ptr<TargetMachine> machine)
    : context(std::move(context)), module(std::move(module)),
      machine(std::move(machine)) {}
DeviceModule::DeviceModule(DeviceModule &&) = default;
DeviceModule &DeviceModule::operator=(DeviceModule &&) = default;
DeviceModule::~DeviceModule() = default;

Expected<DeviceModule> DeviceModule::translate(mlir::gpu::GPUModuleOp source,
                                               StringRef chip) {
  if (!targets::findChip(chip))
    return createStringError("unknown chip '" + chip + "'; known are " +
                             targets::kChipNames);
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(chip);
  if (!machine)
    return machine.takeError();

  auto context = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> module =
      mlir::translateModuleToLLVMIR(source, *context, source.getName());
  if (!module)
    return createStringError("the module @" + source.getName() +
                             " cannot be translated to LLVM IR");
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  module->addModuleFlag(Module::Error, "amdhsa_code_object_version",
                        kCodeObjectVersion);
  setWorkgroupSizes(source, *module);
  for (Function &function : *module)
    // Kernels are found by name but never replaced by another object's.
    if (function.getCallingConv() == CallingConv::AMDGPU_KERNEL)
      function.setVisibility(GlobalValue::ProtectedVisibility);

  std::string message;
  raw_string_ostream stream(message);
  if (verifyModule(*module, &stream))
    return createStringError("the LLVM IR of @" + source.getName() +
                             " is malformed: " + message);
  return DeviceModule(std::move(context), std::move(module),
                      std::move(*machine));
}

Error DeviceModule::linkLibraries(StringRef folder) {
  ErrorCollector errors(*context);
  if (Error error =
          linkDeviceLibraries(*module, machine->getTargetCPU(), folder))
    return error;
  if (Error error = errors.take("linking device libraries failed"))
    return error;
  for (const Function &function : *module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.use_empty())
      return createStringError("the kernels call " + function.getName() +
                               ", which nothing defines");
  internalizeModule(*module, [](const GlobalValue &value) {
    auto *function = dyn_cast<Function>(&value);
    return function && function->getCallingConv() == CallingConv::AMDGPU_KERNEL;
  });
  for (Function &function : *module)
    if (!function.isDeclaration())
      function.addFnAttr("target-cpu", machine->getTargetCPU());
  return Error::success();
}

Error DeviceModule::optimise() {
  ErrorCollector errors(*context);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(*module, modules);
  return errors.take("optimisation failed");
}

std::string DeviceModule::ir() const {
  std::string text;
  raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

Expected<std::string> DeviceModule::assembly() const {
  SmallString<0> text;
  raw_svector_ostream stream(text);
  if (Error error =
          emit(*module, *machine, CodeGenFileType::AssemblyFile, stream))
    return error;
  return std::string(text);
}

Expected<ObjectBytes> DeviceModule::object() const {
  ObjectBytes bytes;
  raw_svector_ostream stream(bytes);
  if (Error error =
          emit(*module, *machine, CodeGenFileType::ObjectFile, stream))
    return error;
  return bytes;
}
