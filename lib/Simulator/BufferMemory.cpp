//===- BufferMemory.cpp - Addresses through buffer resource descriptors ---===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Source: CDNA3 ISA manual, "Vector Memory Buffer Instructions": table "Buffer
// Resource Descriptor", "Addressing" and "Range Checking".
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"

namespace mla::sim::MLA_SIM_VARIANT {
namespace {

struct Resource {
  uint64_t base;
  uint32_t stride;
  uint32_t records;
  bool swizzle;
  bool addLane;
  uint32_t indexStride;
  uint32_t elementBytes;

  Resource(const uint32_t *word)
      : base(word[0] | uint64_t(word[1] & 0xFFFF) << 32),
        stride(word[1] >> 16 & 0x3FFF), records(word[2]),
        swizzle(word[1] >> 31), addLane(word[3] >> 23 & 1),
        indexStride(8u << (word[3] >> 21 & 3)), elementBytes(4) {
    // With ADD_TID_ENABLE the data format field holds stride bits 17:14.
    if (addLane)
      stride |= (word[3] >> 15 & 0xF) << 14;
  }
};

} // namespace

bool BufferSpace::resolve(Wave &wave, const Instruction &inst, unsigned address,
                          unsigned scalar, unsigned bytes, Access access,
                          LanePointers &pointers) {
  const Operand &vector = inst.ops[address];
  const Operand &descriptor = inst.ops[scalar];
  Resource resource(&wave.sgpr[descriptor.index]);
  uint64_t scalarOffset = wave.scalar32(inst.ops[scalar + 1]);
  bool write = access == Access::Write;
  Workgroup &group = *wave.group;
  pointers.partial = 0;

  return eachLane(wave, access, pointers, [&](int lane, uint64_t &host) {
    uint64_t index = resource.addLane ? lane : 0;
    if (inst.mods.idxen)
      index += wave.vgpr[vector.index][lane];
    uint64_t offset = uint32_t(inst.mods.offset);
    if (inst.mods.offen)
      offset += wave.vgpr[vector.index + (inst.mods.idxen ? 1 : 0)][lane];

    uint64_t place;
    uint64_t limit; // First byte offset, from `place`, that is out of range.
    if (resource.swizzle && resource.stride) {
      uint64_t high = index / resource.indexStride;
      uint64_t low = index % resource.indexStride;
      place = (high * resource.stride +
               offset / resource.elementBytes * resource.elementBytes) *
                  resource.indexStride +
              low * resource.elementBytes + offset % resource.elementBytes;
      bool outside = index >= resource.records || offset >= resource.stride;
      limit = outside ? 0 : bytes;
    } else {
      place = index * resource.stride + offset;
      if (resource.stride && inst.mods.idxen) {
        limit = index >= resource.records ? 0 : bytes;
      } else {
        uint64_t end = resource.records > scalarOffset
                           ? resource.records - scalarOffset
                           : 0;
        limit = place < end ? end - place : 0;
      }
    }
    uint64_t target = resource.base + scalarOffset + place;
    // Ranges are checked dword by dword.
    uint64_t valid = limit >= bytes ? bytes : (bytes < 4 ? 0 : limit & ~3ull);
    if (!valid) {
      host = addressOf(write ? group.sink : group.zeros);
      return true;
    }
    if ((!group.window.holds(target, target, valid) &&
         !group.locate(target, valid)) ||
        (write && !group.window.writable)) {
      group.faultGlobal(wave, inst, lane, write ? "writes" : "reads", valid,
                        target);
      return false;
    }
    host = target;
    if (valid == bytes)
      return true;
    host = addressOf(group.bounce[lane]);
    memset(group.bounce[lane], 0, sizeof group.bounce[lane]);
    if (write) {
      pointers.partial |= uint64_t(1) << lane;
      pointers.real[lane] = target;
      pointers.validBytes[lane] = uint8_t(valid);
    } else {
      memcpy(group.bounce[lane], reinterpret_cast<void *>(target), valid);
    }
    return true;
  });
}

} // namespace mla::sim::MLA_SIM_VARIANT
