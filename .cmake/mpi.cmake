# SPDX-License-Identifier: Apache-2.0
#
# What works over MPI is built once for each MPI that is here, because their binary interfaces
# differ and a process can have only one of them. A missing MPI is no error.
#
#   PLEAT_MPIS               the names of those found: openmpi, mpich
#   PLEAT_OPENMPI_VERSION    likewise PLEAT_MPICH_…
#   PLEAT_OPENMPI_LAUNCHER   its own mpirun
#   pleat_link_mpi(TARGET NAME SCOPE)        compiles and links TARGET with that MPI, SCOPE PRIVATE or so
#   pleat_mpi_command(RESULT NAME RANKS [VARIABLE=value …])
#                                            the words that start RANKS ranks, before the program's

# pleat_find_mpi(NAME pkg-config-module launcher words-of-its-version): adds NAME to PLEAT_MPIS if
# the library and its own launcher are here; several MPIs can be installed side by side, and each
# calls its launcher mpirun.
function(pleat_find_mpi name module launcher words)
  string(TOUPPER ${name} NAME)
  find_package(PkgConfig QUIET)
  if(NOT PkgConfig_FOUND)
    return()
  endif()
  pkg_check_modules(PLEAT_${NAME} QUIET IMPORTED_TARGET GLOBAL ${module})
  if(NOT PLEAT_${NAME}_FOUND)
    return()
  endif()
  find_program(PLEAT_${NAME}_LAUNCHER NAMES mpirun.${launcher} mpiexec.${launcher} mpirun mpiexec
               HINTS ${PLEAT_${NAME}_PREFIX}/bin)
  mark_as_advanced(PLEAT_${NAME}_LAUNCHER)
  if(NOT PLEAT_${NAME}_LAUNCHER)
    return()
  endif()
  execute_process(COMMAND ${PLEAT_${NAME}_LAUNCHER} --version OUTPUT_VARIABLE says ERROR_QUIET)
  if(says MATCHES "${words}")
    set(PLEAT_MPIS ${PLEAT_MPIS} ${name} PARENT_SCOPE)
    set(PLEAT_${NAME}_VERSION "${PLEAT_${NAME}_VERSION}" PARENT_SCOPE)
  endif()
endfunction()

set(PLEAT_MPIS "")
if(PLEAT_MPI OR PLEAT_RIVALS)
  pleat_find_mpi(openmpi ompi-c openmpi "Open MPI|OpenRTE")
  pleat_find_mpi(mpich mpich hydra HYDRA)
endif()
if(PLEAT_MPI AND NOT PLEAT_MPIS)
  message(STATUS "What works over MPI is left out: neither Open MPI nor MPICH is here; on Debian they "
                 "come with libopenmpi-dev and openmpi-bin, libmpich-dev and mpich")
endif()

# Their interface for C++ is not part of MPI any more.
set(pleat_mpi_definitions OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

# For components over an MPI, as .cmake/dependencies.cmake has it for others.
pleat_dependency(PkgConfig::PLEAT_OPENMPI  DEBIAN libopenmpi-dev  PKG_CONFIG ompi-c)
pleat_dependency(PkgConfig::PLEAT_MPICH    DEBIAN libmpich-dev    PKG_CONFIG mpich)

function(pleat_link_mpi target name scope)
  string(TOUPPER ${name} NAME)
  target_compile_definitions(${target} ${scope} ${pleat_mpi_definitions})
  target_link_libraries(${target} ${scope} PkgConfig::PLEAT_${NAME})
endfunction()

# More ranks than cores, as root too: tests run in containers. A waiting rank yields its core, or
# the ranks that could go on would not run.
function(pleat_mpi_command result name ranks)
  string(TOUPPER ${name} NAME)
  set(words ${PLEAT_${NAME}_LAUNCHER})
  if(name STREQUAL "openmpi")
    list(APPEND words --allow-run-as-root --oversubscribe --bind-to none
         --mca mpi_yield_when_idle 1 --mca btl_base_warn_component_unused 0)
    foreach(setting IN LISTS ARGN)
      list(APPEND words -x ${setting})
    endforeach()
  else()
    foreach(setting IN LISTS ARGN)
      string(REGEX REPLACE "^([^=]*)=(.*)$" "\\1;\\2" pair "${setting}")
      list(APPEND words -genv ${pair})
    endforeach()
  endif()
  set(${result} ${words} -n ${ranks} PARENT_SCOPE)
endfunction()
