# SPDX-License-Identifier: Apache-2.0
#
# Port of the library for vcpkg, as an overlay, from the checkout it lies in. What it needs is found
# by CMake's find_package and pkg-config.
get_filename_component(SOURCE_PATH ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)

vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
  SOURCE_PATH ${SOURCE_PATH}
  OPTIONS
    -DPLEAT_BUILD_TOOL=OFF
    -DPLEAT_BUILD_TESTS=OFF
    -DPLEAT_BUILD_EXAMPLES=OFF
    -DPLEAT_BUILD_C=OFF
    -DPLEAT_MPI=OFF
    -DPKG_CONFIG_EXECUTABLE=${PKGCONFIG})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/pleat)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
file(INSTALL ${CMAKE_CURRENT_LIST_DIR}/usage DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
