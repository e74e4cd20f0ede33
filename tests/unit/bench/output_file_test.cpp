// SPDX-License-Identifier: Apache-2.0
#include "tool/output_file.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

#include "unit/temporary_folder.hpp"

namespace output_file_test {

namespace fs = std::filesystem;
using pleat::bench::output_file;

class output_files : public testing::Test {
 protected:
  [[nodiscard]] std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  const temporary_folder own;
  const fs::path folder = own.path;
  const fs::path target = folder / "result";
};

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(output_files, appear_only_when_committed) {
  output_file file(target);
  file.write("all of it");
  EXPECT_FALSE(fs::exists(target));
  file.commit();
  EXPECT_EQ(contents(target), "all of it");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(output_files, replace_the_old_contents_in_one_step_and_keep_its_permissions) {
  std::ofstream(target) << "old";
  ASSERT_EQ(::chmod(target.c_str(), 0640), 0);
  {
    output_file file(target);
    file.write("new contents");
    EXPECT_EQ(contents(target), "old");
    file.commit();
  }
  EXPECT_EQ(contents(target), "new contents");
  struct stat status {};
  ASSERT_EQ(::stat(target.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
}

TEST_F(output_files, follow_a_symbolic_link) {
  std::ofstream(target) << "old";
  fs::create_symlink("result", folder / "link");
  output_file file(folder / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(contents(target), "new");
}

TEST_F(output_files, are_made_behind_links_that_lead_to_none_yet) {
  fs::create_directory(folder / "inner");
  fs::create_symlink("inner/result", folder / "relative");
  fs::create_symlink(folder / "relative", folder / "twice");
  fs::create_symlink("missing/result", folder / "nowhere");
  fs::create_symlink("loop", folder / "loop");
  for (const char* name : {"relative", "twice"}) {
    output_file file(folder / name);
    file.write(name);
    file.commit();
    EXPECT_TRUE(fs::is_symlink(folder / name));
    EXPECT_EQ(contents(folder / "inner" / "result"), name);
  }
  for (const char* name : {"nowhere", "loop"}) {
    EXPECT_THROW(output_file file(folder / name), pleat::error) << name;
    EXPECT_TRUE(fs::is_symlink(folder / name));
  }
}

TEST_F(output_files, refuse_places_where_no_file_can_be) {
  fs::create_directory(folder / "folder");
  for (const auto& place : {folder / "folder", folder / "missing" / "result", fs::path("/dev/null"),
                            fs::path("/proc/result")}) {
    try {
      output_file file(place);
      ADD_FAILURE() << "accepted " << place;
    } catch (const pleat::error& failure) {
      EXPECT_NE(std::string(failure.what()).find(place.string()), std::string::npos)
          << failure.what();
    }
  }
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(output_files, leave_nothing_behind_when_a_signal_ends_the_process) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      output_file file(target);
      file.write("half of");
      static_cast<void>(::raise(signal));
      ::_exit(0);  // not reached: the signal ends this process
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << "signal " << signal;
    EXPECT_EQ(files_in_folder(), 0U) << "signal " << signal;
  }
}

}  // namespace output_file_test
