//===- HipStream.cpp - HIP functions about streams and events -------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation is complete when its call returns, so that streams are in
// order by themselves and waiting is nothing.
//
//===----------------------------------------------------------------------===//

#include "HipContext.h"

using namespace mla::sim;
using namespace mla::sim::hip;

namespace {

hipError_t makeStream(hipStream_t *result, unsigned flags) {
  MLA_HIP_CALL(call);
  if (!result)
    return fail(hipErrorInvalidValue, "hipStreamCreate: null pointer");
  auto *stream = new Stream{flags};
  call->streams.insert(stream);
  *result = reinterpret_cast<hipStream_t>(stream);
  return succeed();
}

/// Stream 0 always exists; so do the two special values 1 and 2 (legacy and
/// per-thread default stream).
hipError_t checkStream(Call &call, hipStream_t handle) {
  if (reinterpret_cast<uintptr_t>(handle) <= 2 ||
      call->streams.count(reinterpret_cast<Stream *>(handle)))
    return succeed();
  return fail(hipErrorInvalidHandle, "there is no such stream");
}

hipError_t makeEvent(hipEvent_t *result) {
  MLA_HIP_CALL(call);
  if (!result)
    return fail(hipErrorInvalidValue, "hipEventCreate: null pointer");
  auto *event = new Event;
  call->events.insert(event);
  *result = reinterpret_cast<hipEvent_t>(event);
  return succeed();
}

Event *findEvent(Call &call, hipEvent_t handle) {
  auto *event = reinterpret_cast<Event *>(handle);
  return call->events.count(event) ? event : nullptr;
}

hipError_t noEvent() {
  return fail(hipErrorInvalidHandle, "there is no such event");
}

} // namespace

extern "C" {

hipError_t hipStreamCreate(hipStream_t *stream) {
  return makeStream(stream, 0);
}
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags) {
  return makeStream(stream, flags);
}
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags,
                                       int) {
  return makeStream(stream, flags);
}
hipError_t hipStreamDestroy(hipStream_t handle) {
  MLA_HIP_CALL(call);
  auto *stream = reinterpret_cast<Stream *>(handle);
  if (!call->streams.erase(stream))
    return fail(hipErrorInvalidHandle, "hipStreamDestroy: no such stream");
  delete stream;
  return succeed();
}
hipError_t hipStreamSynchronize(hipStream_t stream) {
  MLA_HIP_CALL(call);
  return checkStream(call, stream);
}
hipError_t hipStreamQuery(hipStream_t stream) {
  MLA_HIP_CALL(call);
  return checkStream(call, stream);
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event,
                              unsigned int) {
  MLA_HIP_CALL(call);
  return findEvent(call, event) ? checkStream(call, stream) : noEvent();
}

hipError_t hipEventCreate(hipEvent_t *event) { return makeEvent(event); }
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned) {
  return makeEvent(event);
}
hipError_t hipEventDestroy(hipEvent_t handle) {
  MLA_HIP_CALL(call);
  Event *event = findEvent(call, handle);
  if (!event)
    return noEvent();
  call->events.erase(event);
  delete event;
  return succeed();
}
hipError_t hipEventRecord(hipEvent_t handle, hipStream_t stream) {
  MLA_HIP_CALL(call);
  Event *event = findEvent(call, handle);
  if (!event)
    return noEvent();
  event->recorded = true;
  event->seconds = secondsNow();
  return checkStream(call, stream);
}
hipError_t hipEventSynchronize(hipEvent_t handle) {
  MLA_HIP_CALL(call);
  return findEvent(call, handle) ? succeed() : noEvent();
}
hipError_t hipEventQuery(hipEvent_t handle) {
  MLA_HIP_CALL(call);
  return findEvent(call, handle) ? succeed() : noEvent();
}
hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t from,
                               hipEvent_t to) {
  MLA_HIP_CALL(call);
  Event *first = findEvent(call, from), *last = findEvent(call, to);
  if (!first || !last)
    return noEvent();
  if (!milliseconds || !first->recorded || !last->recorded)
    return fail(hipErrorInvalidHandle,
                "hipEventElapsedTime: an event was not recorded");
  *milliseconds = float((last->seconds - first->seconds) * 1e3);
  return succeed();
}

} // extern "C"
