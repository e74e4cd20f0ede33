# SPDX-License-Identifier: Apache-2.0
#
# The programs of the README are the examples, which are compiled and run.
cmake_minimum_required(VERSION 3.24)
file(READ ${source}/README.md page)
foreach(example tour.c tour.f90)
  file(READ ${source}/examples/${example} text)
  string(REGEX REPLACE "^[^\n]*SPDX[^\n]*\n" "" text "${text}")
  string(FIND "${page}" "${text}" place)
  if(place EQUAL -1)
    message(SEND_ERROR "README.md has another program than examples/${example}")
  endif()
endforeach()
