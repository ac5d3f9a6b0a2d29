//===- MLATypes.cpp - Types of the mla dialect ----------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/IR/MLADialect.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mla;

static bool isCacheElement(Type type) {
  return isa<BFloat16Type, Float8E4M3FNType, Float8E4M3FNUZType>(type);
}

LogicalResult CacheType::verify(function_ref<InFlightDiagnostic()> emitError,
                                Type elementType, int64_t pageSize) {
  if (!isCacheElement(elementType))
    return emitError() << "a cache holds bf16, f8E4M3FN or f8E4M3FNUZ, not "
                       << elementType;
  if (pageSize < 1)
    return emitError() << "page_size must be positive, got " << pageSize;
  return success();
}

namespace {
/// What a layout asks of a fragment's shape; 0 means any multiple of 16.
struct LayoutRule {
  int64_t rows;
  int64_t columns;
  bool (*elementAllowed)(Type);
  StringRef elements;
};
} // namespace

static LayoutRule ruleFor(Layout layout) {
  auto f32 = [](Type type) { return type.isF32(); };
  auto index = [](Type type) { return type.isIndex(); };
  StringRef cacheElements = "bf16, f8E4M3FN or f8E4M3FNUZ";
  switch (layout) {
  case Layout::Operand:
    return {0, kRow, isCacheElement, cacheElements};
  case Layout::Score:
    return {0, kBlockHeads, f32, "f32"};
  case Layout::Probability:
    return {0, kBlockHeads, isCacheElement, cacheElements};
  case Layout::Value:
    return {kFragmentColumns, 0, isCacheElement, cacheElements};
  case Layout::Output:
  case Layout::Merged:
    return {kFragmentColumns, kBlockHeads, f32, "f32"};
  case Layout::RowIndex:
    return {0, 1, index, "index"};
  }
  llvm_unreachable("all layouts are listed");
}

LogicalResult FragmentType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t rows, int64_t columns,
                                   Type elementType, Layout layout) {
  LayoutRule rule = ruleFor(layout);
  auto fits = [](int64_t size, int64_t wanted) {
    return wanted ? size == wanted : size > 0 && size % 16 == 0;
  };
  auto describe = [](int64_t wanted) {
    return wanted ? std::to_string(wanted)
                  : std::string("a positive multiple of 16");
  };
  if (!fits(rows, rule.rows) || !fits(columns, rule.columns))
    return emitError() << "a fragment of layout " << stringifyLayout(layout)
                       << " has " << describe(rule.rows) << " rows and "
                       << describe(rule.columns) << " columns, got " << rows
                       << "x" << columns;
  if (!rule.elementAllowed(elementType))
    return emitError() << "a fragment of layout " << stringifyLayout(layout)
                       << " holds " << rule.elements << ", not " << elementType;
  return success();
}

Type FragmentType::parse(AsmParser &parser) {
  SmallVector<int64_t, 2> shape;
  Type elementType;
  StringRef layoutName;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma())
    return {};
  SMLoc layoutLocation = parser.getCurrentLocation();
  if (parser.parseKeyword(&layoutName) || parser.parseGreater())
    return {};
  if (shape.size() != 2) {
    parser.emitError(location, "a fragment has two dimensions, got ")
        << shape.size();
    return {};
  }
  std::optional<Layout> layout = symbolizeLayout(layoutName);
  if (!layout) {
    parser.emitError(layoutLocation, "unknown layout '")
        << layoutName
        << "'; known are operand, score, probability, value, output, merged "
           "and row_index";
    return {};
  }
  return parser.getChecked<FragmentType>(
      location, parser.getContext(), shape[0], shape[1], elementType, *layout);
}

void FragmentType::print(AsmPrinter &printer) const {
  printer << "<" << getRows() << "x" << getColumns() << "x" << getElementType()
          << ", " << stringifyLayout(getLayout()) << ">";
}
