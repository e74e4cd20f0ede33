# SPDX-License-Identifier: Apache-2.0

# PLEAT_NUMPY_PYTHON: a python3 that has NumPy, if there is one. The first in PATH may lack it while
# another one has it. With REQUIRED by what is named: an error if there is none.
function(pleat_find_numpy_python)
  if(PLEAT_NUMPY_PYTHON)
    return()
  endif()
  find_program(PLEAT_PATH_PYTHON python3)
  mark_as_advanced(PLEAT_PATH_PYTHON)
  foreach(candidate ${Python3_EXECUTABLE} ${PLEAT_PATH_PYTHON} /usr/bin/python3 /usr/local/bin/python3)
    execute_process(COMMAND ${candidate} -c "import numpy" RESULT_VARIABLE failed
                    OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(PLEAT_NUMPY_PYTHON ${candidate} CACHE FILEPATH "A Python 3 that has NumPy")
      return()
    endif()
  endforeach()
  if("${ARGV0}" STREQUAL REQUIRED)
    message(FATAL_ERROR "${ARGV1} compare results with NumPy's, and no python3 here has NumPy. On Debian: "
                        "apt-get install python3-numpy; or name one with -D PLEAT_NUMPY_PYTHON=…; without "
                        "tests: -D PLEAT_BUILD_TESTS=OFF.")
  endif()
endfunction()
