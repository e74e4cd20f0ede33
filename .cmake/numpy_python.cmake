# SPDX-License-Identifier: Apache-2.0

# PLEAT_NUMPY_PYTHON: a python3 that has NumPy, if there is one. The first in PATH may lack it while
# another one has it.
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
endfunction()
