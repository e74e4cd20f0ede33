# SPDX-License-Identifier: Apache-2.0

# Target docs: the reference documentation in <build>/docs/html, from the comments of the public
# headers and from the READMEs. Whatever Doxygen warns of is an error.
find_package(Doxygen 1.9.4 QUIET)
find_path(PLEAT_DOXYGEN_STYLE doxygen-awesome.css PATH_SUFFIXES share/doxygen-awesome-css
          DOC "Folder of doxygen-awesome.css")
mark_as_advanced(PLEAT_DOXYGEN_STYLE)
if(NOT DOXYGEN_FOUND OR NOT PLEAT_DOXYGEN_STYLE)
  add_custom_target(docs
    COMMAND ${CMAKE_COMMAND} -E echo
            "docs: needs Doxygen 1.9.4 and doxygen-awesome-css: .ci/install docs, and configure again"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
  return()
endif()

set(DOXYGEN_OUTPUT_DIRECTORY docs)
set(DOXYGEN_USE_MDFILE_AS_MAINPAGE ${PROJECT_SOURCE_DIR}/README.md)
set(DOXYGEN_FULL_PATH_NAMES YES)
set(DOXYGEN_STRIP_FROM_PATH ${PROJECT_SOURCE_DIR})
set(DOXYGEN_IMAGE_PATH ${PROJECT_SOURCE_DIR}/bench/evidence/figures ${PROJECT_SOURCE_DIR}/bench/docs
    ${PROJECT_SOURCE_DIR}/runtime/docs)
set(DOXYGEN_HTML_EXTRA_STYLESHEET ${PLEAT_DOXYGEN_STYLE}/doxygen-awesome.css)
set(DOXYGEN_GENERATE_TREEVIEW YES)
set(DOXYGEN_HTML_COLORSTYLE_SAT 40)
set(DOXYGEN_JAVADOC_AUTOBRIEF YES)
set(DOXYGEN_TOC_INCLUDE_HEADINGS 0)
set(DOXYGEN_EXTRACT_ALL YES)
set(DOXYGEN_EXCLUDE_SYMBOLS "pleat::detail" "pleat::detail::*")
set(DOXYGEN_MACRO_EXPANSION YES)
set(DOXYGEN_EXPAND_ONLY_PREDEF YES)
set(DOXYGEN_PREDEFINED "PLEAT_API=")
set(DOXYGEN_HAVE_DOT NO)
set(DOXYGEN_BUILTIN_STL_SUPPORT YES)
set(DOXYGEN_WARN_IF_UNDOCUMENTED NO)
set(DOXYGEN_WARN_IF_INCOMPLETE_DOC NO)
set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_VERBATIM_HEADERS NO)

set(pages README.md)
set(headers)
get_property(components GLOBAL PROPERTY pleat_components)
list(FILTER components EXCLUDE REGEX "^mpi_")  # whose pages are those of the folder ranks
foreach(component IN LISTS components)
  file(GLOB found RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
       ${component}/README.md ${component}/mpi/README.md ${component}/python/README.md ${component}/c/README.md
       ${component}/docs/*.md ${component}/docs/coming_from/*.md ${component}/mpi/docs/*.md)
  list(APPEND pages ${found})
  get_target_property(files pleat_${component} HEADER_SET)
  list(FILTER files EXCLUDE REGEX "/detail/")
  list(APPEND headers ${files})
  get_target_property(folders pleat_${component} HEADER_DIRS)
  list(APPEND DOXYGEN_STRIP_FROM_INC_PATH ${folders})
endforeach()
file(GLOB_RECURSE more RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS bench/*.md .packaging/*.md tests/*.md)
list(FILTER more EXCLUDE REGEX "/node_modules/")
list(APPEND pages ${more} ranks/README.md ranks/mpi/README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md)

doxygen_add_docs(docs ${pages} ${headers} USE_STAMP_FILE
                 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                 COMMENT "Reference documentation: docs/html/index.html")
