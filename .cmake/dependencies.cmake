# SPDX-License-Identifier: Apache-2.0
#
# Every library a component may link. A component names the target; where it is found, what a
# consumer's CMake must look for again and what goes into the .pc file all follow from the entry.
#
# pleat_dependency(TARGET
#   DEBIAN package                       the Debian package that brings it
#   FIND arguments…                      how find_package finds it, or
#   PKG_CONFIG module                    how pkg-config does; TARGET is then PkgConfig::<prefix>
#   [PC_REQUIRES modules…] [PC_LIBS …])  what a .pc file says: modules, or plain linker words
function(pleat_dependency target)
  cmake_parse_arguments(arg "" "DEBIAN;PKG_CONFIG" "FIND;PC_REQUIRES;PC_LIBS" ${ARGN})
  string(MAKE_C_IDENTIFIER ${target} id)
  if(arg_PKG_CONFIG)
    set(arg_PC_REQUIRES ${arg_PKG_CONFIG})
  endif()
  foreach(field DEBIAN PKG_CONFIG FIND PC_REQUIRES PC_LIBS)
    set_property(GLOBAL PROPERTY pleat_${id}_${field} "${arg_${field}}")
  endforeach()
  set_property(GLOBAL APPEND PROPERTY pleat_dependencies ${target})
endfunction()

pleat_dependency(Boost::headers    DEBIAN libboost-dev  FIND Boost 1.74)
pleat_dependency(Threads::Threads  DEBIAN libc6-dev     FIND Threads  PC_LIBS -pthread)
pleat_dependency(TBB::tbbmalloc    DEBIAN libtbb-dev    FIND TBB 2021 COMPONENTS tbbmalloc
                                                        PC_LIBS -ltbbmalloc)
pleat_dependency(PkgConfig::hwloc  DEBIAN libhwloc-dev  PKG_CONFIG hwloc>=2.5)
pleat_dependency(hwy::hwy          DEBIAN libhwy-dev    FIND hwy 1.0.3
                                                        PC_REQUIRES libhwy>=1.0.3)
pleat_dependency(hwy::hwy_contrib  DEBIAN libhwy-dev    FIND hwy 1.0.3
                                                        PC_REQUIRES libhwy-contrib>=1.0.3 libhwy>=1.0.3)

# Finds TARGET for this build, or ends the configuration saying what to install.
function(pleat_find target)
  get_property(known GLOBAL PROPERTY pleat_dependencies)
  if(NOT target IN_LIST known)
    message(FATAL_ERROR "${target} is not in .cmake/dependencies.cmake; describe it there first.")
  endif()
  if(TARGET ${target})
    return()
  endif()
  string(MAKE_C_IDENTIFIER ${target} id)
  get_property(module GLOBAL PROPERTY pleat_${id}_PKG_CONFIG)
  get_property(package GLOBAL PROPERTY pleat_${id}_FIND)
  get_property(debian GLOBAL PROPERTY pleat_${id}_DEBIAN)
  if(module)
    string(REPLACE "PkgConfig::" "" prefix ${target})
    set(what ${module})
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
      pkg_check_modules(${prefix} QUIET IMPORTED_TARGET GLOBAL ${module})
    else()
      string(PREPEND debian "pkgconf ")
    endif()
  else()
    # Global, or a project that takes us in by add_subdirectory could not link us.
    set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
    string(JOIN " " what ${package})
    find_package(${package} QUIET)
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "pleat needs ${target} (${what}), and it was not found. On Debian: "
                        "apt-get install ${debian}; elsewhere point CMAKE_PREFIX_PATH at it.")
  endif()
endfunction()
