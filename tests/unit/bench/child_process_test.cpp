// SPDX-License-Identifier: Apache-2.0
#include "measure/child_process.hpp"

#include <chrono>
#include <csignal>
#include <string>

#include <gtest/gtest.h>

#include "tool/output_file.hpp"

namespace child_process_test {

using namespace pleat::bench;

// Returns whether all processes that write to the pipe have ended. Throws child_silent if not.
bool ended(child_process& child) {
  child.expect_within(std::chrono::seconds(60));
  return !child.read_line();
}

TEST(child_process, that_leads_a_group_ends_with_all_it_has_started) {
  for (const bool killed : {false, true}) {
    child_process child("/bin/sh", {"-c", "sleep 1000 & echo started; read end"}, {.leads = true});
    EXPECT_EQ(child.read_line(), "started");
    if (killed)
      ::kill(child.id(), SIGKILL);
    else
      child.close_input();
    EXPECT_EQ(child.wait(), killed ? 128 + SIGKILL : 1);
    EXPECT_TRUE(ended(child));
  }
}

TEST(child_process, gets_a_signal_with_all_it_has_started) {
  const interruptions_passed_on passing;
  child_process child("/bin/sh", {"-c", "sleep 1000 & echo started; wait"}, {.leads = true});
  EXPECT_EQ(child.read_line(), "started");
  static_cast<void>(::raise(SIGTERM));
  EXPECT_TRUE(ended(child));
  EXPECT_EQ(child.wait(), 128 + SIGTERM);
  EXPECT_EQ(interruptions_passed_on::signal(), SIGTERM);
}

// Programs that are started must not inherit that this one ignores a signal.
TEST(child_process, has_the_default_of_every_signal_when_files_are_written) {
  const output_file file(testing::TempDir() + "child_process_test");
  const auto said = run_child("/bin/sh", {"-c", "grep SigIgn /proc/$$/status"}).output;
  const auto mask = std::stoull(said.substr(said.find('\t')), nullptr, 16);
  EXPECT_EQ(mask >> (SIGXFSZ - 1) & 1U, 0U) << said;
}

}  // namespace child_process_test
