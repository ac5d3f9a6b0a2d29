//===- DeviceModule.h - From a gpu.module to a code object ------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything happens in this process: translation to LLVM IR, device libraries,
// optimisation, AMDGPU code generation, and linking with lld. The steps are
// separate so that each result can be looked at and timed.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_CODEGEN_DEVICEMODULE_H
#define MLA_CODEGEN_DEVICEMODULE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mla::codegen {

/// The code object ABI times 100, as the module flag
/// `amdhsa_code_object_version` holds it. The back end takes it from there
/// (llvm#79144: an option that says otherwise gives broken objects).
inline constexpr unsigned kCodeObjectVersion = 600;

/// Bytes of an object file or a linked code object.
using ObjectBytes = llvm::SmallVector<char, 0>;

/// Kernels as LLVM IR for one chip. Errors are sentences.
class DeviceModule {
public:
  /// Translates a module that is wholly in the llvm, rocdl and gpu dialects.
  /// Kernels get the size of their workgroup from `mla.kernel`. What MLIR
  /// reports goes to the context's diagnostics besides.
  static llvm::Expected<DeviceModule> translate(mlir::gpu::GPUModuleOp module,
                                                llvm::StringRef chip);

  DeviceModule(DeviceModule &&);
  DeviceModule &operator=(DeviceModule &&);
  ~DeviceModule();

  /// Links what `__ocml_*` and `__ockl_*` calls need, if there are any, from
  /// the ROCm device libraries; see DeviceLibraries.h for `folder`. Fails when
  /// a function is left that nothing defines.
  llvm::Error linkLibraries(llvm::StringRef folder);

  /// Runs LLVM's -O3 pipeline.
  llvm::Error optimise();

  /// LLVM IR as text, as far as the module has come.
  std::string ir() const;

  /// Assembly text.
  llvm::Expected<std::string> assembly() const;

  /// A relocatable object file.
  llvm::Expected<ObjectBytes> object() const;

private:
  DeviceModule(std::unique_ptr<llvm::LLVMContext> context,
               std::unique_ptr<llvm::Module> module,
               std::unique_ptr<llvm::TargetMachine> machine);

  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};

/// Links a relocatable object to the shared object that HIP loads. lld reads
/// and writes files: it gets temporary ones. It also puts every cl::opt of the
/// process back to its default; copy what must outlive this.
llvm::Expected<ObjectBytes> linkCodeObject(llvm::ArrayRef<char> object);

} // namespace mla::codegen

#endif // MLA_CODEGEN_DEVICEMODULE_H
