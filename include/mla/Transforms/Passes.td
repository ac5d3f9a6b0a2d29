//===- Passes.td - Passes from mla to mla ------------------*- tablegen -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TRANSFORMS_PASSES_TD
#define MLA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def MLADecompose : Pass<"mla-decompose"> {
  let summary = "Decompose mla.decode into the three-kernel form";
  let description = [{
    Rewrites each `mla.decode` into `mla.schedule`, `mla.quantize` (after
    `mla.amax` for a dynamic scale; neither for a bf16 cache), `mla.attend` and
    `mla.combine`.

    ```mlir
    %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
        q_scale(%qs) kv_scale(%ks) {q_mode = #mla.q_mode<static>, …} : …
    ```

    becomes

    ```mlir
    %schedule = mla.schedule queries(%qo) pages(%kv, %last) {…} : …
    %q8 = mla.quantize %q scale(%qs) : …
    %o, %l, %po, %pml = mla.attend %q8, %cache[%indices] schedule(%schedule)
        q_scale(%qs) kv_scale(%ks) {…} : …
    %out, %lse = mla.combine %o, %l partials(%po, %pml) schedule(%schedule) : …
    ```
  }];
  let dependentDialects = ["::mla::MLADialect"];
}

def MLAFuseQuantize : Pass<"mla-fuse-quantize"> {
  let summary = "Quantise Q where attention loads it";
  let description = [{
    An `mla.attend` of an `mla.quantize` with a scale given takes the bf16 Q
    instead and quantises it on the way in: a launch and a round trip of Q less.
    A scale found over the whole tensor needs its own pass over Q and stays.

    ```mlir
    %q8 = mla.quantize %q scale(%s) : …
    %o, %l, %po, %pml = mla.attend %q8, %cache[%i] schedule(%t) q_scale(%s) … : …
    ```

    becomes

    ```mlir
    %o, %l, %po, %pml = mla.attend %q, %cache[%i] schedule(%t) q_scale(%s) … : …
    ```
  }];
  let dependentDialects = ["::mla::MLADialect"];
}

def MLAFuseCombine : Pass<"mla-fuse-combine"> {
  let summary = "Combine in the attention kernel that is done last";
  let description = [{
    Merges an `mla.combine` into the `mla.attend` whose partials it combines: a
    launch less, and the last workgroup of a block has its partials at hand. The
    order of the sums, and so the bits, stay the same.

    ```mlir
    %o, %l, %po, %pml = mla.attend … : …
    %out, %lse = mla.combine %o, %l partials(%po, %pml) schedule(%t) : …
    ```

    becomes

    ```mlir
    %out, %lse, %po, %pml = mla.attend … {combines} : …
    ```
  }];
  let dependentDialects = ["::mla::MLADialect"];
}

def MLAChoosePrecision : Pass<"mla-choose-precision"> {
  let summary = "Choose how exactly Q and P enter the matrix cores";
  let description = [{
    Writes `#mla.precision` into each `mla.attend` that has none. Over an fp8
    cache: two fp8 terms wherever the matrix time of a cache row then stays
    below half the time that memory takes to bring the row (constants of the
    chip in Targets/Chips.h); Q has two terms only if attention gets it in bf16.

    ```mlir
    mla.attend %q, %cache[%i] schedule(%t) kv_scale(%s) {sm_scale = …} : …
    ```

    becomes

    ```mlir
    mla.attend %q, %cache[%i] schedule(%t) kv_scale(%s)
        {precision = #mla.precision<q = fp8x2, p = fp8x2>, sm_scale = …} : …
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"\"", "the chip to choose for: gfx942 or gfx950">,
    Option<"q", "q", "std::string", "\"\"", "precision of Q: fp8 or fp8x2; empty: chosen">,
    Option<"p", "p", "std::string", "\"\"", "precision of P: fp8 or fp8x2; empty: chosen">,
  ];
  let dependentDialects = ["::mla::MLADialect"];
}

def MLATile : Pass<"mla-tile"> {
  let summary = "Choose the tile of each mla.attend";
  let description = [{
    Writes `#mla.tile` into each `mla.attend`: the rows that a wave scores at
    once (the depth of the chip's matrix instruction for the cache's element, so
    that one tile of probabilities fills one operand), the heads of a block, the
    waves of a workgroup, and as many stages as LDS holds where the chip loads
    16 bytes a lane straight into LDS (fewer than two are none). A cache whose
    fp8 is not the chip's is an error here.

    ```mlir
    mla.attend … {sm_scale = …} : tensor<?x16x576xf8E4M3FN>, …
    ```

    becomes, for gfx950,

    ```mlir
    mla.attend … {sm_scale = …, tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 2>}
        : tensor<?x16x576xf8E4M3FN>, …
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"\"", "the chip to tile for: gfx942 or gfx950">,
    Option<"waves", "waves", "int64_t", "0", "waves of a workgroup; 0: one a SIMD">,
    Option<"stages", "stages", "int64_t", "-1", "stages of a wave in LDS, 0 for tiles through registers; -1: chosen">,
  ];
  let dependentDialects = ["::mla::MLADialect"];
}

def MLASplitKV : Pass<"mla-split-kv"> {
  let summary = "Choose how cache rows are shared out to workgroups";
  let description = [{
    Writes `#mla.split` into the `mla.schedule` of each `mla.attend` (tiled
    before). One workgroup a compute unit: the accumulators of a wave take a
    SIMD's registers. Shares end at multiples of a whole workgroup's tiles,
    unless the expected shape has too few of these to give every compute unit
    one: then at half of that, and so on down to a single wave's tile.

    ```mlir
    %t = mla.schedule … {heads = 16 : i64, page_size = 1 : i64,
                         shape = #mla.shape<batch = 32, kv = 1024, q_len = 1>} : …
    ```

    becomes, for gfx950 (256 compute units) and tiles of 32 rows for 4 waves,

    ```mlir
    %t = mla.schedule … {…, split = #mla.split<rows = 128, workgroups = 0, per_compute_unit = 1>} : …
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"\"", "the chip to split for: gfx942 or gfx950">,
    Option<"rows", "rows", "int64_t", "0", "rows that shares are a multiple of; 0: chosen">,
    Option<"workgroups", "workgroups", "int64_t", "0", "number of shares; 0: as many as are resident">,
  ];
  let dependentDialects = ["::mla::MLADialect"];
}

#endif // MLA_TRANSFORMS_PASSES_TD
