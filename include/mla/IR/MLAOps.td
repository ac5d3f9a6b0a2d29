//===- MLAOps.td - Problem-level operations ----------------*- tablegen -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_IR_MLAOPS_TD
#define MLA_IR_MLAOPS_TD

include "mla/IR/MLATypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

class MLA_Op<string mnemonic, list<Trait> traits = []>
    : Op<MLA_Dialect, mnemonic, traits>;

def MLA_QueryTensor : RankedTensorOf<[AnyFloat]>;
def MLA_IndexTensor : 1DTensorOf<[I32]>;
def MLA_ScaleTensor : 1DTensorOf<[F32]>;
def MLA_F32Tensor : RankedTensorOf<[F32]>;

//===----------------------------------------------------------------------===//
// The whole problem
//===----------------------------------------------------------------------===//

def MLA_DecodeOp : MLA_Op<"decode", [Pure, AttrSizedOperandSegments]> {
  let summary = "MLA decode: attention of a few new tokens over a paged latent cache";
  let description = [{
    For each sequence, `scores = sm_scale * q · kᵀ`, a softmax over all the
    sequence's cache rows, `out = p · v`, where k is the whole 576-element row
    and v its first 512 elements. `lse` is the natural logarithm of the sum of
    the exponentials of the scores. A sequence without rows gives zeros and
    −inf.

    * `q`: `total_q × heads × 576`, bf16.
    * `qo_indptr`, `kv_indptr`: `batch + 1` offsets of each sequence's query
      tokens and of its entries in `kv_indices`.
    * `kv_indices`: page ids, the page table of all sequences in a row.
    * `kv_last_page_len`: rows used in each sequence's last page,
      1 … page_size (0 for a sequence without pages).
    * `q_scale`: the scale of a statically quantised Q, value ≈ fp8 · scale.
    * `kv_scale`: the scale of an fp8 cache.
    * `q_mode`: how Q is brought to the cache's element type.
    * `precision`: how exactly Q and the probabilities are multiplied; chosen by
      `mla-choose-precision` if it is not given.
    * `shape`: what the schedule is tuned for. The kernels are right at any.

    ```mlir
    %out, %lse = mla.decode %q, %cache queries(%qo_indptr)
        pages(%kv_indptr, %kv_indices, %kv_last_page_len)
        q_scale(%q_scale) kv_scale(%kv_scale)
        {sm_scale = 0.0416666679 : f32, q_mode = #mla.q_mode<static>}
        : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
          tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
          tensor<1xf32>, tensor<1xf32>
        -> tensor<?x16x512xbf16>, tensor<?x16xf32>
    ```
  }];
  let arguments = (ins MLA_QueryTensor:$q, MLA_CacheType:$cache,
                       MLA_IndexTensor:$qo_indptr, MLA_IndexTensor:$kv_indptr,
                       MLA_IndexTensor:$kv_indices,
                       MLA_IndexTensor:$kv_last_page_len,
                       Optional<MLA_ScaleTensor>:$q_scale,
                       Optional<MLA_ScaleTensor>:$kv_scale,
                       F32Attr:$sm_scale, MLA_QModeAttr:$q_mode,
                       OptionalAttr<MLA_PrecisionAttr>:$precision,
                       OptionalAttr<MLA_ShapeAttr>:$shape);
  let results = (outs MLA_QueryTensor:$out, MLA_F32Tensor:$lse);
  let assemblyFormat = [{
    $q `,` $cache `queries` `(` $qo_indptr `)`
    `pages` `(` $kv_indptr `,` $kv_indices `,` $kv_last_page_len `)`
    (`q_scale` `(` $q_scale^ `)`)? (`kv_scale` `(` $kv_scale^ `)`)?
    attr-dict `:` type(operands) `->` type(results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// What it decomposes into
//===----------------------------------------------------------------------===//

def MLA_ScheduleOp : MLA_Op<"schedule", [Pure]> {
  let summary = "Makes the schedule tables of a shape, on the host, once";
  let description = [{
    Shares the rows of all blocks (one query token × one group of 16 heads) out
    to workgroups as `split` says, which `mla-split-kv` chooses. Takes no part in
    a call: the tables are made when a plan is made.

    ```mlir
    %tables = mla.schedule queries(%qo_indptr) pages(%kv_indptr, %kv_last_page_len)
        {heads = 16 : i64, page_size = 1 : i64,
         split = #mla.split<rows = 128, workgroups = 0, per_compute_unit = 1>}
        : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
    ```
  }];
  let arguments = (ins MLA_IndexTensor:$qo_indptr, MLA_IndexTensor:$kv_indptr,
                       MLA_IndexTensor:$kv_last_page_len,
                       I64Attr:$heads, I64Attr:$page_size,
                       OptionalAttr<MLA_ShapeAttr>:$shape,
                       OptionalAttr<MLA_SplitAttr>:$split);
  let results = (outs MLA_ScheduleType:$tables);
  let assemblyFormat = [{
    `queries` `(` $qo_indptr `)` `pages` `(` $kv_indptr `,` $kv_last_page_len `)`
    attr-dict `:` type(operands)
  }];
  let hasVerifier = 1;
}

def MLA_AmaxOp : MLA_Op<"amax", [Pure]> {
  let summary = "The largest magnitude of each token's query heads";
  let description = [{
    One maximum a token; the largest of them is the amax of the tensor, which
    `mla.quantize` takes, so that no kernel waits for another's atomics and no
    buffer has to be cleared.

    ```mlir
    %amax = mla.amax %q : tensor<?x16x576xbf16> -> tensor<?xf32>
    ```
  }];
  let arguments = (ins MLA_QueryTensor:$q);
  let results = (outs MLA_F32Tensor:$amax);
  let assemblyFormat = "$q attr-dict `:` type($q) `->` type($amax)";
  let hasVerifier = 1;
}

def MLA_QuantizeOp : MLA_Op<"quantize", [Pure, AttrSizedOperandSegments]> {
  let summary = "Rounds Q to fp8";
  let description = [{
    With `scale`: `clamp(q / scale)`, rounded to nearest even; values outside
    the range become ±fp8_max, never NaN. With `amax` (one value a token): the
    scale is the largest of them / fp8_max, and is returned too.

    ```mlir
    %q8 = mla.quantize %q scale(%scale) : tensor<?x16x576xbf16>, tensor<1xf32>
        -> tensor<?x16x576xf8E4M3FN>
    %q8, %scale = mla.quantize %q amax(%amax) : tensor<?x16x576xbf16>, tensor<?xf32>
        -> tensor<?x16x576xf8E4M3FN>, tensor<1xf32>
    ```
  }];
  let arguments = (ins MLA_QueryTensor:$q, Optional<MLA_ScaleTensor>:$scale,
                       Optional<MLA_F32Tensor>:$amax);
  let results = (outs MLA_QueryTensor:$quantized,
                      Optional<MLA_ScaleTensor>:$found_scale);
  let assemblyFormat = [{
    $q (`scale` `(` $scale^ `)`)? (`amax` `(` $amax^ `)`)? attr-dict
    `:` type(operands) `->` type(results)
  }];
  let hasVerifier = 1;
}

def MLA_AttendOp : MLA_Op<"attend", [Pure, AttrSizedOperandSegments]> {
  let summary = "Split-KV attention over the shares of a schedule";
  let description = [{
    Each workgroup attends its share of rows. A block that one workgroup holds
    whole, and one without rows (zeros and −inf), is final in `out` and `lse`;
    each part of any other block leaves its output (not yet divided by the sum),
    its maximum and its sum in the partial slot that the schedule names:

    * `partial_o`: `partials × 16 × 512`, f32
    * `partial_ml`: `partials × 2 × 16`, f32: the maximum in units of log₂, then
      the sum of the exponentials.

    Elements of `out` and `lse` that belong to split blocks are unspecified
    until `mla.combine`.

    With `combines`, whichever part of a block is done last combines the block's
    parts as `mla.combine` would: `out` and `lse` are final and the partials are
    nobody else's.

    `q` holds the cache's element type, or bf16 over an fp8 cache: then
    attention quantises it on the way in, with `q_scale` if there is one, else
    with a scale found for each token and head.

    ```mlir
    %out, %lse, %partial_o, %partial_ml = mla.attend %q8, %cache[%kv_indices]
        schedule(%tables) q_scale(%q_scale) kv_scale(%kv_scale)
        {sm_scale = 0.0416666679 : f32}
        : tensor<?x16x576xf8E4M3FN>, !mla.cache<f8E4M3FN, page_size = 1>,
          tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
        -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
           tensor<?x2x16xf32>
    ```
  }];
  let arguments = (ins MLA_QueryTensor:$q, MLA_CacheType:$cache,
                       MLA_IndexTensor:$kv_indices, MLA_ScheduleType:$schedule,
                       Optional<MLA_ScaleTensor>:$q_scale,
                       Optional<MLA_ScaleTensor>:$kv_scale,
                       F32Attr:$sm_scale,
                       OptionalAttr<MLA_PrecisionAttr>:$precision,
                       OptionalAttr<MLA_TileAttr>:$tile,
                       UnitAttr:$combines);
  let results = (outs MLA_QueryTensor:$out, MLA_F32Tensor:$lse,
                      MLA_F32Tensor:$partial_o, MLA_F32Tensor:$partial_ml);
  let assemblyFormat = [{
    $q `,` $cache `[` $kv_indices `]` `schedule` `(` $schedule `)`
    (`q_scale` `(` $q_scale^ `)`)? (`kv_scale` `(` $kv_scale^ `)`)?
    attr-dict `:` type(operands) `->` type(results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether Q is bf16 over an fp8 cache, to be quantised on the way in.
    bool quantizesQuery();
  }];
}

def MLA_CombineOp : MLA_Op<"combine", [Pure]> {
  let summary = "Brings the partial results of split blocks together";
  let description = [{
    With `M` the largest maximum of a block's parts, `out` is
    `Σ 2^(mᵢ − M)·Oᵢ / Σ 2^(mᵢ − M)·lᵢ`, summed in the order of the parts, so
    that the bits do not depend on who was first. Everything else of `out` and
    `lse` passes through.

    ```mlir
    %out, %lse = mla.combine %unfinished_out, %unfinished_lse
        partials(%partial_o, %partial_ml) schedule(%tables)
        : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
          tensor<?x2x16xf32>, !mla.schedule
        -> tensor<?x16x512xbf16>, tensor<?x16xf32>
    ```
  }];
  let arguments = (ins MLA_QueryTensor:$out_in, MLA_F32Tensor:$lse_in,
                       MLA_F32Tensor:$partial_o, MLA_F32Tensor:$partial_ml,
                       MLA_ScheduleType:$schedule);
  let results = (outs MLA_QueryTensor:$out, MLA_F32Tensor:$lse);
  let assemblyFormat = [{
    $out_in `,` $lse_in `partials` `(` $partial_o `,` $partial_ml `)`
    `schedule` `(` $schedule `)` attr-dict `:` type(operands) `->` type(results)
  }];
  let hasVerifier = 1;
}

include "mla/IR/MLAFragmentOps.td"

#endif // MLA_IR_MLAOPS_TD
