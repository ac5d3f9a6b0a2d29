#!/usr/bin/env python3
"""Runs kernels that Triton compiles on the simulator, for both chips, and compares them with float64.

Without --all the tests marked `slow` are left out. The simulated chip belongs to a process, so each chip has its own.
Exit status 77 where the packages of requirements.txt are missing.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SKIPPED = 77


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="run the slow tests too")
    parser.add_argument(
        "--chip", action="append", choices=["gfx942", "gfx950"], help="only this chip (may be repeated)"
    )
    parser.add_argument("--build", type=Path, default=FOLDER.parents[1] / "build", help="build folder (default: build)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the code objects in DIR/CHIP")
    parser.add_argument("arguments", nargs="*", metavar="-- PYTEST-ARGUMENTS", help="handed on to pytest")
    return parser.parse_args()


def python_with_triton(build):
    """The interpreter of the build folder's environment if there is one, else this one; None if it lacks packages."""
    own = build / "venv" / "bin" / "python"
    for python in (own, Path(sys.executable)):
        found = python.exists() and subprocess.run(
            [python, "-c", "import triton, numpy, ml_dtypes, pytest"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        if found and found.returncode == 0:
            return python
    return None


def start(chip, python, options):
    build = options.build.resolve()
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={FOLDER}", FOLDER]
    command += [f"--library={build / 'lib' / 'libmla_hip_sim.so'}"]
    command += [] if options.all else ["-m", "not slow"]
    command += [f"--keep={options.keep.resolve() / chip}"] if options.keep else []
    environment = os.environ | {
        "MLA_SIM_CHIP": chip,
        # Triton names its entries after all that makes a code object what it is, so none gets stale.
        "TRITON_CACHE_DIR": str(build / "triton-cache"),
    }
    return subprocess.Popen(
        command + options.arguments, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def main():
    options = parse_arguments()
    python = python_with_triton(options.build)
    if not python:
        print(
            f"skipped: neither {options.build / 'venv'} nor {sys.executable} has the packages of"
            f" {FOLDER / 'requirements.txt'}; ./dev check installs them"
        )
        return SKIPPED
    processes = [(chip, start(chip, python, options)) for chip in options.chip or ["gfx942", "gfx950"]]
    failed = []
    for chip, process in processes:
        print(f"== {chip}\n{process.communicate()[0]}", flush=True)
        if process.returncode:
            failed.append(chip)
    if failed:
        print(f"failed on {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
