//===- Pipeline.cpp - From mla.decode to the llvm dialect -----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Conversion/Passes.h"
#include "mla/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mla;

void mla::buildMLAToAMDGPUPipeline(OpPassManager &manager,
                                   const MLAToAMDGPUOptions &options) {
  const std::string &chip = options.chip;
  manager.addPass(createMLADecompose());
  if (options.fuse) {
    manager.addPass(createMLAFuseQuantize());
    manager.addPass(createMLAFuseCombine());
  }
  MLAChoosePrecisionOptions precision;
  precision.chip = chip;
  precision.q = options.qPrecision;
  precision.p = options.pPrecision;
  manager.addPass(createMLAChoosePrecision(precision));
  MLATileOptions tile;
  tile.chip = chip;
  manager.addPass(createMLATile(tile));
  MLASplitKVOptions split;
  split.chip = chip;
  split.rows = options.rows;
  split.workgroups = options.workgroups;
  manager.addPass(createMLASplitKV(split));
  ConvertMLAToGPUOptions toGPU;
  toGPU.chip = chip;
  manager.addPass(createConvertMLAToGPU(toGPU));

  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  ConvertMLAToAMDGPUOptions toAMDGPU;
  toAMDGPU.chip = chip;
  kernels.addPass(createConvertMLAToAMDGPU(toAMDGPU));
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());

  kernels.addPass(createSCFToControlFlowPass());
  ArithToAMDGPUConversionPassOptions arith;
  arith.chipset = chip;
  kernels.addPass(createArithToAMDGPUConversionPass(arith));
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  ConvertAMDGPUToROCDLPassOptions amdgpu;
  amdgpu.chipset = chip;
  kernels.addPass(createConvertAMDGPUToROCDLPass(amdgpu));
  ConvertGpuOpsToROCDLOpsOptions rocdl;
  rocdl.chipset = chip;
  rocdl.useBarePtrCallConv = true;
  rocdl.runtime = gpu::amd::Runtime::HIP;
  kernels.addPass(createConvertGpuOpsToROCDLOps(rocdl));
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createMLAFoldLdsLoadOffsets());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createMLALdsAliasScopes());
}

void mla::registerMLAToAMDGPUPipeline() {
  PassPipelineRegistration<MLAToAMDGPUOptions>(
      "mla-to-amdgpu",
      "From mla.decode to a gpu.module in the llvm and rocdl dialects",
      buildMLAToAMDGPUPipeline);
}
