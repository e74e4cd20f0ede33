# SPDX-License-Identifier: Apache-2.0
#
# cmake -D program=COMMAND -D name=NAME -D found=FILE -D folder=FOLDER -D properties=… -P suites.cmake
#
# Writes what CTest reads: a test for each test suite of the GoogleTest program that COMMAND runs, on
# its own or by an emulator. A process for every test takes longer to start than most tests do.
cmake_minimum_required(VERSION 3.24)
execute_process(COMMAND ${program} --gtest_list_tests WORKING_DIRECTORY ${folder} TIMEOUT 60
                OUTPUT_VARIABLE list COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)[^ \n]+\\.[ \n]" lines "${list}")
set(suites)
foreach(line IN LISTS lines)
  string(REGEX REPLACE "\n|\\.[ \n]$" "" suite "${line}")
  string(REGEX REPLACE "/[0-9]+$" "" test "${suite}")  # the same for several types
  if(NOT test IN_LIST suites)
    list(APPEND suites ${test})
    set(filter_${test})
  endif()
  list(APPEND filter_${test} "${suite}.*")
endforeach()
if(NOT suites)
  message(FATAL_ERROR "${program} has no tests")
endif()
list(JOIN program "]=] [=[" words)
set(text)
foreach(test IN LISTS suites)
  list(JOIN filter_${test} ":" filter)
  string(APPEND text "add_test([=[${name}.${test}]=] [=[${words}]=] --gtest_brief=1 --gtest_filter=${filter})\n"
                     "set_tests_properties([=[${name}.${test}]=] PROPERTIES ${properties} WORKING_DIRECTORY [=[${folder}]=])\n")
endforeach()
file(WRITE ${found} "${text}")
