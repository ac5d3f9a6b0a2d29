//===- Snippet.h - Instructions that a test runs many times -----*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembled and decoded once, then run on one wave as often as wanted, so that
// a test can go through all inputs of an instruction.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_UNITTESTS_SIMULATOR_SNIPPET_H
#define MLA_UNITTESTS_SIMULATOR_SNIPPET_H

#include "SimTestUtils.h"

#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace mla::sim::test {

class Snippet {
public:
  Snippet(std::string_view chip, std::string_view assembly)
      : text(assembly), state(new Wave()) {
    std::vector<uint8_t> code = assembleCode(text, chip);
    std::string error;
    program = Program::decode(code.data(), code.size(), 0x10000, chip, error);
    EXPECT_TRUE(program) << error;
    group.faultText = &fault;
    group.program = program.get();
    counts.assign(program->instructions().size(), 0);
    state->group = &group;
    state->counts = counts.data();
    state->setExec(~uint64_t(0));
    state->mode = 0xF0 | 1u << kModeDx10Clamp | 1u << kModeIeee;
  }

  Wave &wave() { return *state; }
  uint32_t *vgpr(unsigned index) { return state->vgpr[index]; }

  /// Runs all instructions once, in order.
  void run() {
    state->state = WaveState::Running;
    // The last one is the sentinel behind the code.
    for (size_t i = 0; i + 1 < program->instructions().size(); ++i) {
      const Instruction &inst = program->instructions()[i];
      state->next = &inst + 1;
      inst.handler(*state, inst);
    }
    ASSERT_EQ(fault, "") << text;
  }

  /// Sets lane `lane` of registers index, index + 1.
  void set64(unsigned index, int lane, uint64_t value) {
    vgpr(index)[lane] = uint32_t(value);
    vgpr(index + 1)[lane] = uint32_t(value >> 32);
  }
  uint64_t get64(unsigned index, int lane) {
    return uint64_t(vgpr(index + 1)[lane]) << 32 | vgpr(index)[lane];
  }

private:
  std::string text;
  std::unique_ptr<Wave> state;
  std::unique_ptr<Program> program;
  Workgroup group;
  std::vector<uint64_t> counts;
  std::string fault;
};

template <class To, class From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}
inline uint32_t bitsOfFloat(float value) { return bitCast<uint32_t>(value); }
inline float floatOfBits(uint32_t bits) { return bitCast<float>(bits); }

using Semantics = llvm::fltSemantics;

/// The code in `semantics` of a float, to nearest even, overflow as IEEE 754
/// (or NaN where there is no infinity). NaN comes out as any NaN.
inline uint64_t
apfloatEncode(const Semantics &semantics, double value,
              llvm::RoundingMode mode = llvm::RoundingMode::NearestTiesToEven) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semantics, mode, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

inline double apfloatDecode(const Semantics &semantics, uint64_t code) {
  llvm::APFloat number(
      semantics, llvm::APInt(llvm::APFloat::getSizeInBits(semantics), code));
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

/// A reproducible sequence of 32-bit numbers.
class Sequence {
public:
  explicit Sequence(uint64_t seed) : state(seed * 2 + 1) {}
  uint32_t next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return uint32_t(state >> 32);
  }
  uint64_t next64() {
    uint64_t high = next();
    return high << 32 | next();
  }

private:
  uint64_t state;
};

/// Singles at which arithmetic tends to go wrong.
inline const std::vector<uint32_t> &specialSingles() {
  static const std::vector<uint32_t> values = {
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF,
      0x00800000, 0x80800000, 0x00800001, 0x3F800000, 0xBF800000, 0x3F7FFFFF,
      0x3F800001, 0x40000000, 0xC0000000, 0x3F000000, 0x40490FDB, 0x7F7FFFFF,
      0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001,
      0xFF800001, 0x4F000000, 0xCF000000, 0x4F7FFFFF, 0x4F800000, 0x4EFFFFFF,
      0xCF000001, 0x5F000000, 0x0DA24260, 0x7E967699, 0x00000400, 0x33800000};
  return values;
}

} // namespace mla::sim::test

#endif // MLA_UNITTESTS_SIMULATOR_SNIPPET_H
