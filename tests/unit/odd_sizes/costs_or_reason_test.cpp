// SPDX-License-Identifier: Apache-2.0
//
// A machine that traces counts each call, or says why not.
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/cholesky.hpp>
#include <pleat/oblivious/closure.hpp>
#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/graph.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/rearrange.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/oblivious/transpose.hpp>
#include <pleat/runtime/machine.hpp>

namespace costs_or_reason_test {

using call = std::function<pleat::run_report(pleat::machine&, std::optional<std::size_t> vps)>;

/// A call that reports through its options.
template <class Call> call reporting(const Call& made) {
  return [made](pleat::machine& on, std::optional<std::size_t> vps) {
    pleat::run_report report;
    std::vector<int> x(50), out(100);
    made(on, x, out, pleat::range_options{.vps = vps, .report = &report});
    return report;
  };
}
/// A call for a positive definite matrix, or paths.
template <class Call> call of_matrix(const Call& made) {
  return [made](pleat::machine& on, std::optional<std::size_t> vps) {
    constexpr std::size_t n = 12;
    std::vector<double> elements(n * n, 1), other(n * n);
    for (std::size_t i = 0; i < n; ++i) elements[i * n + i] = 2;
    return made(on, pleat::strided_view<double>(elements.data(), n, n, n),
                pleat::strided_view<double>(other.data(), n, n, n), vps);
  };
}

const std::map<std::string, call>& calls() {
  static const std::map<std::string, call> all{
      {"sort",
       [](auto& on, auto vps) {
         std::vector<int> keys{3, 1, 2, 5, 4, 9, 8, 7};
         return pleat::sort(on, keys, {}, {.vps = vps});
       }},
      {"stable_sort",
       [](auto& on, auto vps) {
         std::vector<std::string> names{"c", "b", "a", "e", "d"};
         return pleat::stable_sort(on, names, {}, {}, {.vps = vps});
       }},
      {"fft",
       [](auto& on, auto vps) {
         std::vector<std::complex<double>> x(16);
         return pleat::fft(on, x, {.vps = vps});
       }},
      {"stencil",
       [](auto& on, auto vps) {
         std::vector<double> cells(40);
         const auto kernel = [](const auto& u) { return u(-1) + u(1); };
         return pleat::stencil(on, pleat::grid_view<double, 1>(cells.data(), {40}), 3, kernel,
                               {.vps = vps});
       }},
      {"transpose", of_matrix([](auto& on, auto in, auto out, auto vps) {
         return pleat::transpose(on, in, out, {.vps = vps});
       })},
      {"closure", of_matrix([](auto& on, auto paths, auto, auto vps) {
         return pleat::closure<pleat::min_plus>(on, paths, {.vps = vps});
       })},
      {"cholesky", of_matrix([](auto& on, auto a, auto, auto vps) {
         return pleat::cholesky(on, a, {.vps = vps});
       })},
      {"matmul", of_matrix([](auto& on, auto a, auto c, auto vps) {
         return pleat::matmul(on, a, a, c, {.vps = vps});
       })},
      {"reduce", reporting([](auto& on, auto& x, auto&, const auto& options) {
         static_cast<void>(pleat::reduce(on, x, 0, std::plus<>(), std::identity(), options));
       })},
      {"scan", reporting([](auto& on, auto& x, auto& out, const auto& options) {
         pleat::exclusive_scan(on, x, out, 0, std::plus<>(), options);
       })},
      {"reverse", reporting([](auto& on, auto& x, auto&, const auto& options) {
         pleat::reverse(on, x, options);
       })},
      {"rotate", reporting([](auto& on, auto& x, auto&, const auto& options) {
         pleat::rotate(on, x, 7, options);
       })},
      {"merge", reporting([](auto& on, auto& x, auto& out, const auto& options) {
         pleat::merge(on, x, x, out, std::ranges::less(), std::identity(), options);
       })},
      {"nth_element",
       [](auto& on, auto vps) {
         pleat::run_report report;
         std::vector<int> x(50'000);
         for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 7 % x.size());
         pleat::nth_element(on, x, 20'000, {}, {}, {.vps = vps, .report = &report});
         return report;
       }},
      {"connected_components",
       [](auto& on, auto vps) {
         const std::vector<std::array<std::uint32_t, 2>> edges{{0, 1}, {2, 3}};
         std::vector<std::uint32_t> labels(5);
         return pleat::connected_components(on, edges, labels, {.vps = vps});
       }},
      {"list_rank",
       [](auto& on, auto vps) {
         const std::vector<std::uint32_t> next{1, 2, 2};
         std::vector<std::uint32_t> ranks(next.size());
         return pleat::list_rank(on, next, ranks, {.vps = vps});
       }},
      {"copy_if", reporting([](auto& on, auto& x, auto& out, const auto& options) {
         pleat::copy_if(
             on, x, out, [](int one) { return one == 0; }, std::identity(), options);
       })},
  };
  return all;
}

const std::set<std::string> in_common_memory{"stable_sort", "nth_element", "connected_components",
                                             "list_rank"};

TEST(costs_or_reason, of_every_call_whoever_did_the_work) {
  pleat::machine counting({.trace = pleat::tracing()});
  for (const auto& [name, made] : calls()) {
    for (const std::optional<std::size_t> vps :
         {std::optional<std::size_t>(), std::optional<std::size_t>(1),
          std::optional<std::size_t>(3)}) {
      const pleat::run_report report = made(counting, vps);
      EXPECT_NE(report.costs.has_value(), !report.uncounted.empty())
          << name << " on " << vps.value_or(0);
      EXPECT_EQ(report.costs.has_value(), report.vps != 0 && !in_common_memory.contains(name))
          << name;
    }
  }
}

}  // namespace costs_or_reason_test
