# SPDX-License-Identifier: Apache-2.0
#
# The libraries `pleat compare` measures us against: which are here, and their versions. A missing
# one is no error; it is named here and in the tool's output with the package that brings it.
# Sets PLEAT_WITH_<RIVAL> and PLEAT_<RIVAL>_VERSION; writes pleat_rivals_linked.hpp.

# Header-only and compiler libraries tell no version; the package that brought them does.
function(pleat_package_version variable package)
  set(version "")
  find_program(PLEAT_DPKG_QUERY dpkg-query)
  mark_as_advanced(PLEAT_DPKG_QUERY)
  if(PLEAT_DPKG_QUERY)
    execute_process(COMMAND ${PLEAT_DPKG_QUERY} -W -f "\${Version}" ${package}
                    OUTPUT_VARIABLE version ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  if(NOT version)
    set(version "version unknown")
  endif()
  set(${variable} "${version}" PARENT_SCOPE)
endfunction()

foreach(mpi openmpi mpich)  # .cmake/mpi.cmake has looked for them
  string(TOUPPER ${mpi} MPI)
  set(PLEAT_WITH_${MPI} OFF)
  if(PLEAT_RIVALS AND mpi IN_LIST PLEAT_MPIS)
    set(PLEAT_WITH_${MPI} ON)
  endif()
endforeach()

if(PLEAT_RIVALS)
  find_package(OpenMP QUIET COMPONENTS CXX)
  find_package(TBB 2021 QUIET COMPONENTS tbb)
  find_package(Boost 1.74 QUIET)  # for its version
  find_path(PLEAT_IPS4O_INCLUDE ips4o.hpp)
  find_path(PLEAT_BOOST_SORT_INCLUDE boost/sort/block_indirect_sort/block_indirect_sort.hpp)
  find_library(PLEAT_ATOMIC_LIBRARY NAMES atomic libatomic.so.1)  # for IPS⁴o's 16-byte atomics

  # Loaded at run time, side by side (runtime/rivals/openmp_runtime.hpp). Newest LLVM first.
  file(GLOB llvm_folders LIST_DIRECTORIES true /usr/lib/llvm-*/lib)
  list(SORT llvm_folders COMPARE NATURAL ORDER DESCENDING)
  find_library(PLEAT_LIBOMP_LIBRARY NAMES libomp.so.5 omp PATHS ${llvm_folders})
  find_library(PLEAT_LIBGOMP_LIBRARY NAMES libgomp.so.1 gomp)
  if(NOT PLEAT_LIBGOMP_LIBRARY)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.so.1
                    OUTPUT_VARIABLE gomp ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(IS_ABSOLUTE "${gomp}" AND EXISTS "${gomp}")
      set_property(CACHE PLEAT_LIBGOMP_LIBRARY PROPERTY VALUE "${gomp}")
    endif()
  endif()
  find_library(PLEAT_OPENBLAS_LIBRARY NAMES openblas libopenblas.so.0)  # loaded at run time
  find_library(PLEAT_BLIS_LIBRARY NAMES blis libblis.so.4 PATH_SUFFIXES blis-openmp)  # likewise
  mark_as_advanced(PLEAT_OPENBLAS_LIBRARY PLEAT_BLIS_LIBRARY PLEAT_IPS4O_INCLUDE PLEAT_BOOST_SORT_INCLUDE PLEAT_ATOMIC_LIBRARY
                   PLEAT_LIBOMP_LIBRARY PLEAT_LIBGOMP_LIBRARY)
endif()

# pleat_rival(NAME PACKAGE condition…): PLEAT_WITH_NAME, and the version of the package if it is
# named. pleat_loaded_rival(NAME PACKAGE): of a library that is loaded at run time, also its file.
macro(pleat_rival name package)
  set(PLEAT_WITH_${name} OFF)
  if(PLEAT_RIVALS AND ${ARGN})
    set(PLEAT_WITH_${name} ON)
    if(NOT "${package}" STREQUAL "")
      pleat_package_version(PLEAT_${name}_VERSION ${package})
    endif()
  endif()
endmacro()
macro(pleat_loaded_rival name package)
  pleat_rival(${name} "${package}" PLEAT_${name}_LIBRARY)
  set(PLEAT_${name} "")
  if(PLEAT_WITH_${name})
    file(REAL_PATH "${PLEAT_${name}_LIBRARY}" PLEAT_${name})
  endif()
endmacro()

if(PLEAT_RIVALS)
  find_path(PLEAT_FFTW_INCLUDE fftw3.h)
  foreach(part fftw3 fftw3_omp fftw3f fftw3f_omp fftw3_mpi)
    string(TOUPPER ${part} PART)
    find_library(PLEAT_${PART}_LIBRARY ${part})
    mark_as_advanced(PLEAT_${PART}_LIBRARY)
  endforeach()
  find_library(PLEAT_SCALAPACK_LIBRARY scalapack-openmpi)
  mark_as_advanced(PLEAT_FFTW_INCLUDE PLEAT_SCALAPACK_LIBRARY)
endif()
pleat_rival(TBB "" TARGET TBB::tbb)
set(PLEAT_TBB_VERSION "${TBB_VERSION}")
pleat_rival(OPENMP "" OpenMP_CXX_FOUND)
pleat_rival(GNU_PARALLEL "" OpenMP_CXX_FOUND)
pleat_rival(IPS4O libips4o-dev PLEAT_IPS4O_INCLUDE AND OpenMP_CXX_FOUND AND PLEAT_ATOMIC_LIBRARY)
pleat_rival(BOOST_SORT "" PLEAT_BOOST_SORT_INCLUDE)
pleat_rival(FFTW libfftw3-dev PLEAT_FFTW_INCLUDE AND PLEAT_FFTW3_LIBRARY AND PLEAT_FFTW3_OMP_LIBRARY
            AND PLEAT_FFTW3F_LIBRARY AND PLEAT_FFTW3F_OMP_LIBRARY)
pleat_loaded_rival(OPENBLAS libopenblas0-pthread)
pleat_loaded_rival(BLIS libblis4-openmp)
pleat_rival(SCALAPACK libscalapack-openmpi-dev PLEAT_SCALAPACK_LIBRARY AND PLEAT_WITH_OPENBLAS)
pleat_rival(FFTW_MPI "" PLEAT_WITH_FFTW AND PLEAT_FFTW3_MPI_LIBRARY)  # libfftw3-mpi-dev
pleat_loaded_rival(LIBGOMP libgomp1)
pleat_loaded_rival(LIBOMP "")
if(PLEAT_WITH_LIBOMP)  # its folder tells the version
  set(PLEAT_LIBOMP_VERSION "version unknown")
  if(PLEAT_LIBOMP MATCHES "llvm-([0-9]+)")
    set(PLEAT_LIBOMP_VERSION "LLVM ${CMAKE_MATCH_1}")
    pleat_package_version(version libomp5-${CMAKE_MATCH_1})
    if(NOT version STREQUAL "version unknown")
      set(PLEAT_LIBOMP_VERSION "${version}")
    endif()
  endif()
endif()

# Rivals that no package brings. -D PLEAT_RIVAL_NAME=FOLDER names a checkout, and without it nothing is
# looked for. Sets PLEAT_NAME_HEADERS, the folder in it that `#include <file>` begins at.
macro(pleat_checkout name headers file)
  set(PLEAT_RIVAL_${name} "" CACHE PATH "Folder of a checkout to compare with: bench/README.md")
  set(PLEAT_WITH_${name} OFF)
  if(PLEAT_RIVALS AND PLEAT_RIVAL_${name})
    if(NOT EXISTS "${PLEAT_RIVAL_${name}}/${headers}/${file}")
      message(FATAL_ERROR "PLEAT_RIVAL_${name}: ${PLEAT_RIVAL_${name}} has no ${headers}/${file}; name the "
                          "folder of a checkout, or leave the option out.")
    endif()
    if(NOT OpenMP_CXX_FOUND OR NOT TARGET TBB::tbb)
      message(FATAL_ERROR "PLEAT_RIVAL_${name} needs OpenMP and libtbb-dev.")
    endif()
    set(PLEAT_WITH_${name} ON)
    set(PLEAT_${name}_HEADERS ${headers})
    execute_process(COMMAND git -C "${PLEAT_RIVAL_${name}}" describe --tags --always
                    OUTPUT_VARIABLE PLEAT_${name}_VERSION ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT PLEAT_${name}_VERSION)
      set(PLEAT_${name}_VERSION "a checkout")
    endif()
  endif()
endmacro()
pleat_checkout(IPS2RA include ips2ra.hpp)                 # github.com/ips4o/ips2ra
pleat_checkout(DOVETAIL include parlay/integer_sort.h)    # github.com/ucrparlay/DovetailSort
pleat_checkout(X86_SIMD src x86simdsort-static-incl.h)    # github.com/intel/x86-simd-sort
pleat_checkout(DUCC src ducc0/fft/fftnd_impl.h)           # gitlab.mpcdf.mpg.de/mtr/ducc
if(PLEAT_RIVAL_OPENBLAS)  # built there; instead of the package's
  pleat_checkout(OPENBLAS . libopenblas.so)
  file(REAL_PATH "${PLEAT_RIVAL_OPENBLAS}/libopenblas.so" PLEAT_OPENBLAS)
endif()

configure_file(evidence/rivals/linked.hpp.in generated/pleat_rivals_linked.hpp)

foreach(rival OPENBLAS BLIS LIBGOMP LIBOMP IPS4O FFTW TBB GNU_PARALLEL BOOST_SORT OPENMPI MPICH)
  if(NOT PLEAT_WITH_${rival})
    list(APPEND pleat_missing_rivals ${rival})
  endif()
endforeach()
if(PLEAT_RIVALS AND pleat_missing_rivals)
  list(JOIN pleat_missing_rivals ", " missing)
  message(STATUS "pleat compare goes without ${missing}; on Debian they come with "
                 "libopenblas-pthread-dev, libblis-openmp-dev, libfftw3-dev, libips4o-dev, "
                 "libomp-19-dev, libtbb-dev, libboost-dev, g++, libopenmpi-dev with openmpi-bin, libmpich-dev "
                 "with mpich (bench/run --with-rivals installs them)")
endif()
