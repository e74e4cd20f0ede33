// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

#include "tool/output_file.hpp"
#include "unit/temporary_folder.hpp"

namespace command_files_test {

namespace fs = std::filesystem;
using pleat::bench::check_files, pleat::bench::command_file, pleat::bench::file_use;

// Names of two files, `a` that is there and `b` that is not, each by many ways.
class command_files : public testing::Test {
 protected:
  command_files() {
    fs::create_directories(folder / "inner");
    std::ofstream(folder / "a") << "data";
    fs::create_symlink("a", folder / "link_a");
    fs::create_symlink(folder / "link_a", folder / "link_link_a");
    fs::create_symlink("b", folder / "link_b");
    fs::create_symlink("../b", folder / "inner" / "link_b");
    fs::create_symlink("inner", folder / "door");
    fs::create_hard_link(folder / "a", folder / "hard_a");
  }

  [[nodiscard]] std::vector<std::string> names_of(char file) const {
    const std::string here = folder.string() + "/";
    std::vector<std::string> names;
    for (const std::string way : {"", "./", "inner/../", "door/../", "link_"})
      names.push_back(here + way + file);
    names.push_back(fs::relative(folder / std::string(1, file)).string());
    if (file == 'a') {
      names.push_back(here + "link_link_a");
      names.push_back(here + "hard_a");
    } else {
      names.push_back(here + "door/link_b");
    }
    return names;
  }

  static bool accepts(const command_file& one, const command_file& other) {
    try {
      check_files(std::array{one, other});
      return true;
    } catch (const pleat::usage_error& failure) {
      const std::string said = failure.what();
      EXPECT_NE(said.find(one.option), std::string::npos) << said;
      EXPECT_EQ(said.find('\n'), std::string::npos) << said;
      return false;
    }
  }

  const temporary_folder own;
  const fs::path folder = own.path;
};

constexpr std::array uses{file_use::read, file_use::result, file_use::report};

// Tells whether nothing is lost: an input to a report, or what was written to what is written after
// it.
bool loses_nothing(file_use one, file_use other) {
  const bool reads = one == file_use::read || other == file_use::read;
  return reads && one != file_use::report && other != file_use::report;
}

TEST_F(command_files, that_are_one_are_found_by_whatever_names) {
  for (const char file : {'a', 'b'}) {
    for (const auto& name : names_of(file)) {
      for (const auto& other : names_of(file)) {
        for (const auto use : uses) {
          for (const auto other_use : uses) {
            EXPECT_EQ(accepts({"--one", name, use}, {"--other", other, other_use}),
                      loses_nothing(use, other_use))
                << name << " and " << other;
          }
        }
      }
    }
  }
}

TEST_F(command_files, that_are_two_go_together_whatever_they_are_for) {
  for (const auto& name : names_of('a')) {
    for (const auto& other : names_of('b')) {
      for (const auto use : uses) {
        for (const auto other_use : uses)
          EXPECT_TRUE(accepts({"--one", name, use}, {"--other", other, other_use}))
              << name << " and " << other;
      }
    }
  }
}

TEST_F(command_files, without_a_name_are_refused) {
  for (const auto use : uses)
    EXPECT_FALSE(accepts({"--one", "", use}, {"--other", "somewhere", file_use::read}));
}

TEST_F(command_files, may_be_one_input_and_one_output_stream) {
  for (const auto use : uses) {
    for (const auto other : uses)
      EXPECT_EQ(accepts({"--one", "-", use}, {"--other", "-", other}),
                (use == file_use::read) != (other == file_use::read));
    EXPECT_TRUE(accepts({"--one", "-", use}, {"--other", "./-", file_use::report}));
  }
}

}  // namespace command_files_test
