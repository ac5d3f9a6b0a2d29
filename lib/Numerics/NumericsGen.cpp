//===- NumericsGen.cpp - Makes the format tables from APFloat -------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs at build time and prints FormatTables.inc: for each format what an
// encoder needs to know, and the bits of the float that each code stands for.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static uint64_t bitsOf(const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue();
}

static void print(raw_ostream &os, StringRef name, const fltSemantics &format) {
  unsigned bits = APFloat::semanticsSizeInBits(format);
  bool hasSign = APFloat::semanticsHasSignedRepr(format);
  bool hasInfinity = APFloat::semanticsHasInf(format);
  bool hasNaN = APFloat::semanticsHasNaN(format);
  // The formats with the single NaN 0x80 spend the code of -0 on it.
  bool hasNegativeZero =
      hasSign && APFloat::semanticsHasZero(format) &&
      APFloat(format, APInt(bits, 1ull << (bits - 1))).isZero();

  uint64_t largest = bitsOf(APFloat::getLargest(format));
  uint64_t nan = hasNaN ? bitsOf(APFloat::getQNaN(format)) : largest;
  uint64_t overflow = hasInfinity ? bitsOf(APFloat::getInf(format)) : nan;

  os << "{\"" << name << "\",\n"
     << " /*bits=*/" << bits << ", /*precision=*/"
     << APFloat::semanticsPrecision(format) << ", /*minExponent=*/"
     << APFloat::semanticsMinExponent(format) << ", /*hasNegativeZero=*/"
     << (hasNegativeZero ? "true" : "false") << ",\n /*largest=*/" << largest
     << ", /*nan=*/" << nan << ", /*overflow=*/" << overflow << "},\n";
}

static void printValues(raw_ostream &os, const fltSemantics &format) {
  unsigned bits = APFloat::semanticsSizeInBits(format);
  os << "{{";
  for (unsigned code = 0; code < 256; ++code) {
    APFloat value(format, APInt(bits, code & ((1u << bits) - 1)));
    uint64_t wide = 0x7fc00000;
    // A NaN's payload means nothing in these formats; one pattern serves all.
    if (!value.isNaN()) {
      bool losesInfo = false;
      value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      if (losesInfo) {
        errs() << "a code does not fit a float\n";
        exit(1);
      }
      wide = bitsOf(value);
    }
    os << (code % 8 ? " " : "\n ") << format_hex(wide, 10) << ",";
  }
  os << "\n}},\n";
}

int main(int argc, char **argv) {
  if (argc != 2) {
    errs() << "usage: MLANumericsGen OUTPUT\n";
    return 2;
  }
  std::error_code error;
  raw_fd_ostream os(argv[1], error);
  if (error) {
    errs() << argv[1] << ": " << error.message() << "\n";
    return 1;
  }
  struct {
    const char *name;
    const fltSemantics &format;
  } formats[] = {
      {"e4m3fn", APFloat::Float8E4M3FN()},
      {"e4m3fnuz", APFloat::Float8E4M3FNUZ()},
      {"e5m2", APFloat::Float8E5M2()},
      {"e5m2fnuz", APFloat::Float8E5M2FNUZ()},
      {"e2m1", APFloat::Float4E2M1FN()},
      {"e8m0", APFloat::Float8E8M0FNU()},
  };
  os << "static constexpr std::array<Layout, kFormatCount> kLayouts = {{\n";
  for (auto &[name, format] : formats)
    print(os, name, format);
  os << "}};\n\nstatic constexpr std::array<std::array<uint32_t, 256>, "
        "kFormatCount> kValueBits = {{\n";
  for (auto &[name, format] : formats)
    printValues(os, format);
  os << "}};\n";
  return 0;
}
