// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

#include "tool/topology_arguments.hpp"

namespace described_topology_test {

namespace fs = std::filesystem;
using pleat::bench::described_topology;

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Begins of the names of attributes: `name="value"`.
std::vector<std::size_t> attributes_of(const std::string& text) {
  std::vector<std::size_t> starts;
  for (auto at = text.find("=\""); at != std::string::npos; at = text.find("=\"", at + 1)) {
    std::size_t start = at;
    while (start > 0 && (std::isalpha(static_cast<unsigned char>(text[start - 1])) != 0 ||
                         text[start - 1] == '_'))
      --start;
    starts.push_back(start);
  }
  return starts;
}

class described_topologies : public testing::Test {
 protected:
  ~described_topologies() override { fs::remove(file); }

  // Whether it is read. That this process goes on is what is tested.
  bool reads(const std::string& text) const {
    std::ofstream(file, std::ios::binary) << text;
    try {
      return described_topology(file).pus() > 0;
    } catch (const pleat::error& failure) {
      EXPECT_NE(std::string(failure.what()).find(file.string()), std::string::npos)
          << failure.what();
      return false;
    }
  }

  const fs::path file =
      fs::path(testing::TempDir()) / ("described_topology_test_" + std::to_string(::getpid()));
};

TEST_F(described_topologies, are_read_as_the_library_reads_them) {
  for (const char* name :
       {"hybrid.xml", "memory_kinds.xml", "restricted.xml", "spurious_kinds.xml", "uneven.xml"})
    EXPECT_TRUE(reads(contents(fs::path(PLEAT_TEST_DATA) / name))) << name;
}

TEST_F(described_topologies, with_any_attribute_misspelt_do_not_end_the_process) {
  const auto whole = contents(fs::path(PLEAT_TEST_DATA) / "restricted.xml");
  const auto all = attributes_of(whole);
  const std::size_t step = std::getenv("PLEAT_TEST_EXHAUSTIVE") != nullptr ? 1 : 5;
  for (std::size_t i = 0; i < all.size(); i += step) {
    auto damaged = whole;
    damaged[all[i]] = 'x';
    static_cast<void>(reads(damaged));
  }
}

TEST_F(described_topologies, cut_anywhere_do_not_end_the_process) {
  const auto whole = contents(fs::path(PLEAT_TEST_DATA) / "restricted.xml");
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 100)
    static_cast<void>(reads(whole.substr(0, length)));
  EXPECT_FALSE(reads(""));
}

}  // namespace described_topology_test
