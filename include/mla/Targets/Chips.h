//===- Chips.h - The facts of each supported chip ---------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table of chip facts: plain data without MLIR or LLVM, so that the
// compiler, the runtime and the simulator read the same numbers.
//
// Sources: compute units and LDS from AMD's data sheets of the Instinct MI300X
// and MI355X; fp8 encodings and register files from the instruction set
// architecture manuals "AMD Instinct MI300" (CDNA3) and "CDNA4".
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TARGETS_CHIPS_H
#define MLA_TARGETS_CHIPS_H

#include <array>
#include <cstdint>
#include <string_view>

namespace mla::targets {

/// The 8-bit float with four exponent bits that a chip's matrix cores take.
enum class Fp8Flavour : uint8_t {
  E4M3FN,   ///< OCP: largest value 448, two NaN codes, signed zeros.
  E4M3FNUZ, ///< Largest value 240, one NaN code (0x80), no negative zero.
};

constexpr float fp8Max(Fp8Flavour flavour) {
  return flavour == Fp8Flavour::E4M3FN ? 448.0f : 240.0f;
}

constexpr std::string_view fp8Name(Fp8Flavour flavour) {
  return flavour == Fp8Flavour::E4M3FN ? "e4m3fn" : "e4m3fnuz";
}

struct Chip {
  std::string_view name;
  int32_t computeUnits;
  int32_t simdsPerComputeUnit;
  /// Bytes of LDS in a compute unit, all of which one workgroup may take.
  int32_t ldsBytes;
  /// 32-bit vector registers a lane of one wave can have when it has its SIMD
  /// to itself, vector and accumulation registers together.
  int32_t vectorRegisters;
  Fp8Flavour fp8;
  /// Peak rate of the HBM, bytes a second, and of the compute units' clock, Hz
  /// (data sheets of the Instinct MI300X and MI355X).
  double memoryBytesPerSecond;
  double clockHz;
  /// Bytes that a compute unit can take from L2 in a cycle (CDNA3 white paper:
  /// 64), and the time from a load to its data under load (assumed).
  double l2BytesPerCycle;
  double memoryLatencySeconds;
  /// Bytes that a lane can load from global memory straight into LDS (CDNA3 and
  /// CDNA4 ISA, "GLOBAL_LOAD_LDS").
  int32_t ldsDirectLoadBytes;
  /// Matrix instructions take 16 bytes of bf16 or 32 of fp8 a lane, at twice
  /// the rate (CDNA4 ISA: V_MFMA_F32_16X16X32_BF16,
  /// V_MFMA_F32_16X16X128_F8F6F4).
  bool wideMatrixOperands;
  /// LDS can turn a matrix while reading it (ds_read_b64_tr_b8 and its kin;
  /// CDNA4 ISA, "Data Share").
  bool ldsTransposeRead;
};

/// Lanes of a wave on every supported chip.
inline constexpr int32_t kWaveLanes = 64;

inline constexpr std::array<Chip, 2> kChips = {{
    {"gfx942", 304, 4, 64 * 1024, 512, Fp8Flavour::E4M3FNUZ, 5.3e12, 2.1e9, 64,
     1e-6, 4, false, false},
    {"gfx950", 256, 4, 160 * 1024, 512, Fp8Flavour::E4M3FN, 8.0e12, 2.4e9, 64,
     1e-6, 16, true, true},
}};

/// The chip of that name, or null.
constexpr const Chip *findChip(std::string_view name) {
  for (const Chip &chip : kChips)
    if (chip.name == name)
      return &chip;
  return nullptr;
}

/// The names that findChip knows, for error sentences.
inline constexpr std::string_view kChipNames = "gfx942, gfx950";

} // namespace mla::targets

#endif // MLA_TARGETS_CHIPS_H
