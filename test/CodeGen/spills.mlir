// An array indexed at run time lives in scratch memory: a failed compile unless it is allowed.

// RUN: not mla-compile %s --chip gfx942 --emit=obj -o %t.co 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not test -e %t.co
// RUN: mla-compile %s --chip gfx942 --allow-spills -o %t.mlab
// RUN: %python %S/Inputs/manifest.py %t.mlab | FileCheck %s

// ERROR: error: kernel indexes does not fit its registers: 0 vector and 0 scalar registers are spilled, and {{[1-9][0-9]*}} bytes of scratch a lane are used; allow it with --allow-spills
// CHECK: "scratch_bytes": {{[1-9]}}

gpu.module @kernels attributes {
    mla.problem = #mla.problem<heads = 16, page_size = 1, kv = bf16, q = bf16, out = bf16, q_mode = none, sm_scale = 1.0 : f32>,
    mla.split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>,
    mla.tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>,
    mla.precision = #mla.precision<q = bf16, p = bf16>,
    mla.workspace = []} {
  llvm.func @indexes(%to: !llvm.ptr<1>) attributes {
      gpu.kernel, rocdl.kernel,
      mla.kernel = #mla.kernel<role = "copy", grid = one, factor = 1, block = 64, args = [<"out", read_write>]>} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %lane = rocdl.workitem.id.x : i32
    %array = llvm.alloca %one x !llvm.array<4096 x i32> : (i32) -> !llvm.ptr<5>
    %where = llvm.load %to : !llvm.ptr<1> -> i32
    %in = llvm.getelementptr %array[0, %where] : (!llvm.ptr<5>, i32) -> !llvm.ptr<5>, !llvm.array<4096 x i32>
    llvm.store volatile %lane, %in : i32, !llvm.ptr<5>
    %out = llvm.getelementptr %array[0, %lane] : (!llvm.ptr<5>, i32) -> !llvm.ptr<5>, !llvm.array<4096 x i32>
    %value = llvm.load volatile %out : !llvm.ptr<5> -> i32
    llvm.store %value, %to : i32, !llvm.ptr<1>
    llvm.return
  }
}
