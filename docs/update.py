#!/usr/bin/env python3
# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fills the code blocks of documents with what the tools print.

A block belongs to the comment right above it:

    <!-- $ mla-opt %s/problem.mlir --mla-decompose | grep mla. -->
    ```mlir
    …
    ```

The command runs in bash with the build's bin folder and LLVM's tools on PATH;
`%s` is the folder of the document. Its output replaces the block. With --check
nothing is written, and a block that differs is an error (exit status 1).
"""

import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"(<!-- \$ (?P<command>.*?) -->\n```\w*\n)(?P<body>.*?)(?=^```$)", re.M | re.S)


def run(command: str, folder: pathlib.Path, path: str) -> str:
    """Runs a block's command and returns what it printed."""
    command = command.replace("%s", str(folder))
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
    )
    if result.returncode != 0:
        sys.exit(f"update.py: `{command}` failed:\n{result.stderr}")
    return result.stdout


def fill(document: pathlib.Path, path: str) -> tuple[str, str]:
    """The document's text, before and after its blocks are filled."""
    before = document.read_text()

    def replace(match: re.Match) -> str:
        output = run(match["command"], document.parent, path)
        return match[1] + output.rstrip("\n") + "\n"

    return before, BLOCK.sub(replace, before)


def main() -> int:
    parser = argparse.ArgumentParser(description="Fills the code blocks of documents with what the tools print.")
    parser.add_argument("documents", nargs="+", type=pathlib.Path)
    parser.add_argument("--bin", required=True, help="folder of the built tools")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin", help="folder of LLVM's tools")
    parser.add_argument("--check", action="store_true", help="only say which blocks are out of date")
    arguments = parser.parse_args()

    path = os.pathsep.join([arguments.bin, arguments.llvm, os.environ["PATH"]])
    stale = False
    for document in arguments.documents:
        before, after = fill(document, path)
        if before == after:
            continue
        stale = True
        if arguments.check:
            sys.stdout.writelines(
                difflib.unified_diff(
                    before.splitlines(True), after.splitlines(True), str(document), f"{document} (as printed now)"
                )
            )
        else:
            document.write_text(after)
            print(f"updated {document}")
    return int(stale and arguments.check)


if __name__ == "__main__":
    sys.exit(main())
