# SPDX-License-Identifier: Apache-2.0
"""The layers of the runtime: no source includes a header of a layer below its own in the table of
runtime/README.md, or of the component ranks, and no public header includes one that is not installed.
Its shared library exports of them what others link with alone, because all that it exports is binary
interface."""
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["PLEAT_SOURCE"])
RUNTIME = SOURCE / "runtime"
RANKS = SOURCE / "ranks" / "src"  # a part of the same library
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

    def test_what_a_layer_exports_is_used_outside(self):
        users = [path.read_text() for folder in ("bench", "collectives", "oblivious", "ranks/mpi", "tests")
                 for path in (SOURCE / folder).rglob("*.?pp")]
        for path in sorted([*(RUNTIME / "src").glob("*/*.hpp"), *RANKS.glob("*/*.hpp")]):
            for exported in re.findall(r"PLEAT_API (.*?)(?:\(| final| \{)", path.read_text()):
                header, name = f"{path.parent.name}/{path.name}", re.findall(r"\w+", exported)[-1]
                with self.subTest(header=header, name=name):
                    self.assertTrue(any(f'#include "{header}"' in text
                                        and re.search(rf"\b{name}\b", text) for text in users))
