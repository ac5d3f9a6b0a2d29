//===- mla-opt.cpp - Run passes of the MLA compiler one by one ------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with the mla dialect and its passes. All upstream dialects and
// passes are here too, so that any step of the lowering can be run alone.
//
//===----------------------------------------------------------------------===//

#include "mla/Conversion/Passes.h"
#include "mla/IR/MLADialect.h"
#include "mla/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  mla::registerMLATransformsPasses();
  mla::registerMLAConversionPasses();
  mla::registerMLAToAMDGPUPipeline();

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  registry.insert<mla::MLADialect>();

  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "MLA compiler: optimizer driver\n", registry));
}
