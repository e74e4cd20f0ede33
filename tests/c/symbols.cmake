# SPDX-License-Identifier: Apache-2.0
#
# The library exports the functions that its header declares, each with the version of its map, and
# nothing else; the module of Fortran has them too. Thread-local variables of the library are not
# static, for which dlopen may have no room.
cmake_minimum_required(VERSION 3.24)
file(READ ${source}/include/pleat.h header)
string(REGEX MATCHALL "\nPLEAT_C_API [^;(]*\\(" declared "${header}")
list(TRANSFORM declared REPLACE ".*[ *](pleat_[a-z_]+)\\($" "\\1")
execute_process(COMMAND ${nm} --dynamic --defined-only --with-symbol-versions --format=posix ${library}
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
set(exported)
foreach(symbol IN LISTS symbols)
  if(symbol MATCHES "^(pleat_[a-z_]+)@@PLEAT_C_1 T ")
    list(APPEND exported ${CMAKE_MATCH_1})
  elseif(NOT symbol MATCHES "^PLEAT_C_1(@@PLEAT_C_1)? A ")
    message(SEND_ERROR "${library} exports ${symbol}")
  endif()
endforeach()
list(SORT declared)
list(SORT exported)
list(LENGTH declared count)
if(count LESS 30 OR NOT declared STREQUAL exported)
  message(FATAL_ERROR "pleat.h declares ${declared}; ${library} exports ${exported}: add to pleat.map")
endif()
file(READ ${source}/fortran/pleat.f90 module)
list(REMOVE_ITEM declared pleat_status_name pleat_topology_text)  # which Fortran can do without
foreach(name IN LISTS declared)
  if(NOT module MATCHES "(function|subroutine) ${name}\\(")
    message(SEND_ERROR "pleat.f90 lacks ${name}")
  endif()
endforeach()
execute_process(COMMAND ${readelf} -d ${library} OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
if(flags MATCHES "STATIC_TLS")
  message(SEND_ERROR "${library} has static thread-local variables (STATIC_TLS): is one initial-exec?")
endif()
message(STATUS "${count} functions")
