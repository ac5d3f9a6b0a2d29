//===- LateDelivery.h - Loads that arrive as late as they may ---*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hardware promises what a load brings only after the s_waitcnt that covers it
// (CDNA3 ISA, "Manually Inserted Wait States" and "Data Dependency
// Resolution"). Here nothing arrives before: until the wait, a destination
// register holds a pattern that is no sensible number, and LDS that a load
// writes directly holds what it held before. A kernel that waits for all it
// uses gives the same bits as without; one that does not, gives others.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_LATEDELIVERY_H
#define MLA_LIB_SIMULATOR_LATEDELIVERY_H

#include "HandlerTable.h"
#include "Instruction.h"
#include "Wave.h"
#include "Workgroup.h"

#include <deque>
#include <vector>

namespace mla::sim {

/// What the waves of one workgroup still wait for.
class LateDelivery {
public:
  /// For a workgroup that begins.
  void begin(const Workgroup &group);

  /// Executes one instruction of a wave and holds back what it loads, or hands
  /// over what a wait covers.
  void execute(Wave &wave, const Instruction &inst, InstructionClass kind);

private:
  /// One operation that a counter counts; stores and the like bring nothing.
  struct Operation {
    bool isScalar = false;
    /// Vector registers: 64 lanes of each, of which those in `exec` count.
    uint16_t firstRegister = 0;
    uint64_t exec = 0;
    /// Scalar registers: one value of each from firstRegister on.
    std::vector<uint32_t> registers;
    /// Bytes of LDS from that offset on.
    uint64_t ldsOffset = 0;
    std::vector<uint8_t> lds;
  };
  struct Pending {
    std::deque<Operation> vector; ///< Counted by vmcnt.
    std::deque<Operation> other;  ///< Counted by lgkmcnt.
  };

  void deliver(Wave &wave, std::deque<Operation> &queue, size_t left);
  void wait(Wave &wave, const Instruction &inst);
  Operation holdRegisters(Wave &wave, const Operand &destination);

  std::vector<Pending> waves;
};

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_LATEDELIVERY_H
