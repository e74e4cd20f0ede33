# SPDX-License-Identifier: Apache-2.0
"""The first line of a source is its licence alone: clang-format may join it with a comment below it."""
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["PLEAT_SOURCE"])
LICENCE = re.compile(r"(//|!) SPDX-License-Identifier: Apache-2\.0|/\* SPDX-License-Identifier: Apache-2\.0( \*/)?")


class first_lines(unittest.TestCase):
    def test_are_the_licence(self):
        seen = 0
        for path in SOURCE.rglob("*"):
            if path.suffix not in (".hpp", ".cpp", ".h", ".c", ".f90") or "build" in path.parts:
                continue
            with path.open() as file:
                self.assertRegex(file.readline().rstrip("\n"), f"^({LICENCE.pattern})$", path)
            seen += 1
        self.assertGreater(seen, 500)
