# SPDX-License-Identifier: Apache-2.0
#
# Tests a call that must not compile: `command` fails, says a sentence that matches `message`, and
# prints at most `most` lines of errors and notes, not counting the source that it quotes.
cmake_minimum_required(VERSION 3.24)
execute_process(COMMAND ${command} RESULT_VARIABLE failed ERROR_VARIABLE said)
string(REPLACE ";" "," lines "${said}")
string(REGEX MATCHALL "[^\n]+" lines "${lines}")
list(FILTER lines EXCLUDE REGEX "^ |^In file included|^[0-9]+ errors? generated")
list(LENGTH lines count)
if(NOT failed OR NOT said MATCHES "${message}" OR count GREATER most)
  message(FATAL_ERROR "should not compile, and say in at most ${most} lines, not ${count}, \
\"${message}\":\n${said}")
endif()
