# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what mla-run --json wrote.

expect.py FILE.json… [EXPRESSION…] [--same KEY]… [--different KEY]…

Every expression, Python over the keys of a case, must hold for every case of
every file. With --same all cases must agree in the value of a key; with
--different no two may.
"""

import argparse
import json
import pathlib

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("arguments", nargs="+")
parser.add_argument("--same", action="append", default=[])
parser.add_argument("--different", action="append", default=[])
options = parser.parse_args()

files = [argument for argument in options.arguments if argument.endswith(".json")]
expressions = options.arguments[len(files) :]
assert files == options.arguments[: len(files)], "files come before expressions"

cases = [case for file in files for case in json.loads(pathlib.Path(file).read_text())["cases"]]
assert cases, "no case was run"
for case in cases:
    for expression in expressions:
        assert eval(expression, {}, case), f"{expression} does not hold: {case}"
for key in options.same:
    assert len(cases) > 1, "one case is always the same"
    values = {case[key] for case in cases}
    assert len(values) == 1, f"{key} differs: {values}"
for key in options.different:
    values = [case[key] for case in cases]
    assert len(set(values)) == len(values), f"{key} is the same: {values}"
