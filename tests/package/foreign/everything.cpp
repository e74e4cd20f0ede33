// SPDX-License-Identifier: Apache-2.0
// Every component, and every template that the library is compiled for, as a program uses them that
// is compiled by another compiler, or with other options, than the library was.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <pleat/pleat.hpp>

#include "second.hpp"

namespace {

int failures = 0;
void expect(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  ++failures;
}

template <class T> std::vector<T> numbers(std::size_t n) {
  std::vector<T> all(n);
  std::uint64_t x = 1;
  for (T& one : all) {
    x = x * 6364136223846793005U + 1442695040888963407U;
    one = static_cast<T>(x >> 40);
  }
  return all;
}

template <class T> void sorts(pleat::machine& m) {
  for (const std::size_t n : {std::size_t{50}, std::size_t{20'000}, std::size_t{300'000}}) {
    std::vector<T> keys = numbers<T>(n);
    pleat::sort(m, keys);
    expect(std::is_sorted(keys.begin(), keys.end()), "sort");
  }
  const std::vector<T> keys = numbers<T>(1000);
  const auto order = pleat::argsort(m, keys);
  expect(keys[order.front()] == *std::min_element(keys.begin(), keys.end()), "argsort");
}

template <class T> void transforms(pleat::machine& m) {
  for (const std::size_t n : {std::size_t{64}, std::size_t{4096}, std::size_t{1009}}) {
    std::vector<std::complex<T>> signal(n, T{1});
    pleat::fft(m, signal);
    expect(std::abs(signal[0] - static_cast<T>(n)) < static_cast<T>(0.1), "fft");
    std::vector<T> real(n, T{1});
    std::vector<std::complex<T>> spectrum(n / 2 + 1);
    pleat::rfft(m, real, spectrum);
    expect(std::abs(spectrum[0] - static_cast<T>(n)) < static_cast<T>(0.1), "rfft");
  }
}

template <class Semiring, class T> void multiplies(pleat::machine& m) {
  constexpr std::size_t n = 40;
  const std::vector<T> a(n * n, T{1});
  std::vector<T> c(n * n);
  using read = pleat::strided_view<const T>;
  pleat::matmul<Semiring>(m, read(a.data(), n, n, n), read(a.data(), n, n, n),
                          pleat::strided_view<T>(c.data(), n, n, n));
  expect(c.front() == c.back(), "matmul");
}

void steps(pleat::machine& m) {
  std::vector<double> cells(4096, 1.0);
  pleat::stencil(m, pleat::grid_view<double, 1>(cells.data(), {4096}), 10,
                 [](const auto& u) { return (u(-1) + u(1)) / 2; });
  pleat::stencil(m, pleat::grid_view<double, 2>(cells.data(), {64, 64}), 10,
                 [](const auto& u) { return (u(-1, 0) + u(1, 0)) / 2; });
  pleat::stencil(m, pleat::grid_view<double, 3>(cells.data(), {16, 16, 16}), 10,
                 [](const auto& u) { return (u(-1, 0, 0) + u(0, 0, 1)) / 2; });
}

pleat::task<double> passes(pleat::vp& me) {
  me.send((me.rank() + 1) % me.size(), me.rank());
  co_await me.sync(0);
  const auto message = me.receive();
  co_return static_cast<double>(message->get<std::size_t>());
}

pleat::task<> passes_on(pleat::vp& me) {
  const double from = co_await passes(me);
  expect(from < static_cast<double>(me.size()), "a message");
}

pleat::task<> talks(pleat::vp& me, std::vector<double>& sums) {
  const double from = co_await passes(me);
  sums[me.rank()] = co_await pleat::all_reduce(me, from, std::plus<>{});
  std::vector<double> all(me.size());
  const double mine[] = {from};
  co_await pleat::all_gather(me, mine, all);
  co_await pleat::broadcast(me, all);
  sums[me.rank()] += co_await pleat::scan(me, 0.0, std::plus<>{});
}

}  // namespace

int main() {
  pleat::machine m;
  sorts<std::uint8_t>(m);
  sorts<std::int16_t>(m);
  sorts<float>(m);
  sorts<double>(m);
  sorts<std::uint64_t>(m);
  std::vector<std::string> words{"b", "c", "a"};
  pleat::sort(m, words);
  expect(words.front() == "a", "sort of words");
  transforms<float>(m);
  transforms<double>(m);
  multiplies<pleat::plus_times, float>(m);
  multiplies<pleat::plus_times, double>(m);
  multiplies<pleat::min_plus, int>(m);
  multiplies<pleat::min_plus, float>(m);
  steps(m);

  std::vector<double> sums(6);
  m.run(sums.size(), [&](pleat::vp& me) { return talks(me, sums); });
  expect(sums == std::vector<double>(6, 15.0), "collectives");
  const pleat::cost_trace costs = pleat::evaluate(6, [](pleat::vp& me) { return passes_on(me); });
  expect(costs.H(2, 1.0) > 0, "evaluate");

  const std::vector<int> x = numbers<int>(100'000);
  const long sum = pleat::reduce(m, x, 0L);
  expect(sum == sum_of(x), "reduce");
  expect(!pleat::kernel_choices().empty(), "kernel_choices");
  try {
    m.run(0, [&](pleat::vp& me) { return talks(me, sums); });
    expect(false, "an exception");
  } catch (const pleat::usage_error&) {
  }
  return failures;
}
