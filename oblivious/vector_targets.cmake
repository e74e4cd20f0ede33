# SPDX-License-Identifier: Apache-2.0
#
# Which instruction sets kernels are compiled for (PLEAT_TARGETS), and the sources that do it.

# pleat_host_target(VARIABLE): the best instruction set of this processor among those of
# src/vector_targets.hpp, or nothing if it has none of them.
function(pleat_host_target variable)
  if(CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "PLEAT_TARGETS=host is the processor that compiles, and this build is for "
                        "another one: name instruction sets (-D \"PLEAT_TARGETS=AVX2\"), or all.")
  endif()
  if(NOT DEFINED PLEAT_HOST_TARGET)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/host_target.cpp)
    file(WRITE ${source} "
      #include <cstdio>
      #include <hwy/targets.h>
      int main() {
        const auto has = hwy::SupportedTargets();
        static_cast<void>(has);
      #if HWY_ARCH_X86
        std::puts(has & HWY_AVX3 ? \"AVX3\" : has & HWY_AVX2 ? \"AVX2\" : \"\");
      #endif
      }")
    try_run(ran compiled ${CMAKE_CURRENT_BINARY_DIR}/host_target ${source}
            CMAKE_FLAGS -DCMAKE_BUILD_TYPE=Release
            LINK_LIBRARIES hwy::hwy RUN_OUTPUT_VARIABLE printed COMPILE_OUTPUT_VARIABLE said)
    if(NOT compiled OR NOT ran EQUAL 0)
      message(FATAL_ERROR "PLEAT_TARGETS=host: cannot ask Highway what this processor has; use all. ${said}")
    endif()
    string(STRIP "${printed}" printed)
    set(PLEAT_HOST_TARGET "${printed}" CACHE INTERNAL "The best instruction set of this processor")
  endif()
  set(${variable} ${PLEAT_HOST_TARGET} PARENT_SCOPE)
endfunction()

# pleat_kernels(KERNELS…): src/KERNELS.cpp of pleat_oblivious for each instruction set.
function(pleat_kernels)
  set(targets ${PLEAT_TARGETS})
  if(targets STREQUAL "all")
    set(targets AVX3 AVX2 baseline)
    # These are of x86: elsewhere the sources for them would be empty.
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm|ppc|riscv|s390)")
      set(targets baseline)
    endif()
  endif()
  if("host" IN_LIST targets)
    pleat_host_target(host)
    if(NOT host)
      set(host baseline)
    endif()
    list(TRANSFORM targets REPLACE "^host$" ${host})
    list(REMOVE_DUPLICATES targets)
  endif()
  set(bits)
  foreach(target IN LISTS targets)
    if(NOT target MATCHES "^(AVX3|AVX2|baseline)$")
      message(FATAL_ERROR "PLEAT_TARGETS: '${target}' is no instruction set: all, host, or some of "
                          "AVX3;AVX2;baseline.")
    endif()
    if(NOT target STREQUAL "baseline")
      string(APPEND bits "|HWY_${target}")
    endif()
  endforeach()
  # Highway's inline functions know these: all sources have to have the same.
  if(NOT PLEAT_TARGETS STREQUAL "all")
    target_compile_definitions(pleat_oblivious PRIVATE "PLEAT_VECTOR_TARGETS=(0${bits})")
  endif()
  if(NOT "baseline" IN_LIST targets)
    if(NOT targets MATCHES "^AVX[23]$")
      message(FATAL_ERROR "PLEAT_TARGETS: add baseline to ${PLEAT_TARGETS}: what is compiled for more than "
                          "one instruction set is for processors that have none of them, too.")
    endif()
    target_compile_definitions(pleat_oblivious PRIVATE PLEAT_ONLY_TARGET=${targets})
  endif()
  # Rows of stencils are compiled with the programs that use them, here for the same sets.
  foreach(target IN ITEMS AVX3 AVX2 baseline)
    if(NOT target IN_LIST targets)
      target_compile_definitions(pleat_oblivious
        PUBLIC $<BUILD_INTERFACE:PLEAT_STENCILS_WITHOUT_${target}>)
    endif()
  endforeach()
  foreach(kernels IN LISTS ARGN)
    set_source_files_properties(src/${kernels}.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    foreach(target IN LISTS targets)
      set(name ${target})
      if(target STREQUAL "baseline")
        set(name STATIC_TARGET)
      endif()
      set(source ${CMAKE_CURRENT_BINARY_DIR}/src/${kernels}_${target}.cpp)
      string(CONCAT text
        "#define PLEAT_TARGET HWY_${name}\n"
        "#define PLEAT_TARGET_IS_${name}\n"
        "#include \"vector_targets.hpp\"\n"
        "#ifdef PLEAT_TARGET\n"
        "#include \"${kernels}.cpp\"\n"
        "#endif\n")
      file(CONFIGURE OUTPUT ${source} CONTENT "${text}")
      target_sources(pleat_oblivious PRIVATE ${source})
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      if(PLEAT_SANITIZE MATCHES "address")
        # With both sanitizers an unrolled kernel takes a minute to compile, not optimised too long to
        # run. It has no arithmetic of signed integers but of places, whose accesses are checked.
        set_source_files_properties(${source} PROPERTIES
          COMPILE_OPTIONS -fno-sanitize=undefined SKIP_PRECOMPILE_HEADERS ON)
      elseif(target STREQUAL "baseline" AND NOT targets STREQUAL "baseline" AND NOT PLEAT_PACKAGES)
        # only old processors, and PLEAT_KERNELS, choose it
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
      endif()
    endforeach()
  endforeach()
endfunction()
