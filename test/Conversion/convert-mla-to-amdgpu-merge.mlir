// RUN: mla-opt %s --convert-mla-to-amdgpu=chip=gfx942 | FileCheck %s --check-prefixes=CHECK,GFX942
// RUN: mla-opt %s --convert-mla-to-amdgpu=chip=gfx950 | FileCheck %s --check-prefixes=CHECK,GFX950

#lds = #gpu.address_space<workgroup>

gpu.module @kernels attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>} {

// One of a head's four lanes writes the wave's state; after the barrier all
// read that of all four waves.
// CHECK-LABEL: gpu.func @merge_statistics(
// CHECK-SAME: %[[MAX:[a-z0-9]*]]: f32, %[[SUM:[a-z0-9]*]]: f32, %[[LDS:[a-z0-9]*]]: memref<4x2x16xf32, #gpu.address_space<workgroup>>, %[[WAVE:[a-z0-9]*]]: index
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: scf.if %[[FIRST]] {
// CHECK:   memref.store %[[MAX]], %[[LDS]][%[[WAVE]]
// CHECK:   memref.store %[[SUM]], %[[LDS]][%[[WAVE]]
// CHECK: }
// CHECK: gpu.barrier
// CHECK-COUNT-8: memref.load %[[LDS]]
// CHECK-NOT: memref.load
// CHECK: %[[MERGED:.*]] = arith.maxnumf
// CHECK-COUNT-4: rocdl.exp2
// CHECK: %[[DISTANCE:.*]] = arith.subf %[[MAX]], %[[MERGED]]
// CHECK: rocdl.exp2 %[[DISTANCE]]
// CHECK-NOT: gpu.barrier
gpu.func @merge_statistics(%max: f32, %sum: f32, %lds: memref<4x2x16xf32, #lds>,
                           %wave: index) {
  %m, %s, %factor = mla.merge_statistics %max, %sum through %lds[%wave]
      : memref<4x2x16xf32, #lds>
  gpu.return
}

// Each round takes 8 of the 16 matrices: two for each of the four waves, which
// sum what all four wrote for them. The second barrier of a round keeps the
// next round from overwriting what is still read.
// CHECK-LABEL: gpu.func @merge_output(
// CHECK-SAME: %[[LDS:[a-z0-9]*]]: memref<4x8x64x4xf32
// CHECK-COUNT-8: vector.store %{{.*}}, %[[LDS]]
// CHECK-NOT: vector.store
// CHECK: gpu.barrier
// CHECK: %[[PART0:.*]] = vector.load %[[LDS]]
// CHECK: %[[PART1:.*]] = vector.load %[[LDS]]
// CHECK: %[[TWO:.*]] = arith.addf %[[PART0]], %[[PART1]]
// CHECK: %[[PART2:.*]] = vector.load %[[LDS]]
// CHECK: arith.addf %[[TWO]], %[[PART2]]
// CHECK-COUNT-5: vector.load %[[LDS]]
// CHECK-NOT: vector.load
// CHECK: gpu.barrier
// CHECK-COUNT-8: vector.store
// CHECK: gpu.barrier
// CHECK-COUNT-8: vector.load
// CHECK: gpu.barrier
// CHECK-NOT: vector.store
gpu.func @merge_output(%lds: memref<4x8x64x4xf32, #lds>, %wave: index) {
  %output = mla.zero : <256x16xf32, output>
  %merged = mla.merge_output %output through %lds[%wave]
      : <256x16xf32, output>, memref<4x8x64x4xf32, #lds>
      -> <256x16xf32, merged>
  gpu.return
}

// Two heads of the second block exist; four lines of four columns a lane.
// CHECK-LABEL: gpu.func @store_of_a_short_block(
// CHECK-SAME: %[[OUT:[a-z0-9]*]]: memref<?x18x512xbf16>, %{{[a-z0-9]*}}: index, %[[ROW:[a-z0-9]*]]: index, %[[BEGIN:[a-z0-9]*]]: index
// CHECK: %[[HEAD:.*]] = arith.addi %[[BEGIN]]
// CHECK: %[[HEADS:.*]] = arith.constant 18 : index
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[HEAD]], %[[HEADS]]
// CHECK: scf.if %[[EXISTS]] {
// CHECK-COUNT-4: vector.store %{{.*}}, %[[OUT]][%[[ROW]], %[[HEAD]], %{{.*}}] {alignment = 8 : i64} : memref<?x18x512xbf16>, vector<4xbf16>
// CHECK-NOT: vector.store
// CHECK: }
gpu.func @store_of_a_short_block(%out: memref<?x18x512xbf16>, %wave: index,
                                 %row: index, %head: index, %o: vector<4xf32>) {
  %merged = builtin.unrealized_conversion_cast %o, %o, %o, %o
      : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
      to !mla.fragment<256x16xf32, merged>
  mla.store %merged of wave %wave into %out[%row, %head, 0]
      : <256x16xf32, merged>, memref<?x18x512xbf16>
  gpu.return
}

// Four consecutive columns lie in one register of four matrices where v_perm_b32
// turned the values, in four registers of one matrix where LDS did.
// CHECK-LABEL: gpu.func @store_of_full_blocks_in_f32(
// CHECK-SAME: %[[M0:[a-z0-9]*]]: vector<4xf32>, %[[M1:[a-z0-9]*]]: vector<4xf32>, %[[M2:[a-z0-9]*]]: vector<4xf32>, %[[M3:[a-z0-9]*]]: vector<4xf32>)
// CHECK-NOT: scf.if
// CHECK-NOT: arith.truncf
// GFX942: %[[GROUP:.*]] = arith.divui
// GFX942: %[[C64:.*]] = arith.constant 64 : index
// GFX942: arith.muli %[[GROUP]], %[[C64]]
// GFX950: %[[GROUP:.*]] = arith.divui
// GFX950: %[[C4:.*]] = arith.constant 4 : index
// GFX950: arith.muli %[[GROUP]], %[[C4]]
// CHECK: %[[C256:.*]] = arith.constant 256 : index
// CHECK: arith.addi %{{.*}}, %[[C256]]
// GFX942: %[[A:.*]] = vector.extract %[[M0]][0]
// GFX942: %[[B:.*]] = vector.extract %[[M1]][0]
// GFX942: %[[C:.*]] = vector.extract %[[M2]][0]
// GFX942: %[[D:.*]] = vector.extract %[[M3]][0]
// GFX942: %[[FOUR:.*]] = vector.from_elements %[[A]], %[[B]], %[[C]], %[[D]]
// GFX942: vector.store %[[FOUR]]
// GFX950: vector.store %[[M0]], %{{.*}} {alignment = 16 : i64} : memref<?x16x512xf32>, vector<4xf32>
// CHECK-COUNT-3: vector.store {{.*}} {alignment = 16 : i64} : memref<?x16x512xf32>, vector<4xf32>
// CHECK-NOT: vector.store
gpu.func @store_of_full_blocks_in_f32(%out: memref<?x16x512xf32>, %wave: index,
    %row: index, %head: index, %m0: vector<4xf32>, %m1: vector<4xf32>,
    %m2: vector<4xf32>, %m3: vector<4xf32>) {
  %merged = builtin.unrealized_conversion_cast %m0, %m1, %m2, %m3
      : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
      to !mla.fragment<256x16xf32, merged>
  mla.store %merged of wave %wave into %out[%row, %head, 256]
      : <256x16xf32, merged>, memref<?x16x512xf32>
  gpu.return
}

// The first thread draws the ticket, releasing what the workgroup wrote before
// and, if it is the last, acquiring what the others wrote; it puts the counter
// back to zero. LDS carries the answer to the other waves.
// CHECK-LABEL: gpu.func @arrive(
// CHECK-SAME: %[[TICKETS:[a-z0-9]*]]: memref<?xi32>, %[[I:[a-z0-9]*]]: index, %[[COUNT:[a-z0-9]*]]: index, %[[FLAG:[a-z0-9]*]]: memref<1xi32
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK:   %[[COUNTER:.*]] = llvm.inttoptr
// CHECK:   llvm.fence syncscope("agent") release
// CHECK:   %[[DRAWN:.*]] = llvm.atomicrmw add %[[COUNTER]], %{{.*}} syncscope("agent") monotonic
// CHECK:   %[[LAST:.*]] = arith.cmpi eq, %[[DRAWN]]
// CHECK:   scf.if %[[LAST]] {
// CHECK:     llvm.fence syncscope("agent") acquire
// CHECK:     %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK:     llvm.store %[[ZERO]], %[[COUNTER]] atomic syncscope("agent") monotonic
// CHECK:   }
// CHECK:   memref.store %{{.*}}, %[[FLAG]]
// CHECK: }
// CHECK: gpu.barrier
// CHECK: %[[ANSWER:.*]] = memref.load %[[FLAG]]
// CHECK: rocdl.readfirstlane %[[ANSWER]]
gpu.func @arrive(%tickets: memref<?xi32>, %i: index, %count: index,
                 %flag: memref<1xi32, #lds>) {
  %last = mla.arrive %tickets[%i] of %count through %flag
      : memref<?xi32>, memref<1xi32, #lds>
  gpu.return
}
}
