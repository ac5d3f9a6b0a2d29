# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a bundle's manifest after checking the file as BundleFormat.h describes it."""

import json
import struct
import sys
import zlib
from pathlib import Path

data = Path(sys.argv[1]).read_bytes()
magic, version, manifest_crc, manifest_bytes = struct.unpack_from("<8sIIQ", data)
text = data[24 : 24 + manifest_bytes]
manifest = json.loads(text)
assert magic == b"MLABNDL\0", magic
assert version == manifest["format_version"] == 1, version
assert manifest_crc == zlib.crc32(text), manifest_crc
assert manifest["file_bytes"] == len(data), (manifest["file_bytes"], len(data))

end = 24 + manifest_bytes
for blob in manifest["code_objects"] + manifest["tables"]:
    assert blob["offset"] % 64 == 0 and end <= blob["offset"] < end + 64, (end, blob)
    end = blob["offset"] + blob["bytes"]
    assert zlib.crc32(data[blob["offset"] : end]) == blob["crc32"], blob
assert end == len(data), (end, len(data))
for code_object in manifest["code_objects"]:
    assert data[code_object["offset"] :].startswith(b"\x7fELF"), code_object

print(text.decode(), end="")
