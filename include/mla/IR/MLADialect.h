//===- MLADialect.h - The mla dialect ---------------------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dialect, attributes, types and operations; what they mean is in the .td files
// beside this header and in docs/Dialect.md, which is generated from them.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_IR_MLADIALECT_H
#define MLA_IR_MLADIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mla {
/// A cache row: latent elements, then rope elements (DeepSeek-V3's shape).
inline constexpr int64_t kLatent = 512;
inline constexpr int64_t kRope = 64;
inline constexpr int64_t kRow = kLatent + kRope;

/// Heads a block has at most: the columns of a 16×16 matrix instruction.
inline constexpr int64_t kBlockHeads = 16;

/// Columns of a value or output fragment: one half of a row's latent part. Two
/// fragments rather than one halve the LDS that the transpose needs.
inline constexpr int64_t kFragmentColumns = 256;

/// Attribute names under which a kernel module carries what the bundle needs.
inline constexpr llvm::StringLiteral kKernelAttrName = "mla.kernel";
inline constexpr llvm::StringLiteral kProblemAttrName = "mla.problem";
inline constexpr llvm::StringLiteral kSplitAttrName = "mla.split";
inline constexpr llvm::StringLiteral kTileAttrName = "mla.tile";
inline constexpr llvm::StringLiteral kPrecisionAttrName = "mla.precision";
inline constexpr llvm::StringLiteral kShapeAttrName = "mla.shape";
/// An array of WorkspaceAttr.
inline constexpr llvm::StringLiteral kWorkspaceAttrName = "mla.workspace";
} // namespace mla

#include "mla/IR/MLADialect.h.inc"
#include "mla/IR/MLAEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "mla/IR/MLAAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "mla/IR/MLATypes.h.inc"

#define GET_OP_CLASSES
#include "mla/IR/MLAOps.h.inc"

#endif // MLA_IR_MLADIALECT_H
