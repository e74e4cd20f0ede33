# SPDX-License-Identifier: Apache-2.0
"""The recipes for Conan and vcpkg, without these: that they can be read, and that what they say of
the library is true of it. Conan's module and vcpkg's functions are replaced by ones that write down
what they are asked."""
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

SOURCE = pathlib.Path(os.environ["PLEAT_SOURCE"])
VERSION = re.search(r'^#define PLEAT_VERSION "([0-9.]+)"$',
                    (SOURCE / "channels/include/pleat/channels/version.hpp").read_text(), re.M)[1]
OPTIONS = set(re.findall(r"^option\((PLEAT_\w+)", (SOURCE / ".cmake/options.cmake").read_text(), re.M))


def fake_conan():
    """Modules that conanfile.py may import; every name in them is a mock."""
    modules = {}
    for name in ("conan", "conan.tools", "conan.tools.build", "conan.tools.cmake",
                 "conan.tools.files", "conan.tools.gnu"):
        modules[name] = mock.MagicMock(name=name)
    modules["conan"].ConanFile = type("ConanFile", (), {})
    modules["conan.tools.files"].load = lambda _, path: pathlib.Path(path).read_text()
    return modules


class conan(unittest.TestCase):
    def setUp(self):
        self.modules = fake_conan()
        path = SOURCE / ".packaging/conan/conanfile.py"
        with mock.patch.dict(sys.modules, self.modules):
            spec = importlib.util.spec_from_file_location("conanfile", path)
            self.file = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(self.file)
        self.recipe = self.file.pleat()
        self.recipe.recipe_folder = str(path.parent)

    def test_the_version_is_the_librarys(self):
        self.recipe.set_version()
        self.assertEqual(self.recipe.version, VERSION)

    def test_every_source_is_there(self):
        for pattern in self.file.SOURCES:
            self.assertTrue(list(SOURCE.glob(pattern)), pattern)

    def test_what_cmake_reads_is_exported(self):
        """The root CMakeLists.txt, with neither tool nor tests, reads no other folder."""
        text = (SOURCE / "CMakeLists.txt").read_text()
        for folder in re.findall(r"^add_subdirectory\((\w+)\)", text, re.M):
            self.assertIn(f"{folder}/*", self.file.SOURCES)

    def test_options_are_the_librarys(self):
        variables = {}
        self.modules["conan.tools.cmake"].CMakeToolchain.return_value.cache_variables = variables
        self.recipe.generate()
        self.assertTrue(variables)
        self.assertLessEqual(set(variables), OPTIONS)

    def test_every_dependency_is_required(self):
        required = []
        self.recipe.requires = lambda reference, **_: required.append(reference.split("/")[0])
        self.recipe.requirements()
        self.assertEqual(sorted(required), ["boost", "highway", "hwloc", "onetbb"])

    def test_its_test_can_be_read(self):
        for file in (SOURCE / ".packaging/conan").rglob("*.py"):
            compile(file.read_text(), str(file), "exec")


class vcpkg(unittest.TestCase):
    def test_the_manifest_is_json_of_this_version(self):
        manifest = json.loads((SOURCE / ".packaging/vcpkg/pleat/vcpkg.json").read_text())
        self.assertEqual(manifest["version"], VERSION)
        names = [d if isinstance(d, str) else d["name"] for d in manifest["dependencies"]]
        for name in "boost-sort", "highway", "hwloc", "tbb":
            self.assertIn(name, names)

    def test_the_port_configures_this_checkout_with_options_it_has(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder, "port.cmake")
            said = ["find_acquire_program", "cmake_configure", "cmake_install",
                    "cmake_config_fixup", "fixup_pkgconfig", "install_copyright"]
            script.write_text("cmake_minimum_required(VERSION 3.24)\n" + "".join(
                f'macro(vcpkg_{name})\n  message("{name} ${{ARGN}}")\nendmacro()\n' for name in said) +
                f'set(PORT pleat)\nset(CURRENT_PACKAGES_DIR "{folder}/packages")\n'
                f'include("{SOURCE}/.packaging/vcpkg/pleat/portfile.cmake")\n')
            done = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            calls = {line.split(" ")[0]: line for line in done.stderr.splitlines() if line}
            self.assertEqual(sorted(calls), sorted(said))
            self.assertIn(f"SOURCE_PATH;{SOURCE};", calls["cmake_configure"])
            self.assertLessEqual(set(re.findall(r"-D(PLEAT_\w+)", calls["cmake_configure"])), OPTIONS)
            self.assertTrue(pathlib.Path(folder, "packages/share/pleat/usage").exists())


if __name__ == "__main__":
    sys.exit(unittest.main())
