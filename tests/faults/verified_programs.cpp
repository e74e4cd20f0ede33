// SPDX-License-Identifier: Apache-2.0
#include "verified_programs.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/gather.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/scan.hpp>
#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/prefix.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/oblivious/stencil.hpp>

namespace faults {

namespace {

using pleat::machine, pleat::task, pleat::vp;

class dice {
 public:
  explicit dice(std::uint64_t seed) : random_(seed) {}
  std::uint64_t operator()() { return random_(); }
  /// 1 … most
  std::size_t size(std::size_t most) { return 1 + random_() % most; }
  double real() { return static_cast<double>(random_() % 2001) / 1000 - 1; }

 private:
  std::mt19937_64 random_;
};

void require(bool right, const char* what) {
  if (!right) throw wrong_result(what);
}

// Small messages, large ones and loans round a ring, at every label of a path to the root.
void ring_of_messages(machine& on, std::uint64_t seed, std::size_t scale) {
  dice roll(seed);
  const std::size_t v = roll.size(40 * scale), large = roll.size(100);
  const std::size_t rounds = roll.size(4);
  std::vector<std::uint64_t> sums(v, 0);
  on.run(v, [&](vp& me) -> task<> {
    const std::size_t next = (me.rank() + 1) % me.size();
    std::vector<std::uint64_t> block(large, me.rank());
    for (std::size_t round = 0; round < rounds; ++round) {
      me.send(next, me.rank());
      me.send(next, std::span<const std::uint64_t>(block));
      me.lend(next, std::span<const std::uint64_t>(block));
      co_await me.sync(0);
      const auto small = me.receive();
      sums[me.rank()] += small->get<std::size_t>();
      const auto copied = me.receive();
      for (const auto x : copied->template span<std::uint64_t>()) sums[me.rank()] += x;
      const auto lent = me.receive();
      for (const auto x : lent->template view<const std::uint64_t>().row(0)) sums[me.rank()] += x;
      if (me.receive()) sums[me.rank()] = ~std::uint64_t{0};
      for (unsigned label = me.labels(); label-- != 0;) co_await me.sync(label);
    }
  });
  for (std::size_t rank = 0; rank < v; ++rank)
    require(sums[rank] == (rank + v - 1) % v * rounds * (1 + 2 * large), "ring of messages");
}

void ring_of_channels(machine& on, std::uint64_t seed, std::size_t scale) {
  dice roll(seed);
  const std::size_t v = 1 + roll.size(20 * scale), count = roll.size(50);
  std::vector<std::uint64_t> sums(v, 0);
  on.run(v, [&](vp& me) -> task<> {
    const std::size_t next = (me.rank() + 1) % me.size();
    const std::size_t before = (me.rank() + me.size() - 1) % me.size();
    for (std::size_t i = 0; i < count; ++i) {
      co_await me.push(next, me.rank() * count + i);
      const auto got = co_await me.pop<std::size_t>(before);
      sums[me.rank()] += got;
    }
  });
  for (std::size_t rank = 0; rank < v; ++rank) {
    const std::size_t before = (rank + v - 1) % v;
    require(sums[rank] == before * count * count + count * (count - 1) / 2, "ring of channels");
  }
}

void collectives(machine& on, std::uint64_t seed, std::size_t scale) {
  dice roll(seed);
  const std::size_t v = roll.size(9), n = roll.size(60 * scale);
  const std::size_t root = roll() % v;
  std::vector<std::uint64_t> failures(v, 0);
  on.run(v, [&](vp& me) -> task<> {
    using numbers = std::vector<std::uint64_t>;
    std::uint64_t& wrong = failures[me.rank()];
    numbers data(n, me.rank() == root ? 17 : 0);
    co_await pleat::broadcast(me, std::span(data), {.root = root});
    wrong += data != numbers(n, 17);
    numbers mine(n, me.rank() + 1);
    numbers sum(n);
    co_await pleat::all_reduce(me, std::span<const std::uint64_t>(mine), std::span(sum),
                               std::plus<>{});
    wrong += sum != numbers(n, v * (v + 1) / 2);
    co_await pleat::scan(me, std::span<const std::uint64_t>(mine), std::span(sum), std::plus<>{});
    wrong += sum != numbers(n, (me.rank() + 1) * (me.rank() + 2) / 2);
    numbers all(me.rank() == root ? n * v : 0);
    co_await pleat::gather(me, std::span<const std::uint64_t>(mine), std::span(all),
                           {.root = root});
    for (std::size_t i = 0; i < all.size(); ++i) wrong += all[i] != i / n + 1;
    numbers out(n * v);
    numbers in(n * v);
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = me.rank() * v + i / n;
    co_await pleat::all_to_all(me, std::span<const std::uint64_t>(out), std::span(in));
    for (std::size_t i = 0; i < in.size(); ++i) wrong += in[i] != i / n * v + me.rank();
  });
  require(std::accumulate(failures.begin(), failures.end(), std::uint64_t{0}) == 0, "collectives");
}

template <class T> std::vector<T> keys(dice& roll, std::size_t n) {
  std::vector<T> made(n);
  for (T& x : made) x = static_cast<T>(roll() % (4 * n));
  return made;
}

void sort_numbers(machine& on, std::uint64_t seed, std::size_t scale) {
  dice roll(seed);
  auto values = keys<std::uint64_t>(roll, roll.size(3000 * scale));
  auto expected = values;
  std::ranges::sort(expected);
  pleat::sort(on, values, {}, {.vps = roll.size(9)});
  require(values == expected, "sort of numbers");
}

void sort_strings(machine& on, std::uint64_t seed, std::size_t scale) {
  dice roll(seed);
  std::vector<std::string> values;
  for (const auto key : keys<std::uint32_t>(roll, roll.size(300 * scale)))
    values.push_back("a string that is longer than what fits in itself " + std::to_string(key));
  auto expected = values;
  std::ranges::sort(expected);
  pleat::stable_sort(on, values, {}, {.vps = roll.size(5)});
  require(values == expected, "sort of strings");
}

void sort_pairs(machine& on, std::uint64_t seed, std::size_t scale) {
  dice roll(seed);
  auto by = keys<std::int32_t>(roll, roll.size(1000 * scale));
  const auto before = by;
  std::vector<std::size_t> expected(by.size());
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  std::ranges::sort(expected, [&](std::size_t i, std::size_t j) {
    return before[i] != before[j] ? before[i] < before[j] : i < j;
  });
  const auto order = pleat::argsort(on, by, std::less<>{}, {}, {.vps = roll.size(5)});
  require(std::ranges::equal(order, expected), "argsort");
  std::vector<double> values(by.size());
  std::iota(values.begin(), values.end(), 0.0);
  pleat::sort_by_key(on, by, values, std::less<>{}, {.vps = roll.size(5)});
  require(std::ranges::equal(values, expected, {}, {},
                             [](std::size_t i) { return static_cast<double>(i); }),
          "sort by key");
}

// An entry of the transform by its definition: one frequency shows an error anywhere, as every
// number goes into it.
std::complex<double> frequency(const std::vector<std::complex<double>>& signal, std::size_t k) {
  std::complex<double> sum = 0;
  const auto n = static_cast<double>(signal.size());
  for (std::size_t i = 0; i < signal.size(); ++i)
    sum += signal[i] * std::polar(1.0, -2 * 3.14159265358979323846 *
                                           static_cast<double>(i * k % signal.size()) / n);
  return sum;
}

void transform(machine& on, std::uint64_t seed, std::size_t scale) {
  dice roll(seed);
  const std::size_t n = roll.size(1100 * scale), vps = roll.size(5);
  std::vector<std::complex<double>> signal(n);
  for (auto& z : signal) z = {roll.real(), roll.real()};
  auto spectrum = signal;
  pleat::fft(on, spectrum, {.vps = vps});
  for (int i = 0; i < 8; ++i) {
    const std::size_t k = roll() % n;
    require(std::abs(spectrum[k] - frequency(signal, k)) < 1e-8 * static_cast<double>(n),
            "Fourier transform");
  }
  pleat::fft(on, spectrum, {.direction = pleat::fft_direction::inverse, .vps = vps});
  for (std::size_t i = 0; i < n; ++i)
    require(std::abs(spectrum[i] - signal[i]) < 1e-9, "inverse Fourier transform");
  std::vector<double> real(n);
  for (std::size_t i = 0; i < n; ++i) real[i] = signal[i].real();
  std::vector<std::complex<double>> half(n / 2 + 1);
  pleat::rfft(on, real, half, {.vps = vps});
  for (auto& z : signal) z = z.real();
  const std::size_t k = roll() % half.size();
  require(std::abs(half[k] - frequency(signal, k)) < 1e-8 * static_cast<double>(n),
          "real Fourier transform");
}

template <class Semiring, class T>
void multiply_as(machine& on, dice& roll, std::size_t most, const char* what) {
  const std::size_t m = roll.size(most), n = roll.size(most), k = roll.size(most);
  std::vector<T> a(m * k), b(k * n);
  for (T& x : a) x = static_cast<T>(roll() % 100);
  for (T& x : b) x = static_cast<T>(roll() % 100);
  std::vector<T> c(m * n);
  pleat::matmul<Semiring>(on, pleat::strided_view<const T>(a.data(), m, k, k),
                          pleat::strided_view<const T>(b.data(), k, n, n),
                          pleat::strided_view<T>(c.data(), m, n, n), {.vps = roll.size(9)});
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      T sum = Semiring::template zero<T>();
      for (std::size_t l = 0; l < k; ++l)
        sum = Semiring::plus(sum, Semiring::times(a[i * k + l], b[l * n + j]));
      require(c[i * n + j] == sum, what);  // integers below 2^53: no rounding
    }
  }
}

void multiply(machine& on, std::uint64_t seed, std::size_t scale) {
  dice roll(seed);
  const std::size_t most = 40 * scale;
  multiply_as<pleat::plus_times, double>(on, roll, most, "matrix product");
  multiply_as<pleat::min_plus, std::int64_t>(on, roll, most, "(min, +) product");
}

void heat(machine& on, std::uint64_t seed, std::size_t scale) {
  dice roll(seed);
  const std::size_t n = 2 + roll.size(1000 * scale), steps = roll.size(40);
  std::vector<double> cells(n);
  for (double& x : cells) x = roll.real();
  auto expected = cells;
  for (std::size_t step = 0; step < steps; ++step) {
    const auto before = expected;
    for (std::size_t i = 1; i + 1 < n; ++i)
      expected[i] = 0.5 * before[i] + 0.25 * (before[i - 1] + before[i + 1]);
  }
  std::size_t told = 0;
  pleat::stencil(
      on, pleat::grid_view<double, 1>(cells.data(), {n}), steps,
      [](const auto& u) { return 0.5 * u(0) + 0.25 * (u(-1) + u(1)); },
      {.every = 1 + steps / 3, .after = [&](std::size_t) { ++told; }, .vps = roll.size(5)});
  for (std::size_t i = 1; i + 1 < n; ++i)
    require(std::abs(cells[i] - expected[i]) < 1e-12, "stencil");
}

void sum_prefixes(machine& on, std::uint64_t seed, std::size_t scale) {
  dice roll(seed);
  auto values = keys<std::uint64_t>(roll, roll.size(100 * scale));
  auto expected = values;
  std::inclusive_scan(values.begin(), values.end(), expected.begin());
  pleat::prefix(on, values);
  require(values == expected, "prefix sums");
}

constexpr verified_program all[] = {
    {"ring of messages", ring_of_messages},
    {"ring of channels", ring_of_channels},
    {"collectives", collectives},
    {"sort of numbers", sort_numbers},
    {"sort of strings", sort_strings},
    {"sort of pairs", sort_pairs},
    {"transform", transform},
    {"multiply", multiply},
    {"heat", heat},
    {"prefix sums", sum_prefixes},
};

}  // namespace

std::span<const verified_program> verified_programs() { return all; }

}  // namespace faults
