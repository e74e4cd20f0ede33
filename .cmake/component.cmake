# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)

# A build for the processor at hand does not run elsewhere. Said here, before the components, it is
# found before anything is installed.
if(PLEAT_INSTALL AND PLEAT_TARGETS STREQUAL "host")
  install(CODE "message(FATAL_ERROR \"This build has kernels for this processor only: configure it with \
-D PLEAT_TARGETS=all, build it again and install that.\")" ALL_COMPONENTS)
endif()

# Shared and static libraries are compiled alike, so that one's objects serve the other (ccache), and
# export what the headers mark with PLEAT_API.
set(pleat_library_code POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)

# Compiled once for all components, with what they have in common.
add_library(pleat_standard_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/standard_headers.cpp)
target_link_libraries(pleat_standard_headers PRIVATE pleat_build_flags)
target_compile_options(pleat_standard_headers PRIVATE ${pleat_library_flags})
target_compile_features(pleat_standard_headers PRIVATE cxx_std_20)
target_precompile_headers(pleat_standard_headers
                          PRIVATE ${CMAKE_CURRENT_LIST_DIR}/standard_headers.hpp)
set_target_properties(pleat_standard_headers PROPERTIES ${pleat_library_code})
# GCC 12 sees copies in std::string that are too long where there are none, and reports them from
# precompiled headers although it does not from the system's.
set(pleat_precompiled_options
  "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:\
-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
target_compile_options(pleat_standard_headers PRIVATE ${pleat_precompiled_options})

# pleat_joined(TARGET [MOST]): its sources are compiled by folder, those of one folder together, in
# parts of at most MOST (16), since most of the time goes to the headers that they have in common. Each
# still compiles on its own: -D PLEAT_JOINED=OFF, as when one source is changed again and again.
function(pleat_joined target)
  if(NOT PLEAT_JOINED)
    return()
  endif()
  set(most 16)
  if(ARGC GREATER 1)
    set(most ${ARGV1})
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(group ${source} UNITY_GROUP)
    if(group OR source MATCHES "^\\$<")
      continue()
    endif()
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR part "0${joined_${folder}} / ${most}")
    math(EXPR joined_${folder} "0${joined_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes what is included for a header's, and warns of types that other sources cannot name.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# pleat_component(NAME DESCRIPTION text HEADERS … [SOURCES …] [PUBLIC …] [PRIVATE …]
#                 [DEFINITIONS …] [STATIC | FOR_C MAP file SOVERSION number])
#
# One component of the library: target pleat_NAME, alias pleat::NAME, its headers as a file set,
# its place in the package. Without sources it is an interface library. PUBLIC and PRIVATE name
# other components (pleat::…) and targets of .cmake/dependencies.cmake, which are found here. A
# pattern among HEADERS or SOURCES stands for the files of a folder, and of those below it, of that
# name. Whoever uses it gets the DEFINITIONS. A STATIC one is never a shared library. One FOR_C always
# is: its headers are for C, it exports what MAP, a version script, names, and asks nothing of who
# links it.
function(pleat_component name)
  cmake_parse_arguments(arg "STATIC;FOR_C" "DESCRIPTION;MAP;SOVERSION"
                        "HEADERS;SOURCES;PUBLIC;PRIVATE;DEFINITIONS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_DESCRIPTION)
    message(FATAL_ERROR "pleat_component(${name}): needs a DESCRIPTION; cannot use "
                        "'${arg_UNPARSED_ARGUMENTS}'")
  endif()
  foreach(item IN LISTS arg_PUBLIC arg_PRIVATE)
    if(NOT item MATCHES "^pleat::")
      pleat_find(${item})
    endif()
  endforeach()
  foreach(list arg_HEADERS arg_SOURCES)
    foreach(pattern IN LISTS ${list})
      if(pattern MATCHES "[*]")
        file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${pattern})
        if(NOT files)
          message(FATAL_ERROR "pleat_component(${name}): there are no files ${pattern}")
        endif()
        list(REMOVE_ITEM ${list} ${pattern})
        list(APPEND ${list} ${files})
      endif()
    endforeach()
  endforeach()

  set(target pleat_${name})
  if(arg_SOURCES)
    set(kind)
    if(arg_STATIC)
      set(kind STATIC)
    elseif(arg_FOR_C)
      set(kind SHARED)
    endif()
    add_library(${target} ${kind} ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC}
                          PRIVATE ${arg_PRIVATE} $<BUILD_INTERFACE:pleat_build_flags>)
    pleat_joined(${target})
    if(NOT arg_FOR_C)
      target_compile_options(${target} PRIVATE ${pleat_library_flags})
    endif()
    # Precompiled headers have no definitions of a component, and the library's flags.
    if(NOT arg_DEFINITIONS AND NOT (arg_FOR_C AND pleat_library_flags))
      target_precompile_headers(${target} REUSE_FROM pleat_standard_headers)
      target_compile_options(${target} PRIVATE ${pleat_precompiled_options})
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC})
  endif()
  add_library(pleat::${name} ALIAS ${target})
  set(soversion ${pleat_soversion})
  if(arg_FOR_C)
    set(soversion ${arg_SOVERSION})
    target_compile_features(${target} PRIVATE cxx_std_20)
    set(map ${CMAKE_CURRENT_SOURCE_DIR}/${arg_MAP})
    target_link_options(${target} PRIVATE LINKER:--version-script=${map})
    set_property(TARGET ${target} PROPERTY LINK_DEPENDS ${map})
  else()
    target_compile_features(${target} ${scope} cxx_std_20)
  endif()
  target_compile_definitions(${target} ${scope} ${arg_DEFINITIONS})
  # Those that only headers of the component include need not compile on their own.
  set(header_sets FILE_SET HEADERS)
  set(detail ${arg_HEADERS})
  list(FILTER detail INCLUDE REGEX "/detail/")
  list(FILTER arg_HEADERS EXCLUDE REGEX "/detail/")
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS include FILES ${arg_HEADERS})
  if(detail)
    target_sources(${target} ${scope} FILE_SET detail TYPE HEADERS BASE_DIRS include FILES ${detail})
    list(APPEND header_sets COMPONENT ${name} FILE_SET detail)
  endif()

  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION ${soversion}
    INSTALL_RPATH "$ORIGIN" DEFINE_SYMBOL "" INTERFACE_HEADER_SETS_TO_VERIFY HEADERS
    ${pleat_library_code})

  set_property(GLOBAL APPEND PROPERTY pleat_components ${name})
  foreach(field DESCRIPTION PUBLIC PRIVATE DEFINITIONS)
    set_property(GLOBAL PROPERTY pleat_${name}_${field} "${arg_${field}}")
  endforeach()
  if(PLEAT_INSTALL)
    set(libraries libraries)
    if(arg_FOR_C)
      set(libraries ${name}_libraries)
    endif()
    install(TARGETS ${target} EXPORT pleat-${name}-targets
            LIBRARY COMPONENT ${libraries} NAMELINK_COMPONENT ${name}
            ARCHIVE COMPONENT ${name} ${header_sets} COMPONENT ${name})
  endif()
endfunction()

# pleat_program(TARGET FOLDER): an executable users get. Target `tool` builds it, and it is installed
# into FOLDER of the prefix, where it finds shared libraries of ours by its own place, so that an
# installed tree can be moved.
function(pleat_program target folder)
  if(NOT TARGET tool)
    add_custom_target(tool)
  endif()
  add_dependencies(tool ${target})
  if(NOT PLEAT_INSTALL)
    return()
  endif()
  if(NOT IS_ABSOLUTE ${folder} AND NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    file(RELATIVE_PATH way /prefix/${folder} /prefix/${CMAKE_INSTALL_LIBDIR})
    set_property(TARGET ${target} PROPERTY INSTALL_RPATH "$ORIGIN/${way}")
  endif()
  install(TARGETS ${target} RUNTIME DESTINATION ${folder} COMPONENT tool)
endfunction()

# pleat_examples(COMPONENT EXAMPLE …): examples/EXAMPLE.cpp of the component, each a program that
# returns 0 if what it shows is right, and may lie in a folder. Where there are tests, each is one.
function(pleat_examples component)
  if(NOT PLEAT_BUILD_EXAMPLES)
    return()
  endif()
  pleat_find(Threads::Threads)
  # Headers that nearly all of them include. That each includes what it uses .ci/clang-check sees.
  if(PLEAT_QUICK_BUILD AND TARGET pleat_runtime AND NOT TARGET pleat_example_headers)
    add_library(pleat_example_headers OBJECT ${PROJECT_SOURCE_DIR}/.cmake/standard_headers.cpp)
    target_link_libraries(pleat_example_headers PRIVATE pleat::runtime Threads::Threads pleat_build_flags)
    target_compile_options(pleat_example_headers PRIVATE -O0)
    target_precompile_headers(pleat_example_headers PRIVATE
      ${PROJECT_SOURCE_DIR}/.cmake/standard_headers.hpp <iostream> <random> <pleat/runtime/machine.hpp>)
  endif()
  foreach(example IN LISTS ARGN)
    string(REPLACE "/" "_" target example_${component}_${example})
    add_executable(${target} examples/${example}.cpp)
    target_link_libraries(${target} PRIVATE pleat::${component} Threads::Threads pleat_build_flags)
    # Stencils of many steps take longer to run without optimisation than with it to compile.
    if(TARGET pleat_example_headers AND NOT example MATCHES "^(heat|plate)$")
      target_compile_options(${target} PRIVATE -O0)
      target_precompile_headers(${target} REUSE_FROM pleat_example_headers)
      target_compile_options(${target} PRIVATE ${pleat_precompiled_options})
    endif()
    if(PLEAT_BUILD_TESTS)
      string(REPLACE "/" "." test example.${component}.${example})
      add_test(NAME ${test} COMMAND ${target})
      set_tests_properties(${test} PROPERTIES TIMEOUT 60 LABELS example)
      pleat_selectable(LABEL example TESTS ${test} TARGETS ${target})
    endif()
  endforeach()
endfunction()
