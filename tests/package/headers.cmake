# SPDX-License-Identifier: Apache-2.0
#
# Every header of every component of `source` is installed under `prefix`: one missing from its
# component's list would compile in the build tree and be missing from the package. And pleat.hpp
# includes those that are for users (not the ones in folders of their own).
file(READ ${prefix}/${include_dir}/pleat/pleat.hpp all)
file(GLOB folders RELATIVE ${source} ${source}/*/include)
foreach(folder IN LISTS folders)
  file(GLOB_RECURSE paths RELATIVE ${source}/${folder} ${source}/${folder}/*.hpp)
  foreach(path IN LISTS paths)
    if(NOT EXISTS ${prefix}/${include_dir}/${path})
      message(SEND_ERROR "${folder}/${path} is not installed; list it in its CMakeLists.txt")
    endif()
    if(path MATCHES "^pleat/[a-z]+/[a-z_]+\\.hpp$" AND NOT all MATCHES "#include <${path}>")
      message(SEND_ERROR "pleat/pleat.hpp lacks ${path}")
    endif()
  endforeach()
endforeach()
