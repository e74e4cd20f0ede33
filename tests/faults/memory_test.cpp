// SPDX-License-Identifier: Apache-2.0
// Every allocation of a run fails, one after the other: the caller gets std::bad_alloc or the right
// result, nothing leaks, and the machine works afterwards.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/detail/sanitizer.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "rationed_memory.hpp"
#include "verified_programs.hpp"
#include "watchdog.hpp"

namespace {

using pleat::machine;
using pleat::machine_options;
using pleat::task;
using pleat::vp;

using work = std::function<void(machine&)>;

// No more steps than this for one program, evenly spread, unless all are asked for.
std::size_t most_steps() {
  if (std::getenv("PLEAT_TEST_EXHAUSTIVE") != nullptr) return ~std::size_t{0};
  return pleat::detail::sanitized ? 20 : 120;
}

// Is it for want of memory that this ended?
bool for_want_of_memory(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const pleat::vp_failed& failure) {
    return for_want_of_memory(failure.cause());
  } catch (const pleat::environment_error&) {
    return true;  // a thread there was no memory for
  } catch (...) {
    return false;
  }
}

std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

// What `body` throws; null if nothing.
template <class Body> std::exception_ptr thrown_by(const Body& body) {
  try {
    body();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

// How many blocks `body` asks for.
std::size_t demand(const std::function<void()>& body) {
  // Every one is asked for again by the next, so that the first refusal tells.
  std::size_t low = 0;
  std::size_t high = 1;
  const auto enough = [&](std::size_t blocks) {
    faults::ration_memory(blocks, false);
    static_cast<void>(thrown_by(body));
    return faults::end_ration() == 0;
  };
  while (!enough(high)) high *= 2;
  while (low + 1 < high) (enough((low + high) / 2) ? high : low) = (low + high) / 2;
  return high;
}

class memory : public testing::Test {
 protected:
  // `expected`: ends what `body` throws when there is memory; null: nothing.
  void refuse_each(const char* name, const machine_options& options, const work& body,
                   bool (*expected)(const std::exception_ptr&) = nullptr) {
    const auto whole = [&] {
      machine m(options);
      body(m);
    };
    const auto right = [&](const std::exception_ptr& thrown) {
      return thrown == nullptr ? expected == nullptr : expected != nullptr && expected(thrown);
    };
    dog_.watch(name, 0);
    for (int i = 0; i < 2; ++i) {  // what is made once a process is there afterwards
      const std::exception_ptr thrown = thrown_by(whole);
      ASSERT_TRUE(right(thrown)) << name << ": " << (thrown ? text_of(thrown) : "no error");
    }
    const std::size_t blocks = demand(whole);
    const std::size_t stride = 1 + blocks / most_steps();
    for (const bool and_all_after : {false, true}) {
      for (std::size_t k = 0; k <= blocks; k += stride) {
        dog_.watch(name, k);
        SCOPED_TRACE(std::string(name) + ", allocation " + std::to_string(k) + " of " +
                     std::to_string(blocks) + (and_all_after ? " and all after it" : ""));
        const long before = faults::blocks_in_use();
        {
          std::optional<machine> m;
          faults::ration_memory(k, and_all_after);
          const std::exception_ptr thrown = thrown_by([&] {
            m.emplace(options);
            body(*m);
          });
          const std::size_t refused = faults::end_ration();
          if (!right(thrown) && !(refused != 0 && thrown && for_want_of_memory(thrown)))
            ADD_FAILURE() << (thrown ? text_of(thrown) : "no error");
          if (m) {
            const std::exception_ptr again = thrown_by([&] { body(*m); });
            EXPECT_TRUE(right(again)) << "afterwards: " << (again ? text_of(again) : "no error");
          }
        }
        EXPECT_EQ(faults::blocks_in_use(), before) << "a leak";
        if (HasFailure()) return;
      }
    }
  }

 private:
  faults::watchdog dog_;
};

const machine_options two = {.processors = 2, .wait = pleat::wait_policy::park};

TEST_F(memory, that_is_refused_to_a_machine_leaves_nothing_behind) {
  refuse_each("a machine", two, [](machine&) {});
}

TEST_F(memory, that_is_refused_to_a_program_ends_it_and_leaves_the_machine_usable) {
  for (const auto& program : faults::verified_programs()) {
    for (const std::uint64_t seed : {3u, 4u})
      refuse_each(program.name, two, [&](machine& on) { program.carry_out(on, seed, 1); });
  }
}

TEST_F(memory, that_is_refused_to_machines_of_other_kinds) {
  const auto& ring = faults::verified_programs()[0];
  const work body = [&](machine& on) { ring.carry_out(on, 5, 1); };
  refuse_each("strict", {.processors = 2, .wait = pleat::wait_policy::park, .strict = true}, body);
  refuse_each("timeline", {.processors = 2, .wait = pleat::wait_policy::park, .timeline = true},
              body);
  refuse_each("tracing", {.trace = pleat::tracing{}}, body);
  refuse_each("routed",
              {.processors = 2,
               .wait = pleat::wait_policy::park,
               .routing = pleat::routing::ascend_descend},
              body);
}

// Errors that are under way when memory ends: the sentence may be lost, not the error.
TEST_F(memory, that_is_refused_while_an_error_is_reported) {
  refuse_each(
      "an exception", two,
      [](machine& on) {
        on.run(9, [](vp& me) -> task<> {
          const std::string local(100, 'x');
          co_await me.sync(0);
          if (me.rank() == 5) throw std::runtime_error("an exception that is expected");
          co_await me.sync(0);
        });
      },
      [](const std::exception_ptr& thrown) {
        return text_of(thrown).find("expected") != std::string::npos;
      });
  refuse_each(
      "a deadlock", two,
      [](machine& on) {
        on.run(6, [](vp& me) -> task<> {
          const std::string local(100, 'x');
          const auto never = co_await me.pop<int>((me.rank() + 1) % me.size());
          static_cast<void>(never);
        });
      },
      [](const std::exception_ptr& thrown) {
        return text_of(thrown).find("deadlock") != std::string::npos;
      });
  refuse_each(
      "a mismatch", two,
      [](machine& on) {
        on.run(4, [](vp& me) -> task<> {
          const std::string local(100, 'x');
          co_await me.sync(me.rank() == 0 ? 1 : 0);
        });
      },
      [](const std::exception_ptr& thrown) {
        return text_of(thrown).find("mismatch") != std::string::npos;
      });
  refuse_each(
      "lent memory modified", {.processors = 2, .wait = pleat::wait_policy::park, .strict = true},
      [](machine& on) {
        on.run(4, [](vp& me) -> task<> {
          std::vector<int> mine(100, 1);
          me.lend((me.rank() + 1) % 4, std::span<const int>(mine));
          co_await me.sync(0);
          mine[50] = 2;
          co_await me.sync(0);
        });
      },
      [](const std::exception_ptr& thrown) {
        return text_of(thrown).find("lent") != std::string::npos;
      });
}

}  // namespace
