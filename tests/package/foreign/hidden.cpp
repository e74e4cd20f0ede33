// SPDX-License-Identifier: Apache-2.0
// A program that hides all of its own symbols, beside shared libraries that hide theirs: exceptions
// are caught on the other side, and what threads carry is one for the whole process.
#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

#include <pleat/pleat.hpp>

namespace {

int failures = 0;
template <class Exception, class Call> void throws(const char* what, Call call) {
  try {
    call();
    std::printf("%s: nothing was thrown\n", what);
  } catch (const Exception&) {
    return;
  } catch (const std::exception& other) {
    std::printf("%s: caught as something else: %s\n", what, other.what());
  }
  ++failures;
}

class mine : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

pleat::task<> fails(pleat::vp& me) {
  co_await me.sync(0);
  if (me.rank() == 1) throw mine("of the program");
  co_await me.sync(0);
}

pleat::task<> of_different_labels(pleat::vp& me) {
  if (me.rank() == 0) {
    co_await me.sync(0);
  } else {
    co_await me.sync(1);
  }
}

}  // namespace

int main() {
  pleat::machine m(pleat::machine_options{.processors = 2});
  const pleat::placement_request nowhere = pleat::parse_placement("list:1000000");
  throws<pleat::usage_error>("usage_error of the library", [] {
    const pleat::machine none(pleat::machine_options{.processors = 0});
  });
  throws<pleat::usage_error>("usage_error, of a run", [&] { m.run(0, fails); });
  throws<pleat::no_such_place>("no_such_place", [&] {
    const pleat::machine none(pleat::machine_options{.place = nowhere});
  });
  throws<pleat::environment_error>("environment_error, by its base", [&] {
    const pleat::machine none(pleat::machine_options{.place = nowhere});
  });
  throws<pleat::capacity_error>("capacity_error of a header",
                                [] { const pleat::channel<int> none(0); });
  throws<pleat::label_mismatch>("label_mismatch", [&] { m.run(4, of_different_labels); });
  throws<pleat::run_error>("label_mismatch, by its base", [&] { m.run(4, of_different_labels); });
  throws<pleat::vp_failed>("vp_failed", [&] { m.run(4, fails); });
  throws<mine>("the program's own, kept by the library", [&] {
    try {
      m.run(4, fails);
    } catch (const pleat::vp_failed& failed) {
      failed.rethrow_cause();
    }
  });
  std::vector<int> numbers(1000, 1);
  throws<mine>("the program's own, from a comparator", [&] {
    pleat::sort(m, numbers, [](int, int) -> bool { throw mine("comparator"); });
  });

  // Coroutines of the program allocate their frames where the library's workers say.
  using pleat::detail::current_execution;
  bool known = true;
  m.run(4, [&](pleat::vp&) -> pleat::task<> {
    if (current_execution == nullptr) known = false;
    co_return;
  });
  if (!known) {
    std::printf("current_execution of the program is not the library's\n");
    ++failures;
  }
  // So do the library's turns look where the program says that it is inside a call.
  {
    const pleat::detail::alone_scope inside;
    throws<pleat::usage_error>("a run inside a call", [&] { m.run(1, fails); });
  }
  return failures;
}
