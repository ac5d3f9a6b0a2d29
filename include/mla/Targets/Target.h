//===- Target.h - What a lowering asks of a chip ----------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TARGETS_TARGET_H
#define MLA_TARGETS_TARGET_H

#include "mla/Targets/Chips.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mla::targets {

/// D (rows × columns, f32) += A (rows × depth) · B (depth × columns). A lane
/// gives `operandBytes` consecutive bytes of A and of B.
struct MatrixInstruction {
  int64_t rows;
  int64_t columns;
  int64_t depth;
  int64_t operandBytes;
  int64_t cycles; ///< That it keeps its SIMD's matrix core busy.
};

/// How the bytes of a column's tokens come to lie side by side in a lane.
enum class Transposition : uint8_t {
  /// Lanes read 16 bytes of four tokens each and swap bytes with v_perm_b32.
  BytePermute,
  /// LDS turns them while reading (ds_read_b64_tr_b8, ds_read_b64_tr_b16).
  LdsRead,
};

/// Which of a fragment's 256 columns stands at `low` (lane mod 16) of matrix
/// `j`: `lowStride * low + matrixStride * j`.
struct ColumnOrder {
  int64_t lowStride;
  int64_t matrixStride;
};

/// By how much, as an exponent of two, a head's maximum may be passed before it
/// is raised and what was accumulated is rescaled.
inline constexpr int32_t kMaximumSlack = 4;

/// One chip as the passes see it. Cheap to copy.
class Target {
public:
  /// The target of that name, or an error that names the known ones.
  static mlir::FailureOr<Target>
  get(llvm::StringRef name,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  const Chip &chip() const { return *facts; }

  /// The fp8 type of the chip's matrix cores.
  mlir::Type fp8Type(mlir::MLIRContext *context) const;

  /// Whether the matrix cores take `element`: bf16 or the chip's own fp8.
  bool supportsElement(mlir::Type element) const;

  /// The instruction for operands of `element`, which must be supported.
  MatrixInstruction matrixInstruction(mlir::Type element) const;

  /// The instruction for long sums over rows of `element`, which takes whole
  /// 16-byte pieces of a row; the other one where the chip has none.
  MatrixInstruction rowInstruction(mlir::Type element) const;

  Transposition transposition() const;
  ColumnOrder columnOrder() const;

  /// The power of two that probabilities are multiplied by before they are
  /// rounded to `element`, as its exponent: as large as the type's range allows
  /// when they pass 1 by `kMaximumSlack`, so that small ones keep their
  /// precision.
  int64_t probabilityBias(mlir::Type element) const;

private:
  explicit Target(const Chip &chip) : facts(&chip) {}
  const Chip *facts;
};

} // namespace mla::targets

#endif // MLA_TARGETS_TARGET_H
