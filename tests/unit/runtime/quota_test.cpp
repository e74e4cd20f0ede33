// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include <pleat/runtime/quota.hpp>

#include "unit/temporary_folder.hpp"

namespace quota_test {

namespace fs = std::filesystem;

// A file system of its own for each test, laid out like the parts of /proc and /sys that matter.
class quota : public testing::Test {
 protected:
  void write(const fs::path& file, std::string_view content) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << content;
  }

  void v2_process_in(std::string_view group) const {
    write("proc/self/cgroup", "0::" + std::string(group) + "\n");
    write("proc/self/mountinfo",
          "22 28 0:21 / /proc rw,nosuid shared:5 - proc proc rw\n"
          "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  }

  void v1_process_in(std::string_view group, std::string_view mount_root = "/") const {
    write("proc/self/cgroup", "11:memory:/other\n4:cpu,cpuacct:" + std::string(group) +
                                  "\n1:name=systemd:/x\n0::/unified\n");
    write("proc/self/mountinfo",
          "31 30 0:27 " + std::string(mount_root) +
              " /sys/fs/cgroup/cpu,cpuacct rw,nosuid - cgroup cgroup rw,cpu,cpuacct\n"
              "32 30 0:28 / /sys/fs/cgroup/cpuset rw,nosuid - cgroup cgroup rw,cpuset\n");
  }

  void v1_limit(const fs::path& group, std::string_view runtime, std::string_view period) const {
    write(group / "cpu.cfs_quota_us", std::string(runtime) + "\n");
    write(group / "cpu.cfs_period_us", std::string(period) + "\n");
  }

  [[nodiscard]] std::optional<pleat::cpu_quota> read() const {
    return pleat::read_cpu_quota(root_);
  }

  const temporary_folder own_;
  const fs::path root_ = own_.path;
};

TEST_F(quota, none_where_there_is_no_proc) { EXPECT_EQ(read(), std::nullopt); }

TEST_F(quota, none_where_the_group_has_no_cpu_controller) {
  v2_process_in("/a");
  EXPECT_EQ(read(), std::nullopt);
}

TEST_F(quota, v2_of_the_own_group) {
  v2_process_in("/a/b");
  write("sys/fs/cgroup/a/b/cpu.max", "300000 100000\n");
  const auto found = read();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->runtime_us, 300000u);
  EXPECT_EQ(found->period_us, 100000u);
  EXPECT_EQ(found->source, "/sys/fs/cgroup/a/b/cpu.max");
  EXPECT_EQ(found->processors(), 3u);
}

TEST_F(quota, is_rounded_down_to_whole_processors_and_is_one_at_least) {
  v2_process_in("/a");
  const std::pair<const char*, unsigned> limits[] = {
      {"150000 100000", 1}, {"20000 100000", 1}, {"299999 100000", 2}};
  for (const auto& [limit, processors] : limits) {
    write("sys/fs/cgroup/a/cpu.max", limit);
    EXPECT_EQ(read()->processors(), processors) << limit;
  }
  write("sys/fs/cgroup/a/cpu.max", "max 100000\n");
  EXPECT_EQ(read(), std::nullopt);
}

TEST_F(quota, a_tighter_parent_wins) {
  v2_process_in("/a/b/c");
  write("sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/a/cpu.max", "100000 50000\n");
  EXPECT_EQ(read()->processors(), 2u);
  EXPECT_EQ(read()->source, "/sys/fs/cgroup/a/cpu.max");
}

TEST_F(quota, is_read_at_the_mount_point_inside_a_container) {
  v2_process_in("/");
  write("sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(read()->processors(), 4u);
}

TEST_F(quota, v1_of_the_own_group_and_its_parents) {
  v1_process_in("/slurm/job_7");
  v1_limit("sys/fs/cgroup/cpu,cpuacct/slurm/job_7", "-1", "100000");
  v1_limit("sys/fs/cgroup/cpu,cpuacct/slurm", "500000", "100000");
  v1_limit("sys/fs/cgroup/cpu,cpuacct", "-1", "100000");
  EXPECT_EQ(read()->processors(), 5u);
}

TEST_F(quota, v1_without_a_limit) {
  v1_process_in("/");
  v1_limit("sys/fs/cgroup/cpu,cpuacct", "-1", "100000");
  EXPECT_EQ(read(), std::nullopt);
}

TEST_F(quota, v1_mount_that_shows_only_the_container) {
  v1_process_in("/docker/4f2a", "/docker/4f2a");
  v1_limit("sys/fs/cgroup/cpu,cpuacct", "250000", "100000");
  EXPECT_EQ(read()->processors(), 2u);
}

TEST_F(quota, group_outside_the_mount_is_read_at_the_mount_point) {
  v1_process_in("/docker/4f2a/inner", "/docker/4f");  // a prefix of the name, not of the path
  v1_limit("sys/fs/cgroup/cpu,cpuacct", "350000", "100000");
  EXPECT_EQ(read()->processors(), 3u);
  v2_process_in("/../../outside");
  write("sys/fs/cgroup/cpu.max", "450000 100000\n");
  EXPECT_EQ(read()->processors(), 4u);
}

TEST_F(quota, both_versions_mounted_the_tighter_counts) {
  write("proc/self/cgroup", "2:cpu:/a\n0::/b\n");
  write("proc/self/mountinfo",
        "31 30 0:27 / /cg/cpu rw - cgroup cgroup rw,cpu\n"
        "32 30 0:28 / /cg/unified rw - cgroup2 cgroup2 rw\n");
  v1_limit("cg/cpu/a", "700000", "100000");
  write("cg/unified/b/cpu.max", "600000 100000\n");
  EXPECT_EQ(read()->processors(), 6u);
}

TEST_F(quota, mount_points_with_blanks) {
  write("proc/self/cgroup", "0::/g\n");
  write("proc/self/mountinfo", "30 22 0:26 / /my\\040groups rw - cgroup2 none rw\n");
  write("my groups/g/cpu.max", "200000 100000\n");
  EXPECT_EQ(read()->processors(), 2u);
}

TEST_F(quota, unreadable_files_limit_nothing) {
  v2_process_in("/a");
  for (const char* const content :
       {"", "\n", "100000\n", "many 100000\n", "100000 0\n", "-5 -5\n"}) {
    write("sys/fs/cgroup/a/cpu.max", content);
    EXPECT_EQ(read(), std::nullopt) << '"' << content << '"';
  }
  write("proc/self/mountinfo", "garbage\n\n1 2 3 - cgroup2\n");
  write("proc/self/cgroup", "garbage\n::\n");
  EXPECT_EQ(read(), std::nullopt);
}

TEST_F(quota, memory_is_what_is_free_and_what_the_process_has) {
  EXPECT_EQ(pleat::usable_memory(root_), ~std::uint64_t{0});
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  write("proc/meminfo",
        "MemTotal: 900 kB\nMemAvailable:  400 kB\nSwapFree: 100 kB\nHugePages_Total:  0\n");
  EXPECT_EQ(pleat::usable_memory(root_), 512000u);
  write("proc/self/statm", "70 3 1 1 0 2 0\n");
  EXPECT_EQ(pleat::usable_memory(root_), 512000u + 3 * page);
}

TEST_F(quota, memory_is_that_of_the_tightest_group) {
  write("proc/meminfo", "MemAvailable:  500 kB\n");
  v2_process_in("/a/b");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(pleat::usable_memory(root_), 512000u);
  write("sys/fs/cgroup/a/memory.max", "4096\n");
  EXPECT_EQ(pleat::usable_memory(root_), 4096u);
  write("proc/self/cgroup", "11:memory:/other\n4:cpu,cpuacct:/a\n");
  write("proc/self/mountinfo", "31 30 0:27 / /cg/memory rw - cgroup cgroup rw,memory\n");
  write("cg/memory/other/memory.limit_in_bytes", "8192\n");
  EXPECT_EQ(pleat::usable_memory(root_), 8192u);
}

TEST_F(quota, of_this_very_process_can_be_read) {
  const auto here = pleat::read_cpu_quota();
  if (here) {
    EXPECT_GE(here->processors(), 1u);
    EXPECT_TRUE(fs::exists(here->source));
  }
}

}  // namespace quota_test
