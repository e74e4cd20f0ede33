# SPDX-License-Identifier: Apache-2.0
"""Recipe of the library for Spack 1.0 and newer. It builds the checkout that `spack dev-build` is
given. CMake finds the dependencies, with find_package and pkg-config."""
import os
import re

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *

CHECKOUT = os.path.join(os.path.dirname(os.path.realpath(__file__)), *[os.pardir] * 6)


def version_of_checkout():
    header = os.path.join(CHECKOUT, "channels/include/pleat/channels/version.hpp")
    with open(header, encoding="utf-8") as text:
        return re.search(r'^#define PLEAT_VERSION "([0-9.]+)"$', text.read(), re.M)[1]


class Pleat(CMakePackage):
    """Network-oblivious algorithms folded onto the cores of one machine: parallel sorts, Fourier
    transforms, matrix products, stencils, loops and collectives."""

    git = "file://" + os.path.realpath(CHECKOUT)

    license("Apache-2.0")

    version(version_of_checkout())

    variant("shared", default=False, description="Build shared libraries")

    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type=("build", "link"))
    depends_on("boost@1.74:", type=("build", "link"))
    depends_on("intel-tbb@2021:")
    depends_on("hwloc@2.5:")
    depends_on("highway@1.0.3:")

    conflicts("platform=darwin", msg="threads are pinned and parked with Linux's own calls")
    conflicts("platform=windows", msg="threads are pinned and parked with Linux's own calls")
    conflicts("%gcc@:10", msg="C++20 with coroutines is needed")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("PLEAT_BUILD_TOOL", False),
            self.define("PLEAT_BUILD_TESTS", False),
            self.define("PLEAT_BUILD_EXAMPLES", False),
            self.define("PLEAT_BUILD_C", False),
            self.define("PLEAT_MPI", False),
        ]
