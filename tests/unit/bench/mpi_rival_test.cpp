// SPDX-License-Identifier: Apache-2.0
#include "collectives/rivals/mpi_rival.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

namespace mpi_rival_test {

using namespace pleat::bench;

/// The MPIs this build has.
std::vector<mpi_launch> launches() {
  std::vector<mpi_launch> all;
#ifdef PLEAT_TEST_OPENMPI
  all.push_back({mpi_launch::kind::openmpi, PLEAT_TEST_OPENMPI_LAUNCHER, PLEAT_TEST_OPENMPI});
#endif
#ifdef PLEAT_TEST_MPICH
  all.push_back({mpi_launch::kind::mpich, PLEAT_TEST_MPICH_LAUNCHER, PLEAT_TEST_MPICH});
#endif
  return all;
}

/// Processors for that many ranks on what this process may use, round and round.
std::vector<unsigned> processors(std::size_t ranks) {
  const auto placed = pleat::place(pleat::topology::host(), {}, static_cast<unsigned>(ranks));
  std::vector<unsigned> pus;
  for (const auto& p : placed.processors) pus.push_back(p.pu);
  return pus;
}

std::string reason(const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const pleat::environment_error& failure) {
    return failure.what();
  }
  return "nothing was thrown";
}

/// A program in place of a launcher.
class script {
 public:
  explicit script(const std::string& body)
      : path_(std::filesystem::path(testing::TempDir()) /
              ("launcher_" + std::to_string(::getpid()))) {
    std::ofstream(path_) << "#!/bin/sh\n" << body << '\n';
    ::chmod(path_.c_str(), S_IRWXU);
  }
  ~script() { std::filesystem::remove(path_); }
  script(const script&) = delete;
  script& operator=(const script&) = delete;

  [[nodiscard]] mpi_launch launch() const { return {mpi_launch::kind::mpich, path_, "/bin/true"}; }

 private:
  std::filesystem::path path_;
};

class mpi_rivals : public testing::TestWithParam<mpi_launch> {};
INSTANTIATE_TEST_SUITE_P(installed, mpi_rivals, testing::ValuesIn(launches()), [](const auto& mpi) {
  return mpi.param.what == mpi_launch::kind::openmpi ? "openmpi" : "mpich";
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(mpi_rivals);  // where there is no MPI

TEST_P(mpi_rivals, perform_every_operation_rightly) {
  for (const std::size_t ranks : {1U, 2U, 3U}) {
    mpi_rival rival(GetParam(), processors(ranks));
    for (const operation what : all_operations()) {
      for (const spread shape : all_spreads()) {
        if (shape != spread::regular && !takes_counts(what)) continue;
        for (const std::size_t bytes : {8 * ranks, 8 * ranks * 1001, 8 * ranks * 20'000}) {
          rival.verify({what, bytes, shape});
        }
      }
    }
  }
}

TEST_P(mpi_rivals, tell_the_seconds_of_every_repetition) {
  mpi_rival rival(GetParam(), processors(2));
  for (const std::size_t repetitions : {1U, 2U, 2000U}) {
    const auto seconds = rival.time({operation::all_reduce, 64}, repetitions);
    ASSERT_EQ(seconds.size(), repetitions);
    for (const double one : seconds) EXPECT_TRUE(std::isfinite(one) && one > 0);
  }
}

TEST_P(mpi_rivals, go_on_after_an_order_that_makes_no_sense) {
  mpi_rival rival(GetParam(), processors(2));
  EXPECT_THROW(rival.verify({operation::scatter, 7}), pleat::usage_error);
  EXPECT_THROW(static_cast<void>(rival.time({operation::scan, 8}, 0)), pleat::usage_error);
  rival.verify({operation::scatter, 8});
}

TEST_P(mpi_rivals, say_so_when_they_have_died) {
  mpi_rival rival(GetParam(), processors(2));
  ::kill(rival.process(), SIGKILL);
  const auto order = [&] { rival.verify({operation::broadcast, 8}); };
  EXPECT_NE(reason(order).find("leave it out with --rivals"), std::string::npos);
  EXPECT_NE(reason(order).find("has ended before"), std::string::npos);
}

TEST_P(mpi_rivals, a_processor_that_cannot_be_had_is_named) {
  const std::array<unsigned, 1> none{60'000};
  const auto said = reason([&] { mpi_rival rival(GetParam(), none); });
  EXPECT_NE(said.find("PU 60000"), std::string::npos) << said;
}

TEST(mpi_rival, a_launcher_that_is_not_there_is_named) {
  const auto said = reason([] {
    mpi_rival rival({mpi_launch::kind::openmpi, "/nowhere/mpirun", "/bin/true"}, processors(1));
  });
  EXPECT_NE(said.find("/nowhere/mpirun"), std::string::npos) << said;
}

TEST(mpi_rival, a_launcher_that_gives_up_is_quoted) {
  const script launcher("echo ------- >&2; echo there are no slots >&2; exit 3");
  const auto said = reason([&] { mpi_rival rival(launcher.launch(), processors(1)); });
  EXPECT_NE(said.find("ended with status 3: there are no slots"), std::string::npos) << said;
}

TEST(mpi_rival, what_the_launcher_prints_itself_is_no_answer) {
  const script launcher("echo hello; echo pleat ready; read order; echo pleat verified; read end");
  mpi_rival rival(launcher.launch(), processors(1));
  rival.verify({operation::broadcast, 8});
}

TEST(mpi_rival, a_wrong_result_is_an_error) {
  const script launcher("echo pleat ready; read order; echo pleat wrong element 0; read end");
  mpi_rival rival(launcher.launch(), processors(1));
  EXPECT_THROW(rival.verify({operation::broadcast, 8}), pleat::error);
}

TEST(mpi_rival, an_answer_to_something_else_is_refused) {
  const script launcher("echo pleat ready; read order; echo pleat times 1 2; read end");
  mpi_rival rival(launcher.launch(), processors(1));
  const auto said = reason([&] { static_cast<void>(rival.time({operation::broadcast, 8}, 3)); });
  EXPECT_NE(said.find("'times 1 2' to 'time broadcast 8 regular 3'"), std::string::npos) << said;
}

TEST(mpi_rival, who_does_not_answer_in_time_is_ended) {
  const script launcher("exec sleep 1000");
  auto how = launcher.launch();
  how.start_limit = std::chrono::seconds(1);
  const auto said = reason([&] { mpi_rival rival(how, processors(1)); });
  EXPECT_NE(said.find("did not answer within 1 s"), std::string::npos) << said;
}

}  // namespace mpi_rival_test
