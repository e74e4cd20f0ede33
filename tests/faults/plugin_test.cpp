// SPDX-License-Identifier: Apache-2.0
// A program that loads a plugin, lets it work, and unloads it, again and again.
#include <dlfcn.h>
#include <thread>

#include <gtest/gtest.h>

#include "unit/runtime/in_child.hpp"

namespace {

// 42 if everything went well.
int use_plugin(const char* first, const char* second) {
  for (int round = 0; round < 3; ++round) {
    void* const plugin = ::dlopen(PLEAT_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) return 1;
    for (const char* name : {first, second}) {
      const auto work = reinterpret_cast<bool (*)()>(::dlsym(plugin, name));
      if (work == nullptr || !work()) return 2;
      // The thread's own state in the plugin goes when the thread does.
      bool elsewhere = false;
      std::thread([&] { elsewhere = work(); }).join();
      if (!elsewhere) return 3;
    }
    if (::dlclose(plugin) != 0) return 4;
    // Workers of the default machine go from spinning to sleep meanwhile.
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  }
  return 42;
}

// Runs each test in a child of its own, as the plugin may stay loaded.
class plugin : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(plugin, can_be_unloaded) {
  EXPECT_EQ(in_child([] { return use_plugin(GetParam().first, GetParam().second); }), 42);
}

constexpr const char* own = "sort_on_its_own_machine";
constexpr const char* shared = "sort_on_the_default_machine";
INSTANTIATE_TEST_SUITE_P(machines, plugin,
                         testing::Values(std::pair{own, own}, std::pair{shared, shared},
                                         std::pair{own, shared}, std::pair{shared, own}));

}  // namespace
