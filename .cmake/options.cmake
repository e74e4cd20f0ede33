# SPDX-License-Identifier: Apache-2.0
option(PLEAT_BUILD_TOOL "Build the command-line tool and its benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(PLEAT_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(PLEAT_BUILD_C "Build the library for C, libpleat_c" ${PROJECT_IS_TOP_LEVEL})
option(PLEAT_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(PLEAT_INSTALL "Install the library for find_package and pkg-config" ${PROJECT_IS_TOP_LEVEL})
option(PLEAT_PACKAGES "Make Debian's packages with CPack (.packaging/README.md)" OFF)
option(PLEAT_RIVALS "Look for the libraries `pleat compare` measures us against" ON)
option(PLEAT_MPI "Build what works over MPI, for Open MPI and for MPICH, where they are found"
       ${PROJECT_IS_TOP_LEVEL})
option(PLEAT_JOINED "Compile the sources of a folder together" ON)
option(PLEAT_FAST_LINKER "Link programs with mold or lld, whichever there is" OFF)
option(PLEAT_QUICK_BUILD "Optimise the library well and all else little, for tests; examples have a precompiled header" OFF)
option(PLEAT_WARNINGS_AS_ERRORS "Treat warnings as errors (continuous integration)" OFF)
option(PLEAT_FUZZ "Build libFuzzer's executables of tests/fuzz (clang)" OFF)
set(PLEAT_BUILD_PYTHON OFF CACHE STRING
    "Build the Python module: ON, OFF, AUTO (where Python, NumPy and pybind11 are found)")
set_property(CACHE PLEAT_BUILD_PYTHON PROPERTY STRINGS ON OFF AUTO)
set(PLEAT_TARGETS all CACHE STRING
    "Instruction sets the kernels are compiled for: all, or some of AVX3;AVX2;baseline (what the compiler takes by itself); host is the best of this processor")
set(PLEAT_SANITIZE "" CACHE STRING "Sanitizers for everything built here: address,undefined or thread")
set_property(CACHE PLEAT_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set_property(CACHE CMAKE_BUILD_TYPE PROPERTY VALUE Release)
  endif()
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_CXX_EXTENSIONS OFF)
endif()

# Carried by our own targets only (PRIVATE or BUILD_INTERFACE): consumers get none of it.
add_library(pleat_build_flags INTERFACE)
target_compile_options(pleat_build_flags INTERFACE
  -Wall -Wextra -Wpedantic
  # What one of joined sources names another may name as well.
  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow>
  -Wconversion -Wno-sign-conversion
  # GCC 12 sees overlapping copies in std::string's operator+ where there are none.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<BOOL:${PLEAT_WARNINGS_AS_ERRORS}>:-Werror>)
if(PLEAT_FAST_LINKER)
  include(CheckLinkerFlag)
  foreach(linker mold lld)
    find_program(PLEAT_LD_${linker} ld.${linker})
    mark_as_advanced(PLEAT_LD_${linker})
    if(PLEAT_LD_${linker})
      check_linker_flag(CXX -fuse-ld=${linker} PLEAT_LINKS_WITH_${linker})
      if(PLEAT_LINKS_WITH_${linker})
        target_link_options(pleat_build_flags INTERFACE -fuse-ld=${linker})
        break()
      endif()
    endif()
  endforeach()
endif()
# Flags of the library where all else is optimised less: that takes longer to optimise than to run,
# unless somebody measures it.
set(pleat_library_flags)
if(PLEAT_QUICK_BUILD)
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -foptimize-sibling-calls -DNDEBUG")
  set(pleat_library_flags -O3)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC collects garbage less often: a seventh less time, and up to 2 GB a compiler.
    string(APPEND CMAKE_CXX_FLAGS_RELEASE
           " --param=ggc-min-expand=400 --param=ggc-min-heapsize=1000000")
  endif()
endif()
if(PLEAT_SANITIZE)
  target_compile_options(pleat_build_flags INTERFACE
    -fsanitize=${PLEAT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(pleat_build_flags INTERFACE -fsanitize=${PLEAT_SANITIZE})
  if(PLEAT_SANITIZE MATCHES "address")
    target_compile_definitions(pleat_build_flags INTERFACE PLEAT_RED_ZONES)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # whose coroutines resume each other by tail calls at every level
    set(CMAKE_CXX_FLAGS_DEBUG "-O0 -Wno-pass-failed")  # loops of templates are not vectorised
    # Reports name lines of the library, and functions of tests, which compile a fifth faster like this.
    set(pleat_library_flags -O1 -foptimize-sibling-calls -g1)
  endif()
endif()
