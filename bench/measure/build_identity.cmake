# SPDX-License-Identifier: Apache-2.0
#
# Writes generated/build_identity.hpp. A new commit configures anew; without git, and in a source
# tree that is not the top of a working tree (a tarball, a copy within somebody else's repository),
# there is no commit.
set(pleat_commit "")
find_program(PLEAT_GIT git)
mark_as_advanced(PLEAT_GIT)
if(PLEAT_GIT)
  execute_process(COMMAND ${PLEAT_GIT} rev-parse --show-toplevel --git-path logs/HEAD
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} RESULT_VARIABLE pleat_git_failed
                  OUTPUT_VARIABLE pleat_git_paths OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(REPLACE "\n" ";" pleat_git_paths "${pleat_git_paths}")
  list(LENGTH pleat_git_paths pleat_git_count)
  if(pleat_git_failed EQUAL 0 AND pleat_git_count EQUAL 2)
    list(GET pleat_git_paths 0 pleat_git_top)
    list(GET pleat_git_paths 1 pleat_git_log)
    file(REAL_PATH ${PROJECT_SOURCE_DIR} pleat_real_source)
    file(REAL_PATH ${pleat_git_top} pleat_git_top)
    if(pleat_git_top STREQUAL pleat_real_source)
      execute_process(COMMAND ${PLEAT_GIT} describe --always --dirty --tags
                      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} RESULT_VARIABLE pleat_git_failed
                      OUTPUT_VARIABLE pleat_commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      if(NOT pleat_git_failed EQUAL 0)
        set(pleat_commit "")
      endif()
      get_filename_component(pleat_git_log ${pleat_git_log} ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
      if(EXISTS ${pleat_git_log})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${pleat_git_log})
      endif()
    endif()
  endif()
endif()

string(TOUPPER "${CMAKE_BUILD_TYPE}" pleat_configuration)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${pleat_configuration}}" pleat_flags)
string(REPLACE ";" "," pleat_targets "${PLEAT_TARGETS}")
configure_file(measure/build_identity.hpp.in generated/build_identity.hpp)
