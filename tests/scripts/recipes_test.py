# SPDX-License-Identifier: Apache-2.0
"""The recipes for Conan, vcpkg, Spack and conda, without these: that they can be read, and that what
they say of the library is true of it. Modules of Conan and Spack, vcpkg's functions and the commands
of conda's build script are replaced by ones that write down what they are asked."""
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types
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


class spack(unittest.TestCase):
    def setUp(self):
        """Runs the recipe; what it calls while its class is defined is noted by name."""
        self.said = {}
        package = types.ModuleType("spack.package")
        for name in "license", "version", "variant", "depends_on", "conflicts", "generator":
            setattr(package, name, self.noting(name))
        base = types.ModuleType("spack_repo.builtin.build_systems.cmake")
        base.CMakePackage = type("CMakePackage", (), {
            "define": lambda _, variable, value: (variable, value),
            "define_from_variant": lambda _, variable, variant: (variable, variant)})
        modules = {name: types.ModuleType(name) for name in
                   ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems")}
        modules[package.__name__] = package
        modules[base.__name__] = base
        self.repository = SOURCE / ".packaging/spack/spack_repo/pleat"
        path = self.repository / "packages/pleat/package.py"
        with mock.patch.dict(sys.modules, modules):
            spec = importlib.util.spec_from_file_location("package", path)
            self.file = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(self.file)

    def noting(self, name):
        return lambda *arguments, **_: self.said.setdefault(name, []).append(arguments[0])

    def test_the_version_and_the_sources_are_those_of_the_checkout(self):
        self.assertEqual(self.said["version"], [VERSION])
        self.assertEqual(self.file.Pleat.git, f"file://{SOURCE.resolve()}")

    def test_options_are_the_librarys(self):
        options = dict(self.file.Pleat().cmake_args())
        self.assertEqual(options.pop("BUILD_SHARED_LIBS"), "shared")
        self.assertIn("shared", self.said["variant"])
        self.assertTrue(options)
        self.assertLessEqual(set(options), OPTIONS)

    def test_every_dependency_is_named(self):
        names = {spec.split("@")[0] for spec in self.said["depends_on"]}
        self.assertLessEqual({"cxx", "cmake", "boost", "highway", "hwloc", "intel-tbb"}, names)

    def test_the_repository_has_the_name_of_its_folder(self):
        text = (self.repository / "repo.yaml").read_text()
        self.assertIn(f"namespace: {self.repository.name}\n", text)


def read_yaml(path):
    """What is in a file of YAML, read by the first python3 that has PyYAML: Debian's package may belong
    to another one than the first in PATH."""
    program = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"
    for python in sys.executable, "/usr/bin/python3":
        done = subprocess.run([python, "-c", program], input=path.read_text(), capture_output=True,
                              text=True, timeout=60)
        if done.returncode == 0:
            return json.loads(done.stdout)
    raise AssertionError(f"{path}: {done.stderr}")


class conda(unittest.TestCase):
    FOLDER = SOURCE / ".packaging/conda"

    def test_the_recipe_is_of_this_version_and_names_every_dependency(self):
        text = (self.FOLDER / "recipe.yaml").read_text()
        self.assertIn(f'  version: "{VERSION}"\n', text)
        self.assertTrue((self.FOLDER / re.search(r"^  path: (.*)$", text, re.M)[1]).samefile(SOURCE))
        host = re.search(r"^  host:\n((?:    .*\n)+)", text, re.M)[1]
        self.assertEqual(re.findall(r"- (\S+)", host),
                         ["libboost-headers", "libhwloc", "libhwy", "tbb-devel"])

    def test_the_recipe_is_yaml_with_the_sections_of_its_format(self):
        recipe = read_yaml(self.FOLDER / "recipe.yaml")
        self.assertLessEqual(set(recipe), {"schema_version", "context", "package", "source", "build",
                                           "requirements", "tests", "about", "extra"})
        self.assertTrue((self.FOLDER / recipe["build"]["script"]).exists())
        self.assertTrue((SOURCE / recipe["about"]["license_file"]).exists())
        for folder in recipe["tests"][1]["files"]["source"]:
            self.assertTrue((SOURCE / folder).is_dir(), folder)

    def test_the_script_configures_the_sources_with_options_they_have(self):
        with tempfile.TemporaryDirectory() as folder:
            cmake = pathlib.Path(folder, "cmake")
            cmake.write_text('#!/bin/sh\necho "$*"\n')
            cmake.chmod(0o755)
            done = subprocess.run(
                [self.FOLDER / "build.sh"], capture_output=True, text=True, timeout=60, cwd=folder,
                env={"PATH": f"{folder}:{os.environ['PATH']}", "SRC_DIR": str(SOURCE),
                     "PREFIX": "/prefix", "CMAKE_ARGS": "-D ONE=1 -D TWO=2"})
            self.assertEqual(done.returncode, 0, done.stderr)
            configure, build, install = done.stdout.splitlines()
            self.assertIn(f"-S {SOURCE} -B build -D ONE=1 -D TWO=2 ", configure)
            self.assertIn("-D CMAKE_INSTALL_PREFIX=/prefix ", configure)
            self.assertLessEqual(set(re.findall(r"-D (PLEAT_\w+)", configure)), OPTIONS)
            self.assertEqual(build, "--build build --parallel 2")
            self.assertEqual(install, "--install build")


class all_recipes(unittest.TestCase):
    def test_leave_out_the_same_parts(self):
        """A part of the build that one recipe turns off, all of them do."""
        files = ["spack/spack_repo/pleat/packages/pleat/package.py", "conda/build.sh",
                 "vcpkg/pleat/portfile.cmake"]
        off = [set(re.findall(r"PLEAT_\w+(?==OFF|\", False)", (SOURCE / ".packaging" / f).read_text()))
               for f in files]
        self.assertEqual(len(off[0]), 5)
        for file, options in zip(files, off):
            self.assertEqual(options, off[0], file)
