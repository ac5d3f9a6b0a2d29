//===- MfmaTest.cpp - Matrix instructions against matrix products ---------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices are laid into registers as AMD's matrix instruction calculator
// (ROCm/amd_matrix_instruction_calculator) prints it for CDNA3, multiplied in
// double precision, and compared. Values are such that every sum is exact, so
// that the comparison does not depend on the order of additions.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

using namespace mla::sim;
using namespace mla::sim::test;
using llvm::APFloat;

namespace {

struct Element {
  int bits;
  /// Null: integers.
  const Semantics *semantics;
};

const Element kSingle = {32, &APFloat::IEEEsingle()};
const Element kHalf = {16, &APFloat::IEEEhalf()};
const Element kBf16 = {16, &APFloat::BFloat()};
const Element kInt8 = {8, nullptr};
const Element kFp8Fnuz = {8, &APFloat::Float8E4M3FNUZ()};
const Element kBf8Fnuz = {8, &APFloat::Float8E5M2FNUZ()};
const Element kFp8 = {8, &APFloat::Float8E4M3FN()};
const Element kBf8 = {8, &APFloat::Float8E5M2()};
const Element kFp6 = {6, &APFloat::Float6E2M3FN()};
const Element kBf6 = {6, &APFloat::Float6E3M2FN()};
const Element kFp4 = {4, &APFloat::Float4E2M1FN()};

struct Case {
  const char *chip;
  const char *mnemonic;
  int size; ///< Rows of A, columns of B.
  int k;
  int blocks;
  Element a, b;
};

const Case kDense[] = {
    {"gfx942", "v_mfma_f32_32x32x1_2b_f32", 32, 1, 2, kSingle, kSingle},
    {"gfx942", "v_mfma_f32_16x16x1_4b_f32", 16, 1, 4, kSingle, kSingle},
    {"gfx942", "v_mfma_f32_4x4x1_16b_f32", 4, 1, 16, kSingle, kSingle},
    {"gfx942", "v_mfma_f32_32x32x2_f32", 32, 2, 1, kSingle, kSingle},
    {"gfx942", "v_mfma_f32_16x16x4_f32", 16, 4, 1, kSingle, kSingle},
    {"gfx942", "v_mfma_f32_16x16x8_xf32", 16, 8, 1, kSingle, kSingle},
    {"gfx942", "v_mfma_f32_32x32x4_xf32", 32, 4, 1, kSingle, kSingle},
    {"gfx942", "v_mfma_f32_32x32x4_2b_f16", 32, 4, 2, kHalf, kHalf},
    {"gfx942", "v_mfma_f32_16x16x4_4b_f16", 16, 4, 4, kHalf, kHalf},
    {"gfx942", "v_mfma_f32_4x4x4_16b_f16", 4, 4, 16, kHalf, kHalf},
    {"gfx942", "v_mfma_f32_32x32x8_f16", 32, 8, 1, kHalf, kHalf},
    {"gfx942", "v_mfma_f32_16x16x16_f16", 16, 16, 1, kHalf, kHalf},
    {"gfx942", "v_mfma_f32_32x32x4_2b_bf16", 32, 4, 2, kBf16, kBf16},
    {"gfx942", "v_mfma_f32_16x16x4_4b_bf16", 16, 4, 4, kBf16, kBf16},
    {"gfx942", "v_mfma_f32_4x4x4_16b_bf16", 4, 4, 16, kBf16, kBf16},
    {"gfx942", "v_mfma_f32_32x32x8_bf16", 32, 8, 1, kBf16, kBf16},
    {"gfx942", "v_mfma_f32_16x16x16_bf16", 16, 16, 1, kBf16, kBf16},
    {"gfx942", "v_mfma_i32_32x32x4_2b_i8", 32, 4, 2, kInt8, kInt8},
    {"gfx942", "v_mfma_i32_16x16x4_4b_i8", 16, 4, 4, kInt8, kInt8},
    {"gfx942", "v_mfma_i32_4x4x4_16b_i8", 4, 4, 16, kInt8, kInt8},
    {"gfx942", "v_mfma_i32_32x32x16_i8", 32, 16, 1, kInt8, kInt8},
    {"gfx942", "v_mfma_i32_16x16x32_i8", 16, 32, 1, kInt8, kInt8},
    {"gfx942", "v_mfma_f32_16x16x32_fp8_fp8", 16, 32, 1, kFp8Fnuz, kFp8Fnuz},
    {"gfx942", "v_mfma_f32_16x16x32_fp8_bf8", 16, 32, 1, kFp8Fnuz, kBf8Fnuz},
    {"gfx942", "v_mfma_f32_16x16x32_bf8_fp8", 16, 32, 1, kBf8Fnuz, kFp8Fnuz},
    {"gfx942", "v_mfma_f32_16x16x32_bf8_bf8", 16, 32, 1, kBf8Fnuz, kBf8Fnuz},
    {"gfx942", "v_mfma_f32_32x32x16_fp8_fp8", 32, 16, 1, kFp8Fnuz, kFp8Fnuz},
    {"gfx942", "v_mfma_f32_32x32x16_fp8_bf8", 32, 16, 1, kFp8Fnuz, kBf8Fnuz},
    {"gfx942", "v_mfma_f32_32x32x16_bf8_fp8", 32, 16, 1, kBf8Fnuz, kFp8Fnuz},
    {"gfx942", "v_mfma_f32_32x32x16_bf8_bf8", 32, 16, 1, kBf8Fnuz, kBf8Fnuz},
    {"gfx950", "v_mfma_f32_16x16x32_fp8_fp8", 16, 32, 1, kFp8, kFp8},
    {"gfx950", "v_mfma_f32_16x16x32_bf8_fp8", 16, 32, 1, kBf8, kFp8},
    {"gfx950", "v_mfma_f32_32x32x16_fp8_bf8", 32, 16, 1, kFp8, kBf8},
    {"gfx950", "v_mfma_f32_16x16x32_f16", 16, 32, 1, kHalf, kHalf},
    {"gfx950", "v_mfma_f32_32x32x16_f16", 32, 16, 1, kHalf, kHalf},
    {"gfx950", "v_mfma_f32_16x16x32_bf16", 16, 32, 1, kBf16, kBf16},
    {"gfx950", "v_mfma_f32_32x32x16_bf16", 32, 16, 1, kBf16, kBf16},
    {"gfx950", "v_mfma_i32_16x16x64_i8", 16, 64, 1, kInt8, kInt8},
    {"gfx950", "v_mfma_i32_32x32x32_i8", 32, 32, 1, kInt8, kInt8},
};

constexpr unsigned kA = 0, kB = 32, kC = 64, kD = 128;

/// Puts `code` of `bits` bits at element `index` of the registers from `first`
/// on, packed without gaps.
void putElement(Snippet &snippet, unsigned first, int lane, int index, int bits,
                uint32_t code) {
  for (int bit = 0; bit < bits; ++bit) {
    const int at = index * bits + bit;
    uint32_t &word = snippet.vgpr(first + unsigned(at) / 32)[lane];
    word = (word & ~(1u << at % 32)) | (code >> bit & 1) << at % 32;
  }
}

/// A small value that the format has.
double smallValue(Sequence &random, const Element &element, uint32_t &code) {
  if (!element.semantics) {
    code = random.next() & 255;
    return int8_t(code);
  }
  const double value = (int(random.next() % 9) - 4) * 0.5;
  code = uint32_t(apfloatEncode(*element.semantics, value));
  return value;
}

/// Registers that `elements` elements take.
int registersOf(int elements, int bits) { return elements * bits / 32; }

std::string range(unsigned first, int count) {
  if (count == 1)
    return "v" + std::to_string(first);
  return "v[" + std::to_string(first) + ":" +
         std::to_string(first + unsigned(count) - 1) + "]";
}

std::string operands(int size, int k, int blocks, const Element &a,
                     const Element &b, unsigned d = kD) {
  const int elements = size * k * blocks / 64;
  const int results = size * size * blocks / 64;
  return range(d, results) + ", " + range(kA, registersOf(elements, a.bits)) +
         ", " + range(kB, registersOf(elements, b.bits)) + ", " +
         range(kC, results);
}

/// Register and lane of row i, column j of a 32-bit result.
void resultPlace(int size, int block, int i, int j, unsigned &reg, int &lane) {
  if (size == 4) {
    reg = unsigned(i);
    lane = block * 4 + j;
  } else if (size == 16) {
    reg = unsigned(block * 4 + i % 4);
    lane = i / 4 * 16 + j;
  } else {
    reg = unsigned(block * 16 + 4 * (i / 8) + i % 4);
    lane = i / 4 % 2 * 32 + j;
  }
}

using Matrix = std::vector<std::vector<double>>;

Matrix zeros(int rows, int columns) {
  return Matrix(size_t(rows), std::vector<double>(size_t(columns)));
}

void fillFragment(Snippet &snippet, Sequence &random, const Case &c,
                  const Element &element, unsigned first, int block,
                  Matrix &matrix) {
  const int groups = 64 / (c.size * c.blocks), each = c.k / groups;
  for (int i = 0; i < c.size; ++i)
    for (int k = 0; k < c.k; ++k) {
      uint32_t code;
      matrix[size_t(i)][size_t(k)] = smallValue(random, element, code);
      const int lane = (block * groups + k / each) * c.size + i;
      putElement(snippet, first, lane, k % each, element.bits, code);
    }
}

} // namespace

TEST(Mfma, DenseShapes) {
  for (const Case &c : kDense) {
    SCOPED_TRACE(std::string(c.chip) + " " + c.mnemonic);
    const bool integers = !c.a.semantics;
    Snippet snippet(c.chip, std::string(c.mnemonic) + " " +
                                operands(c.size, c.k, c.blocks, c.a, c.b));
    Sequence random(uint64_t(c.size * 100 + c.k));
    std::vector<Matrix> a, bTransposed, sum;
    for (int block = 0; block < c.blocks; ++block) {
      a.push_back(zeros(c.size, c.k));
      bTransposed.push_back(zeros(c.size, c.k));
      sum.push_back(zeros(c.size, c.size));
      fillFragment(snippet, random, c, c.a, kA, block, a.back());
      fillFragment(snippet, random, c, c.b, kB, block, bTransposed.back());
      for (int i = 0; i < c.size; ++i)
        for (int j = 0; j < c.size; ++j) {
          const int start = int(random.next() % 64) - 32;
          unsigned reg;
          int lane;
          resultPlace(c.size, block, i, j, reg, lane);
          snippet.vgpr(kC + reg)[lane] =
              integers ? uint32_t(start) : bitsOfFloat(float(start));
          double &total = sum.back()[size_t(i)][size_t(j)];
          total = start;
          for (int k = 0; k < c.k; ++k)
            total += a.back()[size_t(i)][size_t(k)] *
                     bTransposed.back()[size_t(j)][size_t(k)];
        }
    }
    // Matrix instructions take no notice of EXEC.
    snippet.wave().setExec(5);
    snippet.run();
    for (int block = 0; block < c.blocks; ++block)
      for (int i = 0; i < c.size; ++i)
        for (int j = 0; j < c.size; ++j) {
          unsigned reg;
          int lane;
          resultPlace(c.size, block, i, j, reg, lane);
          const uint32_t got = snippet.vgpr(kD + reg)[lane];
          const double value =
              integers ? double(int32_t(got)) : double(floatOfBits(got));
          ASSERT_EQ(sum[size_t(block)][size_t(i)][size_t(j)], value)
              << "block " << block << " row " << i << " column " << j;
        }
  }
}

TEST(Mfma, ResultMayTakeThePlaceOfOperands) {
  const Case c = {"gfx950", "v_mfma_f32_16x16x32_bf16", 16, 32, 1, kBf16,
                  kBf16};
  Snippet apart(c.chip, std::string(c.mnemonic) + " " +
                            operands(16, 32, 1, kBf16, kBf16));
  Snippet onA(c.chip, std::string(c.mnemonic) + " " +
                          operands(16, 32, 1, kBf16, kBf16, kA));
  for (Snippet *snippet : {&apart, &onA}) {
    Sequence random(9);
    Matrix matrix = zeros(16, 32);
    fillFragment(*snippet, random, c, kBf16, kA, 0, matrix);
    fillFragment(*snippet, random, c, kBf16, kB, 0, matrix);
    snippet->run();
  }
  for (unsigned r = 0; r < 4; ++r)
    for (int lane = 0; lane < 64; ++lane)
      EXPECT_EQ(apart.vgpr(kD + r)[lane], onA.vgpr(kA + r)[lane]);
}

TEST(Mfma, ConstantAccumulatorAndAccumulationRegisters) {
  Snippet snippet("gfx942", "v_mfma_f32_16x16x4_f32 a[0:3], v0, v32, 1.0\n"
                            "v_mfma_f32_16x16x4_f32 a[0:3], v0, v32, a[0:3]\n"
                            "v_accvgpr_read_b32 v1, a3");
  for (int lane = 0; lane < 64; ++lane) {
    snippet.vgpr(0)[lane] = bitsOfFloat(2);
    snippet.vgpr(32)[lane] = bitsOfFloat(0.5);
  }
  snippet.run();
  for (int lane = 0; lane < 64; ++lane)
    EXPECT_EQ(bitsOfFloat(9), snippet.vgpr(1)[lane]);
}

// Block n of A is used by the 2^cbsz blocks of its group.
TEST(Mfma, BroadcastOfABlocks) {
  Snippet snippet(
      "gfx942",
      "v_mfma_f32_4x4x1_16b_f32 v[128:131], v0, v32, 0 cbsz:2 abid:3");
  for (int lane = 0; lane < 64; ++lane) {
    snippet.vgpr(0)[lane] = bitsOfFloat(float(lane));
    snippet.vgpr(32)[lane] = bitsOfFloat(1);
  }
  snippet.run();
  for (int lane = 0; lane < 64; ++lane)
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(bitsOfFloat(float((lane / 16 * 4 + 3) * 4 + i)),
                snippet.vgpr(unsigned(kD + unsigned(i)))[lane]);
}

TEST(Mfma, PatternsOfB) {
  for (int pattern = 0; pattern < 8; ++pattern) {
    Snippet snippet("gfx942",
                    "v_mfma_f32_4x4x1_16b_f32 v[128:131], v0, v32, 0 blgp:" +
                        std::to_string(pattern));
    for (int lane = 0; lane < 64; ++lane) {
      snippet.vgpr(0)[lane] = bitsOfFloat(1);
      snippet.vgpr(32)[lane] = bitsOfFloat(float(lane));
    }
    snippet.run();
    for (int lane = 0; lane < 64; ++lane) {
      const int sources[] = {
          lane,      lane % 32,      32 + lane % 32, (lane + 16) % 64,
          lane % 16, 16 + lane % 16, 32 + lane % 16, 48 + lane % 16};
      EXPECT_EQ(bitsOfFloat(float(sources[pattern])), snippet.vgpr(kD)[lane])
          << "blgp " << pattern;
    }
  }
}

TEST(Mfma, Doubles) {
  Snippet snippet(
      "gfx942",
      "v_mfma_f64_16x16x4_f64 v[128:135], v[0:1], v[32:33], v[64:71]\n"
      "v_mfma_f64_4x4x4_4b_f64 v[140:141], v[0:1], v[32:33], v[64:65] "
      "neg:[1,0,0]");
  Sequence random(21);
  double a[64], b[64], c[4][64];
  for (int lane = 0; lane < 64; ++lane) {
    snippet.set64(kA, lane,
                  bitCast<uint64_t>(a[lane] = int(random.next() % 100) - 50));
    snippet.set64(kB, lane,
                  bitCast<uint64_t>(b[lane] = int(random.next() % 100) * 0.25));
    for (int r = 0; r < 4; ++r)
      snippet.set64(kC + 2 * unsigned(r), lane,
                    bitCast<uint64_t>(c[r][lane] = int(random.next() % 100)));
  }
  snippet.run();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      // A[i][k] is in lane i + 16 k, D[i][j] in register pair i / 4.
      const int lane = j + 16 * (i % 4), r = i / 4;
      double sum = c[r][lane];
      for (int k = 0; k < 4; ++k)
        sum += a[i + 16 * k] * b[j + 16 * k];
      EXPECT_EQ(sum,
                bitCast<double>(snippet.get64(kD + 2 * unsigned(r), lane)));
    }
  for (int block = 0; block < 4; ++block)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const int lane = j + 4 * block + 16 * i;
        double sum = c[0][lane];
        for (int k = 0; k < 4; ++k)
          sum += -a[i + 4 * block + 16 * k] * b[j + 4 * block + 16 * k];
        EXPECT_EQ(sum, bitCast<double>(snippet.get64(140, lane)));
      }
}

// What a sum in single precision would lose: 2^24 + 1 + 1 - 2^24. The
// instruction rounds the whole dot product once.
TEST(Mfma, DotProductRoundsOnce) {
  Snippet snippet("gfx942", "v_mfma_f32_16x16x16_bf16 v[128:131], v[0:1], "
                            "v[32:33], v[64:67]");
  for (int lane = 0; lane < 64; ++lane) {
    // k = 0, 1 of every row: 4096 * 4096 and 1 * 1; k = 4 with -4096.
    snippet.vgpr(0)[lane] = lane < 16   ? 0x3F804580u
                            : lane < 32 ? 0x0000C580u
                                        : 0;
    snippet.vgpr(32)[lane] = lane < 16   ? 0x3F804580u
                             : lane < 32 ? 0x00004580u
                                         : 0;
  }
  snippet.run();
  for (int lane = 0; lane < 64; ++lane)
    EXPECT_EQ(bitsOfFloat(1), snippet.vgpr(128)[lane]);
}

TEST(Mfma, DenormalsAndSpecialValues) {
  Snippet snippet("gfx942", "v_mfma_f32_4x4x4_16b_f16 v[128:131], v[0:1], "
                            "v[32:33], v[64:67]\n"
                            "v_mfma_f32_16x16x32_fp8_fp8 v[132:135], v[2:3], "
                            "v[34:35], v[68:71]");
  // MODE flushes denormals of every kind; matrix instructions keep them.
  snippet.wave().mode = 0;
  for (int lane = 0; lane < 64; ++lane) {
    snippet.vgpr(0)[lane] = 1;                          // 2^-24 in half
    snippet.vgpr(32)[lane] = 0x3C00;                    // 1
    snippet.vgpr(64)[lane] = lane < 4 ? 0x00000001 : 0; // 2^-149
    snippet.vgpr(2)[lane] = lane == 0 ? 0x80 : 0x01;    // NaN, 2^-10
    snippet.vgpr(34)[lane] = 0x40;                      // 1
  }
  snippet.run();
  EXPECT_EQ(bitsOfFloat(0x1p-24f), snippet.vgpr(128)[0]);
  EXPECT_EQ(bitsOfFloat(0x1p-24f), snippet.vgpr(129)[9]);
  EXPECT_TRUE(std::isnan(floatOfBits(snippet.vgpr(132)[3])));
  EXPECT_EQ(bitsOfFloat(4 * 0x1p-10f), snippet.vgpr(133)[3]);
}

namespace {

struct SmallFormatCase {
  int selector;
  Element element;
};
const SmallFormatCase kSmallFormats[] = {
    {0, kFp8}, {1, kBf8}, {2, kFp6}, {3, kBf6}, {4, kFp4}};

/// The lane group and the element that hold place k of a row.
void smallPlace(int size, int bits, int k, int &group, int &element) {
  const int groups = 64 / size;
  if (bits < 8) {
    group = k / 32;
    element = k % 32;
  } else {
    group = k / 16 % groups;
    element = k % 16 + 16 * (k / (16 * groups));
  }
}

/// Fills A or B with values of `element` and returns them by row and k.
Matrix fillSmall(Snippet &snippet, Sequence &random, int size,
                 const Element &element, unsigned first) {
  Matrix matrix = zeros(size, 2048 / size);
  for (int i = 0; i < size; ++i)
    for (int k = 0; k < 2048 / size; ++k) {
      uint32_t code;
      matrix[size_t(i)][size_t(k)] = smallValue(random, element, code);
      int group, place;
      smallPlace(size, element.bits, k, group, place);
      putElement(snippet, first, group * size + i, place, element.bits, code);
    }
  return matrix;
}

} // namespace

TEST(Mfma, SmallFormatsWithScales) {
  for (int size : {16, 32})
    for (const SmallFormatCase &a : kSmallFormats)
      for (const SmallFormatCase &b : kSmallFormats) {
        const int k = 2048 / size, results = size * size / 64;
        const std::string shape = size == 16 ? "16x16x128" : "32x32x64";
        const std::string formats = " cbsz:" + std::to_string(a.selector) +
                                    " blgp:" + std::to_string(b.selector);
        SCOPED_TRACE(shape + formats);
        Snippet snippet(
            "gfx950", "v_mfma_f32_" + shape + "_f8f6f4 " +
                          operands(size, k, 1, a.element, b.element) + formats +
                          "\nv_mfma_scale_f32_" + shape + "_f8f6f4 " +
                          operands(size, k, 1, a.element, b.element, kD + 16) +
                          ", v200, v201 op_sel:[1,0,0] op_sel_hi:[0,1,0]" +
                          formats);
        Sequence random(uint64_t(size + a.selector * 5 + b.selector));
        Matrix rowsA = fillSmall(snippet, random, size, a.element, kA);
        Matrix rowsB = fillSmall(snippet, random, size, b.element, kB);
        // op_sel and op_sel_hi above: byte 1 of A's scales, byte 2 of B's.
        int exponentA[64], exponentB[64];
        for (int lane = 0; lane < 64; ++lane) {
          exponentA[lane] = int(random.next() % 5) - 2;
          exponentB[lane] = int(random.next() % 5) - 2;
          snippet.vgpr(200)[lane] =
              0xFF0000FFu | uint32_t(127 + exponentA[lane]) << 8;
          snippet.vgpr(201)[lane] =
              0xFF0000FFu | uint32_t(127 + exponentB[lane]) << 16;
        }
        for (int r = 0; r < results; ++r)
          for (int lane = 0; lane < 64; ++lane)
            snippet.vgpr(kC + unsigned(r))[lane] = bitsOfFloat(3);
        snippet.run();
        for (int i = 0; i < size; ++i)
          for (int j = 0; j < size; ++j) {
            double plain = 3, scaled = 3;
            for (int n = 0; n < k; ++n) {
              const double product =
                  rowsA[size_t(i)][size_t(n)] * rowsB[size_t(j)][size_t(n)];
              plain += product;
              scaled += std::ldexp(product, exponentA[i + size * (n / 32)] +
                                                exponentB[j + size * (n / 32)]);
            }
            unsigned reg;
            int lane;
            resultPlace(size, 0, i, j, reg, lane);
            ASSERT_EQ(plain, floatOfBits(snippet.vgpr(kD + reg)[lane]));
            ASSERT_EQ(scaled, floatOfBits(snippet.vgpr(kD + 16 + reg)[lane]));
          }
      }
}

TEST(Mfma, EveryCodeOfTheSmallFormats) {
  for (const SmallFormatCase &format : kSmallFormats) {
    const std::string formats = " cbsz:" + std::to_string(format.selector);
    // B is fp4 with a single one for k = 0, so that D[i][0] = A[i][0].
    Snippet snippet("gfx950", "v_mfma_f32_16x16x128_f8f6f4 " +
                                  operands(16, 128, 1, format.element, kFp4) +
                                  formats + " blgp:4");
    putElement(snippet, kB, 0, 0, 4, 2);
    for (uint32_t first = 0; first < 1u << format.element.bits; first += 16) {
      for (int i = 0; i < 16; ++i)
        putElement(snippet, kA, i, 0, format.element.bits, first + uint32_t(i));
      snippet.run();
      for (int i = 0; i < 16; ++i) {
        const double expected =
            apfloatDecode(*format.element.semantics, first + uint32_t(i));
        const float got =
            floatOfBits(snippet.vgpr(kD + unsigned(i % 4))[i / 4 * 16]);
        if (std::isnan(expected))
          EXPECT_TRUE(std::isnan(got));
        else
          EXPECT_EQ(expected, got)
              << formats << " code " << first + uint32_t(i);
      }
    }
  }
}

TEST(Mfma, NanScale) {
  Snippet snippet("gfx950", "v_mfma_scale_f32_16x16x128_f8f6f4 v[128:131], "
                            "v[0:7], v[32:39], v[64:67], v200, v201 "
                            "op_sel_hi:[0,0,0]");
  for (int lane = 0; lane < 64; ++lane)
    snippet.vgpr(200)[lane] = snippet.vgpr(201)[lane] = lane == 18 ? 255 : 127;
  snippet.run();
  EXPECT_TRUE(std::isnan(floatOfBits(snippet.vgpr(130)[5])));
  EXPECT_EQ(0u, snippet.vgpr(129)[5]);
  EXPECT_TRUE(std::isnan(floatOfBits(snippet.vgpr(129)[2])));
}

namespace {

struct SparseCase {
  const char *chip;
  const char *mnemonic;
  int size, k;
  Element element;
};
const SparseCase kSparse[] = {
    {"gfx942", "v_smfmac_f32_16x16x32_f16", 16, 32, kHalf},
    {"gfx942", "v_smfmac_f32_32x32x16_bf16", 32, 16, kBf16},
    {"gfx942", "v_smfmac_i32_16x16x64_i8", 16, 64, kInt8},
    {"gfx942", "v_smfmac_i32_32x32x32_i8", 32, 32, kInt8},
    {"gfx942", "v_smfmac_f32_16x16x64_fp8_fp8", 16, 64, kFp8Fnuz},
    {"gfx942", "v_smfmac_f32_32x32x32_bf8_bf8", 32, 32, kBf8Fnuz},
    {"gfx950", "v_smfmac_f32_16x16x64_bf16", 16, 64, kBf16},
    {"gfx950", "v_smfmac_f32_32x32x32_f16", 32, 32, kHalf},
    {"gfx950", "v_smfmac_f32_16x16x128_fp8_fp8", 16, 128, kFp8},
    {"gfx950", "v_smfmac_i32_32x32x64_i8", 32, 64, kInt8},
};

} // namespace

TEST(Mfma, SparseShapes) {
  for (const SparseCase &c : kSparse) {
    SCOPED_TRACE(c.mnemonic);
    const int groups = 64 / c.size, each = c.k / groups;
    const int registers = c.size * c.size / 64;
    // Each set of indices has as many bits as the lane has elements of B.
    const int set = each < 32 ? 1 : 0;
    Snippet snippet(
        c.chip, std::string(c.mnemonic) + " " + range(kD, registers) + ", " +
                    range(kA, registersOf(each / 2, c.element.bits)) + ", " +
                    range(kB, registersOf(each, c.element.bits)) + ", v200" +
                    (set ? " abid:1" : ""));
    Sequence random(uint64_t(c.size + c.k));
    Matrix a = zeros(c.size, c.k), b = zeros(c.size, c.k);
    for (int i = 0; i < c.size; ++i)
      for (int k = 0; k < c.k; ++k) {
        const int lane = k / each * c.size + i;
        uint32_t code;
        b[size_t(i)][size_t(k)] = smallValue(random, c.element, code);
        putElement(snippet, kB, lane, k % each, c.element.bits, code);
        if (k % 4)
          continue;
        // Two of these four elements are stored.
        const int first = int(random.next() % 3);
        const int second = first + 1 + int(random.next() % (3 - first));
        const int places[] = {first, second};
        for (int n = 0; n < 2; ++n) {
          a[size_t(i)][size_t(k + places[n])] =
              smallValue(random, c.element, code);
          putElement(snippet, kA, lane, k % each / 2 + n, c.element.bits, code);
          putElement(snippet, 200, lane, (set * each + k % each) / 2 + n, 2,
                     uint32_t(places[n]));
        }
      }
    snippet.run();
    for (int i = 0; i < c.size; ++i)
      for (int j = 0; j < c.size; ++j) {
        double sum = 0;
        for (int k = 0; k < c.k; ++k)
          sum += a[size_t(i)][size_t(k)] * b[size_t(j)][size_t(k)];
        unsigned reg;
        int lane;
        resultPlace(c.size, 0, i, j, reg, lane);
        const uint32_t got = snippet.vgpr(kD + reg)[lane];
        ASSERT_EQ(sum, c.element.semantics ? double(floatOfBits(got))
                                           : double(int32_t(got)))
            << "row " << i << " column " << j;
      }
  }
}
