// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "bounds/bounds.hpp"
#include "everyday_work.hpp"
#include "measure/benchmark.hpp"
#include "measure/big_block.hpp"
#include "measure/clock.hpp"
#include "measure/number_types.hpp"
#include "pleat_rivals_linked.hpp"

namespace pleat::bench {

/// Arrays for the measurement of an everyday algorithm, and the digest of the right result. If
/// branches depend on values and the array is short, calls take turns on several inputs, because a
/// processor learns to predict branches that repeat.
template <class T> class everyday_data {
 public:
  using call = std::function<std::uint64_t(everyday_arrays<T>)>;

  /// Makes the input and takes the expected digest from `oracle`, which does the work once.
  everyday_data(machine& on, const everyday_work& work, std::size_t n, std::uint64_t seed,
                const call& oracle)
      : work_(work),
        inputs_(work.values_decide ? std::max<std::size_t>(learned / std::max<std::size_t>(n, 1), 1)
                                   : 1),
        blocks_{big_block(bytes_of({inputs_, n, sizeof(T)}), on),
                big_block(bytes_of({n, sizeof(T)}), on), big_block(bytes_of({n, sizeof(T)}), on)},
        first_(blocks_[0].template as<T>(inputs_ * n)),
        arrays_{blocks_[1].template as<T>(n), blocks_[2].template as<T>(n)} {
    std::mt19937_64 random(seed);
    for (T& x : first_) x = static_cast<T>(random() % work.below);
    if (work.sorted_halves) {
      for (std::size_t k = 0; k < inputs_; ++k) {
        const auto middle = input(k).begin() + static_cast<std::ptrdiff_t>(n / 2);
        std::sort(input(k).begin(), middle);
        std::sort(middle, input(k).end());
      }
    }
    expected_ = digest_of(oracle);
  }

  /// Checks the result of `work`, the implementation by `who`. Throws: pleat::error.
  void verify(std::string_view who, const call& work) {
    if (digest_of(work) != expected_)
      throw error("verification failed: " + std::string(who) + "'s " + std::string(work_.name) +
                  " is wrong");
  }

  /// Returns the mean seconds of a call over some milliseconds of calls, each on the next input.
  /// An input that calls change is copied before each of them, outside the timing.
  double sample(const call& work) {
    restore();
    std::size_t calls = 0;
    double seconds = 0;
    for (std::size_t batch = 1; seconds < least_sampled; batch *= 2) {
      if (work_.spoils_input) {
        restore_input(calls);
        seconds += timed(work, 1);
        ++calls;
      } else {
        seconds = timed(work, batch);  // the last batch alone counts
        calls = batch;
      }
    }
    return seconds / static_cast<double>(calls);
  }

  [[nodiscard]] const everyday_work& work() const { return work_; }
  [[nodiscard]] everyday_arrays<T> arrays() const { return arrays_; }
  [[nodiscard]] measured_arrays blocks() const { return {&blocks_[1], &blocks_[2]}; }

 private:
  static constexpr double least_sampled = 2e-3;
  /// Least number of elements in all inputs; a processor cannot learn as many branches.
  static constexpr std::size_t learned = std::size_t{1} << 17;

  [[nodiscard]] std::span<T> input(std::size_t k) const {
    const std::size_t n = arrays_.in.size();
    return first_.subspan(k % inputs_ * n, n);
  }
  double timed(const call& work, std::size_t calls) const {
    const bool several = inputs_ > 1 && !work_.spoils_input;
    const auto start = benchmark_clock::now();
    for (std::size_t i = 0; i < calls; ++i) work({several ? input(i) : arrays_.in, arrays_.out});
    return seconds_since(start);
  }
  void restore_input(std::size_t k = 0) { std::ranges::copy(input(k), arrays_.in.begin()); }
  void restore() {
    restore_input();
    std::ranges::copy(input(0), arrays_.out.begin());
  }

  std::uint64_t digest_of(const call& work) {
    restore();
    const std::uint64_t number = work(arrays_);
    const auto in_any_order = [](std::span<const T> some) {
      std::uint64_t sum = 0;
      for (const T x : some) sum += hash_of(std::span(&x, 1));
      return sum;
    };
    const auto up_to = [number](std::span<const T> all) {
      return all.first(std::min<std::size_t>(number, all.size()));
    };
    switch (work_.result) {
      case leaves::nothing:
        return number;
      case leaves::output:
        return number + hash_of(up_to(arrays_.out));
      case leaves::front:
        return number + hash_of(up_to(arrays_.in));
      case leaves::whole:
        return number + hash_of(arrays_.in);
      case leaves::two_parts:
        return number + 3 * in_any_order(up_to(arrays_.in)) + in_any_order(arrays_.in);
      case leaves::shuffled:
        // An unchanged order is an error: 20 different elements keep it with probability 1/20!.
        return number + in_any_order(arrays_.in) +
               (arrays_.in.size() >= 20 && std::ranges::equal(arrays_.in, input(0)) ? 1 : 0);
    }
    return 0;
  }

  everyday_work work_;
  std::size_t inputs_;
  big_block blocks_[3];
  std::span<T> first_;
  everyday_arrays<T> arrays_;
  std::uint64_t expected_ = 0;
};

namespace {

constexpr auto default_type = "f64";
// Sizes that fit in a first-level, a second-level and the last-level cache, and in none.
constexpr std::array default_sizes{std::size_t{1} << 10, std::size_t{1} << 16, std::size_t{1} << 20,
                                   std::size_t{1} << 26};
// Beyond this size the serial rivals would take longer than all others together.
constexpr std::size_t serial_takes_long = std::size_t{1} << 22;

/// Adds the rival `bandwidth`, which reads and writes as much as the work, if the work lists it.
template <class T>
void add_moves(comparison& compared, const benchmark_options& options,
               const everyday_data<T>& data) {
  const auto& work = data.work();
  if (work.rivals.find("bandwidth") == std::string_view::npos) return;
  const auto [in, out] = data.arrays();
  const auto written = static_cast<std::size_t>(work.writes * static_cast<double>(in.size()));
  const std::span<T> to = work.result == leaves::output ? out : in;
  add_bandwidth(compared, options, std::as_bytes(in),
                std::as_bytes(out.first(work.reads > 1 ? in.size() : 0)),
                std::as_writable_bytes(to.first(written)));
}

template <class T>
void measure_size(testbed& on, const benchmark_options& options, const runner& run,
                  const everyday_work& work, std::size_t n) {
  const unsigned threads = on.ours.processors();
  using call = typename everyday_data<T>::call;
  const auto by = [threads](everyday_call<T> rival) -> call {
    return [rival, threads](everyday_arrays<T> x) { return rival(x, threads); };
  };
  everyday_data<T> data(on.ours, work, n, options.seed, by(serial_everyday<T>(work.what)));
  const auto timed = [&data](std::string who, const call& does) {
    return candidate{who, [&data, who, does] { data.verify(who, does); },
                     [&data, does] { return data.sample(does); }};
  };
  comparison compared{.measure = std::string(work.measure),
                      .type = type_name<T>(),
                      .n = n,
                      .processors = threads,
                      .repetitions = options.repetitions.value_or(7),
                      .ours = timed("ours", [&on, call = our_everyday<T>(work.what)](
                                                everyday_arrays<T> x) { return call(on.ours, x); }),
                      .pace = single_calls,
                      .arrays = data.blocks()};
  const auto add = [&](const char* name, everyday_call<T> (*rival)(everyday), bool by_default) {
    if (work.rivals.find(name) == std::string_view::npos) return;
    compared.add_rival(
        options, name, [&] { return timed(name, by(rival(work.what))); }, by_default);
  };
  everyday_call<T> (*tbb)(everyday) = nullptr;
  everyday_call<T> (*std_par)(everyday) = nullptr;
  everyday_call<T> (*openmp)(everyday) = nullptr;
#if PLEAT_WITH_TBB
  tbb = tbb_everyday<T>;
  std_par = std_par_everyday<T>;
#endif
#if PLEAT_WITH_OPENMP
  openmp = openmp_everyday<T>;
#endif
  add("tbb", tbb, true);
  add("std-par", std_par, true);
  add("openmp", openmp, true);
  add("serial", serial_everyday<T>, n <= serial_takes_long);
  add_moves(compared, options, data);
  run(compared);
}

template <std::size_t i>
void measure_everyday(testbed& on, const benchmark_options& options, const runner& run) {
  const std::vector<std::size_t> sizes =
      options.n ? std::vector<std::size_t>{*options.n}
                : std::vector<std::size_t>(default_sizes.begin(), default_sizes.end());
  with_type<double, std::uint32_t>(options.type_or(default_type), [&]<class T>() {
    for (const std::size_t n : sizes) measure_size<T>(on, options, run, everyday_works[i], n);
  });
}

template <std::size_t... i>
constexpr std::array<benchmark, sizeof...(i)> all_of(std::index_sequence<i...>) {
  return {benchmark{everyday_works[i].name, everyday_works[i].measure, "elements",
                    measure_everyday<i>, everyday_works[i].rivals, "f64, u32"}
              .with(&benchmark::group, "everyday")...};
}

constexpr auto benchmarks = all_of(std::make_index_sequence<everyday_works.size()>());

}  // namespace

std::span<const benchmark> everyday_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
