// SPDX-License-Identifier: Apache-2.0
#include "measure/machine_state.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "unit/temporary_folder.hpp"

namespace machine_state_test {

namespace fs = std::filesystem;
using namespace pleat::bench;

// A file system of its own for each test, laid out like the parts of /proc and /sys that matter.
class machine_files : public testing::Test {
 protected:
  void write(const fs::path& file, std::string_view content) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << content;
  }

  // As on a workstation with everything.
  void write_all() const {
    write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    write("proc/cpuinfo",
          "processor\t: 0\nmodel name\t: A Processor  7\nmicrocode\t: 0x1000065\n"
          "flags\t\t: fpu vme hypervisor sse2\n\nprocessor\t: 1\nmicrocode\t: 0x2\n");
    write("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n");
    write("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance\n");
    write("sys/devices/system/cpu/cpufreq/policy2/scaling_governor", "powersave\n");
    write("sys/devices/system/cpu/cpufreq/boost", "1\n");
    write("sys/devices/system/cpu/smt/active", "0\n");
    write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    write("proc/sys/kernel/numa_balancing", "1\n");
    write("sys/class/dmi/id/product_name", "KVM Virtual Machine\n");
    write("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    write("proc/loadavg", "1.25 0.50 0.00 3/456 7890\n");
  }

  [[nodiscard]] machine_state read() const { return read_machine_state(root_); }

  const temporary_folder own_;
  const fs::path root_ = own_.path;
};

TEST_F(machine_files, are_read_in_full) {
  write_all();
  const auto found = state_json(read());
  EXPECT_EQ(found.at("kernel"), "6.1.0-18-amd64");
  EXPECT_EQ(found.at("processor_model"), "A Processor  7");
  EXPECT_EQ(found.at("microcode"), "0x1000065");
  EXPECT_EQ(found.at("governors"), nlohmann::json({"performance", "powersave"}));
  EXPECT_EQ(found.at("boost"), true);
  EXPECT_EQ(found.at("smt"), false);
  EXPECT_EQ(found.at("transparent_huge_pages"), "madvise");
  EXPECT_EQ(found.at("numa_balancing"), 1);
  EXPECT_EQ(found.at("virtual_machine"), true);
  EXPECT_EQ(found.at("hypervisor"), "KVM Virtual Machine");
  EXPECT_EQ(found.at("clock_source"), "tsc");
  EXPECT_EQ(found.at("load_average"), nlohmann::json({1.25, 0.5, 0.0}));
}

TEST_F(machine_files, that_say_something_else_are_taken_for_absent) {
  for (const char* text : {"", "\n", "yes\n", "1 2\n", "[", "] [\n"}) {
    write("sys/devices/system/cpu/cpufreq/boost", text);
    write("sys/devices/system/cpu/smt/active", text);
    write("proc/sys/kernel/numa_balancing", text);
    write("sys/kernel/mm/transparent_hugepage/enabled", text);
    write("proc/loadavg", text);
    write("proc/cpuinfo", text);
    const auto found = state_json(read());
    for (const auto& [name, value] : found.items()) EXPECT_TRUE(value.is_null()) << name << text;
  }
}

TEST(spoilers, of_a_state_say_what_to_do) {
  machine_state state;
  EXPECT_TRUE(spoilers(state, 2).empty());
  state.governors = {"performance"};
  state.transparent_huge_pages = "madvise";
  state.numa_balancing = 0;
  state.clock_source = "tsc";
  EXPECT_TRUE(spoilers(state, 2).empty());
  state.governors = {"performance", "schedutil"};
  state.transparent_huge_pages = "never";
  state.numa_balancing = 1;
  state.clock_source = "hpet";
  EXPECT_EQ(spoilers(state, 1).size(), 3u);  // pages of one node do not move
  const auto found = spoilers(state, 2);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_NE(found[0].find("cpupower frequency-set"), std::string::npos);
  EXPECT_NE(found[1].find("transparent_hugepage/enabled"), std::string::npos);
  EXPECT_NE(found[2].find("numa_balancing"), std::string::npos);
  EXPECT_NE(found[3].find("clocksource=tsc"), std::string::npos);
}

TEST_F(machine_files, have_the_times_of_processors) {
  const double tick = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  write("proc/stat",
        "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 100 10 20 500 3 4 5 6 7 8\ncpu1 1 1 1 1 1 1 1 1 1 1\n"
        "cpu10 1000 0 0 0 0 0 0 2000 0 0\nintr 5\n");
  const auto zero = read_processor_times({0}, root_);
  ASSERT_TRUE(zero && zero->stolen);
  EXPECT_DOUBLE_EQ(zero->busy, (100 + 10 + 20 + 4 + 5) * tick);
  EXPECT_DOUBLE_EQ(*zero->stolen, 6 * tick);
  const auto two = read_processor_times({1, 10}, root_);
  ASSERT_TRUE(two && two->stolen);
  EXPECT_DOUBLE_EQ(two->busy, 1005 * tick);
  EXPECT_DOUBLE_EQ(*two->stolen, 2001 * tick);
  EXPECT_FALSE(read_processor_times({0, 2}, root_));
}

TEST_F(machine_files, say_how_long_a_quota_stopped_the_group) {
  EXPECT_FALSE(read_throttled(root_ / "v2/cpu.max"));
  write("v2/cpu.stat", "usage_usec 5\nnr_throttled 3\nthrottled_usec 2500000\n");
  EXPECT_EQ(read_throttled(root_ / "v2/cpu.max"), 2.5);
  write("v1/cpu.stat", "nr_periods 5\nthrottled_time 1500000000\n");
  EXPECT_EQ(read_throttled(root_ / "v1/cpu.cfs_quota_us"), 1.5);
}

TEST(spoilers, of_events_compare_them_with_the_processors_time) {
  machine_events events{
      .seconds = 10, .processors = 4, .stolen = {}, .others = {}, .throttled = {}};
  EXPECT_TRUE(spoilers(events).empty());
  events.stolen = 0.39;  // of 40
  events.others = 1.9;
  events.throttled = 0;
  EXPECT_TRUE(spoilers(events).empty());
  events.stolen = 0.8;
  events.others = 4;
  events.throttled = 0.25;
  const auto found = spoilers(events);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NE(found[0].find("the hypervisor took 2.00 %"), std::string::npos) << found[0];
  EXPECT_NE(found[1].find("other processes took 10.0 %"), std::string::npos) << found[1];
  EXPECT_NE(found[2].find("250 ms"), std::string::npos) << found[2];
  events.seconds = 0.5;
  EXPECT_TRUE(spoilers(events).empty());
}

TEST(machine_watch, counts_what_this_process_does_as_its_own) {
  const pleat::machine on({.processors = 1});
  const machine_watch watch(on);
  const auto found = watch.events();
  EXPECT_GE(found.seconds, 0);
  EXPECT_EQ(found.processors, 1u);
  const auto document = events_json(found);
  for (const char* name : {"seconds", "stolen_s", "others_s", "throttled_s"})
    EXPECT_TRUE(document.contains(name)) << name;
}

}  // namespace machine_state_test
