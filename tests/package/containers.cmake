# SPDX-License-Identifier: Apache-2.0
#
# A program whose standard containers differ from the library's does not link, and the linker says
# which option it is.
set(component runtime)
include(${CMAKE_CURRENT_LIST_DIR}/options_of.cmake)
foreach(option -D_GLIBCXX_DEBUG -D_GLIBCXX_USE_CXX11_ABI=0)
  execute_process(COMMAND ${compiler} -std=c++20 ${option} ${source}/use_runtime.cpp
                          -o ${scratch}/use_runtime ${cflags} ${libs}
                  RESULT_VARIABLE failed ERROR_VARIABLE said)
  string(MAKE_C_IDENTIFIER ${option} name)
  if(NOT failed OR NOT said MATCHES "pleat_must_be_compiled_with${name}_as_this_program_is")
    message(SEND_ERROR "${option} should not link, or for another reason:\n${said}")
  endif()
endforeach()
