# SPDX-License-Identifier: Apache-2.0
"""The layers of the runtime: no source includes a header of a layer below its own in the table of
runtime/README.md, and no public header includes one that is not installed."""
import os
import pathlib
import re
import unittest

RUNTIME = pathlib.Path(os.environ["PLEAT_SOURCE"]) / "runtime"
INCLUDED = re.compile(r'^#include "(\w+)/(\w+\.hpp)"', re.MULTILINE)


def layers():
    table = re.findall(r"^\| `(\w+)` \|", (RUNTIME / "README.md").read_text(), re.MULTILINE)
    return [name for name in table if (RUNTIME / "src" / name).is_dir()]


def included(path):
    return INCLUDED.findall(path.read_text())


class layers_of_the_runtime(unittest.TestCase):
    def test_the_table_has_every_layer(self):
        folders = [path.name for path in (RUNTIME / "src").iterdir()]
        self.assertEqual(sorted(layers()), sorted(folders))

    def test_no_source_includes_a_layer_below_its_own(self):
        order = layers()
        seen = 0
        for path in sorted((RUNTIME / "src").glob("*/*.?pp")):
            for layer, header in included(path):
                with self.subTest(source=f"{path.parent.name}/{path.name}", includes=header):
                    self.assertTrue((RUNTIME / "src" / layer / header).is_file())
                    self.assertLessEqual(order.index(layer), order.index(path.parent.name))
                seen += 1
        self.assertGreater(seen, 100)

    def test_no_public_header_includes_one_of_a_layer(self):
        for path in sorted((RUNTIME / "include").rglob("*.hpp")):
            self.assertEqual(included(path), [], path)


if __name__ == "__main__":
    unittest.main()
