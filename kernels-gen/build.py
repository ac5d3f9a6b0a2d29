#!/usr/bin/env python3
# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns lists of shapes into bundles, one for each chip and format.

A list is a JSON file such as base.json beside this script: a problem (heads,
q_len, page_size), the chips and formats to build it for, and the shapes whose
schedule tables each bundle carries. The bundles are named
LIST-CHIP-FORMAT.mlab.
"""

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

KEYS = {"name", "heads", "q_len", "page_size", "chips", "formats", "shapes"}


def read_list(path):
    """The list in `path`, or an exit with a sentence."""
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"build.py: {path}: {error}")
    if not isinstance(content, dict) or set(content) != KEYS:
        sys.exit(f"build.py: {path}: a list of shapes has the keys {', '.join(sorted(KEYS))}")
    return content


def compile_command(compiler, shapes, chip, fmt, output):
    names = ",".join(f"{shape['batch']}x{shape['kv']}" for shape in shapes["shapes"])
    return [
        str(compiler),
        f"--chip={chip}",
        f"--heads={shapes['heads']}",
        f"--q-len={shapes['q_len']}",
        f"--page-size={shapes['page_size']}",
        f"--kv-format={fmt}",
        f"--q-format={fmt}",
        f"--shape={names}",
        "-o",
        str(output),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="+", type=Path, metavar="LIST", help="a JSON list of shapes")
    parser.add_argument("--compiler", type=Path, default=Path("mla-compile"), help="the mla-compile to call")
    parser.add_argument("--output", type=Path, default=Path("."), help="folder for the bundles")
    parser.add_argument("--chip", action="append", help="build for this chip only (may be repeated)")
    parser.add_argument("--format", action="append", help="build this format only (may be repeated)")
    parser.add_argument("--jobs", type=int, default=1, help="compilers to run at once (default 1)")
    parser.add_argument("--dry-run", action="store_true", help="print the commands only")
    args = parser.parse_args()

    commands = []
    for path in args.lists:
        shapes = read_list(path)
        for chip in args.chip or shapes["chips"]:
            for fmt in args.format or shapes["formats"]:
                output = args.output / f"{shapes['name']}-{chip}-{fmt}.mlab"
                commands.append(compile_command(args.compiler, shapes, chip, fmt, output))
    if args.dry_run:
        for command in commands:
            print(" ".join(command))
        return 0

    args.output.mkdir(parents=True, exist_ok=True)

    def run(command):
        try:
            return subprocess.run(command, check=False).returncode
        except OSError as error:
            print(f"build.py: {command[0]}: {error.strerror}", file=sys.stderr)
            return 1

    with ThreadPoolExecutor(args.jobs) as pool:
        failed = sum(code != 0 for code in pool.map(run, commands))
    if failed:
        print(f"build.py: {failed} of {len(commands)} bundles failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
