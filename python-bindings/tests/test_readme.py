# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""README.md's example runs as it stands, on the chip under test."""

import contextlib
import io
import pathlib
import re
import unittest

from support import CHIP, COMPUTE_UNITS

README = pathlib.Path(__file__).parents[1] / "README.md"


class Readme(unittest.TestCase):
    def test_example(self):
        code = re.search(r"```python\n(.*?)```", README.read_text(), re.S)[1]
        self.assertIn('"gfx950", 4', code)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code.replace('"gfx950", 4', f'"{CHIP}", {COMPUTE_UNITS}'), {})
        self.assertEqual(printed.getvalue(), "(2, 16, 512) True\n")


if __name__ == "__main__":
    unittest.main()
