// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

/// Returns what `body` returns in a child process; fails if it does not return in time.
inline int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);  // a hang ends as a signal
    ::_exit(body());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
