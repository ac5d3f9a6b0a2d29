//===- Passes.td - Passes out of the mla dialect -----------*- tablegen -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_CONVERSION_PASSES_TD
#define MLA_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertMLAToGPU : Pass<"convert-mla-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Make one kernel of each problem-level operation";
  let description = [{
    Replaces the functions that hold `mla.attend` and its kin by one
    `gpu.module`, with a `gpu.func` for each operation in the order of their
    launches. The attention kernel's body is fragment operations: its loop over
    tiles, its softmax, its accumulators can be read off. Each kernel carries
    `mla.kernel`, the module the problem, the split and the workspace.

    Nothing of a vendor is in the result but the tile that was chosen before.

    ```mlir
    func.func @decode(…) {
      %t = mla.schedule … {split = #mla.split<…>} : …
      %o, %l, %po, %pml = mla.attend %q, %cache[%i] schedule(%t) … {tile = #mla.tile<…>} : …
      …
    }
    ```

    becomes

    ```mlir
    gpu.module @mla_kernels attributes {mla.problem = …, mla.split = …, …} {
      gpu.func @mla_attend(%q: memref<…>, …) kernel attributes {mla.kernel = #mla.kernel<role = "attend", …>} {
        …
        scf.for %item = %first to %last step %c1 {
          …
          %scores = mla.score %keys, %query : …
          %p, %max, %sum, %correction = mla.online_softmax %scores … : …
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"\"", "the chip whose tile and number formats the kernels use: gfx942 or gfx950">,
  ];
  let dependentDialects = [
    "::mla::MLADialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def ConvertMLAToAMDGPU : Pass<"convert-mla-to-amdgpu", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower fragment operations to what each lane does";
  let description = [{
    Fragments become the vectors that a lane holds, one value for each register
    group, and the operations on them vector, memref, amdgpu and, where there is
    nothing upstream, rocdl operations of the chip.

    ```mlir
    %s = mla.score %k, %q : !mla.fragment<16x576xbf16, operand>, … -> !mla.fragment<16x16xf32, score>
    ```

    becomes 36 times

    ```mlir
    %a = vector.bitcast %k0 : vector<2xi32> to vector<4xbf16>
    %b = vector.bitcast %q0 : vector<2xi32> to vector<4xbf16>
    %s1 = amdgpu.mfma 16x16x16 %a * %b + %s0 blgp = none : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"\"", "the chip to lower for: gfx942 or gfx950">,
  ];
  let dependentDialects = [
    "::mla::MLADialect", "::mlir::amdgpu::AMDGPUDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::ROCDL::ROCDLDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def MLAFoldLdsLoadOffsets : Pass<"mla-fold-lds-load-offsets", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Move constant offsets into loads to LDS";
  let description = [{
    The offset of a load into LDS counts for its global and its LDS address
    alike. A constant that is added to the global address becomes that offset,
    and is taken off the LDS address, which is scalar: a 64-bit vector addition
    for each load less.

    ```mlir
    %g = llvm.getelementptr %base[%row + 128] : …, i8
    rocdl.load.to.lds %g, %lds, 16, 0, 0 : !llvm.ptr<1>
    ```

    becomes

    ```mlir
    %g = llvm.getelementptr %base[%row] : …, i8
    %l = llvm.getelementptr %lds[-128] : …, i8
    rocdl.load.to.lds %g, %l, 16, 128, 0 : !llvm.ptr<1>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def MLALdsAliasScopes : Pass<"mla-lds-alias-scopes", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Tell accesses to different LDS memories apart";
  let description = [{
    Gives every access to one of a kernel's LDS memories (globals of address
    space 3, after the lowering to the llvm dialect) an alias scope of that
    memory, and says that it does not alias the others. The backend counts loads
    into LDS apart only by their scopes: without them a read of one stage waits
    for the loads into all.

    ```mlir
    rocdl.load.to.lds %global, %stage1, 16, 0, 0 : !llvm.ptr<1>
    %0 = llvm.load %stage0 : !llvm.ptr<3> -> vector<4xi32>
    ```

    becomes

    ```mlir
    rocdl.load.to.lds %global, %stage1, 16, 0, 0 {alias_scopes = [#stage1], noalias_scopes = [#stage0]} : !llvm.ptr<1>
    %0 = llvm.load %stage0 {alias_scopes = [#stage0], noalias_scopes = [#stage1]} : !llvm.ptr<3> -> vector<4xi32>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // MLA_CONVERSION_PASSES_TD
