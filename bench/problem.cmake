# SPDX-License-Identifier: Apache-2.0
#
# pleat_problem([SHARED file …] [TOOL file …] [RIVALS file …]): the sources of the problem whose
# folder calls it. For each of the commands run, sweep, evaluate and compare the folder may have a
# file COMMAND_PROBLEM.cpp; those are found. SHARED are for the tool, for pleat-rivals and for the
# tests, TOOL and RIVALS for one of the two programs.
function(pleat_problem)
  cmake_parse_arguments(arg "" "" "SHARED;TOOL;RIVALS" ${ARGN})
  target_sources(pleat_bench PRIVATE ${arg_SHARED})
  if(NOT TARGET pleat_tool)
    return()
  endif()
  get_filename_component(problem ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  foreach(command run sweep evaluate compare)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${command}_${problem}.cpp)
      set_property(GLOBAL APPEND_STRING PROPERTY pleat_${command}_problems " use(${problem})")
      if(command STREQUAL "compare")
        target_sources(pleat_rivals PRIVATE compare_${problem}.cpp)
      elseif(command STREQUAL "sweep")  # which is measured
        target_sources(pleat_tool PRIVATE sweep_${problem}.cpp)
      elseif(command STREQUAL "evaluate")
        target_sources(pleat_studies PRIVATE evaluate_${problem}.cpp)
      else()
        target_sources(pleat_commands PRIVATE run_${problem}.cpp)
      endif()
    endif()
  endforeach()
  target_sources(pleat_commands PRIVATE ${arg_TOOL})
  target_sources(pleat_rivals PRIVATE ${arg_RIVALS})
endfunction()

# pleat_checkout_source(RIVAL FILE): FILE of a problem, which uses the headers of a checkout, if there
# is one (evidence/rivals.cmake). What they define as a function per processor is for this one.
function(pleat_checkout_source rival file)
  if(NOT PLEAT_WITH_${rival})
    return()
  endif()
  pleat_openmp_source(${file} -w -O3 -march=native -isystem ${PLEAT_RIVAL_${rival}}/${PLEAT_${rival}_HEADERS})
  target_link_libraries(pleat_rivals PRIVATE TBB::tbb ${PLEAT_ATOMIC_LIBRARY})
endfunction()

# OpenMP only for the files whose library is written with it: our own code must not change by it.
# These libraries, written before C++17, use parts of the standard one that it deprecated.
function(pleat_openmp_source file)
  target_sources(pleat_rivals PRIVATE ${file})
  set_source_files_properties(${file} TARGET_DIRECTORY pleat_rivals PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "${OpenMP_CXX_FLAGS};-Wno-deprecated-declarations;${ARGN}")
  target_link_libraries(pleat_rivals PRIVATE ${OpenMP_CXX_LIBRARIES})
endfunction()
