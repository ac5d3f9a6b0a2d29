//===- DivisionTest.cpp - Division and roots as clang compiles them -------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_DIV_SCALE, V_RCP, V_DIV_FMAS and V_DIV_FIXUP in the order that LLVM's
// AMDGPU backend uses must give the correctly rounded quotient.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

using namespace mla::sim;
using namespace mla::sim::test;

namespace {

constexpr std::string_view kSource = R"(
__kernel void divide32(__global const float *a, __global const float *b,
                       __global float *c) {
  int i = __builtin_amdgcn_workgroup_id_x() * 256 +
          __builtin_amdgcn_workitem_id_x();
  c[i] = a[i] / b[i];
}
__kernel void divide64(__global const double *a, __global const double *b,
                       __global double *c) {
  int i = __builtin_amdgcn_workgroup_id_x() * 256 +
          __builtin_amdgcn_workitem_id_x();
  c[i] = a[i] / b[i];
}
__kernel void root32(__global const float *a, __global const float *b,
                     __global float *c) {
  int i = __builtin_amdgcn_workgroup_id_x() * 256 +
          __builtin_amdgcn_workitem_id_x();
  c[i] = __builtin_sqrtf(a[i]);
}
__kernel void root64(__global const double *a, __global const double *b,
                     __global double *c) {
  int i = __builtin_amdgcn_workgroup_id_x() * 256 +
          __builtin_amdgcn_workitem_id_x();
  c[i] = __builtin_sqrt(a[i]);
}
__kernel void remainders(__global const int *a, __global const int *b,
                         __global int *c) {
  int i = __builtin_amdgcn_workgroup_id_x() * 256 +
          __builtin_amdgcn_workitem_id_x();
  c[i] = a[i] / b[i] * 3 + a[i] % b[i] + (uint)a[i] / (uint)b[i];
}
)";

class Division
    : public testing::TestWithParam<std::tuple<const char *, const char *>> {
protected:
  void SetUp() override {
    auto [chip, flags] = GetParam();
    runner = std::make_unique<KernelRunner>(
        chip, compileOpenCl(kSource, chip,
                            std::string(flags) +
                                " -cl-fp32-correctly-rounded-divide-sqrt"));
    ASSERT_EQ(runner->loadError(), "");
  }

  template <class T>
  const T *run(const char *kernel, const std::vector<T> &a,
               const std::vector<T> &b) {
    const size_t rounded = (a.size() + 255) / 256 * 256;
    std::vector<T> x(a), y(b), z(rounded);
    x.resize(rounded, T(1));
    y.resize(rounded, T(1));
    T *result = runner->upload(z);
    LaunchConfig config;
    config.grid[0] = uint32_t(rounded / 256);
    config.block[0] = 256;
    EXPECT_EQ(runner->launch(kernel, config,
                             {uint64_t(runner->upload(x)),
                              uint64_t(runner->upload(y)), uint64_t(result)}),
              "");
    return result;
  }

  std::unique_ptr<KernelRunner> runner;
};

template <class F> void compare(F expected, F got, F a, F b) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(got)) << a << " / " << b;
  else
    EXPECT_EQ(expected, got) << std::hexfloat << a << " / " << b;
  EXPECT_EQ(std::isnan(expected) || std::signbit(expected),
            std::isnan(got) || std::signbit(got));
}

} // namespace

TEST_P(Division, SinglesRoundCorrectly) {
  std::vector<float> a, b;
  for (uint32_t x : specialSingles())
    for (uint32_t y : specialSingles()) {
      a.push_back(floatOfBits(x));
      b.push_back(floatOfBits(y));
    }
  Sequence random(31);
  for (int i = 0; i < 60000; ++i) {
    a.push_back(floatOfBits(random.next()));
    b.push_back(floatOfBits(random.next()));
  }
  // Quotients near the ends of the range.
  for (int i = 0; i < 20000; ++i) {
    uint32_t exponentA = random.next() % 254 + 1;
    uint32_t target = i % 2 ? random.next() % 30 : 245 + random.next() % 14;
    int exponentB = int(exponentA) - int(target) + 127;
    a.push_back(floatOfBits(exponentA << 23 | (random.next() & 0x807FFFFF)));
    b.push_back(
        floatOfBits(uint32_t(std::min(std::max(exponentB, 0), 254)) << 23 |
                    (random.next() & 0x807FFFFF)));
  }
  const float *c = run("divide32", a, b);
  for (size_t i = 0; i < a.size() && !HasFailure(); ++i)
    compare(a[i] / b[i], c[i], a[i], b[i]);
}

TEST_P(Division, DoublesRoundCorrectly) {
  std::vector<double> a, b;
  const uint64_t special[] = {0,
                              1,
                              0x000FFFFFFFFFFFFF,
                              0x0010000000000000,
                              0x3FF0000000000000,
                              0x4008000000000000,
                              0x7FEFFFFFFFFFFFFF,
                              0x7FF0000000000000,
                              0x7FF8000000000000,
                              0x8000000000000000,
                              0xBFF0000000000000,
                              0x0370000000000000,
                              0x7FD0000000000001};
  for (uint64_t x : special)
    for (uint64_t y : special) {
      a.push_back(bitCast<double>(x));
      b.push_back(bitCast<double>(y));
    }
  Sequence random(37);
  for (int i = 0; i < 40000; ++i) {
    a.push_back(bitCast<double>(random.next64()));
    b.push_back(bitCast<double>(random.next64()));
  }
  for (int i = 0; i < 20000; ++i) {
    int exponentA = int(random.next() % 2046) + 1;
    int target =
        i % 2 ? int(random.next() % 60) : 2030 + int(random.next() % 24);
    int exponentB = std::min(std::max(exponentA - target + 1023, 0), 2046);
    const uint64_t fraction = 0x800FFFFFFFFFFFFF;
    a.push_back(bitCast<double>(uint64_t(exponentA) << 52 |
                                (random.next64() & fraction)));
    b.push_back(bitCast<double>(uint64_t(exponentB) << 52 |
                                (random.next64() & fraction)));
  }
  const double *c = run("divide64", a, b);
  for (size_t i = 0; i < a.size() && !HasFailure(); ++i)
    compare(a[i] / b[i], c[i], a[i], b[i]);
}

TEST_P(Division, RootsRoundCorrectly) {
  std::vector<float> a, b;
  std::vector<double> wide;
  for (uint32_t x : specialSingles())
    a.push_back(floatOfBits(x));
  Sequence random(41);
  for (int i = 0; i < 20000; ++i) {
    a.push_back(floatOfBits(random.next()));
    wide.push_back(bitCast<double>(random.next64() & ~(uint64_t(1) << 63)));
  }
  b.resize(a.size());
  const float *c = run("root32", a, b);
  for (size_t i = 0; i < a.size() && !HasFailure(); ++i)
    compare(std::sqrt(a[i]), c[i], a[i], 0.0f);
  const double *d = run("root64", wide, wide);
  for (size_t i = 0; i < wide.size() && !HasFailure(); ++i)
    compare(std::sqrt(wide[i]), d[i], wide[i], 0.0);
}

TEST_P(Division, IntegersThroughFloatReciprocals) {
  std::vector<int> a, b;
  Sequence random(43);
  for (int i = 0; i < 20000; ++i) {
    a.push_back(int(random.next() >> random.next() % 32));
    b.push_back(std::max(1, int(random.next() >> (1 + random.next() % 31))));
    if (i % 3 == 0)
      a.back() = -(a.back() & 0x7FFFFFFF);
  }
  const int *c = run("remainders", a, b);
  for (size_t i = 0; i < a.size() && !HasFailure(); ++i)
    EXPECT_EQ(uint32_t(a[i] / b[i]) * 3 + uint32_t(a[i] % b[i]) +
                  uint32_t(a[i]) / uint32_t(b[i]),
              uint32_t(c[i]))
        << a[i] << " and " << b[i];
}

INSTANTIATE_TEST_SUITE_P(Compiled, Division,
                         testing::Combine(testing::Values("gfx942", "gfx950"),
                                          testing::Values("-O0", "-O3")));
