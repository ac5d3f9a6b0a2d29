//===- MLAOps.cpp - Verifiers of the problem-level operations -------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/IR/MLADialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mla;

#define GET_OP_CLASSES
#include "mla/IR/MLAOps.cpp.inc"

/// Two sizes agree if they are equal or either is only known at run time.
static bool agree(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

static bool isFp8(Type type) {
  return isa<Float8E4M3FNType, Float8E4M3FNUZType>(type);
}

/// Checks `rank` and the sizes that are fixed (dynamic in `sizes` means any).
static LogicalResult verifyShape(Operation *op, StringRef name, Type type,
                                 ArrayRef<int64_t> sizes, StringRef form) {
  auto shaped = cast<ShapedType>(type);
  bool fits = shaped.getRank() == static_cast<int64_t>(sizes.size());
  for (size_t i = 0; fits && i < sizes.size(); ++i)
    fits = agree(shaped.getDimSize(i), sizes[i]);
  if (fits)
    return success();
  return op->emitOpError() << name << " must be " << form << ", got " << type;
}

static LogicalResult verifyQuery(Operation *op, StringRef name, Type type) {
  if (failed(verifyShape(op, name, type,
                         {ShapedType::kDynamic, ShapedType::kDynamic, kRow},
                         "total_q x heads x 576")))
    return failure();
  int64_t heads = cast<ShapedType>(type).getDimSize(1);
  if (ShapedType::isDynamic(heads) || heads == 0)
    return op->emitOpError()
           << name << " needs a static, positive number of heads, got " << type;
  return success();
}

static LogicalResult verifyBf16(Operation *op, StringRef name, Type type) {
  if (cast<ShapedType>(type).getElementType().isBF16())
    return success();
  return op->emitOpError() << name << " must hold bf16, got " << type;
}

/// One row of 512 columns and one lse for each of `heads` heads of each token.
static LogicalResult verifyOutputs(Operation *op, int64_t tokens, int64_t heads,
                                   Type outType, Type lseType) {
  if (failed(verifyShape(op, "out", outType, {tokens, heads, kLatent},
                         "total_q x heads x 512")))
    return failure();
  auto out = cast<ShapedType>(outType);
  if (out.isDynamicDim(1) || out.getDimSize(1) == 0)
    return op->emitOpError()
           << "out needs a static, positive number of heads, got " << outType;
  Type element = out.getElementType();
  if (!element.isBF16() && !element.isF32())
    return op->emitOpError() << "out must hold bf16 or f32, got " << outType;
  if (ShapedType::isDynamic(tokens))
    tokens = out.getDimSize(0);
  return verifyShape(op, "lse", lseType, {tokens, out.getDimSize(1)},
                     "total_q x heads");
}

/// The output belongs to Q: same tokens and heads.
static LogicalResult verifyOutputs(Operation *op, Type qType, Type outType,
                                   Type lseType) {
  auto q = cast<ShapedType>(qType);
  return verifyOutputs(op, q.getDimSize(0), q.getDimSize(1), outType, lseType);
}

/// Precisions are of the cache's kind.
static LogicalResult verifyPrecision(Operation *op, PrecisionsAttr precision,
                                     CacheType cache) {
  if (!precision)
    return success();
  bool fp8 = isFp8(cache.getElementType());
  for (Precision each : {precision.getQ(), precision.getP()})
    if (fp8 == (each == Precision::Bf16))
      return op->emitOpError()
             << "precision " << stringifyPrecision(each)
             << " does not go with a cache of " << cache.getElementType();
  return success();
}

static LogicalResult verifyScale(Operation *op, StringRef name, Value scale) {
  if (!scale)
    return success();
  return verifyShape(op, name, scale.getType(), {1}, "one f32 (tensor<1xf32>)");
}

static LogicalResult verifySmScale(Operation *op, const APFloat &smScale) {
  if (smScale.isFinite() && !smScale.isNegative() && !smScale.isZero())
    return success();
  return op->emitOpError() << "sm_scale must be finite and positive, got "
                           << smScale.convertToFloat();
}

/// An fp8 cache has a scale, a bf16 one has none.
static LogicalResult verifyCacheScale(Operation *op, CacheType cache,
                                      Value kvScale) {
  bool fp8 = isFp8(cache.getElementType());
  if (fp8 && !kvScale)
    return op->emitOpError() << "an fp8 cache needs kv_scale";
  if (!fp8 && kvScale)
    return op->emitOpError() << "a bf16 cache takes no kv_scale";
  return verifyScale(op, "kv_scale", kvScale);
}

/// The indptrs have one entry more than there are sequences.
static LogicalResult verifyIndptrs(Operation *op, Type qoIndptr, Type kvIndptr,
                                   Type lastPageLen) {
  auto size = [](Type type) { return cast<ShapedType>(type).getDimSize(0); };
  int64_t queries = size(qoIndptr), pages = size(kvIndptr);
  if (!agree(queries, pages))
    return op->emitOpError()
           << "qo_indptr and kv_indptr must have the same length, got "
           << queries << " and " << pages;
  for (int64_t indptr : {queries, pages})
    if (!ShapedType::isDynamic(indptr) &&
        !ShapedType::isDynamic(size(lastPageLen)) &&
        size(lastPageLen) != indptr - 1)
      return op->emitOpError()
             << "kv_last_page_len has one entry a sequence, the indptrs one "
                "more; got "
             << size(lastPageLen) << " and " << indptr;
  return success();
}

LogicalResult DecodeOp::verify() {
  if (failed(verifyQuery(*this, "q", getQ().getType())) ||
      failed(verifyBf16(*this, "q", getQ().getType())) ||
      failed(verifyIndptrs(*this, getQoIndptr().getType(),
                           getKvIndptr().getType(),
                           getKvLastPageLen().getType())) ||
      failed(verifyCacheScale(*this, getCache().getType(), getKvScale())) ||
      failed(verifyScale(*this, "q_scale", getQScale())) ||
      failed(
          verifyPrecision(*this, getPrecisionAttr(), getCache().getType())) ||
      failed(verifySmScale(*this, getSmScale())))
    return failure();

  bool fp8 = isFp8(getCache().getType().getElementType());
  if (fp8 != (getQMode() != QMode::None))
    return emitOpError() << "q_mode " << stringifyQMode(getQMode())
                         << " does not go with a cache of "
                         << getCache().getType().getElementType()
                         << ": Q takes the cache's type, so fp8 wants static, "
                            "dynamic or per_head and bf16 wants none";
  bool wantsScale = getQMode() == QMode::Static;
  if (wantsScale != static_cast<bool>(getQScale()))
    return emitOpError() << "q_mode " << stringifyQMode(getQMode())
                         << (wantsScale ? " needs q_scale"
                                        : " takes no q_scale");
  return verifyOutputs(*this, getQ().getType(), getOut().getType(),
                       getLse().getType());
}

LogicalResult ScheduleOp::verify() {
  // The accessors of signless attributes are unsigned.
  auto heads = static_cast<int64_t>(getHeads());
  if (heads < 1)
    return emitOpError() << "heads must be positive, got " << heads;
  auto pageSize = static_cast<int64_t>(getPageSize());
  if (pageSize < 1)
    return emitOpError() << "page_size must be positive, got " << pageSize;
  return verifyIndptrs(*this, getQoIndptr().getType(), getKvIndptr().getType(),
                       getKvLastPageLen().getType());
}

LogicalResult AmaxOp::verify() {
  if (failed(verifyQuery(*this, "q", getQ().getType())) ||
      failed(verifyBf16(*this, "q", getQ().getType())))
    return failure();
  return verifyShape(*this, "amax", getAmax().getType(),
                     {cast<ShapedType>(getQ().getType()).getDimSize(0)},
                     "one f32 a token of q");
}

LogicalResult QuantizeOp::verify() {
  if (failed(verifyQuery(*this, "q", getQ().getType())) ||
      failed(verifyBf16(*this, "q", getQ().getType())) ||
      failed(verifyScale(*this, "scale", getScale())))
    return failure();
  if (static_cast<bool>(getScale()) == static_cast<bool>(getAmax()))
    return emitOpError() << "takes either scale or amax";
  if (static_cast<bool>(getAmax()) != static_cast<bool>(getFoundScale()))
    return emitOpError() << "returns the scale with amax, and only the "
                            "quantised Q with scale";
  auto q = cast<ShapedType>(getQ().getType());
  if (getAmax() &&
      failed(verifyShape(*this, "amax", getAmax().getType(), {q.getDimSize(0)},
                         "one f32 a token of q")))
    return failure();
  if (failed(verifyScale(*this, "the scale found", getFoundScale())))
    return failure();
  auto quantized = cast<ShapedType>(getQuantized().getType());
  if (failed(verifyShape(*this, "the quantised Q", quantized, q.getShape(),
                         "shaped like q")))
    return failure();
  if (!isFp8(quantized.getElementType()))
    return emitOpError()
           << "the quantised Q must hold f8E4M3FN or f8E4M3FNUZ, got "
           << quantized;
  return success();
}

/// partial_o: slots x 16 x 512; partial_ml: slots x 2 x 16.
static LogicalResult verifyPartials(Operation *op, Type partialO,
                                    Type partialMl) {
  if (failed(verifyShape(op, "partial_o", partialO,
                         {ShapedType::kDynamic, kBlockHeads, kLatent},
                         "partials x 16 x 512")))
    return failure();
  return verifyShape(op, "partial_ml", partialMl,
                     {ShapedType::kDynamic, 2, kBlockHeads},
                     "partials x 2 x 16");
}

bool AttendOp::quantizesQuery() {
  return isFp8(getCache().getType().getElementType()) &&
         cast<ShapedType>(getQ().getType()).getElementType().isBF16();
}

LogicalResult AttendOp::verify() {
  Type cacheElement = getCache().getType().getElementType();
  auto q = cast<ShapedType>(getQ().getType());
  if (failed(verifyQuery(*this, "q", q)))
    return failure();
  if (q.getElementType() != cacheElement && !quantizesQuery())
    return emitOpError() << "q must hold the cache's element type "
                         << cacheElement
                         << (isFp8(cacheElement) ? " or bf16" : "") << ", got "
                         << q;
  if (isFp8(q.getElementType()) && !getQScale())
    return emitOpError() << "an fp8 q needs q_scale";
  if (!isFp8(cacheElement) && getQScale())
    return emitOpError() << "a bf16 cache takes no q_scale";
  if (getPrecisionAttr() && getPrecisionAttr().getQ() == Precision::Fp8x2 &&
      !quantizesQuery())
    return emitOpError() << "precision fp8x2 of Q needs a bf16 q; an fp8 q has "
                            "lost its second term";
  if (failed(verifyScale(*this, "q_scale", getQScale())) ||
      failed(verifyCacheScale(*this, getCache().getType(), getKvScale())) ||
      failed(
          verifyPrecision(*this, getPrecisionAttr(), getCache().getType())) ||
      failed(verifySmScale(*this, getSmScale())) ||
      failed(verifyPartials(*this, getPartialO().getType(),
                            getPartialMl().getType())))
    return failure();
  return verifyOutputs(*this, q, getOut().getType(), getLse().getType());
}

LogicalResult CombineOp::verify() {
  if (getOutIn().getType() != getOut().getType() ||
      getLseIn().getType() != getLse().getType())
    return emitOpError() << "passes out and lse through with their types";
  if (failed(verifyOutputs(*this, ShapedType::kDynamic, ShapedType::kDynamic,
                           getOut().getType(), getLse().getType())))
    return failure();
  return verifyPartials(*this, getPartialO().getType(),
                        getPartialMl().getType());
}
