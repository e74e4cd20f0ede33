# SPDX-License-Identifier: Apache-2.0
#
# Whichever header of the package a program includes first: with an option without which none can be
# compiled, the compiler prints one sentence that says so, and stops.
set(component oblivious)
include(${CMAKE_CURRENT_LIST_DIR}/options_of.cmake)

# The sentence, and that the compiler stops at a file that is not there, to say nothing else.
function(require_sentence header sentence)
  file(WRITE ${scratch}/includes.cpp "#include <${header}>\n")
  execute_process(COMMAND ${compiler} ${ARGN} -fsyntax-only ${scratch}/includes.cpp ${cflags}
                  RESULT_VARIABLE failed ERROR_VARIABLE said)
  string(REGEX MATCHALL "error:" errors "${said}")
  list(LENGTH errors count)
  if(NOT failed OR NOT count EQUAL 2 OR NOT said MATCHES "error: .*${sentence}"
     OR NOT said MATCHES "fatal error: '?pleat/stops/here")
    message(SEND_ERROR "<${header}> with ${ARGN} should say once \"${sentence}\":\n${said}")
  endif()
endfunction()

file(GLOB headers RELATIVE ${prefix}/${include_dir} ${prefix}/${include_dir}/pleat/*.hpp
                                                    ${prefix}/${include_dir}/pleat/*/*.hpp)
list(REMOVE_ITEM headers pleat/channels/version.hpp)  # macros only, for any language
foreach(header IN LISTS headers)
  require_sentence(${header} "compile with -std=c\\+\\+20" -std=c++17)
endforeach()
require_sentence(pleat/pleat.hpp "compile without -fno-exceptions" -std=c++20 -fno-exceptions)
