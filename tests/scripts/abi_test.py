# SPDX-License-Identifier: Apache-2.0
""".packaging/abi on small libraries that have the names of ours."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["PLEAT_SOURCE"])
HEADER = "struct state { int a; };\nint first(state);\nint second(state);\n"
BODY = '#include "header.hpp"\nint first(state s) { return s.a; }\n'
SECOND = "int second(state s) { return -s.a; }\n"


class abi(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def installed(self, name, header=HEADER, body=BODY + SECOND, soname="0"):
        """A prefix with three libraries of this source."""
        prefix = self.folder / name
        (prefix / "include").mkdir(parents=True)
        (prefix / "lib").mkdir()
        (prefix / "include/header.hpp").write_text(header)
        (prefix / "body.cpp").write_text(body)
        for component in "runtime", "collectives", "oblivious":
            library = f"libpleat_{component}.so"
            subprocess.run([os.environ["CXX"], "-g", "-fPIC", "-shared", "-Iinclude", "body.cpp",
                            f"-Wl,-soname,{library}.{soname}", "-o", f"lib/{library}"],
                           cwd=prefix, check=True, timeout=60)
        return prefix

    def compared(self, *versions):
        done = subprocess.run([SOURCE / ".packaging/abi", *versions], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60)
        return done.returncode, done.stdout + done.stderr

    def test_what_is_added_is_compatible(self):
        old = self.installed("old", body=BODY)
        self.assertEqual(self.compared(old, self.installed("new"))[0], 0)
        self.assertEqual(self.compared(old, old)[0], 0)

    def test_what_is_removed_asks_for_another_soname(self):
        old = self.installed("old")
        code, said = self.compared(old, self.installed("new", body=BODY))
        self.assertEqual(code, 1, said)
        self.assertIn("second", said)
        self.assertIn("raise pleat_soversion", said)
        self.assertEqual(self.compared(old, self.installed("newer", body=BODY, soname="1"))[0], 0)

    def test_a_larger_type_asks_for_another_soname(self):
        larger = HEADER.replace("int a;", "int a; long b;")
        code, said = self.compared(self.installed("old"), self.installed("new", header=larger))
        self.assertEqual(code, 1, said)

    def test_mistakes_end_with_2(self):
        empty = self.folder / "empty"
        empty.mkdir()
        for versions in [], ["no-such-revision"], [empty, empty], ["a", "b", "c"]:
            with self.subTest(versions=versions):
                self.assertEqual(self.compared(*versions)[0], 2)
