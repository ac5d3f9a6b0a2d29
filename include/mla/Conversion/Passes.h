//===- Passes.h - Passes out of the mla dialect -----------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_CONVERSION_PASSES_H
#define MLA_CONVERSION_PASSES_H

#include "mla/IR/MLADialect.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mla {
#define GEN_PASS_DECL
#include "mla/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "mla/Conversion/Passes.h.inc"

/// Options of the pipeline `mla-to-amdgpu`.
struct MLAToAMDGPUOptions : mlir::PassPipelineOptions<MLAToAMDGPUOptions> {
  Option<std::string> chip{*this, "chip", llvm::cl::desc("gfx942 or gfx950")};
  Option<bool> fuse{
      *this, "fuse",
      llvm::cl::desc("one launch: quantise and combine inside attention"),
      llvm::cl::init(true)};
  Option<std::string> qPrecision{*this, "q-precision",
                                 llvm::cl::desc("fp8 or fp8x2; empty: chosen")};
  Option<std::string> pPrecision{*this, "p-precision",
                                 llvm::cl::desc("fp8 or fp8x2; empty: chosen")};
  Option<int64_t> rows{
      *this, "rows",
      llvm::cl::desc("rows that shares are a multiple of; 0: chosen"),
      llvm::cl::init(0)};
  Option<int64_t> workgroups{
      *this, "workgroups",
      llvm::cl::desc("number of shares; 0: as many as are resident"),
      llvm::cl::init(0)};
};

/// From a module with mla.decode to a gpu.module in the llvm and rocdl
/// dialects, ready to be translated.
void buildMLAToAMDGPUPipeline(mlir::OpPassManager &manager,
                              const MLAToAMDGPUOptions &options);

/// Registers `mla-to-amdgpu`.
void registerMLAToAMDGPUPipeline();
} // namespace mla

#endif // MLA_CONVERSION_PASSES_H
