# SPDX-License-Identifier: Apache-2.0
#
# The words of pkg-config for programs that use `component` of the package in `prefix`:
# `cflags`, `libs`.
set(ENV{PKG_CONFIG_PATH} ${prefix}/${libdir}/pkgconfig)
foreach(words cflags libs)
  execute_process(COMMAND ${pkg_config} --${words} pleat-${component}
                  OUTPUT_VARIABLE ${words} OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(${words} UNIX_COMMAND "${${words}}")
endforeach()
file(MAKE_DIRECTORY ${scratch})
