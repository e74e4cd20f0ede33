// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bounds/bounds.hpp"
#include "everyday/rivals/everyday_rivals.hpp"
#include "everyday_data.hpp"
#include "everyday_work.hpp"
#include "measure/benchmark.hpp"
#include "measure/number_types.hpp"
#include "our_everyday.hpp"
#include "pleat_rivals_linked.hpp"

namespace pleat::bench {
namespace {

constexpr auto default_type = "f64";
// Sizes that fit in the first cache, in second-level ones, in the last, and in none.
constexpr std::array default_sizes{std::size_t{1} << 10, std::size_t{1} << 16, std::size_t{1} << 20,
                                   std::size_t{1} << 26};
// Beyond this, one thread alone takes longer than everybody else together.
constexpr std::size_t serial_takes_long = std::size_t{1} << 22;

/// Adds the bound of what a work must read and write, if it is bound by memory.
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
                      .type = std::string(type_name<T>()),
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
  return {benchmark{.name = everyday_works[i].name,
                    .group = "everyday",
                    .summary = everyday_works[i].measure,
                    .n_means = "elements",
                    .measure = measure_everyday<i>,
                    .rivals = everyday_works[i].rivals,
                    .types = "f64, u32"}...};
}

constexpr auto benchmarks = all_of(std::make_index_sequence<everyday_works.size()>());

}  // namespace

std::span<const benchmark> everyday_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
