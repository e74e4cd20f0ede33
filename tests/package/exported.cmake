# SPDX-License-Identifier: Apache-2.0
#
# The shared libraries under `prefix` export the interface that PLEAT_API marks, and of other code
# only instances of the standard library's templates. Names are told apart as the compiler mangles
# them: 5pleat is our namespace, S and St the standard's.
set(ours "^_Z(GV|T[A-Z]|Z)*(N[VKRO]*)?5pleat|^pleat_must_be_compiled_with")
set(standard "^_Z(GV|T[A-Z]|Z)*(N[VKRO]*)?(S[a-z]|9__gnu_cxx)")
# Kernels for one kind of vector instructions, and what only sources declare.
set(internal "5N_(AVX|SSE|EMU|NEON)|8N_SCALAR|8N_STATIC|_GLOBAL__N_|machine4body")

foreach(component runtime collectives oblivious)
  set(library ${prefix}/${libdir}/libpleat_${component}.so)
  execute_process(COMMAND ${nm} --dynamic --defined-only --format=posix ${library}
                  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
  set(count 0)
  foreach(symbol IN LISTS symbols)
    string(REGEX MATCH "^([^ ]+) (.)" found "${symbol}")
    set(name ${CMAKE_MATCH_1})
    set(kind ${CMAKE_MATCH_2})
    if(name MATCHES "${ours}" AND NOT name MATCHES "${internal}")
      math(EXPR count "${count} + 1")
    elseif(NOT (name MATCHES "${standard}" AND kind MATCHES "[WVu]"))
      message(SEND_ERROR "libpleat_${component}.so exports ${name} (${kind}), which is no interface; "
                         "is something missing of -fvisibility=hidden?")
    endif()
  endforeach()
  if(count EQUAL 0)
    message(SEND_ERROR "libpleat_${component}.so exports nothing")
  endif()
  message(STATUS "libpleat_${component}.so exports ${count} symbols")
endforeach()
