//===- Wave.h - The state of one wave ---------------------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers are stored as structure of arrays: one register of all 64 lanes is
// 256 contiguous bytes, so that a handler is a loop over contiguous arrays.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_WAVE_H
#define MLA_LIB_SIMULATOR_WAVE_H

#include "Instruction.h"
#include "Variant.h"

#include <cstdint>
#include <cstring>

namespace mla::sim {

struct Workgroup;

inline constexpr int kLanes = 64;
inline constexpr int kVgprs = 512;
inline constexpr int kSgprs = 128;

enum class WaveState : uint8_t {
  Running,
  Yielded, ///< Lets the other waves run, then goes on.
  AtBarrier,
  Ended,
  Faulted,
};

/// Fields of the MODE register (CDNA3 ISA, section "MODE register").
enum ModeField : uint32_t {
  kModeRoundSingle = 0,  ///< 2 bits: 0 nearest even, 1 +inf, 2 -inf, 3 zero.
  kModeRoundDouble = 2,  ///< 2 bits, for f64 and f16.
  kModeDenormSingle = 4, ///< 2 bits: bit 0 keeps inputs, bit 1 outputs.
  kModeDenormDouble = 6, ///< 2 bits, for f64 and f16.
  kModeDx10Clamp = 8,
  kModeIeee = 9,
  kModeFp16Overflow = 23,
  kModeGprIndex = 27,
  kModeVskip = 28,
};

struct Wave {
  alignas(64) uint32_t vgpr[kVgprs][kLanes];
  /// EXEC widened: all ones in active lanes, zero in others. Kept by setExec.
  alignas(64) uint32_t execLanes[kLanes];
  /// VCC, M0, EXEC … at their encoded numbers. EXEC is changed by setExec or
  /// writeSgpr only.
  alignas(8) uint32_t sgpr[kSgprs];
  bool scc;
  WaveState state;
  uint32_t mode;
  /// The instruction after the one being executed; a branch changes it.
  const Instruction *next;
  Workgroup *group;
  /// Place of this wave in its workgroup.
  uint32_t id;
  /// Executions of each static instruction, for statistics; shared by the
  /// waves of a host thread.
  uint64_t *counts;
  /// Instructions that the wave may still execute.
  uint64_t budget;
  /// What s_memtime returned last.
  uint64_t clock;

  MLA_SIM_INLINE uint64_t exec() const { return readSgpr64(kExecLo); }
  MLA_SIM_INLINE bool allLanes() const { return exec() == ~uint64_t(0); }
  MLA_SIM_INLINE bool active(int lane) const { return execLanes[lane] != 0; }
  MLA_SIM_INLINE uint64_t vcc() const { return readSgpr64(kVccLo); }

  /// Whether instructions mean something else now: see runModal.
  MLA_SIM_INLINE bool inSpecialMode() const {
    return mode & (1u << kModeGprIndex | 1u << kModeVskip);
  }

  MLA_SIM_INLINE void setExec(uint64_t value) {
    memcpy(&sgpr[kExecLo], &value, 8);
    for (int lane = 0; lane < kLanes; ++lane)
      execLanes[lane] = -uint32_t((value >> lane) & 1);
  }

  MLA_SIM_INLINE uint64_t readSgpr64(unsigned index) const {
    uint64_t value;
    memcpy(&value, &sgpr[index], 8);
    return value;
  }
  MLA_SIM_INLINE void writeSgpr(unsigned index, uint32_t value) {
    sgpr[index] = value;
    if (index >= kExecLo)
      setExec(exec());
  }
  MLA_SIM_INLINE void writeSgpr64(unsigned index, uint64_t value) {
    memcpy(&sgpr[index], &value, 8);
    if (index >= kExecLo)
      setExec(value);
  }

  /// Scalar operand of 32 bits (SGPR, constant, SCC …). A vector register
  /// where a scalar is wanted reads lane 0.
  MLA_SIM_INLINE uint32_t scalar32(const Operand &op) const {
    switch (op.kind) {
    case OperandKind::Sgpr:
      return sgpr[op.index];
    case OperandKind::Vgpr:
      return vgpr[op.index][0];
    case OperandKind::Scc:
      return scc;
    case OperandKind::Vccz:
      return vcc() == 0;
    case OperandKind::Execz:
      return exec() == 0;
    default:
      return op.bits32;
    }
  }
  /// Scalar operand of 64 bits read as integer or bits.
  MLA_SIM_INLINE uint64_t scalar64(const Operand &op) const {
    if (op.kind == OperandKind::Sgpr)
      return readSgpr64(op.index);
    if (op.kind == OperandKind::Constant)
      return op.isFloat ? op.bitsF64 : op.bits64;
    return scalar32(op);
  }

  /// Stops the wave with an error: a sentence about what went wrong. Kernel,
  /// instruction text, address, workgroup and wave are added. lane < 0: none.
  /// Only the first fault of a launch is kept.
  void fault(const Instruction &inst, int lane, const char *format, ...)
      __attribute__((format(printf, 4, 5)));
};

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_WAVE_H
