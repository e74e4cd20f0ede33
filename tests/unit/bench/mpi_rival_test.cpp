// SPDX-License-Identifier: Apache-2.0
#include "collectives/rivals/mpi_rival.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "unit/message_of.hpp"

namespace mpi_rival_test {

using namespace pleat::bench;

/// Processors for that many ranks on what this process may use, round and round.
std::vector<unsigned> processors(std::size_t ranks) {
  const auto placed = pleat::place(pleat::topology::host(), {}, static_cast<unsigned>(ranks));
  std::vector<unsigned> pus;
  for (const auto& p : placed.processors) pus.push_back(p.pu);
  return pus;
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

TEST(mpi_rival, a_launcher_that_is_not_there_is_named) {
  const auto said = message_of<pleat::environment_error>([] {
    mpi_rival rival({mpi_launch::kind::openmpi, "/nowhere/mpirun", "/bin/true"}, processors(1));
  });
  EXPECT_NE(said.find("/nowhere/mpirun"), std::string::npos) << said;
}

TEST(mpi_rival, a_wrong_result_is_an_error) {
  const script launcher("echo pleat ready; read order; echo pleat wrong element 0; read end");
  mpi_rival rival(launcher.launch(), processors(1));
  EXPECT_THROW(rival.verify({operation::broadcast, 8}), pleat::error);
}

TEST(mpi_rival, who_does_not_answer_in_time_is_ended) {
  const script launcher("exec sleep 1000");
  auto how = launcher.launch();
  how.start_limit = std::chrono::seconds(1);
  const auto said =
      message_of<pleat::environment_error>([&] { mpi_rival rival(how, processors(1)); });
  EXPECT_NE(said.find("did not answer within 1 s"), std::string::npos) << said;
}

}  // namespace mpi_rival_test
