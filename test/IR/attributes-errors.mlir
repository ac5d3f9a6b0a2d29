// RUN: mla-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{a shape has batch >= 1, kv >= 0 and q_len >= 1, got 0, 1024 and 1}}
func.func private @shape_of_no_sequences() attributes {test.attr = #mla.shape<batch = 0, kv = 1024, q_len = 1>}

// -----

// expected-error @below {{a shape has batch >= 1, kv >= 0 and q_len >= 1, got 4, -1 and 1}}
func.func private @shape_of_negative_rows() attributes {test.attr = #mla.shape<batch = 4, kv = -1, q_len = 1>}

// -----

// expected-error @below {{a shape has batch >= 1, kv >= 0 and q_len >= 1, got 4, 1024 and 0}}
func.func private @shape_of_no_queries() attributes {test.attr = #mla.shape<batch = 4, kv = 1024, q_len = 0>}

// -----

// expected-error @below {{a tile's rows are a positive multiple of 16, the rows of a matrix instruction, got 0}}
func.func private @tile_of_no_rows() attributes {test.attr = #mla.tile<rows = 0, heads = 16, waves = 4, stages = 0>}

// -----

// expected-error @below {{a tile's rows are a positive multiple of 16, the rows of a matrix instruction, got 40}}
func.func private @tile_of_odd_rows() attributes {test.attr = #mla.tile<rows = 40, heads = 16, waves = 4, stages = 0>}

// -----

// expected-error @below {{a tile has 16 heads, got 32}}
func.func private @tile_of_two_blocks() attributes {test.attr = #mla.tile<rows = 32, heads = 32, waves = 4, stages = 0>}

// -----

// expected-error @below {{a tile has 1, 2 or 4 waves, got 3}}
func.func private @tile_of_three_waves() attributes {test.attr = #mla.tile<rows = 32, heads = 16, waves = 3, stages = 0>}

// -----

// expected-error @below {{a tile has no stages or at least 2, got 1}}
func.func private @tile_of_one_stage() attributes {test.attr = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 1>}

// -----

// expected-error @below {{a tile has no stages or at least 2, got -2}}
func.func private @tile_of_negative_stages() attributes {test.attr = #mla.tile<rows = 32, heads = 16, waves = 4, stages = -2>}

// -----

// expected-error @below {{a split's rows must be positive, got 0}}
func.func private @split_of_no_rows() attributes {test.attr = #mla.split<rows = 0, workgroups = 0, per_compute_unit = 1>}

// -----

// expected-error @below {{a split's workgroups must be 0 (as many as are resident) or positive, got -1}}
func.func private @split_of_negative_workgroups() attributes {test.attr = #mla.split<rows = 32, workgroups = -1, per_compute_unit = 1>}

// -----

// expected-error @below {{workgroups per compute unit must be positive, got 0}}
func.func private @split_of_idle_compute_units() attributes {test.attr = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 0>}

// -----

// expected-error @below {{to be one of: none, static, dynamic, per_head}}
// expected-error @below {{failed to parse}}
func.func private @unknown_q_mode() attributes {test.attr = #mla.q_mode<sometimes>}

// -----

// expected-error @below {{to be one of: one, total_q, workgroups, combine_items, partials}}
// expected-error @below {{failed to parse}}
func.func private @unknown_extent() attributes {test.attr = #mla.workspace<"q_amax", tokens, 4>}

// -----

// expected-error @below {{to be one of: read, write, read_write}}
// expected-error @below {{failed to parse}}
func.func private @unknown_access() attributes {test.attr = #mla.buffer<"q", execute>}

// -----

// expected-error @below {{to be one of: fp8, fp8x2, bf16}}
// expected-error @below {{failed to parse}}
func.func private @unknown_precision() attributes {test.attr = #mla.precision<q = fp4, p = fp8>}
