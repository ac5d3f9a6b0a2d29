//===- Manifest.cpp - A bundle's manifest, checked ------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Manifest.h"

#include "mla/Targets/Chips.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

using namespace mla::runtime;
namespace bundle = mla::bundle;
namespace key = mla::bundle::key;
using nlohmann::json;

static constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();
/// No buffer that a manifest can ask for is larger than this for each unit.
static constexpr int64_t kMaxUnitBytes = int64_t{1} << 40;
/// A workgroup's threads on every AMD chip.
static constexpr int64_t kMaxBlock = 1024;

static Status wrong(const std::string &what) {
  return failure(MLA_ERROR_BUNDLE, "the bundle's manifest is wrong: " + what);
}

namespace {
/// A JSON object whose members are read with their types checked.
class Object {
public:
  Object(const json &value, std::string path)
      : value(value), path(std::move(path)) {}

  std::string pathOf(const char *name) const {
    return path.empty() ? name : path + "." + name;
  }

  bool has(const char *name) const { return value.contains(name); }

  Status find(const char *name, const json *&member) const {
    auto it = value.find(name);
    if (it == value.end())
      return wrong(pathOf(name) + " is missing");
    member = &*it;
    return ok();
  }

  template <typename Integer>
  Status read(const char *name, int64_t least, int64_t most,
              Integer &result) const {
    const json *member = nullptr;
    MLA_RETURN_IF_FAILED(find(name, member));
    if (!member->is_number_integer())
      return wrong(pathOf(name) + " is not an integer");
    bool tooLarge =
        member->is_number_unsigned() &&
        member->get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max());
    int64_t number = tooLarge ? most : member->get<int64_t>();
    if (tooLarge || number < least || number > most)
      return wrong(pathOf(name) + " is " + member->dump() + "; allowed are " +
                   std::to_string(least) + " to " + std::to_string(most));
    result = static_cast<Integer>(number);
    return ok();
  }

  Status read(const char *name, double &result) const {
    const json *member = nullptr;
    MLA_RETURN_IF_FAILED(find(name, member));
    if (!member->is_number())
      return wrong(pathOf(name) + " is not a number");
    result = member->get<double>();
    return ok();
  }

  Status read(const char *name, std::string &result) const {
    const json *member = nullptr;
    MLA_RETURN_IF_FAILED(find(name, member));
    if (!member->is_string())
      return wrong(pathOf(name) + " is not a string");
    result = member->get_ref<const std::string &>();
    return ok();
  }

  /// A string out of a few.
  Status read(const char *name, std::initializer_list<std::string_view> allowed,
              std::string &result) const {
    MLA_RETURN_IF_FAILED(read(name, result));
    if (std::find(allowed.begin(), allowed.end(), result) != allowed.end())
      return ok();
    std::string list;
    for (std::string_view choice : allowed)
      list += (list.empty() ? "" : ", ") + std::string(choice);
    return wrong(pathOf(name) + " is '" + result + "'; allowed are " + list);
  }

  /// Calls body(Object) for the member that is an object.
  template <typename Body> Status object(const char *name, Body body) const {
    const json *member = nullptr;
    MLA_RETURN_IF_FAILED(find(name, member));
    if (!member->is_object())
      return wrong(pathOf(name) + " is not an object");
    return body(Object(*member, pathOf(name)));
  }

  /// Calls body(Object) for each entry of the member that is an array.
  template <typename Body> Status each(const char *name, Body body) const {
    const json *member = nullptr;
    MLA_RETURN_IF_FAILED(find(name, member));
    if (!member->is_array())
      return wrong(pathOf(name) + " is not an array");
    for (size_t i = 0; i < member->size(); ++i) {
      std::string entry = pathOf(name) + "[" + std::to_string(i) + "]";
      if (!(*member)[i].is_object())
        return wrong(entry + " is not an object");
      MLA_RETURN_IF_FAILED(body(Object((*member)[i], std::move(entry))));
    }
    return ok();
  }

private:
  const json &value;
  std::string path;
};

struct SymbolName {
  Symbol symbol;
  std::string_view name;
};
} // namespace

static constexpr SymbolName kSymbols[] = {
    {Symbol::One, bundle::symbol::one},
    {Symbol::TotalQ, bundle::symbol::totalQ},
    {Symbol::Workgroups, bundle::symbol::workgroups},
    {Symbol::CombineItems, bundle::symbol::combineItems},
    {Symbol::Partials, bundle::symbol::partials},
};

static Status readSymbol(const Object &object,
                         std::initializer_list<std::string_view> allowed,
                         Symbol &symbol) {
  std::string name;
  MLA_RETURN_IF_FAILED(object.read(key::symbol, allowed, name));
  for (const SymbolName &candidate : kSymbols)
    if (candidate.name == name)
      symbol = candidate.symbol;
  return ok();
}

static Status readProblem(const Object &object, const mla::targets::Chip &chip,
                          Problem &problem) {
  using namespace bundle;
  MLA_RETURN_IF_FAILED(object.read(key::heads, 1, kInt32Max, problem.heads));
  MLA_RETURN_IF_FAILED(object.read(key::latent, 1, kInt32Max, problem.latent));
  MLA_RETURN_IF_FAILED(object.read(key::rope, 0, kInt32Max, problem.rope));
  MLA_RETURN_IF_FAILED(
      object.read(key::pageSize, 1, kInt32Max, problem.pageSize));
  MLA_RETURN_IF_FAILED(object.read(key::kvFormat, {format::fp8, format::bf16},
                                   problem.kvFormat));
  MLA_RETURN_IF_FAILED(
      object.read(key::qFormat, {format::fp8, format::bf16}, problem.qFormat));
  MLA_RETURN_IF_FAILED(object.read(
      key::qMode, {qmode::none, qmode::fixed, qmode::dynamic, qmode::perHead},
      problem.qMode));
  problem.qTerms = 1;
  if (object.has(key::qTerms))
    MLA_RETURN_IF_FAILED(object.read(key::qTerms, 1, 2, problem.qTerms));
  MLA_RETURN_IF_FAILED(object.read(key::smScale, problem.smScale));
  std::string outType;
  MLA_RETURN_IF_FAILED(object.read(key::outType, {format::bf16}, outType));
  if ((problem.qFormat == format::fp8) == (problem.qMode == qmode::none))
    return wrong(
        "problem.q_mode is '" + problem.qMode + "' with q_format '" +
        problem.qFormat +
        "'; bf16 goes with none, fp8 with static, dynamic or per_head");

  if (problem.kvFormat != format::fp8 && problem.qFormat != format::fp8)
    return ok();
  MLA_RETURN_IF_FAILED(object.read(key::fp8, problem.fp8));
  if (problem.fp8 != mla::targets::fp8Name(chip.fp8))
    return wrong("problem.fp8 is '" + problem.fp8 + "'; " +
                 std::string(chip.name) + " has " +
                 std::string(mla::targets::fp8Name(chip.fp8)));
  return ok();
}

static Status readSchedule(const Object &object, ScheduleChoice &schedule) {
  MLA_RETURN_IF_FAILED(
      object.read(key::workgroups, 0, kInt32Max, schedule.workgroups));
  MLA_RETURN_IF_FAILED(
      object.read(key::workgroupsPerCu, 1, 64, schedule.workgroupsPerCu));
  MLA_RETURN_IF_FAILED(
      object.read(key::tileRows, 1, kInt32Max, schedule.tileRows));
  MLA_RETURN_IF_FAILED(
      object.read(key::headsPerBlock, 1, kInt32Max, schedule.headsPerBlock));
  struct {
    const char *name;
    int32_t &value;
  } rates[] = {
      {key::partialRows, schedule.rates.partialRows},
      {key::latencyRows, schedule.rates.latencyRows},
      {key::saturatingWorkgroups, schedule.rates.saturatingWorkgroups},
  };
  for (auto &[name, value] : rates)
    if (object.has(name))
      MLA_RETURN_IF_FAILED(object.read(name, 0, kInt32Max, value));
  return ok();
}

static Status readWorkspace(const Object &object, Manifest &manifest) {
  std::string name;
  MLA_RETURN_IF_FAILED(object.read(key::name, name));
  const bundle::BufferName *buffer = bundle::findBuffer(name);
  if (!buffer || (buffer->kind != bundle::BufferKind::Workspace &&
                  buffer->buffer != bundle::Buffer::QScale))
    return wrong(object.pathOf(key::name) + " is '" + name +
                 "', which is no workspace buffer");
  for (const WorkspaceEntry &other : manifest.workspace)
    if (other.buffer == buffer->buffer)
      return wrong("workspace lists '" + name + "' twice");
  WorkspaceEntry entry;
  entry.buffer = buffer->buffer;
  MLA_RETURN_IF_FAILED(
      readSymbol(object,
                 {bundle::symbol::one, bundle::symbol::totalQ,
                  bundle::symbol::partials, bundle::symbol::combineItems},
                 entry.symbol));
  MLA_RETURN_IF_FAILED(object.read(key::bytes, 1, kMaxUnitBytes, entry.bytes));
  manifest.workspace.push_back(entry);
  return ok();
}

static Status readResources(const Object &object, Resources &resources) {
  struct {
    const char *name;
    int32_t &value;
  } members[] = {
      {key::vgprs, resources.vgprs},
      {key::agprs, resources.agprs},
      {key::sgprs, resources.sgprs},
      {key::ldsBytes, resources.ldsBytes},
      {key::scratchBytes, resources.scratchBytes},
      {key::vgprSpills, resources.vgprSpills},
      {key::sgprSpills, resources.sgprSpills},
      {key::wavesPerSimd, resources.wavesPerSimd},
  };
  for (auto &[name, value] : members)
    MLA_RETURN_IF_FAILED(object.read(name, 0, kInt32Max, value));
  return ok();
}

static Status readArgument(const Object &object, const Manifest &manifest,
                           Kernel &kernel) {
  std::string name, access;
  MLA_RETURN_IF_FAILED(object.read(key::name, name));
  MLA_RETURN_IF_FAILED(object.read(
      key::access,
      {bundle::access::read, bundle::access::write, bundle::access::readWrite},
      access));
  const bundle::BufferName *buffer = bundle::findBuffer(name);
  if (!buffer)
    return wrong(object.pathOf(key::name) + " is '" + name +
                 "', which is no buffer of this format version");
  auto isThisBuffer = [&](const WorkspaceEntry &entry) {
    return entry.buffer == buffer->buffer;
  };
  if (buffer->kind == bundle::BufferKind::Workspace &&
      std::none_of(manifest.workspace.begin(), manifest.workspace.end(),
                   isThisBuffer))
    return wrong(object.pathOf(key::name) + " is '" + name +
                 "', which the workspace does not list");
  if (kernel.args.size() == kMaxKernelArgs)
    return wrong("kernel '" + kernel.name + "' has more than " +
                 std::to_string(kMaxKernelArgs) + " arguments");
  kernel.args.push_back(buffer->buffer);
  return ok();
}

static Status readKernel(const Object &object, Manifest &manifest) {
  Kernel kernel;
  MLA_RETURN_IF_FAILED(object.read(key::name, kernel.name));
  MLA_RETURN_IF_FAILED(object.read(key::role, kernel.role));
  MLA_RETURN_IF_FAILED(object.read(key::codeObject, 0,
                                   int64_t(manifest.codeObjects.size()) - 1,
                                   kernel.codeObject));
  MLA_RETURN_IF_FAILED(object.read(key::block, 1, kMaxBlock, kernel.block));
  MLA_RETURN_IF_FAILED(object.object(key::grid, [&](const Object &grid) {
    MLA_RETURN_IF_FAILED(
        readSymbol(grid,
                   {bundle::symbol::one, bundle::symbol::totalQ,
                    bundle::symbol::workgroups, bundle::symbol::combineItems},
                   kernel.gridSymbol));
    return grid.read(key::factor, 1, kInt32Max, kernel.gridFactor);
  }));
  MLA_RETURN_IF_FAILED(object.each(key::args, [&](const Object &argument) {
    return readArgument(argument, manifest, kernel);
  }));
  MLA_RETURN_IF_FAILED(
      object.object(key::resources, [&](const Object &members) {
        return readResources(members, kernel.resources);
      }));
  manifest.kernels.push_back(std::move(kernel));
  return ok();
}

static Status readBlob(const Object &object, uint64_t fileBytes, Blob &blob) {
  int64_t most = static_cast<int64_t>(fileBytes);
  MLA_RETURN_IF_FAILED(object.read(
      key::offset, int64_t{sizeof(bundle::BundleHeader)}, most, blob.offset));
  MLA_RETURN_IF_FAILED(object.read(
      key::bytes, 1, most - static_cast<int64_t>(blob.offset), blob.bytes));
  MLA_RETURN_IF_FAILED(
      object.read(key::crc32, 0, int64_t{0xffffffff}, blob.crc32));
  if (blob.offset % bundle::kBlobAlignment != 0)
    return wrong(object.pathOf(key::offset) + " is " +
                 std::to_string(blob.offset) + ", not a multiple of " +
                 std::to_string(bundle::kBlobAlignment));
  return ok();
}

static Status readBlobs(const Object &root, const char *name,
                        uint64_t fileBytes, std::vector<Blob> &blobs) {
  return root.each(name, [&](const Object &object) {
    return readBlob(object, fileBytes, blobs.emplace_back());
  });
}

Status mla::runtime::parseManifest(std::string_view text, uint64_t fileBytes,
                                   Manifest &manifest) {
  json parsed = json::parse(text.begin(), text.end(), /*cb=*/nullptr,
                            /*allow_exceptions=*/false);
  if (!parsed.is_object())
    return wrong("it is not a JSON object");
  Object root(parsed, "");

  uint32_t version = 0;
  MLA_RETURN_IF_FAILED(root.read(key::formatVersion, bundle::kFormatVersion,
                                 bundle::kFormatVersion, version));
  uint64_t promisedBytes = 0;
  MLA_RETURN_IF_FAILED(root.read(
      key::fileBytes, 0, std::numeric_limits<int64_t>::max(), promisedBytes));
  if (promisedBytes != fileBytes)
    return failure(MLA_ERROR_BUNDLE,
                   "the bundle has " + std::to_string(fileBytes) +
                       " bytes, but its manifest says " +
                       std::to_string(promisedBytes) +
                       (promisedBytes > fileBytes ? "; it is truncated" : ""));

  MLA_RETURN_IF_FAILED(root.read(key::producer, manifest.producer));
  MLA_RETURN_IF_FAILED(root.read(key::chip, manifest.chip));
  const mla::targets::Chip *chip = mla::targets::findChip(manifest.chip);
  if (!chip)
    return wrong("chip is '" + manifest.chip + "'; known are " +
                 std::string(mla::targets::kChipNames));
  MLA_RETURN_IF_FAILED(root.object(key::problem, [&](const Object &object) {
    return readProblem(object, *chip, manifest.problem);
  }));
  MLA_RETURN_IF_FAILED(root.object(key::schedule, [&](const Object &object) {
    return readSchedule(object, manifest.schedule);
  }));
  MLA_RETURN_IF_FAILED(root.each(key::workspace, [&](const Object &object) {
    return readWorkspace(object, manifest);
  }));
  MLA_RETURN_IF_FAILED(
      readBlobs(root, key::codeObjects, fileBytes, manifest.codeObjects));
  MLA_RETURN_IF_FAILED(
      readBlobs(root, key::tables, fileBytes, manifest.tables));
  MLA_RETURN_IF_FAILED(root.each(key::kernels, [&](const Object &object) {
    return readKernel(object, manifest);
  }));
  if (manifest.kernels.empty())
    return wrong("it lists no kernels");
  return ok();
}
