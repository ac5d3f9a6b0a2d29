//===- Link.cpp - Link an object file with lld in process -----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/CodeGen/DeviceModule.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

LLD_HAS_DRIVER(elf)

using namespace llvm;
using namespace mla::codegen;

Expected<ObjectBytes> mla::codegen::linkCodeObject(ArrayRef<char> object) {
  int descriptor = -1;
  SmallString<128> input, output;
  if (std::error_code code =
          sys::fs::createTemporaryFile("mla", "o", descriptor, input))
    return createStringError(code, "no temporary file can be made for lld: " +
                                       code.message());
  FileRemover removeInput(input);
  {
    raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream.write(object.data(), object.size());
    stream.close();
    if (std::error_code code = stream.error()) {
      stream.clear_error();
      return createStringError(code,
                               "the temporary file " + input +
                                   " cannot be written: " + code.message());
    }
  }
  if (std::error_code code = sys::fs::createTemporaryFile("mla", "co", output))
    return createStringError(code, "no temporary file can be made for lld: " +
                                       code.message());
  FileRemover removeOutput(output);

  std::string messages;
  raw_string_ostream stream(messages);
  lld::Result result =
      lld::lldMain({"ld.lld", "-shared", "--no-undefined", "--threads=1", "-o",
                    output.c_str(), input.c_str()},
                   stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return createStringError("lld cannot link the code object: " +
                             StringRef(messages).trim());

  ErrorOr<std::unique_ptr<MemoryBuffer>> linked = MemoryBuffer::getFile(output);
  if (!linked)
    return createStringError(linked.getError(),
                             "the linked code object cannot be read: " +
                                 linked.getError().message());
  StringRef bytes = (*linked)->getBuffer();
  return ObjectBytes(bytes.begin(), bytes.end());
}
