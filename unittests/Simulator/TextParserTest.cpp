//===- TextParserTest.cpp - The decoder's reading of LLVM's text ----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextParser.h"
#include "Apertures.h"
#include "SimTestUtils.h"

#include <gtest/gtest.h>

#include <deque>

using namespace mla::sim;
using namespace mla::sim::test;

namespace {

class TextParser : public testing::Test {
protected:
  Instruction parse(std::string_view text, uint16_t imm16 = 0) {
    Instruction inst;
    problem = parseInstructionText(text, imm16, owner, inst);
    return inst;
  }

  std::string problem;
  std::deque<std::string> strings;
  std::deque<LaneArray> splats;
  TextOwner owner{
      [this](std::string_view text) {
        return strings.emplace_back(text).c_str();
      },
      [this](uint32_t value) { return splat(splats.emplace_back(), value); }};
};

TEST_F(TextParser, stripsEncodingSuffixes) {
  EXPECT_STREQ(parse("v_add_f32_e32 v0, v1, v2").mnemonic, "v_add_f32");
  EXPECT_EQ(parse("v_add_f32_e64 v0, v1, v2").encoding, Encoding::E64);
  EXPECT_EQ(parse("v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf")
                .encoding,
            Encoding::Dpp);
  EXPECT_STREQ(parse("s_mov_b32 s0, 1").mnemonic, "s_mov_b32");
  EXPECT_EQ(problem, "");
}

TEST_F(TextParser, registers) {
  Instruction inst = parse("global_load_dwordx4 a[4:7], v[2:3], s[10:11]");
  EXPECT_EQ(problem, "");
  ASSERT_EQ(inst.numOps, 3);
  EXPECT_EQ(inst.ops[0].kind, OperandKind::Vgpr);
  EXPECT_EQ(inst.ops[0].index, 256 + 4);
  EXPECT_EQ(inst.ops[0].dwords, 4);
  EXPECT_EQ(inst.ops[1].index, 2);
  EXPECT_EQ(inst.ops[2].kind, OperandKind::Sgpr);
  EXPECT_EQ(inst.ops[2].index, 10);
  EXPECT_EQ(parse("s_mov_b64 ttmp[2:3], exec").ops[0].index, kTtmp0 + 2);
  EXPECT_EQ(parse("s_mov_b32 m0, vcc_hi").ops[1].index, kVccHi);
  EXPECT_EQ(parse("s_mov_b32 s0, src_execz").ops[1].kind, OperandKind::Execz);
}

TEST_F(TextParser, constantsAtEveryWidth) {
  const Operand half = parse("v_add_f32_e32 v0, 0.5, v1").ops[1];
  EXPECT_TRUE(half.isFloat);
  EXPECT_EQ(half.bits32, 0x3F000000u);
  EXPECT_EQ(half.bits16, 0x3800);
  EXPECT_EQ(half.bitsF64, 0x3FE0000000000000u);
  EXPECT_EQ(half.splat[63], 0x3F000000u);
  const Operand turn = parse("v_mul_f32_e32 v0, 0.15915494, v1").ops[1];
  EXPECT_EQ(turn.bits32, 0x3E22F983u);
  EXPECT_EQ(turn.bitsF64, 0x3FC45F306DC9C882u);
  EXPECT_EQ(turn.bits16, 0x3118);
  const Operand minus = parse("v_add_u32_e32 v0, -16, v1").ops[1];
  EXPECT_FALSE(minus.neg);
  EXPECT_EQ(minus.bits32, uint32_t(-16));
  EXPECT_EQ(minus.bits64, uint64_t(-16));
  const Operand literal = parse("s_mov_b64 s[0:1], 0x80000000").ops[1];
  EXPECT_TRUE(literal.isLiteral);
  EXPECT_EQ(literal.bits64, 0x80000000u);
  EXPECT_EQ(literal.bitsF64, 0x8000000000000000u);
  EXPECT_EQ(parse("s_addc_u32 s1, s1, lit(0xffffffff)").ops[2].bits32, ~0u);
  EXPECT_EQ(parse("s_mov_b64 s[0:1], src_shared_base").ops[1].bits64,
            kSharedBase);
}

TEST_F(TextParser, sourceModifiers) {
  Instruction inst = parse("v_fma_f32 v0, -v1, |v2|, -|s3| clamp mul:4");
  EXPECT_EQ(problem, "");
  EXPECT_TRUE(inst.ops[1].neg && !inst.ops[1].abs);
  EXPECT_TRUE(!inst.ops[2].neg && inst.ops[2].abs);
  EXPECT_TRUE(inst.ops[3].neg && inst.ops[3].abs);
  EXPECT_EQ(inst.ops[3].kind, OperandKind::Sgpr);
  EXPECT_TRUE(inst.mods.clamp);
  EXPECT_EQ(inst.mods.omod, 2);
  EXPECT_EQ(parse("v_add_f32_e64 v0, v1, v2 div:2").mods.omod, 3);
}

TEST_F(TextParser, packedDefaults) {
  EXPECT_EQ(parse("v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]").mods.opSelHi,
            7);
  EXPECT_EQ(
      parse("v_pk_mul_f32 v[0:1], v[2:3], s[4:5] op_sel_hi:[1,0]").mods.opSelHi,
      1);
  EXPECT_EQ(parse("v_fma_mix_f32 v0, v1, v2, v3").mods.opSelHi, 0);
  EXPECT_EQ(
      parse("v_fma_mix_f32 v0, v1, v2, v3 op_sel_hi:[1,0,1]").mods.opSelHi, 5);
  EXPECT_EQ(
      parse("v_pk_add_f16 v0, v1, v2 neg_lo:[1,0] neg_hi:[0,1]").mods.negHi, 2);
}

TEST_F(TextParser, dppAndSdwa) {
  Instruction quad = parse("v_mov_b32_dpp v0, v1 quad_perm:[3,2,1,0] "
                           "row_mask:0x5 bank_mask:0xc bound_ctrl:1");
  EXPECT_EQ(quad.dpp.kind, DppKind::QuadPerm);
  EXPECT_EQ(quad.dpp.amount, 0x1B);
  EXPECT_EQ(quad.dpp.rowMask, 5);
  EXPECT_EQ(quad.dpp.bankMask, 12);
  EXPECT_TRUE(quad.dpp.boundCtrl);
  EXPECT_EQ(parse("v_add_f32_dpp v0, v1, v2 row_bcast:31 row_mask:0xf "
                  "bank_mask:0xf")
                .dpp.kind,
            DppKind::RowBcast31);
  Instruction sdwa =
      parse("v_add_u32_sdwa v0, sext(v1), v2 dst_sel:WORD_1 "
            "dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2 src1_sel:DWORD");
  EXPECT_EQ(sdwa.mods.dstSelect, SdwaSelect::Word1);
  EXPECT_EQ(sdwa.mods.dstUnused, SdwaUnused::Preserve);
  EXPECT_EQ(sdwa.ops[1].select, SdwaSelect::Byte2);
  EXPECT_TRUE(sdwa.ops[1].sext);
  EXPECT_EQ(sdwa.ops[2].select, SdwaSelect::Dword);
  Instruction carry = parse("v_add_co_u32_sdwa v0, vcc, v1, v2 dst_sel:DWORD "
                            "dst_unused:UNUSED_PAD src0_sel:BYTE_0 "
                            "src1_sel:BYTE_1");
  EXPECT_EQ(carry.ops[2].select, SdwaSelect::Byte0);
  EXPECT_EQ(carry.ops[3].select, SdwaSelect::Byte1);
  EXPECT_EQ(problem, "");
}

TEST_F(TextParser, memoryModifiers) {
  Instruction buffer = parse(
      "buffer_load_dword v1, s[8:11], s3 offen offset:4095 sc0 nt sc1 lds");
  EXPECT_EQ(problem, "");
  EXPECT_TRUE(buffer.mods.offen && buffer.mods.sc0 && buffer.mods.sc1 &&
              buffer.mods.nt && buffer.mods.lds);
  EXPECT_EQ(buffer.mods.offset, 4095);
  EXPECT_EQ(parse("global_load_dword v0, v[0:1], off offset:-16").mods.offset,
            -16);
  Instruction pair = parse("ds_read2st64_b64 v[0:3], v1 offset0:1 offset1:4");
  EXPECT_EQ(pair.mods.offset, 1);
  EXPECT_EQ(pair.mods.offset1, 4);
  EXPECT_EQ(parse("scratch_load_dword v0, off, s3 offset:4").ops[1].kind,
            OperandKind::Off);
}

TEST_F(TextParser, fieldsKeepTheEncodedValue) {
  EXPECT_EQ(parse("s_waitcnt vmcnt(3) lgkmcnt(1)", 0x0173).imm16, 0x173);
  EXPECT_EQ(problem, "");
  parse("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5");
  EXPECT_EQ(problem, "");
  parse("ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,\"01pip\")");
  EXPECT_EQ(problem, "");
  parse("buffer_wbl2 sc0 sc1");
  EXPECT_EQ(problem, "");
}

TEST_F(TextParser, namesWhatItDoesNotKnow) {
  parse("v_add_f32_e32 v0, v1, v2 sparkle:1");
  EXPECT_EQ(problem, "the modifier 'sparkle:1' is not known");
  parse("v_add_f32_e32 v0, v1, q2");
  EXPECT_EQ(problem, "the operand 'q2' is not known");
  parse("v_add_f32_e32 v0, v1, v256");
  EXPECT_EQ(problem, "the operand 'v256' is not known");
}

} // namespace
