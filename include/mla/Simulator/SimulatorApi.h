//===- SimulatorApi.h - What libmla_hip_sim offers beyond HIP ---*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulator is opened as a HIP library; these functions are its own. It is
// configured by the environment when the first HIP function is called:
//   MLA_SIM_CHIP     gfx942 (default) or gfx950
//   MLA_SIM_CUS      compute units to report, 1 to the chip's number
//   MLA_SIM_THREADS  host threads that run workgroups (default: all cores)
//   MLA_SIM_BUDGET   instructions that one wave may execute (default 2^30)
//   MLA_SIM_QUANTUM  instructions after which the waves of a workgroup take
//                    turns (default 20000); code that races through LDS gives
//                    other results with other values
//   MLA_SIM_HOST_ISA generic: no AVX2 code, for comparison
//
//===----------------------------------------------------------------------===//

#ifndef MLA_SIMULATOR_SIMULATORAPI_H
#define MLA_SIMULATOR_SIMULATORAPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The sentence that explains the last error of the calling thread: kernel,
/// instruction, address and lane for a fault in a kernel. Empty if there was
/// none. Valid until the thread's next call into the library.
const char *mla_sim_last_error(void);

/// What the launches since the last reset executed.
typedef struct mla_sim_statistics {
  uint64_t launches;
  uint64_t workgroups;
  uint64_t waves;
  uint64_t instructions; ///< Wave instructions, all kinds.
  uint64_t salu;         ///< Scalar arithmetic.
  uint64_t valu;
  uint64_t mfma;
  uint64_t scalar_loads;
  uint64_t global_loads; ///< Global, flat, scratch, buffer; to LDS too.
  uint64_t global_stores;
  uint64_t global_atomics;
  uint64_t lds;
  uint64_t branches;
  uint64_t barriers;
  uint64_t waits; ///< Waits, cache control, s_nop.
  double seconds; ///< Host time inside the launches.
} mla_sim_statistics;

/// Copies the statistics to `statistics` (unless null) and, if `reset` is not
/// 0, starts counting anew.
void mla_sim_get_statistics(mla_sim_statistics *statistics, int reset);

/// What one launch of a kernel did. Cycles are the simulated chip's, summed
/// over all SIMDs or compute units.
typedef struct mla_sim_profile {
  char kernel[64]; ///< Its name, cut if it is longer.
  uint64_t workgroups;
  uint64_t valu, salu, mfma, lds; ///< Wave instructions.
  uint64_t global_loads, global_stores;
  uint64_t waits, barriers;
  uint64_t load_bytes; ///< As the lanes asked for them.
  /// 64-byte segments that the instructions touched, each instruction anew, and
  /// different segments that the launch touched.
  uint64_t load_segments, distinct_load_segments;
  uint64_t store_bytes;
  uint64_t valu_cycles, matrix_cycles;
  uint64_t lds_cycles, lds_conflict_cycles;
  /// Most bytes that the waves of one workgroup had under way, added up.
  uint64_t bytes_in_flight;
} mla_sim_profile;

/// Keeps a profile of each later launch (slower), or no longer.
void mla_sim_set_profiling(int on);

/// Copies up to `capacity` profiles, oldest first, forgets all, and returns how
/// many there were.
uint32_t mla_sim_take_profiles(mla_sim_profile *profiles, uint32_t capacity);

/// Sets the number of host threads for later launches; 0: all cores.
void mla_sim_set_threads(uint32_t threads);

#ifdef __cplusplus
}
#endif

#endif // MLA_SIMULATOR_SIMULATORAPI_H
