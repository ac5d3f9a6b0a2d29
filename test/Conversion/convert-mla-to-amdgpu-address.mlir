// RUN: mla-opt %s --convert-mla-to-amdgpu=chip=gfx942 | FileCheck %s
// RUN: mla-opt %s --convert-mla-to-amdgpu=chip=gfx950 | FileCheck %s

gpu.module @kernels attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>} {

// CHECK-LABEL: gpu.func @wave_id
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[WAVE:.*]] = arith.divui %[[THREAD]], %[[C64]]
// CHECK: %[[NARROW:.*]] = arith.index_cast %[[WAVE]] : index to i32
// CHECK: rocdl.readfirstlane %[[NARROW]]
gpu.func @wave_id() {
  %wave = mla.wave_id
  gpu.return
}

// Each of the seven fields ends in a scalar register; a partial of -1 stays
// negative.
// CHECK-LABEL: gpu.func @work_item(
// CHECK-SAME: %[[ITEMS:[a-z0-9]*]]: memref<?x8xi32>, %[[I:[a-z0-9]*]]: index
// CHECK-COUNT-5: rocdl.readfirstlane
// CHECK: %[[C5:.*]] = arith.constant 5 : index
// CHECK: %[[FIELD:.*]] = memref.load %[[ITEMS]][%[[I]], %[[C5]]]
// CHECK: %[[PARTIAL:.*]] = rocdl.readfirstlane %[[FIELD]]
// CHECK: arith.index_cast %[[PARTIAL]] : i32 to index
// CHECK: memref.load
// CHECK-NOT: memref.load
gpu.func @work_item(%items: memref<?x8xi32>, %i: index) {
  %row, %head, %page, %begin, %end, %partial, %combine = mla.work_item
      %items[%i] : memref<?x8xi32>
  gpu.return
}

// CHECK-LABEL: gpu.func @query_rows_of_full_blocks(
// CHECK-SAME: %[[ROW:[a-z0-9]*]]: index, %[[HEAD:[a-z0-9]*]]: index
// CHECK: %[[LANE:.*]] = arith.remui
// CHECK: %[[LOW:.*]] = arith.remui %[[LANE]]
// CHECK: %[[OF_LANE:.*]] = arith.addi %[[HEAD]], %[[LOW]]
// CHECK-NOT: arith.minui
// CHECK: %[[HEADS:.*]] = arith.constant 32 : index
// CHECK: %[[FIRST:.*]] = arith.muli %[[ROW]], %[[HEADS]]
// CHECK: arith.addi %[[FIRST]], %[[OF_LANE]]
gpu.func @query_rows_of_full_blocks(%row: index, %head: index) {
  %rows = mla.query_rows %row, %head of 32 : <16x1xindex, row_index>
  gpu.return
}

// Lanes beyond head 16, the last of 17, repeat it.
// CHECK-LABEL: gpu.func @query_rows_of_a_short_block(
// CHECK-SAME: %[[ROW:[a-z0-9]*]]: index, %[[HEAD:[a-z0-9]*]]: index
// CHECK: %[[OF_LANE:.*]] = arith.addi %[[HEAD]]
// CHECK: %[[LAST:.*]] = arith.constant 16 : index
// CHECK: %[[CLAMPED:.*]] = arith.minui %[[OF_LANE]], %[[LAST]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[ROW]]
// CHECK: arith.addi %[[FIRST]], %[[CLAMPED]]
gpu.func @query_rows_of_a_short_block(%row: index, %head: index) {
  %rows = mla.query_rows %row, %head of 17 : <16x1xindex, row_index>
  gpu.return
}

// Tokens, counted in 32 bits, beyond the end repeat the last one, so that no
// unused row is read; the page id is the row. Both subtiles look their rows up.
// CHECK-LABEL: gpu.func @page_rows_of_one_row_a_page(
// CHECK-SAME: %[[TABLE:[a-z0-9]*]]: memref<?xi32>, %[[PAGES:[a-z0-9]*]]: index, %[[FIRST:[a-z0-9]*]]: index, %[[END:[a-z0-9]*]]: index
// CHECK: %[[END32:.*]] = arith.index_cast %[[END]] : index to i32
// CHECK: %[[C1:.*]] = arith.constant 1 : i32
// CHECK: %[[LAST:.*]] = arith.subi %[[END32]], %[[C1]]
// CHECK: %[[FIRST32:.*]] = arith.index_cast %[[FIRST]] : index to i32
// CHECK: %[[TOKEN:.*]] = arith.addi %[[FIRST32]], %{{.*}} : i32
// CHECK: %[[HERE:.*]] = arith.minsi %[[TOKEN]], %[[LAST]]
// CHECK-NOT: arith.divui
// CHECK: %[[WIDE:.*]] = arith.index_castui %[[HERE]] : i32 to index
// CHECK: %[[PAGE:.*]] = arith.addi %[[PAGES]], %[[WIDE]]
// CHECK: %[[ID:.*]] = memref.load %[[TABLE]][%[[PAGE]]]
// CHECK: arith.index_castui %[[ID]] : i32 to index
// CHECK: %[[LANE:.*]] = arith.remui
// CHECK: %[[LOW:.*]] = arith.remui %[[LANE]]
// CHECK: %[[C16:.*]] = arith.constant 16 : index
// CHECK: %[[IN_TILE:.*]] = arith.addi %[[LOW]], %[[C16]] : index
// CHECK: %[[IN_TILE32:.*]] = arith.index_cast %[[IN_TILE]]
// CHECK: %[[TOKEN:.*]] = arith.addi %[[FIRST32]], %[[IN_TILE32]]
// CHECK: arith.minsi %[[TOKEN]], %[[LAST]]
// CHECK: memref.load %[[TABLE]]
// CHECK-NOT: memref.load
gpu.func @page_rows_of_one_row_a_page(%table: memref<?xi32>, %pages: index,
                                      %first: index, %end: index) {
  %rows = mla.page_rows %table[%pages] tokens(%first to %end) page_size 1
      : memref<?xi32> -> <32x1xindex, row_index>
  gpu.return
}

// The id is widened before it is multiplied: a cache may have more than 2^31
// rows.
// CHECK-LABEL: gpu.func @page_rows_of_48_rows_a_page(
// CHECK-SAME: %[[TABLE:[a-z0-9]*]]: memref<?xi32>, %[[PAGES:[a-z0-9]*]]: index
// CHECK: %[[HERE:.*]] = arith.minsi
// CHECK: %[[SIZE:.*]] = arith.constant 48 : i32
// CHECK: %[[SKIPPED:.*]] = arith.divui %[[HERE]], %[[SIZE]]
// CHECK: %[[SKIPPED64:.*]] = arith.index_castui %[[SKIPPED]]
// CHECK: %[[PAGE:.*]] = arith.addi %[[PAGES]], %[[SKIPPED64]]
// CHECK: %[[ID:.*]] = memref.load %[[TABLE]][%[[PAGE]]]
// CHECK: %[[WIDE:.*]] = arith.index_castui %[[ID]] : i32 to index
// CHECK: %[[IN_PAGE:.*]] = arith.remui %[[HERE]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[WIDE]], %{{.*}} : index
// CHECK: %[[IN_PAGE64:.*]] = arith.index_castui %[[IN_PAGE]]
// CHECK: arith.addi %[[FIRST]], %[[IN_PAGE64]] : index
gpu.func @page_rows_of_48_rows_a_page(%table: memref<?xi32>, %pages: index,
                                      %first: index, %end: index) {
  %rows = mla.page_rows %table[%pages] tokens(%first to %end) page_size 48
      : memref<?xi32> -> <16x1xindex, row_index>
  gpu.return
}

// Half of the groups have the halves of a subtile's tokens exchanged, the other
// half in every second subtile; clamped all the same.
// CHECK-LABEL: gpu.func @page_rows_of_a_stage(
// CHECK: arith.xori
// CHECK: arith.minsi
// CHECK: memref.load
// CHECK: arith.xori
// CHECK: arith.minsi
// CHECK: memref.load
gpu.func @page_rows_of_a_stage(%table: memref<?xi32>, %pages: index,
                               %first: index, %end: index) {
  %rows = mla.page_rows %table[%pages] tokens(%first to %end) page_size 1 staged
      : memref<?xi32> -> <32x1xindex, row_index>
  gpu.return
}
}
