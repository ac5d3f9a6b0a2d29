"""Fails if an object of the AVX2 variant defines a symbol that the linker could merge with code for every machine.

Usage: check-variant-symbols.py NM VARIANT OBJECT...
"""

import subprocess
import sys


def main() -> int:
    nm, variant, *objects = sys.argv[1:]
    listing = subprocess.run(
        [nm, "--demangle", "--defined-only", *objects], check=True, capture_output=True, text=True
    ).stdout
    wrong = []
    for line in listing.splitlines():
        parts = line.split(maxsplit=2)
        # W, V, u: weak or unique, the kinds of which a linker keeps one of several.
        if len(parts) == 3 and parts[1] in "WVu" and f"mla::sim::{variant}::" not in parts[2]:
            wrong.append(parts[2])
    if not listing.strip():
        wrong.append("(no symbols at all: are these the right objects?)")
    for name in wrong:
        print(f"shared with other machines' code: {name}")
    return 1 if wrong else 0


sys.exit(main())
