//===- ValuInteger.cpp - Integer vector instructions ----------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Semantics as in the CDNA3 and CDNA4 ISA manuals, sections "VOP1/VOP2/VOP3A
// instructions". A function that returns Exact saturates under `clamp`.
//
//===----------------------------------------------------------------------===//

#include "Valu.h"
#include "ValuRegister.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

MLA_SIM_INLINE uint32_t reverseBits(uint32_t x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(x);
}

MLA_SIM_INLINE uint32_t countBits(uint32_t x) {
  x -= x >> 1 & 0x55555555u;
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  x = (x + (x >> 4)) & 0x0F0F0F0Fu;
  return x * 0x01010101u >> 24;
}

MLA_SIM_INLINE uint32_t firstHigh(uint32_t x) {
  return x ? uint32_t(__builtin_clz(x)) : ~0u;
}

MLA_SIM_INLINE uint32_t difference(uint32_t a, uint32_t b) {
  return a > b ? a - b : b - a;
}

MLA_SIM_INLINE uint32_t byteOf(uint64_t x, int index) {
  return uint32_t(x >> (8 * index)) & 0xFFu;
}

/// V_SAD_U8; masked (V_MSAD_U8) leaves out bytes whose reference is 0.
MLA_SIM_INLINE uint32_t sad8(uint32_t a, uint32_t b, uint32_t sum,
                             bool masked) {
  for (int i = 0; i < 4; ++i)
    sum += masked && !byteOf(b, i) ? 0 : difference(byteOf(a, i), byteOf(b, i));
  return sum;
}

/// V_QSAD_PK_U16_U8, V_MQSAD_PK_U16_U8: four windows of S0, 16-bit sums.
MLA_SIM_INLINE uint64_t quadSad16(uint64_t a, uint32_t b, uint64_t sums,
                                  bool masked) {
  uint64_t result = 0;
  for (int i = 0; i < 4; ++i)
    result |= uint64_t(sad8(uint32_t(a >> (8 * i)), b,
                            uint32_t(sums >> (16 * i)) & 0xFFFFu, masked) &
                       0xFFFFu)
              << (16 * i);
  return result;
}

/// One byte of V_PERM_B32; S0 is the high half of `data`.
MLA_SIM_INLINE uint32_t permutedByte(uint64_t data, uint32_t select) {
  uint32_t plain = uint32_t(data >> (8 * (select & 7))) & 0xFFu;
  // 8 to 11 spread the sign of bytes 1, 3, 5 and 7.
  uint32_t sign = -uint32_t(data >> (16 * (select & 3) + 15) & 1) & 0xFFu;
  return select < 8 ? plain : select < 12 ? sign : select == 12 ? 0u : 0xFFu;
}

MLA_SIM_INLINE uint32_t permute(uint32_t high, uint32_t low, uint32_t select) {
  uint64_t data = uint64_t(high) << 32 | low;
  return permutedByte(data, select & 0xFF) |
         permutedByte(data, select >> 8 & 0xFF) << 8 |
         permutedByte(data, select >> 16 & 0xFF) << 16 |
         permutedByte(data, select >> 24) << 24;
}

template <class T> MLA_SIM_INLINE T least(T a, T b) { return a < b ? a : b; }
template <class T> MLA_SIM_INLINE T most(T a, T b) { return a > b ? a : b; }
template <class T> MLA_SIM_INLINE T median(T a, T b, T c) {
  return most(least(a, b), least(most(a, b), c));
}

template <int Low, int High>
MLA_SIM_INLINE uint32_t shiftedPair(int32_t a, int32_t b, uint32_t shift) {
  uint32_t low = uint32_t(clampToInt(a >> (shift & 31), Low, High));
  uint32_t high = uint32_t(clampToInt(b >> (shift & 31), Low, High));
  return (low & 0xFFu) | (high & 0xFFu) << 8;
}

/// V_BITOP3: bit 4*s0 + 2*s1 + s2 of the truth table.
MLA_SIM_INLINE uint32_t bitop3(uint32_t table, uint32_t a, uint32_t b,
                               uint32_t c) {
  uint32_t result = 0;
  for (int i = 0; i < 8; ++i)
    result |= -(table >> i & 1) & (i & 4 ? a : ~a) & (i & 2 ? b : ~b) &
              (i & 1 ? c : ~c);
  return result;
}

template <class T> void bitop3Handler(Wave &wave, const Instruction &inst) {
  LaneArray scratch[3][2], out;
  Source sources[3];
  for (int i = 0; i < 3; ++i)
    sources[i] = modifiedSource<T>(wave, inst, inst.ops[i + 1], unsigned(i),
                                   nullptr, scratch[i][0], scratch[i][1]);
  const uint32_t table = inst.mods.bitop3;
  MLA_SIM_LANES(lane)
  out.lane[lane] = bitop3(table, sources[0].lo[lane], sources[1].lo[lane],
                          sources[2].lo[lane]);
  writeModified<T::kBits>(wave, inst, inst.ops[0].index, out.lane, nullptr,
                          inst.mods.opSel >> 3 & 1, HighHalf::Keep);
}

/// V_PERM_B32 with one selector for all lanes that only picks bytes, which is
/// what byte transposes are made of: two shifts and masks a byte.
void permuteUniform(Wave &wave, const Instruction &inst) {
  LaneArray scratch[2], out;
  const uint32_t *high = source32(wave, inst.ops[1], scratch[0]);
  const uint32_t *low = source32(wave, inst.ops[2], scratch[1]);
  const uint32_t select = wave.scalar32(inst.ops[3]);
  if (select & 0xF8F8F8F8u) {
    MLA_SIM_LANES(lane)
    out.lane[lane] = permute(high[lane], low[lane], select);
    writeLanes(wave, inst.ops[0].index, out.lane);
    return;
  }
  const uint32_t *from[4];
  uint32_t shift[4];
  for (int i = 0; i < 4; ++i) {
    const uint32_t byte = select >> (8 * i) & 7;
    from[i] = byte < 4 ? low : high;
    shift[i] = 8 * (byte & 3);
  }
  MLA_SIM_LANES(lane)
  out.lane[lane] = (from[0][lane] >> shift[0] & 0xFFu) |
                   (from[1][lane] >> shift[1] & 0xFFu) << 8 |
                   (from[2][lane] >> shift[2] & 0xFFu) << 16 |
                   from[3][lane] >> shift[3] << 24;
  writeLanes(wave, inst.ops[0].index, out.lane);
}

Handler selectPermute(Instruction &inst) {
  return inst.ops[3].isVgpr() ? valu<U32(U32, U32, U32), permute>(inst)
                              : permuteUniform;
}

/// V_MQSAD_U32_U8: four windows of S0, 32-bit sums.
void quadSad32(Wave &wave, const Instruction &inst) {
  LaneArray lo, hi, low, high, out[4];
  const Source a = plainSource<U64>(wave, inst.ops[1], lo, hi);
  LaneArray reference;
  const uint32_t *b = source32(wave, inst.ops[2], reference);
  for (int i = 0; i < 4; ++i) {
    const uint32_t *sum =
        sourceWord(wave, inst.ops[3], unsigned(i), i % 2 ? high : low);
    for (int lane = 0; lane < kLanes; ++lane)
      out[i].lane[lane] = sad8(uint32_t(bitsOf<U64>(a, lane) >> (8 * i)),
                               b[lane], sum[lane], true);
  }
  for (unsigned i = 0; i < 4; ++i)
    writeLanes(wave, inst.ops[0].index + i, out[i].lane);
}

const HandlerTable::Row handlerRows[] = {
    {"v_mqsad_u32_u8", quadSad32},
    {"v_bitop3_b32", bitop3Handler<U32>},
    {"v_bitop3_b16", bitop3Handler<U16>},
};

const HandlerTable::SelectorRow rows32[] = {
    {"v_mov_b32", valu<U32(U32), [](uint32_t a) { return a; }>},
    {"v_accvgpr_read_b32", valu<U32(U32), [](uint32_t a) { return a; }>},
    {"v_accvgpr_write_b32", valu<U32(U32), [](uint32_t a) { return a; }>},
    {"v_accvgpr_mov_b32", valu<U32(U32), [](uint32_t a) { return a; }>},
    {"v_not_b32", valu<U32(U32), [](uint32_t a) { return ~a; }>},
    {"v_bfrev_b32", valu<U32(U32), [](uint32_t a) { return reverseBits(a); }>},
    {"v_ffbh_u32", valu<U32(U32), [](uint32_t a) { return firstHigh(a); }>},
    {"v_ffbl_b32",
     valu<U32(U32),
          [](uint32_t a) { return a ? uint32_t(__builtin_ctz(a)) : ~0u; }>},
    {"v_ffbh_i32", valu<U32(U32),
                        [](uint32_t a) {
                          return firstHigh(a ^ uint32_t(int32_t(a) >> 31));
                        }>},
    {"v_prng_b32",
     valu<U32(U32), [](uint32_t a) { return a << 1 ^ (a >> 31 ? 197u : 0u); }>},
    {"v_sat_pk_u8_i16", valu<U32(U32),
                             [](uint32_t a) {
                               int32_t low = int16_t(a),
                                       high = int32_t(a) >> 16;
                               return uint32_t(clampToInt(low, 0, 255)) |
                                      uint32_t(clampToInt(high, 0, 255)) << 8;
                             }>},

    {"v_add_u32",
     valu<U32(U32, U32), [](uint32_t a, uint32_t b) { return Exact(a) + b; }>},
    {"v_sub_u32",
     valu<U32(U32, U32), [](uint32_t a, uint32_t b) { return Exact(a) - b; }>},
    {"v_subrev_u32",
     valu<U32(U32, U32), [](uint32_t a, uint32_t b) { return Exact(b) - a; }>},
    {"v_add_i32",
     valu<I32(I32, I32), [](int32_t a, int32_t b) { return Exact(a) + b; }>},
    {"v_sub_i32",
     valu<I32(I32, I32), [](int32_t a, int32_t b) { return Exact(a) - b; }>},
    {"v_mul_i32_i24",
     valu<I32(I24, I24), [](int32_t a, int32_t b) { return Exact(a) * b; }>},
    {"v_mul_u32_u24",
     valu<U32(U24, U24), [](uint32_t a, uint32_t b) { return Exact(a) * b; }>},
    {"v_mul_hi_i32_i24",
     valu<I32(I24, I24),
          [](int32_t a, int32_t b) { return int32_t(int64_t(a) * b >> 32); }>},
    {"v_mul_hi_u32_u24", valu<U32(U24, U24),
                              [](uint32_t a, uint32_t b) {
                                return uint32_t(uint64_t(a) * b >> 32);
                              }>},
    {"v_mul_lo_u32",
     valu<U32(U32, U32), [](uint32_t a, uint32_t b) { return a * b; }>},
    {"v_mul_hi_u32", valu<U32(U32, U32),
                          [](uint32_t a, uint32_t b) {
                            return uint32_t(uint64_t(a) * b >> 32);
                          }>},
    {"v_mul_hi_i32",
     valu<I32(I32, I32),
          [](int32_t a, int32_t b) { return int32_t(int64_t(a) * b >> 32); }>},
    {"v_min_i32", valu<I32(I32, I32), least<int32_t>>},
    {"v_max_i32", valu<I32(I32, I32), most<int32_t>>},
    {"v_min_u32", valu<U32(U32, U32), least<uint32_t>>},
    {"v_max_u32", valu<U32(U32, U32), most<uint32_t>>},
    {"v_lshrrev_b32",
     valu<U32(U32, U32), [](uint32_t a, uint32_t b) { return b >> (a & 31); }>},
    {"v_lshlrev_b32",
     valu<U32(U32, U32), [](uint32_t a, uint32_t b) { return b << (a & 31); }>},
    {"v_ashrrev_i32",
     valu<I32(U32, I32), [](uint32_t a, int32_t b) { return b >> (a & 31); }>},
    {"v_and_b32",
     valu<U32(U32, U32), [](uint32_t a, uint32_t b) { return a & b; }>},
    {"v_or_b32",
     valu<U32(U32, U32), [](uint32_t a, uint32_t b) { return a | b; }>},
    {"v_xor_b32",
     valu<U32(U32, U32), [](uint32_t a, uint32_t b) { return a ^ b; }>},
    {"v_xnor_b32",
     valu<U32(U32, U32), [](uint32_t a, uint32_t b) { return ~(a ^ b); }>},
    {"v_bcnt_u32_b32",
     valu<U32(U32, U32),
          [](uint32_t a, uint32_t b) { return countBits(a) + b; }>},
    {"v_bfm_b32", valu<U32(U32, U32),
                       [](uint32_t a, uint32_t b) {
                         return ((1u << (a & 31)) - 1) << (b & 31);
                       }>},

    {"v_mad_i32_i24",
     valu<I32(I24, I24, I32),
          [](int32_t a, int32_t b, int32_t c) { return Exact(a) * b + c; }>},
    {"v_mad_u32_u24",
     valu<U32(U24, U24, U32),
          [](uint32_t a, uint32_t b, uint32_t c) { return Exact(a) * b + c; }>},
    {"v_mad_u32_u16",
     valu<U32(U16, U16, U32),
          [](uint16_t a, uint16_t b, uint32_t c) { return Exact(a) * b + c; }>},
    {"v_mad_i32_i16",
     valu<I32(I16, I16, I32),
          [](int16_t a, int16_t b, int32_t c) { return Exact(a) * b + c; }>},
    {"v_bfe_u32", valu<U32(U32, U32, U32),
                       [](uint32_t a, uint32_t b, uint32_t c) {
                         return a >> (b & 31) & ((1u << (c & 31)) - 1);
                       }>},
    {"v_bfe_i32", valu<U32(I32, U32, U32),
                       [](int32_t a, uint32_t b, uint32_t c) {
                         uint32_t width = c & 31, sign = 1u << width >> 1;
                         uint32_t field =
                             uint32_t(a >> (b & 31)) & ((1u << width) - 1);
                         return (field ^ sign) - sign;
                       }>},
    {"v_bfi_b32",
     valu<U32(U32, U32, U32), [](uint32_t a, uint32_t b,
                                 uint32_t c) { return (a & b) | (~a & c); }>},
    // The shift is a 16-bit source: op_sel can take it from the high half.
    {"v_alignbit_b32", valu<U32(U32, U32, U16),
                            [](uint32_t a, uint32_t b, uint16_t c) {
                              return uint32_t((uint64_t(a) << 32 | b) >>
                                              (c & 31));
                            }>},
    {"v_alignbyte_b32", valu<U32(U32, U32, U16),
                             [](uint32_t a, uint32_t b, uint16_t c) {
                               return uint32_t((uint64_t(a) << 32 | b) >>
                                               (8 * (c & 3)));
                             }>},
    {"v_perm_b32", selectPermute},
    {"v_lerp_u8", valu<U32(U32, U32, U32),
                       [](uint32_t a, uint32_t b, uint32_t c) {
                         uint32_t result = 0;
                         for (int i = 0; i < 4; ++i)
                           result |= (byteOf(a, i) + byteOf(b, i) +
                                      (c >> (8 * i) & 1)) >>
                                     1 << (8 * i);
                         return result;
                       }>},
    {"v_min3_i32",
     valu<I32(I32, I32, I32), [](int32_t a, int32_t b,
                                 int32_t c) { return least(least(a, b), c); }>},
    {"v_max3_i32",
     valu<I32(I32, I32, I32),
          [](int32_t a, int32_t b, int32_t c) { return most(most(a, b), c); }>},
    {"v_med3_i32", valu<I32(I32, I32, I32), median<int32_t>>},
    {"v_min3_u32", valu<U32(U32, U32, U32),
                        [](uint32_t a, uint32_t b, uint32_t c) {
                          return least(least(a, b), c);
                        }>},
    {"v_max3_u32",
     valu<U32(U32, U32, U32), [](uint32_t a, uint32_t b,
                                 uint32_t c) { return most(most(a, b), c); }>},
    {"v_med3_u32", valu<U32(U32, U32, U32), median<uint32_t>>},
    {"v_sad_u8", valu<U32(U32, U32, U32),
                      [](uint32_t a, uint32_t b, uint32_t c) {
                        return Exact(sad8(a, b, 0, false)) + c;
                      }>},
    {"v_msad_u8", valu<U32(U32, U32, U32),
                       [](uint32_t a, uint32_t b, uint32_t c) {
                         return Exact(sad8(a, b, 0, true)) + c;
                       }>},
    {"v_sad_hi_u8", valu<U32(U32, U32, U32),
                         [](uint32_t a, uint32_t b, uint32_t c) {
                           return Exact(sad8(a, b, 0, false) << 16) + c;
                         }>},
    {"v_sad_u16", valu<U32(U32, U32, U32),
                       [](uint32_t a, uint32_t b, uint32_t c) {
                         return Exact(difference(a & 0xFFFF, b & 0xFFFF)) +
                                difference(a >> 16, b >> 16) + c;
                       }>},
    {"v_sad_u32", valu<U32(U32, U32, U32),
                       [](uint32_t a, uint32_t b, uint32_t c) {
                         return Exact(difference(a, b)) + c;
                       }>},
    {"v_xad_u32",
     valu<U32(U32, U32, U32),
          [](uint32_t a, uint32_t b, uint32_t c) { return (a ^ b) + c; }>},
    {"v_lshl_add_u32",
     valu<U32(U32, U32, U32), [](uint32_t a, uint32_t b,
                                 uint32_t c) { return (a << (b & 31)) + c; }>},
    {"v_add_lshl_u32",
     valu<U32(U32, U32, U32), [](uint32_t a, uint32_t b,
                                 uint32_t c) { return (a + b) << (c & 31); }>},
    {"v_add3_u32",
     valu<U32(U32, U32, U32),
          [](uint32_t a, uint32_t b, uint32_t c) { return a + b + c; }>},
    {"v_lshl_or_b32",
     valu<U32(U32, U32, U32), [](uint32_t a, uint32_t b,
                                 uint32_t c) { return a << (b & 31) | c; }>},
    {"v_and_or_b32",
     valu<U32(U32, U32, U32),
          [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | c; }>},
    {"v_or3_b32",
     valu<U32(U32, U32, U32),
          [](uint32_t a, uint32_t b, uint32_t c) { return a | b | c; }>},
    {"v_ashr_pk_i8_i32",
     valu<U16(I32, I32, U32), shiftedPair<-128, 127>, kKeepsHigh>},
    {"v_ashr_pk_u8_i32",
     valu<U16(I32, I32, U32), shiftedPair<0, 255>, kKeepsHigh>},
};

const HandlerTable::SelectorRow rows64[] = {
    {"v_mov_b64", valu<U64(U64), [](uint64_t a) { return a; }>},
    {"v_lshlrev_b64",
     valu<U64(U32, U64), [](uint32_t a, uint64_t b) { return b << (a & 63); }>},
    {"v_lshrrev_b64",
     valu<U64(U32, U64), [](uint32_t a, uint64_t b) { return b >> (a & 63); }>},
    {"v_ashrrev_i64",
     valu<I64(U32, I64), [](uint32_t a, int64_t b) { return b >> (a & 63); }>},
    {"v_lshl_add_u64",
     valu<U64(U64, U32, U64), [](uint64_t a, uint32_t b,
                                 uint64_t c) { return (a << (b & 7)) + c; }>},
    {"v_qsad_pk_u16_u8", valu<U64(U64, U32, U64),
                              [](uint64_t a, uint32_t b, uint64_t c) {
                                return quadSad16(a, b, c, false);
                              }>},
    {"v_mqsad_pk_u16_u8", valu<U64(U64, U32, U64),
                               [](uint64_t a, uint32_t b, uint64_t c) {
                                 return quadSad16(a, b, c, true);
                               }>},
};

const HandlerTable::SelectorRow rows16[] = {
    {"v_add_u16",
     valu<U16(U16, U16), [](uint16_t a, uint16_t b) { return Exact(a) + b; }>},
    {"v_sub_u16",
     valu<U16(U16, U16), [](uint16_t a, uint16_t b) { return Exact(a) - b; }>},
    {"v_subrev_u16",
     valu<U16(U16, U16), [](uint16_t a, uint16_t b) { return Exact(b) - a; }>},
    {"v_add_i16",
     valu<I16(I16, I16), [](int16_t a, int16_t b) { return Exact(a) + b; },
          kKeepsHigh>},
    {"v_sub_i16",
     valu<I16(I16, I16), [](int16_t a, int16_t b) { return Exact(a) - b; },
          kKeepsHigh>},
    {"v_mul_lo_u16",
     valu<U16(U16, U16),
          [](uint16_t a, uint16_t b) { return uint32_t(a) * b; }>},
    {"v_lshlrev_b16",
     valu<U16(U16, U16),
          [](uint16_t a, uint16_t b) { return uint32_t(b) << (a & 15); }>},
    {"v_lshrrev_b16",
     valu<U16(U16, U16),
          [](uint16_t a, uint16_t b) { return uint32_t(b) >> (a & 15); }>},
    {"v_ashrrev_i16",
     valu<I16(U16, I16), [](uint16_t a, int16_t b) { return b >> (a & 15); }>},
    {"v_max_u16", valu<U16(U16, U16), most<uint16_t>>},
    {"v_max_i16", valu<I16(I16, I16), most<int16_t>>},
    {"v_min_u16", valu<U16(U16, U16), least<uint16_t>>},
    {"v_min_i16", valu<I16(I16, I16), least<int16_t>>},
    {"v_mad_legacy_u16",
     valu<U16(U16, U16, U16),
          [](uint16_t a, uint16_t b, uint16_t c) { return Exact(a) * b + c; }>},
    {"v_mad_legacy_i16",
     valu<I16(I16, I16, I16),
          [](int16_t a, int16_t b, int16_t c) { return Exact(a) * b + c; }>},
    {"v_mad_u16",
     valu<U16(U16, U16, U16),
          [](uint16_t a, uint16_t b, uint16_t c) { return Exact(a) * b + c; },
          kKeepsHigh>},
    {"v_mad_i16",
     valu<I16(I16, I16, I16),
          [](int16_t a, int16_t b, int16_t c) { return Exact(a) * b + c; },
          kKeepsHigh>},
    {"v_min3_i16",
     valu<I16(I16, I16, I16),
          [](int16_t a, int16_t b, int16_t c) { return least(least(a, b), c); },
          kKeepsHigh>},
    {"v_max3_i16",
     valu<I16(I16, I16, I16),
          [](int16_t a, int16_t b, int16_t c) { return most(most(a, b), c); },
          kKeepsHigh>},
    {"v_med3_i16", valu<I16(I16, I16, I16), median<int16_t>, kKeepsHigh>},
    {"v_min3_u16", valu<U16(U16, U16, U16),
                        [](uint16_t a, uint16_t b, uint16_t c) {
                          return least(least(a, b), c);
                        },
                        kKeepsHigh>},
    {"v_max3_u16", valu<U16(U16, U16, U16),
                        [](uint16_t a, uint16_t b, uint16_t c) {
                          return most(most(a, b), c);
                        },
                        kKeepsHigh>},
    {"v_med3_u16", valu<U16(U16, U16, U16), median<uint16_t>, kKeepsHigh>},
    {"v_pack_b32_f16",
     valu<U32(U16, U16),
          [](uint16_t a, uint16_t b) { return uint32_t(b) << 16 | a; }>},
};

} // namespace

void registerValuInteger(HandlerTable &table) {
  table.add(handlerRows, InstructionClass::Valu);
  table.add(rows32, InstructionClass::Valu);
  table.add(rows64, InstructionClass::Valu);
  table.add(rows16, InstructionClass::Valu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
