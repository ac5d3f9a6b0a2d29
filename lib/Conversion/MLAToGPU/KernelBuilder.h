//===- KernelBuilder.h - Starts a gpu.func with named buffers ---*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_CONVERSION_MLATOGPU_KERNELBUILDER_H
#define MLA_LIB_CONVERSION_MLATOGPU_KERNELBUILDER_H

#include "mla/Conversion/Passes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mla {

/// A kernel argument: a buffer in global memory.
struct KernelBuffer {
  llvm::StringRef name;
  Access access;
  mlir::MemRefType type;
};

/// How a kernel is launched; see mla.kernel.
struct KernelLaunch {
  llvm::StringRef role;
  Extent grid;
  int64_t factor;
  int64_t block;
};

/// A memref in global memory whose first extent is only known at run time.
/// Bare pointers need static extents, so it gets the largest that the int32
/// indices of the ABI can address.
mlir::MemRefType globalBuffer(mlir::Type element,
                              llvm::ArrayRef<int64_t> innerShape = {});

/// Makes a gpu.func, finishes it with gpu.return, and builds what is asked for
/// in between.
class KernelBuilder : public mlir::ImplicitLocOpBuilder {
public:
  KernelBuilder(mlir::Location loc, mlir::gpu::GPUModuleOp module,
                KernelLaunch launch, llvm::ArrayRef<KernelBuffer> buffers);

  /// The argument of that name, which must be there.
  mlir::Value buffer(llvm::StringRef name) const;

  /// `bytes` of LDS, 16-byte aligned.
  mlir::Value workgroupMemory(int64_t bytes);

  mlir::Value index(int64_t value);
  mlir::Value f32(double value);

  /// Loads an i32 that is the same in all lanes, as an index that is known to
  /// be uniform.
  mlir::Value uniformIndex(mlir::Value memref, mlir::ValueRange indices);

  /// Tells the compiler that `value` is the same in all lanes of a wave.
  mlir::Value uniform(mlir::Value value);

  mlir::Value threadId();

private:
  mlir::gpu::GPUFuncOp function;
  llvm::StringMap<mlir::Value> arguments;
};

/// Partial results of one block, brought together by the threads of a
/// workgroup. The buffers are the kernel's of the standard names.
struct BlockCombine {
  mlir::Value queryRow;
  mlir::Value headBegin;
  mlir::Value partialBegin; ///< First slot.
  mlir::Value partialCount; ///< At least 1.
  int64_t heads;            ///< Of the whole problem.
  mlir::Type outElement;
};

/// Columns that one thread combines.
inline constexpr int64_t kCombineColumns = 4;

/// Combines heads `first`, `first + step`, … (`count` of them, counted from the
/// block's first) in `kCombineColumns` columns from `column` on, and has the
/// thread of column 0 write the lse. All parts are summed in slot order.
void combineHeads(KernelBuilder &b, const BlockCombine &block,
                  mlir::Value first, int64_t step, int64_t count,
                  mlir::Value column);

// One file a kernel.
void buildAmaxKernel(AmaxOp op, mlir::gpu::GPUModuleOp module);
void buildQuantizeKernel(QuantizeOp op, mlir::gpu::GPUModuleOp module);
void buildAttendKernel(AttendOp op, mlir::gpu::GPUModuleOp module,
                       int64_t probabilityBias);
void buildCombineKernel(CombineOp op, mlir::gpu::GPUModuleOp module);

} // namespace mla

#endif // MLA_LIB_CONVERSION_MLATOGPU_KERNELBUILDER_H
