# SPDX-License-Identifier: Apache-2.0
#
# Builds the consumer over `mpi` twice, by find_package and with nothing but a compiler and
# pkg-config, and starts each with `launch`.
function(run_on_ranks program)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${prefix}/${libdir}
                          ${launch} ${program} ${ARGN}
                  OUTPUT_VARIABLE said COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  if(NOT said MATCHES "${expected}")
    message(FATAL_ERROR "${program} says '${said}', and should say '${expected}'")
  endif()
endfunction()
set(expected "over 2 ranks")

execute_process(COMMAND ${CMAKE_COMMAND} -G ${generator} -S ${source} -B ${scratch}/build -Dmpi=${mpi}
                        -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${compiler}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${scratch}/build COMMAND_ERROR_IS_FATAL ANY)
run_on_ranks(${scratch}/build/use_mpi)

set(component mpi-${mpi})
include(${CMAKE_CURRENT_LIST_DIR}/options_of.cmake)
execute_process(COMMAND ${compiler} -std=c++20 ${cflags} ${source}/use_mpi.cpp
                        -o ${scratch}/use_mpi ${libs}
                COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
run_on_ranks(${scratch}/use_mpi)

if(with_tool)
  set(expected "pleat-${mpi} ")
  run_on_ranks(${prefix}/${bindir}/pleat-${mpi} --version)
  if(NOT EXISTS ${prefix}/${libdir}/libpleat_mpi_collectives_${mpi}.so)
    message(FATAL_ERROR "the collectives to be preloaded are not installed")
  endif()
endif()
