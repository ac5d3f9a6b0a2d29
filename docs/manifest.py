#!/usr/bin/env python3
# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a bundle's header and manifest, for people: `docs/manifest.py FILE`. Checks nothing (the runtime does)."""

import json
import pathlib
import struct
import sys

WIDTH = 118
HEADER = struct.Struct("<8sIIQ")


def text(value, indent: str = "", prefix: str = "") -> str:
    """JSON with everything that fits on one line."""
    line = json.dumps(value)
    if not isinstance(value, dict | list) or len(indent) + len(prefix) + len(line) < WIDTH:
        return indent + prefix + line
    inner = indent + " "
    if isinstance(value, dict):
        entries = [text(member, inner, json.dumps(name) + ": ") for name, member in value.items()]
    else:
        entries = [text(entry, inner) for entry in value]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return "\n".join([indent + prefix + begin, ",\n".join(entries), indent + end])


def main() -> None:
    data = pathlib.Path(sys.argv[1]).read_bytes()
    magic, version, crc32, size = HEADER.unpack_from(data)
    print(f"{magic.decode()!r}, version {version}, manifest of {size} bytes with CRC-32 {crc32}\n")
    print(text(json.loads(data[HEADER.size : HEADER.size + size])))


if __name__ == "__main__":
    main()
