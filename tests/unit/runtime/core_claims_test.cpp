// SPDX-License-Identifier: Apache-2.0
// Machines that have a part of the cores take parts that differ.
#include "host/core_claims.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/placement.hpp>

#include "base/process_defaults.hpp"
#include "machines.hpp"
#include "unit/temporary_folder.hpp"

namespace core_claims_test {

using pleat::machine, pleat::place, pleat::placement, pleat::topology, pleat::detail::core_claims;

std::vector<unsigned> pus_of(const placement& placed) {
  std::vector<unsigned> pus;
  for (const pleat::processor& one : placed.processors) pus.push_back(one.pu);
  return pus;
}

using list = std::vector<unsigned>;

TEST(a_part_of_the_cores, begins_behind_what_is_taken) {
  const topology eight = topology::synthetic("core:8 pu:1");
  EXPECT_EQ(pus_of(place(eight, {}, 2)), (list{0, 1}));
  EXPECT_EQ(pus_of(place(eight, {}, 2, list{0, 1})), (list{2, 3}));
  EXPECT_EQ(pus_of(place(eight, {}, 2, list{1})), (list{2, 3})) << "aligned before others";
  EXPECT_EQ(pus_of(place(eight, {}, 2, list{0, 2, 4, 6})), (list{0, 1})) << "nowhere is better";
  EXPECT_EQ(pus_of(place(eight, {}, 2, list{0, 2, 5, 7})), (list{3, 4})) << "not aligned";
  EXPECT_EQ(pus_of(place(eight, {}, 3, list{0, 3, 4})), (list{5, 6, 7}));
  EXPECT_EQ(pus_of(place(eight, {}, 1, list{0, 1, 2, 3, 4, 5, 6})), (list{7}));
  EXPECT_EQ(pus_of(place(eight, {}, 8, list{0, 1})), (list{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(a_part_of_the_cores, says_what_others_have_too) {
  const topology four = topology::synthetic("core:4 pu:1");
  EXPECT_TRUE(place(four, {}, 2).contended.empty());
  EXPECT_TRUE(place(four, {}, 2, list{0, 1}).contended.empty());
  EXPECT_EQ(place(four, {}, 2, list{0, 1, 2, 3}).contended, (list{0, 1}));
  EXPECT_EQ(place(four, {}, std::nullopt, list{2}).contended, list{2});
  EXPECT_EQ(place(four, {}, 9, list{2}).contended, list{2}) << "once";
}

TEST(a_part_of_the_cores, counts_a_core_as_taken_if_one_of_its_hardware_threads_is) {
  const topology two_each = topology::synthetic("core:4 pu:2");
  const std::vector<unsigned> first = pus_of(place(two_each, {}, 1));
  const unsigned sibling = two_each.units()[1].pu;
  EXPECT_NE(pus_of(place(two_each, {}, 1, list{sibling})), first);
  pleat::placement_request each;
  each.every_pu = true;
  EXPECT_EQ(pus_of(place(two_each, each, 1, list{sibling})), first);
}

TEST(a_part_of_the_cores, of_a_list_is_what_the_list_says) {
  const topology four = topology::synthetic("core:4 pu:1");
  const auto listed = pleat::parse_placement("list:2,3");
  EXPECT_EQ(pus_of(place(four, listed, 1, list{2})), list{2});
}

/// A child that has done something and waits until this ends.
class child_process {
 public:
  explicit child_process(const std::function<void()>& first) {
    int ready[2], end[2];
    EXPECT_EQ(::pipe(ready) + ::pipe(end), 0);
    child_ = ::fork();
    char byte = 1;
    if (child_ == 0) {
      first();
      ::close(end[1]);
      if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
      ::_exit(::read(end[0], &byte, 1) == 0 ? 0 : 1);  // when the other end is closed
    }
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    for (const int file : {ready[0], ready[1], end[0]}) ::close(file);
    end_ = end[1];
  }
  ~child_process() {
    ::close(end_);
    ::waitpid(child_, nullptr, 0);
  }
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

 private:
  pid_t child_ = 0;
  int end_ = -1;
};

/// Claims processors as long as the process lives.
void claim(const topology& machine, unsigned p) {
  static core_claims all(true);
  static_cast<void>(all.place(machine, {}, p));
}

/// With a runtime directory of the test's own.
class claims : public machines {
  const temporary_folder folder_;
  variable runtime_{"XDG_RUNTIME_DIR", folder_.path.c_str()};

 protected:
  claims() { pleat::detail::defaults.claim_cores = true; }
  ~claims() override { pleat::detail::defaults.claim_cores = false; }
  const topology four = topology::synthetic("core:4 pu:1");
};

TEST_F(claims, of_several_machines_differ_until_there_is_nothing_left) {
  core_claims a(true), b(true), c(true);
  EXPECT_EQ(pus_of(a.place(four, {}, 1)), list{0});
  EXPECT_EQ(pus_of(b.place(four, {}, 2)), (list{2, 3}));
  const placement last = c.place(four, {}, 2);
  EXPECT_EQ(pus_of(last), (list{0, 1}));
  EXPECT_EQ(last.contended, list{0});
  EXPECT_TRUE(c.shared_with_others().empty()) << "nobody but this process has any";
}

TEST_F(claims, end_with_the_machine_also_if_a_child_was_forked_meanwhile) {
  auto a = std::make_unique<core_claims>(true);
  EXPECT_EQ(pus_of(a->place(four, {}, 1)), list{0});
  const child_process other([] {});
  a.reset();
  core_claims b(true);
  EXPECT_EQ(pus_of(b.place(four, {}, 1)), list{0});
}

TEST_F(claims, of_a_process_without_machines_are_forgotten) {
  const child_process other([&] {
    core_claims theirs(true);
    static_cast<void>(theirs.place(four, {}, 1));
  });
  core_claims a(true), b(true);
  EXPECT_EQ(pus_of(a.place(four, {}, 4)).size(), 4u);
  EXPECT_EQ(pus_of(b.place(four, {}, 1)), list{0});
  EXPECT_TRUE(b.shared_with_others().empty()) << "the other process has no machine any more";
}

TEST_F(claims, are_not_seen_by_who_does_not_take_part) {
  core_claims a(true), outside(false), b(true);
  EXPECT_EQ(pus_of(a.place(four, {}, 1)), list{0});
  EXPECT_EQ(pus_of(outside.place(four, {}, 2)), (list{0, 1}));
  EXPECT_EQ(pus_of(b.place(four, {}, 1)), list{1});
}

TEST_F(claims, of_another_process_are_seen_until_it_ends) {
  {
    const child_process other([&] { claim(four, 3); });
    core_claims here(true);
    EXPECT_EQ(pus_of(here.place(four, {}, 1)), list{3});
    core_claims two(true);
    const placement both = two.place(four, {}, 2);
    EXPECT_EQ(pus_of(both), (list{0, 1}));
    EXPECT_EQ(two.shared_with_others(), (list{0, 1}));
  }
  core_claims after(true);
  EXPECT_EQ(pus_of(after.place(four, {}, 1)), list{0});
}

TEST_F(claims, of_machines_of_one_worker_are_of_different_cores) {
  const auto available = topology::host().available();
  std::vector<std::unique_ptr<machine>> all;
  std::vector<unsigned> pus;
  for (unsigned i = 0; i < available; ++i) {
    all.push_back(std::make_unique<machine>(pleat::machine_options{.processors = 1}));
    pus.push_back(all.back()->placement().processors[0].pu);
    EXPECT_TRUE(works(*all.back(), 5));
  }
  std::sort(pus.begin(), pus.end());
  EXPECT_EQ(std::unique(pus.begin(), pus.end()), pus.end());
}

TEST_F(claims, that_collide_with_another_process_are_a_warning) {
  const topology host = topology::host();
  const child_process other([&] { claim(host, host.available()); });
  testing::internal::CaptureStderr();
  const machine whole;
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "which was told nothing";
  if (host.allowed_cores() < 2) return;
  testing::internal::CaptureStderr();
  const machine part({.processors = 1});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("another process"), std::string::npos) << said;
  EXPECT_NE(said.find("PLEAT_PLACE"), std::string::npos) << said;
  pleat::detail::defaults.claim_cores = false;
  testing::internal::CaptureStderr();
  const machine unseen({.processors = 1});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(claims, are_refused_a_folder_that_others_may_write_to) {
  const temporary_folder folder;
  std::filesystem::permissions(folder.path, std::filesystem::perms::all);
  const variable open("XDG_RUNTIME_DIR", folder.path.c_str());
  core_claims somewhere_else(true);
  static_cast<void>(somewhere_else.place(four, {}, 1));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path));
}

}  // namespace core_claims_test
