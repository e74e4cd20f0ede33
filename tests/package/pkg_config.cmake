# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs the consumer's programs with nothing but a compiler and pkg-config, each with the
# words of its one component.
set(ENV{PKG_CONFIG_PATH} ${prefix}/${libdir}/pkgconfig)
file(MAKE_DIRECTORY ${scratch})
foreach(component channels runtime collectives oblivious pleat)
  string(REGEX REPLACE "-pleat$" "" module pleat-${component})
  execute_process(COMMAND ${pkg_config} --cflags --libs ${module}
                  OUTPUT_VARIABLE words OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words UNIX_COMMAND "${words}")
  execute_process(COMMAND ${compiler} -std=c++20 ${source}/use_${component}.cpp
                          -o ${scratch}/use_${component} ${words}
                  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${prefix}/${libdir}
                          ${scratch}/use_${component}
                  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endforeach()
if(c_compiler)  # the library for C is built, and has a program of its own
  execute_process(COMMAND ${pkg_config} --cflags --libs pleat-c OUTPUT_VARIABLE words
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words UNIX_COMMAND "${words}")
  execute_process(COMMAND ${c_compiler} -std=c99 ${c_source} -o ${scratch}/use_c ${words}
                  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${prefix}/${libdir} ${scratch}/use_c
                  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endif()
