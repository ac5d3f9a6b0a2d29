// The manifest of a bundle, key by key; manifest.py checks sizes, places and checksums.

// RUN: mla-compile %s --chip gfx950 --batch 2 --kv 100,300 --shape 3x64 -o %t.mlab | FileCheck %s --check-prefix=SUMMARY
// RUN: %python %S/Inputs/manifest.py %t.mlab | FileCheck %s
// RUN: mla-compile %s --chip gfx950 --batch 2 --kv 100,300 --shape 3x64 -o - 2>/dev/null | cmp - %t.mlab

// SUMMARY: gfx950, 32 heads, fp8 cache (e4m3fn), page size 8, q mode static
// SUMMARY: first attend 256 {{[0-9]+}} 0 {{[0-9]+}} 65536 0 2
// SUMMARY: second combine 64
// SUMMARY: schedule tables of 2 shapes

// CHECK:      "format_version": 1,
// CHECK-NEXT: "producer": "mla-compile {{[0-9.]+}}",
// CHECK-NEXT: "chip": "gfx950",
// CHECK-NEXT: "file_bytes":
// CHECK-NEXT: "problem": {
// CHECK-NEXT:   "heads": 32,
// CHECK-NEXT:   "latent": 512,
// CHECK-NEXT:   "rope": 64,
// CHECK-NEXT:   "page_size": 8,
// CHECK-NEXT:   "kv_format": "fp8",
// CHECK-NEXT:   "q_format": "fp8",
// CHECK-NEXT:   "q_mode": "static",
// CHECK-NEXT:   "q_terms": 2,
// CHECK-NEXT:   "fp8": "e4m3fn",
// CHECK-NEXT:   "sm_scale": 0.5,
// CHECK-NEXT:   "out_type": "bf16"
// CHECK-NEXT: },
// CHECK-NEXT: "schedule": {
// CHECK-NEXT:   "workgroups": 0,
// CHECK-NEXT:   "workgroups_per_cu": 2,
// CHECK-NEXT:   "tile_rows": 32,
// CHECK-NEXT:   "heads_per_block": 16,
// CHECK-NEXT:   "partial_rows": {{[1-9][0-9]*}},
// CHECK-NEXT:   "latency_rows": {{[1-9][0-9]*}},
// CHECK-NEXT:   "saturating_workgroups": {{[1-9][0-9]*}}
// CHECK-NEXT: },
// CHECK-NEXT: "workspace": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "name": "partial_o",
// CHECK-NEXT:     "symbol": "partials",
// CHECK-NEXT:     "bytes": 32768
// CHECK-NEXT:   }
// CHECK-NEXT: ],
// CHECK-NEXT: "kernels": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "name": "first",
// CHECK-NEXT:     "role": "attend",
// CHECK-NEXT:     "code_object": 0,
// CHECK-NEXT:     "block": 256,
// CHECK-NEXT:     "grid": {
// CHECK-NEXT:       "symbol": "workgroups",
// CHECK-NEXT:       "factor": 1
// CHECK-NEXT:     },
// CHECK-NEXT:     "args": [
// CHECK-NEXT:       {
// CHECK-NEXT:         "name": "q",
// CHECK-NEXT:         "access": "read"
// CHECK-NEXT:       },
// CHECK-NEXT:       {
// CHECK-NEXT:         "name": "partial_o",
// CHECK-NEXT:         "access": "read_write"
// CHECK-NEXT:       }
// CHECK-NEXT:     ],
// CHECK-NEXT:     "resources": {
// CHECK-NEXT:       "vgprs": {{[1-9][0-9]*}},
// CHECK-NEXT:       "agprs": 0,
// CHECK-NEXT:       "sgprs": {{[1-9][0-9]*}},
// CHECK-NEXT:       "lds_bytes": 65536,
// CHECK-NEXT:       "scratch_bytes": 0,
// CHECK-NEXT:       "vgpr_spills": 0,
// CHECK-NEXT:       "sgpr_spills": 0,
// Two workgroups of four waves fit the LDS: two waves a SIMD.
// CHECK-NEXT:       "waves_per_simd": 2
// CHECK:          "name": "second",
// CHECK:          "symbol": "combine_items",
// CHECK-NEXT:     "factor": 16
// Nothing limits this one but the eight waves that a SIMD holds.
// CHECK:          "waves_per_simd": 8
// CHECK:      "tables": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "batch": 2,
// CHECK-NEXT:     "kv_rows": 0,
// CHECK-NEXT:     "workgroups": 512,
// CHECK:        {
// CHECK-NEXT:     "batch": 3,
// CHECK-NEXT:     "kv_rows": 64,
// CHECK-NEXT:     "workgroups": 512,

gpu.module @kernels attributes {
    mla.problem = #mla.problem<heads = 32, page_size = 8, kv = f8E4M3FN, q = f8E4M3FN, out = bf16, q_mode = static, sm_scale = 0.5 : f32>,
    mla.split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 2>,
    mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>,
    mla.precision = #mla.precision<q = fp8x2, p = fp8>,
    mla.workspace = [#mla.workspace<"partial_o", partials, 32768>]} {
  llvm.mlir.global internal @lds() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<16384 x i32>
  llvm.func @first(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {
      gpu.kernel, rocdl.kernel,
      mla.kernel = #mla.kernel<role = "attend", grid = workgroups, factor = 1, block = 256, args = [<"q", read>, <"partial_o", read_write>]>} {
    %lane = rocdl.workitem.id.x : i32
    %lds = llvm.mlir.addressof @lds : !llvm.ptr<3>
    %in = llvm.getelementptr %lds[0, %lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<16384 x i32>
    %out = llvm.getelementptr %lds[0, 7] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<16384 x i32>
    llvm.store %lane, %in : i32, !llvm.ptr<3>
    rocdl.barrier
    %value = llvm.load %out : !llvm.ptr<3> -> i32
    llvm.store %value, %to : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @second(%to: !llvm.ptr<1>) attributes {
      gpu.kernel, rocdl.kernel,
      mla.kernel = #mla.kernel<role = "combine", grid = combine_items, factor = 16, block = 64, args = [<"out", write>]>} {
    %lane = rocdl.workitem.id.x : i32
    llvm.store %lane, %to : i32, !llvm.ptr<1>
    llvm.return
  }
}
