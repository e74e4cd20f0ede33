# SPDX-License-Identifier: Apache-2.0
#
# Every header of every component of `source` is installed under `prefix`: one missing from its
# component's list would compile in the build tree and be missing from the package.
file(GLOB folders RELATIVE ${source} ${source}/*/include)
foreach(folder IN LISTS folders)
  file(GLOB_RECURSE paths RELATIVE ${source}/${folder} ${source}/${folder}/*.hpp)
  foreach(path IN LISTS paths)
    if(NOT EXISTS ${prefix}/${include_dir}/${path})
      message(SEND_ERROR "${folder}/${path} is not installed; list it in its CMakeLists.txt")
    endif()
  endforeach()
endforeach()
