# SPDX-License-Identifier: Apache-2.0

# pleat_selectable(LABEL label [NIGHTLY] TESTS test… [TARGETS target…])
#
# Says what must be built before these tests of CTest run: TARGETS, as far as they are there. NIGHTLY
# ones have the label nightly besides: .ci/nightly runs them, and .ci/run does not. What is said of all
# tests goes to tests.txt in the build folder, where tests/run looks it up, a line for each:
# labels|test|targets.
function(pleat_selectable)
  cmake_parse_arguments(arg "NIGHTLY" "LABEL" "TESTS;TARGETS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_LABEL OR NOT arg_TESTS)
    message(FATAL_ERROR "pleat_selectable: needs LABEL and TESTS; cannot use '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  list(JOIN arg_TARGETS "," targets)
  if(arg_NIGHTLY)
    set_property(TEST ${arg_TESTS} APPEND PROPERTY LABELS nightly)
    string(APPEND arg_LABEL ",nightly")
  endif()
  foreach(test IN LISTS arg_TESTS)
    set_property(GLOBAL APPEND PROPERTY pleat_selectable "${arg_LABEL}|${test}|${targets}")
  endforeach()
endfunction()

# pleat_suites_in(RESULT source…): the test suites that GoogleTest's macros in these sources begin, as
# GoogleTest calls them.
function(pleat_suites_in result)
  set(suites)
  foreach(source IN LISTS ARGN)
    file(READ ${source} text)
    string(REGEX MATCHALL "\n(TYPED_)?TEST(_F)?\\([A-Za-z0-9_]+" plain "${text}")
    list(TRANSFORM plain REPLACE ".*\\(" "")
    string(REGEX MATCHALL "\nINSTANTIATE_(TYPED_)?TEST_SUITE_P\\([^,]*,[ \n]*[A-Za-z0-9_]+" many "${text}")
    list(TRANSFORM many REPLACE ".*\\(([^,]*),[ \n]*" "\\1/")
    list(TRANSFORM many REPLACE "^/|[ \n]" "")
    list(APPEND suites ${plain} ${many})
  endforeach()
  list(REMOVE_DUPLICATES suites)
  set(${result} ${suites} PARENT_SCOPE)
endfunction()

# Writes tests.txt, when all targets are known.
function(pleat_write_selectable)
  get_property(lines GLOBAL PROPERTY pleat_selectable)
  set(text)
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^(.*\\|)([^|]*)$" line "${line}")
    string(REPLACE "," ";" targets "${CMAKE_MATCH_2}")
    set(line "${CMAKE_MATCH_1}")
    set(there)
    foreach(target IN LISTS targets)
      if(TARGET ${target})
        list(APPEND there ${target})
      endif()
    endforeach()
    list(JOIN there "," there)
    string(APPEND text "${line}${there}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/tests.txt CONTENT "${text}" @ONLY)
endfunction()
