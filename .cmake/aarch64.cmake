# SPDX-License-Identifier: Apache-2.0
#
# Toolchain file: compiles for AArch64 with Debian's cross compiler and runs programs under QEMU. The
# cache variable PLEAT_SYSROOT names the folder with the libraries for AArch64; tests/aarch64/run
# fills it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_Fortran_COMPILER NOTFOUND)  # the one in PATH compiles for this computer

set(PLEAT_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-sysroot CACHE PATH
    "Folder with the libraries for AArch64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PLEAT_SYSROOT)
get_filename_component(CMAKE_SYSROOT ${PLEAT_SYSROOT} ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# pkg-config reads these variables of the environment and no others.
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)

# The oldest processor that servers and small computers have: Armv8.0, no SVE.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -cpu cortex-a72 -L ${CMAKE_SYSROOT})
