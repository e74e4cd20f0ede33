# SPDX-License-Identifier: Apache-2.0
#
# Installs the build tree `build` and moves the result to `prefix`. When `linkage` is not this
# build's own, the library alone is first built as a static or shared one.
cmake_minimum_required(VERSION 3.24)  # what is quoted below is no variable

if(NOT linkage STREQUAL own)
  set(is_shared OFF)
  if(linkage STREQUAL "shared")
    set(is_shared ON)
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -G ${generator} -S ${source} -B ${build} ${toolchain}
                          -DBUILD_SHARED_LIBS=${is_shared} -DPLEAT_BUILD_TOOL=OFF
                          -DPLEAT_BUILD_TESTS=OFF -DPLEAT_BUILD_EXAMPLES=OFF
                          -DPLEAT_TARGETS=baseline  # it is the package that is tested
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} COMMAND_ERROR_IS_FATAL ANY)
endif()

set(staged ${prefix}.staged)
file(REMOVE_RECURSE ${staged} ${prefix})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${staged}
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${staged} ${prefix})

file(GLOB_RECURSE descriptions ${prefix}/*.cmake ${prefix}/*.pc)
if(NOT descriptions)
  message(FATAL_ERROR "no package description was installed")
endif()
foreach(file IN LISTS descriptions)
  file(READ ${file} text)
  foreach(folder ${staged} ${build} ${source})
    string(FIND "${text}" ${folder} where)
    if(NOT where EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}: the installed tree cannot be moved")
    endif()
  endforeach()
  if(text MATCHES "-W(all|extra|error|conversion)|-march|-fsanitize")
    message(FATAL_ERROR "${file} passes ${CMAKE_MATCH_0} on to consumers")
  endif()
endforeach()
