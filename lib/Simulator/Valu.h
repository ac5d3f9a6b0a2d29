//===- Valu.h - Handlers made from one lane's arithmetic --------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction is a signature of element types and a function of one lane:
//
//   {"v_add_f32", valu<F32(F32, F32), [](float a, float b) { return a + b; }>}
//
// `valu` is a selector: an instruction without modifiers runs a bare loop over
// lanes as long as MODE asks for nothing special, all others the general way.
// The function may take a FloatMode first.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_VALU_H
#define MLA_LIB_SIMULATOR_VALU_H

#include "HandlerTable.h"
#include "ValuOperands.h"

#include <type_traits>
#include <utility>

namespace mla::sim::MLA_SIM_VARIANT {

/// How an instruction departs from "destination, sources".
enum ValuFlags : unsigned {
  kPlain = 0,
  /// The destination is the last source too (v_fmac, v_dot2c …).
  kAccumulates = 1,
  /// A 16-bit result leaves the high half alone. The older 16-bit instructions
  /// clear it, those that came with GFX9 do not (CDNA3 ISA, V_MAD_F16 against
  /// V_MAD_LEGACY_F16).
  kKeepsHigh = 2,
};

MLA_SIM_INLINE bool isPlain(const Instruction &inst) {
  if (inst.isDpp() || inst.isSdwa() || inst.mods.clamp || inst.mods.omod ||
      inst.mods.opSel)
    return false;
  for (unsigned i = 0; i < inst.numOps; ++i)
    if (inst.ops[i].hasModifier())
      return false;
  return true;
}

template <class Signature, auto Fn, unsigned Flags> struct Valu;

template <class R, class... Args, auto Fn, unsigned Flags>
struct Valu<R(Args...), Fn, Flags> {
  static constexpr int kArity = sizeof...(Args);
  static constexpr bool kAccumulator = Flags & kAccumulates;
  static constexpr bool kTakesMode =
      std::is_invocable_v<decltype(Fn), const FloatMode &,
                          typename Args::Value...>;
  static constexpr bool kFloat = R::kIsFloat || (Args::kIsFloat || ...);

  static MLA_SIM_INLINE const Operand &sourceOperand(const Instruction &inst,
                                                     int number) {
    return inst.ops[kAccumulator && number == kArity - 1 ? 0 : number + 1];
  }

  template <class... Values>
  static MLA_SIM_INLINE auto call(const FloatMode &mode, Values... values) {
    if constexpr (kTakesMode)
      return Fn(mode, values...);
    else
      return Fn(values...);
  }

  /// All lanes from sources to `lo`, `hi`.
  template <bool Modes, int... I>
  static MLA_SIM_INLINE void
  loop(const FloatMode &mode, const Modifiers &mods, const Source *sources,
       uint32_t *lo, uint32_t *hi, std::integer_sequence<int, I...>) {
    MLA_SIM_LANES(lane) {
      uint64_t bits;
      if constexpr (Modes)
        bits = R::putRounded(
            mode, mods,
            call(mode, Args::get(mode, bitsOf<Args>(sources[I], lane))...));
      else
        bits = R::put(call(mode, Args::get(bitsOf<Args>(sources[I], lane))...));
      lo[lane] = uint32_t(bits);
      if constexpr (R::kWords == 2)
        hi[lane] = uint32_t(bits >> 32);
    }
  }

  template <int... I>
  static MLA_SIM_INLINE void runFast(Wave &wave, const Instruction &inst,
                                     std::integer_sequence<int, I...> seq) {
    LaneArray scratch[kArity][2];
    const Source sources[kArity] = {plainSource<Args>(
        wave, sourceOperand(inst, I), scratch[I][0], scratch[I][1])...};
    const unsigned dst = inst.ops[0].index;
    const FloatMode mode(wave.mode);
    if (wave.allLanes() && R::kWords == 1 &&
        !(R::kBits == 16 && (Flags & kKeepsHigh))) {
      loop<false>(mode, inst.mods, sources, wave.vgpr[dst], nullptr, seq);
      return;
    }
    LaneArray out[2];
    loop<false>(mode, inst.mods, sources, out[0].lane, out[1].lane, seq);
    if constexpr (R::kBits == 16 && (Flags & kKeepsHigh))
      writeModified<16>(wave, inst, dst, out[0].lane, nullptr, false,
                        HighHalf::Keep);
    else
      writeLanes(wave, dst, out[0].lane);
    if constexpr (R::kWords == 2)
      writeLanes(wave, dst + 1, out[1].lane);
  }

  template <int... I>
  static MLA_SIM_INLINE void runGeneral(Wave &wave, const Instruction &inst,
                                        const DppPlan *plan,
                                        std::integer_sequence<int, I...> seq) {
    LaneArray scratch[kArity][2];
    const Source sources[kArity] = {modifiedSource<Args>(
        wave, inst, sourceOperand(inst, I), I, I == 0 ? plan : nullptr,
        scratch[I][0], scratch[I][1])...};
    const FloatMode mode(wave.mode);
    LaneArray out[2];
    if constexpr (R::kIsFloat) {
      RoundingScope scope(R::rounding(mode));
      loop<true>(mode, inst.mods, sources, out[0].lane, out[1].lane, seq);
    } else {
      loop<true>(mode, inst.mods, sources, out[0].lane, out[1].lane, seq);
    }
    if constexpr (R::kIsFloat)
      if (inst.mods.clamp || inst.mods.omod)
        finishLanes<R>(mode, inst.mods, out[0].lane, out[1].lane);
    const unsigned dst = inst.ops[0].index;
    // op_sel's last bit is the destination's.
    const bool toHigh =
        R::kBits == 16 && (inst.mods.opSel >> (kArity - kAccumulator) & 1);
    writeModified<R::kBits>(wave, inst, dst, out[0].lane, plan, toHigh,
                            Flags & kKeepsHigh ? HighHalf::Keep
                                               : HighHalf::Zero);
    if constexpr (R::kWords == 2)
      writeModified<32>(wave, inst, dst + 1, out[1].lane, plan, false,
                        HighHalf::Zero);
  }

  static __attribute__((noinline)) void general(Wave &wave,
                                                const Instruction &inst) {
    constexpr std::make_integer_sequence<int, kArity> seq;
    if (!inst.isDpp())
      return runGeneral(wave, inst, nullptr, seq);
    DppPlan plan;
    plan.make(wave, inst);
    runGeneral(wave, inst, &plan, seq);
  }

  static void fast(Wave &wave, const Instruction &inst) {
    if (kFloat && !plainMode(wave.mode))
      return general(wave, inst);
    runFast(wave, inst, std::make_integer_sequence<int, kArity>());
  }
};

/// The selector of an instruction; see the head of this file.
template <class Signature, auto Fn, unsigned Flags = kPlain>
static Handler valu(Instruction &inst) {
  using V = Valu<Signature, Fn, Flags>;
  return isPlain(inst) ? V::fast : V::general;
}

/// Bit i set where lane i of `values` is all ones; other lanes hold zero.
MLA_SIM_INLINE uint64_t maskOfOnes(const uint32_t *values) {
  uint64_t mask = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    mask |= uint64_t(values[lane] >> 31) << lane;
  return mask;
}

/// Writes a lane mask to the SGPR pair `op`; inactive lanes give 0.
MLA_SIM_INLINE void writeLaneMask(Wave &wave, const Operand &op,
                                  uint64_t mask) {
  if (op.isSgpr())
    wave.writeSgpr64(op.index, mask & wave.exec());
}

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_VALU_H
