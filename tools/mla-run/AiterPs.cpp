//===- AiterPs.cpp - Calls aiter's persistent MLA kernels -----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AiterPs.h"
#include "DeviceArray.h"
#include "Workload.h"

#include "mla/Runtime/BundleFormat.h"
#include "mla/Schedule/Schedule.h"
#include "mla/Targets/Chips.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace mla::run;
using namespace mla::numerics;
namespace format = mla::bundle::format;
namespace qmode = mla::bundle::qmode;
namespace schedule = mla::schedule;

static constexpr int32_t kHeads = 16, kLatent = 512, kRope = 64;
static constexpr int32_t kWidth = kLatent + kRope;
static constexpr unsigned kThreads = 256;
/// Rows that parts of a sequence are a multiple of, its last part apart.
static constexpr int32_t kGranularity = 16;
static constexpr int32_t kMostSplits = 32; ///< Of a sequence, on average.

/// What kernels are called that compute with these formats and take 16 heads
/// and one query token; all else of their names says how they do it.
static constexpr struct {
  std::string_view name, kv, q;
} kKernels[] = {
    {"mla_a8w8_qh16_qseqlen1_gqaratio16_", format::fp8, format::fp8},
    {"mla_a16w16_qh16_m16x4_n16x1_coex0_mask1_", format::bf16, format::bf16},
    {"mla_a16w16_qh64_qseqlen1_gqaratio64_", format::bf16, format::bf16},
    {"mla_a16w8_qh16_m16x4_n16x1_coex0_mask1_", format::fp8, format::bf16},
};
static constexpr std::string_view kPersistent = "_ps";
/// Variants that want more than this interface gives them: context parallel
/// ranks, and pages of more rows.
static constexpr std::string_view kOtherVariants[] = {"_cprr", "_page"};
static constexpr std::string_view kLseVariant = "_lse";

/// The arguments in order, each in a slot of its own.
enum Argument {
  PartialOut,     ///< f32 [partial row][head][latent]
  PartialLse,     ///< f32 [partial row][head], natural log
  Query,          ///< fp8 or bf16 [row][head][width]
  Cache,          ///< fp8 or bf16 [row][width]
  KvIndptr,       ///< int32 [batch + 1]
  KvIndices,      ///< int32 [pages]
  LastPageLen,    ///< int32 [batch]
  SmScale,        ///< f32
  QueryRows,      ///< heads · query tokens
  Splits,         ///< 1: the tables say how sequences are split
  QueryStride,    ///< Bytes from a sequence's q to the next one's.
  PageStride,     ///< Bytes from a page to the next.
  Log2PageSize,   ///< Rows.
  QoIndptr,       ///< int32 [batch + 1]
  Work,           ///< Two pointers: work_indptr and work_info_set.
  Out,            ///< bf16 [row][head][latent]
  QueryScale,     ///< f32 [1], for an fp8 q
  CacheScale,     ///< f32 [1], for an fp8 cache
  Out16,          ///< The same as Splits.
  Lse,            ///< f32 [row][head], or null
  GlobalKvIndptr, ///< Of context parallel kernels: null.
  RankCount,      ///< 1
  Rank,           ///< 0
  ArgumentCount
};
static constexpr size_t kSlotBytes = 16;

static uint64_t addressOf(const DeviceArray &array) {
  return reinterpret_cast<uint64_t>(array.get());
}

namespace {
class ArgumentBlock {
public:
  template <typename T> void set(Argument argument, T value) {
    std::memcpy(bytes.data() + argument * kSlotBytes, &value, sizeof(value));
  }
  void set(Argument argument, const DeviceArray &array) {
    set(argument, addressOf(array));
  }
  void *data() { return bytes.data(); }
  static constexpr size_t kSize = ArgumentCount * kSlotBytes;

private:
  alignas(kSlotBytes) std::array<uint8_t, kSize> bytes{};
};

/// One part of a sequence, as kernels read it.
struct WorkInfo {
  int32_t sequence;
  /// First row of the partial results, or -1: the part is the whole sequence
  /// and is written to the output.
  int32_t partialRow;
  int32_t queryBegin, queryEnd;
  int32_t kvBegin, kvEnd; ///< In kv_indices.
  int32_t kvAfter;        ///< Rows of the sequence after kvEnd.
  int32_t reserved;
};
static_assert(sizeof(WorkInfo) == 32);

/// What is run on the device, and how its parts are put together again.
struct Parts {
  std::vector<int32_t> indptr; ///< Into infos, for each workgroup.
  std::vector<WorkInfo> infos;
  /// Sequence i is put together of partials [reduceIndptr[i],
  /// reduceIndptr[i + 1]), in that order; of none when it is not split.
  std::vector<int32_t> reduceIndptr;
  int32_t partials = 0;
};
} // namespace

static bool contains(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

AiterKernel::AiterKernel(CodeObject file, const Options &options)
    : object(std::move(file)), kernel(object.kernel(options.kernel)),
      smScale(options.smScale.value_or(1 / std::sqrt(double{kWidth}))),
      writesLse(contains(kernel, kLseVariant)) {
  bool known = contains(kernel, kPersistent);
  for (std::string_view other : kOtherVariants)
    known &= !contains(kernel, other);
  for (const auto &row : kKernels)
    if (known && contains(kernel, row.name))
      kernelFormats = {std::string(row.kv), std::string(row.q), ""};
  if (kernelFormats.kv.empty()) {
    std::string names;
    for (const auto &row : kKernels)
      names += std::string(names.empty() ? "" : ", ") + std::string(row.name) +
               "*" + std::string(kPersistent);
    throw Failure("--abi aiter-ps does not know the kernel " + kernel + " of " +
                  object.path + "; it knows " + names);
  }

  bool fp8Q = kernelFormats.q == format::fp8;
  const Formats &asked = options.formats.front();
  kernelFormats.qMode = fp8Q ? asked.qMode : std::string(qmode::none);
  if (options.formats.size() > 1)
    throw Failure(
        "--code-object holds a kernel of one format; --formats gives " +
        std::to_string(options.formats.size()));
  if (options.formatsGiven &&
      (asked.kv != kernelFormats.kv || asked.q != kernelFormats.q))
    throw Failure("--kv-format is " + asked.kv + " and --q-format " + asked.q +
                  ", but " + kernel + " takes a cache of " + kernelFormats.kv +
                  " and a Q of " + kernelFormats.q);
  if (kernelFormats.qMode == qmode::perHead)
    throw Failure("--q-mode is per_head, but aiter's kernels take one scale "
                  "for all of Q: static or dynamic");
  if (options.heads.value_or(kHeads) != kHeads)
    throw Failure("--heads is " + std::to_string(*options.heads) +
                  ", but --abi aiter-ps takes 16");
  if (options.pageSize.value_or(1) != 1)
    throw Failure("--page-size is " + std::to_string(*options.pageSize) +
                  ", but --abi aiter-ps takes 1: the kernels are not told how "
                  "many rows of a last page are used");
  if (options.chip && *options.chip != object.chip)
    throw Failure("--chip is " + *options.chip + ", but " + object.path +
                  " is for " + object.chip);
  for (const Case &entry : options.cases) {
    if (entry.queryLength != 1)
      throw Failure("--q-len is " + std::to_string(entry.queryLength) +
                    ", but --abi aiter-ps takes 1");
    for (int32_t rows : entry.kv)
      if (rows < 1)
        throw Failure("--kv is " + std::to_string(rows) +
                      ", but --abi aiter-ps takes sequences of one row or "
                      "more");
  }
}

Device AiterKernel::openDevice(const Options &options) const {
  // The fp8 kernels leave out barriers and rely on waves running side by side
  // (docs/aiter.md). No more than an instruction apart is the nearest to that.
  if (options.device == "sim")
    setenv("MLA_SIM_QUANTUM", "1", /*overwrite=*/0);
  Device device = run::openDevice(options, object.chip);
  const char *found = mla_device_chip(device.get());
  if (object.chip != found)
    throw Failure(object.path + " is for " + object.chip +
                  ", but the device is " + found);
  return device;
}

/// Equal shares, as for our own kernels, of no more workgroups than would split
/// each sequence into kMostSplits.
static Parts makeParts(const Workload &data, int32_t computeUnits) {
  schedule::Lengths lengths = {data.qoIndptr, data.kvIndptr, data.kvLastPageLen,
                               /*pageSize=*/1};
  schedule::Config config = {
      .heads = kHeads,
      .workgroups = static_cast<int32_t>(std::min<int64_t>(
          computeUnits, int64_t{kMostSplits} * lengths.batch())),
      .tileRows = kGranularity};
  std::string error;
  auto tables = schedule::makeTables(lengths, config, error);
  if (!tables)
    throw Failure(error);

  Parts work;
  work.indptr = tables->workIndptr;
  work.partials = tables->partials;
  for (const schedule::WorkItem &item : tables->workItems)
    work.infos.push_back(
        {.sequence = item.queryRow, // One query token a sequence.
         .partialRow = item.partial,
         .queryBegin = item.queryRow,
         .queryEnd = item.queryRow + 1,
         .kvBegin = item.pageBegin + item.rowBegin,
         .kvEnd = item.pageBegin + item.rowEnd,
         .kvAfter =
             static_cast<int32_t>(lengths.rows(item.queryRow)) - item.rowEnd,
         .reserved = 0});
  std::vector<int32_t> counts(static_cast<size_t>(lengths.batch()), 0);
  for (const schedule::CombineItem &item : tables->combineItems)
    counts[item.queryRow] = item.partialCount;
  work.reduceIndptr = {0};
  for (int32_t count : counts)
    work.reduceIndptr.push_back(work.reduceIndptr.back() + count);
  return work;
}

/// Puts the partial results of split sequences together in f32, as aiter's
/// reduction does: each is weighted with exp(its lse - lse of all).
static void reduce(const Parts &work, const std::vector<float> &partialOut,
                   const std::vector<float> &partialLse, Outputs &outputs) {
  for (size_t s = 0; s + 1 < work.reduceIndptr.size(); ++s) {
    int32_t begin = work.reduceIndptr[s], end = work.reduceIndptr[s + 1];
    if (begin == end)
      continue;
    for (int32_t head = 0; head < kHeads; ++head) {
      auto lse = [&](int32_t partial) {
        return partialLse[static_cast<size_t>(partial) * kHeads + head];
      };
      float most = -INFINITY, sum = 0;
      for (int32_t p = begin; p < end; ++p)
        most = std::max(most, lse(p));
      for (int32_t p = begin; p < end; ++p)
        sum += std::exp(lse(p) - most);
      float all = std::log(sum) + most;
      std::array<float, kLatent> out{};
      for (int32_t p = begin; p < end; ++p) {
        float weight = std::exp(lse(p) - all);
        const float *part =
            &partialOut[(static_cast<size_t>(p) * kHeads + head) * kLatent];
        for (int32_t d = 0; d < kLatent; ++d)
          out[d] += weight * part[d];
      }
      size_t row = s * kHeads + head;
      outputs.lse[row] = all;
      for (int32_t d = 0; d < kLatent; ++d)
        outputs.out[row * kLatent + d] = encodeBf16(out[d]);
    }
  }
}

/// Kernels read row 0 of the cache in place of rows behind the end of a part,
/// and multiply it by 0: it has to be finite (docs/aiter.md). Workload makes
/// rows that no sequence uses NaN.
static void makeFirstRowFinite(Workload &data) {
  if (std::find(data.kvIndices.begin(), data.kvIndices.end(), 0) ==
      data.kvIndices.end())
    std::memset(data.cache.get(), 0, static_cast<size_t>(data.rowBytes));
}

static int32_t elementBytes(std::string_view name) {
  return name == format::fp8 ? 1 : 2;
}

/// Q in one byte an element.
static std::vector<uint8_t> quantise(const Workload &data, Format fp8) {
  std::vector<uint8_t> codes(data.q.size());
  for (size_t i = 0; i < codes.size(); ++i)
    codes[i] =
        encode(fp8, decodeBf16(data.q[i]) / data.qScale, Overflow::Saturate);
  return codes;
}

static Outputs runOnDevice(mla_device *device, LoadedKernel &kernel,
                           const Formats &formats, double smScale, Format fp8,
                           bool writesLse, const Workload &data,
                           const Parts &work, double &seconds) {
  // All results are NaN until they are written.
  size_t rows = static_cast<size_t>(data.totalQ()) * kHeads,
         partialRows = static_cast<size_t>(work.partials) * kHeads;
  Outputs outputs = {std::vector<uint16_t>(rows * kLatent, 0xffff),
                     std::vector<float>(rows, NAN),
                     {}};
  std::vector<float> partialOutHost(partialRows * kLatent, NAN),
      partialLseHost(partialRows, NAN);

  std::vector<uint8_t> codes;
  bool fp8Q = formats.q == format::fp8;
  if (fp8Q)
    codes = quantise(data, fp8);
  DeviceArray q =
      fp8Q ? DeviceArray(device, codes) : DeviceArray(device, data.q);
  DeviceArray cache(device, data.cache.get(), data.cacheBytes),
      qoIndptr(device, data.qoIndptr), kvIndptr(device, data.kvIndptr),
      kvIndices(device, data.kvIndices),
      lastPageLen(device, data.kvLastPageLen),
      qScale(device, &data.qScale, sizeof(float)),
      kvScale(device, &data.kvScale, sizeof(float)),
      workIndptr(device, work.indptr), workInfos(device, work.infos),
      partialOut(device, partialOutHost), partialLse(device, partialLseHost),
      out(device, outputs.out), lse(device, outputs.lse);
  std::vector<uint64_t> tableAddresses = {addressOf(workIndptr),
                                          addressOf(workInfos)};
  DeviceArray tables(device, tableAddresses);

  ArgumentBlock arguments;
  arguments.set(PartialOut, partialOut);
  arguments.set(PartialLse, partialLse);
  arguments.set(Query, q);
  arguments.set(Cache, cache);
  arguments.set(KvIndptr, kvIndptr);
  arguments.set(KvIndices, kvIndices);
  arguments.set(LastPageLen, lastPageLen);
  arguments.set(SmScale, static_cast<float>(smScale));
  arguments.set(QueryRows, kHeads);
  arguments.set(Splits, int32_t{1});
  arguments.set(QueryStride, kHeads * kWidth * elementBytes(formats.q));
  arguments.set(PageStride, data.rowBytes);
  arguments.set(Log2PageSize, int32_t{0});
  arguments.set(QoIndptr, qoIndptr);
  arguments.set(Work, tables);
  arguments.set(Out, out);
  if (fp8Q)
    arguments.set(QueryScale, qScale);
  if (formats.kv == format::fp8)
    arguments.set(CacheScale, kvScale);
  arguments.set(Out16, int32_t{1});
  if (writesLse)
    arguments.set(Lse, lse);
  arguments.set(RankCount, int32_t{1});

  Stopwatch watch;
  kernel.launch(static_cast<unsigned>(work.indptr.size()) - 1, kThreads,
                arguments.data(), ArgumentBlock::kSize);
  check(mla_device_synchronize(device));
  seconds = watch.seconds();

  out.read(outputs.out.data());
  lse.read(outputs.lse.data());
  partialOut.read(partialOutHost.data());
  partialLse.read(partialLseHost.data());
  if (!writesLse) {
    outputs.lseUnknown.resize(data.kvLastPageLen.size(), 0);
    for (size_t s = 0; s < outputs.lseUnknown.size(); ++s)
      outputs.lseUnknown[s] = work.reduceIndptr[s] == work.reduceIndptr[s + 1];
  }
  reduce(work, partialOutHost, partialLseHost, outputs);
  return outputs;
}

Result AiterKernel::run(mla_device *device, const Case &lengths,
                        const Options &options,
                        const Progress &progress) const {
  const targets::Chip &facts = *targets::findChip(object.chip);
  bool anyFp8 = kernelFormats.kv == format::fp8;
  std::string fp8Name(targets::fp8Name(facts.fp8));
  Format fp8 = facts.fp8 == targets::Fp8Flavour::E4M3FN ? Format::E4M3FN
                                                        : Format::E4M3FNUZ;
  mla_problem problem = {.producer = kAiterPs,
                         .chip = object.chip.c_str(),
                         .heads = kHeads,
                         .latent = kLatent,
                         .rope = kRope,
                         .page_size = 1,
                         .kv_format = kernelFormats.kv.c_str(),
                         .q_format = kernelFormats.q.c_str(),
                         .q_mode = kernelFormats.qMode.c_str(),
                         .q_terms = 1,
                         .fp8 = anyFp8 ? fp8Name.c_str() : nullptr,
                         .sm_scale = smScale};
  Result result;
  result.abi = kAiterPs;
  result.kernel = kernel;
  result.chip = object.chip;
  result.lengths = lengths;
  result.heads = kHeads;
  result.pageSize = 1;
  result.formats = kernelFormats;
  setBounds(anyFp8, result);

  progress("making data");
  Stopwatch dataWatch;
  Workload data(problem, lengths, options);
  makeFirstRowFinite(data);
  Parts work = makeParts(data, mla_device_compute_units(device));
  result.dataSeconds = dataWatch.seconds();
  result.rows = data.rows;
  result.kvBytes = data.rows * data.rowBytes;
  result.plan = {.launches = 1,
                 .workgroups = static_cast<int32_t>(work.indptr.size()) - 1,
                 .work_items = static_cast<int32_t>(work.infos.size()),
                 .combine_items = 0,
                 .partials = work.partials,
                 .stored_tables = 0,
                 .table_bytes = 0,
                 .workspace_bytes = sizeof(float) * (kLatent + 1) * kHeads *
                                    uint64_t(work.partials)};

  progress("running");
  LoadedKernel loaded(device, options.ordinal, object, kernel);
  Outputs outputs = runOnDevice(device, loaded, kernelFormats, smScale, fp8,
                                writesLse, data, work, result.runSeconds);
  progress("comparing with float64");
  measure(data, outputs, options, result);
  return result;
}
