# SPDX-License-Identifier: Apache-2.0
#
# find_package(pleat) and pkg-config files: one config that knows all components, and for each
# component its targets, the packages it needs and a .pc file. Everything is found relative to
# itself, so that an installed tree can be moved.
include(CMakePackageConfigHelpers)

get_property(pleat_components GLOBAL PROPERTY pleat_components)  # each after those it needs
set(pleat_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pleat)
set(pleat_generated_dir ${PROJECT_BINARY_DIR}/package)

# The way from ${directory} of the installed tree back to its prefix; nothing if it lies elsewhere.
function(pleat_way_to_prefix directory result)
  if(IS_ABSOLUTE ${directory})
    set(${result} "" PARENT_SCOPE)
  else()
    file(RELATIVE_PATH way /prefix/${directory} /prefix)
    string(REGEX REPLACE "/$" "" way ${way})
    set(${result} ${way} PARENT_SCOPE)
  endif()
endfunction()

# What links to `pleat::NAME` must link too: its public part, and with a static library all of it; a
# shared one finds the rest itself.
function(pleat_link_items name result)
  get_property(items GLOBAL PROPERTY pleat_${name}_PUBLIC)
  get_property(private_items GLOBAL PROPERTY pleat_${name}_PRIVATE)
  get_target_property(type pleat_${name} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND items ${private_items})
  endif()
  set(${result} "${items}" PARENT_SCOPE)
endfunction()

# The find_package side: the lines of pleat-NAME.cmake that look for what NAME needs.
function(pleat_package_lines name result)
  pleat_link_items(${name} items)
  set(lines)
  foreach(item IN LISTS items)
    if(item MATCHES "^pleat::(.*)")
      string(APPEND lines "_pleat_require_component(${name} ${CMAKE_MATCH_1})\n")
      continue()
    endif()
    string(MAKE_C_IDENTIFIER ${item} id)
    get_property(module GLOBAL PROPERTY pleat_${id}_PKG_CONFIG)
    get_property(package GLOBAL PROPERTY pleat_${id}_FIND)
    get_property(debian GLOBAL PROPERTY pleat_${id}_DEBIAN)
    if(module)
      string(APPEND lines "_pleat_require_module(${name} ${item} ${debian} \"${module}\")\n")
    else()
      string(JOIN " " package ${package})
      string(APPEND lines "_pleat_require_package(${name} ${item} ${debian} ${package})\n")
    endif()
  endforeach()
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# The pkg-config side: modules to require and words for the linker, for a list of link items.
function(pleat_pc_words modules libs cflags)
  set(required)
  set(words)
  set(flags)
  foreach(item IN LISTS ARGN)
    if(item MATCHES "^pleat::(.*)")
      string(REPLACE "_" "-" component ${CMAKE_MATCH_1})
      list(APPEND required "pleat-${component} = ${PROJECT_VERSION}")
      continue()
    endif()
    string(MAKE_C_IDENTIFIER ${item} id)
    get_property(pc_requires GLOBAL PROPERTY pleat_${id}_PC_REQUIRES)
    get_property(pc_libs GLOBAL PROPERTY pleat_${id}_PC_LIBS)
    foreach(module IN LISTS pc_requires)
      string(REGEX REPLACE "([<>=]+)" " \\1 " module ${module})
      list(APPEND required ${module})
    endforeach()
    if(NOT pc_requires)  # nobody else's .pc file says where it is
      get_target_property(folders ${item} INTERFACE_INCLUDE_DIRECTORIES)
      foreach(folder IN LISTS folders)
        if(folder AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
          list(APPEND flags -I${folder})
        endif()
      endforeach()
      pleat_library_folder(${item} folder)
      if(folder AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
        list(APPEND words -L${folder})
      endif()
      list(APPEND words ${pc_libs})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES required)
  list(REMOVE_DUPLICATES flags)
  string(JOIN ", " required ${required})
  string(JOIN " " words ${words})
  string(JOIN " " flags ${flags})
  set(${modules} "${required}" PARENT_SCOPE)
  set(${libs} "${words}" PARENT_SCOPE)
  set(${cflags} "${flags}" PARENT_SCOPE)
endfunction()

# The folder an imported library lies in; nothing for targets that are no file.
function(pleat_library_folder target result)
  set(${result} "" PARENT_SCOPE)
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  foreach(configuration IN LISTS configurations)
    get_target_property(location ${target} IMPORTED_LOCATION_${configuration})
    if(location)
      cmake_path(GET location PARENT_PATH folder)
      set(${result} ${folder} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

foreach(name IN LISTS pleat_components)
  pleat_package_lines(${name} pleat_component_needs)
  configure_file(.cmake/pleat-component.cmake.in ${pleat_generated_dir}/pleat-${name}.cmake @ONLY)
  install(EXPORT pleat-${name}-targets NAMESPACE pleat:: DESTINATION ${pleat_cmake_dir}
          COMPONENT ${name})
  install(FILES ${pleat_generated_dir}/pleat-${name}.cmake DESTINATION ${pleat_cmake_dir}
          COMPONENT ${name})

  pleat_link_items(${name} items)
  pleat_pc_words(pc_requires pc_libs pc_cflags ${items})
  get_property(definitions GLOBAL PROPERTY pleat_${name}_DEFINITIONS)
  foreach(definition IN LISTS definitions)
    string(APPEND pc_cflags " -D${definition}")
  endforeach()
  string(REPLACE "_" "-" pc_name pleat-${name})
  if(name STREQUAL "pleat")  # all of them
    set(pc_name pleat)
  endif()
  get_property(pc_description GLOBAL PROPERTY pleat_${name}_DESCRIPTION)
  get_target_property(type pleat_${name} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    string(STRIP "-L\${libdir} -lpleat_${name} ${pc_libs}" pc_libs)
  endif()
  pleat_way_to_prefix(${CMAKE_INSTALL_LIBDIR}/pkgconfig way)
  if(way)
    set(pc_prefix "\${pcfiledir}/${way}")
  else()
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
  endif()
  foreach(folder LIBDIR INCLUDEDIR)
    set(pc_${folder} ${CMAKE_INSTALL_${folder}})
    if(NOT IS_ABSOLUTE ${pc_${folder}})
      string(PREPEND pc_${folder} "\${prefix}/")
    endif()
  endforeach()
  configure_file(.cmake/pleat-component.pc.in ${pleat_generated_dir}/${pc_name}.pc @ONLY)
  install(FILES ${pleat_generated_dir}/${pc_name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${name})
endforeach()

configure_package_config_file(.cmake/pleat-config.cmake.in ${pleat_generated_dir}/pleat-config.cmake
  INSTALL_DESTINATION ${pleat_cmake_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${pleat_generated_dir}/pleat-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${pleat_generated_dir}/pleat-config.cmake
              ${pleat_generated_dir}/pleat-config-version.cmake
        DESTINATION ${pleat_cmake_dir} COMPONENT channels)
install(FILES README.md runtime/docs/environment.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT channels)
if(NOT PLEAT_PACKAGES)  # Debian has other names for them
  install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT channels)
endif()
