// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/workers.hpp>

inline constexpr auto borrowed = pleat::workers::borrowed;

// An environment variable for as long as it lives; null: unset.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~variable() { set(before_ ? before_->c_str() : nullptr); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  void set(const char* value) { value != nullptr ? ::setenv(name_, value, 1) : ::unsetenv(name_); }
  const char* name_;
  std::optional<std::string> before_;
};

// Without what the user's environment says of machines.
class machines : public testing::Test {
  variable processors_{"PLEAT_NUM_PROCESSORS", nullptr}, place_{"PLEAT_PLACE", nullptr},
      wait_{"PLEAT_WAIT", nullptr}, memory_{"PLEAT_MEMORY", nullptr}, pin_{"PLEAT_PIN", nullptr},
      show_{"PLEAT_SHOW_BINDING", nullptr};
};

// Every VP adds what the one before sent it. Returns whether all was as it should be.
inline bool works(pleat::machine& m, std::size_t v) {
  std::vector<std::size_t> got(v, ~std::size_t{0});
  m.run(v, [&](pleat::vp& me) -> pleat::task<> {
    me.send((me.rank() + 1) % me.size(), me.rank());
    co_await me.sync(0);
    const auto message = me.receive();
    got[me.rank()] = message->get<std::size_t>();
  });
  for (std::size_t rank = 0; rank < v; ++rank) {
    if (got[rank] != (rank + v - 1) % v) return false;
  }
  return true;
}
