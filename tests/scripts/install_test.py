# SPDX-License-Identifier: Apache-2.0
"""What .ci/install asks apt-get for, with an apt-get and a dpkg-query that only write down what they
are asked: packages of what is missing, whatever package brings what is there."""
import itertools
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["PLEAT_SOURCE"])

# One capability of each kind: the package, its probe, what makes it be there.
KINDS = {
    "a-command": "command:pleat-test-command",
    "a-header": "header:pleat_test/header.hpp",
    "a-module": "module:pleat-test-module>=2.5",
    "a-python": "python:pleat_test_module",
}


class place:
    """A copy of .ci whose packages are `lines`, and a PATH with the fakes in front."""

    def __init__(self, root, lines=None):
        self.root = pathlib.Path(root)
        shutil.copytree(SOURCE / ".ci", self.root / ".ci")
        if lines is not None:
            (self.root / ".ci/packages").write_text("# a comment\n\n" + "\n".join(lines) + "\n")
        self.bin = self.root / "bin"
        self.prefix = self.root / "prefix"
        self.asked = self.root / "asked"
        self.program("apt-get", f'echo "$*" >>"{self.asked}"\necho "[1/2] working"\n')
        self.program("id", "echo 0\n")
        self.dpkg_says("not-installed")

    def program(self, name, text):
        self.bin.mkdir(exist_ok=True)
        file = self.bin / name
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def dpkg_says(self, status):
        self.program("dpkg-query", f"echo -n {status}\n")

    def bring(self, package):
        """What `package` would bring, without it."""
        if package == "a-command":
            self.program("pleat-test-command", "")
        elif package == "a-header":
            folder = self.prefix / "include/pleat_test"
            folder.mkdir(parents=True)
            (folder / "header.hpp").write_text("")
        elif package == "a-module":
            folder = self.prefix / "lib/pkgconfig"
            folder.mkdir(parents=True)
            (folder / "pleat-test-module.pc").write_text(
                "Name: module\nDescription: a test\nVersion: 2.5.1\n")
        else:
            (self.root / "python").mkdir()
            (self.root / "python/pleat_test_module.py").write_text("")

    def install(self, *groups):
        environment = dict(os.environ, PATH=f"{self.bin}:{os.environ['PATH']}",
                           CMAKE_PREFIX_PATH=str(self.prefix), PYTHONPATH=str(self.root / "python"))
        return subprocess.run([self.root / ".ci/install", *groups], env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def packages_asked(self):
        """Those of `apt-get … install …`; None if there was none."""
        if not self.asked.exists():
            return None
        for line in self.asked.read_text().splitlines():
            words = line.split()
            if "install" in words:
                return [word for word in words[words.index("install") + 1 :] if word[0] != "-"]
        return None


class install(unittest.TestCase):
    def in_place(self, lines=None):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return place(folder.name, lines)

    def test_asks_for_exactly_what_is_missing(self):
        """Every set of capabilities that are there without their packages."""
        lines = [f"group {package} {probe} some reason" for package, probe in KINDS.items()]
        for count in range(len(KINDS) + 1):
            for there in itertools.combinations(KINDS, count):
                with self.subTest(there=there):
                    at = self.in_place(lines)
                    for package in there:
                        at.bring(package)
                    done = at.install("group")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    missing = [package for package in KINDS if package not in there]
                    self.assertEqual(at.packages_asked(), missing or None)
                    for package in missing:
                        self.assertIn(f"missing: {package}", done.stderr)

    def test_an_older_module_is_not_enough(self):
        at = self.in_place(["group a-module module:pleat-test-module>=2.6 why"])
        at.bring("a-module")
        self.assertEqual(at.install("group").returncode, 0)
        self.assertEqual(at.packages_asked(), ["a-module"])

    def test_what_is_installed_is_not_asked_for_again(self):
        at = self.in_place([f"group {package} {probe} why" for package, probe in KINDS.items()])
        at.dpkg_says("installed")
        self.assertEqual(at.install("group").returncode, 0)
        self.assertIsNone(at.packages_asked())

    def test_other_groups_are_left_alone(self):
        at = self.in_place(["one a-command command:pleat-test-command why",
                            "two a-package package why"])
        self.assertEqual(at.install("two").returncode, 0)
        self.assertEqual(at.packages_asked(), ["a-package"])

    def test_mistakes_end_with_2_and_install_nothing(self):
        at = self.in_place(["group a-package package why", "odd a-package unheard:of why"])
        for groups in [], ["no-such-group"], ["group", "no-such-group"], ["odd"]:
            with self.subTest(groups=groups):
                self.assertEqual(at.install(*groups).returncode, 2)
        self.assertIsNone(at.packages_asked())

    def test_this_machine_needs_no_package_for_what_built_the_tests(self):
        """Here is all that compiled the library, whatever brought it; so
        nothing may be asked for, though dpkg says that no package is installed."""
        at = self.in_place()
        at.prefix = os.environ.get("CMAKE_PREFIX_PATH", "")
        done = at.install("build")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNone(at.packages_asked(), done.stderr)

    def test_a_failing_apt_get_is_reported(self):
        at = self.in_place(["group a-package package why"])
        at.program("apt-get", "echo E: Unable to locate package a-package\nexit 100\n")
        done = at.install("group")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Unable to locate package", done.stderr)
