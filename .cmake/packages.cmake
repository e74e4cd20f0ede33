# SPDX-License-Identifier: Apache-2.0
#
# Debian's packages, made by CPack (.packaging/README.md): libpleat0, the shared libraries; libpleat-c1,
# the one for C, whose number stays when libpleat0's changes; libpleat-dev, what programs are compiled
# with; pleat, the tool.
if(NOT BUILD_SHARED_LIBS)
  message(FATAL_ERROR "Packages are made of shared libraries: -D BUILD_SHARED_LIBS=ON with "
                      "PLEAT_PACKAGES, or cmake --preset package.")
endif()
if(PLEAT_MPI)
  message(FATAL_ERROR "Packages have nothing over MPI: -D PLEAT_MPI=OFF with PLEAT_PACKAGES, or cmake "
                      "--preset package.")
endif()
set(pleat_debian ${PROJECT_SOURCE_DIR}/.packaging/debian)
set(library libpleat${pleat_soversion})
set(libraries ${library})
if(TARGET pleat_c)
  get_target_property(c_soversion pleat_c SOVERSION)
  set(c_library libpleat-c${c_soversion})
  list(APPEND libraries ${c_library})
endif()

# The version, and the maintainer unless Debian's variables name who builds.
file(STRINGS ${pleat_debian}/changelog entry LIMIT_COUNT 1)
file(STRINGS ${pleat_debian}/changelog signature REGEX "^ -- .*>")
string(REGEX MATCH "^pleat \\(([^-)]+)-([^)]+)\\)" found "${entry}")
set(CPACK_DEBIAN_PACKAGE_RELEASE ${CMAKE_MATCH_2})
if(NOT CMAKE_MATCH_1 STREQUAL PROJECT_VERSION)
  message(FATAL_ERROR ".packaging/debian/changelog begins with '${entry}'; this is pleat "
                      "${PROJECT_VERSION}: add an entry.")
endif()
list(GET signature 0 signature)
string(REGEX REPLACE "^ -- (.*>).*" "\\1" CPACK_DEBIAN_PACKAGE_MAINTAINER "${signature}")
if(DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGE_CONTACT "${CPACK_DEBIAN_PACKAGE_MAINTAINER}")
set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

# The symbols file of the library for C: for each function, the first version of the package that has
# it. dpkg-shlibdeps reads there which version a package of somebody else's program has to depend on.
set(PLEAT_C_1_since 0.9.0)
if(TARGET pleat_c)
  set(symbols ${PROJECT_BINARY_DIR}/package/symbols)
  set(text "libpleat_c.so.${c_soversion} ${c_library} #MINVER#\n")
  file(READ ${PROJECT_SOURCE_DIR}/oblivious/c/pleat.map map)
  string(REGEX REPLACE "#[^\n]*" "" map "${map}")
  string(REGEX MATCHALL "PLEAT_C_[0-9]+ {|pleat_[a-z0-9_]+" map "${map}")
  foreach(symbol IN LISTS map)
    string(REGEX REPLACE " {$" "" symbol "${symbol}")
    if(symbol MATCHES "^PLEAT_C_")
      set(node ${symbol})
      if(NOT DEFINED ${node}_since)
        message(FATAL_ERROR "oblivious/c/pleat.map has ${node}: set ${node}_since in "
                            ".cmake/packages.cmake to the version that releases it.")
      endif()
    endif()
    string(APPEND text " ${symbol}@${node} ${${node}_since}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${symbols} CONTENT "${text}" @ONLY)
endif()

# The Debian packages that have the headers of what programs link when they link a component.
set(needed)
foreach(name IN LISTS pleat_components)
  pleat_link_items(${name} items)
  list(FILTER items EXCLUDE REGEX "^pleat::")
  foreach(item IN LISTS items)
    string(MAKE_C_IDENTIFIER ${item} id)
    get_property(debian GLOBAL PROPERTY pleat_${id}_DEBIAN)
    get_property(package GLOBAL PROPERTY pleat_${id}_FIND)
    if(package MATCHES "^[^;]+;([0-9.]+)")
      string(APPEND debian " (>= ${CMAKE_MATCH_1})")
    endif()
    list(APPEND needed ${debian})
  endforeach()
endforeach()
list(REMOVE_DUPLICATES needed)
list(TRANSFORM libraries APPEND " (= ${version})")
string(JOIN ", " needed ${libraries} ${needed})

# pleat_package(GROUP name section description component…): the package `name`, and in it
# what Debian wants beside the components.
find_program(PLEAT_GZIP gzip REQUIRED)
mark_as_advanced(PLEAT_GZIP)
function(pleat_compressed file result)
  cmake_path(GET file FILENAME name)
  set(compressed ${PROJECT_BINARY_DIR}/package/${name}.gz)
  execute_process(COMMAND ${PLEAT_GZIP} -9 -n -c ${file} OUTPUT_FILE ${compressed}
                  COMMAND_ERROR_IS_FATAL ANY)
  set(${result} ${compressed} PARENT_SCOPE)
endfunction()
pleat_compressed(${pleat_debian}/changelog changelog)
pleat_compressed(${pleat_debian}/pleat.1 manual)
pleat_compressed(${PROJECT_SOURCE_DIR}/CHANGELOG.md upstream_changelog)
macro(pleat_package group name section description)
  string(TOUPPER ${group} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}")
  set(components ${ARGN})
  foreach(component IN LISTS components)
    string(TOUPPER ${component} component_upper)
    set(CPACK_COMPONENT_${component_upper}_GROUP ${group})
  endforeach()
  list(APPEND CPACK_COMPONENTS_ALL ${components})
  list(GET components 0 first)
  install(FILES ${pleat_debian}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
          COMPONENT ${first})
  install(FILES ${changelog} RENAME changelog.Debian.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${first})
  if(EXISTS ${pleat_debian}/${group}.lintian-overrides)
    install(FILES ${pleat_debian}/${group}.lintian-overrides RENAME ${name}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT ${first})
  endif()
endmacro()

set(CPACK_COMPONENTS_ALL)
set(about "Programs are written once, for any number of virtual processors that\n\
exchange messages in supersteps, and run folded onto the cores of one\n\
machine: sorts, Fourier transforms, matrix products, stencils, everyday\n\
algorithms over ranges, collective operations.")
pleat_package(library ${library} libs
  "${about}\n.\nThis package has the shared libraries." libraries)
if(TARGET pleat_c)
  pleat_package(c_library ${c_library} libs
    "${about}\n.\nThis package has the shared library for programs in C and Fortran." c_libraries)
endif()
pleat_package(development libpleat-dev libdevel
  "${about}\n.\nThis package has the headers, and files for CMake and pkg-config."
  ${pleat_components})
pleat_package(tool pleat science
  "The tool shows the machine's processors and memory, runs and measures\n\
the programs of libpleat, evaluates what they cost on other machines, and\n\
makes reports of results."
  tool)
install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)
install(FILES ${upstream_changelog} RENAME changelog.gz
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libpleat-dev COMPONENT channels)
foreach(name IN LISTS pleat_components)
  if(name STREQUAL "pleat")  # those of the others
    continue()
  endif()
  get_target_property(folder pleat_${name} SOURCE_DIR)
  install(DIRECTORY ${folder}/examples/ COMPONENT ${name}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libpleat-dev/examples/${name})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_MULTIARCH same)
set(CPACK_DEBIAN_C_LIBRARY_PACKAGE_MULTIARCH same)
# What other libraries a package needs is read from its files; of ours, they need the same version.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS)
foreach(name IN LISTS pleat_components)
  get_target_property(folder pleat_${name} BINARY_DIR)
  list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${folder})
endforeach()
# Programs work with later versions too, as long as the number behind the name is the same.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${pleat_debian}/triggers)
set(CPACK_DEBIAN_C_LIBRARY_PACKAGE_CONTROL_EXTRA ${pleat_debian}/triggers)
if(TARGET pleat_c)
  list(APPEND CPACK_DEBIAN_C_LIBRARY_PACKAGE_CONTROL_EXTRA ${symbols})
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${needed}")
set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "${library} (= ${version})")
include(CPack)
