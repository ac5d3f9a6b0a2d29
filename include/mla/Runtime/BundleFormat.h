//===- BundleFormat.h - What a bundle file looks like -----------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler that writes a bundle and the runtime that reads it agree
// on. A bundle is, little endian:
//
//   BundleHeader · manifest (JSON, UTF-8) · blobs
//
// Each blob begins at a multiple of kBlobAlignment, at an offset from the
// file's start that the manifest gives together with its size and CRC-32. The
// manifest also gives the size of the whole file, so that a file cut off in its
// last blob is noticed. The manifest's keys are the constants in namespace
// `key`; a reader ignores keys it does not know, and refuses buffers, grid
// symbols and formats it does not know.
//
// Plain C++17; needs neither MLIR, LLVM nor HIP.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_RUNTIME_BUNDLEFORMAT_H
#define MLA_RUNTIME_BUNDLEFORMAT_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mla::bundle {

inline constexpr std::array<char, 8> kMagic = {'M', 'L', 'A', 'B',
                                               'N', 'D', 'L', '\0'};
inline constexpr uint32_t kFormatVersion = 1;
inline constexpr uint64_t kBlobAlignment = 64;

struct BundleHeader {
  std::array<char, 8> magic = kMagic;
  uint32_t formatVersion = kFormatVersion;
  /// CRC-32 of the manifest's bytes, or 0 when the writer gives none.
  uint32_t manifestCrc32 = 0;
  uint64_t manifestBytes = 0;
};
static_assert(sizeof(BundleHeader) == 24);

constexpr uint64_t alignBlob(uint64_t offset) {
  return (offset + kBlobAlignment - 1) / kBlobAlignment * kBlobAlignment;
}

/// CRC-32 as zlib computes it (polynomial 0xedb88320, reflected).
inline uint32_t crc32(const void *data, size_t size) {
  static constexpr auto table = [] {
    std::array<uint32_t, 256> entries{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit)
        value = value & 1 ? 0xedb88320u ^ (value >> 1) : value >> 1;
      entries[i] = value;
    }
    return entries;
  }();
  const auto *bytes = static_cast<const unsigned char *>(data);
  uint32_t crc = ~0u;
  for (size_t i = 0; i < size; ++i)
    crc = table[(crc ^ bytes[i]) & 0xff] ^ (crc >> 8);
  return ~crc;
}

/// Keys of the manifest, by the object that they belong to.
namespace key {
// The manifest itself.
inline constexpr const char *formatVersion = "format_version";
inline constexpr const char *producer = "producer";
inline constexpr const char *chip = "chip";
inline constexpr const char *fileBytes = "file_bytes";
inline constexpr const char *problem = "problem";
inline constexpr const char *schedule = "schedule";
inline constexpr const char *workspace = "workspace";
inline constexpr const char *kernels = "kernels";
inline constexpr const char *codeObjects = "code_objects";
inline constexpr const char *tables = "tables";
// "problem"
inline constexpr const char *heads = "heads";
inline constexpr const char *latent = "latent";
inline constexpr const char *rope = "rope";
inline constexpr const char *pageSize = "page_size";
inline constexpr const char *kvFormat = "kv_format"; // see format
inline constexpr const char *qFormat = "q_format";   // see format
inline constexpr const char *qMode = "q_mode";       // see qmode
inline constexpr const char *fp8 = "fp8";            // targets::fp8Name or null
inline constexpr const char *smScale = "sm_scale";
inline constexpr const char *outType = "out_type"; // see format
// Terms of fp8 whose sum stands for an element of Q: 1 (also when the key is
// missing), or 2, with which Q is about as exact as it came.
inline constexpr const char *qTerms = "q_terms";
// "schedule"; 0 workgroups: compute units × workgroups_per_cu.
inline constexpr const char *workgroups = "workgroups";
inline constexpr const char *workgroupsPerCu = "workgroups_per_cu";
inline constexpr const char *tileRows = "tile_rows";
inline constexpr const char *headsPerBlock = "heads_per_block";
// schedule::Rates; all absent: as many shares as there are workgroups.
inline constexpr const char *partialRows = "partial_rows";
inline constexpr const char *latencyRows = "latency_rows";
inline constexpr const char *saturatingWorkgroups = "saturating_workgroups";
// "workspace" entries: bytes for each unit of the symbol.
inline constexpr const char *name = "name";
inline constexpr const char *symbol = "symbol";
inline constexpr const char *bytes = "bytes";
// "kernels" entries, in launch order.
inline constexpr const char *role = "role";
inline constexpr const char *codeObject = "code_object";
inline constexpr const char *block = "block";
inline constexpr const char *grid = "grid"; // {symbol, factor}
inline constexpr const char *factor = "factor";
inline constexpr const char *args = "args"; // [{name, access}]
inline constexpr const char *access = "access";
inline constexpr const char *resources = "resources";
// "resources"
inline constexpr const char *vgprs = "vgprs";
inline constexpr const char *agprs = "agprs";
inline constexpr const char *sgprs = "sgprs";
inline constexpr const char *ldsBytes = "lds_bytes";
inline constexpr const char *scratchBytes = "scratch_bytes";
inline constexpr const char *vgprSpills = "vgpr_spills";
inline constexpr const char *sgprSpills = "sgpr_spills";
inline constexpr const char *wavesPerSimd = "waves_per_simd";
// "code_objects" and "tables" entries; `bytes` as above.
inline constexpr const char *offset = "offset";
inline constexpr const char *crc32 = "crc32";
// "tables" entries also say, for people: the batch, the rows of its sequences
// when all are equal (else 0), and the workgroups the tables are for.
inline constexpr const char *batch = "batch";
inline constexpr const char *kvRows = "kv_rows";
} // namespace key

namespace format {
inline constexpr std::string_view fp8 = "fp8";
inline constexpr std::string_view bf16 = "bf16";
} // namespace format

namespace qmode {
inline constexpr std::string_view none = "none";       ///< q stays bf16.
inline constexpr std::string_view fixed = "static";    ///< q_scale is given.
inline constexpr std::string_view dynamic = "dynamic"; ///< Found on the device.
/// For each token and head, the power of two that brings the largest magnitude
/// into the upper half of the fp8 range; found by the attention kernel.
inline constexpr std::string_view perHead = "per_head";
} // namespace qmode

namespace access {
inline constexpr std::string_view read = "read";
inline constexpr std::string_view write = "write";
inline constexpr std::string_view readWrite = "read_write";
} // namespace access

/// What the sizes of grids and of workspace buffers can depend on.
namespace symbol {
inline constexpr std::string_view one = "one";
inline constexpr std::string_view totalQ = "total_q";
inline constexpr std::string_view workgroups = "workgroups";
inline constexpr std::string_view combineItems = "combine_items";
inline constexpr std::string_view partials = "partials";
} // namespace symbol

/// Kernel arguments are 8-byte global pointers, packed in order; these are all
/// the names there are.
enum class Buffer : uint8_t {
  Q,
  Cache,
  KvIndices,
  QScale, ///< The user's, unless the workspace lists it.
  KvScale,
  Out,
  Lse,
  QQuantized,
  QAmax,
  PartialO,
  PartialMl,
  /// int32 for each combine item: parts that have arrived. Zeroed when a plan
  /// is made; every launch leaves zeros again.
  Tickets,
  WorkIndptr,
  WorkItems,
  CombineItems,
  Counts, ///< int32: total_q.
};

enum class BufferKind : uint8_t { User, Workspace, Table };

struct BufferName {
  Buffer buffer;
  std::string_view name;
  BufferKind kind;
};

inline constexpr std::array<BufferName, 16> kBuffers = {{
    {Buffer::Q, "q", BufferKind::User},
    {Buffer::Cache, "cache", BufferKind::User},
    {Buffer::KvIndices, "kv_indices", BufferKind::User},
    {Buffer::QScale, "q_scale", BufferKind::User},
    {Buffer::KvScale, "kv_scale", BufferKind::User},
    {Buffer::Out, "out", BufferKind::User},
    {Buffer::Lse, "lse", BufferKind::User},
    {Buffer::QQuantized, "q_quantized", BufferKind::Workspace},
    {Buffer::QAmax, "q_amax", BufferKind::Workspace},
    {Buffer::PartialO, "partial_o", BufferKind::Workspace},
    {Buffer::PartialMl, "partial_ml", BufferKind::Workspace},
    {Buffer::Tickets, "tickets", BufferKind::Workspace},
    {Buffer::WorkIndptr, "work_indptr", BufferKind::Table},
    {Buffer::WorkItems, "work_items", BufferKind::Table},
    {Buffer::CombineItems, "combine_items", BufferKind::Table},
    {Buffer::Counts, "counts", BufferKind::Table},
}};

constexpr const BufferName *findBuffer(std::string_view name) {
  for (const BufferName &buffer : kBuffers)
    if (buffer.name == name)
      return &buffer;
  return nullptr;
}

} // namespace mla::bundle

#endif // MLA_RUNTIME_BUNDLEFORMAT_H
