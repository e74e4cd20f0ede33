# SPDX-License-Identifier: Apache-2.0
"""Recipe of the library for Conan 2, from the checkout it lies in. What it needs is found by CMake's
find_package and pkg-config, and so is the library by those who use it."""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir
from conan.tools.gnu import PkgConfigDeps

required_conan_version = ">=2.0"

CHECKOUT = os.path.join("..", "..")
SOURCES = ("CMakeLists.txt", ".cmake/*", "LICENSE", "README.md", "CHANGELOG.md", "channels/*",
           "runtime/*", "ranks/*", "collectives/*", "oblivious/*")


class pleat(ConanFile):
    name = "pleat"
    description = "Network-oblivious algorithms folded onto the cores of one machine"
    license = "Apache-2.0"
    topics = ("parallel", "algorithms", "sort", "fft", "stencil")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}
    implements = ["auto_shared_fpic"]

    def set_version(self):
        header = "channels/include/pleat/channels/version.hpp"
        text = load(self, os.path.join(self.recipe_folder, CHECKOUT, header))
        self.version = re.search(r'^#define PLEAT_VERSION "([0-9.]+)"$', text, re.M)[1]

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, os.path.join(self.recipe_folder, CHECKOUT),
                 self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def requirements(self):
        self.requires("boost/[>=1.74]", transitive_headers=True, options={"header_only": True})
        self.requires("onetbb/[>=2021]", transitive_headers=True, transitive_libs=True)
        self.requires("hwloc/[>=2.5]")
        self.requires("highway/[>=1.0.3]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        packages = CMakeDeps(self)
        # As Highway's own CMake files have it.
        packages.set_property("highway", "cmake_file_name", "hwy")
        packages.set_property("highway::hwy", "cmake_target_name", "hwy::hwy")
        packages.set_property("highway::hwy_contrib", "cmake_target_name", "hwy::hwy_contrib")
        packages.generate()
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for option in "BUILD_TOOL", "BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_C", "MPI":
            toolchain.cache_variables[f"PLEAT_{option}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        # The installed configuration knows the components and what each needs.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "pleat")]
