# SPDX-License-Identifier: Apache-2.0
#
# Every public header of `source` has an example: one of its component's that includes it. What is
# in a folder named detail is not public.
file(GLOB examples ${source}/*/examples/*.[ch]pp)
set(included)
foreach(example IN LISTS examples)
  file(STRINGS ${example} lines REGEX "^#include <pleat/")
  list(APPEND included ${lines})
endforeach()
file(GLOB_RECURSE headers ${source}/*/include/pleat/*.hpp)
list(FILTER headers EXCLUDE REGEX "/detail/")
foreach(header IN LISTS headers)
  string(REGEX REPLACE ".*/include/" "" name ${header})
  list(FIND included "#include <${name}>" place)
  if(place EQUAL -1)
    message(SEND_ERROR "<${name}> has no example; include it in one of its component's examples")
  endif()
endforeach()
