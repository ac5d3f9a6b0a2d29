//===- Random.cpp - Normally distributed test data ------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Numerics/Random.h"

#include <array>
#include <bit>
#include <cmath>

using namespace mla::numerics;

/// The finaliser of SplitMix64: every input bit reaches every output bit.
static uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

RandomStream::RandomStream(uint64_t seed, uint64_t stream)
    : state(mix(mix(seed) + stream)) {}

/// The upper 53 bits as a number in [0, 1). Signed, because that conversion is
/// one instruction.
static double toUnit(uint64_t bits) {
  return static_cast<double>(static_cast<int64_t>(bits >> 11)) * 0x1p-53;
}

inline uint64_t RandomStream::step() {
  state += 0x9e3779b97f4a7c15;
  return mix(state);
}

uint64_t RandomStream::next() { return step(); }

double RandomStream::uniform() { return toUnit(next()); }

uint64_t RandomStream::below(uint64_t bound) {
  return static_cast<uint64_t>(
      (static_cast<unsigned __int128>(next()) * bound) >> 64);
}

namespace {
constexpr int kLayers = 256;
/// Where the tail begins, and the area of each layer, for 256 layers.
constexpr double kTail = 3.6541528853610088;
constexpr double kArea = 0.00492867323399;

double density(double x) { return std::exp(-0.5 * x * x); }

/// Layer i spans [0, x[i]) and the densities from y[i] up to y[i + 1]; layer 0
/// stands for the base strip with the tail.
struct Layers {
  std::array<double, kLayers + 1> x, y;

  Layers() {
    x[0] = kArea / density(kTail);
    x[1] = kTail;
    for (int i = 1; i < kLayers - 1; ++i)
      x[i + 1] = std::sqrt(-2 * std::log(kArea / x[i] + density(x[i])));
    x[kLayers] = 0;
    for (int i = 0; i <= kLayers; ++i)
      y[i] = density(x[i]);
  }
};
} // namespace

static const Layers kZiggurat;

/// Nearly all draws end here; kept small so that it is inlined.
inline double RandomStream::drawNormal() {
  uint64_t bits = step();
  int layer = static_cast<int>(bits & (kLayers - 1));
  double x = toUnit(bits) * kZiggurat.x[layer];
  if (x >= kZiggurat.x[layer + 1]) [[unlikely]]
    x = finishNormal(layer, x);
  // The bit above those of the layer becomes the sign.
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) | (bits & kLayers)
                                                                << (63 - 8));
}

double RandomStream::finishNormal(int layer, double x) {
  while (x >= kZiggurat.x[layer + 1]) {
    if (layer == 0) {
      double beyond, height;
      do {
        beyond = -std::log(1 - uniform()) / kTail;
        height = -std::log(1 - uniform());
      } while (2 * height < beyond * beyond);
      return kTail + beyond;
    }
    double low = kZiggurat.y[layer], high = kZiggurat.y[layer + 1];
    if (low + uniform() * (high - low) < density(x))
      return x;
    uint64_t bits = next();
    layer = static_cast<int>(bits & (kLayers - 1));
    x = toUnit(bits) * kZiggurat.x[layer];
  }
  return x;
}

double RandomStream::normal() { return drawNormal(); }

void RandomStream::fillNormal(float *values, size_t count) {
  RandomStream local = *this;
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(local.drawNormal());
  *this = local;
}
