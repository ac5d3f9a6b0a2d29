//===- ScalarTest.cpp - Scalar instructions at their edges ----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values are worked out from the ISA manuals' statements.
//
//===----------------------------------------------------------------------===//

#include "SimTestUtils.h"

#include <gtest/gtest.h>

using namespace mla::sim;
using namespace mla::sim::test;

namespace {

class Scalar : public testing::Test {
protected:
  /// Runs with s0 = a, s1 = b and gives s2.
  uint32_t run(const std::string &code, uint32_t a = 0, uint32_t b = 0) {
    runner.wave().sgpr[0] = a;
    runner.wave().sgpr[1] = b;
    runner.run(code);
    EXPECT_EQ(runner.error(), "") << code;
    return runner.wave().sgpr[2];
  }
  /// Runs with s[4:5] = a and gives s[2:3].
  uint64_t run64(const std::string &code, uint64_t a) {
    runner.wave().writeSgpr64(4, a);
    runner.run(code);
    EXPECT_EQ(runner.error(), "") << code;
    return runner.wave().readSgpr64(2);
  }
  bool scc() { return runner.wave().scc; }

  InstructionRunner runner{"gfx942"};
};

TEST_F(Scalar, carriesAndBorrows) {
  EXPECT_EQ(run("s_add_u32 s2, s0, s1", 0xFFFFFFFF, 1), 0u);
  EXPECT_TRUE(scc());
  EXPECT_EQ(run("s_addc_u32 s2, s0, s1", 0xFFFFFFFF, 0), 0u);
  EXPECT_TRUE(scc());
  EXPECT_EQ(run("s_sub_u32 s2, s0, s1", 1, 2), 0xFFFFFFFFu);
  EXPECT_TRUE(scc());
  EXPECT_EQ(run("s_subb_u32 s2, s0, s1", 5, 0xFFFFFFFF), 5u);
  EXPECT_TRUE(scc());
  EXPECT_EQ(run("s_subb_u32 s2, s0, s1", 5, 4), 0u);
  EXPECT_FALSE(scc());
}

TEST_F(Scalar, signedOverflow) {
  run("s_add_i32 s2, s0, s1", 0x7FFFFFFF, 1);
  EXPECT_TRUE(scc());
  run("s_add_i32 s2, s0, s1", 0xFFFFFFFF, 1);
  EXPECT_FALSE(scc());
  run("s_sub_i32 s2, s0, s1", 0x80000000, 1);
  EXPECT_TRUE(scc());
  EXPECT_EQ(run("s_mov_b32 s2, s0\ns_addk_i32 s2, 0x8000", 0x80000000),
            0x7FFF8000u);
  EXPECT_TRUE(scc());
}

TEST_F(Scalar, minimumAndMaximumSetSccOnTheFirst) {
  EXPECT_EQ(run("s_min_i32 s2, s0, s1", 0xFFFFFFFF, 1), 0xFFFFFFFFu);
  EXPECT_TRUE(scc());
  EXPECT_EQ(run("s_min_u32 s2, s0, s1", 3, 3), 3u);
  EXPECT_FALSE(scc());
  EXPECT_EQ(run("s_max_u32 s2, s0, s1", 3, 3), 3u);
  EXPECT_TRUE(scc());
}

TEST_F(Scalar, bitFields) {
  EXPECT_EQ(run("s_bfe_u32 s2, s0, 0x80004", 0x12345678), 0x67u);
  EXPECT_EQ(run("s_bfe_i32 s2, s0, 0x80004", 0x00000F80), 0xFFFFFFF8u);
  EXPECT_TRUE(scc());
  EXPECT_EQ(run("s_bfe_i32 s2, s0, 0x4", 0xFFFFFFFF), 0u);
  EXPECT_FALSE(scc());
  EXPECT_EQ(run("s_bfe_u32 s2, s0, 0x200000", 0xDEADBEEF), 0xDEADBEEFu);
  EXPECT_EQ(run64("s_bfe_i64 s[2:3], s[4:5], 0x140008", 0x0F000000),
            0xFFFFFFFFFFFF0000u);
  EXPECT_EQ(run("s_bfm_b32 s2, s0, s1", 8, 4), 0xFF0u);
}

TEST_F(Scalar, bitSearches) {
  EXPECT_EQ(run("s_ff1_i32_b32 s2, s0", 0), ~0u);
  EXPECT_EQ(run("s_ff1_i32_b32 s2, s0", 0x80), 7u);
  EXPECT_EQ(run("s_ff0_i32_b32 s2, s0", 0xFFFFFFFF), ~0u);
  EXPECT_EQ(run("s_flbit_i32_b32 s2, s0", 1), 31u);
  EXPECT_EQ(run("s_flbit_i32 s2, s0", 0xFFFFFFFF), ~0u);
  EXPECT_EQ(run("s_flbit_i32 s2, s0", 0xFFFFFF00), 24u);
  EXPECT_EQ(run("s_flbit_i32 s2, s0", 0), ~0u);
  EXPECT_EQ(run("s_bcnt1_i32_b32 s2, s0", 0xF0F0), 8u);
  EXPECT_EQ(uint32_t(run64("s_ff1_i32_b64 s2, s[4:5]", uint64_t(1) << 40)),
            40u);
  EXPECT_EQ(run("s_brev_b32 s2, s0", 1), 0x80000000u);
}

TEST_F(Scalar, quadsAndReplication) {
  EXPECT_EQ(run("s_wqm_b32 s2, s0", 0x00100200), 0x00F00F00u);
  EXPECT_EQ(run("s_quadmask_b32 s2, s0", 0x00100200), 0x24u);
  EXPECT_EQ(run64("s_wqm_b64 s[2:3], s[4:5]", 0x8000000000000001),
            0xF00000000000000Fu);
  run("s_bitreplicate_b64_b32 s[2:3], s0", 0x80000001);
  EXPECT_EQ(runner.wave().readSgpr64(2), 0xC000000000000003u);
}

TEST_F(Scalar, compareImmediatesExtendAsTheirTypeSays) {
  run("s_cmpk_eq_i32 s0, 0xffff", 0xFFFFFFFF);
  EXPECT_TRUE(scc());
  run("s_cmpk_eq_u32 s0, 0xffff", 0xFFFF);
  EXPECT_TRUE(scc());
  run("s_cmpk_eq_u32 s0, 0xffff", 0xFFFFFFFF);
  EXPECT_FALSE(scc());
}

TEST_F(Scalar, saveExecUsesSourceFirst) {
  Wave &wave = runner.wave();
  wave.setExec(0xFF);
  wave.writeSgpr64(4, 0xF0F);
  runner.run("s_andn2_saveexec_b64 s[2:3], s[4:5]");
  EXPECT_EQ(wave.readSgpr64(2), 0xFFu);
  EXPECT_EQ(wave.exec(), 0xF00u);
  EXPECT_TRUE(wave.active(8));
  EXPECT_FALSE(wave.active(0));
}

TEST_F(Scalar, writingHalfOfExecKeepsTheOther) {
  runner.run("s_mov_b32 exec_hi, 0\ns_mov_b32 exec_lo, 5");
  EXPECT_EQ(runner.wave().exec(), 5u);
  EXPECT_TRUE(runner.wave().active(2));
  EXPECT_FALSE(runner.wave().active(1));
}

TEST_F(Scalar, modeRegisterFields) {
  runner.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0xa\n"
             "s_getreg_b32 s2, hwreg(HW_REG_MODE, 4, 2)");
  EXPECT_EQ(runner.wave().sgpr[2], 2u);
  EXPECT_EQ(runner.wave().mode >> 4 & 15, 0xAu);
  runner.run("s_getreg_b32 s2, hwreg(13)");
  EXPECT_NE(runner.error().find("hardware register 13"), std::string::npos);
}

TEST_F(Scalar, relativeRegisters) {
  EXPECT_EQ(run("s_mov_b32 m0, 1\ns_movrels_b32 s2, s0", 7, 9), 9u);
  run("s_mov_b32 m0, 2\ns_movreld_b32 s0, s1", 7, 9);
  EXPECT_EQ(runner.wave().sgpr[2], 9u);
  runner.run("s_mov_b32 m0, 0x80\ns_movrels_b32 s2, s0");
  EXPECT_NE(runner.error().find("does not exist"), std::string::npos);
}

TEST_F(Scalar, callsAndReturns) {
  EXPECT_EQ(run("s_getpc_b64 s[4:5]\n"
                "s_add_u32 s4, s4, func-.\n"
                "s_addc_u32 s5, s5, 0\n"
                "s_swappc_b64 s[30:31], s[4:5]\n"
                "s_add_u32 s2, s2, 1\n"
                "s_endpgm\n"
                "func:\n"
                "s_mov_b32 s2, 41\n"
                "s_setpc_b64 s[30:31]"),
            42u);
}

TEST_F(Scalar, loopsAndBranches) {
  EXPECT_EQ(run("s_mov_b32 s2, 0\n"
                "loop:\n"
                "s_add_u32 s2, s2, s0\n"
                "s_sub_u32 s1, s1, 1\n"
                "s_cmp_lg_u32 s1, 0\n"
                "s_cbranch_scc1 loop",
                3, 5),
            15u);
  runner.run("s_setpc_b64 s[0:1]");
  EXPECT_NE(runner.error().find("where no instruction is"), std::string::npos);
}

TEST_F(Scalar, gprIndexMode) {
  Wave &wave = runner.wave();
  for (int lane = 0; lane < kLanes; ++lane) {
    wave.vgpr[7][lane] = 700 + lane;
    wave.vgpr[2][lane] = 200 + lane;
  }
  wave.sgpr[0] = 5;
  runner.run("s_set_gpr_idx_on s0, gpr_idx(SRC0)\n"
             "v_mov_b32_e32 v1, v2\n"
             "s_set_gpr_idx_off\n"
             "v_mov_b32_e32 v3, v2");
  EXPECT_EQ(runner.error(), "");
  EXPECT_EQ(wave.vgpr[1][9], 709u);
  EXPECT_EQ(wave.vgpr[3][9], 209u);
}

TEST_F(Scalar, vectorSkip) {
  Wave &wave = runner.wave();
  wave.sgpr[0] = 4;
  for (int lane = 0; lane < kLanes; ++lane)
    wave.vgpr[1][lane] = 1;
  runner.run("s_setvskip s0, 2\n"
             "v_mov_b32_e32 v1, 2\n"
             "s_mov_b32 s2, 3\n"
             "s_setvskip s0, 1\n"
             "v_mov_b32_e32 v2, 4");
  EXPECT_EQ(runner.error(), "");
  EXPECT_EQ(wave.vgpr[1][0], 1u);
  EXPECT_EQ(wave.vgpr[2][0], 4u);
  EXPECT_EQ(wave.sgpr[2], 3u);
}

TEST_F(Scalar, storesAndAtomics) {
  auto *data =
      static_cast<uint32_t *>(runner.memory().allocate(64, "test array"));
  runner.wave().writeSgpr64(4, uint64_t(data));
  runner.wave().writeSgpr64(6, 0x1122334455667788);
  data[4] = 9;
  runner.run("s_store_dwordx2 s[6:7], s[4:5], 0x8\n"
             "s_mov_b32 s2, 5\n"
             "s_atomic_add s2, s[4:5], 0x10 glc");
  EXPECT_EQ(runner.error(), "");
  EXPECT_EQ(data[2], 0x55667788u);
  EXPECT_EQ(data[3], 0x11223344u);
  EXPECT_EQ(data[4], 14u);
  EXPECT_EQ(runner.wave().sgpr[2], 9u);
}

TEST_F(Scalar, trapsAreFaults) {
  runner.run("s_trap 2");
  EXPECT_NE(runner.error().find("trapped with code 2"), std::string::npos);
}

} // namespace
