#!/usr/bin/env python3
"""Compile time of MLA decode: mla-compile from MLIR text, Triton's AMD backend from a Python function.

Both compile split-KV decode over an fp8 cache (16 heads, 512 + 64, page size 1, Q in fp8 with a static scale) to code
objects, by turns on one machine, with nothing cached: each repetition is a process of its own, Triton's with an empty
cache folder. Needs mla-compile and the Python environment of test/triton, both of which ./dev check leaves in the build
folder.

Rows of the table, medians in milliseconds:
  whole process   from start to exit; Triton's includes starting Python and importing Triton
  compile         the compiler alone: mla-compile's stages, or triton.compile of attention and combination
  compile again   the same, a second time in the process, so without one-time costs such as loading its LLVM
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHIPS = ("gfx942", "gfx950")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="build folder (default: build)")
    parser.add_argument("--chip", action="append", choices=CHIPS, help="only this chip (may be repeated)")
    parser.add_argument("--repeat", type=int, default=7, help="repetitions, of which the median counts (default: 7)")
    parser.add_argument("--json", type=Path, help="write every time that was measured here")
    parser.add_argument("--triton-worker", metavar="CHIP", help=argparse.SUPPRESS)
    return parser.parse_args()


def milliseconds_since(begin):
    return (time.perf_counter() - begin) * 1000


def timed_process(command, **options):
    begin = time.perf_counter()
    result = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, **options)
    return result.stdout, milliseconds_since(begin)


class MlaCompile:
    name = "mla-compile"

    def __init__(self, build, chip, folder):
        self.tool = build / "bin" / "mla-compile"
        self.chip = chip
        self.folder = folder
        self.problem = folder / f"{chip}.mlir"
        options = ["--chip", chip, "--kv-format", "fp8", "--q-format", "fp8", "--q-mode", "static"]
        subprocess.run([self.tool, *options, "--emit=mlir", "-o", self.problem], check=True)

    def measure(self):
        report = self.folder / "report.json"
        output = self.folder / "decode.mlab"
        _, whole = timed_process([self.tool, self.problem, "--chip", self.chip, "--json", report, "-o", output])
        stages = {stage["name"]: stage["ms"] for stage in json.loads(report.read_text())["stages"]}
        return {"whole process": whole, "compile": sum(stages.values()), "stages": stages}


class Triton:
    name = "Triton"

    def __init__(self, build, chip, folder):
        self.python = build / "venv" / "bin" / "python"
        if not self.python.exists():
            raise SystemExit(
                f"{self.python} is missing: run ./dev check, or install test/triton/requirements.txt there"
            )
        self.chip = chip
        self.folder = folder

    def measure(self):
        with tempfile.TemporaryDirectory(dir=self.folder) as cache:
            output, whole = timed_process(
                [self.python, __file__, "--triton-worker", self.chip], env=os.environ | {"TRITON_CACHE_DIR": cache}
            )
        # What the worker does after its first compilation is no part of compiling once.
        result = json.loads(output)
        return {"whole process": whole - result["compile again"]} | result


def triton_worker(chip):
    """Compiles both kernels twice, the second time into another empty cache, and prints the times as JSON."""
    begin = time.perf_counter()
    sys.path.insert(0, str(ROOT / "test" / "triton"))
    import triton
    from compiler import Argument, compile_kernel
    from kernels.decode import mla_combine, mla_decode

    imported = milliseconds_since(begin)
    fp8, largest = ("fp8e4b8", 240.0) if chip == "gfx942" else ("fp8e4nv", 448.0)
    decode = {name: Argument("*i32", aligned=True) for name in ("kv_indptr", "kv_indices", "kv_last_page_len")}
    decode |= {name: Argument(f"*{fp8}", aligned=True) for name in ("q", "cache")}
    decode |= {
        name: Argument("*fp32", aligned=True) for name in ("q_scale", "kv_scale", "partial_out", "partial_lse", "lse")
    }
    decode |= {"log2_scale": Argument("fp32"), "out": Argument("*bf16", aligned=True)}
    decode |= {name: Argument("i32") for name in ("page_size", "splits")} | {"heads": Argument("i32", aligned=True)}
    stages = {}

    def listen(src, metadata, metadata_group, times, cache_hit):
        assert not cache_hit, "the cache was not empty"
        stages[src.name] = {name: microseconds / 1000 for name, microseconds in times.lowering_stages}
        stages[src.name]["IR from Python"] = times.ir_initialization / 1000

    triton.knobs.compilation.listener = listen

    def compile_both():
        begin = time.perf_counter()
        for function, constants in (
            (mla_decode, {"LATENT": 512, "ROPE": 64, "BLOCK_H": 16, "BLOCK_N": 32, "P_SCALE": largest / 2}),
            (mla_combine, {"LATENT": 512}),
        ):
            arguments = {name: decode[name] for name in function.arg_names if name not in constants}
            compile_kernel(function, arguments, constants, chip, num_warps=4, num_stages=2)
        return milliseconds_since(begin)

    first = compile_both()
    first_stages = dict(stages)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        again = compile_both()
    print(json.dumps({"import": imported, "compile": first, "compile again": again, "stages": first_stages}))


def print_table(results):
    rows = ("whole process", "compile", "compile again")
    print(f"{'':16}" + "".join(f"{chip + ' ' + name:>22}" for chip in results for name in results[chip]))
    for row in rows:
        cells = []
        for runs in (results[chip][name] for chip in results for name in results[chip]):
            times = [run[row] for run in runs if row in run]
            cells.append(f"{statistics.median(times):22.1f}" if times else f"{'-':>22}")
        print(f"{row:16}" + "".join(cells))


def main():
    options = parse_arguments()
    if options.triton_worker:
        return triton_worker(options.triton_worker)
    build = options.build.resolve()
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for chip in options.chip or CHIPS:
            compilers = [kind(build, chip, Path(folder)) for kind in (MlaCompile, Triton)]
            results[chip] = {compiler.name: [] for compiler in compilers}
            for _ in range(options.repeat):
                for compiler in compilers:
                    results[chip][compiler.name].append(compiler.measure())
    print_table(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
