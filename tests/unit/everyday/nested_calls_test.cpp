// SPDX-License-Identifier: Apache-2.0
//
// Calls of the library where another call or a run is under way on the calling thread.
#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/pleat.hpp>

namespace nested_calls_test {

/// More than are sorted or shuffled at once.
constexpr std::size_t n = 20'000;
using keys = std::vector<std::uint64_t>;

keys made() {
  keys x(n);
  std::iota(x.begin(), x.end(), std::uint64_t{0});
  return x;
}
keys backwards() {
  keys x = made();
  std::ranges::reverse(x);
  return x;
}
bool is_odd(std::uint64_t key) { return key % 2 == 1; }

/// A call whose result is checked, on a machine and on the default one.
struct call {
  const char* name;
  std::function<void(pleat::machine&)> named;
  std::function<void()> plain;
};
template <class F> call calling(const char* name, const F& f) {
  return {name, [f](pleat::machine& on) { f(on); }, [f] { f(); }};
}

class nested_call : public testing::TestWithParam<call> {
 protected:
  void both() {
    GetParam().named(machine_);
    GetParam().plain();
  }

  pleat::machine machine_{{.processors = 2, .strict = true}};
};

TEST_P(nested_call, works_in_the_program_of_a_vp) {
  for (const std::size_t v : {1u, 3u})
    machine_.run(v, [&](pleat::vp& me) -> pleat::task<> {
      both();
      co_await me.sync(0);
      both();
    });
}

TEST_P(nested_call, works_in_a_function_given_to_another_call) {
  for (const std::size_t vps : {1u, 2u}) {
    pleat::for_each_index(machine_, 3, [&](std::size_t) { both(); }, {.vps = vps});
    pleat::for_each_index(3, [&](std::size_t) { both(); }, {.vps = vps});
  }
}

TEST_P(nested_call, works_in_a_nested_call) {
  const auto twice = [&](std::size_t) {
    pleat::for_each_index(machine_, 2, [&](std::size_t) { both(); }, {.vps = 2});
  };
  pleat::for_each_index(machine_, 2, twice, {.vps = 2});
}

INSTANTIATE_TEST_SUITE_P(
    of, nested_call,
    testing::Values(
        calling("transform",
                [](auto&... on) {
                  keys x = made();
                  pleat::transform(on..., x, x, [](std::uint64_t key) { return key + 1; });
                  EXPECT_EQ(x.back(), n);
                }),
        calling("reduce",
                [](auto&... on) {
                  EXPECT_EQ(pleat::reduce(on..., made(), std::uint64_t{0}), n * (n - 1) / 2);
                }),
        calling("inclusive_scan",
                [](auto&... on) {
                  keys x = made();
                  pleat::inclusive_scan(on..., x, x);
                  EXPECT_EQ(x.back(), n * (n - 1) / 2);
                }),
        calling("copy_if",
                [](auto&... on) {
                  const keys x = made();
                  keys odd(x.size() / 2);
                  EXPECT_EQ(pleat::copy_if(on..., x, odd, is_odd), odd.end());
                }),
        calling("partition",
                [](auto&... on) {
                  keys x = made();
                  EXPECT_EQ(pleat::partition(on..., x, is_odd).size(), n / 2);
                }),
        calling("max_element",
                [](auto&... on) {
                  const keys x = made();
                  EXPECT_EQ(pleat::max_element(on..., x), x.end() - 1);
                }),
        calling("merge",
                [](auto&... on) {
                  const keys x = made();
                  keys both(2 * n);
                  pleat::merge(on..., x, x, both);
                  EXPECT_EQ(both[n], n / 2);
                }),
        calling("nth_element",
                [](auto&... on) {
                  keys x = made();
                  EXPECT_EQ(*pleat::nth_element(on..., x, 5), 5u);
                }),
        calling("top_k",
                [](auto&... on) { EXPECT_EQ(pleat::top_k(on..., made(), 1).front(), n - 1); }),
        calling("histogram",
                [](auto&... on) {
                  keys counts(2);
                  pleat::histogram(on..., made(), counts, is_odd);
                  EXPECT_EQ(counts, keys(2, n / 2));
                }),
        calling("random_shuffle",
                [](auto&... on) {
                  keys x = made();
                  pleat::random_shuffle(on..., x, 1);
                  EXPECT_NE(x, made());
                  std::ranges::sort(x);
                  EXPECT_EQ(x, made());
                }),
        calling("group_by",
                [](auto&... on) {
                  keys x = backwards();
                  EXPECT_EQ(pleat::group_by(on..., x).size(), n + 1);
                  EXPECT_EQ(x, made());
                }),
        calling("sort_of_few",
                [](auto&... on) {
                  keys x{3, 1, 2};
                  pleat::sort(on..., x);
                  EXPECT_EQ(x, (keys{1, 2, 3}));
                }),
        calling("sort_as_asked",
                [](auto&... on) {
                  keys x = backwards();
                  pleat::sort(on..., x, {}, pleat::sort_options{.vps = 3});
                  EXPECT_EQ(x, made());
                }),
        calling("argsort",
                [](auto&... on) { EXPECT_EQ(pleat::argsort(on..., backwards()).front(), n - 1); }),
        calling("sort_by_key",
                [](auto&... on) {
                  keys x = backwards();
                  keys y = made();
                  pleat::sort_by_key(on..., x, y);
                  EXPECT_EQ(y, backwards());
                }),
        calling("fft",
                [](auto&... on) {
                  std::vector<std::complex<double>> x(1 << 10, 1.0);
                  pleat::fft(on..., x);
                  EXPECT_EQ(x.front(), std::complex<double>(1 << 10));
                }),
        calling("matmul",
                [](auto&... on) {
                  std::array<double, 4> a{1, 2, 3, 4}, b{0, 1, 1, 0}, c{};
                  using view = pleat::strided_view<double>;
                  pleat::matmul(on..., view(a.data(), 2, 2, 2), view(b.data(), 2, 2, 2),
                                view(c.data(), 2, 2, 2));
                  EXPECT_EQ(c, (std::array<double, 4>{2, 1, 4, 3}));
                }),
        calling("stencil",
                [](auto&... on) {
                  std::vector<double> x(1000, 2.0);
                  pleat::stencil(on..., x, 10, [](const auto& u) { return (u(-1) + u(1)) / 2; });
                  EXPECT_EQ(x, std::vector<double>(1000, 2.0));
                }),
        calling("prefix",
                [](auto&... on) {
                  keys x{3, 1, 4, 1};
                  pleat::prefix(on..., x);
                  EXPECT_EQ(x, (keys{3, 4, 8, 9}));
                })),
    [](const auto& one) { return std::string(one.param.name); });

TEST(nested_calls, are_not_more_runs) {
  pleat::machine machine({.processors = 2});
  pleat::for_each_index(machine, 2,
                        [&](std::size_t) {
                          pleat::run_report report;
                          pleat::for_each_index(machine, n, [](std::size_t) {},
                                                {.report = &report});
                          EXPECT_EQ(report.vps, 0u);
                        },
                        {.vps = 2});
}

/// A function for another call that says when a machine can run in it.
struct runs_refused {
  pleat::machine& machine;
  bool wanted;  // what it returns where it asks

  template <class... T> bool operator()(const T&...) const {
    EXPECT_THROW(machine.run(1, [](pleat::vp&) -> pleat::task<> { co_return; }),
                 pleat::usage_error);
    return wanted;
  }
};

TEST(nested_calls, machines_cannot_run_in_any_function_given) {
  pleat::machine on({.processors = 2});
  const runs_refused ask{on, true};
  const auto less = [&](std::uint64_t a, std::uint64_t b) { return ask() && a < b; };
  const auto add = [&](std::uint64_t a, std::uint64_t b) { return ask() ? a + b : 0; };
  for (const std::size_t few : {3u, 300u}) {
    keys x(few);
    std::iota(x.rbegin(), x.rend(), std::uint64_t{0});
    keys out(2 * few);
    for (const std::optional<std::size_t> vps : {std::optional<std::size_t>{}, {1}, {2}}) {
      const pleat::range_options how{.vps = vps};
      static_cast<void>(pleat::partition(on, x, ask, how));
      static_cast<void>(pleat::reduce(on, x, std::uint64_t{0}, add, how));
      static_cast<void>(pleat::max_element(on, x, less, how));
      static_cast<void>(pleat::nth_element(on, x, few / 2, less, how));
      static_cast<void>(pleat::top_k(on, x, few, less, how));
      pleat::merge(on, x, x, out, less, how);  // unsorted
      keys counts(2);
      pleat::histogram(on, x, counts, ask, how);
      std::vector<std::string> words(few, "word");
      pleat::sort(
          on, words, {}, [&](const std::string& word) { return ask() ? word : ""; },
          pleat::sort_options{.vps = vps});
      pleat::sort(on, x, less, pleat::sort_options{.vps = vps});
    }
  }
}

/// Calls may stay alone, as time has it; those that are refused must not.
TEST(nested_calls, machines_cannot_run_inside) {
  pleat::machine machine({.processors = 2});
  pleat::machine other({.processors = 1});
  const auto nothing = [](pleat::vp&) -> pleat::task<> { co_return; };
  for (const std::size_t vps : {1u, 2u})
    for (pleat::machine* inner : {&machine, &other})
      pleat::for_each_index(machine, 2,
                            [&](std::size_t) {
                              EXPECT_THROW(inner->run(1, nothing), pleat::usage_error);
                              EXPECT_THROW(pleat::default_machine(), pleat::usage_error);
                            },
                            {.vps = vps});
  machine.run(1, nothing);  // and afterwards they can
  const pleat::default_machine on;
  on->run(1, nothing);
}

TEST(nested_calls, do_not_depend_on_what_the_environment_says_of_machines) {
  ::setenv("PLEAT_PIN", "1", 1);
  pleat::for_each_index(3, [](std::size_t) {
    std::vector<std::string> words(1000, "word");
    pleat::sort(words);
  });
  ::unsetenv("PLEAT_PIN");
}

TEST(nested_calls, give_what_they_throw_to_the_function_that_called) {
  pleat::machine machine({.processors = 2});
  const auto fails = [](std::size_t) { throw 7; };
  for (const std::size_t vps : {1u, 2u})
    pleat::for_each_index(machine, 2,
                          [&](std::size_t) {
                            EXPECT_THROW(pleat::for_each_index(machine, 4, fails, {.vps = 2}), int);
                          },
                          {.vps = vps});
  keys x = backwards();
  pleat::sort(machine, x);
  EXPECT_EQ(x, made());
}

}  // namespace nested_calls_test
