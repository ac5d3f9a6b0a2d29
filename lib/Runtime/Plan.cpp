//===- Plan.cpp - Launches for one set of lengths -------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <algorithm>
#include <limits>

using namespace mla::runtime;
namespace bundle = mla::bundle;
namespace schedule = mla::schedule;

/// HIP counts a grid in threads, in 32 bits.
static constexpr uint64_t kMaxGridThreads =
    std::numeric_limits<uint32_t>::max();

static Status badShape(std::string sentence) {
  return failure(MLA_ERROR_SHAPE, std::move(sentence));
}

static constexpr uint32_t bitOf(bundle::Buffer buffer) {
  return 1u << static_cast<unsigned>(buffer);
}

static std::string nameOf(bundle::Buffer buffer) {
  for (const bundle::BufferName &candidate : bundle::kBuffers)
    if (candidate.buffer == buffer)
      return std::string(candidate.name);
  return "?";
}

/// Copies and memsets go to the default stream and may return early; streams
/// that do not wait for that one must find them done.
static Status finishFilling(const mla_device &device) {
  return device.hip.check(device.hip.streamSynchronize(nullptr),
                          "cannot fill the plan's device memory");
}

static Status readLengths(const mla_bundle &owner, const mla_shape &shape,
                          schedule::Lengths &lengths) {
  const Problem &problem = owner.contents.manifest.problem;
  if (shape.batch < 0)
    return badShape("the batch is " + std::to_string(shape.batch) +
                    "; it must be at least 0");
  if (!shape.qo_indptr || !shape.kv_indptr ||
      (shape.batch && !shape.kv_last_page_len))
    return failure(MLA_ERROR_INVALID_ARGUMENT,
                   "qo_indptr, kv_indptr and kv_last_page_len of the shape "
                   "must not be null");
  if (shape.heads != problem.heads)
    return badShape("the shape has " + std::to_string(shape.heads) +
                    " heads, but the bundle was built for " +
                    std::to_string(problem.heads));
  if (shape.page_size != problem.pageSize)
    return badShape("the shape has pages of " +
                    std::to_string(shape.page_size) +
                    " rows, but the bundle was built for pages of " +
                    std::to_string(problem.pageSize));
  size_t batch = static_cast<size_t>(shape.batch);
  lengths.qoIndptr.assign(shape.qo_indptr, shape.qo_indptr + batch + 1);
  lengths.kvIndptr.assign(shape.kv_indptr, shape.kv_indptr + batch + 1);
  if (batch)
    lengths.kvLastPageLen.assign(shape.kv_last_page_len,
                                 shape.kv_last_page_len + batch);
  lengths.pageSize = shape.page_size;
  return ok();
}

/// Needs lengths that have been found consistent.
static Status checkPageTable(const mla_shape &shape,
                             const schedule::Lengths &lengths) {
  if (lengths.totalQ() != shape.total_q)
    return badShape("qo_indptr ends at " + std::to_string(lengths.totalQ()) +
                    ", but q has " + std::to_string(shape.total_q) + " rows");
  if (!shape.kv_indices)
    return ok();
  if (shape.num_indices < lengths.totalPages())
    return badShape("kv_indptr ends at " +
                    std::to_string(lengths.totalPages()) +
                    ", but kv_indices has only " +
                    std::to_string(shape.num_indices) + " entries");
  for (int32_t i = 0; i < lengths.totalPages(); ++i)
    if (shape.kv_indices[i] < 0 || shape.kv_indices[i] >= shape.num_pages)
      return badShape("kv_indices[" + std::to_string(i) + "] is " +
                      std::to_string(shape.kv_indices[i]) +
                      ", but the cache has pages 0 to " +
                      std::to_string(shape.num_pages - 1));
  return ok();
}

namespace {
/// Puts a plan together: tables, then memory, then launches.
class Planner {
public:
  Planner(const mla_bundle &owner, schedule::Lengths lengths, mla_plan &plan)
      : owner(owner), manifest(owner.contents.manifest),
        lengths(std::move(lengths)), plan(plan) {}

  Status build(const mla_shape &shape) {
    plan.bundle = &owner;
    MLA_RETURN_IF_FAILED(findTables());
    MLA_RETURN_IF_FAILED(checkPageTable(shape, lengths));
    MLA_RETURN_IF_FAILED(checkGrids());
    CurrentDevice current(*owner.device);
    MLA_RETURN_IF_FAILED(current.status());
    MLA_RETURN_IF_FAILED(uploadTables());
    MLA_RETURN_IF_FAILED(allocateWorkspace());
    prepareLaunches();
    return finishFilling(*owner.device);
  }

private:
  schedule::Config config() const {
    const ScheduleChoice &choice = manifest.schedule;
    int64_t workgroups =
        choice.workgroups
            ? int64_t{choice.workgroups}
            : int64_t{owner.device->computeUnits} * choice.workgroupsPerCu;
    return {.heads = manifest.problem.heads,
            .headsPerBlock = choice.headsPerBlock,
            .workgroups = static_cast<int32_t>(std::min<int64_t>(
                workgroups, std::numeric_limits<int32_t>::max())),
            .tileRows = choice.tileRows,
            .rates = choice.rates};
  }

  Status findTables() {
    const schedule::Config wanted = config();
    std::string error;
    if (!schedule::validate(lengths, wanted, error))
      return badShape(std::move(error));
    for (const schedule::StoredTables &stored : owner.contents.tables)
      if (stored.config == wanted && stored.lengths == lengths) {
        tables = &stored.tables;
        plan.info.stored_tables = 1;
        return ok();
      }
    auto result = schedule::makeTables(lengths, wanted, error);
    if (!result)
      return badShape(std::move(error));
    made = std::move(*result);
    tables = &made;
    return ok();
  }

  uint64_t valueOf(Symbol symbol) const {
    switch (symbol) {
    case Symbol::One:
      return 1;
    case Symbol::TotalQ:
      return static_cast<uint64_t>(lengths.totalQ());
    case Symbol::Workgroups:
      return static_cast<uint64_t>(tables->workgroups());
    case Symbol::CombineItems:
      return tables->combineItems.size();
    case Symbol::Partials:
      return static_cast<uint64_t>(tables->partials);
    }
    return 0;
  }

  /// A shape without query rows has no work, not even for grids of one.
  uint64_t gridOf(const Kernel &kernel) const {
    return lengths.totalQ() ? valueOf(kernel.gridSymbol) * kernel.gridFactor
                            : 0;
  }

  Status checkGrids() const {
    for (const Kernel &kernel : manifest.kernels)
      if (gridOf(kernel) > kMaxGridThreads / kernel.block)
        return badShape("the kernel " + kernel.name + " would need " +
                        std::to_string(gridOf(kernel)) + " workgroups of " +
                        std::to_string(kernel.block) +
                        " threads; a grid holds at most 4294967295 threads");
    return ok();
  }

  Status hold(uint64_t bytes, bundle::Buffer buffer, DeviceMemory **memory) {
    DeviceMemory &held = plan.memory.emplace_back();
    MLA_RETURN_IF_FAILED(
        DeviceMemory::allocate(*owner.device, bytes, nameOf(buffer), held));
    *memory = &held;
    return ok();
  }

  Status uploadTables() {
    const int32_t counts[] = {lengths.totalQ()};
    struct {
      bundle::Buffer buffer;
      const void *data;
      uint64_t bytes;
    } arrays[] = {
        {bundle::Buffer::WorkIndptr, tables->workIndptr.data(),
         tables->workIndptr.size() * sizeof(int32_t)},
        {bundle::Buffer::WorkItems, tables->workItems.data(),
         tables->workItems.size() * sizeof(schedule::WorkItem)},
        {bundle::Buffer::CombineItems, tables->combineItems.data(),
         tables->combineItems.size() * sizeof(schedule::CombineItem)},
        {bundle::Buffer::Counts, counts, sizeof(counts)},
    };
    for (auto &[buffer, data, bytes] : arrays) {
      DeviceMemory *memory = nullptr;
      MLA_RETURN_IF_FAILED(hold(bytes, buffer, &memory));
      MLA_RETURN_IF_FAILED(memory->write(data, bytes));
      bind(buffer, memory->get());
      plan.info.table_bytes += bytes;
    }
    plan.info.workgroups = tables->workgroups();
    plan.info.work_items = static_cast<int32_t>(tables->workItems.size());
    plan.info.combine_items = static_cast<int32_t>(tables->combineItems.size());
    plan.info.partials = tables->partials;
    return ok();
  }

  Status allocateWorkspace() {
    for (const WorkspaceEntry &entry : manifest.workspace) {
      uint64_t units = valueOf(entry.symbol);
      if (units > std::numeric_limits<int64_t>::max() / entry.bytes)
        return failure(MLA_ERROR_OUT_OF_MEMORY,
                       "the shape would need more memory for " +
                           nameOf(entry.buffer) + " than can be counted");
      MLA_RETURN_IF_FAILED(allocateBuffer(entry.buffer, units * entry.bytes));
    }
    bool writesLse = std::any_of(
        manifest.kernels.begin(), manifest.kernels.end(), [](auto &kernel) {
          return std::count(kernel.args.begin(), kernel.args.end(),
                            bundle::Buffer::Lse);
        });
    if (!writesLse)
      return ok();
    uint64_t bytes =
        uint64_t(lengths.totalQ()) * manifest.problem.heads * sizeof(float);
    MLA_RETURN_IF_FAILED(allocateBuffer(bundle::Buffer::Lse, bytes));
    plan.ownLse = pointers[static_cast<size_t>(bundle::Buffer::Lse)];
    // Running binds the user's, or this.
    bound &= ~bitOf(bundle::Buffer::Lse);
    return ok();
  }

  Status allocateBuffer(bundle::Buffer buffer, uint64_t bytes) {
    DeviceMemory *memory = nullptr;
    MLA_RETURN_IF_FAILED(hold(bytes, buffer, &memory));
    // Kernels put tickets back to 0 themselves, but must find them so.
    if (buffer == bundle::Buffer::Tickets) {
      MLA_RETURN_IF_FAILED(memory->clear(bytes));
      plan.tickets = memory->get();
      plan.ticketBytes = bytes;
    }
    bind(buffer, memory->get());
    plan.info.workspace_bytes += bytes;
    return ok();
  }

  void bind(bundle::Buffer buffer, void *pointer) {
    pointers[static_cast<size_t>(buffer)] = pointer;
    bound |= bitOf(buffer);
  }

  void prepareLaunches() {
    for (size_t k = 0; k < manifest.kernels.size(); ++k) {
      const Kernel &kernel = manifest.kernels[k];
      uint64_t grid = gridOf(kernel);
      if (grid == 0)
        continue;
      Launch launch;
      launch.function = owner.functions[k];
      launch.kernelName = kernel.name.c_str();
      launch.grid = static_cast<unsigned>(grid);
      launch.block = static_cast<unsigned>(kernel.block);
      for (bundle::Buffer buffer : kernel.args) {
        uint32_t index = launch.argumentCount++;
        if (bound & bitOf(buffer)) {
          launch.arguments[index] = pointers[static_cast<size_t>(buffer)];
        } else {
          launch.userArguments.push_back({index, buffer});
          plan.requiredBuffers |= bitOf(buffer);
        }
      }
      plan.launches.push_back(std::move(launch));
    }
    // Arrays of no elements may have no address.
    if (lengths.totalPages() == 0)
      plan.requiredBuffers &=
          ~(bitOf(bundle::Buffer::Cache) | bitOf(bundle::Buffer::KvIndices));
    plan.info.launches = static_cast<int32_t>(plan.launches.size());
  }

  const mla_bundle &owner;
  const Manifest &manifest;
  const schedule::Lengths lengths;
  mla_plan &plan;
  const schedule::Tables *tables = nullptr;
  schedule::Tables made;
  /// Memory of the plan, by buffer; `bound` says which entries count.
  void *pointers[bundle::kBuffers.size()] = {};
  uint32_t bound = 0;
};
} // namespace

Status mla::runtime::createPlan(const mla_bundle &owner, const mla_shape &shape,
                                std::unique_ptr<mla_plan> &plan) {
  if (!owner.device)
    return failure(MLA_ERROR_INVALID_ARGUMENT,
                   "the bundle was loaded without a device; a plan needs one");
  schedule::Lengths lengths;
  MLA_RETURN_IF_FAILED(readLengths(owner, shape, lengths));
  auto built = std::make_unique<mla_plan>();
  MLA_RETURN_IF_FAILED(Planner(owner, std::move(lengths), *built).build(shape));
  plan = std::move(built);
  return ok();
}

namespace {
struct UserBuffer {
  bundle::Buffer buffer;
  const void *pointer;
  uintptr_t alignment;
};
} // namespace

/// On the stream, so that it can be captured in a graph as the launches can.
static Status clearTickets(const mla_plan &plan, hipStream_t stream) {
  const HipLibrary &hip = plan.bundle->device->hip;
  MLA_RETURN_IF_FAILED(
      hip.check(hip.memsetAsync(plan.tickets, 0, plan.ticketBytes, stream),
                "cannot clear the tickets that a failed run left"));
  plan.ticketsInDoubt = false;
  return ok();
}

Status mla::runtime::runPlan(const mla_plan &plan, const mla_args &args,
                             hipStream_t stream) {
  // In the order of bundle::Buffer. Kernels load and store q, cache and out
  // sixteen bytes at a time.
  const UserBuffer user[] = {
      {bundle::Buffer::Q, args.q, 16},
      {bundle::Buffer::Cache, args.cache, 16},
      {bundle::Buffer::KvIndices, args.kv_indices, 4},
      {bundle::Buffer::QScale, args.q_scale, 4},
      {bundle::Buffer::KvScale, args.kv_scale, 4},
      {bundle::Buffer::Out, args.out, 16},
      {bundle::Buffer::Lse, args.lse ? args.lse : plan.ownLse, 4},
  };
  for (const UserBuffer &entry : user) {
    if (!entry.pointer && (plan.requiredBuffers & bitOf(entry.buffer)))
      return failure(MLA_ERROR_INVALID_ARGUMENT,
                     nameOf(entry.buffer) +
                         " is null, but the plan's kernels use it");
    if (reinterpret_cast<uintptr_t>(entry.pointer) % entry.alignment)
      return failure(MLA_ERROR_INVALID_ARGUMENT,
                     nameOf(entry.buffer) + " must be aligned to " +
                         std::to_string(entry.alignment) + " bytes");
  }

  const HipLibrary &hip = plan.bundle->device->hip;
  if (plan.ticketsInDoubt)
    MLA_RETURN_IF_FAILED(clearTickets(plan, stream));
  for (const Launch &launch : plan.launches) {
    std::array<void *, kMaxKernelArgs> values = launch.arguments;
    std::array<void *, kMaxKernelArgs> pointers;
    for (uint32_t i = 0; i < launch.argumentCount; ++i)
      pointers[i] = static_cast<void *>(&values[i]);
    for (Launch::UserArgument argument : launch.userArguments)
      values[argument.index] = const_cast<void *>(
          user[static_cast<size_t>(argument.buffer)].pointer);
    hipError_t error = hip.moduleLaunchKernel(
        launch.function, launch.grid, 1, 1, launch.block, 1, 1,
        /*sharedMemBytes=*/0, stream, pointers.data(), /*extra=*/nullptr);
    if (error != hipSuccess) {
      plan.ticketsInDoubt = plan.tickets != nullptr;
      std::string task =
          std::string("cannot launch the kernel ") + launch.kernelName;
      return hip.check(error, task.c_str());
    }
  }
  return ok();
}

Status mla::runtime::resetPlan(const mla_plan &plan) {
  if (!plan.tickets)
    return ok();
  CurrentDevice current(*plan.bundle->device);
  MLA_RETURN_IF_FAILED(current.status());
  const HipLibrary &hip = plan.bundle->device->hip;
  MLA_RETURN_IF_FAILED(hip.check(hip.memset(plan.tickets, 0, plan.ticketBytes),
                                 "cannot clear the plan's tickets"));
  MLA_RETURN_IF_FAILED(finishFilling(*plan.bundle->device));
  plan.ticketsInDoubt = false;
  return ok();
}
