// SPDX-License-Identifier: Apache-2.0
#include "evaluated_program.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <numeric>
#include <utility>
#include <vector>

#include <pleat/oblivious/bitonic.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/prefix.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/oblivious/tree_broadcast.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "lower_bounds.hpp"
#include "names.hpp"
#include "sort/sort_keys.hpp"

namespace pleat::bench {
namespace {

using values = std::vector<std::uint64_t>;

machine_options traced(const evaluation_request& request) {
  machine_options options;
  options.routing = request.routing;
  options.trace = tracing{request.dummies};
  return options;
}

values random_values(const evaluation_request& request) {
  values result(request.n);
  fill_keys<std::uint64_t>(result, distribution::random, request.seed);
  return result;
}

void verify(bool right, std::string_view program) {
  if (!right) throw error("verification failed: " + std::string(program) + " computed nonsense");
}

cost_trace run_sort(const evaluation_request& request) {
  machine on(traced(request));
  values keys = random_values(request);
  const std::uint64_t fingerprint = key_fingerprint<std::uint64_t>(keys);
  run_report report = pleat::sort(on, keys, {}, {.vps = request.n});
  verify_sorted<std::uint64_t>(keys, fingerprint, "sort");
  return *std::move(report.costs);
}

cost_trace run_fft(const evaluation_request& request) {
  machine on(traced(request));
  std::vector<std::complex<double>> x;
  for (const std::uint64_t value : random_values(request))
    x.emplace_back(static_cast<double>(value >> 32), static_cast<double>(value & 0xffffffffU));
  std::vector<std::complex<double>> expected(x.size());
  pleat::fft(on, x, expected, {.vps = 1});
  run_report report = pleat::fft(on, x, {.vps = request.n});
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference += std::norm(x[i] - expected[i]);
    norm += std::norm(expected[i]);
  }
  verify(difference <= 1e-24 * norm, "fft");
  return *std::move(report.costs);
}

cost_trace run_broadcast(const evaluation_request& request) {
  machine on(traced(request));
  values all = random_values(request);
  const std::uint64_t sent = all.front();
  run_report report = pleat::tree_broadcast(on, all, {.root = 0, .degree = request.kappa});
  verify(static_cast<std::size_t>(std::ranges::count(all, sent)) == request.n, "broadcast");
  return *std::move(report.costs);
}

cost_trace run_prefix(const evaluation_request& request) {
  machine on(traced(request));
  values all = random_values(request);
  values sums(request.n);
  std::partial_sum(all.begin(), all.end(), sums.begin());
  run_report report = pleat::prefix(on, all);
  verify(all == sums, "prefix");
  return *std::move(report.costs);
}

cost_trace run_bitonic(const evaluation_request& request) {
  machine on(traced(request));
  values keys = random_values(request);
  const std::uint64_t fingerprint = key_fingerprint<std::uint64_t>(keys);
  run_report report = pleat::bitonic_sort(on, keys);
  verify_sorted<std::uint64_t>(keys, fingerprint, "bitonic");
  return *std::move(report.costs);
}

// √n × √n matrices, an element of each in a virtual processor.
cost_trace run_matmul(const evaluation_request& request, matmul_recursion recursion) {
  machine on(traced(request));
  const values a = random_values(request);
  const values b(a.rbegin(), a.rend());
  values c(request.n);
  const std::size_t side = std::size_t{1} << std::countr_zero(request.n) / 2;
  const auto matrix = [side](auto& elements) {
    return strided_view(elements.data(), side, side, side);
  };
  run_report report = pleat::matmul(on, matrix(a), matrix(b), matrix(c),
                                    {.recursion = recursion, .vps = request.n});
  bool right = true;
  for (std::size_t i = 0; i < side; ++i) {
    values row(side);
    for (std::size_t k = 0; k < side; ++k)
      for (std::size_t j = 0; j < side; ++j) row[j] += a[i * side + k] * b[k * side + j];
    right = right && std::equal(row.begin(), row.end(), &c[i * side]);
  }
  verify(right, recursion == matmul_recursion::eight_way ? "matmul" : "matmul4");
  return *std::move(report.costs);
}
cost_trace run_matmul8(const evaluation_request& request) {
  return run_matmul(request, matmul_recursion::eight_way);
}
cost_trace run_matmul4(const evaluation_request& request) {
  return run_matmul(request, matmul_recursion::four_way);
}

// Tells which neighbour is which, so that any mistake shows; and asks two steps back.
template <std::size_t D> struct scrambled_neighbours {
  std::uint64_t operator()(const auto& u) const {
    std::uint64_t h = u.before();
    const auto take = [&h](std::uint64_t x) { h = (h ^ x) * 0x9e3779b97f4a7c15U + 1; };
    for (int i = -1; i <= 1; ++i)
      if constexpr (D == 1)
        take(u(i));
      else
        for (int j = -1; j <= 1; ++j) take(u(i, j));
    return h;
  }
};

// A cell of a grid with a fixed boundary, as pleat::stencil shows it to a kernel.
template <std::size_t D> struct serial_cell {
  const std::uint64_t* now;
  const std::uint64_t* earlier;
  std::ptrdiff_t side;
  std::uint64_t operator()(int i) const { return now[i]; }
  std::uint64_t operator()(int i, int j) const { return now[i * side + j]; }
  [[nodiscard]] std::uint64_t before() const { return *earlier; }
};

// As many steps as the side of the grid, whose outermost points stay as they are; from a grid and
// the one before it.
template <std::size_t D> void sweep_serially(values& now, values& before, std::size_t side) {
  for (std::size_t step = 0; step < side; ++step) {
    for (std::size_t x = 0; x < now.size(); ++x) {
      bool outermost = false;
      for (std::size_t i = 0, rest = x; i < D; ++i, rest /= side)
        outermost = outermost || rest % side == 0 || rest % side == side - 1;
      before[x] = outermost ? now[x]
                            : scrambled_neighbours<D>()(serial_cell<D>{
                                  &now[x], &before[x], static_cast<std::ptrdiff_t>(side)});
    }
    std::swap(now, before);
  }
}

// n points in D dimensions, one in each virtual processor.
template <std::size_t D> cost_trace run_stencil(const evaluation_request& request) {
  machine on(traced(request));
  values now = random_values(request);
  values before(now.rbegin(), now.rend());
  values expected = now;
  values expected_before = before;
  const auto side = std::size_t{1} << static_cast<unsigned>(std::countr_zero(request.n)) / D;
  sweep_serially<D>(expected, expected_before, side);
  std::array<std::size_t, D> size;
  size.fill(side);
  run_report report = pleat::stencil(on, grid_view<std::uint64_t, D>(now.data(), size),
                                     grid_view<std::uint64_t, D>(before.data(), size), side,
                                     scrambled_neighbours<D>(), {.vps = request.n});
  verify(now == expected && before == expected_before, D == 1 ? "stencil1" : "stencil2");
  return *std::move(report.costs);
}

// The paper's example of a program that is full but not wise, section 5.
cost_trace run_unbalanced(const evaluation_request& request) {
  machine on(traced(request));
  const values sent = random_values(request);
  values received;
  run_report report = on.run(request.n, [&sent, &received](vp& me) -> task<> {
    if (me.rank() == 0) {
      for (const std::uint64_t value : sent) me.send(me.size() / 2, value);
    }
    co_await me.sync(0);
    while (const auto arrived = me.receive()) received.push_back(arrived->get<std::uint64_t>());
  });
  verify(received == sent, "unbalanced");
  return *std::move(report.costs);
}

constexpr std::string_view powers = "a power of two, 2 or more";
constexpr std::string_view any = "any number from 2";
bool is_power(std::size_t n) { return n >= 2 && std::has_single_bit(n); }
bool is_any(std::size_t n) { return n >= 2; }

constexpr std::string_view squares = "a power of four, 4 or more";
bool is_square(std::size_t n) { return is_power(n) && std::countr_zero(n) % 2 == 0; }

constexpr std::array programs{
    evaluated_program{"sort", "recursive Columnsort, one key a virtual processor", powers, is_power,
                      false, run_sort, "n log n/(p log(n/p)) + σ", sort_lower_bound},
    evaluated_program{"fft", "the Fourier transform by halves, one number a virtual processor",
                      powers, is_power, false, run_fft, "n log n/(p log(n/p)) + σ",
                      fft_lower_bound},
    evaluated_program{
        "broadcast", "one value to all, by a tree of degree κ", any, is_any, true, run_broadcast,
        "max(2, σ) log p/log max(2, σ)",
        [](std::size_t, std::size_t p, double sigma) { return broadcast_lower_bound(p, sigma); }},
    evaluated_program{
        "prefix", "prefix sums, one value a virtual processor", any, is_any, false, run_prefix,
        "max(2, σ) log p/log max(2, σ)",
        [](std::size_t, std::size_t p, double sigma) { return prefix_lower_bound(p, sigma); }},
    evaluated_program{"bitonic", "Batcher's bitonic sort, one key a virtual processor", powers,
                      is_power, false, run_bitonic, "n log n/(p log(n/p)) + σ", sort_lower_bound},
    evaluated_program{"matmul", "√n × √n matrices, eight-way recursion", squares, is_square, false,
                      run_matmul8, "n/p^(2/3) + σ", matmul_lower_bound},
    evaluated_program{"matmul4", "√n × √n matrices, four-way recursion in constant memory", squares,
                      is_square, false, run_matmul4, "n/√p + σ", matmul_in_place_lower_bound},
    evaluated_program{"stencil1", "a row of n points for n steps, one point a virtual processor",
                      powers, is_power, false, run_stencil<1>, "n + σ",
                      [](std::size_t n, std::size_t p, double sigma) {
                        return stencil_lower_bound(n, 1, p, sigma);
                      }},
    evaluated_program{"stencil2", "√n × √n points for √n steps, one point a virtual processor",
                      squares, is_square, false, run_stencil<2>, "n/√p + σ",
                      [](std::size_t n, std::size_t p, double sigma) {
                        const std::size_t side = std::size_t{1} << std::countr_zero(n) / 2;
                        return stencil_lower_bound(side, 2, p, sigma);
                      }},
    evaluated_program{"unbalanced", "VP 0 sends n messages to VP n/2: full, but not wise", any,
                      is_any, false, run_unbalanced, "n + σ", point_to_point_lower_bound}};

}  // namespace

std::span<const evaluated_program> evaluated_programs() { return programs; }

std::string evaluated_program_names() { return names_of(programs, &evaluated_program::name); }

const evaluated_program& find_evaluated_program(std::string_view name) {
  const auto* const found = std::ranges::find(programs, name, &evaluated_program::name);
  if (found == programs.end())
    throw usage_error("'" + std::string(name) +
                      "' is no program to evaluate; known: " + evaluated_program_names());
  return *found;
}

}  // namespace pleat::bench
