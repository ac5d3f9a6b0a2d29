//===- Reference.h - MLA decode in float64 ----------------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result that kernels are held against: scores = smScale · q·kᵀ over the
// whole row, softmax over the rows of the sequence, out = p · (the row's latent
// part), everything in float64.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_NUMERICS_REFERENCE_H
#define MLA_NUMERICS_REFERENCE_H

#include "mla/Numerics/Formats.h"

#include <cstdint>
#include <span>

namespace mla::numerics {

enum class Element : uint8_t {
  F64,
  F32,
  BF16,
  Code, ///< One byte an element, read as Operand::format.
};

/// An array not owned; an element's value is what it stands for times `scale`.
struct Operand {
  const void *data;
  Element element;
  Format format = Format::E4M3FN;
  double scale = 1;
};

/// All arrays stay the caller's. They must be consistent (see
/// schedule::makeTables for the rules); nothing is checked here.
struct AttentionInputs {
  int32_t heads;
  int32_t latent = 512;
  int32_t rope = 64;
  int32_t pageSize = 1;
  double smScale;
  int32_t batch;
  const int32_t *qoIndptr;      ///< batch + 1 rows of q.
  const int32_t *kvIndptr;      ///< batch + 1 positions in kvIndices.
  const int32_t *kvLastPageLen; ///< batch; rows used in the last page.
  const int32_t *kvIndices;     ///< page ids.
  Operand q;                    ///< (total_q, heads, latent + rope).
  Operand cache; ///< Row r of page p is row p * pageSize + r, of latent + rope.
};

/// Writes out (total_q, heads, latent) and lse (total_q, heads), natural log,
/// for the query rows of the given sequences, or of all when `sequences` is
/// empty; other rows stay as they are. A sequence without rows gives zeros and
/// -infinity. `threads` 0 means one a core.
void attend(const AttentionInputs &inputs, std::span<const int32_t> sequences,
            int threads, double *out, double *lse);

} // namespace mla::numerics

#endif // MLA_NUMERICS_REFERENCE_H
