// SPDX-License-Identifier: Apache-2.0
//
// VPs call everyday algorithms for much more work than is done alone elsewhere.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/pleat.hpp>

#include "range_cases.hpp"

namespace inside_run_test {

using keys = std::vector<std::uint64_t>;

keys made() {
  keys x(large);
  std::iota(x.begin(), x.end(), std::uint64_t{0});
  return x;
}
bool is_odd(std::uint64_t key) { return key % 2 == 1; }

constexpr std::size_t no_numbers_of_vps[] = {0, std::size_t{1} << 32, std::size_t{1} << 63,
                                             SIZE_MAX};

struct call {
  const char* name;
  std::function<void(pleat::machine&, const pleat::range_options&)> made;
};

class inside_a_run : public testing::TestWithParam<call> {};

TEST_P(inside_a_run, all_is_done_by_the_vp_that_calls) {
  auto machine = strict_machine(2);
  std::size_t vps = 1;
  machine.run(1, [&](pleat::vp&) -> pleat::task<> {
    pleat::run_report report;
    report.vps = 99;
    GetParam().made(machine, {.report = &report});
    vps = report.vps;
    co_return;
  });
  EXPECT_EQ(vps, 0u) << "another run";
}

TEST_P(inside_a_run, of_numbers_of_vps_those_that_no_machine_runs_are_refused_outside_too) {
  auto machine = strict_machine(2);
  for (const std::size_t vps : no_numbers_of_vps)
    EXPECT_THROW(GetParam().made(machine, with(vps)), pleat::usage_error) << vps;
}
TEST(numbers_of_vps, that_no_machine_runs_are_refused_by_all_other_programs) {
  auto machine = strict_machine(2);
  std::vector<double> x(1024), y(1024);
  std::vector<std::complex<double>> z(1024);
  const std::vector<double> keys(1024);
  const auto matrix = [](std::vector<double>& of) {
    return pleat::strided_view<double>(of.data(), 16, 16, 16);
  };
  for (const std::size_t vps : no_numbers_of_vps) {
    SCOPED_TRACE(vps);
    using error = pleat::usage_error;
    EXPECT_THROW(pleat::sort(machine, x, {}, {.vps = vps}), error);
    EXPECT_THROW(pleat::stable_sort(machine, x, std::not_equal_to<>(), {.vps = vps}), error);
    EXPECT_THROW((void)pleat::argsort(machine, keys, {}, {.vps = vps}), error);
    EXPECT_THROW(pleat::fft(machine, z, {.vps = vps}), error);
    EXPECT_THROW(pleat::matmul(machine, matrix(x), matrix(x), matrix(y), {.vps = vps}), error);
    EXPECT_THROW(pleat::stencil(machine, x, 3, [](const auto& u) { return u(0); }, {.vps = vps}),
                 error);
    EXPECT_THROW((void)pleat::equal(machine, x, keys, {}, with(vps)), error);
    EXPECT_THROW((void)pleat::group_by(machine, x, {}, with(vps)), error);
    EXPECT_THROW(pleat::random_shuffle(machine, x, 1, with(vps)), error);
  }
}

INSTANTIATE_TEST_SUITE_P(everyday, inside_a_run,
                         testing::Values(
                             call{"transform",
                                  [](pleat::machine& on, const pleat::range_options& options) {
                                    keys x = made();
                                    pleat::transform(
                                        on, x, x, [](std::uint64_t key) { return key + 1; },
                                        options);
                                    EXPECT_EQ(x.back(), large);
                                  }},
                             call{"reduce",
                                  [](pleat::machine& on, const pleat::range_options& options) {
                                    EXPECT_EQ(pleat::reduce(on, made(), std::uint64_t{0},
                                                            std::plus<>(), options),
                                              large * (large - 1) / 2);
                                  }},
                             call{"aggregate",
                                  [](pleat::machine& on, const pleat::range_options& options) {
                                    const auto add = [](std::uint64_t& sum, std::uint64_t key) {
                                      sum += key;
                                    };
                                    EXPECT_EQ(pleat::aggregate(on, made(), std::uint64_t{0}, add,
                                                               std::plus<>(), options),
                                              large * (large - 1) / 2);
                                  }},
                             call{"inclusive_scan",
                                  [](pleat::machine& on, const pleat::range_options& options) {
                                    keys x = made();
                                    pleat::inclusive_scan(on, x, x, std::plus<>(), options);
                                    EXPECT_EQ(x.back(), large * (large - 1) / 2);
                                  }},
                             call{"copy_if",
                                  [](pleat::machine& on, const pleat::range_options& options) {
                                    const keys x = made();
                                    keys odd(x.size() / 2);
                                    EXPECT_EQ(pleat::copy_if(on, x, odd, is_odd, options),
                                              odd.end());
                                  }},
                             call{"partition",
                                  [](pleat::machine& on, const pleat::range_options& options) {
                                    keys x = made();
                                    EXPECT_EQ(pleat::partition(on, x, is_odd, options).size(),
                                              large / 2);
                                  }},
                             call{"find_if",
                                  [](pleat::machine& on, const pleat::range_options& options) {
                                    const keys x = made();
                                    const auto last = [](std::uint64_t key) {
                                      return key == large - 1;
                                    };
                                    EXPECT_EQ(pleat::find_if(on, x, last, options), x.end() - 1);
                                  }},
                             call{"max_element",
                                  [](pleat::machine& on, const pleat::range_options& options) {
                                    const keys x = made();
                                    EXPECT_EQ(pleat::max_element(on, x, {}, options), x.end() - 1);
                                  }},
                             call{"merge",
                                  [](pleat::machine& on, const pleat::range_options& options) {
                                    const keys x = made();
                                    keys both(2 * large);
                                    pleat::merge(on, x, x, both, {}, options);
                                    EXPECT_EQ(both[large], large / 2);
                                  }},
                             call{"nth_element",
                                  [](pleat::machine& on, const pleat::range_options& options) {
                                    keys x = made();
                                    EXPECT_EQ(*pleat::nth_element(on, x, 5, {}, options), 5u);
                                  }},
                             call{"top_k",
                                  [](pleat::machine& on, const pleat::range_options& options) {
                                    EXPECT_EQ(pleat::top_k(on, made(), 1, {}, options).front(),
                                              large - 1);
                                  }},
                             call{"histogram",
                                  [](pleat::machine& on, const pleat::range_options& options) {
                                    keys counts(2);
                                    pleat::histogram(on, made(), counts, is_odd, options);
                                    EXPECT_EQ(counts, keys(2, large / 2));
                                  }},
                             call{"reverse",
                                  [](pleat::machine& on, const pleat::range_options& options) {
                                    keys x = made();
                                    pleat::reverse(on, x, options);
                                    EXPECT_EQ(x.front(), large - 1);
                                  }},
                             call{
                                 "rotate",
                                 [](pleat::machine& on, const pleat::range_options& options) {
                                   keys x = made();
                                   pleat::rotate(on, x, 3, options);
                                   EXPECT_EQ(x.front(), 3u);
                                 }}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(inside_run, up_to_8192_elements_are_shuffled_without_the_machines_memory) {
  auto machine = strict_machine(2);
  machine.run(1, [&](pleat::vp&) -> pleat::task<> {
    keys x(8192);
    pleat::random_shuffle(machine, x, 1);
    co_return;
  });
}

TEST(inside_run, what_needs_the_machines_memory_is_refused) {
  auto machine = strict_machine(2);
  machine.run(1, [&](pleat::vp&) -> pleat::task<> {
    keys x = made();
    EXPECT_THROW(pleat::random_shuffle(machine, x, 1), pleat::usage_error);
    EXPECT_EQ(x, made());
    EXPECT_THROW((void)pleat::group_by(machine, x), pleat::usage_error);
    EXPECT_EQ(x, made());
    co_return;
  });
}

}  // namespace inside_run_test
