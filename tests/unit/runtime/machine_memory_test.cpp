// SPDX-License-Identifier: Apache-2.0
// Machines in a process whose memory is limited. Not for sanitized builds, whose shadow is larger
// than any limit; there tests/faults refuses allocations.
#include <cstddef>
#include <fstream>
#include <new>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "in_child.hpp"
#include "machines.hpp"

namespace machine_memory_test {

using pleat::machine, pleat::task, pleat::vp;

using machine_memory = machines;

// Limits this process to what it has mapped and so many bytes more.
void leave(std::size_t bytes) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + bytes;
  ::setrlimit(RLIMIT_AS, &limit);
}

TEST_F(machine_memory, survive_a_run_there_is_no_memory_for) {
  const int code = in_child([&] {
    machine m({.processors = 1});
    if (!works(m, 1000)) return 1;
    leave(std::size_t{1} << 29);
    try {
      (void)works(m, std::size_t{1} << 25);
      return 2;
    } catch (const std::bad_alloc&) {
    }
    try {
      m.run(std::size_t{1} << 25, [](vp&) -> task<> { co_return; });
      return 3;
    } catch (const std::bad_alloc&) {
    }
    return works(m, 1000) ? 42 : 4;
  });
  EXPECT_EQ(code, 42);
}

// One VP sends till there is no memory: small messages, large ones, or to a mailbox for another
// worker.
TEST_F(machine_memory, give_back_what_they_have_when_memory_ends) {
  const int code = in_child([&] {
    machine m({.processors = 2});
    if (!works(m, 1000)) return 1;
    constexpr std::size_t left = std::size_t{1} << 28;
    leave(left);
    const std::vector<std::byte> large(std::size_t{1} << 20);
    for (const std::size_t to : {1, 3}) {
      for (const bool many : {false, true}) {
        try {
          m.run(4, [&](vp& me) -> task<> {
            while (me.rank() == 0) {
              if (many)
                me.send(to, me.rank());
              else
                me.send(to, large);
            }
            co_await me.sync(0);
          });
          return 2;
        } catch (const pleat::vp_failed& e) {
          try {
            e.rethrow_cause();
          } catch (const std::bad_alloc&) {
          }
        }
        if (!works(m, 1000)) return 3;
        // Half of all there is can be had again, by whoever else wants it.
        try {
          std::vector<std::byte>(left / 2);
        } catch (const std::bad_alloc&) {
          return 4;
        }
      }
    }
    return 42;
  });
  EXPECT_EQ(code, 42);
}

}  // namespace machine_memory_test
