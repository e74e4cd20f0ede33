# SPDX-License-Identifier: Apache-2.0
"""pip installs the module, in an environment that has pip and NumPy alone: from a wheel, which brings
the libraries that not every Linux has, and so that the sources are what runs."""
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import unittest

import numpy as np

SOURCE = pathlib.Path(os.environ["PLEAT_SOURCE"])
BUILT = f"--config-settings=build-dir={os.environ['PLEAT_BUILD']}"
USE = """
import importlib.metadata, pathlib, sys, pleat
print(pleat.sort([3, 1, 2]), pleat.__file__)
assert importlib.metadata.version("pleat") == pleat.__version__
mapped = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
print(*(name for name in mapped if pathlib.Path(name).name.startswith(("libhwloc", "libtbb", "libhwy", "libudev"))))
"""


class pip(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.home = pathlib.Path(cls.folder.name)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", cls.home / "venv"], check=True)
        cls.python = cls.home / "venv/bin/python"
        scheme = "venv" if "venv" in sysconfig.get_scheme_names() else "posix_prefix"
        site = sysconfig.get_path("platlib", scheme, {"base": cls.home / "venv",
                                                      "platbase": cls.home / "venv"})
        # NumPy and pip of the Python that runs this, and of its other packages none.
        for name in pathlib.Path(np.__file__).parents[1].glob("numpy*"):
            (pathlib.Path(site) / name.name).symlink_to(name)

    def run_(self, *command):
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
        done = subprocess.run(command, cwd=self.home, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def pip(self, command, *arguments):
        return self.run_(sys.executable, "-m", "pip", "--python", self.python, command,
                         "--no-input", "--disable-pip-version-check", *arguments)

    def install(self, *what):
        self.pip("install", "--no-deps", "--no-index", "--no-build-isolation", *what)
        self.addCleanup(self.pip, "uninstall", "--yes", "pleat")
        self.assertIn("pleat", self.pip("list"))
        used = self.run_(self.python, "-c", USE)
        self.assertIn("[1 2 3]", used)
        return used

    def test_a_wheel_has_all_it_needs(self):
        self.run_(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index",
                  "--no-build-isolation", BUILT, "--wheel-dir", self.home, SOURCE)
        used = self.install(next(self.home.glob("pleat-*.whl")))
        for library in used.splitlines()[-1].split():
            self.assertTrue(library.startswith(str(self.home)), library)
        self.assertIn("libhwloc", used)

    def test_editable_runs_the_sources(self):
        self.install(BUILT, "--editable", SOURCE)
        file = self.run_(self.python, "-c", "import os, pleat; print(os.path.realpath(pleat.__file__))")
        self.assertEqual(file.strip(), str(SOURCE / "oblivious/python/pleat/__init__.py"))
