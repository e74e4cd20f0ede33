# SPDX-License-Identifier: Apache-2.0
#
# Builds the sources `names` of foreign/, one program, with `compiler`, which need not be the
# library's, and `options`, and runs it. No warning of a header is accepted.
set(component oblivious)
include(${CMAKE_CURRENT_LIST_DIR}/options_of.cmake)
separate_arguments(options UNIX_COMMAND "${options}")
foreach(name IN LISTS names)
  list(APPEND objects ${scratch}/${name}.o)
  execute_process(COMMAND ${compiler} -std=c++20 ${options} -Werror -c ${source}/${name}.cpp
                          -o ${scratch}/${name}.o ${cflags}
                  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${compiler} ${options} ${objects} -o ${scratch}/program ${libs}
                COMMAND_ECHO STDOUT ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(said MATCHES "warning: .*(odr|null|mismatch)|\\[-W")
  message(FATAL_ERROR "warnings at link time:\n${said}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${prefix}/${libdir}
                        ${scratch}/program COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
